//! Lock files that name their holder.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use fs4::fs_std::FileExt;

use crate::helper;
use crate::{ForeignFileError, LockError};

/// A lock file that one process at a time holds. It contains the name of its holder and is removed when it
/// is dropped. A lock file that a killed process left is free.
///
/// A link is not followed, and a file that is neither empty nor a lock stays unchanged: both are errors.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    file: File,
}

impl Lock {
    /// Acquires the lock; if another process holds it, the error names that process. The folder must exist.
    pub fn acquire(path: &Path) -> Result<Lock, LockError> {
        loop {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            let mut file = helper::open_no_follow(path, &mut options)?;
            if !file.try_lock_exclusive()? {
                match wait_for_holder(path) {
                    Some(holder) => return Err(LockError::Held(holder)),
                    // It was released in the meantime.
                    None if path.symlink_metadata().is_err() => continue,
                    None => return Err(LockError::Held("another process".to_string())),
                }
            }
            // The last holder may have removed the file between opening and locking. Such a lock excludes
            // no other process.
            if !is_same_file(&file, path) {
                continue;
            }
            if file.metadata()?.len() > 0 && read_holder(&mut file).is_none() {
                let error: io::Error =
                    ForeignFileError::new(path, "it holds something else").into();
                return Err(error.into());
            }
            // From here on the file is removed on failure.
            let mut lock = Lock { path: path.to_path_buf(), file };
            lock.file.set_len(0)?;
            lock.file.rewind()?;
            lock.file.write_all(process_name().as_bytes())?;
            return Ok(lock);
        }
    }

    /// Whether the lock file at `path` names this process.
    pub fn is_ours(path: &Path) -> bool {
        holder(path).is_some_and(|holder| holder == process_name())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A file that cannot be removed is harmless. The lock is released after the removal, so that a
        // process that opened it in between finds it gone.
        if is_same_file(&self.file, &self.path) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

fn process_name() -> String {
    let process = format!("process {}", std::process::id());
    #[cfg(unix)]
    let process = {
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        format!("{process} on {}", host.replace(|c: char| !c.is_ascii_graphic(), "-"))
    };
    process
}

/// The holder of a lock. Waits up to 100 ms for a process that has taken it but not yet written its name.
fn wait_for_holder(path: &Path) -> Option<String> {
    for _ in 0..20 {
        if let Some(holder) = holder(path) {
            return Some(holder);
        }
        if path.symlink_metadata().is_err() {
            return None;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    None
}

/// The holder of the lock at `path`; `None` if it is not a lock.
fn holder(path: &Path) -> Option<String> {
    read_holder(&mut helper::open_no_follow(path, OpenOptions::new().read(true)).ok()?)
}

/// The longest holder's name: a longer text is not a lock.
const MAX_HOLDER_BYTES: u64 = 300;

/// The holder's name, the whole content of a lock: `process 7` or `process 7 on mars`.
fn read_holder(file: &mut File) -> Option<String> {
    let mut text = String::new();
    file.take(MAX_HOLDER_BYTES + 1).read_to_string(&mut text).ok()?;
    if text.len() as u64 > MAX_HOLDER_BYTES {
        return None;
    }
    let (number, host) = match text.strip_prefix("process ")?.split_once(" on ") {
        Some((number, host)) => (number, Some(host)),
        None => (&text["process ".len()..], None),
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_host = |host: &str| host.chars().all(|c| c.is_ascii_graphic());
    (is_number && host.is_none_or(is_host)).then_some(text)
}

#[cfg(unix)]
fn is_same_file(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(ours), Ok(found)) => (found.dev(), found.ino()) == (ours.dev(), ours.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_same_file(_: &File, path: &Path) -> bool {
    // Elsewhere an open file keeps its name.
    path.exists()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn one_at_a_time_and_it_says_who() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let lock = Lock::acquire(&path).unwrap();
        assert!(Lock::is_ours(&path));
        let refused = Lock::acquire(&path).unwrap_err().to_string();
        let pid = std::process::id();
        assert!(refused.starts_with(&format!("process {pid}")), "{refused}");
        assert!(refused.ends_with(" is at work there"), "{refused}");
        drop(lock);
        assert!(!path.exists() && !Lock::is_ours(&path));
        // A lock that a killed process left behind is free.
        for left in ["", "process 1", "process 1 on earth"] {
            std::fs::write(&path, left).unwrap();
            let lock = Lock::acquire(&path).unwrap();
            std::fs::write(&path, "process 1\x1b[2J").unwrap();
            let refused = Lock::acquire(&path).unwrap_err().to_string();
            assert_eq!(refused, "another process is at work there");
            drop(lock);
            assert!(!path.exists());
        }
        // A text that only begins like a lock is the user's.
        let long = format!("process 1 on {}\nnotes\n", "x".repeat(400));
        for theirs in ["process 1 on earth\nnotes\n", &long] {
            std::fs::write(&path, theirs).unwrap();
            assert!(matches!(Lock::acquire(&path), Err(LockError::Io(_))));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
        }
        std::fs::remove_file(&path).unwrap();
        let nowhere = Lock::acquire(&dir.path().join("no/lock")).unwrap_err();
        assert!(matches!(nowhere, LockError::Io(_)), "{nowhere}");
        if cfg!(not(unix)) {
            return;
        }
        // A file that took its name meanwhile stays.
        let lock = Lock::acquire(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, "mine").unwrap();
        drop(lock);
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }

    /// Locks that come and go never let two in, though each takes its file away.
    #[test]
    fn never_two() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let (inside, taken) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while taken.load(Ordering::SeqCst) < 2000 {
                        let Ok(lock) = Lock::acquire(&path) else { continue };
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        taken.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
    }
}

//! Helper files: locks, and temporary files beside a target.
//!
//! Their names are derived from the target's, so that a user's file may have the same name. A helper file is
//! therefore reused or removed only if it is empty or begins with a signature of its kind, and a link is
//! never followed. Anything else stays unchanged and is [in the way](ForeignFileError).

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::ForeignFileError;

/// The signatures (magic bytes) that files of one kind begin with.
pub type Signatures<'a> = &'a [&'a [u8]];

/// Whether there is a helper file at `path`. Fails if there is anything else.
pub fn exists(path: &Path, signatures: Signatures<'_>) -> io::Result<bool> {
    match open_no_follow(path, OpenOptions::new().read(true)) {
        Ok(mut file) => check_signature(path, &mut file, signatures).map(|()| true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a helper file for reading and writing, and creates it if there is none. The read position is
/// unspecified.
pub fn open(path: &Path, signatures: Signatures<'_>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file =
        open_no_follow(path, options.read(true).write(true).create(true).truncate(false))?;
    check_signature(path, &mut file, signatures)?;
    Ok(file)
}

/// The bytes of a file, without a check of its signature: at most the first 64 MiB.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_no_follow(path, OpenOptions::new().read(true))?;
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

const MAX_BYTES: u64 = 64 << 20;

/// Removes a helper file if it exists. Fails if there is anything else at `path`.
pub fn remove(path: &Path, signatures: Signatures<'_>) -> io::Result<()> {
    if exists(path, signatures)? { fs::remove_file(path) } else { Ok(()) }
}

fn check_signature(path: &Path, file: &mut File, signatures: Signatures<'_>) -> io::Result<()> {
    let longest = signatures.iter().map(|signature| signature.len()).max().unwrap_or(0).max(1);
    let mut start = Vec::new();
    file.take(longest as u64).read_to_end(&mut start)?;
    if start.is_empty() || signatures.iter().any(|signature| start.starts_with(signature)) {
        return Ok(());
    }
    Err(ForeignFileError::new(path, "it holds something else").into())
}

/// Opens a plain file. Fails if `path` is a link, whatever its target.
pub(crate) fn open_no_follow(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe without a reader or writer must not block.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits() as i32);
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    }
    let in_the_way = |what| Err(ForeignFileError::new(path, what).into());
    if cfg!(not(any(unix, windows))) && path.is_symlink() {
        return in_the_way("it is a link");
    }
    let error = match options.open(path) {
        Ok(file) if file.metadata()?.is_file() => return Ok(file),
        Ok(_) => None,
        Err(error) => Some(error),
    };
    // Systems report links, folders and pipes differently, so the error is derived from the metadata.
    match (path.symlink_metadata(), error) {
        (Ok(found), _) if found.is_symlink() => in_the_way("it is a link"),
        (Ok(found), _) if found.is_dir() => in_the_way("it is a folder"),
        (Ok(found), _) if !found.is_file() => in_the_way("it is no plain file"),
        (Ok(_), Some(error)) if error.kind() == ErrorKind::PermissionDenied => {
            in_the_way("it may not be opened")
        }
        (_, Some(error)) => Err(error),
        // It was replaced after it was opened.
        (_, None) => in_the_way("it is no plain file"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::{AtomicFile, Lock};

    const SIGNATURES: Signatures<'static> = &[b"SOWTEST1", b"old"];

    /// The errors of all operations on a helper file of this name.
    fn uses(name: &Path, target: &Path) -> Vec<Option<String>> {
        let said = |done: io::Result<()>| done.err().map(|error| error.to_string());
        vec![
            said(exists(name, SIGNATURES).map(|_| ())),
            said(open(name, SIGNATURES).map(|_| ())),
            said(remove(name, SIGNATURES)),
            said(AtomicFile::create_at(target, name, SIGNATURES).map(|_| ())),
            Lock::acquire(name).err().map(|error| error.to_string()),
        ]
    }

    #[test]
    fn what_is_not_ours_stays() {
        let dir = tempfile::tempdir().unwrap();
        let [name, target, precious] =
            ["it.lock", "it", "precious"].map(|name| dir.path().join(name));
        let all_refuse = |what: &str| {
            for said in uses(&name, &target) {
                assert_eq!(
                    said.as_deref(),
                    Some(format!("it.lock is in the way: {what}; move it away").as_str())
                );
            }
        };
        for text in
            ["mine", "SOWTEST", "process 1 of my list", "process 1 on earth\nand more", "\0"]
        {
            fs::write(&name, text).unwrap();
            all_refuse("it holds something else");
            assert_eq!(fs::read_to_string(&name).unwrap(), text);
        }
        fs::remove_file(&name).unwrap();
        for text in ["mine", "", "SOWTEST1", "process 1"] {
            fs::write(&precious, text).unwrap();
            symlink(&precious, &name).unwrap();
            all_refuse("it is a link");
            assert_eq!(fs::read_link(&name).unwrap(), precious);
            assert_eq!(fs::read_to_string(&precious).unwrap(), text);
            fs::remove_file(&name).unwrap();
        }
        fs::remove_file(&precious).unwrap();
        symlink(&precious, &name).unwrap();
        all_refuse("it is a link");
        assert!(!precious.exists() && name.is_symlink());
        fs::remove_file(&name).unwrap();
        fs::create_dir(&name).unwrap();
        all_refuse("it is a folder");
        fs::remove_dir(&name).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&name).status().unwrap();
        assert!(made.success());
        all_refuse("it is no plain file");
    }

    #[test]
    fn what_is_ours_is_taken_over() {
        let dir = tempfile::tempdir().unwrap();
        let [name, target] = ["it.new", "it"].map(|name| dir.path().join(name));
        assert!(!exists(&name, SIGNATURES).unwrap());
        for text in ["", "old", "SOWTEST1 and more"] {
            fs::write(&name, text).unwrap();
            assert!(exists(&name, SIGNATURES).unwrap());
            open(&name, SIGNATURES).unwrap();
            assert_eq!(fs::read_to_string(&name).unwrap(), text);
            AtomicFile::create_at(&target, &name, SIGNATURES).unwrap().finish().unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), "");
            fs::write(&name, text).unwrap();
            remove(&name, SIGNATURES).unwrap();
            remove(&name, SIGNATURES).unwrap();
        }
    }
}

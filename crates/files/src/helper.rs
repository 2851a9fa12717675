//! Helper files: locks, and files that lie beside a target until the work is done.
//!
//! Their names are made from the target's, so that the user may have something else under them. A link
//! under such a name is never followed. A file is taken over or removed only if it is empty or begins
//! with one of the marks that its kind begins with; anything else stays as it is, and is
//! [in the way](InTheWay).

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::InTheWay;

/// What the files of one kind begin with.
pub type Marks<'a> = &'a [&'a [u8]];

/// Whether a helper file has this name. Fails if something else has it.
pub fn look(path: &Path, marks: Marks<'_>) -> io::Result<bool> {
    match open_itself(path, OpenOptions::new().read(true)) {
        Ok(mut file) => check(path, &mut file, marks).map(|()| true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a helper file to be read and written, and makes it if there is none. It may be read up to
/// its mark.
pub fn open(path: &Path, marks: Marks<'_>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut file = open_itself(path, options.read(true).write(true).create(true).truncate(false))?;
    check(path, &mut file, marks)?;
    Ok(file)
}

/// The bytes of a helper file, whatever they are. Of more than any helper file has, the first.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_itself(path, OpenOptions::new().read(true))?;
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

const MOST_BYTES: u64 = 64 << 20;

/// Removes a helper file if it is there. Fails if something else has its name.
pub fn remove(path: &Path, marks: Marks<'_>) -> io::Result<()> {
    if look(path, marks)? { fs::remove_file(path) } else { Ok(()) }
}

fn check(path: &Path, file: &mut File, marks: Marks<'_>) -> io::Result<()> {
    let longest = marks.iter().map(|mark| mark.len()).max().unwrap_or(0).max(1);
    let mut start = Vec::new();
    file.take(longest as u64).read_to_end(&mut start)?;
    if start.is_empty() || marks.iter().any(|mark| start.starts_with(mark)) {
        return Ok(());
    }
    Err(InTheWay::new(path, "it holds something else").into())
}

/// Opens the plain file that has this name. A link fails, wherever it leads.
pub(crate) fn open_itself(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe without a reader or writer is opened at once, or fails at once.
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits() as i32);
    }
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        const FILE_FLAG_OPEN_REPARSE_POINT: u32 = 0x0020_0000;
        options.custom_flags(FILE_FLAG_OPEN_REPARSE_POINT);
    }
    let in_the_way = |what| Err(InTheWay::new(path, what).into());
    if cfg!(not(any(unix, windows))) && path.is_symlink() {
        return in_the_way("it is a link");
    }
    let error = match options.open(path) {
        Ok(file) if file.metadata()?.is_file() => return Ok(file),
        Ok(_) => None,
        Err(error) => Some(error),
    };
    // What the system says of links, folders and pipes differs: the name itself says what it is.
    match (path.symlink_metadata(), error) {
        (Ok(found), _) if found.is_symlink() => in_the_way("it is a link"),
        (Ok(found), _) if found.is_dir() => in_the_way("it is a folder"),
        (Ok(found), _) if !found.is_file() => in_the_way("it is no plain file"),
        (Ok(_), Some(error)) if error.kind() == ErrorKind::PermissionDenied => {
            in_the_way("it may not be opened")
        }
        (_, Some(error)) => Err(error),
        // It was another file when it was opened.
        (_, None) => in_the_way("it is no plain file"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::{Aside, Lock};

    const MARKS: Marks<'static> = &[b"SOWTEST1", b"old"];

    /// Everything that uses a helper name, with what it says if it fails.
    fn uses(name: &Path, target: &Path) -> Vec<Option<String>> {
        let said = |done: io::Result<()>| done.err().map(|error| error.to_string());
        vec![
            said(look(name, MARKS).map(|_| ())),
            said(open(name, MARKS).map(|_| ())),
            said(remove(name, MARKS)),
            said(Aside::named(target, name, MARKS).map(|_| ())),
            Lock::take(name).err().map(|error| error.to_string()),
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
        assert!(!look(&name, MARKS).unwrap());
        for text in ["", "old", "SOWTEST1 and more"] {
            fs::write(&name, text).unwrap();
            assert!(look(&name, MARKS).unwrap());
            open(&name, MARKS).unwrap();
            assert_eq!(fs::read_to_string(&name).unwrap(), text);
            Aside::named(&target, &name, MARKS).unwrap().finish().unwrap();
            assert_eq!(fs::read_to_string(&target).unwrap(), "");
            fs::write(&name, text).unwrap();
            remove(&name, MARKS).unwrap();
            remove(&name, MARKS).unwrap();
        }
    }
}

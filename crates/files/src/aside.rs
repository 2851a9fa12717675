//! Writing beside the place, then moving there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::helper::{self, Marks};

/// A file being written beside its place. It goes when it is dropped before it is finished.
///
/// A new file has the mode that the umask leaves; one that replaces another has that one's mode,
/// and its owner where that is allowed.
#[derive(Debug)]
pub struct Aside {
    aside: NamedTempFile,
    path: PathBuf,
}

impl Aside {
    /// Begins a file for this place, under a name that nobody else has.
    pub fn beside(path: &Path) -> io::Result<Aside> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".sow-").suffix(".partial");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        Aside::at(builder.tempfile_in(folder(path))?, path)
    }

    /// Begins a file for this place, under a name of the caller's choice in the same folder.
    /// A [helper](crate::helper) file of that name, which a killed process left, is replaced; anything
    /// else is an error. A [`Lock`](crate::Lock) keeps others away.
    pub fn named(path: &Path, aside: &Path, marks: Marks<'_>) -> io::Result<Aside> {
        helper::remove(aside, marks)?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(aside)?;
        Aside::at(NamedTempFile::from_parts(file, TempPath::try_from_path(aside)?), path)
    }

    fn at(aside: NamedTempFile, path: &Path) -> io::Result<Aside> {
        if let Ok(replaced) = path.metadata() {
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                let (uid, gid) = (Some(replaced.uid()), Some(replaced.gid()));
                // Only some may give files away; others get the file that they wrote.
                let _ = std::os::unix::fs::fchown(aside.as_file(), uid, gid);
            }
            aside.as_file().set_permissions(replaced.permissions())?;
        }
        Ok(Aside { aside, path: path.to_path_buf() })
    }

    /// The file, to be written to.
    pub fn file(&mut self) -> &mut File {
        self.aside.as_file_mut()
    }

    /// Makes the file last and gives it its name, in place of what had it.
    pub fn finish(self) -> io::Result<()> {
        self.aside.as_file().sync_all()?;
        self.aside.persist(&self.path).map_err(|error| error.error)?;
        sync_folder(folder(&self.path))
    }

    /// Like [`finish`](Aside::finish), but fails with [`ErrorKind::AlreadyExists`] where something
    /// has the name.
    pub fn finish_new(self) -> io::Result<()> {
        self.aside.as_file().sync_all()?;
        self.aside.persist_noclobber(&self.path).map_err(|error| error.error)?;
        sync_folder(folder(&self.path))
    }
}

/// Makes a file last that was written beside its place by whoever, and gives it its name.
pub fn settle(aside: &Path, path: &Path) -> io::Result<()> {
    File::open(aside)?.sync_all()?;
    fs::rename(aside, path)?;
    sync_folder(folder(path))
}

/// Writes a file, whole or not at all. A link stays one, and what it leads to is replaced. What is
/// no plain file, such as a device or a pipe, is written into.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = match destination(path)? {
        Destination::File(path) => path,
        Destination::Other => {
            return OpenOptions::new().write(true).truncate(true).open(path)?.write_all(bytes);
        }
    };
    let mut aside = Aside::beside(&path)?;
    aside.file().write_all(bytes)?;
    aside.finish()
}

/// Writes a file, whole or not at all; fails with [`ErrorKind::AlreadyExists`] where something has
/// the name.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let mut aside = Aside::beside(path)?;
    aside.file().write_all(bytes)?;
    aside.finish_new()
}

/// The bytes that still fit the disk that a folder lies on.
pub fn available_space(folder: &Path) -> io::Result<u64> {
    fs4::available_space(folder)
}

/// Fails if [`write()`] would not be allowed to write a file, before long work starts. Changes
/// nothing, and a reader at the other end of a pipe is not woken.
pub fn check(path: &Path) -> io::Result<()> {
    match destination(path)? {
        Destination::File(path) => tempfile::tempfile_in(folder(&path)).map(|_| ()),
        Destination::Other => {
            #[cfg(unix)]
            rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?;
            Ok(())
        }
    }
}

enum Destination {
    /// A plain file or nothing, with links followed.
    File(PathBuf),
    /// A device, a pipe.
    Other,
}

fn destination(path: &Path) -> io::Result<Destination> {
    match path.metadata() {
        Ok(found) if found.is_file() => {
            // A file that must not be written to must not be replaced either.
            OpenOptions::new().write(true).open(path)?;
            Ok(Destination::File(path.canonicalize()?))
        }
        Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(_) => Ok(Destination::Other),
        // A link that leads nowhere is not taken for a place.
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            match path.file_name() {
                Some(_) => Ok(Destination::File(path.to_path_buf())),
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Makes a folder and those that it lies in, so that they last.
pub fn make_folder(dir: &Path) -> io::Result<()> {
    let new: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.is_dir()).collect();
    fs::create_dir_all(dir)?;
    new.into_iter().filter(|dir| !dir.as_os_str().is_empty()).map(folder).try_for_each(sync_folder)
}

/// Makes the names in a folder last, where the system has a way to.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot, and some folders may be written to but not read.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(dir: &Path) -> usize {
        fs::read_dir(dir).unwrap().count()
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let [file, link, lost] = ["file", "link", "lost"].map(|name| dir.path().join(name));
        write(&file, b"one").unwrap();
        symlink(&file, &link).unwrap();
        symlink(dir.path().join("nowhere"), &lost).unwrap();
        check(&link).unwrap();
        write(&link, b"2").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"2");
        assert!(check(&lost).is_err() && write(&lost, b"3").is_err());
        assert!(check(dir.path()).is_err() && write(dir.path(), b"3").is_err());
        let inside = dir.path().join("no/file");
        assert!(check(&inside).is_err() && write(&inside, b"3").is_err());
        assert_eq!(names(dir.path()), 3, "nothing is left aside");
    }

    /// The mode is that of any new file, or that of the file that is replaced.
    #[test]
    fn modes_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let [plain, ours] = ["plain", "ours"].map(|name| dir.path().join(name));
        fs::write(&plain, "").unwrap();
        write(&ours, b"new").unwrap();
        assert_eq!(mode(&ours), mode(&plain));
        for wanted in [0o600, 0o664, 0o640, 0o777] {
            fs::set_permissions(&ours, fs::Permissions::from_mode(wanted)).unwrap();
            write(&ours, b"again").unwrap();
            assert_eq!(mode(&ours), wanted);
        }
        let named = dir.path().join("named");
        Aside::named(&named, &dir.path().join("named.partial"), &[]).unwrap().finish().unwrap();
        assert_eq!(mode(&named), mode(&plain));
        write_new(&dir.path().join("new"), b"new").unwrap();
        assert_eq!(mode(&dir.path().join("new")), mode(&plain));
    }

    #[test]
    fn what_fails_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        write(&file, b"old").unwrap();
        assert_eq!(write_new(&file, b"new").unwrap_err().kind(), ErrorKind::AlreadyExists);
        let late = dir.path().join("late");
        let mut aside = Aside::beside(&late).unwrap();
        aside.file().write_all(b"mine").unwrap();
        fs::write(&late, "theirs").unwrap();
        assert_eq!(aside.finish_new().unwrap_err().kind(), ErrorKind::AlreadyExists);
        let mut aside = Aside::beside(&file).unwrap();
        aside.file().write_all(b"half").unwrap();
        drop(aside);
        assert_eq!(
            (fs::read(&file).unwrap(), fs::read(&late).unwrap()),
            (b"old".into(), b"theirs".into())
        );
        assert_eq!(names(dir.path()), 2, "nothing is left aside");
        assert!(write(Path::new("/dev/full"), b"x").is_err());
        write(Path::new("/dev/null"), b"x").unwrap();
        check(Path::new("/dev/null")).unwrap();
    }

    /// A pipe that somebody waits at gets what is written, not the end that a check would make.
    #[test]
    fn a_check_does_not_end_a_pipe() {
        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let reader = {
            let pipe = pipe.clone();
            std::thread::spawn(move || fs::read(pipe).unwrap())
        };
        check(&pipe).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(50));
        write(&pipe, b"text").unwrap();
        assert_eq!(reader.join().unwrap(), b"text");
    }

    #[test]
    fn folders_within_folders() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        make_folder(&deep).unwrap();
        make_folder(&deep).unwrap();
        assert!(deep.is_dir());
        fs::write(dir.path().join("file"), "").unwrap();
        assert!(make_folder(&dir.path().join("file/x")).is_err());
    }
}

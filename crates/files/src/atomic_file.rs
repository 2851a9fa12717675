//! Atomic replacement of files: write a temporary file, sync it, rename it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::helper::{self, Signatures};

/// A temporary file that replaces its target when it is [finished](AtomicFile::finish), and is removed when
/// it is dropped before that.
///
/// A new file has the mode that the umask leaves. A file that replaces another has the mode of that one, and
/// its owner where the system allows it.
#[derive(Debug)]
pub struct AtomicFile {
    temp: NamedTempFile,
    path: PathBuf,
}

impl AtomicFile {
    /// Creates a temporary file with a unique name in the directory of `path`.
    pub fn create(path: &Path) -> io::Result<AtomicFile> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".sow-").suffix(".partial");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        AtomicFile::from_temp(builder.tempfile_in(folder(path))?, path)
    }

    /// Creates the temporary file `temp`, which must be in the directory of `path`.
    ///
    /// A [helper](crate::helper) file of that name, left by a killed process, is replaced; anything else
    /// is an error. The caller holds a [`Lock`](crate::Lock), since another process may use the same name.
    pub fn create_at(
        path: &Path,
        temp: &Path,
        signatures: Signatures<'_>,
    ) -> io::Result<AtomicFile> {
        helper::remove(temp, signatures)?;
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(temp)?;
        AtomicFile::from_temp(NamedTempFile::from_parts(file, TempPath::try_from_path(temp)?), path)
    }

    fn from_temp(temp: NamedTempFile, path: &Path) -> io::Result<AtomicFile> {
        if let Ok(replaced) = path.metadata() {
            #[cfg(unix)]
            {
                use std::os::unix::fs::MetadataExt;
                let (uid, gid) = (Some(replaced.uid()), Some(replaced.gid()));
                // Without the right to change owners the file belongs to its writer.
                let _ = std::os::unix::fs::fchown(temp.as_file(), uid, gid);
            }
            temp.as_file().set_permissions(replaced.permissions())?;
        }
        Ok(AtomicFile { temp, path: path.to_path_buf() })
    }

    /// The temporary file, for writing.
    pub fn file(&mut self) -> &mut File {
        self.temp.as_file_mut()
    }

    /// Syncs the file and renames it to its target, which it replaces.
    pub fn finish(self) -> io::Result<()> {
        self.temp.as_file().sync_all()?;
        self.temp.persist(&self.path).map_err(|error| error.error)?;
        sync_folder(folder(&self.path))
    }

    /// Like [`finish`](AtomicFile::finish), but fails with [`ErrorKind::AlreadyExists`] if the target exists.
    pub fn finish_new(self) -> io::Result<()> {
        self.temp.as_file().sync_all()?;
        self.temp.persist_noclobber(&self.path).map_err(|error| error.error)?;
        sync_folder(folder(&self.path))
    }
}

/// Syncs a file, which any process may have written, and renames it to `path` in the same directory.
pub fn sync_and_rename(temp: &Path, path: &Path) -> io::Result<()> {
    File::open(temp)?.sync_all()?;
    fs::rename(temp, path)?;
    sync_folder(folder(path))
}

/// Writes a file atomically. A link stays a link, and its target is replaced. A device or a pipe is written
/// to directly.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = match destination(path)? {
        Destination::File(path) => path,
        Destination::Other => {
            return OpenOptions::new().write(true).truncate(true).open(path)?.write_all(bytes);
        }
    };
    let mut temp = AtomicFile::create(&path)?;
    temp.file().write_all(bytes)?;
    temp.finish()
}

/// Writes a new file atomically. Fails with [`ErrorKind::AlreadyExists`] if `path` exists.
pub fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let mut temp = AtomicFile::create(path)?;
    temp.file().write_all(bytes)?;
    temp.finish_new()
}

/// The free bytes of the file system of a folder.
pub fn available_space(folder: &Path) -> io::Result<u64> {
    fs4::available_space(folder)
}

/// Fails if [`write()`] has no permission to write to `path`, so that callers can fail before long work.
/// Changes nothing, and does not open a pipe.
pub fn check_writable(path: &Path) -> io::Result<()> {
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
    /// A plain file or no file yet, with links resolved.
    File(PathBuf),
    /// A device or a pipe.
    Other,
}

fn destination(path: &Path) -> io::Result<Destination> {
    match path.metadata() {
        Ok(found) if found.is_file() => {
            // A read-only file must not be replaced either.
            OpenOptions::new().write(true).open(path)?;
            Ok(Destination::File(path.canonicalize()?))
        }
        Ok(found) if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(_) => Ok(Destination::Other),
        // A dangling link is an error.
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            match path.file_name() {
                Some(_) => Ok(Destination::File(path.to_path_buf())),
                None => Err(error),
            }
        }
        Err(error) => Err(error),
    }
}

/// Creates a folder and its parents, and syncs them.
pub fn make_folder(dir: &Path) -> io::Result<()> {
    let new: Vec<&Path> = dir.ancestors().take_while(|dir| !dir.is_dir()).collect();
    fs::create_dir_all(dir)?;
    new.into_iter().filter(|dir| !dir.as_os_str().is_empty()).map(folder).try_for_each(sync_folder)
}

/// Syncs the names in a folder, where the system supports that.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync folders, and some folders are writable but not readable.
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
        check_writable(&link).unwrap();
        write(&link, b"2").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"2");
        assert!(check_writable(&lost).is_err() && write(&lost, b"3").is_err());
        assert!(check_writable(dir.path()).is_err() && write(dir.path(), b"3").is_err());
        let inside = dir.path().join("no/file");
        assert!(check_writable(&inside).is_err() && write(&inside, b"3").is_err());
        assert_eq!(names(dir.path()), 3, "no temporary file is left");
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
        AtomicFile::create_at(&named, &dir.path().join("named.partial"), &[])
            .unwrap()
            .finish()
            .unwrap();
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
        let mut temp = AtomicFile::create(&late).unwrap();
        temp.file().write_all(b"mine").unwrap();
        fs::write(&late, "theirs").unwrap();
        assert_eq!(temp.finish_new().unwrap_err().kind(), ErrorKind::AlreadyExists);
        let mut temp = AtomicFile::create(&file).unwrap();
        temp.file().write_all(b"half").unwrap();
        drop(temp);
        assert_eq!(
            (fs::read(&file).unwrap(), fs::read(&late).unwrap()),
            (b"old".into(), b"theirs".into())
        );
        assert_eq!(names(dir.path()), 2, "no temporary file is left");
        assert!(write(Path::new("/dev/full"), b"x").is_err());
        write(Path::new("/dev/null"), b"x").unwrap();
        check_writable(Path::new("/dev/null")).unwrap();
    }

    /// A check does not open a pipe, so that a waiting reader sees no end of file before the text.
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
        check_writable(&pipe).unwrap();
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

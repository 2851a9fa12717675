//! Files that are there whole or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Writes a file: a plain one is made beside its place and moved there when it is whole. Anything
/// else that has the name, such as a device, a pipe or a link, is written into and never replaced.
pub(crate) fn write(path: &Path, text: &str) -> io::Result<()> {
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return std::fs::OpenOptions::new()
            .write(true)
            .truncate(true)
            .open(path)?
            .write_all(text.as_bytes());
    }
    let mut aside = tempfile::NamedTempFile::new_in(folder(path))?;
    aside.write_all(text.as_bytes())?;
    aside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Fails if a file cannot be written, before long work starts. Changes nothing.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(found) if !found.is_file() => {
            std::fs::OpenOptions::new().write(true).open(path).map(|_| ())
        }
        _ => tempfile::tempfile_in(folder(path)).map(|_| ()),
    }
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn plain_files_are_replaced_and_others_are_kept() {
        let dir = tempfile::tempdir().unwrap();
        let [file, link] = ["file", "link"].map(|name| dir.path().join(name));
        write(&file, "one").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        check(&link).unwrap();
        write(&link, "2").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "2");
        assert!(check(dir.path()).is_err() && write(dir.path(), "3").is_err());
        assert!(check(&dir.path().join("no/file")).is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2, "nothing is left aside");
    }
}

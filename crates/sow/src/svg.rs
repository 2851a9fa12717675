//! Writing pictures to files.

use std::io::Write;
use std::path::Path;

use sowing_draw::Picture;
use sowing_jobs::Provenance;

use crate::failure::Failure;
use crate::sanitize;

/// Writes a picture to a file, whole or not at all, with where it is from; or to standard output for
/// `-`.
pub(crate) fn write(path: &Path, picture: &Picture, out: &mut dyn Write) -> Result<(), Failure> {
    if is_stdout(path) {
        return Ok(write!(out, "{picture}")?);
    }
    let mut picture = picture.clone();
    Provenance::now(None).sign(&mut picture);
    sowing_files::write(path, picture.to_string().as_bytes()).map_err(cannot(path))
}

/// Fails if the file cannot be written, before long work starts.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    if is_stdout(path) { Ok(()) } else { sowing_files::check_writable(path).map_err(cannot(path)) }
}

pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn cannot(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |error| Failure::Input(format!("cannot write to {}: {error}", sanitize::path(path)))
}

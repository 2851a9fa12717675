//! SVG documents, and writing them to files.

use std::io::Write;
use std::path::Path;

use crate::failure::Failure;
use crate::said;

/// The opening of a document with a title and a style sheet, on white.
pub(crate) fn head(title: &str, width: usize, height: usize, style: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>{}</title>\n\
         <style>\n{style}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escaped(title),
    )
}

/// A text as it stands in a document.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Writes a document to a file, whole or not at all, or to standard output for `-`.
pub(crate) fn write(path: &Path, document: &str, out: &mut dyn Write) -> Result<(), Failure> {
    if is_stdout(path) {
        return Ok(out.write_all(document.as_bytes())?);
    }
    sowing_files::write(path, document.as_bytes()).map_err(cannot(path))
}

/// Fails if the file cannot be written, before long work starts.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    if is_stdout(path) { Ok(()) } else { sowing_files::check(path).map_err(cannot(path)) }
}

pub(crate) fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn cannot(path: &Path) -> impl Fn(std::io::Error) -> Failure {
    move |error| Failure::Input(format!("cannot write to {}: {error}", said::path(path)))
}

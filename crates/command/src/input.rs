//! Text from files and from standard input: UTF-8, and of bounded length.

use std::io::{self, BufRead, Read, Write};
use std::path::Path;

use serde::Serialize;
use sowing_rules::sanitize;

use crate::failure::Failure;

/// The most bytes of a text: more than people give to a command, and an end for a device.
const MAX_TEXT_BYTES: u64 = 16 << 20;

/// The most bytes of a line.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// The argument itself, or all of standard input if it is `-` or missing.
pub fn text_or_stdin(argument: Option<&str>) -> Result<String, Failure> {
    match argument {
        Some(text) if text != "-" => Ok(text.to_string()),
        _ => text("standard input", io::stdin().lock()),
    }
}

/// What looks like a record, that is moves or a header, itself; else the text of the file of this
/// name, or all of standard input for `-`.
pub fn record_or_file(argument: &str) -> Result<String, Failure> {
    let moves = |c: char| c.is_ascii_digit() || c.is_whitespace() || ".,x".contains(c);
    if argument.trim_start().starts_with('#') || argument.replace("swap", "x").chars().all(moves) {
        return Ok(argument.to_string());
    }
    let path = Path::new(argument);
    if argument != "-" && !path.exists() {
        let word = sanitize::word(argument);
        return Err(Failure::Input(format!(
            "'{word}' is neither a record, as in 3.6,2, nor a file that is there"
        )));
    }
    let text = file_or_stdin(path)?;
    Ok(text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_string))
}

/// The text of a file, or of standard input if it is called `-`.
pub fn file_or_stdin(path: &Path) -> Result<String, Failure> {
    if path.as_os_str() == "-" {
        return text_or_stdin(None);
    }
    let name = sanitize::path(path);
    let file = std::fs::File::open(path)
        .map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
    text(&name, file)
}

fn text(name: &str, from: impl Read) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    from.take(MAX_TEXT_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::Input(format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > MAX_TEXT_BYTES {
        let most = MAX_TEXT_BYTES >> 20;
        return Err(Failure::Input(format!(
            "{name} is longer than {most} MiB: give it a shorter text"
        )));
    }
    String::from_utf8(bytes).map_err(|_| Failure::Input(format!("{name} is no UTF-8 text")))
}

/// The next line, without its end; `None` when there is none. A line that is too long or no text
/// is an error of its own, after which the next one can be read.
pub fn next_line(from: &mut impl BufRead) -> io::Result<Option<Result<String, String>>> {
    let mut line = Vec::new();
    if from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 == MAX_LINE_BYTES {
        // What is left of it is read and forgotten.
        let mut rest = Vec::new();
        loop {
            rest.clear();
            let read = from.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut rest)?;
            if read == 0 || rest.last() == Some(&b'\n') {
                break;
            }
        }
        return Ok(Some(Err(format!(
            "the line is longer than {MAX_LINE_BYTES} bytes, which no position is"
        ))));
    }
    let error = "the line is no UTF-8 text: a position is written as in 0,0,2,1|1,1,1,0";
    Ok(Some(String::from_utf8(line).map_err(|_| error.to_string())))
}

/// Answers every line by one JSON object, a bad one by an object with its `error`. Fails in the end if
/// there was one.
pub fn answer_lines<T: Serialize>(
    lines: &mut impl BufRead,
    out: &mut dyn Write,
    mut answer: impl FnMut(&str) -> Result<T, Failure>,
) -> Result<(), Failure> {
    let mut bad = 0_u64;
    let cannot = |error| Failure::Input(format!("cannot read standard input: {error}"));
    while let Some(line) = next_line(lines).map_err(cannot)? {
        match line.map_err(Failure::Input).and_then(|text| answer(&text)) {
            Ok(answer) => serde_json::to_writer(&mut *out, &answer)?,
            Err(Failure::Input(error) | Failure::Negative(error)) => {
                bad += 1;
                let error = serde_json::json!({ "error": sanitize::one_line(&error) });
                serde_json::to_writer(&mut *out, &error)?;
            }
            Err(failure) => return Err(failure),
        }
        writeln!(out)?;
        out.flush()?;
    }
    match bad {
        0 => Ok(()),
        1 => Err(Failure::Negative("one line was answered with an error".to_string())),
        _ => Err(Failure::Negative(format!("{bad} lines were answered with an error"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_none_do_not_end_the_reading() {
        let mut bytes = b"1,1,0|1,1,0\r\n\xff\xfe\n\n".to_vec();
        for length in [MAX_LINE_BYTES - 1, MAX_LINE_BYTES, MAX_LINE_BYTES + 1, 3 * MAX_LINE_BYTES] {
            bytes.extend(vec![b'x'; length as usize]);
            bytes.push(b'\n');
        }
        bytes.extend(b"last");
        let mut from = &bytes[..];
        let mut next = || next_line(&mut from).unwrap();
        assert_eq!(next(), Some(Ok("1,1,0|1,1,0\r".to_string())));
        assert!(next().unwrap().unwrap_err().contains("UTF-8"));
        assert_eq!(next(), Some(Ok(String::new())));
        assert_eq!(next().unwrap().unwrap().len() as u64, MAX_LINE_BYTES - 1);
        for _ in 0..3 {
            assert!(next().unwrap().unwrap_err().contains("longer"));
        }
        assert_eq!(next(), Some(Ok("last".to_string())));
        assert_eq!(next(), None);
    }

    #[test]
    fn texts_have_an_end() {
        assert!(matches!(text("zeros", io::repeat(0)), Err(Failure::Input(_))));
        assert!(matches!(text("noise", &b"\xff"[..]), Err(Failure::Input(_))));
        assert_eq!(text("text", &b"4,2,1,1\n"[..]).unwrap(), "4,2,1,1\n");
    }
}

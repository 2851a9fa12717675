//! Writing numbers, many of them.

use std::io::{self, Write};

/// Writes numbers with a separator between them, as fast as they come: a board may have billions
/// of bins.
pub(crate) fn write_numbers(
    out: &mut dyn Write,
    numbers: impl Iterator<Item = u64>,
    separator: u8,
) -> io::Result<()> {
    let mut buffer = Vec::with_capacity(1 << 16);
    for (index, number) in numbers.enumerate() {
        if index > 0 {
            buffer.push(separator);
        }
        push_number(&mut buffer, number);
        if buffer.len() > (1 << 16) - 32 {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

/// Appends the number's digits.
pub(crate) fn push_number(buffer: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    buffer.extend_from_slice(&digits[start..]);
}

/// The entries with commas between them.
pub(crate) fn list<T: ToString>(entries: impl IntoIterator<Item = T>) -> String {
    entries.into_iter().map(|entry| entry.to_string()).collect::<Vec<_>>().join(",")
}

/// `1 stone`, `2 stones`.
pub(crate) fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    let plural = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// Writes one JSON object on a line.
pub(crate) fn json_line(out: &mut dyn Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    writeln!(out)
}

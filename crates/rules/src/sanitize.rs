//! Untrusted text in messages: on one line, without characters that control a terminal, and short enough to read.
//!
//! ```
//! use sowing_rules::sanitize;
//!
//! assert_eq!(sanitize::word("level:3\x1b[2J"), "level:3\\u{1b}[2J");
//! assert_eq!(sanitize::one_line(&"x".repeat(10_000)).len(), 300);
//! ```

use crate::printable;

/// The most characters of a message.
const LINE: usize = 300;

/// The most characters of something typed that a message repeats.
const WORD: usize = 80;

/// A message as it may be shown: one line of at most 300 characters, whatever it repeats.
///
/// This is the last line of defence, for every message; those that repeat what was typed quote and
/// shorten it themselves.
pub fn one_line(message: &str) -> String {
    shortened(&printable(message), LINE)
}

/// Something typed, a file's name or a flag, as it may stand in a message.
pub fn word(text: &str) -> String {
    shortened(&printable(text), WORD)
}

/// A file's name as it may stand in a message.
pub fn path(path: &std::path::Path) -> String {
    word(&path.to_string_lossy())
}

/// A text without its middle if it is too long: a message starts with what was wrong and ends with
/// what would be right.
fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_string();
    }
    let kept = most - GAP.len();
    let head: String = text.chars().take(kept - kept / 3).collect();
    let tail: String = text.chars().skip(count - kept / 3).collect();
    format!("{head}{GAP}{tail}")
}

const GAP: &str = " ... ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed_and_nothing_is_endless() {
        assert_eq!(
            one_line("game \"kalah(6,4)\" läuft – 3·4 ≠ 5"),
            "game \"kalah(6,4)\" läuft – 3·4 ≠ 5"
        );
        assert_eq!(
            word("a\nb\r\x1b[2J\u{7}\u{9b}\u{202e}\t"),
            "a\\nb\\r\\u{1b}[2J\\u{7}\\u{9b}\\u{202e}\\t"
        );
        let long = format!("unknown {}: as in kalah(6,4)", "\x1b".repeat(10_000));
        let said = one_line(&long);
        assert_eq!(said.chars().count(), LINE);
        assert!(said.starts_with("unknown \\u{1b}") && said.ends_with(": as in kalah(6,4)"));
        assert_eq!(word(&"ä".repeat(100)).chars().count(), WORD);
        for character in (0..=0x10_ffff).filter_map(char::from_u32) {
            let said = one_line(&character.to_string());
            assert!(!said.chars().any(char::is_control), "{character:?}");
            assert!(!said.contains(['\u{2028}', '\u{2029}', '\u{202e}']), "{character:?}");
        }
    }
}

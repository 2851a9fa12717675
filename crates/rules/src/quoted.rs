//! Untrusted text in errors, messages and records.

/// The most characters that an error quotes.
const MAX_QUOTED_CHARS: usize = 60;

/// A text in quotes on one line, with unprintable characters escaped, cut after 60 characters. Errors quote their
/// input with it.
///
/// ```
/// assert_eq!(sowing_rules::quoted("kalah\n"), r#""kalah\n""#);
/// assert!(sowing_rules::quoted(&"x".repeat(10_000)).ends_with("xx...\""));
/// ```
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{:?}", format!("{}...", &text[..end])),
        None => format!("{text:?}"),
    }
}

/// A text on one line, with every control, direction and format character escaped, so that it cannot control a
/// terminal.
///
/// ```
/// assert_eq!(sowing_rules::printable("Ada\u{202e}adA\n"), r"Ada\u{202e}adA\n");
/// assert_eq!(sowing_rules::printable("\u{4e09} läuft"), "\u{4e09} läuft");
/// ```
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || is_format(character) {
            printable.extend(character.escape_default());
        } else {
            printable.push(character);
        }
    }
    printable
}

/// Invisible characters: line and paragraph separators, and Unicode's category Cf (directions, joiners, tags). With
/// them, a name can be made to look like another.
fn is_format(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e007f}')
}

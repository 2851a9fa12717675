//! What somebody wrote, quoted in an error.

/// The most characters of it that an error repeats.
const MOST: usize = 60;

/// A text in quotes on one line, with every character that is not to be printed written out, and
/// without its end if it is long: how errors repeat what they are about.
///
/// ```
/// assert_eq!(sowing::quoted("kalah\n"), r#""kalah\n""#);
/// assert!(sowing::quoted(&"x".repeat(10_000)).ends_with("xx...\""));
/// ```
pub fn quoted(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{:?}", format!("{}...", &text[..end])),
        None => format!("{text:?}"),
    }
}

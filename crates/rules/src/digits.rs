//! Numbers in text forms.

/// The number that decimal digits stand for; `None` for signs, blanks, other characters, no digit or more than 64 bits.
///
/// ```
/// assert_eq!(sowing_rules::parse_digits("042"), Some(42));
/// assert_eq!(sowing_rules::parse_digits("+4"), None);
/// ```
pub fn parse_digits(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

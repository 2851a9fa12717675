//! Long numbers.

/// A number with its thousands apart: `1,234,567`.
///
/// ```
/// assert_eq!(sowing_draw::grouped(1_234_567), "1,234,567");
/// assert_eq!([0, 999, 1_000].map(sowing_draw::grouped), ["0", "999", "1,000"]);
/// ```
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let head = digits.len() % 3;
    let mut groups = Vec::new();
    if head > 0 {
        groups.push(&digits[..head]);
    }
    groups.extend((head..digits.len()).step_by(3).map(|start| &digits[start..start + 3]));
    groups.join(",")
}

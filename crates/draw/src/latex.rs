//! Texts and formulas for LaTeX, and how wide they come out.

/// A text as it is set: characters that LaTeX obeys are written out.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', character]),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '|' => escaped.push_str("\\textbar{}"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// A figure as LaTeX writes it: powers of ten, minus signs, relations.
pub(crate) fn number(text: &str) -> String {
    if let Some((digits, power)) = text.split_once('e')
        && let (Ok(_), Ok(_)) = (digits.parse::<f64>(), power.parse::<i32>())
    {
        return format!("${digits} \\cdot 10^{{{power}}}$");
    }
    if let Some((low, high)) = text.split_once(" to ") {
        return format!("{} to {}", number(low), number(high));
    }
    match text.strip_prefix("<=").or(text.strip_prefix(">=")) {
        Some(rest) => {
            let relation = if text.starts_with('<') { "\\le" } else { "\\ge" };
            format!("${relation} {rest}$")
        }
        None if text.parse::<i64>().is_ok() && text.starts_with(['-', '+']) => format!("${text}$"),
        None => escaped(text),
    }
}

/// A polynomial such as `l^10-l` as a formula.
pub(crate) fn polynomial(text: &str) -> String {
    let mut formula = String::from("$");
    let mut open = false;
    for character in text.chars() {
        if open && !character.is_ascii_digit() {
            formula.push('}');
            open = false;
        }
        formula.push(character);
        if character == '^' {
            formula.push('{');
            open = true;
        }
    }
    formula.push_str(if open { "}$" } else { "$" });
    formula
}

/// The width of what is set in ten-point type, in points, or a little more.
pub(crate) fn width(code: &str) -> f64 {
    let (mut width, mut raised) = (0.0, false);
    let mut rest = code;
    while let Some(character) = rest.chars().next() {
        let mut length = character.len_utf8();
        let points = match character {
            '\\' => {
                let letters = rest[1..].find(|c: char| !c.is_ascii_alphabetic());
                length = 1 + letters.unwrap_or(rest.len() - 1).max(1);
                match &rest[1..length] {
                    "cdot" => 7.5,
                    "le" | "ge" => 13.5,
                    "textit" | "textbf" => 0.0,
                    _ => 7.8,
                }
            }
            '^' => {
                raised = true;
                0.0
            }
            '}' => {
                raised = false;
                0.0
            }
            '{' | '$' => 0.0,
            '+' | '-' => 12.5,
            ',' | '.' | ' ' | ':' => 3.4,
            '0'..='9' => 5.1,
            '(' | ')' => 4.0,
            'W' | 'M' | 'm' | 'w' => 10.3,
            _ if character.is_ascii_uppercase() => 7.8,
            _ => 5.6,
        };
        width += if raised { 0.72 * points } else { points };
        rest = &rest[length..];
    }
    // Bold letters are wider.
    if code.contains("\\textbf") { 1.16 * width } else { width }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_said_is_obeyed() {
        assert_eq!(escaped("b^d & 5% of S_1"), "b\\textasciicircum{}d \\& 5\\% of S\\_1");
        assert_eq!(escaped("\\end{x}"), "\\textbackslash{}end\\{x\\}");
        assert_eq!(number("1.7e21"), "$1.7 \\cdot 10^{21}$");
        assert_eq!(
            ["<=-2", "-4", "-4 to +2", "13,132"].map(number),
            ["$\\le -2$", "$-4$", "$-4$ to $+2$", "13,132"]
        );
        assert_eq!(polynomial("l^10-l^2+l"), "$l^{10}-l^{2}+l$");
        assert_eq!(polynomial("l^3"), "$l^{3}$");
    }

    #[test]
    fn wider_texts_are_wider() {
        assert!(width("1,234") > 4.0 * 5.0 + 2.7 && width("1,234") < 30.0);
        assert!(width("\\textbf{12}") > width("12") && width("\\textit{12}") == width("12"));
        assert!(width("$10^{23}$") < width("$1023$"));
    }
}

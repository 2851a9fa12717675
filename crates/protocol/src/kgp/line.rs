//! A line: numbers, a name, arguments.

use std::fmt;
use std::str::FromStr;

use sowing_rules::{Setup, parse_digits, quoted};

use super::MAX_LINE;

/// A line of the protocol: an unchecked command.
///
/// The text form is `[id][@reference] name argument...`.
///
/// ```
/// use sowing_protocol::kgp::Line;
///
/// let line: Line = r#"3@2 set info:name "a \"b\"""#.parse()?;
/// assert_eq!((line.id, line.reference, line.name.as_str()), (Some(3), Some(2), "set"));
/// assert_eq!(line.to_string(), r#"3@2 set info:name "a \"b\"""#);
/// # Ok::<(), sowing_protocol::kgp::LineError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its id; a server's are even, a client's odd.
    pub id: Option<u64>,
    /// The id of the line that it answers.
    pub reference: Option<u64>,
    /// The name of the command.
    pub name: String,
    /// The arguments.
    pub arguments: Vec<Argument>,
}

/// An argument of a line.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "short-lived")]
pub enum Argument {
    /// `32`, `+0`, `-100`.
    Integer(i64),
    /// `0.5`, `-.125`; finite.
    Real(f64),
    /// `freeplay`, `info:name`: letters, digits, `-` and `:`.
    Word(String),
    /// `"some text"`.
    Text(String),
    /// `<3,10,2,1,2,3,4,2,0>`.
    Board(Setup),
}

/// Why a text is not a line, or a line not a command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// It is too long.
    #[error("a line has at most {MAX_LINE} characters, not {0}")]
    Long(usize),
    /// It has a control character.
    #[error("a line has no control characters, but there is {0:?}")]
    Control(char),
    /// There is no name.
    #[error("a line is of the form [ID][@REF] NAME ARGUMENT..., as in @4 move 2, not {what}", what = quoted(.0))]
    Shape(String),
    /// An argument is invalid.
    #[error("{what} is no argument: those are as in 3, 0.5, freeplay, \"text\" and <1,0,0,4,4>", what = quoted(.0))]
    Argument(String),
    /// No command has this name.
    #[error("unknown command {what}: the commands are {known}", what = quoted(.name))]
    UnknownCommand {
        /// The name.
        name: String,
        /// The known names.
        known: &'static str,
    },
    /// A command has missing, extra or wrong arguments.
    #[error("{name} is written as in {right}")]
    Arguments {
        /// The name of the command.
        name: String,
        /// An example.
        right: &'static str,
    },
}

impl Argument {
    /// The argument's text, without quotes.
    pub fn text(&self) -> String {
        match self {
            Argument::Text(text) => text.clone(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Integer(number) => number.fmt(f),
            Argument::Real(number) => {
                let text = number.to_string();
                let point = if text.contains('.') { "" } else { ".0" };
                write!(f, "{text}{point}")
            }
            Argument::Word(word) => f.write_str(word),
            Argument::Text(text) => {
                f.write_str("\"")?;
                for character in text.chars() {
                    match character {
                        '"' | '\\' => write!(f, "\\{character}")?,
                        '\n' => f.write_str("\\n")?,
                        '\t' => f.write_str("\\t")?,
                        // The protocol has no escape for these.
                        character if character.is_control() => f.write_str(" ")?,
                        character => write!(f, "{character}")?,
                    }
                }
                f.write_str("\"")
            }
            Argument::Board(board) => board.kgp().fmt(f),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        if let Some(reference) = self.reference {
            write!(f, "@{reference}")?;
        }
        if self.id.is_some() || self.reference.is_some() {
            f.write_str(" ")?;
        }
        f.write_str(&self.name)?;
        self.arguments.iter().try_for_each(|argument| write!(f, " {argument}"))
    }
}

fn is_blank(character: char) -> bool {
    character == ' ' || character == '\t'
}

impl FromStr for Line {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Line, LineError> {
        let text = text.trim_matches(|c| is_blank(c) || c == '\r' || c == '\n');
        let length = text.chars().count();
        if length > MAX_LINE {
            return Err(LineError::Long(length));
        }
        if let Some(control) = text.chars().find(|c| c.is_control() && *c != '\t') {
            return Err(LineError::Control(control));
        }
        let shape = || LineError::Shape(text.to_string());
        let (first, after) = split(text);
        let (id, reference, name, rest) = match numbers(first) {
            Some((id, reference)) => {
                let (name, rest) = split(after);
                (id, reference, name, rest)
            }
            None => (None, None, first, after),
        };
        let right = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if name.is_empty() || !right {
            return Err(shape());
        }
        let mut arguments = Vec::new();
        let mut rest = rest;
        while !rest.is_empty() {
            let (argument, after) = argument(rest)?;
            arguments.push(argument);
            rest = after.trim_start_matches(is_blank);
        }
        Ok(Line { id, reference, name: name.to_string(), arguments })
    }
}

/// The first word and the rest.
fn split(text: &str) -> (&str, &str) {
    match text.split_once(is_blank) {
        Some((word, rest)) => (word, rest.trim_start_matches(is_blank)),
        None => (text, ""),
    }
}

/// `4`, `@4` or `6@4`.
fn numbers(word: &str) -> Option<(Option<u64>, Option<u64>)> {
    match word.split_once('@') {
        Some(("", reference)) => Some((None, Some(parse_digits(reference)?))),
        Some((id, reference)) => Some((Some(parse_digits(id)?), Some(parse_digits(reference)?))),
        None => Some((Some(parse_digits(word)?), None)),
    }
}

/// The first argument and the rest.
fn argument(text: &str) -> Result<(Argument, &str), LineError> {
    if let Some(inside) = text.strip_prefix('"') {
        return quotation(inside).ok_or_else(|| LineError::Argument(text.to_string()));
    }
    let end = match text.strip_prefix('<') {
        Some(_) => text.find('>').map_or(text.len(), |end| end + 1),
        None => text.find(is_blank).unwrap_or(text.len()),
    };
    let (word, rest) = text.split_at(end);
    let no_argument = || LineError::Argument(word.to_string());
    if !rest.is_empty() && !rest.starts_with(is_blank) {
        return Err(no_argument());
    }
    if word.starts_with('<') {
        let board = word.parse().map_err(|_| no_argument())?;
        return Ok((Argument::Board(board), rest));
    }
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let number = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if number && let Ok(integer) = word.parse() {
        return Ok((Argument::Integer(integer), rest));
    }
    if number && digits.contains('.') && !digits.ends_with('.') {
        let real = word.parse().ok().filter(|real: &f64| real.is_finite());
        return Ok((Argument::Real(real.ok_or_else(no_argument)?), rest));
    }
    let in_words = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b':';
    if word.bytes().all(in_words) {
        return Ok((Argument::Word(word.to_string()), rest));
    }
    Err(no_argument())
}

/// The text before the closing quote, and the rest.
fn quotation(text: &str) -> Option<(Argument, &str)> {
    let mut content = String::new();
    let mut characters = text.char_indices();
    loop {
        let (at, character) = characters.next()?;
        match character {
            '"' => {
                let rest = &text[at + 1..];
                let apart = rest.is_empty() || rest.starts_with(is_blank);
                return apart.then_some((Argument::Text(content), rest));
            }
            '\\' => match characters.next()?.1 {
                'n' => content.push('\n'),
                't' => content.push('\t'),
                escaped => content.push(escaped),
            },
            character => content.push(character),
        }
    }
}

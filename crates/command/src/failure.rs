//! How a command fails: one line on standard error, and an exit code.

use std::error::Error as _;
use std::fmt;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};

use sowing_lab::{CensusError, TooManyNodes, TooManyPositions};
use sowing_rules::sanitize;
use sowing_solitaire::SearchError;
use sowing_solver::{ProveError, SolveError};

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub enum Failure {
    /// The input was bad, or the work could not be done: exit code 2.
    Input(String),
    /// A check that the user asked for came out negative, or a limit ended the work: exit code 1.
    Negative(String),
    /// Writing the output failed. A closed pipe is no failure at all.
    Output(io::Error),
}

impl<E: std::error::Error> From<E> for Failure
where
    E: InputError,
{
    fn from(error: E) -> Failure {
        Failure::Input(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::Output(error.into())
    }
}

// The libraries know no flags: what a user can do about an error is said here.

impl From<SearchError> for Failure {
    fn from(error: SearchError) -> Failure {
        match error {
            SearchError::Limit { limit } => {
                Failure::Negative(format!("{error}: allow it more, {}", more(limit)))
            }
            SearchError::TooLarge { .. } => Failure::Input(error.to_string()),
        }
    }
}

impl From<CensusError> for Failure {
    fn from(error: CensusError) -> Failure {
        match error {
            CensusError::TooLittleMemory { .. } => {
                Failure::Input(format!("{error}, as in --memory 1G"))
            }
            CensusError::MemoryFull { .. } => Failure::Negative(format!(
                "{error}: allow for more, or keep boards in a folder, as in --dir boards"
            )),
            CensusError::TimeUp { .. } => Failure::Negative(format!(
                "{error}: allow for more, or count in a folder, as in --dir boards, and go on later"
            )),
            error => Failure::Input(error.to_string()),
        }
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Failure {
        match error {
            SolveError::Stopped(_) => Failure::Negative(error.to_string()),
            error => Failure::Input(error.to_string()),
        }
    }
}

impl From<ProveError> for Failure {
    fn from(error: ProveError) -> Failure {
        match error {
            ProveError::Solve(error) => error.into(),
            error => Failure::Input(error.to_string()),
        }
    }
}

impl From<TooManyNodes> for Failure {
    fn from(error: TooManyNodes) -> Failure {
        let limit = error.limit.saturating_mul(10).min(1_000_000);
        Failure::Negative(format!(
            "{error}: go less deep with --depth, leave --turns out, or allow for more, as in --limit \
             {limit}"
        ))
    }
}

impl From<TooManyPositions> for Failure {
    fn from(error: TooManyPositions) -> Failure {
        Failure::Negative(format!("{error}: allow for more, {}", more(error.limit)))
    }
}

impl From<sowing_tables::Error> for Failure {
    fn from(error: sowing_tables::Error) -> Failure {
        Failure::Input(match &error {
            sowing_tables::Error::Missing { family, .. } => {
                let game = family.game();
                format!("{error}: make some with sow tables build \"{game}\" --seeds 16")
            }
            _ => error.to_string(),
        })
    }
}

/// How to allow for more than this.
fn more(limit: usize) -> String {
    format!("as in --limit {}", limit.saturating_mul(10))
}

/// Errors that speak of what the user typed.
pub trait InputError {}
impl InputError for sowing_rules::FamilyError {}
impl InputError for sowing_rules::ParseGameError {}
impl InputError for sowing_rules::ParseSetupError {}
impl InputError for sowing_rules::PositionError {}
impl InputError for sowing_rules::ParseRecordError {}
impl InputError for sowing_rules::ReplayError {}
impl InputError for sowing_rules::PlayError {}
impl InputError for sowing_draw::solitaire::TooTall {}
impl InputError for sowing_players::ChooseError {}
impl InputError for sowing_solitaire::BoardError {}
impl InputError for sowing_solitaire::LossReason {}
impl InputError for sowing_solitaire::MatrixError {}
impl InputError for sowing_solitaire::NotWhole {}
impl InputError for sowing_solitaire::ParseBFileError {}
impl InputError for sowing_solitaire::ParseVectorError {}
impl InputError for sowing_solitaire::StartError {}
impl InputError for sowing_lab::DatasetError {}
impl InputError for sowing_lab::GradeError {}
impl InputError for sowing_lab::GrowError {}
impl InputError for sowing_lab::NearStartsError {}
impl InputError for sowing_solver::BookError {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(message) | Failure::Negative(message) => f.write_str(message),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl Failure {
    /// The exit code: 1 for a negative check or a limit, 2 for bad input or output, 0 for a closed pipe.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Failure::Negative(_) => 1,
            Failure::Input(_) | Failure::Output(_) => 2,
        }
    }

    /// Says on standard error what was wrong, unless it is a closed pipe, and gives the exit code.
    pub fn report(&self) -> u8 {
        let code = self.exit_code();
        if code != 0 {
            say(&self.to_string());
        }
        code
    }
}

/// Says something on standard error: one line of at most 300 characters, the program's name
/// included. Where standard error is closed, the exit code still tells.
pub fn say(message: &str) {
    say_as("sow", message);
}

/// The same, said by another program.
pub fn say_as(program: &str, message: &str) {
    let _ = writeln!(io::stderr(), "{}", line_of(program, message));
}

fn line_of(program: &str, message: &str) -> String {
    sanitize::one_line(&format!("{program}: {message}"))
}

/// Says something on standard error that is no failure. Nobody need listen.
pub fn note(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}

/// Whether two words differ in at most two letters, in any order: suggestions further off confuse.
fn is_near(one: &str, other: &str) -> bool {
    let missing = |one: &str, other: &str| {
        let mut left: Vec<char> = other.chars().collect();
        let is_missing = |c: &char| match left.iter().position(|other| other == c) {
            Some(index) => {
                left.swap_remove(index);
                false
            }
            None => true,
        };
        one.chars().filter(is_missing).count()
    };
    missing(one, other).max(missing(other, one)) <= 2
}

/// What was wrong with the usage of a program, in one line, with an example of how to use it. `program` may be followed
/// by the names of subcommands, as in `sow tables build`: their help is named.
pub fn usage_line(error: &clap::Error, program: &str, example: &str) -> String {
    let about = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(sanitize::word(text)),
        // Of several flags that are like it, the last is the nearest.
        Some(ContextValue::Strings(texts)) => texts.last().map(|text| sanitize::word(text)),
        _ => None,
    };
    let typed = about(ContextKind::InvalidArg);
    match (error.kind(), typed) {
        (ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, _) => {
            return format!(
                "a command is missing, as in {program} {example}: see {program} --help"
            );
        }
        (ErrorKind::InvalidSubcommand, _) => {
            let typed = about(ContextKind::InvalidSubcommand).unwrap_or_default();
            if ["help", "version"].contains(&typed.as_str()) {
                return format!("unrecognized subcommand '{typed}': did you mean --{typed}?");
            }
            let like = about(ContextKind::SuggestedSubcommand);
            if let Some(like) = like.filter(|like| is_near(&typed, like)) {
                return format!("unrecognized subcommand '{typed}': did you mean {like}?");
            }
        }
        // What starts with a dash is a flag, even if it was meant as something else.
        (ErrorKind::UnknownArgument, Some(flag)) if flag.starts_with('-') => {
            let meant = about(ContextKind::SuggestedArg).map_or_else(
                || format!("see {program} --help, or write -- before what is no flag"),
                |like| format!("did you mean {like}?"),
            );
            return format!("unknown flag {flag}: {meant}");
        }
        (ErrorKind::UnknownArgument, Some(argument)) => {
            return format!(
                "nothing more is expected, but there is '{argument}' (see {program} --help)"
            );
        }
        (ErrorKind::ValueValidation | ErrorKind::InvalidValue, Some(argument)) => {
            let value = about(ContextKind::InvalidValue).unwrap_or_default();
            let why = match (error.source(), error.get(ContextKind::ValidValue)) {
                // A value's own error shows an example.
                (Some(why), _) => why.to_string(),
                (None, Some(ContextValue::Strings(right))) if !right.is_empty() => {
                    format!("it is one of {}", right.join(", "))
                }
                (None, _) => "a value is missing".to_string(),
            };
            return format!("invalid value '{value}' for '{argument}': {why}");
        }
        _ => {}
    }
    let mut text = error.to_string();
    // What was typed stands in the text as it is: before its lines are looked at, it is written so
    // that it cannot make any.
    for (_, value) in error.context() {
        if let ContextValue::String(typed) = value
            && sanitize::word(typed) != *typed
        {
            // Escape sequences are already gone from the text.
            let plain = anstream::adapter::strip_str(typed).to_string();
            text = text.replace(&plain, &sanitize::word(typed));
        }
    }
    let first = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{line} (see {program} --help)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_are_near() {
        assert!(is_near("slove", "solve") && is_near("serv", "serve"));
        assert!(!is_near("rules", "puzzles") && !is_near("version", "verify"));
    }

    #[test]
    fn the_programs_name_counts() {
        for program in ["sow", "sow-cluster"] {
            for length in [0, 1, 280, 288, 289, 294, 295, 296, 300, 10_000] {
                let line = line_of(program, &"ä".repeat(length));
                let whole = program.len() + 2 + length;
                assert_eq!(line.chars().count(), whole.min(300), "{program} {length}");
                assert!(line.starts_with(&format!("{program}: ")), "{line}");
            }
        }
    }
}

//! How a command fails: one line on standard error, and an exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// Why a command did not do what it was asked to.
#[derive(Debug)]
pub(crate) enum Failure {
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

impl From<sowing_solitaire::SearchError> for Failure {
    fn from(error: sowing_solitaire::SearchError) -> Failure {
        match error {
            sowing_solitaire::SearchError::Limit { .. } => Failure::Negative(error.to_string()),
            sowing_solitaire::SearchError::TooLarge { .. } => Failure::Input(error.to_string()),
        }
    }
}

/// Errors that speak of what the user typed.
pub(crate) trait InputError {}
impl InputError for sowing::ParseGameError {}
impl InputError for sowing::ParseSetupError {}
impl InputError for sowing::PositionError {}
impl InputError for sowing::ParseRecordError {}
impl InputError for sowing::ReplayError {}
impl InputError for sowing::PlayError {}
impl InputError for sowing_lab::CensusError {}
impl InputError for sowing_lab::TooManyNodes {}
impl InputError for sowing_lab::TooManyPositions {}
impl InputError for sowing_players::ChooseError {}
impl InputError for sowing_solitaire::BoardError {}
impl InputError for sowing_solitaire::Flaw {}
impl InputError for sowing_solitaire::MatrixError {}
impl InputError for sowing_solitaire::NotWhole {}
impl InputError for sowing_solitaire::ParseBFileError {}
impl InputError for sowing_solitaire::ParseVectorError {}
impl InputError for sowing_solitaire::StartError {}
impl InputError for sowing_solver::SolveError {}
impl InputError for sowing_solver::ProveError {}
impl InputError for sowing_tables::Error {}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Input(message) | Failure::Negative(message) => f.write_str(message),
            Failure::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl Failure {
    /// Says what was wrong, and gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                ExitCode::SUCCESS
            }
            Failure::Negative(_) => self.say(1),
            Failure::Input(_) | Failure::Output(_) => self.say(2),
        }
    }

    fn say(&self, code: u8) -> ExitCode {
        eprintln!("sow: {self}");
        ExitCode::from(code)
    }
}

/// Prints help where it was asked for; otherwise says in one line what was wrong with the usage.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        return match error.print() {
            Err(error) => Failure::from(error).report(),
            Ok(()) => ExitCode::SUCCESS,
        };
    }
    if error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprintln!("sow: a command is missing, as in sow show \"kalah(6,4)\": see sow --help");
        return ExitCode::from(2);
    }
    let text = error.to_string();
    let first = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    let line = first.split_whitespace().collect::<Vec<_>>().join(" ");
    // A value's own error shows an example; elsewhere the help has them.
    let own_words = error.kind() == clap::error::ErrorKind::ValueValidation;
    eprintln!("sow: {line}{}", if own_words { "" } else { " (see sow --help)" });
    ExitCode::from(2)
}

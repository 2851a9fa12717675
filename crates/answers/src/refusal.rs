//! What a question is refused with: an error knows its status.

use serde::Serialize;
use sowing_players::ChooseError;
use sowing_solver::SolveError;
use utoipa::ToSchema;

/// The most characters of a message.
const LONGEST: usize = 300;

/// Why a question is not answered.
#[derive(Clone, Debug)]
pub struct Refusal {
    status: u16,
    message: String,
    example: Option<&'static str>,
    legal: Option<usize>,
}

/// The body of every answer that is an error.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ErrorBody {
    error: ErrorText,
}

/// What was wrong.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ErrorText {
    /// One line for people.
    message: String,
    /// What would be right, where something was written wrongly.
    #[schema(required)]
    example: Option<&'static str>,
    /// How many moves of the line can be played, where one cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    legal: Option<usize>,
}

impl Refusal {
    /// Something was written wrongly; this would be right.
    pub fn bad(message: impl ToString, example: &'static str) -> Refusal {
        let message = message.to_string();
        Refusal { example: Some(example), ..Refusal::of(400, message) }
    }

    /// A line of moves breaks off after so many.
    pub fn illegal(message: impl ToString, legal: usize) -> Refusal {
        Refusal { legal: Some(legal), ..Refusal::bad(message, "moves=3,6,2") }
    }

    /// A refusal that its status says nearly all about.
    pub fn of(status: u16, message: impl ToString) -> Refusal {
        Refusal { status, message: message.to_string(), example: None, legal: None }
    }

    /// The limits ended the work before there was an answer.
    pub fn too_slow(message: impl ToString) -> Refusal {
        Refusal::of(503, message)
    }

    /// Something is wrong with us.
    pub fn broken() -> Refusal {
        Refusal::of(500, "the search broke off")
    }

    /// The status, as HTTP counts them.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// What would be right.
    pub fn with_example(self, example: &'static str) -> Refusal {
        Refusal { example: Some(example), ..self }
    }

    /// The JSON that says so.
    pub fn body(&self) -> ErrorBody {
        // One line, whatever it repeats.
        let message = self
            .message
            .chars()
            .take(LONGEST)
            .map(|character| if character.is_control() { ' ' } else { character });
        let message = message.collect();
        ErrorBody { error: ErrorText { message, example: self.example, legal: self.legal } }
    }
}

impl From<SolveError> for Refusal {
    /// A game that is too large to be solved within the limits is the asker's choice; a stop is a
    /// matter of the limits.
    fn from(error: SolveError) -> Refusal {
        match error {
            SolveError::TooLarge(_) | SolveError::TooManyTurns { .. } => {
                Refusal::bad(error, "kalah(4,3)")
            }
            SolveError::Stopped(_) => Refusal::too_slow(error),
            error => Refusal::of(500, error),
        }
    }
}

impl From<ChooseError> for Refusal {
    fn from(error: ChooseError) -> Refusal {
        match error {
            ChooseError::Finished => Refusal::bad(error, "moves=3,6,2"),
            ChooseError::Stopped => Refusal::too_slow(error),
            ChooseError::Solve(error) => error.into(),
            // An opponent that a request names is never an engine.
            _ => Refusal::broken(),
        }
    }
}

//! The machine's move.

use serde::{Deserialize, Serialize};
use sowing_players::Opponent;
use sowing_rules::Move;
use utoipa::{IntoParams, ToSchema};

use crate::refusal::Refusal;

/// Who replies.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Replier {
    /// The opponent: random, level:1 to level:9, pdp:DEPTH or perfect.
    #[param(example = "level:3")]
    opponent: String,
    /// Where its random numbers start.
    #[serde(default)]
    seed: u64,
}

/// A move.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reply {
    /// A house's number, or `swap`.
    #[serde(rename = "move")]
    #[schema(value_type = String, example = "3")]
    action: Move,
    seconds: f64,
}

impl Replier {
    /// The opponent, and where its random numbers start.
    pub fn opponent(&self) -> Result<(Opponent, u64), Refusal> {
        let opponent = self.opponent.parse();
        let opponent = opponent.map_err(|error| Refusal::bad(error, "opponent=level:3"))?;
        Ok((opponent, self.seed))
    }
}

impl Reply {
    /// A move that took so long.
    pub fn new(action: Move, seconds: f64) -> Reply {
        Reply { action, seconds }
    }
}

/// The opponents that a page offers, weakest first, with what they are like.
pub(crate) const OPPONENTS: [(&str, &str, &str); 12] = [
    ("random", "Random", "Any legal move."),
    ("level:1", "Level 1", "For a first game: four moves in five are random."),
    ("level:2", "Level 2", "More than half of its moves are random."),
    ("level:3", "Level 3", "A third of its moves are random."),
    ("level:4", "Level 4", "Takes what it sees, with slips."),
    ("level:5", "Level 5", "Looks at your answer, with slips."),
    ("level:6", "Level 6", "Looks three turns ahead."),
    ("level:7", "Level 7", "Looks five turns ahead."),
    ("level:8", "Level 8", "Looks seven turns ahead."),
    ("level:9", "Level 9", "Looks ten turns ahead."),
    ("pdp:4", "PDP-1", "The machine of the PDP-1, four turns ahead."),
    ("perfect", "Perfect", "Exact where it can be in its time, else its best."),
];

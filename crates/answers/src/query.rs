//! What a query string names: a game played so far.

use std::fmt::Display;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sowing_analysis::schema;
use sowing_rules::{Game, Move, Playthrough, Position, Setup, Side};
use utoipa::IntoParams;

use crate::refusal::Refusal;

/// The most seeds a house may start with here. A relay move can sow every seed many times, and
/// each of them is a step of the answer.
pub(crate) const MAX_SEEDS: u64 = 99;

/// The parameters of a query string.
///
/// ```
/// let query: sowing_answers::GameQuery = sowing_answers::read("game=kalah(4,3)&moves=2,3")?;
/// assert_eq!(query.playthrough()?.plays().len(), 2);
/// assert_eq!(sowing_answers::read::<sowing_answers::GameQuery>("").unwrap_err().status(), 400);
/// # Ok::<(), sowing_answers::Refusal>(())
/// ```
pub fn read<T: DeserializeOwned>(query: &str) -> Result<T, Refusal> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    serde_path_to_error::deserialize(serde_urlencoded::Deserializer::new(pairs))
        .map_err(|error| Refusal::bad(error, "?game=kalah(6,4)&moves=3,6,2"))
}

/// A game, and what was played of it.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct GameQuery {
    /// The game.
    #[param(example = "kalah(4,3)")]
    game: String,
    /// Where it starts, as the side sees it that moves first; the game's own start if left out.
    #[param(example = "3,3,3,3,0|3,3,3,3,0")]
    start: Option<String>,
    /// The moves so far, commas between them: house numbers from the mover's left, `swap` for a swap.
    #[param(example = "2,3,2")]
    moves: Option<String>,
    /// Accept a start with any number of seeds.
    #[serde(default)]
    free: bool,
    /// Who moves first, south or north; the start is written as that side sees it.
    #[serde(default)]
    #[param(value_type = schema::Side, example = "south")]
    first: First,
}

/// Who moves first.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum First {
    #[default]
    South,
    North,
}

impl From<First> for Side {
    fn from(first: First) -> Side {
        match first {
            First::South => Side::South,
            First::North => Side::North,
        }
    }
}

/// A game that can be asked about here.
pub(crate) fn read_game(text: &str) -> Result<Game, Refusal> {
    let game: Game = text.parse().map_err(|error| Refusal::bad(error, "kalah(6,4)"))?;
    if game.seeds() > MAX_SEEDS {
        let message = format!("games here start with 1 to {MAX_SEEDS} seeds a house");
        return Err(Refusal::bad(message, "kalah(6,4)"));
    }
    Ok(game)
}

impl GameQuery {
    /// The game as it was played.
    pub fn playthrough(&self) -> Result<Playthrough, Refusal> {
        let game = read_game(&self.game)?;
        let mut played = Playthrough::with_first(self.start_of(game)?, self.first.into());
        for (number, action) in (1..).zip(self.actions()?) {
            let illegal = |why: &dyn Display| {
                let message = format!("move {number}, {action}, is illegal: {why}");
                Refusal::illegal(message, number - 1)
            };
            if played.is_endless() {
                return Err(illegal(&"the position has come up for the third time"));
            }
            played.try_play(action).map_err(|error| illegal(&error))?;
        }
        Ok(played)
    }

    fn start_of(&self, game: Game) -> Result<Position, Refusal> {
        let example = "4,4,4,4,4,4,0|4,4,4,4,4,4,0";
        let Some(text) = self.start.as_deref().filter(|text| !text.trim().is_empty()) else {
            return Ok(Position::start(game));
        };
        let setup: Setup = text.parse().map_err(|error| Refusal::bad(error, example))?;
        let start =
            if self.free { Position::free(game, &setup) } else { Position::new(game, &setup) };
        let start = start.map_err(|error| Refusal::bad(error, example))?;
        let most = 2 * u64::from(game.houses()) * MAX_SEEDS;
        if start.total() > most {
            let message = format!("positions of {game} hold at most {most} seeds here");
            return Err(Refusal::bad(message, example));
        }
        Ok(start)
    }

    fn actions(&self) -> Result<Vec<Move>, Refusal> {
        let text = self.moves.as_deref().unwrap_or_default().trim();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let action = |word: &str| word.parse().map_err(|error| Refusal::bad(error, "moves=3,6,2"));
        text.split(',').map(action).collect()
    }
}

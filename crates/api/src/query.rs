//! Query strings: a game and the moves played so far.

use std::fmt::Display;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sowing_analysis::schema;
use sowing_rules::{Game, Move, Playthrough, Position, Setup, Side};
use utoipa::IntoParams;

use crate::error::ApiError;

/// The most seeds a house may start with here. A relay move can sow every seed many times, and
/// each of them is a step of the answer.
pub(crate) const MAX_SEEDS: u64 = 99;

/// The parameters of a query string.
pub(crate) fn read<T: DeserializeOwned>(query: &str) -> Result<T, ApiError> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    serde_path_to_error::deserialize(serde_urlencoded::Deserializer::new(pairs))
        .map_err(|error| ApiError::bad(error, "?game=kalah(6,4)&moves=3,6,2"))
}

/// A game and the moves played so far.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct GameQuery {
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
    /// Take the position after the moves as if the side to move had passed: the other side is to move, and may not swap.
    #[serde(default)]
    pass: bool,
}

/// The side that moves first.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum First {
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

/// A game that the API takes.
pub(crate) fn read_game(text: &str) -> Result<Game, ApiError> {
    let game: Game = text.parse().map_err(|error| ApiError::bad(error, "kalah(6,4)"))?;
    if game.seeds() > MAX_SEEDS {
        let message = format!("games here start with 1 to {MAX_SEEDS} seeds a house");
        return Err(ApiError::bad(message, "kalah(6,4)"));
    }
    Ok(game)
}

impl GameQuery {
    /// The game after its moves, and after the pass, which starts a game of its own.
    pub(crate) fn playthrough(&self) -> Result<Playthrough, ApiError> {
        let game = read_game(&self.game)?;
        let mut played = Playthrough::with_first(self.start(game)?, self.first.into());
        play_all(&mut played, &read_moves(self.moves.as_deref().unwrap_or_default())?)?;
        if !self.pass {
            return Ok(played);
        }
        if played.result().is_some() {
            return Err(ApiError::bad("the game is over: no side can pass", "moves=3,6,2"));
        }
        Ok(Playthrough::with_first(played.position().flip(), !played.side()))
    }

    fn start(&self, game: Game) -> Result<Position, ApiError> {
        let example = "4,4,4,4,4,4,0|4,4,4,4,4,4,0";
        let Some(text) = self.start.as_deref().filter(|text| !text.trim().is_empty()) else {
            return Ok(Position::start(game));
        };
        let setup: Setup = text.parse().map_err(|error| ApiError::bad(error, example))?;
        let start =
            if self.free { Position::free(game, &setup) } else { Position::new(game, &setup) };
        let start = start.map_err(|error| ApiError::bad(error, example))?;
        let most = 2 * u64::from(game.houses()) * MAX_SEEDS;
        if start.total() > most {
            let message = format!("positions of {game} hold at most {most} seeds here");
            return Err(ApiError::bad(message, example));
        }
        Ok(start)
    }
}

/// Moves with commas between them.
pub(crate) fn read_moves(text: &str) -> Result<Vec<Move>, ApiError> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let action = |word: &str| word.parse().map_err(|error| ApiError::bad(error, "moves=3,6,2"));
    text.trim().split(',').map(action).collect()
}

/// Plays moves; the error tells how many of them can be played.
pub(crate) fn play_all(played: &mut Playthrough, actions: &[Move]) -> Result<(), ApiError> {
    for (legal, action) in actions.iter().enumerate() {
        let illegal = |why: &dyn Display| {
            let message = format!("move {}, {action}, is illegal: {why}", legal + 1);
            ApiError::illegal(message, legal)
        };
        if played.is_endless() {
            return Err(illegal(&"the position has come up for the third time"));
        }
        played.try_play(*action).map_err(|error| illegal(&error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn playthrough(query: &str) -> Result<Playthrough, ApiError> {
        read::<GameQuery>(query)?.playthrough()
    }

    #[test]
    fn a_query_is_played() {
        assert_eq!(playthrough("game=kalah(4,3)&moves=2,3").unwrap().plays().len(), 2);
        assert_eq!(playthrough("").unwrap_err().status(), 400);
        assert_eq!(playthrough("game=kalah(4,3)&moves=2,9").unwrap_err().status(), 400);
    }

    /// After a pass the board is the same, the other side is to move, and no swap is offered.
    #[test]
    fn a_pass_gives_the_other_side_the_move() {
        for query in [
            "game=kalah(4,3)&moves=2,3",
            "game=kalah(4,3,pie)&moves=1",
            "game=kalah(4,3)&first=north",
        ] {
            let before = playthrough(query).unwrap();
            let after = playthrough(&format!("{query}&pass=true")).unwrap();
            assert_eq!(after.side(), !before.side(), "{query}");
            assert_eq!(*after.position(), before.position().flip(), "{query}");
            assert!(!after.position().may_swap(), "{query}");
        }
        let over = playthrough("game=kalah(1,1)&moves=1&pass=true").unwrap_err();
        assert_eq!(over.status(), 400);
    }
}

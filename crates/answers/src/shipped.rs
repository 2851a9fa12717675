//! What the program brings along for players: puzzles and fair starts.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::query::read_game;
use crate::refusal::Refusal;

/// Positions with one best turn that is worth finding.
#[derive(Debug, Serialize, ToSchema)]
pub struct Puzzles {
    puzzles: &'static [Puzzle],
}

/// A position with one best turn.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub(crate) struct Puzzle {
    game: String,
    /// As the mover sees it.
    position: String,
    /// The one turn that gets the value.
    turn: Vec<String>,
    /// What it is worth to the mover.
    value: i64,
    /// What the best of all other turns is worth.
    next_best: i64,
    /// How many turns one must look ahead to find it.
    grade: u32,
    /// The weakest level that looks so far.
    level: u8,
    /// As in chain, capture, starving, sacrifice, quiet.
    themes: Vec<String>,
}

static PUZZLES: LazyLock<Vec<Puzzle>> = LazyLock::new(|| {
    let mut puzzles: Vec<Puzzle> =
        serde_json::from_str(include_str!("puzzles.json")).expect("a test reads what is built in");
    puzzles.extend(sowing_lab::puzzles().iter().map(Puzzle::of));
    puzzles
});

impl Puzzle {
    fn of(puzzle: &sowing_lab::Puzzle) -> Puzzle {
        Puzzle {
            game: puzzle.game.to_string(),
            position: puzzle.position.to_string(),
            turn: puzzle.turn.iter().map(ToString::to_string).collect(),
            value: puzzle.value,
            next_best: puzzle.next_best,
            grade: puzzle.grade,
            level: puzzle.level,
            themes: puzzle.themes.iter().map(ToString::to_string).collect(),
        }
    }
}

/// Starts of a game that are drawn, by the game.
static FAIR: LazyLock<BTreeMap<String, Vec<String>>> = LazyLock::new(|| {
    let mut starts: BTreeMap<String, Vec<String>> =
        serde_json::from_str(include_str!("fair.json")).expect("a test reads what is built in");
    for game in ["kalah(6,4)", "kalah(6,4,empty-capture)"] {
        let known = sowing_lab::fair_starts(&game.parse().expect("a game")).unwrap_or_default();
        starts.insert(game.to_string(), known.iter().map(ToString::to_string).collect());
    }
    starts
});

impl Puzzles {
    /// All of them.
    pub fn all() -> Puzzles {
        Puzzles { puzzles: &PUZZLES }
    }
}

/// Which fair start.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Fair {
    /// The game.
    #[param(example = "kalah(6,4)")]
    game: String,
    /// Which of them, counted round.
    #[serde(default)]
    number: usize,
}

/// A start that is a draw with perfect play.
#[derive(Debug, Serialize, ToSchema)]
pub struct FairStart {
    /// The start; `null` if none is known of this game.
    #[schema(required)]
    start: Option<&'static str>,
    /// How many are known.
    of: usize,
}

impl Fair {
    /// The start, if one is known.
    pub fn start(&self) -> Result<FairStart, Refusal> {
        let game = read_game(&self.game)?.to_string();
        let starts = FAIR.get(&game).map_or(&[][..], Vec::as_slice);
        let start = starts.get(self.number % starts.len().max(1)).map(String::as_str);
        Ok(FairStart { start, of: starts.len() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    use sowing::{Game, Move, Playthrough, Position, Setup};
    use sowing_solver::{Solver, SolverOptions, Verdict};

    fn solver(game: Game) -> Solver {
        let book = sowing_books::of(&game);
        let options = SolverOptions { threads: 1, memory: 1 << 28, book, ..Default::default() };
        Solver::with_options(game, options).unwrap()
    }

    /// Every puzzle is a position of its game with just the one best turn that it says, worth what
    /// it says, and no other turn comes near it.
    #[test]
    fn puzzles_have_one_answer() {
        let mut boards = HashSet::new();
        for puzzle in &*PUZZLES {
            let game: Game = puzzle.game.parse().unwrap();
            let setup: Setup = puzzle.position.parse().unwrap();
            let position = Position::new(game, &setup).unwrap();
            assert!(boards.insert(&puzzle.position), "{puzzle:?}");
            assert!(puzzle.grade > 0, "{puzzle:?}");
            let mut play = Playthrough::new(position);
            for word in &puzzle.turn {
                play.play(word.parse::<Move>().unwrap()).unwrap();
            }
            let after = *play.position();
            let mut solver = solver(game);
            let worth = |turn: &sowing_solver::Turn| turn.verdict.value().unwrap();
            let turns = solver.turns(&position).unwrap();
            let best: Vec<_> = turns.iter().filter(|turn| worth(turn) == puzzle.value).collect();
            assert_eq!(best.len(), 1, "{puzzle:?}");
            let mut found = Playthrough::new(position);
            for action in &best[0].moves {
                found.play(*action).unwrap();
            }
            assert_eq!(*found.position(), after, "{puzzle:?}");
            let second = turns.iter().map(worth).filter(|value| *value != puzzle.value).max();
            assert_eq!(second, Some(puzzle.next_best), "{puzzle:?}");
            assert!(puzzle.next_best < puzzle.value, "{puzzle:?}");
        }
        assert!(boards.len() >= 40, "a day a puzzle is not much to ask");
    }

    /// Fair starts are starts of their games; every seventh is solved again.
    #[test]
    fn fair_starts_are_draws() {
        for (name, starts) in &*FAIR {
            let game: Game = name.parse().unwrap();
            assert!(!starts.is_empty());
            let mut solver = solver(game);
            for (index, text) in starts.iter().enumerate() {
                let start = Position::new(game, &text.parse().unwrap()).unwrap();
                if index % 7 == 0 && game.total() <= 36 {
                    assert_eq!(solver.value(&start).unwrap(), Verdict::Exact(0), "{name} {text}");
                }
            }
        }
    }
}

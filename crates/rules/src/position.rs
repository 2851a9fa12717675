//! A position of a game.

use std::fmt;

use crate::setup::MAX_TOTAL;
use crate::{Board, CompiledRules, Game, House, Move, Rules, Setup, Step, WideBoard};

/// A position of a game, live or finished, as the player to move sees it.
///
/// A finished position is seen by the player whose turn it would be. The text form is that of [`Setup`]: the
/// seeds alone. Game and pie state are not in it; see [`Position::new`].
///
/// ```
/// use sowing_rules::{Move, Position};
///
/// let start = Position::start("s-kalaha(2,1)".parse()?);
/// let (next, _) = start.play(Move::house(1));
/// assert_eq!(next.to_string(), "0,2,0|1,0,1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    game: Game,
    board: WideBoard,
    pie: Pie,
}

/// The state of the pie rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pie {
    /// The first player's first turn is not over.
    FirstTurn,
    /// The mover may swap.
    Offered,
    /// No swap is possible any more.
    Over,
}

/// The steps and the gain of a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveReport {
    /// The steps in order; empty for a swap.
    pub steps: Vec<Step>,
    /// The seeds that the mover's store gained.
    pub gain: u64,
    /// Whether the last seed fell into the mover's store.
    pub again: bool,
    /// Whether the game is over.
    pub finished: bool,
}

impl MoveReport {
    /// The seeds captured, the last seed of the move included.
    pub fn captured(&self) -> u64 {
        let seeds = |step: &Step| match step {
            Step::Capture { taken, .. } => taken + 1,
            Step::Sow { .. } => 0,
        };
        self.steps.iter().map(seeds).sum()
    }
}

/// Why a setup is not a position of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PositionError {
    /// The number of houses is not the game's.
    #[error("{game} has {} houses per row, the position {found}: the start is {}", .game.houses(), Position::start(*.game))]
    Houses {
        /// The game.
        game: Game,
        /// The houses of the setup.
        found: u8,
    },
    /// The number of seeds is not the game's.
    #[error("{game} has {} seeds in all, the position {found}: the start is {}", .game.total(), Position::start(*.game))]
    Total {
        /// The game.
        game: Game,
        /// The seeds of the setup.
        found: u64,
    },
    /// There are more seeds than any game has.
    #[error("a position holds at most {MAX_TOTAL} seeds, not {0}")]
    Seeds(u128),
}

/// Why a move cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The game is over.
    #[error("the game is over")]
    Finished,
    /// The game ended by repetition.
    #[error("the position has come up for the third time, and the game is over")]
    Endless,
    /// The row has no such house.
    #[error("there is no house {house}: the houses are 1 to {houses}")]
    NoHouse {
        /// The house of the move.
        house: House,
        /// Houses per row.
        houses: u8,
    },
    /// The compiled rules are those of another family of games.
    #[error(
        "the position is of another game than the rules, which are {rules} with {houses} houses per row"
    )]
    OtherRules {
        /// The rules.
        rules: Rules,
        /// Their houses per row.
        houses: u8,
    },
    /// The house is empty.
    #[error("house {0} is empty")]
    Empty(House),
    /// The pie rule does not offer a swap here.
    #[error("a swap is possible only with the option pie, right after the first turn")]
    NoSwap,
}

impl Position {
    /// The position in which a game starts.
    pub fn start(game: Game) -> Position {
        let row = vec![game.seeds(); game.houses().into()];
        let pie = if game.rules().pie { Pie::FirstTurn } else { Pie::Over };
        Position { game, board: WideBoard::new(&row, 0, &row, 0), pie }
    }

    /// A position of a game with all the game's seeds.
    ///
    /// Under the pie rule, the start position begins the first turn; in any other position no swap is possible.
    pub fn new(game: Game, setup: &Setup) -> Result<Position, PositionError> {
        let position = Position::free(game, setup)?;
        let found = position.total();
        if found != game.total() {
            return Err(PositionError::Total { game, found });
        }
        Ok(position)
    }

    /// A position under a game's rules with any number of seeds that some game can have.
    pub fn free(game: Game, setup: &Setup) -> Result<Position, PositionError> {
        let board = *setup.board();
        if board.houses() != game.houses() {
            return Err(PositionError::Houses { game, found: board.houses() });
        }
        // A setup made from a board can hold more; below this, no sum overflows.
        let seeds = board.total();
        if seeds > MAX_TOTAL.into() {
            return Err(PositionError::Seeds(seeds));
        }
        let start = Position::start(game);
        if board == start.board {
            return Ok(start);
        }
        Ok(Position { game, board, pie: Pie::Over })
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The board.
    pub fn board(&self) -> &WideBoard {
        &self.board
    }

    /// The board as a setup.
    pub fn setup(&self) -> Setup {
        Setup(self.board)
    }

    /// Whether a row is empty.
    pub fn is_finished(&self) -> bool {
        self.board.is_finished()
    }

    /// The seeds in houses, both rows together.
    pub fn layer(&self) -> u64 {
        self.board.layer()
    }

    /// All seeds, stores included.
    pub fn total(&self) -> u64 {
        self.layer() + self.board.store() + self.board.other_store()
    }

    /// The mover's store minus the opponent's.
    pub fn lead(&self) -> i64 {
        self.board.store() as i64 - self.board.other_store() as i64
    }

    /// The mover's final seeds minus the opponent's, once the game is finished.
    pub fn margin(&self) -> Option<i64> {
        let remaining = || CompiledRules::<WideBoard>::new(&self.game).remaining(&self.board);
        self.is_finished().then(|| self.lead() + remaining())
    }

    /// Whether the mover may swap sides instead of playing a house.
    pub fn may_swap(&self) -> bool {
        self.pie == Pie::Offered && !self.is_finished()
    }

    /// Whether a swap is still possible, now or after the first turn.
    pub fn pie_is_open(&self) -> bool {
        self.pie != Pie::Over && !self.is_finished()
    }

    /// The legal moves: houses from the mover's left, then a swap if the pie rule offers it.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        let live = !self.is_finished();
        let houses = self.board.own().iter().enumerate();
        houses
            .filter(move |(_, seeds)| live && **seeds > 0)
            .map(|(index, _)| Move::House(House::at(index)))
            .chain(self.may_swap().then_some(Move::Swap))
    }

    /// Plays a move: the position after it, and its report.
    ///
    /// # Panics
    /// If the move is not legal: see [`try_play`](Self::try_play).
    #[track_caller]
    pub fn play(&self, action: Move) -> (Position, MoveReport) {
        self.try_play(action).unwrap_or_else(|error| panic!("{self}, {action}: {error}"))
    }

    /// Plays a move: the position after it, and its report. It fails if the move is not legal.
    pub fn try_play(&self, action: Move) -> Result<(Position, MoveReport), PlayError> {
        if self.is_finished() {
            return Err(PlayError::Finished);
        }
        let house = match action {
            Move::House(house) => house,
            // The players change rows; the board and the row that is to move stay.
            Move::Swap if self.may_swap() => {
                let report = MoveReport { steps: vec![], gain: 0, again: false, finished: false };
                return Ok((Position { pie: Pie::Over, ..*self }, report));
            }
            Move::Swap => return Err(PlayError::NoSwap),
        };
        let seeds = self.board.own().get(house.index());
        let houses = self.game.houses();
        match seeds {
            None => return Err(PlayError::NoHouse { house, houses }),
            Some(0) => return Err(PlayError::Empty(house)),
            Some(_) => {}
        }
        let rules = CompiledRules::<WideBoard>::new(&self.game);
        let mut steps = Vec::new();
        let played = rules.play_observed(self.board, house.index(), |step| steps.push(step));
        let pie = match self.pie {
            Pie::FirstTurn if played.again => Pie::FirstTurn,
            Pie::FirstTurn => Pie::Offered,
            Pie::Offered | Pie::Over => Pie::Over,
        };
        let report =
            MoveReport { steps, gain: played.gain, again: played.again, finished: played.finished };
        Ok((Position { game: self.game, board: played.board, pie }, report))
    }

    /// The same board with the opponent to move, without the pie rule.
    pub fn flip(&self) -> Position {
        Position { game: self.game, board: self.board.flip(), pie: Pie::Over }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.setup().fmt(f)
    }
}

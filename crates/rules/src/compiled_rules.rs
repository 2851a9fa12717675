//! The rules of a game, compiled for one board type: the only sowing routine.

use crate::{Board, Capture, Game, House, Pit, Rules, Track};

/// One step of a move. Pits are as the mover sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A house is picked up and sown: the start of a move, or the continuation of a relay.
    Sow {
        /// The house that was picked up.
        from: Pit,
        /// The number of seeds.
        seeds: u64,
        /// The number of complete laps.
        laps: u64,
        /// The pit of the last seed.
        last: Pit,
    },
    /// Seeds are taken to the mover's store.
    Capture {
        /// The mover's house that the last seed fell into; it is emptied.
        house: House,
        /// The opponent's house opposite.
        opposite: House,
        /// The number of seeds taken from the opposite house.
        taken: u64,
    },
}

/// The result of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played<B> {
    /// The board as the next mover sees it: the same player if `again`, else the opponent.
    pub board: B,
    /// The seeds that the move brought to the mover's store, captures included.
    pub gain: u64,
    /// Whether the last seed fell into the mover's store, so that the same player moves again
    /// (unless the game is finished).
    pub again: bool,
    /// Whether a row is empty now.
    pub finished: bool,
}

impl<B> Played<B> {
    /// The mover's house value, if `value` is that of the next mover after this move.
    #[inline]
    pub fn to_mover(&self, value: i64) -> i64 {
        self.gain as i64 + if self.again { value } else { -value }
    }
}

/// The rules of a game, compiled for one board type.
///
/// ```
/// use sowing_rules::{CompiledRules, Position, CompactBoard};
///
/// let game = "kalah(6,4)".parse()?;
/// let rules = CompiledRules::<CompactBoard>::new(&game);
/// let board = CompactBoard::new(Position::start(game).board())?;
/// let played = rules.play_unchecked(board, 2);
/// assert!(played.again && played.gain == 1 && !played.finished);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CompiledRules<B: Board> {
    rules: Rules,
    /// [`Rules::play_code`].
    code: u8,
    houses: usize,
    sower: B::Sower,
}

impl<B: Board> CompiledRules<B> {
    /// Compiles the rules of a game.
    ///
    /// # Panics
    /// If the game has more houses per row than the board.
    pub fn new(game: &Game) -> CompiledRules<B> {
        let rules = game.rules();
        assert!(usize::from(game.houses()) <= B::ROW, "the board has too few houses for {game}");
        let sower = B::sower(&Track::new(game.houses(), rules.direction));
        CompiledRules { rules, code: rules.play_code(), houses: game.houses().into(), sower }
    }

    /// The rules that were compiled.
    pub fn definition(&self) -> Rules {
        self.rules
    }

    pub(crate) fn code(&self) -> u8 {
        self.code
    }

    /// Houses per row.
    pub fn houses(&self) -> usize {
        self.houses
    }

    /// Plays the mover's house in a slot, counted from 0.
    ///
    /// The caller guarantees that the board is live and that the slot is one of the row and holds seeds.
    /// Otherwise the result is meaningless, or the call panics; memory is safe in any case.
    /// [`Position::try_play`](crate::Position::try_play) checks.
    #[inline]
    pub fn play_unchecked(&self, board: B, slot: usize) -> Played<B> {
        self.play_observed(board, slot, |_| {})
    }

    /// Plays like [`play_unchecked`](CompiledRules::play_unchecked), and passes each step to `observe`.
    #[inline]
    pub fn play_observed(
        &self,
        mut board: B,
        slot: usize,
        mut observe: impl FnMut(Step),
    ) -> Played<B> {
        let mut from = slot;
        let mut gain = 0;
        let last = loop {
            let sown = board.sow(&self.sower, from);
            gain += sown.gain;
            observe(Step::Sow {
                from: B::pit(from),
                seeds: sown.seeds,
                laps: sown.seeds / (2 * self.houses as u64 + 1),
                last: B::pit(sown.last),
            });
            if sown.last == B::STORE || !self.rules.relay || board.seeds(sown.last) == 1 {
                break sown.last;
            }
            from = sown.last;
        };
        let again = last == B::STORE;
        if last < B::ROW && self.rules.capture != Capture::None && board.seeds(last) == 1 {
            let opposite = B::ROW + self.houses - 1 - last;
            let takes_opposite = self.rules.capture != Capture::LastSeed;
            if self.rules.capture != Capture::Standard || board.seeds(opposite) > 0 {
                let taken = if takes_opposite { board.take(opposite) } else { 0 };
                let captured = board.take(last) + taken;
                board.bank(captured);
                gain += captured;
                observe(Step::Capture {
                    house: House::at(last),
                    opposite: House::at(opposite - B::ROW),
                    taken,
                });
            }
        }
        let finished = board.is_finished();
        Played { board: if again { board } else { board.flip() }, gain, again, finished }
    }

    /// The mover's margin from the seeds left in the houses of a finished board.
    #[inline]
    pub fn remaining(&self, board: &B) -> i64 {
        if self.rules.remaining_lost {
            0
        } else {
            board.own_seeds() as i64 - board.other_seeds() as i64
        }
    }
}

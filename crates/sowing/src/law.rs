//! The law of the games: what a move is, on any board.

use crate::{Board, Capture, Game, House, Pit, Rules, Track};

/// One thing that happens in a move. Pits are as the mover sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A house is picked up and sown. The first of a move starts it, others continue a relay.
    Sow {
        /// The house that was picked up.
        from: Pit,
        /// How many seeds.
        seeds: u64,
        /// How many times they went all the way round.
        laps: u64,
        /// Where the last seed fell.
        last: Pit,
    },
    /// Seeds are taken to the mover's store.
    Capture {
        /// The mover's house that the last seed fell into; it is emptied.
        house: House,
        /// The opponent's house opposite.
        opposite: House,
        /// How many seeds are taken from the opposite house.
        taken: u64,
    },
}

/// A move played out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played<B> {
    /// The board as the next mover sees it: the same player's after an `again`, else the other's.
    pub board: B,
    /// The seeds that the move brought to the mover's store, captures included.
    pub gain: u64,
    /// Whether the last seed fell into the mover's store, so that the same player moves again
    /// (unless the game is finished).
    pub again: bool,
    /// Whether a row is empty now.
    pub finished: bool,
}

/// The rules of a game made ready for one kind of board.
///
/// ```
/// use sowing::{Law, Position, Small};
///
/// let game = "kalah(6,4)".parse()?;
/// let law = Law::<Small>::new(&game);
/// let board = Small::new(Position::start(game).board())?;
/// let played = law.play(board, 2);
/// assert!(played.again && played.gain == 1 && !played.finished);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Law<B: Board> {
    rules: Rules,
    houses: usize,
    sower: B::Sower,
}

impl<B: Board> Law<B> {
    /// The law of a game.
    ///
    /// # Panics
    /// If the game has more houses a row than the board.
    pub fn new(game: &Game) -> Law<B> {
        let rules = game.rules();
        assert!(usize::from(game.houses()) <= B::ROW, "the board has too few houses for {game}");
        let sower = B::sower(&Track::new(game.houses(), rules.direction));
        Law { rules, houses: game.houses().into(), sower }
    }

    /// The rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// Houses a row.
    pub fn houses(&self) -> usize {
        self.houses
    }

    /// Plays the mover's house in this slot, which must hold seeds, on a board that is live.
    ///
    /// This is the fast twin of [`Position::play`](crate::Position::play): it trusts its caller.
    /// A slot that is empty or out of the row gives a board that means nothing, or a panic.
    #[inline]
    pub fn play(&self, board: B, slot: usize) -> Played<B> {
        self.play_observed(board, slot, |_| {})
    }

    /// Plays like [`play`](Law::play), and shows each step as it happens.
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

    /// What the seeds left in the houses of a finished board add to the mover's margin.
    #[inline]
    pub fn remaining(&self, board: &B) -> i64 {
        if self.rules.remaining_lost {
            0
        } else {
            board.own_seeds() as i64 - board.other_seeds() as i64
        }
    }
}

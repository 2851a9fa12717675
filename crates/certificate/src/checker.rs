//! The checker: it decides whether a certificate proves its claim, and trusts nothing that it reads.
//! [`soundness`](crate::soundness) argues why acceptance implies truth.

use std::collections::HashSet;

use sowing_rules::{
    Board, Capture, CompiledRules, Direction, Game, House, Position, Rules, WideBoard,
};

use crate::claim::Claim;

/// The boards that one turn of the opponent may pass through, besides one per lemma. The builder keeps the
/// same limit, so that every certificate that is built can be verified.
pub const MAX_TURN_BOARDS: usize = 1 << 20;

/// The most boards of one turn in a certificate of `lemmas` lemmas.
pub(crate) fn max_turn_boards(lemmas: usize) -> usize {
    MAX_TURN_BOARDS + lemmas
}

/// The houses of a board, the mover's row first.
pub(crate) type Rows = Box<[u64]>;

/// One statement of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lemma {
    /// The mover's margin from the houses is at least this.
    pub(crate) margin: i64,
    /// The move that reaches it.
    pub(crate) house: House,
    /// Its line in the text, from 1.
    pub(crate) line: usize,
}

impl Lemma {
    /// The lemma's line.
    pub(crate) fn text(&self, rows: &Rows) -> String {
        format!("{} >= {}: {}", houses(rows), self.margin, self.house)
    }
}

/// A board without its stores: `1,1|1,1`.
pub(crate) fn houses(rows: &Rows) -> String {
    let row = |seeds: &[u64]| seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let (own, other) = rows.split_at(rows.len() / 2);
    format!("{}|{}", row(own), row(other))
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefutedError {
    /// The game is loopy or has the pie rule.
    #[error("{0} is clockwise or has a pie: certificates are for other games, as in kalah(6,4)")]
    Game(Game),
    /// The claim is of a margin that the position cannot be worth.
    #[error("the claim {claim} is out of bounds: the position can be worth {least} to {most}")]
    Claim {
        /// The claim.
        claim: Claim,
        /// The least value, with all seeds of the houses lost.
        least: i64,
        /// The greatest value, with all of them won.
        most: i64,
    },
    /// The claim does not follow from the lemmas.
    #[error("the claim {claim} does not follow: {flaw}")]
    Start {
        /// The claim.
        claim: Claim,
        /// The flaw.
        flaw: Flaw,
    },
    /// A lemma does not follow from the others.
    #[error("line {line}: the lemma {lemma} does not hold: {flaw}")]
    Lemma {
        /// Its line in the certificate's text.
        line: usize,
        /// The lemma as it is written.
        lemma: String,
        /// The flaw.
        flaw: Flaw,
    },
}

/// Why a lemma or the claim does not follow. Boards are without their stores.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The board has more seeds than the position, so it cannot come up.
    #[error("its board has {seeds} seeds, the position has {most} in its houses")]
    Seeds {
        /// The lemma's seeds.
        seeds: u128,
        /// The position's.
        most: u64,
    },
    /// No board with this number of seeds has the margin.
    #[error("a board of {0} seeds is worth -{0} to {0}")]
    Margin(u64),
    /// The board has no moves.
    #[error("its board is finished: a row is empty")]
    Finished,
    /// The move is illegal.
    #[error("house {0} is empty or does not exist")]
    House(House),
    /// The prover must move and the certificate does not say how.
    #[error("no lemma for {board}, which needs a margin of {needed}")]
    Missing {
        /// The board.
        board: String,
        /// The margin that is needed there.
        needed: i64,
    },
    /// The margin of a lemma is too low.
    #[error("the lemma for {board} promises {margin}, but {needed} is needed")]
    Weak {
        /// The board.
        board: String,
        /// The margin that the lemma promises.
        margin: i64,
        /// The margin that is needed.
        needed: i64,
    },
    /// The game ends with less than is needed.
    #[error("from {board} the game can end with a margin of {margin}, but {needed} is needed")]
    End {
        /// The last board with moves, or the position itself.
        board: String,
        /// The margin at the end.
        margin: i64,
        /// The margin that is needed.
        needed: i64,
    },
    /// A turn of the opponent's is too large to be followed.
    #[error("the opponent's turn from {board} passes through more than {most} boards")]
    Turn {
        /// The board, as the opponent sees it.
        board: String,
        /// The boards that are followed.
        most: usize,
    },
    /// A margin overflows 64 bits. Unreachable after the checks of bounds.
    #[error("a margin leaves 64 bits")]
    Overflow,
}

/// Called for each board where the prover is to move, with the margin that is needed there.
pub(crate) type Require<'a> = dyn FnMut(WideBoard, i64) -> Result<(), Flaw> + 'a;

/// The state after a move.
enum After {
    /// The game is over; the rows bring the mover this margin.
    Over(i64),
    /// The same player moves again.
    Again(WideBoard),
    /// The other player moves.
    Passed(WideBoard),
}

/// The rules that a certificate is checked by, and its bounds.
#[derive(Debug)]
pub(crate) struct Checker {
    rules: CompiledRules<WideBoard>,
    position: Position,
    /// The seeds in the position's houses.
    seeds: u64,
}

impl Checker {
    /// Refuses games whose positions can come back or offer a swap, and claims out of bounds.
    pub(crate) fn new(position: &Position, claim: Claim) -> Result<Checker, RefutedError> {
        let game = *position.game();
        // The soundness argument covers these rules. A new option fails to compile here until it does.
        let Rules { capture, relay: _, direction, remaining_lost: _, pie } = game.rules();
        match (capture, direction) {
            (
                Capture::Standard | Capture::Empty | Capture::LastSeed | Capture::None,
                Direction::CounterClockwise,
            ) if !pie => {}
            (_, Direction::CounterClockwise | Direction::Clockwise) => {
                return Err(RefutedError::Game(game));
            }
        }
        let seeds = position.layer();
        let (least, most) = (position.lead() - seeds as i64, position.lead() + seeds as i64);
        let (Claim::AtLeast(margin) | Claim::AtMost(margin)) = claim;
        if !(least..=most).contains(&margin) {
            return Err(RefutedError::Claim { claim, least, most });
        }
        Ok(Checker { rules: CompiledRules::new(&game), position: *position, seeds })
    }

    /// Reports the boards where the prover moves first, with the margins that the claim needs there.
    pub(crate) fn start(
        &self,
        claim: Claim,
        max_boards: usize,
        require: &mut Require<'_>,
    ) -> Result<(), Flaw> {
        let board = bare(self.position.board());
        let lead = self.position.lead();
        let rest = self.rules.remaining(&board);
        match claim {
            Claim::AtLeast(margin) => {
                let needed = margin.checked_sub(lead).ok_or(Flaw::Overflow)?;
                match board.is_finished() {
                    true => ended(&board, rest, needed),
                    false => require(board, needed),
                }
            }
            Claim::AtMost(margin) => {
                let needed = lead.checked_sub(margin).ok_or(Flaw::Overflow)?;
                match board.is_finished() {
                    true => ended(&board, -rest, needed),
                    false => self.follow_opponent(board, needed, max_boards, require),
                }
            }
        }
    }

    /// Reports the boards that can come after a lemma's move, with the margins that it needs there.
    pub(crate) fn follow(
        &self,
        rows: &Rows,
        lemma: &Lemma,
        max_boards: usize,
        require: &mut Require<'_>,
    ) -> Result<(), Flaw> {
        let seeds: u128 = rows.iter().copied().map(u128::from).sum();
        if seeds > self.seeds.into() {
            return Err(Flaw::Seeds { seeds, most: self.seeds });
        }
        // From here on no sum of seeds is larger than the position's.
        let (own, other) = rows.split_at(rows.len() / 2);
        let board = WideBoard::new(own, 0, other, 0);
        if lemma.margin.unsigned_abs() > seeds as u64 {
            return Err(Flaw::Margin(seeds as u64));
        }
        if board.is_finished() {
            return Err(Flaw::Finished);
        }
        if board.own().get(lemma.house.index()).is_none_or(|seeds| *seeds == 0) {
            return Err(Flaw::House(lemma.house));
        }
        let (gain, after) = self.play(board, lemma.house.index());
        let needed = lemma.margin.checked_sub_unsigned(gain).ok_or(Flaw::Overflow)?;
        match after {
            After::Over(rest) => ended(&board, rest, needed),
            After::Again(next) => require(next, needed),
            After::Passed(next) => self.follow_opponent(next, needed, max_boards, require),
        }
    }

    /// Reports the boards after each turn of the opponent, who is to move, with the margins needed there.
    fn follow_opponent(
        &self,
        start: WideBoard,
        needed: i64,
        max_boards: usize,
        require: &mut Require<'_>,
    ) -> Result<(), Flaw> {
        if is_sure(&start, needed) {
            return Ok(());
        }
        let mut seen = HashSet::from([rows(&start)]);
        let mut turn = vec![(start, needed)];
        while let Some((board, needed)) = turn.pop() {
            for slot in (0..board.own().len()).filter(|slot| board.seeds(*slot) > 0) {
                let (gain, after) = self.play(board, slot);
                let needed = needed.checked_add_unsigned(gain).ok_or(Flaw::Overflow)?;
                match after {
                    After::Over(rest) => ended(&board, -rest, needed)?,
                    After::Passed(next) => require(next, needed)?,
                    After::Again(next) => {
                        if seen.insert(rows(&next)) {
                            turn.push((next, needed));
                        }
                    }
                }
            }
            if seen.len() > max_boards {
                return Err(Flaw::Turn { board: houses(&rows(&start)), most: max_boards });
            }
        }
        Ok(())
    }

    /// Plays a house that holds seeds on a live board: what it gains, and what comes after.
    fn play(&self, board: WideBoard, slot: usize) -> (u64, After) {
        let played = self.rules.play_unchecked(board, slot);
        let rest = self.rules.remaining(&played.board);
        let after = match (played.finished, played.again) {
            (true, true) => After::Over(rest),
            (true, false) => After::Over(-rest),
            (false, true) => After::Again(bare(&played.board)),
            (false, false) => After::Passed(bare(&played.board)),
        };
        (played.gain, after)
    }
}

impl RefutedError {
    pub(crate) fn for_lemma(rows: &Rows, lemma: &Lemma, flaw: Flaw) -> RefutedError {
        RefutedError::Lemma { line: lemma.line, lemma: lemma.text(rows), flaw }
    }
}

/// Whether a margin is certain at a board: the margin from the houses is at least minus their seeds,
/// whichever player moves.
pub(crate) fn is_sure(board: &WideBoard, needed: i64) -> bool {
    needed <= -(board.layer() as i64)
}

fn ended(last: &WideBoard, margin: i64, needed: i64) -> Result<(), Flaw> {
    match margin >= needed {
        true => Ok(()),
        false => Err(Flaw::End { board: houses(&rows(last)), margin, needed }),
    }
}

/// A board without its stores.
fn bare(board: &WideBoard) -> WideBoard {
    WideBoard::new(board.own(), 0, board.other(), 0)
}

/// The rows of a board, the mover's first.
pub(crate) fn rows(board: &WideBoard) -> Rows {
    [board.own(), board.other()].concat().into()
}

#[cfg(test)]
mod tests {
    use sowing_rules::{MAX_SEEDS, SeededRng, Setup};

    use super::*;

    /// What falls with every move: the seeds in houses, then their distances to the stores.
    fn measure(board: &WideBoard) -> (u64, u128) {
        let distance = |row: &[u64]| -> u128 {
            row.iter().rev().zip(1..).map(|(seeds, steps)| u128::from(*seeds) * steps).sum()
        };
        (board.layer(), distance(board.own()) + distance(board.other()))
    }

    /// Every move of random boards, under every set of rules that certificates allow.
    #[test]
    fn every_move_descends_and_relays_are_short() {
        let captures = ["", ",empty-capture", ",last-seed-capture", ",no-capture"];
        let (mut moves, mut longest) = (0, 0);
        for index in 0..20_000 {
            let mut random = SeededRng::new(12, index);
            let houses = 1 + random.below(16);
            let relay = ["", ",relay"][random.below(2) as usize];
            let capture = captures[random.below(4) as usize];
            let name = format!("kalah({houses},1{relay}{capture})");
            let rules = CompiledRules::<WideBoard>::new(&name.parse().unwrap());
            // From boards that are almost empty to the largest that there are.
            let most = [2, 3, 8, 40, 1_000_000, MAX_SEEDS][random.below(6) as usize];
            let mut row = || (0..houses).map(|_| random.below(most)).collect::<Vec<_>>();
            let board = WideBoard::new(&row(), 0, &row(), 0);
            if board.is_finished() {
                continue;
            }
            for slot in (0..houses as usize).filter(|slot| board.seeds(*slot) > 0) {
                let mut sowings = 0;
                let played = rules.play_observed(board, slot, |_| sowings += 1);
                let next = bare(&played.board);
                assert!(measure(&next) < measure(&board), "{name} {board:?} {slot}");
                assert!(!played.again || played.gain > 0);
                longest = longest.max(sowings);
                moves += 1;
            }
        }
        // The longest relay of these boards is far from the number of their seeds.
        assert!(moves > 100_000 && longest < 10_000, "{moves} moves, {longest} sowings in one");
    }

    /// A turn of the opponent's is followed as far as is said, and no further.
    #[test]
    fn turns_are_bounded() {
        let game: Game = "kalah(6,4)".parse().unwrap();
        let claim = Claim::AtMost(0);
        let setup: Setup = "6,5,4,3,2,1,0|9,9,9,9,9,9,0".parse().unwrap();
        let position = Position::free(game, &setup).unwrap();
        let checker = Checker::new(&position, claim).unwrap();
        let flaw = |most| checker.start(claim, most, &mut |_, _| Ok(())).unwrap_err();
        let board = "6,5,4,3,2,1|9,9,9,9,9,9".to_string();
        assert_eq!(flaw(9), Flaw::Turn { board, most: 9 });
        assert!(checker.start(claim, MAX_TURN_BOARDS, &mut |_, _| Ok(())).is_ok());
    }

    /// No sum wraps, were the bounds not there.
    #[test]
    fn sums_are_checked() {
        let game: Game = "kalah(1,1)".parse().unwrap();
        for (stores, claim) in [
            ((1, 0), Claim::AtLeast(i64::MIN)),
            ((0, 1), Claim::AtLeast(i64::MAX)),
            ((0, 0), Claim::AtMost(i64::MIN)),
            ((0, 2), Claim::AtMost(i64::MAX)),
        ] {
            let board = WideBoard::new(&[2], stores.0, &[2], stores.1);
            let position = Position::free(game, &Setup::from(board)).unwrap();
            let checker = Checker::new(&position, Claim::AtLeast(0)).unwrap();
            let started = checker.start(claim, MAX_TURN_BOARDS, &mut |_, _| Ok(()));
            assert_eq!(started, Err(Flaw::Overflow), "{claim}");
        }
    }
}

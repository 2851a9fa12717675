//! The five theorems of "Mancala Matrices", checked by computation.

use std::ops::RangeInclusive;

use crate::board::Board;
use crate::chain::{Chain, chain_count, chains};
use crate::game::Variant;
use crate::matrix::{Matrix, MatrixKind, recursion};
use crate::tchoukaillon::{Line, check_bins};
use crate::vector::Vector;
use crate::winning::Winning;

/// What was checked of a theorem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The theorem's number, 1 to 5.
    pub theorem: u8,
    /// What was compared.
    pub claim: &'static str,
    /// How many cases.
    pub cases: u64,
    /// The first case that does not agree, if any.
    pub counterexample: Option<String>,
}

impl Checked {
    /// Whether all cases agree.
    pub fn holds(&self) -> bool {
        self.counterexample.is_none()
    }

    fn over(
        theorem: u8,
        claim: &'static str,
        cases: impl IntoIterator<Item = Result<(), String>>,
    ) -> Checked {
        let mut checked = Checked { theorem, claim, cases: 0, counterexample: None };
        for case in cases {
            checked.cases += 1;
            if let Err(case) = case {
                checked.counterexample = Some(case);
                break;
            }
        }
        checked
    }
}

/// The largest length whose boards are all checked: 3,628,799 of them with the shorter ones.
pub const MAX_THEOREM_LENGTH: usize = 9;

/// Checks Theorems 1 to 5: over all numbers of stones of one range, and over all boards and chains
/// whose length is in the other.
///
/// Theorem 1 is checked both ways: the constructed boards pass it and are won by playing them; and
/// of all boards without an overfull bin, exactly those that can be played to the end pass it.
pub fn check_theorems(stones: RangeInclusive<u64>, lengths: RangeInclusive<usize>) -> Vec<Checked> {
    let stones = || stones.clone().filter_map(Winning::new);
    let lengths = || lengths.clone().filter(|&length| length > 0);
    vec![
        Checked::over(
            1,
            "the board constructed from n passes both congruences, and is won by playing it",
            stones().map(|winning| {
                let board = winning.board();
                let passes = check_bins(&board)
                    .all(|bin| bin.fits() && bin.lower_congruence() && bin.upper_congruence());
                let sum = board.stones() == winning.stones();
                case(passes && sum && played_moves(&board).is_some(), || board.to_string())
            }),
        ),
        Checked::over(
            1,
            "of all boards without an overfull bin, those that pass each congruence are those won",
            lengths().flat_map(boards).map(|board| {
                let lower = check_bins(&board).all(|bin| bin.lower_congruence());
                let upper = check_bins(&board).all(|bin| bin.upper_congruence());
                let won = greedy(&board).is_some();
                case(lower == won && upper == won, || board.to_string())
            }),
        ),
        Checked::over(
            2,
            "the recursion from the far end gives the moves counted by playing",
            stones().map(|winning| {
                let board = winning.board();
                case(recursion(&board).ok() == played_moves(&board), || board.to_string())
            }),
        ),
        Checked::over(
            3,
            "U times the moves counted by playing is the board, and U^-1 gives them back",
            stones().map(|winning| {
                let board = winning.board();
                case(unplayed(&board).is_some(), || board.to_string())
            }),
        ),
        Checked::over(
            4,
            "the ceilings give the moves counted by playing",
            stones().map(|winning| {
                let moves: Vec<u64> = winning.moves().collect();
                let board = winning.board();
                case(played_moves(&board) == Some(moves), || board.to_string())
            }),
        ),
        Checked::over(
            5,
            "the bins that a board can chain are those listed, F(L+2) - 1 of them",
            lengths().map(|length| {
                let listed = chains(length);
                let found = (1u32..1 << length).filter(|&set| can_be_chained(set, length)).count();
                let agree = listed.len() == found
                    && chain_count(length) == Some(found as u128)
                    && listed.iter().all(|chain| can_be_chained(as_set(chain), length));
                case(agree, || format!("length {length}"))
            }),
        ),
    ]
}

fn case(holds: bool, name: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(name()) }
}

/// All boards of so many bins without an overfull bin: (length + 1)! of them.
fn boards(length: usize) -> impl Iterator<Item = Board> {
    let mut bins = vec![0; length];
    let mut more = true;
    std::iter::from_fn(move || {
        if !more {
            return None;
        }
        let board = Board::new(bins.clone()).expect("few stones");
        more = false;
        for (index, stones) in bins.iter_mut().enumerate() {
            if *stones <= index as u64 {
                *stones += 1;
                more = true;
                break;
            }
            *stones = 0;
        }
        Some(board)
    })
}

/// Plays the first harvestable bin as long as there is one; the moves if that clears the board.
/// Knows nothing of congruences.
fn greedy(board: &Board) -> Option<Vec<u64>> {
    let mut bins = board.bins().to_vec();
    let mut moves = vec![0; bins.len()];
    while let Some(index) = (0..bins.len()).find(|&index| bins[index] == index as u64 + 1) {
        Variant::TCHOUKAILLON.play(&mut bins, index + 1, |_| ()).ok()?;
        moves[index] += 1;
    }
    bins.iter().all(|&stones| stones == 0).then_some(moves)
}

/// How often each bin is played on the way to the cleared board.
fn played_moves(board: &Board) -> Option<Vec<u64>> {
    let mut moves = vec![0; board.len()];
    let mut line = Line::new(board.clone()).ok()?;
    while let Some(bin) = line.advance() {
        moves[bin as usize - 1] += 1;
    }
    Some(moves)
}

fn unplayed(board: &Board) -> Option<()> {
    let signed = |entries: &[u64]| {
        let entries = entries.iter().map(|&entry| i64::try_from(entry).ok());
        Vector::new(entries.collect::<Option<Vec<i64>>>()?)
    };
    let (moves, bins) = (signed(&played_moves(board)?)?, signed(board.bins())?);
    let apply = |kind, vector: &Vector| {
        let product = Matrix::new(kind, board.len()).ok()?.apply(vector).ok()?;
        let whole = product.into_iter().map(|entry| i64::try_from(entry.whole()?).ok());
        Vector::new(whole.collect::<Option<Vec<i64>>>()?)
    };
    let there = apply(MatrixKind::Unplay, &moves)? == bins;
    let back = apply(MatrixKind::Inverse, &bins)? == moves;
    (there && back).then_some(())
}

fn as_set(chain: &Chain) -> u32 {
    chain.bins().iter().fold(0, |set, &bin| set | 1 << (bin - 1))
}

/// Whether some board lets exactly the bins of the set be sown from in one play. What they must
/// hold follows from where each sowing must end; the other bins do not matter.
fn can_be_chained(set: u32, length: usize) -> bool {
    let mut bins = vec![0u64; length];
    let (mut nearer, mut far) = (0, 0);
    for bin in (1..=length).filter(|bin| set >> (bin - 1) & 1 == 1) {
        // One stone comes with the sowing that ends there.
        bins[bin - 1] = (bin - nearer) as u64 - 1;
        (nearer, far) = (bin, bin);
    }
    bins[far - 1] += 1;
    let mut sown = 0;
    let ended = Variant::CHAINING.play(&mut bins, far, |leg| sown |= 1u32 << (leg.from - 1));
    ended.is_ok() && sown == set
}

//! Plays as vectors, and their products with the matrices.

use crate::board::Board;
use crate::chain::{Chain, chains};
use crate::game::{Leg, Variant};
use crate::matrix::{Matrix, MatrixError, MatrixKind, sowing_index};
use crate::search::{Tally, tally};

/// The longest board whose chains are listed.
const MAX_LISTED_LENGTH: usize = 20;

/// A play, the vectors that count its moves, and their product with the matrices, which is the board that was won.
///
/// ```
/// use sowing_solitaire::{PlayVectors, Variant, wrapping_play};
///
/// let board = "0,2,2,4".parse()?;
/// let play = wrapping_play(&board).expect("a win");
/// let vectors = PlayVectors::new(Variant::WRAPPING, &board, &play)?;
/// assert_eq!(vectors.product, [0, 2, 2, 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayVectors {
    /// The sowings of each move.
    pub legs: Vec<Vec<Leg>>,
    /// The counts of moves and of wraps by bin, m and w; `None` where plays chain.
    pub moves_and_wraps: Option<(Vec<u64>, Vec<u64>)>,
    /// The counts of chains, t; `None` where plays do not chain, or the board has too many chains to list.
    pub chains: Option<Vec<u64>>,
    /// U m + W w, or C t.
    pub product: Vec<i128>,
}

impl PlayVectors {
    /// The vectors of a winning play.
    ///
    /// # Panics
    /// If a move does not end in the Ruma.
    pub fn new(
        variant: Variant,
        board: &Board,
        play: &[usize],
    ) -> Result<PlayVectors, MatrixError> {
        let Tally { moves, wraps, legs, .. } = tally(variant, board, play);
        let mut product = vec![0; board.len()];
        if variant.chaining {
            let chains = chain_vector(board.len(), &legs);
            match &chains {
                Some(counts) => add_product(&mut product, MatrixKind::Chain, counts)?,
                None => add_effects(&mut product, &legs),
            }
            return Ok(PlayVectors { legs, moves_and_wraps: None, chains, product });
        }
        add_product(&mut product, MatrixKind::Unplay, &moves)?;
        add_product(&mut product, MatrixKind::Wrap, &wraps)?;
        Ok(PlayVectors { legs, moves_and_wraps: Some((moves, wraps)), chains: None, product })
    }
}

/// A play of single sowings, the vectors that count them, and their product with the matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SowingVectors {
    /// The sowings of each move, and the board after it.
    pub moves: Vec<(Vec<Leg>, Vec<u64>)>,
    /// The counts of sowings, v, by [column](crate::sowing_column).
    pub sowings: Vec<u64>,
    /// The counts of wraps by bin, w.
    pub wraps: Vec<u64>,
    /// V v + W w.
    pub product: Vec<i128>,
}

impl SowingVectors {
    /// The vectors of a winning play.
    ///
    /// # Panics
    /// If a move does not end in the Ruma.
    pub fn new(
        variant: Variant,
        board: &Board,
        play: &[usize],
    ) -> Result<SowingVectors, MatrixError> {
        let Tally { wraps, legs, boards, .. } = tally(variant, board, play);
        let length = board.len();
        let mut sowings = vec![0; length * length];
        for leg in legs.iter().flatten() {
            if let Some(index) = sowing_index(leg.from, leg.to, length) {
                sowings[index] += 1;
            }
        }
        let mut product = vec![0; length];
        add_product(&mut product, MatrixKind::Sowing, &sowings)?;
        add_product(&mut product, MatrixKind::Wrap, &wraps)?;
        let moves = legs.into_iter().zip(boards).collect();
        Ok(SowingVectors { moves, sowings, wraps, product })
    }
}

/// Adds the product of a matrix with counts.
fn add_product(sum: &mut [i128], kind: MatrixKind, counts: &[u64]) -> Result<(), MatrixError> {
    let product = Matrix::new(kind, sum.len())?.product(counts)?;
    for (sum, entry) in sum.iter_mut().zip(product) {
        *sum += entry.whole().unwrap_or_default();
    }
    Ok(())
}

/// Adds the effects of chains that are too many to list.
fn add_effects(sum: &mut [i128], legs: &[Vec<Leg>]) {
    let bins = legs.iter().map(|legs| legs.iter().map(|leg| leg.from).collect());
    let length = sum.len();
    for chain in bins.filter_map(Chain::new) {
        for (sum, effect) in sum.iter_mut().zip(chain.effect(length)) {
            *sum += i128::from(effect);
        }
    }
}

/// The counts of chains. `None` for boards too long to list their chains.
fn chain_vector(length: usize, legs: &[Vec<Leg>]) -> Option<Vec<u64>> {
    if length > MAX_LISTED_LENGTH {
        return None;
    }
    let listed = chains(length);
    let mut counts = vec![0; listed.len()];
    for legs in legs {
        let chain = Chain::new(legs.iter().map(|leg| leg.from).collect())?;
        counts[listed.iter().position(|other| *other == chain)?] += 1;
    }
    Some(counts)
}

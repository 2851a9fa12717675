//! The matrices that turn moves into boards.

use crate::board::Board;
use crate::chain::{Chain, chain_count, chains};
use crate::fraction::{Fraction, minus, plus, times};
use crate::vector::Vector;

/// Which matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MatrixKind {
    /// `U`: the effect of taking back a play of each bin. `U m` is the board of the moves `m`.
    Unplay,
    /// The inverse of `U`: of a winning board it gives the moves.
    Inverse,
    /// `W`: the effect of taking back one full lap sown from each bin.
    Wrap,
    /// `C`: the effect of taking back each chain, in the order of [`chains`].
    Chain,
    /// `V`: the effect of taking back one sowing from each bin that ends in each other pit, without
    /// its full laps. A play of Tchuka Ruma is a sum of such sowings: with `v` their numbers and
    /// `w` the laps sown from each bin, `V v + W w` is the board. The columns go by the bin that is
    /// emptied, then by where the last stone falls, the Ruma first; those that end in the Ruma are
    /// the columns of `U`.
    Sowing,
}

/// One of the matrices for boards of a fixed number of bins. Entries are computed when asked for.
///
/// ```
/// use sowing_solitaire::{Matrix, MatrixKind};
///
/// let inverse = Matrix::new(MatrixKind::Inverse, 4)?;
/// assert_eq!(inverse.entry(1, 2).to_string(), "1/6");
/// assert_eq!(Matrix::new(MatrixKind::Chain, 5)?.columns(), 12);
/// # Ok::<(), sowing_solitaire::MatrixError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Matrix {
    kind: MatrixKind,
    length: usize,
    chains: Vec<Chain>,
}

/// The largest length of a chain matrix: 832,039 columns.
pub const MAX_CHAIN_LENGTH: usize = 28;

/// The largest length of a matrix of sowings: 1,000,000 columns.
pub const MAX_SOWING_LENGTH: usize = 1_000;

/// The largest length of the other matrices.
pub const MAX_LENGTH: usize = 1_000_000;

impl Matrix {
    /// The matrix of this kind for boards of so many bins.
    pub fn new(kind: MatrixKind, length: usize) -> Result<Matrix, MatrixError> {
        let max = match kind {
            MatrixKind::Chain => MAX_CHAIN_LENGTH,
            MatrixKind::Sowing => MAX_SOWING_LENGTH,
            _ => MAX_LENGTH,
        };
        if length == 0 || length > max {
            return Err(MatrixError::Length { length, max });
        }
        let chains = if kind == MatrixKind::Chain { chains(length) } else { Vec::new() };
        Ok(Matrix { kind, length, chains })
    }

    /// Which matrix it is.
    pub fn kind(&self) -> MatrixKind {
        self.kind
    }

    /// The number of rows: the bins.
    pub fn rows(&self) -> usize {
        self.length
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        match self.kind {
            MatrixKind::Chain => self.chains.len(),
            MatrixKind::Sowing => self.length * self.length,
            _ => self.length,
        }
    }

    /// The chain whose effect a column is. `None` unless this is the matrix of chains.
    pub fn chain(&self, column: usize) -> Option<&Chain> {
        self.chains.get(column)
    }

    /// The entry, rows and columns counted from 0.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn entry(&self, row: usize, column: usize) -> Fraction {
        assert!(row < self.rows() && column < self.columns(), "the matrix has no such entry");
        let (i, j) = (row as i128 + 1, column as i128 + 1);
        let length = self.length as i128;
        match self.kind {
            MatrixKind::Unplay if i > j => Fraction::ZERO,
            MatrixKind::Unplay => Fraction::from(if i == j { i } else { -1 }),
            MatrixKind::Inverse if i > j => Fraction::ZERO,
            MatrixKind::Inverse => Fraction::new(1, if i == j { i } else { i * (i + 1) }),
            MatrixKind::Wrap => Fraction::from(if i == j { length } else { -1 }),
            MatrixKind::Chain | MatrixKind::Sowing => {
                Fraction::from(i128::from(self.effect(column)[row]))
            }
        }
    }

    /// The matrix times a vector.
    pub fn apply(&self, vector: &Vector) -> Result<Vec<Fraction>, MatrixError> {
        self.product(vector.entries())
    }

    /// The matrix times a vector.
    ///
    /// # Panics
    /// If a sum outgrows an `i128`, which takes entries beyond a `u64`.
    pub fn product<T: Copy + Into<i128>>(
        &self,
        entries: &[T],
    ) -> Result<Vec<Fraction>, MatrixError> {
        if entries.len() != self.columns() {
            return Err(MatrixError::Entries { entries: entries.len(), columns: self.columns() });
        }
        let mut sums = vec![0i128; self.length];
        match self.kind {
            MatrixKind::Inverse => return Ok(inverse_product(entries)),
            MatrixKind::Unplay => sums = unplay_product(entries),
            MatrixKind::Wrap => {
                let total = entries.iter().fold(0, |sum, &laps| plus(sum, laps.into()));
                let scale = self.length as i128 + 1;
                let sum = |laps: &T| minus(times(scale, (*laps).into()), total);
                sums = entries.iter().map(sum).collect();
            }
            MatrixKind::Chain | MatrixKind::Sowing => {
                let entries = entries.iter().map(|&used| used.into()).enumerate();
                for (column, used) in entries.filter(|&(_, used)| used != 0) {
                    for (sum, effect) in sums.iter_mut().zip(self.effect(column)) {
                        *sum = plus(*sum, times(effect.into(), used));
                    }
                }
            }
        }
        Ok(sums.into_iter().map(Fraction::from).collect())
    }

    /// A column of one of the matrices whose columns are not bins.
    fn effect(&self, column: usize) -> Vec<i64> {
        if let Some(chain) = self.chains.get(column) {
            return chain.effect(self.length);
        }
        let pits = self.length as i64 + 1;
        let (from, to) = sowing_column(column, self.length);
        let stones = (from as i64 - to as i64).rem_euclid(pits);
        let bins = 1..pits;
        // Steps that a stone takes from the emptied bin to another.
        let steps = bins.map(|bin| (from as i64 - bin).rem_euclid(pits));
        steps.map(|steps| if steps == 0 { stones } else { -i64::from(steps <= stones) }).collect()
    }
}

/// The sowing that a column of the matrix of sowings stands for: the bin that is emptied, and the
/// pit where the last stone falls, 0 for the Ruma.
pub fn sowing_column(column: usize, length: usize) -> (usize, usize) {
    let (from, index) = (column / length + 1, column % length);
    (from, if index < from { index } else { index + 1 })
}

/// The column of a sowing: the inverse of [`sowing_column`]. `None` for a sowing that ends where it
/// began, which is all laps.
pub fn sowing_index(from: usize, to: usize, length: usize) -> Option<usize> {
    let index = match to.cmp(&from) {
        std::cmp::Ordering::Less => to,
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => to - 1,
    };
    Some((from - 1) * length + index)
}

/// `U m`, one step an entry: `b_i = i m_i - (m_(i+1) + m_(i+2) + ...)`.
///
/// # Panics
/// If a sum outgrows an `i128`, which takes entries beyond a `u64`.
pub fn unplay_product<T: Copy + Into<i128>>(moves: &[T]) -> Vec<i128> {
    let mut beyond = 0i128;
    let mut bins: Vec<i128> = moves
        .iter()
        .enumerate()
        .rev()
        .map(|(index, &m)| {
            let i = index as i128 + 1;
            let stones = minus(times(i, m.into()), beyond);
            beyond = plus(beyond, m.into());
            stones
        })
        .collect();
    bins.reverse();
    bins
}

/// `U^-1 b`, one step an entry: `m_i = ((i+1) b_i + b_(i+1) + b_(i+2) + ...) / (i (i+1))`.
///
/// # Panics
/// If a sum outgrows an `i128`, which takes entries beyond a `u64`.
pub fn inverse_product<T: Copy + Into<i128>>(bins: &[T]) -> Vec<Fraction> {
    let mut beyond = 0i128;
    let mut moves: Vec<Fraction> = bins
        .iter()
        .enumerate()
        .rev()
        .map(|(index, &b)| {
            let i = index as i128 + 1;
            let moves = Fraction::new(plus(times(i + 1, b.into()), beyond), i * (i + 1));
            beyond = plus(beyond, b.into());
            moves
        })
        .collect();
    moves.reverse();
    moves
}

/// Theorem 2's recursion from the farthest bin: `m_i = (b_i + m_(i+1) + m_(i+2) + ...) / i`.
///
/// Of a winning board it gives the move vector; of another board entries that are not whole, or
/// that no play has. Fails at the first bin, from the farthest, whose moves are not whole.
///
/// ```
/// use sowing_solitaire::recursion;
///
/// let moves = recursion(&"0,2,2,4".parse().unwrap());
/// assert_eq!(moves, Ok(vec![4, 2, 1, 1]));
/// ```
pub fn recursion(board: &Board) -> Result<Vec<u64>, NotWhole> {
    let mut beyond = 0u64;
    let mut moves = Vec::with_capacity(board.len());
    for (index, &stones) in board.bins().iter().enumerate().rev() {
        let bin = index as u64 + 1;
        // The sum is at most the stones of this bin and beyond, divided by the bin's number.
        let played = stones + beyond;
        if !played.is_multiple_of(bin) {
            return Err(NotWhole { bin, played });
        }
        beyond += played / bin;
        moves.push(played / bin);
    }
    moves.reverse();
    Ok(moves)
}

/// A bin whose moves are not a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "bin {bin} would be played {played}/{bin} times: the recursion gives whole moves of a winning \
     board only, as in 0,2,2,4"
)]
pub struct NotWhole {
    /// The bin.
    pub bin: u64,
    /// The stones that are ever in it.
    pub played: u64,
}

/// Why there is no such matrix or product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// The length is out of range.
    #[error("the length is {length}: it should be 1 to {max}, as in 5")]
    Length {
        /// The length.
        length: usize,
        /// The largest length of such a matrix.
        max: usize,
    },
    /// The vector does not have one entry a column.
    #[error(
        "the vector has {entries} {}: the matrix has {columns} {}, so it should have {columns}",
        if *entries == 1 { "entry" } else { "entries" },
        if *columns == 1 { "column" } else { "columns" },
    )]
    Entries {
        /// The entries of the vector.
        entries: usize,
        /// The columns of the matrix.
        columns: usize,
    },
}

/// The length of the boards whose matrix of chains has so many columns.
pub fn length_of_chain_vector(entries: usize) -> Option<usize> {
    (1..=MAX_CHAIN_LENGTH).find(|&length| chain_count(length) == Some(entries as u128))
}

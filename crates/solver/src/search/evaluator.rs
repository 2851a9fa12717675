//! The evaluator: estimates of board values, fitted to endgame tables.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use sowing_rules::{CompactBoard, SeededRng};
use sowing_tables::{Tables, ValueLocation};

use super::search_board::SearchBoard;

/// Estimates the values of boards beyond the tables, for move ordering and for initial proof numbers.
///
/// The estimate is a sum over the columns of the board: each own house together with the house opposite has a
/// weight for every pair of seed counts. That covers seeds that can be captured, houses that sow exactly into
/// the store, and seeds near the store. The weights are a least-squares fit to a sample of the tables, as in
/// Logistello (Buro, 1998).
#[derive(Debug)]
pub(crate) struct Evaluator {
    houses: usize,
    layer: u32,
    boards: u64,
    /// One row per column.
    weights: Vec<[i32; PADDED_PAIRS]>,
}

/// Higher seed counts share the weight of this one: the sample has too few of them.
const MAX_COUNT: usize = 9;
const PAIRS: usize = (MAX_COUNT + 1) * (MAX_COUNT + 1);

/// The weights of a column, padded so that an index needs no check.
const PADDED_PAIRS: usize = PAIRS.next_power_of_two();

/// Raw units per seed.
const UNITS_PER_SEED: f64 = 32.0;

/// Boards sampled at a time: their values are prefetched together.
const BATCH: u64 = 1 << 6;

/// The relative squared residual at which the fit ends.
const TOLERANCE: f64 = 1e-7;

/// Ridge regularisation: the weight of a pair that is never sampled stays zero, that of a rare one small.
const RIDGE: f64 = 4.0;

impl Evaluator {
    /// The highest layer to sample: a board's seeds and the bars between its houses fit 128 bits.
    pub(crate) const MAX_LAYER: u32 = 100;

    /// The sample size after `nodes` nodes: small at first, since the search may soon be over; more than a
    /// quarter of a million boards gain nothing.
    pub(crate) fn sample_size(nodes: u64) -> u64 {
        (4 * nodes).clamp(1 << 14, 1 << 18)
    }

    /// Fits the weights to `boards` boards of the upper half of the tables' layers. The result does not depend on
    /// the number of threads. `None` if `is_stopped` says so first.
    pub(crate) fn fit(
        houses: usize,
        tables: &Tables,
        boards: u64,
        threads: usize,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Option<Evaluator> {
        let layer = tables.max_layer().min(Evaluator::MAX_LAYER);
        let next = AtomicU64::new(0);
        let draw = || -> Option<Sample> {
            let mut sample = Sample::new(houses);
            loop {
                let batch = next.fetch_add(1, Relaxed);
                if batch * BATCH >= boards {
                    return Some(sample);
                }
                if is_stopped() {
                    return None;
                }
                sample.draw(tables, layer as usize, batch);
            }
        };
        let sample = if threads <= 1 {
            draw()?
        } else {
            thread::scope(|scope| {
                let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(draw)).collect();
                let own = draw();
                helpers.into_iter().fold(own, |own, helper| {
                    let other = helper.join().unwrap_or_else(|panic| resume_unwind(panic));
                    Some(own?.merged(&other?))
                })
            })?
        };
        let weights = conjugate_gradients(&sample.matrix(), &sample.rhs(), is_stopped)?;
        let row = |weights: &[f64]| {
            let mut row = [0; PADDED_PAIRS];
            row.iter_mut()
                .zip(weights)
                .for_each(|(to, from)| *to = (from * UNITS_PER_SEED).round() as i32);
            row
        };
        let weights = weights.chunks_exact(PAIRS).map(row).collect();
        Some(Evaluator { houses, layer, boards, weights })
    }

    /// The highest layer that was sampled.
    pub(crate) fn layer(&self) -> u32 {
        self.layer
    }

    /// The sample size.
    pub(crate) fn boards(&self) -> u64 {
        self.boards
    }

    /// The bytes that each thread needs for a fit.
    pub(crate) fn fit_bytes(houses: usize) -> u64 {
        let size = (houses * PAIRS) as u64;
        size * size * (size_of::<u32>() + size_of::<f64>()) as u64
    }

    /// The estimated value of a board, in 32nds of a seed.
    #[inline]
    pub(crate) fn raw<B: SearchBoard>(&self, board: &B) -> i64 {
        let columns = board.columns(self.houses, MAX_COUNT as u64);
        self.weights
            .iter()
            .zip(columns)
            .map(|(row, pair)| row[pair % PADDED_PAIRS])
            .sum::<i32>()
            .into()
    }

    /// The weight of a column with these seeds in the own house and in the house opposite.
    pub(crate) fn column(&self, slot: usize, own: usize, opposite: usize) -> i32 {
        self.weights[slot][own.min(MAX_COUNT) * (MAX_COUNT + 1) + opposite.min(MAX_COUNT)]
    }

    /// The estimated value of a board, in seeds.
    pub(crate) fn in_seeds<B: SearchBoard>(&self, board: &B) -> f64 {
        self.raw(board) as f64 / UNITS_PER_SEED
    }
}

/// The sums of a sample: whole numbers, so that their order does not matter.
struct Sample {
    houses: usize,
    /// How often two pairs occur on one board, the one of the lower slot first.
    gram: Vec<u32>,
    /// The sum of the values of the boards with each pair.
    values: Vec<i64>,
    drawn: Vec<(CompactBoard, Option<ValueLocation>)>,
}

impl Sample {
    fn new(houses: usize) -> Sample {
        let size = houses * PAIRS;
        let (gram, values) = (vec![0; size * size], vec![0; size]);
        Sample { houses, gram, values, drawn: Vec::with_capacity(BATCH as usize) }
    }

    /// Samples a batch of boards. Finished ones are in no table.
    fn draw(&mut self, tables: &Tables, layer: usize, batch: u64) {
        let (houses, size) = (self.houses, self.values.len());
        let mut random = SeededRng::new(0, batch);
        let lower = (layer as u64 / 2).max(1);
        self.drawn.clear();
        for index in 0..BATCH {
            let seeds = layer - ((batch * BATCH + index) % lower) as usize;
            let board = random_board(houses, seeds, &mut random);
            let spot = tables.locate(board);
            if let Some(spot) = spot {
                tables.prefetch(spot);
            }
            self.drawn.push((board, spot));
        }
        for (board, spot) in &self.drawn {
            let Some(value) = spot.and_then(|spot| tables.value_at(spot)) else { continue };
            let mut pairs = pairs(board, houses);
            while let Some(row) = pairs.next() {
                self.values[row] += i64::from(value);
                self.gram[row * size + row] += 1;
                for other in pairs.clone() {
                    self.gram[row * size + other] += 1;
                }
            }
        }
    }

    /// The sum of both samples.
    fn merged(mut self, other: &Sample) -> Sample {
        self.gram.iter_mut().zip(&other.gram).for_each(|(own, other)| *own += other);
        self.values.iter_mut().zip(&other.values).for_each(|(own, other)| *own += other);
        self
    }

    fn matrix(&self) -> Vec<f64> {
        let size = self.values.len();
        let mut matrix = vec![0.0; size * size];
        for row in 0..size {
            matrix[row * size + row] = RIDGE + f64::from(self.gram[row * size + row]);
            for column in row + 1..size {
                let count = f64::from(self.gram[row * size + column]);
                matrix[row * size + column] = count;
                matrix[column * size + row] = count;
            }
        }
        matrix
    }

    fn rhs(&self) -> Vec<f64> {
        self.values.iter().map(|value| *value as f64).collect()
    }
}

/// The numbers of the pairs of seed counts in each own house and the house opposite.
#[inline]
fn pairs<B: SearchBoard>(board: &B, houses: usize) -> impl Iterator<Item = usize> + Clone {
    let columns = board.columns(houses, MAX_COUNT as u64);
    columns.enumerate().map(|(slot, pair)| slot * PAIRS + pair)
}

/// Solves a symmetric positive definite system by conjugate gradients, accurately enough for rounded weights.
fn conjugate_gradients(
    matrix: &[f64],
    rhs: &[f64],
    is_stopped: &dyn Fn() -> bool,
) -> Option<Vec<f64>> {
    /// Eight sums, for vector instructions.
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
        let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
        let mut sums = [0.0; 8];
        for (a, b) in a.zip(b) {
            sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
        }
        rest + sums.iter().sum::<f64>()
    }
    let mut solution = vec![0.0; rhs.len()];
    let mut residual = rhs.to_vec();
    let mut direction = rhs.to_vec();
    let mut error = dot(&residual, &residual);
    // Rounding loses more than this.
    let enough = TOLERANCE * error;
    for _ in 0..200 {
        if error <= enough {
            break;
        }
        if is_stopped() {
            return None;
        }
        let product: Vec<f64> =
            matrix.chunks_exact(rhs.len()).map(|row| dot(row, &direction)).collect();
        let alpha = error / dot(&direction, &product);
        solution.iter_mut().zip(&direction).for_each(|(solution, to)| *solution += alpha * to);
        residual
            .iter_mut()
            .zip(&product)
            .for_each(|(residual, product)| *residual -= alpha * product);
        let before = std::mem::replace(&mut error, dot(&residual, &residual));
        let beta = error / before;
        direction.iter_mut().zip(&residual).for_each(|(to, residual)| *to = residual + beta * *to);
    }
    Some(solution)
}

/// A uniformly random board with `seeds` seeds.
fn random_board(houses: usize, seeds: usize, random: &mut SeededRng) -> CompactBoard {
    // Stars and bars: seeds in a line, with bars between the houses.
    let places = seeds + 2 * houses - 1;
    let (mut bars, mut left) = (0u128, seeds as u32);
    while bars.count_ones() < 2 * houses as u32 - 1 {
        bars |= 1 << random.below(places as u64);
    }
    // The seeds before each bar, and behind the last, are in one house.
    let mut house = || {
        let seeds = bars.trailing_zeros().min(left);
        (bars, left) = (bars.checked_shr(seeds + 1).unwrap_or(0), left - seeds);
        u64::from(seeds)
    };
    let mut row = || (0..houses).fold(0, |row, slot| row | house() << (8 * slot));
    CompactBoard::from_rows(row(), row())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_explains_more_than_half_of_the_variance() {
        let game = "kalah(4,3)".parse().expect("a game");
        let tables = sowing_tables::build_in_memory(&game, 14, &Default::default()).expect("small");
        let evaluator = Evaluator::fit(4, &tables, 1 << 18, 1, &|| false).expect("not stopped");
        let others = Evaluator::fit(4, &tables, 1 << 18, 3, &|| false).expect("not stopped");
        assert_eq!(others.weights, evaluator.weights);
        let mut random = SeededRng::new(1, 0);
        let (mut variance, mut error) = (0.0, 0.0);
        for _ in 0..1000 {
            let board = random_board(4, 14, &mut random);
            let Some(value) = tables.probe(board) else { continue };
            variance += f64::from(value).powi(2);
            error += (evaluator.raw(&board) as f64 / UNITS_PER_SEED - f64::from(value)).powi(2);
        }
        assert!(error < variance / 2.0, "{error} of {variance}");
    }

    #[test]
    fn tables_of_many_seeds_are_sampled_as_far_as_boards_can_be() {
        let game = "kalah(2,3)".parse().expect("a game");
        let tables =
            sowing_tables::build_in_memory(&game, 127, &Default::default()).expect("small");
        let evaluator = Evaluator::fit(2, &tables, 1 << 14, 2, &|| false).expect("not stopped");
        assert_eq!(evaluator.layer(), Evaluator::MAX_LAYER);
        assert!(Evaluator::fit(2, &tables, 1 << 14, 2, &|| true).is_none());
    }
}

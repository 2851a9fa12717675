//! A guess at what boards are worth, learnt from endgame tables.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::thread;

use sowing::{Small, Stream};
use sowing_tables::{Spot, Tables};

use crate::rank::Ranked;

/// Guesses the values of boards beyond the tables, so that the search tries good turns first.
///
/// The guess is a sum over the columns of the board: each own house together with the house
/// opposite has a weight for every pair of seed counts. That tells of seeds that can be captured,
/// of houses that sow into the store exactly, of seeds near the store. The weights are those that
/// fit a sample of the tables best, in the sense of least squares.
#[derive(Debug)]
pub(crate) struct Estimator {
    houses: usize,
    layer: u32,
    boards: u64,
    /// A row for each column.
    weights: Vec<[i32; ROW]>,
}

/// Higher counts of seeds are taken for this one: the sample has too few of them.
const MOST: usize = 9;
const PAIRS: usize = (MOST + 1) * (MOST + 1);

/// As many weights as the number of a pair can tell apart.
const ROW: usize = PAIRS.next_power_of_two();

/// Parts of a seed in which an estimate is given.
const UNIT: f64 = 32.0;

/// How many boards are drawn at a time: their values are fetched together.
const BATCH: u64 = 1 << 6;

/// The part of the squares of the errors at which weights are good enough.
const NEARLY: f64 = 1e-7;

/// Keeps the weight of a pair that is never sampled at zero, and of a rare one near it.
const RIDGE: f64 = 4.0;

impl Estimator {
    /// The highest layer to learn from: a sampled board, its seeds and the bars between its houses,
    /// is drawn in 128 bits.
    pub(crate) const MOST_SEEDS: u32 = 100;

    /// How many boards are to be learnt from after so many nodes: at first few, so that little is lost
    /// if the search is soon over; more than a quarter of a million are no gain.
    pub(crate) fn enough(nodes: u64) -> u64 {
        (4 * nodes).clamp(1 << 14, 1 << 18)
    }

    /// Learns from so many boards of the upper half of some tables' layers; the same thing every time,
    /// with any number of threads. `None` if somebody wanted it to end.
    pub(crate) fn learn(
        houses: usize,
        tables: &Tables,
        boards: u64,
        threads: usize,
        halted: &(dyn Fn() -> bool + Sync),
    ) -> Option<Estimator> {
        let layer = tables.max_layer().min(Estimator::MOST_SEEDS);
        let next = AtomicU64::new(0);
        let sample = || -> Option<Sample> {
            let mut sample = Sample::new(houses);
            loop {
                let batch = next.fetch_add(1, Relaxed);
                if batch * BATCH >= boards {
                    return Some(sample);
                }
                if halted() {
                    return None;
                }
                sample.draw(tables, layer as usize, batch);
            }
        };
        let sample = if threads <= 1 {
            sample()?
        } else {
            thread::scope(|scope| {
                let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(sample)).collect();
                let own = sample();
                helpers.into_iter().fold(own, |own, helper| {
                    let other = helper.join().unwrap_or_else(|panic| resume_unwind(panic));
                    Some(own?.and(&other?))
                })
            })?
        };
        let weights = solve(&sample.matrix(), &sample.right(), halted)?;
        let row = |weights: &[f64]| {
            let mut row = [0; ROW];
            row.iter_mut().zip(weights).for_each(|(to, from)| *to = (from * UNIT).round() as i32);
            row
        };
        let weights = weights.chunks_exact(PAIRS).map(row).collect();
        Some(Estimator { houses, layer, boards, weights })
    }

    /// The layer of the tables it was learnt from.
    pub(crate) fn layer(&self) -> u32 {
        self.layer
    }

    /// How many boards it was learnt from.
    pub(crate) fn boards(&self) -> u64 {
        self.boards
    }

    /// The bytes that a thread takes to learn.
    pub(crate) fn bytes(houses: usize) -> u64 {
        let size = (houses * PAIRS) as u64;
        size * size * (size_of::<u32>() + size_of::<f64>()) as u64
    }

    /// What the mover may get out of the houses, in 32nds of a seed.
    #[inline]
    pub(crate) fn of<B: Ranked>(&self, board: &B) -> i64 {
        let columns = board.columns(self.houses, MOST as u64);
        self.weights.iter().zip(columns).map(|(row, pair)| row[pair % ROW]).sum::<i32>().into()
    }

    /// What a column adds to that: so many seeds in an own house, and in the one opposite.
    pub(crate) fn of_column(&self, slot: usize, own: usize, opposite: usize) -> i32 {
        self.weights[slot][own.min(MOST) * (MOST + 1) + opposite.min(MOST)]
    }

    /// The same in seeds.
    pub(crate) fn seeds<B: Ranked>(&self, board: &B) -> f64 {
        self.of(board) as f64 / UNIT
    }
}

/// What was drawn from the tables: whole numbers, so that the order does not matter.
struct Sample {
    houses: usize,
    /// How often two pairs were on a board together, the one of the lower slot first.
    together: Vec<u32>,
    /// The values of the boards that a pair was on, added up.
    values: Vec<i64>,
    drawn: Vec<(Small, Option<Spot>)>,
}

impl Sample {
    fn new(houses: usize) -> Sample {
        let size = houses * PAIRS;
        let (together, values) = (vec![0; size * size], vec![0; size]);
        Sample { houses, together, values, drawn: Vec::with_capacity(BATCH as usize) }
    }

    /// Draws a batch of boards. Finished ones are in no table.
    fn draw(&mut self, tables: &Tables, layer: usize, batch: u64) {
        let (houses, size) = (self.houses, self.values.len());
        let mut random = Stream::new(0, batch);
        let lower = (layer as u64 / 2).max(1);
        self.drawn.clear();
        for index in 0..BATCH {
            let seeds = layer - ((batch * BATCH + index) % lower) as usize;
            let board = any_board(houses, seeds, &mut random);
            let spot = tables.spot(board);
            if let Some(spot) = spot {
                tables.prefetch(spot);
            }
            self.drawn.push((board, spot));
        }
        for (board, spot) in &self.drawn {
            let Some(value) = spot.and_then(|spot| tables.read(spot)) else { continue };
            let mut pairs = pairs(board, houses);
            while let Some(row) = pairs.next() {
                self.values[row] += i64::from(value);
                self.together[row * size + row] += 1;
                for other in pairs.clone() {
                    self.together[row * size + other] += 1;
                }
            }
        }
    }

    /// Both samples.
    fn and(mut self, other: &Sample) -> Sample {
        self.together.iter_mut().zip(&other.together).for_each(|(own, other)| *own += other);
        self.values.iter_mut().zip(&other.values).for_each(|(own, other)| *own += other);
        self
    }

    fn matrix(&self) -> Vec<f64> {
        let size = self.values.len();
        let mut matrix = vec![0.0; size * size];
        for row in 0..size {
            matrix[row * size + row] = RIDGE + f64::from(self.together[row * size + row]);
            for column in row + 1..size {
                let count = f64::from(self.together[row * size + column]);
                matrix[row * size + column] = count;
                matrix[column * size + row] = count;
            }
        }
        matrix
    }

    fn right(&self) -> Vec<f64> {
        self.values.iter().map(|value| *value as f64).collect()
    }
}

/// The numbers of the pairs of seed counts in each own house and the house opposite.
#[inline]
fn pairs<B: Ranked>(board: &B, houses: usize) -> impl Iterator<Item = usize> + Clone {
    let columns = board.columns(houses, MOST as u64);
    columns.enumerate().map(|(slot, pair)| slot * PAIRS + pair)
}

/// Solves a symmetric positive definite system of equations by conjugate gradients, well enough for
/// weights that are rounded.
fn solve(matrix: &[f64], right: &[f64], halted: &dyn Fn() -> bool) -> Option<Vec<f64>> {
    /// In eight sums, which a processor adds to side by side.
    fn dot(a: &[f64], b: &[f64]) -> f64 {
        let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
        let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
        let mut sums = [0.0; 8];
        for (a, b) in a.zip(b) {
            sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
        }
        rest + sums.iter().sum::<f64>()
    }
    let mut answer = vec![0.0; right.len()];
    let mut rest = right.to_vec();
    let mut way = right.to_vec();
    let mut error = dot(&rest, &rest);
    // What is left then is less than what rounding leaves out.
    let enough = NEARLY * error;
    for _ in 0..200 {
        if error <= enough {
            break;
        }
        if halted() {
            return None;
        }
        let image: Vec<f64> = matrix.chunks_exact(right.len()).map(|row| dot(row, &way)).collect();
        let step = error / dot(&way, &image);
        answer.iter_mut().zip(&way).for_each(|(answer, way)| *answer += step * way);
        rest.iter_mut().zip(&image).for_each(|(rest, image)| *rest -= step * image);
        let before = std::mem::replace(&mut error, dot(&rest, &rest));
        way.iter_mut().zip(&rest).for_each(|(way, rest)| *way = rest + error / before * *way);
    }
    Some(answer)
}

/// A board with so many seeds, any one as likely as any other.
fn any_board(houses: usize, seeds: usize, random: &mut Stream) -> Small {
    // Seeds in a line, with bars between the houses.
    let places = seeds + 2 * houses - 1;
    let (mut bars, mut left) = (0u128, seeds as u32);
    while bars.count_ones() < 2 * houses as u32 - 1 {
        bars |= 1 << random.below(places as u64);
    }
    // What lies before each bar, and behind the last, is in a house.
    let mut house = || {
        let seeds = bars.trailing_zeros().min(left);
        (bars, left) = (bars.checked_shr(seeds + 1).unwrap_or(0), left - seeds);
        u64::from(seeds)
    };
    let mut row = || (0..houses).fold(0, |row, slot| row | house() << (8 * slot));
    Small::from_rows(row(), row())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_leaves_less_than_half_of_the_variance() {
        let game = "kalah(4,3)".parse().expect("a game");
        let tables = sowing_tables::build_in_memory(&game, 14, &Default::default()).expect("small");
        let estimate =
            Estimator::learn(4, &tables, 1 << 18, 1, &|| false).expect("nobody halts it");
        let others = Estimator::learn(4, &tables, 1 << 18, 3, &|| false).expect("nobody halts it");
        assert_eq!(others.weights, estimate.weights);
        let mut random = Stream::new(1, 0);
        let (mut variance, mut error) = (0.0, 0.0);
        for _ in 0..1000 {
            let board = any_board(4, 14, &mut random);
            let Some(value) = tables.probe(board) else { continue };
            variance += f64::from(value).powi(2);
            error += (estimate.of(&board) as f64 / UNIT - f64::from(value)).powi(2);
        }
        assert!(error < variance / 2.0, "{error} of {variance}");
    }

    #[test]
    fn tables_of_many_seeds_are_learnt_from_as_far_as_boards_can_be_drawn() {
        let game = "kalah(2,3)".parse().expect("a game");
        let tables =
            sowing_tables::build_in_memory(&game, 127, &Default::default()).expect("small");
        let estimate =
            Estimator::learn(2, &tables, 1 << 14, 2, &|| false).expect("nobody halts it");
        assert_eq!(estimate.layer(), Estimator::MOST_SEEDS);
        assert!(Estimator::learn(2, &tables, 1 << 14, 2, &|| true).is_none());
    }
}

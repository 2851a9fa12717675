//! Elo ratings by maximum likelihood.

/// The results of one player against another.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Results {
    /// Games played.
    pub games: u64,
    /// Points of the first player: 1 per win, 1/2 per draw.
    pub points: f64,
}

/// A player's rating: a difference of 400 is an expected score of 10/11.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The difference to the mean of all players.
    pub elo: f64,
    /// Half the width of the 95 % interval.
    pub error: f64,
}

/// The prior: drawn games added to every pair that met, so that a player who won every game has a finite rating.
const PRIOR_GAMES: f64 = 1.0;

/// Elo points per unit of log odds.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The maximum-likelihood rating of each player with its 95 % interval. `results(i, j)` with `i < j` are those of
/// player `i` against player `j`. Every pair that met is given one more drawn game. Intervals are those of the normal approximation; a draw
/// counts as half a win and half a loss, which makes them somewhat too wide. Ratings of players that no chain of
/// games connects cannot be compared.
///
/// ```
/// use sowing_players::{Results, ratings};
///
/// let found = ratings(2, |_, _| Results { games: 100, points: 75.0 });
/// assert!((found[0].elo - found[1].elo - 188.0).abs() < 3.0);
/// ```
pub fn ratings(players: usize, results: impl Fn(usize, usize) -> Results) -> Vec<Rating> {
    let mut pairs = Vec::new();
    for first in 0..players {
        for second in first + 1..players {
            let Results { games, points } = results(first, second);
            if games > 0 {
                let games = games as f64;
                pairs.push((first, second, games + PRIOR_GAMES, points + PRIOR_GAMES / 2.0));
            }
        }
    }
    let mut strengths = vec![0.0; players];
    // The matrix is singular along the all-ones vector; adding a constant fixes the sum of the ratings.
    let ones = 1.0 / players.max(1) as f64;
    let mut inverse = Vec::new();
    for _ in 0..100 {
        let mut slope = vec![0.0; players];
        let mut curve = vec![vec![ones; players]; players];
        for (first, second, games, points) in &pairs {
            let (first, second) = (*first, *second);
            let expected = 1.0 / (1.0 + f64::exp(strengths[second] - strengths[first]));
            let surplus = points - games * expected;
            let weight = games * expected * (1.0 - expected);
            slope[first] += surplus;
            slope[second] -= surplus;
            for (a, b, sign) in [
                (first, first, 1.0),
                (second, second, 1.0),
                (first, second, -1.0),
                (second, first, -1.0),
            ] {
                curve[a][b] += sign * weight;
            }
        }
        inverse = inverted(curve);
        let mut largest: f64 = 0.0;
        for player in 0..players {
            let step: f64 = inverse[player].iter().zip(&slope).map(|(a, b)| a * b).sum();
            // Newton's step, clamped against overshooting.
            let step = step.clamp(-1.0, 1.0);
            strengths[player] += step;
            largest = largest.max(step.abs());
        }
        if largest < 1e-9 {
            break;
        }
    }
    let mean = strengths.iter().sum::<f64>() * ones;
    let rating = |player: usize| {
        let variance = (inverse[player][player] - ones).max(0.0);
        Rating { elo: SCALE * (strengths[player] - mean), error: 1.96 * SCALE * variance.sqrt() }
    };
    (0..players).map(rating).collect()
}

/// The inverse of a symmetric matrix by Gauss-Jordan elimination; zeros if it is singular.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut inverse: Vec<Vec<f64>> = (0..size)
        .map(|row| (0..size).map(|column| f64::from(u8::from(row == column))).collect())
        .collect();
    for column in 0..size {
        let larger =
            |a: &usize, b: &usize| matrix[*a][column].abs().total_cmp(&matrix[*b][column].abs());
        let pivot = (column..size).max_by(larger).expect("there are rows left");
        if matrix[pivot][column].abs() < 1e-12 {
            return vec![vec![0.0; size]; size];
        }
        matrix.swap(pivot, column);
        inverse.swap(pivot, column);
        let scale = matrix[column][column];
        for value in matrix[column].iter_mut().chain(&mut inverse[column]) {
            *value /= scale;
        }
        for row in 0..size {
            let factor = matrix[row][column];
            if row != column && factor != 0.0 {
                for at in 0..size {
                    matrix[row][at] -= factor * matrix[column][at];
                    inverse[row][at] -= factor * inverse[column][at];
                }
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected scores give back the ratings that they follow from.
    #[test]
    fn ratings_are_recovered() {
        let truth: [f64; 5] = [-300.0, -120.0, 0.0, 90.0, 330.0];
        let found = ratings(5, |a, b| {
            let expected = 1.0 / (1.0 + 10f64.powf((truth[b] - truth[a]) / 400.0));
            Results { games: 1_000_000, points: 1_000_000.0 * expected }
        });
        for (found, truth) in found.iter().zip(truth) {
            assert!((found.elo - truth).abs() < 0.1, "{found:?} {truth}");
            assert!(found.error > 0.1 && found.error < 1.0, "{found:?}");
        }
    }

    /// The interval of two players is that of one score, with the draw that is added.
    #[test]
    fn intervals_are_those_of_a_score() {
        let found = ratings(2, |_, _| Results { games: 399, points: 199.5 });
        // The score's error is 1.96 * 0.5 / 20; the difference has slope 400 / ln 10 * 4, of which each has half.
        let difference = 1.96 * 0.5 / 20.0 * 4.0 * SCALE;
        assert!(found[0].elo.abs() < 1e-6);
        assert!((found[0].error - difference / 2.0).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_perfect_score_has_a_finite_rating() {
        let found =
            ratings(3, |a, _| Results { games: 100, points: if a == 0 { 100.0 } else { 50.0 } });
        assert!(found[0].elo > 500.0 && found[0].elo < 2000.0, "{found:?}");
        assert!(found.iter().all(|rating| rating.error.is_finite()), "{found:?}");
        assert_eq!(ratings(0, |_, _| Results::default()), []);
        let alone = ratings(2, |_, _| Results::default());
        assert!(alone.iter().all(|rating| rating.elo == 0.0), "{alone:?}");
    }
}

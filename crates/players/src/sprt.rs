//! The sequential probability ratio test (SPRT) of two players.

use std::fmt;
use std::str::FromStr;

use sowing_rules::quoted;

/// The sequential probability ratio test of two hypotheses about an Elo difference. The probability of either error is
/// 5 %, as far as the normal approximation holds.
///
/// The text form is `0,20`: H0 is a difference of 0 Elo points, H1 one of 20.
///
/// An observation is a pair of games from one opening with sides changed, since the two games are not independent.
/// The likelihood ratio is that of the normal approximation with the sample variance.
///
/// ```
/// use sowing_players::{Sprt, SprtResult};
///
/// let mut test: Sprt = "0,50".parse()?;
/// let mut games = 0;
/// while test.result() == SprtResult::Open {
///     test.add(if games % 10 < 8 { 1.5 } else { 0.5 });
///     games += 2;
/// }
/// assert_eq!(test.result(), SprtResult::Stronger);
/// # Ok::<(), sowing_players::ParseSprtError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    low: f64,
    high: f64,
    pairs: f64,
    sum: f64,
    squares: f64,
    result: SprtResult,
}

/// The result of a test. The text form is `undecided`, `stronger` or `not stronger`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SprtResult {
    /// No hypothesis is accepted yet.
    Open,
    /// H1 is accepted: the larger difference.
    Stronger,
    /// H0 is accepted: the smaller difference.
    NotStronger,
}

impl fmt::Display for SprtResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SprtResult::Open => "undecided",
            SprtResult::Stronger => "stronger",
            SprtResult::NotStronger => "not stronger",
        })
    }
}

/// The probability of either error, alpha and beta.
const ERROR_RATE: f64 = 0.05;

/// The fewest pairs before a result, for the sample variance.
const MIN_PAIRS: f64 = 8.0;

/// The largest Elo difference of a hypothesis.
const MAX_ELO: f64 = 1000.0;

/// Why a text is not a test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a test is two differences in Elo points from -1000 to 1000, the smaller first, as in 0,20, not {what}", what = quoted(.0))]
pub struct ParseSprtError(String);

impl FromStr for Sprt {
    type Err = ParseSprtError;

    fn from_str(text: &str) -> Result<Sprt, ParseSprtError> {
        let text = text.trim();
        let error = || ParseSprtError(text.to_string());
        let (low, high) = text.split_once(',').ok_or_else(error)?;
        let number = |text: &str| text.trim().parse().ok().filter(|x: &f64| x.abs() <= MAX_ELO);
        match (number(low), number(high)) {
            (Some(low), Some(high)) if low < high => {
                let (pairs, sum, squares) = (0.0, 0.0, 0.0);
                Ok(Sprt { low, high, pairs, sum, squares, result: SprtResult::Open })
            }
            _ => Err(error()),
        }
    }
}

impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.low, self.high)
    }
}

/// The expected score at an Elo difference.
fn score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

impl Sprt {
    /// Adds the points of the first player in a pair of games: 0, 1/2, 1, 3/2 or 2. A result is final.
    pub fn add(&mut self, points: f64) {
        if self.result != SprtResult::Open {
            return;
        }
        let share = points / 2.0;
        self.pairs += 1.0;
        self.sum += share;
        self.squares += share * share;
        if self.pairs >= MIN_PAIRS {
            let bound = ((1.0 - ERROR_RATE) / ERROR_RATE).ln();
            self.result = match self.log_likelihood_ratio() {
                ratio if ratio >= bound => SprtResult::Stronger,
                ratio if ratio <= -bound => SprtResult::NotStronger,
                _ => SprtResult::Open,
            };
        }
    }

    /// The log-likelihood ratio (LLR); positive values favour H1.
    pub fn log_likelihood_ratio(&self) -> f64 {
        if self.pairs == 0.0 {
            return 0.0;
        }
        let mean = self.sum / self.pairs;
        // A prior of one pair of each extreme keeps the variance above 0.
        let (pairs, sum, squares) = (self.pairs + 2.0, self.sum + 1.0, self.squares + 1.0);
        let variance = squares / pairs - (sum / pairs) * (sum / pairs);
        let (low, high) = (score(self.low), score(self.high));
        self.pairs * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }

    /// The result so far.
    pub fn result(&self) -> SprtResult {
        self.result
    }
}

#[cfg(test)]
mod tests {
    use sowing_rules::SeededRng;

    use super::*;

    /// The result for a player of this strength, and the number of pairs it took.
    fn result(elo: f64, seed: u64) -> (SprtResult, u32) {
        let mut test: Sprt = "0,50".parse().unwrap();
        let mut random = SeededRng::new(seed, 0);
        let wins = (score(elo) * 1e9) as u64;
        let mut pairs = 0;
        while test.result() == SprtResult::Open && pairs < 100_000 {
            let game =
                |random: &mut SeededRng| f64::from(u8::from(random.below(1_000_000_000) < wins));
            test.add(game(&mut random) + game(&mut random));
            pairs += 1;
        }
        (test.result(), pairs)
    }

    #[test]
    fn errors_are_as_rare_as_stated() {
        for (elo, wrong) in [(0.0, SprtResult::Stronger), (50.0, SprtResult::NotStronger)] {
            let found: Vec<(SprtResult, u32)> = (0..400).map(|seed| result(elo, seed)).collect();
            let wrongs = found.iter().filter(|(result, _)| *result == wrong).count();
            // At an error rate of 5 %, more than 36 of 400 have probability 0.0003.
            assert!(wrongs <= 36, "{wrongs} of 400 at {elo}");
            assert!(found.iter().all(|(result, _)| *result != SprtResult::Open));
        }
        // A large difference needs few pairs.
        assert!((0..50).all(|seed| matches!(result(200.0, seed), (SprtResult::Stronger, 0..=200))));
    }

    #[test]
    fn texts() {
        for right in ["0,20", "-5,5", "0.5,1.5"] {
            assert_eq!(right.parse::<Sprt>().unwrap().to_string(), right);
        }
        for bad in ["", "5", "5,0", "0,0", "0,nan", "0,inf", "0,1001", "a,b", "0,1,2"] {
            assert!(bad.parse::<Sprt>().is_err(), "{bad}");
        }
    }
}

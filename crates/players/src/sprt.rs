//! A sequential test: whether one player is stronger than another, decided as soon as can be.

use std::fmt;
use std::str::FromStr;

use sowing::quoted;

/// The sequential probability ratio test of two hypotheses about a difference of strength.
///
/// The text form is `0,20`: is the difference rather 20 Elo points or more than 0 or less? Wrong
/// answers of either kind come up at most once in twenty times.
///
/// Games come in pairs, one opening played twice with the sides changed, and a pair is one observation:
/// the two games of an opening are not independent. The likelihood ratio is that of the normal
/// approximation with the variance that was seen.
///
/// ```
/// use sowing_players::{Sprt, SprtVerdict};
///
/// let mut test: Sprt = "0,50".parse()?;
/// let mut games = 0;
/// while test.verdict() == SprtVerdict::Open {
///     test.add(if games % 10 < 8 { 1.5 } else { 0.5 });
///     games += 2;
/// }
/// assert_eq!(test.verdict(), SprtVerdict::Stronger);
/// # Ok::<(), sowing_players::ParseSprtError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    low: f64,
    high: f64,
    pairs: f64,
    sum: f64,
    squares: f64,
    verdict: Verdict,
}

/// What a test has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing yet.
    Open,
    /// The first is stronger by the larger difference, rather than by the smaller.
    Stronger,
    /// It is not.
    NotStronger,
}

/// How often either answer may be wrong.
const WRONG: f64 = 0.05;

/// Pairs before anything is decided: the variance must have been seen.
const LEAST: f64 = 8.0;

/// The largest difference that can be asked for.
const MOST: f64 = 1000.0;

/// Why a text is no test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a test is two differences in Elo points from -1000 to 1000, the smaller first, as in 0,20, not {what}", what = quoted(.0))]
pub struct ParseSprtError(String);

impl FromStr for Sprt {
    type Err = ParseSprtError;

    fn from_str(text: &str) -> Result<Sprt, ParseSprtError> {
        let error = || ParseSprtError(text.to_string());
        let (low, high) = text.split_once(',').ok_or_else(error)?;
        let number = |text: &str| text.trim().parse().ok().filter(|x: &f64| x.abs() <= MOST);
        match (number(low), number(high)) {
            (Some(low), Some(high)) if low < high => {
                let (pairs, sum, squares) = (0.0, 0.0, 0.0);
                Ok(Sprt { low, high, pairs, sum, squares, verdict: Verdict::Open })
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

/// The score that a difference leads to.
fn score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

impl Sprt {
    /// Takes the points of the first player in a pair of games on: 0, 1/2, 1, 3/2 or 2. What is decided
    /// stays so.
    pub fn add(&mut self, points: f64) {
        if self.verdict != Verdict::Open {
            return;
        }
        let share = points / 2.0;
        self.pairs += 1.0;
        self.sum += share;
        self.squares += share * share;
        if self.pairs >= LEAST {
            let bound = ((1.0 - WRONG) / WRONG).ln();
            self.verdict = match self.ratio() {
                ratio if ratio >= bound => Verdict::Stronger,
                ratio if ratio <= -bound => Verdict::NotStronger,
                _ => Verdict::Open,
            };
        }
    }

    /// The logarithm of the likelihood ratio: above 0 it speaks for the larger difference.
    pub fn ratio(&self) -> f64 {
        if self.pairs == 0.0 {
            return 0.0;
        }
        let mean = self.sum / self.pairs;
        // One pair of each extreme besides: nobody wins for certain.
        let (pairs, sum, squares) = (self.pairs + 2.0, self.sum + 1.0, self.squares + 1.0);
        let variance = squares / pairs - (sum / pairs) * (sum / pairs);
        let (low, high) = (score(self.low), score(self.high));
        self.pairs * (high - low) * (2.0 * mean - low - high) / (2.0 * variance)
    }

    /// What it has come to.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }
}

#[cfg(test)]
mod tests {
    use sowing::Stream;

    use super::*;

    /// The verdict on a player of this strength, and how many pairs it took.
    fn verdict(elo: f64, seed: u64) -> (Verdict, u32) {
        let mut test: Sprt = "0,50".parse().unwrap();
        let mut random = Stream::new(seed, 0);
        let wins = (score(elo) * 1e9) as u64;
        let mut pairs = 0;
        while test.verdict() == Verdict::Open && pairs < 100_000 {
            let game =
                |random: &mut Stream| f64::from(u8::from(random.below(1_000_000_000) < wins));
            test.add(game(&mut random) + game(&mut random));
            pairs += 1;
        }
        (test.verdict(), pairs)
    }

    #[test]
    fn wrong_answers_are_as_rare_as_they_should_be() {
        for (elo, wrong) in [(0.0, Verdict::Stronger), (50.0, Verdict::NotStronger)] {
            let found: Vec<(Verdict, u32)> = (0..400).map(|seed| verdict(elo, seed)).collect();
            let wrongs = found.iter().filter(|(verdict, _)| *verdict == wrong).count();
            assert!(wrongs <= 36, "{wrongs} of 400 at {elo}");
            assert!(found.iter().all(|(verdict, _)| *verdict != Verdict::Open));
        }
        // What is plain is soon decided.
        assert!((0..50).all(|seed| matches!(verdict(200.0, seed), (Verdict::Stronger, 0..=200))));
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

//! Polynomials in l = 2h + 1 whose values are losses of S-Kalaha.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use rayon::prelude::*;
use sowing_rules::{Game, MAX_SEEDS, Outcome, Rules, quoted};
use sowing_solver::SolveError;

use crate::Start;

/// The highest degree that a polynomial can have here.
pub const MAX_DEGREE: usize = 15;

/// A polynomial in l = 2h + 1, the number of pits that a player sows into, with coefficients -1,
/// 0 and 1.
///
/// The text form has the highest power first: `l^5-l^4+l^2-l`, `l-1`.
///
/// ```
/// use sowing_lab::Polynomial;
///
/// let polynomial: Polynomial = "l^3-l^2+l-1".parse()?;
/// assert_eq!(polynomial.seeds(2), Some(104));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Polynomial {
    /// The coefficient of each power, the lowest first.
    coefficients: [i8; MAX_DEGREE + 1],
}

/// Why a text is no polynomial.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is no polynomial in l with coefficients -1, 0 and 1, as in l^5-l^4+l^2-l", what = quoted(.0))]
pub struct ParsePolynomialError(String);

impl Polynomial {
    /// The polynomials of degree 1 up to one that give a loss of S-Kalaha for each of these houses
    /// a row, by degree and value, found on the threads of the current pool.
    ///
    /// Each polynomial is tried with few houses first: nearly all starts are wins, and fewer
    /// houses make smaller boards. Tells how many polynomials were just tried.
    ///
    /// # Panics
    /// Beyond [`MAX_DEGREE`].
    pub fn losses(
        degree: usize,
        houses: RangeInclusive<u8>,
        observe: impl Fn(u64) + Sync,
    ) -> Result<Vec<Polynomial>, SolveError> {
        let mut losses = Vec::new();
        for degree in 1..=degree {
            let found: Result<Vec<Polynomial>, SolveError> = (0..3u32.pow(degree as u32))
                .into_par_iter()
                .map(|number| Polynomial::numbered(degree, number))
                .filter_map(|polynomial| {
                    let lost = polynomial.is_lost(houses.clone());
                    observe(1);
                    lost.map(|lost| lost.then_some(polynomial)).transpose()
                })
                .collect();
            losses.extend(found?);
        }
        Ok(losses)
    }

    /// What the start with so many houses is worth, if there is a game of as many seeds.
    pub fn start(&self, houses: u8) -> Result<Option<Start>, SolveError> {
        let game = self.seeds(houses).and_then(|seeds| Game::new(Rules::S_KALAHA, houses, seeds));
        game.map(Start::of).transpose()
    }

    /// Whether the start is there and a loss for each of these houses a row.
    fn is_lost(&self, mut houses: RangeInclusive<u8>) -> Result<bool, SolveError> {
        let saved = houses.find_map(|houses| match self.start(houses) {
            Ok(Some(start)) if start.outcome == Outcome::Loss => None,
            Ok(_) => Some(Ok(())),
            Err(error) => Some(Err(error)),
        });
        Ok(saved.transpose()?.is_none())
    }

    /// The polynomials of a degree with a leading coefficient of 1, numbered from 0 in the order of
    /// their values.
    fn numbered(degree: usize, mut number: u32) -> Polynomial {
        let mut coefficients = [0; MAX_DEGREE + 1];
        for coefficient in &mut coefficients[..degree] {
            *coefficient = (number % 3) as i8 - 1;
            number /= 3;
        }
        coefficients[degree] = 1;
        Polynomial { coefficients }
    }

    /// The polynomial of a degree with the largest values: all coefficients are 1.
    ///
    /// # Panics
    /// Beyond [`MAX_DEGREE`].
    pub fn largest(degree: usize) -> Polynomial {
        let mut coefficients = [0; MAX_DEGREE + 1];
        coefficients[..=degree].fill(1);
        Polynomial { coefficients }
    }

    /// The highest power.
    pub fn degree(&self) -> usize {
        self.coefficients.iter().rposition(|coefficient| *coefficient != 0).unwrap_or(0)
    }

    /// The value for so many houses a row, if it is a number of seeds that a house can have.
    pub fn seeds(&self, houses: u8) -> Option<u64> {
        let l = 2 * i128::from(houses) + 1;
        let coefficients = self.coefficients[..=self.degree()].iter().rev();
        let value = coefficients.fold(0, |value, coefficient| value * l + i128::from(*coefficient));
        u64::try_from(value).ok().filter(|seeds| (1..=MAX_SEEDS).contains(seeds))
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (power, coefficient) in self.coefficients.iter().enumerate().rev() {
            match coefficient {
                0 => continue,
                1 if first => {}
                1 => f.write_str("+")?,
                _ => f.write_str("-")?,
            }
            match power {
                0 => f.write_str("1")?,
                1 => f.write_str("l")?,
                _ => write!(f, "l^{power}")?,
            }
            first = false;
        }
        if first { f.write_str("0") } else { Ok(()) }
    }
}

impl FromStr for Polynomial {
    type Err = ParsePolynomialError;

    fn from_str(text: &str) -> Result<Polynomial, ParsePolynomialError> {
        let error = || ParsePolynomialError(text.to_string());
        let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let mut coefficients = [0; MAX_DEGREE + 1];
        // A minus starts a term as a plus does, and stays with it.
        let terms = compact.replace('-', "+-");
        for term in terms.strip_prefix('+').unwrap_or(&terms).split('+') {
            let (sign, term) = term.strip_prefix('-').map_or((1, term), |term| (-1, term));
            let power = match term {
                "1" => 0,
                "l" => 1,
                _ => term
                    .strip_prefix("l^")
                    .and_then(|power| power.parse().ok())
                    .ok_or_else(error)?,
            };
            let coefficient: &mut i8 = coefficients.get_mut(power).ok_or_else(error)?;
            if *coefficient != 0 {
                return Err(error());
            }
            *coefficient = sign;
        }
        Ok(Polynomial { coefficients })
    }
}

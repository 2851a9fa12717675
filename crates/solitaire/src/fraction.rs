//! Exact rational numbers.

use std::fmt;
use std::ops::{Add, Mul};

/// A rational number in lowest terms, its denominator positive: `1/6`, or `2` where it is whole.
///
/// The arithmetic is exact and panics where a numerator or denominator outgrows an `i128`. The
/// entries of this crate's matrices times vectors of up to a million entries of 64 bits do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    /// Nothing.
    pub const ZERO: Fraction = Fraction { numerator: 0, denominator: 1 };

    /// The quotient of two whole numbers.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn new(numerator: i128, denominator: i128) -> Fraction {
        assert!(denominator != 0, "a fraction needs a denominator");
        if numerator % denominator == 0 {
            return Fraction::from(numerator / denominator);
        }
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
        let sign = denominator.signum();
        Fraction {
            numerator: sign * numerator / divisor,
            denominator: sign * denominator / divisor,
        }
    }

    /// The numerator, which carries the sign.
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// The denominator, at least 1.
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    /// The whole number that this is, if it is one.
    pub fn whole(self) -> Option<i128> {
        (self.denominator == 1).then_some(self.numerator)
    }
}

impl From<i128> for Fraction {
    fn from(whole: i128) -> Fraction {
        Fraction { numerator: whole, denominator: 1 }
    }
}

impl Add for Fraction {
    type Output = Fraction;

    fn add(self, other: Fraction) -> Fraction {
        let divisor = gcd(self.denominator as u128, other.denominator as u128) as i128;
        let scale = other.denominator / divisor;
        Fraction::new(
            self.numerator * scale + other.numerator * (self.denominator / divisor),
            self.denominator * scale,
        )
    }
}

impl Mul for Fraction {
    type Output = Fraction;

    fn mul(self, other: Fraction) -> Fraction {
        let left = Fraction::new(self.numerator, other.denominator);
        let right = Fraction::new(other.numerator, self.denominator);
        Fraction {
            numerator: left.numerator * right.numerator,
            denominator: left.denominator * right.denominator,
        }
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.denominator == 1 {
            f.pad(&self.numerator.to_string())
        } else {
            f.pad(&format!("{}/{}", self.numerator, self.denominator))
        }
    }
}

/// The decimal digits of a quotient, cut off (not rounded) after so many places.
///
/// ```
/// assert_eq!(sowing_solitaire::decimal(10_000, 3_186, 6), "3.138731");
/// ```
///
/// # Panics
/// If the denominator is 0 or more than a tenth of what a `u128` holds.
pub fn decimal(numerator: u128, denominator: u128, places: usize) -> String {
    let mut digits = (numerator / denominator).to_string();
    let mut rest = numerator % denominator;
    if places > 0 {
        digits.push('.');
    }
    for _ in 0..places {
        rest *= 10;
        digits.push(char::from(b'0' + (rest / denominator) as u8));
        rest %= denominator;
    }
    digits
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

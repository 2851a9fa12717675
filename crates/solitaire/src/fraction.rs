//! Exact rational numbers.

use std::fmt;
use std::ops::{Add, Mul};

/// A rational number in lowest terms, its denominator positive: `1/6`, or `2` where it is whole.
///
/// The arithmetic is exact and panics, in every build, where a numerator or denominator outgrows an
/// `i128`. The entries of this crate's matrices times vectors of up to a million entries of 64 bits
/// do not.
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
    /// If the denominator is 0, or a part of the quotient outgrows an `i128`.
    pub fn new(numerator: i128, denominator: i128) -> Fraction {
        assert!(denominator != 0, "a fraction needs a denominator");
        let divisor = gcd(numerator.unsigned_abs(), denominator.unsigned_abs());
        let negative = (numerator < 0) != (denominator < 0);
        Fraction {
            numerator: signed(numerator.unsigned_abs() / divisor, negative),
            denominator: signed(denominator.unsigned_abs() / divisor, false),
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
        // Denominators are positive, and so is what divides them.
        let divisor = gcd(self.denominator as u128, other.denominator as u128) as i128;
        let scale = other.denominator / divisor;
        let left = times(self.numerator, scale);
        let right = times(other.numerator, self.denominator / divisor);
        Fraction::new(plus(left, right), times(self.denominator, scale))
    }
}

impl Mul for Fraction {
    type Output = Fraction;

    fn mul(self, other: Fraction) -> Fraction {
        let left = Fraction::new(self.numerator, other.denominator);
        let right = Fraction::new(other.numerator, self.denominator);
        Fraction {
            numerator: times(left.numerator, right.numerator),
            denominator: times(left.denominator, right.denominator),
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
        rest = rest.checked_mul(10).expect(OUTGROWN);
        digits.push(char::from(b'0' + (rest / denominator) as u8));
        rest %= denominator;
    }
    digits
}

const OUTGROWN: &str = "a number outgrows 128 bits";

/// The sum of two numbers; panics, in every build, if there is none.
pub(crate) fn plus(a: i128, b: i128) -> i128 {
    a.checked_add(b).expect(OUTGROWN)
}

/// The difference of two numbers; panics, in every build, if there is none.
pub(crate) fn minus(a: i128, b: i128) -> i128 {
    a.checked_sub(b).expect(OUTGROWN)
}

/// The product of two numbers; panics, in every build, if there is none.
pub(crate) fn times(a: i128, b: i128) -> i128 {
    a.checked_mul(b).expect(OUTGROWN)
}

fn signed(magnitude: u128, negative: bool) -> i128 {
    let signed = if negative {
        0i128.checked_sub_unsigned(magnitude)
    } else {
        i128::try_from(magnitude).ok()
    };
    signed.expect(OUTGROWN)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;
    use crate::matrix::{inverse_product, unplay_product};

    /// Whether it ends with this module's own words: those of a debug build's checks are others.
    fn outgrows<T>(compute: impl FnOnce() -> T + std::panic::UnwindSafe) -> bool {
        match catch_unwind(compute) {
            Ok(_) => false,
            Err(words) => words.downcast_ref::<String>().map_or_else(
                || words.downcast_ref::<&str>().is_some_and(|words| words.contains(OUTGROWN)),
                |words| words.contains(OUTGROWN),
            ),
        }
    }

    #[test]
    fn what_outgrows_128_bits_panics_in_every_build() {
        let (large, third) = (Fraction::from(i128::MAX), Fraction::new(1, 3));
        assert!(outgrows(move || large + Fraction::from(1)));
        assert!(outgrows(move || large + third));
        assert!(outgrows(move || large * Fraction::from(2)));
        assert!(outgrows(|| Fraction::new(1, 1 << 80) * Fraction::new(1, 1 << 80)));
        assert!(outgrows(|| Fraction::new(1, i128::MIN)));
        assert!(outgrows(|| Fraction::new(i128::MIN, -1)));
        assert!(outgrows(|| decimal(u128::MAX - 1, u128::MAX, 3)));
        assert!(outgrows(|| unplay_product(&[1, i128::MIN])));
        assert!(outgrows(|| inverse_product(&[i128::MAX])));
        assert!(outgrows(|| {
            let wrap = crate::Matrix::new(crate::MatrixKind::Wrap, 2).unwrap();
            wrap.product(&[i128::MAX, 1])
        }));
    }

    #[test]
    fn the_ends_of_the_range_are_exact() {
        let text = |numerator, denominator| Fraction::new(numerator, denominator).to_string();
        assert_eq!(text(i128::MIN, 1), i128::MIN.to_string());
        assert_eq!(text(i128::MIN, i128::MIN), "1");
        assert_eq!(text(0, i128::MIN), "0");
        assert_eq!(text(i128::MAX, -1), (-i128::MAX).to_string());
        assert_eq!(text(2, i128::MIN), format!("-1/{}", 1u128 << 126));
        assert_eq!(text(i128::MIN, -6), format!("{}/3", 1u128 << 126));
        assert_eq!((Fraction::from(i128::MAX) + Fraction::from(-1)).whole(), Some(i128::MAX - 1));
    }
}

//! A check sum of vectors too long to print.

/// The digest of a vector `v1, v2, ...`: the sum of `v_i x^i` modulo 2^61 - 1, where `x` is
/// 1,000,000,007. Anyone can compute it again from the entries; two vectors of which one is wrong
/// in a few places do not share it but by a chance of about one in 10^18.
///
/// ```
/// use sowing_solitaire::Digest;
///
/// let mut one_by_one = Digest::new();
/// [5, 7, 9].into_iter().for_each(|entry| one_by_one.push(entry));
/// let mut at_once = Digest::new();
/// at_once.progression(5, 2, 3);
/// assert_eq!(one_by_one.value(), at_once.value());
/// ```
#[derive(Clone, Debug)]
pub struct Digest {
    sum: u64,
    power: u64,
}

impl Digest {
    /// The modulus, a prime.
    pub const MODULUS: u64 = (1 << 61) - 1;
    /// The number whose powers weigh the entries.
    pub const BASE: u64 = 1_000_000_007;

    /// The digest of no entries.
    pub fn new() -> Digest {
        Digest { sum: 0, power: Digest::BASE }
    }

    /// Adds the next entry.
    pub fn push(&mut self, entry: u64) {
        self.sum = add(self.sum, mul(entry % Digest::MODULUS, self.power));
        self.power = mul(self.power, Digest::BASE);
    }

    /// Adds so many entries that start from `first` and rise by `rise`, in about log(count) steps.
    pub fn progression(&mut self, first: u64, rise: u64, count: u64) {
        if count <= 2 {
            for k in 0..count {
                self.push(first + k * rise);
            }
            return;
        }
        // With S = 1 + x + ... + x^(n-1) and T = 0 + x + 2 x^2 + ... + (n-1) x^(n-1):
        // (x - 1) S = x^n - 1 and (x - 1) T = (n - 1) x^n - (S - 1).
        let inverse = inverse_of_base_less_one();
        let full = pow(Digest::BASE, count);
        let s = mul(sub(full, 1), inverse);
        let last = mul((count - 1) % Digest::MODULUS, full);
        let t = mul(sub(last, sub(s, 1)), inverse);
        let weighted = add(mul(first % Digest::MODULUS, s), mul(rise % Digest::MODULUS, t));
        self.sum = add(self.sum, mul(weighted, self.power));
        self.power = mul(self.power, full);
    }

    /// The digest of the entries so far.
    pub fn value(&self) -> u64 {
        self.sum
    }
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= Digest::MODULUS { sum - Digest::MODULUS } else { sum }
}

fn sub(a: u64, b: u64) -> u64 {
    add(a, Digest::MODULUS - b)
}

fn mul(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let folded = (product as u64 & Digest::MODULUS) + (product >> 61) as u64;
    if folded >= Digest::MODULUS { folded - Digest::MODULUS } else { folded }
}

fn pow(mut base: u64, mut exponent: u64) -> u64 {
    let mut result = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, base);
        }
        base = mul(base, base);
        exponent >>= 1;
    }
    result
}

fn inverse_of_base_less_one() -> u64 {
    use std::sync::OnceLock;
    static INVERSE: OnceLock<u64> = OnceLock::new();
    *INVERSE.get_or_init(|| pow(Digest::BASE - 1, Digest::MODULUS - 2))
}

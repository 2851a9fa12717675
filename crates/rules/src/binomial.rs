//! Binomial coefficients.

/// "n choose k"; `None` if a product on the way exceeds 128 bits.
///
/// ```
/// assert_eq!(sowing_rules::binomial(59, 11), Some(279_871_768_995));
/// assert_eq!(sowing_rules::binomial(3, 4), Some(0));
/// assert_eq!(sowing_rules::binomial(300, 298), Some(44_850));
/// assert_eq!(sowing_rules::binomial(1 << 40, 40), None);
/// ```
pub fn binomial(n: u64, k: u64) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    // The products then grow up to the result.
    (0..u128::from(k.min(n - k)))
        .try_fold(1_u128, |product, i| Some(product.checked_mul(u128::from(n) - i)? / (i + 1)))
}

//! Confidence intervals.

use serde::Serialize;

/// A mean with its 95 % interval. An end that is not known is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Standard errors on either side of a 95 % interval.
pub const STANDARD_ERRORS: f64 = 1.96;

impl Interval {
    /// The proportion `mean`, from 0 to 1, of `tries` with Wilson's interval, which is never empty. If a try can
    /// count half, as a drawn game does, the interval is somewhat too wide.
    ///
    /// ```
    /// use sowing_players::Interval;
    ///
    /// let all = Interval::share(1.0, 10);
    /// assert!(all.high == 1.0 && (0.72..0.73).contains(&all.low));
    /// ```
    pub fn share(mean: f64, tries: u64) -> Interval {
        let (n, z) = (tries as f64, STANDARD_ERRORS);
        let (centre, scale) = (mean + z * z / (2.0 * n), 1.0 + z * z / n);
        let half = z * (mean * (1.0 - mean) / n + z * z / (4.0 * n * n)).sqrt();
        let low = ((centre - half) / scale).clamp(0.0, mean);
        let high = ((centre + half) / scale).clamp(mean, 1.0);
        Interval { mean, low, high }
    }
}

//! Amounts of memory and time as people write them, and long numbers as they read them.

use std::ops::RangeInclusive;
use std::time::Duration;

pub use sowing_draw::grouped;
use sowing_rules::sanitize::word;

/// More memory than any machine has.
const MAX_BYTES: u64 = 1 << 50;

/// More time than anybody waits: somewhat more than a year.
const MAX_TIME: Duration = Duration::from_secs(10_000 * 3600);

/// More threads than help anything here, and few enough for a system to start them.
const MAX_THREADS: u64 = 1024;

/// Reads a number of threads: `1` to `1024`.
pub fn threads(text: &str) -> Result<usize, String> {
    whole(1..=MAX_THREADS)(text)
}

/// A seed of random numbers that is another each time.
pub fn any_seed() -> u64 {
    let clock = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    clock.map_or(1, |since| since.as_nanos() as u64)
}

/// A margin as people write it: `+6`, `0`, `-2`.
pub fn signed(margin: i64) -> String {
    if margin == 0 { "0".to_string() } else { format!("{margin:+}") }
}

/// Reads whole numbers from a range: `1000000`, `1_000_000`, `10^6`.
pub fn whole<T: TryFrom<u64>>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = number(text).filter(|number| range.contains(number));
        number.and_then(|number| number.try_into().ok()).ok_or_else(|| {
            let (first, last) = (range.start(), range.end());
            let example = if range.contains(&1_000_000) { "10^6" } else { "2" };
            format!("it is a whole number from {first} to {last}, as in {example}")
        })
    }
}

/// A whole number: digits, with `_` between them where that reads better, or a power as in `10^12`.
fn number(text: &str) -> Option<u64> {
    let plain = |text: &str| {
        let between = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let right = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
            && text.split('_').all(between);
        right.then(|| text.replace('_', "").parse::<u64>().ok()).flatten()
    };
    match text.split_once('^') {
        Some((base, power)) => plain(base)?.checked_pow(plain(power)?.try_into().ok()?),
        None => plain(text),
    }
}

/// Reads bytes: `512M`, `16G`, `1048576`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let error = || format!("memory is written as 512M or 16G, at most 1024T, not {:?}", word(text));
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor: u64 = match text[digits.len()..].to_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        "T" | "TB" | "TIB" => 1 << 40,
        _ => return Err(error()),
    };
    let number = number(digits).ok_or_else(error)?;
    number.checked_mul(factor).filter(|bytes| (1..=MAX_BYTES).contains(bytes)).ok_or_else(error)
}

/// The memory for a search of which nobody said how much it may use: half of what is free, so that
/// tables grow with the machine; 4 GiB where the system does not tell.
pub fn half_of_free() -> u64 {
    sowing_platform::available_memory().map_or(4 << 30, |bytes| bytes / 2)
}

/// Reads a span of time: `90`, `30s`, `5m`, `2h`, `500ms`.
pub fn time(text: &str) -> Result<Duration, String> {
    let error =
        || format!("time is written as 500ms, 30s, 5m or 2h, at most 10000h, not {:?}", word(text));
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(error()),
    };
    let number: f64 = digits.parse().map_err(|_| error())?;
    let time = Duration::try_from_secs_f64(number * factor).map_err(|_| error())?;
    Some(time).filter(|time| *time <= MAX_TIME).ok_or_else(error)
}

/// Reads a range with both its ends: `4..100`, `1..10^6`, or `7` for `7..7`.
pub fn range(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let (Some(first), Some(last)) = (number(first), number(last)) else {
        return Err(format!(
            "a range is written as 4..100, both ends included, not {:?}",
            word(text)
        ));
    };
    if first > last {
        return Err(format!(
            "{first}..{last} is empty: write the smaller end first, as in {last}..{first}"
        ));
    }
    Ok(first..=last)
}

/// The same, within other ends.
pub fn range_within(
    most: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<RangeInclusive<u64>, String> + Clone + Send + Sync + 'static {
    move |text| {
        let range = range(text)?;
        if most.contains(range.start()) && most.contains(range.end()) {
            return Ok(range);
        }
        let ((first, last), (least, most)) = (range.into_inner(), most.clone().into_inner());
        Err(format!("{first}..{last} is not within {least}..{most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts() {
        assert_eq!(bytes("512M"), Ok(512 << 20));
        assert_eq!(bytes("16g"), Ok(16 << 30));
        assert_eq!(bytes("4096"), Ok(4096));
        for bad in ["", "G", "-1G", "1.5G", "99999999999999T", "0", "16X", "1025T"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
        assert_eq!(time("90"), Ok(Duration::from_secs(90)));
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        for bad in ["", "-5s", "5d", "nan", "inf", "1e400h", "10001h", "5000000000000000h"] {
            assert!(time(bad).is_err(), "{bad}");
        }
        assert_eq!((threads("1"), threads("1024")), (Ok(1), Ok(1024)));
        for bad in ["", "0", "1025", "4294967296", "-1", "2.5", "nan"] {
            assert!(threads(bad).is_err(), "{bad}");
        }
        for (text, number) in
            [("0", 0), ("1000000", 1_000_000), ("1_000", 1000), ("10^6", 1_000_000)]
        {
            assert_eq!(whole(0..=1_000_000)(text), Ok(number));
        }
        for bad in [
            "", "-1", "1.5", "1e6", "10^", "^6", "10^-6", "2^64", "0x10", "11", "+5", "_", "_1",
            "1_",
        ] {
            assert!(whole::<u64>(1..=10)(bad).is_err(), "{bad}");
        }
        assert!(whole::<u32>(0..=u64::MAX)("4294967296").is_err());
        assert_eq!(range("4..100"), Ok(4..=100));
        assert_eq!(range("1..10^6"), Ok(1..=1_000_000));
        assert_eq!(range_within(1..=16)("2..6"), Ok(2..=6));
        assert!(range_within(1..=16)("2..17").is_err());
        assert_eq!(range("7"), Ok(7..=7));
        for bad in ["", "..", "4..", "9..4", "-1..4", "a..b", "1..2..3"] {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}

//! Amounts of memory and time as people write them, and long numbers as they read them.

use std::ops::RangeInclusive;
use std::time::Duration;

pub(crate) use sowing_draw::grouped;

use crate::said::word;

/// More memory than any machine has.
const MOST_BYTES: u64 = 1 << 50;

/// More time than anybody waits: somewhat more than a year.
const MOST_TIME: Duration = Duration::from_secs(10_000 * 3600);

/// More threads than help anything here, and few enough for a system to start them.
const MOST_THREADS: usize = 1024;

/// Reads a number of threads: `1` to `1024`.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| (1..=MOST_THREADS).contains(number));
    number.ok_or_else(|| {
        format!("it must be a number from 1 to {MOST_THREADS}, as in 2, not {:?}", word(text))
    })
}

/// Reads bytes: `512M`, `16G`, `1048576`.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let error = || format!("memory is written as 512M or 16G, at most 1024T, not {:?}", word(text));
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let factor: u64 = match text[digits.len()..].to_uppercase().as_str() {
        "" | "B" => 1,
        "K" | "KB" | "KIB" => 1 << 10,
        "M" | "MB" | "MIB" => 1 << 20,
        "G" | "GB" | "GIB" => 1 << 30,
        "T" | "TB" | "TIB" => 1 << 40,
        _ => return Err(error()),
    };
    let number: u64 = digits.parse().map_err(|_| error())?;
    number.checked_mul(factor).filter(|bytes| (1..=MOST_BYTES).contains(bytes)).ok_or_else(error)
}

/// Reads a span of time: `90`, `30s`, `5m`, `2h`, `500ms`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let error =
        || format!("time is written as 30s, 5m or 2h, at most 10000h, not {:?}", word(text));
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
    Some(time).filter(|time| *time <= MOST_TIME).ok_or_else(error)
}

/// Reads a range with both its ends: `4..100`, or `7` for `7..7`.
pub(crate) fn range(text: &str) -> Result<RangeInclusive<u64>, String> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let error =
        || format!("a range is written as 4..100, both ends included, not {:?}", word(text));
    let first: u64 = first.parse().map_err(|_| error())?;
    let last: u64 = last.parse().map_err(|_| error())?;
    if first > last {
        return Err(format!(
            "{first}..{last} is empty: write the smaller end first, as in {last}..{first}"
        ));
    }
    Ok(first..=last)
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
        assert_eq!(range("4..100"), Ok(4..=100));
        assert_eq!(range("7"), Ok(7..=7));
        for bad in ["", "..", "4..", "9..4", "-1..4", "a..b", "1..2..3"] {
            assert!(range(bad).is_err(), "{bad}");
        }
    }
}

//! Claims and their texts.

use std::fmt;
use std::str::FromStr;

/// A bound of a position's value. The text form is `value >= 8` or `value <= 8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The mover reaches at least this margin.
    AtLeast(i64),
    /// The mover reaches at most this margin: the opponent proves it.
    AtMost(i64),
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::AtLeast(margin) => write!(f, "value >= {margin}"),
            Claim::AtMost(margin) => write!(f, "value <= {margin}"),
        }
    }
}

/// Why a text is not a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a claim is of the form value >= 8 or value <= 8, not {0:?}")]
pub struct ParseClaimError(String);

impl FromStr for Claim {
    type Err = ParseClaimError;

    fn from_str(text: &str) -> Result<Claim, ParseClaimError> {
        let error = || ParseClaimError(short(text));
        let rest = text.strip_prefix("value ").ok_or_else(error)?;
        let (sign, margin) = rest.split_once(' ').ok_or_else(error)?;
        let margin = margin.parse().map_err(|_| error())?;
        match sign {
            ">=" => Ok(Claim::AtLeast(margin)),
            "<=" => Ok(Claim::AtMost(margin)),
            _ => Err(error()),
        }
    }
}

/// The first 60 characters of a text, for an error.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

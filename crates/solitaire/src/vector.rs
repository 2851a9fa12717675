//! Vectors of whole numbers as people write them.

use std::fmt;
use std::str::FromStr;

/// Whole numbers in order, written with commas: `4,2,1,1`.
///
/// Spaces may stand for commas, and one pair of parentheses may surround the whole: `(4, 2, 1, 1)`
/// and `4 2 1 1` are the same vector. A vector has at least one entry.
///
/// ```
/// use sowing_solitaire::Vector;
///
/// let moves: Vector = "(4, 2, 1, 1)".parse()?;
/// assert_eq!(moves.to_string(), "4,2,1,1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Vector(Vec<i64>);

impl Vector {
    /// The vector with these entries. `None` if there are none.
    pub fn new(entries: Vec<i64>) -> Option<Vector> {
        if entries.is_empty() { None } else { Some(Vector(entries)) }
    }

    /// The entries in order.
    pub fn entries(&self) -> &[i64] {
        &self.0
    }

    /// How many entries there are: at least one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl FromStr for Vector {
    type Err = ParseVectorError;

    fn from_str(text: &str) -> Result<Vector, ParseVectorError> {
        let entries = fields(text)
            .map_err(|()| ParseVectorError::Empty)?
            .into_iter()
            .enumerate()
            .map(|(index, field)| {
                field.parse().map_err(|_| ParseVectorError::Entry {
                    entry: index + 1,
                    text: field.to_owned(),
                })
            })
            .collect::<Result<Vec<i64>, _>>()?;
        Vector::new(entries).ok_or(ParseVectorError::Empty)
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, &self.0)
    }
}

/// The fields between the commas, or between the spaces where there is no comma. Fails if there
/// is nothing to read.
pub(crate) fn fields(text: &str) -> Result<Vec<&str>, ()> {
    let text = text.trim();
    let inner =
        text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text).trim();
    if inner.is_empty() {
        return Err(());
    }
    Ok(if inner.contains(',') {
        inner.split(',').map(str::trim).collect()
    } else {
        inner.split_whitespace().collect()
    })
}

/// Writes entries with commas between them.
pub(crate) fn write_list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    entries: &[T],
) -> fmt::Result {
    for (index, entry) in entries.iter().enumerate() {
        if index > 0 {
            f.write_str(",")?;
        }
        write!(f, "{entry}")?;
    }
    Ok(())
}

/// Why a text is not a vector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseVectorError {
    /// There is no entry.
    #[error("the vector is empty: write its entries with commas, as in 4,2,1,1")]
    Empty,
    /// An entry is not a whole number, or too large for one.
    #[error(
        "entry {entry} of the vector is \"{text}\": it should be a whole number of at most 18 \
         digits, as in 4,2,1,1"
    )]
    Entry {
        /// Which entry, counted from 1.
        entry: usize,
        /// What stood there.
        text: String,
    },
}

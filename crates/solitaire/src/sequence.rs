//! The integer sequences of Tchoukaillon, in the numbering of the On-Line Encyclopedia of Integer
//! Sequences.

use std::fmt;
use std::str::FromStr;

use crate::tchoukaillon::unplay;
use crate::winning::Winning;

/// The fewest stones whose winning board uses bin `n`: A002491. `None` for `n` = 0 and where the
/// answer outgrows a `u64`.
///
/// The definition rounds `n` up to multiples of `n - 1`, `n - 2`, ..., 1 in turn. With the number
/// after step `k` written `k q`, the next quotient is `q + ceil(q / (k - 1))`. The increment stays
/// the same for many steps in a row, and how many is one division, so that all of them are taken
/// at once: about n^(2/3) divisions instead of n.
///
/// ```
/// assert_eq!(sowing_solitaire::fewest_stones(10), Some(34));
/// ```
pub fn fewest_stones(n: u64) -> Option<u64> {
    // The terms rise, and that of 8 * 10^9 is too large already.
    if n == 0 || n > 8_000_000_000 {
        return None;
    }
    let (mut k, mut q) = (n, 1u64);
    while k > 1 {
        let increment = q.div_ceil(k - 1);
        let slack = increment.checked_mul(k - 1)? - q;
        let twice = increment.checked_mul(2)?;
        let steps = if slack < twice { 1 } else { (slack / twice + 1).min(k - 1) };
        q = q.checked_add(increment.checked_mul(steps)?)?;
        k -= steps;
    }
    Some(q)
}

/// A sequence that can be printed term by term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sequence {
    /// The fewest stones that use bin n.
    A002491,
    /// The same less one, from n = 0: the numbers that a sieve keeps.
    A007952,
    /// The bin of the unplay that makes n stones n + 1.
    A028920,
    /// The winning board of n stones as one string, the farthest bin first.
    A028931,
    /// The winning boards row by row, the farthest bin first.
    A028932,
    /// The winning boards row by row, the nearest bin first.
    A028933,
    /// The bins that n stones use.
    A082447,
    /// Half of the fewest stones that use bin n + 1.
    A104738,
    /// How often the bin of the n-th unplay has been unplayed by then.
    A130747,
}

impl Sequence {
    /// All of them.
    pub const ALL: [Sequence; 9] = [
        Sequence::A002491,
        Sequence::A007952,
        Sequence::A028920,
        Sequence::A028931,
        Sequence::A028932,
        Sequence::A028933,
        Sequence::A082447,
        Sequence::A104738,
        Sequence::A130747,
    ];

    /// The name: `A002491`.
    pub fn name(self) -> &'static str {
        match self {
            Sequence::A002491 => "A002491",
            Sequence::A007952 => "A007952",
            Sequence::A028920 => "A028920",
            Sequence::A028931 => "A028931",
            Sequence::A028932 => "A028932",
            Sequence::A028933 => "A028933",
            Sequence::A082447 => "A082447",
            Sequence::A104738 => "A104738",
            Sequence::A130747 => "A130747",
        }
    }

    /// What the terms are.
    pub fn title(self) -> &'static str {
        match self {
            Sequence::A002491 => "fewest stones whose winning board uses bin n",
            Sequence::A007952 => "fewest stones whose winning board uses bin n+1, less one",
            Sequence::A028920 => "bin of the unplay that makes n stones n+1",
            Sequence::A028931 => "winning board of n stones as a string, farthest bin first",
            Sequence::A028932 => "winning boards of 0, 1, 2, ... stones, farthest bin first",
            Sequence::A028933 => "winning boards of 0, 1, 2, ... stones, nearest bin first",
            Sequence::A082447 => "bins of the winning board of n stones",
            Sequence::A104738 => "half of the fewest stones whose winning board uses bin n+1",
            Sequence::A130747 => "how often the bin of the n-th unplay is unplayed by then",
        }
    }

    /// How the terms are computed, and what that costs.
    pub fn method(self) -> &'static str {
        match self {
            Sequence::A002491 | Sequence::A007952 | Sequence::A104738 => {
                "rounding up, equal steps taken at once: about n^(2/3) divisions a term"
            }
            Sequence::A028920 | Sequence::A130747 => {
                "unplaying: about log(n) steps a term on average"
            }
            Sequence::A028931 | Sequence::A028932 | Sequence::A028933 => {
                "unplaying: one step a bin written"
            }
            Sequence::A082447 => "counting up to each next term of A002491: one step a term",
        }
    }

    /// The index of the first term.
    pub fn offset(self) -> u64 {
        match self {
            Sequence::A002491 | Sequence::A082447 | Sequence::A104738 | Sequence::A130747 => 1,
            _ => 0,
        }
    }

    /// The terms from the first, each with its index. Endless but where terms outgrow a `u64`.
    pub fn terms(self) -> Box<dyn Iterator<Item = (u64, Term)>> {
        let offset = self.offset();
        let counted = move |terms: Box<dyn Iterator<Item = u64>>| {
            Box::new((offset..).zip(terms.map(Term::Number)))
        };
        match self {
            Sequence::A002491 => counted(Box::new((1..).map_while(fewest_stones))),
            Sequence::A007952 => {
                counted(Box::new((1..).map_while(fewest_stones).map(|stones| stones - 1)))
            }
            Sequence::A104738 => {
                counted(Box::new((2..).map_while(fewest_stones).map(|stones| stones / 2)))
            }
            Sequence::A028920 => counted(Box::new(Unplays::default().map(|(bin, _)| bin))),
            Sequence::A130747 => counted(Box::new(Unplays::default().map(|(_, times)| times))),
            Sequence::A082447 => counted(Box::new((1..).flat_map(|bins| {
                let from = fewest_stones(bins).unwrap_or(u64::MAX);
                let to = fewest_stones(bins + 1).unwrap_or(u64::MAX);
                (from..to).map(move |_| bins)
            }))),
            Sequence::A028931 => Box::new((0..).zip(Rows::default().map(|row| {
                Term::Digits(row.iter().rev().map(u64::to_string).collect::<String>())
            }))),
            Sequence::A028932 => counted(Box::new(Rows::default().flat_map(|mut row| {
                row.reverse();
                row
            }))),
            Sequence::A028933 => counted(Box::new(Rows::default().flatten())),
        }
    }

    /// One term by itself, without those before it. `None` if there is no such term, if it
    /// outgrows a `u64`, or a string of [`MAX_STRING`] stones, or if the sequence has no such
    /// method: A028932 and A028933.
    pub fn at(self, index: u64) -> Option<Term> {
        let number = match self {
            Sequence::A002491 => fewest_stones(index)?,
            Sequence::A007952 => fewest_stones(index.checked_add(1)?)? - 1,
            Sequence::A104738 if index >= 1 => fewest_stones(index.checked_add(1)?)? / 2,
            Sequence::A028920 => first_empty(index),
            Sequence::A082447 => Winning::new(index)?.length(),
            Sequence::A130747 => {
                let bin = first_empty(index.checked_sub(1)?);
                Winning::new(index)?.moves().nth(bin as usize - 1)?
            }
            Sequence::A028931 => {
                if index > MAX_STRING {
                    return None;
                }
                let Some(winning) = Winning::new(index) else {
                    return Some(Term::Digits("0".to_owned()));
                };
                let bins: Vec<u64> = winning.bins().collect();
                return Some(Term::Digits(bins.iter().rev().map(u64::to_string).collect()));
            }
            _ => return None,
        };
        Some(Term::Number(number))
    }
}

/// The most stones whose board [`Sequence::at`] writes as a string.
pub const MAX_STRING: u64 = 1_000_000_000_000;

/// The nearest empty bin of the winning board with so many stones.
fn first_empty(stones: u64) -> u64 {
    let bins = Winning::new(stones).into_iter().flat_map(Winning::bins);
    1 + bins.take_while(|&stones| stones > 0).count() as u64
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Sequence {
    type Err = ParseSequenceError;

    fn from_str(text: &str) -> Result<Sequence, ParseSequenceError> {
        Sequence::ALL
            .into_iter()
            .find(|sequence| sequence.name().eq_ignore_ascii_case(text))
            .ok_or_else(|| ParseSequenceError(text.to_owned()))
    }
}

/// There is no such sequence here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the sequence is \"{0}\": it should be one of A002491, A007952, A028920, A028931, A028932, \
     A028933, A082447, A104738 and A130747, as in A002491"
)]
pub struct ParseSequenceError(String);

/// A term of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A number.
    Number(u64),
    /// A string of digits that may be longer than any number.
    Digits(String),
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Number(number) => write!(f, "{number}"),
            Term::Digits(digits) => f.write_str(digits),
        }
    }
}

/// The bins of successive unplays from the cleared board, each with how often it has been unplayed.
#[derive(Default)]
struct Unplays {
    bins: Vec<u64>,
    times: Vec<u64>,
}

impl Iterator for Unplays {
    type Item = (u64, u64);

    fn next(&mut self) -> Option<(u64, u64)> {
        let bin = unplay(&mut self.bins);
        self.times.resize(self.bins.len(), 0);
        let times = &mut self.times[bin as usize - 1];
        *times += 1;
        Some((bin, *times))
    }
}

/// The winning boards of 0, 1, 2, ... stones, that of none as one empty bin.
#[derive(Default)]
struct Rows {
    bins: Vec<u64>,
}

impl Iterator for Rows {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        let row = if self.bins.is_empty() { vec![0] } else { self.bins.clone() };
        unplay(&mut self.bins);
        Some(row)
    }
}

/// The lines of a b-file: an index and a term each. Comments start with `#`.
pub fn parse_b_file(text: &str) -> Result<Vec<(u64, String)>, ParseBFileError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| {
            let error = || ParseBFileError { line: number, text: line.to_owned() };
            let mut fields = line.split_whitespace();
            let (Some(index), Some(term), None) = (fields.next(), fields.next(), fields.next())
            else {
                return Err(error());
            };
            let digits = !term.is_empty() && term.bytes().all(|byte| byte.is_ascii_digit());
            let index = index.parse().map_err(|_| error())?;
            if digits { Ok((index, term.to_owned())) } else { Err(error()) }
        })
        .collect()
}

/// A line of a b-file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the b-file is \"{text}\": it should be an index and a term, as in 10 34")]
pub struct ParseBFileError {
    /// The line, counted from 1.
    pub line: usize,
    /// What stood there.
    pub text: String,
}

//! An unchecked position.

use std::fmt;
use std::str::FromStr;

use crate::{MAX_HOUSES, MAX_SEEDS, WideBoard, parse_digits, quoted};

/// The most seeds of a setup.
pub(crate) const MAX_TOTAL: u64 = 2 * MAX_HOUSES as u64 * MAX_SEEDS;

/// Seeds in pits, not checked against a game.
///
/// The text form is the mover's houses from left to right and store, a bar, and the same for the opponent:
/// `0,0,2,1|1,1,1,0`. Blanks and surrounding parentheses are accepted, and so is the literal of the Kalah Game Protocol,
/// `<3,1,0,0,0,2,1,1,1>`: the number of houses, the mover's store, the opponent's store, the mover's houses, the
/// opponent's houses, each row from its owner's left.
///
/// ```
/// use sowing_rules::Setup;
///
/// let setup: Setup = "(0, 0, 2, 1 | 1, 1, 1, 0)".parse()?;
/// assert_eq!(setup.to_string(), "0,0,2,1|1,1,1,0");
/// assert_eq!(setup.kgp().to_string(), "<3,1,0,0,0,2,1,1,1>");
/// # Ok::<(), sowing_rules::ParseSetupError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Setup(pub(crate) WideBoard);

impl Setup {
    /// The board.
    pub fn board(&self) -> &WideBoard {
        &self.0
    }

    /// The literal of the Kalah Game Protocol.
    pub fn kgp(&self) -> impl fmt::Display + '_ {
        Kgp(&self.0)
    }
}

impl From<WideBoard> for Setup {
    fn from(board: WideBoard) -> Setup {
        Setup(board)
    }
}

struct Kgp<'a>(&'a WideBoard);

impl fmt::Display for Kgp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = self.0;
        write!(f, "<{},{},{}", board.houses(), board.store(), board.other_store())?;
        board.own().iter().chain(board.other()).try_for_each(|seeds| write!(f, ",{seeds}"))?;
        f.write_str(">")
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board = &self.0;
        board.own().iter().try_for_each(|seeds| write!(f, "{seeds},"))?;
        write!(f, "{}|", board.store())?;
        board.other().iter().try_for_each(|seeds| write!(f, "{seeds},"))?;
        write!(f, "{}", board.other_store())
    }
}

/// Why a text is not a setup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseSetupError {
    /// There is not exactly one bar.
    #[error("a position has one bar between the two players' pits, as in 0,0,2,1|1,1,1,0")]
    Bar,
    /// A pit does not hold a number of seeds.
    #[error("pit {pit} of the {side} holds {what}, not a number of seeds, as in 0,0,2,1|1,1,1,0", what = quoted(.text))]
    Seeds {
        /// The side, in words.
        side: &'static str,
        /// The pit of the side, from 1; the last is the store.
        pit: usize,
        /// The text there.
        text: String,
    },
    /// The two players have different numbers of pits.
    #[error(
        "the mover has {own} pits and the opponent {other}: both need the same, as in 0,0,2,1|1,1,1,0"
    )]
    Uneven {
        /// The mover's pits, store included.
        own: usize,
        /// The opponent's pits, store included.
        other: usize,
    },
    /// A player has too few or too many pits.
    #[error(
        "a player has 1 to {MAX_HOUSES} houses and a store, as in 0,0,2,1|1,1,1,0, not {0} pits"
    )]
    Pits(usize),
    /// There are more seeds than any game has.
    #[error("a position holds at most {MAX_TOTAL} seeds, not {0}")]
    Total(u128),
    /// A protocol literal is malformed.
    #[error("a KGP literal is <houses,store,store,houses...,houses...>, as in <3,1,0,0,0,2,1,1,1>, not {what}", what = quoted(.0))]
    Kgp(String),
}

impl FromStr for Setup {
    type Err = ParseSetupError;

    fn from_str(text: &str) -> Result<Setup, ParseSetupError> {
        let text = text.trim();
        if text.starts_with('<') {
            return parse_kgp(text);
        }
        let inner = match text.strip_prefix('(') {
            Some(rest) => rest.strip_suffix(')').ok_or(ParseSetupError::Bar)?,
            None => text,
        };
        let (own, other) = inner.split_once('|').ok_or(ParseSetupError::Bar)?;
        if other.contains('|') {
            return Err(ParseSetupError::Bar);
        }
        let own = parse_side(own, "mover")?;
        let other = parse_side(other, "opponent")?;
        if own.len() != other.len() {
            return Err(ParseSetupError::Uneven { own: own.len(), other: other.len() });
        }
        let Some((store, row)) = own.split_last().filter(|(_, row)| !row.is_empty()) else {
            return Err(ParseSetupError::Pits(own.len()));
        };
        if row.len() > MAX_HOUSES.into() {
            return Err(ParseSetupError::Pits(own.len()));
        }
        let (other_store, other_row) = other.split_last().expect("as long as the mover's");
        build(row, *store, other_row, *other_store)
    }
}

fn parse_side(text: &str, side: &'static str) -> Result<Vec<u64>, ParseSetupError> {
    text.split(',')
        .enumerate()
        .map(|(index, word)| {
            parse_digits(word.trim()).ok_or_else(|| ParseSetupError::Seeds {
                side,
                pit: index + 1,
                text: word.trim().to_string(),
            })
        })
        .collect()
}

fn parse_kgp(text: &str) -> Result<Setup, ParseSetupError> {
    let malformed = || ParseSetupError::Kgp(text.to_string());
    let inner = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let numbers: Option<Vec<u64>> =
        inner.ok_or_else(malformed)?.split(',').map(|word| parse_digits(word.trim())).collect();
    let numbers = numbers.ok_or_else(malformed)?;
    let [houses, store, other_store, rows @ ..] = numbers.as_slice() else {
        return Err(malformed());
    };
    if !(1..=u64::from(MAX_HOUSES)).contains(houses) || rows.len() as u64 != 2 * houses {
        return Err(malformed());
    }
    let (own, other) = rows.split_at(*houses as usize);
    build(own, *store, other, *other_store)
}

fn build(
    own: &[u64],
    store: u64,
    other: &[u64],
    other_store: u64,
) -> Result<Setup, ParseSetupError> {
    let board = WideBoard::new(own, store, other, other_store);
    let total = board.total();
    if total > MAX_TOTAL.into() {
        return Err(ParseSetupError::Total(total));
    }
    Ok(Setup(board))
}

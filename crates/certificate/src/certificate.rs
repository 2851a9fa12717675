//! Certificates and their text.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::str::FromStr;

use sowing_rules::{Game, House, Position, Setup, WideBoard};

use crate::checker::{
    Checker, Flaw, Lemma, RefutedError, Rows, houses, is_sure, max_turn_boards, rows,
};
use crate::claim::{Claim, short};

/// A strategy for one player that proves a bound.
///
/// It is a list of lemmas. Each names a board (houses only, since stores change no move), a move for its
/// mover, and a margin that the mover reaches at least, in seeds of the houses. A lemma holds if, after its
/// move and every answer of the opponent, every board where the prover is to move again has a lemma that
/// promises enough. No position of these games can come back, so lemmas that all hold prove the claim:
/// see [`soundness`](crate::soundness).
///
/// The text form has five header lines and one line per lemma:
///
/// ```text
/// # sow certificate 2
/// # game: s-kalaha(2,1)
/// # position: 1,1,0|1,1,0
/// # claim: value >= 0
/// # program: sowing 0.2.0
/// 1,1|1,1 >= 0: 1
/// 0,1|1,0 >= 0: 2
/// ```
///
/// The reader is strict: every line is as it is written here, without other blanks, signs or leading zeros,
/// and ends in a line feed, which the last may lack. No board has two lemmas. A certificate of format 1 names no
/// program; it is read and written as before.
#[derive(Clone, Debug)]
pub struct Certificate {
    pub(crate) position: Position,
    pub(crate) claim: Claim,
    /// `None` in format 1.
    pub(crate) program: Option<String>,
    pub(crate) lemmas: HashMap<Rows, Lemma>,
}

/// The most bytes of a line: two rows of sixteen houses need half of it.
pub const MAX_LINE_BYTES: usize = 1_000;

/// The most bytes of a certificate: one gibibyte.
pub const MAX_CERTIFICATE_BYTES: u64 = 1 << 30;

/// Why a text is not a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseCertificateError {
    /// A header line is missing or wrong.
    #[error("line {line} should be {expected:?}, not {found:?}")]
    Header {
        /// The line, from 1.
        line: usize,
        /// How the line reads or starts.
        expected: &'static str,
        /// The text there.
        found: String,
    },
    /// A header's value cannot be read.
    #[error("line {line}: {error}")]
    Value {
        /// The line, from 1.
        line: usize,
        /// The error.
        error: String,
    },
    /// A header's value is not written as it should be.
    #[error("line {line} should read {expected:?}, not {found:?}")]
    Spelling {
        /// The line, from 1.
        line: usize,
        /// How the value is written.
        expected: String,
        /// The text there.
        found: String,
    },
    /// A lemma cannot be read.
    #[error(
        "line {line} is not a lemma of {houses} houses per row, as in 1,1|1,1 >= 0: 1, but {found:?}"
    )]
    Lemma {
        /// The line, from 1.
        line: usize,
        /// The houses per row of the game.
        houses: u8,
        /// The text there.
        found: String,
    },
    /// A board has two lemmas.
    #[error("line {line} has a second lemma for {board}: the first is on line {first}")]
    Twice {
        /// The line of the second, from 1.
        line: usize,
        /// The line of the first.
        first: usize,
        /// The board.
        board: String,
    },
    /// Lines end as on another system.
    #[error("line {0} ends in a carriage return: lines end in a line feed alone")]
    CarriageReturn(usize),
    /// A line is longer than any that could be right.
    #[error("line {0} is longer than {MAX_LINE_BYTES} bytes: this is not a certificate")]
    Long(usize),
    /// There is more than is read.
    #[error("line {0} is beyond 1 GiB: certificates are read up to there")]
    Large(usize),
}

/// Why a certificate cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadCertificateError {
    /// The reader failed.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It gave something else.
    #[error(transparent)]
    Text(#[from] ParseCertificateError),
}

impl Certificate {
    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The claim about its value.
    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// The program that made it, as it names itself: no part of the proof. `None` in format 1.
    pub fn program(&self) -> Option<&str> {
        self.program.as_deref()
    }

    /// How many lemmas prove it.
    pub fn lemmas(&self) -> usize {
        self.lemmas.len()
    }

    /// Checks every lemma and the claim. An accepted claim is true of [`position`](Self::position), which may have any
    /// number of seeds: compare position and claim with those to be proven.
    ///
    /// Memory and the number of moves played are bounded by the number of lemmas, whatever they say: see
    /// [`soundness`](crate::soundness).
    pub fn verify(&self) -> Result<(), RefutedError> {
        let Certificate { position, claim, lemmas, .. } = self;
        let checker = Checker::new(position, *claim)?;
        let max_boards = max_turn_boards(lemmas.len());
        let mut require = |board: WideBoard, needed| self.require(&board, needed);
        checker
            .start(*claim, max_boards, &mut require)
            .map_err(|flaw| RefutedError::Start { claim: *claim, flaw })?;
        for (rows, lemma) in self.in_order() {
            checker
                .follow(rows, lemma, max_boards, &mut require)
                .map_err(|flaw| RefutedError::for_lemma(rows, lemma, flaw))?;
        }
        Ok(())
    }

    /// Whether a lemma, or the bounds, promise the prover enough at a live board.
    pub(crate) fn require(&self, board: &WideBoard, needed: i64) -> Result<(), Flaw> {
        if is_sure(board, needed) {
            return Ok(());
        }
        let rows = rows(board);
        match self.lemmas.get(&rows) {
            Some(lemma) if lemma.margin >= needed => Ok(()),
            Some(lemma) => Err(Flaw::Weak { board: houses(&rows), margin: lemma.margin, needed }),
            None => Err(Flaw::Missing { board: houses(&rows), needed }),
        }
    }

    /// Reads the text form, line by line, and never more than [`MAX_CERTIFICATE_BYTES`].
    pub fn read(reader: impl BufRead) -> Result<Certificate, ReadCertificateError> {
        let mut lines = Lines { reader, line: 0, left: MAX_CERTIFICATE_BYTES };
        let format = lines.format()?;
        let game: Game = lines.value(GAME)?;
        let setup: Setup = lines.value(POSITION)?;
        let position = Position::free(game, &setup)
            .map_err(|error| ParseCertificateError::Value { line: 3, error: error.to_string() })?;
        let claim = lines.value(CLAIM)?;
        let program = match format {
            Format::One => None,
            Format::Two => Some(lines.program()?),
        };
        let mut lemmas: HashMap<Rows, Lemma> = HashMap::new();
        while let Some(text) = lines.next()? {
            let (line, houses) = (lines.line, game.houses());
            let (rows, lemma) = read_lemma(&text, line, houses.into()).ok_or_else(|| {
                ParseCertificateError::Lemma { line, houses, found: short(&text) }
            })?;
            if let Some(Lemma { line: first, .. }) = lemmas.get(&rows) {
                let (first, board) = (*first, self::houses(&rows));
                return Err(ParseCertificateError::Twice { line, first, board }.into());
            }
            lemmas.insert(rows, lemma);
        }
        Ok(Certificate { position, claim, program, lemmas })
    }

    /// The lemmas in the order of the text.
    pub(crate) fn in_order(&self) -> Vec<(&Rows, &Lemma)> {
        let mut lemmas: Vec<_> = self.lemmas.iter().collect();
        lemmas.sort_by_key(|(_, lemma)| lemma.line);
        lemmas
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Certificate { position, claim, program, .. } = self;
        let format = if program.is_some() { FORMAT_2 } else { FORMAT_1 };
        writeln!(f, "{format}\n{GAME}{}\n{POSITION}{position}\n{CLAIM}{claim}", position.game())?;
        if let Some(program) = program {
            writeln!(f, "{MADE_BY}{program}")?;
        }
        self.in_order()
            .into_iter()
            .try_for_each(|(rows, lemma)| writeln!(f, "{}", lemma.text(rows)))
    }
}

/// The first lines of the two formats.
const FORMAT_1: &str = "# sow certificate 1";
const FORMAT_2: &str = "# sow certificate 2";

/// The starts of the other header lines, in order; format 1 lacks the last.
const GAME: &str = "# game: ";
const POSITION: &str = "# position: ";
const CLAIM: &str = "# claim: ";
const MADE_BY: &str = "# program: ";

/// The line of the first lemma in format 2.
pub(crate) const FIRST_LEMMA: usize = 6;

enum Format {
    One,
    Two,
}

impl FromStr for Certificate {
    type Err = ParseCertificateError;

    fn from_str(text: &str) -> Result<Certificate, ParseCertificateError> {
        Certificate::read(text.as_bytes()).map_err(|error| match error {
            ReadCertificateError::Text(error) => error,
            ReadCertificateError::Io(error) => {
                ParseCertificateError::Value { line: 0, error: error.to_string() }
            }
        })
    }
}

/// The lines of an untrusted reader.
struct Lines<R> {
    reader: R,
    /// The line that was read last, from 1.
    line: usize,
    /// The bytes that may still be read.
    left: u64,
}

impl<R: BufRead> Lines<R> {
    /// The next line without its end. Bytes that are not UTF-8 become characters that no line has.
    fn next(&mut self) -> Result<Option<String>, ReadCertificateError> {
        let mut bytes = Vec::new();
        let most = (MAX_LINE_BYTES as u64 + 1).min(self.left + 1);
        let read = (&mut self.reader).take(most).read_until(b'\n', &mut bytes)? as u64;
        if read == 0 {
            return Ok(None);
        }
        self.line += 1;
        let line = self.line;
        self.left = self.left.checked_sub(read).ok_or(ParseCertificateError::Large(line))?;
        match bytes.pop() {
            Some(b'\n') => {}
            _ if read > MAX_LINE_BYTES as u64 => {
                return Err(ParseCertificateError::Long(line).into());
            }
            last => bytes.extend(last),
        }
        if bytes.last() == Some(&b'\r') {
            return Err(ParseCertificateError::CarriageReturn(line).into());
        }
        Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// The format that the first line names.
    fn format(&mut self) -> Result<Format, ReadCertificateError> {
        let found = self.next()?.unwrap_or_default();
        match found.as_str() {
            FORMAT_1 => Ok(Format::One),
            FORMAT_2 => Ok(Format::Two),
            _ => {
                let (expected, found) = (FORMAT_2, short(&found));
                Err(ParseCertificateError::Header { line: 1, expected, found }.into())
            }
        }
    }

    /// The name of a program: printable ASCII characters, no blank at either end.
    fn program(&mut self) -> Result<String, ReadCertificateError> {
        let name = self.header(MADE_BY)?;
        let is_printable = name.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if name.is_empty() || name.trim() != name || !is_printable {
            let error = format!("a program is named as in sowing 0.2.0, not {:?}", short(&name));
            return Err(ParseCertificateError::Value { line: self.line, error }.into());
        }
        Ok(name)
    }

    /// What follows the given start of the next line.
    fn header(&mut self, expected: &'static str) -> Result<String, ReadCertificateError> {
        let (before, found) = (self.line, self.next()?.unwrap_or_default());
        match found.strip_prefix(expected) {
            Some(value) => Ok(value.to_string()),
            None => {
                let (line, found) = (before + 1, short(&found));
                Err(ParseCertificateError::Header { line, expected, found }.into())
            }
        }
    }

    /// The value of a header, if it is written as it would be printed.
    fn value<T>(&mut self, header: &'static str) -> Result<T, ReadCertificateError>
    where
        T: FromStr<Err: fmt::Display> + fmt::Display,
    {
        let text = self.header(header)?;
        let line = self.line;
        let value: T = text.parse().map_err(|error: T::Err| {
            let error = error.to_string();
            ParseCertificateError::Value { line, error }
        })?;
        let expected = value.to_string();
        if expected != text {
            let found = short(&text);
            return Err(ParseCertificateError::Spelling { line, expected, found }.into());
        }
        Ok(value)
    }
}

fn read_lemma(text: &str, line: usize, houses: usize) -> Option<(Rows, Lemma)> {
    let (board, promise) = text.split_once(" >= ")?;
    let (margin, house) = promise.split_once(": ")?;
    let (own, other) = board.split_once('|')?;
    let row = |text: &str| -> Option<Vec<u64>> {
        let row = text.split(',').map(|seeds| seeds.parse().ok()).collect::<Option<Vec<_>>>()?;
        (row.len() == houses).then_some(row)
    };
    let rows = [row(own)?, row(other)?].concat().into();
    let house = House::new(house.parse().ok()?)?;
    let lemma = Lemma { margin: margin.parse().ok()?, house, line };
    (lemma.text(&rows) == text).then_some((rows, lemma))
}

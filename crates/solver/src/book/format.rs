//! The file format of books.
//!
//! All numbers are little endian.
//!
//! ```text
//! head     "SOWBOOK2", the family's name as its length (2 bytes) and text, the name of the program that wrote
//!          the file in the same form, the number of entries (8 bytes), the CRC-32 of the head so far (4 bytes)
//! block    the length of its body (4 bytes), the number of its entries (4 bytes), the body, the CRC-32
//!          of all this (4 bytes); as many as there are, up to BLOCK entries each
//! entry    in order of index: the index less that of the entry before (variable length, 7 bits per byte,
//!          the lowest first), the effort with 128 added if the bounds meet (1 byte), the lower
//!          bound (1 byte), and where they do not meet the upper bound (1 byte)
//! ```
//!
//! An index names a board of the family completely (see [`BoardIndex`](sowing_rules::BoardIndex)). Bounds are of the houses
//! alone, what the mover gets of them less what the opponent gets, and so hold for the board in
//! every game of the family, whatever the stores. Files that begin with "SOWBOOK1" name no program; they are read,
//! not written.

use sowing_rules::{Board, PROGRAM};

use super::book::Book;
use super::error::BookError;
use crate::entry::Entry;

/// The first bytes of a file in the two versions of the format.
pub(super) const MAGIC_1: &[u8; 8] = b"SOWBOOK1";
pub(super) const MAGIC_2: &[u8; 8] = b"SOWBOOK2";

/// Entries of a block: what one checksum guards.
const BLOCK: usize = 4096;

/// Added to the effort of an entry whose bounds meet.
const EXACT: u8 = 128;

/// Whether a text may name a program: it is printed, so it has at most 100 printable ASCII characters.
fn is_program(name: &str) -> bool {
    (1..=100).contains(&name.len()) && name.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

impl Book {
    /// Parses the bytes of a file. Checksums and ranges are checked; whether the bounds are true is not.
    pub fn parse(bytes: &[u8]) -> Result<Book, BookError> {
        let damaged = |what: &str| BookError::Damaged { what: what.to_string() };
        let mut bytes = Bytes { all: bytes, at: 0 };
        let names_program = match bytes.array() {
            Some(magic) if magic == *MAGIC_1 => false,
            Some(magic) if magic == *MAGIC_2 => true,
            _ => return Err(damaged("it is not a book of this version")),
        };
        let head = || damaged("its head is damaged");
        let name = bytes.text().ok_or_else(head)?;
        let program = match names_program {
            true => Some(bytes.text().filter(|name| is_program(name)).ok_or_else(head)?),
            false => None,
        };
        let count = u64::from_le_bytes(bytes.array().ok_or_else(head)?);
        if !bytes.is_checked_from(0) {
            return Err(head());
        }
        let mut book = Book { program: program.map(str::to_string), ..Book::empty(name.parse()?) };
        if book.family.to_string() != name {
            return Err(head());
        }
        // An entry takes three bytes at least.
        book.entries.reserve((count as usize).min(bytes.all.len() / 3));
        while bytes.at < bytes.all.len() {
            let found = book.entries.len();
            let why = || damaged(&format!("it is damaged after {found} of {count} positions"));
            book.read_block(&mut bytes).ok_or_else(why)?;
        }
        if book.entries.len() as u64 != count {
            let found = book.entries.len();
            return Err(damaged(&format!("it was cut: {found} of {count} positions are there")));
        }
        Ok(book)
    }

    /// Reads a block of entries that follow those before; `None` if they are malformed.
    fn read_block(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let from = bytes.at;
        let length = u32::from_le_bytes(bytes.array()?) as usize;
        let count = u32::from_le_bytes(bytes.array()?);
        let mut body = Bytes { all: bytes.take(length)?, at: 0 };
        if count == 0 || !bytes.is_checked_from(from) {
            return None;
        }
        for _ in 0..count {
            let before = self.entries.last().map(|entry| entry.index);
            let step = body.varint()?;
            let index = before.unwrap_or(0).checked_add(step)?;
            let [effort, low] = body.array()?;
            let low = low as i8;
            let high = if effort >= EXACT { low } else { body.array::<1>()?[0] as i8 };
            let entry = Entry { index, low, high, effort: effort % EXACT };
            // The checksum is right, so that only a faulty writer comes here.
            let follows = before.is_none_or(|before| index > before);
            (follows && self.is_possible(&entry)).then(|| self.entries.push(entry))?;
        }
        (body.at == body.all.len()).then_some(())
    }

    /// Whether an entry is of a live board and its bounds are possible.
    fn is_possible(&self, entry: &Entry) -> bool {
        if entry.index >= self.indices.count_below(self.indices.max_layer() + 1)
            || entry.effort >= 64
        {
            return false;
        }
        let board = self.indices.board(entry.index);
        let seeds = board.layer() as i64;
        let (low, high) = (i64::from(entry.low), i64::from(entry.high));
        let live = board.own_seeds() > 0 && board.other_seeds() > 0;
        // All seeds are shared out, so that a value is odd or even with their number.
        let even = low < high || self.family.rules().remaining_lost || (seeds - low) % 2 == 0;
        live && even && -seeds <= low && low <= high && high <= seeds
    }

    /// The bytes of a file, which names this version of the library.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC_2.to_vec();
        for text in [&*self.family.to_string(), PROGRAM] {
            bytes.extend((text.len() as u16).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        let mut before = 0;
        for block in self.entries.chunks(BLOCK) {
            let mut body = Vec::new();
            for entry in block {
                put_varint(&mut body, entry.index - before);
                before = entry.index;
                let exact = entry.low == entry.high;
                body.push(entry.effort + if exact { EXACT } else { 0 });
                body.push(entry.low as u8);
                if !exact {
                    body.push(entry.high as u8);
                }
            }
            let from = bytes.len();
            bytes.extend((body.len() as u32).to_le_bytes());
            bytes.extend((block.len() as u32).to_le_bytes());
            bytes.extend(body);
            bytes.extend(crc32fast::hash(&bytes[from..]).to_le_bytes());
        }
        bytes
    }
}

/// Bytes that are read one after the other.
struct Bytes<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.all.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N).map(|bytes| bytes.try_into().expect("as many"))
    }

    /// A text after its length.
    fn text(&mut self) -> Option<&'a str> {
        let length = u16::from_le_bytes(self.array()?);
        std::str::from_utf8(self.take(length.into())?).ok()
    }

    /// Whether the next four bytes are the checksum of those from some place on.
    fn is_checked_from(&mut self, from: usize) -> bool {
        let sum = crc32fast::hash(&self.all[from..self.at]);
        self.array() == Some(sum.to_le_bytes())
    }

    /// A number of variable length.
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_rules::Family;

    /// A name that would write control characters to a terminal is damage, whatever the checksum says.
    #[test]
    fn names_of_programs_are_printable() {
        let family = Family::for_game(&"kalah(6,4)".parse().unwrap()).unwrap().to_string();
        let head = |program: &str| {
            let mut bytes = MAGIC_2.to_vec();
            for text in [family.as_str(), program] {
                bytes.extend((text.len() as u16).to_le_bytes());
                bytes.extend(text.as_bytes());
            }
            bytes.extend(0_u64.to_le_bytes());
            let checksum = crc32fast::hash(&bytes);
            bytes.extend(checksum.to_le_bytes());
            bytes
        };
        assert_eq!(Book::parse(&head("sowing 0.2.0")).unwrap().program(), Some("sowing 0.2.0"));
        for name in ["", "\u{9b}31m", "a\nb", "\u{202e}", &"x".repeat(101)] {
            assert!(Book::parse(&head(name)).is_err(), "{name:?}");
        }
    }
}

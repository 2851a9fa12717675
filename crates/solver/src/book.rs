//! What was proven once, kept: bounds of positions with the work behind them, in a file.
//!
//! # The file
//!
//! All numbers are little endian.
//!
//! ```text
//! head     "SOWBOOK1", the family's name as its length (2 bytes) and text, the number of entries
//!          (8 bytes), the CRC-32 of the head so far (4 bytes)
//! block    the length of its body (4 bytes), the number of its entries (4 bytes), the body, the CRC-32
//!          of all this (4 bytes); as many as there are, up to BLOCK entries each
//! entry    in order of rank: the rank less that of the entry before (variable length, 7 bits a byte,
//!          the lowest first), the effort with 128 added if the bounds meet (1 byte), the lower
//!          bound (1 byte), and where they do not meet the upper bound (1 byte)
//! ```
//!
//! A rank names a board of the family completely (see [`crate::rank`]). Bounds are of the houses
//! alone, what the mover gets of them less what the opponent gets, and so hold for the board in
//! every game of the family, whatever the stores.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use sowing::{Board, Game, Law, Position, Small};
use sowing_tables::Family;

use crate::memory::{EFFORT_BITS, least_effort};
use crate::rank::{BoardRanks, Ranked};
use crate::verdict::Bounds;

pub(crate) const MAGIC: &[u8; 8] = b"SOWBOOK1";

/// Entries of a block: what one checksum guards.
const BLOCK: usize = 4096;

/// Added to the effort of an entry whose bounds meet.
const EXACT: u8 = 128;

/// Proven bounds of positions of one family of games, each with the work that it took.
///
/// ```
/// use sowing::Position;
/// use sowing_solver::{Book, Bounds};
///
/// let game = "kalah(4,3)".parse()?;
/// let mut book = Book::new(&game)?;
/// let start = Position::start(game);
/// book.add(&start, Bounds { low: 6, high: 6 }, 1000)?;
/// let again = Book::parse(&book.to_bytes())?;
/// assert_eq!(again.probe(&start), Some(Bounds { low: 6, high: 6 }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Book {
    family: Family,
    ranks: BoardRanks,
    /// In order of rank, each once.
    entries: Vec<Entry>,
}

/// The bounds of one board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) rank: u64,
    pub(crate) low: i8,
    pub(crate) high: i8,
    /// The binary logarithm of the positions looked at.
    pub(crate) effort: u8,
}

/// A line of a book, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookLine {
    /// The position, of a game with as many seeds a house as it takes, stores empty.
    pub position: Position,
    /// What is proven of its value.
    pub bounds: Bounds,
    /// About how many positions were looked at for it.
    pub work: u64,
}

/// Why there is no book, or no trust in one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BookError {
    /// Games without books: those without endgame tables.
    #[error(transparent)]
    Family(#[from] sowing_tables::Error),
    /// The file cannot be read or written.
    #[error("{}: {error}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The bytes are no book, or not what was written.
    #[error("{what}")]
    Damaged {
        /// What is wrong.
        what: String,
    },
    /// The same of a file.
    #[error("{}: {what}", .path.display())]
    DamagedFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// A book of other games.
    #[error("a book of {book} is no use for {wanted}: rules and houses differ")]
    OtherFamily {
        /// What the book is of.
        book: Family,
        /// What it was wanted for.
        wanted: Family,
    },
    /// Another process is at work in the file.
    #[error("cannot write {}: {who} is at work there: wait for it, or name another file", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
        /// The process.
        who: String,
    },
    /// A position that has no value of its own in a book.
    #[error("{position} is not for a book: it is over, or a swap is still possible")]
    NotOpen {
        /// The position.
        position: String,
    },
    /// Two proofs of one position contradict each other: one of them is false.
    #[error("two proofs contradict each other on {board}: {} to {} and {} to {}", .one.low, .one.high, .other.low, .other.high)]
    Contradiction {
        /// The houses, without stores.
        board: String,
        /// What one says.
        one: Bounds,
        /// What the other says.
        other: Bounds,
    },
    /// The turns pass through more positions than are looked at.
    #[error("{turns} turns pass through more than {most} positions: ask for fewer")]
    TooWide {
        /// How many turns.
        turns: u32,
        /// The most positions.
        most: usize,
    },
    /// The position has more seeds than a book can name.
    #[error("{position} has {seeds} seeds in houses, books of {family} go to {most}")]
    TooManySeeds {
        /// The position.
        position: String,
        /// Its seeds in houses.
        seeds: u64,
        /// The family.
        family: Family,
        /// The most that can be.
        most: u64,
    },
}

impl Book {
    /// A book of a game's family with nothing in it.
    pub fn new(game: &Game) -> Result<Book, BookError> {
        Ok(Book::of(Family::of(game)?))
    }

    fn of(family: Family) -> Book {
        Book { family, ranks: BoardRanks::new(family.houses().into()), entries: Vec::new() }
    }

    /// A book of entries in order of rank.
    pub(crate) fn of_entries(family: Family, entries: Vec<Entry>) -> Book {
        Book { entries, ..Book::of(family) }
    }

    /// The games it is of.
    pub fn family(&self) -> Family {
        self.family
    }

    /// How many positions it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many positions it has the value of.
    pub fn exact(&self) -> usize {
        self.entries.iter().filter(|entry| entry.low == entry.high).count()
    }

    /// Refuses to be used for a game of another family.
    pub fn require(&self, game: &Game) -> Result<(), BookError> {
        let wanted = Family::of(game)?;
        if wanted == self.family {
            return Ok(());
        }
        Err(BookError::OtherFamily { book: self.family, wanted })
    }

    /// Refuses a position with more seeds in houses than it can name.
    pub fn require_room(&self, position: &Position) -> Result<(), BookError> {
        self.board(position).map(|_| ())
    }

    fn board(&self, position: &Position) -> Result<Small, BookError> {
        let (seeds, most) = (position.layer(), self.ranks.max_layer());
        let board = Small::new(position.board()).ok().filter(|_| seeds <= most);
        board.ok_or_else(|| {
            let (position, family) = (position.to_string(), self.family);
            BookError::TooManySeeds { position, seeds, family, most }
        })
    }

    /// What is proven of a position's value; `None` if it is not in the book, is of another family, or
    /// is not played under the rules alone: the game is over, or a swap still possible.
    pub fn probe(&self, position: &Position) -> Option<Bounds> {
        let is_open = !position.is_finished() && !position.pie_is_open();
        if !is_open || self.require(position.game()).is_err() {
            return None;
        }
        let entry = self.get(&Small::new(position.board()).ok()?)?;
        Some(entry.bounds().plus(position.lead()))
    }

    /// Adds what is proven of a live position's value, and about how many nodes it took. What is
    /// there already is narrowed. Positions of other families, finished ones, and those in which a swap
    /// is still possible are refused.
    pub fn add(&mut self, position: &Position, bounds: Bounds, work: u64) -> Result<(), BookError> {
        self.require(position.game())?;
        if position.is_finished() || position.pie_is_open() {
            return Err(BookError::NotOpen { position: position.to_string() });
        }
        let board = self.board(position)?;
        let all = Bounds::of_seeds(position.layer() as i64);
        let alone = bounds.plus(-position.lead());
        let both = alone.and(all).ok_or_else(|| self.contradiction(&board, alone, all))?;
        let entry = Entry::new(board.rank(&self.ranks), both, work);
        self.put(entry)
    }

    /// Takes on all that another book of the family knows.
    pub fn merge(&mut self, other: &Book) -> Result<(), BookError> {
        if other.family != self.family {
            return Err(BookError::OtherFamily { book: other.family, wanted: self.family });
        }
        self.merge_entries(&other.entries)
    }

    /// The same of entries in order of rank.
    pub(crate) fn merge_entries(&mut self, others: &[Entry]) -> Result<(), BookError> {
        let mut merged = Vec::with_capacity(self.entries.len() + others.len());
        let mut others = others.iter().copied().peekable();
        for ours in &self.entries {
            while let Some(theirs) = others.next_if(|theirs| theirs.rank < ours.rank) {
                merged.push(theirs);
            }
            merged.push(match others.next_if(|theirs| theirs.rank == ours.rank) {
                Some(theirs) => self.both(*ours, theirs)?,
                None => *ours,
            });
        }
        merged.extend(others);
        self.entries = merged;
        Ok(())
    }

    /// Adds an entry whose rank is that of the last one, or higher.
    pub(crate) fn merge_last(&mut self, entry: Entry) -> Result<(), BookError> {
        match self.entries.pop_if(|last| last.rank == entry.rank) {
            Some(last) => self.entries.push(self.both(last, entry)?),
            None => self.entries.push(entry),
        }
        Ok(())
    }

    /// Keeps what took most nodes: so many positions, or all if there are fewer. Of those that took as
    /// many nodes, the ones with fewest seeds stay.
    pub fn keep_most(&mut self, most: usize) {
        let mut counts = [0; 1 << EFFORT_BITS];
        for entry in &self.entries {
            counts[usize::from(entry.effort)] += 1;
        }
        let least = least_effort(&counts, most);
        let above: usize = counts[least as usize..].iter().sum();
        // The next class in part: as many as there is room for.
        let mut room = most.saturating_sub(above);
        self.entries.retain(|entry| {
            let effort = u32::from(entry.effort);
            let in_part = effort + 1 == least && room > 0;
            room -= usize::from(in_part);
            effort >= least || in_part
        });
    }

    /// Leaves out what took fewer nodes than this.
    pub fn keep_work(&mut self, least: u64) {
        self.entries.retain(|entry| entry.work() >= least);
    }

    /// Keeps the positions that are reached from this one with at most so many whole turns behind them.
    /// There may be ten million of these.
    ///
    /// ```
    /// use sowing::Position;
    /// use sowing_solver::{Book, Bounds};
    ///
    /// let game = "kalah(4,3)".parse()?;
    /// let start = Position::start(game);
    /// let (later, _) = start.play("4".parse()?)?;
    /// let mut book = Book::new(&game)?;
    /// book.add(&start, Bounds { low: 6, high: 6 }, 1000)?;
    /// book.add(&later, Bounds { low: -24, high: 0 }, 1000)?;
    /// book.keep_opening(&start, 0)?;
    /// assert!(book.probe(&start).is_some() && book.probe(&later).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep_opening(&mut self, start: &Position, turns: u32) -> Result<(), BookError> {
        const MOST: usize = 10_000_000;
        self.require(start.game())?;
        let law = Law::<Small>::new(start.game());
        let board = self.board(start)?;
        let mut seen = HashSet::from([board]);
        let mut pending = vec![board];
        for turn in 0..=turns {
            // Where the next turn starts. Such a board may also be on the way of this one, and is
            // then passed through a turn sooner.
            let mut next = HashSet::new();
            while let Some(board) = pending.pop() {
                for slot in board.occupied() {
                    let played = law.play(board, slot);
                    if played.finished {
                        continue;
                    }
                    if !played.again {
                        next.insert(played.board);
                    } else if seen.insert(played.board) {
                        pending.push(played.board);
                    }
                }
                if seen.len() + next.len() > MOST {
                    return Err(BookError::TooWide { turns, most: MOST });
                }
            }
            if turn < turns {
                pending = next.into_iter().filter(|board| seen.insert(*board)).collect();
            }
        }
        let ranks: HashSet<u64> = seen.iter().map(|board| board.rank(&self.ranks)).collect();
        self.entries.retain(|entry| ranks.contains(&entry.rank));
        Ok(())
    }

    /// All that it has, boards with few seeds first.
    pub fn lines(&self) -> impl Iterator<Item = BookLine> {
        let game = self.family.game();
        self.entries.iter().map(move |entry| BookLine {
            position: self.position(game, entry.rank),
            bounds: entry.bounds(),
            work: entry.work(),
        })
    }

    /// The position of a rank, stores empty.
    fn position(&self, game: Game, rank: u64) -> Position {
        let (own, other) = self.rows(&self.ranks.board(rank));
        let setup = format!("{own},0|{other},0").parse().expect("few seeds");
        Position::free(game, &setup).expect("as many houses")
    }

    /// The houses of both rows.
    fn rows(&self, board: &Small) -> (String, String) {
        let text = |row: u64| {
            let seeds = row.to_le_bytes().into_iter().take(self.family.houses().into());
            seeds.map(|seeds| seeds.to_string()).collect::<Vec<_>>().join(",")
        };
        (text(board.own()), text(board.other()))
    }

    fn contradiction(&self, board: &Small, one: Bounds, other: Bounds) -> BookError {
        let (own, opposite) = self.rows(board);
        BookError::Contradiction { board: format!("{own}|{opposite}"), one, other }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What is known of a board.
    pub(crate) fn get(&self, board: &Small) -> Option<&Entry> {
        if board.own_seeds() + board.other_seeds() > self.ranks.max_layer() {
            return None;
        }
        let rank = board.rank(&self.ranks);
        let index = self.entries.binary_search_by_key(&rank, |entry| entry.rank).ok()?;
        Some(&self.entries[index])
    }

    fn put(&mut self, entry: Entry) -> Result<(), BookError> {
        match self.entries.binary_search_by_key(&entry.rank, |entry| entry.rank) {
            Ok(index) => self.entries[index] = self.both(self.entries[index], entry)?,
            Err(index) => self.entries.insert(index, entry),
        }
        Ok(())
    }

    /// Two entries of one board.
    fn both(&self, one: Entry, other: Entry) -> Result<Entry, BookError> {
        let (ours, theirs) = (one.bounds(), other.bounds());
        match ours.and(theirs) {
            Some(Bounds { low, high }) => Ok(Entry {
                low: low as i8,
                high: high as i8,
                effort: one.effort.max(other.effort),
                ..one
            }),
            None => Err(self.contradiction(&self.ranks.board(one.rank), ours, theirs)),
        }
    }

    /// Reads the bytes of a file.
    pub fn parse(bytes: &[u8]) -> Result<Book, BookError> {
        let damaged = |what: &str| BookError::Damaged { what: what.to_string() };
        let mut bytes = Bytes { all: bytes, at: 0 };
        if bytes.take(8) != Some(MAGIC) {
            return Err(damaged("it is not a book of this version"));
        }
        let head = || damaged("its head is damaged");
        let length = u16::from_le_bytes(bytes.array().ok_or_else(head)?);
        let name = bytes.take(length.into()).ok_or_else(head)?;
        let count = u64::from_le_bytes(bytes.array().ok_or_else(head)?);
        if !bytes.is_checked_from(0) {
            return Err(head());
        }
        let name = std::str::from_utf8(name).map_err(|_| head())?;
        let mut book = Book::of(name.parse()?);
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

    /// Reads a block of entries that follow those before; `None` if that is not what there is.
    fn read_block(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let from = bytes.at;
        let length = u32::from_le_bytes(bytes.array()?) as usize;
        let count = u32::from_le_bytes(bytes.array()?);
        let mut body = Bytes { all: bytes.take(length)?, at: 0 };
        if count == 0 || !bytes.is_checked_from(from) {
            return None;
        }
        for _ in 0..count {
            let before = self.entries.last().map(|entry| entry.rank);
            let step = body.varying()?;
            let rank = before.unwrap_or(0).checked_add(step)?;
            let [effort, low] = body.array()?;
            let low = low as i8;
            let high = if effort >= EXACT { low } else { body.array::<1>()?[0] as i8 };
            let entry = Entry { rank, low, high, effort: effort % EXACT };
            // The checksum is right, so that only a false writer comes here.
            let follows = before.is_none_or(|before| rank > before);
            (follows && self.is_possible(&entry)).then(|| self.entries.push(entry))?;
        }
        (body.at == body.all.len()).then_some(())
    }

    /// Whether there is such a board, live, and its value can be so.
    fn is_possible(&self, entry: &Entry) -> bool {
        if entry.rank >= self.ranks.below(self.ranks.max_layer() + 1) || entry.effort >= 64 {
            return false;
        }
        let board = self.ranks.board(entry.rank);
        let seeds = (board.own_seeds() + board.other_seeds()) as i64;
        let (low, high) = (i64::from(entry.low), i64::from(entry.high));
        let live = board.own_seeds() > 0 && board.other_seeds() > 0;
        // All seeds are shared out, so that a value is odd or even with their number.
        let even = low < high || self.family.rules().remaining_lost || (seeds - low) % 2 == 0;
        live && even && -seeds <= low && low <= high && high <= seeds
    }

    /// The bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let name = self.family.to_string();
        let mut bytes = MAGIC.to_vec();
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend((self.entries.len() as u64).to_le_bytes());
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        let mut before = 0;
        for block in self.entries.chunks(BLOCK) {
            let mut body = Vec::new();
            for entry in block {
                put_varying(&mut body, entry.rank - before);
                before = entry.rank;
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

    /// Whether each entry follows from the rules and from the other entries.
    pub fn check(&self) -> BookCheck {
        let law: Law<Small> = Law::new(&self.family.game());
        let mut check = BookCheck::default();
        for entry in &self.entries {
            let board = self.ranks.board(entry.rank);
            let (implied, known) = self.implied(&law, &board);
            let ours = entry.bounds();
            if ours.and(implied).is_none() {
                check.wrong.push(self.contradiction(&board, ours, implied).to_string());
            } else if ours.low <= implied.low && implied.high <= ours.high {
                check.follow += 1;
            } else if known {
                check.partly += 1;
            } else {
                check.alone += 1;
            }
        }
        check
    }

    /// The bounds that a board's moves give it, and whether anything is known of one of them.
    fn implied(&self, law: &Law<Small>, board: &Small) -> (Bounds, bool) {
        let seeds = (board.own_seeds() + board.other_seeds()) as i64;
        let (mut bounds, mut any) = (Bounds { low: -seeds, high: -seeds }, false);
        for slot in (0..law.houses()).filter(|slot| board.seeds(*slot) > 0) {
            let played = law.play(*board, slot);
            let left = (played.board.own_seeds() + played.board.other_seeds()) as i64;
            let (known, is_known) = if played.finished {
                let rest = law.remaining(&played.board);
                (Bounds { low: rest, high: rest }, true)
            } else {
                let entry = self.get(&played.board);
                (entry.map_or(Bounds::of_seeds(left), Entry::bounds), entry.is_some())
            };
            let Bounds { low, high } = if played.again { known } else { -known };
            let gain = played.gain as i64;
            bounds.low = bounds.low.max(low + gain);
            bounds.high = bounds.high.max(high + gain);
            any |= is_known;
        }
        (bounds, any)
    }
}

/// What a check of a book found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookCheck {
    /// Entries that follow from the rules and the other entries.
    pub follow: usize,
    /// Entries that other entries bear out in part.
    pub partly: usize,
    /// Entries none of whose moves leads to another: the edge of the book.
    pub alone: usize,
    /// Entries that contradict others, in words.
    pub wrong: Vec<String>,
}

impl Entry {
    pub(crate) fn new(rank: u64, Bounds { low, high }: Bounds, work: u64) -> Entry {
        Entry { rank, low: low as i8, high: high as i8, effort: work.max(1).ilog2() as u8 }
    }

    pub(crate) fn bounds(&self) -> Bounds {
        Bounds { low: self.low.into(), high: self.high.into() }
    }

    pub(crate) fn work(&self) -> u64 {
        1 << self.effort
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

    /// Whether the next four bytes are the checksum of those from some place on.
    fn is_checked_from(&mut self, from: usize) -> bool {
        let sum = crc32fast::hash(&self.all[from..self.at]);
        self.array() == Some(sum.to_le_bytes())
    }

    /// A number of variable length.
    fn varying(&mut self) -> Option<u64> {
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

fn put_varying(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

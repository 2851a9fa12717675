//! Books: proven bounds of positions, with the effort behind them.

use std::collections::HashSet;

use sowing_rules::{
    Board, BoardIndex, Bounds, CompactBoard, CompiledRules, Family, Game, Position,
};

use super::error::BookError;
use crate::entry::{EFFORT_BITS, Entry, least_effort};

/// Proven bounds of positions of one family of games, each with the effort of its proof.
///
/// ```
/// use sowing_rules::Position;
/// use sowing_rules::Bounds;
/// use sowing_solver::Book;
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
    pub(super) family: Family,
    /// `None` if it is of no file, or of one in the first version of the format.
    pub(super) program: Option<String>,
    pub(super) indices: BoardIndex,
    /// In order of index, each board once.
    pub(super) entries: Vec<Entry>,
}

/// A line of a book's listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookLine {
    /// The position, stores empty.
    pub position: Position,
    /// The proven bounds of its value.
    pub bounds: Bounds,
    /// About the nodes that the proof took.
    pub work: u64,
}

impl Book {
    /// An empty book of a game's family.
    pub fn new(game: &Game) -> Result<Book, BookError> {
        Ok(Book::empty(Family::for_game(game)?))
    }

    pub(super) fn empty(family: Family) -> Book {
        let indices = BoardIndex::new(family.houses().into());
        Book { family, program: None, indices, entries: Vec::new() }
    }

    /// A book of entries in order of index.
    pub(crate) fn from_entries(family: Family, entries: Vec<Entry>) -> Book {
        Book { entries, ..Book::empty(family) }
    }

    /// The games that it is for.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The program that wrote the file, as it names itself. `None` if the book is of no file, or of one in the first
    /// version of the format.
    pub fn program(&self) -> Option<&str> {
        self.program.as_deref()
    }

    /// The number of positions.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether the book is empty.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of positions whose value is known.
    pub fn exact(&self) -> usize {
        self.entries.iter().filter(|entry| entry.low == entry.high).count()
    }

    /// Fails for a game of another family.
    pub fn require(&self, game: &Game) -> Result<(), BookError> {
        let wanted = Family::for_game(game)?;
        if wanted == self.family {
            return Ok(());
        }
        Err(BookError::OtherFamily { book: self.family, wanted })
    }

    /// Fails for a position with more seeds in houses than a book can hold.
    pub fn require_room(&self, position: &Position) -> Result<(), BookError> {
        self.board(position).map(|_| ())
    }

    fn board(&self, position: &Position) -> Result<CompactBoard, BookError> {
        let (seeds, most) = (position.layer(), self.indices.max_layer());
        let board = CompactBoard::new(position.board()).ok().filter(|_| seeds <= most);
        board.ok_or_else(|| {
            let (position, family) = (position.to_string(), self.family);
            BookError::TooManySeeds { position, seeds, family, most }
        })
    }

    /// The proven bounds of a position's value; `None` if the book does not have it: it is not there, it is of
    /// another family, the game is over, or a swap is still possible.
    pub fn probe(&self, position: &Position) -> Option<Bounds> {
        let is_open = !position.is_finished() && !position.pie_is_open();
        if !is_open || self.require(position.game()).is_err() {
            return None;
        }
        let entry = self.get(&CompactBoard::new(position.board()).ok()?)?;
        Some(entry.bounds().shifted(position.lead()))
    }

    /// Adds proven bounds of a live position's value, and about the nodes that the proof took. Bounds that are
    /// there already are narrowed. It fails for positions of other families, finished ones, and those in which a
    /// swap is still possible.
    pub fn add(&mut self, position: &Position, bounds: Bounds, work: u64) -> Result<(), BookError> {
        self.require(position.game())?;
        if position.is_finished() || position.pie_is_open() {
            return Err(BookError::NotOpen { position: position.to_string() });
        }
        let board = self.board(position)?;
        let all = Bounds::from_layer(position.layer() as i64);
        let alone = bounds.shifted(-position.lead());
        let both = alone.intersect(all).ok_or_else(|| self.contradiction(&board, alone, all))?;
        let entry = Entry::new(self.indices.compact_index(&board), both, work);
        self.put(entry)
    }

    /// Adds all entries of another book of the family.
    pub fn merge(&mut self, other: &Book) -> Result<(), BookError> {
        if other.family != self.family {
            return Err(BookError::OtherFamily { book: other.family, wanted: self.family });
        }
        self.merge_entries(&other.entries)
    }

    /// Adds entries in order of index.
    pub(crate) fn merge_entries(&mut self, others: &[Entry]) -> Result<(), BookError> {
        let mut merged = Vec::with_capacity(self.entries.len() + others.len());
        let mut others = others.iter().copied().peekable();
        for ours in &self.entries {
            while let Some(theirs) = others.next_if(|theirs| theirs.index < ours.index) {
                merged.push(theirs);
            }
            merged.push(match others.next_if(|theirs| theirs.index == ours.index) {
                Some(theirs) => self.both(*ours, theirs)?,
                None => *ours,
            });
        }
        merged.extend(others);
        self.entries = merged;
        Ok(())
    }

    /// Adds an entry whose index is that of the last one, or higher.
    pub(crate) fn merge_last(&mut self, entry: Entry) -> Result<(), BookError> {
        match self.entries.pop_if(|last| last.index == entry.index) {
            Some(last) => self.entries.push(self.both(last, entry)?),
            None => self.entries.push(entry),
        }
        Ok(())
    }

    /// Keeps the `most` positions with the most effort. Of those with the same effort, the ones with the fewest
    /// seeds stay.
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

    /// Removes positions whose proof took fewer nodes than this.
    pub fn keep_work(&mut self, least: u64) {
        self.entries.retain(|entry| entry.work() >= least);
    }

    /// Keeps the positions that are reached from `start` within `turns` whole turns. It fails if these pass
    /// through more than ten million positions.
    ///
    /// ```
    /// use sowing_rules::{Bounds, Position};
    /// use sowing_solver::Book;
    ///
    /// let game = "kalah(4,3)".parse()?;
    /// let start = Position::start(game);
    /// let (later, _) = start.play("4".parse()?);
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
        let rules = CompiledRules::<CompactBoard>::new(start.game());
        let board = self.board(start)?;
        let mut seen = HashSet::from([board]);
        let mut pending = vec![board];
        for turn in 0..=turns {
            // Where the next turn starts. Such a board may also be on the way of this one, and is
            // then passed through a turn sooner.
            let mut next = HashSet::new();
            while let Some(board) = pending.pop() {
                for slot in board.occupied() {
                    let played = rules.play_unchecked(board, slot);
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
        let indices: HashSet<u64> =
            seen.iter().map(|board| self.indices.compact_index(board)).collect();
        self.entries.retain(|entry| indices.contains(&entry.index));
        Ok(())
    }

    /// All positions, those with few seeds first.
    pub fn lines(&self) -> impl Iterator<Item = BookLine> {
        let game = self.family.game();
        self.entries.iter().map(move |entry| BookLine {
            position: self.position(game, entry.index),
            bounds: entry.bounds(),
            work: entry.work(),
        })
    }

    /// The position of an index, stores empty.
    fn position(&self, game: Game, index: u64) -> Position {
        let (own, other) = self.rows(&self.indices.board(index));
        let setup = format!("{own},0|{other},0").parse().expect("few seeds");
        Position::free(game, &setup).expect("as many houses")
    }

    /// The houses of both rows.
    fn rows(&self, board: &CompactBoard) -> (String, String) {
        let text = |row: u64| {
            let seeds = row.to_le_bytes().into_iter().take(self.family.houses().into());
            seeds.map(|seeds| seeds.to_string()).collect::<Vec<_>>().join(",")
        };
        (text(board.own()), text(board.other()))
    }

    pub(super) fn contradiction(
        &self,
        board: &CompactBoard,
        one: Bounds,
        other: Bounds,
    ) -> BookError {
        let (own, opposite) = self.rows(board);
        BookError::Contradiction { board: format!("{own}|{opposite}"), one, other }
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of a board.
    pub(crate) fn get(&self, board: &CompactBoard) -> Option<&Entry> {
        if board.layer() > self.indices.max_layer() {
            return None;
        }
        let index = self.indices.compact_index(board);
        let index = self.entries.binary_search_by_key(&index, |entry| entry.index).ok()?;
        Some(&self.entries[index])
    }

    fn put(&mut self, entry: Entry) -> Result<(), BookError> {
        match self.entries.binary_search_by_key(&entry.index, |entry| entry.index) {
            Ok(index) => self.entries[index] = self.both(self.entries[index], entry)?,
            Err(index) => self.entries.insert(index, entry),
        }
        Ok(())
    }

    /// The entry that follows from two of one board.
    fn both(&self, one: Entry, other: Entry) -> Result<Entry, BookError> {
        let (ours, theirs) = (one.bounds(), other.bounds());
        match ours.intersect(theirs) {
            Some(Bounds { low, high }) => Ok(Entry {
                low: low as i8,
                high: high as i8,
                effort: one.effort.max(other.effort),
                ..one
            }),
            None => Err(self.contradiction(&self.indices.board(one.index), ours, theirs)),
        }
    }
}

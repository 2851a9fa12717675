//! Opening books: the positions that games come through first, and those of nearly perfect play.

use std::collections::{BTreeMap, HashSet};

use sowing_rules::{Bounds, Move, Position};
use sowing_solver::{Book, BookError, SolveError, Solver};

/// Why a book did not grow.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GrowError {
    /// The solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// What was found does not go with what the book says.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// Grows a book from a position, as long as the solver has time and somebody wants more.
///
/// A position is opened when it and all its moves are in the book with their values, and so is every
/// position of a turn that proves its value: whoever looks at it needs no search. Positions are opened
/// in the order of their distance from the start, which is a turn for each turn and half
/// a turn for each point of margin that was lost on the way: so the first turns are all there, and beyond them the
/// lines of nearly perfect play. Positions with few seeds in houses are not opened: they are solved
/// as soon as they are asked for.
///
/// ```
/// use sowing_rules::Position;
/// use sowing_lab::OpeningBook;
/// use sowing_solver::{Book, Solver};
///
/// let game = "kalah(4,3)".parse()?;
/// let mut book = OpeningBook::new(Book::new(&game)?, Position::start(game), 12);
/// let mut solver = Solver::new(game)?;
/// while book.opened() < 10 && book.open_next(&mut solver)? {}
/// assert!(book.book().check().wrong.is_empty());
/// assert_eq!(book.book().probe(&Position::start(game)).map(|bounds| bounds.low), Some(6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OpeningBook {
    book: Book,
    /// By distance, and by the order in which they were found.
    queue: BTreeMap<(u64, u64), Position>,
    seen: HashSet<Position>,
    quick: u64,
    found: u64,
    opened: u64,
}

/// How far a point of margin that is lost takes a position away from the start; a turn takes it 4.
const DEAR: u64 = 2;

const TURN: u64 = 4;

impl OpeningBook {
    /// A book to be grown from a position. Positions with at most `quick` seeds in houses are not
    /// opened.
    pub fn new(book: Book, start: Position, quick: u64) -> OpeningBook {
        let mut grown = OpeningBook {
            book,
            queue: BTreeMap::new(),
            seen: HashSet::new(),
            quick,
            found: 0,
            opened: 0,
        };
        grown.meet(start, 0);
        grown
    }

    /// The book as it stands.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// How many positions were opened.
    pub fn opened(&self) -> u64 {
        self.opened
    }

    /// How many turns away the next position is, lost points counted in.
    pub fn distance(&self) -> Option<f64> {
        self.queue.first_key_value().map(|((distance, _), _)| *distance as f64 / TURN as f64)
    }

    fn meet(&mut self, position: Position, distance: u64) {
        let open = !position.is_finished() && position.layer() > self.quick;
        if open && self.seen.insert(position) {
            self.found += 1;
            self.queue.insert((distance, self.found), position);
        }
    }

    /// Opens the next position. `false` if there is none, or the solver was stopped before it was
    /// done: what was found by then is kept.
    pub fn open_next(&mut self, solver: &mut Solver) -> Result<bool, GrowError> {
        let Some(((distance, _), position)) = self.queue.pop_first() else {
            return Ok(false);
        };
        let Some(value) = self.add(solver, &position)? else { return Ok(false) };
        let actions: Vec<Move> = position.moves().collect();
        for action in actions {
            let (next, report) = position.play(action);
            let Some(after) = self.value(solver, &next)? else { return Ok(false) };
            let after = if report.again { after } else { -after };
            let turn = if report.again { 0 } else { TURN };
            self.meet(next, distance + turn + DEAR * (value - after).unsigned_abs());
        }
        match solver.turn_achieving(&position, value) {
            Ok(turn) => {
                let mut at = position;
                for action in turn {
                    at = at.play(action).0;
                    if self.value(solver, &at)?.is_none() {
                        return Ok(false);
                    }
                }
            }
            Err(SolveError::Stopped(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        self.opened += 1;
        Ok(true)
    }

    /// The value of a position; it is added where the game is not over.
    fn value(
        &mut self,
        solver: &mut Solver,
        position: &Position,
    ) -> Result<Option<i64>, GrowError> {
        match position.margin() {
            Some(margin) => Ok(Some(margin)),
            None => self.add(solver, position),
        }
    }

    fn add(&mut self, solver: &mut Solver, position: &Position) -> Result<Option<i64>, GrowError> {
        if let Some(Bounds { low, high }) = self.book.probe(position)
            && low == high
        {
            return Ok(Some(low));
        }
        let before = solver.nodes();
        let verdict = solver.value(position)?;
        let Bounds { low, high } = verdict.bounds;
        // Bounds that the board alone tells are not worth a place.
        if high - low < 2 * position.layer() as i64 {
            self.book.add(position, verdict.bounds, solver.nodes() - before)?;
        }
        Ok(verdict.value())
    }
}

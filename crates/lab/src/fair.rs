//! Starts beside the usual one, and which of them are fair.

use sowing_rules::{Bounds, Game, Outcome, Position, SeededRng, WideBoard};
use sowing_solver::{Answer, Goal, Query, SolveError, Solver, StopReason};

/// More starts than anybody asks about at once.
pub const MOST_STARTS: u64 = 200_000;

/// The starts of a game that differ from the usual one by moving a few seeds between houses, the
/// usual one among them, in order of their boards: the mover's houses from the left, then the
/// opponent's.
///
/// Of starts that are no more than some moves of a seed from each other many lead to the same
/// boards, so that one solver that is asked about all of them in this order is quick.
///
/// ```
/// use sowing_lab::NearStarts;
///
/// let game = "kalah(6,4)".parse()?;
/// assert_eq!(NearStarts::of(game, 2)?.positions().len(), 4_555);
/// assert_eq!(NearStarts::with_stores(game, 2)?.positions().len(), 6_397);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct NearStarts {
    game: Game,
    moved: u32,
    positions: Vec<Position>,
}

/// Why there is no such list of starts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NearStartsError {
    /// A swap makes any start fair by itself.
    #[error(
        "under the pie rule the second player evens out any start: leave pie out, as in kalah(6,4)"
    )]
    Pie,
    /// There are too many.
    #[error(
        "moving {moved} seeds of {game} gives more than {MOST_STARTS} starts: move fewer, as in 2"
    )]
    TooMany {
        /// The game.
        game: Game,
        /// The seeds that may be moved.
        moved: u32,
    },
}

impl NearStarts {
    /// The starts that take at most so many seeds from houses and put them into others.
    pub fn of(game: Game, moved: u32) -> Result<NearStarts, NearStartsError> {
        NearStarts::laid(game, moved, false)
    }

    /// The same with seeds that are put into stores too, as a lead for one of the players.
    pub fn with_stores(game: Game, moved: u32) -> Result<NearStarts, NearStartsError> {
        NearStarts::laid(game, moved, true)
    }

    fn laid(game: Game, moved: u32, stores: bool) -> Result<NearStarts, NearStartsError> {
        if game.rules().pie {
            return Err(NearStartsError::Pie);
        }
        let row = vec![game.seeds(); 2 * usize::from(game.houses())];
        let mut lay = Lay { game, most: moved.into(), stores, row, found: Vec::new() };
        if lay.from(0, 0, 0) {
            Ok(NearStarts { game, moved, positions: lay.found })
        } else {
            Err(NearStartsError::TooMany { game, moved })
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The most seeds that are moved.
    pub fn moved(&self) -> u32 {
        self.moved
    }

    /// The starts.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }
}

/// Lays seeds house by house: each has as many as usual, fewer or more.
struct Lay {
    game: Game,
    /// The most seeds taken out of houses, and as many are put into others.
    most: u64,
    /// Whether what is taken out may go into stores too.
    stores: bool,
    row: Vec<u64>,
    found: Vec<Position>,
}

impl Lay {
    /// Goes on from a house, so many seeds having been taken out and put in. `false` if there are too
    /// many boards.
    fn from(&mut self, house: usize, taken: u64, put: u64) -> bool {
        if house == self.row.len() {
            let (own, other) = self.row.split_at(house / 2);
            let live = own.iter().any(|seeds| *seeds > 0) && other.iter().any(|seeds| *seeds > 0);
            let left = taken.checked_sub(put).filter(|left| live && (self.stores || *left == 0));
            // What is left over goes into the two stores.
            for store in left.map_or(0..0, |left| 0..left + 1) {
                let setup = WideBoard::new(own, store, other, taken - put - store).into();
                self.found.push(Position::new(self.game, &setup).expect("seeds are only moved"));
            }
            return self.found.len() as u64 <= MOST_STARTS;
        }
        let usual = self.game.seeds();
        let fewest = usual - usual.min(self.most - taken);
        (fewest..=usual + (self.most - put)).all(|seeds| {
            self.row[house] = seeds;
            let (out, into) = (usual.saturating_sub(seeds), seeds.saturating_sub(usual));
            self.from(house + 1, taken + out, put + into)
        })
    }
}

/// How many seeds a start has moved from where they usually lie.
pub fn seeds_moved(start: &Position) -> u64 {
    let board = start.board();
    let houses = board.own().iter().chain(board.other());
    houses.map(|seeds| start.game().seeds().saturating_sub(*seeds)).sum()
}

/// A start and what it is worth.
#[derive(Clone, Copy, Debug)]
pub struct ValuedStart {
    /// The start.
    pub start: Position,
    /// The first player's margin with perfect play, or bounds that tell who wins.
    pub bounds: Bounds,
}

impl ValuedStart {
    /// Whether both players end with the same.
    pub fn is_fair(&self) -> bool {
        self.bounds.outcome() == Some(Outcome::Draw)
    }
}

impl NearStarts {
    /// Solves the starts from this one on, in order, and tells each. `false` if the solver was stopped
    /// or was told not to go on.
    pub fn solve(
        &self,
        solver: &mut Solver,
        goal: Goal,
        from: usize,
        tell: &mut dyn FnMut(ValuedStart) -> bool,
    ) -> Result<bool, SolveError> {
        let mut near = 0;
        for start in self.positions.iter().skip(from) {
            let Ok(bounds) = solve(solver, start, goal, near)? else { return Ok(false) };
            // Neighbours are worth much the same: a good guess saves a question.
            near = bounds.low;
            if !tell(ValuedStart { start: *start, bounds }) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A fair start, each as likely as the other: starts are tried in an order that the seed gives.
    /// `None` if there is none. It fails if the solver is stopped.
    pub fn random_fair(
        &self,
        solver: &mut Solver,
        seed: u64,
    ) -> Result<Option<Position>, SolveError> {
        let mut order: Vec<&Position> = self.positions.iter().collect();
        let mut random = SeededRng::new(seed, 0);
        for left in (1..=order.len()).rev() {
            let start = order.swap_remove(random.below(left as u64) as usize);
            let bounds = solve(solver, start, Goal::Outcome, 0)?.map_err(SolveError::Stopped)?;
            if bounds.outcome() == Some(Outcome::Draw) {
                return Ok(Some(*start));
            }
        }
        Ok(None)
    }
}

/// The bounds of a start's value that reach a goal, or why the solver stopped before.
fn solve(
    solver: &mut Solver,
    start: &Position,
    goal: Goal,
    near: i64,
) -> Result<Result<Bounds, StopReason>, SolveError> {
    let first_target = if goal == Goal::Outcome { near.clamp(0, 1) } else { near };
    let query = Query { goal, known: None, first_target };
    let Answer { bounds, stopped } = solver.search(start, &query, &mut |_| {})?;
    Ok(stopped.map_or(Ok(bounds), Err))
}

/// A list of fair starts that is built in: those that move up to two seeds.
struct Shipped {
    game: &'static str,
    starts: &'static str,
}

const SHIPPED: [Shipped; 5] = [
    Shipped { game: "kalah(4,3)", starts: include_str!("../data/fair-kalah-4-3.txt") },
    Shipped { game: "kalah(6,3)", starts: include_str!("../data/fair-kalah-6-3.txt") },
    Shipped { game: "kalah(6,4)", starts: include_str!("../data/fair-kalah-6-4.txt") },
    Shipped {
        game: "kalah(6,4,empty-capture)",
        starts: include_str!("../data/fair-kalah-6-4-empty-capture.txt"),
    },
    Shipped { game: "s-kalaha(6,3)", starts: include_str!("../data/fair-s-kalaha-6-3.txt") },
];

/// The seeds that the fair starts which are built in have moved at most.
pub const SHIPPED_MOVED: u32 = 2;

/// The fair starts that are built in: all that move up to two seeds. `None` for games that have no list.
pub fn fair_starts(game: &Game) -> Option<Vec<Position>> {
    let name = game.to_string();
    let shipped = SHIPPED.iter().find(|shipped| shipped.game == name)?;
    let read = |line: &str| {
        let setup = line.parse().expect("a test reads each line");
        Position::new(*game, &setup).expect("a test reads each line")
    };
    let starts: Vec<Position> = shipped.starts.lines().map(read).collect();
    // A list is built in when all of its starts are solved.
    (!starts.is_empty()).then_some(starts)
}

/// One of the [fair starts](fair_starts) that are built in, each as likely as the other.
pub fn random_fair_start(game: &Game, seed: u64) -> Option<Position> {
    let starts = fair_starts(game)?;
    let index = SeededRng::new(seed, 0).below(starts.len() as u64);
    starts.get(index as usize).copied()
}

#[cfg(test)]
mod tests {
    use sowing_plain::{Negamax, Plain};

    use super::*;

    fn near(game: &str, moved: u32) -> NearStarts {
        NearStarts::of(game.parse().unwrap(), moved).unwrap()
    }

    #[test]
    fn every_start_is_there_once() {
        for (game, moved, starts) in [
            ("kalah(6,4)", 0, 1),
            ("kalah(6,4)", 1, 133),
            ("kalah(6,4)", 2, 4_555),
            // Two houses each, one seed: some have nothing left to give.
            ("kalah(1,1)", 1, 1),
            ("kalah(2,2)", 1, 13),
        ] {
            let near = near(game, moved);
            let mut boards: Vec<String> =
                near.positions().iter().map(Position::to_string).collect();
            assert_eq!(boards.len(), starts, "{game} {moved}");
            assert!(near.positions().iter().all(|start| {
                start.total() == near.game().total()
                    && start.lead() == 0
                    && !start.is_finished()
                    && seeds_moved(start) <= moved.into()
            }));
            boards.sort_unstable();
            boards.dedup();
            assert_eq!(boards.len(), starts);
        }
        let refused = |game: &str, moved| {
            NearStarts::of(game.parse().unwrap(), moved).unwrap_err().to_string()
        };
        assert!(refused("kalah(16,9)", 16).contains("move fewer"));
        assert!(refused("kalah(6,4,pie)", 1).contains("pie"));
    }

    #[test]
    fn values_are_those_of_plain_negamax() {
        for game in ["kalah(3,3)", "kalah(3,2,empty-capture)", "s-kalaha(3,2)", "kalah(2,3)"] {
            let near = near(game, 2);
            let mut solver = Solver::new(*near.game()).unwrap();
            let mut plain = Negamax::default();
            let mut fair = Vec::new();
            let all = near.solve(&mut solver, Goal::Value, 0, &mut |valued| {
                let value = plain.value(&Plain::from_position(&valued.start));
                assert_eq!(valued.bounds.value(), Some(value), "{}", valued.start);
                assert_eq!(valued.is_fair(), value == 0);
                fair.extend(valued.is_fair().then_some(valued.start));
                true
            });
            assert!(all.unwrap());
            let mut solver = Solver::new(*near.game()).unwrap();
            let mut outcomes = Vec::new();
            let all = near.solve(&mut solver, Goal::Outcome, 0, &mut |valued| {
                outcomes.extend(valued.is_fair().then_some(valued.start));
                true
            });
            assert!(all.unwrap());
            assert_eq!(outcomes, fair, "{game}");
            let random = near.random_fair(&mut solver, 3).unwrap();
            assert_eq!(random.is_some(), !fair.is_empty());
            assert!(random.is_none_or(|start| fair.contains(&start)));
        }
    }
}

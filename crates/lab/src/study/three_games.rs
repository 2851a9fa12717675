//! Kalah, Dakon and S-Kalaha side by side: capture, capture and relay, relay. The comparison is
//! printed nowhere; of its single figures, some of Kalah's and S-Kalaha's are, and have studies of
//! their own.

use std::time::Instant;

use sowing_rules::{Game, Position, Rules};
use sowing_solver::Solver;

use super::{Cell, Comparison, Computed, Figure, Study, StudyKind, Work};
use crate::{Census, Openings, Playouts};

const COMPARED: &str =
    "Kalah, Dakon and S-Kalaha side by side, for h and s to 6; the comparison is printed nowhere";

/// The games, with the names that rows have.
const GAMES: [(&str, Rules); 3] =
    [("kalah", Rules::KALAH), ("dakon", Rules::DAKON), ("s-kalaha", Rules::S_KALAHA)];

pub(super) const VALUES: Study = Study {
    name: "three-values",
    title: "Value of Kalah, Dakon and S-Kalaha",
    citation: COMPARED,
    kind: StudyKind::Margins,
    labels: ["game", "s"],
    note: "The first player's margin with perfect play. Small games come first, and no game takes \
           more than a tenth of the time that is left: what is proven by then is given.",
    cells: values,
};

pub(super) const POSITIONS: Study = Study {
    name: "three-positions",
    title: "Positions of Kalah, Dakon and S-Kalaha that can be reached",
    kind: StudyKind::Counts,
    note: "Live positions with the player to move, and finished boards once each, seeds left where \
           they lie. Counted where there are at most 10^9 ways to lay the seeds.",
    cells: positions,
    ..VALUES
};

pub(super) const LENGTHS: Study = Study {
    name: "three-lengths",
    title: "Moves of a random game of Kalah, Dakon and S-Kalaha",
    kind: StudyKind::Estimates,
    note: "The mean number of moves of games in which every legal move is equally likely.",
    cells: |work| random(work, |games| [games.depth(), games.depth_error()]),
    ..VALUES
};

pub(super) const BRANCHING: Study = Study {
    name: "three-branching",
    title: "Choices of a random game of Kalah, Dakon and S-Kalaha",
    note: "The mean number of legal moves, over all positions of games in which every legal move is \
           equally likely.",
    cells: |work| random(work, |games| [games.branching(), games.branching_error()]),
    ..LENGTHS
};

pub(super) const ADVANTAGE: Study = Study {
    name: "three-advantage",
    title: "First player's points in random games of the three games",
    note: "The first player's points in games in which every legal move is equally likely, a win \
           being 100 and a draw 50: 50 is no advantage.",
    cells: |work| random(work, advantage),
    ..LENGTHS
};

pub(super) const FIRST_TURNS: Study = Study {
    name: "three-first-turns",
    title: "Wins of Kalah, Dakon and S-Kalaha in the first turn",
    kind: StudyKind::Outcomes,
    note: "Whether the first player can win before the other has moved. Where the first turn goes \
           through more than two million positions it is left open.",
    cells: first_turns,
    ..VALUES
};

/// More ways to lay the seeds are not counted.
const WAYS: u128 = 1_000_000_000;

/// The most positions of a first turn.
const LIMIT: usize = 2_000_000;

/// One row a game and number of houses, the three games next to each other.
fn cells() -> impl Iterator<Item = Cell> {
    let rows = (1..=6).flat_map(|houses| GAMES.map(|(name, _)| format!("{name}({houses},.)")));
    rows.flat_map(|row| (1..=6).map(move |seeds| Cell::new(&row, seeds, None)))
}

fn game(cell: &Cell) -> Game {
    let named = cell.row.replace('.', &cell.column);
    named.parse().expect("rows are games without their seeds")
}

/// Cells in the order of the seeds of their games, so that a slow one does not take the time of
/// the quick ones.
fn each(work: &Work, mut compute: impl FnMut(Game) -> Computed) -> Vec<Cell> {
    let mut ordered: Vec<(usize, Cell)> = cells().enumerate().collect();
    ordered.sort_by_key(|(_, cell)| game(cell).total());
    let places: Vec<usize> = ordered.iter().map(|(place, _)| *place).collect();
    let done = work.each(ordered.into_iter().map(|(_, cell)| cell), |cell| {
        cell.computed = compute(game(cell));
        if cell.computed != Computed::Nothing {
            cell.verdict = Comparison::Unprinted;
        }
    });
    let mut done: Vec<(usize, Cell)> = places.into_iter().zip(done).collect();
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, cell)| cell).collect()
}

fn values(work: &Work) -> Vec<Cell> {
    each(work, |game| {
        let verdict = Solver::with_options(game, work.solver(work.left() / 10))
            .and_then(|mut solver| solver.value(&Position::start(game)));
        let Ok(verdict) = verdict else { return Computed::Nothing };
        let bounds = verdict.bounds;
        match verdict.value() {
            Some(value) => Computed::Exact { value: Figure::Number(value) },
            // As far apart as they can be, bounds say nothing.
            None if bounds.high - bounds.low >= 2 * game.total() as i64 => Computed::Nothing,
            None => Computed::Bounds { low: bounds.low, high: bounds.high },
        }
    })
}

fn positions(work: &Work) -> Vec<Cell> {
    each(work, |game| {
        let (pits, seeds) = (2 * u128::from(game.houses()) + 1, u128::from(game.total()));
        let ways = (1..=pits).fold(1, |product, i| product * (seeds + i) / i);
        if 2 * ways > WAYS {
            return Computed::Nothing;
        }
        match Census::of(&game, work.options.memory) {
            Ok(census) => Computed::Exact { value: Figure::Number(census.total() as i64) },
            Err(_) => Computed::Nothing,
        }
    })
}

fn first_turns(work: &Work) -> Vec<Cell> {
    each(work, |game| match Openings::shortest_win(game, LIMIT) {
        Ok(win) => {
            let word = if win.is_some() { "yes" } else { "no" };
            Computed::Exact { value: Figure::Word(word.to_string()) }
        }
        Err(_) => Computed::Nothing,
    })
}

/// A mean over random games, and half the width of its 95 % interval.
fn random(work: &Work, mean: impl Fn(&Playouts) -> [f64; 2]) -> Vec<Cell> {
    each(work, |game| {
        let (games, seed, end) = (work.options.games, work.options.seed, work.end);
        match Playouts::play_while(game, games, seed, |_| Instant::now() < end) {
            Some(played) => {
                let [mean, error] = mean(&played);
                let value = Figure::Mean(mean);
                Computed::LogEstimate { value, low: mean - error, high: mean + error }
            }
            None => Computed::Nothing,
        }
    })
}

/// The first player's points of a hundred.
fn advantage(played: &Playouts) -> [f64; 2] {
    let games = played.games as f64;
    let [wins, draws] = [played.wins, played.draws].map(|count| count as f64 / games);
    let mean = wins + draws / 2.0;
    let variance = wins + draws / 4.0 - mean * mean;
    [100.0 * mean, 196.0 * (variance.max(0.0) / games).sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_games() {
        let cells: Vec<Cell> = cells().collect();
        assert_eq!(cells.len(), 3 * 36);
        let names: Vec<String> = cells[6..8].iter().map(|cell| game(cell).to_string()).collect();
        assert_eq!(names, ["kalah(1,1,relay)", "kalah(1,2,relay)"]);
        assert!(GAMES.iter().all(|(name, rules)| name.parse() == Ok(*rules)));
    }
}

//! What the start is worth.

use sowing_rules::{Game, Move, Outcome, Position, Rules};
use sowing_solver::{SolveError, Solver};

use super::published::{self, number};
use super::{Cell, Comparison, Computed, Figure, IRVING, Study, StudyKind, THESIS, Work};

pub(super) const TABLE_5: Study = Study {
    name: "thesis-5",
    title: "Table 5: game-theoretic value of S-Kalaha(h,s)",
    citation: THESIS,
    kind: StudyKind::Outcomes,
    labels: ["h", "s"],
    note: "Win, draw or loss for the first player with perfect play.",
    cells: table_5,
};

pub(super) const IRVING_9: Study = Study {
    name: "irving-9",
    title: "Table 9: value of Kalah(h,s), empty capture",
    citation: IRVING,
    kind: StudyKind::Margins,
    labels: ["h", "s"],
    note: "The first player's margin with perfect play; with one to three houses a row only win, \
           draw or loss was printed.",
    cells: irving_9,
};

pub(super) const IRVING_10: Study = Study {
    name: "irving-10",
    title: "Table 10: a perfect game of each Kalah(h,s), empty capture",
    citation: IRVING,
    kind: StudyKind::Margins,
    labels: ["game", ""],
    note: "Each printed game is played by the rules to the margin that it ends with, and each of \
           its moves is checked to keep the value. That of Kalah(4,6) is illegal as printed and \
           left out; the value 0 given for it is right (irving-9).",
    cells: irving_10,
};

const IRVINGS_RULES: &str = "empty-capture";

fn letter(outcome: Outcome) -> Figure {
    Figure::Word(
        match outcome {
            Outcome::Win => "W",
            Outcome::Draw => "D",
            Outcome::Loss => "L",
        }
        .to_string(),
    )
}

fn table_5(work: &Work) -> Vec<Cell> {
    let names = ["h", "s1", "s2", "s3", "s4", "s5", "s6"];
    let rows = published::values().columns(names);
    let cells = rows.iter().flat_map(|row| {
        (1..=6).map(move |seeds: usize| Cell::new(row[0], seeds, Some(row[seeds])))
    });
    work.each(cells, |cell| {
        let (houses, seeds) = (number(&cell.row), number(&cell.column));
        let game = Game::new(Rules::S_KALAHA, houses, seeds).expect("a printed game");
        let verdict = Solver::with_options(game, work.solver(work.left()))
            .and_then(|mut solver| solver.outcome(&Position::start(game)));
        if let Some(outcome) = verdict.ok().and_then(|verdict| verdict.outcome()) {
            cell.exact(letter(outcome));
        }
    })
}

fn irving_9(work: &Work) -> Vec<Cell> {
    let rows = published::irving_values().columns(["h", "s", "value"]);
    let mut cells: Vec<Cell> =
        rows.iter().map(|[h, s, value]| Cell::new(h, s, Some(value))).collect();
    // The quick ones first, so that a slow one does not take their time.
    cells.sort_by_key(|cell| irvings_game(&cell.row, &cell.column).total());
    work.each(cells, |cell| {
        let game = irvings_game(&cell.row, &cell.column);
        let verdict = Solver::with_options(game, work.solver(work.left()))
            .and_then(|mut solver| solver.value(&Position::start(game)));
        let Ok(verdict) = verdict else { return };
        let words = cell.printed.as_deref().is_some_and(|printed| "WDL".contains(printed));
        match (verdict.value(), verdict.outcome()) {
            (Some(value), Some(outcome)) if words => {
                cell.exact(letter(outcome));
                cell.note = Some(format!("margin {value:+}"));
            }
            (Some(value), _) => cell.exact(Figure::Number(value)),
            (None, _) => cell.bounds(verdict.bounds, game.total()),
        }
    })
}

fn irvings_game(houses: &str, seeds: &str) -> Game {
    let name = format!("kalah({houses},{seeds},{IRVINGS_RULES})");
    name.parse().expect("a printed game")
}

fn irving_10(work: &Work) -> Vec<Cell> {
    let rows = published::irving_values().columns(["h", "s", "value", "line"]);
    let lines = rows.iter().filter(|[.., line]| !line.is_empty());
    let cells = lines.map(|[h, s, value, line]| {
        let mut cell = Cell::new(format!("({h},{s})"), "margin", Some(value));
        cell.note = Some(line.to_string());
        cell
    });
    work.each(cells, |cell| {
        let size = cell.row.trim_matches(['(', ')']).split_once(',').expect("a size");
        let game = irvings_game(size.0, size.1);
        let line = cell.note.clone().unwrap_or_default();
        match check_line(work, game, &line) {
            Ok(margin) => {
                cell.exact(Figure::Number(margin));
                cell.note = Some(format!("every move keeps the value: {line}"));
            }
            Err(Flaw::Play(what)) => {
                cell.computed = Computed::Exact { value: Figure::Word(what) };
                cell.verdict = Comparison::Differs;
            }
            Err(Flaw::Stopped(margin)) => {
                cell.computed = Computed::Exact { value: Figure::Number(margin) };
                cell.note = Some(format!("played to its end, its moves not all checked: {line}"));
            }
        }
    })
}

/// What is wrong with a printed game.
enum Flaw {
    /// A move that is illegal, or loses something.
    Play(String),
    /// The time is up; the margin that the game ends with.
    Stopped(i64),
}

/// Plays a printed game: houses from 0, a dash where the turn passes. Gives the first player's
/// margin at its end if each move keeps the value.
fn check_line(work: &Work, game: Game, line: &str) -> Result<i64, Flaw> {
    let mut position = Position::start(game);
    let mut sign = 1;
    let mut path = vec![(position, sign)];
    for house in line.chars().filter_map(|character| character.to_digit(10)) {
        let (next, report) = position
            .try_play(Move::house(house as u8 + 1))
            .map_err(|error| Flaw::Play(error.to_string()))?;
        sign = if report.again { sign } else { -sign };
        position = next;
        path.push((position, sign));
    }
    let margin = position.margin().ok_or_else(|| Flaw::Play("not finished".to_string()))? * sign;
    let stopped = |_: SolveError| Flaw::Stopped(margin);
    let mut solver = Solver::with_options(game, work.solver(work.left())).map_err(stopped)?;
    // From the end: what is short to solve helps with what is long.
    for (position, sign) in path.iter().rev() {
        let verdict = solver.value(position).map_err(stopped)?;
        match verdict.value() {
            None => return Err(Flaw::Stopped(margin)),
            Some(value) if value * sign == margin => {}
            Some(value) => {
                return Err(Flaw::Play(format!("{position} is worth {value:+}")));
            }
        }
    }
    Ok(margin)
}

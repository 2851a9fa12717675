//! What is compared.

use sowing_certificate::Claim;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use sowing_analysis::{Analysis, AnalysisOptions, analyze};
use sowing_plain::{Negamax, Plain, certificate, fixed_point};
use sowing_rules::{Bounds, Move, Outcome, Playthrough, Position};
use sowing_solver::{Book, Goal, Query, Solver, SolverOptions};
use sowing_tables::{Tables, build_in_directory, build_in_memory, compress_directory};

use crate::case::{Case, TableSource};

/// How much was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Positions solved.
    pub positions: u64,
    /// Values of single moves.
    pub moves: u64,
    /// Values of whole turns.
    pub turns: u64,
    /// Bounds read back from transposition tables.
    pub stored: u64,
    /// Bounds of searches that were stopped.
    pub stopped: u64,
    /// Certificates that two checkers accepted.
    pub certificates: u64,
}

impl AddAssign for Checked {
    fn add_assign(&mut self, other: Checked) {
        self.positions += other.positions;
        self.moves += other.moves;
        self.turns += other.turns;
        self.stored += other.stored;
        self.stopped += other.stopped;
        self.certificates += other.certificates;
    }
}

/// Where the solver and the plain implementation differ, or the solver fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement(pub String);

type Outcomes<T> = Result<T, Disagreement>;

fn agree<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Outcomes<()> {
    if found == expected {
        return Ok(());
    }
    Err(Disagreement(format!("{what}: the solver has {found:?}, the plain rules {expected:?}")))
}

fn within(what: &str, bounds: Bounds, value: i64) -> Outcomes<()> {
    if bounds.low <= value && value <= bounds.high {
        return Ok(());
    }
    let Bounds { low, high } = bounds;
    Err(Disagreement(format!("{what}: the solver has {low} to {high}, the plain rules {value}")))
}

impl<E: std::error::Error> From<E> for Disagreement {
    fn from(error: E) -> Disagreement {
        Disagreement(format!("the solver fails: {error}"))
    }
}

/// The plain implementation: negamax, or a fixed point where positions can repeat.
#[derive(Default)]
struct Oracle(Negamax);

impl Oracle {
    fn value(&mut self, position: &Position) -> i64 {
        let plain = Plain::from_position(position);
        match plain.rules.repeats() {
            true => fixed_point(&plain)[0].1,
            false => self.0.value(&plain),
        }
    }

    /// The value, for the player who moves at the start, of moves that this player makes in a row.
    fn after(&mut self, position: &Position, moves: &[Move]) -> Outcomes<i64> {
        let (mut at, mut again) = (*position, true);
        for action in moves {
            if !again {
                return Err(Disagreement(format!("the turn {moves:?} goes on after its end")));
            }
            let (next, report) = at.try_play(*action)?;
            (at, again) = (next, report.again);
        }
        let value = self.value(&at);
        Ok(if again { value } else { -value })
    }
}

impl Case {
    /// Solves the position with the case's settings, and compares all that the solver says with the plain
    /// implementation.
    pub fn check(&self) -> Outcomes<Checked> {
        let mut oracle = Oracle::default();
        let position = &self.position;
        let value = oracle.value(position);
        let dir = tempfile::tempdir()?;
        let options = SolverOptions {
            threads: self.threads,
            memory: self.memory,
            tables: self.open_tables(dir.path())?.map(Arc::new),
            build_tables: self.build_tables,
            book: self.book(&mut oracle)?.map(Arc::new),
            ..SolverOptions::default()
        };
        let mut checked = Checked { positions: 1, ..Checked::default() };
        if let Some(reports) = self.stop_after {
            let mut solver = Solver::with_options(*position.game(), options.clone())?;
            within("stopped", stopped(&mut solver, position, reports)?, value)?;
            checked.stored += stored(&solver, &mut oracle)?;
            checked.stopped += 1;
        }
        let mut solver = Solver::with_options(*position.game(), options)?;
        if !position.pie_is_open() {
            for margin in [value - 1, value, value + 1] {
                agree("at least", solver.at_least(position, margin)?, margin <= value)?;
            }
        }
        let outcome = match value {
            1.. => Outcome::Win,
            0 => Outcome::Draw,
            _ => Outcome::Loss,
        };
        agree("outcome", solver.outcome(position)?.outcome(), Some(outcome))?;
        agree("value", solver.value(position)?.value(), Some(value))?;
        if !position.is_finished() {
            let options = AnalysisOptions {
                turns: !position.game().rules().repeats(),
                ..AnalysisOptions::default()
            };
            let play = Playthrough::new(*position);
            let found = analyze(&mut solver, &play, &options, &mut |_| {})?;
            self.compare(&found, value, &mut oracle, &mut checked)?;
        }
        checked.stored += stored(&solver, &mut oracle)?;
        let rules = position.game().rules();
        if self.certificates && !position.is_finished() && !rules.repeats() && !rules.pie {
            for claim in [Claim::AtLeast(value), Claim::AtMost(value)] {
                let proof = solver.prove(position, claim)?;
                proof.verify()?;
                certificate::verify(&proof.to_string()).map_err(|refusal| {
                    Disagreement(format!("the plain checker refuses {claim}: {refusal:?}"))
                })?;
                checked.certificates += 1;
            }
        }
        Ok(checked)
    }

    fn open_tables(&self, dir: &std::path::Path) -> Outcomes<Option<Tables>> {
        let (game, options) = (self.position.game(), Default::default());
        let tables = match self.tables {
            TableSource::None => return Ok(None),
            TableSource::Memory(layer) => build_in_memory(game, layer, &options)?,
            TableSource::Files(layer) => build_in_directory(dir, game, layer, &options)?,
            TableSource::Packed(layer) => {
                build_in_directory(dir, game, layer, &options)?;
                compress_directory(dir, game, &options)?;
                Tables::open(dir, game)?
            }
        };
        Ok(Some(tables))
    }

    /// A book with true bounds, some exact and some wide, of the positions after each move.
    fn book(&self, oracle: &mut Oracle) -> Outcomes<Option<Book>> {
        if !self.book {
            return Ok(None);
        }
        let mut book = Book::new(self.position.game())?;
        for (index, action) in (0_i64..).zip(self.position.moves()) {
            let (next, _) = self.position.try_play(action)?;
            if next.is_finished() || next.pie_is_open() || index % 3 == 2 {
                continue;
            }
            let (value, seeds) = (oracle.value(&next), next.layer() as i64);
            let wide = 2 * (index % 4);
            let low = (value - wide).max(next.lead() - seeds);
            let high = (value + wide).min(next.lead() + seeds);
            book.add(&next, Bounds { low, high }, 1 << index)?;
        }
        Ok(Some(book))
    }

    fn compare(
        &self,
        found: &Analysis,
        value: i64,
        oracle: &mut Oracle,
        checked: &mut Checked,
    ) -> Outcomes<()> {
        let position = &self.position;
        agree("complete", found.complete, true)?;
        agree("value of the analysis", found.known.value(), Some(value))?;
        agree("number of moves", found.moves.len(), position.moves().count())?;
        for one in &found.moves {
            let expected = oracle.after(position, &[one.action])?;
            agree(&format!("move {}", one.action), one.known.value(), Some(expected))?;
            checked.moves += 1;
        }
        for turn in found.turns.iter().flatten() {
            let expected = oracle.after(position, &turn.moves)?;
            let name = format!("turn {}", sowing_rules::turn_text(&turn.moves));
            agree(&name, turn.known.value(), Some(expected))?;
            checked.turns += 1;
        }
        if let Some(best) = &found.best {
            agree("best turn", oracle.after(position, best)?, value)?;
        }
        Ok(())
    }
}

/// The bounds of a search that is stopped after some progress reports.
fn stopped(solver: &mut Solver, position: &Position, reports: u64) -> Outcomes<Bounds> {
    let (switch, mut seen) = (solver.stop_switch(), 0);
    let bounds = solver.search(position, &Query::new(Goal::Value), &mut |_| {
        seen += 1;
        if seen > reports {
            switch.store(true, Relaxed);
        }
    })?;
    Ok(bounds.bounds)
}

/// Compares all bounds that a solver has stored. How many they are.
fn stored(solver: &Solver, oracle: &mut Oracle) -> Outcomes<u64> {
    if sowing_rules::Family::for_game(solver.game()).is_err() {
        return Ok(0);
    }
    let book = solver.export_book(usize::MAX)?;
    for line in book.lines() {
        within(&format!("stored {}", line.position), line.bounds, oracle.value(&line.position))?;
    }
    Ok(book.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few of the cases that `./test all` runs: all kinds of settings are among them.
    #[test]
    fn two_hundred_cases_agree() {
        let mut checked = Checked::default();
        for number in 0..200 {
            let case = Case::new(1, number);
            checked += case.check().unwrap_or_else(|Disagreement(what)| panic!("{case}: {what}"));
        }
        let Checked { positions, moves, turns, stored, stopped, certificates } = checked;
        assert!(positions == 200 && moves > 400 && turns > 400, "{checked:?}");
        assert!(stored > 1_000 && stopped > 5 && certificates > 20, "{checked:?}");
    }

    /// What is compared can differ: an analysis with one false value is found out.
    #[test]
    fn a_false_value_is_found() {
        let case = (0..).map(|number| Case::new(1, number));
        let case = case.into_iter().find(|case| case.position.moves().count() > 2).unwrap();
        let mut oracle = Oracle::default();
        let value = oracle.value(&case.position);
        let mut solver = Solver::new(*case.position.game()).unwrap();
        let options = AnalysisOptions { turns: true, ..AnalysisOptions::default() };
        let play = Playthrough::new(case.position);
        let found = analyze(&mut solver, &play, &options, &mut |_| {}).unwrap();
        let mut compare =
            |found: &Analysis| case.compare(found, value, &mut oracle, &mut Checked::default());
        let exact = |value| Bounds { low: value, high: value };
        compare(&found).unwrap();
        let mut changed = found.clone();
        changed.moves[2].known = exact(changed.moves[2].known.low + 2);
        assert!(compare(&changed).unwrap_err().0.starts_with("move"));
        let mut changed = found.clone();
        let turn = changed.turns.as_mut().unwrap().last_mut().unwrap();
        turn.known = exact(turn.known.low - 2);
        assert!(compare(&changed).unwrap_err().0.starts_with("turn"));
        assert!(within("", Bounds { low: 1, high: 2 }, 3).is_err());
        assert!(within("", Bounds { low: 1, high: 2 }, 0).is_err());
    }

    /// A case is the same however often it is made, and cases differ.
    #[test]
    fn cases_are_reproducible() {
        let text = |seed, number| Case::new(seed, number).to_string();
        assert_eq!(text(3, 4), text(3, 4));
        assert_ne!(text(3, 4), text(3, 5));
        assert_ne!(text(3, 4), text(4, 4));
    }
}

//! Who did how well.

use std::collections::BTreeMap;

/// What came of one player's games, or of a client's answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// The name.
    pub name: String,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Of those lost, how many by leaving, by an illegal move, or on time.
    pub forfeits: u64,
    /// Moves that were not made in time, so that a random one was played.
    pub late: u64,
    /// Problems solved.
    pub solved: u64,
    /// Problems that were not.
    pub wrong: u64,
    /// Positions evaluated.
    pub evaluated: u64,
    /// The mean distance of these evaluations from the estimates of a short look ahead.
    pub distance: f64,
}

impl Standing {
    /// Games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: a win is 1, a draw 1/2.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }
}

/// The standings by name.
#[derive(Debug, Default)]
pub(crate) struct Table(BTreeMap<String, Standing>);

/// The most names; what comes after them is one. Names cost a client nothing.
const MOST: usize = 1000;

impl Table {
    pub(crate) fn of(&mut self, name: &str) -> &mut Standing {
        let full = self.0.len() >= MOST && !self.0.contains_key(name);
        let name = if full { "others" } else { name };
        let standing = self.0.entry(name.to_string()).or_default();
        standing.name = name.to_string();
        standing
    }

    /// The best first.
    pub(crate) fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = self.0.values().cloned().collect();
        let share = |standing: &Standing| standing.points() / standing.games().max(1) as f64;
        standings.sort_by(|a, b| share(b).total_cmp(&share(a)).then_with(|| a.name.cmp(&b.name)));
        standings
    }
}

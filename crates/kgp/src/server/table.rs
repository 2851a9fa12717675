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
#[derive(Debug)]
pub(crate) struct Table {
    standings: BTreeMap<String, Standing>,
    /// Whose a name is: the token that it was given with first, `None` for the house.
    owners: BTreeMap<String, Option<String>>,
}

/// The most names; what comes after them is one. Names cost a client nothing.
const MOST: usize = 1000;
const OTHERS: &str = "others";

impl Table {
    /// No one yet. The player of the house has its name to itself.
    pub(crate) fn new(house: &str) -> Table {
        let owners = BTreeMap::from([(house.to_string(), None), (OTHERS.to_string(), None)]);
        Table { standings: BTreeMap::new(), owners }
    }

    /// The name that a client goes by: the one that it gave, or with a number where that is somebody
    /// else's. Clients without tokens cannot be told apart.
    pub(crate) fn claim(&mut self, name: &str, token: &str) -> String {
        let names = (1..).map(|number| match number {
            1 => name.to_string(),
            _ => format!("{name} ({number})"),
        });
        let token = Some(token.to_string());
        for name in names.take(MOST) {
            match self.owners.get(&name) {
                Some(owner) if *owner != token => {}
                Some(_) => return name,
                None if self.owners.len() >= MOST => break,
                None => {
                    self.owners.insert(name.clone(), token);
                    return name;
                }
            }
        }
        OTHERS.to_string()
    }

    pub(crate) fn of(&mut self, name: &str) -> &mut Standing {
        let full = self.standings.len() >= MOST && !self.standings.contains_key(name);
        let name = if full { OTHERS } else { name };
        let standing = self.standings.entry(name.to_string()).or_default();
        standing.name = name.to_string();
        standing
    }

    /// The best first.
    pub(crate) fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = self.standings.values().cloned().collect();
        let share = |standing: &Standing| standing.points() / standing.games().max(1) as f64;
        standings.sort_by(|a, b| share(b).total_cmp(&share(a)).then_with(|| a.name.cmp(&b.name)));
        standings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_goes_by_the_name_of_another() {
        let mut table = Table::new("level:3");
        assert_eq!(table.claim("level:3", ""), "level:3 (2)");
        assert_eq!(table.claim("Ada", "secret"), "Ada");
        assert_eq!(table.claim("Ada", "other"), "Ada (2)");
        assert_eq!(table.claim("Ada", ""), "Ada (3)");
        assert_eq!(table.claim("Ada", "secret"), "Ada");
        assert_eq!(table.claim("others", ""), "others (2)");
        for number in 0..2 * MOST {
            table.claim(&number.to_string(), "");
        }
        assert_eq!(table.claim("late", ""), OTHERS);
        assert_eq!(table.claim("Ada", "other"), "Ada (2)");
    }
}

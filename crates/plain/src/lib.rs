//! An independent plain implementation of the games, for tests: a ring of pits, one seed at a time, without tables or
//! division. It shares only the rules as data and the text of a position with the crates that it tests.
//!
//! ```
//! use sowing_plain::{Negamax, Plain};
//!
//! let start = Plain::start(&"kalah(4,3)".parse()?);
//! assert_eq!(Negamax::default().value(&start), 6);
//! # Ok::<(), sowing_rules::ParseGameError>(())
//! ```
//!
//! There are no features. The crate is not published, and nothing in it is stable.
#![deny(missing_docs)]

pub mod certificate;

use std::collections::HashMap;

use sowing_rules::{Capture, Direction, Game, Position, Rules};

/// A position. Rows are from each owner's left; index 0 is the mover, 1 the opponent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plain {
    /// The rules.
    pub rules: Rules,
    /// The houses.
    pub rows: [Vec<u64>; 2],
    /// The stores.
    pub stores: [u64; 2],
    /// Whether the mover is still in the first turn of a game with the pie rule.
    pub first_turn: bool,
    /// Whether the mover may swap sides.
    pub may_swap: bool,
}

/// A pit that the mover sows into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spot {
    House(usize, usize),
    Store,
}

impl Plain {
    /// The start of a game.
    pub fn start(game: &Game) -> Plain {
        let row = vec![game.seeds(); game.houses() as usize];
        Plain {
            rules: game.rules(),
            rows: [row.clone(), row],
            stores: [0, 0],
            first_turn: game.rules().pie,
            may_swap: false,
        }
    }

    /// The same position as one of the crate under test.
    pub fn from_position(position: &Position) -> Plain {
        let board = position.board();
        Plain {
            rules: position.game().rules(),
            rows: [board.own().to_vec(), board.other().to_vec()],
            stores: [board.store(), board.other_store()],
            first_turn: position.pie_is_open() && !position.may_swap(),
            may_swap: position.may_swap(),
        }
    }

    /// Houses per row.
    pub fn houses(&self) -> usize {
        self.rows[0].len()
    }

    /// Whether a row is empty.
    pub fn finished(&self) -> bool {
        self.rows.iter().any(|row| row.iter().all(|seeds| *seeds == 0))
    }

    /// The pit after this one for the mover, who never sows into the opponent's store.
    fn next(&self, place: Spot) -> Spot {
        let last = self.houses() - 1;
        match (self.rules.direction, place) {
            (Direction::CounterClockwise, Spot::House(0, i)) if i == last => Spot::Store,
            (Direction::CounterClockwise, Spot::Store) => Spot::House(1, 0),
            (Direction::CounterClockwise, Spot::House(1, i)) if i == last => Spot::House(0, 0),
            (Direction::CounterClockwise, Spot::House(row, i)) => Spot::House(row, i + 1),
            (Direction::Clockwise, Spot::House(0, 0)) => Spot::House(1, last),
            (Direction::Clockwise, Spot::House(1, 0)) => Spot::Store,
            (Direction::Clockwise, Spot::Store) => Spot::House(0, last),
            (Direction::Clockwise, Spot::House(row, i)) => Spot::House(row, i - 1),
        }
    }

    /// The position after the mover plays a house that holds seeds, and whether the mover moves again.
    pub fn play(&self, house: usize) -> (Plain, bool) {
        let mut p = self.clone();
        let mut at = Spot::House(0, house);
        let again = loop {
            let Spot::House(row, index) = at else { unreachable!() };
            let mut hand = p.rows[row][index];
            assert!(hand > 0);
            p.rows[row][index] = 0;
            let mut was_empty = true;
            while hand > 0 {
                at = p.next(at);
                match at {
                    Spot::Store => p.stores[0] += 1,
                    Spot::House(row, index) => {
                        was_empty = p.rows[row][index] == 0;
                        p.rows[row][index] += 1;
                    }
                }
                hand -= 1;
            }
            let Spot::House(row, index) = at else { break true };
            if p.rules.relay && !was_empty {
                continue;
            }
            if row == 0 && was_empty {
                let opposite = p.houses() - 1 - index;
                match p.rules.capture {
                    Capture::None => {}
                    Capture::LastSeed => {
                        p.rows[0][index] = 0;
                        p.stores[0] += 1;
                    }
                    Capture::Standard if p.rows[1][opposite] == 0 => {}
                    Capture::Standard | Capture::Empty => {
                        p.stores[0] += 1 + p.rows[1][opposite];
                        p.rows[0][index] = 0;
                        p.rows[1][opposite] = 0;
                    }
                }
            }
            break false;
        };
        p.may_swap = false;
        if !again {
            p.rows.swap(0, 1);
            p.stores.swap(0, 1);
            p.may_swap = p.first_turn && !p.finished();
            p.first_turn = false;
        }
        (p, again)
    }

    /// The mover's final seeds minus the opponent's in a finished position.
    pub fn margin(&self) -> i64 {
        assert!(self.finished());
        let rows = |row: &Vec<u64>| if self.rules.remaining_lost { 0 } else { row.iter().sum() };
        let [own, other] = [0, 1].map(|i| self.stores[i] + rows(&self.rows[i]));
        own as i64 - other as i64
    }

    /// The leaves of the move tree.
    pub fn perft(&self, depth: u32) -> u64 {
        if depth == 0 || self.finished() {
            return 1;
        }
        let swap = Plain { may_swap: false, first_turn: false, ..self.clone() };
        let swaps = if self.may_swap { swap.perft(depth - 1) } else { 0 };
        let houses = (0..self.houses()).filter(|house| self.rows[0][*house] > 0);
        houses.map(|house| self.play(house).0.perft(depth - 1)).sum::<u64>() + swaps
    }

    /// The position as text, as the mover sees it.
    pub fn text(&self) -> String {
        let side = |i: usize| {
            let pits = self.rows[i].iter().chain([&self.stores[i]]);
            pits.map(|seeds| seeds.to_string()).collect::<Vec<_>>().join(",")
        };
        format!("{}|{}", side(0), side(1))
    }
}

/// Values by full negamax with a table of positions.
///
/// For games that do not repeat positions. Under the pie rule a swap is one more move.
#[derive(Debug, Default)]
pub struct Negamax {
    values: HashMap<(Rules, Box<[u16]>), i64>,
}

/// Games that are small enough for a full search have no larger houses.
fn short(seeds: &u64) -> u16 {
    u16::try_from(*seeds).expect("at most 65,535 seeds in a house")
}

impl Negamax {
    /// The mover's margin with perfect play.
    pub fn value(&mut self, position: &Plain) -> i64 {
        assert!(!position.rules.repeats(), "a negamax of a game with cycles does not end");
        if position.finished() {
            return position.margin();
        }
        if position.first_turn || position.may_swap {
            return self.best(position);
        }
        // The stores only shift the value: positions that differ in them share an entry.
        let lead = position.stores[0] as i64 - position.stores[1] as i64;
        let pits = position.rows.iter().flatten().map(short).collect();
        let key = (position.rules, pits);
        if let Some(value) = self.values.get(&key) {
            return lead + value;
        }
        let best = self.best(position);
        self.values.insert(key, best - lead);
        best
    }

    fn best(&mut self, position: &Plain) -> i64 {
        let best = self.moves(position).into_iter().map(|(_, value)| value).max().expect("live");
        if !position.may_swap {
            return best;
        }
        let swapped = Plain { may_swap: false, ..position.clone() };
        best.max(-self.value(&swapped))
    }

    /// The value of each house that the mover can play, by index.
    pub fn moves(&mut self, position: &Plain) -> Vec<(usize, i64)> {
        let houses = (0..position.houses()).filter(|house| position.rows[0][*house] > 0);
        houses
            .map(|house| {
                let (next, again) = position.play(house);
                let value = self.value(&next);
                (house, if again { value } else { -value })
            })
            .collect()
    }
}

/// The values of all positions reachable from a start, the start first, in a game that can repeat positions: value
/// iteration, layer by layer from the lowest. Each value starts at the lead of the stores, as if play cycled for
/// ever. A round sets all values of a layer at once to the best of their moves, until none changes.
pub fn fixed_point(start: &Plain) -> Vec<(Plain, i64)> {
    let mut places = HashMap::from([(start.clone(), 0)]);
    let mut positions = vec![start.clone()];
    let mut moves: Vec<Vec<(usize, bool)>> = Vec::new();
    while moves.len() < positions.len() {
        let position = positions[moves.len()].clone();
        let houses = 0..if position.finished() { 0 } else { position.houses() };
        let played = houses
            .filter(|house| position.rows[0][*house] > 0)
            .map(|house| position.play(house))
            .map(|(next, again)| {
                let place = *places.entry(next.clone()).or_insert(positions.len());
                if place == positions.len() {
                    positions.push(next);
                }
                (place, again)
            });
        let played = played.collect();
        moves.push(played);
    }
    let endless = |position: &Plain| position.stores[0] as i64 - position.stores[1] as i64;
    let mut values: Vec<i64> = positions
        .iter()
        .map(|position| if position.finished() { position.margin() } else { endless(position) })
        .collect();
    let layer = |position: &Plain| position.rows.iter().flatten().sum::<u64>();
    for wanted in 0..=layer(start) {
        let members: Vec<usize> =
            (0..positions.len()).filter(|place| layer(&positions[*place]) == wanted).collect();
        loop {
            let value =
                |(next, again): &(usize, bool)| if *again { values[*next] } else { -values[*next] };
            let best = |place: usize| moves[place].iter().map(value).max().unwrap_or(values[place]);
            let next: Vec<i64> = members.iter().map(|place| best(*place)).collect();
            let changed = members.iter().zip(&next).any(|(place, value)| values[*place] != *value);
            members.iter().zip(next).for_each(|(place, value)| values[*place] = value);
            if !changed {
                break;
            }
        }
    }
    positions.into_iter().zip(values).collect()
}

//! Random cases.

use std::fmt;

use sowing_rules::{Capture, Direction, Game, Position, Rules, SeededRng, Setup, WideBoard};

/// One position and the settings that it is solved with. The same seed and number give the same case
/// on every machine.
#[derive(Clone, Debug)]
pub struct Case {
    pub(crate) position: Position,
    pub(crate) threads: usize,
    pub(crate) memory: u64,
    pub(crate) tables: TableSource,
    /// Whether the solver may build tables of its own.
    pub(crate) build_tables: bool,
    /// Whether the solver starts with a book of true bounds.
    pub(crate) book: bool,
    /// After how many progress reports the search is stopped.
    pub(crate) stop_after: Option<u64>,
    /// Whether certificates of both bounds are made and checked.
    pub(crate) certificates: bool,
}

/// Where the solver's endgame tables are, and the seeds that they reach to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableSource {
    /// There are none.
    None,
    /// In memory.
    Memory(u32),
    /// In files, one byte per position.
    Files(u32),
    /// In packed files.
    Packed(u32),
}

/// The most seeds in houses that the plain implementation solves in milliseconds.
fn max_seeds(houses: u8, clockwise: bool) -> u64 {
    match (houses, clockwise) {
        (1, true) => 12,
        (2, true) => 7,
        (_, true) => 5,
        (1..=3, false) => 16,
        (4..=6, false) => 12,
        (7..=8, false) => 9,
        (_, false) => 7,
    }
}

impl Case {
    /// The case with this number of a run.
    pub fn new(seed: u64, number: u64) -> Case {
        let mut random = SeededRng::new(seed, number);
        let random = &mut random;
        let position = random_position(random);
        let houses = position.game().houses();
        let has_tables = houses <= 8 && !position.game().rules().repeats();
        let layer = 2 + random.below(if houses <= 4 { 9 } else { 5 }) as u32;
        let tables = match random.below(if has_tables { 8 } else { 1 }) {
            4 | 5 => TableSource::Memory(layer),
            6 => TableSource::Files(layer),
            7 => TableSource::Packed(layer),
            _ => TableSource::None,
        };
        // Games that repeat positions are solved layer by layer, which needs its memory.
        let min_memory = if position.game().rules().repeats() { 1 << 20 } else { 1 };
        let memory: u64 = [1, 1 << 20, 1 << 24, 1 << 26][random.below(4) as usize];
        Case {
            position,
            threads: 1 + random.below(4) as usize * random.below(2) as usize,
            memory: memory.max(min_memory),
            tables,
            build_tables: random.below(2) == 0,
            book: has_tables && random.below(3) == 0,
            stop_after: (random.below(8) == 0).then(|| random.below(4)),
            certificates: random.below(4) == 0,
        }
    }

    /// The position to be solved.
    pub fn position(&self) -> &Position {
        &self.position
    }
}

fn random_position(random: &mut SeededRng) -> Position {
    let houses = match random.below(20) {
        0..8 => 1 + random.below(3),
        8..16 => 4 + random.below(3),
        16..19 => 7 + random.below(2),
        _ => 9 + random.below(4),
    };
    let captures = [Capture::Standard, Capture::Empty, Capture::LastSeed, Capture::None];
    let mut rules = Rules {
        capture: captures[random.below(4) as usize],
        relay: random.below(3) == 0,
        direction: Direction::CounterClockwise,
        remaining_lost: random.below(4) == 0,
        pie: false,
    };
    let mut houses = houses as u8;
    match random.below(12) {
        0 => {
            rules.direction = Direction::Clockwise;
            houses = houses.clamp(1, 3);
        }
        1 => {
            rules.pie = true;
            return random_pie(random, rules);
        }
        _ => {}
    }
    let seeds = 2 + random.below(max_seeds(houses, rules.repeats()) - 1);
    let mut pits = vec![0; 2 * usize::from(houses)];
    for _ in 0..seeds {
        let pit = random.below(pits.len() as u64) as usize;
        pits[pit] += 1;
    }
    let (own, other) = pits.split_at(pits.len() / 2);
    let setup = Setup::from(WideBoard::new(own, random.below(5), other, random.below(5)));
    let game = Game::new(rules, houses, 1).expect("at most 12 houses");
    Position::free(game, &setup).expect("few seeds")
}

/// A position within the first moves of a game with the pie rule.
fn random_pie(random: &mut SeededRng, rules: Rules) -> Position {
    let sizes = [(1, 1), (1, 4), (2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)];
    let (houses, seeds) = sizes[random.below(8) as usize];
    let mut position = Position::start(Game::new(rules, houses, seeds).expect("a small game"));
    for _ in 0..random.below(4) {
        let moves: Vec<_> = position.moves().collect();
        let Some(count) = (moves.len() as u64).checked_sub(1) else { break };
        let action = moves[random.below(count + 1) as usize];
        position = position.play(action).0;
    }
    position
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { position, threads, memory, tables, build_tables, book, stop_after, .. } = self;
        write!(
            f,
            "{}  {position}  {threads} threads, {memory} bytes, tables {tables:?}, \
             build tables {build_tables}, book {book}, stop after {stop_after:?}",
            position.game()
        )
    }
}

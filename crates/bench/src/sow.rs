//! Moves played, on both boards.

use std::time::Instant;

use sowing_command::failure::Failure;
use sowing_rules::{Board, CompactBoard, CompiledRules, Game, Position, WideBoard};

use crate::report::BenchReport;

/// Fixed work, and the moves and checksum that come out of it on either board.
struct Work {
    game: &'static str,
    kind: Kind,
    moves: u64,
    checksum: u64,
}

enum Kind {
    /// All of the move tree to a depth, every move played, the last ones too.
    Walk(u32),
    /// Games of random moves.
    Games(u64),
}

const WORK: [Work; 4] = [
    Work {
        game: "kalah(6,4)",
        kind: Kind::Walk(10),
        moves: 16_989_673,
        checksum: 0x6ff1_6d1b_483b_6a85,
    },
    Work {
        game: "s-kalaha(6,4)",
        kind: Kind::Walk(10),
        moves: 14_085_746,
        checksum: 0xc8cf_8820_5b8d_7ce2,
    },
    Work {
        game: "kalah(6,4)",
        kind: Kind::Games(200_000),
        moves: 8_794_749,
        checksum: 0x2563_f9ba_8d5a_1e3f,
    },
    Work {
        game: "s-kalaha(6,4)",
        kind: Kind::Games(100_000),
        moves: 5_063_011,
        checksum: 0xa4aa_0dd3_808d_4499,
    },
];

pub(crate) fn run(report: &mut BenchReport) -> Result<(), Failure> {
    for work in &WORK {
        let game: Game = work.game.parse()?;
        let start = Position::start(game);
        let board = CompactBoard::new(start.board()).expect("the games listed are small");
        let small = measure(report, work, &CompiledRules::new(&game), board, "small")?;
        let wide =
            measure::<WideBoard>(report, work, &CompiledRules::new(&game), *start.board(), "wide")?;
        report.ratio("small to wide", small / wide)?;
    }
    Ok(())
}

/// Moves a second of a walk of a small game's whole tree, as deep as takes a moment.
pub(crate) fn walk_rate(game: &Game) -> f64 {
    let board = CompactBoard::new(Position::start(*game).board()).expect("a small game");
    let rules = CompiledRules::new(game);
    for depth in 1.. {
        let mut tally = Counters::default();
        let start = Instant::now();
        tally.walk(&rules, board, depth);
        let seconds = start.elapsed().as_secs_f64();
        if seconds > 0.05 || depth == 40 {
            return std::hint::black_box(tally).moves as f64 / seconds;
        }
    }
    unreachable!("the loop returns")
}

fn measure<B: Board>(
    report: &mut BenchReport,
    work: &Work,
    rules: &CompiledRules<B>,
    board: B,
    name: &str,
) -> Result<f64, Failure> {
    let mut tally = Counters::default();
    let title = match work.kind {
        Kind::Walk(depth) => format!("walk {} to depth {depth}, {name}", work.game),
        Kind::Games(games) => format!("{games} games of {}, {name}", work.game),
    };
    report.line(&title, "moves", (work.moves, work.checksum), || {
        match work.kind {
            Kind::Walk(depth) => tally.walk(rules, board, depth),
            Kind::Games(games) => tally.games(rules, board, games),
        }
        (tally.moves, tally.checksum)
    })
}

#[derive(Default)]
struct Counters {
    moves: u64,
    checksum: u64,
}

impl Counters {
    fn add(&mut self, slot: usize, gain: u64) {
        self.moves += 1;
        self.checksum = self.checksum.wrapping_mul(31).wrapping_add(gain + slot as u64);
    }

    fn walk<B: Board>(&mut self, rules: &CompiledRules<B>, board: B, depth: u32) {
        for slot in (0..rules.houses()).filter(|slot| board.seeds(*slot) > 0) {
            let played = rules.play_unchecked(board, slot);
            self.add(slot, played.gain);
            if !played.finished && depth > 1 {
                self.walk(rules, played.board, depth - 1);
            }
        }
    }

    fn games<B: Board>(&mut self, rules: &CompiledRules<B>, start: B, games: u64) {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..games {
            let mut board = start;
            loop {
                let occupied = (0..rules.houses()).filter(|slot| board.seeds(*slot) > 0);
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let count = occupied.clone().count() as u64;
                let choice = ((state >> 32) * count) >> 32;
                let slot = occupied.clone().nth(choice as usize).expect("the row is live");
                let played = rules.play_unchecked(board, slot);
                self.add(slot, played.gain);
                if played.finished {
                    break;
                }
                board = played.board;
            }
        }
    }
}

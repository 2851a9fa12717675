//! Endgame tables, beside what the memory can do.

use std::hint::black_box;
use std::time::Instant;

use sowing_command::failure::Failure;
use sowing_rules::{CompactBoard, Game};
use sowing_tables::{
    BuildOptions, Method, RowIndex, Tables, build_in_directory, build_in_memory,
    compress_directory, live_positions_to,
};

use crate::report::BenchReport;

/// A table to build, how, and the checksum of all its values.
struct Work {
    game: &'static str,
    layer: u32,
    way: Way,
    checksum: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The best for the machine, on one core and two.
    Best,
    /// On one core, without vector instructions.
    NoVectors,
    /// On one core, position by position.
    Each,
}

const WORK: [Work; 7] = [
    work("kalah(6,4)", 20, Way::Best, 0xabcb_5a87_883b_8f54),
    work("kalah(6,4)", 24, Way::Best, 0x6b0f_c4d1_4dfc_27e2),
    work("kalah(6,4,empty-capture)", 20, Way::Best, 0xaafd_28bc_3700_0fd7),
    work("kalah(6,4,empty-capture)", 24, Way::Best, 0x4982_e389_551f_7c14),
    work("kalah(6,4)", 20, Way::NoVectors, 0xabcb_5a87_883b_8f54),
    work("kalah(6,4)", 15, Way::Each, 0xdf26_3773_2646_5a1a),
    work("s-kalaha(6,4)", 15, Way::Best, 0xdeba_e897_aaa9_ac5a),
];

const fn work(game: &'static str, layer: u32, way: Way, checksum: u64) -> Work {
    Work { game, layer, way, checksum }
}

const COPIED: usize = 1 << 28;
const READS: u64 = 20_000_000;
const PROBES: usize = 4_000_000;

pub(crate) fn run(report: &mut BenchReport) -> Result<(), Failure> {
    let copied = copy(report)?;
    let read = random_reads(report)?;
    for Work { game, layer, way, checksum } in WORK {
        let game: Game = game.parse()?;
        let cores = [(1, "1 core"), (2, "2 cores")];
        for (threads, cores) in cores.into_iter().take(if way == Way::Best { 2 } else { 1 }) {
            let (vectors, method, how) = match way {
                Way::Best => (true, Method::Fastest, ""),
                Way::NoVectors => (false, Method::Fastest, ", no vectors"),
                Way::Each => (true, Method::MoveByMove, ", each"),
            };
            let options = BuildOptions { threads, vectors, method, ..BuildOptions::default() };
            let start = Instant::now();
            let tables = build_in_memory(&game, layer, &options)?;
            let seconds = start.elapsed().as_secs_f64();
            let work = format!("{} to {layer}, {cores}{how}", tables.family());
            let count = live_positions_to(game.houses(), layer) as u64;
            let found = (count, tables.checksum().unwrap_or(0));
            let rate = report.done(&work, "posns", (count, checksum), found, seconds)?;
            report.ratio("bytes copied in the time of a position", copied / rate)?;
            report.ratio("random reads in the time of a position", read / rate)?;
        }
    }
    probes(report, read)
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn below(state: &mut u64, limit: u64) -> u64 {
    ((u128::from(random(state)) * u128::from(limit)) >> 64) as u64
}

/// Copies memory, eight times 256 MiB.
fn copy(report: &mut BenchReport) -> Result<f64, Failure> {
    let from = vec![1_u8; COPIED];
    let mut to = vec![2_u8; COPIED];
    report.line("memory copy", "bytes", (8 * COPIED as u64, 1), || {
        for _ in 0..8 {
            black_box(&mut to).copy_from_slice(black_box(&from));
        }
        (8 * COPIED as u64, u64::from(to[COPIED / 2]))
    })
}

/// Reads single bytes anywhere in 1 GiB, none waiting for another.
fn random_reads(report: &mut BenchReport) -> Result<f64, Failure> {
    let bytes = vec![1_u8; 1 << 30];
    report.line("random reads in 1 GiB", "reads", (READS, READS), || {
        let mut state = 0x9e37_79b9_7f4a_7c15;
        let read = |_| u64::from(bytes[(random(&mut state) >> 34) as usize]);
        (READS, (0..READS).map(read).sum())
    })
}

/// Probes random positions of the highest layer: in memory, in files, in packed files.
fn probes(report: &mut BenchReport, read: f64) -> Result<(), Failure> {
    let game: Game = "kalah(6,4)".parse()?;
    let layer = 20;
    let boards = boards(&game, layer);
    let cannot = |error| Failure::Input(format!("cannot make a temporary folder: {error}"));
    let dir = tempfile::tempdir().map_err(cannot)?;
    let options = BuildOptions::default();
    let mut measure = |form: &str, tables: &Tables| -> Result<(), Failure> {
        let size: u64 = tables.info().iter().map(|layer| layer.bytes).sum();
        let positions: u64 = tables.info().iter().map(|layer| layer.positions).sum();
        let probe = || {
            let values = boards.iter().map(|board| tables.probe(*board).map_or(1 << 40, i64::from));
            values.fold(0_u64, |sum, value| sum.wrapping_mul(31).wrapping_add(value as u64))
        };
        // The first time pages come in and checksums are checked.
        probe();
        let work = format!("probes of kalah(6,.) to {layer}, {form}");
        let rate = report.line(&work, "probes", (PROBES as u64, 0xa186_3e73_f716_3694), || {
            (PROBES as u64, probe())
        })?;
        report.ratio("bytes a position", size as f64 / positions as f64)?;
        report.ratio("random reads in the time of a probe", read / rate)
    };
    measure("memory", &build_in_memory(&game, layer, &options)?)?;
    measure("files", &build_in_directory(dir.path(), &game, layer, &options)?)?;
    compress_directory(dir.path(), &game, &options)?;
    measure("packed", &Tables::open(dir.path(), &game)?)
}

/// Random positions of a layer, all alike.
fn boards(game: &Game, layer: u32) -> Vec<CompactBoard> {
    let ranks = RowIndex::new(game.houses());
    let layer = layer as usize;
    let rows: Vec<Vec<u64>> = (0..layer).map(|seeds| ranks.rows(seeds)).collect();
    let sizes: Vec<u64> =
        (1..layer).map(|p| (ranks.count(p) * ranks.count(layer - p)) as u64).collect();
    let total = sizes.iter().sum();
    let mut state = 0x2545_f491_4f6c_dd1d;
    let board = |_| {
        let mut at = below(&mut state, total);
        let mut p = 1;
        while at >= sizes[p - 1] {
            at -= sizes[p - 1];
            p += 1;
        }
        let width = ranks.count(layer - p) as u64;
        CompactBoard::from_rows(
            rows[p][(at / width) as usize],
            rows[layer - p][(at % width) as usize],
        )
    };
    (0..PROBES).map(board).collect()
}

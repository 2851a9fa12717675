//! `sow-cluster plan`: what work would take on a cluster.

use std::ops::RangeInclusive;

use clap::{Args, Subcommand};
use sowing_cluster::{LayerCost, Rates, layer_cost};
use sowing_command::failure::note;
use sowing_command::units;
use sowing_rules::Game;
use sowing_tables::format_bytes;

use crate::ranks::{Agreed, Ranks};

/// Say what work would take on a cluster: bytes, traffic, memory, time
#[derive(Args, Debug)]
pub(crate) struct PlanArgs {
    #[command(subcommand)]
    what: Work,
}

#[derive(Subcommand, Debug)]
enum Work {
    Tables(TablesPlan),
}

/// What building layers of endgame tables would take
///
/// One line a layer: its positions and bytes, what its pairs look into of lower
/// layers, the memory that a node needs, the threads of a node that this is
/// enough for, how many times as fast as one thread any number of them can be,
/// and the time, with one rank a node. Times are estimates from a rate measured
/// on one machine: give your own.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow-cluster plan tables --seeds 36..48 --nodes 16 --memory 64G
  sow-cluster plan tables --seeds 24 --nodes 1 --cores 2 --memory 16G")]
struct TablesPlan {
    /// The game, as in "kalah(6,4)"
    #[arg(default_value = "kalah(6,4)")]
    game: Game,
    /// The layers, as in 36..48; those below are taken to be there
    #[arg(long, value_name = "A..B", value_parser = units::range_within(2..=127))]
    seeds: RangeInclusive<u64>,
    /// Machines
    #[arg(long, value_name = "N", value_parser = units::whole::<usize>(1..=100_000))]
    nodes: usize,
    /// Memory of a machine, as in 64G
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: u64,
    /// Cores of a machine
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = units::whole::<usize>(1..=1024))]
    cores: usize,
    /// Positions that one core fills in a second, in millions
    #[arg(long, value_name = "N", default_value_t = RATE, value_parser = units::whole::<u64>(1..=100_000))]
    rate: u64,
    /// Bytes that the file system takes in a second, as in 2G
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = units::bytes)]
    written: u64,
    /// Print one JSON object a layer
    #[arg(long)]
    json: bool,
}

/// Millions of positions a second: see docs/cluster.md for where it was measured.
const RATE: u64 = 230;

/// Positions that are turned in the time that one is filled.
const TURNED: f64 = 0.75;

/// Seconds that all ranks need to agree on a layer.
const STEP: f64 = 0.02;

pub(crate) fn run(ranks: &Ranks, args: &PlanArgs) -> Agreed<()> {
    let Work::Tables(args) = &args.what;
    // Everybody would say the same.
    ranks.agree(if ranks.is_first() { tables(args) } else { Ok(()) })
}

fn tables(args: &TablesPlan) -> Result<(), String> {
    let rates = Rates {
        positions: args.rate as f64 * 1e6,
        turned: TURNED * args.rate as f64 * 1e6,
        written: args.written as f64,
        step: STEP,
    };
    let mut beyond = None;
    let (mut all_bytes, mut all_read, mut all_seconds) = (0_u64, 0_u64, 0.0);
    // What cannot be planned at all has no table.
    for end in [args.seeds.start(), args.seeds.end()] {
        layer_cost(&args.game, *end as u32, (1, 1), args.memory, &rates)
            .map_err(|error| error.to_string())?;
    }
    if !args.json {
        println!(
            "{:>5}  {:>16}  {:>10}  {:>10}  {:>10}  {:>7}  {:>8}  {:>9}",
            "seeds", "positions", "bytes", "looks into", "memory", "threads", "speed-up", "time"
        );
    }
    for layer in args.seeds.clone() {
        let shape = (args.nodes, args.cores);
        let cost = layer_cost(&args.game, layer as u32, shape, args.memory, &rates)
            .map_err(|error| error.to_string())?;
        if cost.memory > args.memory {
            beyond = Some(format!(
                "layer {layer} needs {} of memory for one thread, and a node has {}",
                format_bytes(cost.memory),
                format_bytes(args.memory)
            ));
            break;
        }
        let LayerCost { positions, bytes: size, read, memory, threads, speed_up, seconds, .. } =
            cost;
        all_bytes += size;
        all_read += read;
        all_seconds += seconds;
        if args.json {
            println!(
                "{}",
                serde_json::json!({
                    "layer": layer, "positions": positions, "bytes": size, "read": read,
                    "memory": memory, "threads": threads, "speed_up": speed_up, "seconds": seconds,
                })
            );
            continue;
        }
        println!(
            "{layer:>5}  {positions:>16}  {:>10}  {:>10}  {:>10}  {threads:>7}  {speed_up:>8.1}  {:>9}",
            format_bytes(size),
            format_bytes(read),
            format_bytes(memory),
            time(seconds),
        );
    }
    match beyond {
        Some(why) if all_bytes == 0 => return Err(why),
        Some(why) => note(&why),
        None => {}
    }
    if !args.json {
        println!(
            "{:>5}  {:>16}  {:>10}  {:>10}  {:>10}  {:>7}  {:>8}  {:>9}",
            "all",
            "",
            format_bytes(all_bytes),
            format_bytes(all_read),
            "",
            "",
            "",
            time(all_seconds)
        );
    }
    Ok(())
}

/// Seconds, as people say them.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

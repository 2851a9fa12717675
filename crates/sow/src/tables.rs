//! `sow tables`: endgame tables, built, listed, checked, probed and queried.

mod query;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::{Args, Subcommand};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_rules::{Family, Game, Position};
use sowing_tables::{
    BuildOptions, BuildProgress, Error, Tables, VerifyScope, build_in_directory,
    compress_directory, default_directory, family_directory, format_bytes, plan_build,
    remove_partial_files,
};

use crate::args::PositionArgs;
use crate::failure::Failure;
use crate::{input, units};

/// Build, list, check, probe and query endgame tables
///
/// A table holds the exact value of every position with so many seeds in
/// houses: what the mover gets of them with perfect play, less what the
/// opponent gets. Tables lie in the folder tables of $SOW_DATA, else of
/// $XDG_DATA_HOME/sow, else of ~/.local/share/sow.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tables build \"kalah(6,4)\" --seeds 20
  sow tables info
  sow tables verify \"kalah(6,4)\"
  sow tables probe \"kalah(6,4)\" \"0,0,1,0,0,2,22|3,0,0,1,0,0,19\"")]
pub(crate) struct TablesArgs {
    #[command(subcommand)]
    what: Task,
}

#[derive(Subcommand, Debug)]
enum Task {
    Build(BuildArgs),
    Info(InfoArgs),
    Verify(VerifyArgs),
    Probe(ProbeArgs),
    Query(query::QueryArgs),
    Export(query::ExportArgs),
    Rank(query::RankArgs),
    Unrank(query::UnrankArgs),
}

#[derive(Args, Debug)]
struct DirArgs {
    /// The folder that the tables lie in, instead of the data folder's
    #[arg(long, value_name = "D")]
    dir: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl DirArgs {
    fn dir(&self) -> Result<PathBuf, Failure> {
        self.dir.clone().or_else(default_directory).ok_or_else(|| {
            let message = "no home folder for tables: name one, as in --dir tables";
            Failure::Input(message.to_string())
        })
    }
}

/// Bytes that the program takes beside what a build takes.
const PROCESS_OVERHEAD: u64 = 12 << 20;

#[derive(Args, Debug)]
struct WorkArgs {
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Memory to use at most, as in 512M or 8G; most of what is free if it is
    /// left out. Layers that are finished are mapped, and come on top
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: Option<u64>,
}

/// Build tables, from the last finished layer on
///
/// The rules and houses of the game count, not its seeds: kalah(6,4) and
/// kalah(6,5) share tables. An interrupted build goes on where it stopped.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tables build \"kalah(6,4)\" --seeds 20
  sow tables build \"kalah(6,4,empty-capture)\" --seeds 30 --memory 8G --dir D")]
struct BuildArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The most seeds in houses
    #[arg(long, value_name = "N", value_parser = units::whole::<u32>(0..=255))]
    seeds: u32,
    /// Pack the tables to about half a byte a position
    #[arg(long)]
    compress: bool,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    place: DirArgs,
}

/// List the tables that are there, or the layers of one game's
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tables info
  sow tables info \"kalah(6,4)\" --json")]
struct InfoArgs {
    /// The game, as in "kalah(6,4)"; all if it is left out
    game: Option<Game>,
    /// Say how many bits a position of each layer takes at least: coded by
    /// itself, and given the position before it
    #[arg(long, requires = "game")]
    entropy: bool,
    #[command(flatten)]
    place: DirArgs,
}

/// Check tables: all checksums, and values computed again from the rules
///
/// Exit code 1 if something is wrong.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tables verify \"kalah(6,4)\"
  sow tables verify \"kalah(6,4)\" --all --threads 2")]
struct VerifyArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// Compute every position again
    #[arg(long, conflicts_with = "sample")]
    all: bool,
    /// How many positions of each layer to compute again
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = units::whole::<u64>(0..=u64::MAX))]
    sample: u64,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    #[command(flatten)]
    place: DirArgs,
}

/// Look up a position, or with - in its place one a line, each answered by one
/// JSON object
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tables probe \"kalah(6,4)\" \"0,0,1,0,0,2,22|3,0,0,1,0,0,19\"
  sow tables probe \"kalah(6,4)\" - < positions.txt")]
struct ProbeArgs {
    #[command(flatten)]
    position: PositionArgs,
    #[command(flatten)]
    place: DirArgs,
}

pub(crate) fn run(args: &TablesArgs, out: &mut dyn Write) -> Result<(), Failure> {
    match &args.what {
        Task::Build(args) => build(args, out),
        Task::Info(args) => info(args, out),
        Task::Verify(args) => verify(args, out),
        Task::Probe(args) => probe(args, out),
        Task::Query(args) => query::query(args, out),
        Task::Export(args) => query::export(args),
        Task::Rank(args) => query::rank(args, out),
        Task::Unrank(args) => query::unrank(args, out),
    }
}

fn threads(threads: Option<usize>) -> usize {
    threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// A bar for positions, on a terminal only.
fn bar() -> ProgressBar {
    let template = "{wide_bar} {msg} {percent:>3} % {elapsed} (eta {eta})";
    let style = ProgressStyle::with_template(template).expect("a fixed template");
    ProgressBar::new(0).with_style(style)
}

fn show(bar: &ProgressBar, progress: BuildProgress) {
    bar.set_length(progress.total);
    bar.set_position(progress.done);
    bar.set_message(format!("layer {}", progress.layer));
}

#[derive(Serialize)]
struct Built {
    game: String,
    seeds: u32,
    positions: u64,
    bytes: u64,
    built: u64,
    seconds: f64,
    positions_per_second: Option<f64>,
}

fn build(args: &BuildArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let dir = args.place.dir()?;
    let most = sowing_platform::available_memory().map_or(4 << 30, |bytes| bytes / 4 * 3);
    let bar = bar();
    // The plan that is shown may be overtaken by another build; this is what was done.
    let built = AtomicU64::new(0);
    let progress = |progress: BuildProgress| {
        built.fetch_max(progress.done, Ordering::Relaxed);
        show(&bar, progress);
    };
    let memory = args.work.memory.unwrap_or(most);
    let options = BuildOptions {
        threads: threads(args.work.threads),
        memory: memory.saturating_sub(PROCESS_OVERHEAD).max(memory / 4),
        progress: &progress,
        ..BuildOptions::default()
    };
    let mut plan = plan_build(&dir, &args.game, args.seeds, &options)?;
    plan.memory = plan.memory.saturating_add(PROCESS_OVERHEAD);
    let family = plan.family;
    if plan.positions > 0 {
        eprintln!(
            "{family}: layers {} to {}, {} positions; needs {} of disk and {} of memory (may use {}); {} {}",
            plan.present + 1,
            plan.layer,
            plan.positions,
            format_bytes(plan.disk),
            format_bytes(plan.memory),
            format_bytes(memory),
            plan.threads,
            if plan.threads == 1 { "thread" } else { "threads" },
        );
    }
    let aside = dir.clone();
    // Without the handler an interruption leaves a file aside, which the next build removes.
    let _ = ctrlc::set_handler(move || {
        remove_partial_files(&aside, &family);
        std::process::exit(130);
    });
    let start = Instant::now();
    let built_tables = build_in_directory(&dir, &args.game, args.seeds, &options);
    let mut tables = built_tables.map_err(|error| match error {
        Error::Memory { what, need, have, why } if have == options.memory => {
            Error::Memory { what, need: need.saturating_add(PROCESS_OVERHEAD), have: memory, why }
        }
        error => error,
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let built = built.load(Ordering::Relaxed);
    bar.finish_and_clear();
    if args.compress {
        drop(tables);
        let options = BuildOptions { progress: &|progress| show(&bar, progress), ..options };
        compress_directory(&dir, &args.game, &options)?;
        bar.finish_and_clear();
        tables = Tables::open(&dir, &args.game)?;
    }
    let layers = tables.info();
    let positions = layers.iter().map(|layer| layer.positions).sum();
    let size = layers.iter().map(|layer| layer.bytes).sum();
    let rate = (built > 0).then(|| built as f64 / seconds);
    if args.place.json {
        let done = Built {
            game: family.to_string(),
            seeds: tables.max_layer(),
            positions,
            bytes: size,
            built,
            seconds,
            positions_per_second: rate,
        };
        serde_json::to_writer(&mut *out, &done)?;
        return Ok(writeln!(out)?);
    }
    write!(out, "{family}  {} seeds  {positions} positions  {size} bytes", tables.max_layer())?;
    match rate {
        Some(rate) => writeln!(out, "  {seconds:.1} s  {:.1} M/s", rate / 1e6)?,
        None => writeln!(out, "  nothing to build")?,
    }
    Ok(())
}

#[derive(Serialize)]
struct Listed {
    game: String,
    seeds: u32,
    positions: u64,
    bytes: u64,
    layers: Vec<ListedLayer>,
}

#[derive(Serialize)]
struct ListedLayer {
    layer: u32,
    positions: u64,
    bytes: u64,
    form: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    entropy: Option<[f64; 2]>,
}

fn info(args: &InfoArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let dir = args.place.dir()?;
    let families = match &args.game {
        Some(game) => vec![Family::for_game(game)?],
        None => families(&dir),
    };
    if families.is_empty() {
        eprintln!("no tables in {}", crate::sanitize::path(&dir));
    }
    for family in families {
        let tables = Tables::open(&dir, &family.game())?;
        let layers = tables.info();
        let positions = layers.iter().map(|layer| layer.positions).sum();
        let size = layers.iter().map(|layer| layer.bytes).sum();
        let seeds = tables.max_layer();
        let entropy = |layer| {
            let bits = args.entropy.then(|| tables.entropy(layer)).flatten();
            bits.map(|(alone, given)| [alone, given])
        };
        if args.place.json {
            let layers = layers.iter().map(|layer| ListedLayer {
                layer: layer.seeds,
                positions: layer.positions,
                bytes: layer.bytes,
                form: layer.encoding.name(),
                entropy: entropy(layer.seeds),
            });
            let layers = layers.collect();
            let listed = Listed { game: family.to_string(), seeds, positions, bytes: size, layers };
            serde_json::to_writer(&mut *out, &listed)?;
            writeln!(out)?;
            continue;
        }
        writeln!(out, "{family}  {seeds} seeds  {positions} positions  {size} bytes")?;
        if args.game.is_some() {
            for layer in layers {
                let (positions, size) = (layer.positions, layer.bytes);
                let form = layer.encoding.name();
                write!(out, "{:>5}  {positions:>14}  {size:>14}  {form}", layer.seeds)?;
                if let Some([alone, given]) = entropy(layer.seeds) {
                    write!(out, "  {alone:.3}  {given:.3}")?;
                }
                writeln!(out)?;
            }
        }
    }
    Ok(())
}

/// The families that have a folder with a layer in it.
fn families(dir: &Path) -> Vec<Family> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let folders = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut families: Vec<Family> = folders
        .filter_map(|name| Family::from_slug(&name))
        .filter(|family| family_directory(dir, family).join("level-02.table").exists())
        .collect();
    families.sort_by_key(Family::to_string);
    families
}

#[derive(Serialize)]
struct Verified {
    game: String,
    seeds: u32,
    positions: u64,
    computed: u64,
    sound: bool,
    seconds: f64,
}

fn verify(args: &VerifyArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let dir = args.place.dir()?;
    let bar = bar();
    let progress = |progress| show(&bar, progress);
    let options = BuildOptions {
        threads: threads(args.threads),
        progress: &progress,
        ..BuildOptions::default()
    };
    let negative = |error: Error| match error {
        Error::File { .. } | Error::Wrong { .. } => Failure::Negative(error.to_string()),
        error => error.into(),
    };
    let start = Instant::now();
    let tables = Tables::open(&dir, &args.game).map_err(negative)?;
    let extent = if args.all { VerifyScope::All } else { VerifyScope::Sample(args.sample) };
    let computed = tables.verify(extent, &options).map_err(negative)?;
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let positions: u64 = tables.info().iter().map(|layer| layer.positions).sum();
    let (family, seeds) = (tables.family(), tables.max_layer());
    if args.place.json {
        let game = family.to_string();
        let verified = Verified { game, seeds, positions, computed, sound: true, seconds };
        serde_json::to_writer(&mut *out, &verified)?;
        return Ok(writeln!(out)?);
    }
    writeln!(
        out,
        "{family}  {seeds} seeds  {positions} positions: checksums right, {computed} computed again"
    )?;
    Ok(())
}

#[derive(Serialize)]
struct Probed {
    game: String,
    position: String,
    layer: u64,
    /// The mover's margin, stores included.
    value: i64,
    /// What the seeds in houses add to it.
    houses: i64,
}

fn probe(args: &ProbeArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let tables = Tables::open(&args.place.dir()?, &args.position.game)?;
    if args.position.is_stdin() {
        return input::answer_lines(&mut std::io::stdin().lock(), out, |text| {
            look_up(&tables, &args.position.read(text)?)
        });
    }
    let position = args.position.position()?;
    let probed = look_up(&tables, &position)?;
    if args.place.json {
        serde_json::to_writer(&mut *out, &probed)?;
        return Ok(writeln!(out)?);
    }
    let Probed { game, position, value, houses, .. } = probed;
    let [value, houses] = [value, houses].map(units::signed);
    Ok(writeln!(out, "{game}  {position}  value {value}, {houses} of it from the houses")?)
}

fn look_up(tables: &Tables, position: &Position) -> Result<Probed, Failure> {
    let layer = position.layer();
    if position.is_finished() {
        return Err(Failure::Input(format!("{position}: the game is over, nothing to look up")));
    }
    if position.pie_is_open() {
        let message = format!("{position}: the pie rule is not over, and tables leave it out");
        return Err(Failure::Input(message));
    }
    let Some(value) = tables.value(position)? else {
        let max = tables.max_layer();
        let family = tables.family();
        return Err(Failure::Input(format!(
            "{position} has {layer} seeds in houses, the tables of {family} go to {max}"
        )));
    };
    Ok(Probed {
        game: position.game().to_string(),
        position: position.to_string(),
        layer,
        value,
        houses: value - position.lead(),
    })
}

//! `sow-cluster tables`: endgame tables built by all ranks in one folder.

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Instant;

use clap::Args;
use sowing_command::failure::note;
use sowing_command::units;
use sowing_rules::Game;
use sowing_tables::{BuildOptions, Error, SharedBuild, format_bytes};

use crate::ranks::{Agreed, Ranks};
use crate::start;

/// Build endgame tables, each layer by all ranks
///
/// The files are those of sow tables build, byte for byte. A build that was
/// killed goes on at the pair of rows that it was at.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  mpirun -n 4 sow-cluster tables \"kalah(6,4)\" --seeds 24 --dir D
  srun sow-cluster tables \"kalah(6,4)\" --seeds 36 --dir D --memory 16G")]
pub(crate) struct TablesArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The most seeds in houses
    #[arg(long, value_name = "N", value_parser = units::whole::<u32>(0..=255))]
    seeds: u32,
    /// The folder that the tables lie in, on a file system that all ranks see
    #[arg(long, value_name = "D")]
    dir: PathBuf,
    /// Memory that each rank may use, as in 512M or 8G; if it is left out, three
    /// quarters of its share of what its machine has free
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: Option<u64>,
    /// Threads of each rank
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::threads)]
    threads: usize,
    /// Say how each layer went
    #[arg(long, short)]
    verbose: bool,
}

/// What the ranks did together.
#[derive(Default)]
struct Work {
    computed: u64,
    found: u64,
}

pub(crate) fn run(ranks: &Ranks, args: &TablesArgs) -> Agreed<()> {
    let memory = start::memory(ranks, args.memory)?;
    let options = BuildOptions { threads: args.threads, memory, ..BuildOptions::default() };
    // What cannot be done is refused before a folder is made.
    ranks.agree(
        sowing_tables::plan_build(&args.dir, &args.game, args.seeds, &options).and_then(|plan| {
            match plan.memory > memory {
                true => Err(Error::Memory {
                    what: format!("building {} to {} seeds", plan.family, plan.layer),
                    need: plan.memory,
                    have: memory,
                    why: "are allowed to each rank",
                }),
                false => Ok(()),
            }
        }),
    )?;
    start::check_shared(ranks, &args.dir)?;
    let lock = match ranks.is_first() {
        true => SharedBuild::lock(&args.dir, &args.game).map(Some),
        false => Ok(None),
    };
    let lock = ranks.agree(lock)?;
    let start = Instant::now();
    let mut build = ranks.agree(SharedBuild::open(&args.dir, &args.game, args.seeds, &options))?;
    let plan = build.plan().clone();
    if ranks.is_first() {
        build.clean();
    }
    if build.layer().is_some() {
        // Layers that are built upon are checked once, by whoever is free.
        let layer = |number| u32::try_from(number + 2).ok().filter(|layer| *layer <= plan.present);
        let check = |layer| build.check(layer).map_err(|error| error.to_string());
        ranks.hand_out(layer, plan.threads, check, |()| Ok(()), || Ok(()))?;
    }
    if ranks.is_first() && plan.present < plan.layer {
        note(&format!(
            "{}: layers {} to {}, {} positions; needs {} of disk and {} of memory a rank (may use {}); {} \
             ranks of {}",
            plan.family,
            plan.present + 1,
            plan.layer,
            plan.positions,
            format_bytes(plan.disk),
            format_bytes(plan.memory),
            format_bytes(memory),
            ranks.size(),
            if plan.threads == 1 {
                "1 thread".to_string()
            } else {
                format!("{} threads", plan.threads)
            },
        ));
    }
    let mut all = Work::default();
    // A finished layer is made to last while the next one is computed.
    let mut pending: Option<JoinHandle<Result<(), Error>>> = None;
    while let Some(layer) = build.layer() {
        let began = Instant::now();
        ranks.agree_on_first(if ranks.is_first() { build.begin() } else { Ok(()) })?;
        let work = pairs(ranks, &build, plan.threads)?;
        let filled = began.elapsed();
        let settled = pending.take().map_or(Ok(()), settled);
        let sealed = settled.and_then(|()| match ranks.is_first() {
            true => build.seal().map(Some),
            false => Ok(None),
        });
        let sealed = ranks.agree(sealed)?;
        ranks.agree(build.advance())?;
        pending = sealed.map(|seal| std::thread::spawn(move || seal.finish()));
        all.computed += work.computed;
        all.found += work.found;
        if args.verbose && ranks.is_first() {
            let (whole, filled) = (began.elapsed().as_secs_f64(), filled.as_secs_f64());
            let Work { computed, found } = work;
            note(&format!(
                "layer {layer}: {computed} positions computed, {found} found, {whole:.2} s, {filled:.2} \
                 of it for pairs"
            ));
        }
    }
    ranks.agree_on_first(pending.map_or(Ok(()), settled))?;
    drop(lock);
    if ranks.is_first() {
        let (family, seeds) = (plan.family, plan.layer.max(plan.present));
        let seconds = start.elapsed().as_secs_f64();
        let Work { computed, found } = all;
        println!(
            "{family}  {seeds} seeds  {computed} positions computed, {found} found  {seconds:.1} s"
        );
    }
    Ok(())
}

fn settled(thread: JoinHandle<Result<(), Error>>) -> Result<(), Error> {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Has all ranks fill the pairs of the next layer.
fn pairs(ranks: &Ranks, build: &SharedBuild, threads: usize) -> Agreed<Work> {
    let mut own = Work::default();
    ranks.hand_out(
        |number| usize::try_from(number).ok().filter(|pair| *pair < build.pairs()),
        threads,
        |pair| build.fill(pair).map_err(|error| error.to_string()),
        |filled| {
            *if filled.found { &mut own.found } else { &mut own.computed } += filled.positions;
            Ok(())
        },
        || Ok(()),
    )?;
    Ok(Work { computed: ranks.sum(own.computed), found: ranks.sum(own.found) })
}

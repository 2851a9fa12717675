//! `sow-cluster batch`: lists of independent work, handed out piece by piece.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use sowing_command::failure::{Failure, note};
use sowing_command::units;
use sowing_jobs::{
    Chunks, DatasetArgs, FairArgs, Job, PerftArgs, PlayoutsArgs, PositionsArgs, Provenance,
    ResumableFile, SweepArgs,
};
use sowing_rules::sanitize;

use crate::ranks::{Agreed, Ranks};
use crate::start;

/// Work through a list, each rank some of it
///
/// The same flags as those of sow sweep, fair, dataset, playouts and perft, and
/// the same file, byte for byte. What was killed goes on where it stopped.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  mpirun -n 4 sow-cluster batch positions \"kalah(6,3)\" in.txt --out out.jsonl
  srun sow-cluster batch sweep s-kalaha --houses 2 --seeds 4..10^9 --out l.csv
  srun sow-cluster batch fair \"kalah(6,4)\" --out starts.csv --memory 2G
  srun sow-cluster batch dataset \"kalah(6,4)\" --positions 10^8 --out d.parquet
  srun sow-cluster batch playouts \"kalah(6,4)\" --games 10^11 --out random.txt
  srun sow-cluster batch perft \"kalah(6,4)\" 16 --out leaves.txt")]
pub(crate) struct BatchArgs {
    #[command(subcommand)]
    list: List,
}

#[derive(Subcommand, Debug)]
enum List {
    Positions(PositionsArgs),
    Sweep(SweepArgs),
    Fair(FairArgs),
    Dataset(DatasetArgs),
    /// Play random games: branching, depth, size of the tree, who wins
    Playouts(ToFile<PlayoutsArgs>),
    /// Count the leaves of the move tree, by first move and in all
    Perft(ToFile<PerftArgs>),
}

/// What `sow` prints, to go to a file.
#[derive(Args, Debug)]
struct ToFile<A: Args> {
    #[command(flatten)]
    args: A,
    /// The file that what sow would print goes to
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// The lists as `sow-cluster` has them: flags are those of `sow`, but for what they say of threads and
/// of examples.
pub(crate) fn described(batch: clap::Command) -> clap::Command {
    let names: Vec<String> = batch.get_subcommands().map(|c| c.get_name().to_string()).collect();
    names.into_iter().fold(batch, |batch, name| {
        batch.mut_subcommand(name, |list| {
            list.mut_arg("threads", |arg| arg.help("Threads of each rank; one if it is left out"))
                .after_help("Examples are in sow-cluster batch --help.")
        })
    })
}

pub(crate) fn run(ranks: &Ranks, args: &mut BatchArgs) -> Agreed<()> {
    match &mut args.list {
        List::Positions(args) => {
            start::memory(ranks, Some(args.solver_args().one_thread()))?;
            work_through(ranks, &ranks.agree(args.job())?)
        }
        List::Sweep(args) => {
            args.one_thread();
            ranks.agree(if args.has_file() {
                Ok(())
            } else {
                Err("the rows go to a file: name it, as in --out losses.csv")
            })?;
            work_through(ranks, args)
        }
        List::Fair(args) => {
            start::memory(ranks, Some(args.limits.one_thread()))?;
            work_through(ranks, &ranks.agree(args.job())?)
        }
        List::Dataset(args) => {
            start::memory(ranks, Some(args.limits.one_thread()))?;
            work_through(ranks, &ranks.agree(args.job())?)
        }
        List::Playouts(ToFile { args, out }) => {
            args.one_thread();
            work_through(ranks, &args.job(out))
        }
        List::Perft(ToFile { args, out }) => {
            args.one_thread();
            work_through(ranks, &ranks.agree(args.job(out))?)
        }
    }
}

/// Results are sent to rank 0 under this tag.
const RESULT: i32 = 1;

/// So often what was found is written.
const WRITTEN: Duration = Duration::from_secs(1);

/// The rows of a chunk of tasks, and which tasks they are.
type Found = (Range<u64>, Vec<String>);

fn work_through<J: Job>(ranks: &Ranks, job: &J) -> Agreed<()> {
    let began = Instant::now();
    let file = match ranks.is_first() {
        true => sowing_jobs::open(job).map(Some),
        false => Ok(None),
    };
    let mut file = ranks.agree_on_first(file)?;
    let done = ranks.told_by_first(file.as_ref().map_or(0, |file| job.done(file)));
    // Made by the thread that needs it, when it does.
    let worker: Mutex<Option<J::Worker>> = Mutex::new(None);
    let mut chunks = Chunks::new(done..job.tasks(), ranks.size(), job.max_chunk()).enumerate();
    let shelf = Mutex::new(Shelf::new(done));
    let mut send = |found: Found| match ranks.is_first() {
        true => {
            shelf.lock().expect("one thread has it").put(found);
            Ok(())
        }
        false => {
            let bytes = serde_json::to_vec(&found).map_err(|error| error.to_string())?;
            ranks.send_to_first(&bytes, RESULT);
            Ok(())
        }
    };
    let mut look = || {
        let Some(file) = &mut file else { return Ok(()) };
        let mut shelf = shelf.lock().expect("one thread has it");
        shelf.receive(ranks)?;
        if shelf.is_over || shelf.last.elapsed() < WRITTEN {
            return Ok(());
        }
        shelf.write(job, file)?;
        if job.time().is_some_and(|time| began.elapsed() >= time) {
            shelf.is_over = true;
            let [done, many] = [shelf.next, job.tasks()].map(units::grouped);
            return Err(format!(
                "the time was up after {done} of {many}: give the same command again to go on"
            ));
        }
        Ok(())
    };
    ranks.hand_out(
        |number| chunks.find(|(at, _)| *at as u64 == number).map(|(_, chunk)| chunk),
        1,
        |chunk: Range<u64>| {
            let mut worker = worker.lock().expect("one thread has it");
            let made = match worker.take() {
                Some(made) => Ok(made),
                None => job.worker(),
            };
            let rows = made.and_then(|made| job.rows(worker.insert(made), chunk.clone()));
            rows.map(|rows| (chunk, rows)).map_err(|error: Failure| error.to_string())
        },
        &mut send,
        &mut look,
    )?;
    let finished = match file {
        None => Ok(()),
        Some(mut file) => {
            let mut shelf = shelf.into_inner().expect("one thread has it");
            shelf.rest(ranks, job, &mut file).and_then(|()| {
                let name = sanitize::path(job.path());
                let many = units::grouped(job.tasks() - done);
                let (seconds, size) = (began.elapsed().as_secs_f64(), ranks.size());
                sowing_jobs::finish(job, file, provenance).map_err(|error| error.to_string())?;
                note(&format!("{name}: {many} done by {size} ranks in {seconds:.1} s"));
                Ok(())
            })
        }
    };
    ranks.agree_on_first(finished)
}

fn provenance(seed: Option<u64>) -> Provenance {
    Provenance::by("sow-cluster batch", concat!("sow-cluster ", env!("CARGO_PKG_VERSION")), seed)
}

/// What was found ahead of its turn to be written.
struct Shelf {
    next: u64,
    found: BTreeMap<u64, (u64, Vec<String>)>,
    last: Instant,
    /// A write failed: the file is whole as far as its progress file says, and stays so.
    is_over: bool,
}

impl Shelf {
    fn new(next: u64) -> Shelf {
        Shelf { next, found: BTreeMap::new(), last: Instant::now(), is_over: false }
    }

    fn put(&mut self, (chunk, rows): Found) {
        self.found.insert(chunk.start, (chunk.end, rows));
    }

    fn receive(&mut self, ranks: &Ranks) -> Result<(), String> {
        while let Some(bytes) = ranks.receive(RESULT) {
            self.put(serde_json::from_slice(&bytes).map_err(|error| error.to_string())?);
        }
        Ok(())
    }

    /// Writes what is next in order.
    fn write<J: Job>(&mut self, job: &J, file: &mut ResumableFile) -> Result<(), String> {
        let mut rows = Vec::new();
        let before = self.next;
        while let Some((end, mut more)) = self.found.remove(&self.next) {
            self.next = end;
            rows.append(&mut more);
        }
        self.last = Instant::now();
        if self.next == before {
            return Ok(());
        }
        let added = file.append(&rows, job.checkpoint(self.next));
        self.is_over = added.is_err();
        added.map_err(|error| error.to_string())
    }

    /// Writes all that is left, some of which may still be on its way.
    fn rest<J: Job>(
        &mut self,
        ranks: &Ranks,
        job: &J,
        file: &mut ResumableFile,
    ) -> Result<(), String> {
        while self.next < job.tasks() {
            self.receive(ranks)?;
            self.write(job, file)?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

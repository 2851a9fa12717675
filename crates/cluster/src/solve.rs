//! `sow-cluster solve`: one search by all ranks.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use sowing_command::failure::note;
use sowing_command::units::{self, grouped, signed};
use sowing_rules::{Bounds, Game, Position};
use sowing_solver::{Book, BookFile, Exchange, Goal, Query, SolveError, Solver, SolverOptions};
use sowing_tables::Tables;

use crate::ranks::{Agreed, Ranks};
use crate::start;

/// Solve one position, by all ranks together
///
/// Every rank searches the same tree, in an order of its own, and all tell each
/// other again and again what took long to find. With a book, a search that was killed goes on
/// with what was found.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  mpirun -n 2 sow-cluster solve \"kalah(6,4)\"
  srun sow-cluster solve \"kalah(6,6)\" --book six.book --memory 48G --threads 16")]
pub(crate) struct SolveArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The position, as in "0,0,2,1|1,1,1,0"; the start if it is left out
    position: Option<String>,
    /// Stop at win, draw or loss
    #[arg(long)]
    wdl: bool,
    /// Know what this book says, and write into it what took long to find, again
    /// and again and in the end
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// How often the book is written
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = units::time)]
    every: Duration,
    /// How often ranks tell each other what they found
    #[arg(long, value_name = "TIME", default_value = "20ms", value_parser = units::time)]
    exchange: Duration,
    /// What took fewer nodes than this is not told
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = units::whole::<u64>(1..=u64::MAX))]
    least: u64,
    /// Use the endgame tables in this folder; without, each rank builds its own
    /// in memory where the work justifies it
    #[arg(long, value_name = "DIR")]
    tables: Option<PathBuf>,
    /// Memory that each rank may use, as in 512M or 8G; if it is left out, three
    /// quarters of its share of what its machine has free
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    memory: Option<u64>,
    /// Threads of each rank
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::threads)]
    threads: usize,
    /// Give up after this long, as in 30s or 5m, and print the proven bounds
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    time: Option<Duration>,
    /// Say how each rank did
    #[arg(long, short)]
    verbose: bool,
}

/// The positions of a book that is written: those that took most work.
const KEPT: usize = 1 << 21;

/// The tag of the message that wakes others when a rank is done.
const DONE: i32 = 2;

/// What a rank says of itself at each exchange, before its book.
const GOES_ON: u8 = 0;
const IS_DONE: u8 = 1;

pub(crate) fn run(ranks: &Ranks, args: &SolveArgs) -> Agreed<()> {
    let memory = start::memory(ranks, args.memory)?;
    let position = ranks.agree(position(args))?;
    // Only rank 0 writes; all have read what was there before.
    let book = match (&args.book, ranks.is_first()) {
        (Some(path), true) => BookFile::for_game(path, &args.game).map(Some),
        _ => Ok(None),
    };
    let book = ranks.agree_on_first(book)?;
    let known = ranks.gather(&book.as_ref().map_or(Vec::new(), |(_, book)| book.to_bytes()));
    let exchange = ranks.agree(Exchange::new(&args.game, args.least, ranks.rank() as u64))?;
    let exchange = Arc::new(exchange);
    let mut solver = ranks.agree(solver(args, memory, &known[0], &exchange))?;
    let mut keeping = ranks.agree(match book {
        Some((file, before)) => {
            Book::new(&args.game).map(|found| Some(Keeping { file, before, found }))
        }
        None => Ok(None),
    })?;
    let began = Instant::now();
    let query = Query::new(if args.wdl { Goal::Outcome } else { Goal::Value });
    let stop = solver.stop_switch();
    let over = AtomicBool::new(false);
    let searched = std::thread::scope(|scope| {
        let search = scope.spawn(|| {
            let found = solver.search(&position, &query, &mut |_| {});
            over.store(true, Ordering::Release);
            found.map(|found| (found, solver.nodes()))
        });
        let told = tell(ranks, args, &exchange, &over, &mut keeping);
        // Whoever goes on after the others would do so for ever.
        stop.store(true, Ordering::Relaxed);
        let found = search.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        told.map(|()| found)
    })?;
    let (answer, nodes) = ranks.agree(searched)?;
    let bounds = bounds(ranks, answer.bounds)?;
    if let Some(kept) = &mut keeping {
        let written = solver.export_book(KEPT).map_err(|error| error.to_string());
        let written = written.and_then(|book| kept.add(&book)).and_then(|()| kept.write());
        ranks.agree_on_first(written)?;
    } else {
        ranks.agree_on_first(Ok::<(), String>(()))?;
    }
    let each = ranks.gather(&nodes.to_le_bytes());
    if !ranks.is_first() {
        return Ok(());
    }
    let each: Vec<u64> = each
        .iter()
        .filter_map(|bytes| Some(u64::from_le_bytes(bytes[..].try_into().ok()?)))
        .collect();
    print(args, &position, bounds, query.goal, &each, began.elapsed());
    Ok(())
}

fn position(args: &SolveArgs) -> Result<Position, String> {
    if args.game.rules().repeats() || args.game.rules().pie {
        return Err("a search by many ranks is for games without clockwise and pie, as in \
                    kalah(6,4)"
            .to_string());
    }
    match &args.position {
        None => Ok(Position::start(args.game)),
        Some(text) => {
            let setup =
                text.parse().map_err(|error: sowing_rules::ParseSetupError| error.to_string())?;
            Position::new(args.game, &setup).map_err(|error| error.to_string())
        }
    }
}

fn solver(
    args: &SolveArgs,
    memory: u64,
    book: &[u8],
    exchange: &Arc<Exchange>,
) -> Result<Solver, SolveError> {
    let tables = match &args.tables {
        Some(dir) => Some(Arc::new(Tables::open(dir, &args.game)?)),
        None => None,
    };
    let book = match book {
        [] => None,
        bytes => Some(Arc::new(Book::parse(bytes)?)),
    };
    let options = SolverOptions {
        threads: args.threads,
        memory,
        time: args.time,
        tables,
        build_tables: args.tables.is_none(),
        book,
        exchange: Some(Arc::clone(exchange)),
        ..SolverOptions::default()
    };
    Solver::with_options(args.game, options)
}

/// Carries what the ranks find to the others, until one of them is done.
fn tell(
    ranks: &Ranks,
    args: &SolveArgs,
    exchange: &Exchange,
    over: &AtomicBool,
    keeping: &mut Option<Keeping>,
) -> Agreed<()> {
    let mut written = Instant::now();
    loop {
        let next = Instant::now() + args.exchange;
        let mut woken = false;
        while Instant::now() < next && !over.load(Ordering::Acquire) && !woken {
            std::thread::sleep(Duration::from_millis(2));
            woken = ranks.receive(DONE).is_some();
        }
        let is_over = over.load(Ordering::Acquire);
        if is_over && !woken {
            ranks.wake(DONE);
        }
        let found = ranks.agree(exchange.drain())?;
        let mut news = vec![if is_over { IS_DONE } else { GOES_ON }];
        news.extend(found.to_bytes());
        let all = ranks.gather(&news);
        let handed = all.iter().enumerate().try_for_each(|(rank, news)| {
            let book = Book::parse(&news[1..]).map_err(|error| error.to_string())?;
            if let Some(kept) = keeping {
                kept.add(&book)?;
            }
            if rank == ranks.rank() || book.is_empty() {
                return Ok(());
            }
            exchange.import(&book).map_err(|error| error.to_string())
        });
        ranks.agree(handed)?;
        if all.iter().any(|news| news[0] == IS_DONE) {
            while ranks.receive(DONE).is_some() {}
            return Ok(());
        }
        if let Some(kept) = keeping
            && written.elapsed() >= args.every
        {
            // A disk that is full now may have room later; in the end it is an error.
            if let Err(why) = kept.write() {
                note(&format!("the book was not written: {why}"));
            }
            written = Instant::now();
        }
    }
}

/// What all ranks have proven, taken together.
fn bounds(ranks: &Ranks, own: Bounds) -> Agreed<Bounds> {
    let Bounds { low, high } = own;
    let all = ranks.gather(&[low.to_le_bytes(), high.to_le_bytes()].concat());
    let mut both = own;
    for bytes in all {
        let number =
            |at: usize| i64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes each"));
        let theirs = Bounds { low: number(0), high: number(8) };
        both = both.intersect(theirs).ok_or("two ranks have proven what cannot both be true")?;
    }
    Ok(both)
}

fn print(
    args: &SolveArgs,
    position: &Position,
    bounds: Bounds,
    goal: Goal,
    nodes: &[u64],
    time: Duration,
) {
    println!("{}  {position}", args.game);
    match (bounds.value(), bounds.outcome()) {
        (Some(value), _) => println!("value {}", signed(value)),
        (None, Some(outcome)) if goal == Goal::Outcome => println!("{outcome}"),
        _ => println!("value {} to {}", signed(bounds.low), signed(bounds.high)),
    }
    let all = grouped(nodes.iter().sum());
    let (ranks, seconds) = (nodes.len(), time.as_secs_f64());
    note(&format!("{all} nodes by {ranks} ranks in {seconds:.2} s"));
    if args.verbose {
        let each: Vec<String> = nodes.iter().map(|nodes| grouped(*nodes)).collect();
        note(&format!("nodes of each: {}", each.join(" ")));
    }
    if !goal.is_reached(bounds) {
        note("the search was stopped by its limits: the bounds above are proven");
    }
}

/// A book that is written while the search goes on.
struct Keeping {
    file: BookFile,
    before: Book,
    found: Book,
}

impl Keeping {
    fn add(&mut self, found: &Book) -> Result<(), String> {
        self.found.merge(found).map_err(|error| error.to_string())
    }

    fn write(&mut self) -> Result<(), String> {
        self.found.keep_most(KEPT);
        let mut all = self.before.clone();
        all.merge(&self.found)
            .and_then(|()| self.file.write(&all))
            .map_err(|error| error.to_string())
    }
}

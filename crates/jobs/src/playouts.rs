//! Random games: `sow playouts`.

use std::io::{BufRead, Write};
use std::ops::Range;
use std::path::Path;

use clap::Args;
use serde::{Deserialize, Serialize};
use sowing_command::failure::Failure;
use sowing_command::pool;
use sowing_command::units::{self, grouped};
use sowing_lab::{Playouts, Tree};
use sowing_rules::Game;

use crate::job::{Job, Summary, damaged, print_to};
use crate::resumable_file::{Kind, ResumableFile};

/// More games than are ever played.
const MAX_GAMES: u64 = 1_000_000_000_000;

/// Play random games: branching, depth, size of the tree, who wins
///
/// Every legal move is equally likely. The same seed gives the same figures,
/// whatever the number of threads. Intervals are 95 %. Where few enough boards
/// occur, all games are counted exactly as well.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow playouts \"kalah(6,4)\"
  sow playouts \"s-kalaha(3,2)\" --games 1000000 --seed 7 --json")]
pub struct PlayoutsArgs {
    /// The game, as in "kalah(6,4)"
    pub game: Game,
    /// How many games
    #[arg(long, value_name = "N", default_value_t = 100_000,
          value_parser = units::whole::<u64>(1..=MAX_GAMES))]
    pub games: u64,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = units::whole::<u64>(0..=u64::MAX))]
    pub seed: u64,
    /// Count the tree exactly if it takes no more than so many boards
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = units::whole::<usize>(0..=100_000_000))]
    pub limit: usize,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    pub threads: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Serialize)]
struct PlayoutsLine {
    game: String,
    games: u64,
    seed: u64,
    branching: f64,
    branching_error: f64,
    depth: f64,
    depth_error: f64,
    /// Base ten.
    log_complexity: f64,
    log_complexity_interval: [f64; 2],
    wins: u64,
    draws: u64,
    losses: u64,
    endless: u64,
    depths: Vec<(u32, u64)>,
    /// `null` if it was not counted.
    tree: Option<Counted>,
}

#[derive(Serialize)]
struct Counted {
    /// A string, since it may be larger than most readers' numbers.
    games: String,
    shortest: u32,
    longest: u32,
}

/// Prints the figures of random games, and of the tree if it was counted.
pub fn report_playouts(
    args: &PlayoutsArgs,
    played: &Playouts,
    tree: Option<Tree>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (game, seed) = (args.game, args.seed);
    let complexity = played.complexity();
    if args.json {
        let log = |ln: f64| ln / std::f64::consts::LN_10;
        let line = PlayoutsLine {
            game: game.to_string(),
            games: played.games,
            seed,
            branching: played.branching(),
            branching_error: played.branching_error(),
            depth: played.depth(),
            depth_error: played.depth_error(),
            log_complexity: log(complexity.ln),
            log_complexity_interval: [log(complexity.ln_low), log(complexity.ln_high)],
            wins: played.wins,
            draws: played.draws,
            losses: played.losses,
            endless: played.endless,
            depths: played.depths.iter().map(|(depth, games)| (*depth, *games)).collect(),
            tree: tree.map(|tree| Counted {
                games: tree.games.to_string(),
                shortest: tree.shortest,
                longest: tree.longest,
            }),
        };
        serde_json::to_writer(&mut *out, &line)?;
        return Ok(writeln!(out)?);
    }
    writeln!(out, "{game}: {} random games, seed {seed}", grouped(played.games))?;
    let share = |games: u64| 100.0 * games as f64 / played.games as f64;
    let (b, b_error) = (played.branching(), played.branching_error());
    let (d, d_error) = (played.depth(), played.depth_error());
    let (low, high) = (scientific(complexity.ln_low), scientific(complexity.ln_high));
    writeln!(out, "branching  {b:.4} ± {b_error:.4}")?;
    writeln!(out, "depth      {d:.3} ± {d_error:.3}")?;
    writeln!(out, "b^d        {} ({low} to {high})", scientific(complexity.ln))?;
    writeln!(
        out,
        "outcome    {:.2} % won, {:.2} % drawn, {:.2} % lost by the first player",
        share(played.wins),
        share(played.draws),
        share(played.losses),
    )?;
    if played.endless > 0 {
        writeln!(out, "given up   {:.2} %", share(played.endless))?;
    }
    match tree {
        Some(Tree { games, shortest, longest }) => {
            writeln!(out, "exactly    {games} games of {shortest} to {longest} moves")?;
        }
        None => writeln!(out, "exactly    not counted")?,
    }
    histogram(played, out)
}

/// A number of any size, from its natural logarithm.
fn scientific(ln: f64) -> String {
    let log = ln / std::f64::consts::LN_10;
    let (mut exponent, mut digits) = (log.floor(), 10f64.powf(log - log.floor()));
    if digits >= 9.995 {
        (exponent, digits) = (exponent + 1.0, digits / 10.0);
    }
    format!("{digits:.2}e{exponent}")
}

/// At most twenty bars of games by depth.
fn histogram(played: &Playouts, out: &mut dyn Write) -> Result<(), Failure> {
    let first = *played.depths.keys().next().expect("a game was played");
    let last = *played.depths.keys().last().expect("a game was played");
    let width = ((last - first) / 20 + 1).max(1);
    let rows: Vec<(u32, u64)> = (first..=last)
        .step_by(width as usize)
        .map(|from| (from, played.depths.range(from..from + width).map(|(_, n)| n).sum()))
        .collect();
    let most = rows.iter().map(|(_, games)| *games).max().unwrap_or(1).max(1);
    writeln!(out, "{:>9}  {:>12}", "moves", "games")?;
    for (from, games) in rows {
        let moves =
            if width == 1 { from.to_string() } else { format!("{from}-{}", from + width - 1) };
        let bar = "#".repeat((games * 40).div_ceil(most) as usize);
        writeln!(out, "{}", format!("{moves:>9}  {games:>12}  {bar}").trim_end())?;
    }
    Ok(())
}

/// Games that go to a process at once.
const MAX_CHUNK: u64 = 1 << 22;

/// Random games into a file, one task per game; the first task is the exact tree.
#[derive(Debug)]
pub struct PlayoutsJob<'a> {
    args: &'a PlayoutsArgs,
    path: &'a Path,
}

/// The result of a chunk.
#[derive(Serialize, Deserialize)]
enum Part {
    Played(Playouts),
    Tree(Option<Tree>),
}

impl PlayoutsArgs {
    /// The job that writes the report to a file.
    pub fn job<'a>(&'a self, path: &'a Path) -> PlayoutsJob<'a> {
        PlayoutsJob { args: self, path }
    }

    /// Sets one thread unless a number was given, for one of many processes.
    pub fn one_thread(&mut self) {
        self.threads.get_or_insert(1);
    }
}

impl Job for PlayoutsJob<'_> {
    type Worker = rayon::ThreadPool;

    fn path(&self) -> &Path {
        self.path
    }

    fn kind(&self) -> Kind {
        Kind::Playouts
    }

    fn description(&self) -> String {
        let PlayoutsArgs { game, games, seed, limit, .. } = self.args;
        format!("{game} games {games} seed {seed} limit {limit}")
    }

    fn header(&self) -> String {
        String::new()
    }

    fn tasks(&self) -> u64 {
        self.args.games + 1
    }

    fn max_chunk(&self) -> u64 {
        MAX_CHUNK
    }

    fn done(&self, file: &ResumableFile) -> u64 {
        file.checkpoint().0
    }

    fn checkpoint(&self, done: u64) -> (u64, u64) {
        (done, 0)
    }

    fn worker(&self) -> Result<rayon::ThreadPool, Failure> {
        pool(self.args.threads)
    }

    fn rows(
        &self,
        pool: &mut rayon::ThreadPool,
        tasks: Range<u64>,
    ) -> Result<Vec<String>, Failure> {
        let PlayoutsArgs { game, seed, limit, .. } = *self.args;
        let tree = (tasks.start == 0).then(|| Part::Tree(Tree::of(&game, limit)));
        let games = tasks.start.max(1) - 1..tasks.end - 1;
        let play = || Playouts::play_some(game, games, seed, |_| true).expect("it is not ended");
        let parts = tree.into_iter().chain([Part::Played(pool.install(play))]);
        parts.map(|part| Ok(serde_json::to_string(&part)? + "\n")).collect()
    }

    fn seed(&self) -> Option<u64> {
        Some(self.args.seed)
    }

    fn summary(&self) -> Option<&dyn Summary> {
        Some(self)
    }
}

impl Summary for PlayoutsJob<'_> {
    fn write(&self, rows: &mut dyn BufRead) -> Result<bool, Failure> {
        let (mut played, mut tree) = (Playouts::default(), None);
        for row in rows.lines() {
            match serde_json::from_str(&row?).map_err(|_| damaged(self.path))? {
                Part::Played(more) => played = played.plus(more),
                Part::Tree(counted) => tree = counted,
            }
        }
        print_to(self.path, |out| report_playouts(self.args, &played, tree, out))?;
        Ok(false)
    }
}

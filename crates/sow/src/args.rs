//! The command line.

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use sowing::{Game, Move, Position, Setup};

use crate::failure::Failure;
use crate::{
    bench, count, manual, matches, openings, perft, play, playouts, polynomials, replay, serve,
    show, solve, study, sweep, tables, tchoukaillon, tchuka_ruma, teletype, tree, verify,
};

const EXAMPLES: &str = "\
Examples:
  sow solve \"kalah(5,4)\"                       is worth how much?
  sow show \"kalah(6,4)\"                        draws the board
  sow show \"s-kalaha(3,1)\" \"0,0,2,1|1,1,1,0\"   draws a position
  sow perft \"kalah(6,4)\" 6                     counts lines of play
  sow replay \"kalah(6,4)\" --partial \"3.6,2\"    plays a record

A game is NAME(HOUSES,SEEDS) with options, as in kalah(6,4,empty-capture) or
s-kalaha(6,3). A position lists the mover's houses and store, a bar, and the
opponent's, as in 0,0,2,1|1,1,1,0. Houses are numbered from the mover's left.";

/// Plays, solves and studies sowing games: Kalah, its variants, S-Kalaha
#[derive(Parser, Debug)]
#[command(
    name = "sow",
    version,
    after_help = EXAMPLES,
    max_term_width = 79,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Solve(solve::SolveArgs),
    Verify(verify::VerifyArgs),
    Show(show::ShowArgs),
    Perft(perft::PerftArgs),
    Replay(replay::ReplayArgs),
    Tchoukaillon(tchoukaillon::TchoukaillonArgs),
    TchukaRuma(tchuka_ruma::TchukaRumaArgs),
    Tables(tables::TablesArgs),
    Count(count::CountArgs),
    Openings(openings::OpeningsArgs),
    Playouts(playouts::PlayoutsArgs),
    Sweep(sweep::SweepArgs),
    Polynomials(polynomials::PolynomialsArgs),
    Study(study::StudyArgs),
    Tree(tree::TreeArgs),
    Play(play::PlayArgs),
    Match(matches::MatchArgs),
    Teletype(teletype::TeletypeArgs),
    Serve(serve::ServeArgs),
    Bench(bench::BenchArgs),
    Completions(manual::CompletionsArgs),
    Man(manual::ManArgs),
}

/// Help starts with examples: what follows the arguments elsewhere comes first here.
const HELP: &str = "{about}{after-help}\n\n{usage-heading} {usage}\n\n{all-args}";

/// The command line's definition, for parsing, for the manual, and for tests of all of it.
pub fn definition() -> clap::Command {
    fn examples_first(command: clap::Command) -> clap::Command {
        command.help_template(HELP).mut_subcommands(examples_first)
    }
    examples_first(Cli::command())
}

/// Reads the command line.
pub(crate) fn parse() -> Result<Cli, clap::Error> {
    Cli::from_arg_matches(&definition().try_get_matches()?)
}

/// A house's number for JSON; a swap has none.
pub(crate) fn house_number(action: Move) -> Option<u8> {
    match action {
        Move::House(house) => Some(house.number()),
        Move::Swap => None,
    }
}

/// A game and a position of it.
#[derive(Args, Debug)]
pub(crate) struct PositionArgs {
    /// The game, as in "kalah(6,4)" or "s-kalaha(6,3)"
    pub(crate) game: Game,
    /// The position, as in "0,0,2,1|1,1,1,0" or a KGP literal; the start if it
    /// is left out
    position: Option<String>,
    /// Accept a position with any number of seeds
    #[arg(long, requires = "position")]
    free: bool,
}

impl PositionArgs {
    /// The position that the arguments name.
    pub(crate) fn position(&self) -> Result<Position, Failure> {
        match &self.position {
            Some(text) => read_position(self.game, text, self.free),
            None => Ok(Position::start(self.game)),
        }
    }
}

/// Reads a position of a game, with just the game's seeds unless it is free.
pub(crate) fn read_position(game: Game, text: &str, free: bool) -> Result<Position, Failure> {
    let setup: Setup = text.parse()?;
    Ok(if free { Position::free(game, &setup)? } else { Position::new(game, &setup)? })
}

/// A pool of this many threads, or one for each core. Many more than cores would only cost time to
/// start, and are not started: what comes out does not depend on their number.
pub(crate) fn pool(threads: Option<usize>) -> Result<rayon::ThreadPool, Failure> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0).min(4 * cores))
        .build()
        .map_err(|error| Failure::Input(format!("cannot start threads: {error}")))
}

//! `sow tchuka-ruma`: the solitaire with wrapping and chaining.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde::Serialize;
use sowing_draw::solitaire;
use sowing_solitaire::{
    Board, DEFAULT_LIMIT, Fault, Found, Leg, SowingVectors, Variant, any_win, decide, losses,
    parse_b_file, sowing_column, tchuka_ruma,
};

use crate::failure::Failure;
use crate::input::file_or_stdin;
use crate::tchoukaillon::variant::chain_name;
use crate::tchoukaillon::write::{counted, json_line, list};
use crate::tchoukaillon::{positive, read_stones};
use crate::units::range;
use crate::{sanitize, svg};

const GAME: Variant = Variant::TCHUKA_RUMA;

/// Tchuka Ruma: sow round and on, all seeds into the Ruma
///
/// BINS bins hold SEEDS seeds each. Seeds are sown one by one towards the Ruma,
/// into it, and round again. After a last seed in the Ruma any bin may be played
/// next; one in a bin with seeds takes them all up and sows on; one in an empty
/// bin loses. Prints a winning play with the sowings v and laps w for which
/// V v + W w is the board (0 is the Ruma), or else the most seeds that can be
/// brought home, those of the losing move included. The play is a shortest one
/// unless it says otherwise: whether the board can be won is found out first.
#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  sow tchuka-ruma 4 2
  sow tchuka-ruma board 2,0,3,1
  sow tchuka-ruma table --bins 1..6 --per-bin 1..8
  sow tchuka-ruma losses --bins 2 --upto 500"
)]
pub(crate) struct TchukaRumaArgs {
    #[command(subcommand)]
    what: Option<What>,
    /// The number of bins
    #[arg(value_parser = positive, requires = "seeds")]
    bins: Option<u64>,
    /// The number of seeds in each bin
    #[arg(value_parser = positive)]
    seeds: Option<u64>,
    #[command(flatten)]
    search: SearchArgs,
}

#[derive(Args, Debug, Clone)]
struct SearchArgs {
    /// Give up beyond so many positions, first the search for a win, then that
    /// for a shortest
    #[arg(long, value_name = "POSITIONS", value_parser = positive)]
    #[arg(default_value_t = DEFAULT_LIMIT as u64)]
    limit: u64,
    /// Print one JSON object
    #[arg(long, conflicts_with = "svg")]
    json: bool,
    /// Draw the winning play into this file; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Solve any board
    #[command(after_help = "Example:
  sow tchuka-ruma board 2,0,3,1")]
    Board {
        /// The board, the bin nearest the Ruma first; - reads standard input
        board: String,
        #[command(flatten)]
        search: SearchArgs,
    },
    Table(TableArgs),
    Losses(LossesArgs),
}

/// Which starts can be won, and how much the others bring home
///
/// A cell is "win", or the most seeds that can be brought home, or "?" where the
/// search gave up.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow tchuka-ruma table --bins 1..6 --per-bin 1..8")]
struct TableArgs {
    /// The numbers of bins
    #[arg(long, value_name = "A..B", value_parser = range)]
    bins: RangeInclusive<u64>,
    /// The numbers of seeds in each bin
    #[arg(long = "per-bin", alias = "seeds", value_name = "A..B", value_parser = range)]
    seeds: RangeInclusive<u64>,
    /// Give up on a start beyond so many positions
    #[arg(long, value_name = "POSITIONS", value_parser = positive)]
    #[arg(default_value_t = DEFAULT_LIMIT as u64)]
    limit: u64,
    /// Print one JSON object a start
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print comma-separated values
    #[arg(long)]
    csv: bool,
}

/// The numbers of seeds a bin that cannot be won, as a b-file
///
/// With 2 bins A007780.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchuka-ruma losses --bins 2 --upto 500
  sow tchuka-ruma losses --bins 2 --check b007780.txt --upto 5000")]
struct LossesArgs {
    /// The number of bins
    #[arg(long, value_parser = positive)]
    bins: u64,
    /// The most seeds a bin
    #[arg(long, value_name = "SEEDS", value_parser = positive, default_value = "200")]
    upto: u64,
    /// Compare a b-file with the losses as far as they are computed
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Give up beyond so many positions
    #[arg(long, value_name = "POSITIONS", value_parser = positive)]
    #[arg(default_value_t = DEFAULT_LIMIT as u64)]
    limit: u64,
}

pub(crate) fn run(args: &TchukaRumaArgs, out: &mut dyn Write) -> Result<(), Failure> {
    match (&args.what, args.bins, args.seeds) {
        (Some(What::Board { board, search }), ..) => solve(&read_stones(board)?, search, out),
        (Some(What::Table(args)), ..) => table(args, out),
        (Some(What::Losses(args)), ..) => list_losses(args, out),
        (None, Some(bins), Some(seeds)) => solve(&start(bins, seeds)?, &args.search, out),
        _ => Err(Failure::Input(
            "tchuka-ruma needs a number of bins and of seeds, as in sow tchuka-ruma 4 2".into(),
        )),
    }
}

fn start(bins: u64, seeds: u64) -> Result<Board, Failure> {
    Ok(tchuka_ruma(usize::try_from(bins).unwrap_or(usize::MAX), seeds)?)
}

fn size(limit: u64) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

#[derive(Serialize)]
struct SolvedJson {
    game: &'static str,
    board: Vec<u64>,
    winnable: bool,
    /// The most seeds that can be brought home.
    home: u64,
    /// The bins of a winning play, or of one that brings the most home and then loses.
    play: Vec<usize>,
    /// Whether no winning play has fewer moves; `null` where none wins, likewise below.
    shortest: Option<bool>,
    /// The moves that every winning play has at least.
    fewest: Option<usize>,
    positions: usize,
}

fn solve(board: &Board, args: &SearchArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let found = decide(GAME, board, size(args.limit))?;
    if args.json {
        let won = found.win.is_some();
        let json = SolvedJson {
            game: GAME.name(),
            board: board.bins().to_vec(),
            winnable: won,
            home: found.home,
            shortest: won.then(|| found.is_shortest()),
            fewest: won.then_some(found.fewest),
            play: found.best,
            positions: found.positions,
        };
        return Ok(json_line(out, &json)?);
    }
    if let Some(path) = &args.svg {
        let win = found.win.ok_or_else(|| {
            Failure::Input(format!("{board} cannot be won: draw one that can, as in 2,2,2,2"))
        })?;
        return svg::write(path, &solitaire::play(GAME, board, &win)?, out);
    }
    writeln!(out, "{GAME}  {board}")?;
    match &found.win {
        Some(win) => {
            writeln!(out, "won in {} ({})", counted(win.len(), "move"), positions(&found))?;
            if !found.is_shortest() {
                let (fewest, limit) = (counted(found.fewest, "move"), args.limit);
                writeln!(
                    out,
                    "maybe not a shortest win: the search for one gave up beyond {limit}"
                )?;
                writeln!(out, "positions; every win has {fewest} or more")?;
            }
            print_win(board, win, out)
        }
        None => {
            let total = board.stones();
            let all = positions(&found);
            writeln!(out, "cannot be won; {} of {total} seeds come home ({all})", found.home)?;
            print_best(board, &found.best, out)
        }
    }
}

fn positions(found: &Found) -> String {
    counted(found.positions, "position")
}

fn print_win(board: &Board, win: &[usize], out: &mut dyn Write) -> Result<(), Failure> {
    let SowingVectors { moves, sowings, wraps, product } = SowingVectors::new(GAME, board, win)?;
    let names: Vec<String> = moves.iter().map(|(legs, _)| chain_name(legs)).collect();
    let width = names.iter().map(String::len).max().unwrap_or(0);
    for (name, (_, board)) in names.iter().zip(&moves) {
        writeln!(out, "{name:<width$}  {}", list(board))?;
    }
    let made =
        sowings.iter().enumerate().filter(|&(_, &times)| times > 0).map(|(column, times)| {
            let (from, to) = sowing_column(column, board.len());
            format!("{times} of {from}>{to}")
        });
    writeln!(out, "v = {}", made.collect::<Vec<_>>().join(", "))?;
    writeln!(out, "w = {}", list(wraps))?;
    Ok(writeln!(out, "V v + W w = {}", list(product))?)
}

/// A play that ends in a loss: every move, and where the last seed of the last one fell.
fn print_best(board: &Board, play: &[usize], out: &mut dyn Write) -> Result<(), Failure> {
    let mut bins = board.bins().to_vec();
    for &bin in play {
        let mut legs: Vec<Leg> = Vec::new();
        match GAME.play(&mut bins, bin, |leg| legs.push(leg)) {
            Ok(_) => writeln!(out, "{}  {}", chain_name(&legs), list(&bins))?,
            Err(Fault::EndsInEmpty { bin, .. }) => {
                let name = chain_name(&legs);
                writeln!(out, "{name}  {}  lost: bin {bin} was empty", list(&bins))?;
            }
            Err(fault) => writeln!(out, "{}  lost: {fault}", chain_name(&legs))?,
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct CellJson {
    bins: u64,
    seeds: u64,
    /// `null` where the search gave up; likewise below.
    winnable: Option<bool>,
    home: Option<u64>,
    total: u64,
    positions: Option<usize>,
}

fn table(args: &TableArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if *args.bins.start() == 0 || *args.seeds.start() == 0 {
        return Err(Failure::Input(
            "bins and seeds should be 1 or more, as in --bins 1..6 --per-bin 1..8".to_string(),
        ));
    }
    // The largest of them, before any is looked at.
    start(*args.bins.end(), *args.seeds.end())?;
    let text = !args.csv && !args.json;
    let width = (args.bins.end().saturating_mul(*args.seeds.end())).to_string().len().max(3);
    if args.csv {
        writeln!(out, "bins,seeds,winnable,home,total,positions")?;
    } else if text {
        write!(out, "bins")?;
        for seeds in args.seeds.clone() {
            write!(out, "  {seeds:>width$}")?;
        }
        writeln!(out)?;
    }
    for bins in args.bins.clone() {
        if text {
            write!(out, "{bins:>4}")?;
        }
        for seeds in args.seeds.clone() {
            let board = start(bins, seeds)?;
            // A search that gave up is a cell that says so.
            let found = any_win(GAME, &board, size(args.limit)).ok();
            let cell = CellJson {
                bins,
                seeds,
                winnable: found.as_ref().map(|found| found.win.is_some()),
                home: found.as_ref().map(|found| found.home),
                total: board.stones(),
                positions: found.as_ref().map(|found| found.positions),
            };
            if args.json {
                json_line(out, &cell)?;
            } else if args.csv {
                let or_none = |value: Option<String>| value.unwrap_or_default();
                writeln!(
                    out,
                    "{bins},{seeds},{},{},{},{}",
                    or_none(cell.winnable.map(|won| won.to_string())),
                    or_none(cell.home.map(|home| home.to_string())),
                    cell.total,
                    or_none(cell.positions.map(|positions| positions.to_string())),
                )?;
            } else {
                let cell = match (cell.winnable, cell.home) {
                    (Some(true), _) => "win".to_string(),
                    (_, Some(home)) => home.to_string(),
                    _ => "?".to_string(),
                };
                write!(out, "  {cell:>width$}")?;
                out.flush()?;
            }
        }
        if text {
            writeln!(out)?;
        }
    }
    Ok(())
}

fn list_losses(args: &LossesArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let LossesArgs { bins, upto, .. } = args;
    start(*bins, *upto)?;
    let listed = match &args.check {
        Some(path) => Some(parse_b_file(&file_or_stdin(path)?)?),
        None => {
            writeln!(
                out,
                "# seeds a bin with which {bins} bins of Tchuka Ruma cannot be won; made by"
            )?;
            writeln!(out, "# sow tchuka-ruma losses --bins {bins} --upto {upto}")?;
            None
        }
    };
    let mut found = Vec::new();
    for (index, seeds) in (1u64..).zip(losses(size(*bins), *upto, size(args.limit))) {
        let seeds = seeds?;
        if listed.is_none() {
            writeln!(out, "{index} {seeds}")?;
            out.flush()?;
        }
        found.push((index, seeds.to_string()));
    }
    let Some(listed) = listed else { return Ok(()) };
    let known: Vec<_> = listed
        .into_iter()
        .filter(|(_, seeds)| seeds.parse::<u64>().is_ok_and(|seeds| seeds <= *upto))
        .collect();
    if known == found {
        return Ok(writeln!(out, "{} agree, up to {upto} seeds", losses_counted(found.len()))?);
    }
    let differing = known.iter().zip(&found).find(|(known, found)| known != found);
    match differing {
        Some(((index, listed), (_, computed))) => {
            let listed = sanitize::word(listed);
            writeln!(out, "loss {index} is {computed}, the file has {listed}")?;
        }
        None => writeln!(
            out,
            "the file has {} up to {upto} seeds, computed were {}",
            losses_counted(known.len()),
            found.len()
        )?,
    }
    Err(Failure::Negative("the b-file does not agree".to_string()))
}

fn losses_counted(count: usize) -> String {
    if count == 1 { "1 loss".to_string() } else { format!("{count} losses") }
}

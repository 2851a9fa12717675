//! Boards and plays of the plain game.

use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use sowing_draw::solitaire::{self, TooTall};
use sowing_solitaire::{Line, Summary, Winning, check_bins};

use super::write::{counted, json_line, list, write_numbers};
use super::{positive, read_board, read_stones};
use crate::failure::Failure;
use crate::{svg, units};

/// The winning board of N stones
///
/// There is exactly one. It is made one bin at a time and never held, so that
/// 10^18 stones can be written too.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon board 8
  sow tchoukaillon board 1..11
  sow tchoukaillon board 10^18 --summary")]
pub(crate) struct BoardArgs {
    #[command(flatten)]
    vector: VectorArgs,
    /// Draw the board and its play into this file; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["summary", "json", "csv"])]
    svg: Option<PathBuf>,
}

/// How often each bin is played on the way to winning with N stones
///
/// Made one bin at a time and never held.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon moves 8
  sow tchoukaillon moves 1..11 --csv
  sow tchoukaillon moves 10^18 --summary")]
pub(crate) struct MovesArgs {
    #[command(flatten)]
    vector: VectorArgs,
}

#[derive(Args, Debug)]
struct VectorArgs {
    /// The number of stones, as in 8 or 10^12, or a range, as in 1..11
    #[arg(value_parser = stones)]
    stones: RangeInclusive<u64>,
    /// Print length, largest entries, sum and digest instead of the vector
    #[arg(long)]
    summary: bool,
    /// Print one JSON object for each number of stones
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a table with one bin a line
    #[arg(long, conflicts_with = "summary")]
    csv: bool,
}

/// The most stones of a range: 37 million numbers are printed in all.
const MAX_RANGE: u64 = 100_000;

/// Reads a number of stones, or a range of them.
fn stones(text: &str) -> Result<RangeInclusive<u64>, String> {
    match text.contains("..") {
        true => units::range_within(1..=MAX_RANGE)(text),
        false => positive(text).map(|stones| stones..=stones),
    }
}

#[derive(Serialize)]
struct SummaryJson {
    stones: u64,
    length: u64,
    sum: u64,
    largest: Vec<Entry>,
    /// Sixteen hexadecimal digits.
    digest: String,
}

#[derive(Serialize)]
struct Entry {
    bin: u64,
    value: u64,
}

const LARGEST: usize = 5;

impl VectorArgs {
    /// Whether there is one board, which needs no number before it.
    fn is_one(&self) -> bool {
        self.stones.start() == self.stones.end()
    }

    fn each(
        &self,
        name: &str,
        out: &mut dyn Write,
        mut print: impl FnMut(Winning, &mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.csv {
            writeln!(out, "{}bin,{name}", if self.is_one() { "" } else { "stones," })?;
        }
        for stones in self.stones.clone() {
            print(Winning::new(stones).expect("at least one stone"), out)?;
        }
        Ok(())
    }

    fn print(
        &self,
        name: &str,
        winning: Winning,
        entries: impl Iterator<Item = u64>,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let stones = winning.stones();
        if self.csv {
            let before = if self.is_one() { String::new() } else { format!("{stones},") };
            for (bin, entry) in (1u64..).zip(entries) {
                writeln!(out, "{before}{bin},{entry}")?;
            }
            return Ok(());
        }
        if self.json {
            let length = winning.length();
            write!(out, "{{\"stones\":{stones},\"length\":{length},\"{name}\":[")?;
            write_numbers(out, entries, b',')?;
            return Ok(writeln!(out, "]}}")?);
        }
        if !self.is_one() {
            let width = self.stones.end().to_string().len();
            write!(out, "{stones:>width$}  ")?;
        }
        write_numbers(out, entries, b',')?;
        Ok(writeln!(out)?)
    }

    fn print_summary(
        &self,
        winning: Winning,
        summary: Summary,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let entries = |(bin, value): &(u64, u64)| Entry { bin: *bin, value: *value };
        let json = SummaryJson {
            stones: winning.stones(),
            length: summary.length,
            sum: summary.stones as u64,
            largest: summary.largest.iter().map(entries).collect(),
            digest: format!("{:016x}", summary.digest),
        };
        if self.json {
            return Ok(json_line(out, &json)?);
        }
        if !self.is_one() {
            writeln!(out, "stones   {}", json.stones)?;
        }
        writeln!(out, "length   {}", json.length)?;
        let largest =
            json.largest.iter().map(|entry| format!("{} in bin {}", entry.value, entry.bin));
        writeln!(out, "largest  {}", largest.collect::<Vec<_>>().join(", "))?;
        writeln!(out, "sum      {}", json.sum)?;
        Ok(writeln!(out, "digest   {}", json.digest)?)
    }
}

pub(crate) fn board(args: &BoardArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let vector = &args.vector;
    if args.svg.is_some() && !vector.is_one() {
        return Err(Failure::Input(
            "a picture has one board: name its stones, as in 8".to_string(),
        ));
    }
    vector.each("board", out, |winning, out| match &args.svg {
        Some(path) => {
            // Before the board is made: it may have any number of bins.
            TooTall::check(winning.stones())?;
            svg::write(path, &solitaire::line(Line::new(winning.board())?)?, out)
        }
        None if vector.summary => vector.print_summary(winning, winning.summary(LARGEST), out),
        None => vector.print("board", winning, winning.bins(), out),
    })
}

pub(crate) fn moves(args: &MovesArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let vector = &args.vector;
    vector.each("moves", out, |winning, out| match vector.summary {
        true => vector.print_summary(winning, winning.moves_summary(LARGEST), out),
        false => vector.print("moves", winning, winning.moves(), out),
    })
}

/// The winning order of plays, one step a line, or why the board loses
///
/// The first harvestable bin is played each time: a bin that holds as many
/// stones as its number. Exit code 1 if the board loses.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon play 0,2,2,4
  sow tchoukaillon board 17 | sow tchoukaillon play - --bins")]
pub(crate) struct PlayArgs {
    /// The board, as in 0,2,2,4; - reads standard input
    board: String,
    /// Print the bins only, on one line
    #[arg(long, conflicts_with_all = ["json", "csv", "svg"])]
    bins: bool,
    /// Print one JSON object a play
    #[arg(long, conflicts_with_all = ["csv", "svg"])]
    json: bool,
    /// Print a table with one play a line
    #[arg(long, conflicts_with = "svg")]
    csv: bool,
    /// Draw the play into this file; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Serialize)]
struct PlayJson<'a> {
    play: u64,
    bin: u64,
    board: &'a [u64],
}

#[derive(Serialize)]
struct LosesJson<'a> {
    board: &'a [u64],
    wins: bool,
    reason: String,
}

pub(crate) fn play(args: &PlayArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let board = read_stones(&args.board)?;
    let mut line = match Line::new(board.clone()) {
        Ok(line) => line,
        Err(flaw) => {
            let (board, reason) = (board.bins(), flaw.to_string());
            if args.json {
                json_line(out, &LosesJson { board, wins: false, reason })?;
            } else {
                writeln!(out, "{} loses: {reason}", list(board))?;
            }
            return Err(Failure::Negative("the board loses".to_string()));
        }
    };
    if let Some(path) = &args.svg {
        return svg::write(path, &solitaire::line(line)?, out);
    }
    if args.bins {
        write_numbers(out, std::iter::from_fn(|| line.advance()), b',')?;
        return Ok(writeln!(out)?);
    }
    if args.csv {
        writeln!(out, "play,bin,board")?;
    } else if !args.json {
        writeln!(out, "start  {board}")?;
    }
    let mut play = 0;
    while let Some(bin) = line.advance() {
        play += 1;
        if args.json {
            json_line(out, &PlayJson { play, bin, board: line.bins() })?;
            continue;
        }
        if args.csv {
            write!(out, "{play},{bin},")?;
        } else {
            write!(out, "bin {bin}  ")?;
        }
        write_numbers(out, line.bins().iter().copied(), if args.csv { b' ' } else { b',' })?;
        writeln!(out)?;
    }
    Ok(())
}

/// Take plays back: the boards with one more stone each
///
/// A stone comes from the Ruma and one from each bin up to the first empty one,
/// and all go there.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon unplay 1,0,2,4
  sow tchoukaillon unplay 0 --times 11")]
pub(crate) struct UnplayArgs {
    /// The board, as in 1,0,2,4; - reads standard input
    board: String,
    /// How many plays to take back
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1")]
    times: u64,
    /// Print one JSON object an unplay
    #[arg(long)]
    json: bool,
}

pub(crate) fn unplay(args: &UnplayArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let board = read_board(&args.board)?;
    if u64::MAX - board.stones() < args.times {
        return Err(Failure::Input(format!(
            "the stones of the board and the unplays add up to more than {}: use fewer, as in \
             --times 1",
            u64::MAX
        )));
    }
    let mut bins = board.into_bins();
    for play in 1..=args.times {
        let bin = sowing_solitaire::unplay(&mut bins);
        if args.json {
            json_line(out, &PlayJson { play, bin, board: &bins })?;
        } else {
            write!(out, "bin {bin}  ")?;
            write_numbers(out, bins.iter().copied(), b',')?;
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Take plays back on a circle: the boards that are won with wrapping
///
/// Stones come back from every bin to the nearest of those that hold the fewest,
/// as many laps as it holds. From a board without stones these are all the
/// boards of so many bins that can be won with wrapping.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon unwrap 6,1,1,3
  sow tchoukaillon unwrap 0,0,0 --times 20
  sow tchoukaillon unwrap 0,0,0 --times 100 --stones")]
pub(crate) struct UnwrapArgs {
    /// The board, as in 6,1,1,3; - reads standard input
    board: String,
    /// How many plays to take back
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1")]
    times: u64,
    /// Print the numbers of stones as a b-file, that of the board first
    #[arg(long, conflicts_with = "json")]
    stones: bool,
    /// Print one JSON object an unplay
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct UnwrapJson<'a> {
    play: u64,
    bin: usize,
    laps: u64,
    board: &'a [u64],
}

pub(crate) fn unwrap(args: &UnwrapArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let board = read_board(&args.board)?;
    let times = args.times;
    if args.stones {
        let bins = board.len();
        writeln!(out, "# stones of the n-th board, from 0, met by unplaying {board}")?;
        writeln!(out, "# with wrapping in {bins} bins; made by")?;
        writeln!(out, "# sow tchoukaillon unwrap {board} --times {times} --stones")?;
        writeln!(out, "0 {}", board.stones())?;
    }
    let mut total = board.stones();
    let mut bins = board.into_bins();
    for play in 1..=times {
        let leg = sowing_solitaire::unwrap(&mut bins).ok_or_else(|| {
            Failure::Input(format!(
                "the stones of unplay {play} add up to more than {}: use fewer, as in --times {}",
                u64::MAX,
                (play - 1).max(1),
            ))
        })?;
        total += leg.laps + 1;
        if args.stones {
            writeln!(out, "{play} {total}")?;
        } else if args.json {
            json_line(out, &UnwrapJson { play, bin: leg.from, laps: leg.laps, board: &bins })?;
        } else {
            write!(out, "bin {}, {}  ", leg.from, counted(leg.laps, "lap"))?;
            write_numbers(out, bins.iter().copied(), b',')?;
            writeln!(out)?;
        }
    }
    Ok(())
}

/// Test a board with both congruences of Theorem 1
///
/// A board of n stones wins if no bin i holds more than i, and the stones of
/// bins 1 to i leave the same rest by i+1 as n does, for every i; or, which is
/// the same, the stones of bins i and beyond are a multiple of i. Exit code 1 if
/// it loses.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon check 0,2,2,4
  sow tchoukaillon check 0,1,2,4")]
pub(crate) struct CheckArgs {
    /// The board, as in 0,2,2,4; - reads standard input
    board: String,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a table with one bin a line
    #[arg(long)]
    csv: bool,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    board: &'a [u64],
    stones: u64,
    wins: bool,
    reason: Option<String>,
    bins: Vec<BinJson>,
}

#[derive(Serialize)]
struct BinJson {
    bin: u64,
    stones: u64,
    fits: bool,
    lower: u64,
    lower_congruence: bool,
    upper: u64,
    upper_congruence: bool,
}

pub(crate) fn check(args: &CheckArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let board = read_stones(&args.board)?;
    let flaw = sowing_solitaire::check(&board).err();
    let bins = check_bins(&board).map(|bin| BinJson {
        bin: bin.bin,
        stones: bin.stones,
        fits: bin.fits(),
        lower: bin.lower,
        lower_congruence: bin.lower_congruence(),
        upper: bin.upper,
        upper_congruence: bin.upper_congruence(),
    });
    let stones = board.stones();
    if args.json {
        let check = CheckJson {
            board: board.bins(),
            stones,
            wins: flaw.is_none(),
            reason: flaw.map(|flaw| flaw.to_string()),
            bins: bins.collect(),
        };
        json_line(out, &check)?;
    } else if args.csv {
        writeln!(out, "bin,stones,fits,lower,lower_congruence,upper,upper_congruence")?;
        for b in bins {
            writeln!(
                out,
                "{},{},{},{},{},{},{}",
                b.bin, b.stones, b.fits, b.lower, b.lower_congruence, b.upper, b.upper_congruence
            )?;
        }
    } else {
        for bin in bins {
            let i = bin.bin;
            let compared = if bin.fits { "<=" } else { ">" };
            let lower = if bin.lower_congruence { "=" } else { "is not" };
            let upper = if bin.upper_congruence { "=" } else { "is not" };
            writeln!(
                out,
                "bin {i}: {} {compared} {i}; 1 to {i}: {} {lower} {stones} mod {}; {i} to {}: {} \
                 {upper} 0 mod {i}",
                bin.stones,
                bin.lower,
                i + 1,
                board.len(),
                bin.upper,
            )?;
        }
        match &flaw {
            None => writeln!(out, "{board} wins")?,
            Some(flaw) => writeln!(out, "{board} loses: {flaw}")?,
        }
    }
    if flaw.is_some() { Err(Failure::Negative("the board loses".to_string())) } else { Ok(()) }
}

//! Wrapping and chaining: winnable or not, and every way to win.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use sowing_draw::solitaire;
use sowing_solitaire::{
    Board, DEFAULT_LIMIT, Leg, PlayVectors, Variant, WinAnalysis, wrapping_play,
};

use super::write::{counted, json_line, list};
use super::{positive, read_stones};
use crate::failure::Failure;
use crate::svg;

/// Win a board that is a circle: stones are sown round and round
///
/// A play must still end in the Ruma. Prints whether the board can be won, the
/// play that wins it, and its move vector m and wrap vector w, for which
/// U m + W w is the board. No board has more than one winning play: taken back
/// from the cleared board, plays leave no choice.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon wrap 4,7,0,2
  sow tchoukaillon wrap 4,7,0,2 --all")]
pub(crate) struct WrapArgs {
    /// The board, as in 4,7,0,2; - reads standard input
    board: String,
    /// Print every winning play, one a line: one, or none
    #[arg(long)]
    all: bool,
    /// Print one JSON object; with --all one a play
    #[arg(long, conflicts_with = "svg")]
    json: bool,
    /// Draw the play into this file; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    svg: Option<PathBuf>,
}

/// Win a board with chains: a last stone in a bin with stones sows them on
///
/// Prints whether the board can be won, in how many ways, a shortest and a longest
/// play (all plays have as many moves as there are stones; the sowings differ),
/// and the chain vector t of each, for which C t is the board.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon chain 0,1,2,1
  sow tchoukaillon chain 0,1,1,3,5 --all")]
pub(crate) struct ChainArgs {
    /// The board, as in 0,1,1,3,5; - reads standard input
    board: String,
    /// Print every winning play, one a line
    #[arg(long)]
    all: bool,
    /// Print at most so many plays
    #[arg(long, value_name = "N", value_parser = positive, requires = "all")]
    max: Option<u64>,
    /// Give up beyond so many positions
    #[arg(long, value_name = "POSITIONS", value_parser = positive)]
    #[arg(default_value_t = DEFAULT_LIMIT as u64)]
    limit: u64,
    /// Print one JSON object; with --all one a play
    #[arg(long, conflicts_with = "svg")]
    json: bool,
    /// Draw a shortest play into this file; - is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "all")]
    svg: Option<PathBuf>,
}

#[derive(Serialize)]
struct AnalysisJson {
    game: &'static str,
    board: Vec<u64>,
    winnable: bool,
    /// A string: it may be larger than a JSON number can be. `null` beyond 3.4 * 10^38.
    plays: Option<String>,
    shortest: Option<PlayJson>,
    longest: Option<PlayJson>,
    /// The positions looked at, where there was a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    positions: Option<usize>,
}

/// A winning play with its vectors: `m` and `w` with wrapping, `t` with chaining.
#[derive(Serialize, Clone)]
struct PlayJson {
    plays: Vec<String>,
    moves: usize,
    sowings: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    m: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    w: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<Vec<u64>>,
    /// The board made again from the vectors.
    product: Vec<i128>,
}

pub(crate) fn wrap(args: &WrapArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let variant = Variant::WRAPPING;
    let board = read_stones(&args.board)?;
    let play = wrapping_play(&board);
    if let Some(path) = &args.svg {
        return draw(variant, &board, play.as_deref(), path, out);
    }
    let play = play.map(|play| vectors(variant, &board, &play)).transpose()?;
    if args.all {
        return play.map_or(Ok(()), |play| print_play(&play, args.json, out));
    }
    if args.json {
        let json = AnalysisJson {
            game: variant.name(),
            board: board.bins().to_vec(),
            winnable: play.is_some(),
            plays: Some(usize::from(play.is_some()).to_string()),
            shortest: play.clone(),
            longest: play,
            positions: None,
        };
        return Ok(json_line(out, &json)?);
    }
    writeln!(out, "{variant}  {board}")?;
    let Some(play) = play else { return Ok(writeln!(out, "cannot be won")?) };
    let moves = counted(play.moves, "move");
    writeln!(out, "won by 1 play, the shortest and the longest")?;
    writeln!(out, "{moves}: {}", play.plays.join(","))?;
    print_vectors(&play, out)
}

pub(crate) fn chain(args: &ChainArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let variant = Variant::CHAINING;
    let board = read_stones(&args.board)?;
    let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
    let analysis = WinAnalysis::new(variant, board.clone(), limit)?;
    if let Some(path) = &args.svg {
        return draw(variant, &board, analysis.shortest().as_deref(), path, out);
    }
    if args.all {
        let max = usize::try_from(args.max.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        for play in analysis.all().take(max) {
            print_play(&vectors(variant, &board, &play)?, args.json, out)?;
        }
        return Ok(());
    }
    let shortest = analysis.shortest().map(|play| vectors(variant, &board, &play)).transpose()?;
    let longest = analysis.longest().map(|play| vectors(variant, &board, &play)).transpose()?;
    if args.json {
        let json = AnalysisJson {
            game: variant.name(),
            board: board.bins().to_vec(),
            winnable: analysis.winnable(),
            plays: analysis.plays().map(|plays| plays.to_string()),
            shortest,
            longest,
            positions: Some(analysis.positions()),
        };
        return Ok(json_line(out, &json)?);
    }
    writeln!(out, "{variant}  {board}")?;
    let (Some(shortest), Some(longest)) = (shortest, longest) else {
        let positions = counted(analysis.positions(), "position");
        return Ok(writeln!(out, "cannot be won ({positions})")?);
    };
    let plays = match analysis.plays() {
        Some(plays) => counted(plays, "play"),
        None => "more than 3.4 * 10^38 plays".to_string(),
    };
    writeln!(out, "won by {plays}")?;
    for (which, play) in [("shortest", &shortest), ("longest", &longest)] {
        let length =
            format!("{}, {}", counted(play.moves, "move"), counted(play.sowings, "sowing"));
        writeln!(out, "a {which}, {length}: {}", play.plays.join(","))?;
        print_vectors(play, out)?;
    }
    Ok(())
}

fn print_play(play: &PlayJson, json: bool, out: &mut dyn Write) -> Result<(), Failure> {
    if json {
        return Ok(json_line(out, play)?);
    }
    Ok(writeln!(out, "{}", play.plays.join(","))?)
}

fn draw(
    variant: Variant,
    board: &Board,
    play: Option<&[usize]>,
    path: &Path,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let play = play.ok_or_else(|| {
        Failure::Input(format!("{board} cannot be won: draw one that can, as in 0,2,2,4"))
    })?;
    svg::write(path, &solitaire::play(variant, board, play)?, out)
}

fn print_vectors(play: &PlayJson, out: &mut dyn Write) -> Result<(), Failure> {
    if let (Some(m), Some(w)) = (&play.m, &play.w) {
        writeln!(out, "  m = {}", list(m))?;
        writeln!(out, "  w = {}", list(w))?;
        writeln!(out, "  U m + W w = {}", list(&play.product))?;
    }
    if let Some(t) = &play.t {
        writeln!(out, "  t = {}", list(t))?;
        writeln!(out, "  C t = {}", list(&play.product))?;
    }
    Ok(())
}

/// A play written out: `5>4>2` for a play that chains, `5` for one that does not.
pub(crate) fn chain_name(legs: &[Leg]) -> String {
    legs.iter().map(|leg| leg.from.to_string()).collect::<Vec<_>>().join(">")
}

fn vectors(variant: Variant, board: &Board, play: &[usize]) -> Result<PlayJson, Failure> {
    let PlayVectors { legs, moves_and_wraps, chains, product } =
        PlayVectors::new(variant, board, play)?;
    let (m, w) = moves_and_wraps.unzip();
    Ok(PlayJson {
        plays: legs.iter().map(|legs| chain_name(legs)).collect(),
        moves: legs.len(),
        sowings: legs.iter().map(Vec::len).sum(),
        m,
        w,
        t: chains,
        product,
    })
}

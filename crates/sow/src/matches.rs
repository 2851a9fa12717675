//! `sow match`: players against each other, without a screen.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use sowing::{Ending, Game, Playthrough, Record, Side};
use sowing_players::{Opponent, Player, PlayerOptions, play_out, random_opening};

use crate::args::pool;
use crate::failure::Failure;
use crate::{said, units};

/// Play players against each other, and count
///
/// Every pair plays the same number of games. Each random opening is played
/// twice, the second time with the sides changed. A win scores 1, a draw 1/2.
/// The same seed gives the same games on any number of threads; with perfect,
/// as long as its time is enough for exact values.
///
/// A clockwise game in which a position comes up for the third time is given
/// up: seeds in houses count for nobody.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow match \"kalah(6,4)\" level:2 level:1 --games 200
  sow match \"s-kalaha(4,3)\" random pdp:3 perfect --json
  sow match \"kalah(6,4)\" level:5 pdp:4 --games 10 --records games")]
pub(crate) struct MatchArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// Two players or more: random, pdp:DEPTH, level:1 to level:9, perfect
    #[arg(required = true, num_args = 2..=20, value_name = "PLAYER")]
    players: Vec<Opponent>,
    /// Games of each pair, at most a million
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = units::whole::<u64>(1..=1_000_000))]
    games: u64,
    /// Random moves at the start of each game
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = units::whole::<u32>(0..=1000))]
    opening: u32,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Write the record of each game into this folder, which must hold none yet
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// How long perfect may think about a move, as in 500ms or 5s
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = units::time)]
    time: Duration,
    /// Memory for perfect, as in 512M or 4G, shared by the games played at once
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = units::bytes)]
    memory: u64,
    /// Games to play at once; as many as there are cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Print one JSON object a pair
    #[arg(long)]
    json: bool,
}

/// What came of the games of a pair, as the first of the two sees it.
#[derive(Serialize)]
struct Pairing {
    game: String,
    player: String,
    against: String,
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    /// Games that went round in circles and were given up; they are among the others.
    endless: u64,
    /// Wins and half the draws, as a share of the games.
    score: f64,
    /// Half the width of its 95 % interval.
    score_error: f64,
    /// The mean margin.
    margin: f64,
    seed: u64,
    opening: u32,
}

pub(crate) fn run(args: &MatchArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let pairs: Vec<(usize, usize)> = (0..args.players.len())
        .flat_map(|first| (first + 1..args.players.len()).map(move |second| (first, second)))
        .collect();
    let games = pairs.len() as u64 * args.games;
    let records = args.records.as_deref().map(|dir| Records::new(dir, games)).transpose()?;
    let bar = ProgressBar::new(games).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} games {elapsed}")
            .expect("a fixed template"),
    );
    let pool = pool(args.threads)?;
    let memory = args.memory / pool.current_num_threads() as u64;
    let play = |index: u64| {
        let (first, second) = pairs[(index / args.games) as usize];
        let (played, record) = play_game(args, [first, second], index, memory)?;
        if let Some(records) = &records {
            records.write(index + 1, &record)?;
        }
        bar.inc(1);
        Ok(played)
    };
    let played: Result<Vec<PlayedGame>, Failure> =
        pool.install(|| (0..games).into_par_iter().map(play).collect());
    bar.finish_and_clear();
    let played = played?;
    let tallies: Vec<Pairing> = played
        .chunks(args.games as usize)
        .zip(&pairs)
        .map(|(games, (first, second))| tally(args, [*first, *second], games))
        .collect();
    if args.json {
        for tally in &tallies {
            serde_json::to_writer(&mut *out, tally)?;
            writeln!(out)?;
        }
    } else {
        print(args, &tallies, out)?;
    }
    Ok(())
}

/// What is kept of a game.
struct PlayedGame {
    /// The margin of the first of the pair.
    margin: i64,
    endless: bool,
}

/// The margin of the first of a pair, who sat South at the start or did not.
fn margin(play: &Playthrough, first_is_south: bool) -> i64 {
    let first_row_is_south = first_is_south != play.swapped();
    match play.result().expect("played out") {
        Ending::Draw => 0,
        Ending::Win(side, margin) => {
            let won = (side == Side::South) == first_row_is_south;
            if won { margin as i64 } else { -(margin as i64) }
        }
    }
}

fn play_game(
    args: &MatchArgs,
    pair: [usize; 2],
    index: u64,
    memory: u64,
) -> Result<(PlayedGame, Record), Failure> {
    let number = index % args.games;
    let first_is_south = number.is_multiple_of(2);
    let [south, north] = if first_is_south { pair } else { [pair[1], pair[0]] };
    let mut play = random_opening(args.game, args.opening, args.seed, number / 2);
    let player = |player: usize, seat: u64| {
        let seed = args.seed.wrapping_mul(1_000_003).wrapping_add(2 * index + seat);
        let options = PlayerOptions {
            seed,
            time: args.time,
            threads: 1,
            memory,
            tables: None,
            book: sowing_books::of(&args.game),
        };
        Player::new(args.players[player], args.game, options)
    };
    play_out(&mut play, &mut player(south, 0)?, &mut player(north, 1)?)?;
    let name = |player: usize| args.players[player].to_string();
    let mut record = Record::of(&play)
        .with_header("south", &name(south))
        .with_header("north", &name(north))
        .with_header("opening", &format!("{} random moves", args.opening));
    let endless = play.is_endless();
    if endless {
        record = record.with_header("endless", "given up at the third repetition");
    }
    Ok((PlayedGame { margin: margin(&play, first_is_south), endless }, record))
}

fn tally(args: &MatchArgs, [first, second]: [usize; 2], played: &[PlayedGame]) -> Pairing {
    let margins: Vec<i64> = played.iter().map(|played| played.margin).collect();
    let count = |wanted: i64| margins.iter().filter(|margin| margin.signum() == wanted).count();
    let [wins, draws, losses] = [1, 0, -1].map(|wanted| count(wanted) as u64);
    let games = played.len() as f64;
    let score = (wins as f64 + draws as f64 / 2.0) / games;
    let squares = (wins as f64 + draws as f64 / 4.0) / games;
    Pairing {
        game: args.game.to_string(),
        player: args.players[first].to_string(),
        against: args.players[second].to_string(),
        games: args.games,
        wins,
        draws,
        losses,
        endless: played.iter().filter(|played| played.endless).count() as u64,
        score,
        score_error: 1.96 * ((squares - score * score).max(0.0) / games).sqrt(),
        margin: margins.iter().map(|margin| *margin as f64).sum::<f64>() / games,
        seed: args.seed,
        opening: args.opening,
    }
}

fn print(args: &MatchArgs, tallies: &[Pairing], out: &mut dyn Write) -> Result<(), Failure> {
    let (games, opening) = (units::grouped(args.games), args.opening);
    writeln!(
        out,
        "{}: {games} games a pair, random moves first: {opening}, seed {}",
        args.game, args.seed
    )?;
    let names = tallies.iter().flat_map(|tally| [tally.player.len(), tally.against.len()]);
    let width = names.max().unwrap_or_default().max("against".len());
    writeln!(
        out,
        "{:<width$}  {:<width$}  {:>6}  {:>6}  {:>6}  {:>14}  {:>7}",
        "player", "against", "won", "drawn", "lost", "score", "margin"
    )?;
    for tally in tallies {
        let score = format!("{:.1} ± {:.1} %", 100.0 * tally.score, 100.0 * tally.score_error);
        writeln!(
            out,
            "{:<width$}  {:<width$}  {:>6}  {:>6}  {:>6}  {score:>14}  {:>+7.2}",
            tally.player, tally.against, tally.wins, tally.draws, tally.losses, tally.margin
        )?;
        if tally.endless > 0 {
            writeln!(out, "{:width$}  {} of the games went round in circles", "", tally.endless)?;
        }
    }
    Ok(())
}

/// Where records go: a folder in which none are yet.
pub(crate) struct Records<'a> {
    dir: &'a Path,
    /// Digits of a game's number.
    width: usize,
}

impl<'a> Records<'a> {
    /// Looks, before any game is played, whether records can be written and would replace none.
    pub(crate) fn new(dir: &'a Path, games: u64) -> Result<Records<'a>, Failure> {
        let failed = |error| cannot_write(dir, &error);
        sowing_files::make_folder(dir).map_err(failed)?;
        tempfile::tempfile_in(dir).map_err(failed)?;
        for entry in std::fs::read_dir(dir).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
            if number && path.extension().is_some_and(|extension| extension == "txt") {
                return Err(Failure::Input(format!(
                    "{} has the records of another match: name a new folder, as in --records games-2",
                    said::path(dir)
                )));
            }
        }
        Ok(Records { dir, width: games.to_string().len() })
    }

    /// Writes a record, over no other, since another match may have begun meanwhile. One that does
    /// not fit the disk is not left behind.
    pub(crate) fn write(&self, number: u64, record: &Record) -> Result<(), Failure> {
        let path = self.dir.join(format!("{number:0width$}.txt", width = self.width));
        sowing_files::write_new(&path, record.to_string().as_bytes())
            .map_err(|error| cannot_write(&path, &error))
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::Input(format!("cannot write {}: {error}", said::path(path)))
}

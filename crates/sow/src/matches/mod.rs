//! `sow match`: players against each other, without a screen.

mod openings;
mod report;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use sowing_command::pool;
use sowing_jobs::{Kind, Provenance, ResumableFile, finished, provenance};
use sowing_players::{
    Contender, PLAYED_GAMES_HEADER, ParallelGames, PlayedGame, Player, PlayerOptions, RecordFolder,
    RecordFolderError, Sprt, SprtResult, Tournament, TournamentOptions,
};
use sowing_rules::Game;

use crate::failure::{Failure, note};
use crate::{sanitize, units};

/// Play players against each other, and count
///
/// Every pair plays the same number of games. Each opening is played twice, the
/// second time with the sides changed. A win scores 1, a draw 1/2; Elo is
/// against the mean of all players, with 95 % intervals. The same seed gives the
/// same games on any number of threads; with perfect, as long as its time is
/// enough for exact values.
///
/// An engine is another program that speaks the protocol of sow engine. One that
/// crashes, is late by a second or plays illegally loses its game and nothing
/// else.
///
/// A clockwise game in which a position comes up for the third time is given
/// up: seeds in houses count for nobody.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow match \"kalah(6,4)\" level:2 level:1 --games 200
  sow match \"kalah(6,4)\" level:5 \"engine:./bot -d 9\" --move-time 1s
  sow match \"kalah(6,4)\" level:5 level:4 --games 10000 --results games.csv
  sow match \"s-kalaha(4,3)\" perfect random pdp:3 level:4 --gauntlet
  sow match \"kalah(6,4)\" pdp:5 pdp:4 --games 10000 --sprt 0,30")]
pub(crate) struct MatchArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// Two players or more: random, pdp:DEPTH, level:1 to level:9, perfect,
    /// engine:COMMAND
    #[arg(required = true, num_args = 2..=20, value_name = "PLAYER")]
    players: Vec<Contender>,
    /// Games of each pair, at most a million
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = units::whole::<u64>(1..=1_000_000))]
    games: u64,
    /// Only the first player meets the others
    #[arg(long)]
    gauntlet: bool,
    /// Random moves at the start of each game
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = units::whole::<u32>(0..=1000))]
    opening: u32,
    /// Start from the positions of this file, one a line, in turn; of a book,
    /// from those that it proves to be worth 0
    #[arg(long, value_name = "FILE", conflicts_with = "opening")]
    openings: Option<PathBuf>,
    /// Stop as soon as it is decided whether the first of two players is stronger
    /// by the larger of two differences in Elo, rather than by the smaller
    #[arg(long, value_name = "ELO,ELO")]
    sprt: Option<Sprt>,
    /// The seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = units::whole::<u64>(0..=u64::MAX))]
    seed: u64,
    /// Keep the result of each game in this file; the same command goes on where
    /// it was stopped
    #[arg(long, alias = "out", value_name = "FILE")]
    results: Option<PathBuf>,
    /// Write the record of each game into this folder, which must hold none yet
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// How long a player may think about a move, as in 500ms or 5s
    #[arg(long, alias = "time", value_name = "TIME", default_value = "5s", value_parser = units::time)]
    move_time: Duration,
    /// Memory to use at most, as in 512M or 4G, shared by the games played at
    /// once; fewer are, where it does not carry them. Engines come on top
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = units::bytes)]
    memory: u64,
    /// Games to play at once; as many as there are cores if it is left out
    #[arg(long, value_name = "N", value_parser = units::threads)]
    threads: Option<usize>,
    /// Print one JSON object a pair, then one a player
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &MatchArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if args.sprt.is_some() && args.players.len() > 2 {
        return Err(Failure::Input(
            "--sprt is for two players: leave the others out, or --sprt".to_string(),
        ));
    }
    let asked = pool(args.threads)?.current_num_threads();
    let parallel = ParallelGames::within(&args.players, args.memory, asked);
    if parallel.games < asked {
        note(&format!(
            "{} of memory carry {} of {asked} games at once",
            sowing_tables::format_bytes(args.memory),
            parallel.games
        ));
    }
    let pool = pool(Some(parallel.games))?;
    let options = TournamentOptions {
        games: args.games,
        gauntlet: args.gauntlet,
        openings: openings::read(args)?,
        seed: args.seed,
        time: args.move_time,
        memory: parallel.solver_memory,
        book: sowing_books::book_for(&args.game),
    };
    let tournament = Tournament::new(args.game, args.players.clone(), options);
    let description = tournament.description(args.sprt.as_ref());
    // A command that is mistyped is found out before any game is played.
    for player in args.players.iter().filter(|player| matches!(player, Contender::Engine(_))) {
        Player::for_contender(player, args.game, PlayerOptions::default())?;
    }
    let games = tournament.total_games();
    if let Some(rows) = args.results.as_deref().and_then(|path| finished(path, &description)) {
        // All is played: what came of it is shown again.
        let mut played = games_of(rows.lines().skip(1))?;
        let sprt = decide(args, &mut played);
        return report::print(args, &tournament, &played, sprt.as_ref(), out);
    }
    let mut file = match &args.results {
        Some(path) => {
            provenance::check_beside(path)?;
            Some(ResumableFile::open(path, Kind::Match, &description, PLAYED_GAMES_HEADER)?)
        }
        None => None,
    };
    let mut played = earlier(file.as_ref())?;
    let records = match &args.records {
        Some(dir) => {
            let goes_on = file.as_ref().is_some_and(|file| !file.is_new());
            let played = goes_on.then_some(played.len() as u64);
            Some(RecordFolder::open(dir, games, played).map_err(cannot_record)?)
        }
        None => None,
    };
    let bar = ProgressBar::new(games).with_position(played.len() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} games {elapsed}")
            .expect("a fixed template"),
    );
    // What is lost when the match is stopped: some games for each thread, and whole openings.
    let chunk = 8 * pool.current_num_threads() as u64;
    let mut sprt = decide(args, &mut played);
    while (played.len() as u64) < games && is_open(sprt.as_ref()) {
        let from = played.len() as u64;
        let to = (from + chunk - from % 2).min(games);
        let play = |index: u64| {
            let (played, record) = tournament.play(index)?;
            if let Some(records) = &records {
                records.write(index + 1, &record).map_err(cannot_record)?;
            }
            bar.inc(1);
            Ok(played)
        };
        let chunk: Result<Vec<PlayedGame>, Failure> =
            pool.install(|| (from..to).into_par_iter().map(play).collect());
        let before = played.len();
        played.extend(chunk?);
        sprt = decide(args, &mut played);
        if let Some(file) = &mut file {
            let rows: Vec<String> = played[before..]
                .iter()
                .zip(from..)
                .map(|(game, index)| game.row(index, tournament.names_of(index)))
                .collect();
            file.append(&rows, (played.len() as u64, games))?;
        }
    }
    bar.finish_and_clear();
    report::print(args, &tournament, &played, sprt.as_ref(), out)?;
    if let (Some(file), Some(path)) = (file, &args.results) {
        let provenance = Provenance::now(Some(args.seed));
        provenance.write_beside(path, serde_json::json!({ "what": description }))?;
        file.finish()?;
    }
    Ok(())
}

/// The games that were played before.
fn earlier(file: Option<&ResumableFile>) -> Result<Vec<PlayedGame>, Failure> {
    file.map_or(Ok(Vec::new()), |file| games_of(file.read()?.lines()))
}

fn games_of<'a>(rows: impl Iterator<Item = &'a str>) -> Result<Vec<PlayedGame>, Failure> {
    rows.map(|row| {
        PlayedGame::from_row(row)
            .ok_or_else(|| Failure::Input(format!("no row of a match: {}", sanitize::word(row))))
    })
    .collect()
}

fn is_open(sprt: Option<&Sprt>) -> bool {
    sprt.is_none_or(|sprt| sprt.result() == SprtResult::Open)
}

/// The test that was asked for after these games. Games after its decision are dropped.
fn decide(args: &MatchArgs, played: &mut Vec<PlayedGame>) -> Option<Sprt> {
    let mut sprt = args.sprt?;
    sprt.decide(played);
    Some(sprt)
}

pub(crate) fn cannot_record(error: RecordFolderError) -> Failure {
    Failure::Input(match &error {
        RecordFolderError::Foreign(_) => {
            format!("{error}: name a new folder, as in --records games-2")
        }
        RecordFolderError::Write { .. } => error.to_string(),
    })
}

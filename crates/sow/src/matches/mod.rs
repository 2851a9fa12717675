//! `sow match`: players against each other, without a screen.

mod openings;
mod records;
mod report;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use sowing_analysis::MAX_LOOK_AHEAD_BYTES;
use sowing_players::{
    ChooseError, Contender, Opponent, Player, PlayerOptions, Sprt, SprtResult, pairings, play_out,
};
use sowing_rules::{Ending, Game, Playthrough, Record, Side};

use crate::args::pool;
use crate::failure::{Failure, note};
use crate::made::{self, Made};
use crate::matches::openings::Openings;
pub(crate) use crate::matches::records::Records;
use crate::resumable::{Kind, Resumable, finished};
use crate::units;

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
  sow match \"kalah(6,4)\" level:5 \"engine:./bot -d 9\" --time 1s --out games.csv
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
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the record of each game into this folder, which must hold none yet
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
    /// How long a player may think about a move, as in 500ms or 5s
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = units::time)]
    time: Duration,
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

/// What is kept of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PlayedGame {
    /// The margin of the first of the pair; of a game that an engine forfeited, all seeds.
    margin: i64,
    endless: bool,
    /// Who forfeited it, the first of the pair or not, and why.
    forfeit: Option<(bool, String)>,
}

impl PlayedGame {
    /// Points of the first of the pair.
    fn points(&self) -> f64 {
        (self.margin.signum() as f64 + 1.0) / 2.0
    }

    /// As a row of a file: number, pair, points, margin, and what else there is to say.
    fn row(&self, index: u64, [first, second]: [&str; 2]) -> String {
        let remark = match &self.forfeit {
            Some((true, why)) => format!("first: {why}"),
            Some((false, why)) => format!("second: {why}"),
            None if self.endless => "endless".to_string(),
            None => String::new(),
        };
        let [first, second, remark] = [first, second, &remark].map(quoted);
        format!("{},{first},{second},{},{},{remark}\n", index + 1, self.points(), self.margin)
    }

    fn of_row(row: &str) -> Option<PlayedGame> {
        let fields = fields(row)?;
        let [_, _, _, _, margin, remark] = fields.as_slice() else { return None };
        let forfeit = match remark.split_once(": ") {
            Some(("first", why)) => Some((true, why.to_string())),
            Some(("second", why)) => Some((false, why.to_string())),
            _ => None,
        };
        Some(PlayedGame { margin: margin.parse().ok()?, endless: remark == "endless", forfeit })
    }
}

const HEADER: &str = "game,first,second,points,margin,remark\n";

/// A field of a row of CSV, with quotes where it needs them.
fn quoted(field: &str) -> String {
    let field = field.replace(char::is_control, " ");
    match field.contains([',', '"']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

/// The fields of a row of CSV.
fn fields(row: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let mut characters = row.chars().peekable();
    let mut inside = false;
    while let Some(character) = characters.next() {
        match (character, inside) {
            ('"', true) if characters.peek() == Some(&'"') => {
                characters.next();
                fields.last_mut()?.push('"');
            }
            ('"', _) => inside = !inside,
            (',', false) => fields.push(String::new()),
            (character, _) => fields.last_mut()?.push(character),
        }
    }
    (!inside).then_some(fields)
}

/// A match under way.
struct Contest<'a> {
    args: &'a MatchArgs,
    pairs: Vec<(usize, usize)>,
    openings: Openings,
    /// Memory for each solver of perfect.
    memory: u64,
}

/// Bytes that the program takes beside its players: itself, and the book of a game.
const PROCESS_OVERHEAD: u64 = 24 << 20;

/// The least that a solver of perfect has.
const LEAST_SOLVER: u64 = 8 << 20;

/// What the memory carries.
#[derive(Debug, PartialEq, Eq)]
struct Room {
    /// Games at once.
    games: usize,
    /// What each solver is given.
    solver: u64,
}

impl Room {
    fn of(players: &[Contender], memory: u64, asked: usize) -> Room {
        let opponents = players.iter().filter_map(|player| match player {
            Contender::Opponent(opponent) => Some(opponent),
            _ => None,
        });
        // One player of a game looks ahead at a time; perfect does so where it cannot solve.
        let looks = opponents.clone().any(|opponent| *opponent != Opponent::Random);
        let look_ahead = if looks { MAX_LOOK_AHEAD_BYTES } else { 0 };
        let solvers = opponents.filter(|opponent| **opponent == Opponent::Perfect).count().min(2);
        let solvers = solvers as u64;
        let free = memory.saturating_sub(PROCESS_OVERHEAD).max(memory / 4);
        let carried = free.checked_div(look_ahead + solvers * LEAST_SOLVER);
        let carried = carried.and_then(|games| usize::try_from(games).ok());
        let games = carried.unwrap_or(usize::MAX).clamp(1, asked);
        let share = (free / games as u64).saturating_sub(look_ahead) / solvers.max(1);
        // A solver takes off what the process takes, which is counted here once for all.
        Room { games, solver: share.saturating_add(sowing_solver::PROCESS_OVERHEAD) }
    }
}

pub(crate) fn run(args: &MatchArgs, out: &mut dyn Write) -> Result<(), Failure> {
    if args.sprt.is_some() && args.players.len() > 2 {
        return Err(Failure::Input(
            "--sprt is for two players: leave the others out, or --sprt".to_string(),
        ));
    }
    let asked = pool(args.threads)?.current_num_threads();
    let room = Room::of(&args.players, args.memory, asked);
    if room.games < asked {
        note(&format!(
            "{} of memory carry {} of {asked} games at once",
            sowing_tables::format_bytes(args.memory),
            room.games
        ));
    }
    let pool = pool(Some(room.games))?;
    let contest = Contest {
        args,
        pairs: pairings(args.players.len(), args.gauntlet),
        openings: Openings::of(args)?,
        memory: room.solver,
    };
    // A command that is mistyped is found out before any game is played.
    for player in args.players.iter().filter(|player| matches!(player, Contender::Engine(_))) {
        Player::for_contender(player, args.game, PlayerOptions::default())?;
    }
    let games = contest.pairs.len() as u64 * args.games;
    if let Some(rows) = args.out.as_deref().and_then(|path| finished(path, &contest.work())) {
        // All is played: what came of it is shown again.
        let mut played = games_of(rows.lines().skip(1))?;
        let mut sprt = args.sprt;
        decide(&mut sprt, &mut played);
        return report::print(&contest, &played, sprt.as_ref(), out);
    }
    let mut file = match &args.out {
        Some(path) => {
            made::check_beside(path)?;
            Some(Resumable::open(path, Kind::Match, &contest.work(), HEADER)?)
        }
        None => None,
    };
    let mut played = earlier(file.as_ref())?;
    let records = match &args.records {
        Some(dir) => {
            let goes_on = file.as_ref().is_some_and(|file| !file.is_new());
            Some(Records::new(dir, games, goes_on.then_some(played.len() as u64))?)
        }
        None => None,
    };
    let bar = ProgressBar::new(games).with_position(played.len() as u64).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} games {elapsed}")
            .expect("a fixed template"),
    );
    // What is lost when the match is stopped: some games for each thread, and whole openings.
    let chunk = 8 * pool.current_num_threads() as u64;
    let mut sprt = args.sprt;
    decide(&mut sprt, &mut played);
    while (played.len() as u64) < games && is_open(sprt.as_ref()) {
        let from = played.len() as u64;
        let to = (from + chunk - from % 2).min(games);
        let play = |index: u64| {
            let (played, record) = contest.play(index)?;
            if let Some(records) = &records {
                records.write(index + 1, &record)?;
            }
            bar.inc(1);
            Ok(played)
        };
        let chunk: Result<Vec<PlayedGame>, Failure> =
            pool.install(|| (from..to).into_par_iter().map(play).collect());
        let before = played.len();
        played.extend(chunk?);
        sprt = args.sprt;
        decide(&mut sprt, &mut played);
        if let Some(file) = &mut file {
            let rows: Vec<String> = played[before..]
                .iter()
                .zip(from..)
                .map(|(game, index)| game.row(index, contest.names(index)))
                .collect();
            file.add(&rows, (played.len() as u64, games))?;
        }
    }
    bar.finish_and_clear();
    report::print(&contest, &played, sprt.as_ref(), out)?;
    if let (Some(file), Some(path)) = (file, &args.out) {
        Made::now(Some(args.seed)).beside(path, serde_json::json!({ "what": contest.work() }))?;
        file.finish()?;
    }
    Ok(())
}

/// The games that were played before.
fn earlier(file: Option<&Resumable>) -> Result<Vec<PlayedGame>, Failure> {
    file.map_or(Ok(Vec::new()), |file| games_of(file.read()?.lines()))
}

fn games_of<'a>(rows: impl Iterator<Item = &'a str>) -> Result<Vec<PlayedGame>, Failure> {
    rows.map(|row| {
        PlayedGame::of_row(row)
            .ok_or_else(|| Failure::Input(format!("no row of a match: {}", crate::said::word(row))))
    })
    .collect()
}

fn is_open(sprt: Option<&Sprt>) -> bool {
    sprt.is_none_or(|sprt| sprt.result() == SprtResult::Open)
}

/// Gives a test the games, in order; what was played after it is decided is left out, so that it does
/// not matter how many games are played at once.
fn decide(sprt: &mut Option<Sprt>, played: &mut Vec<PlayedGame>) {
    let Some(sprt) = sprt else { return };
    let decided = played.chunks_exact(2).position(|pair| {
        sprt.add(pair[0].points() + pair[1].points());
        sprt.result() != SprtResult::Open
    });
    if let Some(pair) = decided {
        played.truncate(2 * pair + 2);
    }
}

impl Contest<'_> {
    /// The players of a game, the first of the pair first.
    fn pair(&self, index: u64) -> [usize; 2] {
        let (first, second) = self.pairs[(index / self.args.games) as usize];
        [first, second]
    }

    fn names(&self, index: u64) -> [&str; 2] {
        self.pair(index).map(|player| self.openings.names[player].as_str())
    }

    /// All that games depend on.
    fn work(&self) -> String {
        let MatchArgs { game, games, gauntlet, seed, sprt, time, .. } = self.args;
        let players = self.openings.names.join(" | ");
        let gauntlet = if *gauntlet { " gauntlet" } else { "" };
        let sprt = sprt.map_or(String::new(), |sprt| format!(" sprt {sprt}"));
        format!(
            "{game} {players} games {games}{gauntlet} {} seed {seed} time {time:?}{sprt}",
            self.openings
        )
    }

    fn play(&self, index: u64) -> Result<(PlayedGame, Record), Failure> {
        let args = self.args;
        let pair = self.pair(index);
        let number = index % args.games;
        let first_is_south = number.is_multiple_of(2);
        let [south, north] = if first_is_south { pair } else { [pair[1], pair[0]] };
        let mut play = self.openings.start(number / 2);
        let player = |player: usize, seat: u64| {
            let seed = args.seed.wrapping_mul(1_000_003).wrapping_add(2 * index + seat);
            let options = PlayerOptions {
                seed,
                time: Some(args.time),
                threads: 1,
                memory: self.memory,
                tables: None,
                book: sowing_books::book_for(&args.game),
            };
            Player::for_contender(&args.players[player], args.game, options)
        };
        // An engine that cannot be started this time has lost.
        let seated = [(south, Side::South), (north, Side::North)].map(|(who, side)| {
            player(who, side as u64).map_err(|error| match error {
                ChooseError::Engine(fault) => Ok(sowing_players::Forfeit { loser: side, fault }),
                error => Err(error),
            })
        });
        let forfeit = match seated {
            [Ok(mut south), Ok(mut north)] => play_out(&mut play, &mut south, &mut north)?,
            [Err(fault), _] | [_, Err(fault)] => Some(fault?),
        };
        let names = [south, north].map(|player| args.players[player].to_string());
        let mut record = Record::from_playthrough(&play)
            .with_header("south", &names[0])
            .with_header("north", &names[1])
            .with_header("opening", &self.openings.to_string());
        let endless = play.is_endless();
        if endless {
            record = record.with_header("endless", "given up at the third repetition");
        }
        let played = match forfeit {
            Some(forfeit) => {
                let why = crate::said::one_line(&forfeit.fault.to_string());
                record = record.with_header("forfeit", &format!("{}: {why}", forfeit.loser));
                let by_first = (forfeit.loser == Side::South) == first_is_south;
                let all = play.position().total() as i64;
                let margin = if by_first { -all } else { all };
                PlayedGame { margin, endless, forfeit: Some((by_first, why)) }
            }
            None => {
                let margin = margin(&play, first_is_south);
                PlayedGame { margin, endless, forfeit: None }
            }
        };
        Ok((played, record))
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// All players of all games at once together have no more than there is.
    #[test]
    fn as_many_games_as_the_memory_carries() {
        let room = |players: &[&str], memory: u64, asked| {
            let players: Vec<Contender> = players.iter().map(|one| one.parse().unwrap()).collect();
            Room::of(&players, memory << 20, asked)
        };
        for memory in [80, 256, 1000, 4000] {
            for asked in [1, 8, 64, 1024] {
                for (solvers, players) in [(2, ["perfect"; 2]), (1, ["perfect", "level:9"])] {
                    let Room { games, solver } = room(&players, memory, asked);
                    let each =
                        MAX_LOOK_AHEAD_BYTES + solvers * (solver - sowing_solver::PROCESS_OVERHEAD);
                    assert!((1..=asked).contains(&games));
                    assert!(
                        PROCESS_OVERHEAD + games as u64 * each <= memory << 20,
                        "{memory} {asked}"
                    );
                }
            }
        }
        assert_eq!(room(&["random", "engine:bot"], 16, 64).games, 64, "no player looks ahead");
        assert_eq!(room(&["level:1", "pdp:2"], 256, 64).games, 7);
        assert_eq!(room(&["level:1", "pdp:2"], 1, 64).games, 1);
    }

    #[test]
    fn rows_are_read_as_they_are_written() {
        let games = [
            PlayedGame { margin: 0, endless: false, forfeit: None },
            PlayedGame { margin: -12, endless: true, forfeit: None },
            PlayedGame { margin: 48, endless: false, forfeit: Some((false, "a, \"b\"".into())) },
            PlayedGame { margin: -48, endless: false, forfeit: Some((true, "x: y".into())) },
        ];
        for game in games {
            let row = game.row(7, ["engine:a \"b,c\"", "level:1"]);
            assert_eq!(PlayedGame::of_row(row.trim_end()), Some(game), "{row}");
        }
        assert_eq!(PlayedGame::of_row("1,2"), None);
        assert_eq!(PlayedGame::of_row("1,a,b,1,x,"), None);
    }
}

//! What came of a match, for people and for programs.

use std::io::Write;

use serde::Serialize;
use sowing_players::{Interval, Rating, Results, Sprt, ratings};

use super::{Contest, PlayedGame};
use crate::failure::Failure;
use crate::units;

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
    /// Games that an engine forfeited: the player, the other.
    forfeits: [u64; 2],
    /// Wins and half the draws, as a share of the games.
    score: f64,
    /// Its 95 % interval.
    score_low: f64,
    score_high: f64,
    /// The mean margin of the games that were played out; `null` if none was.
    margin: Option<f64>,
    seed: u64,
    opening: String,
}

/// A player's standing.
#[derive(Serialize)]
struct Standing {
    rank: usize,
    player: String,
    elo: f64,
    /// Half the width of its 95 % interval.
    elo_error: f64,
    games: u64,
    points: f64,
    forfeits: u64,
}

/// A test that was asked for.
#[derive(Serialize)]
struct Test {
    sprt: String,
    /// The logarithm of the likelihood ratio.
    ratio: f64,
    verdict: String,
}

pub(super) fn print(
    contest: &Contest<'_>,
    played: &[PlayedGame],
    sprt: Option<&Sprt>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let games = contest.args.games as usize;
    let tallies: Vec<Pairing> = played
        .chunks(games)
        .zip(&contest.pairs)
        .map(|(games, (first, second))| tally(contest, [*first, *second], games))
        .collect();
    let standings = standings(contest, &tallies);
    if contest.args.json {
        for tally in &tallies {
            serde_json::to_writer(&mut *out, tally)?;
            writeln!(out)?;
        }
        for standing in &standings {
            serde_json::to_writer(&mut *out, standing)?;
            writeln!(out)?;
        }
        if let Some(sprt) = sprt {
            let (ratio, verdict) = (sprt.log_likelihood_ratio(), sprt.result().to_string());
            serde_json::to_writer(&mut *out, &Test { sprt: sprt.to_string(), ratio, verdict })?;
            writeln!(out)?;
        }
        return Ok(());
    }
    let args = contest.args;
    let each = units::grouped(args.games);
    let from = match &args.openings {
        Some(_) => format!("from {}", contest.openings),
        None => format!("random moves first: {}", args.opening),
    };
    writeln!(out, "{}: {each} games a pair, {from}, seed {}", args.game, args.seed)?;
    print_pairs(&tallies, out)?;
    if let Some(sprt) = sprt {
        let sides = format!("{} against {}", contest.openings.names[0], contest.openings.names[1]);
        let (games, ratio) = (units::grouped(played.len() as u64), sprt.log_likelihood_ratio());
        let what = sprt.result();
        writeln!(out, "test of {sprt}: {what}; {sides}, {games} games, log ratio {ratio:+.2}")?;
    }
    if contest.openings.names.len() > 2 {
        writeln!(out)?;
        print_cross(contest, &tallies, &standings, out)?;
    }
    writeln!(out)?;
    print_standings(&standings, out)
}

fn tally(contest: &Contest<'_>, [first, second]: [usize; 2], played: &[PlayedGame]) -> Pairing {
    let args = contest.args;
    let count = |wanted: i64| {
        played.iter().filter(|played| played.margin.signum() == wanted).count() as u64
    };
    let [wins, draws, losses] = [1, 0, -1].map(count);
    let games = played.len() as f64;
    let share = (wins as f64 + draws as f64 / 2.0) / games;
    let score = Interval::share(share, played.len() as u64);
    let out: Vec<f64> = played
        .iter()
        .filter(|played| played.forfeit.is_none())
        .map(|played| played.margin as f64)
        .collect();
    let forfeits = [true, false].map(|by_first| {
        let by = |played: &&PlayedGame| {
            played.forfeit.as_ref().is_some_and(|(first, _)| *first == by_first)
        };
        played.iter().filter(by).count() as u64
    });
    let names = &contest.openings.names;
    Pairing {
        game: args.game.to_string(),
        player: names[first].clone(),
        against: names[second].clone(),
        games: played.len() as u64,
        wins,
        draws,
        losses,
        endless: played.iter().filter(|played| played.endless).count() as u64,
        forfeits,
        score: score.mean,
        score_low: score.low,
        score_high: score.high,
        margin: (!out.is_empty()).then(|| out.iter().sum::<f64>() / out.len() as f64),
        seed: args.seed,
        opening: contest.openings.to_string(),
    }
}

/// The players, the strongest first.
fn standings(contest: &Contest<'_>, tallies: &[Pairing]) -> Vec<Standing> {
    let names = &contest.openings.names;
    let of = |a: usize, b: usize| {
        let pair =
            tallies.iter().find(|tally| tally.player == names[a] && tally.against == names[b]);
        pair.map_or(Results::default(), |tally| Results {
            games: tally.games,
            points: tally.score * tally.games as f64,
        })
    };
    let found = ratings(names.len(), of);
    let mut standings: Vec<Standing> = names
        .iter()
        .zip(found)
        .map(|(name, Rating { elo, error })| {
            let (mut games, mut points, mut forfeits) = (0, 0.0, 0);
            for tally in tallies {
                let own = tally.score * tally.games as f64;
                let (part, by) = match name {
                    name if *name == tally.player => (own, tally.forfeits[0]),
                    name if *name == tally.against => (tally.games as f64 - own, tally.forfeits[1]),
                    _ => continue,
                };
                (games, points, forfeits) = (games + tally.games, points + part, forfeits + by);
            }
            let player = name.clone();
            Standing { rank: 0, player, elo, elo_error: error, games, points, forfeits }
        })
        .collect();
    standings.sort_by(|a, b| b.elo.total_cmp(&a.elo));
    (1..).zip(&mut standings).for_each(|(rank, standing)| standing.rank = rank);
    standings
}

fn width<'a>(names: impl Iterator<Item = &'a str>, least: usize) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or_default().max(least)
}

fn print_pairs(tallies: &[Pairing], out: &mut dyn Write) -> Result<(), Failure> {
    let names = tallies.iter().flat_map(|tally| [tally.player.as_str(), tally.against.as_str()]);
    let width = width(names, "against".len());
    writeln!(
        out,
        "{:<width$}  {:<width$}  {:>6}  {:>6}  {:>6}  {:>21}  {:>7}",
        "player", "against", "won", "drawn", "lost", "score", "margin"
    )?;
    for tally in tallies {
        let [score, low, high] =
            [tally.score, tally.score_low, tally.score_high].map(|share| 100.0 * share);
        let score = format!("{score:.1} ({low:.1} to {high:.1}) %");
        let margin = tally.margin.map_or("-".to_string(), |margin| format!("{margin:+.2}"));
        writeln!(
            out,
            "{:<width$}  {:<width$}  {:>6}  {:>6}  {:>6}  {score:>21}  {margin:>7}",
            tally.player, tally.against, tally.wins, tally.draws, tally.losses
        )?;
        if tally.endless > 0 {
            writeln!(out, "{:width$}  {} of the games went round in circles", "", tally.endless)?;
        }
        for (name, forfeits) in [&tally.player, &tally.against].into_iter().zip(tally.forfeits) {
            if forfeits > 0 {
                writeln!(out, "{:width$}  {forfeits} of the games were forfeited by {name}", "")?;
            }
        }
    }
    Ok(())
}

/// Points of each against each, both in order of strength.
fn print_cross(
    contest: &Contest<'_>,
    tallies: &[Pairing],
    standings: &[Standing],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let width = width(standings.iter().map(|standing| standing.player.as_str()), 6);
    let cell = |own: &Standing, other: &Standing| {
        let points = tallies.iter().find_map(|tally| {
            let points = tally.score * tally.games as f64;
            match (own.player == tally.player, other.player == tally.against) {
                (true, true) => Some(points),
                _ if own.player == tally.against && other.player == tally.player => {
                    Some(tally.games as f64 - points)
                }
                _ => None,
            }
        });
        points.map_or("-".to_string(), |points| format!("{points}"))
    };
    let least = format!("{}.5", contest.args.games).len();
    let head: Vec<String> =
        standings.iter().map(|other| format!("{:>least$}", other.rank)).collect();
    writeln!(out, "points  {:width$}  {}", "", head.join("  "))?;
    for own in standings {
        let cells: Vec<String> =
            standings.iter().map(|other| format!("{:>least$}", cell(own, other))).collect();
        writeln!(out, "{:>6}  {:<width$}  {}", own.rank, own.player, cells.join("  "))?;
    }
    Ok(())
}

fn print_standings(standings: &[Standing], out: &mut dyn Write) -> Result<(), Failure> {
    let width = width(standings.iter().map(|standing| standing.player.as_str()), 6);
    writeln!(
        out,
        "{:>4}  {:<width$}  {:>13}  {:>8}  {:>8}",
        "rank", "player", "Elo", "points", "games"
    )?;
    for standing in standings {
        let elo = format!("{:+.0} ± {:.0}", standing.elo, standing.elo_error);
        writeln!(
            out,
            "{:>4}  {:<width$}  {elo:>13}  {:>8}  {:>8}",
            standing.rank, standing.player, standing.points, standing.games
        )?;
    }
    Ok(())
}

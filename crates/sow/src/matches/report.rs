//! The results of a match, for people and for programs.

use std::io::Write;

use serde::Serialize;
use sowing_players::{PairResults, PlayedGame, Sprt, Standing, Tournament};

use super::MatchArgs;
use crate::failure::Failure;
use crate::units;

/// A test that was asked for.
#[derive(Serialize)]
struct Test {
    sprt: String,
    /// The logarithm of the likelihood ratio.
    ratio: f64,
    verdict: String,
}

pub(super) fn print(
    args: &MatchArgs,
    tournament: &Tournament,
    played: &[PlayedGame],
    sprt: Option<&Sprt>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let pairs = tournament.pair_results(played);
    let standings = tournament.standings(&pairs);
    if args.json {
        for pair in &pairs {
            serde_json::to_writer(&mut *out, pair)?;
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
    let each = units::grouped(args.games);
    let from = match &args.openings {
        Some(_) => format!("from {}", tournament.openings()),
        None => format!("random moves first: {}", args.opening),
    };
    writeln!(out, "{}: {each} games a pair, {from}, seed {}", args.game, args.seed)?;
    print_pairs(&pairs, out)?;
    if let Some((_, why)) = played.iter().find_map(|game| game.forfeit.as_ref()) {
        writeln!(
            out,
            "the first forfeit: {} (--records DIR keeps every game)",
            crate::sanitize::word(why)
        )?;
    }
    if let Some(sprt) = sprt {
        let [first, second] = [&tournament.names()[0], &tournament.names()[1]];
        let sides = format!("{first} against {second}");
        let (games, ratio) = (units::grouped(played.len() as u64), sprt.log_likelihood_ratio());
        let what = sprt.result();
        writeln!(out, "test of {sprt}: {what}; {sides}, {games} games, log ratio {ratio:+.2}")?;
    }
    if tournament.names().len() > 2 {
        writeln!(out)?;
        print_cross(args.games, &pairs, &standings, out)?;
    }
    writeln!(out)?;
    print_standings(&standings, out)
}

fn width<'a>(names: impl Iterator<Item = &'a str>, least: usize) -> usize {
    names.map(|name| name.chars().count()).max().unwrap_or_default().max(least)
}

fn print_pairs(pairs: &[PairResults], out: &mut dyn Write) -> Result<(), Failure> {
    let names = pairs.iter().flat_map(|pair| [pair.player.as_str(), pair.against.as_str()]);
    let width = width(names, "against".len());
    writeln!(
        out,
        "{:<width$}  {:<width$}  {:>6}  {:>6}  {:>6}  {:>21}  {:>7}",
        "player", "against", "won", "drawn", "lost", "score", "margin"
    )?;
    for pair in pairs {
        let [score, low, high] =
            [pair.score, pair.score_low, pair.score_high].map(|share| 100.0 * share);
        let score = format!("{score:.1} ({low:.1} to {high:.1}) %");
        let margin = pair.margin.map_or("-".to_string(), |margin| format!("{margin:+.2}"));
        writeln!(
            out,
            "{:<width$}  {:<width$}  {:>6}  {:>6}  {:>6}  {score:>21}  {margin:>7}",
            pair.player, pair.against, pair.wins, pair.draws, pair.losses
        )?;
        if pair.endless > 0 {
            writeln!(out, "{:width$}  {} of the games went round in circles", "", pair.endless)?;
        }
        for (name, forfeits) in [&pair.player, &pair.against].into_iter().zip(pair.forfeits) {
            if forfeits > 0 {
                writeln!(out, "{:width$}  {forfeits} of the games were forfeited by {name}", "")?;
            }
        }
    }
    Ok(())
}

/// Points of each against each, both in order of strength.
fn print_cross(
    games: u64,
    pairs: &[PairResults],
    standings: &[Standing],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let width = width(standings.iter().map(|standing| standing.player.as_str()), 6);
    let cell = |own: &Standing, other: &Standing| {
        let points = pairs.iter().find_map(|pair| {
            let points = pair.score * pair.games as f64;
            match (own.player == pair.player, other.player == pair.against) {
                (true, true) => Some(points),
                _ if own.player == pair.against && other.player == pair.player => {
                    Some(pair.games as f64 - points)
                }
                _ => None,
            }
        });
        points.map_or("-".to_string(), |points| format!("{points}"))
    };
    let least = format!("{}.5", games).len();
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

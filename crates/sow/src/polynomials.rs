//! `sow polynomials`: which polynomials in l = 2h + 1 are losses of S-Kalaha.

use std::io::Write;
use std::ops::RangeInclusive;

use clap::{ArgGroup, Args};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use sowing_command::pool;
use sowing_lab::{FirstMove, FirstTurn, MAX_DEGREE, Openings, PickUp, Polynomial, Start};
use sowing_rules::Outcome;
use sowing_rules::{MAX_HOUSES, MAX_SEEDS, Move};

use crate::failure::Failure;
use crate::units::{self, grouped, threads};

/// Find polynomials in l = 2h+1 that give losses of S-Kalaha
///
/// With coefficients -1, 0 and 1 and a leading 1: those for which
/// s-kalaha(h,s), s the polynomial's value, is a loss for the first player for
/// every h of a range. Given a polynomial, says for each h what the start is
/// worth, and shows a first turn that wins where one does. docs/losses.md says
/// why the losses are where they are.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow polynomials
  sow polynomials --degree 10 --houses 2..12
  sow polynomials \"l^5-l^4+l^3-l^2\"
  sow polynomials --explain \"l^3-l^2+l-1\" --houses 3
  sow polynomials --explain --per-house 42 --houses 4")]
#[command(group = ArgGroup::new("which").args(["polynomial", "seeds"]))]
pub(crate) struct PolynomialsArgs {
    /// One polynomial to look at, as in "l^5-l^4+l^2-l"
    #[arg(conflicts_with = "degree")]
    polynomial: Option<Polynomial>,
    /// The highest degree
    #[arg(long, value_name = "N", default_value_t = 6,
          value_parser = units::whole::<u64>(1..=MAX_DEGREE as u64))]
    degree: u64,
    /// Houses a row, as in 2..6
    #[arg(long, value_name = "A..B", default_value = "2..6", value_parser = houses)]
    houses: RangeInclusive<u8>,
    /// Show what the first move of one start does, pick-up by pick-up: that of
    /// the fewest houses
    #[arg(long, requires = "which")]
    explain: bool,
    /// Explain the start of so many seeds a house, polynomial or not
    #[arg(long = "per-house", alias = "seeds", value_name = "N", requires = "explain", conflicts_with = "degree",
          value_parser = units::whole::<u64>(1..=MAX_SEEDS))]
    seeds: Option<u64>,
    /// Threads to use; all cores if it is left out
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,
    /// Print one JSON object a line
    #[arg(long, group = "form")]
    json: bool,
    /// Print comma separated lines
    #[arg(long, group = "form")]
    csv: bool,
}

fn houses(text: &str) -> Result<RangeInclusive<u8>, String> {
    let range = units::range_within(1..=MAX_HOUSES.into())(text)?;
    Ok(*range.start() as u8..=*range.end() as u8)
}

#[derive(Serialize)]
struct Found {
    polynomial: String,
    degree: usize,
    /// The seeds for each number of houses.
    seeds: Vec<(u8, u64)>,
}

#[derive(Serialize)]
struct Looked {
    polynomial: String,
    game: String,
    h: u8,
    s: u64,
    outcome: String,
    /// A first turn that wins at once, if there is a short one.
    turn: Option<Vec<Move>>,
    /// The seeds that it brings.
    seeds: Option<u64>,
}

impl Looked {
    fn new(polynomial: &Polynomial, start: &Start, turn: Option<&FirstTurn>) -> Looked {
        Looked {
            polynomial: polynomial.to_string(),
            game: start.game.to_string(),
            h: start.game.houses(),
            s: start.game.seeds(),
            outcome: start.outcome.to_string(),
            turn: turn.map(|turn| turn.moves.clone()),
            seeds: turn.map(|turn| turn.seeds),
        }
    }
}

pub(crate) fn run(args: &PolynomialsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    match &args.polynomial {
        polynomial if args.explain => pick_ups(args, polynomial.as_ref(), out),
        Some(polynomial) => look_at(args, polynomial, out),
        None => search(args, out),
    }
}

fn search(args: &PolynomialsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let degree = args.degree as usize;
    let last = *args.houses.end();
    if Polynomial::largest(degree).seeds(last).is_none() {
        return Err(Failure::Input(format!(
            "degree {degree} with {last} houses goes beyond {MAX_SEEDS} seeds a house: lower one, \
             as in --degree 10 --houses 2..12"
        )));
    }
    let total: u64 = (1..=degree as u32).map(|degree| 3u64.pow(degree)).sum();
    let bar = ProgressBar::new(total).with_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} polynomials {elapsed}")
            .expect("a fixed template"),
    );
    let houses = args.houses.clone();
    let found =
        pool(args.threads)?.install(|| Polynomial::losses(degree, houses, |done| bar.inc(done)));
    bar.finish_and_clear();
    let found = found?;
    let seeds = |polynomial: &Polynomial| -> Vec<(u8, u64)> {
        let values = args.houses.clone().map(|houses| Some((houses, polynomial.seeds(houses)?)));
        values.flatten().collect()
    };
    if args.json {
        for polynomial in &found {
            let degree = polynomial.degree();
            let found =
                Found { polynomial: polynomial.to_string(), degree, seeds: seeds(polynomial) };
            serde_json::to_writer(&mut *out, &found)?;
            writeln!(out)?;
        }
        return Ok(());
    }
    let mut lines = vec![vec!["polynomial".to_string()]];
    lines[0].extend(args.houses.clone().map(|houses| format!("h{houses}")));
    for polynomial in &found {
        let values = seeds(polynomial).into_iter().map(|(_, seeds)| match args.csv {
            true => seeds.to_string(),
            false => grouped(seeds),
        });
        lines.push(std::iter::once(polynomial.to_string()).chain(values).collect());
    }
    if args.csv {
        for line in lines {
            writeln!(out, "{}", line.join(","))?;
        }
        return Ok(());
    }
    print_aligned(&lines, out)?;
    let first = args.houses.start();
    writeln!(out)?;
    writeln!(
        out,
        "{} of {} polynomials of degree 1 to {degree} are losses for each h from {first} to {last}.",
        found.len(),
        grouped(total)
    )?;
    Ok(())
}

/// The first column to the left, the others to the right.
fn print_aligned(lines: &[Vec<String>], out: &mut dyn Write) -> Result<(), Failure> {
    let columns = lines[0].len();
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    for line in lines {
        write!(out, "{:<1$}", line[0], widths[0])?;
        for (field, width) in line.iter().zip(&widths).skip(1) {
            write!(out, "  {field:>width$}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn look_at(
    args: &PolynomialsArgs,
    polynomial: &Polynomial,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut rows = Vec::new();
    for houses in args.houses.clone() {
        let Some(start) = polynomial.start(houses)? else {
            return Err(no_start(polynomial, houses));
        };
        let turn = match start.outcome {
            Outcome::Win => Openings::shortest_win(start.game, LIMIT).ok().flatten(),
            Outcome::Draw | Outcome::Loss => None,
        };
        rows.push((start, turn));
    }
    match (args.json, args.csv) {
        (true, _) => rows.iter().try_for_each(|(start, turn)| {
            serde_json::to_writer(&mut *out, &Looked::new(polynomial, start, turn.as_ref()))?;
            Ok(writeln!(out)?)
        }),
        (_, true) => {
            writeln!(out, "h,s,outcome,turn,seeds")?;
            rows.iter().try_for_each(|(start, turn)| {
                let (h, s) = (start.game.houses(), start.game.seeds());
                let moves = turn.as_ref().map(words).unwrap_or_default();
                let seeds = turn.as_ref().map(|turn| turn.seeds.to_string()).unwrap_or_default();
                Ok(writeln!(out, "{h},{s},{},{moves},{seeds}", start.outcome)?)
            })
        }
        _ => explain(polynomial, &rows, out),
    }
}

/// More positions than a first turn that is worth showing goes through.
const LIMIT: usize = 1_000_000;

fn words(turn: &FirstTurn) -> String {
    turn.moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
}

fn explain(
    polynomial: &Polynomial,
    rows: &[(Start, Option<FirstTurn>)],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let why = |start: &Start, turn: &Option<FirstTurn>| match (start.outcome, turn, start.moves) {
        (Outcome::Win, Some(turn), _) => {
            let (seeds, total) = (grouped(turn.seeds), grouped(start.game.total()));
            format!("the first turn {} brings {seeds} of {total} seeds", words(turn))
        }
        (Outcome::Win, None, _) => "though by no short first turn".to_string(),
        (_, _, Some(moves)) => format!("whichever of the first turn's {moves} moves is played"),
        (_, _, None) => String::new(),
    };
    let width = rows.iter().map(|(start, _)| start.game.to_string().len()).max().unwrap_or(0);
    for (start, turn) in rows {
        let name = start.game.to_string();
        let line = format!("{name:<width$}  {}  {}", start.outcome, why(start, turn));
        writeln!(out, "{}", line.trim_end())?;
    }
    let lost = rows.iter().filter(|(start, _)| start.outcome == Outcome::Loss).count();
    let all = rows.len();
    let is = if lost == all { "is" } else { "is not" };
    writeln!(out)?;
    Ok(writeln!(out, "{polynomial} {is} a loss polynomial: {lost} of {all} starts are losses.")?)
}

fn no_start(polynomial: &Polynomial, houses: u8) -> Failure {
    Failure::Input(format!(
        "{polynomial} gives no number of seeds with {houses} houses: it must be from 1 to \
         {MAX_SEEDS}, as with l^2-l"
    ))
}

#[derive(Serialize)]
struct Explained {
    /// `null` where the seeds were given.
    polynomial: Option<String>,
    game: String,
    l: u64,
    s: u64,
    pick_ups: Vec<PickedUp>,
    /// The house whose first move goes again; `null` if no first move does.
    again: Option<u8>,
    /// The seeds that every first move brings; `null` if one goes again.
    stored: Option<u64>,
}

#[derive(Serialize)]
struct PickedUp {
    place: i8,
    seeds: u64,
    /// The seeds in base l, the highest digit first.
    digits: Vec<u64>,
    last: i8,
}

fn picked_up(pick_up: &PickUp, l: u64) -> PickedUp {
    let PickUp { place, seeds, last } = *pick_up;
    PickedUp { place, seeds, digits: pick_up.digits(l), last }
}

/// What the first move of one start does.
fn pick_ups(
    args: &PolynomialsArgs,
    polynomial: Option<&Polynomial>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let houses = *args.houses.start();
    let seeds = args.seeds.or_else(|| polynomial?.seeds(houses));
    let first = seeds.and_then(|seeds| FirstMove::of(houses, seeds));
    let first = first.ok_or_else(|| match (polynomial, args.seeds) {
        (Some(polynomial), _) => no_start(polynomial, houses),
        (None, seeds) => Failure::Input(format!(
            "there is no first move to explain with {houses} houses of {} seeds",
            seeds.unwrap_or_default()
        )),
    })?;
    let (l, s) = (2 * u64::from(houses) + 1, first.game.seeds());
    let again = first.goes_again();
    let explained = Explained {
        polynomial: polynomial.map(Polynomial::to_string),
        game: first.game.to_string(),
        l,
        s,
        pick_ups: first.pick_ups.iter().map(|it| picked_up(it, l)).collect(),
        again,
        stored: again.is_none().then(|| first.stored()),
    };
    if args.json {
        serde_json::to_writer(&mut *out, &explained)?;
        return Ok(writeln!(out)?);
    }
    let mut lines = vec![["pick-up", "place", "seeds", "in base l", "falls at"].map(String::from)];
    lines.extend((1..).zip(&explained.pick_ups).map(|(number, it): (usize, _)| {
        let digits: Vec<String> = it.digits.iter().map(u64::to_string).collect();
        let seeds = if args.csv { it.seeds.to_string() } else { grouped(it.seeds) };
        [number.to_string(), it.place.to_string(), seeds, digits.join("."), it.last.to_string()]
    }));
    if args.csv {
        lines[0] = ["pick_up", "place", "seeds", "digits", "last"].map(String::from);
        return lines.iter().try_for_each(|line| Ok(writeln!(out, "{}", line.join(","))?));
    }
    let of = polynomial.map_or(String::new(), |polynomial| format!("{polynomial} = "));
    writeln!(out, "{}: l = {l}, s = {of}{}", first.game, grouped(s))?;
    writeln!(out)?;
    let lines: Vec<Vec<String>> = lines.into_iter().map(Vec::from).collect();
    print_aligned(&lines, out)?;
    writeln!(out)?;
    writeln!(
        out,
        "Place 0 is the house that is played, -1 the pit before it, 1 the one after it."
    )?;
    match explained.again {
        None => {
            let (stored, total) = (grouped(first.stored()), grouped(first.game.total()));
            let near = match houses {
                1 => "1 place".to_string(),
                _ => format!("1 to {houses} places"),
            };
            writeln!(
                out,
                "No last seed falls {near} on, where the store is: every first move goes"
            )?;
            writeln!(
                out,
                "this way, ends in an empty house, and brings {stored} of {total} seeds."
            )?;
        }
        Some(house) => {
            let store =
                format!("The last seed falls where the store is if house {house} is played");
            writeln!(out, "{store}: that move goes")?;
            writeln!(out, "again.")?;
        }
    }
    Ok(())
}

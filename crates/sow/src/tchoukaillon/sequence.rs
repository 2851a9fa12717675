//! The sequences, and the approach to pi.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use sowing_draw::solitaire::approach;
use sowing_solitaire::{MAX_STRING, Sequence, decimal, fewest_stones, parse_b_file};

use super::write::{counted, json_line};
use super::{number, positive};
use crate::failure::Failure;
use crate::input::file_or_stdin;
use crate::{sanitize, svg};

/// Print a sequence in b-file format, or check a b-file
///
/// Without a name, lists the sequences and how their terms are computed. Exit
/// code 1 if a file that is checked does not agree.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon sequence
  sow tchoukaillon sequence A002491 --terms 100
  sow tchoukaillon sequence A002491 --at 1000000
  sow tchoukaillon sequence A028920 --check b028920.txt")]
pub(crate) struct SequenceArgs {
    /// The sequence, as in A002491
    name: Option<Sequence>,
    /// How many terms
    #[arg(long, value_name = "N", value_parser = number, default_value = "20")]
    #[arg(conflicts_with_all = ["at", "check"], requires = "name")]
    terms: u64,
    /// One term by itself, without those before it
    #[arg(long, value_name = "INDEX", value_parser = number, conflicts_with = "check")]
    #[arg(requires = "name")]
    at: Option<u64>,
    /// Compare a b-file with the terms; - reads standard input
    #[arg(long, value_name = "FILE", requires = "name")]
    check: Option<PathBuf>,
}

pub(crate) fn sequence(args: &SequenceArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(sequence) = args.name else {
        for sequence in Sequence::ALL {
            writeln!(out, "{sequence}  {}", sequence.title())?;
            writeln!(out, "         {}", sequence.method())?;
        }
        return Ok(());
    };
    if let Some(path) = &args.check {
        return check(sequence, path, out);
    }
    if let Some(index) = args.at {
        let term = sequence.at(index).ok_or_else(|| no_term(sequence, index))?;
        return Ok(writeln!(out, "{index} {term}")?);
    }
    writeln!(out, "# {sequence}: {}", sequence.title())?;
    writeln!(out, "# {}", sequence.method())?;
    let terms = usize::try_from(args.terms).unwrap_or(usize::MAX);
    for (index, term) in sequence.terms().take(terms) {
        writeln!(out, "{index} {term}")?;
    }
    Ok(())
}

fn no_term(sequence: Sequence, index: u64) -> Failure {
    let offset = sequence.offset();
    Failure::Input(match sequence {
        Sequence::A028932 | Sequence::A028933 => {
            format!("{sequence} has no quick way to one term: print all up to it, as in --terms 20")
        }
        Sequence::A028931 if index > MAX_STRING => format!(
            "the string of {index} stones is too long: use at most {MAX_STRING}, as in --at 17"
        ),
        _ if index < offset => {
            format!("{sequence} starts from {offset}, and --at is {index}: use more, as in --at 10")
        }
        _ => format!(
            "term {index} of {sequence} is larger than {}: use a smaller index, as in --at 10",
            u64::MAX
        ),
    })
}

fn check(sequence: Sequence, path: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let lines = parse_b_file(&file_or_stdin(path)?)?;
    if lines.is_empty() {
        return Err(Failure::Input(
            "the b-file has no terms: it should have an index and a term a line, as in 10 34"
                .to_string(),
        ));
    }
    let mut terms = sequence.terms().peekable();
    for (index, listed) in &lines {
        while terms.peek().is_some_and(|(at, _)| at < index) {
            terms.next();
        }
        match terms.peek() {
            Some((at, term)) if at == index => {
                if term.to_string() != *listed {
                    let listed = sanitize::word(listed);
                    writeln!(out, "{sequence}({index}) is {term}, the file has {listed}")?;
                    return Err(Failure::Negative("the b-file does not agree".to_string()));
                }
            }
            _ => {
                return Err(Failure::Input(format!(
                    "the b-file has an index {index} out of order, or none of {sequence}, which \
                     starts from {}",
                    sequence.offset()
                )));
            }
        }
    }
    let (first, last) = (lines[0].0, lines[lines.len() - 1].0);
    let terms = counted(lines.len(), "term");
    let agree = if lines.len() == 1 { "agrees" } else { "agree" };
    Ok(writeln!(out, "{sequence}: {terms} {agree}, {first} to {last}")?)
}

/// Print how n^2/A002491(n) tends to pi
///
/// Quotients are exact decimals, cut off after twelve places; so are their
/// distances from pi.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon pi --terms 1000000
  sow tchoukaillon pi --terms 10000 --svg pi.svg")]
pub(crate) struct PiArgs {
    /// The last term
    #[arg(long, value_name = "N", value_parser = positive, default_value = "1000")]
    terms: u64,
    /// Print every term instead of 1, 2, 5, 10, 20, 50, ...
    #[arg(long, conflicts_with = "svg")]
    every: bool,
    /// Print one JSON object a term
    #[arg(long, conflicts_with_all = ["csv", "svg"])]
    json: bool,
    /// Print a table
    #[arg(long, conflicts_with = "svg")]
    csv: bool,
    /// Plot the approach into this file; - is standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

#[derive(Serialize)]
struct PiJson {
    n: u64,
    stones: u64,
    /// n^2 over the stones, as a decimal cut off after twelve places.
    quotient: String,
    /// The quotient as printed less pi cut off likewise.
    distance: String,
}

const PLACES: usize = 12;
const PI: i128 = 3_141_592_653_589;

pub(crate) fn pi(args: &PiArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let term = |n: u64| {
        fewest_stones(n).ok_or_else(|| {
            Failure::Input(format!(
                "term {n} of A002491 is larger than {}: use fewer terms, as in --terms 1000000",
                u64::MAX
            ))
        })
    };
    term(args.terms)?;
    if let Some(path) = &args.svg {
        let mut points = Vec::new();
        let mut n = 1;
        while n <= args.terms {
            let stones = term(n)?;
            points.push((n, n as f64 * n as f64 / stones as f64));
            n = (n + 1).max(n + n / 32);
        }
        let title = format!("n^2/A002491(n) for n to {}", args.terms);
        return svg::write(path, &approach(&title, &points), out);
    }
    if args.csv {
        writeln!(out, "n,stones,quotient,distance")?;
    }
    for n in candidates(args.terms, args.every) {
        let stones = term(n)?;
        let quotient = decimal(u128::from(n) * u128::from(n), u128::from(stones), PLACES);
        let scaled: i128 = quotient.replace('.', "").parse().unwrap_or_default();
        let distance = scaled - PI;
        let sign = if distance < 0 { '-' } else { '+' };
        let size = decimal(distance.unsigned_abs(), 10u128.pow(PLACES as u32), PLACES);
        let json = PiJson { n, stones, quotient, distance: format!("{sign}{size}") };
        if args.json {
            json_line(out, &json)?;
        } else if args.csv {
            writeln!(out, "{n},{stones},{},{}", json.quotient, json.distance)?;
        } else {
            writeln!(out, "{n:>10}  {stones:>20}  {}  {}", json.quotient, json.distance)?;
        }
    }
    Ok(())
}

/// 1, 2, 5 and the like times a power of ten, and the last; or every number.
fn candidates(last: u64, every: bool) -> Box<dyn Iterator<Item = u64>> {
    if every {
        return Box::new(1..=last);
    }
    let powers = (0..20).map_while(|power| 10u64.checked_pow(power));
    let round = powers
        .flat_map(|power| [1, 2, 5].into_iter().filter_map(move |lead| power.checked_mul(lead)));
    Box::new(round.take_while(move |&n| n < last).chain(std::iter::once(last)))
}

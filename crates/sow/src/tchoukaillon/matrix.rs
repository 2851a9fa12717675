//! The matrices, products with them, and the theorems.

use std::io::Write;
use std::ops::RangeInclusive;

use clap::Args;
use serde::Serialize;
use sowing_draw::solitaire::{column_names, matrix_latex, matrix_text};
use sowing_solitaire::{
    Board, Fraction, MAX_THEOREM_LENGTH, Matrix, MatrixKind, Vector, check_theorems,
    length_of_chain_vector, recursion,
};

use super::write::{counted, json_line, list};
use crate::failure::Failure;
use crate::input::text_or_stdin;
use crate::units::{self, range};

#[derive(Args, Debug)]
struct KindArgs {
    /// The inverse of U, which gives the moves of a winning board
    #[arg(long, conflicts_with_all = ["wrap", "chain", "sowing"])]
    inverse: bool,
    /// W: the effect of taking back a full lap sown from each bin
    #[arg(long, conflicts_with_all = ["chain", "sowing"])]
    wrap: bool,
    /// C: the effect of taking back each chain
    #[arg(long, conflicts_with = "sowing")]
    chain: bool,
    /// V: the effect of taking back each sowing of Tchuka Ruma
    #[arg(long)]
    sowing: bool,
}

impl KindArgs {
    fn kind(&self) -> MatrixKind {
        match (self.inverse, self.wrap, self.chain, self.sowing) {
            (true, ..) => MatrixKind::Inverse,
            (_, true, ..) => MatrixKind::Wrap,
            (_, _, true, _) => MatrixKind::Chain,
            (.., true) => MatrixKind::Sowing,
            _ => MatrixKind::Unplay,
        }
    }
}

fn name(kind: MatrixKind) -> &'static str {
    match kind {
        MatrixKind::Unplay => "U",
        MatrixKind::Inverse => "U^-1",
        MatrixKind::Wrap => "W",
        MatrixKind::Chain => "C",
        MatrixKind::Sowing => "V",
    }
}

/// Print a matrix: U, or its inverse, W, C or V
///
/// U m is the board that the moves m clear; with laps w sown on a circle, U m + W w;
/// with chains t, C t; and with the sowings v and laps w of Tchuka Ruma, V v + W w.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon matrix 4
  sow tchoukaillon matrix 4 --inverse --latex
  sow tchoukaillon matrix 5 --chain")]
pub(crate) struct MatrixArgs {
    /// The number of bins
    length: usize,
    #[command(flatten)]
    kind: KindArgs,
    /// Print comma-separated values
    #[arg(long, conflicts_with_all = ["latex", "json"])]
    csv: bool,
    /// Print a LaTeX formula, for math mode
    #[arg(long, conflicts_with = "json")]
    latex: bool,
    /// Print one JSON object; fractions are strings
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct MatrixJson {
    matrix: &'static str,
    length: usize,
    /// What the columns stand for, where that is not a bin each.
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Vec<String>>,
    rows: Vec<Vec<serde_json::Value>>,
}

/// The most entries of a matrix in one JSON object.
const MAX_JSON: usize = 10_000_000;

fn json_entry(entry: Fraction) -> serde_json::Value {
    match entry.whole().and_then(|whole| i64::try_from(whole).ok()) {
        Some(whole) => whole.into(),
        None => entry.to_string().into(),
    }
}

pub(crate) fn matrix(args: &MatrixArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let kind = args.kind.kind();
    let matrix = Matrix::new(kind, args.length)?;
    let row = |i: usize| (0..matrix.columns()).map(move |j| (i, j));
    let entries = |i: usize| row(i).map(|(i, j)| matrix.entry(i, j));
    if args.json {
        let entries_in_all = matrix.rows() * matrix.columns();
        if entries_in_all > MAX_JSON {
            return Err(Failure::Input(format!(
                "{entries_in_all} entries are too many for one JSON object: use at most {MAX_JSON}, \
                 or --csv"
            )));
        }
        let json = MatrixJson {
            matrix: name(kind),
            length: args.length,
            columns: column_names(&matrix),
            rows: (0..matrix.rows()).map(|i| entries(i).map(json_entry).collect()).collect(),
        };
        return Ok(json_line(out, &json)?);
    }
    if args.latex {
        return Ok(write!(out, "{}", matrix_latex(&matrix))?);
    }
    if args.csv {
        if let Some(names) = column_names(&matrix) {
            writeln!(out, "{}", list(names))?;
        }
        for i in 0..matrix.rows() {
            writeln!(out, "{}", list(entries(i)))?;
        }
        return Ok(());
    }
    Ok(write!(out, "{}", matrix_text(&matrix))?)
}

/// Multiply a matrix with a vector: U m = b, m = U^-1 b, Theorem 2's recursion
///
/// Without an option the vector is a move vector m, and the board U m is printed.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon apply 4,2,1,1
  sow tchoukaillon apply --inverse 0,2,2,4
  sow tchoukaillon apply --recursion 0,2,2,4
  sow tchoukaillon apply 8,4,1,1 --wraps 1,1,0,0
  sow tchoukaillon apply --chain 5,0,0,3,1,0,0,1,0,0,0,0")]
pub(crate) struct ApplyArgs {
    /// The vector, as in 4,2,1,1; - reads standard input
    vector: String,
    #[command(flatten)]
    kind: KindArgs,
    /// The vector is a board: print its moves by Theorem 2's recursion
    #[arg(long, conflicts_with_all = ["inverse", "wrap", "chain", "sowing"])]
    recursion: bool,
    /// Add W w for this wrap vector w
    #[arg(long, value_name = "W")]
    #[arg(conflicts_with_all = ["inverse", "wrap", "chain", "recursion"])]
    wraps: Option<String>,
    /// The number of bins, where the vector must fit it
    #[arg(long, value_name = "BINS", value_parser = units::whole::<usize>(0..=u64::MAX))]
    length: Option<usize>,
    /// Print one JSON object; fractions are strings
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct ApplyJson {
    matrix: &'static str,
    length: usize,
    vector: Vec<i128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wraps: Option<Vec<i64>>,
    product: Vec<serde_json::Value>,
}

pub(crate) fn apply(args: &ApplyArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let text = text_or_stdin(Some(&args.vector))?;
    let kind = args.kind.kind();
    if args.recursion {
        let board: Board = text.parse()?;
        if let Some(length) = args.length.filter(|&length| length != board.len()) {
            return Err(wrong_length("board", board.len(), length));
        }
        let moves = recursion(&board)?;
        if args.json {
            let vector = board.bins().iter().map(|&b| b.into()).collect();
            let product = moves.into_iter().map(Into::into).collect();
            let length = board.len();
            let matrix = "recursion";
            let json = ApplyJson { matrix, length, vector, wraps: None, product };
            return Ok(json_line(out, &json)?);
        }
        return Ok(writeln!(out, "{}", list(moves))?);
    }
    let vector: Vector = text.parse()?;
    let entries = vector.len();
    let length = match (args.length, kind) {
        (Some(length), _) => length,
        (None, MatrixKind::Chain) => length_of_chain_vector(entries).ok_or_else(|| {
            Failure::Input(format!(
                "the chain vector has {}: it should have 1, 2, 4, 7, 12, ... (F(L+2)-1), as in \
                 5,0,0,3,1,0,0,1,0,0,0,0",
                counted(entries, "number")
            ))
        })?,
        (None, MatrixKind::Sowing) => entries.isqrt().max(1),
        (None, _) => entries,
    };
    let mut product = Matrix::new(kind, length)?.apply(&vector)?;
    let mut wraps = None;
    if let Some(text) = &args.wraps {
        let vector: Vector = text.parse()?;
        let laps = Matrix::new(MatrixKind::Wrap, length)?.apply(&vector)?;
        product = product.into_iter().zip(laps).map(|(a, b)| a + b).collect();
        wraps = Some(vector.entries().to_vec());
    }
    if args.json {
        let product = product.into_iter().map(json_entry).collect();
        let vector = vector.entries().iter().map(|&entry| entry.into()).collect();
        let json = ApplyJson { matrix: name(kind), length, vector, wraps, product };
        return Ok(json_line(out, &json)?);
    }
    Ok(writeln!(out, "{}", list(product))?)
}

fn wrong_length(what: &str, found: usize, length: usize) -> Failure {
    let bins = counted(found, "bin");
    Failure::Input(format!("the {what} has {bins}: with --length {length} it should have {length}"))
}

/// Check Theorems 1 to 5 by computation, over ranges
///
/// Prints what was checked. Exit code 1 if a case does not agree.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow tchoukaillon theorems --stones 1..1000 --lengths 1..6")]
pub(crate) struct TheoremsArgs {
    /// Numbers of stones whose boards are constructed and played
    #[arg(long, value_name = "A..B", value_parser = range, default_value = "1..1000")]
    stones: RangeInclusive<u64>,
    /// Lengths of which all boards and all chains are tried, at most 9
    #[arg(long, value_name = "A..B", value_parser = range, default_value = "1..6")]
    lengths: RangeInclusive<u64>,
    /// Print one JSON object a check
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct TheoremJson {
    theorem: u8,
    claim: &'static str,
    range: String,
    cases: u64,
    holds: bool,
    counterexample: Option<String>,
}

/// The most stones of a theorem's case: each is played out.
const MAX_STONES: u64 = 1_000_000;

pub(crate) fn theorems(args: &TheoremsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let (first, last) = (*args.lengths.start(), *args.lengths.end());
    if last > MAX_THEOREM_LENGTH as u64 {
        return Err(Failure::Input(format!(
            "--lengths goes to {last}: it should go to at most {MAX_THEOREM_LENGTH}, as in 1..6"
        )));
    }
    if *args.stones.end() > MAX_STONES {
        return Err(Failure::Input(format!(
            "--stones goes to {}: it should go to at most {MAX_STONES}, as in 1..1000",
            args.stones.end()
        )));
    }
    if *args.stones.end() == 0 || last == 0 {
        return Err(Failure::Input(
            "there is nothing to check: ranges should reach at least 1, as in 1..20".to_string(),
        ));
    }
    let mut all_hold = true;
    for checked in check_theorems(args.stones.clone(), first as usize..=last as usize) {
        all_hold &= checked.holds();
        let by_length = checked.claim.starts_with("of all") || checked.theorem == 5;
        let range = if by_length {
            format!("length {first} to {last}")
        } else {
            format!("n = {} to {}", args.stones.start(), args.stones.end())
        };
        let json = TheoremJson {
            theorem: checked.theorem,
            claim: checked.claim,
            range,
            cases: checked.cases,
            holds: checked.holds(),
            counterexample: checked.counterexample,
        };
        if args.json {
            json_line(out, &json)?;
            continue;
        }
        let verdict = match &json.counterexample {
            None => format!("{} checked, all agree", counted(json.cases, "case")),
            Some(case) => format!("fails for {case}"),
        };
        writeln!(out, "Theorem {}, {}: {verdict}", json.theorem, json.range)?;
        writeln!(out, "  {}", json.claim)?;
    }
    if all_hold { Ok(()) } else { Err(Failure::Negative("a theorem does not hold".to_string())) }
}

/// List the chains that boards of L bins allow, with their unchaining vectors
///
/// Theorem 5: there are as many as the sum of the first L Fibonacci numbers,
/// which is F(L+2)-1.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow tchoukaillon chains 5")]
pub(crate) struct ChainsArgs {
    /// The number of bins
    length: usize,
    /// Print one JSON object a chain
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a table
    #[arg(long)]
    csv: bool,
}

#[derive(Serialize)]
struct ChainJson<'a> {
    chain: &'a [usize],
    effect: Vec<i64>,
}

pub(crate) fn chains(args: &ChainsArgs, out: &mut dyn Write) -> Result<(), Failure> {
    // The same range of lengths as the matrix.
    Matrix::new(MatrixKind::Chain, args.length)?;
    let chains = sowing_solitaire::chains(args.length);
    if args.csv {
        writeln!(out, "chain,effect")?;
    }
    let width = chains.iter().map(|chain| chain.to_string().len()).max().unwrap_or(0);
    for chain in &chains {
        let effect = chain.effect(args.length);
        if args.json {
            json_line(out, &ChainJson { chain: chain.bins(), effect })?;
        } else if args.csv {
            writeln!(out, "{chain},{}", list(effect).replace(',', " "))?;
        } else {
            writeln!(out, "{:<width$}  {}", chain.to_string(), list(effect))?;
        }
    }
    if !args.json && !args.csv {
        let total = counted(chains.len(), "chain");
        writeln!(out, "{total}: F({}) - 1", args.length + 2)?;
    }
    Ok(())
}

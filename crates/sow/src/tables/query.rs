//! `sow tables rank`, `unrank`, `query` and `export`: boards by their index, and whole layers.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use sowing_command::read_position;
use sowing_jobs::{Provenance, provenance};
use sowing_lab::{TableFormat, export_layers};
use sowing_rules::{BoardIndex, Game, Position};
use sowing_tables::{TableEntry, Tables};

use super::DirArgs;
use crate::failure::{Failure, note};
use crate::units::{self, grouped};
use crate::{input, sanitize};

/// Print the index of a position's board, or with - in its place one JSON
/// object for each line
///
/// Boards with the same number of houses are numbered, those with fewer seeds
/// first; stores do not count. A board keeps its index in all versions.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tables rank \"kalah(6,4)\" \"0,0,1,0,0,2,22|3,0,0,1,0,0,19\"
  sow tables rank \"kalah(6,4)\" - < positions.txt")]
pub(super) struct RankArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The position, as in "0,0,2,1|1,1,1,0", with any number of seeds
    position: String,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Print the position whose board has an index, with empty stores
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow tables unrank \"kalah(6,4)\" 31184")]
pub(super) struct UnrankArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The index, as sow tables rank prints it
    #[arg(required = true, value_name = "INDEX", value_parser = units::whole::<u64>(0..=u64::MAX))]
    indices: Vec<u64>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Ask for whole layers: wins, draws, losses, extremes, or all positions with a
/// value
///
/// A value is of the houses alone: the mover's seeds less the opponent's with
/// perfect play, as if the stores were empty.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tables query \"kalah(6,4)\" --seeds 2..12
  sow tables query \"kalah(6,4)\" --seeds 8 --histogram --csv
  sow tables query \"kalah(6,4)\" --seeds 8 --value 0
  sow tables query \"kalah(6,4)\" --seeds 8 --value most")]
pub(super) struct QueryArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The seeds in houses, as in 2..12
    #[arg(long, value_name = "A..B", value_parser = units::range_within(2..=127))]
    seeds: RangeInclusive<u64>,
    /// Print how many positions have each value
    #[arg(long, conflicts_with = "value")]
    histogram: bool,
    /// Print the positions with a value: a number, or least or most of a layer
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true, value_parser = wanted)]
    value: Option<Wanted>,
    /// Print one line for each row, comma separated
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    #[command(flatten)]
    place: DirArgs,
}

/// Write whole layers to a file: every live position with its index and value
///
/// The file's ending names its format: .csv or .parquet.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sow tables export \"kalah(6,4)\" --seeds 2..10 --out endgames.parquet")]
pub(super) struct ExportArgs {
    /// The game, as in "kalah(6,4)"
    game: Game,
    /// The seeds in houses, as in 2..12
    #[arg(long, value_name = "A..B", value_parser = units::range_within(2..=127))]
    seeds: RangeInclusive<u64>,
    /// The file to write, by its ending: .csv or .parquet
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The folder that the tables lie in, instead of the data folder's
    #[arg(long, value_name = "D")]
    dir: Option<PathBuf>,
}

/// The value of the positions that are printed.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    Value(i8),
    Least,
    Most,
}

fn wanted(text: &str) -> Result<Wanted, String> {
    match (text, text.parse()) {
        ("least", _) => Ok(Wanted::Least),
        ("most", _) => Ok(Wanted::Most),
        (_, Ok(value)) => Ok(Wanted::Value(value)),
        _ => Err("it is a number from -127 to 127, least or most, as in 0".to_string()),
    }
}

#[derive(Serialize)]
struct Ranked {
    index: u64,
    position: String,
}

pub(super) fn rank(args: &RankArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let indices = BoardIndex::new(args.game.houses().into());
    let rank = |text: &str| {
        let position = read_position(args.game, text, true)?;
        let index =
            indices.position_index(&position).ok_or_else(|| too_many(&indices, &position))?;
        Ok(Ranked { index, position: position.to_string() })
    };
    if args.position == "-" {
        return input::answer_lines(&mut std::io::stdin().lock(), out, rank);
    }
    let ranked = rank(&args.position)?;
    match args.json {
        true => json_line(out, &ranked),
        false => Ok(writeln!(out, "{}", ranked.index)?),
    }
}

fn too_many(indices: &BoardIndex, position: &Position) -> Failure {
    let (seeds, max) = (position.layer(), indices.max_layer());
    let houses = indices.houses();
    Failure::Input(format!(
        "{position} has {seeds} seeds in houses: boards with {houses} houses a row have an index up to {max}"
    ))
}

pub(super) fn unrank(args: &UnrankArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let indices = BoardIndex::new(args.game.houses().into());
    for index in args.indices.iter().copied() {
        let position = indices.position(args.game, index).ok_or_else(|| {
            let end = indices.count_below(indices.max_layer() + 1) - 1;
            Failure::Input(format!(
                "no board of {} has index {index}: the last is {end}",
                args.game
            ))
        })?;
        let position = position.to_string();
        match args.json {
            true => json_line(out, &Ranked { index, position })?,
            false => writeln!(out, "{position}")?,
        }
    }
    Ok(())
}

fn json_line(out: &mut dyn Write, row: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(&mut *out, row)?;
    Ok(writeln!(out)?)
}

/// A row of an answer.
trait Row: Serialize {
    const COLUMNS: &[&str];
    const HEADING: &str;
    fn text(&self) -> String;
}

#[derive(Serialize)]
struct LayerRow {
    seeds: u32,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    least: i8,
    most: i8,
}

impl Row for LayerRow {
    const COLUMNS: &[&str] = &["seeds", "positions", "wins", "draws", "losses", "least", "most"];
    const HEADING: &str =
        "seeds       positions            wins           draws          losses  least  most";

    fn text(&self) -> String {
        let LayerRow { seeds, least, most, .. } = self;
        let [all, wins, draws, losses] =
            [self.positions, self.wins, self.draws, self.losses].map(grouped);
        let [least, most] = [least, most].map(|value| units::signed((*value).into()));
        format!("{seeds:>5} {all:>15} {wins:>15} {draws:>15} {losses:>15} {least:>6} {most:>5}")
    }
}

#[derive(Serialize)]
struct ValueRow {
    seeds: u32,
    value: i8,
    positions: u64,
}

impl Row for ValueRow {
    const COLUMNS: &[&str] = &["seeds", "value", "positions"];
    const HEADING: &str = "seeds  value       positions";

    fn text(&self) -> String {
        let (value, positions) = (units::signed(self.value.into()), grouped(self.positions));
        format!("{:>5} {value:>6} {positions:>15}", self.seeds)
    }
}

#[derive(Serialize)]
struct PositionRow {
    index: u64,
    position: String,
    value: i8,
}

impl Row for PositionRow {
    const COLUMNS: &[&str] = &["index", "position", "value"];
    const HEADING: &str = "value           index  position";

    fn text(&self) -> String {
        let PositionRow { index, position, value } = self;
        format!("{:>5} {index:>15}  {position}", units::signed((*value).into()))
    }
}

pub(super) fn query(args: &QueryArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let tables = Tables::open(&args.place.dir()?, &args.game)?;
    let layers = *args.seeds.start() as u32..=*args.seeds.end() as u32;
    // Before anything is printed.
    drop(tables.entries(*layers.end())?);
    let indices = BoardIndex::new(args.game.houses().into());
    if args.histogram {
        return args.print(layers, out, |layer| {
            let histogram = tables.histogram(layer)?.into_iter();
            let row = move |(value, positions)| Ok(ValueRow { seeds: layer, value, positions });
            Ok(histogram.map(row))
        });
    }
    match args.value {
        None => args.print(layers, out, |layer| {
            Ok(std::iter::once(Ok(layer_row(layer, &tables.histogram(layer)?))))
        }),
        Some(wanted) => args.print(layers, out, |layer| {
            let value = match wanted {
                Wanted::Value(value) => Some(value),
                Wanted::Least => tables.histogram(layer)?.keys().next().copied(),
                Wanted::Most => tables.histogram(layer)?.keys().next_back().copied(),
            };
            let found = tables.entries(layer)?.filter(move |entry| {
                entry.as_ref().map_or(true, |entry| Some(entry.value) == value)
            });
            Ok(found.map(|entry| Ok(position_row(&indices, args.game, &entry?))))
        }),
    }?;
    // A file that was written to meanwhile may have given wrong values.
    tables.integrity_error().map_or(Ok(()), |error| Err(error.into()))
}

impl QueryArgs {
    /// Prints the rows of every layer.
    fn print<R: Row, I: Iterator<Item = Result<R, Failure>>>(
        &self,
        layers: RangeInclusive<u32>,
        out: &mut dyn Write,
        mut rows: impl FnMut(u32) -> Result<I, Failure>,
    ) -> Result<(), Failure> {
        if !self.csv && !self.place.json {
            writeln!(out, "{}", R::HEADING)?;
        }
        if self.csv {
            // Names are there even if no row is.
            let mut csv = csv::WriterBuilder::new().has_headers(false).from_writer(out);
            csv.write_record(R::COLUMNS).map_err(std::io::Error::from)?;
            for layer in layers {
                for row in rows(layer)? {
                    csv.serialize(row?).map_err(std::io::Error::from)?;
                }
            }
            return Ok(csv.flush()?);
        }
        for layer in layers {
            for row in rows(layer)? {
                match self.place.json {
                    true => json_line(out, &row?)?,
                    false => writeln!(out, "{}", row?.text())?,
                }
            }
        }
        Ok(())
    }
}

fn layer_row(seeds: u32, histogram: &BTreeMap<i8, u64>) -> LayerRow {
    let sum = |range: RangeInclusive<i8>| histogram.range(range).map(|(_, count)| count).sum();
    LayerRow {
        seeds,
        positions: sum(i8::MIN..=i8::MAX),
        wins: sum(1..=i8::MAX),
        draws: sum(0..=0),
        losses: sum(i8::MIN..=-1),
        least: histogram.keys().next().copied().unwrap_or_default(),
        most: histogram.keys().next_back().copied().unwrap_or_default(),
    }
}

fn position_row(indices: &BoardIndex, game: Game, entry: &TableEntry) -> PositionRow {
    let position = indices.position(game, entry.index).expect("a board of the game").to_string();
    PositionRow { index: entry.index, position, value: entry.value }
}

pub(super) fn export(args: &ExportArgs) -> Result<(), Failure> {
    let name = sanitize::path(&args.out);
    let format = TableFormat::from_path(&args.out).ok_or_else(|| {
        Failure::Input(format!("{name} should end in .csv or .parquet, as in endgames.csv"))
    })?;
    let dir = DirArgs { dir: args.dir.clone(), json: false }.dir()?;
    let tables = Tables::open(&dir, &args.game)?;
    let layers = *args.seeds.start() as u32..=*args.seeds.end() as u32;
    if format == TableFormat::Csv {
        provenance::check_beside(&args.out)?;
    }
    let made = Provenance::now(None);
    let rows = export_layers(&tables, layers.clone(), &args.out, format, made.pairs())
        .map_err(|error| Failure::Input(format!("cannot write {name}: {error}")))?;
    if format == TableFormat::Csv {
        let what = format!("{} seeds {}..{}", tables.family(), layers.start(), layers.end());
        made.write_beside(&args.out, serde_json::json!({ "what": what }))?;
    }
    note(&format!("{}: {} positions in {name}", tables.family(), grouped(rows)));
    Ok(())
}

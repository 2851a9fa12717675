//! The positions of a data set as lines: CSV and JSON Lines.

use std::fmt::Write as _;
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;
use sowing_rules::{Game, Move};

use super::Sample;
use crate::phase::Phase;

/// The format of a data set's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatasetFormat {
    /// `.csv`: one line per position, numbers and a word.
    Csv,
    /// `.jsonl`: one JSON object per position.
    JsonLines,
    /// `.parquet`: the columns of CSV.
    Parquet,
}

impl DatasetFormat {
    /// The format that a file's extension names.
    pub fn from_path(path: &Path) -> Option<DatasetFormat> {
        match path.extension()?.to_str()? {
            "csv" => Some(DatasetFormat::Csv),
            "jsonl" => Some(DatasetFormat::JsonLines),
            "parquet" => Some(DatasetFormat::Parquet),
            _ => None,
        }
    }

    /// The line above the positions; empty if there is none.
    pub fn header(self, game: &Game) -> String {
        match self {
            DatasetFormat::Csv => dataset_columns(game).join(",") + "\n",
            DatasetFormat::JsonLines | DatasetFormat::Parquet => String::new(),
        }
    }

    /// The lines of positions, made in parallel, in blocks. Those of a Parquet file are CSV.
    pub fn lines(self, samples: &[Sample]) -> Vec<String> {
        let lines = |samples: &[Sample]| {
            let mut text = String::new();
            for sample in samples {
                match self {
                    DatasetFormat::JsonLines => json(sample, &mut text),
                    DatasetFormat::Csv | DatasetFormat::Parquet => csv(sample, &mut text),
                }
            }
            text
        };
        samples.par_chunks(1 << 10).map(lines).collect()
    }
}

/// The names of a data set's columns: numbers, then the phase.
pub fn dataset_columns(game: &Game) -> Vec<String> {
    let mut columns = number_columns(game);
    columns.push(PHASE.to_string());
    columns
}

/// The names of the columns that hold numbers.
pub(super) fn number_columns(game: &Game) -> Vec<String> {
    let houses = 1..=game.houses();
    let row = |name: &str| houses.clone().map(|house| format!("{name}{house}")).collect::<Vec<_>>();
    [
        row("own"),
        vec!["store".into()],
        row("other"),
        vec!["other_store".into(), "seeds".into(), "played".into(), "value".into()],
        row("move"),
    ]
    .concat()
}

/// The column that holds a word.
pub(super) const PHASE: &str = "phase";

/// The numbers of a position, in the order of the columns.
pub(super) fn numbers(sample: &Sample) -> impl Iterator<Item = Option<i64>> + '_ {
    let board = sample.position.board();
    let some = |seeds: &u64| Some(*seeds as i64);
    let pits = board.own().iter().map(some).chain([some(&board.store())]);
    let pits = pits.chain(board.other().iter().map(some)).chain([some(&board.other_store())]);
    let about = [some(&sample.position.layer()), sample.played.map(i64::from), Some(sample.value)];
    let mut moves = [None; sowing_rules::MAX_HOUSES as usize];
    for (action, value) in &sample.moves {
        if let Move::House(house) = action {
            moves[house.index()] = Some(*value);
        }
    }
    let houses = usize::from(board.houses());
    pits.chain(about).chain(moves.into_iter().take(houses))
}

/// Adds a line of numbers; a number that is not there is empty.
fn csv(sample: &Sample, text: &mut String) {
    for number in numbers(sample) {
        if let Some(number) = number {
            let _ = write!(text, "{number}");
        }
        text.push(',');
    }
    let _ = writeln!(text, "{}", Phase::of(&sample.position));
}

/// Reads the numbers and the phase of a line that [`csv`] wrote.
#[cfg(feature = "parquet")]
pub(super) fn read_csv(line: &str) -> Option<(Vec<Option<i64>>, String)> {
    let (numbers, phase) = line.trim_end().rsplit_once(',')?;
    let number = |text: &str| match text {
        "" => Some(None),
        text => text.parse().ok().map(Some),
    };
    Some((numbers.split(',').map(number).collect::<Option<_>>()?, phase.to_string()))
}

#[derive(Serialize)]
struct Line<'a> {
    position: &'a sowing_rules::Position,
    seeds: u64,
    phase: String,
    played: Option<u32>,
    value: i64,
    moves: Vec<(Move, i64)>,
    best: Vec<Move>,
}

/// Adds a line with an object.
fn json(sample: &Sample, text: &mut String) {
    let best = sample.moves.iter().filter(|(_, value)| *value == sample.value);
    let line = Line {
        position: &sample.position,
        seeds: sample.position.layer(),
        phase: Phase::of(&sample.position).to_string(),
        played: sample.played,
        value: sample.value,
        moves: sample.moves.clone(),
        best: best.map(|(action, _)| *action).collect(),
    };
    *text += &serde_json::to_string(&line).expect("numbers and words");
    text.push('\n');
}

//! The positions of a data set as lines: CSV and JSON Lines.

use std::fmt::Write as _;

use serde::Serialize;
use sowing_lab::{Phase, Sample};
use sowing_rules::{Game, Move};

/// The names of the columns that hold numbers; the phase comes after them.
pub(super) fn columns(game: &Game) -> Vec<String> {
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

/// A line of names.
pub(super) fn csv_header(game: &Game) -> String {
    format!("{},{PHASE}\n", columns(game).join(","))
}

/// Adds a line of numbers; what there is not is empty.
pub(super) fn csv(sample: &Sample, text: &mut String) {
    for number in numbers(sample) {
        if let Some(number) = number {
            let _ = write!(text, "{number}");
        }
        text.push(',');
    }
    let _ = writeln!(text, "{}", Phase::of(&sample.position));
}

/// The numbers of such a line, and its word.
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
pub(super) fn json(sample: &Sample, text: &mut String) {
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

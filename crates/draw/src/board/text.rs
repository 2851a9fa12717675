//! The board as text.

use anstyle::Style;
use sowing_rules::{Position, Side};

use super::rows;

/// The characters that frames are made of.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    across: char,
    down: char,
    top: [char; 3],
    middle: [char; 3],
    bottom: [char; 3],
}

/// A frame of unbroken lines.
pub const UNICODE: Frame = Frame {
    across: '─',
    down: '│',
    top: ['┌', '┬', '┐'],
    middle: ['├', '┼', '┤'],
    bottom: ['└', '┴', '┘'],
};

/// A frame that every terminal can show.
pub const ASCII: Frame = Frame {
    across: '-',
    down: '|',
    top: ['+', '+', '+'],
    middle: ['+', '+', '+'],
    bottom: ['+', '+', '+'],
};

const TO_MOVE: Style = Style::new().bold();

/// A position whose mover sits at a side, in lines. The mover's row is bold, by the sequences of
/// ANSI terminals.
pub fn text(position: &Position, mover: Side, frame: &Frame) -> String {
    let [south, north] = rows(position, mover);
    let to_move = |side| side == mover && !position.is_finished();
    let style = |side| if to_move(side) { TO_MOVE } else { Style::new() };
    let houses = south.houses.len();
    let seeds = south.houses.iter().chain(north.houses).chain([&south.store, &north.store]);
    let width = seeds.max().unwrap_or(&0).to_string().len() + 2;
    let inside = houses * (width + 1) - 1;

    let cell = |number: u64| format!("{number:^width$}");
    let blank = " ".repeat(width);
    let bar = frame.across.to_string().repeat(width);
    let rule = |[left, joint, right]: [char; 3], columns: usize| {
        let bars = vec![bar.as_str(); columns].join(&joint.to_string());
        format!("{left}{bars}{right}")
    };
    let row = |seeds: Vec<u64>, style: Style| {
        let cells = seeds.into_iter().map(|number| format!("{style}{}{style:#}", cell(number)));
        cells.collect::<Vec<_>>().join(&frame.down.to_string())
    };
    let labels = |numbers: Vec<u64>| {
        let cells = numbers.into_iter().map(cell);
        format!("{blank}  {}", cells.collect::<Vec<_>>().join(" "))
    };
    let name = |side: Side| format!("{blank}  {:^inside$}", side.to_string());

    let down = frame.down;
    let numbers: Vec<u64> = (1..=houses as u64).collect();
    let north_row = row(north.houses.iter().rev().copied().collect(), style(Side::North));
    let south_row = row(south.houses.to_vec(), style(Side::South));
    let middle = rule(frame.middle, houses);
    let lines = [
        name(Side::North),
        labels(numbers.iter().rev().copied().collect()),
        rule(frame.top, houses + 2),
        format!("{down}{blank}{down}{north_row}{down}{blank}{down}"),
        format!("{down}{}{middle}{}{down}", cell(north.store), cell(south.store)),
        format!("{down}{blank}{down}{south_row}{down}{blank}{down}"),
        rule(frame.bottom, houses + 2),
        labels(numbers),
        name(Side::South),
    ];
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

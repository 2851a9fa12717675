//! The board as text: North above, South below, stores at the ends.

use std::io::{self, Write};

use anstyle::Style;
use sowing::{Side, Wide};

/// The characters that frames are made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    across: char,
    down: char,
    top: [char; 3],
    middle: [char; 3],
    bottom: [char; 3],
}

const UNICODE: Frame = Frame {
    across: '─',
    down: '│',
    top: ['┌', '┬', '┐'],
    middle: ['├', '┼', '┤'],
    bottom: ['└', '┴', '┘'],
};

const ASCII: Frame = Frame {
    across: '-',
    down: '|',
    top: ['+', '+', '+'],
    middle: ['+', '+', '+'],
    bottom: ['+', '+', '+'],
};

impl Frame {
    /// Plain characters where asked for or where the locale knows no others.
    pub(crate) fn choose(ascii: bool) -> Frame {
        if ascii || !locale_is_utf8() { ASCII } else { UNICODE }
    }
}

pub(crate) fn locale_is_utf8() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    match set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")) {
        Some(locale) => {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
        None => true,
    }
}

const TO_MOVE: Style = Style::new().bold();

/// Draws a board as its mover sees it, or turned round if North is the mover.
pub(crate) fn board(
    out: &mut dyn Write,
    board: &Wide,
    mover: Side,
    finished: bool,
    frame: Frame,
) -> io::Result<()> {
    let (south, north) = match mover {
        Side::South => ((board.own(), board.store()), (board.other(), board.other_store())),
        Side::North => ((board.other(), board.other_store()), (board.own(), board.store())),
    };
    let style = |side| if side == mover && !finished { TO_MOVE } else { Style::new() };
    let most = south.0.iter().chain(north.0).chain([&south.1, &north.1]).max().unwrap_or(&0);
    let width = most.to_string().len().max(1) + 2;
    let houses = south.0.len();
    let cell = |text: String| format!("{text:^width$}");
    let rule = |ends: [char; 3]| -> String {
        let bar = frame.across.to_string().repeat(width);
        let bars = vec![bar; houses].join(&ends[1].to_string());
        format!("{}{bars}{}", ends[0], ends[2])
    };
    let row = |seeds: Vec<u64>, style: Style| -> String {
        let cells = seeds.into_iter().map(|n| format!("{style}{}{style:#}", cell(n.to_string())));
        cells.collect::<Vec<_>>().join(&frame.down.to_string())
    };
    let labels = |numbers: Vec<usize>| -> String {
        let cells = numbers.into_iter().map(|n| cell(n.to_string()));
        cells.collect::<Vec<_>>().join(" ").trim_end().to_string()
    };
    let bar = frame.across.to_string().repeat(width);
    let blank = " ".repeat(width);
    let inside = houses * (width + 1) - 1;
    let name = |side: Side| format!("{blank}  {:^inside$}", side.to_string());
    let north_row = north.0.iter().rev().copied().collect();
    let (down, indent) = (frame.down, format!("{blank}  "));
    let ends = |[left, _, right]: [char; 3], middle: String| {
        let inner: String = middle.chars().skip(1).take(inside).collect();
        let joint = frame_joint(frame, left);
        format!("{left}{bar}{joint}{inner}{joint}{bar}{right}")
    };
    writeln!(out, "{}", name(Side::North).trim_end())?;
    writeln!(out, "{indent}{}", labels((1..=houses).rev().collect()))?;
    writeln!(out, "{}", ends(frame.top, rule(frame.top)))?;
    writeln!(out, "{down}{blank}{down}{}{down}{blank}{down}", row(north_row, style(Side::North)))?;
    let (left, right) = (cell(north.1.to_string()), cell(south.1.to_string()));
    writeln!(out, "{down}{left}{}{right}{down}", rule(frame.middle))?;
    let south_row = row(south.0.to_vec(), style(Side::South));
    writeln!(out, "{down}{blank}{down}{south_row}{down}{blank}{down}")?;
    writeln!(out, "{}", ends(frame.bottom, rule(frame.bottom)))?;
    writeln!(out, "{indent}{}", labels((1..=houses).collect()))?;
    writeln!(out, "{}", name(Side::South).trim_end())
}

/// What joins a store to the houses in the top or bottom rule.
fn frame_joint(frame: Frame, left: char) -> char {
    if left == frame.top[0] { frame.top[1] } else { frame.bottom[1] }
}

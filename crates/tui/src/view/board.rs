//! The rows and the stores.

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Widget};
use sowing_analysis::{Analysis, MoveFound};
use sowing_rules::{Move, Side};

use super::places::{FRAMED, Places};
use super::theme::Theme;
use crate::app::App;
use crate::motion::place;

/// Both rows and stores, with names, numbers and values.
pub(super) fn board(buffer: &mut Buffer, app: &App, places: &Places, theme: Theme) {
    let scene = app.scene();
    let resting = !app.is_moving() && app.play.result().is_none();
    for side in [Side::South, Side::North] {
        let to_move = resting && app.play.side() == side;
        let line = place(side);
        let who = &app.settings.seats[app.holder(side)];
        let mark = if to_move { ", to move" } else { "" };
        let name = Line::styled(format!("{side}: {who}{mark}"), bold_if(to_move));
        super::text(buffer, places.area, places.names[line], name.alignment(Alignment::Center));
        for (index, (at, seeds)) in places.rows[line].iter().zip(&scene.rows[line]).enumerate() {
            let chosen = to_move && app.human_to_move() && app.cursor == index;
            let lit = scene.lit == Some((side, Some(index)));
            let hinted = to_move && app.hint.is_some_and(|hint| is_house(hint.action, index));
            pit(buffer, *at, *seeds, theme, Look { chosen, lit, hinted });
            let label = Rect::new(at.x, places.labels[line], at.width, 1);
            let style = bold_if(to_move && *seeds > 0);
            Line::styled((index + 1).to_string(), style)
                .alignment(Alignment::Center)
                .render(label, buffer);
            if to_move && app.values.on {
                let at = Rect::new(at.x, places.values[line], at.width, 1);
                value(buffer, at, app, index, theme);
            }
        }
        let lit = scene.lit == Some((side, None));
        let look = Look { chosen: false, lit, hinted: false };
        pit(buffer, places.stores[line], scene.stores[line], theme, look);
    }
}

fn is_house(action: Move, index: usize) -> bool {
    matches!(action, Move::House(house) if house.index() == index)
}

fn bold_if(yes: bool) -> Modifier {
    if yes { Modifier::BOLD } else { Modifier::empty() }
}

#[derive(Clone, Copy)]
struct Look {
    chosen: bool,
    lit: bool,
    hinted: bool,
}

/// A house or a store: its seeds as dots where they fit, and their number always.
fn pit(buffer: &mut Buffer, at: Rect, seeds: u64, theme: Theme, look: Look) {
    let Look { chosen, lit, hinted } = look;
    let style = match (lit, hinted) {
        (true, _) => theme.colored(Color::Yellow).add_modifier(Modifier::REVERSED),
        (_, true) => theme.colored(Color::Green).add_modifier(Modifier::BOLD),
        _ => bold_if(chosen).into(),
    };
    let framed = at.width >= FRAMED;
    let inner = if framed {
        let block = Block::bordered().border_set(theme.border(chosen));
        let inner = block.inner(at);
        block.border_style(if lit { Style::new() } else { style }).render(at, buffer);
        inner
    } else {
        at.inner(ratatui::layout::Margin::new(0, 1))
    };
    let width = usize::from(inner.width);
    let number = shortened(seeds, width);
    let number =
        if chosen && !framed && number.len() + 2 <= width { format!("[{number}]") } else { number };
    let last = Rect::new(inner.x, inner.bottom() - 1, inner.width, 1);
    let style = if chosen && !framed { style.add_modifier(Modifier::REVERSED) } else { style };
    Line::styled(number, style).alignment(Alignment::Center).render(last, buffer);
    let lines = usize::from(inner.height) - 1;
    let spaced = width / 2;
    let (a_line, gap) = if framed && seeds <= (spaced * lines) as u64 {
        (spaced, " ")
    } else {
        (width.saturating_sub(1), "")
    };
    if a_line == 0 || seeds > (a_line * lines) as u64 {
        return;
    }
    let dots = vec![theme.seed(); seeds as usize];
    for (row, dots) in (inner.y..).zip(dots.chunks(a_line)) {
        let line = Rect::new(inner.x, row, inner.width, 1);
        // All lines start in the same column, also one that is not full.
        let full = a_line * (1 + gap.len());
        let left = inner.x + (inner.width - full as u16) / 2;
        let line = Rect { x: left, ..line }.intersection(inner);
        Line::styled(dots.join(gap), theme.colored(Color::Cyan)).render(line, buffer);
    }
}

/// A number in so many columns: `12345`, or `1e4` where it is too long.
fn shortened(number: u64, width: usize) -> String {
    let digits = number.to_string();
    if digits.len() <= width {
        return digits;
    }
    format!("{}e{}", &digits[..1], digits.len() - 1)
}

fn value(buffer: &mut Buffer, at: Rect, app: &App, index: usize, theme: Theme) {
    let Some(found) = &app.values.found else { return };
    let Some(of_move) = found.moves.iter().find(|found| is_house(found.action, index)) else {
        return;
    };
    let mut text = found_text(of_move);
    if text.len() >= usize::from(at.width) + usize::from(at.width >= FRAMED) {
        text = "?".to_string();
    }
    let style = if is_best(found, of_move) {
        theme.colored(Color::Green).add_modifier(Modifier::BOLD)
    } else {
        Style::new()
    };
    Line::styled(text, style).alignment(Alignment::Center).render(at, buffer);
}

/// Whether a move is proven to be as good as the best.
fn is_best(found: &Analysis, of_move: &MoveFound) -> bool {
    found.known.value().is_some() && of_move.known.value() == found.known.value()
}

/// What a move is worth, or while that is not known a guess at it.
pub(super) fn found_text(found: &MoveFound) -> String {
    match (found.known.value(), found.estimate) {
        (None, Some(0)) => "~0".to_string(),
        (None, Some(estimate)) => format!("~{estimate:+}"),
        _ => found.known.to_string(),
    }
}

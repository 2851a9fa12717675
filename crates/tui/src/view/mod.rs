//! The board drawn: it shows what the app says, and knows no rules.

mod board;
mod places;
mod popup;
mod theme;
mod turns;

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::Modifier;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Widget};
use sowing_analysis::Source;
use sowing_draw::study::folded;
use sowing_rules::Move;

use crate::app::{App, Scroll};
use board::{board, found_text};
pub(crate) use places::Places;
use places::{HEIGHT, WIDTH};
use popup::{popup, verdict_lines};
pub use theme::Theme;
#[cfg(test)]
pub(crate) use turns::listed;

/// How the help scrolls on a screen.
pub(crate) fn scroll(area: Rect, app: &App) -> Scroll {
    match Places::new(area, app) {
        Some(_) => popup::scroll(area, app),
        None => app.scroll,
    }
}

/// Draws the whole screen.
pub(crate) fn draw(frame: &mut Frame<'_>, app: &App, theme: Theme, now: Instant) {
    let area = frame.area();
    let Some(places) = Places::new(area, app) else {
        let text = format!(
            "The board needs {WIDTH} columns and {HEIGHT} rows.\nThis terminal has {} and {}.\nEnlarge it, or press Ctrl-C to leave.",
            area.width, area.height
        );
        return frame.render_widget(Paragraph::new(text), area);
    };
    let buffer = frame.buffer_mut();
    title(buffer, app, area);
    board(buffer, app, &places, theme);
    footer(buffer, app, &places, area, theme, now);
    if let Some(side) = places.side {
        turns::list(buffer, side, app, theme);
    }
    if let Some(over) = app.popup {
        popup(buffer, area, theme, app, over);
    }
}

fn text(buffer: &mut Buffer, area: Rect, row: u16, line: impl Into<Line<'static>>) {
    let at = Rect::new(area.x + 1, row, area.width - 2, 1);
    line.into().render(at.intersection(buffer.area), buffer);
}

fn title(buffer: &mut Buffer, app: &App, area: Rect) {
    let settings = &app.settings;
    text(buffer, area, area.y, Line::styled(app.game().to_string(), Modifier::BOLD));
    let score = app.score();
    let [first, second] = score.wins.map(|wins| f64::from(wins) + f64::from(score.draws) / 2.0);
    let [a, b] = &settings.seats;
    let number = score.games() + u32::from(app.play.result().is_none());
    let of = if settings.games > 1 { format!(" of {}", settings.games) } else { String::new() };
    let line = format!("game {number}{of}    {a} {first} : {second} {b}");
    text(buffer, area, area.y, Line::from(line).alignment(Alignment::Right));
}

fn footer(
    buffer: &mut Buffer,
    app: &App,
    places: &Places,
    screen: Rect,
    theme: Theme,
    now: Instant,
) {
    let area = places.area;
    let width = usize::from(area.width) - 2;
    let mut lines: Vec<Line<'static>> = Vec::new();
    let bold = |text: &str| {
        let rows = folded(text, width);
        rows.into_iter().map(|row| Line::styled(row, Modifier::BOLD)).collect::<Vec<_>>()
    };
    let plain = |text: &str| folded(text, width).into_iter().map(Line::from).collect::<Vec<_>>();
    // Whatever is said after the end, how it ended stays.
    let ended = app.play.result().map(|_| app.verdict());
    lines.extend(ended.iter().flat_map(|ended| bold(ended)));
    if ended.as_ref() != Some(&app.message) {
        lines.extend(bold(&app.message));
    }
    let hand = app.scene().hand;
    let seconds = |since: Instant| (now - since).as_secs_f64();
    if app.is_moving() {
        lines.push(Line::from(if hand > 0 { format!("In hand: {hand}") } else { String::new() }));
    } else if let Some(since) = app.thinking_since {
        lines.push(Line::from(format!("Thinking: {:.1} s", seconds(since))));
    } else if let Some(since) = app.hint_since {
        lines.push(Line::from(format!("Looking for a hint: {:.1} s", seconds(since))));
    }
    if let (true, Some(since)) = (app.values.on, app.values.since) {
        lines.extend(plain(&values_text(app, app.values.took.unwrap_or(now - since))));
    }
    if ended.is_some() {
        lines.extend(verdict_lines(app).iter().flat_map(|line| plain(line)));
    }
    let keys = area.bottom() - 1;
    let mut last = keys;
    // The turns stand beside the board, or else on the last lines that are free.
    if places.side.is_none() {
        let free = usize::from(keys - places.below).saturating_sub(lines.len());
        let turns = turns::lines(app, theme, width, free.max(1));
        last -= turns.len() as u16;
        for (line, row) in turns.into_iter().zip(last..) {
            text(buffer, area, row, line);
        }
    }
    for (line, row) in lines.into_iter().zip(places.below..last) {
        text(buffer, area, row, line);
    }
    text(buffer, screen, keys, Line::styled(keys_text(app, screen.width), Modifier::DIM));
}

/// The keys that are of use now, as many as fit.
fn keys_text(app: &App, width: u16) -> String {
    let over = app.play.result().is_some();
    let (looking, reviewed) = (app.looking, app.reviewed.is_some());
    let keys = [
        (over, "v review"),
        (over, "n next game"),
        (looking && !app.human_to_move(), "Enter play on"),
        (!over && !looking, "Enter play"),
        (true, "? help"),
        (true, "q quit"),
        (true, "u undo"),
        (!over, "r redo"),
        (reviewed && !over, "v review"),
        (!over && !looking, "h hint"),
        (!over, "a values"),
        (!over && !looking, "s swap"),
        (over, "w write"),
        (!over, "n new"),
    ];
    let mut text = String::new();
    for (_, key) in keys.into_iter().filter(|(useful, _)| *useful) {
        if text.len() + 2 + key.len() + 2 > usize::from(width) {
            break;
        }
        text += if text.is_empty() { "" } else { "  " };
        text += key;
    }
    text
}

fn values_text(app: &App, clock: Duration) -> String {
    let clock = clock.as_secs_f64();
    let Some(found) = &app.values.found else { return format!("Values: {clock:.1} s") };
    let sure = found.moves.iter().filter(|found| found.known.value().is_some()).count();
    let all = found.moves.len();
    let swap = found.moves.iter().find(|found| found.action == Move::Swap);
    let swap = swap.map_or(String::new(), |found| format!(", swap {}", found_text(found)));
    let rest = if sure == all { "" } else { ", ~ is a guess" };
    // Bounds that tell nobody anything are not words for a line this short.
    let words = if found.known.outcome().is_some() { &found.words } else { "Not solved yet." };
    if found.source == Source::Book {
        return format!("{words} Known from the book{swap}.");
    }
    format!("{words} {sure} of {all} moves known{rest}, {clock:.1} s{swap}")
}

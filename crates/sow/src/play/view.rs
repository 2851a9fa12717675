//! The board drawn: it shows what the app says, and knows no rules.

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Position as Point, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Paragraph, Widget};
use sowing::{Move, Side};
use sowing_analysis::{Analysis, MoveFound, Review, Source};

use crate::play::app::{App, Popup};
use crate::play::motion::place;
use crate::review::{better_text, lost_text};

/// The smallest screen.
pub(crate) const WIDTH: u16 = 80;
pub(crate) const HEIGHT: u16 = 24;

/// With what to draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theme {
    pub(crate) ascii: bool,
    pub(crate) color: bool,
}

const ASCII_BORDER: border::Set<'_> = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

const ASCII_CHOSEN: border::Set<'_> = border::Set {
    top_left: "#",
    top_right: "#",
    bottom_left: "#",
    bottom_right: "#",
    vertical_left: "#",
    vertical_right: "#",
    horizontal_top: "#",
    horizontal_bottom: "#",
};

impl Theme {
    fn border(self, chosen: bool) -> border::Set<'static> {
        match (self.ascii, chosen) {
            (true, false) => ASCII_BORDER,
            (true, true) => ASCII_CHOSEN,
            (false, false) => border::ROUNDED,
            (false, true) => border::DOUBLE,
        }
    }

    fn seed(self) -> &'static str {
        if self.ascii { "o" } else { "●" }
    }

    fn colored(self, color: Color) -> Style {
        if self.color { Style::new().fg(color) } else { Style::new() }
    }
}

/// Where everything is on a screen that is large enough.
#[derive(Debug)]
pub(crate) struct Places {
    /// South's houses and North's, each from its owner's left.
    rows: [Vec<Rect>; 2],
    stores: [Rect; 2],
    /// The line with each row's values, the one with its numbers, the one with its name.
    values: [u16; 2],
    labels: [u16; 2],
    names: [u16; 2],
    /// The first line below the board.
    below: u16,
    area: Rect,
}

/// Narrower houses have no frame of their own.
const FRAMED: u16 = 6;

impl Places {
    /// The places for so many houses, or `None` if the screen is too small.
    pub(crate) fn new(area: Rect, houses: u8) -> Option<Places> {
        if area.width < WIDTH || area.height < HEIGHT {
            return None;
        }
        let houses = u16::from(houses);
        let store = if houses > 6 { 8 } else { 10 };
        let width = ((area.width - 2 * store) / houses).min(14);
        let height = ((area.height - 12) / 2).min(9);
        let all = 2 * store + houses * width;
        let left = area.x + (area.width - all) / 2;
        let top = area.y + 4 + (area.height - 12 - 2 * height) / 3;
        let row = |y: u16, backwards: bool| -> Vec<Rect> {
            let index = |i: u16| if backwards { houses - 1 - i } else { i };
            let x = |i| left + store + index(i) * width;
            (0..houses).map(|i| Rect::new(x(i), y, width, height)).collect()
        };
        let below = top + 2 * height;
        Some(Places {
            rows: [row(top + height, false), row(top, true)],
            stores: [
                Rect::new(left + store + houses * width, top, store, 2 * height),
                Rect::new(left, top, store, 2 * height),
            ],
            values: [below + 1, top - 2],
            labels: [below, top - 1],
            names: [below + 2, top - 3],
            below: below + 3,
            area,
        })
    }

    /// The house under a point of the screen.
    pub(crate) fn house_at(&self, column: u16, row: u16) -> Option<(Side, usize)> {
        [Side::South, Side::North].into_iter().find_map(|side| {
            let houses = &self.rows[place(side)];
            let index = houses.iter().position(|house| house.contains(Point::new(column, row)))?;
            Some((side, index))
        })
    }
}

/// Draws the whole screen.
pub(crate) fn draw(frame: &mut Frame<'_>, app: &App, theme: Theme, now: Instant) {
    let area = frame.area();
    let Some(places) = Places::new(area, app.settings.game.houses()) else {
        let text = format!(
            "The board needs {WIDTH} columns and {HEIGHT} rows.\nThis terminal has {} and {}.\nEnlarge it, or press q to leave.",
            area.width, area.height
        );
        return frame.render_widget(Paragraph::new(text), area);
    };
    let buffer = frame.buffer_mut();
    title(buffer, app, area);
    board(buffer, app, &places, theme);
    footer(buffer, app, &places, now);
    match app.popup {
        Some(Popup::Help) => popup(buffer, area, theme, " Help ", help(app), 0),
        Some(Popup::Review(at)) => popup(buffer, area, theme, " Review ", review(app), at),
        None => {}
    }
}

fn text(buffer: &mut Buffer, area: Rect, row: u16, line: impl Into<Line<'static>>) {
    let at = Rect::new(area.x + 1, row, area.width - 2, 1);
    line.into().render(at.intersection(buffer.area), buffer);
}

fn title(buffer: &mut Buffer, app: &App, area: Rect) {
    let settings = &app.settings;
    text(buffer, area, area.y, Line::styled(settings.game.to_string(), Modifier::BOLD));
    let score = app.score();
    let [first, second] = score.wins.map(|wins| f64::from(wins) + f64::from(score.draws) / 2.0);
    let [a, b] = &settings.seats;
    let number = score.games() + u32::from(app.play.result().is_none());
    let of = if settings.games > 1 { format!(" of {}", settings.games) } else { String::new() };
    let line = format!("game {number}{of}    {a} {first} : {second} {b}");
    text(buffer, area, area.y, Line::from(line).alignment(Alignment::Right));
}

fn board(buffer: &mut Buffer, app: &App, places: &Places, theme: Theme) {
    let scene = app.scene();
    let resting = !app.is_moving() && app.play.result().is_none();
    for side in [Side::South, Side::North] {
        let to_move = resting && app.play.side() == side;
        let line = place(side);
        let who = &app.settings.seats[app.holder(side)];
        let mark = if to_move { ", to move" } else { "" };
        let name = Line::styled(format!("{side}: {who}{mark}"), bold_if(to_move));
        text(buffer, places.area, places.names[line], name.alignment(Alignment::Center));
        for (index, (at, seeds)) in places.rows[line].iter().zip(&scene.rows[line]).enumerate() {
            let chosen = to_move && app.human_to_move() && app.cursor == index;
            let lit = scene.lit == Some((side, Some(index)));
            let hinted = to_move && app.hint.is_some_and(|hint| is_house(hint, index));
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
    found.known.value.is_some() && of_move.known.value == found.known.value
}

/// What a move is worth, or while that is not known a guess at it.
fn found_text(found: &MoveFound) -> String {
    match (found.known.value, found.estimate) {
        (None, Some(0)) => "~0".to_string(),
        (None, Some(estimate)) => format!("~{estimate:+}"),
        _ => found.known.to_string(),
    }
}

fn footer(buffer: &mut Buffer, app: &App, places: &Places, now: Instant) {
    let area = places.area;
    let mut lines = vec![Line::styled(app.message.clone(), Modifier::BOLD)];
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
        lines.push(Line::from(values_text(app, app.values.took.unwrap_or(now - since))));
    }
    if app.play.result().is_some() {
        lines.extend(verdict_lines(app).into_iter().map(Line::from));
    }
    let keys = area.bottom() - 1;
    for (line, row) in lines.into_iter().zip(places.below..keys) {
        text(buffer, area, row, line);
    }
    let fits = "Enter play  u undo  r redo  h hint  a values  s swap  n new  ? help  q quit";
    text(buffer, area, keys, Line::styled(fits, Modifier::DIM));
}

fn values_text(app: &App, clock: Duration) -> String {
    let clock = clock.as_secs_f64();
    let Some(found) = &app.values.found else { return format!("Values: {clock:.1} s") };
    let sure = found.moves.iter().filter(|found| found.known.value.is_some()).count();
    let all = found.moves.len();
    let swap = found.moves.iter().find(|found| found.action == Move::Swap);
    let swap = swap.map_or(String::new(), |found| format!(", swap {}", found_text(found)));
    let rest = if sure == all { "" } else { ", ~ is a guess" };
    // Bounds that tell nobody anything are not words for a line this short.
    let words = if found.known.outcome.is_some() { &found.words } else { "Not solved yet." };
    if found.source == Source::Book {
        return format!("{words} Known from the book{swap}.");
    }
    format!("{words} {sure} of {all} moves known{rest}, {clock:.1} s{swap}")
}

/// What the review has found so far, in two lines.
fn verdict_lines(app: &App) -> Vec<String> {
    let state = if app.review_over { "" } else { " (still looking)" };
    let review = Review::sum(app.review.clone());
    let unknown = app.review.iter().filter(|turn| turn.lost.is_none()).count();
    let unknown =
        if unknown > 0 { format!("; {unknown} turns are not known") } else { String::new() };
    match review.worst() {
        Some(turn) => vec![
            format!("Worst turn{state}: {}{unknown}.", lost_text(turn)),
            better_text(turn).map_or(String::new(), |better| format!("Better was {better}.")),
        ],
        None if app.review_over && app.review.is_empty() => vec!["There is no review.".to_string()],
        None if app.review_over => vec![format!("No turn gave anything away{unknown}.")],
        None => vec!["The review is being made.".to_string()],
    }
}

fn review(app: &App) -> Vec<String> {
    let mut lines = verdict_lines(app);
    lines.push(String::new());
    for turn in &app.review {
        let better = better_text(turn).map_or(String::new(), |better| format!("; better {better}"));
        lines.push(format!("{:>3}  {}{better}", turn.turn, lost_text(turn)));
    }
    lines
}

fn help(app: &App) -> Vec<String> {
    let houses = app.settings.game.houses();
    [
        format!("{:<15}play that house, counted from the mover's left", format!("1 to {houses}")),
        "arrows, Enter  choose a house and play it; so does a mouse click".into(),
        "u, r           take back, play again".into(),
        "h              a hint: the best move that is found in the time".into(),
        "a              the value of every house: the margin with perfect play".into(),
        "s              swap sides: the pie rule's offer, or change places".into(),
        "n              new game; the winner of the last one starts".into(),
        "v              after the game: what each turn lost".into(),
        "w              write the record to a new file in this folder".into(),
        "+, -           faster, slower sowing; any key cuts it short".into(),
        "?, q           this help, quit".into(),
        String::new(),
        "Sow a house's seeds one by one, your store included. A last seed in".into(),
        "your store: move again. Most seeds at the end wins.".into(),
        format!("Options of this game: {}", options(app)),
    ]
    .to_vec()
}

fn options(app: &App) -> String {
    let names: Vec<String> =
        app.settings.game.rules().options().map(|option| option.to_string()).collect();
    if names.is_empty() { "none".to_string() } else { names.join(", ") }
}

fn popup(
    buffer: &mut Buffer,
    area: Rect,
    theme: Theme,
    name: &'static str,
    lines: Vec<String>,
    from: usize,
) {
    let width = 76.min(area.width - 2);
    let height = (lines.len() as u16 + 2).clamp(5, area.height - 4);
    let at = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
    Clear.render(at, buffer);
    let block = Block::bordered().border_set(theme.border(false)).title(name);
    let more = lines.len() > usize::from(height) - 2;
    let close = if more { " Up and Down scroll, Esc closes " } else { " Esc closes " };
    let block = block.title_bottom(Line::from(close).alignment(Alignment::Right));
    let inner = block.inner(at);
    block.render(at, buffer);
    let last = lines.len().saturating_sub(inner.height.into());
    for (line, row) in lines.into_iter().skip(from.min(last)).zip(inner.y..inner.bottom()) {
        let at = Rect::new(inner.x + 1, row, inner.width - 2, 1);
        Line::from(line).render(at, buffer);
    }
}

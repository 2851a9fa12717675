//! The turns that were played, and how the game went.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use sowing_rules::{Playthrough, Side, turn_text};

use super::theme::Theme;
use crate::app::App;
use crate::motion::Scene;

/// A turn as it is listed.
pub(crate) struct Listed {
    pub(crate) number: usize,
    pub(crate) side: Side,
    pub(crate) moves: String,
    /// By how much South led after it, in seeds in stores.
    lead: i64,
}

/// The turns of a game in order.
pub(crate) fn listed(play: &Playthrough) -> Vec<Listed> {
    let of = |(number, turn): (usize, std::ops::Range<usize>)| {
        let plays = &play.plays()[turn];
        let last = plays.last().expect("a turn has moves");
        let moves: Vec<_> = plays.iter().map(|play| play.action).collect();
        let [south, north] = Scene::of(&last.after, last.next).stores;
        let lead = south as i64 - north as i64;
        Listed { number, side: plays[0].side, moves: turn_text(&moves), lead }
    };
    (1..).zip(play.turns()).map(of).collect()
}

/// How the game went, from South's side.
struct Curve {
    /// What the points are.
    name: &'static str,
    points: Vec<i64>,
}

impl Curve {
    /// The values after each turn where the review knows them all, else the lead.
    fn of(app: &App, turns: &[Listed]) -> Curve {
        let value = |turn: &Listed| {
            let found = app.review.iter().find(|found| found.turn == turn.number)?;
            let value = found.after.value()?;
            Some(if found.side == Side::South { value } else { -value })
        };
        let whole = app.review_over && app.reviewed.is_some();
        match turns.iter().map(value).collect::<Option<Vec<i64>>>().filter(|_| whole) {
            Some(points) => Curve { name: "value", points },
            None => Curve { name: "lead", points: turns.iter().map(|turn| turn.lead).collect() },
        }
    }

    /// The last points that fit, and where it stands: `lead ▄▄▅▆ South +3`.
    fn text(&self, theme: Theme, width: usize) -> String {
        let Some(last) = self.points.last() else { return String::new() };
        let stands = match last {
            0 => "even".to_string(),
            1.. => format!("South +{last}"),
            _ => format!("North +{}", last.unsigned_abs()),
        };
        let room = width.saturating_sub(self.name.len() + stands.len() + 2);
        let most = self.points.iter().map(|point| point.unsigned_abs()).max().unwrap_or(1).max(1);
        let bar = |point: &i64| {
            // Whoever leads at all is seen to lead.
            let steps = (3 * u128::from(point.unsigned_abs())).div_ceil(most.into()) as usize;
            theme.bars()[if *point < 0 { 3 - steps } else { 3 + steps }]
        };
        let from = self.points.len().saturating_sub(room);
        let bars: String = self.points[from..].iter().map(bar).collect();
        format!("{} {bars} {stands}", self.name)
    }
}

/// The last turns on one line with the curve at its end; or on so many lines as there may be, if the
/// very last needs them.
pub(super) fn lines(app: &App, theme: Theme, width: usize, most: usize) -> Vec<String> {
    let turns = listed(&app.play);
    let curve = Curve::of(app, &turns).text(theme, width / 2);
    let room = width.saturating_sub(curve.chars().count() + 2);
    let this = |turn: &Listed| format!("{} {} {}", turn.number, turn.side, turn.moves);
    let last = turns.last().map_or(String::new(), this);
    let mut rows = pieces(&last, if last.chars().count() > room { width } else { room });
    if rows.last().is_some_and(|row| row.chars().count() > room) {
        rows.push(String::new());
    }
    // Of what does not fit, the end is seen.
    if rows.len() > most {
        rows.drain(..rows.len() - most);
        rows[0] =
            if most == 1 { ending(&last, theme, room) } else { ending(&rows[0], theme, width) };
    }
    let mut text = rows.pop().expect("there is a line");
    for turn in turns.iter().rev().skip(1).filter(|_| rows.is_empty()) {
        let longer = format!("{}, {text}", this(turn));
        if longer.chars().count() > room {
            break;
        }
        text = longer;
    }
    let gap = width.saturating_sub(text.chars().count() + curve.chars().count());
    rows.push(format!("{text}{:gap$}{curve}", ""));
    rows
}

/// The end of a text that is too long.
fn ending(text: &str, theme: Theme, width: usize) -> String {
    let keep = width.saturating_sub(theme.ellipsis().chars().count());
    let skip = text.chars().count().saturating_sub(keep);
    format!("{}{}", theme.ellipsis(), text.chars().skip(skip).collect::<String>())
}

/// The turns as a list, the last at the bottom, and the curve below.
pub(super) fn list(buffer: &mut Buffer, at: Rect, app: &App, theme: Theme) {
    let turns = listed(&app.play);
    let width = usize::from(at.width - 2);
    let curve = Curve::of(app, &turns).text(theme, width);
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (index, turn) in turns.iter().enumerate() {
        let (head, last) = (format!("{:>3} {} ", turn.number, turn.side), index + 1 == turns.len());
        let style = if last { Modifier::BOLD } else { Modifier::empty() };
        let room = width.saturating_sub(head.len());
        let mut moves: Vec<String> = pieces(&turn.moves, room);
        // Long turns are cut, but for the last.
        if !last && moves.len() > 1 {
            moves = vec![ending(&turn.moves, theme, room)];
        }
        for (row, moves) in moves.into_iter().enumerate() {
            let head = if row == 0 { head.clone() } else { " ".repeat(head.len()) };
            lines.push(Line::from(vec![Span::raw(head), Span::styled(moves, style)]));
        }
    }
    let rows = usize::from(at.height.saturating_sub(2));
    let from = lines.len().saturating_sub(rows);
    for (line, row) in lines.into_iter().skip(from).zip(at.y..) {
        line.render(Rect::new(at.x + 1, row, at.width - 2, 1), buffer);
    }
    let last = Rect::new(at.x + 1, at.bottom() - 1, at.width - 2, 1);
    Line::from(curve).render(last, buffer);
}

/// Moves in lines of at most so many characters.
fn pieces(moves: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for part in moves.split_inclusive('-') {
        let line = lines.last_mut().expect("there is a line");
        if !line.is_empty() && line.len() + part.len() > width {
            lines.push(part.to_string());
        } else {
            line.push_str(part);
        }
    }
    lines
}

//! What lies over the board: help, the review, a question.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Clear, Widget};
use sowing_analysis::{Review, rules_in_words};
use sowing_draw::study::folded;

use super::theme::Theme;
use super::turns::listed;
use crate::app::{App, Leaving, Popup, Scroll};
use sowing_draw::words::{better_text, lost_text};

/// The widest popup.
const WIDEST: u16 = 76;

/// A text over the board.
struct Sheet {
    name: &'static str,
    lines: Vec<String>,
    /// The first line that is shown, or those that must be seen and are marked.
    at: At,
    keys: &'static str,
}

enum At {
    Top(usize),
    Chosen(Range<usize>),
}

pub(super) fn popup(buffer: &mut Buffer, area: Rect, theme: Theme, app: &App, popup: Popup) {
    let width = width(area);
    let room = room(area);
    let sheet = match popup {
        Popup::Help(from) => Sheet {
            name: " Help ",
            lines: help(app, room),
            at: At::Top(from),
            keys: " Up, Down, PageDown, End scroll; Esc closes ",
        },
        Popup::Review(turn) => {
            let mut lines: Vec<String> =
                verdict_lines(app).iter().flat_map(|line| folded(line, room)).collect();
            lines.push(String::new());
            let mut chosen = 0..0;
            for (index, line) in review_lines(app).into_iter().enumerate() {
                let from = lines.len();
                lines.extend(hanging(&line, "     ", room));
                if index == turn {
                    chosen = from..lines.len();
                }
            }
            let keys = " Up, Down: choose; Enter: its board; Esc closes ";
            Sheet { name: " Review ", lines, at: At::Chosen(chosen), keys }
        }
        Popup::Query(leaving) => Sheet {
            name: " The game is not over ",
            lines: question(app, leaving, room),
            at: At::Top(0),
            keys: " any other key: go on ",
        },
    };
    sheet.draw(buffer, area, width, theme);
}

fn width(area: Rect) -> u16 {
    WIDEST.min(area.width - 2)
}

/// The characters of a line in a popup.
fn room(area: Rect) -> usize {
    usize::from(width(area)) - 4
}

/// Rows of a popup with so many lines, its frame included.
fn height(area: Rect, lines: usize) -> u16 {
    lines.saturating_add(2).min(usize::from(area.height) - 4).max(5) as u16
}

/// How the help scrolls on a screen.
pub(super) fn scroll(area: Rect, app: &App) -> Scroll {
    let lines = help(app, room(area)).len();
    let page = usize::from(height(area, lines)) - 2;
    Scroll { page, end: lines.saturating_sub(page) }
}

/// A line whose first word stands before the others, folded.
fn hanging(line: &str, indent: &str, width: usize) -> Vec<String> {
    let (head, rest) = line.split_at(indent.len().min(line.len()));
    let rows = folded(rest, width.saturating_sub(indent.len()));
    let row = |(row, text)| format!("{}{text}", if row == 0 { head } else { indent });
    rows.into_iter().enumerate().map(row).collect()
}

impl Sheet {
    fn draw(self, buffer: &mut Buffer, area: Rect, width: u16, theme: Theme) {
        let height = height(area, self.lines.len());
        let at = Rect::new((area.width - width) / 2, (area.height - height) / 2, width, height);
        Clear.render(at, buffer);
        let block = Block::bordered().border_set(theme.border(false)).title(self.name);
        let block = block.title_bottom(Line::from(self.keys).alignment(Alignment::Right));
        let inner = block.inner(at);
        block.render(at, buffer);
        let rows = usize::from(inner.height);
        let last = self.lines.len().saturating_sub(rows);
        let (from, chosen) = match self.at {
            At::Top(from) => (from.min(last), 0..0),
            At::Chosen(lines) => ((lines.end + 1).saturating_sub(rows).min(last), lines),
        };
        for ((number, line), row) in
            self.lines.into_iter().enumerate().skip(from).zip(inner.y..inner.bottom())
        {
            let at = Rect::new(inner.x + 1, row, inner.width - 2, 1);
            let style = match chosen.contains(&number) {
                true => Style::new().add_modifier(Modifier::REVERSED),
                false => Style::new(),
            };
            Line::styled(line, style).render(at, buffer);
        }
    }
}

/// What the review has found so far, in two lines.
pub(super) fn verdict_lines(app: &App) -> Vec<String> {
    let state = if app.review_over { "" } else { " so far" };
    let review = Review::from_turns(app.review.clone());
    let unknown = app.review.iter().filter(|turn| turn.lost.is_none()).count();
    let unknown =
        if unknown > 0 { format!("; {unknown} turns are not known") } else { String::new() };
    match review.worst() {
        Some(turn) => vec![
            format!("Worst turn{state}: {}. {}{unknown}.", turn.turn, lost_text(turn)),
            better_text(turn).map_or(String::new(), |better| format!("Better was {better}.")),
        ],
        None if app.review_over && app.review.is_empty() => vec!["There is no review.".to_string()],
        None if app.review_over => vec![format!("No turn gave anything away{unknown}.")],
        None => vec!["The review is being made.".to_string()],
    }
}

/// One line a turn, from the first, also of those that were not looked at yet: none changes its place.
fn review_lines(app: &App) -> Vec<String> {
    let Some(play) = &app.reviewed else { return Vec::new() };
    let line = |turn: super::turns::Listed| {
        let Some(found) = app.review.iter().find(|found| found.turn == turn.number) else {
            let state = if app.review_over { "not looked at" } else { "being looked at" };
            return format!("{:>3}  {} {} {state}", turn.number, turn.side, turn.moves);
        };
        let better = better_text(found);
        let better = better.map_or(String::new(), |better| format!("; better {better}"));
        format!("{:>3}  {}{better}", found.turn, lost_text(found))
    };
    listed(play).into_iter().map(line).collect()
}

fn question(app: &App, leaving: Leaving, width: usize) -> Vec<String> {
    let (what, again) = match leaving {
        Leaving::Quit => ("leave", " or q again"),
        Leaving::NewGame => ("break it off and start a new one", ""),
    };
    let kept = match app.keeps {
        true => "The file of the record has it as it stands.",
        false => "Its record is printed when you leave the board.",
    };
    let mut lines = vec![format!("y{again}: {what}")];
    if !app.keeps {
        lines.push("w: the same, and write the record to a new file".to_string());
    }
    lines.push(String::new());
    lines.extend(folded(kept, width));
    lines
}

fn help(app: &App, width: usize) -> Vec<String> {
    let houses = app.game().houses();
    let keys = [
        (format!("1 to {houses}"), "play that house, counted from its owner's left"),
        ("arrows, Enter".to_string(), "choose a house and play it; so does a click"),
        ("u, r".to_string(), "take back, play again"),
        ("h".to_string(), "a hint: a move that is proven best, or the best found"),
        ("a".to_string(), "the value of every house: the margin with perfect play"),
        ("s".to_string(), "swap sides: the pie rule's offer, or change places"),
        ("n".to_string(), "new game; the winner of the last one starts"),
        ("v".to_string(), "after the game: what each turn lost, and its board"),
        ("w".to_string(), "write the record to a new file in this folder"),
        ("+, -".to_string(), "faster, slower sowing; any key cuts it short"),
        ("?, q, Ctrl-Z".to_string(), "this help, quit, back to the shell for a while"),
    ];
    let mut lines = Vec::new();
    for (key, does) in keys {
        let rows = folded(does, width.saturating_sub(15));
        for (row, does) in rows.into_iter().enumerate() {
            let key = if row == 0 { key.as_str() } else { "" };
            lines.push(format!("{key:<15}{does}"));
        }
    }
    lines.extend([String::new(), format!("The rules of {}", app.game())]);
    for rule in rules_in_words(app.game()) {
        let rows = folded(&rule, width.saturating_sub(2));
        for (row, rule) in rows.into_iter().enumerate() {
            lines.push(format!("{}{rule}", if row == 0 { "- " } else { "  " }));
        }
    }
    lines
}

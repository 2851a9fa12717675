//! Moves, scores and reviewed turns in words.

use sowing_analysis::ReviewedTurn;
use sowing_rules::{Move, Play, Playthrough, Side, Step, turn_text};

/// The captures of a move, its pick-ups, a swap, or that the same player moves again; empty for a plain move.
pub fn notes(play: &Play) -> String {
    let mut notes = Vec::new();
    for step in &play.report.steps {
        if let Step::Capture { taken, .. } = step {
            notes.push(format!("captures {}", taken + 1));
        }
    }
    if play.report.steps.len() > 1 && notes.is_empty() {
        notes.push(format!("{} pick-ups", play.report.steps.len()));
    }
    if play.action == Move::Swap {
        notes.push("the players change sides".to_string());
    } else if play.report.again && !play.report.finished {
        notes.push("again".to_string());
    }
    notes.join(", ")
}

/// The seeds that South and North own as the board stands, rows included once the game is over.
pub fn scores(game: &Playthrough) -> (u64, u64) {
    let position = game.position();
    let board = position.board();
    let rows = position.is_finished() && !position.game().rules().remaining_lost;
    let own = board.store() + if rows { board.own().iter().sum() } else { 0 };
    let other = board.other_store() + if rows { board.other().iter().sum() } else { 0 };
    match game.side() {
        Side::South => (own, other),
        Side::North => (other, own),
    }
}

/// Points in words: `nothing`, `1 point`, `6 points`.
pub fn points(points: i64) -> String {
    match points {
        0 => "nothing".to_string(),
        1 => "1 point".to_string(),
        _ => format!("{points} points"),
    }
}

/// A turn and what it lost.
pub fn lost_text(turn: &ReviewedTurn) -> String {
    let lost = match turn.lost {
        Some(lost) => format!("lost {}", points(lost)),
        None => "not known in this time".to_string(),
    };
    let player = if turn.player == turn.side { "" } else { " (after the swap)" };
    format!("{}{player} {} {lost}", turn.side, turn_text(&turn.moves))
}

/// A better turn, where the one played lost something.
pub fn better_text(turn: &ReviewedTurn) -> Option<String> {
    let best = turn.best.as_ref().filter(|_| turn.lost > Some(0))?;
    Some(format!("{} ({} instead of {})", turn_text(best), turn.before, turn.after))
}

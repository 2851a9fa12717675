//! The steps of a game at the board: moves made, taken back, looked at again.

use std::time::Instant;

use sowing_rules::{Ending, House, Move, Playthrough};

use crate::app::{App, Score, Values};
use crate::motion::Animation;
use crate::seat::Seat;
use crate::workers::Request;
use sowing_draw::words::notes;

impl App {
    pub(super) fn type_digit(&mut self, after_one: bool, digit: u8, now: Instant) {
        let houses = self.game().houses();
        match (after_one, digit) {
            (true, digit) => self.play_house(10 + digit, now),
            (false, 1) if houses > 9 && self.human_to_move() => {
                self.digit = true;
                self.message = "House 1_: a second digit, or Enter for house 1.".to_string();
            }
            (false, digit) => self.play_house(digit, now),
        }
    }

    pub(super) fn play_house(&mut self, number: u8, now: Instant) {
        if self.play.result().is_some() {
            self.message = "The game is over: n starts the next, u takes back.".to_string();
        } else if !self.human_to_move() && self.thinking_since.is_none() && !self.looking {
            self.message = format!("{} has no move: Enter asks again, u, n.", self.mover_name());
        } else if !self.human_to_move() {
            self.message = format!("{} is thinking.", self.mover_name());
        } else if let Some(house) = House::new(number) {
            match self.play.position().try_play(Move::House(house)) {
                // The same again is no other game.
                Ok(_) if self.looking && self.undone.last() == Some(&Move::House(house)) => {
                    self.redo(now);
                }
                Ok(_) => {
                    self.branch();
                    self.undone.clear();
                    self.make(Move::House(house), now);
                }
                Err(error) => self.message = format!("That cannot be played: {error}."),
            }
        } else {
            let houses = self.game().houses();
            self.message = format!("There is no house {number}: the houses are 1 to {houses}.");
        }
    }

    /// From a position that is looked at again, another game begins: the one that was played stays.
    fn branch(&mut self) {
        if self.looking {
            self.put_away();
            self.number += 1;
        }
    }

    /// Plays a legal move and starts to show it.
    pub(super) fn make(&mut self, action: Move, now: Instant) {
        let before = *self.play.position();
        let name = self.mover_name();
        let play = self.play.try_play(action).expect("legal").clone();
        self.message = match (action, notes(&play)) {
            (Move::Swap, _) => format!("{name} swaps: the players change sides."),
            (_, notes) if notes.is_empty() => format!("{name} plays {action}."),
            (_, notes) => format!("{name} plays {action}: {notes}."),
        };
        self.forget_review();
        self.looking = false;
        self.changed();
        self.keep();
        if self.settings.pace.is_some() && action != Move::Swap {
            self.motion = Some(Animation::new(&before, play.side, &play.report, now));
        } else {
            self.settle(now);
        }
    }

    /// What was asked about the position before is of no use now.
    pub(super) fn changed(&mut self) {
        self.request_id += 1;
        self.requests.push(Request::Cancel);
        (self.hint, self.hint_since, self.thinking_since) = (None, None, None);
        self.values = Values { on: self.values.on, ..Values::default() };
        self.cursor = self.cursor.min(usize::from(self.game().houses()) - 1);
    }

    fn forget_review(&mut self) {
        self.reviewed = None;
        self.review.clear();
        self.review_over = false;
    }

    /// The board is at rest: what comes next?
    pub(super) fn settle(&mut self, now: Instant) {
        let request_id = self.request_id;
        if self.play.result().is_some() {
            self.message = self.verdict();
            self.looking = false;
            if self.reviewed.is_none() || !self.review_over {
                self.forget_review();
                self.reviewed = Some(self.play.clone());
                self.requests.push(Request::Review { request_id, play: self.play.clone() });
            }
            return;
        }
        if self.looking {
            // Nobody plays on by himself.
        } else if !self.human_to_move() {
            self.thinking_since = Some(now);
            let player = self.mover();
            self.requests.push(Request::Choose { request_id, player, play: self.play.clone() });
        } else if self.play.position().may_swap() {
            self.message = format!("{} may swap sides (s) instead of playing.", self.mover_name());
        }
        if self.values.on {
            self.values.since = Some(now);
            self.requests.push(Request::Values { request_id, play: self.play.clone() });
        }
    }

    /// How the game ended, in words.
    pub(crate) fn verdict(&self) -> String {
        let (south, north) = sowing_draw::words::scores(&self.play);
        let outcome = match self.play.result() {
            Some(Ending::Win(row, margin)) => {
                format!("{row} ({}) wins by {margin}", self.settings.seats[self.holder(row)])
            }
            _ => "A draw".to_string(),
        };
        let board = self.play.position().board();
        let left: u64 = board.own().iter().chain(board.other()).sum();
        let left = match left {
            _ if self.play.is_endless() || self.game().rules().remaining_lost => String::new(),
            0 => String::new(),
            left => format!(" with the {left} left in the rows"),
        };
        let endless = if self.play.is_endless() { ", endless play" } else { "" };
        let winner = match self.score().wins {
            _ if self.settings.games == 1 || self.score().games() < self.settings.games => {
                String::new()
            }
            [first, second] if first == second => " The match is drawn.".to_string(),
            [first, second] => {
                format!(" {} wins the match.", self.settings.seats[usize::from(first < second)])
            }
        };
        format!("{outcome}, {south} to {north}{left}{endless}.{winner}")
    }

    pub(super) fn move_cursor(&mut self, rightwards: bool) {
        let last = usize::from(self.game().houses()) - 1;
        // The far row is drawn from its owner's right.
        let up = rightwards == (self.play.side() == self.near());
        self.cursor = if up { (self.cursor + 1).min(last) } else { self.cursor.saturating_sub(1) };
    }

    /// Back to where a person was to move: one move between people, more against an opponent.
    pub(super) fn undo(&mut self, now: Instant) {
        if self.play.plays().is_empty() {
            self.message = "There is nothing to take back.".to_string();
            return;
        }
        let people = self.settings.seats.contains(&Seat::Human);
        while let Some(play) = self.play.undo() {
            self.undone.push(play.action);
            if self.looking || !people || self.human_to_move() {
                break;
            }
        }
        self.message = format!("Taken back: {} to move. r plays it again.", self.mover_name());
        self.changed();
        if !self.looking {
            self.keep();
        }
        self.settle(now);
    }

    pub(super) fn redo(&mut self, now: Instant) {
        if self.undone.is_empty() {
            self.message = "There is nothing to play again.".to_string();
            return;
        }
        let people = self.settings.seats.contains(&Seat::Human);
        while let Some(action) = self.undone.pop() {
            self.play.try_play(action).expect("it was legal before");
            if self.looking || !people || self.human_to_move() {
                break;
            }
        }
        self.message = format!("Played again: {} to move.", self.mover_name());
        self.changed();
        if !self.looking {
            self.keep();
        }
        self.settle(now);
    }

    /// The pie rule's swap where it is offered; else the players change places.
    pub(super) fn swap(&mut self, now: Instant) {
        if self.human_to_move() && self.play.position().may_swap() {
            self.branch();
            self.undone.clear();
            self.make(Move::Swap, now);
            return;
        }
        if self.play.result().is_some() {
            self.message = "The game is over: n starts the next.".to_string();
            return;
        }
        self.south = 1 - self.south;
        self.message = format!("The players change places: {} to move.", self.mover_name());
        self.changed();
        self.settle(now);
    }

    /// Shows the board before a turn of the game that was reviewed. Opponents wait.
    pub(super) fn look_at(&mut self, turn: usize, now: Instant) {
        let Some(whole) = self.reviewed.clone() else { return };
        let Some(turn) = whole.turns().into_iter().nth(turn) else { return };
        self.play = whole;
        self.undone.clear();
        while self.play.plays().len() > turn.start {
            self.undone.extend(self.play.undo().map(|play| play.action));
        }
        self.looking = true;
        self.message =
            format!("{} to move here. r: what was played, v: review.", self.mover_name());
        self.changed();
        self.settle(now);
    }

    /// Lets the opponent play on from the position that is looked at.
    pub(super) fn go_on(&mut self, now: Instant) {
        self.branch();
        self.looking = false;
        self.undone.clear();
        self.forget_review();
        self.changed();
        self.settle(now);
    }

    /// The next game of the match, which the last one's winner starts; or the present one anew.
    pub(super) fn new_game(&mut self, now: Instant) {
        if let Some(whole) = self.reviewed.clone().filter(|_| self.looking) {
            self.play = whole;
        }
        match self.play.result() {
            Some(outcome) => {
                self.finished = self.score();
                if let Ending::Win(row, _) = outcome {
                    self.south = self.holder(row);
                }
                if self.finished.games() >= self.settings.games && self.settings.games > 1 {
                    self.finished = Score::default();
                }
            }
            None => self.message = "The game was broken off.".to_string(),
        }
        self.put_away();
        self.number += 1;
        self.looking = false;
        self.forget_review();
        self.play = Playthrough::new(*self.play.start());
        self.undone.clear();
        self.message = format!("A new game: {} starts.", self.mover_name());
        self.changed();
        self.settle(now);
    }
}

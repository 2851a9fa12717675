//! The state of a sitting at the board: keys and news in, requests out. It draws nothing and
//! waits for nothing.

use std::time::{Duration, Instant};

use sowing::{Ending, Game, House, Move, Playthrough, Position, Record, Side};
use sowing_analysis::{Analysis, ReviewedTurn};
use sowing_players::seat_to_move;

use crate::play::desk::{News, Request};
use crate::play::motion::{Animation, Scene};
use crate::play::who::Who;
use crate::replay::notes;

/// What the player asked for on the command line.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) game: Game,
    /// Where each game begins, if not as usual.
    pub(crate) start: Option<Position>,
    /// The player that starts at South, and the other.
    pub(crate) seats: [Who; 2],
    pub(crate) games: u32,
    /// How long each seed is shown; `None` for no animation.
    pub(crate) pace: Option<Duration>,
}

/// Something that the person at the board does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Char(char),
    Left,
    Right,
    Up,
    Down,
    Enter,
    Escape,
    Click(Side, usize),
    Leave,
}

/// What lies over the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Popup {
    Help,
    /// The review, and how far it is scrolled.
    Review(usize),
}

/// What is known of the worth of the moves.
#[derive(Debug, Default)]
pub(crate) struct Values {
    pub(crate) on: bool,
    pub(crate) since: Option<Instant>,
    pub(crate) took: Option<Duration>,
    pub(crate) found: Option<Box<Analysis>>,
}

/// Games won by each player, and drawn ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Score {
    pub(crate) wins: [u32; 2],
    pub(crate) draws: u32,
}

impl Score {
    pub(crate) fn games(&self) -> u32 {
        self.wins[0] + self.wins[1] + self.draws
    }
}

#[derive(Debug)]
pub(crate) struct App {
    pub(crate) settings: Settings,
    pub(crate) play: Playthrough,
    undone: Vec<Move>,
    motion: Option<Animation>,
    /// Which player sits South at the start of this game.
    pub(crate) south: usize,
    /// Games of this match that are over, without the present one.
    finished: Score,
    pub(crate) cursor: usize,
    /// The first digit of a house beyond 9.
    pub(crate) digit: bool,
    pub(crate) message: String,
    pub(crate) popup: Option<Popup>,
    pub(crate) values: Values,
    pub(crate) hint: Option<Move>,
    pub(crate) hint_since: Option<Instant>,
    pub(crate) thinking_since: Option<Instant>,
    pub(crate) review: Vec<ReviewedTurn>,
    pub(crate) review_over: bool,
    ticket: u64,
    requests: Vec<Request>,
    pub(crate) quit: bool,
}

const PACES: [u64; 7] = [15, 30, 60, 120, 240, 480, 960];

impl App {
    pub(crate) fn new(settings: Settings, now: Instant) -> App {
        let start = settings.start.unwrap_or_else(|| Position::start(settings.game));
        let play = Playthrough::new(start);
        let mut app = App {
            settings,
            play,
            undone: Vec::new(),
            motion: None,
            south: 0,
            finished: Score::default(),
            cursor: 0,
            digit: false,
            message: String::new(),
            popup: None,
            values: Values::default(),
            hint: None,
            hint_since: None,
            thinking_since: None,
            review: Vec::new(),
            review_over: false,
            ticket: 0,
            requests: Vec::new(),
            quit: false,
        };
        app.message = format!("{} starts. Press ? for help.", app.mover_name());
        app.settle(now);
        app
    }

    /// What is to be done, once.
    pub(crate) fn requests(&mut self) -> Vec<Request> {
        std::mem::take(&mut self.requests)
    }

    /// The player, 0 or 1, that holds a row now.
    pub(crate) fn holder(&self, row: Side) -> usize {
        let start_row = if self.play.swapped() { !row } else { row };
        if start_row == Side::South { self.south } else { 1 - self.south }
    }

    fn mover(&self) -> usize {
        match seat_to_move(&self.play) {
            Side::South => self.south,
            Side::North => 1 - self.south,
        }
    }

    fn mover_name(&self) -> String {
        format!("{} ({})", self.play.side(), self.settings.seats[self.mover()])
    }

    pub(crate) fn human_to_move(&self) -> bool {
        self.play.result().is_none() && self.settings.seats[self.mover()] == Who::Human
    }

    /// The match's score, the present game included if it is over.
    pub(crate) fn score(&self) -> Score {
        let mut score = self.finished;
        match self.play.result() {
            Some(Ending::Draw) => score.draws += 1,
            Some(Ending::Win(row, _)) => score.wins[self.holder(row)] += 1,
            None => {}
        }
        score
    }

    /// What to draw on the board.
    pub(crate) fn scene(&self) -> Scene {
        match &self.motion {
            Some(motion) => motion.scene().clone(),
            None => Scene::now(&self.play),
        }
    }

    pub(crate) fn is_moving(&self) -> bool {
        self.motion.is_some()
    }

    /// Whether something is going on of which a clock is shown.
    pub(crate) fn is_busy(&self) -> bool {
        let values = self.values.on && self.values.since.is_some() && self.values.took.is_none();
        let review = self.play.result().is_some() && !self.review_over;
        values || review || self.thinking_since.is_some() || self.hint_since.is_some()
    }

    /// When the animation goes on.
    pub(crate) fn due(&self) -> Option<Instant> {
        Some(self.motion.as_ref()?.due(self.settings.pace?))
    }

    /// Lets time pass; whether something changed.
    pub(crate) fn tick(&mut self, now: Instant) -> bool {
        let Some(motion) = &mut self.motion else { return false };
        let before = motion.scene().clone();
        let pace = self.settings.pace.unwrap_or_default();
        if motion.advance(now, pace) {
            self.motion = None;
            self.settle(now);
            return true;
        }
        *motion.scene() != before
    }

    /// Something that the person did.
    pub(crate) fn input(&mut self, input: Input, now: Instant) {
        if input == Input::Leave {
            self.quit = true;
            return;
        }
        // Whoever presses a key has seen enough of the move.
        if self.motion.take().is_some() {
            self.settle(now);
        }
        if let Some(popup) = self.popup
            && self.in_popup(popup, input)
        {
            return;
        }
        let digit = std::mem::take(&mut self.digit);
        match input {
            Input::Char(key @ '0'..='9') => self.type_digit(digit, key as u8 - b'0', now),
            Input::Enter if digit => self.play_house(1, now),
            Input::Enter if self.play.result().is_some() => self.new_game(now),
            Input::Enter => self.play_house(self.cursor as u8 + 1, now),
            Input::Left => self.move_cursor(false),
            Input::Right => self.move_cursor(true),
            Input::Click(side, house) if side == self.play.side() => {
                self.play_house(house as u8 + 1, now);
            }
            Input::Click(..) => self.message = format!("It is {}'s turn.", self.play.side()),
            Input::Char('u') => self.undo(now),
            Input::Char('r') => self.redo(now),
            Input::Char('h') => self.ask_hint(now),
            Input::Char('a') => self.toggle_values(now),
            Input::Char('s') => self.swap(now),
            Input::Char('n') => self.new_game(now),
            Input::Char('v') => self.open_review(),
            Input::Char('w') => self.write(),
            Input::Char('q') => self.quit = true,
            Input::Char('?') => self.popup = Some(Popup::Help),
            Input::Char('+' | '=') => self.change_pace(true),
            Input::Char('-') => self.change_pace(false),
            #[cfg(debug_assertions)]
            Input::Char('!') => panic!("a panic that was asked for"),
            Input::Char(_) | Input::Up | Input::Down | Input::Escape | Input::Leave => {}
        }
    }

    /// Whether a popup takes the key for itself.
    fn in_popup(&mut self, popup: Popup, input: Input) -> bool {
        self.popup = match (popup, input) {
            (Popup::Review(at), Input::Up) => Some(Popup::Review(at.saturating_sub(1))),
            (Popup::Review(at), Input::Down) => {
                Some(Popup::Review((at + 1).min(self.review.len().saturating_sub(1))))
            }
            (_, Input::Char('q')) if popup == Popup::Help => None,
            (_, Input::Escape | Input::Enter | Input::Char('?' | 'v' | ' ')) => None,
            (_, Input::Char(_) | Input::Click(..)) => {
                self.popup = None;
                return false;
            }
            (popup, _) => Some(popup),
        };
        true
    }

    /// What comes from behind the screen. Answers to what is no longer asked are dropped.
    pub(crate) fn news(&mut self, news: News, now: Instant) {
        match news {
            News::Chose { ticket, action } if ticket == self.ticket => {
                self.thinking_since = None;
                self.undone.clear();
                self.make(action, now);
            }
            News::Hint { ticket, action } if ticket == self.ticket => {
                self.hint_since = None;
                self.hint = Some(action);
                if let Move::House(house) = action {
                    self.cursor = house.index();
                }
                self.message = match action {
                    Move::House(house) => format!("Hint: play house {house}."),
                    Move::Swap => "Hint: swap sides (s).".to_string(),
                };
            }
            News::Found { ticket, found } if ticket == self.ticket => {
                self.values.found = Some(found);
            }
            News::Valued { ticket } if ticket == self.ticket => {
                self.values.took = self.values.since.map(|since| now - since);
            }
            News::Reviewed { ticket, turn } if ticket == self.ticket => self.review.insert(0, turn),
            News::ReviewOver { ticket } if ticket == self.ticket => self.review_over = true,
            News::Failed { ticket, why } if ticket == self.ticket => {
                self.values.took = self.values.since.map(|since| now - since);
                self.review_over = true;
                (self.hint_since, self.thinking_since) = (None, None);
                // Who won is more than that there is no review.
                if self.play.result().is_none() {
                    self.message = why;
                }
            }
            News::Wrote(Ok(path)) => self.message = format!("Written to {}.", path.display()),
            News::Wrote(Err(why)) => self.message = format!("Cannot write: {why}"),
            _ => {}
        }
    }

    fn type_digit(&mut self, after_one: bool, digit: u8, now: Instant) {
        let houses = self.settings.game.houses();
        match (after_one, digit) {
            (true, digit) => self.play_house(10 + digit, now),
            (false, 1) if houses > 9 && self.human_to_move() => {
                self.digit = true;
                self.message = "House 1_: a second digit, or Enter for house 1.".to_string();
            }
            (false, digit) => self.play_house(digit, now),
        }
    }

    fn play_house(&mut self, number: u8, now: Instant) {
        if self.play.result().is_some() {
            self.message = "The game is over: n starts the next, u takes back.".to_string();
        } else if !self.human_to_move() {
            self.message = format!("{} is thinking.", self.mover_name());
        } else if let Some(house) = House::new(number) {
            match self.play.position().play(Move::House(house)) {
                Ok(_) => {
                    self.undone.clear();
                    self.make(Move::House(house), now);
                }
                Err(error) => self.message = format!("That cannot be played: {error}."),
            }
        } else {
            let houses = self.settings.game.houses();
            self.message = format!("There is no house {number}: the houses are 1 to {houses}.");
        }
    }

    /// Plays a legal move and starts to show it.
    fn make(&mut self, action: Move, now: Instant) {
        let before = *self.play.position();
        let name = self.mover_name();
        let play = self.play.play(action).expect("legal").clone();
        self.message = match (action, notes(&play)) {
            (Move::Swap, _) => format!("{name} swaps: the players change sides."),
            (_, notes) if notes.is_empty() => format!("{name} plays {action}."),
            (_, notes) => format!("{name} plays {action}: {notes}."),
        };
        self.changed();
        if self.settings.pace.is_some() && action != Move::Swap {
            self.motion = Some(Animation::new(&before, play.side, &play.report, now));
        } else {
            self.settle(now);
        }
    }

    /// What was asked about the position before is of no use now.
    fn changed(&mut self) {
        self.ticket += 1;
        self.requests.push(Request::Cancel);
        (self.hint, self.hint_since, self.thinking_since) = (None, None, None);
        self.values = Values { on: self.values.on, ..Values::default() };
        self.review.clear();
        self.review_over = false;
        self.cursor = self.cursor.min(usize::from(self.settings.game.houses()) - 1);
    }

    /// The board is at rest: what comes next?
    fn settle(&mut self, now: Instant) {
        let ticket = self.ticket;
        if self.play.result().is_some() {
            self.message = self.verdict();
            self.requests.push(Request::Review { ticket, play: self.play.clone() });
            return;
        }
        if !self.human_to_move() {
            self.thinking_since = Some(now);
            let player = self.mover();
            self.requests.push(Request::Choose { ticket, player, play: self.play.clone() });
        } else if self.play.position().may_swap() {
            self.message = format!("{} may swap sides (s) instead of playing.", self.mover_name());
        }
        if self.values.on {
            self.values.since = Some(now);
            self.requests.push(Request::Values { ticket, play: self.play.clone() });
        }
    }

    fn verdict(&self) -> String {
        let (south, north) = crate::replay::scores(&self.play);
        let outcome = match self.play.result() {
            Some(Ending::Win(row, margin)) => {
                format!("{row} ({}) wins by {margin}", self.settings.seats[self.holder(row)])
            }
            _ => "A draw".to_string(),
        };
        let endless = if self.play.is_endless() { ", endless play" } else { "" };
        let next = if self.score().games() >= self.settings.games && self.settings.games > 1 {
            let [first, second] = self.score().wins;
            match first.cmp(&second) {
                std::cmp::Ordering::Equal => "The match is drawn; n: a new one".to_string(),
                order => {
                    let winner = &self.settings.seats[usize::from(order.is_lt())];
                    format!("{winner} wins the match; n: a new one")
                }
            }
        } else {
            "n: next game".to_string()
        };
        format!("{outcome}, {south} to {north}{endless}. v: review, {next}.")
    }

    fn move_cursor(&mut self, rightwards: bool) {
        let last = usize::from(self.settings.game.houses()) - 1;
        // North's row is drawn from its owner's right.
        let up = rightwards == (self.play.side() == Side::South);
        self.cursor = if up { (self.cursor + 1).min(last) } else { self.cursor.saturating_sub(1) };
    }

    /// Back to where a person was to move: one move between people, more against an opponent.
    fn undo(&mut self, now: Instant) {
        if self.play.plays().is_empty() {
            self.message = "There is nothing to take back.".to_string();
            return;
        }
        let people = self.settings.seats.contains(&Who::Human);
        while let Some(play) = self.play.undo() {
            self.undone.push(play.action);
            if !people || self.human_to_move() {
                break;
            }
        }
        self.message = format!("Taken back: {} to move. r plays it again.", self.mover_name());
        self.changed();
        self.settle(now);
    }

    fn redo(&mut self, now: Instant) {
        if self.undone.is_empty() {
            self.message = "There is nothing to play again.".to_string();
            return;
        }
        let people = self.settings.seats.contains(&Who::Human);
        while let Some(action) = self.undone.pop() {
            self.play.play(action).expect("it was legal before");
            if !people || self.human_to_move() {
                break;
            }
        }
        self.message = format!("Played again: {} to move.", self.mover_name());
        self.changed();
        self.settle(now);
    }

    fn ask_hint(&mut self, now: Instant) {
        if self.play.result().is_some() || !self.human_to_move() {
            self.message = "A hint is for the player to move.".to_string();
            return;
        }
        self.hint_since = Some(now);
        let ticket = self.ticket;
        self.requests.push(Request::Hint { ticket, play: self.play.clone() });
        self.message = "Looking for a hint.".to_string();
    }

    fn toggle_values(&mut self, now: Instant) {
        self.values = Values { on: !self.values.on, ..Values::default() };
        if self.play.result().is_some() {
            return;
        }
        if self.values.on {
            self.values.since = Some(now);
            let ticket = self.ticket;
            self.requests.push(Request::Values { ticket, play: self.play.clone() });
        } else {
            // The analyst has nothing else to do; a player may be thinking and goes on.
            self.requests.push(Request::StopValues);
        }
    }

    /// The pie rule's swap where it is offered; else the players change places.
    fn swap(&mut self, now: Instant) {
        if self.human_to_move() && self.play.position().may_swap() {
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

    /// The next game of the match, which the last one's winner starts; or the present one anew.
    fn new_game(&mut self, now: Instant) {
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
        self.play = Playthrough::new(*self.play.start());
        self.undone.clear();
        self.message = format!("A new game: {} starts.", self.mover_name());
        self.changed();
        self.settle(now);
    }

    fn open_review(&mut self) {
        if self.play.result().is_some() {
            self.popup = Some(Popup::Review(0));
        } else {
            self.message = "The review comes after the game.".to_string();
        }
    }

    fn write(&mut self) {
        let [south, north] =
            [self.south, 1 - self.south].map(|player| &self.settings.seats[player]);
        let record = Record::of(&self.play)
            .with_header("south", &south.to_string())
            .with_header("north", &north.to_string());
        let name: String = self.settings.game.to_string();
        let name = name.replace(['(', ','], "-").replace(')', "");
        self.requests.push(Request::Write { name, text: record.to_string() });
    }

    fn change_pace(&mut self, faster: bool) {
        let now = self.settings.pace.map_or(0, |pace| pace.as_millis() as u64);
        let place = PACES.iter().position(|pace| *pace >= now).unwrap_or(PACES.len() - 1);
        let pace = match (self.settings.pace, faster) {
            (None, true) => None,
            (None, false) => Some(PACES[0]),
            (Some(_), true) => place.checked_sub(1).map(|place| PACES[place]),
            (Some(_), false) => Some(PACES[(place + 1).min(PACES.len() - 1)]),
        };
        self.settings.pace = pace.map(Duration::from_millis);
        self.message = match pace {
            Some(pace) => format!("Each seed is shown for {pace} ms."),
            None => "Moves are not animated; - slows down.".to_string(),
        };
    }
}

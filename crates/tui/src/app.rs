//! The state of a sitting at the board: keys and workers' events in, requests out. It draws nothing and does not wait.

use std::time::{Duration, Instant};

use sowing_analysis::{Analysis, Review, ReviewedTurn};
use sowing_players::{Advice, player_to_move};
use sowing_rules::{Ending, Game, Move, Playthrough, Record, Side};

use crate::motion::{Animation, Scene};
use crate::seat::Seat;
use crate::workers::{Request, WorkerEvent};

/// The settings of a sitting.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The player that starts at South, and the other.
    pub seats: [Seat; 2],
    /// The games of a match.
    pub games: u32,
    /// How long each seed is shown; `None` for no animation.
    pub pace: Option<Duration>,
    /// Whether every game is saved to a file move by move.
    pub recorded: bool,
}

/// Something that the person at the board does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Char(char),
    Left,
    Right,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Click(Side, usize),
    Leave,
}

/// What lies over the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Popup {
    /// Keys and rules, and how far they are scrolled.
    Help(usize),
    /// The review, and the turn that is chosen, from 0.
    Review(usize),
    /// Whether a game that is not over may be left.
    Query(Leaving),
}

/// How the help scrolls, which depends on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scroll {
    /// Lines that are seen at once.
    pub(crate) page: usize,
    /// The first line when the last is seen.
    pub(crate) end: usize,
}

/// What ends a game that is not over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaving {
    Quit,
    NewGame,
}

/// What is known of the worth of the moves.
#[derive(Debug, Default)]
pub(crate) struct Values {
    pub(crate) on: bool,
    pub(crate) since: Option<Instant>,
    pub(crate) took: Option<Duration>,
    pub(crate) found: Option<Box<Analysis>>,
}

impl Values {
    /// A move that is shown to be as good as any.
    fn best(&self) -> Option<Move> {
        let found = self.found.as_ref().filter(|found| found.known.value().is_some())?;
        found.best.as_ref()?.first().copied()
    }
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
    pub(super) undone: Vec<Move>,
    pub(super) motion: Option<Animation>,
    /// Which player sits South at the start of this game.
    pub(crate) south: usize,
    /// Games of this match that are over, without the present one.
    pub(super) finished: Score,
    /// The number of the game in this sitting, from 1.
    pub(super) number: usize,
    /// Whether a position of the game is looked at again, so that opponents wait.
    pub(crate) looking: bool,
    pub(crate) cursor: usize,
    /// The first digit of a house beyond 9.
    pub(crate) digit: bool,
    pub(crate) message: String,
    pub(crate) popup: Option<Popup>,
    pub(crate) scroll: Scroll,
    pub(crate) values: Values,
    pub(crate) hint: Option<Advice>,
    pub(crate) hint_since: Option<Instant>,
    pub(crate) thinking_since: Option<Instant>,
    /// The game that is reviewed, or was.
    pub(crate) reviewed: Option<Playthrough>,
    /// What is known of its turns, in order.
    pub(crate) review: Vec<ReviewedTurn>,
    pub(crate) review_over: bool,
    pub(super) request_id: u64,
    pub(super) requests: Vec<Request>,
    /// Whether a file keeps the games: one that cannot be written does not.
    pub(crate) keeps: bool,
    /// Records of games before the present one that no file keeps.
    kept: Vec<String>,
    pub(crate) quit: bool,
}

const PACES: [u64; 7] = [15, 30, 60, 120, 240, 480, 960];

impl App {
    /// A sitting that begins with a game, or goes on with one.
    pub(crate) fn new(settings: Settings, play: Playthrough, now: Instant) -> App {
        let mut app = App {
            settings,
            play,
            undone: Vec::new(),
            motion: None,
            south: 0,
            finished: Score::default(),
            number: 1,
            looking: false,
            cursor: 0,
            digit: false,
            message: String::new(),
            popup: None,
            scroll: Scroll { page: 1, end: 0 },
            values: Values::default(),
            hint: None,
            hint_since: None,
            thinking_since: None,
            reviewed: None,
            review: Vec::new(),
            review_over: false,
            request_id: 0,
            requests: Vec::new(),
            keeps: true,
            kept: Vec::new(),
            quit: false,
        };
        app.keeps = app.settings.recorded;
        let verb = if app.play.plays().is_empty() { "starts" } else { "goes on" };
        app.message = format!("{} {verb}. Press ? for help.", app.mover_name());
        app.settle(now);
        if app.play.result().is_some() {
            app.open_review();
        }
        app
    }

    pub(crate) fn game(&self) -> &Game {
        self.play.start().game()
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

    /// The row that is drawn below: that of a person who plays against an opponent, else South's.
    pub(crate) fn near(&self) -> Side {
        let sits = |row| self.settings.seats[self.holder(row)] == Seat::Human;
        if sits(Side::North) && !sits(Side::South) { Side::North } else { Side::South }
    }

    pub(super) fn mover(&self) -> usize {
        match player_to_move(&self.play) {
            Side::South => self.south,
            Side::North => 1 - self.south,
        }
    }

    pub(super) fn mover_name(&self) -> String {
        format!("{} ({})", self.play.side(), self.settings.seats[self.mover()])
    }

    pub(crate) fn human_to_move(&self) -> bool {
        self.play.result().is_none() && self.settings.seats[self.mover()] == Seat::Human
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
        // A key ends the animation of the last move.
        if self.motion.take().is_some() {
            self.settle(now);
        }
        if let Some(popup) = self.popup
            && self.in_popup(popup, input, now)
        {
            return;
        }
        let digit = std::mem::take(&mut self.digit);
        match input {
            Input::Char(key @ '0'..='9') => self.type_digit(digit, key as u8 - b'0', now),
            Input::Enter if digit => self.play_house(1, now),
            Input::Enter if self.play.result().is_some() => self.new_game(now),
            Input::Enter if self.looking && !self.human_to_move() => self.go_on(now),
            // One that failed has another chance.
            Input::Enter if !self.human_to_move() && self.thinking_since.is_none() => {
                self.changed();
                self.settle(now);
            }
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
            Input::Char('n') => self.leave(Leaving::NewGame, now),
            Input::Char('v') => self.open_review(),
            Input::Char('w') => self.write(),
            Input::Char('q') => self.leave(Leaving::Quit, now),
            Input::Char('?') => self.popup = Some(Popup::Help(0)),
            Input::Char('+' | '=') => self.change_pace(true),
            Input::Char('-') => self.change_pace(false),
            Input::Char(_) | Input::Up | Input::Down | Input::Escape | Input::Leave => {}
            Input::PageUp | Input::PageDown | Input::Home | Input::End => {}
        }
    }

    /// Whether a popup takes the key for itself.
    fn in_popup(&mut self, popup: Popup, input: Input, now: Instant) -> bool {
        if let Popup::Query(leaving) = popup {
            self.popup = None;
            match input {
                Input::Char('y' | 'Y') => self.do_leave(leaving, now),
                Input::Char('q') if leaving == Leaving::Quit => self.quit = true,
                Input::Char('w') => {
                    self.write();
                    self.do_leave(leaving, now);
                }
                _ => self.message = "The game goes on.".to_string(),
            }
            return true;
        }
        let last = self.reviewed.as_ref().map_or(0, |play| play.turns().len().saturating_sub(1));
        let (at, end) = match popup {
            Popup::Help(at) => (at, self.scroll.end),
            Popup::Review(at) => (at, last),
            Popup::Query(_) => unreachable!("answered above"),
        };
        let to = match input {
            Input::Up => Some(at.saturating_sub(1)),
            Input::Down => Some(at + 1),
            Input::PageUp => Some(at.saturating_sub(self.scroll.page)),
            Input::PageDown => Some(at + self.scroll.page),
            Input::Home => Some(0),
            Input::End => Some(end),
            _ => None,
        };
        if let Some(to) = to.map(|to| to.min(end)) {
            self.popup = Some(match popup {
                Popup::Help(_) => Popup::Help(to),
                _ => Popup::Review(to),
            });
            return true;
        }
        self.popup = match (popup, input) {
            (Popup::Review(at), Input::Enter) => {
                self.look_at(at, now);
                None
            }
            (_, Input::Char('q')) if matches!(popup, Popup::Help(_)) => None,
            (_, Input::Escape | Input::Enter | Input::Char('?' | 'v' | ' ')) => None,
            (_, Input::Char(_) | Input::Click(..)) => {
                self.popup = None;
                return false;
            }
            (popup, _) => Some(popup),
        };
        true
    }

    /// Leaves the game, at once if nothing is lost by it.
    fn leave(&mut self, leaving: Leaving, now: Instant) {
        let play = self.whole();
        // What was taken back can still be played again.
        let begun = !play.plays().is_empty() || !self.undone.is_empty();
        if play.result().is_none() && begun {
            self.popup = Some(Popup::Query(leaving));
        } else {
            self.do_leave(leaving, now);
        }
    }

    fn do_leave(&mut self, leaving: Leaving, now: Instant) {
        match leaving {
            Leaving::Quit => self.quit = true,
            Leaving::NewGame => self.new_game(now),
        }
    }

    /// The game with what comes after the position that is looked at again.
    fn whole(&self) -> &Playthrough {
        self.reviewed.as_ref().filter(|_| self.looking).unwrap_or(&self.play)
    }

    /// The records of this sitting that no file keeps, and forgets them.
    pub(crate) fn records(&mut self) -> Vec<String> {
        self.put_away();
        std::mem::take(&mut self.kept)
    }

    /// Keeps the record of a game that is left.
    pub(super) fn put_away(&mut self) {
        if !self.keeps && !self.whole().plays().is_empty() {
            self.kept.push(self.record());
        }
    }

    /// Has the file follow the game.
    pub(super) fn keep(&mut self) {
        if self.settings.recorded {
            let (number, text) = (self.number, self.record());
            self.requests.push(Request::Keep { number, text });
        }
    }

    /// What comes from behind the screen. Answers to what is no longer asked are dropped.
    pub(crate) fn event(&mut self, event: WorkerEvent, now: Instant) {
        match event {
            WorkerEvent::Chose { request_id, action } if request_id == self.request_id => {
                self.thinking_since = None;
                self.undone.clear();
                self.make(action, now);
            }
            WorkerEvent::Hint { request_id, advice } if request_id == self.request_id => {
                self.show_hint(advice)
            }
            WorkerEvent::Found { request_id, found } if request_id == self.request_id => {
                self.values.found = Some(found);
            }
            WorkerEvent::Valued { request_id } if request_id == self.request_id => {
                self.values.took = self.values.since.map(|since| now - since);
            }
            // It goes from the end of the game to its start.
            WorkerEvent::Reviewed { request_id, turn } if request_id == self.request_id => {
                self.review.insert(0, turn)
            }
            WorkerEvent::ReviewOver { request_id } if request_id == self.request_id => {
                self.review_over = true
            }
            WorkerEvent::Failed { request_id, why } if request_id == self.request_id => {
                self.values.took = self.values.since.map(|since| now - since);
                self.review_over = true;
                (self.hint_since, self.thinking_since) = (None, None);
                // The winner matters more than that there is no review.
                if self.play.result().is_none() {
                    self.message = why;
                }
            }
            WorkerEvent::Unkept(why) => {
                self.keeps = false;
                self.message = format!("Not kept: {why}");
            }
            WorkerEvent::Wrote(Ok(path)) => {
                self.message = format!("Written to {}.", path.display())
            }
            WorkerEvent::Wrote(Err(why)) => self.message = format!("Cannot write: {why}"),
            _ => {}
        }
    }

    fn ask_hint(&mut self, now: Instant) {
        if self.play.result().is_some() || !self.human_to_move() {
            self.message = "A hint is for the player to move.".to_string();
            return;
        }
        if let Some(action) = self.values.best() {
            return self.show_hint(Advice { action, proven: true });
        }
        self.hint_since = Some(now);
        let request_id = self.request_id;
        self.requests.push(Request::Hint { request_id, play: self.play.clone() });
        self.message = "Looking for a hint.".to_string();
    }

    fn show_hint(&mut self, advice: Advice) {
        self.hint_since = None;
        self.hint = Some(advice);
        let what = match advice.action {
            Move::House(house) => {
                self.cursor = house.index();
                format!("play house {house}")
            }
            Move::Swap => "swap sides (s)".to_string(),
        };
        let why = if advice.proven { "proven: none is better" } else { "the best found" };
        self.message = format!("Hint: {what} ({why}).");
    }

    fn toggle_values(&mut self, now: Instant) {
        self.values = Values { on: !self.values.on, ..Values::default() };
        if self.play.result().is_some() {
            return;
        }
        if self.values.on {
            self.values.since = Some(now);
            let request_id = self.request_id;
            self.requests.push(Request::Values { request_id, play: self.play.clone() });
        } else {
            // The analyst has nothing else to do; a player may be thinking and goes on.
            self.requests.push(Request::StopValues);
        }
    }

    fn open_review(&mut self) {
        if let Some(play) = &self.reviewed {
            // The turn that is looked at, or the worst that is known.
            let worst =
                Review::from_turns(self.review.clone()).worst().map_or(0, |turn| turn.turn - 1);
            let ply = self.play.plays().len();
            let here = play.turns().iter().position(|turn| turn.start == ply);
            self.popup = Some(Popup::Review(here.filter(|_| self.looking).unwrap_or(worst)));
        } else {
            self.message = "The review comes after the game.".to_string();
        }
    }

    fn write(&mut self) {
        let name = self.game().to_string().replace(['(', ','], "-").replace(')', "");
        let text = self.record();
        self.requests.push(Request::Write { name, text });
    }

    fn record(&self) -> String {
        let [south, north] =
            [self.south, 1 - self.south].map(|player| &self.settings.seats[player]);
        Record::from_playthrough(self.whole())
            .with_program()
            .with_header("south", &south.to_string())
            .with_header("north", &north.to_string())
            .to_string()
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

//! A client of the server: what it is asked, what it answers, and what it may not do.

use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sowing_analysis::{Limits, estimates};
use sowing_protocol::kgp::{Argument, Command, Line, Mode};
use sowing_rules::{Move, Position, SeededRng, WideBoard};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};

use super::handle::{Answer, Handle, Order};
use super::lobby::Waiting;
use super::{Clock, House, is_over};
use crate::records::player_name;
use crate::rules;
use crate::wire::Wire;

/// What a client is at.
#[allow(clippy::large_enum_variant, reason = "there is one a client")]
enum Task {
    /// It has not said what it wants.
    Nothing,
    /// It waits, or another plays.
    Waiting,
    /// It is to move.
    Move { id: u64, house: Option<u64>, answer: oneshot::Sender<Answer> },
    /// It is to evaluate.
    Eval { id: u64, estimate: f64, value: Option<f64> },
    /// It is to solve a problem.
    Problem { id: u64, after: WideBoard, repeat: bool },
}

/// A client at the server.
pub(crate) struct Guest {
    house: Arc<House>,
    wire: Wire,
    name: Arc<Mutex<String>>,
    /// What it calls itself, and the secret by which it is known again.
    given: String,
    token: String,
    orders: mpsc::UnboundedReceiver<Order>,
    sender: mpsc::UnboundedSender<Order>,
    mode: Option<Mode>,
    task: Task,
    /// Until when the task is to be done.
    due: Option<Instant>,
    /// A ping that was not answered yet, and until when it must be.
    ping: Option<Instant>,
    /// Whether it goes to the lobby when it answers.
    joins: bool,
    played: u64,
    answered: u64,
    next_id: u64,
    random: SeededRng,
    nonsense: u32,
    /// Lines since when.
    lines: (u32, Instant),
}

/// Why a client leaves.
type Leave = String;

/// The most characters of a token.
const TOKEN: usize = 1000;

/// Whether a line is the first of an HTTP request: a method in capitals, which no command has, a space, and at
/// the end the version.
fn is_http(line: &str) -> bool {
    let Some((method, rest)) = line.trim_end().split_once(' ') else { return false };
    let capitals = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
    capitals && rest.rsplit(' ').next().is_some_and(|version| version.starts_with("HTTP/"))
}

/// How long better evaluations are waited for after the first.
const BETTER: Duration = Duration::from_millis(200);

/// The span in which lines are counted.
const SPAN: Duration = Duration::from_secs(10);

impl Guest {
    pub(crate) fn new(house: Arc<House>, wire: Wire, address: SocketAddr) -> Guest {
        let (sender, orders) = mpsc::unbounded_channel();
        let number = house.visitors.fetch_add(1, Relaxed);
        let random = SeededRng::new(house.options.player.seed ^ 0x6b67_7000, number);
        let due = Some(Instant::now() + house.options.limits.patience);
        let name = Arc::new(Mutex::new(format!("client at {address}")));
        Guest {
            house,
            wire,
            name,
            given: String::new(),
            token: String::new(),
            orders,
            sender,
            mode: None,
            task: Task::Nothing,
            due,
            ping: None,
            joins: false,
            played: 0,
            answered: 0,
            next_id: 2,
            random,
            nonsense: 0,
            lines: (0, Instant::now()),
        }
    }

    /// Until it leaves or has to; why it did.
    pub(crate) async fn stay(mut self) -> String {
        let why = match self.talk().await {
            Ok(()) => "the server ends".to_string(),
            Err(why) => why,
        };
        let _ = self.wire.send(&Command::Goodbye.line());
        why
    }

    async fn talk(&mut self) -> Result<(), Leave> {
        let mut over = self.house.over.subscribe();
        self.send(Command::Kgp { major: 1, minor: 0, patch: 1 })?;
        loop {
            let due = [self.due, self.ping].into_iter().flatten().min();
            let until = due.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
            tokio::select! {
                // A client that floods must not keep us from the clock.
                biased;
                () = is_over(&mut over) => return self.last_words(),
                () = sleep_until(until), if due.is_some() => self.late()?,
                Some(order) = self.orders.recv() => self.order(order)?,
                line = self.wire.next() => {
                    let line = line.map_err(|error| error.to_string())?;
                    self.hear(&line)?;
                }
            }
        }
    }

    /// The server ends: what became of a game is still told.
    fn last_words(&mut self) -> Result<(), Leave> {
        while let Ok(order) = self.orders.try_recv() {
            if let Order::End { result } = order {
                self.set("info:comment", Argument::Text(result))?;
            }
        }
        Ok(())
    }

    fn answer(&mut self, reference: Option<u64>, command: Command) -> Result<u64, Leave> {
        let id = self.next_id;
        self.next_id += 2;
        let line = Line { id: Some(id), reference, ..command.line() };
        self.wire.send(&line).map_err(|_| "did not read what was sent".to_string())?;
        Ok(id)
    }

    fn send(&mut self, command: Command) -> Result<u64, Leave> {
        self.answer(None, command)
    }

    fn set(&mut self, key: &str, value: Argument) -> Result<(), Leave> {
        self.send(Command::Set { key: key.to_string(), value }).map(drop)
    }

    fn refuse(&mut self, reference: Option<u64>, why: &str) -> Result<(), Leave> {
        self.answer(reference, Command::Error(why.to_string())).map(drop)
    }

    fn hear(&mut self, text: &str) -> Result<(), Leave> {
        if text.trim().is_empty() {
            return Ok(());
        }
        if self.lines.1.elapsed() > SPAN {
            self.lines = (0, Instant::now());
        }
        self.lines.0 += 1;
        if self.lines.0 > self.house.options.limits.lines {
            self.refuse(None, "too many lines")?;
            return Err("sent too many lines".to_string());
        }
        let line = text.parse::<Line>();
        let id = line.as_ref().ok().and_then(|line| line.id);
        match line.and_then(|line| Command::try_from(&line).map(|command| (line, command))) {
            Ok((line, command)) => self.obey(&line, command),
            // A page had a browser send it: what follows are no client's own words.
            Err(_) if is_http(text) => {
                self.refuse(None, "this is the Kalah Game Protocol, not HTTP")?;
                Err("sent a request of HTTP".to_string())
            }
            Err(error) => {
                self.nonsense += 1;
                self.refuse(id, &error.to_string())?;
                if self.nonsense > self.house.options.limits.nonsense {
                    return Err("sent too much nonsense".to_string());
                }
                Ok(())
            }
        }
    }

    fn obey(&mut self, line: &Line, command: Command) -> Result<(), Leave> {
        let (id, reference) = (line.id, line.reference);
        match command {
            Command::Mode(_) if self.mode.is_some() => {
                self.refuse(id, "the mode was chosen before")
            }
            Command::Mode(word) => match word.parse() {
                Ok(mode) => {
                    self.mode = Some(mode);
                    self.claim();
                    self.answer(id, Command::Ok)?;
                    self.begin(mode)
                }
                Err(_) => self.refuse(id, &format!("Unsupported mode {word}")),
            },
            Command::Set { key, value } => {
                match key.as_str() {
                    "info:name" => self.given = player_name(&value.text()),
                    "auth:token" => self.token = value.text().chars().take(TOKEN).collect(),
                    _ => return Ok(()),
                }
                // A name may come before the token that it belongs to.
                if self.mode.is_some() {
                    self.claim();
                }
                Ok(())
            }
            Command::Move(number) => match &mut self.task {
                Task::Move { id: about, house, .. } if reference.is_none_or(|id| id == *about) => {
                    *house = Some(number);
                    Ok(())
                }
                _ => self.refuse(id, "No state associated with id"),
            },
            Command::Yield => match &self.task {
                Task::Move { id: about, .. } if reference.is_none_or(|id| id == *about) => {
                    self.moved(true)
                }
                Task::Eval { id: about, .. } if reference.is_none_or(|id| id == *about) => {
                    self.evaluated()
                }
                _ => self.refuse(id, "No state associated with id"),
            },
            Command::Eval(given) => match &mut self.task {
                Task::Eval { id: about, value, .. } if reference == Some(*about) => {
                    if value.replace(given).is_none() {
                        let soon = Instant::now() + BETTER;
                        self.due = self.due.map(|due| due.min(soon));
                    }
                    Ok(())
                }
                _ => self.refuse(id, "No state associated with id"),
            },
            Command::Solution { board, repeat } => {
                self.solved(id, reference, board.board(), repeat)
            }
            Command::Ping => self.answer(id, Command::Pong).map(drop),
            Command::Pong => {
                self.ping = None;
                if std::mem::take(&mut self.joins) {
                    let (orders, name) = (self.sender.clone(), Arc::clone(&self.name));
                    let guest = Handle { orders, name };
                    let _ = self.house.lobby.send(Waiting { guest, played: self.played });
                }
                Ok(())
            }
            Command::Goodbye => Err("said goodbye".to_string()),
            Command::Ok | Command::Error(_) => Ok(()),
            _ => self.refuse(id, "only a server says that"),
        }
    }

    /// Goes by the name that it gave, unless that is somebody else's.
    fn claim(&mut self) {
        if !self.given.is_empty() {
            let mut table = self.house.table.lock().expect("nobody panics with the table");
            let name = table.claim(&self.given, &self.token);
            *self.name.lock().expect("nobody panics with a name") = name;
        }
    }

    fn begin(&mut self, mode: Mode) -> Result<(), Leave> {
        (self.task, self.due) = (Task::Waiting, None);
        match mode {
            Mode::Freeplay => self.join(),
            Mode::Eval => self.next_position(),
            Mode::Verify => self.next_problem(),
        }
    }

    /// Whoever answers is there, and can play.
    fn join(&mut self) -> Result<(), Leave> {
        self.joins = true;
        self.send(Command::Ping)?;
        self.ping = Some(Instant::now() + self.house.options.limits.patience);
        Ok(())
    }

    fn order(&mut self, order: Order) -> Result<(), Leave> {
        match order {
            Order::Begin { number, opponent } => {
                self.set("game:id", Argument::Text(number.to_string()))?;
                self.set("game:opponent", Argument::Text(opponent))?;
                let (mode, time) = match self.house.options.clock {
                    Clock::Move(time) => ("relative", Some(time)),
                    Clock::Game(_) => ("absolute", None),
                };
                self.set("time:mode", Argument::Word(mode.to_string()))?;
                match time {
                    Some(time) => self.clock("time:clock", time),
                    None => Ok(()),
                }
            }
            Order::Query { position, time, clocks, answer } => {
                if let Some((own, other)) = clocks {
                    self.clock("time:clock", own)?;
                    self.clock("time:opclock", other)?;
                }
                let id = self.send(Command::State(position.setup()))?;
                self.task = Task::Move { id, house: None, answer };
                self.due = Instant::now().checked_add(time);
                Ok(())
            }
            Order::End { result } => {
                self.played += 1;
                (self.task, self.due) = (Task::Waiting, None);
                self.set("info:comment", Argument::Text(result))?;
                self.join()
            }
        }
    }

    /// Clocks are whole seconds; one that shows less than a second would mislead.
    fn clock(&mut self, key: &str, time: Duration) -> Result<(), Leave> {
        match time.as_secs() {
            0 => Ok(()),
            seconds => self.set(key, Argument::Integer(seconds as i64)),
        }
    }

    fn moved(&mut self, yielded: bool) -> Result<(), Leave> {
        self.due = None;
        if let Task::Move { id, house, answer } = std::mem::replace(&mut self.task, Task::Waiting) {
            self.answer(Some(id), Command::Stop)?;
            let _ = answer.send(Answer { house, yielded });
        }
        Ok(())
    }

    fn late(&mut self) -> Result<(), Leave> {
        if self.ping.is_some_and(|ping| ping <= Instant::now()) {
            self.refuse(None, "received no pong")?;
            return Err("did not answer a ping".to_string());
        }
        match self.task {
            Task::Nothing => {
                self.refuse(None, "requested no mode")?;
                Err("did not say what it wants".to_string())
            }
            Task::Waiting => {
                self.due = None;
                Ok(())
            }
            Task::Move { .. } => self.moved(false),
            Task::Eval { .. } => self.evaluated(),
            Task::Problem { .. } => {
                self.tally(false);
                self.refuse(None, "no solution in time")?;
                Err("did not solve a problem in time".to_string())
            }
        }
    }

    /// Whether it has had as many positions or problems as it gets.
    fn is_enough(&mut self) -> bool {
        self.answered += 1;
        self.house.options.problems.is_some_and(|problems| self.answered > problems)
    }

    fn time(&self) -> Duration {
        match self.house.options.clock {
            Clock::Move(time) => time,
            Clock::Game(time) => time / 30,
        }
    }

    /// A position of one of the games, after some random moves.
    fn next_position(&mut self) -> Result<(), Leave> {
        if self.is_enough() {
            return Err("has evaluated all positions".to_string());
        }
        let games = &self.house.options.games;
        let game = games[(self.answered as usize - 1) % games.len()];
        let moves = self.random.below(4 * u64::from(game.houses())) as u32;
        let seed = self.random.below(u64::MAX);
        let position = *sowing_players::random_opening(game, moves, seed, 0).position();
        let limits = Limits { max_work: 10_000, should_stop: &|| false };
        let ranking = estimates(&position, 4, &limits);
        let estimate = ranking.iter().map(|(_, value)| *value).max().unwrap_or_default() as f64;
        let id = self.send(Command::State(position.setup()))?;
        self.task = Task::Eval { id, estimate, value: None };
        self.due = Instant::now().checked_add(self.time());
        Ok(())
    }

    fn evaluated(&mut self) -> Result<(), Leave> {
        if let Task::Eval { id, estimate, value } = self.task {
            self.answer(Some(id), Command::Stop)?;
            if let Some(value) = value {
                let name = self.name.lock().expect("nobody panics with a name").clone();
                let mut table = self.house.table.lock().expect("nobody panics with the table");
                let standing = table.of(&name);
                let before = standing.evaluated as f64;
                standing.evaluated += 1;
                let distance = (value - estimate).abs();
                standing.distance = (standing.distance * before + distance) / (before + 1.0);
            }
        }
        self.next_position()
    }

    /// Any board that some server could send, and a move on it.
    fn next_problem(&mut self) -> Result<(), Leave> {
        if self.is_enough() {
            return Err("has solved all problems".to_string());
        }
        let position = self.random_position();
        let moves: Vec<Move> = position.moves().collect();
        let action = moves[self.random.below(moves.len() as u64) as usize];
        let Move::House(house) = action else { unreachable!("there is no pie") };
        let (next, report) = position.play(action);
        let after = if report.again { next } else { next.flip() };
        let board = position.setup();
        let id = self.send(Command::Problem { board, house: house.index() as u64 })?;
        self.task = Task::Problem { id, after: *after.board(), repeat: report.again };
        self.due = Some(Instant::now() + self.house.options.limits.patience);
        Ok(())
    }

    fn random_position(&mut self) -> Position {
        loop {
            let houses = 3 + self.random.below(10);
            let mut pits =
                || -> Vec<u64> { (0..houses).map(|_| self.random.below(2 * houses)).collect() };
            let (own, other) = (pits(), pits());
            let (store, other_store) =
                (self.random.below(4 * houses), self.random.below(4 * houses));
            let board = WideBoard::new(&own, store, &other, other_store);
            let found = rules::position(&board.into());
            if let Some(position) = found.filter(|position| !position.is_finished()) {
                return position;
            }
        }
    }

    fn tally(&mut self, right: bool) {
        let name = self.name.lock().expect("nobody panics with a name").clone();
        let mut table = self.house.table.lock().expect("nobody panics with the table");
        let standing = table.of(&name);
        if right {
            standing.solved += 1;
        } else {
            standing.wrong += 1;
        }
    }

    fn solved(
        &mut self,
        id: Option<u64>,
        reference: Option<u64>,
        board: &WideBoard,
        given: bool,
    ) -> Result<(), Leave> {
        match self.task {
            Task::Problem { id: about, after, repeat } if reference == Some(about) => {
                let right = *board == after && given == repeat;
                // Whoever solves problems fast does not flood.
                self.lines.0 = self.lines.0.saturating_sub(1);
                self.tally(right);
                if right {
                    self.answer(id, Command::Ok)?;
                } else if *board != after {
                    let expected = sowing_rules::Setup::from(after);
                    self.refuse(id, &format!("Expected state {}", expected.kgp()))?;
                } else {
                    let words = ["Was not a repeat move", "Was a repeat move"];
                    self.refuse(id, words[usize::from(repeat)])?;
                }
                self.next_problem()
            }
            _ => self.refuse(id, "Invalid reference"),
        }
    }
}

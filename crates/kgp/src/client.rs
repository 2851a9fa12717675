//! A client: plays on a server, whatever board it sends, within its clock.

use std::sync::Arc;
use std::time::Duration;

use sowing_players::PlayerOptions;
use sowing_protocol::kgp::{Argument, Command, Line, Mode};
use sowing_rules::{House, Move, Position, Record};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, sleep, sleep_until};

use crate::address::Address;
use crate::options::{ClientError, ClientEvent, ClientOptions, Introduction, Summary};
use crate::recorder::Recorder;
use crate::records::{player_name, write_record};
use crate::rules;
use crate::thinker::{Job, Thinker, Thought};
use crate::wire::{Wire, WireError};

/// How long the first move waits: the public server sends a position before it knows of it itself.
const SETTLE: Duration = Duration::from_millis(10);

/// How long a move must have been with the server before `yield` says that it is the last. An error that
/// it was not taken would come back by then from near; the move is sent again besides.
const CONFIRM: Duration = Duration::from_millis(15);

/// The pauses before connecting again.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long a server may take to greet.
const GREETING: Duration = Duration::from_secs(20);

/// Plays on a server until as much is done as is wanted, `over` comes true, or the server says
/// goodbye and cannot be reached again.
pub async fn connect(
    address: &Address,
    options: &ClientOptions,
    over: impl Future<Output = ()>,
    mut watch: impl FnMut(ClientEvent<'_>),
) -> Result<Summary, ClientError> {
    tokio::pin!(over);
    let mut summary = Summary::default();
    let mut failures = 0;
    let mut pause = FIRST_PAUSE;
    // Whether there was a connection, and whether the server ended it in good order.
    let (mut known, mut parted) = (false, false);
    loop {
        let why = match Wire::open(address).await {
            Ok(wire) => {
                watch(ClientEvent::Connected);
                let before = summary.states + summary.problems;
                let session = Session::new(wire, address, options, &mut summary, &mut watch);
                let done = session.run(&mut over).await?;
                let Some(why) = done else { return Ok(summary) };
                if is_enough(options, &summary) {
                    return Ok(summary);
                }
                summary.lost += u64::from(!matches!(why, WireError::Goodbye));
                (known, parted) = (true, false);
                if summary.states + summary.problems > before {
                    (failures, pause) = (0, FIRST_PAUSE);
                }
                why
            }
            Err(error) => error,
        };
        parted |= matches!(why, WireError::Goodbye);
        let why = why.to_string();
        failures += 1;
        if known && parted && failures > options.retries {
            return Ok(summary);
        }
        if !known {
            return Err(ClientError::Connect { address: address.to_string(), why });
        }
        if failures > options.retries {
            summary.gave_up = Some(why);
            return Ok(summary);
        }
        watch(ClientEvent::Lost(&why, pause));
        tokio::select! {
            () = sleep(pause) => {}
            () = &mut over => return Ok(summary),
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Whether as much is done as is wanted.
fn is_enough(options: &ClientOptions, summary: &Summary) -> bool {
    let done = match options.mode {
        Mode::Freeplay => summary.games,
        Mode::Eval => summary.states,
        Mode::Verify => summary.problems,
    };
    options.count.is_some_and(|count| done >= count)
}

/// A position that is being thought about.
struct Pending {
    /// The server's number of it.
    id: u64,
    received: Instant,
    /// What looks best.
    best: Option<Move>,
    /// Whether no better move will come.
    sure: bool,
    /// The move that was sent last, and when.
    sent: Option<(Move, Instant)>,
    /// When something is to be sent.
    due: Option<Instant>,
    /// The numbers of our lines about it.
    numbers: Vec<u64>,
    /// Whether the last of them was not taken.
    refused: bool,
}

/// How often moves are sent again for one position.
const AGAIN: usize = 50;

struct Session<'a, W> {
    wire: Wire,
    address: &'a Address,
    options: &'a ClientOptions,
    summary: &'a mut Summary,
    watch: W,
    thinker: Thinker,
    thoughts: UnboundedReceiver<Thought>,
    pending: Option<Pending>,
    recorder: Recorder,
    opponent: String,
    clock: ServerClock,
    next_id: u64,
    /// How often in a row the engine had no move.
    faults: u32,
    /// Whether a board was sent that cannot be played here.
    foreign: bool,
}

/// An engine that fails so often in a row will not play at all.
const MOST_FAULTS: u32 = 20;

/// What the server says of time.
#[derive(Default)]
struct ServerClock {
    absolute: bool,
    seconds: Option<u64>,
}

impl ServerClock {
    /// How long to think about a move, if so long is wanted.
    fn time(&self, wanted: Duration) -> Duration {
        match self.seconds.map(Duration::from_secs) {
            // A game has some dozens of moves.
            Some(left) if self.absolute => wanted.min(left / 30),
            Some(each) => wanted.min(each * 4 / 5),
            None => wanted,
        }
    }
}

/// How a session goes on: with more, or to its end.
type Flow = Result<bool, Stop>;

enum Stop {
    Lost(WireError),
    Error(ClientError),
}

impl From<WireError> for Stop {
    fn from(error: WireError) -> Stop {
        Stop::Lost(error)
    }
}

impl<'a, W: FnMut(ClientEvent<'_>)> Session<'a, W> {
    fn new(
        wire: Wire,
        address: &'a Address,
        options: &'a ClientOptions,
        summary: &'a mut Summary,
        watch: W,
    ) -> Session<'a, W> {
        let (sender, thoughts) = unbounded_channel();
        let aids = Arc::clone(&options.aids);
        let thinker =
            Thinker::start(options.contender.clone(), options.player.clone(), aids, sender);
        Session {
            wire,
            address,
            options,
            summary,
            watch,
            thinker,
            thoughts,
            pending: None,
            recorder: Recorder::default(),
            opponent: String::new(),
            clock: ServerClock::default(),
            next_id: 1,
            faults: 0,
            foreign: false,
        }
    }

    /// Until all is done, which is `None`, or the connection is lost.
    async fn run(
        mut self,
        over: &mut (impl Future<Output = ()> + Unpin),
    ) -> Result<Option<WireError>, ClientError> {
        let ended = self.talk(over).await;
        let closed = self.close_game();
        match ended {
            Ok(()) => {
                let _ = self.send(Command::Goodbye.line());
                closed.map(|()| None)
            }
            Err(Stop::Lost(error)) => closed.map(|()| Some(error)),
            Err(Stop::Error(error)) => Err(error),
        }
    }

    async fn talk(&mut self, over: &mut (impl Future<Output = ()> + Unpin)) -> Result<(), Stop> {
        self.greet().await?;
        loop {
            let due = self.pending.as_ref().and_then(|pending| pending.due);
            let far = Instant::now() + Duration::from_secs(3600);
            tokio::select! {
                line = self.wire.next() => {
                    if !self.hear(&line?)? {
                        return Ok(());
                    }
                }
                Some(thought) = self.thoughts.recv() => self.think(thought)?,
                () = sleep_until(due.unwrap_or(far)), if due.is_some() => self.speak()?,
                () = &mut *over => return Ok(()),
            }
        }
    }

    fn send(&mut self, line: Line) -> Result<(), WireError> {
        (self.watch)(ClientEvent::Sent(&line.to_string()));
        self.wire.send(&line)
    }

    async fn greet(&mut self) -> Result<(), Stop> {
        let line = tokio::time::timeout(GREETING, self.wire.next()).await;
        let line = line.map_err(|_| WireError::Closed)??;
        (self.watch)(ClientEvent::Received(line.trim_end()));
        if !matches!(line.parse(), Ok(Command::Kgp { major: 1, .. })) {
            let (address, greeting) = (self.address.to_string(), line.trim_end().to_string());
            return Err(Stop::Error(ClientError::Greeting { address, greeting }));
        }
        let Introduction { name, authors, description, token } = &self.options.introduction;
        let told = [
            ("auth:token", token),
            ("info:name", name),
            ("info:authors", authors),
            ("info:description", description),
        ];
        for (key, text) in told.into_iter().filter(|(_, text)| !text.is_empty()) {
            let value = Argument::Text(text.clone());
            self.send(Command::Set { key: key.to_string(), value }.line())?;
        }
        let id = self.take_id();
        self.send(Command::Mode(self.options.mode.to_string()).numbered(id))?;
        Ok(())
    }

    fn take_id(&mut self) -> u64 {
        self.next_id += 2;
        self.next_id - 2
    }

    /// Whether there is more to do after a line of the server's.
    fn hear(&mut self, text: &str) -> Flow {
        (self.watch)(ClientEvent::Received(text.trim_end()));
        // What is not understood is none of our business.
        let Ok(line) = text.parse::<Line>() else { return Ok(true) };
        let command = match Command::try_from(&line) {
            Ok(command) => command,
            Err(error) => {
                if line.name == "state" && !std::mem::replace(&mut self.foreign, true) {
                    let why = format!("no move for a board that cannot be played here: {error}");
                    (self.watch)(ClientEvent::Failed(&why));
                }
                return Ok(true);
            }
        };
        match (command, line.id) {
            (Command::State(setup), Some(id)) => {
                // Where nobody can move there is nothing to say.
                let position = rules::position(&setup).filter(|position| !position.is_finished());
                return position.map_or(Ok(true), |position| self.state(id, position));
            }
            (Command::Problem { board, house }, Some(id)) => {
                return self.problem(id, &board, house);
            }
            (Command::Stop, _) => self.stopped(line.reference),
            (Command::Ping, id) => {
                // A server looks whether we are there before it starts a game, not during one. Who has
                // had enough does not say yes.
                let last = self.options.count.is_some_and(|count| self.summary.games + 1 >= count);
                if self.pending.is_none() && last && self.recorder.is_playing() {
                    return Ok(false);
                }
                self.send(Line { reference: id, ..Command::Pong.line() })?;
            }
            (Command::Goodbye, _) => return Err(Stop::Lost(WireError::Goodbye)),
            (Command::Error(why), _) => return self.fault(&why, line.reference),
            (Command::Set { key, value }, _) => self.set(&key, &value),
            _ => {}
        }
        Ok(true)
    }

    fn set(&mut self, key: &str, value: &Argument) {
        match (key, value) {
            ("time:mode", value) => self.clock.absolute = value.text() == "absolute",
            ("time:clock", Argument::Integer(seconds)) => {
                self.clock.seconds = u64::try_from(*seconds).ok();
            }
            ("game:opponent", value) => self.opponent = player_name(&value.text()),
            _ => {}
        }
    }

    fn is_enough(&self) -> bool {
        is_enough(self.options, self.summary)
    }

    fn state(&mut self, id: u64, position: Position) -> Flow {
        // The server's clock runs while the game so far is put together.
        let received = Instant::now();
        let eval = self.options.mode == Mode::Eval;
        if !eval {
            if let Some(record) = self.recorder.state(&position) {
                self.note(record).map_err(Stop::Error)?;
                if self.is_enough() {
                    return Ok(false);
                }
            }
        } else if self.is_enough() {
            return Ok(false);
        }
        self.summary.states += 1;
        let wanted = self.options.player.time.unwrap_or(PlayerOptions::DEFAULT_TIME);
        let due = received.into_std() + self.clock.time(wanted);
        let (best, sure, sent, numbers, refused) = (None, false, None, vec![], false);
        let pending = Pending { id, received, best, sure, sent, due: None, numbers, refused };
        self.pending = Some(pending);
        self.thinker.ask(Job { id, position, due, eval });
        Ok(true)
    }

    fn stopped(&mut self, reference: Option<u64>) {
        let ours = |pending: &&mut Pending| reference.is_none_or(|id| id == pending.id);
        if let Some(pending) = self.pending.as_mut().filter(ours) {
            self.summary.missed +=
                u64::from(pending.sent.is_none() && self.options.mode == Mode::Freeplay);
            self.pending = None;
            self.thinker.stop();
        }
    }

    /// An error about a move means that it was not taken: it is sent again.
    fn fault(&mut self, why: &str, reference: Option<u64>) -> Flow {
        let early = self.pending.as_mut().filter(|pending| {
            let numbers = &pending.numbers;
            let ours = reference.map_or(why.contains("No state"), |id| numbers.contains(&id));
            ours && pending.sent.is_some() && numbers.len() < AGAIN
        });
        if let Some(pending) = early {
            self.summary.again += 1;
            pending.refused = true;
            pending.due = Some(Instant::now() + SETTLE);
            return Ok(true);
        }
        (self.watch)(ClientEvent::Error(why));
        // Before anything was played, it is the mode that is refused.
        if self.summary.states + self.summary.problems == 0 && self.pending.is_none() {
            let (mode, why) = (self.options.mode, why.to_string());
            return Err(Stop::Error(ClientError::Refused { mode, why }));
        }
        self.summary.errors += 1;
        Ok(true)
    }

    fn think(&mut self, thought: Thought) -> Result<(), Stop> {
        match thought {
            Thought::Move { id, action, sure } => {
                self.faults = 0;
                let Some(pending) = self.pending.as_mut().filter(|pending| pending.id == id) else {
                    return Ok(());
                };
                let news = pending.best != Some(action);
                (pending.best, pending.sure) = (Some(action), sure);
                if news || sure {
                    let now = Instant::now();
                    let due = match pending.sent {
                        Some((sent, when)) if sent == action => when + CONFIRM,
                        _ => pending.received + SETTLE,
                    };
                    pending.due = Some(due.max(now));
                }
            }
            Thought::Eval { id, value } => {
                if self.pending.as_ref().is_some_and(|pending| pending.id == id) {
                    self.send(Command::Eval(value).answering(id))?;
                }
            }
            Thought::Failed { why, engine } => {
                (self.watch)(ClientEvent::Failed(&why));
                self.summary.faults += 1;
                self.faults += 1;
                // The server plays a random move, and the engine has another chance.
                if !engine || self.faults > MOST_FAULTS {
                    return Err(Stop::Error(ClientError::Player(why)));
                }
            }
        }
        Ok(())
    }

    /// Sends what is due: a move, or once it has been with the server for a while, the same again and
    /// that it is the last.
    fn speak(&mut self) -> Result<(), Stop> {
        let number = self.take_id();
        let Some(pending) = &mut self.pending else { return Ok(()) };
        pending.due = None;
        let Some(action @ Move::House(house)) = pending.best else { return Ok(()) };
        let id = pending.id;
        let refused = std::mem::take(&mut pending.refused);
        let with_server = pending.sent.is_some_and(|(sent, _)| sent == action) && !refused;
        let last = pending.sure && with_server;
        let now = Instant::now();
        pending.sent = Some((action, now));
        pending.numbers.push(number);
        if pending.sure && !last {
            pending.due = Some(now + CONFIRM);
        }
        self.recorder.sent(action);
        let line = Command::Move(house.number().into()).answering(id);
        self.send(Line { id: Some(number), ..line })?;
        if last {
            let number = self.take_id();
            self.pending.iter_mut().for_each(|pending| pending.numbers.push(number));
            let line = Command::Yield.answering(id);
            self.send(Line { id: Some(number), ..line })?;
        }
        Ok(())
    }

    /// The public server counts houses from 0; where that cannot be meant, it is from 1.
    fn problem(&mut self, id: u64, board: &sowing_rules::Setup, house: u64) -> Flow {
        if self.is_enough() {
            return Ok(false);
        }
        let Some(position) = rules::position(board) else { return Ok(true) };
        let action = |number: u64| {
            let house = House::new(u8::try_from(number).ok()?)?;
            let (next, report) = position.try_play(Move::House(house)).ok()?;
            Some((if report.again { next } else { next.flip() }, report.again))
        };
        let Some((after, repeat)) = action(house + 1).or_else(|| action(house)) else {
            return Ok(true);
        };
        let number = self.take_id();
        let line = Command::Solution { board: after.setup(), repeat }.answering(id);
        self.send(Line { id: Some(number), ..line })?;
        self.summary.problems += 1;
        Ok(true)
    }

    /// The running game is over, or cannot be seen any more.
    fn close_game(&mut self) -> Result<(), ClientError> {
        match self.recorder.finish() {
            Some(record) => self.note(record),
            None => Ok(()),
        }
    }

    fn note(&mut self, record: Record) -> Result<(), ClientError> {
        self.summary.games += 1;
        let own = match self.options.introduction.name.as_str() {
            "" => self.options.contender.to_string(),
            name => sowing_rules::printable(name),
        };
        let other = if self.opponent.is_empty() { "unknown" } else { &self.opponent };
        let (south, north) = match record.header("seat") {
            Some("south") => (own.as_str(), other),
            _ => (other, own.as_str()),
        };
        let record = record
            .with_header("south", south)
            .with_header("north", north)
            .with_header("server", &self.address.to_string());
        (self.watch)(ClientEvent::Game(&record));
        if let Some(folder) = &self.options.records {
            write_record(folder, &record)?;
        }
        Ok(())
    }
}

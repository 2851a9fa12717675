//! Records of games in the PDP-1's punctuation.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{
    Ending, Game, House, Move, Numbering, PROGRAM, ParseGameError, ParseNumberingError,
    ParseSetupError, PlayError, Playthrough, Position, PositionError, Setup, Side, parse_digits,
    quoted,
};

/// The value of the header `result` of an unfinished game.
pub const RECORD_UNFINISHED: &str = "unfinished";

/// The headers that are fields of a record.
const RESERVED_KEYS: [&str; 3] = ["game", "start", "numbering"];

/// The text of a game: a header of `# key: value` lines, then the moves.
///
/// A move is its house's number. `.` follows a move that ends in the store, `,` the last move of the lower player's
/// turn, a new line that of the upper player's. If house numbers exceed 9, blanks separate the moves. `x` is a swap;
/// `swap` is parsed too. Separators are optional, but a wrong separator makes [`replay`](Record::replay) fail. `!` after a move
/// marks it as good, `?` as bad, and braces hold a comment: `3!.6, {well seen} 2`.
///
/// The keys `game`, `start` (a position with any number of seeds, South to move), `numbering` and `result` have a
/// meaning; others, such as the players' names or the `program` that made the record, are kept.
///
/// ```
/// use sowing_rules::Record;
///
/// let text = "# game: s-kalaha(2,1)\n# south: Ada\n2.1,2\n1.\n";
/// let record: Record = text.parse()?;
/// assert_eq!(record.header("south"), Some("Ada"));
/// assert_eq!(record.to_string(), text);
/// # Ok::<(), sowing_rules::ParseRecordError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    game: Game,
    start: Option<Setup>,
    numbering: Numbering,
    headers: Vec<(String, String)>,
    moves: Vec<RecordedMove>,
    /// By the number of moves before the note.
    notes: BTreeMap<usize, Note>,
}

/// An annotation of a move.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Note {
    /// `!` for a good move, `?` for a bad one.
    pub glyph: Option<char>,
    /// A comment without braces; may be empty.
    pub comment: String,
}

/// A move of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedMove {
    /// The move.
    pub action: Move,
    /// The row of the house, if the numbering implies it.
    pub side: Option<Side>,
    /// The punctuation after the move.
    pub separator: Option<Separator>,
}

/// The punctuation after a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// `.`: the move ended in the store.
    Store,
    /// `,`: the lower player's turn is over.
    Lower,
    /// A new line: the upper player's turn is over.
    Upper,
}

impl Separator {
    fn symbol(self) -> char {
        match self {
            Separator::Store => '.',
            Separator::Lower => ',',
            Separator::Upper => '\n',
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Separator::Store => "\".\" (landed in the store)",
            Separator::Lower => "\",\" (the lower player's turn is over)",
            Separator::Upper => "a new line (the upper player's turn is over)",
        }
    }
}

/// Why a text is not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseRecordError {
    /// The record names no game.
    #[error("the record names no game: start it with a line such as # game: kalah(6,4)")]
    NoGame,
    /// The header names another game than the caller.
    #[error("the record's header says {header}, not {expected}")]
    OtherGame {
        /// The game of the header.
        header: Game,
        /// The game of the caller.
        expected: Game,
    },
    /// A header line has no colon.
    #[error("line {line}: a header is written as # key: value, as in # game: kalah(6,4), not {what}", what = quoted(.text))]
    Header {
        /// The line, from 1.
        line: usize,
        /// The text there.
        text: String,
    },
    /// A header occurs twice.
    #[error("line {line}: header {what} is given twice", what = quoted(.key))]
    Repeated {
        /// The line, from 1.
        line: usize,
        /// The key.
        key: String,
    },
    /// The game of the header is invalid.
    #[error("header game: {0}")]
    Game(#[from] ParseGameError),
    /// The start position of the header is invalid.
    #[error("header start: {0}")]
    Start(#[from] ParseSetupError),
    /// The numbering of the header is invalid.
    #[error("header numbering: {0}")]
    Numbering(#[from] ParseNumberingError),
    /// A text is not a move.
    #[error("line {line}: {what} is not a house of {game} in the numbering {numbering}, which has {labels}, as in 36,2", what = quoted(.text))]
    Move {
        /// The line, from 1.
        line: usize,
        /// The text there.
        text: String,
        /// The game.
        game: Game,
        /// The numbering.
        numbering: Numbering,
        /// The numbers of this numbering, in words.
        labels: String,
    },
    /// A comment does not end on its line.
    #[error("line {line}: a comment stands in braces on one line, as in 36, {{well seen}} 2")]
    Comment {
        /// The line, from 1.
        line: usize,
    },
    /// A separator that follows no move.
    #[error("line {line}: {separator:?} has no move before it, as it has in 36,2")]
    Separator {
        /// The line, from 1.
        line: usize,
        /// The separator.
        separator: char,
    },
}

/// Why a record does not replay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The start position is not one of the game.
    #[error("header start: {0}")]
    Start(#[from] PositionError),
    /// A move is illegal.
    #[error("move {number} ({label}) by {side}: {error}")]
    Illegal {
        /// The number of the move, from 1.
        number: usize,
        /// The move's text.
        label: String,
        /// The row that is to move.
        side: Side,
        /// Why it is illegal.
        error: PlayError,
    },
    /// A move's number names the other row.
    #[error("move {number} ({label}) is one of {named}'s houses, but {side} is to move")]
    WrongSide {
        /// The number of the move, from 1.
        number: usize,
        /// The move's text.
        label: String,
        /// The row of the house.
        named: Side,
        /// The row that is to move.
        side: Side,
    },
    /// A separator is wrong.
    #[error("move {number} ({label}) by {side} is followed by {}, but {} belongs there", .found.meaning(), .right.meaning())]
    WrongSeparator {
        /// The number of the move, from 1.
        number: usize,
        /// The move's text.
        label: String,
        /// The row that is to move.
        side: Side,
        /// The separator of the record.
        found: Separator,
        /// The right separator.
        right: Separator,
    },
    /// The result of the header is wrong.
    #[error("header result says {says}, but the game's result is {real}", says = quoted(.header), real = quoted(.result))]
    WrongResult {
        /// The result of the header.
        header: String,
        /// The game's result.
        result: String,
    },
}

impl Record {
    /// Parses a record. `expected` is its game, if the caller knows it; without it the header must name the game.
    /// `numbering` holds for a record whose header names none.
    pub fn read(
        text: &str,
        expected: Option<Game>,
        numbering: Numbering,
    ) -> Result<Record, ParseRecordError> {
        let lines = text.trim_end().lines().map(str::trim).zip(1..);
        let mut headers: Vec<(String, String)> = Vec::new();
        let mut body = Vec::new();
        for (text, line) in lines {
            let Some(header) = text.strip_prefix('#') else {
                body.push((text, line));
                continue;
            };
            let (key, value) = header
                .split_once(':')
                .ok_or_else(|| ParseRecordError::Header { line, text: text.to_string() })?;
            let key = key.trim().to_lowercase();
            if headers.iter().any(|(known, _)| *known == key) {
                return Err(ParseRecordError::Repeated { line, key });
            }
            headers.push((key, value.trim().to_string()));
        }
        let mut take = |key| {
            let index = headers.iter().position(|(known, _)| known == key)?;
            Some(headers.remove(index).1)
        };
        let named: Option<Game> = take("game").map(|name| name.parse()).transpose()?;
        let start = take("start").map(|text| text.parse()).transpose()?;
        let numbering = take("numbering").map_or(Ok(numbering), |name| name.parse())?;
        let game = match (named, expected) {
            (Some(header), Some(expected)) if header != expected => {
                return Err(ParseRecordError::OtherGame { header, expected });
            }
            (Some(game), _) | (None, Some(game)) => game,
            (None, None) => return Err(ParseRecordError::NoGame),
        };
        let (moves, notes) = (Vec::new(), BTreeMap::new());
        let mut record = Record { game, start, numbering, headers, moves, notes };
        for (text, line) in body {
            record.read_line(text, line)?;
        }
        // The end of the text is not a separator.
        if let Some(last) = record.moves.last_mut() {
            last.separator = last.separator.filter(|separator| *separator != Separator::Upper);
        }
        Ok(record)
    }

    fn read_line(&mut self, text: &str, line: usize) -> Result<(), ParseRecordError> {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                _ if first.is_whitespace() => first.len_utf8(),
                '.' | ',' => {
                    let separator = if first == '.' { Separator::Store } else { Separator::Lower };
                    let last = self.moves.last_mut().filter(|last| last.separator.is_none());
                    last.ok_or(ParseRecordError::Separator { line, separator: first })?.separator =
                        Some(separator);
                    1
                }
                '!' | '?' if !self.moves.is_empty() => {
                    self.notes.entry(self.moves.len()).or_default().glyph = Some(first);
                    1
                }
                '{' => {
                    let end = rest.find('}').ok_or(ParseRecordError::Comment { line })?;
                    let words = rest[1..end].split_whitespace().collect::<Vec<_>>().join(" ");
                    if !words.is_empty() {
                        let note = self.notes.entry(self.moves.len()).or_default();
                        let gap = if note.comment.is_empty() { "" } else { " " };
                        note.comment = format!("{}{gap}{words}", note.comment);
                    }
                    end + 1
                }
                'x' | 's' if first == 'x' || rest.starts_with("swap") => {
                    self.moves.push(RecordedMove {
                        action: Move::Swap,
                        side: None,
                        separator: None,
                    });
                    if first == 'x' { 1 } else { 4 }
                }
                _ => {
                    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                    let spaced = self.numbering.highest(self.game.houses()) > 9;
                    let length = if digits > 0 && !spaced { 1 } else { digits };
                    let word = if length > 0 { &rest[..length] } else { rest };
                    let (house, side) = self.house(word).ok_or_else(|| self.no_move(word, line))?;
                    let action = Move::House(house);
                    self.moves.push(RecordedMove { action, side, separator: None });
                    length
                }
            };
            rest = &rest[length..];
        }
        if let Some(last) = self.moves.last_mut().filter(|last| last.action != Move::Swap) {
            last.separator.get_or_insert(Separator::Upper);
        }
        Ok(())
    }

    fn house(&self, word: &str) -> Option<(House, Option<Side>)> {
        let label = u8::try_from(parse_digits(word)?).ok()?;
        self.numbering.house(label, self.game.houses())
    }

    fn no_move(&self, text: &str, line: usize) -> ParseRecordError {
        let houses = self.game.houses();
        let labels = match self.numbering {
            Numbering::Houses | Numbering::Pdp => format!("1 to {houses}"),
            Numbering::Bins => format!("1 to {houses} and {} to {}", houses + 2, 2 * houses + 1),
        };
        ParseRecordError::Move {
            line,
            text: text.chars().take(20).collect(),
            game: self.game,
            numbering: self.numbering,
            labels,
        }
    }

    /// The record of a game. The player who moves first is South, as in every record, whatever side that player has
    /// in `playthrough`.
    pub fn from_playthrough(playthrough: &Playthrough) -> Record {
        let start = playthrough.start();
        let game = *start.game();
        let setup = (*start != Position::start(game)).then(|| start.setup());
        let is_turned = playthrough.first() == Side::North;
        let moves = playthrough.plays().iter().map(|play| RecordedMove {
            action: play.action,
            side: None,
            separator: right_separator(
                play.action,
                play.report.again,
                if is_turned { !play.side } else { play.side },
            ),
        });
        let result = match playthrough.result() {
            Some(Ending::Win(side, by)) if is_turned => Ending::Win(!side, by).to_string(),
            _ => result_text(playthrough),
        };
        Record {
            game,
            start: setup,
            numbering: Numbering::Houses,
            headers: vec![("result".to_string(), result)],
            moves: moves.collect(),
            notes: BTreeMap::new(),
        }
    }

    /// The same record in another numbering.
    pub fn with_numbering(mut self, numbering: Numbering) -> Record {
        self.numbering = numbering;
        self
    }

    /// The same record with a header set. The key is written in lower case. Control characters, and colons of the
    /// key, become blanks, so that no text adds lines to the record.
    ///
    /// # Panics
    /// If the key is `game`, `start` or `numbering`.
    #[track_caller]
    pub fn with_header(mut self, key: &str, value: &str) -> Record {
        let blank =
            |text: &str, is_bad: fn(char) -> bool| text.replace(is_bad, " ").trim().to_string();
        let key = blank(&key.to_lowercase(), |c| c == ':' || c.is_control());
        assert!(
            !RESERVED_KEYS.contains(&key.as_str()),
            "the header {key} is a field of the record"
        );
        self.headers.retain(|(known, _)| *known != key);
        self.headers.push((key, blank(value, char::is_control)));
        self
    }

    /// Adds the header `program`: the name and version of this library.
    pub fn with_program(self) -> Record {
        self.with_header("program", PROGRAM)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The numbering of the houses.
    pub fn numbering(&self) -> Numbering {
        self.numbering
    }

    /// The moves.
    pub fn moves(&self) -> &[RecordedMove] {
        &self.moves
    }

    /// The notes, each with the number of moves up to and including its own; 0 for the start.
    pub fn notes(&self) -> impl Iterator<Item = (usize, &Note)> {
        self.notes.iter().map(|(ply, note)| (*ply, note))
    }

    /// The value of a header.
    pub fn header(&self, key: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Whether the header marks the game as unfinished.
    pub fn is_unfinished(&self) -> bool {
        self.header("result") == Some(RECORD_UNFINISHED)
    }

    /// Replays the record. It fails if a move is illegal, or a separator or the result is wrong.
    pub fn replay(&self) -> Result<Playthrough, ReplayError> {
        let start = match &self.start {
            Some(setup) => Position::free(self.game, setup)?,
            None => Position::start(self.game),
        };
        let mut playthrough = Playthrough::new(start);
        for (recorded, number) in self.moves.iter().zip(1..) {
            let side = playthrough.side();
            let label = || self.label(recorded.action, side);
            if let Some(named) = recorded.side.filter(|named| *named != side) {
                let label = self.label(recorded.action, named);
                return Err(ReplayError::WrongSide { number, label, named, side });
            }
            let played = playthrough.try_play(recorded.action);
            let again = match played {
                Ok(play) => play.report.again,
                Err(error) => {
                    return Err(ReplayError::Illegal { number, label: label(), side, error });
                }
            };
            let right = right_separator(recorded.action, again, side);
            if let (Some(found), Some(right)) = (recorded.separator, right)
                && found != right
            {
                return Err(ReplayError::WrongSeparator {
                    number,
                    label: label(),
                    side,
                    found,
                    right,
                });
            }
        }
        let result = result_text(&playthrough);
        match self.header("result") {
            Some(header) if header != RECORD_UNFINISHED && header != result => {
                Err(ReplayError::WrongResult { header: header.to_string(), result })
            }
            _ => Ok(playthrough),
        }
    }

    fn label(&self, action: Move, side: Side) -> String {
        match action {
            Move::House(house) => self.numbering.label(house, side, self.game.houses()).to_string(),
            Move::Swap => "x".to_string(),
        }
    }
}

/// The right separator after a move; `None` for a swap.
fn right_separator(action: Move, again: bool, side: Side) -> Option<Separator> {
    match (action, again, side) {
        (Move::Swap, ..) => None,
        (_, true, _) => Some(Separator::Store),
        (_, false, Side::South) => Some(Separator::Lower),
        (_, false, Side::North) => Some(Separator::Upper),
    }
}

fn result_text(playthrough: &Playthrough) -> String {
    match playthrough.result() {
        Some(ending) => ending.to_string(),
        None => RECORD_UNFINISHED.to_string(),
    }
}

impl FromStr for Record {
    type Err = ParseRecordError;

    fn from_str(text: &str) -> Result<Record, ParseRecordError> {
        Record::read(text, None, Numbering::default())
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# game: {}", self.game)?;
        if let Some(start) = &self.start {
            writeln!(f, "# start: {start}")?;
        }
        if self.numbering != Numbering::default() {
            writeln!(f, "# numbering: {}", self.numbering)?;
        }
        self.headers.iter().try_for_each(|(key, value)| writeln!(f, "# {key}: {value}"))?;
        let spaced = self.numbering.highest(self.game.houses()) > 9;
        // The row matters in numberings that imply it.
        let mut side = Side::South;
        let mut line_is_open = false;
        let comment = |f: &mut fmt::Formatter<'_>, ply: usize, open: bool| {
            let comment = self.notes.get(&ply).map_or("", |note| note.comment.as_str());
            match (comment, open) {
                ("", _) => Ok(()),
                (comment, true) => write!(f, " {{{comment}}} "),
                (comment, false) => write!(f, "{{{comment}}} "),
            }
        };
        comment(f, 0, false)?;
        for (recorded, ply) in self.moves.iter().zip(1..) {
            if line_is_open && spaced {
                f.write_str(" ")?;
            }
            let by = recorded.side.unwrap_or(side);
            f.write_str(&self.label(recorded.action, by))?;
            if let Some(glyph) = self.notes.get(&ply).and_then(|note| note.glyph) {
                write!(f, "{glyph}")?;
            }
            if let Some(separator) = recorded.separator {
                write!(f, "{}", separator.symbol())?;
            }
            side = match recorded.separator {
                Some(Separator::Lower) => Side::North,
                Some(Separator::Upper) => Side::South,
                Some(Separator::Store) | None => by,
            };
            line_is_open = recorded.separator != Some(Separator::Upper);
            comment(f, ply, line_is_open)?;
        }
        if line_is_open { f.write_str("\n") } else { Ok(()) }
    }
}

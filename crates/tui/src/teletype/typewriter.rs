//! The PDP-1's program as an operator meets it: keys in, typing and a board out.

use std::fmt::Write;

use sowing_rules::{
    Game, House, Move, Numbering, Playthrough, Position, RECORD_UNFINISHED, Record, Side,
};

use sowing_draw::words::scores;

/// A game and the paper it is typed on: one record after another, with a blank line between.
#[derive(Debug)]
pub(crate) struct Typewriter {
    play: Playthrough,
    paper: String,
    /// How much of the present game's moves is on the paper.
    typed: usize,
    headed: bool,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Play(Move),
    /// The machine is to choose.
    Machine,
    Restart,
}

impl Typewriter {
    pub(crate) fn new(game: Game) -> Typewriter {
        let play = Playthrough::new(Position::start(game));
        let mut typewriter = Typewriter { play, paper: String::new(), typed: 0, headed: false };
        typewriter.head();
        typewriter
    }

    pub(crate) fn play(&self) -> &Playthrough {
        &self.play
    }

    /// All that was typed.
    pub(crate) fn paper(&self) -> &str {
        &self.paper
    }

    /// What a key means: a digit is a house counted from the player's own store, `a` to `g` are
    /// houses 10 to 16. Keys that mean nothing, and houses that cannot be played, are ignored.
    pub(crate) fn key(&self, key: char) -> Option<Key> {
        let over = self.play.result().is_some();
        let houses = self.play.position().game().houses();
        let key = match key {
            '\r' | '\n' => return Some(Key::Restart),
            _ if over => return None,
            ' ' => Key::Machine,
            'x' => Key::Play(Move::Swap),
            _ => {
                let label = key.to_digit(17)? as u8;
                let (house, _): (House, _) = Numbering::Pdp.house(label, houses)?;
                Key::Play(Move::House(house))
            }
        };
        match key {
            Key::Play(action) if self.play.position().try_play(action).is_err() => None,
            key => Some(key),
        }
    }

    /// Plays a legal move and types it; at the end of the game, who wins and the score.
    pub(crate) fn make(&mut self, action: Move) {
        self.head();
        self.play.try_play(action).expect("keys and the machine name legal moves");
        let moves = moves_text(&self.play);
        self.paper.push_str(&moves[self.typed..]);
        self.typed = moves.len();
        if self.play.result().is_some() {
            self.close();
        }
    }

    /// Starts again.
    pub(crate) fn restart(&mut self) {
        self.end();
        self.play = Playthrough::new(*self.play.start());
        (self.typed, self.headed) = (0, false);
    }

    /// A game that is broken off says so, unless nothing of it was typed.
    pub(crate) fn end(&mut self) {
        if self.headed && self.play.result().is_none() {
            self.close();
        }
    }

    fn head(&mut self) {
        if self.headed {
            return;
        }
        let gap = if self.paper.is_empty() { "" } else { "\n" };
        let game = self.play.position().game();
        let numbering = Numbering::Pdp;
        write!(self.paper, "{gap}# game: {game}\n# numbering: {numbering}\n").expect("a string");
        self.headed = true;
    }

    fn close(&mut self) {
        if !self.paper.ends_with('\n') {
            self.paper.push('\n');
        }
        let result = self.play.result().map_or(RECORD_UNFINISHED.into(), |end| end.to_string());
        let (south, north) = scores(&self.play);
        writeln!(self.paper, "# result: {result}").expect("a string");
        if self.play.is_endless() {
            writeln!(self.paper, "# endless: {south} to {north}").expect("a string");
        } else if self.play.result().is_some() {
            writeln!(self.paper, "# score: {south} to {north}").expect("a string");
        }
    }

    /// The board as the cathode ray tube shows it. The upper row reads from its store outwards, so
    /// that pits lie opposite each other; `+` stands on the side that is to move.
    pub(crate) fn board(&self) -> String {
        let position = self.play.position();
        let board = position.board();
        let rows = [(board.own(), board.store()), (board.other(), board.other_store())];
        let [south, north] = match self.play.side() {
            Side::South => rows,
            Side::North => [rows[1], rows[0]],
        };
        let most = position.total().to_string().len();
        let width = most.min(seeds_width(south.0, north.0)) + 3;
        let row = |seeds: Vec<u64>| {
            let cells: String = seeds.iter().map(|seeds| format!("{seeds:>width$}")).collect();
            format!("{:7}{cells}\n", "")
        };
        let right = 7 + width * south.0.len() + 2;
        let stores = format!("{:>5}{:>right$}\n", north.1, south.1, right = right - 5 + 4);
        let plus = |side| {
            if side == self.play.side() && self.play.result().is_none() { "    +\n" } else { "" }
        };
        let upper = row(north.0.iter().rev().copied().collect());
        let lower = row(south.0.to_vec());
        format!("{upper}{}{stores}{}{lower}", plus(Side::North), plus(Side::South))
    }
}

fn seeds_width(south: &[u64], north: &[u64]) -> usize {
    south.iter().chain(north).max().map_or(1, |seeds| seeds.to_string().len())
}

/// The moves of a record, up to the last one's mark.
fn moves_text(play: &Playthrough) -> String {
    let record = Record::from_playthrough(play).with_numbering(Numbering::Pdp).to_string();
    let header: usize =
        record.split_inclusive('\n').take_while(|line| line.starts_with('#')).map(str::len).sum();
    let moves = &record[header..];
    let last = play.plays().last();
    // The upper player's turn ends with the new line; elsewhere the line goes on.
    let line_is_over = last.is_some_and(|last| {
        last.side == Side::North && !last.report.again && last.action != Move::Swap
    });
    if line_is_over { moves.to_string() } else { moves.trim_end_matches('\n').to_string() }
}

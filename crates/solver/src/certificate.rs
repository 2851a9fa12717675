//! Proofs that can be checked with nothing but the rules.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use sowing::{Board, Game, House, Move, Position, Setup, Wide};

use crate::solver::{SolveError, Solver};

/// What a certificate claims of the value of its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The mover gets at least this margin.
    AtLeast(i64),
    /// The mover gets at most this margin: the opponent proves it.
    AtMost(i64),
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Claim::AtLeast(margin) => write!(f, "value >= {margin}"),
            Claim::AtMost(margin) => write!(f, "value <= {margin}"),
        }
    }
}

/// A strategy for one player that proves a bound.
///
/// It is a list of lemmas. Each names a board (houses only, since stores change no move), a move
/// for its mover, and what the mover gets out of the houses at least. A lemma holds if, after its
/// move and whatever the opponent then does, every board where the prover is to move again has a
/// lemma that promises enough. Since no position of these games can come back, lemmas that all
/// check out prove each other, and the claim.
///
/// The text form has four header lines and a line a lemma:
///
/// ```text
/// # sow certificate 1
/// # game: s-kalaha(2,1)
/// # position: 1,1,0|1,1,0
/// # claim: value >= 0
/// 1,1|1,1 >= 0: 1
/// 0,1|1,0 >= 0: 2
/// ```
#[derive(Clone, Debug)]
pub struct Certificate {
    game: Game,
    position: Position,
    claim: Claim,
    lemmas: HashMap<Wide, Lemma>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lemma {
    margin: i64,
    house: House,
}

/// Why a text is not a certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseCertificateError {
    /// A header line is missing or wrong.
    #[error("line {line} should be {expected:?} with its value, not {found:?}")]
    Header {
        /// The line, from 1.
        line: usize,
        /// What the line starts with.
        expected: &'static str,
        /// What stands there.
        found: String,
    },
    /// A header's value cannot be read.
    #[error("line {line}: {error}")]
    Value {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        error: String,
    },
    /// A lemma cannot be read.
    #[error("line {line} is not a lemma, as in 1,1|1,1 >= 0: 1, but {found:?}")]
    Lemma {
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
    },
}

/// Why a certificate proves nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefutedError {
    /// The prover must move and the certificate does not say how.
    #[error("no lemma for {board}, which needs a margin of {needed}")]
    Missing {
        /// The board, houses only.
        board: String,
        /// The margin that is needed there.
        needed: i64,
    },
    /// A lemma promises too little.
    #[error("the lemma for {board} promises {margin}, but {needed} is needed")]
    Weak {
        /// The board, houses only.
        board: String,
        /// What the lemma promises.
        margin: i64,
        /// What is needed.
        needed: i64,
    },
    /// A lemma's move is illegal.
    #[error("the lemma for {board} plays house {house}, which is empty or does not exist")]
    Illegal {
        /// The board, houses only.
        board: String,
        /// The house.
        house: House,
    },
    /// The game ends with less than promised.
    #[error("from {board} the game can end with a margin of {margin}, but {needed} is needed")]
    End {
        /// The prover's last board, houses only.
        board: String,
        /// How it ends.
        margin: i64,
        /// What is needed.
        needed: i64,
    },
    /// The proof could go round in circles.
    #[error("{0} repeats positions or offers a swap: certificates are for games that do neither")]
    Game(Game),
}

impl Certificate {
    /// The position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// What is claimed of its value.
    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// How many lemmas prove it.
    pub fn lemmas(&self) -> usize {
        self.lemmas.len()
    }

    /// Writes down a strategy that proves a claim which is known to be true.
    ///
    /// # Panics
    /// If the claim is false.
    pub fn prove(
        solver: &mut Solver,
        position: &Position,
        claim: Claim,
    ) -> Result<Certificate, SolveError> {
        let game = *position.game();
        let lemmas = HashMap::new();
        let mut certificate = Certificate { game, position: *position, claim, lemmas };
        let mut pending = Vec::new();
        let note = |board: Wide, needed: i64, pending: &mut Vec<(Wide, i64)>| {
            pending.push((board, needed));
            Ok(())
        };
        let started: Result<(), RefutedError> =
            certificate.start(&mut |board, needed| note(board, needed, &mut pending));
        started.expect("the claim is true");
        while let Some((board, needed)) = pending.pop() {
            if certificate.promises(&board, needed) {
                continue;
            }
            let position = bare(game, board);
            let Move::House(house) = solver.keeps(&position, needed)? else {
                unreachable!("no swaps here")
            };
            certificate.lemmas.insert(board, Lemma { margin: needed, house });
            let checked: Result<(), RefutedError> =
                certificate.follow(board, needed, house, &mut |board, needed| {
                    note(board, needed, &mut pending)
                });
            checked.expect("the move keeps what is needed");
        }
        Ok(certificate)
    }

    /// Checks every lemma and the claim.
    pub fn verify(&self) -> Result<(), RefutedError> {
        if self.game.rules().repeats() || self.position.pie_is_open() {
            return Err(RefutedError::Game(self.game));
        }
        let mut require = |board: Wide, needed: i64| self.require(&board, needed);
        self.start(&mut require)?;
        for (board, lemma) in &self.lemmas {
            self.follow(*board, lemma.margin, lemma.house, &mut require)?;
        }
        Ok(())
    }

    fn promises(&self, board: &Wide, needed: i64) -> bool {
        self.require(board, needed).is_ok()
    }

    /// Whether a lemma (or the seeds that there are) promises the prover enough at a board.
    fn require(&self, board: &Wide, needed: i64) -> Result<(), RefutedError> {
        if needed <= -((board.own_seeds() + board.other_seeds()) as i64) {
            return Ok(());
        }
        match self.lemmas.get(board) {
            Some(lemma) if lemma.margin >= needed => Ok(()),
            Some(lemma) => {
                let (board, margin) = (houses(board), lemma.margin);
                Err(RefutedError::Weak { board, margin, needed })
            }
            None => Err(RefutedError::Missing { board: houses(board), needed }),
        }
    }

    /// What the claim needs of the boards where the prover moves first.
    fn start(
        &self,
        require: &mut dyn FnMut(Wide, i64) -> Result<(), RefutedError>,
    ) -> Result<(), RefutedError> {
        let position = bare(self.game, *self.position.board());
        let lead = self.position.lead();
        match self.claim {
            Claim::AtLeast(margin) => match position.margin() {
                Some(end) => self.ended(&position, end, margin - lead),
                None => require(*position.board(), margin - lead),
            },
            Claim::AtMost(margin) => self.answers(&position, lead - margin, require),
        }
    }

    /// What a lemma's move needs of the boards that can come after it.
    fn follow(
        &self,
        board: Wide,
        needed: i64,
        house: House,
        require: &mut dyn FnMut(Wide, i64) -> Result<(), RefutedError>,
    ) -> Result<(), RefutedError> {
        let position = bare(self.game, board);
        let Ok((next, report)) = position.play(Move::House(house)) else {
            return Err(RefutedError::Illegal { board: houses(&board), house });
        };
        let needed = needed - report.gain as i64;
        let next = bare(self.game, *next.board());
        match (next.margin(), report.again) {
            (Some(end), true) => self.ended(&position, end, needed),
            (Some(end), false) => self.ended(&position, -end, needed),
            (None, true) => require(*next.board(), needed),
            (None, false) => self.answers(&next, needed, require),
        }
    }

    /// What the prover, who is not to move, needs of the boards after each of the opponent's moves.
    fn answers(
        &self,
        position: &Position,
        needed: i64,
        require: &mut dyn FnMut(Wide, i64) -> Result<(), RefutedError>,
    ) -> Result<(), RefutedError> {
        if let Some(end) = position.margin() {
            return self.ended(position, -end, needed);
        }
        // The same board in the middle of a turn always comes with the same gain.
        let mut seen = HashMap::from([(*position.board(), ())]);
        let mut turn = vec![(*position, needed)];
        while let Some((position, needed)) = turn.pop() {
            for action in position.moves() {
                let (next, report) = position.play(action).expect("legal");
                let needed = needed + report.gain as i64;
                let next = bare(self.game, *next.board());
                match (next.margin(), report.again) {
                    (Some(end), true) => self.ended(&position, -end, needed)?,
                    (Some(end), false) => self.ended(&position, end, needed)?,
                    (None, true) if seen.insert(*next.board(), ()).is_none() => {
                        turn.push((next, needed));
                    }
                    (None, true) => {}
                    (None, false) => require(*next.board(), needed)?,
                }
            }
        }
        Ok(())
    }

    fn ended(&self, last: &Position, margin: i64, needed: i64) -> Result<(), RefutedError> {
        if margin >= needed {
            return Ok(());
        }
        Err(RefutedError::End { board: houses(last.board()), margin, needed })
    }
}

/// A position with these houses and empty stores, whose value is what the houses are worth.
fn bare(game: Game, board: Wide) -> Position {
    let setup = Setup::from(Wide::new(board.own(), 0, board.other(), 0));
    let position = Position::free(game, &setup).expect("as many houses as the game");
    // A start position would have its pie rule open again.
    if position.pie_is_open() { position.flip().flip() } else { position }
}

/// A board without its stores: `1,1|1,1`.
fn houses(board: &Wide) -> String {
    let row = |seeds: &[u64]| seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    format!("{}|{}", row(board.own()), row(board.other()))
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", HEADERS[0])?;
        writeln!(f, "{} {}", HEADERS[1], self.game)?;
        writeln!(f, "{} {}", HEADERS[2], self.position)?;
        writeln!(f, "{} {}", HEADERS[3], self.claim)?;
        // From the start downwards, and the same from run to run.
        let mut lemmas: Vec<_> = self.lemmas.iter().collect();
        let level = |board: &Wide| board.own_seeds() + board.other_seeds();
        lemmas.sort_by_key(|(board, _)| (std::cmp::Reverse(level(board)), **board));
        for (board, Lemma { margin, house }) in lemmas {
            writeln!(f, "{} >= {margin}: {house}", houses(board))?;
        }
        Ok(())
    }
}

const HEADERS: [&str; 4] = ["# sow certificate 1", "# game:", "# position:", "# claim:"];

impl FromStr for Certificate {
    type Err = ParseCertificateError;

    fn from_str(text: &str) -> Result<Certificate, ParseCertificateError> {
        let mut lines = text.lines().zip(1..);
        let mut header = |expected: &'static str| {
            let (found, line) = lines.next().unwrap_or(("", 1));
            let value = found.strip_prefix(expected).map(str::trim);
            let error = || ParseCertificateError::Header { line, expected, found: short(found) };
            value.map(|value| (value, line)).ok_or_else(error)
        };
        header(HEADERS[0])?;
        let game: Game = value(header(HEADERS[1])?)?;
        let (setup, line) = header(HEADERS[2])?;
        let setup: Setup = value((setup, line))?;
        let position = Position::free(game, &setup)
            .map_err(|error| ParseCertificateError::Value { line, error: error.to_string() })?;
        let claim = value(header(HEADERS[3])?)?;
        let mut lemmas = HashMap::new();
        for (text, line) in lines {
            let malformed = || ParseCertificateError::Lemma { line, found: short(text) };
            let (board, lemma) = read_lemma(text).ok_or_else(malformed)?;
            if board.houses() != game.houses() || lemmas.insert(board, lemma).is_some() {
                return Err(malformed());
            }
        }
        Ok(Certificate { game, position, claim, lemmas })
    }
}

fn value<T: FromStr<Err: fmt::Display>>(
    (text, line): (&str, usize),
) -> Result<T, ParseCertificateError> {
    text.parse()
        .map_err(|error: T::Err| ParseCertificateError::Value { line, error: error.to_string() })
}

fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

fn read_lemma(text: &str) -> Option<(Wide, Lemma)> {
    let (board, promise) = text.split_once(" >= ")?;
    let (margin, house) = promise.split_once(": ")?;
    let (own, other) = board.split_once('|')?;
    let setup: Setup = format!("{own},0|{other},0").parse().ok()?;
    let house = House::new(house.parse().ok()?)?;
    Some((*setup.board(), Lemma { margin: margin.parse().ok()?, house }))
}

/// Why a text is not a claim.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a claim is of the form value >= 8 or value <= 8, not {0:?}")]
pub struct ParseClaimError(String);

impl FromStr for Claim {
    type Err = ParseClaimError;

    fn from_str(text: &str) -> Result<Claim, ParseClaimError> {
        let error = || ParseClaimError(short(text));
        let rest = text.strip_prefix("value ").ok_or_else(error)?;
        let (sign, margin) = rest.split_once(' ').ok_or_else(error)?;
        let margin = margin.parse().map_err(|_| error())?;
        match sign {
            ">=" => Ok(Claim::AtLeast(margin)),
            "<=" => Ok(Claim::AtMost(margin)),
            _ => Err(error()),
        }
    }
}

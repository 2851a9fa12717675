//! A second, independent checker of certificates. It has its own parser, plays with [`Plain`], and tracks the stores
//! where the first checker tracks the margin still needed.

use std::collections::{BTreeMap, HashSet};

use sowing_rules::{Capture, Rules};

use crate::Plain;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VerifyError {
    /// It is not a certificate, or proves nothing.
    Wrong(String),
    /// The position holds too many seeds for sowing them one by one.
    TooLarge,
}

/// The most seeds in the houses of a position.
const MAX_SEEDS: u64 = 2_000;

/// The most boards within a turn of the opponent, besides one per lemma.
const MAX_BOARDS: usize = 1 << 20;

struct Proof {
    start: Plain,
    /// Whether the prover is the opponent of the first mover.
    upper: bool,
    margin: i64,
    lemmas: BTreeMap<[Vec<u64>; 2], (i64, usize)>,
}

/// Checks the text of a certificate: `Ok` means that its claim is proven.
pub fn verify(text: &str) -> Result<(), VerifyError> {
    let proof = read(text).map_err(VerifyError::Wrong)?;
    if seeds(&proof.start) > MAX_SEEDS {
        return Err(VerifyError::TooLarge);
    }
    proof.check().map_err(VerifyError::Wrong)
}

impl Proof {
    fn check(&self) -> Result<(), String> {
        let layer = seeds(&self.start) as i64;
        let lead = self.start.stores[0] as i64 - self.start.stores[1] as i64;
        if self.margin < lead - layer || self.margin > lead + layer {
            return Err(format!("the claim of {} is out of bounds", self.margin));
        }
        let boards = self.lemmas.iter().map(|(rows, lemma)| {
            let board = Plain { rows: rows.clone(), stores: [0, 0], ..self.start.clone() };
            (board, *lemma)
        });
        for (board, (margin, house)) in boards.clone() {
            let count = seeds(&board);
            if count as i64 > layer || margin.unsigned_abs() > count {
                return Err(format!("{}: out of bounds", board.text()));
            }
            if board.finished() || board.rows[0].get(house).is_none_or(|seeds| *seeds == 0) {
                return Err(format!("{}: no such move", board.text()));
            }
        }
        // The claim as the prover sees it.
        let wanted = if self.upper { -self.margin } else { self.margin };
        self.check_margin(self.start.clone(), !self.upper, wanted)?;
        for (board, (margin, house)) in boards {
            let (next, again) = board.play(house);
            self.check_margin(next, again, margin)
                .map_err(|error| format!("{}: {error}", board.text()))?;
        }
        Ok(())
    }

    /// Checks that the prover, to move or not, ends with a margin of at least `wanted`, stores included.
    fn check_margin(&self, position: Plain, prover_moves: bool, wanted: i64) -> Result<(), String> {
        let mut seen = HashSet::from([position.clone()]);
        let mut open = vec![(position, prover_moves)];
        while let Some((position, prover_moves)) = open.pop() {
            let sign = if prover_moves { 1 } else { -1 };
            let name = position.text();
            if position.finished() {
                let ahead = sign * position.margin();
                if ahead < wanted {
                    return Err(format!("{name} ends with {ahead}, not {wanted}"));
                }
                continue;
            }
            let ahead = sign * (position.stores[0] as i64 - position.stores[1] as i64);
            // Even if the opponent gets all the rest.
            if ahead - seeds(&position) as i64 >= wanted {
                continue;
            }
            if prover_moves {
                match self.lemmas.get(&position.rows) {
                    Some((margin, _)) if ahead + margin >= wanted => {}
                    _ => return Err(format!("{name}: no lemma gets {wanted}")),
                }
                continue;
            }
            for house in (0..position.houses()).filter(|house| position.rows[0][*house] > 0) {
                let (next, again) = position.play(house);
                if !again {
                    open.push((next, true));
                } else if next.finished() || seen.insert(next.clone()) {
                    open.push((next, false));
                }
            }
            if seen.len() > MAX_BOARDS + self.lemmas.len() {
                return Err(format!("{name}: the turn is too large"));
            }
        }
        Ok(())
    }
}

fn seeds(position: &Plain) -> u64 {
    position.rows.iter().flatten().sum()
}

fn read(text: &str) -> Result<Proof, String> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    // The last line may end in a line feed.
    if lines.len() > 1 && lines.last() == Some(&"") {
        lines.pop();
    }
    let [first, game, position, claim, lemmas @ ..] = lines.as_slice() else {
        return Err("four lines at least".to_string());
    };
    let lemmas = match (*first, lemmas) {
        ("# sow certificate 1", lemmas) => lemmas,
        ("# sow certificate 2", [program, lemmas @ ..]) if is_program(program) => lemmas,
        _ => return Err("not a certificate".to_string()),
    };
    let (rules, houses) = read_game(game).ok_or("no game")?;
    let start = read_position(position, rules, houses).ok_or("no position")?;
    let (upper, margin) = read_claim(claim).ok_or("no claim")?;
    let mut proof = Proof { start, upper, margin, lemmas: BTreeMap::new() };
    for line in lemmas {
        let (rows, lemma) = read_lemma(line, houses).ok_or(format!("{line:?} is no lemma"))?;
        if proof.lemmas.insert(rows, lemma).is_some() {
            return Err(format!("{line:?} is the second for its board"));
        }
    }
    Ok(proof)
}

/// Whether a line names the program that made the certificate, in printable ASCII.
fn is_program(line: &str) -> bool {
    let Some(name) = line.strip_prefix("# program: ") else { return false };
    let graphic = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    let bytes = name.as_bytes();
    let all = bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    all && graphic(bytes.first()) && graphic(bytes.last())
}

/// The rules and houses of a game that certificates are for, written as it is printed.
fn read_game(line: &str) -> Option<(Rules, usize)> {
    let (name, rest) = line.strip_prefix("# game: ")?.split_once('(')?;
    let words: Vec<&str> = rest.strip_suffix(')')?.split(',').collect();
    let [houses, seeds, options @ ..] = words.as_slice() else { return None };
    let (houses, seeds) = (number(houses)?, number(seeds)?);
    if !(1..=16).contains(&houses) || !(1..=10_000_000_000_000_000).contains(&seeds) {
        return None;
    }
    let mut options = options.iter().copied().peekable();
    let mut rules = Rules::default();
    if name == "s-kalaha" {
        (rules.relay, rules.capture) = (true, Capture::None);
    } else if name == "kalah" {
        rules.relay = options.next_if_eq(&"relay").is_some();
        for (word, capture) in [
            ("empty-capture", Capture::Empty),
            ("last-seed-capture", Capture::LastSeed),
            ("no-capture", Capture::None),
        ] {
            if rules.capture == Capture::Standard && options.next_if_eq(&word).is_some() {
                rules.capture = capture;
            }
        }
        // That game has a name of its own.
        if rules.relay && rules.capture == Capture::None {
            return None;
        }
    } else {
        return None;
    }
    rules.remaining_lost = options.next_if_eq(&"remaining-lost").is_some();
    if options.next().is_some() { None } else { Some((rules, houses as usize)) }
}

fn read_position(line: &str, rules: Rules, houses: usize) -> Option<Plain> {
    let (own, other) = line.strip_prefix("# position: ")?.split_once('|')?;
    let (mut own, mut other) = (numbers(own, houses + 1)?, numbers(other, houses + 1)?);
    let total: u128 = own.iter().chain(&other).map(|seeds| u128::from(*seeds)).sum();
    if total > 320_000_000_000_000_000 {
        return None;
    }
    let stores = [own.pop()?, other.pop()?];
    Some(Plain { rules, rows: [own, other], stores, first_turn: false, may_swap: false })
}

fn read_claim(line: &str) -> Option<(bool, i64)> {
    let claim = line.strip_prefix("# claim: value ")?;
    match claim.strip_prefix("<= ") {
        Some(claim) => Some((true, margin(claim)?)),
        None => Some((false, margin(claim.strip_prefix(">= ")?)?)),
    }
}

#[allow(clippy::type_complexity)]
fn read_lemma(line: &str, houses: usize) -> Option<([Vec<u64>; 2], (i64, usize))> {
    let (board, rest) = line.split_once(" >= ")?;
    let (promise, house) = rest.split_once(": ")?;
    let (own, other) = board.split_once('|')?;
    let house = number(house).filter(|house| (1..=16).contains(house))? as usize - 1;
    let rows = [numbers(own, houses)?, numbers(other, houses)?];
    // More than any position has: no board of this game.
    let total: u128 = rows.iter().flatten().map(|seeds| u128::from(*seeds)).sum();
    if total > 320_000_000_000_000_000 {
        return None;
    }
    Some((rows, (margin(promise)?, house)))
}

fn numbers(text: &str, count: usize) -> Option<Vec<u64>> {
    let numbers: Vec<u64> = text.split(',').map(number).collect::<Option<_>>()?;
    (numbers.len() == count).then_some(numbers)
}

/// Digits, without a zero before others.
fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits || text.starts_with('0') && text != "0" { None } else { text.parse().ok() }
}

fn margin(text: &str) -> Option<i64> {
    match text.strip_prefix('-') {
        Some(rest) if number(rest)? != 0 => text.parse().ok(),
        Some(_) => None,
        None => i64::try_from(number(text)?).ok(),
    }
}

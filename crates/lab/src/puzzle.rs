//! Positions with one turn that is worth finding.

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sowing_analysis::{Limits, search_to_depth};
use sowing_players::Opponent;
use sowing_rules::Outcome;
use sowing_rules::{CompactBoard, CompiledRules, Game, Move, Position, Setup, Step, quoted};
use sowing_tables::Tables;

/// A position with one best turn, what it is worth, and how hard it is to find.
///
/// The turn is the only one that wins, or the only one that does not lose; no other order of moves
/// does it; it is better than every other turn by [`margin`](Puzzle::margin); and it is not the turn
/// that brings home most at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Puzzle {
    /// The game.
    pub game: Game,
    /// The position.
    pub position: Position,
    /// The turn.
    pub turn: Vec<Move>,
    /// The mover's margin after it, with perfect play.
    pub value: i64,
    /// The same after the best of all other turns.
    pub next_best: i64,
    /// How many turns a player must look ahead to find it: at this depth and at every greater one up
    /// to [`Puzzle::DEEPEST`], each move of the turn is the one that looks best.
    pub grade: u32,
    /// The weakest level that looks so far.
    pub level: u8,
    /// What it is about.
    pub themes: Vec<Theme>,
}

/// What a puzzle is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    /// A turn of three moves or more.
    Chain,
    /// Seeds of the opponent's are taken.
    Capture,
    /// The opponent is left with seeds in one house at most.
    Starving,
    /// Another turn brings home three seeds more at once, or still more.
    Sacrifice,
    /// Nothing comes home at all.
    Quiet,
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Theme::Chain => "chain",
            Theme::Capture => "capture",
            Theme::Starving => "starving",
            Theme::Sacrifice => "sacrifice",
            Theme::Quiet => "quiet",
        })
    }
}

/// Why a text is no theme.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the themes are chain, capture, starving, sacrifice and quiet, not {what}", what = quoted(.0))]
pub struct ParseThemeError(String);

impl FromStr for Theme {
    type Err = ParseThemeError;

    fn from_str(text: &str) -> Result<Theme, ParseThemeError> {
        let all = [Theme::Chain, Theme::Capture, Theme::Starving, Theme::Sacrifice, Theme::Quiet];
        let named = all.into_iter().find(|theme| theme.to_string() == text.trim());
        named.ok_or_else(|| ParseThemeError(text.to_string()))
    }
}

/// What is gained by a sequence of moves that ends a turn.
struct Sequence {
    slots: Vec<usize>,
    gain: i64,
    /// What the mover gets out of the houses in all.
    value: i64,
}

/// A turn whose sequences are more than this is no puzzle for anybody.
const MOST_SEQUENCES: usize = 2_000;

/// Boards that are looked at for one depth.
const MOST_WORK: u64 = 5_000_000;

impl Puzzle {
    /// The greatest depth that a grade takes into account.
    pub const DEEPEST: u32 = 8;

    /// The puzzle of a position, if it is one by this margin: `None` if it is not, or more seeds lie in
    /// houses than the tables have.
    ///
    /// # Panics
    /// If the tables are for another game.
    pub fn of(position: &Position, tables: &Tables, margin: i64) -> Option<Puzzle> {
        tables.require(position.game()).expect("tables of the game");
        if position.pie_is_open() || position.is_finished() {
            return None;
        }
        let board = CompactBoard::new(position.board()).ok()?;
        tables.probe(board)?;
        let sequences = sequences(&CompiledRules::new(position.game()), tables, board)?;
        let best = sequences.iter().max_by_key(|sequence| sequence.value)?;
        let others = || sequences.iter().filter(|other| other.slots != best.slots);
        let next_best = others().map(|other| other.value).max()?;
        let most = others().map(|other| other.gain).max()?;
        let lead = position.lead();
        let (value, next) = (lead + best.value, lead + next_best);
        let decides = outcome(value) != outcome(next);
        if value - next < margin.max(1) || !decides || best.gain >= most {
            return None;
        }
        let turn: Vec<Move> = best.slots.iter().map(|slot| Move::house(*slot as u8 + 1)).collect();
        let grade = grade(position, &turn)?;
        let level = (1..=Opponent::MAX_LEVEL)
            .find(|level| Opponent::Level(*level).turns_ahead() >= Some(grade))?;
        let themes = themes(position, &turn, best.gain, most);
        let game = *position.game();
        Some(Puzzle {
            game,
            position: *position,
            turn,
            value,
            next_best: next,
            grade,
            level,
            themes,
        })
    }

    /// By how much the turn is better than every other.
    pub fn margin(&self) -> i64 {
        self.value - self.next_best
    }

    /// What the mover is asked to do: win or draw.
    pub fn task(&self) -> Outcome {
        outcome(self.value)
    }
}

fn outcome(value: i64) -> Outcome {
    match value {
        1.. => Outcome::Win,
        0 => Outcome::Draw,
        _ => Outcome::Loss,
    }
}

/// Every sequence of moves that ends the turn; `None` if they are too many or the tables are damaged.
fn sequences(
    rules: &CompiledRules<CompactBoard>,
    tables: &Tables,
    board: CompactBoard,
) -> Option<Vec<Sequence>> {
    let mut found = Vec::new();
    let mut open = vec![(board, Vec::new(), 0)];
    while let Some((board, slots, gain_before)) = open.pop() {
        for slot in board.occupied() {
            let next = rules.play_unchecked(board, slot);
            let gain = gain_before + next.gain as i64;
            let mut slots: Vec<usize> = slots.clone();
            slots.push(slot);
            if next.again && !next.finished {
                open.push((next.board, slots, gain));
                continue;
            }
            let rest = match next.finished {
                true => rules.remaining(&next.board),
                false => tables.probe(next.board)?.into(),
            };
            let value = gain_before + next.to_mover(rest);
            found.push(Sequence { slots, gain, value });
        }
        if found.len() + open.len() > MOST_SEQUENCES {
            return None;
        }
    }
    Some(found)
}

/// How many turns a player must look ahead to find a turn, if it is more than one and not too many.
fn grade(position: &Position, turn: &[Move]) -> Option<u32> {
    let limits = Limits { max_work: MOST_WORK, should_stop: &|| false };
    let mut grade = None;
    for depth in (1..=Puzzle::DEEPEST).rev() {
        let mut at = *position;
        for action in turn {
            let moves: Vec<Move> = at.moves().collect();
            let ranking = search_to_depth(&at, depth, &moves, &limits).ok()?;
            let best = ranking.iter().map(|(_, value)| *value).max()?;
            let mut looks_best = ranking.iter().filter(|(_, value)| *value == best);
            if looks_best.next().map(|(found, _)| found) != Some(action)
                || looks_best.next().is_some()
            {
                return grade.filter(|grade| *grade > 1);
            }
            at = at.try_play(*action).ok()?.0;
        }
        grade = Some(depth);
    }
    None
}

fn themes(position: &Position, turn: &[Move], gain: i64, most: i64) -> Vec<Theme> {
    let (mut at, mut again, mut captured) = (*position, false, false);
    for action in turn {
        let (next, report) = at.play(*action);
        captured |= report
            .steps
            .iter()
            .any(|step| matches!(step, Step::Capture { taken, .. } if *taken > 0));
        (at, again) = (next, report.again);
    }
    let row = if again { at.board().other() } else { at.board().own() };
    let starving = row.iter().filter(|seeds| **seeds > 0).count() <= 1;
    [
        (Theme::Chain, turn.len() >= 3),
        (Theme::Capture, captured),
        (Theme::Starving, starving),
        (Theme::Sacrifice, most >= gain + 3),
        (Theme::Quiet, gain == 0),
    ]
    .into_iter()
    .filter_map(|(theme, is_it)| is_it.then_some(theme))
    .collect()
}

/// Puzzles with as many of each grade as are wanted, each board once.
#[derive(Debug)]
pub struct PuzzleSet {
    wanted: u64,
    boards: HashSet<Setup>,
    puzzles: Vec<Puzzle>,
    grades: std::ops::RangeInclusive<u32>,
}

impl PuzzleSet {
    /// An empty set that takes so many puzzles of each of these grades.
    pub fn new(grades: std::ops::RangeInclusive<u32>, wanted: u64) -> PuzzleSet {
        PuzzleSet { wanted, boards: HashSet::new(), puzzles: Vec::new(), grades }
    }

    /// How many puzzles there are of a grade.
    pub fn of_grade(&self, grade: u32) -> u64 {
        self.puzzles.iter().filter(|puzzle| puzzle.grade == grade).count() as u64
    }

    /// Takes a puzzle if it is wanted.
    pub fn offer(&mut self, puzzle: Puzzle) {
        let wanted =
            self.grades.contains(&puzzle.grade) && self.of_grade(puzzle.grade) < self.wanted;
        if wanted && self.boards.insert(puzzle.position.setup()) {
            self.puzzles.push(puzzle);
        }
    }

    /// Whether nothing more is wanted.
    pub fn is_full(&self) -> bool {
        self.grades.clone().all(|grade| self.of_grade(grade) >= self.wanted)
    }

    /// The puzzles, the easy ones first.
    pub fn into_puzzles(mut self) -> Vec<Puzzle> {
        self.puzzles.sort_by_key(|puzzle| puzzle.grade);
        self.puzzles
    }
}

/// A puzzle as it is kept.
#[derive(Deserialize)]
struct Kept {
    game: Game,
    position: Setup,
    turn: Vec<Move>,
    value: i64,
    next_best: i64,
    grade: u32,
    level: u8,
    themes: Vec<Theme>,
}

const SHIPPED: &str = include_str!("../data/puzzles.json");

/// The puzzles that are built in, of Kalah(6,4), the easy ones first.
///
/// ```
/// let puzzles = sowing_lab::puzzles();
/// assert_eq!(puzzles.len(), 200);
/// ```
pub fn puzzles() -> Vec<Puzzle> {
    let kept: Vec<Kept> = serde_json::from_str(SHIPPED).expect("a test reads it");
    let puzzle = |kept: Kept| {
        let Kept { game, turn, value, next_best, grade, level, themes, .. } = kept;
        let position = Position::new(game, &kept.position).expect("a test reads it");
        Puzzle { game, position, turn, value, next_best, grade, level, themes }
    };
    kept.into_iter().map(puzzle).collect()
}

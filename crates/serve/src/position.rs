//! The position after some moves, and the steps that led to it.

use axum::Json;
use serde::Serialize;
use sowing::{Move, Outcome, Pit, Play, Playthrough, Position, Record, Side, Step, Track};
use utoipa::ToSchema;

use super::error::{ErrorBody, Refusal};
use super::query::{Params, Played, move_text};

/// The most motions that are listed.
const MAX_MOTIONS: u64 = 2000;

/// A game as it stands.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct View {
    game: String,
    /// Where it started, the mover's view.
    start: String,
    /// Where it stands, the mover's view.
    position: String,
    /// The position as the Kalah Game Protocol writes it.
    kgp: String,
    /// The moves as a record.
    record: String,
    /// Nobody, once the game is over.
    to_move: Option<Row>,
    finished: bool,
    board: Rows,
    may_swap: bool,
    /// Whether the players have changed rows.
    swapped: bool,
    result: Option<GameResult>,
    legal: Vec<Legal>,
    moves: Vec<Moved>,
    /// What the last move did, seed by seed; `null` if that is too long to be watched.
    steps: Option<Vec<Motion>>,
}

/// A row of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Row {
    South,
    North,
}

impl From<Side> for Row {
    fn from(side: Side) -> Row {
        match side {
            Side::South => Row::South,
            Side::North => Row::North,
        }
    }
}

/// The board by rows.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Rows {
    pub(crate) south: RowSeeds,
    pub(crate) north: RowSeeds,
}

/// The seeds of one side.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RowSeeds {
    /// From the owner's left.
    pub(crate) houses: Vec<u64>,
    pub(crate) store: u64,
}

/// How the game ended.
#[derive(Debug, Serialize, ToSchema)]
struct GameResult {
    /// `null` for a draw.
    winner: Option<Row>,
    /// South's seeds minus North's.
    margin: i64,
}

/// A move that can be played.
#[derive(Debug, Serialize, ToSchema)]
struct Legal {
    house: u8,
    again: bool,
    lands: Place,
    captures: u64,
    finishes: bool,
}

/// A pit: a house or a store.
#[derive(Debug, Serialize, ToSchema)]
struct Place {
    side: Row,
    #[serde(skip_serializing_if = "Option::is_none")]
    house: Option<u8>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    store: bool,
}

/// A move that was played.
#[derive(Debug, Serialize, ToSchema)]
struct Moved {
    #[serde(rename = "move")]
    action: String,
    side: Row,
    again: bool,
    captured: u64,
    /// Turns are numbered from 1.
    turn: usize,
    /// The position after it, the next mover's view.
    position: String,
}

/// One motion of the hand. All of them, applied to the board before, give the board after.
#[derive(Debug, Serialize, ToSchema)]
struct Motion {
    kind: MotionKind,
    side: Row,
    /// `null` for the side's store.
    house: Option<u8>,
    seeds: u64,
}

/// What a motion does.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum MotionKind {
    /// The house is emptied into the hand.
    Pickup,
    /// A seed of the hand falls.
    Sow,
    /// The house is emptied by a capture.
    Capture,
    /// What was captured goes to the store.
    Collect,
}

/// The game after these moves
#[utoipa::path(
    get,
    path = "/api/v1/position",
    params(Played),
    responses(
        (status = 200, description = "the game as it stands", body = View),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
    )
)]
pub(crate) async fn position(Params(played): Params<Played>) -> Result<Json<View>, Refusal> {
    Ok(Json(View::new(&played.playthrough()?)))
}

impl View {
    fn new(played: &Playthrough) -> View {
        let position = played.position();
        let side = played.side();
        let finished = position.is_finished();
        View {
            game: position.game().to_string(),
            start: played.start().to_string(),
            position: position.to_string(),
            kgp: position.setup().kgp().to_string(),
            record: Record::of(played).to_string(),
            to_move: (!finished).then(|| side.into()),
            finished,
            board: rows(position, side),
            may_swap: position.may_swap(),
            swapped: played.swapped(),
            result: position.margin().map(|margin| result(side, margin)),
            legal: position.moves().filter_map(|action| legal(position, side, action)).collect(),
            moves: moves(played),
            steps: played.plays().last().map_or(Some(Vec::new()), |play| motions(position, play)),
        }
    }
}

/// The board of a position whose mover sits at a side.
pub(crate) fn rows(position: &Position, mover: Side) -> Rows {
    let board = position.board();
    let own = RowSeeds { houses: board.own().to_vec(), store: board.store() };
    let other = RowSeeds { houses: board.other().to_vec(), store: board.other_store() };
    match mover {
        Side::South => Rows { south: own, north: other },
        Side::North => Rows { south: other, north: own },
    }
}

fn result(mover: Side, margin: i64) -> GameResult {
    let winner = match Outcome::of_margin(mover, margin) {
        Outcome::Win(side, _) => Some(side.into()),
        Outcome::Draw => None,
    };
    GameResult { winner, margin: if mover == Side::South { margin } else { -margin } }
}

fn legal(position: &Position, side: Side, action: Move) -> Option<Legal> {
    let Move::House(house) = action else { return None };
    let (_, report) = position.play(action).ok()?;
    let last = report.steps.iter().rev().find_map(|step| match step {
        Step::Sow { last, .. } => Some(*last),
        Step::Capture { .. } => None,
    })?;
    let (side, landed) = at(last, side);
    Some(Legal {
        house: house.number(),
        again: report.again,
        lands: Place { side, house: landed, store: landed.is_none() },
        captures: captured(&report.steps),
        finishes: report.finished,
    })
}

fn captured(steps: &[Step]) -> u64 {
    let seeds = |step: &Step| match step {
        Step::Capture { taken, .. } => taken + 1,
        Step::Sow { .. } => 0,
    };
    steps.iter().map(seeds).sum()
}

/// The row and the house of a pit as the mover sees it.
fn at(pit: Pit, mover: Side) -> (Row, Option<u8>) {
    match pit {
        Pit::Own(house) => (mover.into(), Some(house.number())),
        Pit::Store => (mover.into(), None),
        Pit::Other(house) => ((!mover).into(), Some(house.number())),
    }
}

fn moves(played: &Playthrough) -> Vec<Moved> {
    let mut turn = 1;
    let moved = |play: &Play| {
        let moved = Moved {
            action: move_text(play.action),
            side: play.side.into(),
            again: play.report.again,
            captured: captured(&play.report.steps),
            turn,
            position: play.after.to_string(),
        };
        turn += usize::from(!play.report.again);
        moved
    };
    played.plays().iter().map(moved).collect()
}

/// The motions of a move. The seeds of a pick-up fall one by one along the track.
fn motions(position: &Position, play: &Play) -> Option<Vec<Motion>> {
    let seeds = |step: &Step| match *step {
        Step::Sow { seeds, .. } => 1 + seeds,
        Step::Capture { .. } => 3,
    };
    if play.report.steps.iter().map(seeds).sum::<u64>() > MAX_MOTIONS {
        return None;
    }
    let game = position.game();
    let track = Track::new(game.houses(), game.rules().direction);
    let mut motions = Vec::new();
    let mut push = |kind, pit, seeds| {
        let (side, house) = at(pit, play.side);
        motions.push(Motion { kind, side, house, seeds });
    };
    for step in &play.report.steps {
        match *step {
            Step::Sow { from, seeds, .. } => {
                push(MotionKind::Pickup, from, seeds);
                for pit in track.after(from).take(seeds as usize) {
                    push(MotionKind::Sow, pit, 1);
                }
            }
            Step::Capture { house, opposite, taken } => {
                push(MotionKind::Capture, Pit::Own(house), 1);
                if taken > 0 {
                    push(MotionKind::Capture, Pit::Other(opposite), taken);
                }
                push(MotionKind::Collect, Pit::Store, taken + 1);
            }
        }
    }
    Some(motions)
}

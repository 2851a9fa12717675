//! The position after some moves, and the motions of the last move.

use serde::Serialize;
use sowing_analysis::schema;
use sowing_analysis::{Motion, motions};
use sowing_rules::{Ending, Game, Move, Pit, Play, Playthrough, Position, Side, Step};
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::motions::MAX_MOTIONS;
use crate::query::{GameQuery, read};
use crate::record::{PlayedMove, played_moves};
use crate::route::Response;

/// The game after these moves
#[utoipa::path(
    get,
    path = "/api/v1/position",
    params(GameQuery),
    responses(
        (status = 200, description = "the game as it stands", body = View),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
    )
)]
pub(crate) fn position(query: &str) -> Result<Response, ApiError> {
    Ok(Response::json(&View::new(&read::<GameQuery>(query)?.playthrough()?)))
}

/// A game as it stands.
#[derive(Debug, Serialize, ToSchema)]
struct View {
    #[schema(value_type = String, example = "kalah(6,4)")]
    game: Game,
    /// Where it started, the mover's view.
    #[schema(value_type = String)]
    start: Position,
    /// Where it stands, the mover's view.
    #[schema(value_type = String)]
    position: Position,
    /// The position as the Kalah Game Protocol writes it.
    kgp: String,
    /// `null` once the game is over.
    #[schema(required, value_type = Option<schema::Side>)]
    to_move: Option<Side>,
    finished: bool,
    /// Whether it is over because the position has come up for the third time.
    endless: bool,
    board: Rows,
    /// Whether the players have changed rows.
    swapped: bool,
    #[schema(required)]
    result: Option<GameResult>,
    /// The moves that can be played; none once the game is over.
    legal: Vec<Legal>,
    /// The last move; `null` before the first.
    #[schema(required)]
    last: Option<PlayedMove>,
    /// The motions of the last move, seed by seed; `null` if there are more than 2,000.
    #[schema(required)]
    motions: Option<Vec<Motion>>,
}

/// The board by rows.
#[derive(Debug, Serialize, ToSchema)]
struct Rows {
    south: RowSeeds,
    north: RowSeeds,
}

/// The seeds of one side.
#[derive(Debug, Serialize, ToSchema)]
struct RowSeeds {
    /// From the owner's left.
    houses: Vec<u64>,
    store: u64,
}

/// How the game ended.
#[derive(Debug, Serialize, ToSchema)]
struct GameResult {
    /// `null` for a draw.
    #[schema(required, value_type = Option<schema::Side>)]
    winner: Option<Side>,
    /// South's seeds minus North's.
    margin: i64,
    /// The seeds of each side at the end.
    seeds: Sides,
    /// The seeds left in each row; they are counted above unless they are lost.
    left: Sides,
    /// Whether the seeds left in the rows count for neither side.
    left_is_lost: bool,
}

/// A number for each side.
#[derive(Debug, Serialize, ToSchema)]
struct Sides {
    south: u64,
    north: u64,
}

/// A move that can be played.
#[derive(Debug, Serialize, ToSchema)]
struct Legal {
    /// A house's number, or `swap`.
    #[serde(rename = "move")]
    #[schema(value_type = String, example = "3")]
    action: Move,
    again: bool,
    /// Where its last seed falls; `null` for a swap.
    #[schema(required)]
    lands: Option<Landing>,
    captures: u64,
    finishes: bool,
}

/// A pit.
#[derive(Debug, Serialize, ToSchema)]
struct Landing {
    #[schema(value_type = schema::Side)]
    side: Side,
    /// The number of the house; `null` for the side's store.
    #[schema(required)]
    house: Option<u8>,
}

impl View {
    fn new(played: &Playthrough) -> View {
        let (position, side) = (*played.position(), played.side());
        let result = played.result();
        let last = |play: &Play| motions(position.game(), play.side, &play.report, MAX_MOTIONS);
        let legal = position.moves().filter(|_| result.is_none());
        View {
            game: *position.game(),
            start: *played.start(),
            position,
            kgp: position.setup().kgp().to_string(),
            to_move: result.is_none().then_some(side),
            finished: result.is_some(),
            endless: played.is_endless(),
            board: Rows::new(&position, side),
            swapped: played.swapped(),
            legal: legal.map(|action| Legal::new(&position, side, action)).collect(),
            last: played_moves(played).last(),
            motions: played.plays().last().map_or(Some(Vec::new()), last),
            result: result.map(|result| GameResult::new(played, result)),
        }
    }
}

impl Rows {
    /// The board of a position whose mover sits at a side.
    fn new(position: &Position, mover: Side) -> Rows {
        let board = position.board();
        let own = RowSeeds { houses: board.own().to_vec(), store: board.store() };
        let other = RowSeeds { houses: board.other().to_vec(), store: board.other_store() };
        match mover {
            Side::South => Rows { south: own, north: other },
            Side::North => Rows { south: other, north: own },
        }
    }
}

impl GameResult {
    fn new(played: &Playthrough, outcome: Ending) -> GameResult {
        let (winner, margin) = match outcome {
            Ending::Win(Side::South, by) => (Some(Side::South), by as i64),
            Ending::Win(Side::North, by) => (Some(Side::North), -(by as i64)),
            Ending::Draw => (None, 0),
        };
        let position = played.position();
        let rows = Rows::new(position, played.side());
        let left = |row: &RowSeeds| row.houses.iter().sum::<u64>();
        let left = Sides { south: left(&rows.south), north: left(&rows.north) };
        let left_is_lost = played.is_endless() || position.game().rules().remaining_lost;
        let seeds = |row: &RowSeeds, left| row.store + if left_is_lost { 0 } else { left };
        let seeds =
            Sides { south: seeds(&rows.south, left.south), north: seeds(&rows.north, left.north) };
        debug_assert_eq!(seeds.south as i64 - seeds.north as i64, margin);
        GameResult { winner, margin, seeds, left, left_is_lost }
    }
}

impl Legal {
    fn new(position: &Position, mover: Side, action: Move) -> Legal {
        let (_, report) = position.play(action);
        let last = report.steps.iter().rev().find_map(|step| match step {
            Step::Sow { last, .. } => Some(*last),
            Step::Capture { .. } => None,
        });
        Legal {
            action,
            again: report.again,
            lands: last.map(|pit| Landing::new(pit, mover)),
            captures: report.captured(),
            finishes: report.finished,
        }
    }
}

impl Landing {
    /// A pit as the mover sees it.
    fn new(pit: Pit, mover: Side) -> Landing {
        let (side, house) = match pit {
            Pit::Own(house) => (mover, Some(house.number())),
            Pit::Store => (mover, None),
            Pit::Other(house) => (!mover, Some(house.number())),
        };
        Landing { side, house }
    }
}

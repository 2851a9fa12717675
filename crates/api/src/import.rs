//! Pasted text: a record, a position, or a literal of the Kalah Game Protocol.

use serde::{Deserialize, Serialize};
use sowing_rules::{Game, Move, Numbering, ParseRecordError, Position, Record, Setup};
use utoipa::{IntoParams, ToSchema};

use crate::error::{ApiError, ErrorBody};
use crate::query::{MAX_SEEDS, read, read_game};
use crate::route::Response;

/// The query of `import`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ImportQuery {
    /// The text.
    #[param(example = "3,2")]
    text: String,
    /// The game, unless the text names one.
    #[param(example = "kalah(4,3)")]
    game: String,
}

/// A game in the form of a [`GameQuery`](crate::GameQuery).
#[derive(Debug, Serialize, ToSchema)]
struct Imported {
    #[schema(value_type = String, example = "kalah(4,3)")]
    game: Game,
    /// Where it starts; `null` for the game's own start.
    #[schema(required, value_type = Option<String>)]
    start: Option<Position>,
    /// Whether the start has another number of seeds than the game.
    free: bool,
    /// The moves.
    #[schema(value_type = Vec<String>)]
    moves: Vec<Move>,
    /// The notes on them.
    notes: Vec<Noted>,
}

/// The note on a move.
#[derive(Debug, Serialize, ToSchema)]
struct Noted {
    /// How many moves were played up to it, itself included; 0 for the start.
    ply: usize,
    /// `!` for a good move, `?` for a bad one; may be empty.
    mark: String,
    /// May be empty.
    comment: String,
}

/// A pasted record, position or KGP literal as a game
#[utoipa::path(
    get,
    path = "/api/v1/import",
    params(ImportQuery),
    responses(
        (status = 200, description = "the game", body = Imported),
        (status = 400, description = "neither a record nor a position", body = ErrorBody),
    )
)]
pub(crate) fn import(query: &str) -> Result<Response, ApiError> {
    Ok(Response::json(&read::<ImportQuery>(query)?.import()?))
}

impl ImportQuery {
    /// The game of the text.
    fn import(&self) -> Result<Imported, ApiError> {
        let game = read_game(&self.game)?;
        let text = self.text.trim();
        let is_position = text.starts_with('<') || (text.contains('|') && !text.contains('#'));
        if is_position { position(text, game) } else { record(text, game) }
    }
}

fn position(text: &str, game: Game) -> Result<Imported, ApiError> {
    let example = "4,4,4,4,4,4,0|4,4,4,4,4,4,0";
    let setup: Setup = text.parse().map_err(|error| ApiError::bad(error, example))?;
    let board = setup.board();
    let houses = board.houses();
    let rows = board.own().iter().chain(board.other());
    let total = rows.sum::<u64>() + board.store() + board.other_store();
    // A board of another size is of the same rules with as many seeds as fit it.
    let each = total / (2 * u64::from(houses));
    let fits = game.houses() == houses && game.total() == total;
    let game = if fits {
        game
    } else {
        let seeds = each.clamp(1, MAX_SEEDS);
        Game::new(game.rules(), houses, seeds).expect("a board of these houses was read")
    };
    let free = game.total() != total;
    let start = if free { Position::free(game, &setup) } else { Position::new(game, &setup) };
    let start = start.map_err(|error| ApiError::bad(error, example))?;
    if each > MAX_SEEDS {
        let message = format!("positions here hold at most {MAX_SEEDS} seeds a house");
        return Err(ApiError::bad(message, example));
    }
    Ok(Imported { game, start: Some(start), free, moves: Vec::new(), notes: Vec::new() })
}

fn record(text: &str, game: Game) -> Result<Imported, ApiError> {
    let example = "36,2";
    let bad = |error: &dyn std::fmt::Display| ApiError::bad(error, example);
    let read = match Record::read(text, None, Numbering::default()) {
        Err(ParseRecordError::NoGame) => Record::read(text, Some(game), Numbering::default()),
        read => read,
    };
    let record = read.map_err(|error| bad(&error))?;
    read_game(&record.game().to_string())?;
    let played = record.replay().map_err(|error| bad(&error))?;
    let start = *played.start();
    let usual = start == Position::start(*record.game());
    let notes = record.notes().map(|(ply, note)| Noted {
        ply,
        mark: note.glyph.map(String::from).unwrap_or_default(),
        comment: note.comment.clone(),
    });
    Ok(Imported {
        game: *record.game(),
        start: (!usual).then_some(start),
        free: false,
        moves: played.plays().iter().map(|play| play.action).collect(),
        notes: notes.collect(),
    })
}

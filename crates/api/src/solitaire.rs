//! Tchoukaillon: a board, its forced play, and the matrix that explains it.

use serde::{Deserialize, Serialize};
use sowing_solitaire::{Board, Fraction, Line, Matrix, MatrixKind, Variant, Winning, recursion};
use utoipa::{IntoParams, ToSchema};

use crate::error::{ApiError, ErrorBody};
use crate::query::read;
use crate::route::Response;

/// The most stones: more would not fit a screen.
const MAX_STONES: u64 = 300;

/// The query of `solitaire`.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SolitaireQuery {
    /// How many stones the winning board that it starts from has.
    #[param(value_type = u64, example = 8)]
    stones: String,
    /// The bins played so far, commas between them, counted from the Ruma.
    #[param(example = "2,1")]
    plays: Option<String>,
}

/// A board as it stands. Bins are listed from the Ruma out, as many as the start has.
#[derive(Debug, Serialize, ToSchema)]
struct SolitaireView {
    /// The stones at the start.
    stones: u64,
    start: Vec<u64>,
    board: Vec<u64>,
    /// Whether all stones can still be brought home.
    winnable: bool,
    /// The one play that wins, if there is one.
    #[schema(required)]
    next: Option<u64>,
    /// All plays that win, in order; `null` on a board that loses.
    #[schema(required)]
    order: Option<Vec<u64>>,
    /// How often each bin is still played; `null` on a board that loses.
    #[schema(required)]
    vector: Option<Vec<u64>>,
    /// What each play, taken back, does to each bin: a column a bin.
    matrix: Vec<Vec<i64>>,
    /// The matrix times the vector, which is the board; `null` on a board that loses.
    #[schema(required)]
    product: Option<Vec<i64>>,
    /// Whether no play is left.
    finished: bool,
    /// Whether all stones are home.
    won: bool,
    /// The bins whose last stone falls into the Ruma.
    legal: Vec<u64>,
}

/// A Tchoukaillon board after these plays
#[utoipa::path(
    get,
    path = "/api/v1/solitaire",
    params(SolitaireQuery),
    responses(
        (status = 200, description = "the board as it stands", body = SolitaireView),
        (status = 400, description = "a bad number or play", body = ErrorBody),
    )
)]
pub(crate) fn solitaire(query: &str) -> Result<Response, ApiError> {
    Ok(Response::json(&read::<SolitaireQuery>(query)?.view()?))
}

impl SolitaireQuery {
    /// The board after these plays.
    fn view(&self) -> Result<SolitaireView, ApiError> {
        let stones = self.stones.parse().unwrap_or(0);
        let winning = Winning::new(stones).filter(|_| stones <= MAX_STONES).ok_or_else(|| {
            let what = sowing_rules::quoted(&self.stones);
            ApiError::bad(
                format!("stones is a number from 1 to {MAX_STONES}, not {what}"),
                "stones=8",
            )
        })?;
        let start: Vec<u64> = winning.bins().collect();
        let mut bins = start.clone();
        for bin in self.bins()? {
            if !harvestable(&bins).any(|legal| legal == bin) {
                let message = format!("bin {bin} cannot be played on {}", list(&bins));
                return Err(ApiError::bad(message, "stones=8&plays=2,1"));
            }
            Variant::TCHOUKAILLON
                .play(&mut bins, bin as usize, |_| {})
                .map_err(|fault| ApiError::bad(fault, "stones=8&plays=2,1"))?;
        }
        Ok(SolitaireView::new(stones, start, bins))
    }

    fn bins(&self) -> Result<Vec<u64>, ApiError> {
        let words = self.plays.iter().flat_map(|plays| plays.split(','));
        let bin = |word: &str| {
            let message = || format!("plays are numbers of bins, not {word:?}");
            word.trim().parse().map_err(|_| ApiError::bad(message(), "plays=2,1"))
        };
        words.filter(|word| !word.trim().is_empty()).map(bin).collect()
    }
}

impl SolitaireView {
    fn new(stones: u64, start: Vec<u64>, bins: Vec<u64>) -> SolitaireView {
        let board = Board::new(bins.clone()).expect("a start has bins, and its stones fit");
        let length = start.len();
        let matrix =
            Matrix::new(MatrixKind::Unplay, length).expect("a board of few stones is short");
        let entry = |row, column| whole(matrix.entry(row, column));
        let line = Line::new(board.clone()).ok();
        let order: Option<Vec<u64>> =
            line.map(|mut line| std::iter::from_fn(|| line.advance()).collect());
        let vector = recursion(&board).ok().filter(|_| order.is_some());
        let product = vector.as_ref().map(|vector| {
            let product = matrix.product(vector).expect("a play count for every bin");
            product.into_iter().map(whole).collect()
        });
        let legal: Vec<u64> = harvestable(&bins).collect();
        let won = bins.iter().all(|stones| *stones == 0);
        SolitaireView {
            stones,
            start,
            winnable: order.is_some(),
            next: order.as_ref().and_then(|order| order.first().copied()),
            order,
            vector,
            matrix: (0..length)
                .map(|row| (0..length).map(|column| entry(row, column)).collect())
                .collect(),
            product,
            finished: legal.is_empty(),
            won,
            legal,
            board: bins,
        }
    }
}

/// The bins that hold just as many stones as their number.
fn harvestable(bins: &[u64]) -> impl Iterator<Item = u64> + '_ {
    (1..).zip(bins).filter(|(bin, stones)| bin == *stones).map(|(bin, _)| bin)
}

fn list(bins: &[u64]) -> String {
    bins.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

fn whole(number: Fraction) -> i64 {
    number.whole().and_then(|number| number.try_into().ok()).expect("a small whole number")
}

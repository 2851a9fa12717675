//! OpenAPI schemas of types whose serde form is a text or is written by hand. Used for the document alone.

use utoipa::ToSchema;

/// A row of the board.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
pub enum Side {
    /// The row that moves first.
    South,
    /// The other row.
    North,
}

/// The outcome for the mover, with perfect play.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
pub enum Outcome {
    /// A positive margin.
    Win,
    /// A margin of 0.
    Draw,
    /// A negative margin.
    Loss,
}

/// Proven bounds of a value: unknown is `null`, never 0.
#[derive(Debug, ToSchema)]
pub struct Bounds {
    /// The mover's margin with perfect play; `null` if it is not known.
    #[schema(required)]
    pub value: Option<i64>,
    /// The proven bounds of a value that is not known: it is at least the first, at most the second.
    #[schema(nullable = false, min_items = 2, max_items = 2)]
    pub bounds: Option<[i64; 2]>,
    /// `win`, `draw` or `loss` for the mover; `null` if it is not known.
    #[schema(required)]
    pub outcome: Option<Outcome>,
}

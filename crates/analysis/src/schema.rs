//! Descriptions, for an OpenAPI document, of what other crates write as text. Nothing else uses them.

use utoipa::ToSchema;

/// A row of the board.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
pub enum Side {
    /// The row of whoever starts.
    South,
    /// The other row.
    North,
}

/// What a position is for the mover, with perfect play.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "lowercase")]
pub enum Outcome {
    /// A positive margin.
    Win,
    /// Neither.
    Draw,
    /// A negative margin.
    Loss,
}

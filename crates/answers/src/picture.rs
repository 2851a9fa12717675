//! The board as an SVG picture.

use serde::Deserialize;
use sowing_draw::board;
use sowing_rules::{Playthrough, Side};
use utoipa::IntoParams;

/// How it is seen.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Seen {
    /// Whether North sits below.
    #[serde(default)]
    flip: bool,
}

/// The board where a game stands, as a picture.
pub fn picture(played: &Playthrough, seen: &Seen) -> String {
    let below = if seen.flip { Side::North } else { Side::South };
    board::picture(played.position(), played.side(), below).to_string()
}

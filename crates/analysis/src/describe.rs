//! A value as an English sentence.

use sowing_rules::{Bounds, Ending, Outcome, Position, Side};

/// The value of a position as an English sentence, for the row that is to move.
pub fn describe_value(position: &Position, bounds: Bounds, mover: Side) -> String {
    if let Some(margin) = position.margin() {
        return format!("The game is over: {}.", Ending::from_margin(mover, margin));
    }
    let Bounds { low, high } = bounds;
    match (bounds.value(), bounds.outcome()) {
        (Some(0), _) | (None, Some(Outcome::Draw)) => "A draw with perfect play.".to_string(),
        (Some(value), _) => {
            format!("{} with perfect play.", Ending::from_margin(mover, value))
        }
        (None, Some(Outcome::Win)) => {
            format!("{mover} wins with perfect play, by at least {low}.")
        }
        (None, Some(Outcome::Loss)) => {
            format!("{} wins with perfect play, by at least {}.", !mover, -high)
        }
        (None, None) => {
            format!("Not solved: {mover}'s margin is proven to lie in {low:+} to {high:+}.")
        }
    }
}

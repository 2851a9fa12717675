//! A move seed by seed.

use serde::Serialize;
use sowing::{Game, MoveReport, Pit, Side, Step, Track};

/// One motion of the hand. All of them, applied to the board before, give the board after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Motion {
    /// What happens.
    pub kind: MotionKind,
    /// Whose pit it happens to.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Side))]
    pub side: Side,
    /// The number of the house; `null` for the side's store.
    #[cfg_attr(feature = "schema", schema(required))]
    pub house: Option<u8>,
    /// How many seeds.
    pub seeds: u64,
}

/// What a motion does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum MotionKind {
    /// The house is emptied into the hand.
    Pickup,
    /// A seed of the hand falls.
    Sow,
    /// The house is emptied by a capture.
    Capture,
    /// What was captured goes to the store.
    Collect,
}

/// The motions of a move that a side made; `None` if they are more than anybody wants to watch.
/// The seeds of a pick-up fall one by one along the track.
pub fn motions(game: &Game, mover: Side, report: &MoveReport, most: u64) -> Option<Vec<Motion>> {
    let count = |step: &Step| match *step {
        Step::Sow { seeds, .. } => seeds.saturating_add(1),
        Step::Capture { .. } => 3,
    };
    if report.steps.iter().map(count).fold(0, u64::saturating_add) > most {
        return None;
    }
    let track = Track::new(game.houses(), game.rules().direction);
    let mut motions = Vec::new();
    let mut push = |kind, pit, seeds| {
        let (side, house) = match pit {
            Pit::Own(house) => (mover, Some(house.number())),
            Pit::Store => (mover, None),
            Pit::Other(house) => (!mover, Some(house.number())),
        };
        motions.push(Motion { kind, side, house, seeds });
    };
    for step in &report.steps {
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

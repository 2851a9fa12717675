//! A move seed by seed.

use serde::Serialize;
use sowing_rules::{Game, MoveReport, Pit, Side, Step, Track};

/// One step of an animated move. Applied in order to the board before the move, they give the board after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Motion {
    /// The kind of step.
    pub kind: MotionKind,
    /// The side of the pit.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::Side))]
    pub side: Side,
    /// The number of the house; `null` for the side's store.
    #[cfg_attr(feature = "schema", schema(required))]
    pub house: Option<u8>,
    /// The number of seeds.
    pub seeds: u64,
}

/// The kind of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum MotionKind {
    /// The seeds of the house are picked up.
    Pickup,
    /// One seed is sown into the pit.
    Sow,
    /// The house is emptied by a capture.
    Capture,
    /// The captured seeds go to the store.
    Collect,
}

/// The motions of a move by the side `mover`; `None` if there are more than `max`.
pub fn motions(game: &Game, mover: Side, report: &MoveReport, max: u64) -> Option<Vec<Motion>> {
    let count = |step: &Step| match *step {
        Step::Sow { seeds, .. } => seeds.saturating_add(1),
        Step::Capture { .. } => 3,
    };
    if report.steps.iter().map(count).fold(0, u64::saturating_add) > max {
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

//! A move shown seed by seed.

use std::time::{Duration, Instant};

use sowing_analysis::{MotionKind, motions};
use sowing_rules::{MoveReport, Playthrough, Position, Side};

/// What lies where at one moment, by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scene {
    /// South's houses and North's, each from its owner's left.
    pub(crate) rows: [Vec<u64>; 2],
    /// South's store and North's.
    pub(crate) stores: [u64; 2],
    /// Seeds in the mover's hand.
    pub(crate) hand: u64,
    /// The pit that something just happened to: the side, and the house or else the store.
    pub(crate) lit: Option<(Side, Option<usize>)>,
}

/// A side's place in a [`Scene`].
pub(crate) fn place(side: Side) -> usize {
    match side {
        Side::South => 0,
        Side::North => 1,
    }
}

impl Scene {
    /// A position with this side to move.
    pub(crate) fn of(position: &Position, side: Side) -> Scene {
        let board = position.board();
        let mut rows = [board.own().to_vec(), board.other().to_vec()];
        let mut stores = [board.store(), board.other_store()];
        if side == Side::North {
            rows.reverse();
            stores.reverse();
        }
        Scene { rows, stores, hand: 0, lit: None }
    }

    /// Where a game stands.
    pub(crate) fn now(play: &Playthrough) -> Scene {
        Scene::of(play.position(), play.side())
    }

    fn seeds(&mut self, side: Side, house: Option<u8>) -> &mut u64 {
        let house = house.map(|number| usize::from(number) - 1);
        self.lit = Some((side, house));
        match house {
            Some(house) => &mut self.rows[place(side)][house],
            None => &mut self.stores[place(side)],
        }
    }
}

/// Longer moves are not shown seed by seed.
const MOST_SCENES: u64 = 500;

/// A move on its way.
#[derive(Debug)]
pub(crate) struct Animation {
    scenes: Vec<Scene>,
    at: usize,
    due: Instant,
}

impl Animation {
    /// The scenes of a move from a position to the one that stands after it.
    pub(crate) fn new(
        before: &Position,
        side: Side,
        report: &MoveReport,
        now: Instant,
    ) -> Animation {
        Animation { scenes: scenes(before, side, report), at: 0, due: now }
    }

    /// The scene to show.
    pub(crate) fn scene(&self) -> &Scene {
        &self.scenes[self.at]
    }

    /// Goes on if it is time; whether the move is over.
    pub(crate) fn advance(&mut self, now: Instant, pace: Duration) -> bool {
        while self.due + pace <= now {
            self.due += pace;
            self.at += 1;
            if self.at >= self.scenes.len() {
                return true;
            }
        }
        false
    }

    /// When it goes on.
    pub(crate) fn due(&self, pace: Duration) -> Instant {
        self.due + pace
    }
}

fn scenes(before: &Position, side: Side, report: &MoveReport) -> Vec<Scene> {
    let mut scene = Scene::of(before, side);
    let mut scenes = vec![scene.clone()];
    for motion in motions(before.game(), side, report, MOST_SCENES).into_iter().flatten() {
        let pit = scene.seeds(motion.side, motion.house);
        match motion.kind {
            MotionKind::Pickup | MotionKind::Capture => *pit -= motion.seeds,
            MotionKind::Sow | MotionKind::Collect => *pit += motion.seeds,
        }
        match motion.kind {
            MotionKind::Pickup => scene.hand = motion.seeds,
            MotionKind::Sow => scene.hand -= 1,
            MotionKind::Capture | MotionKind::Collect => {}
        }
        scenes.push(scene.clone());
    }
    scenes
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing_players::random_opening;

    /// Seed by seed a move arrives where the library says it does.
    #[test]
    fn the_last_scene_is_the_position_after() {
        let games = [
            "kalah(6,4)",
            "s-kalaha(4,3)",
            "kalah(3,9,empty-capture)",
            "kalah(4,3,last-seed-capture,clockwise)",
            "kalah(3,3,relay,clockwise)",
            "kalah(1,5)",
        ];
        for game in games {
            for seed in 0..50 {
                let play = random_opening(game.parse().unwrap(), 30, seed, 0);
                let mut before = (*play.start(), Side::South);
                for played in play.plays() {
                    let all = scenes(&before.0, before.1, &played.report);
                    let mut last = all.last().unwrap().clone();
                    assert_eq!(last.hand, 0);
                    last.lit = None;
                    assert_eq!(last, Scene::of(&played.after, played.next), "{game} {seed}");
                    before = (played.after, played.next);
                }
                assert!(play.result().is_none());
            }
        }
    }
}

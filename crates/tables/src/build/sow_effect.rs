//! The effect of sowing one house, which depends only on the house and its seeds.

use sowing_rules::{Direction, House, Pit, Track};

use crate::row_index::seeds_in;

/// The pit of the last seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Store,
    Own(usize),
    Other,
}

/// The effect of sowing one house.
///
/// Crossing seeds fall into the opponent's houses in order, lap after lap, so that their number alone
/// determines the houses: see [`crossing_pattern`].
#[derive(Clone, Copy, Debug)]
pub(super) struct SowEffect {
    /// Seeds added to the mover's row, one byte per house.
    own: u64,
    /// Seeds that fall into the opponent's houses.
    pub(super) crossing: usize,
    /// Seeds that fall into the mover's store.
    pub(super) gain: usize,
    pub(super) last: Last,
}

/// A [`SowEffect`] for each house and number of seeds.
#[derive(Debug)]
pub(super) struct SowEffects(Vec<Vec<SowEffect>>);

impl SowEffects {
    pub(super) fn new(houses: usize, max_seeds: usize) -> SowEffects {
        let track = Track::new(houses as u8, Direction::CounterClockwise);
        let for_house = |house: usize| {
            let from = Pit::Own(House::new(house as u8 + 1).expect("1 to 8 houses"));
            let mut effect = SowEffect { own: 0, crossing: 0, gain: 0, last: Last::Own(house) };
            let mut effects = vec![effect];
            for pit in track.after(from).take(max_seeds) {
                match pit {
                    Pit::Own(house) => {
                        effect.own += 1 << (8 * house.index());
                        effect.last = Last::Own(house.index());
                    }
                    Pit::Store => {
                        effect.gain += 1;
                        effect.last = Last::Store;
                    }
                    Pit::Other(_) => {
                        effect.crossing += 1;
                        effect.last = Last::Other;
                    }
                }
                effects.push(effect);
            }
            effects
        };
        SowEffects((0..houses).map(for_house).collect())
    }

    /// Sows a house that holds seeds: the mover's row after it, and the effect.
    #[inline]
    pub(super) fn sow(&self, row: u64, house: usize) -> (u64, SowEffect) {
        let seeds = seeds_in(row, house);
        let effect = self.0[house][seeds as usize];
        (row - (seeds << (8 * house)) + effect.own, effect)
    }
}

/// The seeds that `crossing` seeds add to the opponent's row, one byte per house.
pub(super) fn crossing_pattern(houses: usize, crossing: usize) -> u64 {
    (0..houses)
        .map(|house| (((crossing + houses - 1 - house) / houses) as u64) << (8 * house))
        .sum()
}

//! What sowing one house does, apart from the position.

use sowing::{Direction, House, Pit, Track};

use crate::rank::seeds_in;

/// Where the last seed falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    Store,
    Own(usize),
    Other,
}

/// One house sown: what the mover's row gains, and how many seeds cross.
///
/// Seeds that cross fall into the other's houses in order, lap after lap, so their number says
/// where they lie: see [`pattern`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Lay {
    /// Seeds added to the mover's row, a byte a house.
    own: u64,
    pub(super) crossing: usize,
    pub(super) gain: usize,
    pub(super) last: Last,
}

/// A [`Lay`] for each house and number of seeds.
#[derive(Debug)]
pub(super) struct Lays(Vec<Vec<Lay>>);

impl Lays {
    pub(super) fn new(houses: usize, max_seeds: usize) -> Lays {
        let track = Track::new(houses as u8, Direction::CounterClockwise);
        let of_house = |house: usize| {
            let from = Pit::Own(House::new(house as u8 + 1).expect("1 to 8 houses"));
            let mut lay = Lay { own: 0, crossing: 0, gain: 0, last: Last::Own(house) };
            let mut lays = vec![lay];
            for pit in track.after(from).take(max_seeds) {
                match pit {
                    Pit::Own(house) => {
                        lay.own += 1 << (8 * house.index());
                        lay.last = Last::Own(house.index());
                    }
                    Pit::Store => {
                        lay.gain += 1;
                        lay.last = Last::Store;
                    }
                    Pit::Other(_) => {
                        lay.crossing += 1;
                        lay.last = Last::Other;
                    }
                }
                lays.push(lay);
            }
            lays
        };
        Lays((0..houses).map(of_house).collect())
    }

    /// Sows a house of a row that holds seeds: the row after it, and the rest.
    #[inline]
    pub(super) fn sow(&self, row: u64, house: usize) -> (u64, Lay) {
        let seeds = seeds_in(row, house);
        let lay = self.0[house][seeds as usize];
        (row - (seeds << (8 * house)) + lay.own, lay)
    }
}

/// What so many crossing seeds add to the other's row.
pub(super) fn pattern(houses: usize, crossing: usize) -> u64 {
    (0..houses)
        .map(|house| (((crossing + houses - 1 - house) / houses) as u64) << (8 * house))
        .sum()
}

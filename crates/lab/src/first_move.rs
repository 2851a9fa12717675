//! What the first moves of S-Kalaha do, pick-up by pick-up.

use sowing_rules::{Game, Rules};

/// The first move of a game of S-Kalaha, as far as it is the same whichever house is played.
///
/// All houses hold the same at the start, and a store is sown into like a house, so that the first
/// moves differ in nothing but how far on their store lies: 1 to h places. Up to the first last
/// seed that falls so near they all go the same way.
///
/// ```
/// use sowing_lab::FirstMove;
///
/// // 20 = l^2-l with l = 5: twice the house itself, then the pit before it.
/// let first = FirstMove::of(2, 20).unwrap();
/// let seeds: Vec<u64> = first.pick_ups.iter().map(|pick_up| pick_up.seeds).collect();
/// assert_eq!(seeds, [20, 4, 25, 5]);
/// assert!(first.goes_again().is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstMove {
    /// The game.
    pub game: Game,
    /// The pick-ups, up to one that ends in an empty house or 1 to h places on.
    pub pick_ups: Vec<PickUp>,
}

/// One pick-up. Places are counted in the direction of sowing from the house that is played: 0 is
/// that house, -1 the pit before it, h + 1 places on is -h again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickUp {
    /// The place that is picked up.
    pub place: i8,
    /// Its seeds.
    pub seeds: u64,
    /// The place that the last of them falls into.
    pub last: i8,
}

impl PickUp {
    /// The seeds in a base of at least 2, the highest digit first; no digits for 0.
    pub fn digits(&self, base: u64) -> Vec<u64> {
        let mut digits = Vec::new();
        let mut left = self.seeds;
        while left > 0 {
            digits.push(left % base);
            left /= base;
        }
        digits.reverse();
        digits
    }
}

impl FirstMove {
    /// The first move of S-Kalaha with so many houses a row and seeds a house; `None` if there is
    /// no such game.
    pub fn of(houses: u8, seeds: u64) -> Option<FirstMove> {
        let game = Game::new(Rules::S_KALAHA, houses, seeds)?;
        let pits = 2 * usize::from(houses) + 1;
        let place = |pit: usize| {
            if pit <= houses.into() { pit as i8 } else { pit as i8 - pits as i8 }
        };
        let mut ring = vec![seeds; pits];
        let mut pick_ups = Vec::new();
        let mut from = 0;
        loop {
            let seeds = std::mem::take(&mut ring[from]);
            let (laps, rest) = (seeds / pits as u64, (seeds % pits as u64) as usize);
            ring.iter_mut().for_each(|pit| *pit += laps);
            (1..=rest).for_each(|step| ring[(from + step) % pits] += 1);
            let last = (from + rest) % pits;
            pick_ups.push(PickUp { place: place(from), seeds, last: place(last) });
            if place(last) > 0 || ring[last] == 1 {
                return Some(FirstMove { game, pick_ups });
            }
            from = last;
        }
    }

    /// The house from which the first move goes again at the end of these pick-ups; `None` if they
    /// end in an empty house, and so no first move goes again.
    pub fn goes_again(&self) -> Option<u8> {
        let last = self.pick_ups.last().map_or(0, |pick_up| pick_up.last);
        u8::try_from(last).ok().filter(|last| *last > 0).map(|last| self.game.houses() + 1 - last)
    }

    /// The seeds that these pick-ups bring into the store, if they end in an empty house: equally
    /// many from every house, since the store is passed in every lap.
    pub fn stored(&self) -> u64 {
        let steps: u64 = self.pick_ups.iter().map(|pick_up| pick_up.seeds).sum();
        steps.div_ceil(2 * u64::from(self.game.houses()) + 1)
    }
}

#[cfg(test)]
mod tests {
    use sowing_rules::{CompiledRules, Pit, Position, Step, WideBoard};

    use super::*;

    /// Every first move of many starts, beside the law of all games.
    #[test]
    fn first_moves_are_what_the_law_makes_of_them() {
        let (mut again, mut ended) = (0, 0);
        for (houses, seeds) in (1..=6)
            .flat_map(|houses| (1..300).map(move |seeds| (houses, seeds)))
            .chain([(5, 16_240_418)])
        {
            let first = FirstMove::of(houses, seeds).unwrap();
            let rules = CompiledRules::<WideBoard>::new(&first.game);
            let pits = 2 * i32::from(houses) + 1;
            for house in 0..usize::from(houses) {
                let slot = |pit: Pit| match pit {
                    Pit::Own(house) => house.index() as i32,
                    Pit::Store => i32::from(houses),
                    Pit::Other(house) => i32::from(houses) + 1 + house.index() as i32,
                };
                let mut steps = Vec::new();
                let board = *Position::start(first.game).board();
                let played = rules.play_observed(board, house, |step| {
                    if let Step::Sow { from, seeds, last, .. } = step {
                        steps.push((slot(from), seeds, slot(last)));
                    }
                });
                let place = |place: i8| (house as i32 + i32::from(place)).rem_euclid(pits);
                let expected: Vec<(i32, u64, i32)> = first
                    .pick_ups
                    .iter()
                    .map(|pick_up| (place(pick_up.place), pick_up.seeds, place(pick_up.last)))
                    .collect();
                assert_eq!(steps[..expected.len()], expected, "{} house {house}", first.game);
                match first.goes_again() {
                    Some(number) if usize::from(number) == house + 1 => {
                        assert!(played.again && steps.len() == expected.len());
                        again += 1;
                    }
                    Some(_) => {}
                    None => {
                        assert!(!played.again && steps.len() == expected.len());
                        assert_eq!(played.gain, first.stored());
                        ended += 1;
                    }
                }
            }
        }
        assert!(again > 1_000 && ended > 50, "{again} {ended}");
    }

    #[test]
    fn no_game_no_move() {
        assert_eq!(FirstMove::of(0, 4), None);
        assert_eq!(FirstMove::of(17, 4), None);
        assert_eq!(FirstMove::of(2, 0), None);
    }
}

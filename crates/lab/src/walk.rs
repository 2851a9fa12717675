//! First turns of S-Kalaha as a walk: one division a pick-up, whatever the size of the board.

use std::ops::RangeInclusive;

/// A first turn that always plays the house nearest the store.
///
/// The relay picks up where its last seed fell, so that its sowings follow each other without a
/// gap: together they are one walk round the `L` = 2h + 1 pits of the ring, one seed a step. The
/// walk is in lap `place / L`, at pit `place % L`, with the pits in the order of
/// [`Ring`](crate::ring::Ring). A pit that was emptied in one lap has a seed for each lap since, so
/// that nothing has to be kept of it but that lap, and sowing costs the same for one seed and for a
/// billion.
#[derive(Clone, Copy, Debug)]
struct Walk<const L: usize> {
    place: u64,
    /// `place / L` and `place % L`.
    lap: u64,
    pit: usize,
    /// For each pit the lap in which it was emptied; for one that never was, the lap before the
    /// game that would have left what it started with. Wraps below 0.
    emptied: [u64; L],
    /// The place from which on the store holds more than half of all seeds.
    goal: u64,
}

/// What came of a pick-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// There is more to pick up.
    GoesOn,
    /// The store holds more than half.
    Won,
    /// The turn or the game is over, and the store holds no more than half.
    Over,
}

impl<const L: usize> Walk<L> {
    const STORE: usize = L / 2;

    /// At the house nearest the store, before it is picked up.
    fn start(seeds: u64) -> Walk<L> {
        // In lap seeds + 1: the walk has passed the houses of the mover in it, and the other pits
        // in the lap before.
        let mut emptied = [0; L];
        emptied[..Self::STORE].fill(1);
        emptied[Self::STORE] = seeds;
        let (lap, pit) = (seeds + 1, Self::STORE - 1);
        let half = seeds * Self::STORE as u64;
        let goal = (seeds + half + 1) * L as u64 + Self::STORE as u64;
        Walk { place: lap * L as u64 + pit as u64, lap, pit, emptied, goal }
    }

    /// Picks up and sows, up to the place where the last seed falls.
    #[inline]
    fn pick_up(&mut self) -> Turn {
        let emptied = std::mem::replace(&mut self.emptied[self.pit], self.lap);
        self.place += self.lap.wrapping_sub(emptied);
        self.lap = self.place / L as u64;
        self.pit = (self.place % L as u64) as usize;
        if self.place >= self.goal {
            return Turn::Won;
        }
        if self.pit == Self::STORE {
            return self.again();
        }
        // If the seed that fell last is the only one, the house was empty.
        let seeds = self.lap.wrapping_sub(self.emptied[self.pit]);
        if seeds == 1 { Turn::Over } else { Turn::GoesOn }
    }

    /// From the store back to the nearest house with seeds, if the game goes on.
    fn again(&mut self) -> Turn {
        let lap = self.lap;
        let nearest = self.emptied[..Self::STORE].iter().rposition(|emptied| *emptied != lap);
        let finished = self.emptied[Self::STORE + 1..].iter().all(|emptied| *emptied == lap - 1);
        let (Some(house), false) = (nearest, finished) else { return Turn::Over };
        // The walk will pass these pits once more in this lap, and has not yet.
        for emptied in &mut self.emptied[house + 1..=Self::STORE] {
            *emptied = emptied.wrapping_sub(1);
        }
        self.goal -= L as u64;
        self.place -= (Self::STORE - house) as u64;
        self.pit = house;
        Turn::GoesOn
    }
}

/// Of the starts with so many seeds a house, in a ring of `L` pits, those that the simplest first
/// turn does not surely win: the house nearest the store again and again, until it holds more than
/// half.
///
/// Each pick-up waits for the one before it, so several games are played side by side.
pub(crate) fn undecided<const L: usize>(seeds: RangeInclusive<u64>) -> Vec<u64> {
    const GAMES: usize = 8;
    let (first, last) = seeds.into_inner();
    let mut undecided = Vec::new();
    let mut next = first + GAMES as u64;
    if next > last {
        return (first..=last).collect();
    }
    let mut seeds: [u64; GAMES] = std::array::from_fn(|game| first + game as u64);
    let mut walks = seeds.map(Walk::<L>::start);
    loop {
        for game in 0..GAMES {
            match walks[game].pick_up() {
                Turn::GoesOn => continue,
                Turn::Won => {}
                Turn::Over => undecided.push(seeds[game]),
            }
            if next > last {
                // The others are not played to their end.
                undecided.extend((0..GAMES).filter(|other| *other != game).map(|i| seeds[i]));
                undecided.sort_unstable();
                return undecided;
            }
            (seeds[game], walks[game]) = (next, Walk::start(next));
            next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::Ring;

    /// Turn by turn the same as on a board with seeds in its pits.
    #[test]
    fn walks_come_where_the_ring_does() {
        fn check<const L: usize>() {
            let (mut won, mut over) = (0, 0);
            for seeds in (1..400).chain([9_999, 1 << 33, 9_999_999_999_999_999]) {
                let half = seeds * (L / 2) as u64;
                let expected = Ring::<L>::start(seeds).wins_by_the_nearest(half);
                let mut walk = Walk::<L>::start(seeds);
                let turn = loop {
                    match walk.pick_up() {
                        Turn::GoesOn => {}
                        turn => break turn,
                    }
                };
                assert_eq!(turn == Turn::Won, expected, "{L}: {seeds}");
                (won, over) = (won + u32::from(expected), over + u32::from(!expected));
            }
            assert!(won > 10 && over > 10, "{L}: {won} won, {over} not");
        }
        check::<3>();
        check::<5>();
        check::<7>();
        check::<9>();
        check::<11>();
        check::<13>();
        check::<33>();
    }

    /// Whatever the simplest turn wins, the search of all turns wins.
    #[test]
    fn what_is_decided_is_won() {
        fn check<const L: usize>() {
            for (first, last, most) in [(1, 3, 3), (1, 300, 300), (1_000_000, 1_001_000, 20)] {
                let undecided = undecided::<L>(first..=last);
                assert!(undecided.is_sorted() && undecided.len() <= most, "{undecided:?}");
                for seeds in (first..=last).filter(|seeds| !undecided.contains(seeds)) {
                    let half = seeds * (L / 2) as u64;
                    assert!(Ring::<L>::start(seeds).search(half).wins, "{L}: {seeds}");
                }
            }
        }
        check::<5>();
        check::<7>();
        check::<13>();
    }
}

//! A board for sweeps of S-Kalaha: no larger than its houses.

/// The pits that the mover sows into, in sowing order, `L` = 2h + 1 of them:
///
/// ```text
///   [ the mover's houses, left to right | the mover's store | the opponent's houses ]
///     0 to h-1                            h                   h+1 to 2h
/// ```
///
/// The opponent's store holds what is missing to the game's seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ring<const L: usize>([u64; L]);

/// What a search of one turn found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Searched {
    /// Whether some turn wins at once: it brings more than half of the seeds into the store, or
    /// ends the game with more than half of them in store and row.
    pub(crate) wins: bool,
    /// The moves that were tried.
    pub(crate) moves: u64,
}

/// How a turn ends that does not win at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End<const L: usize> {
    /// The game is over with half of the seeds each.
    Drawn,
    /// The game is over with less than half.
    Lost,
    /// The opponent is to move on this board, which is as the opponent sees it.
    Passed(Ring<L>),
}

impl<const L: usize> Ring<L> {
    const STORE: usize = L / 2;

    pub(crate) fn start(seeds: u64) -> Ring<L> {
        let mut pits = [seeds; L];
        pits[Self::STORE] = 0;
        Ring(pits)
    }

    /// The board as the opponent sees it, of a game with twice `half` seeds.
    fn flip(&self, half: u64) -> Ring<L> {
        let mut pits = [0; L];
        pits[..Self::STORE].copy_from_slice(&self.0[Self::STORE + 1..]);
        pits[Self::STORE + 1..].copy_from_slice(&self.0[..Self::STORE]);
        pits[Self::STORE] = 2 * half - self.0.iter().sum::<u64>();
        Ring(pits)
    }

    /// Sows one pit. Where the last seed falls.
    #[inline]
    fn pick_up(&mut self, from: usize) -> usize {
        let seeds = self.0[from];
        let (laps, rest) = (seeds / L as u64, (seeds % L as u64) as usize);
        self.0[from] = 0;
        self.0.iter_mut().for_each(|pit| *pit += laps);
        (1..=rest).for_each(|step| self.0[(from + step) % L] += 1);
        (from + rest) % L
    }

    /// Sows a house and all that the relay picks up, or stops as soon as the store holds more than
    /// half. Whether the last seed fell into the store.
    #[inline]
    fn play(&mut self, house: usize, half: u64) -> bool {
        let mut from = house;
        loop {
            let last = self.pick_up(from);
            if last == Self::STORE {
                return true;
            }
            if self.0[last] == 1 || self.0[Self::STORE] > half {
                return false;
            }
            from = last;
        }
    }

    /// Whether a row is empty.
    fn is_finished(&self) -> bool {
        let empty = |row: &[u64]| row.iter().all(|seeds| *seeds == 0);
        empty(&self.0[..Self::STORE]) || empty(&self.0[Self::STORE + 1..])
    }

    /// Searches the mover's turns, the house nearest the store first, until one wins at once.
    pub(crate) fn search(&self, half: u64) -> Searched {
        let mut searched = Searched::default();
        searched.wins = self.turns(half, &mut searched.moves, &mut |_| {});
        searched
    }

    /// Plays all turns up to the first that wins at once, showing the ends of the others.
    pub(crate) fn turns(&self, half: u64, moves: &mut u64, ended: &mut impl FnMut(End<L>)) -> bool {
        for house in (0..Self::STORE).rev() {
            if self.0[house] == 0 {
                continue;
            }
            *moves += 1;
            let mut next = *self;
            let again = next.play(house, half);
            let store = next.0[Self::STORE];
            if store > half {
                return true;
            }
            if next.is_finished() {
                let own: u64 = next.0[..Self::STORE].iter().sum();
                match (store + own).cmp(&half) {
                    std::cmp::Ordering::Greater => return true,
                    std::cmp::Ordering::Equal => ended(End::Drawn),
                    std::cmp::Ordering::Less => ended(End::Lost),
                }
            } else if !again {
                ended(End::Passed(next.flip(half)));
            } else if next.turns(half, moves, ended) {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
impl<const L: usize> Ring<L> {
    /// Whether the house nearest the store, again and again, brings more than half.
    pub(crate) fn wins_by_the_nearest(mut self, half: u64) -> bool {
        while !self.is_finished() {
            let nearest = self.0[..Self::STORE].iter().rposition(|seeds| *seeds > 0);
            let again = self.play(nearest.expect("a live board"), half);
            if self.0[Self::STORE] > half {
                return true;
            }
            if !again {
                return false;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use sowing_rules::{Board, CompiledRules, Game, Position, Rules, WideBoard};

    use super::*;

    /// Every first move of many starts, beside the law of all games.
    #[test]
    fn the_ring_sows_as_the_law_does() {
        fn check<const L: usize>() {
            for seeds in (1..60).chain([1_000, 99_999, 123_456_789]) {
                let game = Game::new(Rules::S_KALAHA, (L / 2) as u8, seeds).unwrap();
                let rules = CompiledRules::<WideBoard>::new(&game);
                for house in 0..L / 2 {
                    let played = rules.play_unchecked(*Position::start(game).board(), house);
                    let mut ring = Ring::<L>::start(seeds);
                    assert_eq!(ring.play(house, u64::MAX >> 1), played.again);
                    let view = if played.again { played.board } else { played.board.flip() };
                    assert_eq!(ring.0[..L / 2], *view.own());
                    assert_eq!(ring.0[L / 2], view.store());
                    assert_eq!(ring.0[L / 2 + 1..], *view.other());
                    let flipped = ring.flip(game.total() / 2);
                    assert_eq!(flipped.0[L / 2], view.other_store());
                    assert_eq!(flipped.0[..L / 2], *view.flip().own());
                }
            }
        }
        check::<3>();
        check::<5>();
        check::<13>();
        check::<33>();
    }
}

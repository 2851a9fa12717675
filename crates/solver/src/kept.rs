//! Seeds that a player keeps, whatever the other does.

use sowing::{Capture, Direction, Law, Rules};

use crate::rank::Ranked;
use crate::verdict::Bounds;

/// Whether the rules are those of the argument below.
pub(crate) fn holds(rules: Rules) -> bool {
    rules.capture == Capture::None
        && rules.direction == Direction::CounterClockwise
        && !rules.remaining_lost
}

/// What is known of the value of a board with so many seeds before anybody looks: all seeds go to one
/// or the other; and, where the rules are such (see [`holds`]), each player keeps some.
///
/// Call two neighbouring houses of a player's a *pair* if one of them holds seeds. A player with c
/// seeds in the store and m pairs without a house in common ends with at least c + m seeds, if he
/// always plays the occupied house nearest to his store.
///
/// *The other's moves leave every pair a pair.* They take seeds from the player's houses only where a
/// relay picks up, so at least two of them: had the house been empty, the move would be over. If
/// that is the left house of a pair, the first of these seeds falls into the right one. If it is the
/// right one, the seed that fell there came by way of the left one, and left a seed there.
///
/// *His own move from house j, the occupied one nearest to the store, does not make c + m less.* After
/// its first sowing, what was said of relays holds for his own too. That sowing empties j alone, so
/// that all pairs stay but perhaps that of j with the house to its left, one at most. If it reaches
/// the store, c has grown by one. If it does not, it ends the turn, since all houses to the right of
/// j are empty; and the house next to the right of j, which is not of any other pair, now holds a
/// seed, so that these two are a pair in its place.
///
/// In the end he owns what is in his store and in his row, and each pair has a seed.
pub(crate) fn bounds<B: Ranked>(law: &Law<B>, board: &B, seeds: i64) -> Bounds {
    let Bounds { low, high } = Bounds::of_seeds(seeds);
    if !holds(law.rules()) {
        return Bounds { low, high };
    }
    let kept = |row: usize| 2 * pairs((0..law.houses()).map(|slot| board.seeds(row + slot) > 0));
    Bounds { low: low + kept(0), high: high - kept(B::ROW) }
}

/// The most pairs without a house in common.
fn pairs(occupied: impl Iterator<Item = bool>) -> i64 {
    let (mut pairs, mut left) = (0, None);
    for here in occupied {
        if left.is_some_and(|left| left || here) {
            pairs += 1;
            left = None;
        } else {
            left = Some(here);
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use sowing::{Game, Small};
    use sowing_tables::{RowRanks, build_in_memory};

    #[test]
    fn pairs_have_no_house_in_common() {
        for (row, most) in [
            ("", 0),
            ("x", 0),
            ("..", 0),
            ("x.", 1),
            (".x.", 1),
            ("xxx", 1),
            (".x.x.", 2),
            ("..x.x..x", 3),
        ] {
            assert_eq!(pairs(row.chars().map(|house| house == 'x')), most, "{row}");
        }
    }

    /// Of all positions in tables none is worth more or less than its bounds say, and some are worth just
    /// as much.
    #[test]
    fn no_position_is_worth_more_or_less() {
        let plain = ["kalah(4,2,no-capture)", "kalah(5,2,no-capture)"].map(|name| (name, 9));
        let relay = [(1, 20), (2, 20), (3, 16), (4, 12), (5, 10), (6, 9)];
        let relay = relay.map(|(houses, layer)| (format!("s-kalaha({houses},2)"), layer));
        let plain = plain.map(|(name, layer)| (name.to_string(), layer));
        for (name, top) in plain.into_iter().chain(relay) {
            let game: Game = name.parse().unwrap();
            let law = Law::<Small>::new(&game);
            let tables = build_in_memory(&game, top, &Default::default()).unwrap();
            let ranks = RowRanks::new(game.houses());
            let (mut all, mut reached) = (0, 0);
            for layer in 2..=top as usize {
                for own in 1..layer {
                    for mine in ranks.rows(own) {
                        for theirs in ranks.rows(layer - own) {
                            let board = Small::from_rows(mine, theirs);
                            let value = i64::from(tables.probe(board).unwrap());
                            let Bounds { low, high } = bounds(&law, &board, layer as i64);
                            assert!(low <= value && value <= high, "{name} {board:?}: {value}");
                            reached += u32::from(value == high);
                            all += 1;
                        }
                    }
                }
            }
            assert!(reached > 0, "{name}: none of {all}");
        }
    }
}

//! Static bounds: safe seeds that each player keeps whatever the other does.

use sowing_rules::{Bounds, Capture, CompiledRules, Direction, Rules};

use super::search_board::SearchBoard;

/// Whether the argument of [`static_bounds`] holds under these rules.
pub(crate) fn has_safe_seeds(rules: Rules) -> bool {
    rules.capture == Capture::None
        && rules.direction == Direction::CounterClockwise
        && !rules.remaining_lost
}

/// The bounds of a board with `seeds` seeds in houses that need no search: each seed goes to one player or
/// to neither; and where the rules allow it ([`has_safe_seeds`]), each player keeps some.
///
/// The proof in short; `docs/static-bounds.md` has all cases. Call two neighbouring houses of a player a *pair* if one of them holds seeds. A player with c seeds in the
/// store and m pairs without a house in common ends with at least c + m seeds, by always playing the occupied
/// house nearest to the store.
///
/// *The opponent's moves leave every pair a pair.* They take seeds from the player's houses only where a relay
/// picks up, so at least two of them: had the house been empty, the move would be over. If that is the left
/// house of a pair, the first of these seeds falls into the right one. If it is the right one, the seed that
/// fell there came by way of the left one, and left a seed there.
///
/// *The player's own move from house j, the occupied one nearest to the store, does not lower c + m.* After its
/// first sowing, the argument about relays holds for the player's own too. That sowing empties j alone, so
/// all pairs stay except perhaps that of j with the house to its left. If it reaches the store, c grows by one.
/// If it does not, it ends the turn, since all houses to the right of j are empty; and the house next to the
/// right of j, which is in no other pair, now holds a seed, so that these two are a pair instead.
///
/// At the end the player owns the seeds in the store and in the row, and each pair has a seed.
pub(crate) fn static_bounds<B: SearchBoard>(
    rules: &CompiledRules<B>,
    board: &B,
    seeds: i64,
) -> Bounds {
    let Bounds { low, high } = Bounds::from_layer(seeds);
    if !has_safe_seeds(rules.definition()) {
        return Bounds { low, high };
    }
    let safe = |row: usize| 2 * pairs((0..rules.houses()).map(|slot| board.seeds(row + slot) > 0));
    Bounds { low: low + safe(0), high: high - safe(B::ROW) }
}

/// The largest number of pairs without a house in common.
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
    use sowing_rules::{CompactBoard, Game};
    use sowing_tables::{RowIndex, build_in_memory};

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
            let rules = CompiledRules::<CompactBoard>::new(&game);
            let tables = build_in_memory(&game, top, &Default::default()).unwrap();
            let rows = RowIndex::new(game.houses());
            let (mut all, mut reached) = (0, 0);
            for layer in 2..=top as usize {
                for own in 1..layer {
                    for mine in rows.rows(own) {
                        for theirs in rows.rows(layer - own) {
                            let board = CompactBoard::from_rows(mine, theirs);
                            let value = i64::from(tables.probe(board).unwrap());
                            let Bounds { low, high } = static_bounds(&rules, &board, layer as i64);
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

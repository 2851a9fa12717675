//! What the first player can reach in the first turn.

use std::collections::HashSet;
use std::rc::Rc;

use sowing_rules::{Board, CompactBoard, CompiledRules, Game, Move, Position, WideBoard};

/// The first turns of a game, and whether one of them wins.
///
/// A turn wins if it ends the game ahead, or brings more than half of all seeds into the mover's
/// store, or just half of them where every answer ends the game behind (as in `s-kalaha(1,2)`,
/// whose second player has one seed left and must store it). Under the pie rule the opponent could
/// swap into the better seat, so that only a game that is over counts.
#[derive(Clone, Debug)]
pub struct Openings {
    /// The game.
    pub game: Game,
    /// Distinct boards that a first turn can end with.
    pub ends: u64,
    /// How many of them are won.
    pub winning_ends: u64,
    /// The fewest moves that make sure of a win, if any do. Where the win is sure before the turn
    /// is over, the moves stop there. Of equally short ones, that with the leftmost houses.
    pub shortest: Option<FirstTurn>,
    /// The winning turn that brings the most seeds, of equally rich ones the shortest.
    pub richest: Option<FirstTurn>,
}

/// A first turn, or as much of it as wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FirstTurn {
    /// The moves.
    pub moves: Vec<Move>,
    /// The seeds that are the first player's after them: the store, and the own row if the game
    /// is over and its rules give it.
    pub seeds: u64,
    /// Whether the game is over.
    pub finished: bool,
}

/// A first turn goes through more positions than the study was allowed to look at.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the first turn of {game} goes through more than {limit} positions")]
pub struct TooManyPositions {
    /// The game.
    pub game: Game,
    /// How many were allowed.
    pub limit: usize,
}

/// A position in the middle of the turn, and how it came about.
struct Way {
    board: Kept,
    from: usize,
    slot: u8,
}

/// A board in as little memory as it takes; the other store holds the rest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kept {
    /// The houses, and the first player's store.
    Compact(CompactBoard, u8),
    /// The first player's houses and store, then the other's houses.
    WideBoard(Rc<[u64]>),
}

impl Kept {
    fn new(board: &WideBoard) -> Kept {
        match (CompactBoard::new(board), u8::try_from(board.store())) {
            (Ok(small), Ok(store)) => Kept::Compact(small, store),
            _ => Kept::WideBoard([board.own(), &[board.store()], board.other()].concat().into()),
        }
    }

    fn board(&self, game: &Game) -> WideBoard {
        let houses = usize::from(game.houses());
        let wide = |own: &[u64], store: u64, other: &[u64]| {
            let kept = own.iter().chain(other).sum::<u64>() + store;
            WideBoard::new(own, store, other, game.total() - kept)
        };
        match self {
            Kept::Compact(small, store) => {
                let row = |row: u64| row.to_le_bytes().map(u64::from);
                let (own, other) = (row(small.own()), row(small.other()));
                wide(&own[..houses], u64::from(*store), &other[..houses])
            }
            Kept::WideBoard(pits) => wide(&pits[..houses], pits[houses], &pits[houses + 1..]),
        }
    }
}

impl Openings {
    /// Goes through all first turns of a game, looking at no more than `limit` positions within
    /// and at the end of them.
    pub fn of(game: Game, limit: usize) -> Result<Openings, TooManyPositions> {
        Openings::search(game, limit, false)
    }

    /// The fewest moves that make sure of a win, as in [`shortest`](Openings::shortest), without
    /// looking any further than that.
    pub fn shortest_win(game: Game, limit: usize) -> Result<Option<FirstTurn>, TooManyPositions> {
        Ok(Openings::search(game, limit, true)?.shortest)
    }

    fn search(game: Game, limit: usize, first_only: bool) -> Result<Openings, TooManyPositions> {
        let rules = CompiledRules::<WideBoard>::new(&game);
        let start = Kept::new(Position::start(game).board());
        let mut ways = vec![Way { board: start.clone(), from: 0, slot: 0 }];
        let mut seen = HashSet::from([start]);
        let mut ends = HashSet::new();
        let mut openings =
            Openings { game, ends: 0, winning_ends: 0, shortest: None, richest: None };
        let mut index = 0;
        // Positions come in the order of the moves that they take, leftmost houses first.
        while index < ways.len() {
            let board = ways[index].board.board(&game);
            for slot in (0..rules.houses()).filter(|slot| board.seeds(*slot) > 0) {
                let played = rules.play_unchecked(board, slot);
                // The first player's view, whoever is to move.
                let after = if played.again { played.board } else { played.board.flip() };
                let over = played.finished || !played.again;
                let turn = |seeds| FirstTurn {
                    moves: moves(&ways, index, slot),
                    seeds,
                    finished: played.finished,
                };
                let mut seeds = won_seeds(&game, &after, played.finished);
                let half = 2 * after.store() == game.total() && !game.rules().pie;
                if over && half && !played.finished && every_answer_loses(&rules, &game, after) {
                    seeds = Some(after.store());
                }
                if let (Some(seeds), None) = (seeds, &openings.shortest) {
                    openings.shortest = Some(turn(seeds));
                    if first_only {
                        return Ok(openings);
                    }
                }
                if over {
                    if ends.insert(Kept::new(&after)) {
                        openings.winning_ends += u64::from(seeds.is_some());
                    }
                    let best = openings.richest.as_ref().map_or(0, |turn| turn.seeds);
                    if let Some(seeds) = seeds.filter(|seeds| *seeds > best) {
                        openings.richest = Some(turn(seeds));
                    }
                } else {
                    let board = Kept::new(&after);
                    if seen.insert(board.clone()) {
                        ways.push(Way { board, from: index, slot: slot as u8 });
                    }
                }
                if ways.len() + ends.len() > limit {
                    return Err(TooManyPositions { game, limit });
                }
            }
            index += 1;
        }
        openings.ends = ends.len() as u64;
        Ok(openings)
    }
}

/// The first player's seeds if the game is won for sure.
fn won_seeds(game: &Game, board: &WideBoard, finished: bool) -> Option<u64> {
    let rules = game.rules();
    if !finished {
        return Some(board.store()).filter(|store| 2 * store > game.total() && !rules.pie);
    }
    let row = |seeds: u64| if rules.remaining_lost { 0 } else { seeds };
    let own = board.store() + row(board.own_seeds());
    Some(own).filter(|own| *own > board.other_store() + row(board.other_seeds()))
}

/// Whether every answer to a turn's end, as the one who played it sees it, ends the game in that
/// player's favour.
fn every_answer_loses(rules: &CompiledRules<WideBoard>, game: &Game, end: WideBoard) -> bool {
    let mut open = vec![end.flip()];
    while let Some(board) = open.pop() {
        for slot in (0..rules.houses()).filter(|slot| board.seeds(*slot) > 0) {
            let played = rules.play_unchecked(board, slot);
            match (played.finished, played.again) {
                (false, true) => open.push(played.board),
                (false, false) => return false,
                (true, again) => {
                    let view = if again { played.board.flip() } else { played.board };
                    if won_seeds(game, &view, true).is_none() {
                        return false;
                    }
                }
            }
        }
    }
    true
}

/// The moves to a position and one more.
fn moves(ways: &[Way], mut index: usize, slot: usize) -> Vec<Move> {
    let mut moves = vec![Move::house(slot as u8 + 1)];
    while index > 0 {
        moves.push(Move::house(ways[index].slot + 1));
        index = ways[index].from;
    }
    moves.reverse();
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_are_kept_whole() {
        for name in ["kalah(6,4)", "kalah(8,3)", "kalah(9,2)", "s-kalaha(3,1000)"] {
            let game: Game = name.parse().unwrap();
            let rules = CompiledRules::<WideBoard>::new(&game);
            let played = rules.play_unchecked(*Position::start(game).board(), 0);
            assert_eq!(Kept::new(&played.board).board(&game), played.board, "{name}");
        }
    }
}

//! When a game is over on a server.

use sowing_rules::{Ending, Game, Playthrough, Position, Rules, Setup, Side};

/// Whether a game is over by a server's rules: a row is empty, or a store holds more than half of all
/// seeds.
pub fn is_over(position: &Position) -> bool {
    let board = position.board();
    let most = board.store().max(board.other_store());
    position.is_finished() || most > position.total() / 2
}

/// Who has won by a server's rules; `None` is a draw.
///
/// # Panics
/// If the game is not over.
pub fn winner(play: &Playthrough) -> Option<Side> {
    let position = play.position();
    assert!(is_over(position), "the game is not over");
    let margin = position.margin().unwrap_or_else(|| position.lead());
    match Ending::from_margin(play.side(), margin) {
        Ending::Win(side, _) => Some(side),
        Ending::Draw => None,
    }
}

/// A position that a server sent: Kalah, with as many seeds a house as there are on average.
pub(crate) fn position(setup: &Setup) -> Option<Position> {
    let houses = setup.board().houses();
    let board = setup.board();
    let seeds = [board.own(), board.other(), &[board.store(), board.other_store()]];
    let total: u64 = seeds.iter().flat_map(|seeds| seeds.iter()).sum();
    let game = Game::new(Rules::KALAH, houses, (total / (2 * u64::from(houses))).max(1))?;
    Position::free(game, setup).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever has won by a server's rules wins the whole game, whatever is played after that.
    #[test]
    fn the_winner_is_the_same() {
        let (mut early, mut draws) = (0, 0);
        for (name, seed) in ["kalah(3,2)", "kalah(4,3)", "kalah(6,4)", "kalah(5,1)", "kalah(2,5)"]
            .iter()
            .flat_map(|name| (0..60).map(move |seed| (name, seed)))
        {
            let mut play = sowing_players::random_opening(name.parse().unwrap(), 1000, seed, 0);
            let mut random = sowing_rules::SeededRng::new(seed, 1);
            // An opening ends before the last move.
            let moves: Vec<_> = play.position().moves().collect();
            play.try_play(moves[random.below(moves.len() as u64) as usize]).unwrap();
            while !play.position().is_finished() {
                let first = play.position().moves().next().unwrap();
                play.try_play(first).unwrap();
            }
            let last = winner(&play);
            let mut at = Playthrough::new(*play.start());
            for step in play.plays() {
                if is_over(at.position()) {
                    assert_eq!(winner(&at), last, "{name} {seed}");
                    early += usize::from(!at.position().is_finished());
                }
                at.try_play(step.action).unwrap();
            }
            draws += usize::from(last.is_none());
        }
        assert!(early > 100 && draws > 3, "{early} {draws}");
    }

    #[test]
    fn more_than_half() {
        let setup = |text: &str| text.parse::<Setup>().unwrap();
        // Of 13 seeds, 6 are not more than half, and 7 are.
        assert!(!is_over(&position(&setup("1,0,6|1,0,5")).unwrap()));
        assert!(is_over(&position(&setup("1,0,7|1,0,4")).unwrap()));
        assert!(!is_over(&position(&setup("1,0,6|1,0,4")).unwrap()));
        assert!(is_over(&position(&setup("0,0,6|1,0,5")).unwrap()));
        assert!(position(&setup("0,0|0,0")).is_some());
    }
}

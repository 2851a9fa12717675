//! A game as a client sees it, put together again.
//!
//! A server sends a client the positions in which it has a choice, and nothing else: not what the
//! opponent played, nor forced moves, nor how a game ended. What lies between two positions is found
//! by playing: the own move, forced moves, and the opponent's moves that lead to the next position.

use sowing_rules::{Move, Playthrough, Position, Record, Side};

use crate::rules::is_over;

/// How many moves are tried to find out what was played.
const MOST: u32 = 100_000;

/// The game that is being played.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    game: Option<Seen>,
}

#[derive(Debug)]
struct Seen {
    play: Playthrough,
    /// Our row.
    me: Side,
    /// What we played in the position where the play stands.
    sent: Option<Move>,
}

impl Recorder {
    /// Takes a position on in which we are to move. Whether it begins another game; then the one
    /// before is given back.
    pub(crate) fn state(&mut self, position: &Position) -> Option<Record> {
        if let Some(seen) = &mut self.game {
            let mut play = seen.play.clone();
            if reach(&mut play, seen.me, position, seen.sent) {
                (seen.play, seen.sent) = (play, None);
                return None;
            }
        }
        let before = self.finish();
        let mut play = Playthrough::new(Position::start(*position.game()));
        let me = if *position == *play.start() {
            Side::South
        } else if play.start().total() == position.total()
            && reach(&mut play, Side::North, position, None)
        {
            Side::North
        } else {
            play = Playthrough::new(*position);
            Side::South
        };
        self.game = Some(Seen { play, me, sent: None });
        before
    }

    /// Takes our move on. It may be another one than before.
    pub(crate) fn sent(&mut self, action: Move) {
        if let Some(seen) = &mut self.game {
            seen.sent = Some(action);
        }
    }

    /// Whether there is a game.
    pub(crate) fn is_playing(&self) -> bool {
        self.game.is_some()
    }

    /// The game so far, which is over; headers say who was who where it is known.
    pub(crate) fn finish(&mut self) -> Option<Record> {
        let seen = self.game.take()?;
        let play = settled(&seen);
        let mut record = Record::from_playthrough(&play).with_program();
        if is_over(play.position()) && !play.position().is_finished() {
            record = record.with_header("ended", "a store holds more than half");
        }
        Some(record.with_header("seat", if seen.me == Side::South { "south" } else { "north" }))
    }
}

/// The game with our last move and all forced moves after it.
fn settled(seen: &Seen) -> Playthrough {
    let mut play = seen.play.clone();
    if let Some(action) = seen.sent {
        let _ = play.try_play(action);
        while let (Some(only), false) = (forced(&play), is_over(play.position())) {
            let _ = play.try_play(only);
        }
    }
    play
}

/// The only legal move.
fn forced(play: &Playthrough) -> Option<Move> {
    let mut moves = play.position().moves();
    moves.next().filter(|_| moves.next().is_none())
}

/// Plays on until we are to move in this position; whether that can be. We play `first` if it is given,
/// and after that only what is forced.
fn reach(play: &mut Playthrough, me: Side, target: &Position, first: Option<Move>) -> bool {
    let ours = |position: &Position, side: Side| {
        let (own, other) = (position.board().store(), position.board().other_store());
        if side == me { (own, other) } else { (other, own) }
    };
    let goal = ours(target, me);
    fn walk(
        play: &mut Playthrough,
        me: Side,
        target: &Position,
        fits: &dyn Fn(&Playthrough) -> bool,
        choices: &[Move],
        left: &mut u32,
    ) -> bool {
        for action in choices {
            if *left == 0 {
                return false;
            }
            *left -= 1;
            if play.try_play(*action).is_err() {
                continue;
            }
            if play.side() == me && play.position() == target {
                return true;
            }
            if fits(play) && !is_over(play.position()) {
                let moves: Vec<Move> = play.position().moves().collect();
                // Where we have a choice we would have been asked.
                if (play.side() != me || moves.len() == 1)
                    && walk(play, me, target, fits, &moves, left)
                {
                    return true;
                }
            }
            play.undo();
        }
        false
    }
    // Seeds never leave a store.
    let fits = |play: &Playthrough| {
        let (own, other) = ours(play.position(), play.side());
        own <= goal.0 && other <= goal.1
    };
    let choices: Vec<Move> = match first.filter(|_| play.side() == me) {
        Some(first) => vec![first],
        None => play.position().moves().collect(),
    };
    walk(play, me, target, &fits, &choices, &mut { MOST })
}

#[cfg(test)]
mod tests {
    use sowing_rules::{Rules, SeededRng};

    use super::*;

    /// Where a player was asked, and had a choice.
    fn choices(play: &Playthrough, me: Side) -> Vec<Position> {
        let before = std::iter::once((*play.start(), Side::South));
        let after = play.plays().iter().map(|play| (play.after, play.next));
        let asked = before.chain(after).take(play.plays().len());
        let asked = asked.filter(|(position, side)| *side == me && position.moves().count() > 1);
        asked.map(|(position, _)| position).collect()
    }

    /// Games of which only the choices of one player are shown are put together again.
    #[test]
    fn games_are_put_together_again() {
        let mut whole = 0;
        for (houses, seed) in (3..=12u8).flat_map(|houses| (0..20).map(move |seed| (houses, seed)))
        {
            let game = sowing_rules::Game::new(Rules::KALAH, houses, 1 + seed % 5).unwrap();
            let me = if seed % 2 == 0 { Side::South } else { Side::North };
            let mut play = Playthrough::new(Position::start(game));
            let mut random = SeededRng::new(seed, houses.into());
            let mut recorder = Recorder::default();
            let mut shown = 0;
            while !is_over(play.position()) {
                let moves: Vec<Move> = play.position().moves().collect();
                let action = moves[random.below(moves.len() as u64) as usize];
                if play.side() == me && moves.len() > 1 {
                    assert!(recorder.state(play.position()).is_none(), "{game} {seed} {shown}");
                    recorder.sent(action);
                    shown = play.plays().len() + 1;
                }
                play.try_play(action).unwrap();
            }
            let Some(record) = recorder.finish() else { continue };
            // What came after our last choice is known only where it was forced.
            let again = record.to_string().parse::<Record>().unwrap().replay().unwrap();
            assert!(again.plays().len() >= shown, "{game} {seed}");
            // Two ways may lead to one position: what is sure is where we were asked.
            let shown = choices(&play, me);
            let found = choices(&again, me);
            assert_eq!(found[..], shown[..found.len()], "{game} {seed}");
            assert_eq!(found.len(), shown.len(), "{game} {seed}");
            whole += usize::from(again.plays().len() == play.plays().len());
        }
        assert!(whole > 50, "{whole}");
    }

    #[test]
    fn another_game_is_another_record() {
        let mut recorder = Recorder::default();
        let start = Position::start("kalah(4,3)".parse().unwrap());
        assert!(recorder.state(&start).is_none());
        recorder.sent(Move::house(2));
        assert!(recorder.state(&start).is_some());
        let other = Position::start("kalah(5,3)".parse().unwrap());
        let record = recorder.state(&other).unwrap();
        assert_eq!(record.game().to_string(), "kalah(4,3)");
        assert!(recorder.finish().is_some() && recorder.finish().is_none());
    }
}

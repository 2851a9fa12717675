//! What was before: a position that comes up for the third time ends a game.

use sowing_analysis::{AnalysisOptions, Review, analyze, best_turn, value_in_game};
use sowing_rules::{Ending, Move, PlayError, Playthrough, Position, Record, Side};
use sowing_solver::{Goal, Solver};

fn played(game: &str, moves: &str) -> Playthrough {
    let mut play = Playthrough::new(Position::start(game.parse().unwrap()));
    for word in moves.split(',') {
        play.try_play(word.parse().unwrap()).unwrap();
    }
    play
}

/// Games in which a move that would be best by itself ends everything with less.
const CIRCLES: [(&str, &str); 2] = [
    (
        "1,1,2,3,1,3,3,3,2,1,1,2,3,3,2,2,1,3,3,2,1,1,2,3,1,2,1,1,3,3,1,1,2,2,1,1,3,2,1,3,2,1,1,2,3,1,\
         3,3,2,1,1,2,3,1",
        "3",
    ),
    ("3,1,1,1,2,2,3,1,3,3,3,1,3,2,1,2,1,1,3,3,3,2,1,1,2,2,1,1,3,3,3,1,2,2,1,1,3,3,2,2", "1"),
];

#[test]
fn the_best_move_does_not_end_a_game_with_less() {
    for (moves, ending) in CIRCLES {
        let play = played("kalah(3,2,clockwise)", moves);
        let mut solver = Solver::new(*play.position().game()).unwrap();
        let ending: Move = ending.parse().unwrap();
        let ends = play.position().lead();
        let options = AnalysisOptions { turns: true, line: true, ..AnalysisOptions::default() };
        let found = analyze(&mut solver, &play, &options, &mut |_| {}).unwrap();
        let of =
            |action| found.moves.iter().find(|one| one.action == action).unwrap().known.value();
        assert_eq!(of(ending), Some(ends));
        let best = found.moves.iter().map(|one| one.known.value().unwrap()).max();
        assert_eq!((found.known.value(), found.complete), (best, true));
        assert_eq!(value_in_game(&mut solver, &play).unwrap().value(), best);
        let turn = best_turn(&mut solver, &play, best.unwrap()).unwrap();
        assert_eq!(found.best.as_ref(), Some(&turn));
        assert_eq!(of(turn[0]), best);
        let turns = found.turns.unwrap();
        assert_eq!(turns.iter().map(|turn| turn.known.value()).max(), Some(best));
        // To end it all the same is a turn that loses something, unless nothing is better.
        let mut ended = play.clone();
        ended.try_play(ending).unwrap();
        assert!(ended.is_endless() && !ended.position().is_finished());
        let review = Review::from_playthrough(&ended, &mut solver, |_| {}).unwrap();
        let last = review.turns.last().unwrap();
        assert_eq!(last.after.value(), Some(ends));
        assert_eq!((last.before.value(), last.lost), (best, best.map(|best| best - ends)));
    }
}

#[test]
fn an_endless_game_is_over_everywhere() {
    let (moves, ending) = CIRCLES[1];
    let mut play = played("kalah(3,2,clockwise)", moves);
    assert_eq!(play.result(), None);
    let side = play.side();
    play.try_play(ending.parse().unwrap()).unwrap();
    let margin = play.position().lead();
    assert_eq!(play.result(), Some(Ending::from_margin(!side, margin)));
    assert!(matches!(play.clone().try_play(Move::house(1)), Err(PlayError::Endless)));
    // It is written down as it ended, and replays so.
    let record = Record::from_playthrough(&play).to_string();
    assert!(record.contains("# result: ") && !record.contains("unfinished"), "{record}");
    let again = record.parse::<Record>().unwrap().replay().unwrap();
    assert_eq!(again.result(), play.result());
}

/// Where only win, draw or loss is asked for, no turn of a lost position is called best.
#[test]
fn no_turn_of_a_lost_position_is_best() {
    let game = "kalah(4,3)".parse().unwrap();
    let lost = Position::new(game, &"1,4,2,2,1|3,3,1,4,3".parse().unwrap()).unwrap();
    let mut solver = Solver::new(game).unwrap();
    let options = AnalysisOptions { goal: Goal::Outcome, ..AnalysisOptions::default() };
    let play = Playthrough::new(lost);
    let found = analyze(&mut solver, &play, &options, &mut |_| {}).unwrap();
    assert_eq!(found.known.outcome().map(|outcome| outcome.to_string()).as_deref(), Some("loss"));
    assert_eq!((found.best, found.complete), (None, true));
    let start = Playthrough::new(Position::start(game));
    assert_eq!(start.side(), Side::South);
    let found = analyze(&mut solver, &start, &options, &mut |_| {}).unwrap();
    let turn = found.best.expect("a win has a turn that keeps it");
    let mut after = start.clone();
    for action in turn {
        after.try_play(action).unwrap();
    }
    assert!(solver.value(after.position()).unwrap().bounds.high < 0);
}

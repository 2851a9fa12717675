//! Every worked example of the documents that the games come from.

use std::collections::HashSet;

use sowing_rules::{Game, House, Move, Numbering, Pit, Position, Setup, Side, Step, Track};

fn position(game: &str, setup: &str) -> Position {
    let game: Game = game.parse().unwrap();
    let setup: Setup = setup.parse().unwrap();
    Position::free(game, &setup).unwrap()
}

fn own(number: u8) -> Pit {
    Pit::Own(House::new(number).unwrap())
}

fn other(number: u8) -> Pit {
    Pit::Other(House::new(number).unwrap())
}

/// A pit in the PDP-1 note's names, for player A as the mover: `6A` is farthest from A's kalah.
fn pdp(name: &str) -> Pit {
    if name == "Kalah A" {
        return Pit::Store;
    }
    let (house, _) = Numbering::Pdp.house(name[..1].parse().unwrap(), 6).unwrap();
    if name.ends_with('A') { Pit::Own(house) } else { Pit::Other(house) }
}

fn play_pdp(position: &Position, name: &str) -> (Position, sowing_rules::MoveReport) {
    let Pit::Own(house) = pdp(name) else { panic!("{name} is not a pit of A's") };
    position.play(Move::House(house))
}

/// Rule 2 of the PDP-1 note gives the cyclic order of the holes; it is the same for both players.
#[test]
fn pdp_1_hole_order() {
    let order = "6A 5A 4A 3A 2A 1A Kalah_A 6B 5B 4B 3B 2B 1B 6A";
    let expected: Vec<Pit> = order.split(' ').map(|name| pdp(&name.replace('_', " "))).collect();
    let track = Track::new(6, sowing_rules::Direction::CounterClockwise);
    let walked: Vec<Pit> = track.after(pdp("1B")).take(14).collect();
    assert_eq!(walked, expected);
}

/// The position of the note's Fig. 2. The text gives 1, 0, 2, 4, 2, 8 stones for A's pits 6A to
/// 1A, 4 for 5B and none for 2B; the others are not told, and chosen here.
fn figure_2() -> Position {
    position("kalah(6,3)", "1,0,2,4,2,8,2|3,4,1,2,0,5,2")
}

#[test]
fn pdp_1_example_1_selectable_pits() {
    let moves: Vec<u8> = figure_2()
        .moves()
        .map(|action| match action {
            Move::House(house) => Numbering::Pdp.label(house, Side::South, 6),
            Move::Swap => panic!("no pie here"),
        })
        .collect();
    assert_eq!(moves, [6, 4, 3, 2, 1]);
}

#[test]
fn pdp_1_example_2_repeat_then_capture() {
    let (after, report) = play_pdp(&figure_2(), "2A");
    assert!(report.again);
    let last = pdp("Kalah A");
    assert_eq!(report.steps, [Step::Sow { from: pdp("2A"), seeds: 2, laps: 0, last }]);
    assert_eq!(after.to_string(), "1,0,2,4,0,9,3|3,4,1,2,0,5,2");
    let (after, report) = play_pdp(&after, "4A");
    assert!(!report.again);
    assert_eq!(report.gain, 5);
    let Pit::Own(house) = pdp("2A") else { unreachable!() };
    let Pit::Other(opposite) = pdp("5B") else { unreachable!() };
    assert_eq!(
        report.steps,
        [
            Step::Sow { from: pdp("4A"), seeds: 2, laps: 0, last: pdp("2A") },
            Step::Capture { house, opposite, taken: 4 },
        ]
    );
    assert_eq!(after.to_string(), "3,0,1,2,0,5,2|1,0,0,5,0,9,8");
}

#[test]
fn pdp_1_example_3_no_capture_opposite_an_empty_pit() {
    let (after, report) = play_pdp(&figure_2(), "6A");
    let last = pdp("5A");
    assert_eq!(report.steps, [Step::Sow { from: pdp("6A"), seeds: 1, laps: 0, last }]);
    assert_eq!((report.gain, report.again), (0, false));
    assert_eq!(after.to_string(), "3,4,1,2,0,5,2|0,1,2,4,2,8,2");
}

#[test]
fn pdp_1_example_4_no_capture_on_the_other_side() {
    let (after, report) = play_pdp(&figure_2(), "3A");
    let last = pdp("6B");
    assert_eq!(report.steps, [Step::Sow { from: pdp("3A"), seeds: 4, laps: 0, last }]);
    assert_eq!(after.to_string(), "4,4,1,2,0,5,2|1,0,2,0,3,9,3");
}

#[test]
fn pdp_1_example_5_round_the_board() {
    let (after, report) = play_pdp(&figure_2(), "1A");
    let last = pdp("6A");
    assert_eq!(report.steps, [Step::Sow { from: pdp("1A"), seeds: 8, laps: 0, last }]);
    assert_eq!(after.to_string(), "4,5,2,3,1,6,2|2,0,2,4,2,0,3");
}

/// Rule 3a: the game is over when all of a player's pits are empty, even after a repeat move.
#[test]
fn pdp_1_rule_3a_ends_in_the_middle_of_a_turn() {
    let last_stone = position("kalah(6,3)", "0,0,0,0,0,1,10|1,0,0,0,0,2,22");
    let (after, report) = play_pdp(&last_stone, "1A");
    assert!(report.again && report.finished && after.is_finished());
    assert_eq!(after.margin(), Some(11 - 25));
    assert_eq!(after.moves().count(), 0);
}

/// Rule 3c needs a non-empty pit opposite; the opponent's row may be emptied by the capture.
#[test]
fn pdp_1_rule_3c_capture_that_ends_the_game() {
    let before = position("kalah(6,3)", "1,0,0,0,0,3,10|0,0,0,0,4,0,18");
    let (after, report) = play_pdp(&before, "6A");
    assert_eq!((report.gain, report.finished, report.again), (5, true, false));
    assert_eq!(after.margin(), Some(18 - (10 + 5 + 3)));
}

/// The thesis's Figure 5 is a board in her notation.
#[test]
fn thesis_figure_5_notation() {
    let game: Game = "s-kalaha(3,1)".parse().unwrap();
    let setup: Setup = "(0,0,2,1|1,1,1,0)".parse().unwrap();
    let position = Position::new(game, &setup).unwrap();
    assert_eq!(position.board().own(), [0, 0, 2]);
    assert_eq!(position.board().store(), 1);
    assert_eq!(position.board().other(), [1, 1, 1]);
    assert_eq!(position.board().other_store(), 0);
    assert_eq!(position.to_string(), "0,0,2,1|1,1,1,0");
    let standard = Position::start("s-kalaha(6,3)".parse().unwrap());
    assert_eq!(standard.to_string(), "3,3,3,3,3,3,0|3,3,3,3,3,3,0");
}

/// Figures 6 and 7: one move of three pick-ups from the start of S-Kalaha(2,1).
#[test]
fn thesis_figures_6_and_7_relay() {
    let start = Position::start("s-kalaha(2,1)".parse().unwrap());
    assert_eq!(start.to_string(), "1,1,0|1,1,0");
    let (after, report) = start.play(Move::house(1));
    assert_eq!(
        report.steps,
        [
            Step::Sow { from: own(1), seeds: 1, laps: 0, last: own(2) },
            Step::Sow { from: own(2), seeds: 2, laps: 0, last: other(1) },
            Step::Sow { from: other(1), seeds: 2, laps: 0, last: own(1) },
        ]
    );
    assert_eq!(after.flip().to_string(), "1,0,1|0,2,0");
    assert_eq!(after.to_string(), "0,2,0|1,0,1");
}

/// Figure 8: the full tree of S-Kalaha(2,1).
#[test]
fn thesis_figure_8_full_tree() {
    #[derive(Default)]
    struct Tree {
        nodes: HashSet<(String, bool)>,
        margins: Vec<i64>,
    }
    fn walk(position: &Position, first_to_move: bool, tree: &mut Tree) {
        let south = if first_to_move { *position } else { position.flip() };
        // A finished board counts once, whoever would be to move.
        let key = first_to_move || position.is_finished();
        tree.nodes.insert((south.to_string(), key));
        if let Some(margin) = south.margin() {
            tree.margins.push(margin);
        }
        for action in position.moves() {
            let (next, report) = position.play(action);
            walk(&next, first_to_move == report.again, tree);
        }
    }
    let mut tree = Tree::default();
    walk(&Position::start("s-kalaha(2,1)".parse().unwrap()), true, &mut tree);
    assert_eq!(tree.nodes.len(), 10);
    tree.margins.sort();
    assert_eq!(tree.margins.len(), 3);
    assert_eq!(tree.margins.iter().filter(|margin| **margin == 0).count(), 2);
    assert_eq!(tree.margins.iter().filter(|margin| **margin > 0).count(), 1);
}

/// Section 5.2: with 2h+1 seeds the last one returns to the house just emptied.
#[test]
fn thesis_full_lap_ends_in_the_emptied_house() {
    for houses in 1..=16 {
        let game = format!("s-kalaha({houses},{})", 2 * houses + 1);
        let start = Position::start(game.parse().unwrap());
        for action in start.moves() {
            let Move::House(house) = action else { unreachable!() };
            let (_, report) = start.play(action);
            let from = Pit::Own(house);
            let seeds = 2 * houses + 1;
            assert_eq!(report.steps, [Step::Sow { from, seeds, laps: 1, last: from }]);
            assert_eq!((report.gain, report.again), (1, false));
        }
    }
}

/// The 2010 article's example turn, with its three seeds: a last seed in the store, then a last
/// seed in an empty house; four seeds are captured.
#[test]
fn article_of_2010_example_turn() {
    let start = Position::start("kalah(6,3)".parse().unwrap());
    let (after, report) = start.play(Move::house(4));
    assert!(report.again);
    let (after, report) = after.play(Move::house(1));
    assert_eq!((report.gain, report.again), (4, false));
    assert_eq!(after.to_string(), "3,3,0,3,3,3,0|0,4,4,0,4,4,5");
}

/// The 2018 article's example turn: a last seed in the store, then one in an empty house; the
/// seeds of both houses go to the store. Its board survives only as a picture, so this one is made
/// up.
#[test]
fn article_of_2018_example_turn() {
    let before = position("kalah(6,4)", "2,4,0,3,0,5,7|5,5,0,4,3,2,8");
    let (after, report) = before.play(Move::house(4));
    assert!(report.again);
    assert_eq!(after.to_string(), "2,4,0,0,1,6,8|5,5,0,4,3,2,8");
    let (after, report) = after.play(Move::house(1));
    let (house, opposite) = (House::new(3).unwrap(), House::new(4).unwrap());
    assert_eq!(report.steps[1], Step::Capture { house, opposite, taken: 4 });
    assert_eq!((report.gain, report.again), (5, false));
    assert_eq!(after.to_string(), "5,5,0,0,3,2,8|0,5,0,0,1,6,13");
}

/// The articles' variants, on one position each.
#[test]
fn variants_of_capture() {
    let facing_seeds = "2,4,0,3,0,5,8|5,5,0,4,3,1,8";
    let facing_none = "2,4,0,3,0,5,8|5,5,4,0,3,1,8";
    let gain = |options: &str, setup: &str| {
        let before = position(&format!("kalah(6,4{options})"), setup);
        before.play(Move::house(1)).1.gain
    };
    assert_eq!(gain("", facing_seeds), 5);
    assert_eq!(gain("", facing_none), 0);
    assert_eq!(gain(",empty-capture", facing_seeds), 5);
    assert_eq!(gain(",empty-capture", facing_none), 1);
    assert_eq!(gain(",last-seed-capture", facing_seeds), 1);
    assert_eq!(gain(",last-seed-capture", facing_none), 1);
    assert_eq!(gain(",no-capture", facing_seeds), 0);
}

/// The clockwise variant: own houses leftwards, the opponent's row, own store.
#[test]
fn clockwise_needs_more_seeds_to_reach_the_store() {
    let before = position("kalah(3,3,clockwise)", "0,4,0,2|1,0,2,1");
    let (after, report) = before.play(Move::house(2));
    let last = other(1);
    assert_eq!(report.steps, [Step::Sow { from: own(2), seeds: 4, laps: 0, last }]);
    assert_eq!(after.flip().to_string(), "1,0,0,2|2,1,3,1");
    let before = position("kalah(3,3,clockwise)", "0,5,0,2|1,0,2,1");
    assert!(before.play(Move::house(2)).1.again);
}

/// The 2018 article's numbering: South 1 to 6, North 8 to 13; the first line of its first table.
#[test]
fn bins_of_the_2018_article() {
    let game: Game = "kalah(6,4)".parse().unwrap();
    let line = "3 6 9 8 2 12 6 5 11 6";
    let record = sowing_rules::Record::read(line, Some(game), Numbering::Bins).unwrap();
    let played = record.replay().unwrap();
    let sides: Vec<Side> = played.plays().iter().map(|play| play.side).collect();
    assert_eq!(sides[..4], [Side::South, Side::South, Side::North, Side::North]);
}

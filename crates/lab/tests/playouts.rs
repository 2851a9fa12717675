//! Random games and exact trees: the same on any number of threads, and true to the rules.

use sowing_lab::{Playouts, Tree};
use sowing_plain::Plain;
use sowing_rules::{Game, perft};

fn game(name: &str) -> Game {
    name.parse().unwrap()
}

fn on(threads: usize, work: impl FnOnce() -> Playouts + Send) -> Playouts {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn threads_do_not_matter_and_seeds_do() {
    let play =
        |threads, seed| on(threads, move || Playouts::play(game("kalah(6,4)"), 40_000, seed));
    let one = play(1, 5);
    assert_eq!(one, play(3, 5));
    assert_ne!(one, play(1, 6));
    assert_eq!(one.wins + one.draws + one.losses, 40_000);
    assert_eq!(one.depths.values().sum::<u64>(), 40_000);
}

/// Leaves of the tree, the chance of each, and what they sum up to: wins, moves, choices, and the
/// mean choices of a game.
fn expected(
    position: &Plain,
    first: bool,
    chance: f64,
    depth: f64,
    choices: f64,
    sum: &mut [f64; 4],
) {
    if position.finished() {
        let margin = position.margin() * if first { 1 } else { -1 };
        sum[0] += if margin > 0 { chance } else { 0.0 };
        sum[1] += chance * depth;
        sum[3] += chance * choices / depth;
        return;
    }
    let houses: Vec<usize> =
        (0..position.houses()).filter(|house| position.rows[0][*house] > 0).collect();
    let open = houses.len() + usize::from(position.may_swap);
    sum[2] += chance * open as f64;
    let choices = choices + open as f64;
    let chance = chance / open as f64;
    if position.may_swap {
        let next = Plain { may_swap: false, ..position.clone() };
        expected(&next, !first, chance, depth + 1.0, choices, sum);
    }
    for house in houses {
        let (next, again) = position.play(house);
        expected(&next, first == again, chance, depth + 1.0, choices, sum);
    }
}

#[test]
fn means_are_those_of_the_whole_tree() {
    for name in ["kalah(2,2)", "s-kalaha(3,1)", "kalah(2,2,pie)", "kalah(3,1,remaining-lost)"] {
        let mut sum = [0.0; 4];
        expected(&Plain::start(&game(name)), true, 1.0, 0.0, 0.0, &mut sum);
        let [wins, moves, choices, by_game] = sum;
        let played = Playouts::play(game(name), 200_000, 1);
        let close = |found: f64, expected: f64, within: f64| {
            assert!((found - expected).abs() <= within, "{name}: {found} for {expected}");
        };
        close(played.wins as f64 / 200_000.0, wins, 0.006);
        close(played.depth(), moves, 2.0 * played.depth_error() + 1e-9);
        close(played.branching(), choices / moves, 2.0 * played.branching_error() + 1e-9);
        let estimate = played.complexity();
        let true_ln = moves * (choices / moves).ln();
        let half = estimate.ln_high - estimate.ln;
        close(estimate.ln, true_ln, 2.0 * half + 1e-9);
        assert!(half < 0.05);
        let estimate = played.complexity_by_game();
        let half = estimate.ln_high - estimate.ln;
        close(estimate.ln, moves * by_game.ln(), 2.0 * half + 1e-6);
        assert!(half < 0.05);
    }
}

#[test]
fn large_boards_are_played_too() {
    let played = Playouts::play(game("s-kalaha(9,40)"), 20, 3);
    assert_eq!(played.wins + played.draws + played.losses, 20);
    let endless = Playouts::play(game("kalah(1,1,clockwise)"), 2, 3);
    assert_eq!(endless.games, 2);
}

#[test]
fn trees_are_exact() {
    for name in ["kalah(2,2)", "kalah(2,2,pie)", "s-kalaha(3,1)", "kalah(3,1,empty-capture)"] {
        let game = game(name);
        let tree = Tree::of(&game, 100_000).unwrap();
        let start = sowing_rules::Position::start(game);
        let leaves = |depth| perft(&start, depth).leaves;
        assert_eq!(u128::from(leaves(tree.longest)), tree.games, "{name}");
        assert_eq!(leaves(tree.longest + 1), leaves(tree.longest), "{name}");
        assert!(leaves(tree.longest - 1) <= leaves(tree.longest), "{name}");
        let played = Playouts::play(game, 100_000, 1);
        assert_eq!(played.depths.keys().next(), Some(&tree.shortest), "{name}");
        assert_eq!(played.depths.keys().last(), Some(&tree.longest), "{name}");
    }
    assert_eq!(Tree::of(&game("kalah(6,4)"), 1_000), None);
    assert_eq!(Tree::of(&game("kalah(2,2,clockwise)"), 1_000), None);
}

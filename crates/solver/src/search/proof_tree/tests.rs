use super::*;
use sowing_plain::{Negamax, Plain};
use sowing_rules::{Board, CompactBoard, CompiledRules, Game, Position, SeededRng};

/// The successors of a live board after one move, and the best value among finished ones; no successors if that
/// reaches the target.
fn successors(
    rules: &CompiledRules<CompactBoard>,
    board: CompactBoard,
    target: i64,
) -> (Vec<Successor<CompactBoard>>, i64) {
    let layer = board.layer() as i64;
    let (mut successors, mut best) = (Vec::new(), -layer);
    for slot in (0..rules.houses()).filter(|slot| board.seeds(*slot) > 0) {
        let played = rules.play_unchecked(board, slot);
        let gain = played.gain as i64;
        if played.finished {
            best = best.max(played.to_mover(rules.remaining(&played.board)));
        } else {
            successors.push(Successor::from_move(played.board, gain, played.again));
        }
    }
    if best >= target {
        successors.clear();
    }
    (successors, best)
}

/// A gain may be anything that a store can hold.
#[test]
fn gains_are_whole() {
    let board = |seeds| CompactBoard::from_rows(seeds, 1);
    for gain in [1, 40_001, 10_000_000_000_000_000] {
        let mut tree = ProofTree::new(board(1), 2 * gain);
        let leaf = tree.select_most_proving(|_, _| None).unwrap();
        let end = Successor::from_move(board(2), gain, false);
        tree.expand(leaf, &[end], &[ProofNumbers { proof: 1.0, disproof: 1.0 }], -gain, 1);
        let leaf = tree.select_most_proving(|_, _| None).unwrap();
        assert_eq!(leaf.target, 1 - gain);
        tree.resolve(leaf, -gain, 1);
        assert_eq!(tree.result(), Some(2 * gain));
    }
}

fn start(game: Game) -> CompactBoard {
    CompactBoard::new(Position::start(game).board()).unwrap()
}

/// Resolves a test with several leaves claimed at once. Leaves are given back in random order, and some of them
/// released; the tree is trimmed now and then.
fn prove(game: Game, target: i64, claims: usize, random: &mut SeededRng) -> i64 {
    let rules = CompiledRules::<CompactBoard>::new(&game);
    let mut tree = ProofTree::new(start(game), target);
    let mut taken: Vec<Leaf<CompactBoard>> = Vec::new();
    for step in 1.. {
        if let Some(result) = tree.result() {
            return result;
        }
        if taken.len() < claims
            && let Some(leaf) = tree.select_most_proving(|_, _| None)
        {
            taken.push(leaf);
            continue;
        }
        let leaf = taken.swap_remove(random.below(taken.len() as u64) as usize);
        if random.below(10) == 0 {
            tree.release(leaf, 1);
            continue;
        }
        let (successors, best) = successors(&rules, leaf.board, leaf.target);
        if successors.is_empty() {
            tree.resolve(leaf, best, 1);
        } else {
            let initial = |end: &Successor<CompactBoard>| {
                let layer = end.board.layer() as i64;
                ProofNumbers::initial(layer, -end.target(leaf.target) as f64)
            };
            let numbers: Vec<_> = successors.iter().map(initial).collect();
            tree.expand(leaf, &successors, &numbers, best, 1);
        }
        for Resolved { result, target, board, .. } in tree.drain_resolved() {
            let layer = board.layer() as i64;
            assert!(-layer <= result && result <= layer, "{result} of {layer} for {target}");
        }
        check(&tree);
        if step % 500 == 0 {
            taken.drain(..).for_each(|leaf| tree.release(leaf, 0));
            let before = tree.nodes.len();
            let is_large = tree.trim(before / 4);
            assert!(!is_large || tree.nodes.len() < before);
            assert!(tree.nodes.len() <= before);
            check(&tree);
        }
    }
    unreachable!("steps do not end")
}

/// Checks that every inner node is what its children make it.
fn check(tree: &ProofTree<CompactBoard>) {
    for (at, node) in tree.nodes.iter().enumerate() {
        if node.is_resolved || node.is_leaf() {
            continue;
        }
        assert!(usize::from(node.child_count) <= MAX_CHILDREN);
        let children = &tree.nodes[node.children()];
        let open = || children.iter().filter(|node| !node.is_resolved);
        assert!(open().count() > 0, "else it is resolved");
        assert!(children.iter().all(|children| children.parent as usize == at));
        let proof_number = open().map(|node| node.numbers.proof).fold(f32::INFINITY, f32::min);
        let disproof_number: f32 = open().map(|node| node.numbers.disproof).sum();
        let initial = if node.again { node.numbers } else { node.numbers.swapped() };
        assert!(
            ProofNumbers { proof: proof_number, disproof: disproof_number }.is_close(initial),
            "{initial:?} instead of {proof_number}, {disproof_number}"
        );
        assert_eq!(node.has_unclaimed, children.iter().any(|node| node.has_unclaimed));
        if node.has_unclaimed {
            let best_child = &children[usize::from(node.best_child)];
            let cheapest =
                children.iter().filter(|node| node.has_unclaimed).map(|node| node.numbers.proof);
            assert!(
                best_child.has_unclaimed
                    && best_child.numbers.proof == cheapest.fold(f32::INFINITY, f32::min)
            );
        }
    }
}

/// The subtree of a resolved node is freed, except a range with a claimed leaf, which is given back without
/// effect.
#[test]
fn resolved_subtrees_are_freed() {
    let end = |seeds| Successor::from_move(CompactBoard::from_rows(seeds, 1), 0, false);
    let open = |tree: &mut ProofTree<CompactBoard>, leaf, child_count: u64| {
        let successors: Vec<_> = (1..=child_count).map(end).collect();
        tree.expand(
            leaf,
            &successors,
            &vec![ProofNumbers { proof: 1.0, disproof: 1.0 }; successors.len()],
            -9,
            1,
        );
        check(tree);
    };
    let take = |tree: &mut ProofTree<CompactBoard>| tree.select_most_proving(|_, _| None).unwrap();
    for is_held in [false, true] {
        let mut tree = ProofTree::new(CompactBoard::from_rows(200, 1), 1);
        let root = take(&mut tree);
        open(&mut tree, root, 2);
        let (first, second) = (take(&mut tree), take(&mut tree));
        open(&mut tree, first, 3);
        let (children, held) = (take(&mut tree), take(&mut tree));
        open(&mut tree, children, 4);
        if !is_held {
            tree.release(held, 0);
        }
        // The next mover's value is at least 0, so that this turn fails.
        tree.propagate_result(first.node, 0);
        check(&tree);
        let before = tree.nodes.len();
        open(&mut tree, second, 4);
        assert_eq!(tree.nodes.len(), before);
        let last = take(&mut tree);
        open(&mut tree, last, 3);
        assert_eq!(tree.nodes.len(), if is_held { before + 3 } else { before });
        if is_held {
            open(&mut tree, held, 2);
            tree.resolve(held, 9, 1);
        }
        assert!(tree.result().is_none());
        assert_eq!(tree.drain_resolved().count(), 1);
        tree.trim(0);
        check(&tree);
    }
}

/// All turns of a wide node count, in whichever order they are resolved.
#[test]
fn wide_nodes_have_groups() {
    let board = |seeds| CompactBoard::from_rows(seeds, 1);
    for child_count in [MAX_CHILDREN, MAX_CHILDREN + 1, 5 * MAX_CHILDREN * MAX_CHILDREN + 3] {
        for best in [0, child_count / 3, child_count - 1] {
            let mut tree = ProofTree::new(board(200), 5);
            let leaf = tree.select_most_proving(|_, _| None).unwrap();
            let successors: Vec<_> = (0..child_count)
                .map(|i| Successor::from_move(board(i as u64 % 200), 1, i % 2 == 0))
                .collect();
            let initial =
                |i: usize| ProofNumbers { proof: 1.0 + (i * 7 % 11) as f32, disproof: 1.0 };
            let numbers: Vec<_> = (0..child_count).map(initial).collect();
            tree.expand(leaf, &successors, &numbers, -9, 1);
            check(&tree);
            let mut resolved = 0;
            while tree.result().is_none() {
                let leaf = tree.select_most_proving(|_, _| None).expect("not all are resolved");
                resolved += 1;
                // All of them fail, one by least.
                let is_again = leaf.target == 4;
                let to_mover = if resolved == best + 1 { 4 } else { 2 };
                let result = if is_again { to_mover - 1 } else { 1 - to_mover };
                tree.resolve(leaf, result, 1);
                check(&tree);
            }
            assert_eq!((resolved, tree.result()), (child_count, Some(4)));
            // Group nodes are not reported as resolved.
            assert_eq!(tree.drain_resolved().count(), child_count + 1);
        }
    }
}

#[test]
fn results_agree_with_a_plain_search() {
    for name in ["kalah(2,2)", "kalah(3,2)", "kalah(3,2,empty-capture)", "s-kalaha(2,3)"] {
        let game: Game = name.parse().unwrap();
        let value = Negamax::default().value(&Plain::start(&game));
        let total = game.total() as i64;
        let mut random = SeededRng::new(7, 0);
        for target in [value - 4, value - 1, value, value + 1, value + 2, value + 5] {
            if target <= -total || target > total {
                continue;
            }
            for claims in [1, 3] {
                let result = prove(game, target, claims, &mut random);
                if value >= target {
                    assert!(target <= result && result <= value, "{name} {target}: {result}");
                } else {
                    assert!(value <= result && result < target, "{name} {target}: {result}");
                }
            }
        }
    }
}

/// A probe that decides a node on the way down resolves it and its ancestors.
#[test]
fn probes_resolve_nodes_on_the_way() {
    let game: Game = "kalah(3,2)".parse().unwrap();
    let rules = CompiledRules::<CompactBoard>::new(&game);
    let board = start(game);
    let mut tree = ProofTree::new(board, 1);
    let leaf = tree.select_most_proving(|_, _| None).unwrap();
    assert!(tree.select_most_proving(|_, _| None).is_none(), "the only leaf is claimed");
    let (successors, best) = successors(&rules, board, 1);
    let numbers = vec![ProofNumbers { proof: 1.0, disproof: 1.0 }; successors.len()];
    tree.expand(leaf, &successors, &numbers, best, 1);
    let known = |one: &CompactBoard, _| (*one == board).then_some(3);
    assert!(tree.select_most_proving(known).is_none());
    assert_eq!(tree.result(), Some(3));
    let resolved: Vec<_> = tree.drain_resolved().collect();
    assert_eq!((resolved.len(), resolved[0].result, resolved[0].work), (1, 3, 1));
}

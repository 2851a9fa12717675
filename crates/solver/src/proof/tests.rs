use super::*;
use sowing::{Board, Game, Law, Position, Small, Stream};
use sowing_plain::{Negamax, Plain};

/// All turns of a live board move by move, the plain way: the boards after its moves, or the
/// answer if a finished one is enough or nothing else is left.
fn ends(law: &Law<Small>, board: Small, target: i64) -> (Vec<End<Small>>, i64) {
    let layer = (board.own_seeds() + board.other_seeds()) as i64;
    let (mut ends, mut settled) = (Vec::new(), -layer);
    for slot in (0..law.houses()).filter(|slot| board.seeds(*slot) > 0) {
        let played = law.play(board, slot);
        let gain = played.gain as i64;
        if played.finished {
            let rest = law.remaining(&played.board);
            settled = settled.max(gain + if played.again { rest } else { -rest });
        } else {
            ends.push(End::of_move(played.board, gain, played.again));
        }
    }
    if settled >= target {
        ends.clear();
    }
    (ends, settled)
}

/// A gain may be anything that a store can hold.
#[test]
fn gains_are_whole() {
    let board = |seeds| Small::from_rows(seeds, 1);
    for gain in [1, 40_001, 10_000_000_000_000_000] {
        let mut proof = Proof::new(board(1), 2 * gain);
        let leaf = proof.take(|_, _| None).unwrap();
        let end = End::of_move(board(2), gain, false);
        proof.open_leaf(leaf, &[end], &[Cost { yes: 1.0, no: 1.0 }], -gain, 1);
        let leaf = proof.take(|_, _| None).unwrap();
        assert_eq!(leaf.target, 1 - gain);
        proof.answer_leaf(leaf, -gain, 1);
        assert_eq!(proof.answer(), Some(2 * gain));
    }
}

fn start(game: Game) -> Small {
    Small::new(Position::start(game).board()).unwrap()
}

/// Works on a question with several leaves in hand at once, until it is answered. What is in
/// hand is given back in any order, and sometimes as it was; the proof is trimmed now and then.
fn prove(game: Game, target: i64, hands: usize, random: &mut Stream) -> i64 {
    let law = Law::<Small>::new(&game);
    let mut proof = Proof::new(start(game), target);
    let mut taken: Vec<Leaf<Small>> = Vec::new();
    for step in 1.. {
        if let Some(answer) = proof.answer() {
            return answer;
        }
        if taken.len() < hands
            && let Some(leaf) = proof.take(|_, _| None)
        {
            taken.push(leaf);
            continue;
        }
        let leaf = taken.swap_remove(random.below(taken.len() as u64) as usize);
        if random.below(10) == 0 {
            proof.put_back(leaf, 1);
            continue;
        }
        let (ends, settled) = ends(&law, leaf.board, leaf.target);
        if ends.is_empty() {
            proof.answer_leaf(leaf, settled, 1);
        } else {
            let cost = |end: &End<Small>| {
                let layer = (end.board.own_seeds() + end.board.other_seeds()) as i64;
                Cost::guess(layer, -end.question(leaf.target) as f64)
            };
            let costs: Vec<_> = ends.iter().map(cost).collect();
            proof.open_leaf(leaf, &ends, &costs, settled, 1);
        }
        for Answered { answer, target, board, .. } in proof.answered() {
            let layer = (board.own_seeds() + board.other_seeds()) as i64;
            assert!(-layer <= answer && answer <= layer, "{answer} of {layer} for {target}");
        }
        check(&proof);
        if step % 500 == 0 {
            taken.drain(..).for_each(|leaf| proof.put_back(leaf, 0));
            let before = proof.nodes.len();
            let is_large = proof.trim(before / 4);
            assert!(!is_large || proof.nodes.len() < before);
            assert!(proof.nodes.len() <= before);
            check(&proof);
        }
    }
    unreachable!("steps do not end")
}

/// Whether all that is carried along is what it would be if it were counted anew.
fn check(proof: &Proof<Small>) {
    for (at, node) in proof.nodes.iter().enumerate() {
        if node.answered || node.is_leaf() {
            continue;
        }
        assert!(usize::from(node.many) <= MANY);
        let below = &proof.nodes[node.below()];
        let open = || below.iter().filter(|node| !node.answered);
        assert!(open().count() > 0, "else it is answered");
        assert!(below.iter().all(|below| below.from as usize == at));
        let yes = open().map(|node| node.cost.yes).fold(f32::INFINITY, f32::min);
        let no: f32 = open().map(|node| node.cost.no).sum();
        let cost = if node.again { node.cost } else { node.cost.turned() };
        assert!(Cost { yes, no }.is_about(cost), "{cost:?} instead of {yes}, {no}");
        assert_eq!(node.free, below.iter().any(|node| node.free));
        if node.free {
            let next = &below[usize::from(node.next)];
            let cheapest = below.iter().filter(|node| node.free).map(|node| node.cost.yes);
            assert!(next.free && next.cost.yes == cheapest.fold(f32::INFINITY, f32::min));
        }
    }
}

/// What hung on a question that is answered makes room for others; but not where somebody is about a
/// leaf of it, who gives it back to no effect.
#[test]
fn what_is_answered_makes_room() {
    let end = |seeds| End::of_move(Small::from_rows(seeds, 1), 0, false);
    let open = |proof: &mut Proof<Small>, leaf, many: u64| {
        let ends: Vec<_> = (1..=many).map(end).collect();
        proof.open_leaf(leaf, &ends, &vec![Cost { yes: 1.0, no: 1.0 }; ends.len()], -9, 1);
        check(proof);
    };
    let take = |proof: &mut Proof<Small>| proof.take(|_, _| None).unwrap();
    for is_held in [false, true] {
        let mut proof = Proof::new(Small::from_rows(200, 1), 1);
        let root = take(&mut proof);
        open(&mut proof, root, 2);
        let (first, second) = (take(&mut proof), take(&mut proof));
        open(&mut proof, first, 3);
        let (below, held) = (take(&mut proof), take(&mut proof));
        open(&mut proof, below, 4);
        if !is_held {
            proof.put_back(held, 0);
        }
        // The board is worth at least 0 to who moves there, so that this turn fails.
        proof.settle(first.number, 0);
        check(&proof);
        let before = proof.nodes.len();
        open(&mut proof, second, 4);
        assert_eq!(proof.nodes.len(), before);
        let last = take(&mut proof);
        open(&mut proof, last, 3);
        assert_eq!(proof.nodes.len(), if is_held { before + 3 } else { before });
        if is_held {
            open(&mut proof, held, 2);
            proof.answer_leaf(held, 9, 1);
        }
        assert!(proof.answer().is_none());
        assert_eq!(proof.answered().count(), 1);
        proof.trim(0);
        check(&proof);
    }
}

/// However many turns a question has, every one counts, and they are found in any order.
#[test]
fn many_turns_are_asked_in_parts() {
    let board = |seeds| Small::from_rows(seeds, 1);
    for many in [MANY, MANY + 1, 5 * MANY * MANY + 3] {
        for best in [0, many / 3, many - 1] {
            let mut proof = Proof::new(board(200), 5);
            let leaf = proof.take(|_, _| None).unwrap();
            let ends: Vec<_> =
                (0..many).map(|i| End::of_move(board(i as u64 % 200), 1, i % 2 == 0)).collect();
            let cost = |i: usize| Cost { yes: 1.0 + (i * 7 % 11) as f32, no: 1.0 };
            let costs: Vec<_> = (0..many).map(cost).collect();
            proof.open_leaf(leaf, &ends, &costs, -9, 1);
            check(&proof);
            let mut asked = 0;
            while proof.answer().is_none() {
                let leaf = proof.take(|_, _| None).expect("not all are answered");
                asked += 1;
                // All are too little; the best by least.
                let is_again = leaf.target == 4;
                let to_mover = if asked == best + 1 { 4 } else { 2 };
                let answer = if is_again { to_mover - 1 } else { 1 - to_mover };
                proof.answer_leaf(leaf, answer, 1);
                check(&proof);
            }
            assert_eq!((asked, proof.answer()), (many, Some(4)));
            // The parts of a question are nothing to be remembered.
            assert_eq!(proof.answered().count(), many + 1);
        }
    }
}

#[test]
fn answers_are_those_of_the_plain_search() {
    for name in ["kalah(2,2)", "kalah(3,2)", "kalah(3,2,empty-capture)", "s-kalaha(2,3)"] {
        let game: Game = name.parse().unwrap();
        let value = Negamax::default().value(&Plain::start(&game));
        let total = game.total() as i64;
        let mut random = Stream::new(7, 0);
        for target in [value - 4, value - 1, value, value + 1, value + 2, value + 5] {
            if target <= -total || target > total {
                continue;
            }
            for hands in [1, 3] {
                let answer = prove(game, target, hands, &mut random);
                if value >= target {
                    assert!(target <= answer && answer <= value, "{name} {target}: {answer}");
                } else {
                    assert!(value <= answer && answer < target, "{name} {target}: {answer}");
                }
            }
        }
    }
}

/// What others have found out answers a question on the way, and those above it.
#[test]
fn what_is_known_is_taken_up() {
    let game: Game = "kalah(3,2)".parse().unwrap();
    let law = Law::<Small>::new(&game);
    let board = start(game);
    let mut proof = Proof::new(board, 1);
    let leaf = proof.take(|_, _| None).unwrap();
    assert!(proof.take(|_, _| None).is_none(), "the only leaf is in somebody's hands");
    let (ends, settled) = ends(&law, board, 1);
    let costs = vec![Cost { yes: 1.0, no: 1.0 }; ends.len()];
    proof.open_leaf(leaf, &ends, &costs, settled, 1);
    let known = |asked: &Small, _| (*asked == board).then_some(3);
    assert!(proof.take(known).is_none());
    assert_eq!(proof.answer(), Some(3));
    let answered: Vec<_> = proof.answered().collect();
    assert_eq!((answered.len(), answered[0].answer, answered[0].work), (1, 3, 1));
}

//! The upper part of a search: which position to look into next, so that the question at the root
//! is answered soonest.

use crate::rank::Ranked;
use crate::turn::End;

/// Questions under way: is a board worth at least so much to its mover?
///
/// A question is answered by others, those that the ends of its turns ask, and these by others
/// again, down to *leaves*, into which somebody must look. Each question carries what it may cost to
/// prove a yes, and what to prove a no. For a yes one turn is enough: the cheapest counts. For a no
/// every turn must fail: the costs add up. So what was learnt in one place tells how much is still
/// to be done elsewhere, and a turn that turns out costly gives way to another before much has
/// been wasted on it. (That is proof-number search, with costs in the place of numbers.)
///
/// The way to a leaf and back is gone for each one, and most of it would be waiting for memory. So
/// the questions are a tree: two that ask the same (one in a hundred) are asked twice, and the second
/// is answered by what the search remembers of the first. The turns of a question lie side by side, few
/// enough to be looked through; where there are more, they are asked in parts, and these in parts again.
#[derive(Debug)]
pub(crate) struct Proof<B> {
    /// What the way to a leaf leads through. The root comes first.
    nodes: Vec<Node>,
    /// The questions themselves, in the same order.
    questions: Vec<Question<B>>,
    /// Questions answered since they were last asked for.
    answered: Vec<Answered<B>>,
    /// Where questions lay side by side that are of no use any more: the first ones, by how many there are.
    spare: [Vec<u32>; MANY + 1],
    /// Used again and again.
    stale: Vec<u32>,
}

/// A question, as the one that asks it sees it.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// What it costs to show that this turn is enough, and that it is not.
    cost: Cost,
    /// The question that asks it; the root asks itself.
    from: u32,
    /// The first of the questions that its turns ask, and how many there are; none of a leaf.
    first: u32,
    many: u8,
    /// Which of these is the cheapest to show to be enough, of those with a leaf below them that nobody is
    /// about.
    next: u8,
    /// Whether there is such a leaf below it, or it is one.
    free: bool,
    /// Whether the same player moves on.
    again: bool,
    /// Whether it is about some turns of a board only.
    part: bool,
    answered: bool,
}

#[derive(Clone, Copy, Debug)]
struct Question<B> {
    board: B,
    target: i64,
    /// The best of the turns that are answered, or less than the target if there is none; in the end
    /// the answer, a bound as [`Hand::look`](crate::hand::Hand) gives it.
    settled: i64,
    /// What was spent on it, and on those below it that are answered.
    work: u64,
}

impl Node {
    /// A leaf that nobody is about.
    fn leaf(from: u32, again: bool, cost: Cost) -> Node {
        let cost = if again { cost } else { cost.turned() };
        let (free, part, answered) = (true, false, false);
        Node { cost, from, first: 0, many: 0, next: 0, free, again, part, answered }
    }

    fn is_leaf(&self) -> bool {
        self.many == 0
    }

    /// Whether it is a leaf that somebody is about.
    fn is_held(&self) -> bool {
        self.is_leaf() && !self.free && !self.answered
    }

    /// Where the questions lie that it asks.
    fn below(&self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.many)
    }
}

/// So many questions are looked through for the cheapest.
const MANY: usize = 16;

/// What it may take to prove that a value is at least the target, and that it is not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    yes: f32,
    no: f32,
}

impl Cost {
    /// Of a turn that is known to fail.
    const FAILED: Cost = Cost { yes: f32::INFINITY, no: 0.0 };

    /// A guess, from the seeds in houses and from how much more than the target the board is thought
    /// to be worth to its mover. Only ratios matter. What is likely is also cheap. The constants are
    /// those that needed the fewest nodes over several games.
    pub(crate) fn guess(layer: i64, advantage: f64) -> Cost {
        let (size, likely) = (0.15 * (layer - 40) as f64, 0.15 * advantage);
        // However large the board, a cost is a number, and so is the sum of many.
        let guess = |log: f64| (log.clamp(-40.0, 40.0) as f32).exp();
        Cost { yes: guess(size - likely), no: guess(size + likely) }
    }

    pub(crate) fn times(self, factor: f32) -> Cost {
        Cost { yes: self.yes * factor, no: self.no * factor }
    }

    /// Whether it is so little otherwise that those above need not know.
    fn is_about(self, other: Cost) -> bool {
        let near = |a: f32, b: f32| a == b || (a - b).abs() <= LITTLE * b;
        near(self.yes, other.yes) && near(self.no, other.no)
    }

    /// The same as the opponent sees it.
    fn turned(self) -> Cost {
        Cost { yes: self.no, no: self.yes }
    }
}

/// A leaf to be looked into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf<B> {
    pub(crate) board: B,
    pub(crate) target: i64,
    number: u32,
}

/// A question that has an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered<B> {
    pub(crate) board: B,
    pub(crate) target: i64,
    pub(crate) answer: i64,
    pub(crate) work: u64,
}

/// Costs are carried up only as far as they change by more than this part of them: most of them are guesses,
/// and far up a leaf is next to nothing.
const LITTLE: f32 = 0.03;

/// Leaves in somebody's hands count so many times their costs: others had better look elsewhere.
const BUSY: f32 = 4.0;

impl<B: Ranked> Proof<B> {
    /// About what a question takes, with what notes of room there are.
    pub(crate) const BYTES: usize = size_of::<Node>() + size_of::<Question<B>>() + 8;

    pub(crate) fn new(board: B, target: i64) -> Proof<B> {
        let (nodes, questions, answered) = (Vec::new(), Vec::new(), Vec::new());
        let (spare, stale) = ([const { Vec::new() }; MANY + 1], Vec::new());
        Proof { nodes, questions, answered, spare, stale }.about(board, target)
    }

    /// Another one, in the same memory: what the system gives is cleared first, which takes longer than
    /// a small proof does.
    pub(crate) fn about(mut self, board: B, target: i64) -> Proof<B> {
        self.nodes.clear();
        self.questions.clear();
        self.answered.clear();
        self.spare.iter_mut().for_each(Vec::clear);
        self.nodes.push(Node::leaf(0, true, Cost { yes: 1.0, no: 1.0 }));
        self.questions.push(Question { board, target, settled: i64::MIN, work: 0 });
        self
    }

    /// About how many bytes its memory takes.
    pub(crate) fn held(&self) -> usize {
        Self::BYTES * self.questions.capacity()
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        Self::BYTES * self.nodes.len()
    }

    /// The answer at the root.
    pub(crate) fn answer(&self) -> Option<i64> {
        self.nodes[0].answered.then_some(self.questions[0].settled)
    }

    /// Whether there is a leaf that nobody is about.
    pub(crate) fn is_free(&self) -> bool {
        self.nodes[0].free
    }

    /// The leaf to be looked into next: it is in the caller's hands until it is given back by one of
    /// the methods below. `None` if all that could be are in others', or the root is answered: on the
    /// way, questions that `known` has an answer to are answered.
    pub(crate) fn take(&mut self, known: impl Fn(&B, i64) -> Option<i64>) -> Option<Leaf<B>> {
        let mut at = 0;
        loop {
            let node = &mut self.nodes[at as usize];
            if !node.free {
                return None;
            }
            let Question { board, target, .. } = &self.questions[at as usize];
            if node.is_leaf() {
                (node.free, node.cost) = (false, node.cost.times(BUSY));
                let leaf = Leaf { board: *board, target: *target, number: at };
                self.tell(at);
                return Some(leaf);
            }
            at = match known(board, *target).filter(|_| !node.part) {
                Some(answer) => {
                    self.settle(at, answer);
                    0
                }
                None => node.first + u32::from(node.next),
            };
        }
    }

    /// Gives a leaf back with its answer, which took so much work.
    pub(crate) fn answer_leaf(&mut self, leaf: Leaf<B>, answer: i64, work: u64) {
        self.questions[leaf.number as usize].work += work;
        self.settle(leaf.number, answer);
    }

    /// Gives a leaf back as it was.
    pub(crate) fn put_back(&mut self, leaf: Leaf<B>, work: u64) {
        self.questions[leaf.number as usize].work += work;
        let node = &mut self.nodes[leaf.number as usize];
        if !node.answered {
            (node.free, node.cost) = (true, node.cost.times(1.0 / BUSY));
            self.tell(leaf.number);
        }
    }

    /// Gives a leaf back with the ends of its turns and what the questions there may cost. The best of
    /// the turns that are none of them brings `settled`, or less than the target if there is none.
    pub(crate) fn open_leaf(
        &mut self,
        leaf: Leaf<B>,
        ends: &[End<B>],
        costs: &[Cost],
        settled: i64,
        work: u64,
    ) {
        assert_eq!(ends.len(), costs.len(), "a turn left out would be taken for one that fails");
        let question = &mut self.questions[leaf.number as usize];
        question.work += work;
        if self.nodes[leaf.number as usize].answered {
            return;
        }
        if settled >= leaf.target || ends.is_empty() {
            return self.settle(leaf.number, settled);
        }
        question.settled = settled;
        self.open(leaf.number, ends, costs);
        self.tell(leaf.number);
    }

    /// Has a question ask those that the ends of its turns, one at least, ask.
    fn open(&mut self, number: u32, ends: &[End<B>], costs: &[Cost]) {
        let Question { board, target, settled, .. } = self.questions[number as usize];
        let size = ends.len().div_ceil(MANY);
        let many = ends.len().div_ceil(size);
        let first = self.room(many);
        (self.nodes[number as usize].first, self.nodes[number as usize].many) = (first, many as u8);
        let parts = ends.chunks(size).zip(costs.chunks(size));
        for (below, (ends, costs)) in (first..).zip(parts) {
            let (node, question) = match (ends, costs) {
                ([end], [cost]) if size == 1 => (
                    Node::leaf(number, end.again, *cost),
                    (end.board, end.question(target), i64::MIN),
                ),
                _ => (
                    Node { part: true, ..Node::leaf(number, true, Cost::FAILED) },
                    (board, target, settled),
                ),
            };
            let (board, target, settled) = question;
            self.nodes[below as usize] = node;
            self.questions[below as usize] = Question { board, target, settled, work: 0 };
            if node.part {
                self.open(below, ends, costs);
            }
        }
        self.count_up(number);
    }

    /// Room for so many questions side by side: the first of them.
    fn room(&mut self, many: usize) -> u32 {
        self.spare[many].pop().unwrap_or_else(|| {
            let first = self.nodes.len();
            self.nodes.resize(first + many, self.nodes[0]);
            self.questions.resize(first + many, self.questions[0]);
            first as u32
        })
    }

    /// Forgets what hangs on an answered question. Only where a leaf is in somebody's hands, the room stays
    /// taken: it will be given back.
    fn forget(&mut self, number: u32) {
        self.stale.push(number);
        while let Some(number) = self.stale.pop() {
            let node = &mut self.nodes[number as usize];
            let (first, below) = (node.first, node.below());
            node.many = 0;
            let mut is_held = false;
            for (number, below) in (first..).zip(&mut self.nodes[below.clone()]) {
                is_held |= below.is_held();
                below.answered = true;
                if !below.is_leaf() {
                    self.stale.push(number);
                }
            }
            if !is_held {
                self.spare[below.len()].push(first);
            }
        }
    }

    /// What was answered since it was last asked for.
    pub(crate) fn answered(&mut self) -> impl Iterator<Item = Answered<B>> {
        self.answered.drain(..)
    }

    /// Answers a question, and those that ask it as far as that answers them.
    fn settle(&mut self, number: u32, answer: i64) {
        let (mut at, mut answer) = (number, answer);
        loop {
            let (node, question) = (&mut self.nodes[at as usize], &mut self.questions[at as usize]);
            if node.answered {
                return;
            }
            (node.answered, node.cost, node.free) = (true, Cost::FAILED, false);
            let Node { from, again, part, .. } = *node;
            let Question { board, target, work, .. } = *question;
            if !part {
                self.answered.push(Answered { board, target, answer, work });
            }
            question.settled = answer;
            if !node.is_leaf() {
                self.forget(at);
            }
            // The root asks itself.
            let above = &self.nodes[from as usize];
            if above.answered {
                return;
            }
            let is_last = self.nodes[above.below()].iter().all(|node| node.answered);
            let asker = &mut self.questions[from as usize];
            // As much more than its target as this question's answer is.
            let more = if again { answer - target } else { target - 1 - answer };
            asker.work += work;
            asker.settled = asker.settled.max(asker.target + more);
            if asker.settled < asker.target && !is_last {
                return self.tell(at);
            }
            (at, answer) = (from, asker.settled);
        }
    }

    /// Tells those who ask a question of a change, and those who ask these, as far as it matters.
    fn tell(&mut self, number: u32) {
        let mut from = self.nodes[number as usize].from;
        while self.count_up(from) && from != 0 {
            from = self.nodes[from as usize].from;
        }
    }

    /// Brings the cost of an open question up to date; whether anything is otherwise now.
    fn count_up(&mut self, number: u32) -> bool {
        let node = self.nodes[number as usize];
        if node.answered || node.is_leaf() {
            return false;
        }
        // Costs are not negative, so that their bits are in the same order. Which turn is the cheapest cannot
        // be foreseen: there are no branches, for a processor to guess wrong.
        let failed = f32::INFINITY.to_bits();
        let (mut yes, mut no, mut next) = (failed, 0.0, u64::MAX);
        for (below, number) in self.nodes[node.below()].iter().zip(0_u64..) {
            let bits = below.cost.yes.to_bits();
            yes = yes.min(bits);
            no += below.cost.no;
            next = next.min(u64::from(if below.free { bits } else { failed }) << 32 | number);
        }
        let free = next >> 32 < u64::from(failed);
        let cost = Cost { yes: f32::from_bits(yes), no };
        let cost = if node.again { cost } else { cost.turned() };
        let is_news = free != node.free || !cost.is_about(node.cost);
        let node = &mut self.nodes[number as usize];
        node.next = next as u8;
        if is_news {
            (node.cost, node.free) = (cost, free);
        }
        is_news
    }

    /// Forgets what hangs on questions that are answered; and, if that leaves more than so many,
    /// also what hangs on those on which least was spent: they become leaves again, with their costs.
    /// Whether it came to that. No leaf may be in somebody's hands.
    pub(crate) fn trim(&mut self, most: usize) -> bool {
        *self = self.kept(0);
        let is_large = self.nodes.len() > most;
        let spent = self.spent().into_iter().zip(&self.nodes);
        let open = spent.filter(|(_, node)| !node.is_leaf());
        let mut works: Vec<u64> = open.map(|(work, _)| work).collect();
        works.sort_unstable();
        let mut spared = works.len();
        // What hangs on the root must stay.
        while self.nodes.len() > most && spared > 0 {
            spared /= 2;
            let least = works.get(works.len() - spared).map_or(u64::MAX, |work| *work);
            *self = self.kept(least);
        }
        is_large
    }

    /// What was spent on each question and all below it.
    fn spent(&self) -> Vec<u64> {
        let mut spent: Vec<u64> = self.questions.iter().map(|question| question.work).collect();
        // Those above before those below. What is answered was added when it was.
        let mut open = vec![0];
        let mut at = 0;
        while at < open.len() {
            let below = self.nodes[open[at]].below();
            open.extend(below.filter(|below| !self.nodes[*below].answered));
            at += 1;
        }
        for number in open.into_iter().skip(1).rev() {
            spent[self.nodes[number].from as usize] += spent[number];
        }
        spent
    }

    /// The part of it that is reached from the root through questions on which so much was spent.
    fn kept(&self, least: u64) -> Proof<B> {
        let spent = self.spent();
        let root = &self.questions[0];
        let mut kept = Proof::new(root.board, root.target);
        // The numbers that its questions have here.
        let mut numbers = vec![0];
        let mut at = 0;
        while at < numbers.len() {
            let number = numbers[at];
            let (old, question) = (&self.nodes[number], self.questions[number]);
            (kept.nodes[at].cost, kept.nodes[at].part) = (old.cost, old.part);
            kept.questions[at] = question;
            if !old.is_leaf() && (at == 0 || old.part || spent[number] >= least) {
                let first = kept.nodes.len();
                for below in old.below().filter(|below| !self.nodes[*below].answered) {
                    let Node { cost, again, .. } = self.nodes[below];
                    kept.nodes.push(Node { cost, ..Node::leaf(at as u32, again, cost) });
                    kept.questions.push(self.questions[below]);
                    numbers.push(below);
                }
                let many = kept.nodes.len() - first;
                (kept.nodes[at].first, kept.nodes[at].many) = (first as u32, many as u8);
            } else {
                kept.questions[at].work = spent[number];
            }
            at += 1;
        }
        for number in (0..kept.nodes.len()).rev() {
            kept.count_up(number as u32);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
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
}

//! The upper part of a search: which position to look into next, so that the question at the root
//! is answered soonest.

use crate::cost::Cost;
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
mod tests;

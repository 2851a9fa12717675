//! The upper part of a search: which position to look into next, so that the question at the root
//! is answered soonest.

use rustc_hash::FxHashMap;

use crate::rank::Ranked;
use crate::turn::End;

/// A question under way: is a board worth at least so much to its mover?
///
/// It is answered by other questions, those that the ends of its turns ask, and these by others
/// again, down to *leaves*, into which somebody must look. Each question carries what it may cost to
/// prove a yes, and what to prove a no. For a yes one turn is enough: the cheapest counts. For a no
/// every turn must fail: the costs add up. So what was learnt in one place tells how much is still
/// to be done elsewhere, and a turn that turns out costly gives way to another before much has
/// been wasted on it. (That is proof-number search, with costs in the place of numbers.)
#[derive(Debug)]
pub(crate) struct Proof<B> {
    /// The root comes first.
    questions: Vec<Question<B>>,
    edges: Vec<Edge>,
    /// Of each open question the edges that are not answered, as a heap: the one of which a yes is
    /// cheapest comes first.
    heaps: Vec<u32>,
    numbers: FxHashMap<(B, i64), u32>,
    /// Questions answered since they were last asked for.
    answered: Vec<u32>,
    /// Questions whose change those above have not been told of.
    changed: Vec<u32>,
}

#[derive(Debug)]
struct Question<B> {
    board: B,
    target: i64,
    cost: Cost,
    state: State,
    /// The last of the edges that lead to it.
    edge: u32,
    /// What was spent on it.
    work: u64,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// To be looked into; somebody may be about it.
    Leaf {
        busy: bool,
    },
    Open(Open),
    /// A bound as [`Search::bound`](crate::search::Search) gives it.
    Answered(i64),
}

/// A question and those that its turns ask.
#[derive(Clone, Copy, Debug)]
struct Open {
    /// Where its edges start, and their heap; how many are not answered, and how many of these
    /// have a leaf below them that can be taken.
    first: u32,
    left: u32,
    free: u32,
    /// The question below of which a yes is cheapest, if it has such a leaf; else no question.
    next: u32,
    /// The best of the turns that are answered, or less than the target if there is none.
    settled: i64,
    /// The costs of showing that the others fail.
    no: f64,
}

/// A turn: what it asks.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    /// Another edge that leads to the same question.
    next: u32,
    /// Where in the heap it is.
    place: u32,
    gain: i64,
    again: bool,
    /// What is known above of the question below.
    free: bool,
    cost: Cost,
}

impl Edge {
    /// What the mover gets if the question below is answered so.
    fn to_mover(self, answer: i64) -> i64 {
        self.gain + if self.again { answer } else { -answer }
    }

    /// What it costs to show that this turn is enough, and that it is not.
    fn turned(self, below: Cost) -> Cost {
        if self.again { below } else { Cost { yes: below.no, no: below.yes } }
    }
}

impl<B> Question<B> {
    fn answer(&self) -> Option<i64> {
        if let State::Answered(answer) = self.state { Some(answer) } else { None }
    }

    /// Whether a leaf below it can be taken.
    fn is_free(&self) -> bool {
        match self.state {
            State::Leaf { busy } => !busy,
            State::Open(open) => open.free > 0,
            State::Answered(_) => false,
        }
    }
}

/// No edge, or no question.
const NONE: u32 = u32::MAX;

/// What it may take to prove that a value is at least the target, and that it is not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    yes: f32,
    no: f32,
}

impl Cost {
    /// A guess, from the seeds in houses and from how much more than the target the board is thought
    /// to be worth to its mover. Only ratios matter. What is likely is also cheap. The constants are
    /// those that needed the fewest nodes over several games.
    pub(crate) fn guess(layer: i64, advantage: f64) -> Cost {
        let (size, likely) = (0.15 * (layer - 40) as f64, 0.15 * advantage);
        // However large the board, a cost is a number, and so is the sum of many.
        let guess = |log: f64| log.clamp(-40.0, 40.0).exp() as f32;
        Cost { yes: guess(size - likely), no: guess(size + likely) }
    }

    pub(crate) fn times(self, factor: f32) -> Cost {
        Cost { yes: self.yes * factor, no: self.no * factor }
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

/// Leaves in somebody's hands count so many times their costs: others had better look elsewhere.
const BUSY: f32 = 4.0;

impl<B: Ranked> Proof<B> {
    /// About what a question takes, with the edge to it, when lists have just grown.
    pub(crate) const BYTES: usize =
        2 * (size_of::<Question<B>>() + size_of::<Edge>() + 4 + size_of::<((B, i64), u32)>());

    pub(crate) fn new(board: B, target: i64) -> Proof<B> {
        let mut proof = Proof {
            questions: Vec::new(),
            edges: Vec::new(),
            heaps: Vec::new(),
            numbers: FxHashMap::default(),
            answered: Vec::new(),
            changed: Vec::new(),
        };
        proof.ask(board, target, Cost { yes: 1.0, no: 1.0 });
        proof
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        Self::BYTES * self.questions.len().max(self.edges.len())
    }

    /// The answer at the root.
    pub(crate) fn answer(&self) -> Option<i64> {
        self.questions[0].answer()
    }

    /// The number of a question, which may be an old one.
    fn ask(&mut self, board: B, target: i64, cost: Cost) -> u32 {
        let new = self.questions.len() as u32;
        let number = *self.numbers.entry((board, target)).or_insert(new);
        if number == new {
            let state = State::Leaf { busy: false };
            self.questions.push(Question { board, target, cost, state, edge: NONE, work: 0 });
        }
        number
    }

    /// The leaf to be looked into next: it is in the caller's hands until it is given back by one of
    /// the methods below. `None` if all that could be are in others', or the root is answered: on the
    /// way, questions that `known` has an answer to are answered.
    pub(crate) fn take(&mut self, known: impl Fn(&B, i64) -> Option<i64>) -> Option<Leaf<B>> {
        let mut at = 0;
        loop {
            let question = &mut self.questions[at as usize];
            let (board, target) = (question.board, question.target);
            match &mut question.state {
                State::Leaf { busy } if !*busy => {
                    *busy = true;
                    question.cost = question.cost.times(BUSY);
                    self.tell(at);
                    return Some(Leaf { board, target, number: at });
                }
                State::Open(open) if open.free > 0 => {
                    let open = *open;
                    at = match known(&board, target) {
                        Some(answer) => {
                            self.settle(at, answer);
                            0
                        }
                        None if open.next != NONE => open.next,
                        None => self.cheapest(&open),
                    };
                }
                _ => return None,
            }
        }
    }

    /// The question below an open one which most cheaply leads to a yes, of those with a free leaf.
    fn cheapest(&self, open: &Open) -> u32 {
        let edge = |place: u32| &self.edges[self.heaps[(open.first + place) as usize] as usize];
        // Few are busy, so that few are looked at.
        let mut candidates = vec![0];
        loop {
            let yes = |place: &u32| edge(*place).cost.yes;
            let least = (0..candidates.len())
                .min_by(|a, b| yes(&candidates[*a]).total_cmp(&yes(&candidates[*b])));
            let place = candidates.swap_remove(least.expect("some edge is free"));
            if edge(place).free {
                return edge(place).to;
            }
            candidates.extend((2 * place + 1..=2 * place + 2).filter(|place| *place < open.left));
        }
    }

    /// Gives a leaf back with its answer, which took so much work.
    pub(crate) fn answer_leaf(&mut self, leaf: Leaf<B>, answer: i64, work: u64) {
        self.add_work(leaf.number, work);
        self.settle(leaf.number, answer);
    }

    /// Gives a leaf back as it was.
    pub(crate) fn put_back(&mut self, leaf: Leaf<B>, work: u64) {
        self.add_work(leaf.number, work);
        let question = &mut self.questions[leaf.number as usize];
        if let State::Leaf { busy } = &mut question.state {
            *busy = false;
            question.cost = question.cost.times(1.0 / BUSY);
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
        self.add_work(leaf.number, work);
        if self.questions[leaf.number as usize].answer().is_some() {
            return;
        }
        let first = self.edges.len();
        for (end, cost) in ends.iter().zip(costs) {
            let to = self.ask(end.board, end.question(leaf.target), *cost);
            self.join(leaf.number, to, end.gain, end.again);
        }
        self.open(leaf.number, first, settled);
        self.tell(leaf.number);
    }

    /// What was answered since it was last asked for.
    pub(crate) fn answered(&mut self) -> impl Iterator<Item = Answered<B>> {
        self.answered.drain(..).map(|number| {
            let Question { board, target, work, state, .. } = self.questions[number as usize];
            let State::Answered(answer) = state else { unreachable!("it is in the list") };
            Answered { board, target, answer, work }
        })
    }

    fn settle(&mut self, number: u32, answer: i64) {
        let question = &mut self.questions[number as usize];
        if question.answer().is_none() {
            question.state = State::Answered(answer);
            self.answered.push(number);
            self.tell(number);
        }
    }

    /// Work counts for a question and for one that asks it, and so on up to the root: of several,
    /// the last.
    fn add_work(&mut self, number: u32, work: u64) {
        let mut at = number;
        loop {
            let question = &mut self.questions[at as usize];
            question.work += work;
            let Some(edge) = self.edges.get(question.edge as usize) else { return };
            at = edge.from;
        }
    }

    /// An edge between two questions.
    fn join(&mut self, from: u32, to: u32, gain: i64, again: bool) {
        let number = self.edges.len() as u32;
        let below = &mut self.questions[to as usize];
        let next = std::mem::replace(&mut below.edge, number);
        let (free, cost) = (below.is_free(), below.cost);
        let mut edge = Edge { from, to, next, place: 0, gain, again, free, cost };
        edge.cost = edge.turned(cost);
        self.edges.push(edge);
        self.heaps.push(number);
    }

    /// Opens a question whose edges are the last ones, from `first` on.
    fn open(&mut self, number: u32, first: usize, settled: i64) {
        let target = self.questions[number as usize].target;
        let mut open = Open { first: first as u32, left: 0, free: 0, next: NONE, settled, no: 0.0 };
        for index in first..self.edges.len() {
            let edge = self.edges[index];
            if let Some(answer) = self.questions[edge.to as usize].answer() {
                open.settled = open.settled.max(edge.to_mover(answer));
                self.edges[index].place = NONE;
                continue;
            }
            open.no += f64::from(edge.cost.no);
            open.free += u32::from(edge.free);
            self.put(&open, open.left, index as u32);
            self.sift(&open, open.left);
            open.left += 1;
        }
        let question = &mut self.questions[number as usize];
        if open.settled >= target || open.left == 0 {
            question.state = State::Answered(open.settled);
            self.answered.push(number);
        } else {
            question.state = State::Open(open);
            self.count_up(number);
        }
    }

    /// Brings the cost of an open question up to date; whether it is another now.
    fn count_up(&mut self, number: u32) -> bool {
        let question = &mut self.questions[number as usize];
        let State::Open(open) = &mut question.state else { return false };
        let cheapest = &self.edges[self.heaps[open.first as usize] as usize];
        open.next = if cheapest.free { cheapest.to } else { NONE };
        let cost = Cost { yes: cheapest.cost.yes, no: open.no as f32 };
        std::mem::replace(&mut question.cost, cost) != cost
    }

    /// Tells those who ask a question of a change, and those who ask these, as far as it matters.
    fn tell(&mut self, number: u32) {
        self.changed.push(number);
        while let Some(number) = self.changed.pop() {
            let mut edge = self.questions[number as usize].edge;
            while edge != NONE {
                let Edge { from, next, .. } = self.edges[edge as usize];
                if self.hear(edge) {
                    self.changed.push(from);
                }
                edge = next;
            }
        }
    }

    /// Takes note of a change below an edge. Whether there is one above it.
    fn hear(&mut self, number: u32) -> bool {
        let edge = self.edges[number as usize];
        let (above, below) =
            (&self.questions[edge.from as usize], &self.questions[edge.to as usize]);
        let State::Open(mut open) = above.state else { return false };
        if edge.place == NONE {
            return false;
        }
        let (target, was_free) = (above.target, open.free > 0);
        open.no -= f64::from(edge.cost.no);
        open.free -= u32::from(edge.free);
        if let Some(answer) = below.answer() {
            open.settled = open.settled.max(edge.to_mover(answer));
            self.edges[number as usize].place = NONE;
            open.left -= 1;
            if open.settled >= target || open.left == 0 {
                self.questions[edge.from as usize].state = State::Answered(open.settled);
                self.answered.push(edge.from);
                return true;
            }
            if edge.place != open.left {
                self.put(&open, edge.place, self.heaps[(open.first + open.left) as usize]);
                self.sift(&open, edge.place);
            }
        } else {
            let (free, cost) = (below.is_free(), edge.turned(below.cost));
            open.no += f64::from(cost.no);
            open.free += u32::from(free);
            (self.edges[number as usize].free, self.edges[number as usize].cost) = (free, cost);
            self.sift(&open, edge.place);
        }
        open.no = open.no.max(0.0);
        self.questions[edge.from as usize].state = State::Open(open);
        self.count_up(edge.from) || was_free != (open.free > 0)
    }

    fn put(&mut self, open: &Open, place: u32, edge: u32) {
        self.heaps[(open.first + place) as usize] = edge;
        self.edges[edge as usize].place = place;
    }

    /// Moves the edge at a place of a heap to where it belongs.
    fn sift(&mut self, open: &Open, mut place: u32) {
        let at = |proof: &Self, place: u32| proof.heaps[(open.first + place) as usize];
        let yes = |proof: &Self, place: u32| proof.edges[at(proof, place) as usize].cost.yes;
        let edge = at(self, place);
        let cost = self.edges[edge as usize].cost.yes;
        while place > 0 && cost < yes(self, (place - 1) / 2) {
            let above = (place - 1) / 2;
            self.put(open, place, at(self, above));
            place = above;
        }
        loop {
            let mut below = 2 * place + 1;
            if below + 1 < open.left && yes(self, below + 1) < yes(self, below) {
                below += 1;
            }
            if below >= open.left || yes(self, below) >= cost {
                break;
            }
            self.put(open, place, at(self, below));
            place = below;
        }
        self.put(open, place, edge);
    }

    /// Forgets what hangs on questions that are answered; and, if that leaves more than so many edges,
    /// also what hangs on those on which least was spent: they become leaves again, with their costs.
    /// Whether it came to that. No leaf may be in somebody's hands.
    pub(crate) fn trim(&mut self, most: usize) -> bool {
        *self = self.kept(0);
        let open =
            self.questions.iter().filter(|question| matches!(question.state, State::Open(_)));
        let mut works: Vec<u64> = open.map(|question| question.work).collect();
        works.sort_unstable();
        let mut spared = works.len();
        let is_large = self.edges.len() > most;
        // What hangs on the root must stay.
        while self.edges.len() > most && spared > 0 {
            spared /= 2;
            let least = works.get(works.len() - spared).map_or(u64::MAX, |work| *work);
            *self = self.kept(least);
        }
        is_large
    }

    /// The part of it that is reached from the root through questions on which so much was spent.
    fn kept(&self, least: u64) -> Proof<B> {
        let root = &self.questions[0];
        let mut kept = Proof::new(root.board, root.target);
        // The numbers that its questions have here.
        let mut numbers = vec![0];
        let mut at = 0;
        while at < numbers.len() {
            let old = &self.questions[numbers[at] as usize];
            (kept.questions[at].cost, kept.questions[at].work) = (old.cost, old.work);
            if let State::Open(open) = old.state
                && (at == 0 || old.work >= least)
            {
                let first = kept.edges.len();
                for place in open.first..open.first + open.left {
                    let Edge { to, gain, again, .. } =
                        self.edges[self.heaps[place as usize] as usize];
                    let below = &self.questions[to as usize];
                    let number = kept.ask(below.board, below.target, below.cost);
                    if number as usize == numbers.len() {
                        numbers.push(to);
                    }
                    kept.join(at as u32, number, gain, again);
                }
                kept.open(at as u32, first, open.settled);
            }
            at += 1;
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
                let before = proof.questions.len();
                let is_large = proof.trim(before / 4);
                assert!(!is_large || proof.questions.len() < before);
                assert!(proof.questions.len() <= before);
                check(&proof);
            }
        }
        unreachable!("steps do not end")
    }

    /// Whether all that is carried along is what it would be if it were counted anew.
    fn check(proof: &Proof<Small>) {
        for question in &proof.questions {
            let State::Open(open) = question.state else { continue };
            let heap = &proof.heaps[open.first as usize..(open.first + open.left) as usize];
            let (mut no, mut free) = (0.0, 0);
            for (place, number) in heap.iter().enumerate() {
                let edge = &proof.edges[*number as usize];
                let below = &proof.questions[edge.to as usize];
                assert!(below.answer().is_none());
                assert_eq!(edge.place as usize, place);
                assert_eq!(edge.cost, edge.turned(below.cost));
                assert_eq!(edge.free, below.is_free());
                let above = &proof.edges[heap[place.saturating_sub(1) / 2] as usize];
                assert!(above.cost.yes <= edge.cost.yes);
                no += f64::from(edge.cost.no);
                free += u32::from(edge.free);
            }
            assert_eq!(open.free, free);
            assert!((open.no - no).abs() <= 1e-6 * no.max(1.0));
            let cheapest = &proof.edges[heap[0] as usize];
            assert_eq!(question.cost.yes, cheapest.cost.yes);
            assert_eq!(open.next, if cheapest.free { cheapest.to } else { NONE });
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

//! Finding a winning play: some play, a shortest one, or that there is none.
//!
//! Every play puts a stone into the Ruma, so that no position comes back: the positions reachable
//! from a board are a finite tree with joins, and every search here ends.

use crate::board::Board;
use crate::game::{Fault, Variant};
use crate::pack::{Packer, Word, WordSet};
use crate::search::SearchError;

/// What a search for a win found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The bins of a winning play in order, or `None` if no play wins.
    pub win: Option<Vec<usize>>,
    /// No winning play has fewer moves than this. Where this is the number of moves of `win`, that
    /// play is a shortest. 0 where there is no win.
    pub fewest: usize,
    /// The most stones that any play brings home: all of them where there is a win. A play that
    /// ends in an empty bin is the last one, and the stones it dropped in the Ruma on its way count.
    pub home: u64,
    /// The bins of a play that brings that many home; the last of them may lose.
    pub best: Vec<usize>,
    /// The positions that were looked at.
    pub positions: usize,
}

impl Found {
    fn won(win: Vec<usize>, fewest: usize, home: u64, positions: usize) -> Found {
        Found { best: win.clone(), win: Some(win), fewest, home, positions }
    }

    /// Whether the winning play is known to have the fewest moves.
    pub fn is_shortest(&self) -> bool {
        self.win.as_ref().is_some_and(|win| win.len() == self.fewest)
    }
}

/// Whether the board can be won, with a winning play or the most that can be brought home; and if it
/// can, then a winning play with the fewest moves, as far as the limit allows.
///
/// Some win is found by going deep, which takes few positions; a shortest one takes all positions
/// that are nearer. So the first answer does not wait for the second: see
/// [`is_shortest`](Found::is_shortest).
pub fn decide(variant: Variant, board: &Board, limit: usize) -> Result<Found, SearchError> {
    let found = any_win(variant, board, limit)?;
    let Some(win) = &found.win else { return Ok(found) };
    match widely(variant, board, limit)? {
        Ok(shortest) => Ok(shortest),
        Err(fewest) => Ok(Found { fewest: fewest.min(win.len()), ..found }),
    }
}

/// Any winning play, or the most that can be brought home: a search that goes deep first and
/// remembers where it was. Quicker than [`shortest_win`] where there is a win, the same work where
/// there is none.
pub fn any_win(variant: Variant, board: &Board, limit: usize) -> Result<Found, SearchError> {
    let (bins, stones) = (board.len(), board.stones());
    match (Packer::new(bins, stones), Packer::new(bins, stones)) {
        (Some(packer), _) => Search::<u128>::new(variant, board, packer).deeply(limit),
        (_, Some(packer)) => Search::<(u128, u128)>::new(variant, board, packer).deeply(limit),
        _ => Err(SearchError::TooLarge { bins, stones, bits: 256 }),
    }
}

/// A winning play with the fewest moves, or the most that can be brought home.
pub fn shortest_win(variant: Variant, board: &Board, limit: usize) -> Result<Found, SearchError> {
    widely(variant, board, limit)?.map_err(|_| SearchError::Limit { limit })
}

/// As [`shortest_win`]; where the limit ends it, the moves that a win has at least.
fn widely(
    variant: Variant,
    board: &Board,
    limit: usize,
) -> Result<Result<Found, usize>, SearchError> {
    let (bins, stones) = (board.len(), board.stones());
    match (Packer::new(bins, stones), Packer::new(bins, stones)) {
        (Some(packer), _) => Ok(Search::<u128>::new(variant, board, packer).widely(limit)),
        (_, Some(packer)) => Ok(Search::<(u128, u128)>::new(variant, board, packer).widely(limit)),
        _ => Err(SearchError::TooLarge { bins, stones, bits: 256 }),
    }
}

/// What a play from a position comes to.
enum Came {
    /// To the cleared board.
    Home,
    /// To a position that was not seen before.
    New,
    /// To nothing new.
    Nowhere,
}

struct Search<'a, W> {
    variant: Variant,
    board: &'a Board,
    stones: u64,
    packer: Packer<W>,
    seen: WordSet<W>,
    /// The most stones brought home.
    home: u64,
}

struct Node<W> {
    word: W,
    parent: u32,
    bin: u8,
}

impl<'a, W: Word> Search<'a, W> {
    fn new(variant: Variant, board: &'a Board, packer: Packer<W>) -> Search<'a, W> {
        let seen = WordSet::from_iter([packer.pack(board.bins())]);
        Search { variant, board, stones: board.stones(), packer, seen, home: 0 }
    }

    /// Plays a bin, and whether that brought more home than any play before it.
    fn play(&mut self, bins: &mut [u64], bin: usize) -> (Came, bool) {
        if bins[bin - 1] == 0 {
            return (Came::Nowhere, false);
        }
        let before = self.stones - bins.iter().sum::<u64>();
        let (home, goes_on) = match self.variant.play(bins, bin, |_| ()) {
            Ok(home) => (before + home, true),
            Err(Fault::EndsInEmpty { home, .. }) => (before + home, false),
            Err(_) => return (Came::Nowhere, false),
        };
        let better = home > self.home;
        self.home = self.home.max(home);
        let came = match goes_on {
            true if home == self.stones => Came::Home,
            true if self.seen.insert(self.packer.pack(bins)) => Came::New,
            _ => Came::Nowhere,
        };
        (came, better)
    }

    /// The newest position first, the nearest bins first: finds some win soonest. Nothing is kept
    /// of a position but its word and, on the way that is being tried, its bins.
    fn deeply(mut self, limit: usize) -> Result<Found, SearchError> {
        if self.stones == 0 {
            return Ok(Found::won(Vec::new(), 0, 0, 1));
        }
        let mut way = vec![(self.board.bins().to_vec(), 0)];
        let mut best = Vec::new();
        while let Some((bins, bin)) = way.last_mut() {
            if *bin == bins.len() {
                way.pop();
                continue;
            }
            *bin += 1;
            let (mut next, bin) = (bins.clone(), *bin);
            let (came, better) = self.play(&mut next, bin);
            if better {
                best = way.iter().map(|(_, bin)| *bin).collect();
            }
            match came {
                Came::Home => return Ok(Found::won(best, 1, self.home, self.seen.len())),
                Came::New if self.seen.len() > limit => return Err(SearchError::Limit { limit }),
                Came::New => way.push((next, 0)),
                Came::Nowhere => {}
            }
        }
        Ok(Found { win: None, fewest: 0, home: self.home, best, positions: self.seen.len() })
    }

    /// The fewest plays first: the first win found is a shortest. Where the limit ends the search,
    /// the moves that a win has at least.
    fn widely(mut self, limit: usize) -> Result<Found, usize> {
        if self.stones == 0 {
            return Ok(Found::won(Vec::new(), 0, 0, 1));
        }
        let limit = limit.min(u32::MAX as usize);
        let start = self.packer.pack(self.board.bins());
        let mut nodes = vec![Node { word: start, parent: 0, bin: 0 }];
        let (mut bins, mut next) = (Vec::new(), Vec::new());
        let (mut at, mut moves, mut farther) = (0, 1, 1);
        let mut best = Vec::new();
        while at < nodes.len() {
            if at == farther {
                (moves, farther) = (moves + 1, nodes.len());
            }
            self.packer.unpack(nodes[at].word, &mut bins);
            for bin in 1..=bins.len() {
                next.clone_from(&bins);
                let (came, better) = self.play(&mut next, bin);
                if better {
                    best = line(&nodes, at, bin);
                }
                match came {
                    Came::Home => return Ok(Found::won(best, moves, self.home, nodes.len())),
                    Came::New if nodes.len() >= limit => return Err(moves),
                    Came::New => {
                        let word = self.packer.pack(&next);
                        nodes.push(Node { word, parent: at as u32, bin: bin as u8 });
                    }
                    Came::Nowhere => {}
                }
            }
            at += 1;
        }
        Ok(Found { win: None, fewest: 0, home: self.home, best, positions: nodes.len() })
    }
}

fn line<W>(nodes: &[Node<W>], mut at: usize, last: usize) -> Vec<usize> {
    let mut bins = vec![last];
    while at != 0 {
        bins.push(usize::from(nodes[at].bin));
        at = nodes[at].parent as usize;
    }
    bins.reverse();
    bins
}

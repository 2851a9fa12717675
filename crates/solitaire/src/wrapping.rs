//! Tchoukaillon with wrapping, played backwards.
//!
//! Forwards several bins may be harvestable. Backwards there is never a choice: a play of bin `i`
//! with `k` laps leaves just `k` stones in it, at least `k` in every bin, and more than `k` in every
//! nearer one, so that `i` is the nearest of the bins with the fewest stones, and `k` is that number.
//! Every board has just one unplay, the boards that can be won are those met by unplaying from the
//! cleared board, one after the other, each with more stones than the last; and so a board that can
//! be won is won by one play only.

use crate::board::Board;
use crate::game::Leg;

/// Takes one play back on a circle: `k` stones and, nearer than the bin, one more come back from
/// every bin to the nearest one of those with the fewest stones, `k`. Says which bin it was and how
/// many laps. `None`, and nothing is done, if its stones would outgrow a `u64`.
///
/// ```
/// use sowing_solitaire::{Leg, unwrap};
///
/// let mut bins = vec![6, 1, 1, 3];
/// assert_eq!(unwrap(&mut bins), Some(Leg { from: 2, to: 0, laps: 1 }));
/// assert_eq!(bins, [4, 7, 0, 2]);
/// ```
///
/// # Panics
/// If there are no bins.
pub fn unwrap(bins: &mut [u64]) -> Option<Leg> {
    let (index, &laps) =
        bins.iter().enumerate().min_by_key(|&(_, stones)| stones).expect("a board has bins");
    let gained = laps.checked_add(1)?;
    bins.iter().try_fold(gained, |sum, &stones| sum.checked_add(stones))?;
    // At most the stones of the whole board: no overflow.
    let stones = index as u64 + 1 + laps * (bins.len() as u64 + 1);
    bins[..index].iter_mut().for_each(|stones| *stones -= laps + 1);
    bins[index + 1..].iter_mut().for_each(|stones| *stones -= laps);
    bins[index] = stones;
    Some(Leg { from: index + 1, to: 0, laps })
}

/// The one winning play of a board with wrapping: the bins in order. `None` if it cannot be won.
///
/// Unplays from the cleared board until there are as many stones: the number of unplays grows like
/// the logarithm of the stones where these are many, and is at most their number.
///
/// ```
/// use sowing_solitaire::wrapping_play;
///
/// let board = "4,7,0,2".parse().unwrap();
/// assert_eq!(wrapping_play(&board), Some(vec![2, 1, 1, 2, 1, 4, 1, 3, 1, 2, 1]));
/// ```
pub fn wrapping_play(board: &Board) -> Option<Vec<usize>> {
    let wanted = board.stones();
    let mut bins = vec![0; board.len()];
    let mut stones = 0;
    let mut play = Vec::new();
    while stones < wanted {
        let leg = unwrap(&mut bins)?;
        stones += leg.laps + 1;
        play.push(leg.from);
    }
    play.reverse();
    (bins == board.bins()).then_some(play)
}

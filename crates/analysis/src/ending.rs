//! When a game is over, also one that would never end.

use sowing::{Ending, Playthrough, Side};

/// Whether play goes round in a circle: the position has come up for the third time.
///
/// Only clockwise games can do that. Such a game is given up, and the seeds in houses count for
/// nobody.
pub fn is_endless(play: &Playthrough) -> bool {
    let now = (play.position(), play.side());
    if !now.0.game().rules().repeats() || now.0.is_finished() {
        return false;
    }
    let mut times = 0;
    for play in play.plays().iter().rev() {
        times += usize::from((&play.after, play.next) == now);
        // Seeds never leave a store: what stood before a gain cannot stand again.
        if play.report.gain > 0 {
            return times >= 3;
        }
    }
    times + usize::from((play.start(), Side::South) == now) >= 3
}

/// How a game ended: by its rules, or because it [is endless](is_endless).
pub fn result(play: &Playthrough) -> Option<Ending> {
    let endless =
        || is_endless(play).then(|| Ending::of_margin(play.side(), play.position().lead()));
    play.result().or_else(endless)
}

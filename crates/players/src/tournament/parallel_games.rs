//! How many games fit into the memory.

use sowing_analysis::MAX_LOOK_AHEAD_BYTES;

use crate::contender::Contender;
use crate::opponent::Opponent;

/// Bytes of the process without its players: the program, and the book of a game.
const PROCESS_OVERHEAD: u64 = 24 << 20;

/// The least memory of a perfect player's solver.
const MIN_SOLVER_BYTES: u64 = 8 << 20;

/// The games that are played at once within a limit of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelGames {
    /// The number of games at once.
    pub games: usize,
    /// The memory of each solver of a perfect player.
    pub solver_memory: u64,
}

impl ParallelGames {
    /// At most `wanted` games at once, at least one. Engines are processes of their own and do not count.
    pub fn within(players: &[Contender], memory: u64, wanted: usize) -> ParallelGames {
        let opponents = players.iter().filter_map(|player| match player {
            Contender::Opponent(opponent) => Some(opponent),
            Contender::Engine(_) => None,
        });
        // One player of a game looks ahead at a time; a perfect one where it cannot solve.
        let looks = opponents.clone().any(|opponent| *opponent != Opponent::Random);
        let look_ahead = if looks { MAX_LOOK_AHEAD_BYTES } else { 0 };
        let solvers = opponents.filter(|opponent| **opponent == Opponent::Perfect).count().min(2);
        let solvers = solvers as u64;
        let free = memory.saturating_sub(PROCESS_OVERHEAD).max(memory / 4);
        let fitting = free.checked_div(look_ahead + solvers * MIN_SOLVER_BYTES);
        let fitting = fitting.and_then(|games| usize::try_from(games).ok());
        let games = fitting.unwrap_or(usize::MAX).clamp(1, wanted);
        let share = (free / games as u64).saturating_sub(look_ahead) / solvers.max(1);
        // A solver subtracts the overhead of the process, which is counted here once for all.
        ParallelGames {
            games,
            solver_memory: share.saturating_add(sowing_solver::PROCESS_OVERHEAD),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All players of all games at once stay within the memory.
    #[test]
    fn as_many_games_as_the_memory_carries() {
        let room = |players: &[&str], memory: u64, wanted| {
            let players: Vec<Contender> = players.iter().map(|one| one.parse().unwrap()).collect();
            ParallelGames::within(&players, memory << 20, wanted)
        };
        for memory in [80, 256, 1000, 4000] {
            for wanted in [1, 8, 64, 1024] {
                for (solvers, players) in [(2, ["perfect"; 2]), (1, ["perfect", "level:9"])] {
                    let ParallelGames { games, solver_memory } = room(&players, memory, wanted);
                    let each = MAX_LOOK_AHEAD_BYTES
                        + solvers * (solver_memory - sowing_solver::PROCESS_OVERHEAD);
                    assert!((1..=wanted).contains(&games));
                    assert!(
                        PROCESS_OVERHEAD + games as u64 * each <= memory << 20,
                        "{memory} {wanted}"
                    );
                }
            }
        }
        assert_eq!(room(&["random", "engine:bot"], 16, 64).games, 64, "no player looks ahead");
        assert_eq!(room(&["level:1", "pdp:2"], 256, 64).games, 7);
        assert_eq!(room(&["level:1", "pdp:2"], 1, 64).games, 1);
    }
}

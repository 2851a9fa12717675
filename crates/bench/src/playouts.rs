//! Random games.

use sowing_lab::Playouts;

use super::BenchReport;
use crate::failure::Failure;

const GAMES: u64 = 2_000_000;
const MOVES: u64 = 87_946_888;

pub(super) fn run(report: &mut BenchReport) -> Result<(), Failure> {
    let game = "kalah(6,4)".parse()?;
    report.line("random games of kalah(6,4), all cores", "games", (GAMES, MOVES), || {
        let played = Playouts::play(game, GAMES, 1);
        (played.games, played.moves() as u64)
    })?;
    Ok(())
}

//! Random games.

use sowing_command::failure::Failure;
use sowing_lab::Playouts;

use crate::report::BenchReport;

const GAMES: u64 = 2_000_000;
const MOVES: u64 = 87_946_888;

pub(crate) fn run(report: &mut BenchReport) -> Result<(), Failure> {
    let game = "kalah(6,4)".parse()?;
    report.line("random games of kalah(6,4), all cores", "games", (GAMES, MOVES), || {
        let played = Playouts::play(game, GAMES, 1);
        (played.games, played.moves() as u64)
    })?;
    Ok(())
}

//! Writing certificates with a solver that knows how to play.

use sowing_certificate::{Builder, Certificate, Claim, RefutedError};
use sowing_rules::{Game, Move, Position};

use crate::error::SolveError;
use crate::solver::Solver;

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The claim is not true.
    #[error("the claim {0} is false: there is no proof")]
    False(Claim),
    /// The solver is for another game.
    #[error("the solver is for {solver}, the position of {position}: both need the same game")]
    OtherGame {
        /// The solver's game.
        solver: Game,
        /// The position's game.
        position: Game,
    },
    /// The claim or the game is not one for certificates, or the solver's moves prove nothing.
    #[error(transparent)]
    Refuted(#[from] RefutedError),
    /// The solver gave up.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl Solver {
    /// Writes a certificate of a claim about a position, and verifies it.
    ///
    /// It fails if the claim is false, and where the solver stops before it knows.
    pub fn prove(&mut self, position: &Position, claim: Claim) -> Result<Certificate, ProveError> {
        let (solver, game) = (*self.game(), *position.game());
        if solver != game {
            return Err(ProveError::OtherGame { solver, position: game });
        }
        let mut builder = Builder::new(position, claim)?;
        let holds = match claim {
            Claim::AtLeast(margin) => self.at_least(position, margin)?,
            // A claim within its bounds has a next one.
            Claim::AtMost(margin) => !self.at_least(position, margin + 1)?,
        };
        if !holds {
            return Err(ProveError::False(claim));
        }
        while let Some(obligation) = builder.next_obligation() {
            let turn = self.turn_achieving(&obligation.position, obligation.needed)?;
            let houses = turn.into_iter().filter_map(|action| match action {
                Move::House(house) => Some(house),
                Move::Swap => None,
            });
            builder.add_turn(&obligation, houses)?;
        }
        Ok(builder.finish()?)
    }
}

//! Writing a certificate down, with a solver that knows how to play.

use std::cmp::Reverse;
use std::collections::HashMap;

use sowing::{Game, Move, Position, Setup, Wide};

use crate::certificate::{Certificate, Claim, FIRST_LEMMA, Lemma};
use crate::checker::{Checker, Flaw, RefutedError, rows};
use crate::solver::{SolveError, Solver};

/// The boards that one turn of the opponent's may pass through.
const MOST_BOARDS: usize = 1 << 24;

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
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
    /// The claim or the game is not one for certificates, or what was written down proves nothing:
    /// the solver was led astray.
    #[error(transparent)]
    Refuted(#[from] RefutedError),
    /// The solver gave up.
    #[error(transparent)]
    Solve(#[from] SolveError),
}

impl Certificate {
    /// Writes down a strategy that proves a claim, and checks it.
    pub fn prove(
        solver: &mut Solver,
        position: &Position,
        claim: Claim,
    ) -> Result<Certificate, ProveError> {
        let game = *position.game();
        if *solver.game() != game {
            return Err(ProveError::OtherGame { solver: *solver.game(), position: game });
        }
        let checker = Checker::new(position, claim)?;
        let holds = match claim {
            Claim::AtLeast(margin) => solver.at_least(position, margin)?,
            // A claim within its bounds has a next one.
            Claim::AtMost(margin) => !solver.at_least(position, margin + 1)?,
        };
        if !holds {
            return Err(ProveError::False(claim));
        }
        let mut certificate = Certificate { position: *position, claim, lemmas: HashMap::new() };
        let mut pending = Vec::new();
        checker
            .start(claim, MOST_BOARDS, &mut |board, needed| note(&mut pending, board, needed))
            .map_err(|flaw| RefutedError::Start { claim, flaw })?;
        while let Some((board, needed)) = pending.pop() {
            certificate.add_turn(solver, &checker, board, needed, &mut pending)?;
        }
        certificate.number();
        certificate.verify()?;
        Ok(certificate)
    }

    /// Adds a turn that gets what is needed: a lemma for each board on its way.
    fn add_turn(
        &mut self,
        solver: &mut Solver,
        checker: &Checker,
        board: Wide,
        needed: i64,
        pending: &mut Vec<(Wide, i64)>,
    ) -> Result<(), ProveError> {
        if self.require(&board, needed).is_ok() {
            return Ok(());
        }
        let (mut board, mut needed) = (board, needed);
        let position = Position::free(*self.position.game(), &Setup::from(board))
            .expect("as many houses as the game");
        let mut turn = solver.turn_of_value(&position, needed)?.into_iter().peekable();
        while let Some(action) = turn.next() {
            if self.require(&board, needed).is_ok() {
                return Ok(());
            }
            let Move::House(house) = action else { return Err(ProveError::False(self.claim)) };
            let (rows, lemma) = (rows(&board), Lemma { margin: needed, house, line: 0 });
            let mut note = |board, needed| note(pending, board, needed);
            checker
                .follow(&rows, &lemma, MOST_BOARDS, &mut note)
                .map_err(|flaw| RefutedError::of(&rows, &lemma, flaw))?;
            self.lemmas.insert(rows, lemma);
            // A move that is not the turn's last needs nothing but the board of the next.
            if turn.peek().is_some() {
                let Some(next) = pending.pop() else { break };
                (board, needed) = next;
            }
        }
        Ok(())
    }

    /// Gives each lemma its line: from the start downwards, and the same from run to run.
    fn number(&mut self) {
        let mut lemmas: Vec<_> = self.lemmas.iter_mut().collect();
        lemmas.sort_by_key(|(rows, _)| (Reverse(rows.iter().sum::<u64>()), (*rows).clone()));
        for ((_, lemma), line) in lemmas.into_iter().zip(FIRST_LEMMA..) {
            lemma.line = line;
        }
    }
}

fn note(pending: &mut Vec<(Wide, i64)>, board: Wide, needed: i64) -> Result<(), Flaw> {
    pending.push((board, needed));
    Ok(())
}

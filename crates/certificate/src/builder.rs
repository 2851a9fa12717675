//! Writing a certificate: obligations out, moves in.

use std::cmp::Reverse;
use std::collections::HashMap;

use sowing_rules::{House, PROGRAM, Position, Setup, WideBoard};

use crate::certificate::{Certificate, FIRST_LEMMA};
use crate::checker::{Checker, Flaw, Lemma, RefutedError, max_turn_boards, rows};
use crate::claim::Claim;

/// Builds a certificate from the answers to its obligations.
///
/// Each [obligation](Builder::next_obligation) is a position in which the prover is to move, and the margin
/// that a turn must reach. [`add_turn`](Builder::add_turn) records such a turn. When no obligation is left,
/// [`finish`](Builder::finish) checks the certificate as [`Certificate::verify`] does: wrong answers give no
/// certificate.
#[derive(Debug)]
pub struct Builder {
    checker: Checker,
    certificate: Certificate,
    pending: Vec<(WideBoard, i64)>,
}

/// A board that needs a lemma.
#[derive(Clone, Copy, Debug)]
pub struct Obligation {
    /// The board, the prover to move, stores empty.
    pub position: Position,
    /// The margin that a turn of the prover must reach.
    pub needed: i64,
    board: WideBoard,
}

impl Builder {
    /// Starts a certificate. It fails for games and claims that no certificate proves.
    pub fn new(position: &Position, claim: Claim) -> Result<Builder, RefutedError> {
        let checker = Checker::new(position, claim)?;
        let mut pending = Vec::new();
        checker
            .start(claim, max_turn_boards(0), &mut |board, needed| {
                push(&mut pending, board, needed)
            })
            .map_err(|flaw| RefutedError::Start { claim, flaw })?;
        let program = Some(PROGRAM.to_string());
        let certificate =
            Certificate { position: *position, claim, program, lemmas: HashMap::new() };
        Ok(Builder { checker, certificate, pending })
    }

    /// The next board that needs a lemma; `None` when the certificate is complete.
    pub fn next_obligation(&mut self) -> Option<Obligation> {
        while let Some((board, needed)) = self.pending.pop() {
            if self.certificate.require(&board, needed).is_err() {
                let game = *self.certificate.position.game();
                let position =
                    Position::free(game, &Setup::from(board)).expect("as many houses as the game");
                return Some(Obligation { position, needed, board });
            }
        }
        None
    }

    /// Records a turn that meets an obligation: one lemma for each board on its way.
    ///
    /// It fails if a move is not legal, or leads where no lemma can promise enough.
    pub fn add_turn(
        &mut self,
        obligation: &Obligation,
        turn: impl IntoIterator<Item = House>,
    ) -> Result<(), RefutedError> {
        let (mut board, mut needed) = (obligation.board, obligation.needed);
        let mut turn = turn.into_iter().peekable();
        while let Some(house) = turn.next() {
            if self.certificate.require(&board, needed).is_ok() {
                return Ok(());
            }
            let (rows, lemma) = (rows(&board), Lemma { margin: needed, house, line: 0 });
            let max_boards = max_turn_boards(self.certificate.lemmas.len());
            let pending = &mut self.pending;
            self.checker
                .follow(&rows, &lemma, max_boards, &mut |board, needed| {
                    push(pending, board, needed)
                })
                .map_err(|flaw| RefutedError::for_lemma(&rows, &lemma, flaw))?;
            self.certificate.lemmas.insert(rows, lemma);
            // A move that is not the turn's last needs the board of the next move alone.
            if turn.peek().is_some() {
                let Some(next) = self.pending.pop() else { break };
                (board, needed) = next;
            }
        }
        Ok(())
    }

    /// The certificate, verified.
    pub fn finish(mut self) -> Result<Certificate, RefutedError> {
        // Lines go from the start downwards, and are the same from run to run.
        let mut lemmas: Vec<_> = self.certificate.lemmas.iter_mut().collect();
        lemmas.sort_by_key(|(rows, _)| (Reverse(rows.iter().sum::<u64>()), (*rows).clone()));
        for ((_, lemma), line) in lemmas.into_iter().zip(FIRST_LEMMA..) {
            lemma.line = line;
        }
        self.certificate.verify()?;
        Ok(self.certificate)
    }
}

fn push(pending: &mut Vec<(WideBoard, i64)>, board: WideBoard, needed: i64) -> Result<(), Flaw> {
    pending.push((board, needed));
    Ok(())
}

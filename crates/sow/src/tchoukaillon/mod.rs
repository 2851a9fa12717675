//! `sow tchoukaillon`: the solitaire, its matrices, and its variants.

mod board;
mod count;
mod curiosity;
mod matrix;
mod sequence;
pub(crate) mod variant;
pub(crate) mod write;

use std::io::Write;

use clap::{Args, Subcommand};
use sowing_solitaire::Board;

use crate::failure::Failure;
use crate::input::text_or_stdin;
use crate::units;

/// Tchoukaillon: boards, plays, matrices, sequences, variants
///
/// A board lists the stones of its bins, the nearest to the Ruma first, as in
/// 0,2,2,4. Stones are sown towards the Ruma; a play must end there, and a board
/// is won when all its stones are there.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sow tchoukaillon board 8                  the winning board of 8 stones
  sow tchoukaillon play 0,2,2,4             how to win it
  sow tchoukaillon wrap 4,7,0,2             a board won by sowing round
  sow tchoukaillon sequence A002491 --terms 10")]
pub(crate) struct TchoukaillonArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Board(board::BoardArgs),
    Moves(board::MovesArgs),
    Play(board::PlayArgs),
    Unplay(board::UnplayArgs),
    Unwrap(board::UnwrapArgs),
    Check(board::CheckArgs),
    Matrix(matrix::MatrixArgs),
    Apply(matrix::ApplyArgs),
    Theorems(matrix::TheoremsArgs),
    Wrap(variant::WrapArgs),
    Chain(variant::ChainArgs),
    Chains(matrix::ChainsArgs),
    Count(count::CountArgs),
    Sequence(sequence::SequenceArgs),
    Pi(sequence::PiArgs),
    Curiosity(curiosity::CuriosityArgs),
}

pub(crate) fn run(args: &TchoukaillonArgs, out: &mut dyn Write) -> Result<(), Failure> {
    match &args.what {
        What::Board(args) => board::board(args, out),
        What::Moves(args) => board::moves(args, out),
        What::Play(args) => board::play(args, out),
        What::Unplay(args) => board::unplay(args, out),
        What::Unwrap(args) => board::unwrap(args, out),
        What::Check(args) => board::check(args, out),
        What::Matrix(args) => matrix::matrix(args, out),
        What::Apply(args) => matrix::apply(args, out),
        What::Theorems(args) => matrix::theorems(args, out),
        What::Wrap(args) => variant::wrap(args, out),
        What::Chain(args) => variant::chain(args, out),
        What::Chains(args) => matrix::chains(args, out),
        What::Count(args) => count::run(args, out),
        What::Sequence(args) => sequence::sequence(args, out),
        What::Pi(args) => sequence::pi(args, out),
        What::Curiosity(args) => curiosity::run(args, out),
    }
}

/// A board that the user typed, or standard input where it is `-`.
pub(crate) fn read_board(text: &str) -> Result<Board, Failure> {
    Ok(text_or_stdin(Some(text))?.parse()?)
}

/// A board with something to play.
pub(crate) fn read_stones(text: &str) -> Result<Board, Failure> {
    let board = read_board(text)?;
    if board.stones() == 0 {
        return Err(Failure::Input(
            "the board holds no stones: it should hold at least one, as in 0,2,2,4".to_string(),
        ));
    }
    Ok(board)
}

/// Any number.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    units::whole(0..=u64::MAX)(text)
}

/// A number that is not 0.
pub(crate) fn positive(text: &str) -> Result<u64, String> {
    units::whole(1..=u64::MAX)(text)
}

//! The search for exact values of games that do not repeat positions.
//!
//! | module | has |
//! | --- | --- |
//! | [`board_solver`] | null-window tests that narrow the bounds of a value; rounds in which resources grow |
//! | [`proof_tree`], [`proof_numbers`] | proof-number search: selection, expansion, propagation |
//! | [`shared_tree`] | the tree behind a lock, its leaf budget and memory limit |
//! | [`worker`], [`state`], [`context`] | one thread of a search; what threads share |
//! | [`leaf_search`] | depth-first search of one leaf |
//! | [`turn_generator`], [`board_set`], [`turn_paths`] | successors, one per end of a turn; turns with their moves |
//! | [`transposition`] | the transposition table |
//! | [`move_ordering`], [`evaluator`], [`static_bounds`] | scores of turns, estimates, bounds without search |
//! | [`effort_model`] | the expected nodes of a search |
//! | [`search_board`] | what a board needs for all this |

mod board_set;
mod board_solver;
mod context;
mod effort_model;
mod evaluator;
mod leaf_search;
mod move_ordering;
mod proof_numbers;
mod proof_tree;
mod search_board;
mod shared_tree;
mod state;
mod static_bounds;
mod transposition;
mod turn_generator;
mod turn_paths;
mod worker;

pub(crate) use board_solver::{BoardSolver, Narrowed};
pub(crate) use search_board::SearchBoard;

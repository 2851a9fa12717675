//! The search for exact values of games that do not repeat positions.
//!
//! | module | has |
//! | --- | --- |
//! | [`board_solver`] | null-window tests that narrow the bounds of a value; their rounds; growth between rounds; turns |
//! | [`proof_tree`], [`proof_numbers`] | proof-number search: selection, expansion, propagation |
//! | [`shared_tree`] | the tree behind a lock, its leaf budget and memory limit |
//! | [`worker`], [`context`], [`state`] | one thread of a round; the inputs, counters and interrupt that threads share |
//! | [`leaf_search`] | depth-first search of one leaf |
//! | [`turn_generator`], [`board_set`], [`turn_paths`] | successors, one per end of a turn; turns with their moves |
//! | [`transposition`] | the transposition table |
//! | [`move_ordering`], [`evaluator`], [`static_bounds`] | scores of turns, estimates, bounds without search |
//! | [`effort_model`] | the expected nodes of a search |
//! | [`search_board`] | the operations on boards that a search needs |
//!
//! # Results
//!
//! The result of a null-window test, `value >= target`, is *fail-soft* (Fishburn, 1983). Let v be the value and r the
//! result. If r >= target then v >= r; if r < target then v <= r.

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

pub(crate) use board_solver::BoardSolver;
pub(crate) use search_board::SearchBoard;

//! The options of a solver.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use sowing_tables::Tables;

use crate::book::{Book, Checkpointer, Exchange};

/// Everything that configures a solver.
#[derive(Clone, Debug)]
pub struct SolverOptions {
    /// Threads that search together; 0 counts as 1. Values do not depend on their number.
    pub threads: usize,
    /// Bytes for everything that the solver holds: transposition table, tables that it builds, proof tree,
    /// stacks. Tables and books that it is given come on top.
    pub memory: u64,
    /// The time limit of all searches together, counted from when the solver was made, or from the last
    /// [`restart_clock`](crate::Solver::restart_clock) or [`set_time`](crate::Solver::set_time).
    pub time: Option<Duration>,
    /// The node limit over the life of the solver. A search may exceed it by a few thousand nodes per thread.
    pub max_nodes: Option<u64>,
    /// Endgame tables. Tables of other rules or houses are refused.
    pub tables: Option<Arc<Tables>>,
    /// Whether to build endgame tables in memory where the work justifies it.
    pub build_tables: bool,
    /// Bounds that are proven already. A book of other rules or houses is refused.
    pub book: Option<Arc<Book>>,
    /// The expected number of queries. Building tables is weighed against all of them at the first.
    pub expected_queries: u64,
    /// The switch that cancels a search from another thread; a fresh one if `None`.
    pub stop: Option<Arc<AtomicBool>>,
    /// Saves proven bounds while a long search runs.
    pub checkpointer: Option<Checkpointer>,
    /// Shares proven bounds with other processes that search for the same. It gives nothing out once a table
    /// file of this solver has changed.
    pub exchange: Option<Arc<Exchange>>,
}

impl Default for SolverOptions {
    /// All cores, one gibibyte, no limits, tables built as needed.
    fn default() -> SolverOptions {
        SolverOptions {
            threads: sowing_platform::cores(),
            memory: 1 << 30,
            time: None,
            max_nodes: None,
            tables: None,
            build_tables: true,
            book: None,
            expected_queries: 1,
            stop: None,
            checkpointer: None,
            exchange: None,
        }
    }
}

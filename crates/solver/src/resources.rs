//! The resources of a search.

use sowing_tables::BuildCache;

use crate::book::{Checkpointer, Exchange};
use crate::query::Work;

/// The threads, memory and services of a search, and its counters.
pub(crate) struct Resources<'a> {
    pub(crate) threads: usize,
    pub(crate) memory: MemoryBudget,
    /// Whether tables may be built.
    pub(crate) build_tables: bool,
    pub(crate) work: &'a mut Work,
    pub(crate) build_cache: BuildCache,
    /// The number of boards that the caller expects to ask about.
    pub(crate) expected_queries: u64,
    pub(crate) checkpointer: Option<&'a mut Checkpointer>,
    pub(crate) exchange: Option<&'a Exchange>,
}

/// The parts of a solver's memory, in bytes. Their sum is at most the whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryBudget {
    /// For the transposition table. While it grows, old and new table share this.
    pub(crate) transposition_table: u64,
    /// For endgame tables that the solver builds, building included.
    pub(crate) tables: u64,
    /// For the stacks of leaf searches and for listed turns, all threads together.
    pub(crate) turns: u64,
    /// For the proof tree.
    pub(crate) proof_tree: u64,
}

/// The bytes that a process and its threads take before anything is searched. A solver subtracts them from
/// the memory that it is given.
pub const PROCESS_OVERHEAD: u64 = 20 << 20;

impl MemoryBudget {
    pub(crate) fn from_bytes(bytes: u64) -> MemoryBudget {
        let bytes = bytes.saturating_sub(PROCESS_OVERHEAD).max(bytes / 4);
        MemoryBudget {
            transposition_table: bytes / 4,
            tables: bytes / 2,
            turns: bytes / 8,
            proof_tree: bytes / 8,
        }
    }
}

//! What a search may use.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use sowing_platform::Instant;
use sowing_tables::Workshop;

use crate::exchange::Exchange;
use crate::keeper::Keeper;
use crate::solver::Work;
use crate::verdict::Bounds;

/// What a search may use, and whom it tells how it goes.
pub(crate) struct Means<'a> {
    pub(crate) threads: usize,
    /// How the bytes are shared out.
    pub(crate) shares: Shares,
    /// Whether tables may be built.
    pub(crate) build: bool,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) work: &'a mut Work,
    /// What building tables made for itself, and needs again for more layers.
    pub(crate) workshop: Workshop,
    /// About how many boards are going to be asked about.
    pub(crate) expected: u64,
    pub(crate) progress: Box<dyn FnMut(Standing) + 'a>,
    /// When it was last told.
    pub(crate) told: Instant,
    /// Who keeps what took long to find.
    pub(crate) keeper: Option<&'a mut Keeper>,
    /// Where others who search for the same are told of what was found, and tell it.
    pub(crate) exchange: Option<&'a Exchange>,
}

impl Means<'_> {
    pub(crate) fn is_halted(&self) -> bool {
        is_halted(self.stop, self.deadline)
    }
}

/// How bytes are shared out: together they are never more than there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shares {
    /// For bounds that are remembered. While they move to a larger table, the smaller is there too.
    pub(crate) memory: u64,
    /// For tables that are built, with all that building them takes.
    pub(crate) tables: u64,
    /// For the positions under way and their turns, all threads together.
    pub(crate) turns: u64,
    /// For what is laid open of a proof.
    pub(crate) proof: u64,
}

/// What a process and its threads take before anything is searched: bytes that a solver takes off
/// the memory that it is given.
pub const AT_REST: u64 = 20 << 20;

impl Shares {
    pub(crate) fn of(bytes: u64) -> Shares {
        let bytes = bytes.saturating_sub(AT_REST).max(bytes / 4);
        Shares { memory: bytes / 4, tables: bytes / 2, turns: bytes / 8, proof: bytes / 8 }
    }
}

/// Where a search stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    pub(crate) bounds: Bounds,
    pub(crate) target: i64,
    pub(crate) nodes: u64,
}

/// Whether a search is to end.
pub(crate) fn is_halted(stop: &AtomicBool, deadline: Option<Instant>) -> bool {
    stop.load(Relaxed) || deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

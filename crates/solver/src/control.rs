//! When a search stops, and how it reports progress.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use sowing_platform::Instant;
use sowing_rules::Bounds;

/// Why a search stopped before its goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum StopReason {
    /// The time limit is reached.
    Time,
    /// The node limit is reached.
    Nodes,
    /// The turns of a position could not be listed within the memory.
    Memory,
    /// The stop switch is set.
    Cancelled,
}

impl StopReason {
    const ALL: [StopReason; 4] =
        [StopReason::Time, StopReason::Nodes, StopReason::Memory, StopReason::Cancelled];
}

/// Why a text is not a stop reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown stop reason {what}", what = sowing_rules::quoted(.0))]
pub struct ParseStopReasonError(String);

impl FromStr for StopReason {
    type Err = ParseStopReasonError;

    fn from_str(text: &str) -> Result<StopReason, ParseStopReasonError> {
        let found = StopReason::ALL.into_iter().find(|reason| reason.to_string() == text.trim());
        found.ok_or_else(|| ParseStopReasonError(text.to_string()))
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            StopReason::Time => "the time is up",
            StopReason::Nodes => "the node limit is reached",
            StopReason::Memory => "it needs more memory",
            StopReason::Cancelled => "it was cancelled",
        })
    }
}

/// The state of a search, reported about ten times per second.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The proven bounds of the margin so far.
    pub bounds: Bounds,
    /// The margin that is being tested: is the value at least this?
    pub target: i64,
    /// Nodes searched by the solver so far.
    pub nodes: u64,
    /// Time since the solver's clock was started.
    pub elapsed: Duration,
}

/// The limits that end a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits<'a> {
    pub(crate) cancelled: &'a AtomicBool,
    pub(crate) deadline: Option<Instant>,
    /// Counted over the life of the solver.
    pub(crate) max_nodes: u64,
}

impl Limits<'_> {
    /// Why a search of `nodes` nodes must stop now, if it must. Reads the clock, changes nothing.
    pub(crate) fn stop_reason(&self, nodes: u64) -> Option<StopReason> {
        if self.cancelled.load(Relaxed) {
            Some(StopReason::Cancelled)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Some(StopReason::Time)
        } else {
            (nodes >= self.max_nodes).then_some(StopReason::Nodes)
        }
    }

    /// Whether work that counts no nodes must stop now.
    pub(crate) fn is_reached(&self) -> bool {
        self.stop_reason(0).is_some()
    }
}

/// The one control object of a search: its limits, and the receiver of its progress.
pub(crate) struct Control<'a> {
    pub(crate) limits: Limits<'a>,
    started: Instant,
    /// Added to bounds and targets in reports: the lead that the stores give.
    lead: i64,
    on_progress: &'a mut dyn FnMut(Progress),
    last_report: Instant,
}

/// The time between two reports of progress.
pub(crate) const REPORT_INTERVAL: Duration = Duration::from_millis(100);

impl<'a> Control<'a> {
    pub(crate) fn new(
        limits: Limits<'a>,
        started: Instant,
        lead: i64,
        on_progress: &'a mut dyn FnMut(Progress),
    ) -> Control<'a> {
        Control { limits, started, lead, on_progress, last_report: Instant::now() }
    }

    /// Whether [`REPORT_INTERVAL`] has passed since the timer was last reset.
    pub(crate) fn is_report_due(&self) -> bool {
        self.last_report.elapsed() >= REPORT_INTERVAL
    }

    /// Resets the timer of [`is_report_due`](Self::is_report_due).
    pub(crate) fn reset_timer(&mut self) {
        self.last_report = Instant::now();
    }

    /// Reports a null-window test of a board with these bounds, after `nodes` nodes.
    pub(crate) fn report(&mut self, bounds: Bounds, target: i64, nodes: u64) {
        (self.on_progress)(Progress {
            bounds: bounds.shifted(self.lead),
            target: target + self.lead,
            nodes,
            elapsed: self.started.elapsed(),
        });
    }
}

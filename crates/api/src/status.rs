//! The state of a server.

use serde::Serialize;
use utoipa::ToSchema;

use crate::route::Response;

/// How the server is doing.
#[derive(Debug, Serialize, ToSchema)]
pub struct Status {
    /// The version of the program.
    pub version: &'static str,
    /// Since it was started.
    pub seconds: f64,
    /// The pool of workers.
    pub workers: WorkersStatus,
    /// The analyses.
    pub analyses: AnalysesStatus,
    /// The memory.
    pub memory: MemoryStatus,
    /// The connections and requests.
    pub visitors: VisitorsStatus,
}

/// The workers of analyses, reviews, studies and perfect replies.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkersStatus {
    /// How many there are.
    pub all: usize,
    /// How many have a job.
    pub busy: usize,
    /// Solvers that wait, with all they have proven, for the next request about their game.
    pub warm: usize,
    /// How long each may work, in seconds.
    pub seconds: f64,
}

/// Analyses.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalysesStatus {
    /// Under way.
    pub running: usize,
    /// Clients that read them.
    pub readers: usize,
    /// Complete, and kept for the next client.
    pub kept: usize,
}

/// Bytes.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryStatus {
    /// What all workers together may use.
    pub workers: u64,
    /// What the process holds now; `null` if the system does not tell.
    #[schema(required)]
    pub now: Option<u64>,
    /// The most it has held; `null` where the system does not tell.
    #[schema(required)]
    pub peak: Option<u64>,
}

/// Connections and requests.
#[derive(Debug, Serialize, ToSchema)]
pub struct VisitorsStatus {
    /// Connections that are open, this one included.
    pub connections: usize,
    /// How many there may be.
    pub most: usize,
    /// Requests so far, this one included.
    pub requests: u64,
    /// Connections that were refused.
    pub turned_away: u64,
}

/// The response with the state of a server.
#[utoipa::path(
    get,
    summary = "How the server is doing: its workers, memory and visitors",
    path = "/api/v1/status",
    responses((status = 200, description = "how it is doing now", body = Status))
)]
pub fn status(status: &Status) -> Response {
    Response::json(status)
}

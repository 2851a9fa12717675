//! How the server is doing.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use crate::state::Server;

/// How the server is doing.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Status {
    /// The version of the program.
    version: &'static str,
    /// Since it was started.
    seconds: f64,
    slots: SlotsStatus,
    analyses: AnalysesStatus,
    memory: MemoryStatus,
    visitors: VisitorsStatus,
}

/// Where analyses, reviews, studies and perfect replies are worked out.
#[derive(Debug, Serialize, ToSchema)]
struct SlotsStatus {
    all: usize,
    busy: usize,
    /// Solvers that wait, with all they have proven, for the next request about their game.
    warm: usize,
    /// How long each may work, in seconds.
    seconds: f64,
}

/// Positions that somebody asks about.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AnalysesStatus {
    /// Under way.
    pub(crate) running: usize,
    /// Those who read them.
    pub(crate) readers: usize,
    /// Complete, and kept for whoever asks next.
    pub(crate) kept: usize,
}

/// Bytes.
#[derive(Debug, Serialize, ToSchema)]
struct MemoryStatus {
    /// What all slots together may use.
    slots: u64,
    /// What the process holds now; `null` where the system does not tell.
    #[schema(required)]
    now: Option<u64>,
    /// The most it has held; `null` where the system does not tell.
    #[schema(required)]
    peak: Option<u64>,
}

/// Who comes and goes.
#[derive(Debug, Serialize, ToSchema)]
struct VisitorsStatus {
    /// Connections that are open, this one included.
    connections: usize,
    /// How many there may be.
    most: usize,
    /// Requests so far, this one included.
    requests: u64,
    /// Connections that there was no room for.
    turned_away: u64,
}

/// How the server is doing: its slots, memory and visitors
#[utoipa::path(
    get,
    path = "/api/v1/status",
    responses((status = 200, description = "how it is doing now", body = Status))
)]
pub(crate) async fn status(State(server): State<Arc<Server>>) -> Json<Status> {
    let (slots, visitors) = (&server.slots, &server.visitors);
    Json(Status {
        version: env!("CARGO_PKG_VERSION"),
        seconds: server.started.elapsed().as_secs_f64(),
        slots: SlotsStatus {
            all: slots.all(),
            busy: slots.busy(),
            warm: slots.idle(),
            seconds: slots.time().as_secs_f64(),
        },
        analyses: server.analyses.status(),
        memory: MemoryStatus {
            slots: slots.memory(),
            now: of_process("VmRSS:"),
            peak: of_process("VmHWM:"),
        },
        visitors: VisitorsStatus {
            connections: visitors.connections.open(),
            most: visitors.connections.most(),
            requests: visitors.requests.load(Relaxed),
            turned_away: visitors.refusals.all(),
        },
    })
}

/// A field of what Linux tells of this process, in bytes.
fn of_process(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

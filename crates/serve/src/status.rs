//! The state of the server.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use axum::extract::State;
use axum::response::Response;
use sowing_api::{MemoryStatus, Status, VisitorsStatus, WorkersStatus};

use crate::handlers::respond;
use crate::state::Server;

/// The state of the server now.
pub(crate) async fn status(State(server): State<Arc<Server>>) -> Response {
    let (pool, visitors) = (&server.pool, &server.visitors);
    respond(sowing_api::status(&Status {
        version: env!("CARGO_PKG_VERSION"),
        seconds: server.started.elapsed().as_secs_f64(),
        workers: WorkersStatus {
            all: pool.size(),
            busy: pool.busy(),
            warm: pool.idle(),
            seconds: pool.time().as_secs_f64(),
        },
        analyses: server.analyses.status(),
        memory: MemoryStatus {
            workers: pool.memory(),
            now: of_process("VmRSS:"),
            peak: of_process("VmHWM:"),
        },
        visitors: VisitorsStatus {
            connections: visitors.connections.open(),
            most: visitors.connections.most(),
            requests: visitors.requests.load(Relaxed),
            turned_away: visitors.refusals.all(),
        },
    }))
}

/// A field of `/proc/self/status`, in bytes.
fn of_process(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kibibytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

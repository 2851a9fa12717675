//! Published tables, computed and set beside the print.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use sowing_api::STUDY_TIME;
use sowing_lab::study::{Study, StudyOptions, StudyReport};
use tokio::sync::{OnceCell, oneshot};

use crate::error::HttpError;
use crate::handlers::respond;
use crate::queue::Client;
use crate::state::{Ending, Server};
use crate::workers::WorkerPool;

/// Random games per cell.
const GAMES: u64 = 100_000;

/// The studies that were run to their end, each once, and those under way.
#[derive(Debug, Default)]
pub(crate) struct Studies {
    reports: Mutex<HashMap<&'static str, Arc<OnceCell<Arc<StudyReport>>>>>,
}

/// Lists the studies.
pub(crate) async fn studies() -> Response {
    respond(sowing_api::studies())
}

/// Answers with a study, cell by cell.
pub(crate) async fn study(
    State(server): State<Arc<Server>>,
    client: Client,
    Path(name): Path<String>,
) -> Result<Response, HttpError> {
    Ok(Json(&*report(&server, client, &name).await?).into_response())
}

/// Answers with the table of a study.
pub(crate) async fn study_table(
    State(server): State<Arc<Server>>,
    client: Client,
    Path(name): Path<String>,
) -> Result<Response, HttpError> {
    Ok(respond(sowing_api::study_table(&*report(&server, client, &name).await?)))
}

/// The report of a study: one that is kept, or one that is computed now.
async fn report(
    server: &Server,
    client: Client,
    name: &str,
) -> Result<Arc<StudyReport>, HttpError> {
    let study = sowing_api::study(name)?;
    let cell = {
        let mut reports = server.studies.reports.lock().expect("no holder of the lock panics");
        Arc::clone(reports.entry(study.name).or_default())
    };
    // A study cannot be stopped within a cell: the end of the server does not wait for it.
    let report = tokio::select! {
        report = cell.get_or_try_init(|| run(study, &server.pool, client)) => report?,
        () = server.ends(Ending::Stopping) => return Err(HttpError::ending()),
    };
    if report.unreached() > 0 {
        // The machine may be less busy at the next request.
        let mut reports = server.studies.reports.lock().expect("no holder of the lock panics");
        if reports.get(study.name).is_some_and(|kept| Arc::ptr_eq(kept, &cell)) {
            reports.remove(study.name);
        }
    }
    Ok(Arc::clone(report))
}

async fn run(
    study: &'static Study,
    pool: &Arc<WorkerPool>,
    client: Client,
) -> Result<Arc<StudyReport>, HttpError> {
    let lease = pool.acquire(client).await?;
    let time = STUDY_TIME.min(pool.time());
    let (sender, report) = oneshot::channel();
    lease.compute(move |limits| {
        let options = StudyOptions {
            time,
            games: GAMES,
            threads: limits.threads,
            memory: limits.memory,
            ..StudyOptions::default()
        };
        // The client may have gone.
        let _ = sender.send(Arc::new(study.run(&options)));
    })?;
    report.await.map_err(|_| HttpError::broken())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::config::Config;

    /// A study that was cut short is run anew by who asks next; one that came to its end is kept.
    #[tokio::test]
    async fn studies_cut_short_are_not_kept() {
        let config =
            Config { time: Duration::from_millis(1), memory: 1 << 26, ..Config::default() };
        let server = Server::new(&config, [127, 0, 0, 1].into());
        for name in ["irving-2", "thesis-9"] {
            report(&server, Client::default(), name).await.unwrap();
        }
        let kept = server.studies.reports.lock().unwrap();
        assert_eq!(kept.keys().copied().collect::<Vec<_>>(), ["irving-2"]);
    }
}

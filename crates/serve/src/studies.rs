//! Published tables, computed and set beside the print.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use sowing_answers::ErrorBody;
use sowing_lab::study::{self, Study, StudyOptions, StudyReport};
use tokio::sync::{OnceCell, oneshot};
use utoipa::ToSchema;

use crate::error::Refusal;
use crate::queue::Client;
use crate::slots::Slots;
use crate::state::{Ending, Server};

/// How long a study may take at most; cells beyond that say that they were not reached.
const TIME: Duration = Duration::from_secs(20);

/// Random games a cell.
const GAMES: u64 = 100_000;

/// The studies that were run to their end, each once, and those under way.
#[derive(Debug, Default)]
pub(crate) struct Studies {
    reports: Mutex<HashMap<&'static str, Arc<OnceCell<Arc<StudyReport>>>>>,
}

/// The studies there are.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct StudyList {
    studies: Vec<Listed>,
}

/// A study.
#[derive(Debug, Serialize, ToSchema)]
struct Listed {
    name: &'static str,
    title: &'static str,
    citation: &'static str,
}

/// The studies there are
#[utoipa::path(
    get,
    path = "/api/v1/studies",
    responses((status = 200, description = "the studies", body = StudyList))
)]
pub(crate) async fn studies() -> Json<StudyList> {
    let listed =
        |study: &Study| Listed { name: study.name, title: study.title, citation: study.citation };
    Json(StudyList { studies: study::all().iter().map(listed).collect() })
}

/// A published table, computed as far as 20 seconds allow: what `sow study NAME --json` prints
#[utoipa::path(
    get,
    path = "/api/v1/studies/{name}",
    params(("name" = String, Path, description = "the study", example = "thesis-4")),
    responses(
        (status = 200, description = "the table, cell by cell", body = StudyReport),
        (status = 404, description = "there is no such study", body = ErrorBody),
        (status = 503, description = "all slots are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub(crate) async fn report(
    State(server): State<Arc<Server>>,
    client: Client,
    Path(name): Path<String>,
) -> Result<Response, Refusal> {
    let study = study::find(&name).ok_or_else(|| Refusal::unknown_study(&name))?;
    let cell = {
        let mut reports = server.studies.reports.lock().expect("nobody panics with the lock");
        Arc::clone(reports.entry(study.name).or_default())
    };
    // A study cannot be stopped in the middle of a cell, and is not waited for.
    let report = tokio::select! {
        report = cell.get_or_try_init(|| run(study, &server.slots, client)) => report?,
        () = server.ends(Ending::Stopping) => return Err(Refusal::ending()),
    };
    if report.unreached() > 0 {
        // Who asks again may find the machine less busy.
        let mut reports = server.studies.reports.lock().expect("nobody panics with the lock");
        if reports.get(study.name).is_some_and(|kept| Arc::ptr_eq(kept, &cell)) {
            reports.remove(study.name);
        }
    }
    Ok(Json(&**report).into_response())
}

async fn run(
    study: &'static Study,
    slots: &Arc<Slots>,
    client: Client,
) -> Result<Arc<StudyReport>, Refusal> {
    let slot = slots.take(client).await?;
    let time = TIME.min(slots.time());
    let (sender, report) = oneshot::channel();
    slot.compute(move |means| {
        let options = StudyOptions {
            time,
            games: GAMES,
            threads: means.threads,
            memory: means.memory,
            ..StudyOptions::default()
        };
        // Nobody may be there any more to take the answer.
        let _ = sender.send(Arc::new(study.run(&options)));
    })?;
    report.await.map_err(|_| Refusal::broken())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// A study that was cut short is run anew by who asks next; one that came to its end is kept.
    #[tokio::test]
    async fn studies_cut_short_are_not_kept() {
        let config =
            Config { time: Duration::from_millis(1), memory: 1 << 26, ..Config::default() };
        let server = Server::new(&config, [127, 0, 0, 1].into());
        for name in ["irving-2", "thesis-9"] {
            let asked = (State(Arc::clone(&server)), Path(name.to_string()));
            report(asked.0, Client::default(), asked.1).await.map(drop).unwrap();
        }
        let kept = server.studies.reports.lock().unwrap();
        assert_eq!(kept.keys().copied().collect::<Vec<_>>(), ["irving-2"]);
    }
}

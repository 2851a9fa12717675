//! Published tables beside ours.

use std::time::Duration;

use serde::Serialize;
use sowing_draw::study::StudyTable;
use sowing_lab::study::{self, Study, StudyReport};
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::route::Response;

/// How long a study may take; cells beyond that say that they were not reached.
pub const STUDY_TIME: Duration = Duration::from_secs(20);

/// The studies there are.
#[derive(Debug, Serialize, ToSchema)]
struct StudyList {
    studies: Vec<StudyEntry>,
}

/// A study.
#[derive(Debug, Serialize, ToSchema)]
struct StudyEntry {
    name: &'static str,
    title: &'static str,
    citation: &'static str,
}

/// The response with all studies.
#[utoipa::path(
    get,
    summary = "The studies there are",
    path = "/api/v1/studies",
    responses((status = 200, description = "the studies", body = StudyList))
)]
pub fn studies() -> Response {
    let studies = study::all().iter().map(|study| {
        let Study { name, title, citation, .. } = *study;
        StudyEntry { name, title, citation }
    });
    Response::json(&StudyList { studies: studies.collect() })
}

/// The study of a name.
#[utoipa::path(
    get,
    summary = "A published table, computed as far as 20 seconds allow: what `sow study NAME --json` prints",
    path = "/api/v1/studies/{name}",
    params(("name" = String, Path, description = "the study", example = "thesis-4")),
    responses(
        (status = 200, description = "the table, cell by cell", body = StudyReport),
        (status = 404, description = "there is no such study", body = ErrorBody),
        (status = 503, description = "all workers are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub fn study(name: &str) -> Result<&'static Study, ApiError> {
    study::find(name).ok_or_else(|| {
        let name = sowing_rules::quoted(name);
        let message = format!("no study is called {name}: /api/v1/studies lists them");
        ApiError::new(404, message).with_example("thesis-7")
    })
}

/// The response with the table of a study.
#[utoipa::path(
    get,
    summary = "The same as a table to be shown: rows and columns, and of every figure its text and its source",
    path = "/api/v1/studies/{name}/table",
    params(("name" = String, Path, description = "the study", example = "thesis-4")),
    responses(
        (status = 200, description = "the table, row by row", body = StudyTable),
        (status = 404, description = "there is no such study", body = ErrorBody),
        (status = 503, description = "all workers are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub fn study_table(report: &StudyReport) -> Response {
    Response::json(&StudyTable::new(report))
}

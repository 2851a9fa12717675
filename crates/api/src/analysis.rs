//! The value of a position and of its moves.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sowing_analysis::{AnalysisOptions, Finding};
use sowing_rules::Playthrough;
use utoipa::{IntoParams, ToSchema};

use crate::error::{ApiError, ErrorBody};
use crate::query::{GameQuery, read};

/// How long an analysis may take, unless the configuration of the server says otherwise.
pub const ANALYSIS_TIME: Duration = Duration::from_secs(120);

/// How long each move is searched before the next has its turn.
const SHARE: Duration = Duration::from_millis(100);

/// What an analysis finds beside the value and the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AnalysisQuery {
    /// The value of every whole turn, too.
    #[serde(default)]
    turns: bool,
    /// A perfect continuation, too.
    #[serde(default)]
    line: bool,
}

/// The data of an event of an analysis. Findings are named by their field `finding`; an error is
/// named `failed`.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it is a description: findings and errors are sent as they are")]
enum AnalysisEvent {
    Finding(Finding),
    Failed(ErrorBody),
}

/// Reads the query of an analysis.
#[utoipa::path(
    get,
    summary = "The value of the position after these moves and of every move there, as server-sent events",
    description = "`estimate` (at once), `bounds` (several), `value` with the turn that proves it, `move` (each, several times if its bounds narrow slowly), and in the end `done` with all of it, or `failed` with an error. Nothing that is proven is taken back. Closing the connection stops the work.",
    path = "/api/v1/analysis",
    params(GameQuery, AnalysisQuery),
    responses(
        (status = 200, description = "the events, each with such data",
         body = AnalysisEvent, content_type = "text/event-stream"),
        (status = 400, description = "a bad game, position or move", body = ErrorBody),
        (status = 503, description = "all workers are busy; Retry-After says when to ask again",
         body = ErrorBody),
    )
)]
pub fn analysis(query: &str) -> Result<(Playthrough, AnalysisQuery), ApiError> {
    Ok((read::<GameQuery>(query)?.playthrough()?, read(query)?))
}

impl AnalysisQuery {
    /// The options of the analysis, within a limit of time.
    pub fn options(self, time: Option<Duration>) -> AnalysisOptions {
        let AnalysisQuery { turns, line } = self;
        AnalysisOptions { turns, line, time, share: Some(SHARE), ..AnalysisOptions::default() }
    }
}

//! An analysis that several workers share.

use sowing_analysis::{Analysis, Plan, TaskReport};
use sowing_api::ApiError;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{CallError, garbled, json};

/// Plans an analysis: gives its tasks to workers and collects the findings.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Planner {
    /// `None` once the analysis is over.
    plan: Option<Plan>,
    sent: Option<Analysis>,
    found: Option<Analysis>,
}

impl Planner {
    pub(crate) fn new(plan: Plan) -> Planner {
        Planner { plan: Some(plan), sent: None, found: None }
    }
}

#[wasm_bindgen]
impl Planner {
    /// The next task, as JSON.
    #[expect(clippy::should_implement_trait, reason = "scripts know no such trait")]
    pub fn next(&mut self) -> Option<String> {
        let task = self.plan.as_mut()?.next_task(false)?;
        Some(json(&task))
    }

    /// Takes a report of a task that goes on.
    pub fn progress(&mut self, id: usize, report: &str) -> Result<(), CallError> {
        let report: TaskReport = serde_json::from_str(report).map_err(garbled)?;
        if let Some(plan) = &mut self.plan {
            plan.progress(id, &report);
        }
        Ok(())
    }

    /// Takes the last report of a task.
    pub fn report(&mut self, id: usize, report: &str) -> Result<(), CallError> {
        let report: TaskReport = serde_json::from_str(report).map_err(garbled)?;
        if let Some(plan) = &mut self.plan {
            plan.report(id, report).map_err(ApiError::from)?;
        }
        Ok(())
    }

    /// The findings since the last call, as a JSON list. The last one is `done` if no task is left.
    pub fn findings(&mut self) -> String {
        let over = self.plan.as_ref().is_some_and(|plan| plan.is_complete() || plan.is_over());
        if over {
            self.found = self.plan.take().map(Plan::finish);
        }
        let now = self.found.as_ref().or(self.plan.as_ref().map(Plan::found));
        let findings = now.map_or(Vec::new(), |now| now.findings_since(self.sent.as_ref(), over));
        self.sent = now.cloned();
        json(&findings)
    }

    /// Whether all findings were returned.
    pub fn is_over(&self) -> bool {
        self.plan.is_none()
    }
}

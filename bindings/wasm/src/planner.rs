//! An analysis that several workers share.

use sowing_analysis::{Analysis, Plan, TaskReport};
use sowing_answers::Refusal;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::fault::{Refused, garbled, json};

/// Plans an analysis, hands its tasks out to whoever is free, and tells what is found.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Planner {
    /// `None` once it is closed.
    plan: Option<Plan>,
    told: Option<Analysis>,
    found: Option<Analysis>,
}

impl Planner {
    pub(crate) fn new(plan: Plan) -> Planner {
        Planner { plan: Some(plan), told: None, found: None }
    }
}

#[wasm_bindgen]
impl Planner {
    /// A task for somebody who is free, as JSON.
    #[expect(clippy::should_implement_trait, reason = "scripts know no such trait")]
    pub fn next(&mut self) -> Option<String> {
        let task = self.plan.as_mut()?.next_task(false)?;
        Some(json(&task))
    }

    /// Takes on what is known on the way to the end of a task.
    pub fn progress(&mut self, id: usize, report: &str) -> Result<(), Refused> {
        let report: TaskReport = serde_json::from_str(report).map_err(garbled)?;
        if let Some(plan) = &mut self.plan {
            plan.progress(id, &report);
        }
        Ok(())
    }

    /// Takes on what came of a task.
    pub fn report(&mut self, id: usize, report: &str) -> Result<(), Refused> {
        let report: TaskReport = serde_json::from_str(report).map_err(garbled)?;
        if let Some(plan) = &mut self.plan {
            plan.report(id, report).map_err(Refusal::from)?;
        }
        Ok(())
    }

    /// What was found since this was asked last, a list of findings as JSON. The last of them is
    /// `done` where nothing is left to do.
    pub fn news(&mut self) -> String {
        let over = self.plan.as_ref().is_some_and(|plan| plan.is_complete() || plan.is_over());
        if over {
            self.found = self.plan.take().map(Plan::finish);
        }
        let now = self.found.as_ref().or(self.plan.as_ref().map(Plan::found));
        let news = now.map_or(Vec::new(), |now| now.findings_since(self.told.as_ref(), over));
        self.told = now.cloned();
        json(&news)
    }

    /// Whether all was told.
    pub fn is_over(&self) -> bool {
        self.plan.is_none()
    }
}

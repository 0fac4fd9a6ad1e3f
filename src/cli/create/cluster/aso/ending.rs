//! What is said at the end.

use landfall_engine_aso::core::Outcome;
use landfall_engine_aso::drive::{self, Ground, Step, Worked};
use serde_json::{Value, json};

use super::super::{Going, Job};
use super::{Booted, NAME, STEP};
use crate::cli::aso::management::{self, judged, outcome as word};
use crate::cli::create::closing::Stood;
use crate::cli::create::{closing, outcome};
use crate::cli::{Exit, Output, engine};
use crate::prepare::Prepared;
use crate::ui::{counted, json as json_form};
use crate::workdir::{ClusterDir, StepResult};

impl Job<'_> {
    /// Says how it ended.
    pub(super) fn worked(
        &self,
        cluster: &ClusterDir,
        prepared: &Prepared,
        ground: &Ground,
        (worked, booted): (&Worked, Booted),
    ) -> Going<Exit> {
        let (mut findings, exit) = judged(worked, ground);
        let none = Step::default();
        let step = if let Worked::Ended(_, step) = worked { step } else { &none };
        let is_done = |planned: &&drive::Planned| Outcome::of(&planned.action.what) == Outcome::Done;
        let standing = step.objects.iter().filter(is_done).count();
        let result = match exit {
            Exit::Done => StepResult::Done,
            Exit::Interrupted => StepResult::Interrupted,
            _ => StepResult::Failed,
        };
        let detail = format!("{standing} of {}", counted(step.objects.len(), "object"));
        engine::note(cluster, STEP, result, &detail)?;
        match booted {
            Ok(differences) => findings.extend(differences),
            Err(fault) if fault.is_interrupted() => {}
            Err(fault) => {
                let (why, _) = engine::judged(fault, true)?;
                findings.extend(why);
            }
        }
        if self.settings.output == Output::Json {
            let mut value = self.head(word(exit), &prepared.plan);
            value["engine"] = json!({ "name": NAME, "namespace": ground.namespace });
            value["accepted"] = json!(*self.accepted.borrow());
            value["work"] = step.objects.iter().map(management::described).collect::<Vec<Value>>().into();
            value["resources"] = standing.into();
            let mut all: Vec<Value> = json_form::findings(&outcome::judged(&prepared.said));
            all.extend(json_form::placeless(&findings));
            value["findings"] = all.into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(exit);
        }
        engine::report(&findings, self.settings);
        if exit == Exit::Done {
            let text = if self.goes_on() {
                closing::stands(&ground.infra_id, standing)
            } else if self.machines {
                let (bootstrap_gone, engine) = (!self.needs_bootstrap(), self.engine.into());
                closing::next_steps(&ground.infra_id, standing, bootstrap_gone, engine, self.directory)
            } else {
                closing::without_machines(&ground.infra_id, standing, self.directory)
            };
            self.settings.printer.data(&text)?;
        } else {
            let stood = match worked {
                Worked::Refused(_) => Stood::Untouched,
                _ if step.objects.is_empty() => Stood::Unknown,
                _ => Stood::So(standing, step.objects.len()),
            };
            let text = closing::objects_again(stood, exit, !findings.is_empty(), self.directory);
            self.settings.printer.talk(&text);
        }
        Ok(exit)
    }
}

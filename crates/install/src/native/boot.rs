//! What the machines start from of a cluster that Azure Service Operator creates: their image, and the bootstrap
//! machine's ignition config.

use std::collections::BTreeMap;

use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind};
use landfall_engine_native::{Journal, Pace, Run, Watcher, interrupted, run};
use landfall_engine_terraform::Stop;
use landfall_platform::native::{Api, BootSources, Failure, Properties, Wanted, resolve};
use landfall_platform::pages::NOT_NATIVE_SETTING;
use landfall_workdir::{ClusterDir, Error};
use serde_json::Value;

use super::Notes;
use crate::Fault;

/// The step in the journal; each resource has one below it.
const STEP: &str = "aso.boot";

/// What boot sources are created with.
pub struct BootSite<'a> {
    /// What makes the cluster different from any other.
    pub cluster_id: &'a str,
    /// The calls.
    pub api: &'a dyn Api,
    /// Who watches.
    pub watcher: &'a dyn Watcher,
    /// Ends the work early.
    pub stop: &'a Stop,
    /// Where each call is noted: [`boot_notes`] are those of a cluster directory.
    pub journal: &'a dyn Journal,
}

/// The notes of boot sources in a cluster directory, which is locked.
///
/// # Errors
/// The journal of steps cannot be read.
pub fn boot_notes(cluster: &ClusterDir, now: fn() -> String) -> Result<impl Journal + '_, Error> {
    Ok(Notes { cluster, steps: cluster.steps()?, start: STEP.to_owned(), now })
}

/// What came of boot sources.
#[derive(Debug)]
pub struct Booted {
    /// The ignition config of the bootstrap machine, which gives access to the whole one.
    pub pointer: Secret<String>,
    /// What differs from the plan, as warnings.
    pub differences: Vec<Finding>,
}

impl BootSite<'_> {
    /// Finds or creates what machines start from.
    ///
    /// # Errors
    /// The work was stopped or failed; the same call continues.
    pub async fn apply(&self, sources: &BootSources) -> Result<Booted, Fault> {
        let pace = Pace::default();
        let work = Run {
            api: self.api,
            graph: &sources.graph,
            stage: sources.stage,
            cluster_id: self.cluster_id,
            journal: self.journal,
            watcher: self.watcher,
            stop: self.stop,
            pace: &pace,
            leaves: false,
            installed: false,
        };
        let mut outputs = BTreeMap::new();
        let report = run(&work, Vec::new(), &mut outputs).await.map_err(|cause| {
            let stage = STEP.to_owned();
            match cause.downcast::<Error>() {
                Ok(cause) => Fault::Directory(*cause),
                Err(cause) => Fault::Note { stage, cause },
            }
        })?;
        if !report.is_complete() {
            let exist = report.created + report.existing;
            let mut findings = report.findings;
            if report.interrupted {
                findings.push(interrupted(STEP, exist, report.total));
            }
            return Err(Fault::Native { findings, interrupted: report.interrupted });
        }
        let pointer = self.pointer(sources, &outputs).await?;
        Ok(Booted { pointer, differences: report.differences })
    }

    /// The ignition config of the bootstrap machine.
    async fn pointer(
        &self,
        sources: &BootSources,
        outputs: &BTreeMap<String, Properties>,
    ) -> Result<Secret<String>, Fault> {
        let machine = &sources.machine;
        let inputs = resolve(&Value::Object(machine.properties.clone()), outputs);
        let Some(Value::Object(inputs)) = inputs else { return Err(without_pointer()) };
        let wanted = Wanted {
            name: machine.name.clone(),
            kind: machine.kind,
            inputs,
            token: String::new(),
            noted: None,
            begun: false,
            given: machine.given(),
        };
        match self.api.ignition(&wanted).await {
            Ok(Some(pointer)) => Ok(pointer),
            Ok(None) => Err(without_pointer()),
            Err(
                Failure::Throttled(finding)
                | Failure::Unknown(finding)
                | Failure::NotYet(finding)
                | Failure::Refused(finding),
            ) => Err(Fault::Native { findings: vec![*finding], interrupted: false }),
        }
    }
}

/// A platform whose machines need no pointer has no boot sources.
fn without_pointer() -> Fault {
    let message = "the bootstrap machine's ignition config is not known";
    let finding = Finding::error(&NOT_NATIVE_SETTING, Kind::InternalError, "", message)
        .help("upload the config yourself, and use --aso-ignition-pointer");
    Fault::Native { findings: vec![finding], interrupted: false }
}

//! Whether what earlier runs created still exists as it was created, looked at before more is created.

use std::collections::BTreeMap;
use std::path::Path;

use landfall_diagnostics::{Code, Finding, Kind, few};
use landfall_engine_native::{Look, Pace, look};
use landfall_engine_terraform::{Change, Fault as Failed, Outside, Preview, Stage, Work};
use landfall_model::plan;
use landfall_platform::Platform;
use landfall_platform::native::{Api, Graph};

use super::existing::{counted, kind_of, type_of};
use super::files::step;
use super::native::{noted, past};
use super::recover::is_cut_short;
use super::standing::removed;
use super::{Fault, Site};

pub(super) static MISSING: Code = Code::new("LF1427");

static CHANGED: Code = Code::new("LF1428");

static HANDED_OVER: Code = Code::new("LF1434");

static UNPLANNED: Code = Code::new("LF1435");

/// So many resources are named in a finding.
const MOST: usize = 20;

/// What of a stage is not as earlier runs left it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drift {
    /// Name of the stage.
    pub stage: String,
    /// Resources that no longer exist.
    pub missing: Vec<String>,
    /// How many no longer exist, by type: terraform's types, or the kinds of the native engine.
    pub missing_types: BTreeMap<String, usize>,
    /// Resources that were changed since.
    pub changed: Vec<String>,
    /// Resources that no longer exist and that the installed cluster replaces itself.
    pub handed_over: Vec<String>,
    /// Resources that the plan no longer has.
    pub unplanned: Vec<String>,
}

impl Drift {
    fn is_none(&self) -> bool {
        [&self.missing, &self.changed, &self.handed_over, &self.unplanned].into_iter().all(Vec::is_empty)
    }

    /// What is to be said of it. `restored` says whether the engine sets changed properties back.
    #[must_use]
    pub fn findings(&self, restored: bool) -> Vec<Finding> {
        let change_help = if restored {
            "once you confirm, `create cluster` sets them back to the plan"
        } else {
            "once you confirm, `create cluster` sets back what it can change in place, and names the rest"
        };
        let all = [
            self.warning(
                &MISSING,
                &self.missing,
                "resources of an earlier run no longer exist",
                "once you confirm, `create cluster` creates them again",
            ),
            self.warning(
                &CHANGED,
                &self.changed,
                "resources differ from the plan, as they or the install config were changed",
                change_help,
            ),
            self.warning(
                &HANDED_OVER,
                &self.handed_over,
                "resources of the control plane no longer exist, and the cluster has managed them since \
                 `destroy bootstrap`",
                "landfall does not create them again; `oc get machines -n openshift-machine-api` lists the \
                 cluster's machines; destroy a cluster that was never installed",
            ),
            self.warning(
                &UNPLANNED,
                &self.unplanned,
                "resources were created for an earlier plan, and this plan does not have them",
                "set the install config back, or remove them with the cloud's own tools",
            ),
        ];
        all.into_iter().flatten().collect()
    }

    /// A warning about these resources, if there are any.
    fn warning(&self, code: &'static Code, names: &[String], what: &str, help: &str) -> Option<Finding> {
        let message = || format!("stage {}: {what}: {}", self.stage, few(names, MOST));
        (!names.is_empty()).then(|| Finding::warning(code, Kind::Invalid, "", message()).help(help))
    }
}

/// The drift that terraform's plan shows of the resources that a run would keep.
fn of_changes(stage: &str, changes: &[Change], complete: &[String]) -> Drift {
    let of = |outside: Outside| {
        let those = changes.iter().filter(|change| complete.contains(&change.address));
        let those = those.filter(move |change| change.outside == Some(outside));
        those.map(|change| change.address.clone()).collect()
    };
    let missing: Vec<String> = of(Outside::Removed);
    let missing_types = counted(missing.iter().map(|address| type_of(address)));
    let stage = stage.to_owned();
    Drift { stage, missing, missing_types, changed: of(Outside::Changed), ..Drift::default() }
}

impl Site<'_> {
    /// Looks at the stages that earlier runs worked on. A stage whose last run was cut short is looked at
    /// when it is applied.
    ///
    /// # Errors
    /// Terraform cannot be run, or was asked to stop.
    pub async fn drift(&mut self) -> Result<Vec<Drift>, Fault> {
        // Applying the stage says what is wrong.
        self.differences(|_| None).await
    }

    /// The same after the stages were applied, where what the engine took for done may not be.
    ///
    /// # Errors
    /// Also where Terraform cannot plan: what there is remains unknown then.
    pub async fn unconfirmed(&mut self) -> Result<Vec<Drift>, Fault> {
        self.differences(Some).await
    }

    /// What differs, stage by stage. `counts` gives the error of a plan that was refused, if it counts.
    async fn differences(&mut self, counts: fn(Failed) -> Option<Failed>) -> Result<Vec<Drift>, Fault> {
        let mut all = Vec::new();
        for stage in self.platform.stages() {
            let steps = self.cluster.steps()?;
            let last = steps.last(&step(stage, Work::Apply));
            let folder = self.files().folder(stage);
            let is_empty = landfall_engine_terraform::resources(&folder).is_ok_and(|all| all.is_empty());
            if removed(&steps, stage)?.is_some()
                || last.is_none()
                || is_cut_short(last, &self.platform.modules())
                || is_empty
            {
                continue;
            }
            let drift = self.drift_of(stage, counts).await?;
            all.extend(Some(drift).filter(|drift| !drift.is_none()));
        }
        Ok(all)
    }

    async fn drift_of(
        &mut self,
        stage: &plan::Stage,
        counts: fn(Failed) -> Option<Failed>,
    ) -> Result<Drift, Fault> {
        let engine = |fault| Fault::Engine { stage: stage.name.to_owned(), fault: Box::new(fault) };
        let variables = self.files().variables(stage);
        let needs = self.needs(stage).await?;
        let environment = self.environment(&needs)?;
        let (folder, log) = (self.files().folder(stage), self.cluster.logs());
        let described = Stage {
            name: stage.name,
            folder: &folder,
            variables: &variables,
            environment: &environment,
            log: &log,
        };
        let looked = async {
            self.terraform.init(&described, self.stop).await?;
            self.terraform.preview(&described, self.stop).await
        };
        let looked = looked.await;
        self.clear(&needs)?;
        Ok(match looked.map_err(engine)? {
            Preview::Changes(changes) => {
                let complete = landfall_engine_terraform::complete_resources(&folder).map_err(engine)?;
                of_changes(stage.name, &changes.managed, &complete)
            }
            Preview::Refused { fault, .. } => match counts(*fault) {
                Some(fault) => return Err(engine(fault)),
                None => Drift::default(),
            },
        })
    }
}

/// What the resources of the native engine are looked at with.
pub struct NativeLook<'a> {
    /// The cluster directory. Nothing in it is written or locked.
    pub root: &'a Path,
    /// The platform of the cluster.
    pub platform: &'static dyn Platform,
    /// The calls; only those that read.
    pub api: &'a dyn Api,
    /// The resources of all stages.
    pub graph: &'a Graph,
}

impl NativeLook<'_> {
    /// Looks at every resource that the journal has.
    ///
    /// # Errors
    /// The journal of steps cannot be read.
    pub async fn drift(&self) -> Result<Vec<Drift>, Fault> {
        let (mut outputs, pace) = (BTreeMap::new(), Pace::default());
        let mut all = Vec::new();
        let steps = landfall_workdir::steps(self.root)?;
        let mut stages = Vec::new();
        for stage in self.platform.stages() {
            if removed(&steps, stage)?.is_none() {
                stages.push(stage);
            }
        }
        let installed = stages.len() < self.platform.stages().len();
        for stage in stages {
            let start = step(stage, Work::Apply);
            let past = |name: &str| past(&steps, &start, name);
            let (api, graph) = (self.api, self.graph);
            let described = Look { api, graph, stage: stage.name, past: &past, pace: &pace, installed };
            let looked = look(&described, &mut outputs).await;
            let is_planned = |name: &String| self.graph.resources.iter().any(|node| node.name == *name);
            let unplanned = noted(&steps, stage).into_keys().filter(|name| !is_planned(name)).collect();
            let missing_types = counted(looked.missing.iter().map(|name| kind_of(name)));
            let drift = Drift {
                stage: stage.name.to_owned(),
                missing: looked.missing,
                missing_types,
                changed: looked.changed,
                handed_over: looked.handed_over,
                unplanned,
            };
            all.extend(Some(drift).filter(|drift| !drift.is_none()));
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn change(address: &str, outside: Option<Outside>) -> Change {
        let (address, resource) = (address.to_owned(), "aws_subnet".to_owned());
        Change { address, resource, creates: false, id: None, values: Value::Null, outside }
    }

    #[test]
    fn what_was_removed_or_changed_by_hand_is_told_before_more_is_created() {
        let changes = [
            change("aws_subnet.a", Some(Outside::Removed)),
            change("aws_subnet.b", Some(Outside::Changed)),
            change("aws_subnet.c", None),
        ];
        let complete = ["a", "b", "c"].map(|name| format!("aws_subnet.{name}"));
        let drift = of_changes("cluster", &changes, &complete);
        let told = drift.findings(true);
        let codes: Vec<&str> = told.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!(codes, ["LF1427", "LF1428"]);
        assert!(told.iter().all(|finding| !finding.is_error()));
        assert!(told[0].message.ends_with("aws_subnet.a") && told[1].message.ends_with("aws_subnet.b"));
        assert_ne!(told[1].help, drift.findings(false)[1].help);
        assert_eq!(drift.missing_types, BTreeMap::from([("aws_subnet".to_owned(), 1)]));
        assert!(!of_changes("cluster", &changes[1..], &complete).is_none());
        assert!(of_changes("cluster", &changes[2..], &complete).is_none());
        // Those whose creation failed are replaced anyway.
        assert!(of_changes("cluster", &changes, &complete[2..]).is_none());
    }

    #[test]
    fn what_the_installed_cluster_replaces_is_not_called_missing() {
        let handed_over = vec!["instance/master-0".to_owned(), "targets/api".to_owned()];
        let drift = Drift { stage: "cluster".to_owned(), handed_over, ..Drift::default() };
        assert!(!drift.is_none());
        let told = drift.findings(false);
        assert_eq!(told.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["LF1434"]);
        assert!(!told[0].is_error() && told[0].message.ends_with("instance/master-0, targets/api"));
    }

    #[test]
    fn what_the_plan_no_longer_has_is_named() {
        let unplanned = vec!["load-balancer/ext".to_owned()];
        let drift = Drift { stage: "cluster".to_owned(), unplanned, ..Drift::default() };
        assert!(!drift.is_none());
        let told = drift.findings(false);
        assert_eq!(told.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["LF1435"]);
        assert!(!told[0].is_error() && told[0].message.ends_with("load-balancer/ext"));
    }

    #[test]
    fn of_many_resources_the_first_are_named() {
        let names: Vec<String> = (0..22).map(|n| format!("r{n}")).collect();
        let text = few(&names, MOST);
        assert!(text.starts_with("r0, r1, ") && text.ends_with("r19 and 2 more"), "{text}");
    }
}

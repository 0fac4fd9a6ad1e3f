//! What Terraform reports as created, read once more with landfall's own calls.
//!
//! A provider may take an empty answer for the success of a call that gives nothing. Links that the cloud then does not have
//! are created here, and properties that can be changed in place are set; what else is missing is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use landfall_diagnostics::{Finding, Kind};
use landfall_engine_native::{Journal, NoteFault, Pace, Past, Run, Underway, interrupted, run};
use landfall_engine_terraform::Stop;
use landfall_platform::Platform;
use landfall_platform::cloud::Waiting;
use landfall_platform::native::{Api, Existing, Failure, Graph, Properties, Traits, Wanted};

use crate::Fault;
use crate::drift::MISSING;
use crate::standing::removed;

/// For how long the cloud may not show what it confirmed.
const VISIBLE: Duration = Duration::from_secs(30);

/// What the resources of a cluster are read with.
pub struct Confirmation<'a> {
    /// The cluster directory. Nothing in it is written or locked.
    pub root: &'a Path,
    /// The platform of the cluster.
    pub platform: &'static dyn Platform,
    /// The calls.
    pub api: &'a dyn Api,
    /// The resources of all stages.
    pub graph: &'a Graph,
    /// What makes the cluster different from any other.
    pub cluster_id: &'a str,
    /// Ends the work early.
    pub stop: &'a Stop,
}

/// What the cloud has of the resources that Terraform reports.
#[derive(Debug, Default)]
pub struct Confirmed {
    /// Links that the cloud did not have and that were created, and resources of which properties were set, by the names
    /// of the graph.
    pub restored: Vec<String>,
    /// What the cloud does not have and what could not be created: the first that was noticed.
    pub missing: Vec<String>,
    /// What differs from the plan, as warnings.
    pub differences: Vec<Finding>,
}

impl Confirmation<'_> {
    /// Reads every resource of the graph, and restores what can be restored without Terraform. Repeats calls that fail.
    /// Once the bootstrap machine was removed the cluster changes its resources itself: nothing is read, and there is no
    /// result.
    ///
    /// # Errors
    /// The resources cannot be read, or the work was stopped.
    pub async fn read(&self) -> Result<Option<Confirmed>, Fault> {
        let api = Links {
            api: self.api,
            missing: Mutex::default(),
            restored: Mutex::default(),
            completed: Mutex::default(),
        };
        let pace = Pace { visible: VISIBLE, ..Pace::default() };
        let (mut outputs, mut confirmed) = (BTreeMap::new(), Confirmed::default());
        let steps = landfall_workdir::steps(self.root)?;
        for stage in self.platform.stages() {
            if removed(&steps, stage)?.is_some() {
                return Ok(None);
            }
        }
        for stage in self.platform.stages() {
            let work = Run {
                api: &api,
                graph: self.graph,
                stage: stage.name,
                cluster_id: self.cluster_id,
                journal: &Unnoted,
                watcher: &Unnoted,
                stop: self.stop,
                pace: &pace,
                leaves: false,
                installed: false,
            };
            let report = run(&work, Vec::new(), &mut outputs)
                .await
                .map_err(|cause| Fault::Note { stage: stage.name.to_owned(), cause })?;
            confirmed.differences.extend(report.differences.iter().cloned());
            if report.is_complete() {
                continue;
            }
            if report.interrupted {
                let exist = report.created + report.existing;
                let findings = vec![interrupted(stage.name, exist, report.total)];
                return Err(Fault::Native { findings, interrupted: true });
            }
            confirmed.missing.extend(locked(&api.missing).iter().cloned());
            if confirmed.missing.is_empty() {
                return Err(Fault::Native { findings: report.findings, interrupted: false });
            }
            break;
        }
        confirmed.restored = locked(&api.restored).iter().cloned().collect();
        Ok(Some(confirmed))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The calls of an API that read, and those that create links.
struct Links<'a> {
    api: &'a dyn Api,
    /// What was not found when it was looked for last.
    missing: Mutex<BTreeSet<String>>,
    restored: Mutex<BTreeSet<String>>,
    /// What was completed.
    completed: Mutex<BTreeSet<String>>,
}

impl Links<'_> {
    async fn look(&self, wanted: &Wanted, fresh: bool) -> Result<Option<Existing>, Failure> {
        let mut found = self.api.find(wanted, fresh).await?;
        let Traits { is_link, is_given, completes_unseen, .. } = self.api.traits(wanted.kind);
        if is_given {
            return Ok(found);
        }
        if found.is_none() && !fresh {
            found = self.api.find(wanted, true).await?;
        }
        if let Some(found) = found {
            locked(&self.missing).remove(&wanted.name);
            if completes_unseen && !locked(&self.completed).contains(&wanted.name) {
                self.api.complete(wanted, &found.outputs).await?;
                locked(&self.completed).insert(wanted.name.clone());
            }
            return self.set(wanted, found).await.map(Some);
        }
        if is_link {
            return Ok(None);
        }
        locked(&self.missing).insert(wanted.name.clone());
        Err(Failure::NotYet(missing()))
    }

    /// Sets what differs and can be changed in place, once. The state has the resource, so it is the cluster's.
    async fn set(&self, wanted: &Wanted, found: Existing) -> Result<Existing, Failure> {
        let own = |found: Existing| Existing { is_own: Some(true), ..found };
        if found.differences.is_empty() || locked(&self.restored).contains(&wanted.name) {
            return Ok(own(found));
        }
        match self.api.repair(wanted, &found).await {
            Ok(true) => {
                locked(&self.restored).insert(wanted.name.clone());
                Ok(own(self.api.find(wanted, true).await?.unwrap_or(found)))
            }
            // The difference stays, and is reported.
            Ok(false) | Err(Failure::Refused(_)) => Ok(own(found)),
            Err(failure) => Err(failure),
        }
    }
}

fn missing() -> Box<Finding> {
    Box::new(Finding::warning(&MISSING, Kind::Invalid, "", "the cloud confirmed it and does not have it"))
}

impl Api for Links<'_> {
    fn find<'s>(&'s self, wanted: &'s Wanted, fresh: bool) -> Waiting<'s, Result<Option<Existing>, Failure>> {
        Box::pin(self.look(wanted, fresh))
    }

    fn create<'s>(&'s self, wanted: &'s Wanted) -> Waiting<'s, Result<Properties, Failure>> {
        let Traits { is_link, is_given, .. } = self.api.traits(wanted.kind);
        Box::pin(async move {
            if is_given {
                return self.api.create(wanted).await;
            }
            if !is_link {
                return Err(Failure::Refused(missing()));
            }
            locked(&self.missing).insert(wanted.name.clone());
            let outputs = self.api.create(wanted).await?;
            locked(&self.missing).remove(&wanted.name);
            locked(&self.restored).insert(wanted.name.clone());
            Ok(outputs)
        })
    }

    fn traits(&self, kind: &str) -> Traits {
        // Nothing is completed, and nothing is created again that is broken.
        Traits { completes: false, repeats: false, ..self.api.traits(kind) }
    }
}

/// Nothing is noted: the state of Terraform has these resources.
struct Unnoted;

impl Journal for Unnoted {
    fn past(&self, _: &str) -> Past {
        Past::default()
    }

    fn begins(&self, _: &str, _: &Properties) -> Result<(), NoteFault> {
        Ok(())
    }

    fn refused(&self, _: &str) -> Result<(), NoteFault> {
        Ok(())
    }

    fn exists(&self, _: &str, _: &Properties) -> Result<(), NoteFault> {
        Ok(())
    }

    fn completed(&self, _: &str) -> Result<(), NoteFault> {
        Ok(())
    }
}

impl landfall_engine_native::Watcher for Unnoted {
    fn progress(&self, _: usize, _: usize, _: &[Underway<'_>]) {}
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use landfall_install_config::platforms;
    use landfall_platform::native::{Node, State, output};
    use serde_json::json;

    use super::*;

    /// A cloud with some resources. Lists show them from the second look on.
    struct Cloud {
        there: Mutex<BTreeSet<String>>,
        differs: Mutex<BTreeSet<String>>,
        hidden: Mutex<BTreeSet<String>>,
    }

    impl Cloud {
        fn with(names: &[&str]) -> Self {
            let there = names.iter().map(|name| (*name).to_owned()).collect();
            Self { there: Mutex::new(there), hidden: Mutex::default(), differs: Mutex::default() }
        }
    }

    impl Api for Cloud {
        fn find<'s>(&'s self, wanted: &'s Wanted, _: bool) -> Waiting<'s, Result<Option<Existing>, Failure>> {
            Box::pin(async {
                if locked(&self.hidden).insert(wanted.name.clone()) {
                    return Ok(None);
                }
                let is_there = locked(&self.there).contains(&wanted.name);
                Ok(is_there.then(|| Existing {
                    outputs: Properties::from_iter([("id".to_owned(), json!(wanted.name))]),
                    differences: if locked(&self.differs).contains(&wanted.name) {
                        vec![("vpc".to_owned(), json!("vpc-2"), json!("vpc-1"))]
                    } else {
                        Vec::new()
                    },
                    state: State::Ready,
                    is_own: None,
                }))
            })
        }

        fn create<'s>(&'s self, wanted: &'s Wanted) -> Waiting<'s, Result<Properties, Failure>> {
            Box::pin(async {
                if wanted.text("table") == "route-table/refusing" {
                    return Err(Failure::Refused(missing()));
                }
                locked(&self.there).insert(wanted.name.clone());
                Ok(Properties::new())
            })
        }

        fn complete<'s>(&'s self, _: &'s Wanted, _: &'s Properties) -> Waiting<'s, Result<(), Failure>> {
            Box::pin(async { Err(Failure::Refused(missing())) })
        }

        fn repair<'s>(&'s self, wanted: &'s Wanted, _: &'s Existing) -> Waiting<'s, Result<bool, Failure>> {
            Box::pin(async { Ok(locked(&self.differs).remove(&wanted.name)) })
        }

        fn traits(&self, kind: &str) -> Traits {
            Traits { completes: true, is_link: kind == "route", ..Traits::default() }
        }

        fn release<'s>(&'s self, _: &'s str, _: &'s Properties) -> Waiting<'s, Result<(), Failure>> {
            Box::pin(async { Ok(()) })
        }
    }

    fn graph(table: &str) -> Graph {
        let node = |name: &str, kind, stage, properties| Node {
            name: name.to_owned(),
            kind,
            stage,
            properties: Properties::from_iter([properties]),
            after: Vec::new(),
        };
        let to = ("table".to_owned(), output(table, "id"));
        let resources = vec![
            node(table, "route-table", "cluster", ("vpc".to_owned(), json!("vpc-1"))),
            node("route/a", "route", "cluster", to.clone()),
            node("instance/bootstrap", "instance", "bootstrap", to),
        ];
        Graph { resources, ..Graph::default() }
    }

    async fn read(cloud: &Cloud, table: &str) -> Result<Confirmed, Box<dyn Error>> {
        let root = tempfile::tempdir()?;
        let confirmation = Confirmation {
            root: root.path(),
            platform: platforms::named("aws").ok_or("no such platform")?,
            api: cloud,
            graph: &graph(table),
            cluster_id: "",
            stop: &Stop::default(),
        };
        Ok(confirmation.read().await?.ok_or("nothing was read")?)
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_that_is_missing_is_created() -> Result<(), Box<dyn Error>> {
        let cloud = Cloud::with(&["route-table/a", "instance/bootstrap"]);
        let confirmed = read(&cloud, "route-table/a").await?;
        assert_eq!((confirmed.restored, confirmed.missing), (vec!["route/a".to_owned()], Vec::new()));
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_link_that_cannot_be_created_is_named() -> Result<(), Box<dyn Error>> {
        let cloud = Cloud::with(&["route-table/refusing", "instance/bootstrap"]);
        let confirmed = read(&cloud, "route-table/refusing").await?;
        assert_eq!((confirmed.restored, confirmed.missing), (Vec::new(), vec!["route/a".to_owned()]));
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_property_that_differs_is_set() -> Result<(), Box<dyn Error>> {
        let cloud = Cloud::with(&["route-table/a", "route/a", "instance/bootstrap"]);
        locked(&cloud.differs).insert("route-table/a".to_owned());
        let confirmed = read(&cloud, "route-table/a").await?;
        assert_eq!((confirmed.restored, confirmed.missing), (vec!["route-table/a".to_owned()], Vec::new()));
        assert!(confirmed.differences.is_empty() && locked(&cloud.differs).is_empty());
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn another_resource_that_is_missing_is_named_and_not_created() -> Result<(), Box<dyn Error>> {
        let cloud = Cloud::with(&["route-table/a"]);
        let confirmed = read(&cloud, "route-table/a").await?;
        assert_eq!(confirmed.missing, ["instance/bootstrap"]);
        assert!(!locked(&cloud.there).contains("instance/bootstrap"));
        Ok(())
    }
}

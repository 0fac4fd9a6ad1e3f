//! Operators that have the same task as a controller: OpenShift's own, by their Deployments, and others by what they
//! wrote.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use landfall_kube::Fault;
use landfall_kube::kinds::{CLUSTER_OPERATOR, DEPLOYMENT};
use landfall_kube::objects::{ObjectRef, Objects};
use serde_json::{Map, Value};
use tokio::time::sleep;

use super::Registered;
use crate::{MapNames, object_refs};

/// How often a running operator looks whether another one is back. The cluster-version operator scales a Deployment
/// up again that it manages.
const LOOK: Duration = Duration::from_mins(1);

/// A Deployment of OpenShift's that does the same as a controller.
#[derive(Debug, PartialEq, Eq)]
pub struct Rival {
    /// Its namespace.
    pub namespace: &'static str,
    /// Its name.
    pub deployment: &'static str,
}

/// Stitches the cloud provider's config and mirrors the endpoints of AWS.
/// See <https://github.com/openshift/cluster-config-operator>.
pub static CONFIG_OPERATOR: Rival =
    Rival { namespace: "openshift-config-operator", deployment: "openshift-config-operator" };
/// Brings the config to the cloud controller manager.
/// See <https://github.com/openshift/cluster-cloud-controller-manager-operator>.
pub static CLOUD_CONTROLLER_OPERATOR: Rival = Rival {
    namespace: "openshift-cloud-controller-manager-operator",
    deployment: "cluster-cloud-controller-manager-operator",
};

/// What a controller writes that a rival would write, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// The map that is derived from the user's.
    Managed,
    /// The map that the cloud controller manager reads.
    Target,
    /// The endpoints in the status of the Infrastructure object.
    Endpoints,
}

impl Output {
    /// The objects, and the place of the written fields of each in `fieldsV1` of a manager.
    fn places(self, maps: &MapNames, target_namespace: &str) -> Vec<(ObjectRef, &'static str)> {
        match self {
            Self::Managed => vec![(maps.managed_map(), "/f:data")],
            // Upgrades of the cluster go by the version, whoever writes the map.
            Self::Target => vec![
                (maps.target_map(target_namespace), "/f:data"),
                (
                    ObjectRef::in_cluster(&CLUSTER_OPERATOR, object_refs::CLOUD_CONTROLLER_OPERATOR),
                    "/f:status/f:versions",
                ),
            ],
            Self::Endpoints => {
                vec![(object_refs::infrastructure(), "/f:status/f:platformStatus/f:aws/f:serviceEndpoints")]
            }
        }
    }
}

/// How a rival was noticed.
#[derive(Debug, PartialEq, Eq)]
pub enum Seen {
    /// Its Deployment is not scaled down.
    Deployment(&'static Rival),
    /// It is the manager of fields that the controller writes.
    FieldManager {
        /// Its name.
        manager: String,
        /// The object with these fields.
        object: ObjectRef,
    },
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deployment(rival) => write!(f, "Deployment {} in {}", rival.deployment, rival.namespace),
            Self::FieldManager { manager, object } => {
                write!(f, "`{manager}`, the field manager of {}/{}", object.kind.kind, object.name)
            }
        }
    }
}

/// The ends of the names of programs that write again what others change.
const OPERATORS: [&str; 4] = ["operator", "controller", "controllers", "controller-manager"];

/// The manager of these fields that is an operator, if there is one. Fields that are landfall's as well were taken
/// over from who had them.
fn manager(object: &Value, fields: &str) -> Option<String> {
    let managers = object.pointer("/metadata/managedFields")?.as_array()?;
    let leaves = |one: &Value| -> BTreeSet<String> {
        let Some(found) = one["fieldsV1"].pointer(fields) else { return BTreeSet::new() };
        let below = found.as_object().into_iter().flat_map(Map::keys).filter(|name| *name != ".");
        let below: BTreeSet<String> = below.cloned().collect();
        // Of a value that is written as a whole, no parts are listed.
        if found.as_object().is_some_and(Map::is_empty) { BTreeSet::from([String::new()]) } else { below }
    };
    let (ours, others): (Vec<&Value>, Vec<&Value>) =
        managers.iter().partition(|one| one["manager"] == landfall_kube::MANAGER);
    let ours: BTreeSet<String> = ours.into_iter().flat_map(leaves).collect();
    let is_operator = |name: &&str| {
        OPERATORS
            .iter()
            .any(|end| name.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with('-')))
    };
    let writes = others.into_iter().filter(|one| !leaves(one).is_subset(&ours));
    writes.filter_map(|one| one["manager"].as_str()).find(is_operator).map(str::to_owned)
}

/// Whether the Deployment of a rival is at work: scaled down, it is not, and what it wrote before is for the controller.
/// None if it is not in the cluster.
async fn is_at_work(objects: &dyn Objects, rival: &'static Rival) -> Result<Option<bool>, Fault> {
    let place = ObjectRef::in_namespace(&DEPLOYMENT, rival.namespace.to_owned(), rival.deployment);
    let deployment = objects.get(&place).await?;
    Ok(deployment.map(|deployment| deployment.pointer("/spec/replicas") != Some(&Value::from(0))))
}

/// Which of the controllers have a rival at work in the cluster.
///
/// # Errors
/// What the API server answers instead of an object, or of saying that there is none.
pub async fn rivals(
    objects: &dyn Objects,
    controllers: &[&'static Registered],
    maps: &MapNames,
    target_namespace: &str,
) -> Result<Vec<(&'static str, Seen)>, Fault> {
    let mut found = Vec::new();
    for controller in controllers {
        let Some((rival, output)) = controller.rival else { continue };
        if let Some(is_at_work) = is_at_work(objects, rival).await? {
            if is_at_work {
                found.push((controller.name, Seen::Deployment(rival)));
            }
            continue;
        }
        for (object, fields) in output.places(maps, target_namespace) {
            let written = objects.get(&object).await?;
            if let Some(manager) = written.and_then(|written| manager(&written, fields)) {
                found.push((controller.name, Seen::FieldManager { manager, object }));
                break;
            }
        }
    }
    Ok(found)
}

/// Waits until a rival of these controllers is at work that was not when they began, and returns the controllers with
/// it. Only Deployments count: a field manager may be of something written long ago. An error of a look is logged.
pub async fn returned(
    objects: &dyn Objects,
    controllers: &[&'static Registered],
) -> Vec<(&'static str, Seen)> {
    loop {
        sleep(LOOK).await;
        let mut found = Vec::new();
        for controller in controllers {
            let Some((rival, _)) = controller.rival else { continue };
            match is_at_work(objects, rival).await {
                Ok(Some(true)) => found.push((controller.name, Seen::Deployment(rival))),
                Ok(_) => {}
                Err(fault) => tracing::warn!(
                    controller = controller.name,
                    why = %fault.why(),
                    "it is unknown whether another operator does the same"
                ),
            }
        }
        if !found.is_empty() {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use landfall_kube::kinds::CONFIG_MAP;
    use serde_json::json;
    use tokio::time::Instant;

    use super::super::CONTROLLERS;
    use super::*;
    use crate::fake_cluster::FakeCluster;

    #[tokio::test]
    async fn the_version_of_another_operator_is_its_own() {
        let cluster = FakeCluster::default();
        let sync: Vec<&'static Registered> =
            CONTROLLERS.iter().filter(|one| one.name == "cloud-config-sync").collect();
        let status = |manager: &str| {
            let managers = json!([{ "manager": manager, "fieldsV1": { "f:status": { "f:versions": {} } } }]);
            json!({ "metadata": { "name": object_refs::CLOUD_CONTROLLER_OPERATOR, "managedFields": managers } })
        };
        let rivals_of = async |manager: &str| {
            cluster.put(&CLUSTER_OPERATOR, status(manager));
            let found = rivals(&cluster, &sync, &MapNames::default(), "target").await;
            found.unwrap_or_default().into_iter().map(|(_, seen)| seen.to_string()).collect::<Vec<_>>()
        };
        assert!(rivals_of(landfall_kube::MANAGER).await.is_empty());
        let other = "cluster-cloud-controller-manager-operator";
        let expected = format!(
            "`{other}`, the field manager of ClusterOperator/{}",
            object_refs::CLOUD_CONTROLLER_OPERATOR
        );
        assert_eq!(rivals_of(other).await, [expected]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_deployment_that_is_scaled_up_again_is_seen_while_the_operator_runs() {
        let (cluster, began) = (FakeCluster::default(), Instant::now());
        let deployment = |rival: &Rival, replicas: u8| {
            let metadata = json!({ "name": rival.deployment, "namespace": rival.namespace });
            cluster.put(&DEPLOYMENT, json!({ "metadata": metadata, "spec": { "replicas": replicas } }));
        };
        deployment(&CONFIG_OPERATOR, 0);
        // What another operator wrote before does not end one that runs.
        let managers =
            json!([{ "manager": "some-operator", "fieldsV1": { "f:data": { "f:cloud.conf": {} } } }]);
        let target = MapNames::default().target_map("target");
        let metadata =
            json!({ "name": target.name, "namespace": target.namespace, "managedFields": managers });
        cluster.put(&CONFIG_MAP, json!({ "metadata": metadata }));
        let changes = async {
            sleep(Duration::from_mins(9)).await;
            deployment(&CONFIG_OPERATOR, 1);
            // Its errors are no answer: the next look counts.
            cluster.with(|state| state.is_down = true);
            sleep(Duration::from_secs(150)).await;
            cluster.with(|state| state.is_down = false);
        };
        let all: Vec<&'static Registered> = CONTROLLERS.iter().collect();
        let (found, ()) = tokio::join!(returned(&cluster, &all), changes);
        let seen = || Seen::Deployment(&CONFIG_OPERATOR);
        assert_eq!(found, [("kube-cloud-config", seen()), ("endpoint-mirror", seen())]);
        assert_eq!(began.elapsed().as_secs(), 12 * 60);
    }
}

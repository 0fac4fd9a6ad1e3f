//! The gate at the end: whether the new operator does the work of the old one.
//!
//! What was Ready before is noted in a `ConfigMap` while an upgrade is under way, so that a run after one that was stopped
//! has the same gate.

use std::collections::BTreeSet;
use std::time::Duration;

use ::kube::Client;
use landfall_diagnostics::Finding;
use landfall_kube::kinds::CONFIG_MAP;
use landfall_kube::objects::{ObjectRef, Objects as _, Part};
use landfall_kube::{Fault, Live};
use landfall_model::azure::catalogue::Catalogue;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::release::name;
use super::{AGAIN, Release, left, pages};
use crate::core::Object;
use crate::detect::look::{look, objects_of_clusters, operator_in};
use crate::detect::{self, DEPLOYMENT, Report, Verdict, Wanted, crd_name};
use crate::drive::text;
use crate::kinds::Kind;

/// The `ConfigMap` with what was Ready, and its key.
const NOTED: &str = "landfall-aso-upgrade";
const READY: &str = "ready";
/// The most of it that is noted, in bytes: more does not fit into a `ConfigMap`.
const MOST: usize = 900_000;
/// How long what was Ready must stay so: the operator reports a failure only after it looked.
const SETTLED: Duration = Duration::from_secs(15);

/// What was Ready before an upgrade, as kind, namespace and name, and the kinds that must be served after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    ready: BTreeSet<String>,
    pub(super) kinds: Vec<&'static Kind>,
}

fn note(namespace: &str) -> ObjectRef {
    ObjectRef::in_namespace(&CONFIG_MAP, namespace, NOTED)
}

impl Gate {
    /// The gate of an installation: these kinds are served.
    pub(super) fn serving(kinds: Vec<&'static Kind>) -> Self {
        Self { ready: BTreeSet::new(), kinds }
    }

    /// The gate of an upgrade: what is Ready now, or was Ready before a run that was stopped.
    pub(super) async fn of(
        client: &Client,
        release: &Release,
        kinds: Vec<&'static Kind>,
        report: &Report,
    ) -> Result<Self, Fault> {
        let noted = Live::new(client.clone()).get(&note(&release.namespace)).await?;
        // One of another upgrade, which was given up, says nothing of this one.
        let is_same = |map: &&Value| text(map, "/data/version") == release.version.to_string();
        let noted = noted.as_ref().filter(is_same);
        let noted = noted.and_then(|map| map.pointer("/data/ready")).and_then(Value::as_str);
        let ready = if let Some(lines) = noted {
            lines.lines().map(str::to_owned).collect()
        } else {
            let all = objects(client, &kinds, report).await?.into_iter();
            all.filter_map(|(id, is_ready)| is_ready.then_some(id)).collect()
        };
        Ok(Self { ready, kinds })
    }

    /// Notes what was Ready, before anything changes.
    ///
    /// # Errors
    /// The server does not take it.
    pub async fn begin(&self, client: &Client, release: &Release) -> Result<(), Fault> {
        let lines: Vec<&str> = self.ready.iter().map(String::as_str).collect();
        let lines = lines.join("\n");
        if lines.is_empty() || lines.len() > MOST {
            return Ok(());
        }
        let map = json!({ "data": { READY: lines, "version": release.version.to_string() } });
        Live::new(client.clone()).apply(&note(&release.namespace), map, Part::Whole).await.map(drop)
    }

    /// Forgets it, once the gate was passed.
    async fn end(&self, client: &Client, namespace: &str) -> Result<(), Fault> {
        if self.ready.is_empty() {
            return Ok(());
        }
        Live::new(client.clone()).delete(&note(namespace)).await.map(drop)
    }

    /// The objects that were Ready, still exist, and are not.
    async fn broken(&self, client: &Client, report: &Report) -> Result<Vec<String>, Fault> {
        if self.ready.is_empty() {
            return Ok(Vec::new());
        }
        let all = objects(client, &self.kinds, report).await?;
        let broken = all.into_iter().filter(|(id, is_ready)| !is_ready && self.ready.contains(id));
        Ok(broken.map(|(id, _)| id).collect())
    }
}

/// The objects of all clusters, and whether each is Ready.
async fn objects(
    client: &Client,
    kinds: &[&'static Kind],
    report: &Report,
) -> Result<Vec<(String, bool)>, Fault> {
    let mut all = Vec::new();
    for kind in kinds {
        let Some(version) = report.versions.get(&crd_name(kind)) else { continue };
        for object in objects_of_clusters(client, kind, version).await? {
            let id = format!("{} {}/{}", kind.kind, text(&object, "/metadata/namespace"), name(&object));
            all.push((id, Object(&object).is_ready()));
        }
    }
    Ok(all)
}

/// Waits until the operator of a release runs, can be used for a cloud, and what was Ready before is Ready again.
/// `stands` gets what is still missing after each look.
///
/// # Errors
/// What is still missing when the time is over.
pub async fn healthy(
    client: &Client,
    (release, gate): (&Release, &Gate),
    (cloud, clouds): (&str, &Catalogue),
    deadline: Instant,
    stands: &dyn Fn(&str),
) -> Result<(), Vec<Finding>> {
    let unhealthy = |fault: Fault| vec![pages::unhealthy(&fault.why())];
    let mut since: Option<Instant> = None;
    loop {
        let missing = missing(client, (release, gate), (cloud, clouds)).await.unwrap_or_else(unhealthy);
        if missing.is_empty() {
            let since = *since.get_or_insert_with(Instant::now);
            if gate.ready.is_empty() || since.elapsed() >= SETTLED {
                return gate.end(client, &release.namespace).await.map_err(unhealthy);
            }
            sleep(AGAIN).await;
            continue;
        }
        since = None;
        if let Some(first) = missing.first() {
            stands(first.message.strip_prefix(pages::LATE).unwrap_or(&first.message));
        }
        if left(deadline).is_none() {
            return Err(missing);
        }
        sleep(AGAIN).await;
    }
}

async fn missing(
    client: &Client,
    (release, gate): (&Release, &Gate),
    (cloud, clouds): (&str, &Catalogue),
) -> Result<Vec<Finding>, Fault> {
    let operator = operator_in(client, &release.namespace).await?;
    if !operator.as_ref().is_some_and(is_rolled_out) {
        let why = format!("Deployment {}/{DEPLOYMENT} is not rolled out", release.namespace);
        return Ok(vec![pages::unhealthy(&why)]);
    }
    let kinds = gate.kinds.as_slice();
    let cluster = look(client, kinds).await?;
    let report = detect::detect(&cluster, &Wanted { cloud, namespace: "", kinds }, clouds);
    if report.verdict != Verdict::Usable {
        return Ok(report.findings.into_iter().filter(Finding::is_error).collect());
    }
    if report.version.as_ref() != Some(&release.version) {
        return Ok(vec![pages::unhealthy("another version of the operator runs")]);
    }
    let broken = gate.broken(client, &report).await?;
    Ok(if broken.is_empty() { Vec::new() } else { vec![pages::not_ready(&broken)] })
}

/// Whether every replica of a Deployment is of its last version, and available.
fn is_rolled_out(deployment: &Value) -> bool {
    let number = |path: &str| deployment.pointer(path).and_then(Value::as_i64).unwrap_or_default();
    let wanted = deployment.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or(1);
    number("/status/observedGeneration") >= number("/metadata/generation")
        && number("/status/updatedReplicas") >= wanted
        && number("/status/availableReplicas") >= wanted.max(1)
        && number("/status/replicas") <= wanted
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_deployment_is_rolled_out_once_its_last_version_runs_alone() {
        let seen = |observed: i64, updated: i64, available: i64, all: i64| {
            is_rolled_out(&json!({
                "metadata": { "generation": 3 }, "spec": { "replicas": 2 },
                "status": {
                    "observedGeneration": observed, "updatedReplicas": updated,
                    "availableReplicas": available, "replicas": all,
                },
            }))
        };
        assert!(seen(3, 2, 2, 2));
        assert!(!seen(2, 2, 2, 2) && !seen(3, 1, 2, 2) && !seen(3, 2, 1, 2) && !seen(3, 2, 2, 3));
        assert!(!is_rolled_out(&json!({ "metadata": { "generation": 1 }, "spec": {} })));
    }
}

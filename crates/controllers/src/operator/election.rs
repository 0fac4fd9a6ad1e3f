//! Which of several replicas works: the one that holds the operator's lease.

#![allow(clippy::disallowed_methods, reason = "a lease tells when it was renewed")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use landfall_kube::Fault;
use landfall_kube::kinds::{LEASE, ProfileKinds};
use landfall_kube::lease::{Lease, Terms};
use landfall_kube::objects::{ObjectRef, Objects};
use serde_json::Value;
use tokio::time::Instant;

use super::{Candidacy, LEASE_NAME, Labels};

const TERMS: Terms = Terms {
    duration: Duration::from_secs(15),
    deadline: Duration::from_secs(10),
    renewal: Duration::from_secs(5),
    look: Duration::from_secs(2),
    patience: Duration::from_secs(5),
};

/// The annotation of the lease that names the holder's controllers.
pub(super) const CONTROLLERS: &str = "landfall.dev/controllers";
/// The annotation of the lease that names what of the cluster its holder works on, after the holder: earlier versions
/// leave it as it is.
pub(super) const SCOPE: &str = "landfall.dev/scope";
/// How long another operator may hold the lease until this one gives up. A Deployment whose arguments change
/// replaces its replicas meanwhile.
const PATIENCE: Duration = Duration::from_mins(2);
/// How long a lease counts as held after it was renewed, by clocks that differ.
const HELD: SignedDuration = SignedDuration::from_mins(2);

/// What of a cluster an operator works on, as its lease notes it: the flags that decide it.
#[must_use]
pub fn scope(
    watch_namespace: Option<&str>,
    watch_labels: Option<&Labels>,
    profiles: &ProfileKinds,
) -> String {
    let mut flags = vec![format!("--profile-group={}", profiles.cloud.group)];
    flags.extend(watch_namespace.map(|namespace| format!("--watch-namespace={namespace}")));
    flags.extend(watch_labels.map(|labels| format!("--watch-label-selector={labels}")));
    flags.join(" ")
}

/// Whether the operator of this lease holds it, runs the controller, and works on objects of the namespace with these
/// labels.
pub(crate) fn works_on(
    lease: &Value,
    controller: &str,
    namespace: &str,
    labels: &BTreeMap<String, String>,
) -> bool {
    let spec = |key: &str| lease["spec"][key].as_str().unwrap_or_default();
    let note = |key: &str| lease["metadata"]["annotations"][key].as_str().unwrap_or_default();
    let renewed = spec("renewTime").parse::<Timestamp>();
    let is_held = renewed.is_ok_and(|renewed| Timestamp::now().duration_since(renewed) < HELD);
    let holder = format!("{}: ", spec("holderIdentity"));
    let Some(scope) = note(SCOPE).strip_prefix(&holder).filter(|_| is_held) else { return false };
    let (flags, selector) = scope.split_once("--watch-label-selector=").unwrap_or((scope, ""));
    let watched = flags.split(' ').find_map(|flag| flag.strip_prefix("--watch-namespace="));
    let is_selected = || selector.parse::<Labels>().is_ok_and(|selector| selector.matches(labels));
    note(CONTROLLERS).split(',').any(|one| one == controller)
        && watched.is_none_or(|watched| watched == namespace)
        && (selector.is_empty() || is_selected())
}

/// The lease by which a replica with these controllers leads.
pub(super) fn lease(candidacy: Candidacy, controllers: &str) -> Lease<Arc<dyn Objects>> {
    let Candidacy { objects, namespace, identity, scope } = candidacy;
    let place = ObjectRef::in_namespace(&LEASE, namespace, LEASE_NAME);
    let noted = format!("{identity}: {scope}");
    Lease::new(objects, place, identity, TERMS, Timestamp::now)
        .noting(CONTROLLERS, controllers.to_owned())
        .noting(SCOPE, noted)
}

/// Why a replica with these controllers and this scope does not wait for the holder of the lease, if so.
fn differs(lease: &Lease<Arc<dyn Objects>>, holder: &str, controllers: &str, scope: &str) -> Option<String> {
    // What is not noted is of an older release.
    let other = |key: &str, own: &str| lease.seen_note(key).filter(|noted| noted != own);
    if let Some(others) = other(CONTROLLERS, controllers) {
        return Some(format!(
            "the operator {holder} holds the lease {LEASE_NAME} and runs other controllers ({others}, not \
             {controllers}): run all controllers in one operator, or give each operator its own --namespace"
        ));
    }
    let noted = lease.seen_note(SCOPE)?;
    let others = noted.strip_prefix(&format!("{holder}: ")).filter(|noted| *noted != scope)?;
    Some(format!(
        "the operator {holder} holds the lease {LEASE_NAME} and works on other objects ({others}, not {scope}): \
         use the same flags, or give each operator its own --namespace"
    ))
}

/// Waits until this replica leads. `looked` is called after each look that succeeded.
///
/// # Errors
/// An operator with other controllers, or for other objects, holds the lease for too long: which one, and what to do.
pub(super) async fn win(
    lease: &Lease<Arc<dyn Objects>>,
    (controllers, scope): (&str, &str),
    looked: impl Fn(),
) -> Result<(), String> {
    let mut since: Option<Instant> = None;
    let judge = |look: Result<String, Fault>| -> Result<(), String> {
        let holder = match look {
            Ok(holder) => holder,
            Err(fault) => {
                tracing::warn!(lease = LEASE_NAME, why = %fault.why(), "the lease cannot be acquired");
                return Ok(());
            }
        };
        looked();
        let Some(why) = differs(lease, &holder, controllers, scope) else {
            since = None;
            return Ok(());
        };
        let is_new = since.is_none();
        if since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
            return Err(why);
        }
        if is_new {
            tracing::warn!(lease = LEASE_NAME, %why, "waiting for another operator");
        }
        Ok(())
    };
    lease.win(judge).await?;
    looked();
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use landfall_kube::kinds::{GARDENER_PROFILES, LANDFALL_PROFILES};
    use serde_json::json;
    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::fake_cluster::FakeCluster;

    const NAMES: &str = "endpoint-mirror,kube-cloud-config";
    const SHARD: &str = "--profile-group=g --watch-label-selector=shard=1";

    fn candidacy(cluster: &Arc<FakeCluster>) -> Candidacy {
        let (objects, scope): (Arc<dyn Objects>, _) = (cluster.clone(), SHARD.to_owned());
        Candidacy { objects, namespace: "own".to_owned(), identity: "me".to_owned(), scope }
    }

    /// Waits for a lease that another with these annotations renews all the time, for so long at most.
    async fn waited(annotations: &Value, limit: Duration) -> Option<Result<(), String>> {
        let cluster = Arc::new(FakeCluster::default());
        let lease = lease(candidacy(&cluster), NAMES);
        let renewing = async {
            for version in 1.. {
                let metadata = json!({
                    "name": LEASE_NAME, "namespace": "own", "resourceVersion": version.to_string(),
                    "annotations": annotations,
                });
                cluster.put(&LEASE, json!({ "metadata": metadata, "spec": { "holderIdentity": "other" } }));
                sleep(Duration::from_secs(5)).await;
            }
        };
        tokio::select! {
            () = renewing => None,
            won = timeout(limit, win(&lease, (NAMES, SHARD), || {})) => won.ok(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_operator_with_other_controllers_or_objects_is_refused_with_the_reason() {
        let other_shard = "other: --profile-group=g --watch-label-selector=shard=2";
        for (others, reason) in [
            (json!({ (CONTROLLERS): "cloud-config-sync" }), "(cloud-config-sync, not"),
            (
                json!({ (CONTROLLERS): NAMES, (SCOPE): other_shard }),
                "(--profile-group=g --watch-label-selector=shard=2, not",
            ),
        ] {
            // A Deployment may be replacing its replicas.
            assert_eq!(waited(&others, Duration::from_secs(110)).await, None);
            let refused = waited(&others, Duration::from_secs(130)).await;
            let why = refused.and_then(Result::err).unwrap_or_default();
            assert!(why.contains("other holds") && why.contains(reason), "{why}");
        }
        // Earlier versions note their controllers only, or nothing, and leave what another holder noted.
        for same in [
            json!({ (CONTROLLERS): NAMES, (SCOPE): format!("other: {SHARD}") }),
            json!({ (CONTROLLERS): NAMES, (SCOPE): "before: --profile-group=g" }),
            json!({ (CONTROLLERS): NAMES }),
            json!({}),
            Value::Null,
        ] {
            assert_eq!(waited(&same, Duration::from_mins(10)).await, None, "{same}");
        }
    }

    #[test]
    fn the_scope_has_what_decides_which_objects_are_worked_on() -> Result<(), String> {
        let (own, labels) = (&LANDFALL_PROFILES, "shard=1".parse::<Labels>()?);
        let all = [
            scope(None, None, own),
            scope(None, None, &GARDENER_PROFILES),
            scope(Some("fleet"), None, own),
            scope(None, Some(&labels), own),
        ];
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
        Ok(())
    }

    #[test]
    fn a_lease_tells_on_what_its_holder_works() -> Result<(), String> {
        let selected = scope(None, Some(&"shard=1".parse::<Labels>()?), &LANDFALL_PROFILES);
        let lease = |scope: &str| {
            json!({
                "metadata": { "annotations": { (CONTROLLERS): NAMES, (SCOPE): format!("me: {scope}") } },
                "spec": { "holderIdentity": "me", "renewTime": Timestamp::now().to_string() },
            })
        };
        let labels = |shard: &str| BTreeMap::from([("shard".to_owned(), shard.to_owned())]);
        let works = |lease: &Value, shard: &str| works_on(lease, "endpoint-mirror", "fleet", &labels(shard));
        let all = scope(None, None, &LANDFALL_PROFILES);
        assert!(works(&lease(&all), "1") && works(&lease(&selected), "1"));
        assert!(!works(&lease(&selected), "2"));
        for (namespace, expected) in [("fleet", true), ("team", false)] {
            let one = scope(Some(namespace), None, &LANDFALL_PROFILES);
            assert_eq!(works(&lease(&one), "1"), expected);
        }
        assert!(!works_on(&lease(&all), "cloud-profile", "fleet", &labels("1")));
        // It was given back, is too old, or belongs to an earlier version.
        for (path, value) in [
            ("/spec/renewTime", Value::Null),
            ("/spec/renewTime", json!("2020-01-01T00:00:00.000000Z")),
            ("/spec/holderIdentity", json!("other")),
        ] {
            let mut ended = lease(&all);
            if let Some(field) = ended.pointer_mut(path) {
                *field = value;
            }
            assert!(!works(&ended, "1"), "{path}");
        }
        assert!(!works(&Value::Null, "1"));
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn who_leads_says_what_it_runs_and_on_what_it_works() {
        let cluster = Arc::new(FakeCluster::default());
        let metadata = json!({ "name": LEASE_NAME, "namespace": "own", "resourceVersion": "1" });
        cluster.put(&LEASE, json!({ "metadata": metadata, "spec": {} }));
        let lease = lease(candidacy(&cluster), NAMES);
        assert_eq!(win(&lease, (NAMES, SHARD), || {}).await, Ok(()));
        let kept = cluster.at(&ObjectRef::in_namespace(&LEASE, "own".to_owned(), LEASE_NAME));
        assert_eq!(
            kept["metadata"]["annotations"],
            json!({ (CONTROLLERS): NAMES, (SCOPE): format!("me: {SHARD}") })
        );
    }
}

//! Which of several replicas works: the one that holds the operator's lease.

#![allow(clippy::disallowed_methods, reason = "a lease tells when it was renewed")]

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use landfall_kube::Fault;
use landfall_kube::kinds::LEASE;
use landfall_kube::lease::{Lease, Terms};
use landfall_kube::objects::{ObjectRef, Objects};
use tokio::time::Instant;

use super::{Candidacy, LEASE_NAME};

const TERMS: Terms = Terms {
    duration: Duration::from_secs(15),
    deadline: Duration::from_secs(10),
    renewal: Duration::from_secs(5),
    look: Duration::from_secs(2),
    patience: Duration::from_secs(5),
};

/// The annotation of the lease that names the holder's controllers.
pub(super) const CONTROLLERS: &str = "landfall.dev/controllers";
/// How long another operator may hold the lease until this one gives up. A Deployment whose controllers change
/// replaces its replicas meanwhile.
const PATIENCE: Duration = Duration::from_mins(2);

/// The lease by which a replica with these controllers leads.
pub(super) fn lease(candidacy: Candidacy, controllers: &str) -> Lease<Arc<dyn Objects>> {
    let Candidacy { objects, namespace, identity } = candidacy;
    let place = ObjectRef::in_namespace(&LEASE, namespace, LEASE_NAME);
    Lease::new(objects, place, identity, TERMS, Timestamp::now).noting(CONTROLLERS, controllers.to_owned())
}

/// Waits until this replica leads. `looked` is called after each look that succeeded.
///
/// # Errors
/// An operator with other controllers holds the lease for too long: which one, and what to do.
pub(super) async fn win(
    lease: &Lease<Arc<dyn Objects>>,
    controllers: &str,
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
        // One that does not say what it runs is of an older release.
        let Some(others) = lease.seen_note().filter(|others| others != controllers) else {
            since = None;
            return Ok(());
        };
        let is_new = since.is_none();
        let why = format!(
            "the operator {holder} holds the lease {LEASE_NAME} and runs other controllers ({others}, not \
             {controllers}): run all controllers in one operator, or give each operator its own --namespace"
        );
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
    use serde_json::json;
    use tokio::time::{sleep, timeout};

    use super::*;
    use crate::fake_cluster::FakeCluster;

    const NAMES: &str = "endpoint-mirror,kube-cloud-config";

    fn candidacy(cluster: &Arc<FakeCluster>) -> Candidacy {
        let objects: Arc<dyn Objects> = cluster.clone();
        Candidacy { objects, namespace: "own".to_owned(), identity: "me".to_owned() }
    }

    /// Waits for a lease that another renews all the time, for so long at most.
    async fn waited(others: Option<&str>, limit: Duration) -> Option<Result<(), String>> {
        let cluster = Arc::new(FakeCluster::default());
        let lease = lease(candidacy(&cluster), NAMES);
        let renewing = async {
            for version in 1.. {
                let annotations = others.map(|others| json!({ (CONTROLLERS): others }));
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
            won = timeout(limit, win(&lease, NAMES, || {})) => won.ok(),
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_operator_with_other_controllers_is_refused_with_the_reason() {
        // A Deployment may be replacing its replicas.
        assert_eq!(waited(Some("cloud-config-sync"), Duration::from_secs(110)).await, None);
        let refused = waited(Some("cloud-config-sync"), Duration::from_secs(130)).await;
        let why = refused.and_then(Result::err).unwrap_or_default();
        assert!(why.contains("other holds") && why.contains("(cloud-config-sync, not"), "{why}");
        for same in [Some(NAMES), None] {
            assert_eq!(waited(same, Duration::from_mins(10)).await, None, "{same:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_leads_says_which_controllers_it_runs() {
        let cluster = Arc::new(FakeCluster::default());
        let metadata = json!({ "name": LEASE_NAME, "namespace": "own", "resourceVersion": "1" });
        cluster.put(&LEASE, json!({ "metadata": metadata, "spec": {} }));
        let lease = lease(candidacy(&cluster), NAMES);
        assert_eq!(win(&lease, NAMES, || {}).await, Ok(()));
        let kept = cluster.at(&ObjectRef::in_namespace(&LEASE, "own".to_owned(), LEASE_NAME));
        assert_eq!(kept["metadata"]["annotations"][CONTROLLERS], NAMES);
    }
}

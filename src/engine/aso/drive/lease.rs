//! Who drives a cluster: the one that holds its lease.
//!
//! Whether another's lease is over is judged by how long it stood unchanged before one's own eyes, not by the
//! clocks of other machines. Every write to it is bound to the version that was read.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::api::{Api, Failure, Location};
use super::ground::present;
use super::run::{Clock, Watcher};
use super::world::text;
use crate::engine::aso::core::{LEASE_DURATION, LEASE_RENEWAL};

/// How often another's lease is looked at.
const LOOK: Duration = Duration::from_secs(5);
/// How much before its end a lease that cannot be renewed is given up.
const MARGIN: Duration = Duration::from_secs(15);

/// The lease of a cluster.
pub struct Lease<'a> {
    api: &'a dyn Api,
    at: Location,
    identity: String,
    clock: Clock,
}

impl<'a> Lease<'a> {
    /// The lease by which this cluster is driven. `identity` is nobody else's.
    #[must_use]
    pub fn new(api: &'a dyn Api, infra_id: &str, namespace: &str, identity: String, clock: Clock) -> Self {
        let at = Location {
            api_version: "coordination.k8s.io/v1".to_owned(),
            plural: "leases",
            namespace: Some(namespace.to_owned()),
            name: format!("{infra_id}-aso-engine"),
        };
        Self { api, at, identity, clock }
    }

    /// Waits until the lease is held; tells who holds it as long as that is somebody else.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn win(&self, watcher: &dyn Watcher) -> Result<(), Failure> {
        let mut stands: Option<(Value, Instant)> = None;
        let empty = json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": { "name": self.at.name, "namespace": self.at.namespace },
            "spec": {},
        });
        loop {
            let lease = present(self.api, &self.at, &empty).await?;
            let holder = text(&lease, "/spec/holderIdentity");
            let spec = lease.get("spec").cloned().unwrap_or_default();
            let now = Instant::now();
            let since = match &stands {
                Some((before, since)) if *before == spec => *since,
                _ => now,
            };
            let free = holder.is_empty() || holder == self.identity;
            let seconds = lease.pointer("/spec/leaseDurationSeconds").and_then(Value::as_u64);
            let duration = seconds.map_or(LEASE_DURATION, Duration::from_secs);
            if free || now.duration_since(since) >= duration {
                match self.write(&lease, &self.taken(&lease)).await {
                    Err(failure) if failure.code() == Some(409) => {}
                    result => return result,
                }
            } else if stands
                .as_ref()
                .is_none_or(|(before, _)| before["holderIdentity"] != spec["holderIdentity"])
            {
                watcher.told(&format!("{holder} is at work on this cluster; waiting for it to end"));
            }
            stands = Some((spec, since));
            sleep(LOOK).await;
        }
    }

    /// Renews the lease until it is lost.
    pub async fn hold(&self) {
        let mut renewed = Instant::now();
        loop {
            sleep(LEASE_RENEWAL).await;
            match self.api.get(&self.at).await {
                Ok(Some(lease)) if text(&lease, "/spec/holderIdentity") == self.identity => {
                    let at = Instant::now();
                    if self.write(&lease, &json!({ "renewTime": self.time() })).await.is_ok() {
                        renewed = at;
                    }
                }
                Ok(_) => return,
                Err(_) => {}
            }
            if renewed.elapsed() + MARGIN >= LEASE_DURATION {
                return;
            }
        }
    }

    /// Gives the lease back, if it is held; that it cannot be is no harm, since it ends by itself.
    pub async fn release(&self) {
        if let Ok(Some(lease)) = self.api.get(&self.at).await
            && text(&lease, "/spec/holderIdentity") == self.identity
        {
            let spec = json!({ "holderIdentity": null, "acquireTime": null, "renewTime": null });
            let _ = self.write(&lease, &spec).await;
        }
    }

    fn taken(&self, lease: &Value) -> Value {
        let transitions = lease.pointer("/spec/leaseTransitions").and_then(Value::as_i64).unwrap_or_default();
        let time = self.time();
        json!({
            "holderIdentity": self.identity,
            "leaseDurationSeconds": LEASE_DURATION.as_secs(),
            "acquireTime": time,
            "renewTime": time,
            "leaseTransitions": transitions.saturating_add(1),
        })
    }

    async fn write(&self, lease: &Value, spec: &Value) -> Result<(), Failure> {
        let version = text(lease, "/metadata/resourceVersion");
        let patch = json!({ "metadata": { "resourceVersion": version }, "spec": spec });
        self.api.merge(&self.at, &patch).await.map(|_| ())
    }

    fn time(&self) -> String {
        let now: Timestamp = (self.clock)();
        now.strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
    }
}

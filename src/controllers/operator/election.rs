//! Which of several replicas works: the one that holds a lease.
//!
//! Every write to the lease is bound to the version that was read, so that of two who reach for it one gets
//! it. Whether another's lease is over is judged by how long it stood unchanged before one's own eyes, not by
//! the clocks of other machines. Who cannot renew its own stops before another may take it.

#![allow(clippy::disallowed_methods, reason = "a lease tells when it was renewed")]

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};

use crate::kube::Fault;
use crate::kube::kinds::LEASE;
use crate::kube::objects::{Objects, Part, Place};

/// How long a lease counts after it was renewed last.
const DURATION: Duration = Duration::from_secs(15);
/// How long one that holds it goes on without having renewed it.
const DEADLINE: Duration = Duration::from_secs(10);
/// How often it is renewed.
const RENEWAL: Duration = Duration::from_secs(5);
/// How often it is looked at, or renewed again after a failure.
const LOOK: Duration = Duration::from_secs(2);
/// How long giving it back may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// One replica's part in the election.
pub(super) struct Election {
    objects: Arc<dyn Objects>,
    place: Place,
    identity: String,
}

/// A lease as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Seen {
    version: String,
    holder: String,
    duration: Duration,
    transitions: i64,
}

/// A lease that is held, by the version that was written last.
#[derive(Debug)]
pub(super) struct Held {
    version: String,
    renewed: Instant,
}

impl Election {
    /// The election by the lease of this name. `identity` is the replica's own alone.
    pub(super) fn new(objects: Arc<dyn Objects>, namespace: &str, name: &str, identity: String) -> Self {
        Self { objects, place: Place::in_namespace(&LEASE, namespace, name), identity }
    }

    /// Waits until this replica holds the lease. `looked` is called after each look that succeeded.
    pub(super) async fn win(&self, looked: impl Fn()) -> Held {
        // The lease as it was seen last, and when it was first seen so.
        let mut stands: Option<(Seen, Instant)> = None;
        loop {
            let now = Instant::now();
            match self.look().await {
                Ok(seen) => {
                    looked();
                    let since = match &stands {
                        Some((before, since)) if *before == seen => *since,
                        _ => now,
                    };
                    let free = seen.holder.is_empty() || seen.holder == self.identity;
                    if (free || now.duration_since(since) >= seen.duration)
                        && let Some(held) = self.take(&seen, now).await
                    {
                        return held;
                    }
                    stands = Some((seen, since));
                }
                Err(fault) => {
                    tracing::warn!(lease = %self.place, why = %fault.why(), "the lease cannot be read");
                }
            }
            sleep(LOOK).await;
        }
    }

    /// Renews the lease until it is lost.
    pub(super) async fn hold(&self, held: &mut Held) {
        loop {
            sleep(RENEWAL).await;
            let deadline = held.renewed + DEADLINE;
            if timeout_at(deadline, self.renew(held)).await != Ok(true) {
                return;
            }
        }
    }

    /// Gives the lease back, so that the next one need not wait for its end.
    pub(super) async fn release(&self, held: &Held) {
        let spec = json!({ "holderIdentity": null, "acquireTime": null, "renewTime": null });
        let given = self.objects.merge(&self.place, patch(&held.version, &spec), Part::Whole);
        let given = tokio::time::timeout(PATIENCE, given).await.unwrap_or_else(|_| Err(Fault::late()));
        if let Err(fault) = given {
            tracing::warn!(lease = %self.place, why = %fault.why(), "the lease cannot be given back");
        }
    }

    async fn look(&self) -> Result<Seen, Fault> {
        let lease = match self.objects.get(&self.place).await? {
            Some(lease) => lease,
            // Nobody's yet. Two may do this at a time; it takes nothing from who was faster to hold it.
            None => self.objects.apply(&self.place, json!({ "spec": {} }), Part::Whole).await?,
        };
        Ok(seen(&lease))
    }

    async fn take(&self, seen: &Seen, now: Instant) -> Option<Held> {
        let time = time();
        let spec = json!({
            "holderIdentity": self.identity,
            "leaseDurationSeconds": DURATION.as_secs(),
            "acquireTime": time,
            "renewTime": time,
            "leaseTransitions": seen.transitions.saturating_add(1),
        });
        match self.objects.merge(&self.place, patch(&seen.version, &spec), Part::Whole).await {
            Ok(lease) => Some(Held { version: version(&lease), renewed: now }),
            Err(fault) => {
                tracing::info!(lease = %self.place, why = %fault.why(), "the lease cannot be taken");
                None
            }
        }
    }

    /// Renews the lease, as often as it takes; false where it is another's.
    async fn renew(&self, held: &mut Held) -> bool {
        loop {
            let now = Instant::now();
            let patch = patch(&held.version, &json!({ "renewTime": time() }));
            match self.objects.merge(&self.place, patch, Part::Whole).await {
                Ok(lease) => {
                    *held = Held { version: version(&lease), renewed: now };
                    return true;
                }
                // Somebody wrote to it: another replica, or only a label, or this one in a call that seemed to
                // fail.
                Err(Fault::Answer { status: 409, .. }) => match self.objects.get(&self.place).await {
                    Ok(Some(lease)) if seen(&lease).holder == self.identity => {
                        held.version = version(&lease);
                        continue;
                    }
                    Ok(_) => return false,
                    Err(fault) => self.not_renewed(&fault),
                },
                Err(Fault::NotFound) => return false,
                Err(fault) => self.not_renewed(&fault),
            }
            sleep(LOOK).await;
        }
    }

    fn not_renewed(&self, fault: &Fault) {
        tracing::warn!(lease = %self.place, why = %fault.why(), "the lease cannot be renewed");
    }
}

/// A change of the lease as it was at this version.
fn patch(version: &str, spec: &Value) -> Value {
    json!({ "metadata": { "resourceVersion": version }, "spec": spec })
}

fn version(lease: &Value) -> String {
    text(lease, "/metadata/resourceVersion")
}

fn seen(lease: &Value) -> Seen {
    let number = |name: &str| lease.pointer(name).and_then(Value::as_i64);
    let seconds = number("/spec/leaseDurationSeconds").and_then(|seconds| u64::try_from(seconds).ok());
    Seen {
        version: version(lease),
        holder: text(lease, "/spec/holderIdentity"),
        duration: seconds.map_or(DURATION, Duration::from_secs),
        transitions: number("/spec/leaseTransitions").unwrap_or(0),
    }
}

fn text(lease: &Value, pointer: &str) -> String {
    lease.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn time() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
}

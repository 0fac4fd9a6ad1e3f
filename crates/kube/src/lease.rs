//! Which of several works: the one that holds a lease.
//!
//! Every write to the lease is bound to the version that was read, so that of two who reach for it one gets
//! it. Whether another's lease is over is judged by how long it stood unchanged before one's own eyes, not by
//! the clocks of other machines. Who cannot renew its own stops before another may take it.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::{self, Arc, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::Fault;
use super::objects::{ObjectRef, Objects, Part};

const VERSION: &str = "/metadata/resourceVersion";
const HOLDER: &str = "/spec/holderIdentity";

/// Where leases are kept.
pub trait Leases: Send + Sync {
    /// The current lease; none if it does not exist.
    fn get<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>>;

    /// Creates a free lease, and returns it. If another process was faster, the result is a conflict, or the lease
    /// that it holds.
    fn make<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Value, Fault>>;

    /// A JSON merge patch onto the version that it names. Gives the lease that came of it.
    fn merge<'a>(&'a self, place: &'a ObjectRef, patch: Value) -> BoxFuture<'a, Result<Value, Fault>>;
}

impl Leases for Arc<dyn Objects> {
    fn get<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        Objects::get(&**self, place)
    }

    fn make<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Value, Fault>> {
        Objects::apply(&**self, place, json!({ "spec": {} }), Part::Whole)
    }

    fn merge<'a>(&'a self, place: &'a ObjectRef, patch: Value) -> BoxFuture<'a, Result<Value, Fault>> {
        Objects::merge(&**self, place, patch, Part::Whole)
    }
}

/// How long a lease counts, and how often it is written and looked at.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// How long it counts after it was renewed last.
    pub duration: Duration,
    /// How long one that holds it goes on without having renewed it: shorter than it counts.
    pub deadline: Duration,
    /// How often it is renewed.
    pub renewal: Duration,
    /// How often it is looked at, or renewed again after a failure.
    pub look: Duration,
    /// How long giving it back may take.
    pub patience: Duration,
}

/// A lease, and one that wants it.
pub struct Lease<L> {
    leases: L,
    place: ObjectRef,
    identity: String,
    terms: Terms,
    clock: fn() -> Timestamp,
    held: Mutex<Option<Held>>,
    /// The annotations that a holder writes, with their values.
    notes: BTreeMap<&'static str, String>,
    /// Those of another holder, as they were seen last.
    seen_notes: sync::Mutex<BTreeMap<&'static str, String>>,
}

/// A lease that is held, by the version that was written last.
struct Held {
    version: String,
    renewed: Instant,
}

/// What came of reaching for a lease.
enum Reached {
    /// It is held, and counts from this time on.
    Held(Instant),
    /// Another holds it.
    Elsewhere(String),
}

impl<L: Leases> Lease<L> {
    /// The lease at this reference. `identity` is unique. The clock's time is written and decides nothing.
    #[must_use]
    pub fn new(
        leases: L,
        place: ObjectRef,
        identity: String,
        terms: Terms,
        clock: fn() -> Timestamp,
    ) -> Self {
        let (held, seen_notes) = (Mutex::new(None), sync::Mutex::default());
        Self { leases, place, identity, terms, clock, held, notes: BTreeMap::new(), seen_notes }
    }

    /// The same, with one more annotation that says something of whoever holds it.
    #[must_use]
    pub fn noting(mut self, key: &'static str, value: String) -> Self {
        self.notes.insert(key, value);
        self
    }

    /// What an annotation of [`Self::noting`] said of another holder at the last look; none if it was not there.
    #[must_use]
    pub fn seen_note(&self, key: &str) -> Option<String> {
        self.seen_notes.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
    }

    /// Waits until the lease is held, and returns the time from which it counts. `looked` is called after each
    /// look before that who holds it, or what went wrong.
    ///
    /// # Errors
    /// What `looked` ends the waiting with.
    pub async fn win<E>(
        &self,
        mut looked: impl FnMut(Result<String, Fault>) -> Result<(), E>,
    ) -> Result<Instant, E> {
        let mut seen = None;
        loop {
            match self.reach(&mut seen).await {
                Ok(Reached::Held(since)) => return Ok(since),
                Ok(Reached::Elsewhere(holder)) => looked(Ok(holder))?,
                // Somebody was faster; who that is shows at the next look.
                Err(Fault::Answer { status: 409, .. }) => {}
                Err(fault) => looked(Err(fault))?,
            }
            sleep(self.terms.look).await;
        }
    }

    /// Renews the lease until it is lost.
    pub async fn hold(&self) {
        let mut guard = self.held.lock().await;
        let Some(held) = guard.as_mut() else { return };
        loop {
            sleep(self.terms.renewal).await;
            let deadline = held.renewed + self.terms.deadline;
            if timeout_at(deadline, self.renew(held)).await != Ok(true) {
                return;
            }
        }
    }

    /// Gives the lease back, if it is held, so that the next one need not wait for its end. That it cannot be
    /// is no harm.
    pub async fn release(&self) {
        let given = async {
            let Some(version) = self.own().await? else { return Ok(()) };
            let spec = json!({ "holderIdentity": null, "acquireTime": null, "renewTime": null });
            self.write(&version, &spec).await.map(drop)
        };
        if let Err(fault) = timeout(self.terms.patience, given).await.unwrap_or_else(|_| Err(Fault::late())) {
            tracing::warn!(lease = %self.place, why = %fault.why(), "the lease cannot be released");
        }
    }

    /// Looks at the lease, and takes it if it is to be had. `seen` is the version that was seen last, and when
    /// it was seen first.
    async fn reach(&self, seen: &mut Option<(String, Instant)>) -> Result<Reached, Fault> {
        let lease = match self.leases.get(&self.place).await? {
            Some(lease) => lease,
            None => self.leases.make(&self.place).await?,
        };
        let (version, holder) = (text(&lease, VERSION), text(&lease, HOLDER));
        let since = match &*seen {
            Some((before, since)) if before == version => *since,
            _ => Instant::now(),
        };
        *seen = Some((version.to_owned(), since));
        let is_free = holder.is_empty() || holder == self.identity;
        let seconds = lease.pointer("/spec/leaseDurationSeconds").and_then(Value::as_u64);
        if !is_free && since.elapsed() < seconds.map_or(self.terms.duration, Duration::from_secs) {
            let annotations = &lease["metadata"]["annotations"];
            let seen =
                self.notes.keys().filter_map(|&key| Some((key, annotations[key].as_str()?.to_owned())));
            *self.seen_notes.lock().unwrap_or_else(PoisonError::into_inner) = seen.collect();
            return Ok(Reached::Elsewhere(holder.to_owned()));
        }
        let (renewed, time) = (Instant::now(), self.time());
        let transitions = lease.pointer("/spec/leaseTransitions").and_then(Value::as_i64).unwrap_or_default();
        let spec = json!({
            "holderIdentity": self.identity,
            "leaseDurationSeconds": self.terms.duration.as_secs(),
            "acquireTime": time,
            "renewTime": time,
            "leaseTransitions": transitions.saturating_add(1),
        });
        let version = self.write(version, &spec).await?;
        *self.held.lock().await = Some(Held { version, renewed });
        Ok(Reached::Held(renewed))
    }

    /// Renews the lease, as often as it takes; false where it is another's.
    async fn renew(&self, held: &mut Held) -> bool {
        loop {
            let renewed = Instant::now();
            let fault = match self.write(&held.version, &json!({ "renewTime": self.time() })).await {
                Ok(version) => {
                    *held = Held { version, renewed };
                    return true;
                }
                // Somebody wrote to it: another who wants it, or only a label, or this one in a call that
                // seemed to fail.
                Err(Fault::Answer { status: 409, .. }) => match self.own().await {
                    Ok(Some(version)) => {
                        held.version = version;
                        continue;
                    }
                    Ok(None) => return false,
                    Err(fault) => fault,
                },
                Err(Fault::NotFound) => return false,
                Err(fault) => fault,
            };
            tracing::warn!(lease = %self.place, why = %fault.why(), "the lease cannot be renewed");
            sleep(self.terms.look).await;
        }
    }

    /// The version of the current lease, if it is held here.
    async fn own(&self) -> Result<Option<String>, Fault> {
        let lease = self.leases.get(&self.place).await?;
        let own = lease.filter(|lease| text(lease, HOLDER) == self.identity);
        Ok(own.map(|lease| text(&lease, VERSION).to_owned()))
    }

    /// Changes the lease as it was at this version, and gives the version that comes of it.
    async fn write(&self, version: &str, spec: &Value) -> Result<String, Fault> {
        let mut patch = json!({ "metadata": { "resourceVersion": version }, "spec": spec });
        if !self.notes.is_empty() {
            patch["metadata"]["annotations"] = json!(self.notes);
        }
        let lease = self.leases.merge(&self.place, patch).await?;
        Ok(text(&lease, VERSION).to_owned())
    }

    fn time(&self) -> String {
        (self.clock)().strftime("%Y-%m-%dT%H:%M:%S%.6fZ").to_string()
    }
}

/// A text in a lease; empty where there is none.
fn text<'v>(lease: &'v Value, pointer: &str) -> &'v str {
    lease.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

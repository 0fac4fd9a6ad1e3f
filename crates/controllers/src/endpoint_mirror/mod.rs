//! Custom endpoints of AWS's services, from what the user wishes to what the cluster uses.
//!
//! `spec.platformSpec.aws.serviceEndpoints` of the Infrastructure object is checked and then stands, sorted by
//! name, in its status, which all of the cluster's components read. A list with a fault in it, or with an
//! endpoint that cannot be reached, changes nothing; a condition and an event say all that is wrong. What somebody
//! else writes into the status meanwhile is replaced by the list that was verified last. Only what a new process finds
//! in the status, and in the specification as well, stays: another operator may have mirrored it.

mod apply;
mod fetch;
mod probe;
mod status;
#[cfg(test)]
mod tests;
mod validate;
mod verified;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::kube::Client;
use futures::StreamExt as _;
use futures::future::{BoxFuture, join_all};
use futures::stream::{BoxStream, select};
use landfall_cloud_config::ServiceEndpoint;
use landfall_kube::kinds;
use landfall_kube::objects::{Events, Objects};

use super::conditions::{self, ended};
use super::event_recorder::EventRecorder;
use super::{Controller, Failed, Key, Next, object_refs, watch};

pub use probe::{File, NetProbe, Probe, Variable};

/// How long after a run all is looked at again, should a change have been missed.
const RESYNC: Duration = Duration::from_mins(10);

/// How many endpoints are looked at side by side.
const AT_ONCE: usize = 8;

/// Keeps `status.platformStatus.aws.serviceEndpoints` of the Infrastructure object.
pub struct EndpointMirror {
    objects: Arc<dyn Objects>,
    events: Arc<dyn Events>,
    probe: Arc<dyn Probe>,
    event_recorder: EventRecorder,
    /// The operator's namespace.
    namespace: String,
    verified: Mutex<Option<Verified>>,
}

/// What is known of the lists before this one.
#[derive(Clone)]
struct Verified {
    /// The list that was verified last. Where none was kept, it is what was in use before the first verification.
    list: Vec<ServiceEndpoint>,
    /// Whether it is kept beyond the life of the process.
    is_kept: bool,
    /// What the status held at the first look, if it was the list of the specification and not the kept one. It was
    /// not verified, but nothing replaces it before another list was.
    found: Option<Vec<ServiceEndpoint>>,
}

impl EndpointMirror {
    /// The controller of one cluster, with the operator's namespace, in which it keeps what it verified.
    #[must_use]
    pub fn new(
        objects: Arc<dyn Objects>,
        events: Arc<dyn Events>,
        probe: Arc<dyn Probe>,
        namespace: String,
    ) -> Self {
        let (event_recorder, verified) = (EventRecorder::default(), Mutex::default());
        Self { objects, events, probe, event_recorder, namespace, verified }
    }

    async fn run(&self) -> Result<Next, Failed> {
        let outcome = self.keep().await;
        let standing = outcome.as_ref().err().and_then(status::refused).into_iter().collect();
        self.event_recorder.report(&*self.events, standing).await;
        let reported = conditions::report(&*self.objects, &status::report(&outcome)).await;
        ended(outcome, reported)
    }

    async fn keep(&self) -> Result<(), Failed> {
        let objects = &*self.objects;
        let Some(fetch::Endpoints { wanted: listed, mirrored }) = fetch::endpoints(objects).await? else {
            return Ok(());
        };
        let wanted = sorted(listed.clone());
        let known = self.verified().clone();
        let known = match known {
            Some(known) => known,
            None => self.recall(&wanted, &mirrored).await?,
        };
        *self.verified() = Some(known.clone());
        let Verified { list: verified, is_kept, found } = known;
        if let Err(failed) = self.verify(&listed, &verified).await {
            if mirrored != verified && found.as_ref() != Some(&mirrored) {
                apply::mirror(objects, &verified).await?;
                self.events.report(status::restored(&verified)).await;
            }
            return Err(failed);
        }
        // Kept before it is in use, so that whoever takes over in between does not go back to the one before.
        let kept = if is_kept && verified == wanted {
            Ok(())
        } else {
            verified::keep(objects, &self.namespace, &wanted).await
        };
        *self.verified() = Some(Verified { list: wanted.clone(), is_kept: kept.is_ok(), found: None });
        if wanted != mirrored {
            apply::mirror(objects, &wanted).await?;
            self.events.report(status::mirrored(&wanted)).await;
        }
        kept
    }

    /// What a new process knows of earlier ones.
    async fn recall(
        &self,
        wanted: &[ServiceEndpoint],
        mirrored: &[ServiceEndpoint],
    ) -> Result<Verified, Failed> {
        let Some(list) = verified::read(&*self.objects, &self.namespace).await? else {
            return Ok(Verified { list: mirrored.to_vec(), is_kept: false, found: None });
        };
        // The kept list may be of long ago, when another operator did this: it does not come back by itself.
        let found = list != wanted && sorted(mirrored.to_vec()) == wanted;
        Ok(Verified { list, is_kept: true, found: found.then(|| mirrored.to_vec()) })
    }

    fn verified(&self) -> MutexGuard<'_, Option<Verified>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the endpoints can be used. Those that were verified before are not a matter of this change.
    async fn verify(&self, wanted: &[ServiceEndpoint], verified: &[ServiceEndpoint]) -> Result<(), Failed> {
        let faults = validate::faults(wanted);
        if !faults.is_empty() {
            return Err(Failed::terminal(status::INVALID, faults.join("; ")));
        }
        let new: Vec<&ServiceEndpoint> = wanted.iter().filter(|one| !verified.contains(*one)).collect();
        match self.unreachable(&new).await {
            faults if faults.is_empty() => Ok(()),
            faults => Err(Failed::transient(status::UNREACHABLE, faults.join("; "))),
        }
    }

    /// Which of the endpoints cannot be reached, and why.
    async fn unreachable(&self, endpoints: &[&ServiceEndpoint]) -> Vec<String> {
        let mut faults = Vec::new();
        for some in endpoints.chunks(AT_ONCE) {
            let looks = some.iter().map(|endpoint| self.probe.look(&endpoint.url));
            let seen = join_all(looks).await;
            for (endpoint, seen) in some.iter().zip(seen) {
                if let Err(why) = seen {
                    faults.push(format!("{} at {} cannot be reached: {why}", endpoint.name, endpoint.url));
                }
            }
        }
        faults
    }
}

/// A list as the status has it.
fn sorted(mut list: Vec<ServiceEndpoint>) -> Vec<ServiceEndpoint> {
    list.sort_by(|one, other| one.name.cmp(&other.name));
    list
}

impl Controller for EndpointMirror {
    fn name(&self) -> &'static str {
        "endpoint-mirror"
    }

    fn triggers(&self, client: &Client) -> BoxStream<'static, Key> {
        let changes = watch::changes(client, &kinds::INFRASTRUCTURE, None, Some(object_refs::CLUSTER));
        select(changes.map(|_| ()), watch::every(RESYNC)).map(|()| object_refs::key()).boxed()
    }

    fn reconcile<'a>(&'a self, _: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        Box::pin(self.run())
    }
}

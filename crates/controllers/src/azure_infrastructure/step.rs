//! One reconciliation of a cluster: reads existing objects and sends the actions that follow.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::future::join_all;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream};
use landfall_engine_aso::core::{FOREIGN, LEASE_DURATION, LEASE_RENEWAL, Object, Outcome, UNSEEN, What};
use landfall_engine_aso::desired::Need;
use landfall_engine_aso::drive::{
    Acted, Api, Drive, Lease, Listing, ObservedState, Others, Pace, Step, Watcher, Work, act, now,
    of_other_kinds,
};
use landfall_engine_aso::keys;
use landfall_engine_aso::kinds::{KINDS, Kind};
use landfall_kube::objects::{ClusterEvent, EventType, Events, ObjectRef};
use serde_json::Value;
use tokio::time::{Instant, timeout, timeout_at};

use super::NAME;
use super::metrics::Numbers;
use super::outputs;
use super::recording_api::RecordingApi;
use super::resource::Outputs;
use super::store::{Cluster, Store};
use crate::{Failed, Key};

/// How long a listing of a namespace counts.
const LISTED: Duration = Duration::from_secs(20);
/// How long it counts which kinds there are that landfall does not use.
const DISCOVERED: Duration = Duration::from_mins(5);
/// How long it counts that a namespace has nothing of these kinds, of which there may be hundreds.
const FREE_OF_OTHERS: Duration = Duration::from_mins(2);
/// How many kinds are listed at once.
const LISTS: usize = 4;
/// How long another's lease is waited for at first.
const SHORTLY: Duration = Duration::from_secs(1);
/// How long it is waited for then: longer than one counts whose holder is gone.
const PATIENTLY: Duration = LEASE_DURATION.saturating_add(LEASE_RENEWAL);
/// How long after it was taken no other process can get the lease, with a margin for a slow call.
const SAFELY: Duration = LEASE_DURATION.saturating_sub(LEASE_RENEWAL);

/// What is remembered of a cluster between two steps. All of it can be done without.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) pace: Pace,
    /// When the lease was taken last, where it was not given back.
    leased: Option<Instant>,
    /// Whether another held the lease when it was wanted.
    contended: bool,
    /// The resources of others that were reported.
    foreign: BTreeSet<Need>,
    /// What was listed of the namespace for a removal, and when.
    listed: Option<(Instant, Vec<(&'static str, Value)>)>,
    /// The kinds that landfall does not use, and when they were discovered.
    other_kinds: Option<(Instant, Vec<&'static Kind>)>,
    /// What the namespace has of these, and when it was listed.
    other_objects: Option<(Instant, Vec<(&'static str, Value)>)>,
}

/// What came of a step.
pub(super) struct Stepped {
    pub(super) step: Step,
    /// When the next one is due at the latest; none where only a change helps.
    pub(super) rest: Option<Duration>,
    /// Whether there are objects that no operator has looked at.
    pub(super) unseen: bool,
    /// The objects of somebody else that a removal concerns.
    pub(super) others: Others,
    /// What the infrastructure offers, where it is finished.
    pub(super) outputs: Option<Outputs>,
}

/// What drives clusters.
pub(super) struct Driver {
    pub(super) api: Arc<dyn Api>,
    pub(super) listing: Arc<dyn Listing>,
    pub(super) events: Arc<dyn Events>,
    pub(super) store: Arc<Store>,
    pub(super) numbers: Numbers,
    pub(super) wrote: Arc<dyn Fn() + Send + Sync>,
    /// The name of this process, which no other has.
    pub(super) identity: String,
}

impl Driver {
    /// Does one step. `about` is the resource that the cluster belongs to.
    pub(super) async fn step(
        &self,
        cluster: &Cluster,
        drive: &Drive,
        about: &ObjectRef,
        memory: &mut Memory,
    ) -> Result<Stepped, Failed> {
        let mut world = self.store.world(cluster, now());
        // A move takes the cluster's objects away, and the garbage collector those of others that these own.
        let concerns_others = matches!(drive.work, Work::Remove | Work::Pause);
        if concerns_others && !is_going(drive, &world) {
            // Where Azure keeps its resources, or the user's may go, none is lost that cannot be seen.
            let may_lose = !drive.takes_others && !drive.keeps_azure;
            self.list(cluster, memory, &mut world, may_lose).await?;
        }
        let mut step = drive.step(&world);
        let others = if concerns_others { drive.others(&world) } else { Others::default() };
        memory.pace.hold(&mut step, &world);
        let key = Key { namespace: about.namespace.clone(), name: about.name.clone() };
        for line in memory.pace.lines(&step) {
            tracing::info!(controller = NAME, %key, cluster = %cluster.infra_id, "{line}");
        }
        self.tell_foreign(&step, about, memory).await;
        let api = RecordingApi { api: &*self.api, store: &self.store, cluster, wrote: &*self.wrote };
        if step.objects.iter().any(|planned| planned.action.what.writes()) {
            let until = self.lease(&api, cluster, memory).await?;
            let acted = timeout_at(until, act(drive, &api, &step, &mut world, &mut memory.pace)).await;
            let late = |_| {
                Failed::transient(
                    "lease-over",
                    "the calls take longer than the lease of the cluster is valid",
                )
            };
            self.count(&acted.map_err(late)?, &world);
        } else if step.outcome() == Outcome::Done && memory.leased.take().is_some() {
            self.leased_by(&api, cluster).release().await;
        }
        let look = (!others.waited_for.is_empty()).then_some(LISTED);
        let rest = [memory.pace.rest(&step, &world), look].into_iter().flatten().min();
        let unseen = step.objects.iter().any(|planned| planned.action.message == UNSEEN);
        let is_made = matches!(drive.work, Work::Make(_)) && step.outcome() == Outcome::Done;
        let outputs = is_made.then(|| outputs::of(&world));
        Ok(Stepped { step, rest, unseen, others, outputs })
    }

    /// Takes in what stands in the cluster's namespace, whosever it is: the watches tell of clusters' objects
    /// only.
    async fn list(
        &self,
        cluster: &Cluster,
        memory: &mut Memory,
        world: &mut ObservedState,
        may_lose: bool,
    ) -> Result<(), Failed> {
        if memory.listed.as_ref().is_none_or(|(at, _)| at.elapsed() >= LISTED) {
            let lists: Vec<_> =
                KINDS.iter().map(|kind| self.list_kind(kind, &cluster.namespace).boxed()).collect();
            let lists: Vec<_> = stream::iter(lists).buffered(LISTS).try_collect().await?;
            let mut all: Vec<(&'static str, Value)> = lists.into_iter().flatten().collect();
            match self.list_others(cluster, memory).await {
                Ok(others) => all.extend(others),
                Err(failed) if may_lose => return Err(failed),
                Err(_) => {}
            }
            memory.listed = Some((Instant::now(), all));
        }
        for (kind, object) in memory.listed.iter().flat_map(|(_, objects)| objects) {
            // What the watches tell of is theirs to say, also that it is gone.
            if Object(object).label(keys::CLUSTER) != Some(&cluster.infra_id) {
                world.insert(kind, object.clone());
            }
        }
        Ok(())
    }

    /// The objects in the cluster's namespace of kinds that landfall does not use: they may be in the cluster's resource
    /// group, and would go with it.
    async fn list_others(
        &self,
        cluster: &Cluster,
        memory: &mut Memory,
    ) -> Result<Vec<(&'static str, Value)>, Failed> {
        let unlisted = |why: &str| {
            let note = format!("the user's objects in the namespace cannot be listed: {why}");
            Failed::transient("objects-unlisted", note)
        };
        if let Some((at, objects)) = &memory.other_objects
            && at.elapsed() < if objects.is_empty() { FREE_OF_OTHERS } else { LISTED }
        {
            return Ok(objects.clone());
        }
        if memory.other_kinds.as_ref().is_none_or(|(at, _)| at.elapsed() >= DISCOVERED) {
            let found = self.listing.other_kinds().await;
            let found = found.map_err(|failure| unlisted(&failure.fault.why()))?;
            memory.other_kinds = Some((Instant::now(), found));
        }
        let kinds = memory.other_kinds.as_ref().map(|(_, kinds)| kinds.as_slice()).unwrap_or_default();
        let found = of_other_kinds(&*self.listing, kinds, &cluster.namespace).await;
        let found = found.map_err(|failure| unlisted(&failure.fault.why()))?;
        // What cannot be seen would be lost without a word.
        if let Some(closed) = found.closed.first() {
            let help = format!(
                "permit the operator to list them (the manifests of this version do), or set the annotation {} if \
                 they may go",
                keys::DELETE_WITH_CLUSTER
            );
            return Err(unlisted(&format!("{}.{}: {help}", closed.plural, closed.group)));
        }
        let objects =
            |(kind, objects): (&'static Kind, Vec<Value>)| objects.into_iter().map(|one| (kind.kind, one));
        let all: Vec<_> = found.objects.into_iter().flat_map(objects).collect();
        memory.other_objects = Some((Instant::now(), all.clone()));
        Ok(all)
    }

    async fn list_kind(
        &self,
        kind: &'static Kind,
        namespace: &str,
    ) -> Result<Vec<(&'static str, Value)>, Failed> {
        let objects = self.listing.list(kind, namespace).await.map_err(|failure| {
            let note = format!("the objects in the namespace cannot be listed: {}", failure.fault.why());
            Failed::transient("objects-unlisted", note)
        })?;
        Ok(objects.into_iter().map(|object| (kind.kind, object)).collect())
    }

    fn leased_by<'a>(&self, api: &'a RecordingApi<'_>, cluster: &Cluster) -> Lease<'a> {
        Lease::new(api, &cluster.infra_id, &cluster.namespace, self.identity.clone(), now)
    }

    /// Makes sure that no other process drives the cluster meanwhile, and returns until when that holds.
    async fn lease(
        &self,
        api: &RecordingApi<'_>,
        cluster: &Cluster,
        memory: &mut Memory,
    ) -> Result<Instant, Failed> {
        if let Some(at) = memory.leased.filter(|at| at.elapsed() < LEASE_RENEWAL) {
            return Ok(at + SAFELY);
        }
        let heard = Heard::default();
        let lease = self.leased_by(api, cluster);
        // Whether another's has ended shows only to who looks at it for long.
        let patience = if memory.contended { PATIENTLY } else { SHORTLY };
        let won = timeout(patience, lease.win(&heard)).await;
        memory.contended = won.is_err();
        match won {
            Ok(Ok(at)) => {
                memory.leased = Some(at);
                Ok(at + SAFELY)
            }
            Ok(Err(failure)) => {
                let note = format!("the lease of the cluster cannot be acquired: {}", failure.fault.why());
                Err(Failed::transient("lease-unavailable", note))
            }
            Err(_) => Err(Failed::transient("held-elsewhere", heard.line())),
        }
    }

    /// Reports each resource once that has a name of the plan and belongs to somebody else.
    async fn tell_foreign(&self, step: &Step, about: &ObjectRef, memory: &mut Memory) {
        let foreign: BTreeSet<Need> = step
            .objects
            .iter()
            .filter(|planned| planned.action.what == What::Leave && planned.action.message == FOREIGN)
            .map(|planned| planned.object.clone())
            .collect();
        let new = foreign.difference(&memory.foreign).map(|id| {
            self.events.report(ClusterEvent {
                about: about.clone(),
                event_type: EventType::Warning,
                reason: "ForeignResource",
                note: format!("{}/{} {FOREIGN}", id.kind, id.name),
            })
        });
        join_all(new.collect::<Vec<_>>()).await;
        memory.foreign = foreign;
    }

    fn count(&self, acted: &[Acted], world: &ObservedState) {
        for Acted { object, sent, .. } in acted.iter().filter(|acted| acted.sent == acted.action.what) {
            self.numbers.acted(object.kind, sent.name());
            if adopts(sent) {
                let found = world.get(object).is_some_and(|object| Object(object).is_ready());
                self.numbers.adopted(if found { "managed-before" } else { "missing" });
            }
        }
    }
}

/// Whether a resource group of the cluster is on its way out.
fn is_going(drive: &Drive, world: &ObservedState) -> bool {
    let mut groups =
        world.iter().filter(|(id, _)| id.kind == "ResourceGroup").map(|(_, group)| Object(group));
    groups.any(|group| group.is_being_deleted() && drive.owner.owns(group, &drive.infra_id))
}

/// Whether an action adopts its object.
fn adopts(sent: &What) -> bool {
    let What::Patch(patch) = sent else { return false };
    Object(patch).annotation(keys::ADOPTED_AT).is_some()
}

/// What is said while a lease is waited for.
#[derive(Default)]
struct Heard(Mutex<String>);

impl Heard {
    fn line(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Watcher for Heard {
    fn changed(&self, _: usize, _: usize) {}

    fn told(&self, line: &str) {
        line.clone_into(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

//! The infrastructure of clusters in Azure, asked for by resources of the management cluster.
//!
//! An `AzureInfrastructure` holds an install config, or refers to one. It is judged, planned and translated
//! into objects of Azure Service Operator, which the engine brings to Ready one step at a time: each
//! reconciliation looks at what the watches told and sends what follows. The resource owns all of these
//! objects, and goes when they are gone.
//!
//! An infrastructure ID is that of one resource; another one that asks for it is refused.
//!
//! One watch for each kind serves all clusters. What is reported in the status is written at once where it is
//! about a condition, and every few seconds where only numbers change.

#![allow(clippy::disallowed_methods, reason = "a condition tells when it changed")]

mod anchor;
mod booting;
mod claims;
mod inputs;
mod metrics;
mod operator;
mod outputs;
mod planning;
mod recording_api;
mod resource;
mod rollout;
mod status;
mod step;
mod store;
#[cfg(test)]
mod tests;
mod watches;
mod work;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::kube::Client;
use ::kube::api::Api;
use ::kube::runtime::watcher;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use serde_json::{Value, json};
use tokio::time::Instant;

pub(crate) use anchor::{PLAN, PROTECTION};
pub use booting::{BootCreator, BootOrder, BootRemoval, Booted};
pub use metrics::Numbers;
pub use resource::{
    AZURE_INFRASTRUCTURE, AdoptPolicy, Condition, Counts, Holder, Machines, Named, Outputs, Patch,
    ProfileHolder, ProfileReference, Reference, Spec, Stage, Standing, Status,
};
pub(crate) use resource::{CONFIG_KEY, FACTS_KEY};

use self::claims::{Claims, Metadata};
use self::operator::{Behind, Operator};
use self::resource::Resource;
use self::rollout::{ROLLOUT, Rollout};
use self::status::UPDATE;
use self::step::Driver;
use self::store::Store;
use self::work::Memory;
use super::{Controller, Failed, Key, Next, fetch, watch};
use crate::operator::{Labels, keep_deletion_policies};
use landfall_engine_aso::drive;
use landfall_engine_aso::kinds::KINDS;
use landfall_kube::Fault;
use landfall_kube::kinds::ProfileKinds;
use landfall_kube::objects::{Events, ObjectRef, Objects, Part};

/// The name of the controller.
pub const NAME: &str = "azure-infrastructure";

/// How many clusters are worked on side by side.
const WORKERS: usize = 16;
/// How long a key waits for the first listing of all objects.
const LISTING: Duration = Duration::from_millis(500);
/// How often metrics of a cluster that is being worked on are updated.
const PACE: Duration = Duration::from_secs(5);
/// How long after a run a settled cluster is looked at again: what it refers to is not watched.
const RESYNC: Duration = Duration::from_mins(5);

const UNREADABLE: &str = "resource-unreadable";
const UNWRITABLE: &str = "status-unwritable";

/// The dependencies of the controller.
pub struct Tools {
    /// The only namespace whose clusters are worked on; none for all.
    pub namespace: Option<String>,
    /// Whether infrastructure IDs of clusters in other namespaces are refused; without a namespace, they always are.
    pub unique_infra_ids: bool,
    /// Which of the clusters are worked on; none for all.
    pub labels: Option<Labels>,
    /// The kinds of cloud profiles that clusters may refer to.
    pub profiles: &'static ProfileKinds,
    /// The objects of the management cluster.
    pub objects: Arc<dyn Objects>,
    /// The sink of events.
    pub events: Arc<dyn Events>,
    /// The way to the management cluster.
    pub client: Client,
    /// The numbers of the engine.
    pub numbers: Numbers,
    /// Called after each write that the server took from the engine.
    pub wrote: Arc<dyn Fn() + Send + Sync>,
    /// The name of this process, which no other has.
    pub identity: String,
    /// The namespace and name of its operator's lease, by which it claims clusters; empty where it claims none.
    pub claimant: String,
    /// How many clusters may take the plan of another landfall at once; 0 where each waits for its owner.
    pub rollout_limit: u16,
    /// Whether the policies are kept by which the API server refuses the deletion of protected clusters.
    pub keeps_policies: bool,
    /// Creates what machines start from; none in a program that calls no cloud.
    pub boots: Option<Arc<dyn BootCreator>>,
}

/// Keeps the infrastructure of all clusters that resources ask for.
pub struct AzureInfrastructure {
    /// The only namespace that is watched; none for all.
    namespace: Option<String>,
    labels: Option<Labels>,
    profiles: &'static ProfileKinds,
    objects: Arc<dyn Objects>,
    driver: Driver,
    operator: Arc<Operator>,
    claims: Arc<Claims>,
    claimant: String,
    rollout: Arc<Rollout>,
    keeps_policies: bool,
    boots: Option<Arc<dyn BootCreator>>,
    memories: Mutex<BTreeMap<Key, Arc<tokio::sync::Mutex<Memory>>>>,
}

impl AzureInfrastructure {
    /// The controller of one management cluster.
    #[must_use]
    pub fn new(tools: Tools) -> Self {
        let rollout = Arc::new(Rollout::new(usize::from(tools.rollout_limit), tools.numbers.clone()));
        // Who may write a policy must be able to read what it looks at, which is in all namespaces.
        let reads_all = tools.namespace.is_none() || tools.unique_infra_ids;
        let keeps_policies = tools.keeps_policies && reads_all;
        let Tools {
            namespace,
            unique_infra_ids,
            labels,
            profiles,
            objects,
            events,
            client,
            numbers,
            wrote,
            identity,
            claimant,
            boots,
            ..
        } = tools;
        let behind = Behind { client: client.clone(), namespace: namespace.clone(), profiles };
        let operator = Arc::new(Operator::new(Box::new(behind)));
        let store = Arc::new(Store::new(numbers.clone()));
        let api = Arc::new(drive::Live::new(client));
        let driver = Driver { listing: api.clone(), api, events, store, numbers, wrote, identity };
        let claims = Arc::new(Claims::of(namespace.clone().filter(|_| unique_infra_ids)));
        Self {
            namespace,
            labels,
            profiles,
            objects,
            driver,
            operator,
            claims,
            claimant,
            rollout,
            keeps_policies,
            boots,
            memories: Mutex::default(),
        }
    }

    /// What is remembered of a resource. No key is worked on twice at a time.
    fn memory(&self, key: &Key) -> Arc<tokio::sync::Mutex<Memory>> {
        let mut memories = self.memories.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(memories.entry(key.clone()).or_default())
    }

    fn forget(&self, key: &Key) {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner).remove(key);
        self.driver.store.forget(key);
        self.rollout.sees(key, None);
        self.rollout.holds(key, false);
        self.rollout.rests(key);
    }

    /// Has the API server refuse the deletion of protected clusters. Clusters are worked on without that as well.
    async fn keep_policies(&self) -> Next {
        match keep_deletion_policies(&*self.objects).await {
            // Who prunes a repository may delete them.
            Ok(true) => Next::Again(RESYNC),
            Ok(false) => {
                tracing::info!(
                    controller = NAME,
                    "the API server has no ValidatingAdmissionPolicy: only finalizers protect clusters from deletion"
                );
                Next::Settled
            }
            Err(why) => {
                tracing::warn!(
                    controller = NAME,
                    %why,
                    "the deletion policies may be missing: deleting an AzureInfrastructure in the foreground, or its \
                     namespace, may destroy a protected cluster; apply the manifests of this version"
                );
                Next::Again(RESYNC)
            }
        }
    }

    async fn run(&self, key: &Key) -> Result<Next, Failed> {
        let Some(namespace) = &key.namespace else { return Ok(self.keep_policies().await) };
        let has_listed = self.driver.store.has_listed(KINDS.iter().map(|kind| kind.kind));
        if !has_listed || !self.claims.is_complete() {
            return Ok(Next::Again(LISTING));
        }
        let began = Instant::now();
        let place = ObjectRef::in_namespace(&AZURE_INFRASTRUCTURE, namespace, &key.name);
        let Some(live) = fetch::object(&*self.objects, &place, UNREADABLE).await? else {
            self.forget(key);
            return Ok(Next::Settled);
        };
        let (live, unreadable) = resource::readable(live);
        let resource = Resource { unreadable, ..fetch::typed(&live, &place, UNREADABLE)? };
        if self.labels.as_ref().is_some_and(|labels| !labels.matches(&resource.metadata.labels)) {
            // It is another operator's, perhaps since now.
            self.forget(key);
            return Ok(Next::Settled);
        }
        self.rollout.sees(key, resource.metadata.labels.get(ROLLOUT).map(String::as_str));
        let memory = self.memory(key);
        let mut memory = memory.lock().await;
        let mut run = work::Run::new(self, &place, &resource, &mut memory);
        let outcome = Box::pin(run.work()).await;
        let status = run.told(&outcome);
        let is_held = status.as_ref().is_some_and(|status| status.has(UPDATE));
        self.rollout.holds(key, is_held);
        let reported = match status {
            Some(status) => self.report(&place, &resource.status, &status, &mut memory).await,
            None => Ok(None),
        };
        self.rollout.rests(key);
        self.driver.numbers.reconciled(began.elapsed());
        let (rest, held_back) = (outcome?, reported?);
        let rest = [rest, held_back].into_iter().flatten().min();
        Ok(Next::Again(rest.unwrap_or(RESYNC).min(RESYNC)))
    }

    /// Writes the status, if it says something new. Gives when it is due where it is held back.
    async fn report(
        &self,
        place: &ObjectRef,
        before: &Status,
        status: &Status,
        memory: &mut Memory,
    ) -> Result<Option<Duration>, Failed> {
        if status == before {
            return Ok(None);
        }
        let since = memory.told.map(|at| at.elapsed());
        if let Some(left) = since.and_then(|since| PACE.checked_sub(since))
            && status.differs_in_progress_only(before)
        {
            return Ok(Some(left));
        }
        match self.objects.merge(place, json!({ "status": patch(before, status) }), Part::Status).await {
            Ok(_) => {
                memory.told = Some(Instant::now());
                Ok(None)
            }
            // It went meanwhile.
            Err(Fault::NotFound) => Ok(None),
            Err(fault) => Err(Failed::call(UNWRITABLE, place, "written", &fault)),
        }
    }
}

impl Controller for AzureInfrastructure {
    fn name(&self) -> &'static str {
        NAME
    }

    fn workers(&self) -> usize {
        WORKERS
    }

    fn triggers(&self, client: &Client) -> BoxStream<'static, Key> {
        let store = Arc::clone(&self.driver.store);
        let objects = watches::all(client, self.namespace.as_deref())
            .flat_map(move |news| stream::iter(store.note(news)));
        let (claims, rollout) = (Arc::clone(&self.claims), Arc::clone(&self.rollout));
        let resource = watch::resource(&AZURE_INFRASTRUCTURE);
        let api: Api<Metadata> = match &self.namespace {
            Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
            None => Api::all_with(client.clone(), &resource),
        };
        let resources = watch::unbroken(&AZURE_INFRASTRUCTURE, api, watcher::Config::default());
        let resources = resources.flat_map(move |event| {
            rollout.note(&event);
            stream::iter(claims.note(event))
        });
        let (operator, claims) = (Arc::clone(&self.operator), Arc::clone(&self.claims));
        let operators = watches::operators(client).then(move |()| {
            let (operator, claims) = (Arc::clone(&operator), Arc::clone(&claims));
            async move {
                operator.forget().await;
                stream::iter(claims.all())
            }
        });
        let claims = Arc::clone(&self.claims);
        let others = self.namespace.as_deref().filter(|_| claims.has_others());
        let others = others.map(|namespace| watches::others(client, namespace));
        let others = others.unwrap_or_else(|| stream::pending().boxed());
        let others = others.flat_map(move |event| stream::iter(claims.note_others(event)));
        let wakes = stream::select(operators.flatten(), Arc::clone(&self.rollout).turns());
        let wakes = stream::select(wakes, others);
        // A key without a namespace is that of what the whole cluster has once.
        let policies = self.keeps_policies.then(|| Key { namespace: None, name: NAME.to_owned() });
        let wakes = stream::select(wakes, stream::iter(policies));
        stream::select(stream::select(resources, objects), wakes).boxed()
    }

    fn reconcile<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        Box::pin(self.run(key))
    }
}

/// The merge patch from one status to another. Empty texts are left out of both: what is left out now and was
/// there before is taken away.
fn patch(before: &Status, status: &Status) -> Value {
    let (before, mut patch) = (json!(before), json!(status));
    if let (Some(before), Some(patch)) = (before.as_object(), patch.as_object_mut()) {
        for key in before.keys() {
            patch.entry(key.clone()).or_insert(Value::Null);
        }
    }
    patch
}

/// The time, as conditions have it.
fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

//! The configuration of the cloud provider, in the form that the cloud controller manager reads.
//!
//! `kube-cloud-config`, or else the user's map, becomes the map `cloud-conf` in the namespace of the cloud
//! controller manager. Errors that may pass by themselves count only once they have lasted; others are reported
//! at once, and the map stays as it is.

mod apply;
mod fetch;
mod status;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ::kube::Client;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, select, select_all};
use landfall_cloud_config::target::{owns_managed, passed_on, prepare, transform};
use landfall_cloud_config::{CLOUD_CONF, Entries};
use landfall_kube::kinds;
use landfall_kube::objects::{Events, Objects};
use tokio::time::Instant;

use super::event_recorder::EventRecorder;
use super::object_refs::MapNames;
use super::window::{Outcome, Window};
use super::{Controller, Failed, Key, Next, conditions, feature_gates, object_refs, watch};

/// How long after a run all is looked at again, should a change have been missed.
const RESYNC: Duration = Duration::from_mins(10);

/// What an administrator may set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The namespace that the operator itself is in.
    pub operator_namespace: String,
    /// The namespace of the cloud controller manager.
    pub target_namespace: String,
    /// The names of the maps.
    pub maps: MapNames,
    /// The release that the operator belongs to.
    pub release_version: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            operator_namespace: "openshift-cloud-controller-manager-operator".to_owned(),
            target_namespace: "openshift-cloud-controller-manager".to_owned(),
            maps: MapNames::default(),
            release_version: "unknown".to_owned(),
        }
    }
}

/// Keeps the map `cloud-conf`, or the one that is named in its place.
pub struct CloudConfigSync {
    objects: Arc<dyn Objects>,
    events: Arc<dyn Events>,
    settings: Settings,
    event_recorder: EventRecorder,
    window: Mutex<Window>,
    started: Instant,
}

impl CloudConfigSync {
    /// The controller of one cluster.
    #[must_use]
    pub fn new(objects: Arc<dyn Objects>, events: Arc<dyn Events>, settings: Settings) -> Self {
        let window = Mutex::new(Window::new(Duration::ZERO));
        Self {
            objects,
            events,
            settings,
            event_recorder: EventRecorder::default(),
            window,
            started: Instant::now(),
        }
    }

    async fn run(&self) -> Result<Next, Failed> {
        let outcome = self.keep().await;
        let told = outcome.as_ref().err().filter(|failed| !failed.retry);
        let standing = told.map(|failed| status::refused(failed, &self.settings)).into_iter().collect();
        self.event_recorder.report(&*self.events, standing).await;
        let ending = Outcome::of(&outcome);
        let degraded = ending != Outcome::Done && self.note(ending);
        let mut reported = Ok(());
        if degraded || ending == Outcome::Done {
            let report = status::report(&outcome, &self.settings);
            reported = conditions::report(&*self.objects, &report).await;
        }
        if ending == Outcome::Done && reported.is_ok() {
            self.note(ending);
        }
        conditions::ended(outcome, reported)
    }

    /// Notes how a run ended; says whether it degrades the operator.
    fn note(&self, outcome: Outcome) -> bool {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        window.note(outcome, self.started.elapsed())
    }

    /// Brings the map, and where it is this controller's the managed map, to what it should be.
    async fn keep(&self) -> Result<(), Failed> {
        let objects = &*self.objects;
        let Some(basis) = fetch::basis(objects).await? else {
            return Ok(());
        };
        let owned = owns_managed(&basis.platform, basis.gates.is_on(feature_gates::MANAGED_ELSEWHERE));
        let maps = &self.settings.maps;
        let source = fetch::source(objects, &basis, maps, owned).await?;
        let wanted = build(&basis, &source)?;
        if owned && let Some(event) = apply::managed(objects, maps, &wanted).await? {
            self.events.report(event).await;
        }
        let target = apply::target(objects, &self.settings, &wanted).await?;
        if let Some(event) = target {
            self.events.report(event).await;
        }
        Ok(())
    }
}

/// The entries of the target.
fn build(basis: &fetch::Basis, source: &Entries) -> Result<Entries, Failed> {
    let mut entries = prepare(Some(source), &basis.infrastructure.spec.cloud_config.key)?;
    let gate = basis.gates.state(feature_gates::LOAD_BALANCER_GROUPS);
    let text = entries.data.get(CLOUD_CONF).map_or("", String::as_str);
    let text = transform(&basis.infrastructure, &basis.network, &passed_on(&basis.platform, text), gate)?;
    entries.data.insert(CLOUD_CONF.to_owned(), text);
    // The configuration is in `data` or in `binaryData`, or the API server refuses the map.
    entries.binary_data.remove(CLOUD_CONF);
    // An immutable map could never be brought up to date.
    entries.immutable = None;
    Ok(entries)
}

impl Controller for CloudConfigSync {
    fn name(&self) -> &'static str {
        "cloud-config-sync"
    }

    fn triggers(&self, client: &Client) -> BoxStream<'static, Key> {
        let target = Some(self.settings.target_namespace.as_str());
        let managed = Some(object_refs::MANAGED_NAMESPACE);
        let maps = &self.settings.maps;
        let changes = [
            watch::changes(client, &kinds::INFRASTRUCTURE, None, Some(object_refs::CLUSTER)),
            watch::changes(client, &kinds::NETWORK, None, Some(object_refs::CLUSTER)),
            watch::changes(client, &kinds::FEATURE_GATE, None, Some(object_refs::CLUSTER)),
            watch::changes(client, &kinds::CLUSTER_VERSION, None, Some(feature_gates::VERSION)),
            watch::changes(client, &kinds::CONFIG_MAP, Some(object_refs::USER_NAMESPACE), None),
            watch::changes(client, &kinds::CONFIG_MAP, managed, Some(&maps.managed)),
            watch::changes(client, &kinds::CONFIG_MAP, target, Some(&maps.target)),
        ];
        select(select_all(changes).map(|_| ()), watch::every(RESYNC)).map(|()| object_refs::key()).boxed()
    }

    fn reconcile<'a>(&'a self, _: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        Box::pin(self.run())
    }
}

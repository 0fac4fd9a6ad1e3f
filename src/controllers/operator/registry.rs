//! The list of all controllers, and of the kinds that they bring along.

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use serde_json::Value;

use super::Metrics;
use super::rights::{self, Right};
use crate::controllers::Controller;
use crate::controllers::cloud_config_sync::{CloudConfigSync, Settings};
use crate::controllers::endpoint_mirror::{EndpointMirror, NetProbe, Probe};
use crate::controllers::kube_cloud_config::KubeCloudConfig;
use crate::kube::objects::{Events, Objects};
use crate::kube::{Live, Recorder};
use crate::net::{Proxies, Trust};

/// How long the look at one endpoint may take.
const LOOK: Duration = Duration::from_secs(10);

/// How a controller is made.
type Make = fn(Arc<dyn Objects>, Arc<dyn Events>, &Kit) -> Arc<dyn Controller>;

/// One controller, before it is made.
#[derive(Debug)]
pub struct Registered {
    /// Its name.
    pub name: &'static str,
    /// What it may do in a cluster.
    pub rights: &'static [Right],
    make: Make,
}

/// All controllers.
pub static CONTROLLERS: &[Registered] = &[
    Registered { name: "kube-cloud-config", rights: rights::KUBE_CLOUD_CONFIG, make: kube_cloud_config },
    Registered { name: "cloud-config-sync", rights: rights::CLOUD_CONFIG_SYNC, make: cloud_config_sync },
    Registered { name: "endpoint-mirror", rights: rights::ENDPOINT_MIRROR, make: endpoint_mirror },
];

fn kube_cloud_config(objects: Arc<dyn Objects>, events: Arc<dyn Events>, _: &Kit) -> Arc<dyn Controller> {
    Arc::new(KubeCloudConfig::new(objects, events))
}

fn cloud_config_sync(objects: Arc<dyn Objects>, events: Arc<dyn Events>, kit: &Kit) -> Arc<dyn Controller> {
    let settings = Settings {
        operator_namespace: kit.namespace.clone(),
        target_namespace: kit.target_namespace.clone(),
        release_version: kit.release.clone(),
    };
    Arc::new(CloudConfigSync::new(objects, events, settings))
}

fn endpoint_mirror(objects: Arc<dyn Objects>, events: Arc<dyn Events>, kit: &Kit) -> Arc<dyn Controller> {
    Arc::new(EndpointMirror::new(objects, events, Arc::clone(&kit.probe)))
}

/// What makes the definition of each kind that a controller brings along.
static CRDS: &[fn() -> Value] = &[];

/// The definitions of the kinds that controllers bring along.
#[must_use]
pub fn crds() -> Vec<Value> {
    CRDS.iter().map(|definition| definition()).collect()
}

/// A look at endpoints with the roots and the proxies of the environment, whose variables and files are
/// looked up by the functions given.
#[must_use]
pub fn probing(
    variable: &dyn Fn(&str) -> Option<String>,
    file: &dyn Fn(&str) -> Option<Vec<u8>>,
) -> Arc<dyn Probe> {
    Arc::new(NetProbe::new(Trust::of_run(variable, file, ""), Proxies::gather(variable), LOOK))
}

/// What controllers are made of.
pub struct Kit {
    /// The way to the cluster's objects.
    pub client: Client,
    /// Where writes are counted.
    pub metrics: Arc<Metrics>,
    /// The name of this process, for its events.
    pub instance: String,
    /// The operator's own namespace.
    pub namespace: String,
    /// The namespace that cloud configuration is written to.
    pub target_namespace: String,
    /// The release that the operator belongs to.
    pub release: String,
    /// The look at endpoints.
    pub probe: Arc<dyn Probe>,
}

impl Registered {
    /// Makes the controller; what it writes is counted under its name.
    #[must_use]
    pub fn make(&self, kit: &Kit) -> Arc<dyn Controller> {
        let name = self.name;
        let live = || {
            let metrics = Arc::clone(&kit.metrics);
            Live::new(kit.client.clone()).telling(move || metrics.wrote(name))
        };
        let events = Recorder::new(live(), kit.instance.clone());
        (self.make)(Arc::new(live()), Arc::new(events), kit)
    }
}

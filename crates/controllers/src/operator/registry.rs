//! The list of all controllers, and of the kinds that they bring along.

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use landfall_kube::kinds::{PROXY, ProfileKinds};
use landfall_kube::objects::{Events, Objects};
use landfall_kube::{Live, Recorder};
use serde_json::Value;

use super::manifests::kept;
use super::openshift_operators::{CLOUD_CONTROLLER_OPERATOR, CONFIG_OPERATOR, Output, Rival};
use super::rights::{self, Right};
use super::selector::Labels;
use super::{LEASE_NAME, Metrics};
use crate::admission::{Address, Judge, Keeper};
use crate::azure_infrastructure::{AzureInfrastructure, BootCreator, Tools};
use crate::cloud_config_sync::{CloudConfigSync, Settings};
use crate::cloud_profile::{Access, Expiry};
use crate::endpoint_mirror::{EndpointMirror, File, NetProbe, Variable};
use crate::kube_cloud_config::KubeCloudConfig;
use crate::{
    Controller, Failed, Key, MapNames, Next, admission, azure_infrastructure, cloud_profile,
    crds as definitions,
};

/// How long the look at one endpoint may take.
const LOOK: Duration = Duration::from_secs(10);

/// How a controller is created.
type Make = fn(Arc<dyn Objects>, Arc<dyn Events>, &Kit) -> Arc<dyn Controller>;

/// One controller, before it is created.
#[derive(Debug)]
pub struct Registered {
    /// Its name.
    pub name: &'static str,
    /// What it may do in a cluster.
    pub rights: &'static [Right],
    /// The operator of OpenShift's own that does the same, and what both would write.
    pub rival: Option<(&'static Rival, Output)>,
    /// Whether it is about profiles. Their kinds are not in every cluster: it runs only where it is named.
    pub profiles: bool,
    make: Make,
}

/// All controllers.
pub static CONTROLLERS: &[Registered] = &[
    Registered {
        name: "kube-cloud-config",
        rival: Some((&CONFIG_OPERATOR, Output::Managed)),
        rights: rights::KUBE_CLOUD_CONFIG,
        profiles: false,
        make: kube_cloud_config,
    },
    Registered {
        name: "cloud-config-sync",
        rival: Some((&CLOUD_CONTROLLER_OPERATOR, Output::Target)),
        rights: rights::CLOUD_CONFIG_SYNC,
        profiles: false,
        make: cloud_config_sync,
    },
    Registered {
        name: "endpoint-mirror",
        rival: Some((&CONFIG_OPERATOR, Output::Endpoints)),
        rights: rights::ENDPOINT_MIRROR,
        profiles: false,
        make: endpoint_mirror,
    },
    Registered {
        name: "private-cloud-profile",
        rival: None,
        rights: rights::PRIVATE_PROFILES,
        profiles: true,
        make: |objects, events, kit| {
            cloud_profile::private(kit.access(objects, events), kit.expiry.images, kit.is_judged)
        },
    },
    Registered {
        name: "namespaced-cloud-profile",
        rival: None,
        rights: rights::NAMESPACED_PROFILES,
        profiles: true,
        make: |objects, events, kit| cloud_profile::namespaced(kit.access(objects, events)),
    },
    Registered {
        name: "cloud-profile",
        rival: None,
        rights: rights::CLOUD_PROFILES,
        profiles: true,
        make: |objects, events, kit| cloud_profile::parents(kit.access(objects, events), kit.expiry),
    },
    Registered {
        name: admission::CONTROLLER,
        rival: None,
        rights: rights::ADMISSION,
        profiles: true,
        make: |objects, _, kit| {
            Arc::new(Keeper::new(objects, kit.profiles, kit.webhook.clone(), kit.namespace.clone()))
        },
    },
    Registered {
        name: azure_infrastructure::NAME,
        rival: None,
        rights: rights::AZURE_INFRASTRUCTURE,
        profiles: false,
        make: azure_infrastructure,
    },
];

fn kube_cloud_config(objects: Arc<dyn Objects>, events: Arc<dyn Events>, kit: &Kit) -> Arc<dyn Controller> {
    Arc::new(KubeCloudConfig::new(objects, events, kit.maps.clone()))
}

fn cloud_config_sync(objects: Arc<dyn Objects>, events: Arc<dyn Events>, kit: &Kit) -> Arc<dyn Controller> {
    let settings = Settings {
        operator_namespace: kit.namespace.clone(),
        target_namespace: kit.target_namespace.clone(),
        maps: kit.maps.clone(),
        release_version: kit.release.clone(),
    };
    Arc::new(CloudConfigSync::new(objects, events, settings))
}

fn endpoint_mirror(objects: Arc<dyn Objects>, events: Arc<dyn Events>, kit: &Kit) -> Arc<dyn Controller> {
    let (variable, file) = (Arc::clone(&kit.variable), Arc::clone(&kit.file));
    let probe = NetProbe { objects: Arc::clone(&objects), variable, file, limit: LOOK };
    Arc::new(EndpointMirror::new(objects, events, Arc::new(probe), kit.namespace.clone()))
}

fn azure_infrastructure(
    objects: Arc<dyn Objects>,
    events: Arc<dyn Events>,
    kit: &Kit,
) -> Arc<dyn Controller> {
    let metrics = Arc::clone(&kit.metrics);
    Arc::new(AzureInfrastructure::new(Tools {
        namespace: kit.watch_namespace.clone(),
        unique_infra_ids: kit.unique_infra_ids,
        labels: kit.watch_labels.clone(),
        profiles: kit.profiles,
        objects,
        events,
        client: kit.client.clone(),
        numbers: kit.metrics.engine(),
        wrote: Arc::new(move || metrics.wrote(azure_infrastructure::NAME)),
        identity: format!("{}_{:016x}", kit.instance, rand::random::<u64>()),
        claimant: format!("{}/{LEASE_NAME}", kit.namespace),
        rollout_limit: kit.rollout_limit,
        keeps_policies: kit.admission_policies,
        boots: kit.boots.clone(),
    }))
}

/// The definitions of the kinds that controllers bring along, those of profiles in a group.
#[must_use]
pub fn crds(profiles: &'static ProfileKinds) -> Vec<Value> {
    crds_of(&CONTROLLERS.iter().collect::<Vec<&Registered>>(), profiles)
}

/// The definitions of the kinds that these controllers bring along, those of profiles in a group.
#[must_use]
pub fn crds_of(controllers: &[&Registered], profiles: &'static ProfileKinds) -> Vec<Value> {
    let has_profiles = controllers.iter().any(|one| one.profiles);
    let mut all = if has_profiles { definitions::profiles(profiles) } else { Vec::new() };
    if controllers.iter().any(|one| one.name == azure_infrastructure::NAME) {
        all.push(definitions::infrastructure());
    }
    for definition in &mut all {
        definition["metadata"]["annotations"] = kept();
    }
    all
}

/// The dependencies of controllers.
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
    /// The names of the maps with cloud configuration.
    pub maps: MapNames,
    /// The only namespace whose clusters are worked on.
    pub watch_namespace: Option<String>,
    /// Whether it also reads which infrastructure IDs clusters of other namespaces have, and keeps the policies.
    pub unique_infra_ids: bool,
    /// Which of the clusters are worked on; none for all.
    pub watch_labels: Option<Labels>,
    /// The kinds of profiles.
    pub profiles: &'static ProfileKinds,
    /// How many objects each controller works on at once; none for its own number.
    pub workers: Option<u8>,
    /// How many clusters may take the plan of another landfall at once.
    pub rollout_limit: u16,
    /// Whether the API server itself refuses the deletion of protected clusters.
    pub admission_policies: bool,
    /// The release that the operator belongs to.
    pub release: String,
    /// The variables of the environment.
    pub variable: Variable,
    /// The files of the environment.
    pub file: File,
    /// What is removed from profiles when it expires.
    pub expiry: Expiry,
    /// Whether the judge of profiles runs in this process.
    pub is_judged: bool,
    /// Where the API server finds the judge of profiles.
    pub webhook: Address,
    /// Creates what the machines of clusters start from; none in a program that calls no cloud.
    pub boots: Option<Arc<dyn BootCreator>>,
}

impl Kit {
    /// The judge of profiles.
    #[must_use]
    pub fn judge(&self) -> Judge {
        let live = Arc::new(Live::new(self.client.clone()));
        Judge::new(live.clone(), live, self.profiles)
    }

    fn access(&self, objects: Arc<dyn Objects>, events: Arc<dyn Events>) -> Access {
        let questions = Arc::new(Live::new(self.client.clone()));
        Access { objects, events, questions, kinds: self.profiles }
    }
}

impl Registered {
    /// Whether it connects to what is outside of the cluster, by the cluster's proxy and with what the
    /// cluster trusts.
    #[must_use]
    pub fn goes_outside(&self) -> bool {
        self.rights.iter().any(|right| right.kind == &PROXY)
    }

    /// Whether it runs where none is named: the kinds that it is about are in every cluster.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        !self.profiles && self.name != azure_infrastructure::NAME
    }

    /// Creates the controller; what it writes is counted under its name.
    #[must_use]
    pub fn make(&self, kit: &Kit) -> Arc<dyn Controller> {
        let name = self.name;
        let live = || {
            let metrics = Arc::clone(&kit.metrics);
            Live::new(kit.client.clone()).telling(move || metrics.wrote(name))
        };
        let events = Recorder::new(live(), kit.instance.clone());
        let made = (self.make)(Arc::new(live()), Arc::new(events), kit);
        match kit.workers {
            Some(workers) => Arc::new(Numbered { controller: made, workers: usize::from(workers) }),
            None => made,
        }
    }
}

/// A controller that works on so many keys at once.
struct Numbered {
    controller: Arc<dyn Controller>,
    workers: usize,
}

impl Controller for Numbered {
    fn name(&self) -> &'static str {
        self.controller.name()
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn triggers(&self, client: &Client) -> BoxStream<'static, Key> {
        self.controller.triggers(client)
    }

    fn reconcile<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        self.controller.reconcile(key)
    }
}

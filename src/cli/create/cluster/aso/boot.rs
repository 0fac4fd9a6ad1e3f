//! What the operator's machines start from, created by landfall itself: the operator has no kinds for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_engine_aso::core::Object;
use landfall_engine_aso::desired::{Desired, Need, Policy};
use landfall_engine_aso::drive::{self, Api as _, Failure, Live, Location, Watcher as _};
use landfall_engine_aso::translate::{Ignition, Input, Translation, translate};
use landfall_engine_native::{Underway, Watcher};
use landfall_net::stop::Stop;
use landfall_platform::cloud::Session;
use landfall_platform::native::{BootSources, GIVEN, Secrets};
use serde_json::Value;

use super::super::started::Configs;
use crate::cli::aso::management::Shown;
use crate::install::{BootSite, Booted, Fault};
use crate::prepare;
use crate::workdir::ClusterDir;

/// The kind of machines.
const MACHINE: &str = "VirtualMachine";
/// What machines wait for.
const SOURCES: &str = "image and ignition config";
/// Where an object of a machine has its ignition config, in base64.
const CUSTOM_DATA: &str = "/spec/osProfile/customData";
/// The kinds of objects that boot sources lie in or need.
const NEEDED: &[&str] =
    &["ResourceGroup", "StorageAccount", "StorageAccountsBlobServicesContainer", "UserAssignedIdentity"];

/// The bootstrap machine, as its object says it.
pub(super) struct Machine {
    /// Its ignition config. Azure does not change that of a machine.
    pub(super) pointer: Secret<String>,
    /// Whether it runs, so that all exists that it starts from.
    pub(super) is_ready: bool,
}

/// The bootstrap machine of a cluster; none where nothing was created of it yet.
pub(super) async fn machine(
    live: &Live,
    translation: &Translation,
    namespace: &str,
) -> Result<Option<Machine>, Failure> {
    let is_bootstrap = |name: &str| name.ends_with("-bootstrap");
    let mut machines = translation.objects.iter().filter(|object| object.kind.kind == MACHINE);
    let Some(desired) = machines.find(|object| is_bootstrap(&object.name)) else { return Ok(None) };
    let at = Location {
        api_version: desired.api_version.clone(),
        plural: desired.kind.plural,
        namespace: Some(namespace.to_owned()),
        name: desired.name.clone(),
    };
    let Some(object) = live.get(&at).await? else { return Ok(None) };
    let data = object.pointer(CUSTOM_DATA).and_then(Value::as_str);
    let config = data.and_then(|data| STANDARD.decode(data).ok());
    let config = config.and_then(|config| String::from_utf8(config).ok());
    let known = Object(&object);
    // With this policy, the operator has only looked for it.
    let config = config.filter(|_| known.policy() != Policy::Skip);
    Ok(config.map(|config| Machine { pointer: Secret::new(config), is_ready: known.is_ready() }))
}

/// Has all machines wait for what they start from.
pub(super) fn hold(translation: &mut Translation) {
    for object in translation.objects.iter_mut().filter(|object| object.kind.kind == MACHINE) {
        object.hints.late_bound = vec![SOURCES.to_owned()];
    }
}

/// Whether an object is a machine that waits for what it starts from.
pub(super) fn is_held(object: &Desired) -> bool {
    object.hints.late_bound.iter().any(|value| value == SOURCES)
}

/// The creation of what machines start from.
pub(super) struct Boot<'b> {
    pub(super) platform: &'b str,
    pub(super) session: Option<&'b dyn Session>,
    pub(super) cluster: &'b ClusterDir,
    pub(super) sources: &'b BootSources,
    pub(super) secrets: &'b Secrets,
    /// What the objects come from, without the bootstrap machine's ignition config.
    pub(super) input: Input<'b>,
    pub(super) configs: &'b Configs,
    /// The versions of the objects.
    pub(super) versions: &'b BTreeMap<String, &'static str>,
    pub(super) shown: &'b Shown<'b>,
    pub(super) stop: &'b Stop,
    /// The objects that must be Ready before.
    pub(super) needs: Vec<Need>,
    /// Why it failed, or what differs from the plan.
    pub(super) result: Mutex<Result<Vec<Finding>, Fault>>,
}

/// The objects of a translation that must be Ready before.
pub(super) fn needs(translation: &Translation) -> Vec<Need> {
    let needed = translation.objects.iter().filter(|object| NEEDED.contains(&object.kind.kind));
    needed.map(|object| Need { kind: object.kind.kind, name: object.name.clone() }).collect()
}

impl Boot<'_> {
    /// Why it failed, or what differs from the plan.
    pub(super) fn result(self) -> Result<Vec<Finding>, Fault> {
        self.result.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    async fn sources(&self) -> Result<Booted, Fault> {
        let infra_id = &self.input.plan.identity.infra_id;
        let api = self.session.and_then(|session| session.api(infra_id, self.secrets));
        let Some(api) = api else {
            return Err(Fault::Refused(Box::new(landfall_platform::pages::not_native(self.platform))));
        };
        let lines = Lines { shown: self.shown, sources: self.sources, told: Mutex::default() };
        let site = BootSite {
            cluster: self.cluster,
            cluster_id: &self.input.plan.identity.cluster_id,
            api: &*api,
            watcher: &lines,
            stop: self.stop,
            now: prepare::now,
        };
        site.apply(self.sources).await
    }

    /// The objects with the ignition config of the bootstrap machine.
    fn translated(&self, pointer: &Secret<String>) -> Result<Translation, Vec<Finding>> {
        let known = self.configs.bootstrap.as_ref().unwrap_or(pointer);
        let ignition = Ignition { bootstrap: Some(known.expose()), ..self.input.ignition };
        let mut translation = translate(&Input { ignition, ..self.input })?;
        drive::served(&mut translation, self.versions);
        Ok(translation)
    }
}

impl drive::Boot for Boot<'_> {
    fn needs(&self) -> &[Need] {
        &self.needs
    }

    fn create(&self) -> BoxFuture<'_, Option<Translation>> {
        async {
            let made = self.sources().await.and_then(|booted| {
                let findings = |findings| Fault::Native { findings, interrupted: false };
                Ok((self.translated(&booted.pointer).map_err(findings)?, booted.differences))
            });
            let (translation, result) = match made {
                Ok((translation, differences)) => (Some(translation), Ok(differences)),
                Err(fault) => (None, Err(fault)),
            };
            *self.result.lock().unwrap_or_else(PoisonError::into_inner) = result;
            translation
        }
        .boxed()
    }
}

/// Says each resource once.
struct Lines<'l> {
    shown: &'l Shown<'l>,
    sources: &'l BootSources,
    told: Mutex<BTreeSet<String>>,
}

impl Watcher for Lines<'_> {
    fn progress(&self, _: usize, _: usize, running: &[Underway<'_>]) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let own = |name: &str| {
            let mut own = self.sources.graph.resources.iter().filter(|node| !node.kind.starts_with(GIVEN));
            own.any(|node| node.name == name)
        };
        for one in running {
            if own(one.name) && told.insert(one.name.to_owned()) {
                self.shown.told(&format!("{}: create without an object", one.name));
            }
        }
    }
}

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
use landfall_engine_aso::desired::{Desired, Need};
use landfall_engine_aso::drive::{self, Api as _, Failure, Live, Location, Watcher as _};
use landfall_engine_aso::translate::{Ignition, Input, Translation, translate};
use landfall_engine_native::{Underway, Watcher};
use landfall_net::stop::Stop;
use landfall_platform::cloud::Session;
use landfall_platform::native::{BootSources, GIVEN, Secrets};
use serde_json::Value;

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

/// The bootstrap machine, as far as Azure has it.
pub(super) struct Machine {
    /// Its ignition config. Azure does not change that of a machine.
    pub(super) pointer: Secret<String>,
    /// Whether it runs, so that all exists that it starts from.
    is_ready: bool,
}

/// The bootstrap machine of a cluster, if Azure has it and its object is not being deleted.
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
    Ok(live.get(&at).await?.as_ref().and_then(known))
}

/// A machine by its object, if Azure has it with an ignition config.
fn known(object: &Value) -> Option<Machine> {
    let text =
        |pointer: &str| object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let machine = Object(object);
    // The operator notes the id once Azure has created the machine.
    if machine.is_being_deleted() || text("/status/id").or_else(|| text("/status/vmId")).is_none() {
        return None;
    }
    let config = STANDARD.decode(text(CUSTOM_DATA)?).ok()?;
    let pointer = Secret::new(String::from_utf8(config).ok()?);
    Some(Machine { pointer, is_ready: machine.is_ready() })
}

/// Has all machines wait for what they start from, and for the objects that this needs: without one of these, nothing
/// is to come.
pub(super) fn hold(translation: &mut Translation) {
    let needs = needs(translation);
    for object in translation.objects.iter_mut().filter(|object| object.kind.kind == MACHINE) {
        object.hints.late_bound = vec![SOURCES.to_owned()];
        object.needs.extend(needs.iter().cloned());
        object.needs.sort();
        object.needs.dedup();
    }
}

/// Whether an object is a machine that waits for what it starts from.
pub(super) fn is_held(object: &Desired) -> bool {
    object.hints.late_bound.iter().any(|value| value == SOURCES)
}

/// The resources that landfall itself creates.
pub(super) fn names(sources: &BootSources) -> Vec<String> {
    let own = sources.graph.resources.iter().filter(|node| !node.kind.starts_with(GIVEN));
    own.map(|node| node.name.clone()).collect()
}

/// What is said of patches that lead away from where landfall puts the boot sources.
pub(super) fn patched(translation: &Translation) -> Vec<Finding> {
    const FIELDS: &[(&str, &str)] = &[
        ("/spec/azureName", "spec.azureName"),
        ("/spec/owner", "spec.owner"),
        ("/spec/allowSharedKeyAccess", "spec.allowSharedKeyAccess"),
    ];
    let needed = translation.objects.iter().filter(|object| NEEDED.contains(&object.kind.kind));
    let mut found = Vec::new();
    for object in needed {
        for patch in &object.hints.patches {
            let patch: Value = serde_json::from_str(patch).unwrap_or_default();
            let fields = FIELDS.iter().filter(|(pointer, _)| patch.pointer(pointer).is_some());
            found.extend(
                fields.map(|(_, field)| drive::pages::patched_source(object.kind.kind, &object.name, field)),
            );
        }
    }
    found
}

/// The creation of what machines start from.
pub(super) struct Boot<'b> {
    pub(super) platform: &'b str,
    pub(super) session: Option<&'b dyn Session>,
    pub(super) live: &'b Live,
    pub(super) namespace: &'b str,
    /// The objects, with machines that wait.
    pub(super) held: &'b Translation,
    pub(super) cluster: &'b ClusterDir,
    pub(super) sources: &'b BootSources,
    pub(super) secrets: &'b Secrets,
    /// What the objects come from, without the bootstrap machine's ignition config.
    pub(super) input: Input<'b>,
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

    /// The objects with all that machines have waited for, and what differs from the plan.
    async fn created(&self) -> Result<(Translation, Vec<Finding>), Fault> {
        let findings = |findings| Fault::Native { findings, interrupted: false };
        let machine = machine(self.live, self.held, self.namespace).await;
        let machine = machine.map_err(|failure| findings(vec![drive::pages::failure(&failure)]))?;
        let (pointer, differences) = match machine {
            Some(Machine { pointer, is_ready: true }) => (pointer, Vec::new()),
            machine => {
                let booted = self.sources().await?;
                (machine.map_or(booted.pointer, |machine| machine.pointer), booted.differences)
            }
        };
        Ok((self.translated(&pointer).map_err(findings)?, differences))
    }

    /// The objects with the ignition config of the bootstrap machine.
    fn translated(&self, pointer: &Secret<String>) -> Result<Translation, Vec<Finding>> {
        let ignition = Ignition { bootstrap: Some(pointer.expose()), ..self.input.ignition };
        let mut translation = translate(&Input { ignition, ..self.input })?;
        drive::served(&mut translation, self.versions);
        Ok(translation)
    }
}

impl drive::Boot for Boot<'_> {
    fn needs(&self) -> &[Need] {
        &self.needs
    }

    fn is_foreign(&self, need: &Need) {
        let finding = drive::pages::foreign_source(need);
        let fault = Fault::Native { findings: vec![finding], interrupted: false };
        *self.result.lock().unwrap_or_else(PoisonError::into_inner) = Err(fault);
    }

    fn create(&self) -> BoxFuture<'_, Option<Translation>> {
        async {
            let (translation, result) = match self.created().await {
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
        let own = names(self.sources);
        for one in running {
            if own.iter().any(|name| name == one.name) && told.insert(one.name.to_owned()) {
                self.shown.told(&format!("{}: create without an object", one.name));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_machine_is_known_once_azure_has_it() {
        let data = STANDARD.encode("{}");
        let object = |status: Value, metadata: Value| {
            let ready = json!([{ "type": "Ready", "status": "True" }]);
            let mut object = json!({
                "metadata": metadata,
                "spec": { "osProfile": { "customData": data } },
                "status": { "conditions": ready },
            });
            json_patch::merge(&mut object["status"], &status);
            object
        };
        let id = json!({ "id": "/subscriptions/s/x" });
        let found = known(&object(id.clone(), json!({})));
        assert!(found.is_some_and(|machine| machine.is_ready && machine.pointer.expose() == "{}"));
        // One that Azure has refused gets an address that is still valid.
        assert!(known(&object(json!({}), json!({}))).is_none());
        assert!(known(&object(id.clone(), json!({ "deletionTimestamp": "2026-11-28T00:00:00Z" }))).is_none());
        let unready = json!({ "id": "/subscriptions/s/x", "conditions": [] });
        assert!(known(&object(unready, json!({}))).is_some_and(|machine| !machine.is_ready));
        let mut without = object(id, json!({}));
        without["spec"] = json!({});
        assert!(known(&without).is_none());
    }
}

//! What the operator's machines start from, created by landfall itself: the operator has no kinds for it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_engine_aso::desired::Need;
use landfall_engine_aso::drive::boot_sources::{self, Machine};
use landfall_engine_aso::drive::{self, Api as _, Failure, Live, Location, Watcher as _};
use landfall_engine_aso::translate::{Ignition, Input, Translation, translate};
use landfall_net::stop::Stop;
use landfall_platform::cloud::Session;
use landfall_platform::native::{BootSources, Secrets};

use crate::cli::aso::management::Shown;
use crate::cli::aso::without_object::Lines;
use crate::install::{BootSite, Booted, Fault, boot_notes};
use crate::prepare;
use crate::workdir::ClusterDir;

/// The bootstrap machine of a cluster, if Azure has it and its object is not being deleted.
pub(super) async fn machine(
    live: &Live,
    translation: &Translation,
    namespace: &str,
) -> Result<Option<Machine>, Failure> {
    let Some(desired) = boot_sources::bootstrap(translation) else { return Ok(None) };
    let at = Location {
        api_version: desired.api_version.clone(),
        plural: desired.kind.plural,
        namespace: Some(namespace.to_owned()),
        name: desired.name.clone(),
    };
    Ok(live.get(&at).await?.as_ref().and_then(boot_sources::machine))
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
        let say = |line: &str| self.shown.told(line);
        let lines = Lines::new(self.sources, &say);
        let notes = boot_notes(self.cluster, prepare::now)?;
        let site = BootSite {
            cluster_id: &self.input.plan.identity.cluster_id,
            api: &*api,
            watcher: &lines,
            stop: self.stop,
            journal: &notes,
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

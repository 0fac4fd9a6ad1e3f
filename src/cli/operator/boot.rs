//! What the machines of clusters start from, created in Azure for the controller of infrastructures.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use landfall_controllers::azure_infrastructure::{BootCreator, BootOrder, BootRemoval, Booted};
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind};
use landfall_engine_aso::anchor::{Credential, Proof};
use landfall_engine_native::MemoryNotes;
use landfall_install_config::verdict::active;
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::plan::Engine;
use landfall_platform::cloud::{Asking, Patience};
use landfall_platform::native::Secrets;
use landfall_platform::pages::{NOT_NATIVE_SETTING, not_native};
use landfall_platform::removal::{GivenTarget, Target};
use landfall_platform::{Platform, World};

use crate::cli::aso::without_object::Lines;
use crate::install::{BootSite, Fault, destroy_kinds};
use crate::prepare::{Environment, completed_bootstrap};

/// How long a connection may take, and a call with all its repetitions.
const PATIENCE: Patience =
    Patience { connect: Duration::from_secs(10), call: Duration::from_mins(1), at_once: 8 };
/// The name in the graph of the bootstrap machine's whole config.
const BOOTSTRAP: &str = "ignition_bootstrap";
/// The key of the Secret with a certificate, which stands for a path.
const CERTIFICATE: &str = "AZURE_CLIENT_CERTIFICATE";
/// The variable with the path of a token.
const TOKEN_FILE: &str = "AZURE_FEDERATED_TOKEN_FILE";

/// The creator; none where this program was built without what calls the cloud.
pub(super) fn creator() -> Option<Arc<dyn BootCreator>> {
    landfall_azure::PLATFORM.cloud().map(|_| Arc::new(Creator) as Arc<dyn BootCreator>)
}

struct Creator;

impl BootCreator for Creator {
    fn has_token(&self) -> bool {
        token_file().is_some()
    }

    fn create(&self, order: BootOrder) -> BoxFuture<'static, Booted> {
        async move { created(&order).await }.boxed()
    }

    fn remove(&self, order: BootRemoval) -> BoxFuture<'static, Booted> {
        async move { removed(&order).await }.boxed()
    }
}

async fn removed(order: &BootRemoval) -> Booted {
    let BootRemoval { infra_id, cloud_name, group, credential, stop } = order;
    let platform = landfall_azure::PLATFORM;
    let given = GivenTarget {
        infra_id: infra_id.clone(),
        cloud_name: cloud_name.clone(),
        resource_group: group.clone(),
        ..GivenTarget::default()
    };
    let account = Some(credential.subscription_id.clone());
    let target = Target { account, ..platform.target_of(&given) };
    let config = platform.config_of(&target).map_err(|finding| vec![*finding])?;
    let world = OfSecret { credential };
    let cloud = platform.cloud().ok_or_else(|| vec![not_native(platform.name())])?;
    let removal = cloud.removal(asking((&config, &config), "", &world), &target);
    tracing::info!(cluster = %infra_id, "removing the image gallery in {group}");
    let removed = destroy_kinds(&*removal, &target, &landfall_azure::IMAGE_KINDS, stop).await;
    removed.map(|()| Secret::default()).map_err(told)
}

/// What stopped the work.
fn told(fault: Fault) -> Vec<Finding> {
    match fault {
        Fault::Native { findings, .. } | Fault::Unseen(findings) => findings,
        Fault::Refused(finding) => vec![*finding],
        fault => vec![Finding::error(&NOT_NATIVE_SETTING, Kind::InternalError, "", fault.to_string())],
    }
}

/// What the cloud is asked with.
fn asking<'a>(
    (config, given): (&'a InstallConfig, &'a InstallConfig),
    release: &'a str,
    world: &'a OfSecret<'a>,
) -> Asking<'a> {
    Asking {
        config,
        given,
        catalogue: Catalogue::embedded(),
        release,
        installed: true,
        own_records: &[],
        checked: false,
        engine: Engine::Aso,
        world,
        patience: PATIENCE,
    }
}

async fn created(order: &BootOrder) -> Booted {
    let BootOrder { plan, credential, bootstrap, stop } = order;
    let catalogue = Catalogue::embedded();
    let Some(platform) = active(&plan.config) else { return Err(Vec::new()) };
    let unable = || vec![not_native(platform.name())];
    let sources = platform.boot_sources(plan, catalogue)?.ok_or_else(unable)?;
    let world = OfSecret { credential };
    let asking = asking((&plan.config, &plan.given), &plan.release, &world);
    let session = platform.cloud().ok_or_else(unable)?.session(asking);
    let bootstrap =
        completed_bootstrap(bootstrap, plan, None, Environment.today()).map_err(|finding| vec![*finding])?;
    let secrets = Secrets::from([(BOOTSTRAP.to_owned(), bootstrap)]);
    let infra_id = &plan.identity.infra_id;
    let api = session.api(infra_id, &secrets).ok_or_else(unable)?;
    let say = |line: &str| tracing::info!(cluster = %infra_id, "{line}");
    let site = BootSite {
        cluster_id: &plan.identity.cluster_id,
        api: &*api,
        watcher: &Lines::new(&sources, &say),
        stop,
        journal: &MemoryNotes::default(),
    };
    match site.apply(&sources).await {
        Ok(booted) => {
            for difference in &booted.differences {
                tracing::warn!(cluster = %infra_id, code = difference.code.as_str(), "{}", difference.message);
            }
            Ok(booted.pointer)
        }
        Err(fault) => Err(told(fault)),
    }
}

/// The file with a token of this program's service account.
fn token_file() -> Option<String> {
    Environment.variable(TOKEN_FILE).filter(|path| !path.is_empty())
}

/// The environment of this process with the credential of a cluster, and no other of Azure.
struct OfSecret<'c> {
    credential: &'c Credential,
}

impl World for OfSecret<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        let Credential { subscription_id, tenant_id, client_id, proof } = self.credential;
        let value = match (name, proof) {
            ("AZURE_SUBSCRIPTION_ID", _) => subscription_id.clone(),
            ("AZURE_TENANT_ID", _) => tenant_id.clone(),
            ("AZURE_CLIENT_ID", _) => client_id.clone(),
            ("AZURE_CLIENT_SECRET", Proof::Secret(secret)) => secret.expose().clone(),
            ("AZURE_CLIENT_CERTIFICATE_PATH", Proof::Certificate { .. }) => CERTIFICATE.to_owned(),
            ("AZURE_CLIENT_CERTIFICATE_PASSWORD", Proof::Certificate { password, .. }) => {
                password.expose().clone()
            }
            (TOKEN_FILE, Proof::WorkloadIdentity) => token_file()?,
            // The other settings of an identity.
            (name, _) if name.starts_with("AZURE") => return None,
            (name, _) => return Environment.variable(name),
        };
        Some(value).filter(|value| !value.is_empty())
    }

    fn file(&self, path: &str) -> Option<Vec<u8>> {
        match &self.credential.proof {
            Proof::Certificate { certificate, .. } if path == CERTIFICATE => {
                Some(certificate.expose().clone())
            }
            _ => Environment.file(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(proof: Proof) -> Credential {
        let [subscription_id, tenant_id, client_id] = ["s", "t", "c"].map(str::to_owned);
        Credential { subscription_id, tenant_id, client_id, proof }
    }

    #[test]
    fn a_program_that_calls_azure_has_a_creator() {
        assert_eq!(creator().is_some(), cfg!(feature = "azure"));
    }

    #[test]
    fn only_the_credential_of_the_cluster_acts() {
        let credential = credential(Proof::Secret(Secret::new("x".to_owned())));
        let world = OfSecret { credential: &credential };
        let given = landfall_azure::PLATFORM.credentials(&world);
        let given: Vec<(&str, &str)> =
            given.iter().map(|(name, value)| (*name, value.expose().as_str())).collect();
        let all = [("clientId", "c"), ("clientSecret", "x"), ("subscriptionId", "s"), ("tenantId", "t")];
        assert_eq!(given, all);
        assert_eq!(world.variable("AZURE_FEDERATED_TOKEN_FILE"), None);
        assert_eq!(world.file(CERTIFICATE), None);
    }

    #[test]
    fn a_certificate_is_a_file_of_this_world() {
        let certificate = Secret::new(b"pem".to_vec());
        let credential = credential(Proof::Certificate { certificate, password: Secret::default() });
        let world = OfSecret { credential: &credential };
        let path = world.variable("AZURE_CLIENT_CERTIFICATE_PATH").unwrap_or_default();
        assert_eq!(world.file(&path), Some(b"pem".to_vec()));
        assert_eq!(world.variable("AZURE_CLIENT_CERTIFICATE_PASSWORD"), None);
        assert_eq!(world.variable("AZURE_CLIENT_SECRET"), None);
    }
}

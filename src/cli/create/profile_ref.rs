//! A cloud profile that an object of a cluster has.

use std::path::Path;
use std::time::Duration;

use landfall_diagnostics::{Code, Finding, Kind};
use landfall_install_config::verdict::Outcome;
use landfall_kube::kinds::{GARDENER_PROFILES, LANDFALL_PROFILES};
use landfall_kube::objects::{ObjectRef, Objects as _};
use landfall_kube::{Access, Bad, Fault, Live};
use landfall_platform::World as _;
use serde_json::Value;

use crate::cli::aso::silent;
use crate::prepare::{Environment, ProfileFrom, Refusal, Said};
use crate::{prepare, wait};

static NOT_THERE: Code = Code::new("LF1466");

/// The flag.
const FLAG: &str = "--cloud-profile-ref";
/// How long a connection, and each part of an answer, may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The profile of this name in the cluster of `KUBECONFIG`, or of the pod in which landfall runs: `NAME` is a
/// `CloudProfile`, `NAMESPACE/NAME` a `PrivateCloudProfile` or a `NamespacedCloudProfile`.
///
/// # Errors
/// The kubeconfig cannot be used, the cluster does not answer, or there is no such profile.
pub(super) fn of_cluster(name: &str) -> Result<ProfileFrom, Refusal> {
    let variable = |name: &str| Environment.variable(name);
    let access = Access::of_run(None, &variable).map_err(|(path, bad)| {
        let message = format!("the kubeconfig {} {}", path.display(), bad.why);
        let finding = Finding { message, ..wait::pages::kubeconfig(&bad) };
        let refused = said(finding.help("set KUBECONFIG to that of the cluster with the cloud profiles"));
        if bad.bad == Bad::Unreadable { Refusal::Outside(refused) } else { Refusal::Invalid(refused) }
    })?;
    let runtime = prepare::runtime()?;
    let found = runtime.block_on(async { find(&Live::new(access.client(PATIENCE)?), name).await });
    let finding = match found {
        Ok(Some(object)) => return Ok(ProfileFrom::Object(format!("{FLAG} {name}"), object.to_string())),
        Ok(None) => {
            let message = format!("{} has no cloud profile `{name}`", access.authority());
            Finding::error(&NOT_THERE, Kind::Invalid, "", message)
                .help("check the name and the kubeconfig in KUBECONFIG; a private profile is NAMESPACE/NAME")
        }
        Err(fault) => {
            let message = format!("{}: {}", access.authority(), fault.why());
            Finding::error(&NOT_THERE, Kind::InternalError, "", message)
                .help("check the kubeconfig in KUBECONFIG, and that its user may read cloud profiles")
        }
    };
    Err(Refusal::Unfit(said(finding)))
}

async fn find(live: &Live, name: &str) -> Result<Option<Value>, Fault> {
    let groups = [&LANDFALL_PROFILES, &GARDENER_PROFILES].into_iter();
    let places: Vec<ObjectRef> = match name.split_once('/') {
        Some((namespace, name)) => groups
            .flat_map(|kinds| [&kinds.private, &kinds.namespaced])
            .map(|kind| ObjectRef::in_namespace(kind, namespace, name))
            .collect(),
        None => groups.map(|kinds| ObjectRef::in_cluster(&kinds.cloud, name)).collect(),
    };
    let mut nothing = Ok(None);
    for place in places {
        match live.get(&place).await {
            Ok(Some(found)) => return Ok(Some(found)),
            Ok(None) => {}
            // Somebody may be permitted to read another kind alone.
            Err(fault) => nothing = Err(fault),
        }
    }
    nothing
}

/// It is about no line of a file.
fn said(finding: Finding) -> Box<Said> {
    Box::new(silent(Path::new(FLAG), Outcome::Rejected, vec![finding]))
}

//! From an install config to the objects that it comes to.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use aws_lc_rs::digest::SHA256;
use landfall_cloud_profile::allowance;
use landfall_diagnostics::{Finding, Findings};
use landfall_engine_aso::desired::Policy;
use landfall_engine_aso::translate::patches::{Patch, by_object};
use landfall_engine_aso::translate::{Creator, Domains, Ignition, Input, Translation, translate};
use landfall_install_config::assets;
use landfall_install_config::verdict::{Outcome, Strictness, judge_keeping};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::{
    ALPHABET, Case, Cluster, Engine, Identity, Plan, RANDOM, cluster_id_of, infra_id_prefix,
};
use landfall_platform::Offline;
use landfall_render::Credentials;
use rand::seq::SliceRandom;
use serde_json::json;

use super::inputs::Configs;
use super::resource::{self, MachineZones, Machines, Spec, Stage};

/// Maximum number of findings in a message; more would not help the reader.
const TOLD: usize = 10;
/// Maximum length of all of them together, in characters.
const LONGEST: usize = 2000;
/// How many digits the digest of a plan has.
const DIGITS: usize = 16;

/// An install config that was accepted.
pub(super) struct Judged {
    pub(super) config: InstallConfig,
    given: InstallConfig,
    /// What is worth knowing of it.
    pub(super) warnings: Vec<Finding>,
}

/// The catalogue, restricted by a cloud profile if there is one.
pub(super) fn catalogue(profile: Option<&str>) -> Result<Cow<'static, Catalogue>, Vec<Finding>> {
    let known = Catalogue::embedded();
    Ok(match profile {
        None => Cow::Borrowed(known),
        Some(profile) => Cow::Owned(known.with_allowance(allowance::read(profile)?)),
    })
}

/// Judges an install config as `landfall validate` does.
pub(super) fn judged(text: &[u8], catalogue: &Catalogue) -> Result<Judged, Vec<Finding>> {
    let verdict = judge_keeping(text, Strictness::default(), catalogue);
    match (verdict.config, verdict.given) {
        (Some(config), Some(given)) if verdict.outcome == Outcome::Accepted => {
            Ok(Judged { config, given, warnings: verdict.findings })
        }
        _ => Err(verdict.findings),
    }
}

/// What is known besides the config.
pub(super) struct Known<'a> {
    pub(super) spec: &'a Spec,
    /// What is known of the cloud, and what of it may be used.
    pub(super) catalogue: &'a Catalogue,
    /// The release; none for the catalogue's default.
    pub(super) release: Option<&'a str>,
    pub(super) infra_id: &'a str,
    /// The ids of subscription, tenant and application.
    pub(super) ids: &'a Credentials,
    /// The source of the credential, if it matters.
    pub(super) source: Option<&'a str>,
    /// The facts, as a file would have them; none where the catalogue has to do.
    pub(super) facts: Option<&'a [u8]>,
    pub(super) ignition: &'a Configs,
}

/// What a config comes to.
pub(super) struct Target {
    pub(super) plan: Plan,
    pub(super) translation: Translation,
    /// The name of the cloud.
    pub(super) cloud: String,
    /// The release.
    pub(super) release: String,
    /// The region.
    pub(super) region: String,
    /// The types of all machines, each once.
    pub(super) machine_types: Vec<String>,
    /// The zones of all machines, each once.
    pub(super) zones: Vec<String>,
    /// The types with the zones of each.
    pub(super) machines: Vec<MachineZones>,
}

/// Plans, and translates the plan into the operator's objects.
pub(super) fn planned(judged: &Judged, known: &Known<'_>) -> Result<Target, Vec<Finding>> {
    let (mut plan, release) = plan(judged, known)?;
    // Ignition configs name the address that the load balancer is to have.
    if let (Some(given), Some(azure)) = (known.spec.api_internal_ip, &mut plan.platform.azure)
        && let Some(planned) = &mut azure.load_balancers.api_address
    {
        *planned = given;
    }
    let azure = plan.platform.azure.as_ref();
    let name = azure.map_or("", |azure| azure.cloud.name.as_str());
    let pools = azure.into_iter().flat_map(|azure| azure.compute.iter().chain([&azure.control_plane]));
    let mut machines: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for pool in pools {
        let zones = pool.zones.iter().filter(|zone| !zone.is_empty()).cloned();
        machines.entry(pool.size.clone()).or_default().extend(zones);
    }
    let zones: BTreeSet<&String> = machines.values().flatten().collect();
    let control_plane = known.ignition.control_plane(&plan);
    let bootstrap = known.ignition.bootstrap.as_deref();
    let ignition = Ignition { bootstrap, control_plane: control_plane.as_deref() };
    let translation = translated(&plan, known.spec, ignition)?;
    Ok(Target {
        cloud: name.to_owned(),
        release,
        region: azure.map(|azure| azure.location.clone()).unwrap_or_default(),
        machine_types: machines.keys().cloned().collect(),
        zones: zones.into_iter().cloned().collect(),
        machines: machines.into_iter().map(MachineZones::from).collect(),
        translation,
        plan,
    })
}

/// Translates a plan into the operator's objects, whose machines have these ignition configs.
pub(super) fn translated(
    plan: &Plan,
    spec: &Spec,
    ignition: Ignition<'_>,
) -> Result<Translation, Vec<Finding>> {
    let azure = plan.platform.azure.as_ref();
    let name = azure.map_or("", |azure| azure.cloud.name.as_str());
    let Spec { machines, stage, adopt_policy, api_internal_ip, .. } = spec;
    let patches = spec.patches.iter().cloned();
    let patches = by_object(patches.map(|resource::Patch { kind, name, patch }| Patch { kind, name, patch }));
    let mut translation = translate(&Input {
        plan,
        cloud: Domains::of(&Catalogue::embedded().azure, name),
        machines: *machines == Machines::Aso,
        bootstrap: *stage == Stage::Bootstrap,
        api_internal_ip: *api_internal_ip,
        ignition,
        patches: &patches,
        creator: Creator::Operator,
    })?;
    for desired in &mut translation.objects {
        if desired.hints.adopt_policy == Policy::Manage {
            desired.hints.adopt_policy = Policy::from(*adopt_policy);
        }
    }
    Ok(translation)
}

fn plan(judged: &Judged, known: &Known<'_>) -> Result<(Plan, String), Vec<Finding>> {
    let Judged { config, given, .. } = judged;
    let catalogue = known.catalogue;
    let mut out = Findings::default();
    let Some(release) = assets::release(catalogue, known.release, &mut out) else {
        return Err(out.into_vec());
    };
    let mut facts = if let Some(bytes) = known.facts {
        Facts::read(bytes)?
    } else {
        let offline = Offline { config, catalogue, release, credentials: known.ids };
        assets::offline_facts(&offline, &mut out)
    };
    // Whoever gathered the facts, it is this credential that acts.
    if let (Some(azure), Some(source)) = (&mut facts.azure, known.source) {
        source.clone_into(&mut azure.identity);
    }
    let infra_id = known.infra_id.to_owned();
    let cluster_id = cluster_id_of(&infra_id, &Cluster::of(config).domain);
    let identity = Identity { infra_id, cluster_id };
    let case = Case {
        config,
        given,
        facts: &facts,
        catalogue,
        release,
        identity: &identity,
        installed: true,
        own_records: &[],
        engine: Engine::Aso,
    };
    match assets::plan(&case, &mut out) {
        Some(plan) => Ok((plan, release.to_owned())),
        None => Err(out.into_vec()),
    }
}

/// A new infrastructure ID for a cluster of this name.
pub(super) fn new_id(name: &str) -> String {
    let mut rng = rand::thread_rng();
    let random = std::iter::repeat_with(|| ALPHABET.choose(&mut rng).copied().unwrap_or(b'b'));
    infra_id_prefix(name) + &random.take(RANDOM).map(char::from).collect::<String>()
}

/// A digest of what is wanted, the same for the same objects.
pub(super) fn digest_of(translation: &Translation) -> String {
    let objects: Vec<_> = translation
        .objects
        .iter()
        .map(|one| json!([one.api_version, one.kind.kind, one.name, one.spec, one.hints.patches]))
        .collect();
    digest(&json!(objects).to_string())
}

/// A digest of a text.
pub(super) fn digest(text: &str) -> String {
    let digest = aws_lc_rs::digest::digest(&SHA256, text.as_bytes());
    let mut digits = String::new();
    for byte in digest.as_ref().iter().take(DIGITS / 2) {
        // Writing to a text cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The errors of a config, in sentences with the names of the fields.
pub(super) fn told(findings: &[Finding]) -> String {
    let mut errors = findings.iter().filter(|finding| finding.is_error());
    let sentence = |finding: &Finding| match finding.field.as_str() {
        "" => format!("{} ({})", finding.message, finding.code.as_str()),
        field => format!("{field}: {} ({})", finding.message, finding.code.as_str()),
    };
    let mut lines: Vec<String> = errors.by_ref().take(TOLD).map(sentence).collect();
    let more = errors.count();
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.join("; ").chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_azure::credentials::{SUBSCRIPTION_ID, TENANT_ID};
    use landfall_diagnostics::secret::Secret;

    const CONFIG: &str = r#"
apiVersion: v1
baseDomain: example.com
metadata: { name: demo }
platform:
  azure: { region: eastus, baseDomainResourceGroupName: dns-rg }
pullSecret: '{"auths":{"example.com":{"auth":"ZHVtbXk6ZHVtbXk="}}}'
"#;

    fn objects(spec: &Spec) -> Result<Target, Vec<Finding>> {
        objects_of(CONFIG, spec, None)
    }

    fn objects_of(config: &str, spec: &Spec, source: Option<&str>) -> Result<Target, Vec<Finding>> {
        let ids = Credentials::from([
            (SUBSCRIPTION_ID, Secret::new("11111111-2222-3333-4444-555555555555".to_owned())),
            (TENANT_ID, Secret::new("99999999-8888-7777-6666-555555555555".to_owned())),
        ]);
        let catalogue = Catalogue::embedded();
        let release = Some(spec.release.as_str()).filter(|release| !release.is_empty());
        let known = Known {
            spec,
            catalogue,
            release,
            infra_id: "demo-x7k2p",
            ids: &ids,
            source,
            facts: None,
            ignition: &Configs::default(),
        };
        planned(&judged(config.as_bytes(), catalogue)?, &known)
    }

    /// Whether the storage account takes its keys.
    fn by_key(target: &Target) -> Option<bool> {
        let account = target.translation.objects.iter().find(|one| one.kind.kind == "StorageAccount")?;
        account.spec.get("allowSharedKeyAccess")?.as_bool()
    }

    #[test]
    fn what_only_the_operator_makes_is_planned() -> Result<(), Vec<Finding>> {
        let config = CONFIG.replace("region: eastus,", "region: eastus, allowSharedKeyAccess: false,");
        assert_eq!(by_key(&objects_of(&config, &Spec::default(), None)?), Some(false));
        assert_eq!(by_key(&objects(&Spec::default())?), Some(true));
        Ok(())
    }

    #[test]
    fn a_managed_identity_needs_no_keys() -> Result<(), Vec<Finding>> {
        let source = Some("managed-identity");
        assert_eq!(by_key(&objects_of(CONFIG, &Spec::default(), source)?), Some(false));
        Ok(())
    }

    #[test]
    fn a_config_comes_to_objects() -> Result<(), Vec<Finding>> {
        let spec = Spec::default();
        let (one, again) = (objects(&spec)?, objects(&spec)?);
        assert!(one.translation.objects.len() > 10);
        assert_eq!(one.zones, ["1", "2", "3"]);
        assert_eq!(digest_of(&one.translation), digest_of(&again.translation));
        let adopted = |target: &Target, policy: Policy| {
            target.translation.objects.iter().filter(|one| one.hints.adopt_policy == policy).count()
        };
        assert_eq!(adopted(&one, Policy::DetachOnDelete), 0);
        let detached =
            objects(&Spec { adopt_policy: super::super::resource::AdoptPolicy::DetachOnDelete, ..spec })?;
        assert_eq!(adopted(&detached, Policy::Manage), 0);
        assert_eq!(adopted(&detached, Policy::Skip), adopted(&one, Policy::Skip));
        Ok(())
    }

    #[test]
    fn each_machine_type_has_the_zones_of_its_pools() -> Result<(), Vec<Finding>> {
        let pool = |name: &str, size: &str, zones: &str| {
            format!(
                "{{ name: {name}, replicas: 3, platform: {{ azure: {{ type: {size}, zones: [{zones}] }} }} }}"
            )
        };
        let machines = |compute: &str| -> Result<_, Vec<Finding>> {
            let master = pool("master", "Standard_D8s_v3", "'1'");
            let worker = pool("worker", compute, "'3', '2'");
            let config = format!("{CONFIG}controlPlane: {master}\ncompute: [{worker}]\n");
            let target = objects_of(&config, &Spec::default(), None)?;
            assert_eq!(target.zones, ["1", "2", "3"]);
            Ok(json!(target.machines))
        };
        let apart = json!([
            { "type": "Standard_D4s_v3", "zones": ["2", "3"] },
            { "type": "Standard_D8s_v3", "zones": ["1"] },
        ]);
        assert_eq!(machines("Standard_D4s_v3")?, apart);
        let together = json!([{ "type": "Standard_D8s_v3", "zones": ["1", "2", "3"] }]);
        assert_eq!(machines("standard_d8s_v3")?, together);
        Ok(())
    }

    #[test]
    fn a_patch_is_for_an_object_of_the_plan() {
        let patched = |kind: &str| {
            let (kind, name, patch) = (kind.to_owned(), "demo-x7k2p-vnet".to_owned(), "{}".to_owned());
            let spec = Spec { patches: vec![resource::Patch { kind, name, patch }], ..Spec::default() };
            objects(&spec).err().map(|findings| told(&findings))
        };
        assert_eq!(patched("VirtualNetwork"), None);
        let told = patched("Network").unwrap_or_default();
        assert!(told.contains("Network/demo-x7k2p-vnet") && told.contains("LF1510"), "{told}");
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_field() {
        let wrong = CONFIG.replace("baseDomain: example.com", "baseDomain: Not A Domain");
        let findings = judged(wrong.as_bytes(), Catalogue::embedded()).err().unwrap_or_default();
        assert!(told(&findings).contains("baseDomain: "), "{}", told(&findings));
        assert!(
            judged(b"{", Catalogue::embedded()).err().is_some_and(|findings| !told(&findings).is_empty())
        );
    }

    #[test]
    fn a_new_id_is_made_of_the_name() {
        let id = new_id("demo");
        assert!(id.starts_with("demo-") && id.len() == "demo-".len() + RANDOM, "{id}");
    }
}

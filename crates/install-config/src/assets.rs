//! From an accepted config to the plan, and from the plan to every file.
//!
//! Pure: joins the platforms to the rooms that know none of them, as [`crate::verdict`] does for
//! judging.

use landfall_diagnostics::secret::without_user;
use landfall_diagnostics::{Finding, Findings, Span, sort};
use landfall_model::catalogue::{Catalogue, minor_version};
use landfall_model::config::{InstallConfig, capability_sets};
use landfall_model::facts::{Facts, Source, VERSION};
use landfall_model::plan::{self, Case, Cluster, Introduced, Plan, check_introduced};
use landfall_platform::{Offline, World};

use crate::accepted::check_accepted;
use crate::verdict::{active, field_places, places};
pub use landfall_render::Credentials;
use landfall_render::{Extras, File};
use landfall_rules::{capabilities, features};
use semver::Version;

/// The user's credentials for the cloud of a config.
#[must_use]
pub fn credentials(config: &InstallConfig, world: &dyn World) -> Credentials {
    active(config).map(|platform| platform.credentials(world)).unwrap_or_default()
}

/// The facts that the catalogue alone gives.
pub fn offline_facts(offline: &Offline<'_>, out: &mut Findings) -> Facts {
    let facts = active(offline.config).map(|platform| platform.offline_facts(offline, out));
    Facts { version: VERSION, source: Source::Catalogue, ..facts.unwrap_or_default() }
}

/// The settings of no platform that not every release has.
pub(crate) const INTRODUCED: &[Introduced] = &[
    Introduced::new([4, 16], None, |config| {
        (config.feature_set == "DevPreviewNoUpgrade").then(|| "featureSet".to_owned())
    }),
    Introduced::new([4, 21], None, |config| {
        let i = config.image_digest_sources.iter().position(|entry| !entry.source_policy.is_empty())?;
        Some(format!("imageDigestSources[{i}].sourcePolicy"))
    }),
    Introduced::new([4, 22], Some("ConfigurablePKI"), |config| {
        config.pki.is_some().then(|| "pki".to_owned())
    }),
    Introduced::new([4, 22], Some(features::OS_STREAMS), |config| {
        (!config.os_image_stream.is_empty()).then(|| "osImageStream".to_owned())
    }),
    Introduced::new([4, 22], Some("ClusterAPIMachineManagementAWS"), |config| {
        let (path, _) = config.pools().find(|(_, pool)| pool.management == "ClusterAPI")?;
        Some(format!("{path}.management"))
    }),
];

/// Refuses what a release does not have.
pub(crate) fn check_release(config: &InstallConfig, release: [u64; 2], out: &mut Findings) {
    check_introduced(INTRODUCED, config, release, out);
    check_introduced(active(config).map_or(&[][..], |platform| platform.introduced()), config, release, out);
    features::check_stream(config, release, out);
    let Some(capabilities) = &config.capabilities else { return };
    let set = (capabilities.baseline_capability_set.as_str(), "baselineCapabilitySet".to_owned());
    let components = capabilities.additional_enabled_capabilities.iter().enumerate();
    let components = components.filter(|(_, name)| capability_sets::came_optional(name)).map(|(i, name)| {
        (capability_sets::optional_since(name), format!("additionalEnabledCapabilities[{i}]"))
    });
    for (since, field) in std::iter::once((capability_sets::since(set.0), set.1)).chain(components) {
        if let Some(since) = since.filter(|since| release < *since) {
            out.push(plan::pages::not_in_release(&format!("capabilities.{field}"), since, release));
        }
    }
}

/// Reports what a cluster cannot be created with, although it is planned and its files are written, as users may have
/// another use for these.
pub fn check_creation(config: &InstallConfig, out: &mut Findings) {
    if active(config).is_some_and(|platform| !platform.stages().is_empty()) {
        capabilities::check_machine_api(config, out);
    }
}

/// Decides everything. None, with the reasons as errors in `out`, where that cannot be done.
#[must_use]
pub fn plan(case: &Case<'_>, out: &mut Findings) -> Option<Plan> {
    let before = out.errors();
    for (pointer, url) in case.config.platform.secret_urls() {
        if without_user(url) != url {
            out.push(plan::pages::endpoint_with_user(&path_of(&pointer)));
        }
    }
    check_accepted(case.config, out);
    // What a default chose is not what the user asked for. The verdict on a config has said it, if there was one.
    if let Some(release) = minor_version(case.release) {
        check_release(case.given, release, out);
    }
    let images = case.catalogue.release(case.release).map_or("", |release| release.os_image_stream.as_str());
    let mut stream = case.given.os_image_stream.as_str();
    if !stream.is_empty() && !images.is_empty() && stream != images {
        out.push(plan::pages::other_os_images(case.release, images, stream));
    }
    if stream.is_empty() {
        stream = images;
    }
    let release = minor_version(case.release);
    let has_streams = release.is_some_and(|release| {
        release >= [4, 22] && features::is_on(case.given, features::OS_STREAMS, Some(release))
    });
    let size = case.config.pki.as_ref().and_then(|pki| pki.signer_certificates.key.rsa.as_ref());
    if let Some(rsa) = size.filter(|rsa| !plan::RSA_SIZES.contains(&rsa.key_size)) {
        out.push(plan::pages::no_such_key("pki.signerCertificates.key.rsa.keySize", rsa.key_size));
    }
    // What a default chose is not what the user asked for.
    for (path, pool) in case.given.pools() {
        if !pool.disk_setup.is_empty() && active(case.config).is_none_or(|active| !active.has_data_disks()) {
            out.push(plan::pages::not_made(&format!("{path}.diskSetup"), "data disks"));
        }
    }
    let (mut config, mut given) = (case.config.clone(), case.given.clone());
    if let Some(platform) = active(case.config) {
        platform.add_found(case, &mut config, &mut given);
    }
    let case = &Case { config: &config, given: &given, ..*case };
    let decided = active(case.config).and_then(|platform| platform.plan(case, out));
    if decided.is_none() && out.errors() == before {
        let name = case.config.platform.present().first().copied().unwrap_or_default();
        out.push(plan::pages::no_assets(name));
    }
    if out.errors() > before {
        return None;
    }
    let plan = Plan {
        version: 1,
        release: case.release.to_owned(),
        os_image_stream: if has_streams { stream.to_owned() } else { String::new() },
        identity: case.identity.clone(),
        cluster: Cluster::of(&config),
        platform: decided?,
        config,
        given,
    };
    let addresses = plan.api_addresses();
    if let (false, Some(platform)) = (addresses.is_empty(), active(&plan.config)) {
        let field = format!("platform.{}.userProvisionedDNS", platform.name());
        out.push(plan::pages::user_records(&field, &plan.cluster, &addresses));
    }
    Some(plan)
}

/// A JSON pointer as a field path: `/a/0/b` is `a[0].b`.
fn path_of(pointer: &str) -> String {
    let mut path = String::new();
    for part in pointer.split('/').filter(|part| !part.is_empty()) {
        if part.bytes().all(|b| b.is_ascii_digit()) {
            path.extend(["[", part, "]"]);
        } else {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(part);
        }
    }
    path
}

/// Every file of a cluster, sorted by path; none for a plan without a platform.
#[must_use]
pub fn files(plan: &Plan, extras: &Extras<'_>) -> Vec<File> {
    let rendered = active(&plan.config).and_then(|platform| {
        let (assets, unset) = platform.assets(plan, extras).zip(platform.unset(plan))?;
        let stages = if platform.has_modules(plan) { platform.stages() } else { &[] };
        Some(landfall_render::files(plan, &assets, &unset, stages, platform.name(), extras))
    });
    rendered.unwrap_or_default()
}

/// Gives the findings of planning their places in the text of the config, and sorts them.
#[must_use]
pub fn placed(findings: Findings, config: &InstallConfig, text: &str) -> Vec<Finding> {
    let tree = landfall_source::read(text, &mut Findings::default());
    let mut findings = findings.into_vec();
    places(&mut findings, config, &tree);
    sort(&mut findings);
    findings
}

/// The places of fields in the text of the config; none for the field without a name.
#[must_use]
pub fn spans(fields: &[String], config: &InstallConfig, text: &str) -> Vec<Option<Span>> {
    let tree = landfall_source::read(text, &mut Findings::default());
    field_places(fields, config, &tree)
}

/// The catalogue's name of a release (`4.19`, also written `v4.19` or `4.19.3`); none, with the reason in `out`, for
/// one that it does not know.
pub fn release<'a>(catalogue: &'a Catalogue, wanted: Option<&'a str>, out: &mut Findings) -> Option<&'a str> {
    let Some(wanted) = wanted else {
        return catalogue.default_release();
    };
    if let Some((known, _)) = catalogue.releases.get_key_value(wanted) {
        return Some(known);
    }
    if let Some((known, _)) = minor(wanted).and_then(|minor| catalogue.releases.get_key_value(&minor)) {
        return Some(known);
    }
    let known: Vec<&str> = catalogue.releases.keys().map(String::as_str).collect();
    out.push(plan::pages::unknown_release(wanted, &known));
    None
}

/// The minor version of a version with or without a patch, and with or without `v`.
fn minor(version: &str) -> Option<String> {
    let version = version.strip_prefix('v').unwrap_or(version);
    if let Ok(whole) = Version::parse(version) {
        return Some(format!("{}.{}", whole.major, whole.minor));
    }
    let whole = Version::parse(&format!("{version}.0")).ok()?;
    Some(format!("{}.{}", whole.major, whole.minor))
}

//! Terraform variables and `metadata.json`: `assets.md`, chapters C and E.

use landfall_model::config::{InstallConfig, Network};
use landfall_model::plan::{Plan, Since};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Extras, File, PlatformAssets, openshift, text};

/// The file with the bootstrap machine's ignition config, seen from a stage's folder.
const IGNITION_FILE: &str = "../bootstrap.ign";

/// The variables that all platforms have, with the OpenShift installer's names and order.
#[derive(Serialize)]
struct Variables<'a> {
    cluster_id: &'a str,
    cluster_domain: &'a str,
    base_domain: &'a str,
    master_count: u32,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    masters_schedulable: bool,
    machine_v4_cidrs: Vec<String>,
    machine_v6_cidrs: Vec<String>,
    use_ipv4: bool,
    use_ipv6: bool,
    ignition_bootstrap: &'a str,
    ignition_bootstrap_file: &'a str,
    ignition_master: String,
}

/// Identity of a cluster and what destroy needs, in the OpenShift installer's order.
#[derive(Serialize)]
struct Metadata<'a> {
    #[serde(rename = "clusterName")]
    cluster_name: &'a str,
    #[serde(rename = "clusterID")]
    cluster_id: &'a str,
    #[serde(rename = "infraID")]
    infra_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    landfall: Option<Own<'a>>,
    #[serde(flatten)]
    platform: std::collections::BTreeMap<&'a str, &'a RawValue>,
    #[serde(flatten)]
    features: Option<Features<'a>>,
}

/// The features that the cluster is installed with, which `metadata.json` names from 4.19 on.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Features<'a> {
    feature_set: &'a str,
    custom_feature_set: Option<Value>,
}

/// What only landfall's own `destroy` reads.
#[derive(Serialize)]
struct Own<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    machines: Option<bool>,
    #[serde(rename = "additionalTrustBundle", skip_serializing_if = "str::is_empty")]
    additional_trust_bundle: &'a str,
}

/// The variable files, the bootstrap machine's ignition config and `metadata.json`.
pub(super) fn files(plan: &Plan, assets: &PlatformAssets, extras: &Extras<'_>, platform: &str) -> Vec<File> {
    let bootstrap = bootstrap_ignition(plan, extras);
    vec![
        File::secret("terraform/terraform.tfvars.json", tfvars(&variables(plan, assets, extras, &bootstrap))),
        File::secret("terraform/terraform.platform.auto.tfvars.json", tfvars(&assets.tfvars)),
        File::secret("terraform/landfall.auto.tfvars.json", tfvars(&assets.own_tfvars)),
        File::secret("terraform/bootstrap.ign", bootstrap.clone()),
        File::open("metadata.json", metadata(plan, assets, extras, platform)),
    ]
}

fn variables<'a>(
    plan: &'a Plan,
    assets: &PlatformAssets,
    extras: &Extras<'_>,
    bootstrap: &'a str,
) -> Variables<'a> {
    let cluster = &plan.cluster;
    let networks = machine_networks(&plan.config);
    let of_family = |v4: bool| networks.iter().filter(|net| net.is_ipv4() == v4).map(written).collect();
    let services = plan.config.networking.iter().flat_map(|n| &n.service_network);
    let (v4, v6): (Vec<&Network>, Vec<&Network>) = services.partition(|net| net.is_ipv4());
    Variables {
        cluster_id: &plan.identity.infra_id,
        cluster_domain: &cluster.domain,
        base_domain: &cluster.base_domain,
        master_count: cluster.control_plane_replicas,
        masters_schedulable: extras.masters_schedulable.unwrap_or(cluster.compute_replicas == 0),
        machine_v4_cidrs: of_family(true),
        machine_v6_cidrs: of_family(false),
        use_ipv4: !v4.is_empty(),
        use_ipv6: !v6.is_empty(),
        ignition_bootstrap: bootstrap,
        ignition_bootstrap_file: IGNITION_FILE,
        ignition_master: extras.master_ignition.map_or_else(
            || openshift::pointer(plan, assets, extras, "master"),
            |given| given.expose().clone(),
        ),
    }
}

fn machine_networks(config: &InstallConfig) -> Vec<Network> {
    config.networking.iter().flat_map(|n| n.machine_network.iter().map(|m| m.cidr.clone())).collect()
}

/// A network as written.
pub(super) fn written(network: &Network) -> String {
    network.given().map_or_else(String::new, ToString::to_string)
}

/// The bootstrap machine's ignition config, which brings the cluster word of who installed it.
fn bootstrap_ignition(plan: &Plan, extras: &Extras<'_>) -> String {
    let note = text::yaml(&super::openshift::install_note(plan, extras, "openshift-install"));
    let ignition = extras.bootstrap_ignition.map(|secret| secret.expose().as_str());
    text::with_file(ignition, "/opt/openshift/manifests/openshift-install.yaml", &note)
}

fn metadata(plan: &Plan, assets: &PlatformAssets, extras: &Extras<'_>, platform: &str) -> String {
    let metadata = Metadata {
        cluster_name: &plan.cluster.name,
        cluster_id: &plan.identity.cluster_id,
        infra_id: &plan.identity.infra_id,
        landfall: Some(Own {
            account: extras.account,
            engine: extras.engine.map(|engine| engine.name.as_str()),
            namespace: extras
                .engine
                .map(|engine| engine.namespace.as_str())
                .filter(|namespace| !namespace.is_empty()),
            machines: extras.engine.and_then(|engine| engine.machines.then_some(true)),
            additional_trust_bundle: &plan.config.additional_trust_bundle,
        })
        .filter(|own| own.account.is_some() || own.engine.is_some()),
        platform: std::collections::BTreeMap::from([(platform, &*assets.metadata)]),
        features: plan.has(Since::Today).then(|| Features {
            feature_set: &plan.config.feature_set,
            custom_feature_set: openshift::custom_gates(&plan.config).or_else(|| {
                (plan.config.feature_set == "CustomNoUpgrade").then(|| Value::Object(serde_json::Map::new()))
            }),
        }),
    };
    text::raw(&metadata).get().to_owned()
}

/// JSON with two blanks of indentation, in which no character means anything to HTML, as Go writes it.
fn tfvars<T: Serialize>(value: &T) -> String {
    // The types have text as keys and finite numbers.
    let compact = serde_json::to_string(value).unwrap_or_default();
    let mut out = Vec::with_capacity(compact.len() * 2);
    let mut pretty = serde_json::Serializer::pretty(&mut out);
    let mut reader = serde_json::Deserializer::from_str(&compact);
    // Transcoding keeps the order of the keys, which a raw value carries.
    if serde_transcode::transcode(&mut reader, &mut pretty).is_err() {
        return compact;
    }
    let text = String::from_utf8(out).unwrap_or(compact);
    // These characters stand in strings only.
    text.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

//! The findings of planning on Azure, each with its page.

use std::ops::RangeInclusive;

use landfall_diagnostics::{Code, Finding, Kind, nearest, shortened};
use landfall_model::azure::catalogue::Minimums;
use landfall_model::plan::Engine;
use landfall_rules::allowance;

use super::sizes::Wish;

pub(super) const REGION: &str = "platform.azure.region";

const CLOUD: Code = Code::new("LF0751");
const FACTS: Code = Code::new("LF0752");
const LOCATION: Code = Code::new("LF0753");
pub(super) const DEFAULT_SIZE: Code = Code::new("LF0754");
pub(super) const SIZE: Code = Code::new("LF0755");
const TOO_SMALL: Code = Code::new("LF0756");
const FITNESS: Code = Code::new("LF0757");
const CAPABILITY: Code = Code::new("LF0758");
const ZONES: Code = Code::new("LF0759");
const IMAGE: Code = Code::new("LF0760");
const STACK_IMAGE: Code = Code::new("LF0761");
const ENVIRONMENT: Code = Code::new("LF0762");
const TOO_NARROW: Code = Code::new("LF0763");
const NOT_MADE: Code = Code::new("LF0764");
const CLOSED: Code = Code::new("LF0780");
const PROTECTIONS: Code = Code::new("LF0788");
const OS_DISK_SIZE: Code = Code::new("LF0789");
const OS_DISK_KEYS: Code = Code::new("LF0790");
const NO_VAULT_DOMAIN: Code = Code::new("LF0782");
const KEYS_NEEDED: Code = Code::new("LF0783");
const DATA_DISK: Code = Code::new("LF0784");
const GATEWAY_ZONES: Code = Code::new("LF0792");
/// The engine cannot create clusters in the cloud.
const ENGINE_CLOUD: Code = Code::new("LF0791");

fn type_of(wish: &Wish<'_>) -> String {
    format!("{}.platform.azure.type", wish.path)
}

pub(super) fn cloud_closed(name: &str) -> Finding {
    let message = format!("the cloud `{}` no longer exists", shortened(name));
    Finding::warning(&CLOSED, Kind::Invalid, "platform.azure.cloudName", message).help("choose another cloud")
}

pub(super) fn cloud_not_known(name: &str) -> Finding {
    let message = format!("the catalogue does not describe the cloud `{}`", shortened(name));
    Finding::error(&CLOUD, Kind::NotSupported, "platform.azure.cloudName", message)
        .help("add it under azure.clouds to a catalogue overlay")
}

pub(super) fn facts_of_another(field: &str, found: &str, wanted: &str) -> Finding {
    let message = format!("the facts are for `{}`, not for `{}`", shortened(found), shortened(wanted));
    Finding::error(&FACTS, Kind::Invalid, format!("platform.azure.{field}"), message)
        .help("pass facts that were gathered for this config with --facts FILE")
}

pub(super) fn location_not_known(
    location: &str,
    clouds: &[&str],
    near: Option<&str>,
    offline: bool,
) -> Finding {
    let message = format!("the machine sizes of `{}` are unknown", shortened(location));
    let ask = if offline {
        "remove --offline, or pass a facts file with --facts"
    } else {
        "pass a facts file with --facts"
    };
    let help = match (clouds, near) {
        ([], Some(near)) => {
            format!("did you mean `{near}`? if not, {ask}, or add the location to a catalogue overlay")
        }
        ([], None) => format!("{ask}, or add the location to a catalogue overlay"),
        ([cloud, ..], _) => format!("{ask}; the catalogue has the location in {cloud}"),
    };
    Finding::error(&LOCATION, Kind::Invalid, REGION, message).help(help)
}

pub(super) fn no_default_size(location: &str, wish: &Wish<'_>, default: &str, fitting: &[&str]) -> Finding {
    let message = match default {
        "" => format!("there is no default size for {} machines", shortened(wish.architecture)),
        name => format!("`{}` does not offer the default size {name}", shortened(location)),
    };
    let field = type_of(wish);
    let help = if fitting.is_empty() {
        format!("set {field}; no suitable size is known there")
    } else {
        format!("set {field}; the location offers {}", allowance::first_of(fitting))
    };
    Finding::error(&DEFAULT_SIZE, Kind::Required, field, message).at("platform.azure.region").help(help)
}

pub(super) fn size_not_known<'a>(
    location: &str,
    wish: &Wish<'_>,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Finding {
    let message = format!("`{}` is not known to offer {}", shortened(location), shortened(name));
    let help = match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "use a size that the location offers, or pass a facts file with --facts".to_owned(),
    };
    Finding::error(&SIZE, Kind::NotSupported, type_of(wish), message).help(help)
}

pub(super) fn size_restricted(location: &str, wish: &Wish<'_>, name: &str, why: &str) -> Finding {
    let message = format!(
        "`{}` does not allow the subscription to use {name}: {}",
        shortened(location),
        shortened(why)
    );
    Finding::error(&SIZE, Kind::Invalid, type_of(wish), message)
        .help("use another size, or ask Azure support to allow this one for the subscription")
}

pub(super) fn too_small(
    wish: &Wish<'_>,
    name: &str,
    (vcpus, memory): (Option<f64>, Option<f64>),
    least: &Minimums,
) -> Finding {
    let number =
        |value: Option<f64>| value.map_or_else(|| "an unknown number of".to_owned(), |n| n.to_string());
    let message = format!(
        "{name} has {} virtual CPUs and {} GiB of memory; a {} machine needs {} and {}",
        number(vcpus),
        number(memory),
        wish.role.name(),
        least.vcpus,
        least.memory_gb
    );
    Finding::error(&TOO_SMALL, Kind::Invalid, type_of(wish), message).help("use a larger size")
}

pub(super) fn other_architecture(wish: &Wish<'_>, name: &str) -> Finding {
    let message = format!("{name} is not {}", shortened(wish.architecture));
    Finding::error(&FITNESS, Kind::Invalid, type_of(wish), message)
        .related("the pool's architecture", format!("{}.architecture", wish.path))
        .help("use a size of that architecture")
}

pub(super) fn unsupported_family(wish: &Wish<'_>, name: &str, family: &str) -> Finding {
    let message = format!("sizes of the family {family}, such as {name}, cannot run the operating system");
    Finding::error(&FITNESS, Kind::Invalid, type_of(wish), message).help("use a size of another family")
}

pub(super) fn capability_missing(wish: &Wish<'_>, name: &str, capability: &str, field: &str) -> Finding {
    let message = format!("{name} does not have the capability {capability} in this location");
    Finding::error(&CAPABILITY, Kind::Invalid, format!("{}.platform.azure.{field}", wish.path), message)
        .help(format!("set {} to a size that supports it, or remove the setting", type_of(wish)))
}

pub(super) fn zones_not_offered(path: &str, name: &str, missing: &[&str], offering: &[String]) -> Finding {
    let missing: Vec<String> = missing.iter().map(|zone| shortened(zone)).collect();
    let message = format!("{name} is not known to be offered in zone {}", missing.join(", "));
    let help = match offering {
        [] => "remove `zones`: the location offers this size without zones".to_owned(),
        [..] => format!("choose among the zones {}", offering.join(", ")),
    };
    Finding::warning(&ZONES, Kind::Invalid, format!("{path}.platform.azure.zones"), message).help(help)
}

pub(super) fn image_missing(release: &str, architecture: &str) -> Finding {
    let message = format!("the image of release {release} is unknown for {}", shortened(architecture));
    Finding::error(&IMAGE, Kind::Required, "controlPlane.architecture", message)
        .help("pass the stream metadata of the release with --stream")
}

/// Two pools that start from the image of the cluster with protections that exclude each other.
pub(super) fn two_protections(path: &str, kind: &str, other: &str, other_kind: &str) -> Finding {
    let field = format!("{path}.platform.azure.settings.securityType");
    let message = format!(
        "{kind} machines cannot start from the image that pool {other} starts {other_kind} machines from"
    );
    Finding::error(&PROTECTIONS, Kind::NotSupported, field, message)
        .help("use one securityType for all pools, or give one of them a marketplace image with `osImage`")
}

pub(super) fn disk_size(path: &str, size: i64, possible: &RangeInclusive<i64>) -> Finding {
    let (least, most) = (possible.start(), possible.end());
    let message = format!("invalid OS disk size: {size} GiB; accepted: {least} to {most}");
    Finding::error(&OS_DISK_SIZE, Kind::Invalid, format!("{path}.platform.azure.osDisk.diskSizeGB"), message)
        .help(format!("write a size from {least} to {most}"))
}

pub(super) fn keys_without_whole_disk(path: &str, wanted: &str) -> Finding {
    let profile = format!("{path}.platform.azure.osDisk.securityProfile");
    let message = format!("`securityProfile.diskEncryptionSet` needs `securityEncryptionType: {wanted}`");
    Finding::error(&OS_DISK_KEYS, Kind::Invalid, format!("{profile}.diskEncryptionSet"), message)
        .help(format!("write `securityEncryptionType: {wanted}`, or set it in `osDisk.diskEncryptionSet`"))
}

pub(super) fn two_sets_of_keys(path: &str) -> Finding {
    let disk = format!("{path}.platform.azure.osDisk");
    let message = "an OS disk is encrypted with one disk encryption set, not with two";
    Finding::error(&OS_DISK_KEYS, Kind::Invalid, format!("{disk}.diskEncryptionSet"), message)
        .related("the other set", format!("{disk}.securityProfile.diskEncryptionSet"))
        .help("remove `osDisk.diskEncryptionSet`: a confidential VM uses the set of `securityProfile`")
}

pub(crate) fn hub_without_engine() -> Finding {
    let message =
        "neither landfall's native engine nor terraform's azurerm provider works with an Azure Stack Hub";
    Finding::error(&ENGINE_CLOUD, Kind::NotSupported, "platform.azure.cloudName", message).help(
        "`landfall create manifests` writes the manifests; create the infrastructure with other tools; \
         `landfall destroy cluster` removes it",
    )
}

pub(crate) fn cloud_without_engine(name: &str) -> Finding {
    let message = format!("no engine creates clusters in the cloud `{}`", shortened(name));
    Finding::error(&ENGINE_CLOUD, Kind::NotSupported, "platform.azure.cloudName", message)
        .help("choose another cloud; Microsoft closed the German one in 2021")
}

pub(super) fn stack_image_missing() -> Finding {
    let message = "the image of the machines is not known";
    Finding::warning(&STACK_IMAGE, Kind::Required, "platform.azure.clusterOSImage", message)
        .help("add `clusterOSImage` with the URL of an image in a storage account of the hub")
}

pub(super) fn environment_not_known() -> Finding {
    let message = "the endpoints of the Azure Stack Hub are not known";
    Finding::warning(&ENVIRONMENT, Kind::Required, "platform.azure.armEndpoint", message)
        .help("pass a facts file with --facts")
}

pub(super) fn network_too_small() -> Finding {
    let message = "the network is too small for a control plane subnet and a compute subnet";
    Finding::error(&TOO_NARROW, Kind::Invalid, "networking.machineNetwork[0].cidr", message)
        .help("use a larger network")
}

/// Subnets of a new network that have fewer addresses than the cluster needs in them.
pub(super) fn network_without_room(role: &str, usable: i64, needed: u32) -> Finding {
    let message = format!(
        "the network is too small: the {role} subnet would have {usable} usable addresses, and the cluster needs \
         {needed} in it"
    );
    Finding::error(&TOO_NARROW, Kind::Invalid, "networking.machineNetwork[0].cidr", message)
        .help("use a larger network")
}

/// What this engine does not make, with the engines that do.
pub(super) fn no_storage_domain(field: &str, cloud: &str) -> Finding {
    let message = format!("the domain of storage accounts in {} is unknown", shortened(cloud));
    Finding::error(&NOT_MADE, Kind::NotSupported, field, message)
        .help("set storageEndpointSuffix of the cloud in a catalogue overlay, or use type: Disabled")
}

pub(super) fn not_made(field: &str, what: &str, engine: Engine, engines: &[Engine]) -> Finding {
    let message = format!("landfall does not create clusters with {what}");
    let Some(other) = engines.first() else {
        return Finding::error(&NOT_MADE, Kind::NotSupported, field, message).help("remove the setting");
    };
    let message = format!("{message} with the engine {}", engine.name());
    Finding::error(&NOT_MADE, Kind::NotSupported, field, message)
        .help(format!("remove the setting, or create the cluster with `--engine {}`", other.name()))
}

/// A key of a vault whose address cannot be told.
pub(super) fn no_vault_domain(cloud: &str) -> Finding {
    let message = format!("the domain of key vaults in {} is unknown", shortened(cloud));
    Finding::error(&NO_VAULT_DOMAIN, Kind::NotSupported, "platform.azure.customerManagedKey", message)
        .help("set keyVaultDNSSuffix of the cloud in a catalogue overlay")
}

/// Why the bootstrap machine could not read its ignition config from an account without access keys.
pub(super) fn keys_needed(why: &str) -> Finding {
    let message = format!("the bootstrap machine could not read its ignition config: {why}");
    Finding::error(&KEYS_NEEDED, Kind::NotSupported, "platform.azure.allowSharedKeyAccess", message)
        .help("remove `allowSharedKeyAccess`, or create the cluster with `--engine aso`")
}

/// A data disk that Azure does not create.
pub(super) fn data_disk(field: &str, fault: &str, help: &'static str) -> Finding {
    Finding::error(&DATA_DISK, Kind::Invalid, field, fault).help(help)
}

/// NAT gateways of zones where the compute machines have none.
pub(super) fn gateways_without_zones() -> Finding {
    let message = "the compute machines are in no zone, and `NATGatewayMultiZone` needs zones";
    Finding::error(&GATEWAY_ZONES, Kind::Invalid, "platform.azure.outboundType", message)
        .help("write `outboundType: NATGatewaySingleZone`, or use a location and a size with zones")
}

/// A pool in zones without a subnet.
pub(super) fn pool_without_subnet(index: usize, zones: &[&str]) -> Finding {
    let zones = zones.join(", ");
    let message = format!("no zone of the pool has a subnet; the node subnets are in the zones {zones}");
    Finding::error(&GATEWAY_ZONES, Kind::Invalid, format!("compute[{index}].platform.azure.zones"), message)
        .help("use one of these zones, or add a node subnet to `platform.azure.subnets`")
}

//! The findings of planning on Azure, each with its page.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity, nearest, shortened};
use landfall_model::azure::catalogue::Minimums;
use landfall_model::plan::Engine;

use super::sizes::Wish;
use super::{account_pages, cloud_pages};

pub(super) const REGION: &str = "platform.azure.region";

const CLOUD: Page = Page {
    code: "LF0751",
    title: "the cloud is one that the catalogue describes",
    text: "The catalogue says by which name terraform knows a cloud and what the cloud can do. A catalogue \
           overlay adds clouds, or changes those that are there.",
    severity: Severity::Error,
    fields: &["platform.azure.cloudName"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const FACTS: Page = Page {
    code: "LF0752",
    title: "the facts are those of the config's cloud and location",
    text: "Sizes and zones differ from location to location. Gather the facts again after a change of \
           cloud or location.",
    severity: Severity::Error,
    fields: &["platform.azure.region", "platform.azure.cloudName"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const LOCATION: Page = Page {
    code: "LF0753",
    title: "the sizes that the location offers are known",
    text: "Sizes and zones of machines come from what the cloud or the catalogue says of the location. For \
           one that the catalogue does not list, gather facts, or add the location to a catalogue overlay.",
    severity: Severity::Error,
    fields: &["platform.azure.region"],
    base: Base::Azure,
    bad: "platform:\n  azure:\n    region: mooneast\n    baseDomainResourceGroupName: dns-rg\n",
    good: "platform:\n  azure:\n    region: eastus\n    baseDomainResourceGroupName: dns-rg\n",
};
pub(super) const DEFAULT_SIZE: Page = Page {
    code: "LF0754",
    title: "a size is named where the location does not offer the usual one",
    text: "Without a size in the config, the catalogue's size for the role and the architecture is taken. \
           Not every location offers it to every subscription.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.type"],
    base: Base::Azure,
    bad: "controlPlane:\n  architecture: ppc64le\ncompute:\n- name: worker\n  architecture: ppc64le\n",
    good: "controlPlane:\n  architecture: arm64\ncompute:\n- name: worker\n  architecture: arm64\n",
};
pub(super) const SIZE: Page = Page {
    code: "LF0755",
    title: "a size that is named is one that the location offers",
    text: "The facts have all sizes that the location offers to the subscription; without facts, the \
           catalogue has the usual ones.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.type"],
    base: Base::Azure,
    bad: "controlPlane:\n  platform:\n    azure:\n      type: Standard_D8s_v55\n",
    good: "controlPlane:\n  platform:\n    azure:\n      type: Standard_D8s_v5\n",
};
const TOO_SMALL: Page = Page {
    code: "LF0756",
    title: "machines are large enough for their role",
    text: "Control plane machines have at least 4 virtual CPUs and 16 GiB of memory, compute machines 2 \
           and 8.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.type"],
    base: Base::Azure,
    bad: "controlPlane:\n  platform:\n    azure:\n      type: Standard_D2s_v5\n",
    good: "controlPlane:\n  platform:\n    azure:\n      type: Standard_D8s_v5\n",
};
const FITNESS: Page = Page {
    code: "LF0757",
    title: "a size can run the operating system, in the architecture of its pool",
    text: "The name of a size says of which processors it is: a `p` after the number stands for arm64. \
           Some families run Windows only.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.type", "<pool>.architecture"],
    base: Base::Azure,
    bad: "controlPlane:\n  platform:\n    azure:\n      type: Standard_D8ps_v5\n",
    good: "controlPlane:\n  platform:\n    azure:\n      type: Standard_D8s_v5\n",
};
const CAPABILITY: Page = Page {
    code: "LF0758",
    title: "a size has what its pool asks for",
    text: "Accelerated networking, premium and ultra disks, encryption by the host and protected start are \
           capabilities of a size. Name another size, or do without.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.type",
        "<pool>.platform.azure.vmNetworkingType",
        "<pool>.platform.azure.osDisk.diskType",
        "<pool>.platform.azure.ultraSSDCapability",
        "<pool>.platform.azure.encryptionAtHost",
        "<pool>.platform.azure.settings.securityType",
    ],
    base: Base::Azure,
    bad: "compute:\n- name: worker\n  platform:\n    azure:\n      type: Standard_D2s_v3\n      \
          vmNetworkingType: Accelerated\n",
    good: "compute:\n- name: worker\n  platform:\n    azure:\n      type: Standard_D4s_v3\n      \
           vmNetworkingType: Accelerated\n",
};
const ZONES: Page = Page {
    code: "LF0759",
    title: "the zones of a pool offer its size",
    text: "A machine cannot be made in a zone that does not offer its size to the subscription.",
    severity: Severity::Warning,
    fields: &["<pool>.platform.azure.zones"],
    base: Base::Azure,
    bad: "controlPlane:\n  platform:\n    azure:\n      zones: ['1', '4']\n",
    good: "controlPlane:\n  platform:\n    azure:\n      zones: ['1', '2']\n",
};
const IMAGE: Page = Page {
    code: "LF0760",
    title: "an image of the release is known for the architecture",
    text: "The image is copied into the cluster's storage account. The catalogue knows those of its \
           releases, and --stream brings the images of any other.",
    severity: Severity::Error,
    fields: &["controlPlane.architecture"],
    base: Base::Azure,
    bad: "controlPlane:\n  architecture: ppc64le\ncompute:\n- name: worker\n  architecture: ppc64le\n",
    good: "controlPlane:\n  architecture: arm64\ncompute:\n- name: worker\n  architecture: arm64\n",
};
const STACK_IMAGE: Page = Page {
    code: "LF0761",
    title: "on an Azure Stack Hub the config names the image of the machines",
    text: "The published image does not start on a Stack Hub. Upload the one for Stack Hubs to a storage \
           account of the hub and give its URL.",
    severity: Severity::Warning,
    fields: &["platform.azure.clusterOSImage"],
    base: Base::AzureStack,
    bad: "publish: External\n",
    good: "platform:\n  azure:\n    region: local\n    baseDomainResourceGroupName: dns-rg\n    \
           cloudName: AzureStackCloud\n    armEndpoint: https://management.local.example.com\n    \
           clusterOSImage: https://vhds.blob.local.example.com/images/rhcos.vhd\n",
};
const ENVIRONMENT: Page = Page {
    code: "LF0762",
    title: "the endpoints of an Azure Stack Hub are known",
    text: "The cloud provider reads them from the key `endpoints` of cloud-provider-config.yaml. Only the \
           hub knows them: gather facts, or add the key by hand.",
    severity: Severity::Warning,
    fields: &["platform.azure.armEndpoint"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const TOO_NARROW: Page = Page {
    code: "LF0763",
    title: "the first network of machines has room for two subnets",
    text: "The network is cut into halves, one for the control plane and one for compute machines. Azure \
           makes no subnet that is smaller than /29, and keeps five addresses of each for itself.",
    severity: Severity::Error,
    fields: &["networking.machineNetwork"],
    base: Base::Azure,
    bad: "networking:\n  machineNetwork:\n  - cidr: 10.0.0.0/29\n",
    good: "networking:\n  machineNetwork:\n  - cidr: 10.0.0.0/24\n",
};
const NOT_MADE: Page = Page {
    code: "LF0764",
    title: "the config asks only for what landfall makes",
    text: "Some settings of newer OpenShift installers are judged but not acted on, or not by every engine. \
           They are refused before anything is made rather than silently left out. Azure Service Operator \
           makes a customer-managed key, a storage account without keys, and machines with identities of \
           the user's own; terraform makes none of these yet.",
    severity: Severity::Error,
    fields: &[
        "platform.azure.userProvisionedDNS",
        "platform.azure.customerManagedKey",
        "platform.azure.allowSharedKeyAccess",
        "platform.azure.outboundType",
        "<pool>.platform.azure.bootDiagnostics",
        "<pool>.platform.azure.identity",
        "<pool>.platform.azure.dataDisks",
    ],
    base: Base::Azure,
    bad: "controlPlane:\n  platform:\n    azure:\n      bootDiagnostics:\n        type: Managed\n",
    good: "controlPlane:\n  platform:\n    azure:\n      encryptionAtHost: true\n",
};
const CLOSED: Page = Page {
    code: "LF0780",
    title: "the cluster goes into a cloud that is in operation",
    text: "The name of a closed cloud stays valid, so that old files can be read and compared, but nothing \
           can be installed there.",
    severity: Severity::Warning,
    fields: &["platform.azure.cloudName"],
    base: Base::Azure,
    bad: "platform:\n  azure:\n    region: germanycentral\n    baseDomainResourceGroupName: dns-rg\n    \
          cloudName: AzureGermanCloud\n",
    good: "platform:\n  azure:\n    region: eastus\n    baseDomainResourceGroupName: dns-rg\n    \
           cloudName: AzurePublicCloud\n",
};

/// The pages of these findings.
pub(in super::super) const PAGES: &[&Page] = &[
    &account_pages::ACCOUNT,
    &CLOUD,
    &FACTS,
    &LOCATION,
    &DEFAULT_SIZE,
    &SIZE,
    &TOO_SMALL,
    &FITNESS,
    &CAPABILITY,
    &ZONES,
    &IMAGE,
    &STACK_IMAGE,
    &ENVIRONMENT,
    &TOO_NARROW,
    &NOT_MADE,
    &CLOSED,
    &account_pages::APPLICATION,
    &cloud_pages::LOCATION,
    &cloud_pages::SIZE_ZONES,
    &cloud_pages::ULTRA_ZONES,
    &cloud_pages::CONFIDENTIAL,
    &cloud_pages::TRUSTED,
    &cloud_pages::NETWORK,
    &cloud_pages::SUBNET,
    &cloud_pages::ADDRESSES,
    &cloud_pages::NETWORK_LOCATION,
    &cloud_pages::GROUP,
    &cloud_pages::GROUP_LOCATION,
    &cloud_pages::OWNER,
    &cloud_pages::NOT_EMPTY,
    &cloud_pages::DNS_ZONE,
    &cloud_pages::RECORDS,
    &cloud_pages::TERRAFORM,
    &cloud_pages::UNTOLD,
];

fn type_of(wish: &Wish<'_>) -> String {
    format!("{}.platform.azure.type", wish.path)
}

pub(super) fn cloud_closed(name: &str) -> Finding {
    let message = format!("the cloud `{}` was closed", shortened(name));
    Finding::warning(&CLOSED, Kind::Invalid, "platform.azure.cloudName", message)
        .help("choose another cloud; what was in this one is gone")
}

pub(super) fn cloud_not_known(name: &str) -> Finding {
    let message = format!("the catalogue does not describe the cloud `{}`", shortened(name));
    Finding::error(&CLOUD, Kind::NotSupported, "platform.azure.cloudName", message)
        .help("add it under azure.clouds to a catalogue overlay")
}

pub(super) fn facts_of_another(field: &str, found: &str, wanted: &str) -> Finding {
    let message = format!("the facts are those of `{}`, not of `{}`", shortened(found), shortened(wanted));
    Finding::error(&FACTS, Kind::Invalid, format!("platform.azure.{field}"), message)
        .help("give facts that were gathered for this config with --facts FILE")
}

pub(super) fn location_not_known(location: &str, clouds: &[&str], offline: bool) -> Finding {
    let message = format!("nothing is known of the machine sizes of `{}`", shortened(location));
    let ask = if offline {
        "leave --offline out where it is given, give a facts file with --facts"
    } else {
        "give a facts file with --facts"
    };
    let help = match clouds {
        [] => format!("{ask}, or add the location to a catalogue overlay"),
        [cloud, ..] => format!("{ask}; the catalogue has the location in {cloud}"),
    };
    Finding::error(&LOCATION, Kind::Invalid, REGION, message).help(help)
}

pub(super) fn no_default_size(location: &str, wish: &Wish<'_>, default: &str, fitting: &[&str]) -> Finding {
    const MOST: usize = 10;
    let message = match default {
        "" => format!("there is no usual size for {} machines", shortened(wish.architecture)),
        name => format!("`{}` does not offer the usual size {name}", shortened(location)),
    };
    let field = type_of(wish);
    let help = if fitting.is_empty() {
        format!("set {field}; no size that would do is known there")
    } else {
        let first: Vec<&str> = fitting.iter().take(MOST).copied().collect();
        let more = if fitting.len() > MOST { " and others" } else { "" };
        format!("set {field}; the location offers {}{more}", first.join(", "))
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
        None => "name a size that the location offers, or give a facts file with --facts".to_owned(),
    };
    Finding::error(&SIZE, Kind::NotSupported, type_of(wish), message).help(help)
}

pub(super) fn size_restricted(location: &str, wish: &Wish<'_>, name: &str, why: &str) -> Finding {
    let message =
        format!("`{}` does not let the subscription use {name}: {}", shortened(location), shortened(why));
    Finding::error(&SIZE, Kind::Invalid, type_of(wish), message)
        .help("name another size, or ask Azure's support to open this one to the subscription")
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
    Finding::error(&TOO_SMALL, Kind::Invalid, type_of(wish), message).help("name a larger size")
}

pub(super) fn other_architecture(wish: &Wish<'_>, name: &str) -> Finding {
    let message = format!("{name} has no {} processors", shortened(wish.architecture));
    Finding::error(&FITNESS, Kind::Invalid, type_of(wish), message)
        .related("the pool's architecture", format!("{}.architecture", wish.path))
        .help("name a size of that architecture")
}

pub(super) fn unsupported_family(wish: &Wish<'_>, name: &str, family: &str) -> Finding {
    let message = format!("sizes of the family {family}, such as {name}, cannot run the operating system");
    Finding::error(&FITNESS, Kind::Invalid, type_of(wish), message).help("name a size of another family")
}

pub(super) fn capability_missing(wish: &Wish<'_>, name: &str, capability: &str, field: &str) -> Finding {
    let message = format!("{name} does not have the capability {capability} in this location");
    Finding::error(&CAPABILITY, Kind::Invalid, format!("{}.platform.azure.{field}", wish.path), message)
        .help(format!("set {} to a size that has it, or do without", type_of(wish)))
}

pub(super) fn zones_not_offered(path: &str, name: &str, missing: &[&str], offering: &[String]) -> Finding {
    let missing: Vec<String> = missing.iter().map(|zone| shortened(zone)).collect();
    let message = format!("{name} is not known to be offered in zone {}", missing.join(", "));
    let help = match offering {
        [] => "leave `zones` out: the location offers this size without zones".to_owned(),
        [..] => format!("choose among the zones {}", offering.join(", ")),
    };
    Finding::warning(&ZONES, Kind::Invalid, format!("{path}.platform.azure.zones"), message).help(help)
}

pub(super) fn image_missing(release: &str, architecture: &str) -> Finding {
    let message = format!("no image of release {release} is known for {}", shortened(architecture));
    Finding::error(&IMAGE, Kind::Required, "controlPlane.architecture", message)
        .help("give the stream metadata of the release with --stream")
}

pub(super) fn stack_image_missing() -> Finding {
    let message = "the image of the machines is not known";
    Finding::warning(&STACK_IMAGE, Kind::Required, "platform.azure.clusterOSImage", message)
        .help("add `clusterOSImage` with the URL of an image in a storage account of the hub")
}

pub(super) fn environment_not_known() -> Finding {
    let message = "the endpoints of the Azure Stack Hub are not known";
    Finding::warning(&ENVIRONMENT, Kind::Required, "platform.azure.armEndpoint", message)
        .help("give a facts file with --facts")
}

pub(super) fn network_too_small() -> Finding {
    let message = "the network has no room for a subnet of the control plane and one of compute machines";
    Finding::error(&TOO_NARROW, Kind::Invalid, "networking.machineNetwork[0].cidr", message)
        .help("give a larger network")
}

/// What this engine does not make, with the engines that do.
pub(super) fn not_made(field: &str, what: &str, engine: Engine, engines: &[Engine]) -> Finding {
    let message = format!("landfall does not make clusters with {what}");
    let Some(other) = engines.first() else {
        return Finding::error(&NOT_MADE, Kind::NotSupported, field, message).help("leave the setting out");
    };
    let message = format!("{message} where the engine is {}", engine.name());
    Finding::error(&NOT_MADE, Kind::NotSupported, field, message)
        .help(format!("leave the setting out, or make the cluster with `--engine {}`", other.name()))
}

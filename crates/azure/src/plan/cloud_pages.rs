//! The findings of planning that compare the config with what the cloud has, each with its page.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity, nearest, shortened};
use landfall_model::azure::facts::{DnsZone, Network, ResourceGroup, Subnet};

use super::pages::{self, SIZE};
use super::sizes::Wish;

/// The most names in a message or its help.
const MOST: usize = 10;
/// The most resources and records in a message.
const FEW: usize = 2;

const REGION: &str = "platform.azure.region";
const VIRTUAL_NETWORK: &str = "platform.azure.virtualNetwork";
const RESOURCE_GROUP: &str = "platform.azure.resourceGroupName";
const MACHINE_NETWORK: &str = "networking.machineNetwork";
/// The field of a pool that asks for ultra disks.
const ULTRA: &str = "ultraSSDCapability";

pub(super) const LOCATION: Page = Page {
    code: "LF0765",
    title: "the location is one that the subscription is offered",
    text: "A subscription has its own list of locations, and some of them are opened on request only. A \
           location is written as the resource manager writes it: in lower case and without blanks.",
    severity: Severity::Error,
    fields: &["platform.azure.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const SIZE_ZONES: Page = Page {
    code: "LF0766",
    title: "the cloud offers a pool's size in each of the pool's zones",
    text: "Zones differ from size to size, and subscriptions are kept out of some. A machine cannot be made \
           in a zone that does not offer its size to the subscription.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.zones"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const ULTRA_ZONES: Page = Page {
    code: "LF0767",
    title: "ultra disks are to be had in every zone of a pool",
    text: "Ultra disks are attached to machines in zones only, and a location has them for a size in some of \
           its zones. Without `zones` a pool is spread over all zones of its size.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.type",
        "<pool>.platform.azure.ultraSSDCapability",
        "<pool>.platform.azure.zones",
    ],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const CONFIDENTIAL: Page = Page {
    code: "LF0768",
    title: "confidential machines have a size whose processors can keep secrets from their host",
    text: "Such sizes have the capability `ConfidentialComputingType` with the value `SNP` or `TDX`. Their \
           names begin with `Standard_DC` or `Standard_EC`.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.settings.securityType", "<pool>.platform.azure.type"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const TRUSTED: Page = Page {
    code: "LF0769",
    title: "machines with trusted launch have a size that can start so",
    text: "Most sizes of the second generation can. Some say that they cannot, by the capability \
           `TrustedLaunchDisabled`, and confidential sizes start confidential machines only.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.settings.securityType", "<pool>.platform.azure.type"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const NETWORK: Page = Page {
    code: "LF0770",
    title: "an existing virtual network is in the resource group that is named",
    text: "A virtual network is known by its name and its resource group, in the subscription of the \
           credentials.",
    severity: Severity::Error,
    fields: &["platform.azure.virtualNetwork", "platform.azure.networkResourceGroupName"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const SUBNET: Page = Page {
    code: "LF0771",
    title: "existing subnets are in the existing virtual network",
    text: "One subnet is for the control plane and one for compute machines. Both must be there before.",
    severity: Severity::Error,
    fields: &[
        "platform.azure.subnets[].name",
        "platform.azure.controlPlaneSubnet",
        "platform.azure.computeSubnet",
    ],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const ADDRESSES: Page = Page {
    code: "LF0772",
    title: "existing subnets lie in the machine networks",
    text: "The machine networks are left out of the proxy, and the cluster takes the addresses in them for \
           its machines'. Machines with other addresses would be strangers to it.",
    severity: Severity::Error,
    fields: &[
        "platform.azure.subnets[].name",
        "platform.azure.controlPlaneSubnet",
        "platform.azure.computeSubnet",
        "networking.machineNetwork",
    ],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const NETWORK_LOCATION: Page = Page {
    code: "LF0773",
    title: "an existing virtual network is in the cluster's location",
    text: "A machine's network card can only be in a network of the machine's own location.",
    severity: Severity::Error,
    fields: &["platform.azure.virtualNetwork", "platform.azure.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const GROUP: Page = Page {
    code: "LF0774",
    title: "an existing resource group is in the subscription",
    text: "With `resourceGroupName` the cluster goes into a group that is there already. Without it a group \
           is made, and goes with the cluster.",
    severity: Severity::Error,
    fields: &["platform.azure.resourceGroupName"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const GROUP_LOCATION: Page = Page {
    code: "LF0775",
    title: "an existing resource group is in the cluster's location",
    text: "The location of a group is where Azure keeps what it knows of the resources in it. The cluster's \
           are in `region`.",
    severity: Severity::Error,
    fields: &["platform.azure.resourceGroupName", "platform.azure.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const OWNER: Page = Page {
    code: "LF0776",
    title: "an existing resource group belongs to no other cluster",
    text: "A group with a tag `kubernetes.io_cluster.<id>` is that of the cluster of that id. It is deleted \
           with all that is in it when that cluster is destroyed.",
    severity: Severity::Error,
    fields: &["platform.azure.resourceGroupName"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const NOT_EMPTY: Page = Page {
    code: "LF0777",
    title: "an existing resource group is empty",
    text: "Destroying the cluster deletes the group with all that is in it, so nothing else may be there.",
    severity: Severity::Error,
    fields: &["platform.azure.resourceGroupName"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const DNS_ZONE: Page = Page {
    code: "LF0778",
    title: "the public DNS zone of the base domain is in the resource group that is named",
    text: "The names of a cluster that can be reached from outside are records of this zone. Another group, \
           or another subscription, may have it.",
    severity: Severity::Error,
    fields: &["platform.azure.baseDomainResourceGroupName", "baseDomain"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const RECORDS: Page = Page {
    code: "LF0779",
    title: "the public DNS zone has no records of an earlier cluster",
    text: "A record of the API's name is that of a cluster of the same name that is still there, or was not \
           destroyed completely. The new cluster's would collide with it.",
    severity: Severity::Error,
    fields: &["baseDomain", "metadata.name"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const TERRAFORM: Page = Page {
    code: "LF0785",
    title: "terraform can find the endpoints of the cloud",
    text: "The provider of terraform knows the endpoints of some clouds by a name of its own, the key \
           `terraformEnvironment` of a cloud in the catalogue. Those of others it asks of the host in \
           `metadataHost`. Without either it would take the public cloud.",
    severity: Severity::Error,
    fields: &["platform.azure.cloudName"],
    base: Base::Whole,
    bad: "",
    good: "",
};
pub(super) const UNTOLD: Page = Page {
    code: "LF0786",
    title: "the cloud tells how large a pool's machines are, and of which architecture",
    text: "The number of virtual CPUs, the memory and the architecture are capabilities of a size. Where \
           one of them is missing, nothing is compared with it.",
    severity: Severity::Warning,
    fields: &["<pool>.platform.azure.type"],
    base: Base::Whole,
    bad: "",
    good: "",
};

pub(super) fn not_for_terraform(cloud: &str) -> Finding {
    let cloud = shortened(cloud);
    let message = format!("the catalogue does not say how terraform finds the cloud `{cloud}`");
    Finding::error(&TERRAFORM, Kind::Required, "platform.azure.cloudName", message).help(format!(
        "add `metadataHost`, the host of its resource manager, or `terraformEnvironment` under \
         azure.clouds.{cloud} in the catalogue overlay"
    ))
}

pub(super) fn size_untold(wish: &Wish<'_>, name: &str, missing: &[&str]) -> Finding {
    let message = format!("the cloud does not tell {} of {name}", missing.join(", "));
    Finding::warning(&UNTOLD, Kind::Invalid, machines(wish, "type"), message)
        .help("look whether its machines are large enough and of the pool's architecture")
}

pub(super) fn location_not_offered(name: &str, cloud: &str, help: String) -> Finding {
    let message = format!("`{}` is no location that {cloud} offers to the subscription", shortened(name));
    Finding::error(&LOCATION, Kind::Invalid, REGION, message).help(help)
}

pub(super) fn location_spelled(given: &str, name: &str) -> Finding {
    let (given, name) = (shortened(given), shortened(name));
    let message = format!("`{given}` is not how the resource manager writes the location `{name}`");
    Finding::error(&LOCATION, Kind::Invalid, REGION, message).help(format!("write `region: {name}`"))
}

pub(super) fn size_not_offered(location: &str, wish: &Wish<'_>, name: &str, fitting: &[&str]) -> Finding {
    let message = format!("{} is not offered in `{}`", shortened(name), shortened(location));
    let help = match nearest(name, fitting.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? the location offers it"),
        None if fitting.is_empty() => "name a size that the location offers".to_owned(),
        None => format!("name a size that the location offers, such as {}", listed(fitting)),
    };
    Finding::error(&SIZE, Kind::NotSupported, machines(wish, "type"), message).help(help)
}

pub(super) fn size_not_in_zones(path: &str, name: &str, missing: &[&str], offering: &[String]) -> Finding {
    let message = format!("{name} is not offered to the subscription in zone {}", listed(missing));
    let help = match offering {
        [] => "leave `zones` out: the location offers this size without zones".to_owned(),
        [..] => format!("choose among the zones {}", offering.join(", ")),
    };
    Finding::error(&SIZE_ZONES, Kind::Invalid, format!("{path}.platform.azure.zones"), message).help(help)
}

pub(super) fn ultra_not_in_zones(wish: &Wish<'_>, name: &str, missing: &[&str], having: &[&str]) -> Finding {
    let message = format!("{name} has no ultra disks in zone {}", listed(missing));
    let help = if having.is_empty() {
        format!("set {} to a size that has them, or do without", machines(wish, "type"))
    } else {
        format!("set {} to zones among {}, or do without", machines(wish, "zones"), listed(having))
    };
    ultra(wish, message).help(help)
}

pub(super) fn ultra_without_zones(location: &str, wish: &Wish<'_>, name: &str) -> Finding {
    let location = shortened(location);
    ultra(wish, format!("ultra disks need zones, and `{location}` offers {name} without any"))
        .help("name another location or size, or do without")
}

fn ultra(wish: &Wish<'_>, message: String) -> Finding {
    Finding::error(&ULTRA_ZONES, Kind::Invalid, machines(wish, "type"), message)
        .related("where ultra disks are asked for", machines(wish, ULTRA))
}

/// That a size has no ultra disks at all.
pub(super) fn no_ultra(wish: &Wish<'_>, name: &str, capability: &str) -> Finding {
    pages::capability_missing(wish, name, capability, "type")
        .related("where ultra disks are asked for", machines(wish, ULTRA))
}

pub(super) fn not_confidential(wish: &Wish<'_>, name: &str) -> Finding {
    let message = format!("{name} cannot be a confidential machine");
    Finding::error(&CONFIDENTIAL, Kind::Invalid, machines(wish, "settings.securityType"), message)
        .help(format!("set {} to a confidential size, or leave `settings` out", machines(wish, "type")))
}

pub(super) fn not_trusted(wish: &Wish<'_>, name: &str) -> Finding {
    let message = format!("{name} has no trusted launch");
    Finding::error(&TRUSTED, Kind::Invalid, machines(wish, "settings.securityType"), message)
        .help(format!("set {} to a size that has it, or leave `settings` out", machines(wish, "type")))
}

/// A field of a pool's settings.
fn machines(wish: &Wish<'_>, field: &str) -> String {
    format!("{}.platform.azure.{field}", wish.path)
}

pub(super) fn no_network(name: &str, group: &str) -> Finding {
    let message =
        format!("there is no virtual network `{}` in the group `{}`", shortened(name), shortened(group));
    Finding::error(&NETWORK, Kind::Invalid, VIRTUAL_NETWORK, message)
        .help("name one that `az network vnet list -o table` shows, and its group")
        .related("the group", "platform.azure.networkResourceGroupName")
}

pub(super) fn network_elsewhere(name: &str, network: &Network, region: &str) -> Finding {
    let message = format!(
        "the virtual network `{}` is in `{}`, and the cluster in `{}`",
        shortened(name),
        shortened(&network.location),
        shortened(region)
    );
    Finding::error(&NETWORK_LOCATION, Kind::Invalid, VIRTUAL_NETWORK, message)
        .help("name a virtual network of the cluster's location, or another location")
        .related("the cluster's location", REGION)
}

/// Where a subnet is reported, and where it stands.
pub(super) struct Place {
    /// Field path that the OpenShift installer has for it.
    pub field: &'static str,
    /// Field path of its real place.
    pub at: String,
}

pub(super) fn no_subnet(place: Place, name: &str, network: &str, there: &[&str]) -> Finding {
    let message = format!("there is no subnet `{}` in `{}`", shortened(name), shortened(network));
    let help = match nearest(name, there.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if there.is_empty() => "create the subnet, or name another virtual network".to_owned(),
        None => format!("the virtual network has {}", listed(there)),
    };
    Finding::error(&SUBNET, Kind::Invalid, place.field, message).at(place.at).help(help)
}

pub(super) fn outside(place: Place, found: &Subnet, prefixes: &[&str], machines: &[String]) -> Finding {
    let message = format!(
        "the subnet `{}` has the addresses {}, which lie in no machine network ({})",
        shortened(&found.name),
        listed(prefixes),
        machines.join(", ")
    );
    Finding::error(&ADDRESSES, Kind::Invalid, place.field, message)
        .at(place.at)
        .help("add its network to networking.machineNetwork, or name a subnet that lies in one")
        .related("the machine networks", MACHINE_NETWORK)
}

pub(in super::super) fn no_group(name: &str) -> Finding {
    group(&GROUP, format!("there is no resource group `{}` in the subscription", shortened(name))).help(
        "name one that `az group list -o table` shows, or leave `resourceGroupName` out and a group is made",
    )
}

pub(super) fn group_elsewhere(name: &str, found: &ResourceGroup, region: &str) -> Finding {
    let message = format!(
        "the resource group `{}` is in `{}`, and the cluster in `{}`",
        shortened(name),
        shortened(&found.location),
        shortened(region)
    );
    group(&GROUP_LOCATION, message)
        .help("name a group of the cluster's location, or leave `resourceGroupName` out")
        .related("the cluster's location", REGION)
}

pub(in super::super) fn group_owned(name: &str, tags: &[&str]) -> Finding {
    let name = shortened(name);
    let message = format!("the resource group `{name}` has the tag of another cluster: {}", listed(tags));
    group(&OWNER, message)
        .help("name a group that no cluster was given, as this one goes when that cluster is destroyed")
}

pub(super) fn group_not_empty(name: &str, found: &ResourceGroup) -> Finding {
    let count =
        if found.resources == 1 { "a resource".to_owned() } else { format!("{} resources", found.resources) };
    let first: Vec<String> = found.first.iter().take(FEW).map(|name| shortened(name)).collect();
    let more = usize::try_from(found.resources).unwrap_or(usize::MAX).saturating_sub(first.len());
    let shown = match (first.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(": {}", first.join(", ")),
        (false, more) => format!(": {} and {more} more", first.join(", ")),
    };
    group(&NOT_EMPTY, format!("the resource group `{}` has {count} in it{shown}", shortened(name)))
        .help("name an empty group, or leave `resourceGroupName` out and a group is made")
}

fn group(page: &'static Page, message: String) -> Finding {
    Finding::error(page, Kind::Invalid, RESOURCE_GROUP, message)
}

pub(super) fn no_dns_zone(base_domain: &str, group: &str) -> Finding {
    let field = "platform.azure.baseDomainResourceGroupName";
    let message =
        format!("there is no DNS zone `{}` in the group `{}`", shortened(base_domain), shortened(group));
    Finding::error(&DNS_ZONE, Kind::Invalid, field, message)
        .help(
            "`az network dns zone list -o table` shows the zones and their groups; with `publish: Internal` \
             the cluster needs none",
        )
        .related("the domain", "baseDomain")
}

pub(super) fn records_left(zone: &DnsZone, base_domain: &str, installed: bool) -> Finding {
    let few: Vec<String> = zone.records.iter().take(FEW).map(|record| shortened(record)).collect();
    let more = match zone.records.len().saturating_sub(FEW) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (zone, few) = (shortened(base_domain), few.join(", "));
    if installed {
        let message = format!("the DNS zone `{zone}` has records of the cluster: {few}{more}");
        return Finding::warning(&RECORDS, Kind::Invalid, "baseDomain", message)
            .help("they are the cluster's own if this directory has made them");
    }
    let message = format!("the DNS zone `{zone}` has records of an earlier cluster: {few}{more}");
    Finding::error(&RECORDS, Kind::Invalid, "baseDomain", message)
        .help("destroy the earlier cluster of this name, delete the records, or choose another name")
        .related("the cluster's name", "metadata.name")
}

/// The first few names.
fn listed(names: &[&str]) -> String {
    let few: Vec<String> = names.iter().take(MOST).map(|name| shortened(name)).collect();
    let more = if names.len() > MOST { " and others" } else { "" };
    format!("{}{more}", few.join(", "))
}

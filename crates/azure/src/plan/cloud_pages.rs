//! The findings of planning that compare the config with what the cloud has, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, few, nearest, shortened};
use landfall_model::azure::facts::{DnsZone, Network, ResourceGroup, Subnet};
use landfall_model::azure::values;

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

pub(super) const LOCATION: Code = Code::new("LF0765");
pub(super) const SIZE_ZONES: Code = Code::new("LF0766");
pub(super) const ULTRA_ZONES: Code = Code::new("LF0767");
pub(super) const CONFIDENTIAL: Code = Code::new("LF0768");
pub(super) const TRUSTED: Code = Code::new("LF0769");
pub(super) const NETWORK: Code = Code::new("LF0770");
pub(super) const SUBNET: Code = Code::new("LF0771");
pub(super) const ADDRESSES: Code = Code::new("LF0772");
pub(super) const ROOM: Code = Code::new("LF0793");
pub(super) const GATEWAY: Code = Code::new("LF0794");
pub(super) const NETWORK_LOCATION: Code = Code::new("LF0773");
pub(super) const GROUP: Code = Code::new("LF0774");
pub(super) const GROUP_LOCATION: Code = Code::new("LF0775");
pub(super) const OWNER: Code = Code::new("LF0776");
pub(super) const NOT_EMPTY: Code = Code::new("LF0777");
pub(super) const DNS_ZONE: Code = Code::new("LF0778");
pub(super) const RECORDS: Code = Code::new("LF0779");
pub(super) const TERRAFORM: Code = Code::new("LF0785");
pub(super) const UNTOLD: Code = Code::new("LF0786");
const NOT_OF_OPENSHIFT: Code = Code::new("LF0787");

pub(super) fn not_for_terraform(cloud: &str) -> Finding {
    let cloud = shortened(cloud);
    let message = format!("the catalogue does not define how terraform finds the cloud `{cloud}`");
    Finding::error(&TERRAFORM, Kind::Required, "platform.azure.cloudName", message).help(format!(
        "add `metadataHost`, the host of its resource manager, or `terraformEnvironment` under \
         azure.clouds.{cloud} in the catalogue overlay"
    ))
}

pub(super) fn not_for_openshift(cloud: &str) -> Finding {
    let message =
        format!("OpenShift's `Infrastructure` object does not accept the cloud `{}`", shortened(cloud));
    let names = [values::CLOUDS, values::NEWER_CLOUDS].concat().join(", ");
    Finding::error(&NOT_OF_OPENSHIFT, Kind::NotSupported, "platform.azure.cloudName", message)
        .help(format!("describe the cloud in the overlay under one of the accepted names: {names}"))
}

pub(super) fn size_untold(wish: &Wish<'_>, name: &str, missing: &[&str]) -> Finding {
    let message = format!("the cloud does not report {} of {name}", missing.join(", "));
    Finding::warning(&UNTOLD, Kind::Invalid, machines(wish, "type"), message)
        .help("check that its machines are large enough and of the pool's architecture")
}

pub(super) fn location_not_offered(name: &str, cloud: &str, help: String) -> Finding {
    let message = format!("{cloud} does not offer the location `{}` to the subscription", shortened(name));
    Finding::error(&LOCATION, Kind::Invalid, REGION, message).help(help)
}

pub(super) fn location_spelled(given: &str, name: &str) -> Finding {
    let (given, name) = (shortened(given), shortened(name));
    let message = format!("`{given}` is not the resource manager's name for the location `{name}`");
    Finding::error(&LOCATION, Kind::Invalid, REGION, message).help(format!("write `region: {name}`"))
}

pub(super) fn size_not_offered(location: &str, wish: &Wish<'_>, name: &str, fitting: &[&str]) -> Finding {
    let message = format!("{} is not offered in `{}`", shortened(name), shortened(location));
    let help = match nearest(name, fitting.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? the location offers it"),
        None if fitting.is_empty() => "use a size that the location offers".to_owned(),
        None => format!("use a size that the location offers, such as {}", listed(fitting)),
    };
    Finding::error(&SIZE, Kind::NotSupported, machines(wish, "type"), message).help(help)
}

pub(super) fn size_not_in_zones(path: &str, name: &str, missing: &[&str], offering: &[String]) -> Finding {
    let message = format!("{name} is not offered to the subscription in zone {}", listed(missing));
    let help = match offering {
        [] => "remove `zones`: the location offers this size without zones".to_owned(),
        [..] => format!("choose among the zones {}", offering.join(", ")),
    };
    Finding::error(&SIZE_ZONES, Kind::Invalid, format!("{path}.platform.azure.zones"), message).help(help)
}

pub(super) fn ultra_not_in_zones(wish: &Wish<'_>, name: &str, missing: &[&str], having: &[&str]) -> Finding {
    let message = format!("{name} does not support ultra disks in zone {}", listed(missing));
    let help = if having.is_empty() {
        format!("set {} to a size that supports them, or remove the setting", machines(wish, "type"))
    } else {
        format!("set {} to zones among {}, or remove the setting", machines(wish, "zones"), listed(having))
    };
    ultra(wish, message).help(help)
}

pub(super) fn ultra_without_zones(location: &str, wish: &Wish<'_>, name: &str) -> Finding {
    let location = shortened(location);
    ultra(wish, format!("ultra disks need zones, and `{location}` offers {name} without any"))
        .help("use another location or size, or remove the setting")
}

fn ultra(wish: &Wish<'_>, message: String) -> Finding {
    Finding::error(&ULTRA_ZONES, Kind::Invalid, machines(wish, "type"), message)
        .related("the ultra disks", machines(wish, ULTRA))
}

/// That a size has no ultra disks at all.
pub(super) fn no_ultra(wish: &Wish<'_>, name: &str, capability: &str) -> Finding {
    pages::capability_missing(wish, name, capability, "type")
        .related("the ultra disks", machines(wish, ULTRA))
}

pub(super) fn not_confidential(wish: &Wish<'_>, name: &str) -> Finding {
    let message = format!("{name} does not support confidential VMs");
    Finding::error(&CONFIDENTIAL, Kind::Invalid, machines(wish, "settings.securityType"), message)
        .help(format!("set {} to a confidential size, or remove `settings`", machines(wish, "type")))
}

pub(super) fn not_trusted(wish: &Wish<'_>, name: &str) -> Finding {
    let message = format!("{name} does not support trusted launch");
    Finding::error(&TRUSTED, Kind::Invalid, machines(wish, "settings.securityType"), message)
        .help(format!("set {} to a size that supports it, or remove `settings`", machines(wish, "type")))
}

/// A field of a pool's settings.
fn machines(wish: &Wish<'_>, field: &str) -> String {
    format!("{}.platform.azure.{field}", wish.path)
}

pub(super) fn no_network(name: &str, group: &str) -> Finding {
    let message =
        format!("there is no virtual network `{}` in the group `{}`", shortened(name), shortened(group));
    Finding::error(&NETWORK, Kind::Invalid, VIRTUAL_NETWORK, message)
        .help("use one that `az network vnet list -o table` shows, and its group")
        .related("the group", "platform.azure.networkResourceGroupName")
}

pub(super) fn network_elsewhere(name: &str, network: &Network, region: &str) -> Finding {
    let message = format!(
        "the virtual network `{}` is in `{}`, and the cluster is in `{}`",
        shortened(name),
        shortened(&network.location),
        shortened(region)
    );
    Finding::error(&NETWORK_LOCATION, Kind::Invalid, VIRTUAL_NETWORK, message)
        .help("use a virtual network in the cluster's location, or another location")
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
        None if there.is_empty() => "create the subnet, or use another virtual network".to_owned(),
        None => format!("the virtual network has {}", listed(there)),
    };
    Finding::error(&SUBNET, Kind::Invalid, place.field, message).at(place.at).help(help)
}

pub(super) fn outside(place: Place, found: &Subnet, prefixes: &[&str], machines: &[String]) -> Finding {
    let message = format!(
        "the subnet `{}` has the CIDR {}, which is outside the machine networks ({})",
        shortened(&found.name),
        listed(prefixes),
        machines.join(", ")
    );
    Finding::error(&ADDRESSES, Kind::Invalid, place.field, message)
        .at(place.at)
        .help("add its CIDR to networking.machineNetwork, or use a subnet inside a machine network")
        .related("the machine networks", MACHINE_NETWORK)
}

pub(super) fn without_ipv6(place: &Place, found: &Subnet) -> Finding {
    let message = format!("the services have IPv6, and the subnet `{}` does not", shortened(&found.name));
    Finding::error(&ADDRESSES, Kind::Invalid, place.field, message)
        .at(place.at.clone())
        .help("add an IPv6 CIDR to the subnet and to networking.machineNetwork, or use another subnet")
        .related("the service networks", "networking.serviceNetwork")
}

pub(super) fn no_room(place: Place, subnets: &[&str], free: i64, needed: u32) -> Finding {
    let subnets: Vec<String> = subnets.iter().map(|subnet| shortened(subnet)).collect();
    let subnets = subnets.join("`, `");
    let message = format!("{free} addresses are free in `{subnets}`, and the cluster needs {needed}");
    Finding::error(&ROOM, Kind::Invalid, place.field, message)
        .at(place.at)
        .help("use a larger subnet, or free addresses in this one")
}

pub(super) fn gateway_taken(place: Place, subnet: &str, gateway: &str) -> Finding {
    let (subnet, gateway) = (shortened(subnet), shortened(gateway));
    let message = format!("the subnet `{subnet}` already has the NAT gateway `{gateway}`");
    Finding::error(&GATEWAY, Kind::Invalid, place.field, message)
        .at(place.at)
        .help("write `outboundType: UserDefinedRouting` to keep this gateway, or use another subnet")
}

pub(in super::super) fn no_group(name: &str) -> Finding {
    group(&GROUP, format!("there is no resource group `{}` in the subscription", shortened(name)))
        .help("use one that `az group list -o table` shows, or remove `resourceGroupName` to create a group")
}

pub(super) fn group_elsewhere(name: &str, found: &ResourceGroup, region: &str) -> Finding {
    let message = format!(
        "the resource group `{}` is in `{}`, and the cluster is in `{}`",
        shortened(name),
        shortened(&found.location),
        shortened(region)
    );
    group(&GROUP_LOCATION, message)
        .help("use a group in the cluster's location, or remove `resourceGroupName`")
        .related("the cluster's location", REGION)
}

pub(in super::super) fn group_owned(name: &str, tags: &[&str]) -> Finding {
    let name = shortened(name);
    let message = format!("the resource group `{name}` has the tag of another cluster: {}", listed(tags));
    group(&OWNER, message)
        .help("use a group without the tag of a cluster: this one may be deleted with that cluster")
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
        .help("use an empty group, or remove `resourceGroupName` to create a group")
}

fn group(code: &'static Code, message: String) -> Finding {
    Finding::error(code, Kind::Invalid, RESOURCE_GROUP, message)
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
    let records: Vec<String> = zone.records.iter().map(|record| shortened(record)).collect();
    let (zone, records) = (shortened(base_domain), few(&records, FEW));
    if installed {
        let message = format!("the DNS zone `{zone}` has records of the cluster: {records}");
        return Finding::warning(&RECORDS, Kind::Invalid, "baseDomain", message)
            .help("if landfall created them from this directory, they belong to the cluster");
    }
    let message = format!("the DNS zone `{zone}` has records of an earlier cluster: {records}");
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

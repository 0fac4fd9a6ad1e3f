//! The findings of planning that compare the config with what the cloud has, each with its page.

use std::collections::BTreeSet;

use landfall_diagnostics::{Code, Finding, Kind, few, nearest, shortened};
use landfall_model::aws::catalogue::family;
use landfall_model::aws::facts::{DedicatedHost, HostedZone, SecurityGroup, Subnet, Zone};
use landfall_rules::allowance::first_of;

use super::pages::SUBNET;
use crate::type_names::{generation, proposed};

/// The most names of which others of their kind can be guessed.
const FEW: usize = 5;

pub(super) const ZONE: Code = Code::new("LF0717");
pub(super) const TYPE: Code = Code::new("LF0718");
pub(super) const ARCHITECTURE: Code = Code::new("LF0719");
pub(super) const NETWORKS: Code = Code::new("LF0720");
pub(super) const ADDRESSES: Code = Code::new("LF0721");
pub(super) const PRIVATE: Code = Code::new("LF0722");
pub(super) const OWNER: Code = Code::new("LF0723");
pub(super) const HOSTED_ZONE: Code = Code::new("LF0724");
pub(super) const PRIVATE_RECORDS: Code = Code::new("LF0725");
pub(super) const PUBLIC_RECORDS: Code = Code::new("LF0726");
pub(super) const NO_PUBLIC_ZONE: Code = Code::new("LF0727");
pub(super) const SECURITY_GROUP: Code = Code::new("LF0728");
const GROUPS: Code = Code::new("LF0730");
const NO_FREE_ADDRESS: Code = Code::new("LF0739");
const UNTAGGED: Code = Code::new("LF0740");
const UNTRUSTED: Code = Code::new("LF0741");
pub(super) const NOT_OPTED_IN: Code = Code::new("LF0729");
pub(super) const ROLE: Code = Code::new("LF0732");
pub(super) const ROLE_ZONES: Code = Code::new("LF0733");
pub(super) const HOST: Code = Code::new("LF0734");
pub(super) const NO_HOST: Code = Code::new("LF0735");

/// The cluster may not trust the authorities of the endpoints that the config gives it.
pub(super) fn untrusted_endpoints() -> Finding {
    let message =
        "the cluster uses the trust bundle for a proxy alone, and not for its own service endpoints";
    Finding::warning(&UNTRUSTED, Kind::Required, "additionalTrustBundlePolicy", message).help(
        "if an authority of the bundle signs their certificates, set additionalTrustBundlePolicy: Always",
    )
}

pub(super) fn no_such_zone(region: &str, pool: &str, i: usize, zone: &str, there: &[&str]) -> Finding {
    let message = format!("`{}` is not among the zones of `{}`", shortened(zone), shortened(region));
    let help = if there.is_empty() {
        "the account has no zones of this kind there: opt in to a zone group, or choose another region"
            .to_owned()
    } else {
        format!("use zones among {}", listed(there))
    };
    Finding::error(&ZONE, Kind::Invalid, format!("{pool}.platform.aws.zones[{i}]"), message).help(help)
}

pub(super) fn zone_not_opted_in(pool: &str, i: usize, zone: &Zone) -> Finding {
    let message = format!("the account has not opted in to the local zone `{}`", shortened(&zone.name));
    let group = if zone.group.is_empty() { &zone.name } else { &zone.group };
    Finding::error(&ZONE, Kind::Invalid, format!("{pool}.platform.aws.zones[{i}]"), message)
        .help(format!("opt in to its zone group {}, or choose another zone", shortened(group)))
}

/// `offered` are names of types that would do.
pub(super) fn no_such_type(region: &str, pool: &str, name: &str, offered: &[&str]) -> Finding {
    let message = format!("{} is not offered in `{}`", shortened(name), shortened(region));
    // Whoever names a generation that is not there has not misspelled the one that differs in a digit.
    let meant = |near: &&str| family(near) != family(name) || generation(near) == generation(name);
    let likely = proposed(offered.iter().copied(), &[name], 1);
    let help = match nearest(name, offered.iter().copied()).filter(meant) {
        Some(near) => format!("did you mean `{near}`? the region offers it"),
        None if likely.is_empty() => "use a type that the region offers".to_owned(),
        None => {
            let few: Vec<&str> = likely.into_iter().take(FEW).collect();
            format!("use a type that the region offers, such as {}", listed(&few))
        }
    };
    Finding::error(&TYPE, Kind::Invalid, format!("{pool}.platform.aws.type"), message).help(help)
}

pub(super) fn other_architecture(pool: &str, name: &str, has: &[String], wanted: &str) -> Finding {
    let has = has.join(" and ");
    let message = format!(
        "{} is {}, and the pool's architecture is {}",
        shortened(name),
        shortened(&has),
        shortened(wanted)
    );
    Finding::error(&ARCHITECTURE, Kind::Invalid, format!("{pool}.platform.aws.type"), message)
        .help(format!("use a type of {}, or set {pool}.architecture", shortened(wanted)))
}

/// A compute pool whose architecture is not that of the first compute pool.
pub(super) fn other_pool_architecture(pool: &str, has: &str, first: &str) -> Finding {
    let message =
        format!("the pool is {}, and the first compute pool is {}", shortened(has), shortened(first));
    Finding::error(&ARCHITECTURE, Kind::Invalid, format!("{pool}.architecture"), message).help(
        "use one architecture for all compute pools; add machines of another one after the installation",
    )
}

/// A type without something that machines of the config need; `needs` says what, and for what.
pub(super) fn lacks_feature(code: &'static Code, pool: &str, name: &str, needs: &str) -> Finding {
    let message = format!("{} does not support {needs}", shortened(name));
    Finding::error(code, Kind::Invalid, format!("{pool}.platform.aws.type"), message)
        .help("use a type that supports it")
}

pub(super) fn no_such_subnet(i: usize, id: &str, region: &str) -> Finding {
    let message = format!("there is no subnet `{}` in `{}`", shortened(id), shortened(region));
    Finding::error(&SUBNET, Kind::Invalid, subnet(i), message)
        .help("use a subnet of this account and region; the VPC console lists them")
}

pub(super) fn no_free_address(found: &Subnet) -> Finding {
    let message = format!(
        "the subnet `{}` has no free address for the internal load balancer of the API",
        shortened(&found.id)
    );
    Finding::error(&NO_FREE_ADDRESS, Kind::Invalid, "platform.aws.vpc.subnets", message)
        .help("use a subnet with free addresses; with userProvisionedDNS, landfall chooses the address")
}

pub(super) fn other_network(i: usize, found: &Subnet, first: (usize, &Subnet)) -> Finding {
    let (j, first) = first;
    let message = format!(
        "the subnet `{}` is in {}, and `{}` is in {}",
        shortened(&found.id),
        shortened(&found.vpc),
        shortened(&first.id),
        shortened(&first.vpc)
    );
    Finding::error(&NETWORKS, Kind::Invalid, subnet(i), message)
        .help("use subnets of one VPC only")
        .related("the first one", subnet(j))
}

/// A subnet whose routes do not fit its role; `public` is what the role needs.
pub(super) fn unfit_for_role(i: usize, found: &Subnet, role: &str, public: bool) -> Finding {
    let (wanted, has) = if public { ("public", "private") } else { ("private", "public") };
    let id = shortened(&found.id);
    let message = format!("the subnet `{id}` is {has}, and the role {role} needs a {wanted} one");
    Finding::error(&ROLE, Kind::Invalid, subnet(i), message)
        .help(format!("give the role to a {wanted} subnet; a public one has a route to an internet gateway"))
}

/// A subnet in a zone that does not fit its role.
pub(super) fn zone_unfit_for_role(i: usize, found: &Subnet, is_edge: bool) -> Finding {
    let (id, zone) = (shortened(&found.id), shortened(&found.zone));
    let (message, help) = if is_edge {
        let message = format!("the subnet `{id}` with the role EdgeNode is in the availability zone {zone}");
        (message, "give the role to a subnet in a local or Wavelength zone")
    } else {
        let message = format!("the subnet `{id}` is in the zone {zone}, which is only for edge machines");
        (message, "give it the role EdgeNode and no other role")
    };
    Finding::error(&ROLE, Kind::Invalid, subnet(i), message).help(help)
}

/// Zones of nodes that a load balancer does not serve, and zones of the load balancer without nodes.
pub(super) fn zones_of_role(role: &str, missing: &BTreeSet<String>, idle: &BTreeSet<String>) -> Finding {
    let names = |zones: &BTreeSet<String>| {
        let zones: Vec<&str> = zones.iter().map(String::as_str).collect();
        listed(&zones)
    };
    let message = if missing.is_empty() {
        format!("{} has a subnet with the role {role} and none with the role ClusterNode", names(idle))
    } else {
        format!("{} has a subnet with the role ClusterNode and none with the role {role}", names(missing))
    };
    Finding::error(&ROLE_ZONES, Kind::Forbidden, "platform.aws.vpc.subnets", message)
        .help("give both roles to subnets of the same zones")
}

/// A dedicated host that is not there, or of which nothing is known; `asked` says which.
pub(super) fn no_such_host(pool: &str, i: usize, id: &str, asked: bool) -> Finding {
    let (field, id) = (host_field(pool, i), shortened(id));
    let (message, help) = if asked {
        (
            format!("there is no dedicated host `{id}` in this account and region"),
            "use a host that `aws ec2 describe-hosts` lists",
        )
    } else {
        (
            format!("the zone of the dedicated host `{id}` is unknown"),
            "ask the cloud, or pass facts with --facts that have it in `dedicatedHosts`",
        )
    };
    Finding::error(&HOST, Kind::Invalid, field, message).help(help)
}

/// A dedicated host of another cluster.
pub(super) fn host_owned(pool: &str, i: usize, id: &str, owners: &[&str]) -> Finding {
    let message = format!("the dedicated host `{}` belongs to the cluster {}", shortened(id), listed(owners));
    Finding::error(&HOST, Kind::Forbidden, host_field(pool, i), message)
        .help("use a host that belongs to no cluster")
}

/// A second dedicated host of a zone.
pub(super) fn two_hosts(pool: &str, i: usize, second: &DedicatedHost, first: &str) -> Finding {
    let (first, id, zone) = (shortened(first), shortened(&second.id), shortened(&second.zone));
    let message = format!("the dedicated hosts `{first}` and `{id}` of the pool are both in {zone}");
    Finding::error(&HOST, Kind::Invalid, host_field(pool, i), message).help("keep one host of each zone")
}

fn host_field(pool: &str, i: usize) -> String {
    format!("{pool}.platform.aws.hostPlacement.dedicatedHost[{i}].id")
}

/// A dedicated host outside of the zones of its pool.
pub(super) fn host_elsewhere(pool: &str, i: usize, host: &DedicatedHost, zones: &[String]) -> Finding {
    let field = host_field(pool, i);
    let message = format!(
        "the dedicated host `{}` is in {}, and the pool in {}",
        shortened(&host.id),
        shortened(&host.zone),
        listed(zones)
    );
    Finding::error(&HOST, Kind::Invalid, field, message)
        .help("add its zone to the zones of the pool, or use a host in one of these zones")
}

/// Zones of a pool on dedicated hosts without a host.
pub(super) fn zones_without_host(pool: &str, zones: &[&str]) -> Finding {
    let field = format!("{pool}.platform.aws.hostPlacement.dedicatedHost");
    let message = format!("no dedicated host is in {}: machines there run on shared hardware", listed(zones));
    Finding::warning(&NO_HOST, Kind::Required, field, message)
        .help("add a host in each zone, or remove the zone from the zones of the pool")
}

pub(super) fn outside(i: usize, found: &Subnet, machines: &[String]) -> Finding {
    let message = format!(
        "the subnet `{}` has the CIDR {}, which is outside the machine networks ({})",
        shortened(&found.id),
        shortened(&found.cidr),
        machines.join(", ")
    );
    Finding::error(&ADDRESSES, Kind::Invalid, subnet(i), message)
        .help("add its CIDR to networking.machineNetwork, or use a subnet inside a machine network")
        .related("the machine networks", "networking.machineNetwork")
}

pub(super) fn without_ipv4(i: usize, found: &Subnet) -> Finding {
    let message = format!("the subnet `{}` has no IPv4 addresses, which machines need", shortened(&found.id));
    Finding::error(&ADDRESSES, Kind::Required, subnet(i), message).help("use a subnet with an IPv4 CIDR")
}

pub(super) fn no_private_subnet(count: usize) -> Finding {
    let message = format!("none of the {count} given subnets is a private subnet of an availability zone");
    Finding::error(&PRIVATE, Kind::Invalid, "platform.aws.vpc.subnets", message)
        .help("add a subnet whose route table has no route to an internet gateway for each zone")
}

pub(super) fn owned(i: usize, found: &Subnet, owners: &[&str]) -> Finding {
    let message = format!("the subnet `{}` belongs to the cluster {}", shortened(&found.id), listed(owners));
    Finding::error(&OWNER, Kind::Invalid, subnet(i), message)
        .help("use a subnet that belongs to no cluster: this one is deleted with that cluster")
}

pub(super) fn vpc_owned(vpc: &str, owners: &[&str]) -> Finding {
    let message =
        format!("the VPC {} of the subnets belongs to the cluster {}", shortened(vpc), listed(owners));
    Finding::error(&OWNER, Kind::Forbidden, "platform.aws.vpc.subnets", message)
        .help("use a VPC that belongs to no cluster: this one is deleted with that cluster")
}

/// Subnets that the config does not name, where the cluster may put load balancers.
pub(super) fn untagged(vpc: &str, others: &[&str]) -> Finding {
    let message = format!(
        "the VPC {} has subnets that the config does not name, and the cluster may put load balancers there: {}",
        shortened(vpc),
        listed(others)
    );
    Finding::error(&UNTAGGED, Kind::Forbidden, "platform.aws.vpc.subnets", message)
        .help("tag them `kubernetes.io/cluster/unmanaged: true`, or give roles to the subnets of the config")
}

pub(super) fn no_hosted_zone(id: &str, with_role: bool) -> Finding {
    let message = format!("there is no hosted zone `{}`", shortened(id));
    hosted_zone(message).help(if with_role {
        "use the ID of a private zone in the account of the role in hostedZoneRole"
    } else {
        "use the ID of a private zone of the account; for one of another account set hostedZoneRole"
    })
}

pub(super) fn not_associated(zone: &HostedZone, vpc: &str) -> Finding {
    let vpc = shortened(vpc);
    let id = shortened(&zone.id);
    let message = if zone.vpcs.is_empty() {
        format!(
            "the hosted zone `{id}` is public, and the cluster needs a private one that is associated \
            with {vpc}"
        )
    } else {
        format!(
            "the hosted zone `{id}` is associated with {}, and the subnets are in {vpc}",
            listed(&zone.vpcs)
        )
    };
    hosted_zone(message).help(format!("use a private zone that is associated with {vpc}, or associate it"))
}

pub(super) fn other_domain(zone: &HostedZone, domain: &str) -> Finding {
    let message = format!(
        "the hosted zone `{}` is for {}, and the cluster's domain is {}",
        shortened(&zone.id),
        shortened(&zone.name),
        shortened(domain)
    );
    hosted_zone(message).help("use a zone of the cluster's domain or of a parent domain")
}

fn hosted_zone(message: String) -> Finding {
    Finding::error(&HOSTED_ZONE, Kind::Invalid, "platform.aws.hostedZone", message)
}

pub(super) fn private_records(zone: &HostedZone, domain: &str, installed: bool) -> Finding {
    records(&PRIVATE_RECORDS, "platform.aws.hostedZone", zone, domain, installed)
}

pub(super) fn public_records(zone: &HostedZone, domain: &str, installed: bool) -> Finding {
    records(&PUBLIC_RECORDS, "baseDomain", zone, domain, installed)
        .related("the cluster's name", "metadata.name")
}

fn records(code: &'static Code, field: &str, zone: &HostedZone, domain: &str, installed: bool) -> Finding {
    const MOST: usize = 3;
    let shown: Vec<String> = zone.records.iter().map(|record| shortened(record)).collect();
    let (id, domain, few) = (shortened(&zone.id), shortened(domain), few(&shown, MOST));
    if installed {
        let message = format!("the hosted zone `{id}` has records of the cluster {domain}: {few}");
        return Finding::warning(code, Kind::Invalid, field, message).help(
            "if landfall created them from this directory, they belong to the cluster; if not, destroy the \
             earlier cluster of this name, or delete the records",
        );
    }
    let message = format!("the hosted zone `{id}` has records of an earlier cluster {domain}: {few}");
    Finding::error(code, Kind::Invalid, field, message)
        .help("destroy the earlier cluster of this name, delete the records, or choose another name")
}

pub(super) fn no_public_zone(base_domain: &str) -> Finding {
    let domain = shortened(base_domain);
    let message = format!("the account has no public hosted zone `{domain}`");
    Finding::error(&NO_PUBLIC_ZONE, Kind::Invalid, "baseDomain", message)
        .help("create the zone and delegate the domain to it, or set publish: Internal")
}

pub(super) fn no_such_group(region: &str, pool: &str, i: usize, id: &str) -> Finding {
    let message = format!("there is no security group `{}` in `{}`", shortened(id), shortened(region));
    group(pool, i, message).help("use a security group of the subnets' VPC")
}

pub(super) fn group_elsewhere(pool: &str, i: usize, found: &SecurityGroup, vpc: &str) -> Finding {
    let message = format!(
        "the security group `{}` is in {}, and the subnets are in {}",
        shortened(&found.id),
        shortened(&found.vpc),
        shortened(vpc)
    );
    group(pool, i, message).help(format!("use a security group of {}", shortened(vpc)))
}

pub(super) fn too_many_groups(pool: &str, own: usize, given: usize, most: usize) -> Finding {
    let field = format!("{pool}.platform.aws.additionalSecurityGroupIDs");
    let message = format!(
        "machines get {} security groups, {own} of the cluster's and {given} of yours; AWS allows {most} \
         on an interface unless the account's quota is larger",
        own + given
    );
    Finding::warning(&GROUPS, Kind::Invalid, field, message)
        .help("use fewer, or ask AWS to raise the quota `Security groups per network interface` (L-2AFB9258)")
}

fn group(pool: &str, i: usize, message: String) -> Finding {
    let field = format!("{pool}.platform.aws.additionalSecurityGroupIDs[{i}]");
    Finding::error(&SECURITY_GROUP, Kind::Invalid, field, message)
}

pub(super) fn not_opted_in(region: &str) -> Finding {
    let message = format!("the region `{}` is not enabled in the account", shortened(region));
    Finding::error(&NOT_OPTED_IN, Kind::Invalid, "platform.aws.region", message)
        .help("enable the region in the account's settings, which takes some minutes, or choose another one")
}

/// The field of an existing subnet.
fn subnet(i: usize) -> String {
    format!("platform.aws.vpc.subnets[{i}].id")
}

/// The first few names.
fn listed(names: &[impl AsRef<str>]) -> String {
    first_of(&names.iter().map(|name| shortened(name.as_ref())).collect::<Vec<String>>())
}

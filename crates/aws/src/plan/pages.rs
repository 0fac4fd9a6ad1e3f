//! The findings of planning on AWS, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, shortened};
use landfall_model::catalogue::Catalogue;

use super::Planning;
use super::instance_types::Wish;
use crate::rules::{UNKNOWN_REGION, or_meant};

pub(super) const REGION: &str = "platform.aws.region";

/// What to do where the cloud was not asked.
const ASK: &str = "remove --offline, or pass facts with --facts";
/// What to do about something that the facts given leave out.
const ADD: &str = "add it to the facts, or remove --facts to ask the cloud";

const IMAGE: Code = Code::new("LF0702");
const ZONES: Code = Code::new("LF0703");
pub(super) const DEFAULT_TYPE: Code = Code::new("LF0704");
const NOT_OFFERED: Code = Code::new("LF0705");
const TOO_SMALL: Code = Code::new("LF0706");
/// Nobody knows what the region offers, and a default was taken all the same.
const ASSUMED_TYPE: Code = Code::new("LF0731");
pub(super) const SUBNET: Code = Code::new("LF0707");
const TOO_NARROW: Code = Code::new("LF0708");
const ZONE_SUBNET: Code = Code::new("LF0709");
const PUBLIC_ZONE: Code = Code::new("LF0710");

const NO_SUCH_ZONE: Code = Code::new("LF0712");
const SUBNETS: Code = Code::new("LF0713");
const STUB: Code = Code::new("LF0714");
const IOPS: Code = Code::new("LF0715");
const OTHER_REGION: Code = Code::new("LF0711");

/// `but` is what the cloud says of the region, as a clause; empty where it says nothing.
pub(super) fn endpoints_missing(catalogue: &Catalogue, region: &str, but: &str, missing: &[&str]) -> Finding {
    let message = format!(
        "unknown region `{}`{but}: the config has no endpoint for {}",
        shortened(region),
        missing.join(", ")
    );
    let entries: Vec<String> =
        missing.iter().map(|service| format!("- name: {service}\n  url: https://...")).collect();
    let entries = entries.join("\n");
    let help = format!("add them to serviceEndpoints, or the region to a catalogue overlay:\n{entries}");
    Finding::error(&UNKNOWN_REGION, Kind::Required, "platform.aws.serviceEndpoints", message)
        .at(REGION)
        .help(or_meant(catalogue, region, &help))
}

pub(super) fn image_missing(region: &str, release: &str, architecture: &str) -> Finding {
    let message = format!(
        "no image of release {release} for {architecture} is published in `{}`, and none can be copied there",
        shortened(region)
    );
    Finding::error(&IMAGE, Kind::Required, "platform.aws.amiID", message)
        .at(REGION)
        .help("import the image into the region and set platform.aws.defaultMachinePlatform.amiID to its id")
}

/// A compute pool that has no image, and why it has not that of the control plane.
pub(super) fn pool_image_missing(
    planning: &Planning<'_>,
    path: &str,
    architecture: &str,
    why: &str,
) -> Finding {
    let (release, region) = (planning.case.release, shortened(planning.region()));
    let message =
        format!("no image of release {release} for {architecture} is published in `{region}`, and {why}");
    Finding::error(&IMAGE, Kind::Required, format!("{path}.platform.aws.amiID"), message)
        .help(format!("import the image into the region and set {path}.platform.aws.amiID to its id"))
}

pub(super) fn no_zones(region: &str, pool: &str, existing: bool) -> Finding {
    let field = format!("{pool}.platform.aws.zones");
    if existing {
        return Finding::error(
            &ZONES,
            Kind::Required,
            field,
            "none of the subnets given is known to be private",
        )
        .at("platform.aws.vpc.subnets")
        .help("add a private subnet for each zone, and pass facts that were gathered with them");
    }
    let message = format!("the zones of `{}` are not known", shortened(region));
    Finding::error(&ZONES, Kind::Required, field, message)
        .at(REGION)
        .help(format!("set {pool}.platform.aws.zones, or zones in the default machine platform"))
}

/// An edge pool that would get no machines.
pub(super) fn no_edge_zones(pool: &str, existing: bool) -> Finding {
    let (message, help) = if existing {
        let message =
            "the edge pool has no subnet: none of the given subnets is in a local or Wavelength zone";
        (message, "add a subnet in an edge zone, or remove the pool".to_owned())
    } else {
        let help = format!("set {pool}.platform.aws.zones to local or Wavelength zones, or remove the pool");
        ("the edge pool has no zones", help)
    };
    Finding::error(&ZONES, Kind::Required, format!("{pool}.platform.aws.zones"), message).help(help)
}

pub(super) fn no_such_zones(region: &str, pool: &str, zones: &[&str], local: bool) -> Finding {
    let kind = if local { "a local zone" } else { "an availability zone" };
    let message = format!("{} is not known as {kind} of `{}`", zones.join(", "), shortened(region));
    let help = if local {
        "opt in to the zone's group, then gather the region's facts again"
    } else {
        "use zones of the region"
    };
    Finding::error(&NO_SUCH_ZONE, Kind::Invalid, format!("{pool}.platform.aws.zones"), message).help(help)
}

pub(super) fn two_subnets(zone: &str, public: bool, first: &str, second: &str) -> Finding {
    let kind = if public { "public" } else { "private" };
    let message = format!("{zone} has two {kind} subnets, {} and {}", shortened(first), shortened(second));
    Finding::error(&SUBNETS, Kind::Invalid, "platform.aws.vpc.subnets", message).help("keep one of them")
}

pub(super) fn two_edge_subnets(zone: &str, first: &str, second: &str) -> Finding {
    let message =
        format!("the edge zone {zone} has two subnets, {} and {}", shortened(first), shortened(second));
    Finding::error(&SUBNETS, Kind::Invalid, "platform.aws.vpc.subnets", message).help("keep one of them")
}

pub(super) fn two_subnets_of_role(zone: &str, role: &str, first: &str, second: &str) -> Finding {
    let (first, second) = (shortened(first), shortened(second));
    let message = format!("{zone} has two subnets with the role {role}, {first} and {second}");
    Finding::error(&SUBNETS, Kind::Invalid, "platform.aws.vpc.subnets", message)
        .help("remove the role from one of them")
}

pub(super) fn no_public_subnet(zone: &str) -> Finding {
    let message = format!("{zone} has a private subnet and no public one, and the API is public");
    Finding::error(&SUBNETS, Kind::Invalid, "platform.aws.vpc.subnets", message)
        .help("add a public subnet of that zone, or set publish: Internal")
}

pub(super) fn stub_too_large(bytes: usize, most: usize) -> Finding {
    let message = format!(
        "the bootstrap machine's user data would be {bytes} bytes long; the limit of AWS \
        is {most}"
    );
    Finding::error(&STUB, Kind::TooLong, "additionalTrustBundle", message)
        .help("remove certificates that are not needed to reach the region's services")
}

pub(super) fn no_iops(pool: &str) -> Finding {
    let field = format!("{pool}.platform.aws.rootVolume.iops");
    Finding::error(&IOPS, Kind::Required, field, "an io1 volume needs `iops`")
        .help("set iops, or use type gp3")
}

pub(super) fn offered_nowhere(region: &str, pool: &str, name: &str) -> Finding {
    let message = format!("no zone of `{}` offers {}", shortened(region), shortened(name));
    Finding::error(&NOT_OFFERED, Kind::Invalid, format!("{pool}.platform.aws.type"), message)
        .help(format!("set {pool}.platform.aws.type to a type that the region offers"))
}

/// `help` is what the region has in their place.
pub(super) fn no_default_type(region: &str, wish: &Wish<'_>, candidates: &[String], help: String) -> Finding {
    let field = format!("{}.platform.aws.type", wish.path);
    let message = if candidates.is_empty() {
        format!("there is no default instance type for {} machines", shortened(wish.architecture))
    } else {
        format!(
            "none of the default instance types ({}) is offered in {} of `{}`",
            candidates.join(", "),
            wish.zones.join(", "),
            shortened(region)
        )
    };
    Finding::error(&DEFAULT_TYPE, Kind::Required, field, message).at(REGION).help(help)
}

pub(super) fn assumed_type(region: &str, wish: &Wish<'_>, name: &str) -> Finding {
    let field = format!("{}.platform.aws.type", wish.path);
    let message = format!(
        "which instance types `{}` offers is not known; {} machines get {name}",
        shortened(region),
        wish.role.name()
    );
    let help = format!("set {field}, or ask the region: remove --offline");
    Finding::warning(&ASSUMED_TYPE, Kind::Required, field, message).at(REGION).help(help)
}

pub(super) fn not_offered(wish: &Wish<'_>, name: &str, missing: &[&str], offering: &[String]) -> Finding {
    let message = format!("{} is not offered in {}", shortened(name), missing.join(", "));
    let help = if offering.is_empty() {
        "use another type".to_owned()
    } else {
        format!("use another type, or zones among {}", offering.join(", "))
    };
    Finding::error(&NOT_OFFERED, Kind::Invalid, format!("{}.platform.aws.type", wish.path), message)
        .help(help)
}

pub(super) fn too_small(wish: &Wish<'_>, name: &str, has: (u32, u64), least: (u32, u64)) -> Finding {
    let message = format!(
        "{} has {} virtual CPUs and {} MiB of memory; a {} machine needs {} and {} MiB",
        shortened(name),
        has.0,
        has.1,
        wish.role.name(),
        least.0,
        least.1
    );
    Finding::error(&TOO_SMALL, Kind::Invalid, format!("{}.platform.aws.type", wish.path), message)
        .help("use a larger type")
}

pub(super) fn subnet_not_known(i: usize, id: &str, offline: bool) -> Finding {
    let message = format!("the subnet `{}` is unknown", shortened(id));
    let help = if offline { ASK } else { ADD };
    Finding::error(&SUBNET, Kind::Invalid, format!("platform.aws.vpc.subnets[{i}].id"), message).help(help)
}

pub(super) fn network_too_small(cidr: &str, zones: usize) -> Finding {
    let message = format!("{cidr} is too small for a private and a public subnet in each of {zones} zones");
    Finding::error(&TOO_NARROW, Kind::Invalid, "networking.machineNetwork[0].cidr", message)
        .help("use a larger network, or fewer zones")
}

pub(super) fn network_too_large(cidr: &str, shortest: u8) -> Finding {
    let message = format!("{cidr} is too large for a VPC: AWS allows /{shortest} and smaller networks");
    Finding::error(&TOO_NARROW, Kind::Invalid, "networking.machineNetwork[0].cidr", message)
        .help(format!("use a network of /{shortest} or smaller, or existing subnets"))
}

pub(super) fn no_ipv4_network() -> Finding {
    let message = "a new VPC needs an IPv4 machine network";
    Finding::error(&TOO_NARROW, Kind::Required, "networking.machineNetwork", message)
        .help("add an IPv4 network, such as 10.0.0.0/16")
}

pub(super) fn zone_without_subnet(pool: &str, zones: &[&str]) -> Finding {
    let message = format!("no subnet given is in {}", zones.join(", "));
    Finding::error(&ZONE_SUBNET, Kind::Invalid, format!("{pool}.platform.aws.zones"), message)
        .help("add a subnet of that zone, or use other zones")
}

pub(super) fn facts_of_another(found: &str, wanted: &str) -> Finding {
    let message =
        format!("the facts are for `{}`, the config is for `{}`", shortened(found), shortened(wanted));
    Finding::error(&OTHER_REGION, Kind::Invalid, "platform.aws.region", message)
        .help("pass facts of this region with --facts, or plan with the catalogue only with --offline")
}

pub(super) fn zone_not_known(base_domain: &str, offline: bool) -> Finding {
    let message = format!("the public hosted zone of `{}` is not known", shortened(base_domain));
    let help = if offline { ASK } else { ADD };
    Finding::warning(&PUBLIC_ZONE, Kind::Required, "baseDomain", message)
        .help(format!("{help}; or set spec.publicZone.id in manifests/cluster-dns-02-config.yml"))
}

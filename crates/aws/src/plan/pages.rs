//! The findings of planning on AWS, each with its page.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity, shortened};
use landfall_model::catalogue::Catalogue;

use super::cloud_pages;
use super::instance_types::Wish;
use crate::rules::{UNKNOWN_REGION, or_meant};

pub(super) const REGION: &str = "platform.aws.region";

/// What to do about something that nobody was asked for.
const ASK: &str = "leave --offline out, or give facts with --facts";
/// What to do about something that the facts given leave out.
const ADD: &str = "add it to the facts, or leave --facts out to ask the cloud";

const IMAGE: Page = Page {
    code: "LF0702",
    title: "where no image is published and none can be copied, the config names one",
    text: "Images are published in most regions of the public cloud and of US Gov. Within the partition `aws` \
           one is copied from us-east-1. Anywhere else, bring an image of your own into the region.",
    severity: Severity::Error,
    fields: &["platform.aws.defaultMachinePlatform.amiID"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: xx-hidden-1\n    serviceEndpoints:\n\
          \x20   - name: ec2\n      url: https://ec2.example.com\n\
          \x20   - name: elasticloadbalancing\n      url: https://elasticloadbalancing.example.com\n\
          \x20   - name: s3\n      url: https://s3.example.com\n\
          \x20   - name: iam\n      url: https://iam.example.com\n\
          \x20   - name: route53\n      url: https://route53.example.com\n\
          \x20   - name: tagging\n      url: https://tagging.example.com\n\
          \x20   - name: sts\n      url: https://sts.example.com\n",
    good: "platform:\n  aws:\n    region: us-east-1\n",
};
const ZONES: Page = Page {
    code: "LF0703",
    title: "the zones of the machines are known",
    text: "Zones come from the pool, from the subnets given, or from what the cloud or the catalogue says of \
           the region.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.zones"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: us-west-99\n    defaultMachinePlatform:\n      type: m5.xlarge\n",
    good: "platform:\n  aws:\n    region: us-west-2\n    defaultMachinePlatform:\n      type: m5.xlarge\n",
};
pub(super) const DEFAULT_TYPE: Page = Page {
    code: "LF0704",
    title: "an instance type is named where the region offers none of the usual ones",
    text: "Without a type in the config, the first of the catalogue's candidates is taken that all zones of \
           the pool offer and that is large enough for its role.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.type"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: us-west-99\n    defaultMachinePlatform:\n      zones: [us-west-99a]\n",
    good: "platform:\n  aws:\n    region: us-west-2\n    defaultMachinePlatform:\n      zones: [us-west-2a]\n",
};
const NOT_OFFERED: Page = Page {
    code: "LF0705",
    title: "an instance type is offered in the zones of its pool",
    text: "AWS does not offer every type in every zone. Name other zones or another type.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.type", "<pool>.platform.aws.zones"],
    base: Base::Aws,
    bad: "controlPlane:\n  name: master\n  platform:\n    aws:\n      type: m6i.xlarge\n      \
          zones: [us-east-1e]\n",
    good: "controlPlane:\n  name: master\n  platform:\n    aws:\n      type: m6i.xlarge\n      \
           zones: [us-east-1a]\n",
};
const TOO_SMALL: Page = Page {
    code: "LF0706",
    title: "an instance type is large enough for its role",
    text: "A control plane machine needs 4 virtual CPUs and 16 GiB of memory, a compute machine 2 and 8 GiB.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.type"],
    base: Base::Aws,
    bad: "controlPlane:\n  name: master\n  platform:\n    aws:\n      type: m5.large\n",
    good: "controlPlane:\n  name: master\n  platform:\n    aws:\n      type: m5.xlarge\n",
};
pub(super) const SUBNET: Page = Page {
    code: "LF0707",
    title: "existing subnets are planned with what the cloud says of them",
    text: "Zone, network and routes of a subnet are known to the cloud only. Plan without --offline, or give \
           a facts file that was gathered for this config.",
    severity: Severity::Error,
    fields: &["platform.aws.vpc.subnets", "platform.aws.subnets"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: us-east-1\n    vpc:\n      subnets:\n      - id: subnet-0123456789abcdef0\n",
    good: "platform:\n  aws:\n    region: us-east-1\n",
};
const TOO_NARROW: Page = Page {
    code: "LF0708",
    title: "the first network of machines has room for the subnets of all zones",
    text: "The network is cut into a private and a public subnet for each zone. AWS makes none that is \
           smaller than /28, which is 16 addresses.",
    severity: Severity::Error,
    fields: &["networking.machineNetwork"],
    base: Base::Aws,
    bad: "networking:\n  machineNetwork:\n  - cidr: 10.0.0.0/26\n",
    good: "networking:\n  machineNetwork:\n  - cidr: 10.0.0.0/24\n",
};
const ZONE_SUBNET: Page = Page {
    code: "LF0709",
    title: "every zone of a pool has a subnet of the network given",
    text: "Machines go into the private subnet of their zone; those of the pool `edge` into the subnet of \
           their local zone.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.zones"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const PUBLIC_ZONE: Page = Page {
    code: "LF0710",
    title: "the public hosted zone of the base domain is known",
    text: "The id of the zone is written into cluster-dns-02-config.yml, and only the cloud knows it. Plan \
           without --offline, give a facts file, or write `spec.publicZone.id` into that file by hand: it is \
           kept.",
    severity: Severity::Warning,
    fields: &["baseDomain"],
    base: Base::Aws,
    bad: "publish: External\n",
    good: "publish: Internal\n",
};

const NO_SUCH_ZONE: Page = Page {
    code: "LF0712",
    title: "the zones of a pool are zones of the region, and those of the pool `edge` are local zones",
    text: "Machines can only be made in zones that the region has. Of a local zone, the group and the zone that \
           it hangs on must be known as well, which only the cloud can tell.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.zones"],
    base: Base::Aws,
    bad: "controlPlane:\n  name: master\n  platform:\n    aws:\n      type: m5.xlarge\n      \
          zones: [us-east-1z]\n",
    good: "controlPlane:\n  name: master\n  platform:\n    aws:\n      type: m5.xlarge\n      \
           zones: [us-east-1a]\n",
};
const SUBNETS: Page = Page {
    code: "LF0713",
    title: "existing subnets are one private subnet for each zone, with a public one beside it if needed",
    text: "Machines and load balancers take one subnet of each zone. A cluster that can be reached from outside \
           needs a public subnet in every zone that has a private one.",
    severity: Severity::Error,
    fields: &["platform.aws.vpc.subnets", "platform.aws.subnets"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const STUB: Page = Page {
    code: "LF0714",
    title: "what the bootstrap machine is started with fits into its user data",
    text: "AWS takes 16 KB. Proxy and trust bundle are part of it, so that the machine can fetch the rest; a \
           bundle of many certificates does not fit. Leave out those that are not needed to reach the region.",
    severity: Severity::Error,
    fields: &["additionalTrustBundle"],
    base: Base::Whole,
    bad: "",
    good: "",
};
const IOPS: Page = Page {
    code: "LF0715",
    title: "an io1 volume says how many operations a second it has",
    text: "AWS has no default for this type of volume.",
    severity: Severity::Error,
    fields: &["<pool>.platform.aws.rootVolume.iops"],
    base: Base::Aws,
    bad: "controlPlane:\n  name: master\n  platform:\n    aws:\n      rootVolume:\n        type: io1\n",
    good: "controlPlane:\n  name: master\n  platform:\n    aws:\n      rootVolume:\n        type: io1\n        \
           iops: 2000\n",
};
const NOT_MADE: Page = Page {
    code: "LF0716",
    title: "the config asks only for what landfall makes on AWS",
    text: "Some settings of newer OpenShift installers are judged but not acted on. They are refused \
           before anything is made rather than silently left out.",
    severity: Severity::Error,
    fields: &[
        "platform.aws.userProvisionedDNS",
        "platform.aws.publicIpv4Pool",
        "platform.aws.ipFamily",
        "platform.aws.vpc.subnets[].roles",
        "<pool>.platform.aws.cpuOptions",
        "<pool>.platform.aws.hostPlacement",
        "<pool>.platform.aws.iamProfile",
        "<pool>.platform.aws.rootVolume.throughput",
    ],
    base: Base::Aws,
    bad: "controlPlane:\n  name: master\n  platform:\n    aws:\n      rootVolume:\n        throughput: 500\n",
    good: "controlPlane:\n  name: master\n  platform:\n    aws:\n      rootVolume:\n        size: 200\n",
};
const OTHER_REGION: Page = Page {
    code: "LF0711",
    title: "the facts are those of the config's region",
    text: "What one region offers says nothing of another. Facts are kept in the cluster directory; after a \
           change of the region they must be gathered again, or left out with `--offline`.",
    severity: Severity::Error,
    fields: &["platform.aws.region"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The pages of these findings.
pub(in super::super) const PAGES: &[&Page] = &[
    &IMAGE,
    &ZONES,
    &DEFAULT_TYPE,
    &NOT_OFFERED,
    &TOO_SMALL,
    &SUBNET,
    &TOO_NARROW,
    &ZONE_SUBNET,
    &PUBLIC_ZONE,
    &OTHER_REGION,
    &NO_SUCH_ZONE,
    &SUBNETS,
    &STUB,
    &IOPS,
    &NOT_MADE,
    &cloud_pages::ZONE,
    &cloud_pages::TYPE,
    &cloud_pages::ARCHITECTURE,
    &cloud_pages::NETWORKS,
    &cloud_pages::ADDRESSES,
    &cloud_pages::PRIVATE,
    &cloud_pages::OWNER,
    &cloud_pages::HOSTED_ZONE,
    &cloud_pages::PRIVATE_RECORDS,
    &cloud_pages::PUBLIC_RECORDS,
    &cloud_pages::NO_PUBLIC_ZONE,
    &cloud_pages::SECURITY_GROUP,
    &cloud_pages::NOT_OPTED_IN,
];

/// `but` is what the cloud says of the region, as a clause; empty where it says nothing.
pub(super) fn endpoint_missing(catalogue: &Catalogue, region: &str, but: &str, service: &str) -> Finding {
    let shown = shortened(region);
    let message =
        format!("nobody knows the region `{shown}`{but}, and the config has no endpoint for `{service}`");
    let lines =
        format!("add to serviceEndpoints:\n- name: {service}\n  url: https://{service}.{shown}.example.com");
    Finding::error(&UNKNOWN_REGION, Kind::Required, "platform.aws.serviceEndpoints", message)
        .at(REGION)
        .help(or_meant(catalogue, region, &lines))
}

pub(super) fn image_missing(region: &str, release: &str, architecture: &str) -> Finding {
    let message = format!(
        "no image of release {release} for {architecture} is published in `{}`, and none can be copied there",
        shortened(region)
    );
    Finding::error(&IMAGE, Kind::Required, "platform.aws.amiID", message)
        .at(REGION)
        .help("bring the image into the region and set platform.aws.defaultMachinePlatform.amiID to its id")
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
        .help("add a private subnet for each zone, and give facts that were gathered with them");
    }
    let message = format!("the zones of `{}` are not known", shortened(region));
    Finding::error(&ZONES, Kind::Required, field, message)
        .at(REGION)
        .help(format!("set {pool}.platform.aws.zones, or zones in the default machine platform"))
}

pub(super) fn no_such_zones(region: &str, pool: &str, zones: &[&str], local: bool) -> Finding {
    let kind = if local { "a local zone" } else { "an availability zone" };
    let message = format!("{} is not known as {kind} of `{}`", zones.join(", "), shortened(region));
    let help = if local {
        "gather facts of the region, opted in to the zone's group"
    } else {
        "name zones of the region"
    };
    Finding::error(&NO_SUCH_ZONE, Kind::Invalid, format!("{pool}.platform.aws.zones"), message).help(help)
}

pub(super) fn two_subnets(zone: &str, public: bool, first: &str, second: &str) -> Finding {
    let kind = if public { "public" } else { "private" };
    let message = format!("{zone} has two {kind} subnets, {} and {}", shortened(first), shortened(second));
    Finding::error(&SUBNETS, Kind::Invalid, "platform.aws.vpc.subnets", message).help("name one of them")
}

pub(super) fn two_edge_subnets(zone: &str, first: &str, second: &str) -> Finding {
    let message =
        format!("the edge zone {zone} has two subnets, {} and {}", shortened(first), shortened(second));
    Finding::error(&SUBNETS, Kind::Invalid, "platform.aws.vpc.subnets", message).help("name one of them")
}

pub(super) fn no_public_subnet(zone: &str) -> Finding {
    let message =
        format!("{zone} has a private subnet and no public one, and the API is to be reached from outside");
    Finding::error(&SUBNETS, Kind::Invalid, "platform.aws.vpc.subnets", message)
        .help("add a public subnet of that zone, or set publish: Internal")
}

pub(super) fn stub_too_large(bytes: usize, most: usize) -> Finding {
    let message = format!("the bootstrap machine's user data would have {bytes} bytes; AWS takes {most}");
    Finding::error(&STUB, Kind::TooLong, "additionalTrustBundle", message)
        .help("leave out certificates that are not needed to reach the region's services")
}

pub(super) fn not_made(field: &str, what: &str) -> Finding {
    let message = format!("landfall does not make clusters with {what}");
    Finding::error(&NOT_MADE, Kind::NotSupported, field, message).help("leave the setting out")
}

pub(super) fn no_iops(pool: &str) -> Finding {
    let field = format!("{pool}.platform.aws.rootVolume.iops");
    Finding::error(&IOPS, Kind::Required, field, "an io1 volume needs its operations a second")
        .help("set iops, or take type gp3")
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
        format!("there is no usual instance type for {} machines", shortened(wish.architecture))
    } else {
        format!(
            "none of the usual instance types ({}) is offered in {} of `{}`",
            candidates.join(", "),
            wish.zones.join(", "),
            shortened(region)
        )
    };
    Finding::error(&DEFAULT_TYPE, Kind::Required, field, message).at(REGION).help(help)
}

pub(super) fn not_offered(wish: &Wish<'_>, name: &str, missing: &[&str], offering: &[String]) -> Finding {
    let message = format!("{} is not offered in {}", shortened(name), missing.join(", "));
    let help = if offering.is_empty() {
        "name another type".to_owned()
    } else {
        format!("name another type, or zones among {}", offering.join(", "))
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
        .help("name a larger type")
}

pub(super) fn subnet_not_known(i: usize, id: &str, offline: bool) -> Finding {
    let message = format!("nothing is known of the subnet `{}`", shortened(id));
    let help = if offline { ASK } else { ADD };
    Finding::error(&SUBNET, Kind::Invalid, format!("platform.aws.vpc.subnets[{i}].id"), message).help(help)
}

pub(super) fn network_too_small(cidr: &str, zones: usize) -> Finding {
    let message = format!("{cidr} has no room for a private and a public subnet in each of {zones} zones");
    Finding::error(&TOO_NARROW, Kind::Invalid, "networking.machineNetwork[0].cidr", message)
        .help("give a larger network, or fewer zones")
}

pub(super) fn zone_without_subnet(pool: &str, zones: &[&str]) -> Finding {
    let message = format!("no subnet given is in {}", zones.join(", "));
    Finding::error(&ZONE_SUBNET, Kind::Invalid, format!("{pool}.platform.aws.zones"), message)
        .help("add a subnet of that zone, or name other zones")
}

pub(super) fn facts_of_another(found: &str, wanted: &str) -> Finding {
    let message =
        format!("the facts are of `{}`, the config is for `{}`", shortened(found), shortened(wanted));
    Finding::error(&OTHER_REGION, Kind::Invalid, "platform.aws.region", message)
        .help("give facts of this region with --facts, or plan with the catalogue alone with --offline")
}

pub(super) fn zone_not_known(base_domain: &str, offline: bool) -> Finding {
    let message = format!("the public hosted zone of `{}` is not known", shortened(base_domain));
    let help = if offline { ASK } else { ADD };
    Finding::warning(&PUBLIC_ZONE, Kind::Required, "baseDomain", message)
        .help(format!("{help}; or set spec.publicZone.id in manifests/cluster-dns-02-config.yml"))
}

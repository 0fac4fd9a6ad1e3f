//! IPv4, IPv6 and both: `docs/install-config.md`, section 8.6.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};
use landfall_model::config::{Network, Networking};

use super::{Case, Dual, First, Ipv6, Subject, Traits};

pub(super) const SUBJECT: Subject =
    Subject { check, pages: &[&SERVICE_COUNT, &PLATFORM, &MISSING, &ORDER, &CONTRADICTION] };

/// The number of service networks.
const SERVICE_COUNT: Page = Page {
    code: "LF0220",
    title: "there is one service network for each address family",
    text: "The families of the service networks decide the families of the cluster: one network for one \
           family, exactly two for both.",
    severity: Severity::Error,
    fields: &["networking.serviceNetwork"],
    base: Base::None,
    bad: "networking:\n  serviceNetwork: [172.30.0.0/16, 172.31.0.0/16]\n",
    good: "networking:\n  serviceNetwork: [172.30.0.0/16]\n",
};
/// The platform does not have the families.
const PLATFORM: Page = Page {
    code: "LF0221",
    title: "the platform has the address families of the cluster",
    text: "none and external have any. aws and azure have IPv4, and both families when the platform's \
           `ipFamily` is DualStackIPv4Primary or DualStackIPv6Primary. IPv6 alone is for none and external.",
    severity: Severity::Error,
    fields: &["networking", "networking.serviceNetwork", "platform.aws.ipFamily", "platform.azure.ipFamily"],
    base: Base::Aws,
    bad: "networking:\n  serviceNetwork: [fd02::/112]\n  clusterNetwork:\n  - {cidr: 'fd01::/48', hostPrefix: 64}\n",
    good: "networking:\n  serviceNetwork: [172.30.0.0/16]\n",
};
/// A list lacks a family.
const MISSING: Page = Page {
    code: "LF0222",
    title: "in a cluster of two families every list of networks has both",
    text: "Machines on aws may have IPv4 networks only, as AWS hands out the IPv6 ones.",
    severity: Severity::Error,
    fields: &["networking.machineNetwork", "networking.clusterNetwork", "networking.serviceNetwork"],
    base: Base::None,
    bad: "networking:\n  serviceNetwork: [172.30.0.0/16, 'fd02::/112']\n  clusterNetwork:\n  \
          - {cidr: 10.128.0.0/14, hostPrefix: 23}\n  machineNetwork:\n  - cidr: 10.0.0.0/16\n  - cidr: fd00::/48\n",
    good: "networking:\n  serviceNetwork: [172.30.0.0/16, 'fd02::/112']\n  clusterNetwork:\n  \
           - {cidr: 10.128.0.0/14, hostPrefix: 23}\n  - {cidr: 'fd01::/48', hostPrefix: 64}\n  machineNetwork:\n  \
           - cidr: 10.0.0.0/16\n  - cidr: fd00::/48\n",
};
/// The wrong family comes first.
const ORDER: Page = Page {
    code: "LF0223",
    title: "the primary address family comes first in the lists of networks",
    text: "On aws the first family is the one that `ipFamily` names; on azure the service networks begin \
           with IPv4.",
    severity: Severity::Error,
    fields: &["networking.machineNetwork", "networking.clusterNetwork", "networking.serviceNetwork"],
    base: Base::Aws,
    bad: "featureSet: TechPreviewNoUpgrade\nplatform:\n  aws:\n    region: us-east-1\n    \
          ipFamily: DualStackIPv4Primary\nnetworking:\n  serviceNetwork: ['fd02::/112', 172.30.0.0/16]\n  \
          clusterNetwork:\n  - {cidr: 10.128.0.0/14, hostPrefix: 23}\n  - {cidr: 'fd01::/48', hostPrefix: 64}\n",
    good: "featureSet: TechPreviewNoUpgrade\nplatform:\n  aws:\n    region: us-east-1\n    \
           ipFamily: DualStackIPv4Primary\nnetworking:\n  serviceNetwork: [172.30.0.0/16, 'fd02::/112']\n  \
           clusterNetwork:\n  - {cidr: 10.128.0.0/14, hostPrefix: 23}\n  - {cidr: 'fd01::/48', hostPrefix: 64}\n",
};
/// The platform asks for two families, the networks have one.
const CONTRADICTION: Page = Page {
    code: "LF0224",
    title: "a dual-stack `ipFamily` comes with service networks of both families",
    text: "The platform would be made for two families and the cluster for one.",
    severity: Severity::Error,
    fields: &["networking.serviceNetwork", "platform.aws.ipFamily"],
    base: Base::Aws,
    bad: "featureSet: TechPreviewNoUpgrade\nplatform:\n  aws:\n    region: us-east-1\n    \
          ipFamily: DualStackIPv4Primary\n",
    good: "platform:\n  aws:\n    region: us-east-1\n    ipFamily: IPv4\n",
};

const SERVICE: &str = "networking.serviceNetwork";

/// The platform that decides, by the rank of that question.
fn decider<'a>(case: &'a Case<'_>, question: usize) -> Option<&'a Traits> {
    case.present
        .iter()
        .min_by_key(|platform| platform.families.ranks.get(question).copied().unwrap_or(u8::MAX))
}

fn check(case: &Case<'_>, out: &mut Findings) {
    let Some(networking) = &case.config.networking else {
        return;
    };
    let services = &networking.service_network;
    let (v4, v6) = families(services.iter());
    match (v4, v6) {
        (true, true) => check_dual(case, networking, out),
        (false, true) => check_ipv6(case, out),
        _ => check_ipv4(case, networking, out),
    }
}

fn families<'a>(networks: impl Iterator<Item = &'a Network>) -> (bool, bool) {
    networks.fold((false, false), |(v4, v6), n| (v4 || n.is_ipv4(), v6 || !n.is_ipv4()))
}

fn check_dual(case: &Case<'_>, networking: &Networking, out: &mut Findings) {
    let count = networking.service_network.len();
    if count != 2 {
        let message = format!("{count} service networks for two address families; two are wanted");
        let finding = Finding::error(&SERVICE_COUNT, Kind::Invalid, SERVICE, message);
        out.push(finding.help("give one IPv4 and one IPv6 network"));
    }
    let refusal = match decider(case, 0).map(|platform| (platform.name, platform.families.dual)) {
        None => Some("no platform has been named that could have both address families".to_owned()),
        Some((name, Dual::IpFamily(false))) => Some(format!(
            "both address families on {name} need `platform.{name}.ipFamily` to be DualStackIPv4Primary or \
             DualStackIPv6Primary"
        )),
        Some((_, Dual::Free | Dual::IpFamily(true))) => None,
    };
    if let Some(message) = refusal {
        let finding = Finding::error(&PLATFORM, Kind::Invalid, "networking", message);
        out.push(finding.help("remove the IPv6 networks, or set `ipFamily`").at(SERVICE));
    }
    let ipv4_machines = case.any(|platform| platform.families.ipv4_machines);
    let machine: Vec<&Network> = networking.machine_network.iter().map(|n| &n.cidr).collect();
    let cluster: Vec<&Network> = networking.cluster_network.iter().map(|n| &n.cidr).collect();
    let service: Vec<&Network> = networking.service_network.iter().collect();
    for (name, list) in
        [("clusterNetwork", cluster), ("machineNetwork", machine), ("serviceNetwork", service)]
    {
        check_list(case, name, &list, ipv4_machines && name == "machineNetwork", out);
    }
}

fn check_list(case: &Case<'_>, name: &str, list: &[&Network], ipv4_only: bool, out: &mut Findings) {
    let field = format!("networking.{name}");
    let (v4, v6) = families(list.iter().copied());
    let missing = match (v4, v6) {
        (true, false) if !ipv4_only => "IPv6",
        (false, true) => "IPv4",
        (true, true) => {
            check_order(case, name, list, out);
            return;
        }
        _ => return,
    };
    let message = format!("the cluster has two address families, but `{name}` has no {missing} network");
    let finding = Finding::error(&MISSING, Kind::Invalid, field, message);
    out.push(finding.help(format!("add an {missing} network")));
}

fn check_order(case: &Case<'_>, name: &str, list: &[&Network], out: &mut Findings) {
    let first = match decider(case, 1) {
        Some(platform) => (platform.families.first)(case.config, name),
        None => Some(First::Ipv4),
    };
    let begins_with_v4 = list.first().is_some_and(|n| n.is_ipv4());
    let wanted = match first {
        Some(First::Ipv4) if !begins_with_v4 => "IPv4",
        Some(First::Ipv6) if begins_with_v4 => "IPv6",
        _ => return,
    };
    let message = format!("`{name}` must begin with an {wanted} network");
    let finding = Finding::error(&ORDER, Kind::Invalid, format!("networking.{name}"), message);
    out.push(finding.help(format!("put the {wanted} network first")));
}

fn check_ipv6(case: &Case<'_>, out: &mut Findings) {
    let help = "add an IPv4 service network, or use platform none or external";
    let why = match decider(case, 2).map(|platform| platform.families.ipv6) {
        Some(Ipv6::Free) => return,
        Some(Ipv6::Contradicted) => {
            contradiction("IPv4", out);
            return;
        }
        Some(Ipv6::Refused(why)) => why,
        None => "IPv6 alone cannot be had on this platform",
    };
    out.push(Finding::error(&PLATFORM, Kind::Invalid, "networking", why).help(help).at(SERVICE));
}

fn check_ipv4(case: &Case<'_>, networking: &Networking, out: &mut Findings) {
    let count = networking.service_network.len();
    if case.any(|platform| !platform.families.ipv4) {
        contradiction("IPv6", out);
    } else if count > 1 {
        let message = format!("{count} service networks for one address family; one is accepted");
        let finding = Finding::error(&SERVICE_COUNT, Kind::Invalid, SERVICE, message);
        out.push(finding.help("keep one of them"));
    }
}

fn contradiction(missing: &str, out: &mut Findings) {
    let message =
        format!("`ipFamily` asks for two address families, but no {missing} service network is given");
    let finding = Finding::error(&CONTRADICTION, Kind::Invalid, SERVICE, message);
    out.push(finding.help(format!("add an {missing} service network, or write `ipFamily: IPv4`")));
}

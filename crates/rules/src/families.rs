//! IPv4, IPv6 and both: `docs/install-config.md`, section 8.6.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::config::{Network, Networking};

use super::{Case, Dual, First, Ipv6, Traits};

/// The number of service networks.
const SERVICE_COUNT: Code = Code::new("LF0220");
/// The platform does not have the families.
const PLATFORM: Code = Code::new("LF0221");
/// A list lacks a family.
const MISSING: Code = Code::new("LF0222");
/// The wrong family comes first.
const ORDER: Code = Code::new("LF0223");
/// The platform asks for two families, the networks have one.
const CONTRADICTION: Code = Code::new("LF0224");

const SERVICE: &str = "networking.serviceNetwork";

/// The platform that decides, by the rank of that question.
fn decider<'a>(case: &'a Case<'_>, question: usize) -> Option<&'a Traits> {
    case.present
        .iter()
        .min_by_key(|platform| platform.families.ranks.get(question).copied().unwrap_or(u8::MAX))
}

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let Some(networking) = case.config.networking.as_ref().filter(|_| !case.is_foreign()) else {
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
        let message = format!("{count} service networks for two address families; two are required");
        let finding = Finding::error(&SERVICE_COUNT, Kind::Invalid, SERVICE, message);
        out.push(finding.help("give one IPv4 and one IPv6 network"));
    }
    let refusal = match decider(case, 0).map(|platform| (platform.name, platform.families.dual)) {
        None => Some("no platform with dual-stack support is set".to_owned()),
        Some((name, Dual::IpFamily(false))) => Some(format!(
            "dual-stack on {name} needs `platform.{name}.ipFamily` to be DualStackIPv4Primary or \
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
    let message = format!("the cluster is dual-stack, but `{name}` has no {missing} network");
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
        None => "this platform does not support IPv6 alone",
    };
    out.push(Finding::error(&PLATFORM, Kind::Invalid, "networking", why).help(help).at(SERVICE));
}

fn check_ipv4(case: &Case<'_>, networking: &Networking, out: &mut Findings) {
    let count = networking.service_network.len();
    if case.any(|platform| !platform.families.ipv4) {
        contradiction("IPv6", out);
    } else if count > 1 {
        let message = format!("{count} service networks for one address family; only one is allowed");
        let finding = Finding::error(&SERVICE_COUNT, Kind::Invalid, SERVICE, message);
        out.push(finding.help("keep one of them"));
    }
}

fn contradiction(missing: &str, out: &mut Findings) {
    let message =
        format!("`ipFamily` enables two address families, but no {missing} service network is given");
    let finding = Finding::error(&CONTRADICTION, Kind::Invalid, SERVICE, message);
    out.push(finding.help(format!("add an {missing} service network, or write `ipFamily: IPv4`")));
}

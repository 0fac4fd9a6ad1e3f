//! IPv6 networks of machines: `docs/install-config.md`, section 11.7.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::config::{InstallConfig, Net};

use super::super::config::Platform;

/// IPv6 alone.
pub const IPV6_ALONE: Code = Code::new("LF0528");
/// Two families are asked for, and there is no network of IPv6.
pub const IPV6_MISSING: Code = Code::new("LF0529");
/// A network of IPv6 that cannot be divided into subnets.
pub const IPV6_PREFIX: Code = Code::new("LF0530");

pub(super) fn check(azure: &Platform, config: &InstallConfig, out: &mut Findings) {
    let entries = config.networking.iter().flat_map(|networking| &networking.machine_network).enumerate();
    let given = entries.filter_map(|(i, entry)| Some((i, entry.cidr.given()?)));
    let (v4, v6): (Vec<_>, Vec<_>) = given.partition(|(_, net): &(usize, &Net)| net.is_ipv4());
    if v4.is_empty() && !v6.is_empty() {
        for (i, net) in v6 {
            let message = format!("`{net}` is IPv6, and no machine network is IPv4");
            let finding = Finding::error(&IPV6_ALONE, Kind::Invalid, field(i), message);
            out.push(finding.help("add an IPv4 network, or replace it with one"));
        }
    } else if v6.is_empty() && azure.is_dual_stack() {
        let message = format!("`ipFamily` is `{}`, and no machine network is IPv6", azure.ip_family);
        let finding = Finding::error(&IPV6_MISSING, Kind::Required, "networking.machineNetwork", message);
        let finding = finding.related("this enables both families", "platform.azure.ipFamily");
        out.push(finding.help("add an entry such as `cidr: fd00:10::/48`"));
    } else {
        for (i, net) in v6 {
            if net.ones >= 64 || !net.ones.is_multiple_of(4) {
                let message = format!("the prefix of `{net}` must be shorter than 64 and a multiple of 4");
                let finding = Finding::error(&IPV6_PREFIX, Kind::Invalid, field(i), message);
                out.push(finding.help("write a prefix of 60, 56, 52, 48 and so on"));
            }
        }
    }
}

fn field(index: usize) -> String {
    format!("networking.machineNetwork[{index}].cidr")
}

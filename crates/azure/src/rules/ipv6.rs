//! IPv6 networks of machines: `docs/install-config.md`, section 11.7.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};
use landfall_model::config::{InstallConfig, Net};

use super::super::config::Platform;

/// IPv6 alone.
pub const IPV6_ALONE: Page = Page {
    code: "LF0528",
    title: "a machine network of IPv6 stands beside one of IPv4",
    text: "Azure has no virtual networks of IPv6 alone.",
    severity: Severity::Error,
    fields: &["networking.machineNetwork[].cidr"],
    base: Base::Azure,
    bad: "\
networking:
  machineNetwork:
  - cidr: fd00:10::/48
",
    good: "\
networking:
  machineNetwork:
  - cidr: 10.0.0.0/16
",
};
/// Two families are asked for, and there is no network of IPv6.
pub const IPV6_MISSING: Page = Page {
    code: "LF0529",
    title: "a cluster of two address families has a machine network of IPv6",
    text: "With a dual-stack `ipFamily` the machines get an IPv6 address too, which must come from \
           somewhere. The default of `machineNetwork` is IPv4 only, so write the list out, and do the same \
           for the networks of pods and services.",
    severity: Severity::Error,
    fields: &["networking.machineNetwork", "platform.azure.ipFamily"],
    base: Base::Azure,
    bad: "\
featureSet: TechPreviewNoUpgrade
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    ipFamily: DualStackIPv4Primary
",
    good: "\
featureSet: TechPreviewNoUpgrade
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    ipFamily: DualStackIPv4Primary
networking:
  machineNetwork:
  - cidr: 10.0.0.0/16
  - cidr: fd00:10::/48
  clusterNetwork:
  - cidr: 10.128.0.0/14
    hostPrefix: 23
  - cidr: fd01::/48
    hostPrefix: 64
  serviceNetwork:
  - 172.30.0.0/16
  - fd02::/112
",
};
/// A network of IPv6 that cannot be divided into subnets.
pub const IPV6_PREFIX: Page = Page {
    code: "LF0530",
    title: "a machine network of IPv6 has a prefix shorter than 64 that is a multiple of 4",
    text: "Subnets of IPv6 are always /64 on Azure, and the network is divided into several of them, at \
           whole hexadecimal digits. Azure recommends /48.",
    severity: Severity::Error,
    fields: &["networking.machineNetwork[].cidr"],
    base: Base::Azure,
    bad: "\
featureSet: TechPreviewNoUpgrade
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    ipFamily: DualStackIPv4Primary
networking:
  machineNetwork:
  - cidr: 10.0.0.0/16
  - cidr: fd00:10::/64
  clusterNetwork:
  - cidr: 10.128.0.0/14
    hostPrefix: 23
  - cidr: fd01::/48
    hostPrefix: 64
  serviceNetwork:
  - 172.30.0.0/16
  - fd02::/112
",
    good: "\
featureSet: TechPreviewNoUpgrade
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    ipFamily: DualStackIPv4Primary
networking:
  machineNetwork:
  - cidr: 10.0.0.0/16
  - cidr: fd00:10::/56
  clusterNetwork:
  - cidr: 10.128.0.0/14
    hostPrefix: 23
  - cidr: fd01::/48
    hostPrefix: 64
  serviceNetwork:
  - 172.30.0.0/16
  - fd02::/112
",
};

pub(super) fn check(azure: &Platform, config: &InstallConfig, out: &mut Findings) {
    let entries = config.networking.iter().flat_map(|networking| &networking.machine_network).enumerate();
    let given = entries.filter_map(|(i, entry)| Some((i, entry.cidr.given()?)));
    let (v4, v6): (Vec<_>, Vec<_>) = given.partition(|(_, net): &(usize, &Net)| net.is_ipv4());
    if v4.is_empty() && !v6.is_empty() {
        for (i, net) in v6 {
            let message = format!("`{net}` is IPv6, and no machine network is IPv4");
            out.push(
                Finding::error(&IPV6_ALONE, Kind::Invalid, field(i), message)
                    .help("add a network of IPv4, or put one in its place"),
            );
        }
    } else if v6.is_empty() && azure.is_dual_stack() {
        let message = format!("`ipFamily` is `{}`, and no machine network is IPv6", azure.ip_family);
        out.push(
            Finding::error(&IPV6_MISSING, Kind::Required, "networking.machineNetwork", message)
                .related("this asks for both families", "platform.azure.ipFamily")
                .help("add an entry such as `cidr: fd00:10::/48`"),
        );
    } else {
        for (i, net) in v6 {
            if net.ones >= 64 || !net.ones.is_multiple_of(4) {
                let message = format!("the prefix of `{net}` is not shorter than 64, or no multiple of 4");
                out.push(
                    Finding::error(&IPV6_PREFIX, Kind::Invalid, field(i), message)
                        .help("write a prefix of 60, 56, 52, 48 and so on"),
                );
            }
        }
    }
}

fn field(index: usize) -> String {
    format!("networking.machineNetwork[{index}].cidr")
}

//! Region, hosted zone and address families: `docs/install-config.md`, section 10.1.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, shortened};
use landfall_model::aws::config::Platform;
use landfall_model::aws::values::IP_FAMILIES;
use landfall_model::config::InstallConfig;

/// The region is missing.
pub const REGION: Page = Page {
    code: "LF0401",
    title: "a region is named",
    text: "Any region is accepted, also one of a sovereign, private or hidden partition that no SDK knows; \
           such a region needs `serviceEndpoints`.",
    severity: Severity::Error,
    fields: &["platform.aws.region"],
    base: Base::Aws,
    bad: "platform:\n  aws: {}\n",
    good: "platform:\n  aws:\n    region: us-gov-west-1\n",
};
/// A hosted zone needs its network.
pub const HOSTED_ZONE: Page = Page {
    code: "LF0402",
    title: "an existing hosted zone comes with existing subnets",
    text: "A private zone belongs to a VPC, so the cluster must be installed into that VPC.",
    severity: Severity::Error,
    fields: &["platform.aws.hostedZone"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: us-east-1\n    hostedZone: Z0123456789\n",
    good: "platform:\n  aws:\n    region: us-east-1\n    hostedZone: Z0123456789\n    vpc:\n      subnets:\n      \
           - id: subnet-1\n",
};
/// A hosted zone's role needs the zone and a mode.
pub const HOSTED_ZONE_ROLE: Page = Page {
    code: "LF0403",
    title: "`hostedZoneRole` comes with `hostedZone`, and credentials that are not minted",
    text: "The role gives access to a zone of another account. Minted credentials cannot take a role of \
           another account: use `credentialsMode` Passthrough or Manual.",
    severity: Severity::Error,
    fields: &["platform.aws.hostedZoneRole", "credentialsMode"],
    base: Base::Aws,
    bad: "credentialsMode: Mint\nplatform:\n  aws:\n    region: us-east-1\n    hostedZone: Z0123456789\n    \
          hostedZoneRole: arn:aws:iam::123456789012:role/dns\n    vpc:\n      subnets:\n      - id: subnet-1\n",
    good: "credentialsMode: Passthrough\nplatform:\n  aws:\n    region: us-east-1\n    hostedZone: Z0123456789\n    \
           hostedZoneRole: arn:aws:iam::123456789012:role/dns\n    vpc:\n      subnets:\n      - id: subnet-1\n",
};
/// The address families are not known.
pub const IP_FAMILY: Page = Page {
    code: "LF0404",
    title: "`ipFamily` is IPv4 or one of two dual-stack values",
    text: "IPv4 unless given. The dual-stack values are a preview.",
    severity: Severity::Error,
    fields: &["platform.aws.ipFamily"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: us-east-1\n    ipFamily: IPv6\n",
    good: "platform:\n  aws:\n    region: us-east-1\n    ipFamily: IPv4\n",
};
/// The load balancers have one address family.
pub const LB_TYPE: Page = Page {
    code: "LF0405",
    title: "Classic load balancers are for IPv4",
    text: "A cluster of two address families needs `lbType: NLB`, which is its default.",
    severity: Severity::Error,
    fields: &["platform.aws.lbType", "platform.aws.ipFamily"],
    base: Base::Aws,
    bad: "featureSet: TechPreviewNoUpgrade\nplatform:\n  aws:\n    region: us-east-1\n    lbType: Classic\n    \
          ipFamily: DualStackIPv4Primary\nnetworking:\n  serviceNetwork: [172.30.0.0/16, 'fd02::/112']\n  \
          clusterNetwork:\n  - {cidr: 10.128.0.0/14, hostPrefix: 23}\n  - {cidr: 'fd01::/48', hostPrefix: 64}\n",
    good: "featureSet: TechPreviewNoUpgrade\nplatform:\n  aws:\n    region: us-east-1\n    lbType: NLB\n    \
           ipFamily: DualStackIPv4Primary\nnetworking:\n  serviceNetwork: [172.30.0.0/16, 'fd02::/112']\n  \
           clusterNetwork:\n  - {cidr: 10.128.0.0/14, hostPrefix: 23}\n  - {cidr: 'fd01::/48', hostPrefix: 64}\n",
};

pub(super) fn check(config: &InstallConfig, platform: &Platform, out: &mut Findings) {
    let path = |name: &str| format!("platform.aws.{name}");
    if platform.region.is_empty() {
        let finding = Finding::error(&REGION, Kind::Required, path("region"), "the region is missing");
        out.push(finding.help("add `region:`, such as `region: us-east-1`"));
    }
    if !platform.hosted_zone.is_empty() && platform.vpc.subnets.is_empty() {
        let message = "an existing hosted zone needs the existing subnets of its VPC";
        let finding = Finding::error(&HOSTED_ZONE, Kind::Invalid, path("hostedZone"), message);
        out.push(finding.help("add `vpc.subnets`, or remove `hostedZone`"));
    }
    if !platform.hosted_zone_role.is_empty() {
        check_hosted_zone_role(config, platform, out);
    }
    if !IP_FAMILIES.contains(&platform.ip_family.as_str()) && !platform.ip_family.is_empty() {
        let field = path("ipFamily");
        out.push(Finding::not_supported(&IP_FAMILY, field, &platform.ip_family, IP_FAMILIES));
    }
    if platform.lb_type == "Classic" && platform.is_dual_stack() {
        let message = format!("Classic load balancers cannot serve `ipFamily: {}`", platform.ip_family);
        let finding = Finding::error(&LB_TYPE, Kind::Invalid, path("lbType"), message);
        out.push(finding.help("write `lbType: NLB`"));
    }
}

fn check_hosted_zone_role(config: &InstallConfig, platform: &Platform, out: &mut Findings) {
    if platform.hosted_zone.is_empty() {
        let message = "`hostedZoneRole` has no meaning without `hostedZone`";
        let finding =
            Finding::error(&HOSTED_ZONE_ROLE, Kind::Invalid, "platform.aws.hostedZoneRole", message);
        out.push(finding.help("add `hostedZone:`, or remove the role"));
    }
    let mode = config.credentials_mode.as_str();
    if !["Manual", "Passthrough"].contains(&mode) {
        let message = match mode {
            "" => "`hostedZoneRole` needs `credentialsMode` to be Passthrough or Manual".to_owned(),
            mode => format!("`credentialsMode: {}` cannot be used with `hostedZoneRole`", shortened(mode)),
        };
        let at = if mode.is_empty() { "platform.aws.hostedZoneRole" } else { "credentialsMode" };
        let field = "platform.aws.credentialsMode";
        let finding = Finding::error(&HOSTED_ZONE_ROLE, Kind::Forbidden, field, message);
        out.push(finding.help("write `credentialsMode: Passthrough`").at(at));
    }
}

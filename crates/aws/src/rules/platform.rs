//! Region, hosted zone and address families: `docs/install-config.md`, section 10.1.

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::aws::config::Platform;
use landfall_model::aws::values::IP_FAMILIES;
use landfall_model::config::InstallConfig;

/// The region is missing.
pub const REGION: Code = Code::new("LF0401");
/// A hosted zone needs its network.
pub const HOSTED_ZONE: Code = Code::new("LF0402");
/// A hosted zone's role needs the zone and a mode.
pub const HOSTED_ZONE_ROLE: Code = Code::new("LF0403");
/// The address families are not known.
pub const IP_FAMILY: Code = Code::new("LF0404");
/// The load balancers have one address family.
pub const LB_TYPE: Code = Code::new("LF0405");

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
        let message = "`hostedZoneRole` needs `hostedZone`";
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

//! How machines reach the outside: `docs/install-config.md`, section 11.4.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::config::InstallConfig;

use landfall_rules::Case;

use super::super::config::Platform;
use super::super::introduced::GATEWAYS;
use super::super::values;
use super::network::node_subnets;
use super::shown;

/// The way to the outside is not known.
pub const OUTBOUND_TYPE: Code = Code::new("LF0515");
/// The user's own routes without the user's own network.
pub const USER_ROUTING: Code = Code::new("LF0516");
/// A NAT gateway in a cluster that is not reachable from outside.
pub const GATEWAY_INTERNAL: Code = Code::new("LF0517");
/// A NAT gateway type that does not go with the number of subnets.
pub const GATEWAY_SUBNETS: Code = Code::new("LF0518");

const FIELD: &str = "platform.azure.outboundType";
const OLDER_GATEWAY: &str = "NatGateway";
/// The feature sets with previews.
const PREVIEWS: &[&str] = &["TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "CustomNoUpgrade"];
const SINGLE_ZONE: &str = "NATGatewaySingleZone";
const MULTI_ZONE: &str = "NATGatewayMultiZone";

pub(super) fn check(case: &Case<'_>, azure: &Platform, out: &mut Findings) {
    let (config, outbound) = (case.config, azure.outbound_type.as_str());
    let is_older = case.is_before(GATEWAYS);
    let known = if is_older { values::OLDER_OUTBOUND_TYPES } else { values::OUTBOUND_TYPES };
    // What came later is refused with the release that has it.
    if !known.contains(&outbound) && !values::OUTBOUND_TYPES.contains(&outbound) {
        out.push(Finding::not_supported(&OUTBOUND_TYPE, FIELD, outbound, known));
    }
    if is_older && outbound == OLDER_GATEWAY {
        check_older_gateway(azure, config, out);
    }
    if outbound == "UserDefinedRouting" && azure.virtual_network.is_empty() {
        let message = "`UserDefinedRouting` needs an existing virtual network, and none is given";
        let finding = Finding::error(&USER_ROUTING, Kind::Invalid, FIELD, message);
        out.push(finding.help("add `virtualNetwork`, `networkResourceGroupName` and `subnets`"));
    }
    if outbound == SINGLE_ZONE || outbound == MULTI_ZONE {
        check_gateway(azure, config, out);
    }
}

/// The one NAT gateway of releases before 4.20 is a preview, and is not attached to existing subnets.
fn check_older_gateway(azure: &Platform, config: &InstallConfig, out: &mut Findings) {
    if !PREVIEWS.contains(&config.feature_set.as_str()) {
        let message = "NAT gateways are a preview in this release";
        let finding = Finding::error(&OUTBOUND_TYPE, Kind::NotSupported, FIELD, message);
        out.push(finding.help("write `featureSet: TechPreviewNoUpgrade`, or `outboundType: Loadbalancer`"));
    }
    if !azure.virtual_network.is_empty() {
        let message = "this release has no NAT gateways in existing networks";
        let finding = Finding::error(&OUTBOUND_TYPE, Kind::Invalid, FIELD, message);
        out.push(finding.help("write `outboundType: UserDefinedRouting` or `Loadbalancer`"));
    }
}

fn check_gateway(azure: &Platform, config: &InstallConfig, out: &mut Findings) {
    let outbound = shown(&azure.outbound_type);
    if let Some(internal) = internal(config) {
        let message = format!("{outbound} is for public clusters, and `{internal}` is `Internal`");
        out.push(
            Finding::error(&GATEWAY_INTERNAL, Kind::Invalid, FIELD, message)
                .related("internal because of this", internal)
                .help("write `outboundType: Loadbalancer`, or `UserDefinedRouting` in your own network"),
        );
    }
    let nodes = node_subnets(azure);
    let fault = match azure.outbound_type.as_str() {
        SINGLE_ZONE if nodes > 1 => Some((format!("has one gateway for {nodes} node subnets"), MULTI_ZONE)),
        MULTI_ZONE if nodes == 1 => Some(("has several gateways for 1 node subnet".to_owned(), SINGLE_ZONE)),
        _ => None,
    };
    if let Some((fault, other)) = fault {
        let finding = Finding::error(&GATEWAY_SUBNETS, Kind::Invalid, FIELD, format!("{outbound} {fault}"));
        let finding = finding.related("the subnets", "platform.azure.subnets");
        out.push(finding.help(format!("write `outboundType: {other}`, or change the node subnets")));
    }
}

/// The field that keeps the cluster's applications inside, if one does.
fn internal(config: &InstallConfig) -> Option<&'static str> {
    let ingress = config.operator_publishing_strategy.as_ref().map(|strategy| strategy.ingress.as_str());
    match config.publish.as_str() {
        "Internal" => Some("publish"),
        "Mixed" if ingress == Some("Internal") => Some("operatorPublishingStrategy.ingress"),
        _ => None,
    }
}

//! The bootstrap machine's Ignition config, completed with the IPv6 addresses of the VPC. AWS chooses those of a new
//! VPC, and the cluster's operators read them in the cluster's copy of the install config.

use landfall_model::plan::Plan;
use landfall_render::ignition::with_machine_network;
use serde_json::{Map, Value};

/// The output of stage cluster with the IPv6 addresses of the VPC.
const NETWORK: &str = "aws_vpc_ipv6_cidr";
/// The family that comes first, among the variables of terraform.
const FAMILY: &str = "aws_ip_family";

/// Whether the bucket with the config stays when the bootstrap machine is removed. A config that is completed is made
/// with the bootstrap machine, and goes with it.
pub(super) fn keeps_ignition(plan: &Plan) -> bool {
    let platform = plan.config.platform.aws.as_ref();
    platform.is_some_and(|platform| platform.preserve_bootstrap_ignition && !platform.is_dual_stack())
}

/// The config with the IPv6 network of the VPC among its machine networks. `None` means that nothing was added: the
/// config has an IPv6 network already, or brings no install config along.
#[must_use]
pub fn completed(ignition: &str, network: &str, is_ipv6_primary: bool) -> Option<String> {
    with_machine_network(ignition, network, is_ipv6_primary)
}

/// The same from the variables of terraform, with the outputs of stage cluster among them.
pub(super) fn completed_from(ignition: &str, variables: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| variables.get(name).and_then(Value::as_str);
    completed(ignition, text(NETWORK)?, text(FAMILY) == Some("DualStackIPv6Primary"))
}

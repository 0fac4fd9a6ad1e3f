//! The existing network that a cluster is installed into: `docs/install-config.md`, section 11.3.

use std::collections::BTreeMap;

use landfall_diagnostics::{Code, Finding, Findings, Kind};

use super::super::config::Platform;
use super::shown;

/// Two subnets of one name.
pub const SUBNET_TWICE: Code = Code::new("LF0510");
/// Two subnets for the control plane.
pub const SUBNET_CONTROL_PLANES: Code = Code::new("LF0511");
/// A role that subnets do not have.
pub const SUBNET_ROLE: Code = Code::new("LF0512");
/// A virtual network without the rest.
pub const NETWORK_PARTS: Code = Code::new("LF0513");
/// Subnets without their network.
pub const SUBNETS_NETWORK: Code = Code::new("LF0514");

const SUBNETS: &str = "platform.azure.subnets";
const CONTROL_PLANE: &str = "control-plane";
const NODE: &str = "node";

/// Judges the network. `upconverted` says whether the list of subnets ends with the older fields.
pub(super) fn check(azure: &Platform, upconverted: bool, out: &mut Findings) {
    check_subnets(azure, upconverted, out);
    let control_plane = azure.subnets.iter().any(|subnet| subnet.role == CONTROL_PLANE);
    let node = node_subnets(azure) > 0;
    if !azure.virtual_network.is_empty() {
        let network = shown(&azure.virtual_network);
        if azure.network_resource_group_name.is_empty() {
            let message = format!("the resource group of the virtual network {network} is missing");
            out.push(missing(&NETWORK_PARTS, "networkResourceGroupName", message));
        }
        if !node {
            let message = format!("no subnet of the virtual network {network} has the role `{NODE}`");
            out.push(missing(&NETWORK_PARTS, "computeSubnet", message).at(SUBNETS));
        }
        if !control_plane {
            let message =
                format!("no subnet of the virtual network {network} has the role `{CONTROL_PLANE}`");
            out.push(missing(&NETWORK_PARTS, "controlPlaneSubnet", message).at(SUBNETS));
        }
    }
    if node || control_plane {
        if azure.virtual_network.is_empty() {
            let message = "the virtual network of the subnets is missing";
            out.push(missing(&SUBNETS_NETWORK, "virtualNetwork", message));
        }
        if azure.network_resource_group_name.is_empty() {
            let message = "the resource group of the subnets' virtual network is missing";
            out.push(missing(&SUBNETS_NETWORK, "networkResourceGroupName", message));
        }
    }
}

/// How many subnets are for machines other than the control plane's.
pub(super) fn node_subnets(azure: &Platform) -> usize {
    azure.subnets.iter().filter(|subnet| subnet.role == NODE).count()
}

fn missing(code: &'static Code, field: &str, message: impl Into<String>) -> Finding {
    let help = match field {
        "computeSubnet" => "add an entry with `role: node` to `subnets`",
        "controlPlaneSubnet" => "add an entry with `role: control-plane` to `subnets`",
        "virtualNetwork" => "add `virtualNetwork`; `az network vnet list -o table` shows yours",
        _ => "add `networkResourceGroupName`; `az network vnet list -o table` shows the group",
    };
    Finding::error(code, Kind::Required, format!("platform.azure.{field}"), message).help(help)
}

fn check_subnets(azure: &Platform, upconverted: bool, out: &mut Findings) {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    let mut control_plane: Option<usize> = None;
    for (i, subnet) in azure.subnets.iter().enumerate() {
        let first = *names.entry(&subnet.name).or_insert(i);
        if first != i {
            let message = format!("the name {} is listed twice", shown(&subnet.name));
            out.push(
                Finding::error(&SUBNET_TWICE, Kind::Invalid, SUBNETS, message)
                    .at(place(azure, upconverted, i, "name"))
                    .related("the first one", place(azure, upconverted, first, "name"))
                    .help("remove one of the two, or use another subnet"),
            );
        }
        let at = place(azure, upconverted, i, "role");
        if subnet.role == CONTROL_PLANE {
            if let Some(first) = control_plane {
                let name = shown(&subnet.name);
                let message = format!("{name} is a second subnet with the role `{CONTROL_PLANE}`");
                out.push(
                    Finding::error(&SUBNET_CONTROL_PLANES, Kind::Invalid, SUBNETS, message)
                        .at(at)
                        .related("the first one", place(azure, upconverted, first, "role"))
                        .help("keep the role on one subnet"),
                );
            }
            control_plane.get_or_insert(i);
        } else if subnet.role != NODE {
            let role = shown(&subnet.role);
            let message = format!("{role} is not a role of subnets; accepted: {CONTROL_PLANE}, {NODE}");
            let finding = Finding::error(&SUBNET_ROLE, Kind::Invalid, SUBNETS, message);
            out.push(finding.at(at).help("write `role: control-plane` or `role: node`, or remove the entry"));
        }
    }
}

/// Where a subnet stands in the file: in the list, or in one of the older fields behind it.
fn place(azure: &Platform, upconverted: bool, index: usize, field: &str) -> String {
    let older =
        [("controlPlaneSubnet", &azure.control_plane_subnet), ("computeSubnet", &azure.compute_subnet)];
    let mut older = older.iter().filter(|(_, name)| upconverted && !name.is_empty());
    let listed = azure.subnets.len().saturating_sub(older.clone().count());
    match index.checked_sub(listed).and_then(|behind| older.nth(behind)) {
        Some((older, _)) => format!("platform.azure.{older}"),
        None => format!("{SUBNETS}[{index}].{field}"),
    }
}

//! Which things of EC2 are still there.

use std::collections::BTreeSet;

use aws_sdk_ec2::types::{
    Address, AllocationState, CarrierGateway, CarrierGatewayState, DhcpOptions, EgressOnlyInternetGateway,
    Host, Image, ImageState, Instance, InstanceState, InstanceStateName, InternetGateway, NatGateway,
    NatGatewayState, NetworkInterface, PlacementGroup, PlacementGroupState, Reservation, RouteTable,
    SecurityGroup, ServiceConfiguration, ServiceState, Snapshot, State, Subnet, Volume, Vpc, VpcEndpoint,
    VpcPeeringConnection, VpcPeeringConnectionStateReason, VpcPeeringConnectionStateReasonCode,
};
use landfall_platform::removal::Kind;

use super::Stop;
use crate::gather::filter;
use crate::removal::kinds::is_deleted;
use crate::removal::{AwsRemoval, MOST_VALUES, kinds};

/// All things that a description has a name for.
macro_rules! names {
    ($found:expr, $name:path) => {
        $found.iter().filter_map($name).map(str::to_owned).collect::<BTreeSet<String>>()
    };
}

/// Whether things of a kind are looked at here.
pub(super) fn has(kind: &Kind) -> bool {
    is_of_network(kind) || is_of_machine(kind)
}

fn is_of_machine(kind: &Kind) -> bool {
    let here = [
        &kinds::INSTANCE,
        &kinds::VOLUME,
        &kinds::SNAPSHOT,
        &kinds::IMAGE,
        &kinds::PLACEMENT_GROUP,
        &kinds::DEDICATED_HOST,
        &kinds::ELASTIC_IP,
    ];
    here.contains(&kind)
}

fn is_of_network(kind: &Kind) -> bool {
    let here = [
        &kinds::NAT_GATEWAY,
        &kinds::VPC_ENDPOINT,
        &kinds::ENDPOINT_SERVICE,
        &kinds::NETWORK_INTERFACE,
        &kinds::SECURITY_GROUP,
        &kinds::ROUTE_TABLE,
        &kinds::SUBNET,
        &kinds::INTERNET_GATEWAY,
        &kinds::EGRESS_ONLY_GATEWAY,
        &kinds::CARRIER_GATEWAY,
        &kinds::DHCP_OPTIONS,
        &kinds::PEERING_CONNECTION,
        &kinds::VPC,
    ];
    here.contains(&kind)
}

/// The ids of those that are still there; there may be others among them.
pub(super) async fn there(
    removal: &AwsRemoval<'_>,
    kind: &'static Kind,
    ids: &[&str],
) -> Result<BTreeSet<String>, Stop> {
    let mut names = BTreeSet::new();
    for some in ids.chunks(MOST_VALUES) {
        names.extend(if is_of_machine(kind) {
            Box::pin(of_machines(removal, kind, some)).await?
        } else {
            Box::pin(of_networks(removal, kind, some)).await?
        });
    }
    Ok(names)
}

async fn of_machines(
    removal: &AwsRemoval<'_>,
    kind: &'static Kind,
    ids: &[&str],
) -> Result<BTreeSet<String>, Stop> {
    let ec2 = removal.session.ec2().await?;
    let by = |name: &str| filter(name, ids.iter().copied());
    Ok(match kind {
        _ if *kind == kinds::INSTANCE => {
            let request = ec2.describe_instances().filters(by("instance-id"));
            let found = list!(removal, "ec2:DescribeInstances", request)?;
            let instances: Vec<&Instance> = found.iter().flat_map(Reservation::instances).collect();
            instances.into_iter().filter_map(instance).map(str::to_owned).collect()
        }
        _ if *kind == kinds::VOLUME => {
            let request = ec2.describe_volumes().filters(by("volume-id"));
            names!(list!(removal, "ec2:DescribeVolumes", request)?, Volume::volume_id)
        }
        _ if *kind == kinds::SNAPSHOT => {
            let request = ec2.describe_snapshots().owner_ids("self").filters(by("snapshot-id"));
            names!(list!(removal, "ec2:DescribeSnapshots", request)?, Snapshot::snapshot_id)
        }
        _ if *kind == kinds::IMAGE => {
            let request = ec2.describe_images().owners("self").filters(by("image-id"));
            names!(list!(removal, "ec2:DescribeImages", request)?, image)
        }
        _ if *kind == kinds::ELASTIC_IP => {
            let request = ec2.describe_addresses().filters(by("allocation-id"));
            let answer = ask!(removal, "ec2:DescribeAddresses", request)?;
            names!(answer.addresses(), Address::allocation_id)
        }
        _ if *kind == kinds::DEDICATED_HOST => {
            names!(list!(removal, "ec2:DescribeHosts", ec2.describe_hosts())?, host)
        }
        _ => {
            let answer = ask!(removal, "ec2:DescribePlacementGroups", ec2.describe_placement_groups())?;
            let groups = answer.placement_groups();
            let mut found = names!(groups, placement_group_id);
            found.extend(names!(groups, placement_group_name));
            found
        }
    })
}

async fn of_networks(
    removal: &AwsRemoval<'_>,
    kind: &'static Kind,
    ids: &[&str],
) -> Result<BTreeSet<String>, Stop> {
    let ec2 = removal.session.ec2().await?;
    let by = |name: &str| filter(name, ids.iter().copied());
    Ok(match kind {
        _ if *kind == kinds::NAT_GATEWAY => {
            let request = ec2.describe_nat_gateways().filter(by("nat-gateway-id"));
            names!(list!(removal, "ec2:DescribeNatGateways", request)?, nat_gateway)
        }
        _ if *kind == kinds::VPC_ENDPOINT => {
            let request = ec2.describe_vpc_endpoints().filters(by("vpc-endpoint-id"));
            names!(list!(removal, "ec2:DescribeVpcEndpoints", request)?, endpoint)
        }
        _ if *kind == kinds::ENDPOINT_SERVICE => {
            let request = ec2.describe_vpc_endpoint_service_configurations().filters(by("service-id"));
            names!(list!(removal, "ec2:DescribeVpcEndpointServiceConfigurations", request)?, service)
        }
        _ if *kind == kinds::NETWORK_INTERFACE => {
            let request = ec2.describe_network_interfaces().filters(by("network-interface-id"));
            let found = list!(removal, "ec2:DescribeNetworkInterfaces", request)?;
            names!(found, NetworkInterface::network_interface_id)
        }
        _ if *kind == kinds::SECURITY_GROUP => {
            let request = ec2.describe_security_groups().filters(by("group-id"));
            names!(list!(removal, "ec2:DescribeSecurityGroups", request)?, SecurityGroup::group_id)
        }
        _ if *kind == kinds::ROUTE_TABLE => {
            let request = ec2.describe_route_tables().filters(by("route-table-id"));
            names!(list!(removal, "ec2:DescribeRouteTables", request)?, RouteTable::route_table_id)
        }
        _ if *kind == kinds::SUBNET => {
            let request = ec2.describe_subnets().filters(by("subnet-id"));
            names!(list!(removal, "ec2:DescribeSubnets", request)?, Subnet::subnet_id)
        }
        _ if *kind == kinds::VPC => {
            let request = ec2.describe_vpcs().filters(by("vpc-id"));
            names!(list!(removal, "ec2:DescribeVpcs", request)?, Vpc::vpc_id)
        }
        _ => Box::pin(of_gateways(removal, kind, ids)).await?,
    })
}

/// Gateways of all sorts but NAT, and what else leads out of a network.
async fn of_gateways(
    removal: &AwsRemoval<'_>,
    kind: &'static Kind,
    ids: &[&str],
) -> Result<BTreeSet<String>, Stop> {
    let ec2 = removal.session.ec2().await?;
    let by = |name: &str| filter(name, ids.iter().copied());
    Ok(match kind {
        _ if *kind == kinds::INTERNET_GATEWAY => {
            let request = ec2.describe_internet_gateways().filters(by("internet-gateway-id"));
            let found = list!(removal, "ec2:DescribeInternetGateways", request)?;
            names!(found, InternetGateway::internet_gateway_id)
        }
        _ if *kind == kinds::CARRIER_GATEWAY => {
            let request = ec2.describe_carrier_gateways().filters(by("carrier-gateway-id"));
            names!(list!(removal, "ec2:DescribeCarrierGateways", request)?, carrier_gateway)
        }
        _ if *kind == kinds::DHCP_OPTIONS => {
            let request = ec2.describe_dhcp_options().filters(by("dhcp-options-id"));
            names!(list!(removal, "ec2:DescribeDhcpOptions", request)?, DhcpOptions::dhcp_options_id)
        }
        _ if *kind == kinds::PEERING_CONNECTION => {
            let request = ec2.describe_vpc_peering_connections().filters(by("vpc-peering-connection-id"));
            names!(list!(removal, "ec2:DescribeVpcPeeringConnections", request)?, peering)
        }
        _ => {
            let request = ec2.describe_egress_only_internet_gateways();
            let found = list!(removal, "ec2:DescribeEgressOnlyInternetGateways", request)?;
            names!(found, EgressOnlyInternetGateway::egress_only_internet_gateway_id)
        }
    })
}

// EC2 goes on listing some sorts of things for a while after they are gone.

fn instance(found: &Instance) -> Option<&str> {
    let state = found.state().and_then(InstanceState::name);
    found.instance_id().filter(|_| state != Some(&InstanceStateName::Terminated))
}

fn image(found: &Image) -> Option<&str> {
    found.image_id().filter(|_| found.state() != Some(&ImageState::Deregistered))
}

fn host(found: &Host) -> Option<&str> {
    let over =
        matches!(found.state(), Some(AllocationState::Released | AllocationState::ReleasedPermanentFailure));
    found.host_id().filter(|_| !over)
}

fn placement_group_id(found: &PlacementGroup) -> Option<&str> {
    found.group_id().filter(|_| found.state() != Some(&PlacementGroupState::Deleted))
}

fn placement_group_name(found: &PlacementGroup) -> Option<&str> {
    found.group_name().filter(|_| found.state() != Some(&PlacementGroupState::Deleted))
}

fn nat_gateway(found: &NatGateway) -> Option<&str> {
    found.nat_gateway_id().filter(|_| found.state() != Some(&NatGatewayState::Deleted))
}

fn endpoint(found: &VpcEndpoint) -> Option<&str> {
    found.vpc_endpoint_id().filter(|_| !is_deleted(found.state().map(State::as_str)))
}

fn service(found: &ServiceConfiguration) -> Option<&str> {
    found.service_id().filter(|_| !is_deleted(found.service_state().map(ServiceState::as_str)))
}

fn carrier_gateway(found: &CarrierGateway) -> Option<&str> {
    found.carrier_gateway_id().filter(|_| found.state() != Some(&CarrierGatewayState::Deleted))
}

fn peering(found: &VpcPeeringConnection) -> Option<&str> {
    use VpcPeeringConnectionStateReasonCode::{Deleted, Expired, Failed, Rejected};
    let code = found.status().and_then(VpcPeeringConnectionStateReason::code);
    let over = matches!(code, Some(Deleted | Expired | Failed | Rejected));
    found.vpc_peering_connection_id().filter(|_| !over)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_only_listed_is_gone() {
        let state = |name: InstanceStateName| InstanceState::builder().name(name).build();
        let of = |name: InstanceStateName| Instance::builder().instance_id("i-1").state(state(name)).build();
        assert_eq!(instance(&of(InstanceStateName::ShuttingDown)), Some("i-1"));
        assert_eq!(instance(&of(InstanceStateName::Terminated)), None);
        let of = |state: NatGatewayState| NatGateway::builder().nat_gateway_id("nat-1").state(state).build();
        assert_eq!(nat_gateway(&of(NatGatewayState::Deleting)), Some("nat-1"));
        assert_eq!(nat_gateway(&of(NatGatewayState::Deleted)), None);
        let of = |state: State| VpcEndpoint::builder().vpc_endpoint_id("vpce-1").state(state).build();
        assert_eq!(endpoint(&of(State::Deleting)), Some("vpce-1"));
        assert_eq!(endpoint(&of(State::Deleted)), None);
        assert_eq!(endpoint(&of(State::from("deleted"))), None);
    }

    #[test]
    fn every_kind_is_looked_at_in_one_place() {
        for kind in kinds::ALL {
            assert!(!(is_of_machine(kind) && is_of_network(kind)), "{}", kind.name);
        }
        assert!(has(&kinds::VPC) && has(&kinds::INSTANCE) && !has(&kinds::ROLE));
    }
}

//! Which things of EC2 are still there.

use std::collections::BTreeSet;

use aws_sdk_ec2::types::{
    Address, CarrierGateway, DhcpOptions, EgressOnlyInternetGateway, Host, Image, Instance, InternetGateway,
    NatGateway, NetworkInterface, RouteTable, SecurityGroup, ServiceConfiguration, Snapshot, Subnet, Volume,
    Vpc, VpcEndpoint, VpcPeeringConnection,
};
use landfall_platform::removal::Kind;

use super::Stop;
use crate::removal::discover::ec2::{Ask, Described, with_any};
use crate::removal::{AwsRemoval, kinds};

/// The name of a thing that AWS lists; none where it does not count.
pub(super) type Name<T> = fn(&T) -> Option<&str>;

/// Whether things of a kind are looked at here.
pub(super) fn has(kind: &Kind) -> bool {
    let here = [
        &kinds::INSTANCE,
        &kinds::VOLUME,
        &kinds::SNAPSHOT,
        &kinds::IMAGE,
        &kinds::PLACEMENT_GROUP,
        &kinds::DEDICATED_HOST,
        &kinds::ELASTIC_IP,
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
    let look = Look { removal, ids };
    match kind {
        _ if *kind == kinds::INSTANCE => look.by("instance-id", existing::<Instance>).await,
        _ if *kind == kinds::VOLUME => look.by("volume-id", Volume::volume_id).await,
        _ if *kind == kinds::SNAPSHOT => look.by("snapshot-id", Snapshot::snapshot_id).await,
        _ if *kind == kinds::IMAGE => look.by("image-id", existing::<Image>).await,
        _ if *kind == kinds::ELASTIC_IP => look.by("allocation-id", Address::allocation_id).await,
        _ if *kind == kinds::NAT_GATEWAY => look.by("nat-gateway-id", existing::<NatGateway>).await,
        _ if *kind == kinds::VPC_ENDPOINT => look.by("vpc-endpoint-id", existing::<VpcEndpoint>).await,
        _ if *kind == kinds::ENDPOINT_SERVICE => {
            look.by("service-id", existing::<ServiceConfiguration>).await
        }
        _ if *kind == kinds::NETWORK_INTERFACE => {
            look.by("network-interface-id", NetworkInterface::network_interface_id).await
        }
        _ if *kind == kinds::SECURITY_GROUP => look.by("group-id", SecurityGroup::group_id).await,
        _ if *kind == kinds::ROUTE_TABLE => look.by("route-table-id", RouteTable::route_table_id).await,
        _ if *kind == kinds::SUBNET => look.by("subnet-id", Subnet::subnet_id).await,
        _ if *kind == kinds::VPC => look.by("vpc-id", Vpc::vpc_id).await,
        _ if *kind == kinds::INTERNET_GATEWAY => {
            look.by("internet-gateway-id", InternetGateway::internet_gateway_id).await
        }
        _ if *kind == kinds::CARRIER_GATEWAY => {
            look.by("carrier-gateway-id", existing::<CarrierGateway>).await
        }
        _ if *kind == kinds::DHCP_OPTIONS => look.by("dhcp-options-id", DhcpOptions::dhcp_options_id).await,
        _ if *kind == kinds::PEERING_CONNECTION => {
            look.by("vpc-peering-connection-id", existing::<VpcPeeringConnection>).await
        }
        _ => look.all(kind).await,
    }
}

/// What is looked for.
struct Look<'l> {
    removal: &'l AwsRemoval<'l>,
    ids: &'l [&'l str],
}

impl Look<'_> {
    /// Those that a filter for the ids lets through.
    async fn by<T: Ask>(&self, filter: &str, name: Name<T>) -> Result<BTreeSet<String>, Stop> {
        Ok(names(&with_any(&self.removal.session, filter, self.ids).await?, name))
    }

    /// All of a kind that has no filter for ids.
    async fn all(&self, kind: &'static Kind) -> Result<BTreeSet<String>, Stop> {
        let removal = self.removal;
        let ec2 = removal.session.ec2().await?;
        if *kind == kinds::DEDICATED_HOST {
            return Ok(names(&list!(removal, "ec2:DescribeHosts", ec2.describe_hosts())?, existing::<Host>));
        }
        if *kind == kinds::PLACEMENT_GROUP {
            let answer = ask!(removal, "ec2:DescribePlacementGroups", ec2.describe_placement_groups())?;
            let there = answer.placement_groups().iter().filter(|group| !group.is_gone());
            let names = there.flat_map(|group| [group.id(), group.group_name()]);
            return Ok(names.flatten().map(str::to_owned).collect());
        }
        let request = ec2.describe_egress_only_internet_gateways();
        let found = list!(removal, "ec2:DescribeEgressOnlyInternetGateways", request)?;
        Ok(names(&found, EgressOnlyInternetGateway::egress_only_internet_gateway_id))
    }
}

/// All things that a description has a name for.
pub(super) fn names<T>(found: &[T], name: Name<T>) -> BTreeSet<String> {
    found.iter().filter_map(name).map(str::to_owned).collect()
}

/// The id of what exists: EC2 goes on listing some sorts of things for a while after they are gone.
fn existing<T: Ask>(found: &T) -> Option<&str> {
    found.id().filter(|_| !found.is_gone())
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::{InstanceState, InstanceStateName, NatGatewayState, State};

    use super::*;

    #[test]
    fn what_is_only_listed_is_gone() {
        let state = |name: InstanceStateName| InstanceState::builder().name(name).build();
        let of = |name: InstanceStateName| Instance::builder().instance_id("i-1").state(state(name)).build();
        assert_eq!(existing(&of(InstanceStateName::ShuttingDown)), Some("i-1"));
        assert_eq!(existing(&of(InstanceStateName::Terminated)), None);
        let of = |state: NatGatewayState| NatGateway::builder().nat_gateway_id("nat-1").state(state).build();
        assert_eq!(existing(&of(NatGatewayState::Deleting)), Some("nat-1"));
        assert_eq!(existing(&of(NatGatewayState::Deleted)), None);
        let of = |state: State| VpcEndpoint::builder().vpc_endpoint_id("vpce-1").state(state).build();
        assert_eq!(existing(&of(State::Deleting)), Some("vpce-1"));
        assert_eq!(existing(&of(State::Deleted)), None);
        assert_eq!(existing(&of(State::from("deleted"))), None);
    }

    #[test]
    fn things_of_other_services_are_not_looked_at() {
        assert!(has(&kinds::VPC) && has(&kinds::INSTANCE) && !has(&kinds::ROLE));
    }
}

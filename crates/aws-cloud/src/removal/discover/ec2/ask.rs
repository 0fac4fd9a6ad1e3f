//! How EC2 is asked for each sort of thing.

use aws_sdk_ec2::types::{
    Address, CarrierGateway, DhcpOptions, EgressOnlyInternetGateway, Filter, Host, Image, Instance,
    InternetGateway, NatGateway, NetworkInterface, PlacementGroup, RouteTable, SecurityGroup,
    ServiceConfiguration, Snapshot, Subnet, Volume, Vpc, VpcEndpoint, VpcPeeringConnection,
};
use landfall_platform::cloud::Waiting;

use super::described::Described;
use crate::gather::filter;
use crate::removal::MOST_VALUES;
use crate::session::{Lost, Session};

/// Something that EC2 can be asked for.
pub(in crate::removal) trait Ask: Described + Sized + Send + Sync + 'static {
    /// The name of the filter for the VPC, where such things go with their VPC.
    const IN_VPC: Option<&'static str>;

    /// All that a filter lets through.
    fn ask<'s>(session: &'s Session<'_>, filter: Filter) -> Waiting<'s, Result<Vec<Self>, Lost>>;
}

/// All that have one of the values, however many these are.
pub(in crate::removal) async fn with_any<T: Ask>(
    session: &Session<'_>,
    name: &str,
    values: &[&str],
) -> Result<Vec<T>, Lost> {
    let mut found = Vec::new();
    for some in values.chunks(MOST_VALUES) {
        found.extend(T::ask(session, filter(name, some.iter().copied())).await?);
    }
    Ok(found)
}

macro_rules! asks {
    ($($type:ident, $in_vpc:expr, $action:literal, $ec2:ident, $filter:ident => $request:expr;)*) => {$(
        impl Ask for $type {
            const IN_VPC: Option<&'static str> = $in_vpc;

            fn ask<'s>(session: &'s Session<'_>, $filter: Filter) -> Waiting<'s, Result<Vec<Self>, Lost>> {
                Box::pin(async move {
                    let $ec2 = session.ec2().await?;
                    Ok(session.answer($action, $request.into_paginator().items().send().try_collect()).await?)
                })
            }
        }
    )*};
}

asks! {
    CarrierGateway, None, "ec2:DescribeCarrierGateways",
        ec2, filter => ec2.describe_carrier_gateways().filters(filter);
    DhcpOptions, None, "ec2:DescribeDhcpOptions",
        ec2, filter => ec2.describe_dhcp_options().filters(filter);
    EgressOnlyInternetGateway, None, "ec2:DescribeEgressOnlyInternetGateways",
        ec2, filter => ec2.describe_egress_only_internet_gateways().filters(filter);
    Host, None, "ec2:DescribeHosts",
        ec2, filter => ec2.describe_hosts().filter(filter);
    Image, None, "ec2:DescribeImages",
        ec2, filter => ec2.describe_images().owners("self").filters(filter);
    InternetGateway, Some("attachment.vpc-id"), "ec2:DescribeInternetGateways",
        ec2, filter => ec2.describe_internet_gateways().filters(filter);
    NatGateway, Some("vpc-id"), "ec2:DescribeNatGateways",
        ec2, filter => ec2.describe_nat_gateways().filter(filter);
    NetworkInterface, Some("vpc-id"), "ec2:DescribeNetworkInterfaces",
        ec2, filter => ec2.describe_network_interfaces().filters(filter);
    RouteTable, Some("vpc-id"), "ec2:DescribeRouteTables",
        ec2, filter => ec2.describe_route_tables().filters(filter);
    SecurityGroup, Some("vpc-id"), "ec2:DescribeSecurityGroups",
        ec2, filter => ec2.describe_security_groups().filters(filter);
    ServiceConfiguration, None, "ec2:DescribeVpcEndpointServiceConfigurations",
        ec2, filter => ec2.describe_vpc_endpoint_service_configurations().filters(filter);
    Snapshot, None, "ec2:DescribeSnapshots",
        ec2, filter => ec2.describe_snapshots().owner_ids("self").filters(filter);
    Subnet, Some("vpc-id"), "ec2:DescribeSubnets",
        ec2, filter => ec2.describe_subnets().filters(filter);
    Volume, None, "ec2:DescribeVolumes",
        ec2, filter => ec2.describe_volumes().filters(filter);
    Vpc, None, "ec2:DescribeVpcs",
        ec2, filter => ec2.describe_vpcs().filters(filter);
    VpcEndpoint, Some("vpc-id"), "ec2:DescribeVpcEndpoints",
        ec2, filter => ec2.describe_vpc_endpoints().filters(filter);
    VpcPeeringConnection, None, "ec2:DescribeVpcPeeringConnections",
        ec2, filter => ec2.describe_vpc_peering_connections().filters(filter);
}

impl Ask for Instance {
    const IN_VPC: Option<&'static str> = None;

    fn ask<'s>(session: &'s Session<'_>, filter: Filter) -> Waiting<'s, Result<Vec<Self>, Lost>> {
        Box::pin(async move {
            let ec2 = session.ec2().await?;
            let request = ec2.describe_instances().filters(filter);
            let found = session
                .answer("ec2:DescribeInstances", request.into_paginator().items().send().try_collect())
                .await?;
            Ok(found.into_iter().flat_map(|one| one.instances.unwrap_or_default()).collect())
        })
    }
}

impl Ask for Address {
    const IN_VPC: Option<&'static str> = None;

    fn ask<'s>(session: &'s Session<'_>, filter: Filter) -> Waiting<'s, Result<Vec<Self>, Lost>> {
        Box::pin(async move {
            let ec2 = session.ec2().await?;
            let found = session
                .answer("ec2:DescribeAddresses", ec2.describe_addresses().filters(filter).send())
                .await?;
            Ok(found.addresses.unwrap_or_default())
        })
    }
}

impl Ask for PlacementGroup {
    const IN_VPC: Option<&'static str> = None;

    fn ask<'s>(session: &'s Session<'_>, filter: Filter) -> Waiting<'s, Result<Vec<Self>, Lost>> {
        const CALL: &str = "ec2:DescribePlacementGroups";
        Box::pin(async move {
            let ec2 = session.ec2().await?;
            let found = session.answer(CALL, ec2.describe_placement_groups().filters(filter).send()).await?;
            Ok(found.placement_groups.unwrap_or_default())
        })
    }
}

//! What networks are made of.

use aws_sdk_ec2::types::{InternetGateway, NetworkInterface, NetworkInterfaceStatus, VpcEndpointConnection};
use landfall_platform::removal::{Kind, Outcome, Resource};

use super::ec2_instances::itemised;
use super::{Stop, bare, detail, settled};
use crate::gather::filter;
use crate::removal::known::Interface;
use crate::removal::{AwsRemoval, kinds, known};

/// Removes what needs one call.
pub(super) async fn remove(removal: &AwsRemoval<'_>, thing: &Resource, id: &str) -> Result<Outcome, Stop> {
    if *thing.kind == kinds::NETWORK_INTERFACE {
        return Box::pin(interface(removal, id)).await;
    }
    let ec2 = removal.session.ec2().await?;
    match thing.kind {
        kind if *kind == kinds::NAT_GATEWAY => {
            ask!(removal, "ec2:DeleteNatGateway", ec2.delete_nat_gateway().nat_gateway_id(id))?;
            return Ok(Outcome::Going);
        }
        kind if *kind == kinds::ELASTIC_IP => {
            ask!(removal, "ec2:ReleaseAddress", ec2.release_address().allocation_id(id))?;
        }
        kind if *kind == kinds::SUBNET => {
            ask!(removal, "ec2:DeleteSubnet", ec2.delete_subnet().subnet_id(id))?;
        }
        kind if *kind == kinds::DHCP_OPTIONS => {
            ask!(removal, "ec2:DeleteDhcpOptions", ec2.delete_dhcp_options().dhcp_options_id(id))?;
        }
        kind if *kind == kinds::PEERING_CONNECTION => {
            let request = ec2.delete_vpc_peering_connection().vpc_peering_connection_id(id);
            ask!(removal, "ec2:DeleteVpcPeeringConnection", request)?;
        }
        kind if *kind == kinds::VPC => {
            ask!(removal, "ec2:DeleteVpc", ec2.delete_vpc().vpc_id(id))?;
        }
        _ => return Ok(Outcome::Refused(Box::new(super::pages::unknown(thing)))),
    }
    Ok(Outcome::Gone)
}

/// Removes a network interface. One that a service uses goes with what it belongs to, and nobody else may
/// remove it.
async fn interface(removal: &AwsRemoval<'_>, id: &str) -> Result<Outcome, Stop> {
    let known = known::with(&removal.known, |known| known.interfaces.remove(id));
    let interface = match known {
        Some(interface) => interface,
        None => described_interface(removal, id).await?,
    };
    if interface.of_service && interface.in_use {
        return Ok(Outcome::Going);
    }
    let ec2 = removal.session.ec2().await?;
    let request = ec2.delete_network_interface().network_interface_id(id);
    ask!(removal, "ec2:DeleteNetworkInterface", request)?;
    Ok(Outcome::Gone)
}

async fn described_interface(removal: &AwsRemoval<'_>, id: &str) -> Result<Interface, Stop> {
    let ec2 = removal.session.ec2().await?;
    let request = ec2.describe_network_interfaces().filters(filter("network-interface-id", [id]));
    let found = list!(removal, "ec2:DescribeNetworkInterfaces", request)?;
    found.first().map(interface_of).ok_or(Stop::Known(Outcome::Gone))
}

/// What of a described interface matters for its end.
fn interface_of(found: &NetworkInterface) -> Interface {
    Interface {
        of_service: found.requester_managed() == Some(true),
        in_use: found.status() != Some(&NetworkInterfaceStatus::Available),
    }
}

/// Removes a gateway of any sort but NAT; one to the internet leaves its VPCs first.
pub(super) async fn gateway(
    removal: &AwsRemoval<'_>,
    kind: &'static Kind,
    id: &str,
) -> Result<Outcome, Stop> {
    let ec2 = removal.session.ec2().await?;
    if *kind == kinds::EGRESS_ONLY_GATEWAY {
        let request = ec2.delete_egress_only_internet_gateway().egress_only_internet_gateway_id(id);
        ask!(removal, "ec2:DeleteEgressOnlyInternetGateway", request)?;
        return Ok(Outcome::Gone);
    }
    if *kind == kinds::CARRIER_GATEWAY {
        let request = ec2.delete_carrier_gateway().carrier_gateway_id(id);
        ask!(removal, "ec2:DeleteCarrierGateway", request)?;
        return Ok(Outcome::Gone);
    }
    let networks = detail::<InternetGateway, _>(removal, "internet-gateway-id", id, |known, id| {
        known.gateways.remove(id)
    });
    let networks = networks.await?;
    for vpc in &networks {
        let request = ec2.detach_internet_gateway().internet_gateway_id(id).vpc_id(vpc);
        settled(ask!(removal, "ec2:DetachInternetGateway", request))?;
    }
    ask!(removal, "ec2:DeleteInternetGateway", ec2.delete_internet_gateway().internet_gateway_id(id))?;
    Ok(Outcome::Gone)
}

/// Deletes VPC endpoints; they are gone once their interfaces are.
pub(super) async fn endpoints(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    const CALL: &str = "ec2:DeleteVpcEndpoints";
    let ec2 = ready!(removal.session.ec2(), things);
    together!(
        things,
        |ids| ask!(removal, CALL, ec2.delete_vpc_endpoints().set_vpc_endpoint_ids(Some(ids))),
        |answer, thing| itemised(removal, CALL, answer.unsuccessful(), thing, &Outcome::Going)
    )
}

/// Deletes endpoint services. Where others are connected, they are rejected first.
pub(super) async fn services(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    let outcomes = Box::pin(without_rejecting(removal, things)).await;
    let mut held = Vec::new();
    for (thing, outcome) in things.iter().zip(&outcomes) {
        if matches!(outcome, Outcome::Held { .. }) {
            held.push(*thing);
        }
    }
    if held.is_empty() {
        return outcomes;
    }
    for thing in held {
        // Where this fails, the next attempt to delete the service says what is in the way.
        let _ = Box::pin(reject(removal, bare(&thing.id))).await;
    }
    Box::pin(without_rejecting(removal, things)).await
}

async fn without_rejecting(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    const CALL: &str = "ec2:DeleteVpcEndpointServiceConfigurations";
    let ec2 = ready!(removal.session.ec2(), things);
    let delete =
        |ids: Vec<String>| ec2.delete_vpc_endpoint_service_configurations().set_service_ids(Some(ids));
    together!(things, |ids| ask!(removal, CALL, delete(ids)), |answer, thing| itemised(
        removal,
        CALL,
        answer.unsuccessful(),
        thing,
        &Outcome::Gone
    ))
}

/// Rejects the connections of an endpoint service.
async fn reject(removal: &AwsRemoval<'_>, id: &str) -> Result<(), Stop> {
    let ec2 = removal.session.ec2().await?;
    let request = ec2.describe_vpc_endpoint_connections().filters(filter("service-id", [id]));
    let found = list!(removal, "ec2:DescribeVpcEndpointConnections", request)?;
    let ids: Vec<String> =
        found.iter().filter_map(VpcEndpointConnection::vpc_endpoint_id).map(str::to_owned).collect();
    if !ids.is_empty() {
        let request = ec2.reject_vpc_endpoint_connections().service_id(id).set_vpc_endpoint_ids(Some(ids));
        ask!(removal, "ec2:RejectVpcEndpointConnections", request)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_left_to_the_service_that_uses_it() {
        let interface = |managed: bool, status: NetworkInterfaceStatus| {
            interface_of(&NetworkInterface::builder().requester_managed(managed).status(status).build())
        };
        let used = interface(true, NetworkInterfaceStatus::InUse);
        assert_eq!(used, Interface { of_service: true, in_use: true });
        let idle = interface(true, NetworkInterfaceStatus::Available);
        assert_eq!(idle, Interface { of_service: true, in_use: false });
        assert!(!interface(false, NetworkInterfaceStatus::InUse).of_service);
    }
}

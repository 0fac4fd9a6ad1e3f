//! Networks, and what they are made of.

use aws_sdk_ec2::types::{
    CarrierGateway, CarrierGatewayState, DhcpOptions, EgressOnlyInternetGateway, InternetGateway,
    InternetGatewayAttachment, IpPermission, NatGateway, NatGatewayAddress, NatGatewayState, RouteTable,
    SecurityGroup, SecurityGroupIdentifier, ServiceConfiguration, ServiceState, State, Subnet,
    UserIdGroupPair, Vpc, VpcEndpoint, VpcPeeringConnection, VpcPeeringConnectionStateReason,
    VpcPeeringConnectionStateReasonCode as PeeringState, VpcPeeringConnectionVpcInfo,
};

use super::described::{Described, text};
use crate::removal::graph::Node;
use crate::removal::kinds::{self, is_deleted};
use crate::removal::known::{Group, Known, Table};

/// The name of the group that every VPC has, and that goes with it.
const DEFAULT_GROUP: &str = "default";

described! {
    Vpc, "vpc", VPC, vpc_id;

    fn mentions(&self) -> Vec<&str> {
        self.dhcp_options_id().into_iter().collect()
    }
}

described! { Subnet, "subnet", SUBNET, subnet_id, vpc_id }

described! {
    RouteTable, "route-table", ROUTE_TABLE, route_table_id, vpc_id;

    /// A VPC's main route table goes with the VPC, and cannot go without it.
    fn is_gone(&self) -> bool {
        self.associations().iter().any(|association| association.main() == Some(true))
    }

    fn learn(&self, known: &mut Known) {
        let extra = self.associations().iter().filter(|association| association.main() != Some(true));
        let associations = extra.filter_map(|association| text(association.route_table_association_id()));
        let table = Table { main: self.is_gone(), associations: associations.collect() };
        known.tables.insert(self.id().unwrap_or_default().to_owned(), table);
    }
}

described! {
    SecurityGroup, "security-group", SECURITY_GROUP, group_id, vpc_id;

    /// A VPC's default group goes with the VPC. Only where its rules hold other groups must it be emptied.
    fn is_gone(&self) -> bool {
        self.group_name() == Some(DEFAULT_GROUP) && !names_others(self)
    }

    fn refine(&self, node: &mut Node) {
        if node.name.is_empty() {
            self.group_name().unwrap_or_default().clone_into(&mut node.name);
        }
    }

    fn learn(&self, known: &mut Known) {
        let group = Group {
            is_default: self.group_name() == Some(DEFAULT_GROUP),
            ingress: self.ip_permissions().to_vec(),
            egress: self.ip_permissions_egress().to_vec(),
        };
        known.groups.insert(self.id().unwrap_or_default().to_owned(), group);
    }
}

fn names_others(group: &SecurityGroup) -> bool {
    let rules = group.ip_permissions().iter().chain(group.ip_permissions_egress());
    let mut named = rules.flat_map(IpPermission::user_id_group_pairs).filter_map(UserIdGroupPair::group_id);
    named.any(|named| Some(named) != group.group_id())
}

described! {
    InternetGateway, "internet-gateway", INTERNET_GATEWAY, internet_gateway_id;

    fn vpc(&self) -> Option<&str> {
        self.attachments().iter().find_map(InternetGatewayAttachment::vpc_id)
    }

    fn learn(&self, known: &mut Known) {
        let vpcs = self.attachments().iter().filter_map(|attachment| text(attachment.vpc_id()));
        known.gateways.insert(self.id().unwrap_or_default().to_owned(), vpcs.collect());
    }
}

described! {
    EgressOnlyInternetGateway, "egress-only-internet-gateway", EGRESS_ONLY_GATEWAY, egress_only_internet_gateway_id;

    fn vpc(&self) -> Option<&str> {
        self.attachments().iter().find_map(InternetGatewayAttachment::vpc_id)
    }
}

described! {
    CarrierGateway, "carrier-gateway", CARRIER_GATEWAY, carrier_gateway_id, vpc_id;

    fn is_gone(&self) -> bool {
        self.state() == Some(&CarrierGatewayState::Deleted)
    }
}

described! {
    NatGateway, "natgateway", NAT_GATEWAY, nat_gateway_id, vpc_id;

    fn mentions(&self) -> Vec<&str> {
        let at = self.nat_gateway_addresses().iter();
        let interfaces = at.clone().filter_map(NatGatewayAddress::network_interface_id);
        at.filter_map(NatGatewayAddress::allocation_id).chain(interfaces).chain(self.subnet_id()).collect()
    }

    fn is_gone(&self) -> bool {
        self.state() == Some(&NatGatewayState::Deleted)
    }
}

described! {
    VpcEndpoint, "vpc-endpoint", VPC_ENDPOINT, vpc_endpoint_id, vpc_id;

    fn mentions(&self) -> Vec<&str> {
        let lists = [self.network_interface_ids(), self.route_table_ids(), self.subnet_ids()];
        let ids = lists.into_iter().flatten().map(String::as_str);
        let groups = self.groups().iter().filter_map(SecurityGroupIdentifier::group_id);
        ids.chain(groups).chain(self.service_name()).collect()
    }

    fn is_gone(&self) -> bool {
        is_deleted(self.state().map(State::as_str))
    }
}

described! {
    ServiceConfiguration, "vpc-endpoint-service", ENDPOINT_SERVICE, service_id;

    fn mentions(&self) -> Vec<&str> {
        let lists = [self.network_load_balancer_arns(), self.gateway_load_balancer_arns()];
        lists.into_iter().flatten().map(String::as_str).collect()
    }

    fn is_gone(&self) -> bool {
        is_deleted(self.service_state().map(ServiceState::as_str))
    }

    fn refine(&self, node: &mut Node) {
        node.aliases.extend(text(self.service_name()));
    }
}

described! { DhcpOptions, "dhcp-options", DHCP_OPTIONS, dhcp_options_id }

described! {
    VpcPeeringConnection, "vpc-peering-connection", PEERING_CONNECTION, vpc_peering_connection_id;

    fn mentions(&self) -> Vec<&str> {
        let sides = [self.accepter_vpc_info(), self.requester_vpc_info()].into_iter().flatten();
        sides.filter_map(VpcPeeringConnectionVpcInfo::vpc_id).collect()
    }

    fn is_gone(&self) -> bool {
        let gone =
            [PeeringState::Deleted, PeeringState::Expired, PeeringState::Failed, PeeringState::Rejected];
        self.status().and_then(VpcPeeringConnectionStateReason::code).is_some_and(|code| gone.contains(code))
    }
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::RouteTableAssociation;

    use super::*;

    fn group(name: &str, named: &str) -> SecurityGroup {
        let pair = UserIdGroupPair::builder().group_id(named).build();
        let rule = IpPermission::builder().user_id_group_pairs(pair).build();
        SecurityGroup::builder().group_id("sg-1").group_name(name).ip_permissions(rule).build()
    }

    #[test]
    fn a_default_group_matters_only_while_it_names_others() {
        assert!(group("default", "sg-1").is_gone());
        assert!(!group("default", "sg-2").is_gone());
        assert!(!group("demo-worker-sg", "sg-1").is_gone());
        let mut known = Known::default();
        group("default", "sg-2").learn(&mut known);
        let learned = known.groups.get("sg-1").map(|group| (group.is_default, group.ingress.len()));
        assert_eq!(learned, Some((true, 1)));
    }

    #[test]
    fn a_main_route_table_goes_with_its_vpc() {
        let association = |id: &str, main: bool| {
            RouteTableAssociation::builder().route_table_association_id(id).main(main).build()
        };
        let table = RouteTable::builder().route_table_id("rtb-1").associations(association("a-1", false));
        assert!(!table.clone().build().is_gone());
        let table = table.associations(association("a-2", true)).build();
        assert!(table.is_gone());
        let mut known = Known::default();
        table.learn(&mut known);
        let expected = Table { main: true, associations: vec!["a-1".to_owned()] };
        assert_eq!(known.tables.get("rtb-1"), Some(&expected));
    }

    #[test]
    fn a_nat_gateway_names_its_addresses() {
        let address = NatGatewayAddress::builder().allocation_id("eipalloc-1").network_interface_id("eni-1");
        let gateway =
            NatGateway::builder().subnet_id("subnet-1").nat_gateway_addresses(address.build()).build();
        assert_eq!(gateway.mentions(), ["eipalloc-1", "eni-1", "subnet-1"]);
        assert!(!gateway.is_gone());
        assert!(NatGateway::builder().state(NatGatewayState::Deleted).build().is_gone());
    }

    #[test]
    fn a_peering_connection_that_came_to_nothing_is_gone() {
        let connection = |code: PeeringState| {
            let status = VpcPeeringConnectionStateReason::builder().code(code).build();
            VpcPeeringConnection::builder().status(status).build()
        };
        assert!(connection(PeeringState::Rejected).is_gone() && !connection(PeeringState::Active).is_gone());
    }
}

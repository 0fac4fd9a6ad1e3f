//! What the config names of an existing network: subnets and security groups.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use aws_sdk_ec2::types::{
    NetworkInterface, Route, RouteTable, RouteTableAssociation, SecurityGroup as DescribedGroup,
    Subnet as Described, Tag,
};
use futures::join;
use ipnet::Ipv4Net;
use landfall_model::aws::facts::{SecurityGroup, Subnet, WAVELENGTH_ZONE, Zone};
use landfall_model::config::InstallConfig;
use landfall_model::plan::is_infra_id_of;
use landfall_platform::cloud::Asked;

use super::filter;
use crate::session::Session;
use landfall_aws::tags::{CLUSTER, id_of};

/// The field of the subnets.
const SUBNETS: &str = "platform.aws.vpc.subnets";

/// The subnets that the config names, in its order.
pub(super) async fn subnets(session: &Session<'_>) -> Asked<Vec<Subnet>> {
    const CALL: &str = "ec2:DescribeSubnets";
    let named: Vec<&str> = session.platform.vpc.subnets.iter().map(|subnet| subnet.id.as_str()).collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let ec2 = session.ec2().await?;
    let request = ec2.describe_subnets().filters(filter("subnet-id", named.iter().copied()));
    let found = session.asked(CALL, SUBNETS, request.into_paginator().items().send().try_collect()).await?;
    let vpcs: BTreeSet<String> = found.iter().filter_map(Described::vpc_id).map(str::to_owned).collect();
    let (tables, zones) = join!(Box::pin(tables(session, &vpcs)), session.zones());
    let tables = tables?;
    let zones = zones.as_ref().map_err(Clone::clone)?;
    let known = |id: &&str| found.iter().find(|subnet| subnet.subnet_id() == Some(*id));
    let mut subnets: Vec<Subnet> =
        named.iter().filter_map(known).map(|described| subnet(described, zones, &tables)).collect();
    if session.platform.has_user_dns() {
        let taken = interfaces(session, &named).await?;
        let name = session.asking.config.metadata.name.as_str();
        // Without infrastructure of this cluster, a load balancer of that name is another cluster's.
        let own = Some(name).filter(|_| session.asking.installed);
        for subnet in &mut subnets {
            let here = taken.iter().filter(|taken| taken.subnet == subnet.id);
            subnet.api_address =
                api_address(&subnet.cidr, here, own).map(|a| a.to_string()).unwrap_or_default();
        }
    }
    Ok(subnets)
}

/// A network interface: where it is, its addresses, and what it is for.
#[derive(Debug, Default)]
struct Interface {
    subnet: String,
    addresses: Vec<Ipv4Addr>,
    description: String,
}

/// The network interfaces in subnets.
async fn interfaces(session: &Session<'_>, subnets: &[&str]) -> Asked<Vec<Interface>> {
    const CALL: &str = "ec2:DescribeNetworkInterfaces";
    let ec2 = session.ec2().await?;
    let request = ec2.describe_network_interfaces().filters(filter("subnet-id", subnets.iter().copied()));
    let found = session.asked(CALL, SUBNETS, request.into_paginator().items().send().try_collect()).await?;
    let interface = |described: &NetworkInterface| Interface {
        subnet: described.subnet_id().unwrap_or_default().to_owned(),
        addresses: described
            .private_ip_addresses()
            .iter()
            .filter_map(|address| address.private_ip_address()?.parse().ok())
            .collect(),
        description: described.description().unwrap_or_default().to_owned(),
    };
    Ok(found.iter().map(interface).collect())
}

/// Whether an interface is that of the internal load balancer of a cluster of this name, as its description says.
fn is_of(description: &str, cluster: &str) -> bool {
    let name = description.strip_prefix("ELB net/").and_then(|rest| rest.split('/').next());
    name.and_then(|name| name.strip_suffix("-int")).is_some_and(|id| is_infra_id_of(id, cluster))
}

/// The address that the internal load balancer of a cluster has, where `own` is the cluster's name, or else the last
/// free one. AWS keeps the first four addresses of a subnet and the last one for itself.
fn api_address<'i>(
    cidr: &str,
    interfaces: impl Iterator<Item = &'i Interface>,
    own: Option<&str>,
) -> Option<Ipv4Addr> {
    let net: Ipv4Net = cidr.parse().ok()?;
    let mut taken = BTreeSet::new();
    for interface in interfaces {
        if own.is_some_and(|cluster| is_of(&interface.description, cluster)) {
            return interface.addresses.first().copied();
        }
        taken.extend(interface.addresses.iter().copied());
    }
    let first = u32::from(net.network()).saturating_add(4);
    let free = (first..u32::from(net.broadcast())).rev().map(Ipv4Addr::from);
    free.into_iter().find(|address| !taken.contains(address))
}

fn subnet(described: &Described, zones: &[Zone], tables: &[Table]) -> Subnet {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let zone = text(described.availability_zone());
    let zone_type = zones.iter().find(|known| known.name == zone).map(|known| known.kind.clone());
    let mut subnet = Subnet {
        id: text(described.subnet_id()),
        zone_type: zone_type.unwrap_or_default(),
        zone,
        cidr: text(described.cidr_block()),
        ipv6_cidr: text(
            described.ipv6_cidr_block_association_set().iter().find_map(|one| one.ipv6_cidr_block()),
        ),
        vpc: text(described.vpc_id()),
        public: false,
        owners: owners(described.tags()),
        api_address: String::new(),
    };
    subnet.public = is_public(&subnet, tables);
    subnet
}

/// The infrastructure ids of the clusters that a resource was created for, each once.
pub(super) fn owners(tags: &[Tag]) -> Vec<String> {
    let owned = tags.iter().filter(|tag| tag.value() == Some("owned"));
    let ids: BTreeSet<&str> = owned.filter_map(|tag| id_of(tag.key()?)).collect();
    ids.into_iter().map(str::to_owned).collect()
}

/// What matters of an existing network.
#[derive(Clone, Debug, Default)]
pub(super) struct Vpc {
    /// Clusters that own it.
    pub(super) owners: Vec<String>,
    /// Subnets that the config does not name and that no cluster's tag is on.
    pub(super) untagged: Vec<String>,
}

/// The network of the first subnet that the config names. Nothing is known of it where the subnets are not known, which
/// is said of these.
pub(super) async fn vpc(session: &Session<'_>) -> Asked<Vpc> {
    const CALL: &str = "ec2:DescribeVpcs";
    const SUBNETS_CALL: &str = "ec2:DescribeSubnets";
    let id = session.subnets().await.as_ref().ok().and_then(|subnets| subnets.first());
    let Some(id) = id.map(|subnet| subnet.vpc.as_str()).filter(|id| !id.is_empty()) else {
        return Ok(Vpc::default());
    };
    let ec2 = session.ec2().await?;
    let vpcs = ec2.describe_vpcs().filters(filter("vpc-id", [id])).into_paginator().items().send();
    let subnets = ec2.describe_subnets().filters(filter("vpc-id", [id])).into_paginator().items().send();
    let (vpcs, subnets) = join!(
        session.asked(CALL, SUBNETS, vpcs.try_collect()),
        session.asked(SUBNETS_CALL, SUBNETS, subnets.try_collect()),
    );
    let (vpcs, subnets) = (vpcs?, subnets?);
    let named: Vec<&str> = session.platform.vpc.subnets.iter().map(|subnet| subnet.id.as_str()).collect();
    let owners = vpcs.iter().find(|vpc| vpc.vpc_id() == Some(id)).map(|vpc| owners(vpc.tags()));
    Ok(Vpc { owners: owners.unwrap_or_default(), untagged: untagged(&subnets, id, &named) })
}

/// The subnets of a network that are not among the named ones and have no tag of a cluster, not even that of none, sorted.
fn untagged(subnets: &[Described], vpc: &str, named: &[&str]) -> Vec<String> {
    let tagged = |subnet: &&Described| {
        subnet.tags().iter().any(|tag| tag.key().is_some_and(|key| key.starts_with(CLUSTER)))
    };
    let there = subnets.iter().filter(|subnet| subnet.vpc_id() == Some(vpc) && !tagged(subnet));
    let ids = there.filter_map(Described::subnet_id).filter(|id| !named.contains(id));
    ids.map(str::to_owned).collect::<BTreeSet<String>>().into_iter().collect()
}

/// What of a route table decides whether a subnet is public.
#[derive(Debug, Default, PartialEq, Eq)]
struct Table {
    vpc: String,
    /// Whether it is that of all subnets of its network without one of their own.
    main: bool,
    subnets: Vec<String>,
    gateways: Vec<String>,
}

/// The route tables of networks.
async fn tables(session: &Session<'_>, vpcs: &BTreeSet<String>) -> Asked<Vec<Table>> {
    const CALL: &str = "ec2:DescribeRouteTables";
    if vpcs.is_empty() {
        return Ok(Vec::new());
    }
    let ec2 = session.ec2().await?;
    let request = ec2.describe_route_tables().filters(filter("vpc-id", vpcs.iter().map(String::as_str)));
    let found = session.asked(CALL, SUBNETS, request.into_paginator().items().send().try_collect()).await?;
    Ok(found.iter().map(table).collect())
}

fn table(described: &RouteTable) -> Table {
    let associations = described.associations();
    let gateways = |route: &Route| {
        let ids = [route.gateway_id(), route.carrier_gateway_id()];
        ids.map(|id| id.map(str::to_owned))
    };
    Table {
        vpc: described.vpc_id().unwrap_or_default().to_owned(),
        main: associations.iter().any(|association| association.main() == Some(true)),
        subnets: associations
            .iter()
            .filter_map(RouteTableAssociation::subnet_id)
            .map(str::to_owned)
            .collect(),
        gateways: described.routes().iter().flat_map(gateways).flatten().collect(),
    }
}

/// Whether the subnet's own route table, or else the main one of its network, leads to the internet.
fn is_public(subnet: &Subnet, tables: &[Table]) -> bool {
    let own = tables.iter().find(|table| table.subnets.contains(&subnet.id));
    let main = || tables.iter().find(|table| table.main && table.vpc == subnet.vpc);
    // Networks of mobile operators have gateways of their own.
    let by_carrier = subnet.zone_type == WAVELENGTH_ZONE;
    let leads_out =
        |gateway: &String| gateway.starts_with("igw-") || (by_carrier && gateway.starts_with("cagw-"));
    own.or_else(main).is_some_and(|table| table.gateways.iter().any(leads_out))
}

/// The security groups that the config names.
pub(super) async fn security_groups(session: &Session<'_>) -> Asked<Vec<SecurityGroup>> {
    const CALL: &str = "ec2:DescribeSecurityGroups";
    let groups = named_groups(session.asking.config);
    let Some((_, field)) = groups.first() else {
        return Ok(Vec::new());
    };
    let named: BTreeSet<&str> = groups.iter().map(|(id, _)| id.as_str()).collect();
    let ec2 = session.ec2().await?;
    let request = ec2.describe_security_groups().filters(filter("group-id", named.iter().copied()));
    let found = session.asked(CALL, field, request.into_paginator().items().send().try_collect()).await?;
    let group = |described: &DescribedGroup| {
        let id = described.group_id().filter(|id| named.contains(id))?;
        Some(SecurityGroup { id: id.to_owned(), vpc: described.vpc_id().unwrap_or_default().to_owned() })
    };
    let mut groups: Vec<SecurityGroup> = found.iter().filter_map(group).collect();
    groups.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(groups)
}

/// The security groups that pools name, each with its field.
fn named_groups(config: &InstallConfig) -> Vec<(String, String)> {
    let mut groups = Vec::new();
    for (path, pool) in config.pools() {
        let ids = pool.platform.aws.iter().flat_map(|settings| &settings.additional_security_group_ids);
        let field = format!("{path}.platform.aws.additionalSecurityGroupIDs");
        groups.extend(ids.map(|id| (id.clone(), field.clone())));
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table_of(main: bool, subnets: &[&str], gateways: &[&str]) -> Table {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Table { vpc: "vpc-1".to_owned(), main, subnets: owned(subnets), gateways: owned(gateways) }
    }

    fn public(kind: &str, tables: &[Table]) -> bool {
        let subnet = Subnet {
            id: "subnet-1".to_owned(),
            vpc: "vpc-1".to_owned(),
            zone_type: kind.to_owned(),
            ..Subnet::default()
        };
        is_public(&subnet, tables)
    }

    #[test]
    fn a_subnet_is_public_by_its_own_route_table_or_the_main_one() {
        let ordinary = "availability-zone";
        let out = ["local", "igw-1"];
        let main = table_of(true, &[], &out);
        assert!(public(ordinary, &[table_of(false, &["subnet-1"], &out)]));
        assert!(public(ordinary, &[table_of(true, &[], &out)]));
        assert!(!public(ordinary, &[main, table_of(false, &["subnet-1"], &["local", "nat-1"])]));
        assert!(!public(ordinary, &[table_of(false, &["subnet-2"], &out)]));
        assert!(!public(ordinary, &[Table { vpc: "vpc-2".to_owned(), ..table_of(true, &[], &out) }]));
        assert!(!public(ordinary, &[]));
    }

    #[test]
    fn the_api_has_its_own_address_or_the_last_free_one() {
        let interface = |address: &str, description: &str| Interface {
            addresses: address.parse().into_iter().collect(),
            description: description.to_owned(),
            ..Interface::default()
        };
        let chosen = |cidr: &str, there: &[Interface]| {
            api_address(cidr, there.iter(), Some("demo")).map(|address| address.to_string())
        };
        let mut there = vec![interface("10.0.0.254", ""), interface("10.0.0.252", "")];
        assert_eq!(chosen("10.0.0.0/24", &[]).as_deref(), Some("10.0.0.254"));
        assert_eq!(chosen("10.0.0.0/24", &there).as_deref(), Some("10.0.0.253"));
        there.push(interface("10.0.0.17", "ELB net/demo-bcd24-int/50dc6c495c0c9188"));
        assert_eq!(chosen("10.0.0.0/24", &there).as_deref(), Some("10.0.0.17"));
        let of_others = api_address("10.0.0.0/24", there.iter(), None);
        assert_eq!(of_others, Some(Ipv4Addr::new(10, 0, 0, 253)));
        let full: Vec<Interface> = (4..15).map(|last| interface(&format!("10.0.0.{last}"), "")).collect();
        assert_eq!(chosen("10.0.0.0/28", &full), None);
        assert_eq!(chosen("10.0.0.0/28", &full[1..]).as_deref(), Some("10.0.0.4"));
    }

    #[test]
    fn a_carrier_gateway_counts_in_wavelength_zones_only() {
        let tables = [table_of(false, &["subnet-1"], &["local", "cagw-1"])];
        assert!(public(WAVELENGTH_ZONE, &tables));
        assert!(!public("availability-zone", &tables));
    }

    #[test]
    fn reads_a_route_table() {
        let described = RouteTable::builder()
            .vpc_id("vpc-1")
            .associations(RouteTableAssociation::builder().main(true).build())
            .associations(RouteTableAssociation::builder().main(false).subnet_id("subnet-1").build())
            .routes(Route::builder().gateway_id("local").build())
            .routes(Route::builder().nat_gateway_id("nat-1").build())
            .routes(Route::builder().carrier_gateway_id("cagw-1").build())
            .build();
        assert_eq!(table(&described), table_of(true, &["subnet-1"], &["local", "cagw-1"]));
    }

    #[test]
    fn owners_are_clusters_whose_own_the_resource_is() {
        let tag = |key: &str, value: &str| Tag::builder().key(key).value(value).build();
        let tags = [
            tag("kubernetes.io/cluster/one-bcd24", "owned"),
            tag("kubernetes.io/cluster/two-bcd25", "shared"),
            tag("kubernetes.io/cluster/", "owned"),
            tag("sigs.k8s.io/cluster-api-provider-aws/cluster/one-bcd24", "owned"),
            tag("sigs.k8s.io/cluster-api-provider-aws/cluster/three-bcd26", "owned"),
            tag("Name", "owned"),
        ];
        assert_eq!(owners(&tags), ["one-bcd24", "three-bcd26"]);
    }

    #[test]
    fn other_subnets_of_the_network_count_without_a_tag_of_a_cluster() {
        let subnet = |id: &str, vpc: &str, key: &str| {
            let tag = Tag::builder().key(key).value("true").build();
            Described::builder().subnet_id(id).vpc_id(vpc).tags(tag).build()
        };
        let there = [
            subnet("subnet-4", "vpc-1", "Name"),
            subnet("subnet-3", "vpc-1", "sigs.k8s.io/cluster-api-provider-aws/cluster/one-bcd24"),
            subnet("subnet-2", "vpc-1", "kubernetes.io/cluster/unmanaged"),
            subnet("subnet-1", "vpc-1", "Name"),
            subnet("subnet-0", "vpc-2", "Name"),
        ];
        assert_eq!(untagged(&there, "vpc-1", &["subnet-1"]), ["subnet-3", "subnet-4"]);
    }

    #[test]
    fn a_subnet_has_the_kind_of_its_zone() {
        let described = Described::builder()
            .subnet_id("subnet-1")
            .vpc_id("vpc-1")
            .cidr_block("10.0.0.0/19")
            .availability_zone("us-east-1-nyc-1a")
            .build();
        let zones =
            [Zone { name: "us-east-1-nyc-1a".to_owned(), kind: "local-zone".to_owned(), ..Zone::default() }];
        let found = subnet(&described, &zones, &[table_of(true, &[], &["igw-1"])]);
        assert_eq!((found.zone_type.as_str(), found.public), ("local-zone", true));
        assert_eq!(subnet(&described, &[], &[]).zone_type, "");
    }
}

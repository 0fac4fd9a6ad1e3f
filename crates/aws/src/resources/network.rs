//! VPC, subnets, gateways and routes.

use std::collections::BTreeMap;

use landfall_platform::native::output;
use serde_json::{Value, json};

use super::{Builder, Tags, id};
use crate::permissions::is_wavelength;

/// The network that all else lies in.
pub(super) struct Network {
    pub(super) vpc: Value,
    /// The internet gateway of a new VPC.
    pub(super) gateway: Vec<String>,
    /// Private and public subnets, in the order of their zones or as given.
    pub(super) private: Vec<Value>,
    pub(super) public: Vec<Value>,
    /// Private subnet by zone; in the user's VPC the zone is asked for.
    pub(super) private_of_zone: BTreeMap<String, Value>,
    /// Public subnet by zone, where something needs it.
    pub(super) public_of_zone: BTreeMap<String, Value>,
    /// The address range of the user's VPC.
    pub(super) given_range: Option<Value>,
    /// The IPv6 addresses of the VPC in a dual-stack cluster.
    pub(super) ipv6: Option<Value>,
}

pub(super) const EVERYWHERE: &str = "0.0.0.0/0";
pub(super) const EVERYWHERE_IPV6: &str = "::/0";

/// What a new VPC has for IPv6.
struct Ipv6 {
    /// Its addresses.
    cidr: Value,
    /// The way out of private subnets.
    gateway: String,
}

impl Builder<'_> {
    pub(super) fn network(&mut self) -> Network {
        match self.vars.aws_vpc.clone() {
            Some(vpc) => self.given_network(&vpc),
            None => self.new_network(),
        }
    }

    fn given_network(&mut self, vpc: &str) -> Network {
        let given = self.add("given-vpc", "vpc", json!({ "id": vpc }), &[]);
        let (private, public) = (&self.vars.aws_private_subnets, &self.vars.aws_public_subnets);
        let is_asked = self.vars.is_cluster_api() && self.vars.is_external();
        let for_bootstrap =
            if is_asked && self.vars.aws_bootstrap_subnet.is_none() { public } else { &Vec::new() };
        Network {
            vpc: json!(vpc),
            gateway: Vec::new(),
            private: private.iter().map(|subnet| json!(subnet)).collect(),
            public: public.iter().map(|subnet| json!(subnet)).collect(),
            private_of_zone: self.given_by_zone(vpc, "private", private),
            public_of_zone: self.given_by_zone(vpc, "public", for_bootstrap),
            given_range: Some(output(&given, "cidr")),
            ipv6: self.vars.is_dual_stack().then(|| output(&given, "ipv6Cidr")),
        }
    }

    /// The user's subnets in the zones of the control plane.
    fn given_by_zone(&mut self, vpc: &str, name: &str, subnets: &[String]) -> BTreeMap<String, Value> {
        if subnets.is_empty() {
            return BTreeMap::new();
        }
        let found = self.add("given-subnets", name, json!({ "ids": subnets, "vpc": vpc }), &[]);
        let zones = self.vars.aws_master_availability_zones.iter();
        zones.map(|zone| (zone.clone(), output(&found, zone))).collect()
    }

    #[allow(clippy::too_many_lines, reason = "one list of what a network consists of")]
    fn new_network(&mut self) -> Network {
        let vars = self.vars;
        let vpc = self.add(
            "vpc",
            "vpc",
            json!({
                "cidr": vars.machine_v4_cidrs.first(),
                "ipv6": vars.is_dual_stack().then_some(true),
                "dnsHostnames": true,
                "dnsSupport": true,
                "tags": self.role_tags("common", "vpc"),
            }),
            &[],
        );
        let vpc = id(&vpc);
        let options = self.add(
            "dhcp-options",
            "dhcp",
            json!({
                "domainName": vars.aws_dhcp_domain_name,
                "domainNameServers": ["AmazonProvidedDNS"],
                "tags": self.tags(),
            }),
            &[],
        );
        self.add("dhcp-options-association", "dhcp", json!({ "vpc": vpc, "options": id(&options) }), &[]);
        let gateway = self.add(
            "internet-gateway",
            "igw",
            json!({ "vpc": vpc, "tags": self.role_tags("common", "igw") }),
            &[],
        );
        let public_table = self.table(&vpc, "public");
        self.add("main-route-table", "public", json!({ "vpc": vpc, "table": id(&public_table) }), &[]);
        self.add(
            "route",
            "public-internet",
            json!({ "table": id(&public_table), "destination": EVERYWHERE, "gateway": id(&gateway) }),
            &[],
        );
        let carrier_table = self.carrier_table(&vpc);
        let ipv6 = self.ipv6(&vpc, &public_table, &gateway);
        let mut network = Network {
            vpc: vpc.clone(),
            gateway: vec![gateway.clone()],
            private: Vec::new(),
            public: Vec::new(),
            private_of_zone: BTreeMap::new(),
            public_of_zone: BTreeMap::new(),
            given_range: None,
            ipv6: ipv6.as_ref().map(|ipv6| ipv6.cidr.clone()),
        };
        let ipv6_of = |zone: &String, public: bool| -> Option<Value> {
            let zones =
                vars.aws_private_cidrs.keys().filter(|zone| !vars.aws_edge_local_zones.contains(*zone));
            let zones: Vec<&String> = zones.collect();
            let index = zones.iter().position(|known| *known == zone)?;
            let index = if public { zones.len() + index } else { index };
            Some(json!({ "block": ipv6.as_ref()?.cidr, "index": index }))
        };
        let mut nat = BTreeMap::new();
        for (zone, cidr) in &vars.aws_public_cidrs {
            let is_edge = vars.aws_edge_local_zones.contains(zone);
            let table = carrier_table.as_ref().filter(|_| is_wavelength(zone)).unwrap_or(&public_table);
            let subnet = self.subnet(&vpc, zone, cidr, ipv6_of(zone, true).as_ref(), true, table);
            if is_edge {
                continue;
            }
            let address = self.add(
                "address",
                &format!("nat-{zone}"),
                self.address(&self.role_tags("common", &format!("eip-{zone}"))),
                std::slice::from_ref(&gateway),
            );
            let tags = self.role_tags("common", &format!("nat-{zone}"));
            let one = self.add(
                "nat-gateway",
                zone,
                json!({ "address": id(&address), "subnet": id(&subnet), "tags": tags }),
                &[],
            );
            nat.insert(zone.clone(), one);
            network.public.push(id(&subnet));
            network.public_of_zone.insert(zone.clone(), id(&subnet));
        }
        let mut tables = vec![id(&public_table)];
        let mut of_zone: Vec<String> = Vec::new();
        let ordinary =
            vars.aws_private_cidrs.iter().filter(|(zone, _)| !vars.aws_edge_local_zones.contains(*zone));
        for (zone, cidr) in ordinary {
            let table = self.table(&vpc, &format!("private-{zone}"));
            if let Some(nat) = nat.get(zone) {
                let route = json!({ "table": id(&table), "destination": EVERYWHERE, "nat": id(nat) });
                self.add("route", &format!("private-{zone}"), route, &[]);
            }
            if let Some(ipv6) = &ipv6 {
                let gateway = id(&ipv6.gateway);
                let route =
                    json!({ "table": id(&table), "destination": EVERYWHERE_IPV6, "egressGateway": gateway });
                self.add("route", &format!("private-ipv6-{zone}"), route, &[]);
            }
            let subnet = self.subnet(&vpc, zone, cidr, ipv6_of(zone, false).as_ref(), false, &table);
            network.private.push(id(&subnet));
            network.private_of_zone.insert(zone.clone(), id(&subnet));
            tables.push(id(&table));
            of_zone.push(table);
        }
        let edge =
            vars.aws_private_cidrs.iter().filter(|(zone, _)| vars.aws_edge_local_zones.contains(*zone));
        for (zone, cidr) in edge {
            let parent = vars.aws_edge_parent_zones_index.get(zone).copied().unwrap_or_default();
            if let Some(table) = of_zone.get(parent).or(of_zone.first()).cloned() {
                self.subnet(&vpc, zone, cidr, None, false, &table);
            }
        }
        if !vars.aws_s3_endpoint_service.is_empty() {
            self.add(
                "vpc-endpoint",
                "s3",
                json!({
                    "vpc": vpc,
                    "service": vars.aws_s3_endpoint_service,
                    "routeTables": tables,
                    "tags": self.tags(),
                }),
                &[],
            );
        }
        network
    }

    /// The IPv6 addresses of a new VPC, which AWS gives, and the ways out for them; none where there is IPv4 alone.
    fn ipv6(&mut self, vpc: &Value, public_table: &str, gateway: &str) -> Option<Ipv6> {
        if !self.vars.is_dual_stack() {
            return None;
        }
        let given = self.add("given-ipv6", "vpc", json!({ "vpc": vpc }), &[]);
        let tags = self.role_tags("common", "eigw");
        let egress = self.add("egress-gateway", "eigw", json!({ "vpc": vpc, "tags": tags }), &[]);
        let (table, gateway) = (id(public_table), id(gateway));
        let route = json!({ "table": table, "destination": EVERYWHERE_IPV6, "gateway": gateway });
        self.add("route", "public-internet-ipv6", route, &[]);
        Some(Ipv6 { cidr: output(&given, "cidr"), gateway: egress })
    }

    /// The route table of public subnets in Wavelength zones, which reach the internet through a carrier gateway; none
    /// without such zones.
    fn carrier_table(&mut self, vpc: &Value) -> Option<String> {
        self.vars.aws_edge_local_zones.iter().find(|zone| is_wavelength(zone))?;
        let tags = self.role_tags("common", "cagw");
        let gateway = self.add("carrier-gateway", "cagw", json!({ "vpc": vpc, "tags": tags }), &[]);
        let table = self.table(vpc, "carrier");
        let route = json!({ "table": id(&table), "destination": EVERYWHERE, "carrierGateway": id(&gateway) });
        self.add("route", "public-carrier", route, &[]);
        Some(table)
    }

    /// A public address, of the user's pool where there is one.
    pub(super) fn address(&self, tags: &Tags) -> Value {
        json!({ "pool": self.vars.aws_public_ipv4_pool, "tags": tags })
    }

    fn table(&mut self, vpc: &Value, name: &str) -> String {
        let tags = self.role_tags("common", &self.with_kind("rt", name));
        self.add("route-table", name, json!({ "vpc": vpc, "tags": tags }), &[])
    }

    fn subnet(
        &mut self,
        vpc: &Value,
        zone: &str,
        cidr: &str,
        ipv6: Option<&Value>,
        public: bool,
        table: &str,
    ) -> String {
        let name = format!("{}-{zone}", if public { "public" } else { "private" });
        let role = if public { "public" } else { "private" };
        let mut tags = self.role_tags(role, &self.with_kind("subnet", &name));
        // Load balancers of services belong into the region's own zones, which the older tag does not say.
        let is_cluster_api = self.vars.is_cluster_api();
        if is_cluster_api && !self.vars.aws_edge_local_zones.contains(zone) {
            let kind = if public { "elb" } else { "internal-elb" };
            tags.insert(format!("kubernetes.io/role/{kind}"), "1".to_owned());
        } else if !is_cluster_api && !public {
            tags.insert("kubernetes.io/role/internal-elb".to_owned(), String::new());
        }
        let subnet = self.add(
            "subnet",
            &name,
            json!({
                "vpc": vpc,
                "cidr": cidr,
                "ipv6": ipv6,
                "zone": zone,
                "publicAddresses": public && is_cluster_api && !is_wavelength(zone),
                "tags": tags,
            }),
            &[],
        );
        let association = json!({ "table": id(table), "subnet": id(&subnet) });
        self.add("route-table-association", &name, association, &[]);
        subnet
    }
}

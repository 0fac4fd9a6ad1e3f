//! The names of the API for clients with IPv6: beside those for IPv4 in the private zone, and in the public zone of the
//! base domain under a name of its own, as a name can be an alias only once.

use std::net::Ipv6Addr;

use landfall_azure_objects::kinds::named;
use landfall_azure_objects::names::{PRIVATE_NAMES, TTL, resource_id};
use landfall_platform::native::output;
use serde_json::{Value, json};

use super::kinds::version;
use super::{Builder, CLUSTER, id_of};

impl Builder<'_> {
    /// Adds the records, where the cloud's DNS has those for IPv4. `address` is that of the internal load balancer.
    pub(super) fn ipv6_records(&mut self, address: Ipv6Addr) {
        let azure = self.azure;
        self.stage = CLUSTER;
        let node = |kind: &str, end: &str| {
            let mut nodes = self.graph.resources.iter();
            nodes.find(|node| node.kind == kind && id_of(node).ends_with(end)).cloned()
        };
        let outside = node("public-ip", &format!("{}-pip-v6", self.id()));
        let balancer = node("load-balancer", &azure.load_balancers.internal).map(|node| node.name);
        let Some(zone) = node("private-zone", "").map(|node| id_of(&node).to_owned()) else { return };
        let after: Vec<String> = balancer.into_iter().collect();
        for name in PRIVATE_NAMES {
            let records = json!({ "ttl": TTL, "aaaaRecords": [{ "ipv6Address": address }] });
            self.record("private-record", &zone, ("AAAA", name), "PrivateDnsZonesARecord", records, &after);
        }
        let cluster = &self.plan.cluster;
        let Some(outside) = outside.filter(|_| cluster.external_api) else { return };
        let zone = format!("Microsoft.Network/dnsZones/{}", cluster.base_domain);
        let zone = resource_id(self.subscription(), &azure.groups.base_domain, &zone);
        let alias = json!({ "cname": output(&outside.name, "fqdn") });
        let record = json!({ "TTL": TTL, "CNAMERecord": alias });
        let name = format!("v6-api.{}", cluster.name);
        self.record("public-record", &zone, ("CNAME", &name), "DnsZonesCNAMERecord", record, &[]);
    }

    /// Adds a record of a zone, with the cluster's tags; `like` is the kind of object that has the same interface.
    fn record(
        &mut self,
        kind: &'static str,
        zone: &str,
        (record, name): (&str, &str),
        like: &str,
        properties: Value,
        after: &[String],
    ) {
        let mut properties = properties;
        properties["metadata"] = self.tags();
        let id = format!("{zone}/{record}/{name}");
        let version = named(like).map(version).unwrap_or_default();
        let title = format!("{name}-{}", record.to_lowercase());
        self.add(kind, &title, &id, &version, json!({ "properties": properties }), after);
    }
}

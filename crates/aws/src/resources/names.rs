//! Load balancers, DNS, roles, and the image.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use landfall_model::catalogue::value::shipped;
use landfall_platform::native::output;
use serde_json::{Value, json};

use super::groups::group_name;
use super::network::Network;
use super::{Builder, DESCRIPTION, id, trust_policy};

/// What the roles of the nodes may do, by pool. The cluster's cloud controllers use the rights of the control plane:
/// volumes, and load balancers for services with their security group rules.
pub(super) static NODE_ACTIONS: LazyLock<BTreeMap<String, Vec<String>>> =
    LazyLock::new(|| shipped(include_str!("../data/node-actions.json")));

/// The type of the API's records in partitions that have aliases of load balancers.
const ALIAS: &str = "A";

/// Target groups: end of the name, load balancer, port and path of the health check.
const TARGETS: &[(&str, &str, u16, &str)] =
    &[("aint", "int", 6443, "/readyz"), ("sint", "int", 22623, "/healthz"), ("aext", "ext", 6443, "/readyz")];

impl Builder<'_> {
    /// The target groups of this cluster.
    pub(super) fn targets(&self) -> impl Iterator<Item = &'static str> + use<> {
        let is_external = self.vars.is_external();
        let all = TARGETS.iter().filter(move |(_, balancer, ..)| is_external || *balancer == "int");
        all.map(|(end, ..)| *end)
    }

    pub(super) fn balancers(&mut self, network: &Network) {
        let has_groups = self.vars.is_cluster_api() && self.vars.aws_load_balancer_security_groups;
        let groups = has_groups.then(|| [id(&group_name("apiserver-lb"))]);
        let given = &self.vars.aws_internal_balancer_subnets;
        let given: Vec<Value> = given.iter().map(|subnet| json!(subnet)).collect();
        let mut balancers = vec![("int", if given.is_empty() { &network.private } else { &given })];
        if self.vars.is_external() {
            balancers.push(("ext", &network.public));
        }
        for (end, subnets) in balancers {
            let has_pool = end == "ext" && self.vars.aws_public_ipv4_pool.is_some();
            let mut addresses = Vec::new();
            for index in 0..if has_pool { subnets.len() } else { 0 } {
                let name = format!("apiserver-{index}");
                let address = self.address(&self.role_tags("apiserver", &format!("eip-{name}")));
                addresses.push(id(&self.add("address", &name, address, &network.gateway)));
            }
            let chosen = if end == "int" { self.api_addresses(network) } else { Vec::new() };
            let (mapped, private): (Vec<Value>, Vec<&str>) = chosen.into_iter().unzip();
            let balancer = json!({
                "name": self.named(end),
                "internal": end == "int",
                "subnets": if mapped.is_empty() { subnets } else { &mapped },
                "privateAddresses": (!private.is_empty()).then_some(private),
                "addresses": has_pool.then_some(addresses),
                "securityGroups": groups,
                "crossZone": true,
                "addressType": self.vars.is_dual_stack().then_some("dualstack"),
                "tags": self.role_tags("apiserver", end),
            });
            self.add("load-balancer", end, balancer, &network.gateway);
        }
        let wanted: Vec<&str> = self.targets().collect();
        for (end, balancer, port, path) in TARGETS.iter().filter(|(end, ..)| wanted.contains(end)) {
            let group = json!({
                "name": self.named(end),
                "vpc": network.vpc,
                "port": port,
                "healthPath": path,
                "addressType": self.vars.is_ipv6_primary().then_some("ipv6"),
                "tags": self.tags_named(end),
            });
            let group = self.add("target-group", end, group, &[]);
            let balancer = id(&format!("load-balancer/{balancer}"));
            let listener = json!({ "balancer": balancer, "port": port, "targetGroup": id(&group) });
            self.add("listener", end, listener, &[]);
        }
    }

    /// The addresses of the internal load balancer that are chosen, each with its subnet.
    fn api_addresses(&self, network: &Network) -> Vec<(Value, &str)> {
        let subnet = |key: &String| network.private_of_zone.get(key).cloned().unwrap_or_else(|| json!(key));
        self.vars.aws_api_addresses.iter().map(|(key, address)| (subnet(key), address.as_str())).collect()
    }

    /// The zone and the records of the API; none of them where the user provides the records.
    pub(super) fn dns(&mut self, network: &Network, public_zone: Option<&str>) {
        let vars = self.vars;
        if !vars.aws_api_addresses.is_empty() {
            return;
        }
        let private = if let Some(zone) = &vars.aws_internal_zone {
            json!(zone)
        } else {
            let zone = json!({
                "domain": vars.cluster_domain,
                "vpc": network.vpc,
                "region": vars.aws_region,
                "tags": self.tags_named("int"),
            });
            id(&self.add("hosted-zone", "private", zone, &[]))
        };
        // The zone is looked up where the facts do not name it, as those of the catalogue.
        let public = vars.is_external().then(|| match public_zone {
            Some(zone) => json!(zone),
            None => id(&self.add("given-hosted-zone", "public", json!({ "domain": vars.base_domain }), &[])),
        });
        // Aliases are records of one family each. A CNAME is of both.
        let is_alias = vars.aws_api_record_type == ALIAS;
        let ipv6 = (vars.is_dual_stack() && is_alias).then_some(("-ipv6", "AAAA"));
        for (end, kind) in [("", vars.aws_api_record_type.as_str())].into_iter().chain(ipv6) {
            let private_api = self.record(&format!("private-api{end}"), kind, &private, "api", "int", &[]);
            self.record(&format!("private-api-int{end}"), kind, &private, "api-int", "int", &[]);
            if let Some(zone) = &public {
                // Its private one tells later that it is the cluster's.
                self.record(&format!("public-api{end}"), kind, zone, "api", "ext", &[private_api]);
            }
        }
    }

    /// Adds a record that leads to a load balancer of the API, and gives its name.
    fn record(
        &mut self,
        name: &str,
        kind: &str,
        zone: &Value,
        host: &str,
        balancer: &str,
        after: &[String],
    ) -> String {
        let private = balancer == "int";
        let balancer = format!("load-balancer/{balancer}");
        let is_alias = self.vars.aws_api_record_type == ALIAS;
        let target = output(&balancer, "dnsName");
        let record = json!({
            "zone": zone,
            "private": private,
            "host": format!("{host}.{}", self.vars.cluster_domain),
            "type": kind,
            "target": target,
            "targetZone": is_alias.then(|| output(&balancer, "zone")),
        });
        self.add("record", name, record, after)
    }

    /// The instance profiles of the nodes, with roles where the user names none.
    /// Gives the profile of the control plane.
    pub(super) fn roles(&mut self) -> Value {
        let vars = self.vars;
        let master = [&vars.aws_master_iam_role_name, &vars.aws_master_iam_instance_profile];
        let worker = [&vars.aws_worker_iam_role_name, &vars.aws_worker_iam_instance_profile];
        let profiles = [("master", master), ("worker", worker)].map(|(pool, given)| {
            let actions = NODE_ACTIONS.get(pool);
            let statements = json!([{ "Effect": "Allow", "Action": actions, "Resource": "*" }]);
            self.profile(pool, given.map(Clone::clone), Some(DESCRIPTION), &statements).0
        });
        let [master, _] = profiles;
        master
    }

    /// An instance profile, and the resources after which a machine may start with it. `given` has the role and the
    /// profile of the user's own: with a profile, nothing is made.
    pub(super) fn profile(
        &mut self,
        pool: &str,
        given: [Option<String>; 2],
        description: Option<&str>,
        statements: &Value,
    ) -> (Value, Vec<String>) {
        let mut after = Vec::new();
        let [role, profile] = given;
        if let Some(profile) = profile {
            return (json!(profile), after);
        }
        let role = if let Some(role) = role {
            json!(role)
        } else {
            let name = format!("{pool}-role");
            let role = json!({
                "name": self.named(&name),
                "description": description,
                "trust": trust_policy(&self.vars.aws_ec2_service_principal),
                "tags": self.tags_named(&name),
            });
            let role = output(&self.add("role", pool, role, &[]), "name");
            let policy = json!({
                "role": role,
                "name": self.named(&format!("{pool}-policy")),
                "document": { "Version": "2012-10-17", "Statement": statements },
            });
            after.push(self.add("role-policy", pool, policy, &[]));
            role
        };
        let profile = json!({ "name": self.named(&format!("{pool}-profile")), "role": role });
        let profile = self.add("instance-profile", pool, profile, &[]);
        (output(&profile, "name"), after)
    }

    /// The image of the machines: that of the region, or a copy.
    pub(super) fn image(&mut self) -> Value {
        let vars = self.vars;
        if vars.aws_ami_region == vars.aws_region {
            return json!(vars.aws_ami);
        }
        let mut tags = self.tags_named(&format!("ami-{}", vars.aws_region));
        // Machine sets find the copy by these tags.
        tags.insert("sourceAMI".to_owned(), vars.aws_ami.clone());
        tags.insert("sourceRegion".to_owned(), vars.aws_ami_region.clone());
        let image = json!({
            "name": self.named("master"),
            "source": vars.aws_ami,
            "sourceRegion": vars.aws_ami_region,
            "tags": tags,
        });
        id(&self.add("image", "copy", image, &[]))
    }
}

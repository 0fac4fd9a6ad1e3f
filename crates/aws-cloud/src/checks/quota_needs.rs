//! How much of each quota a plan uses up (`assets.md`, F.4).

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::aws::catalogue::{Catalogue, Quota};
use landfall_model::aws::planned::{Hosts, Network, Plan, Pool};
use landfall_model::plan::spread;

/// The quota of network load balancers.
pub(super) const LOAD_BALANCERS: &str = "L-69A177A2";

/// The quota of gateways for IPv6.
pub(super) const EGRESS_ONLY_GATEWAYS: &str = "L-45FE3B85";

/// The quota of addresses that AWS lends.
const ADDRESSES: &str = "L-0263D0A3";

/// What a plan needs of one quota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Need {
    /// How much.
    pub(super) amount: u32,
    /// Instance types that are not counted, as nobody knows their size.
    pub(super) uncounted: BTreeSet<String>,
}

/// What a plan needs, by the name of the quota.
pub(super) fn needs(
    plan: &Plan,
    external_api: bool,
    catalogue: &Catalogue,
    vcpus: impl Fn(&str) -> Option<u32>,
) -> BTreeMap<String, Need> {
    let mut needs: BTreeMap<String, Need> = BTreeMap::new();
    let zones = count(new_zones(plan).len());
    for (name, quota) in catalogue.quotas.iter().filter(|(_, quota)| is_counted(quota, plan)) {
        let each = if quota.code == LOAD_BALANCERS && !external_api {
            // The one that the internet reaches is not made.
            quota.count.saturating_sub(1)
        } else {
            quota.count
        };
        let amount = if quota.per_zone { each.saturating_mul(zones) } else { each };
        needs.insert(name.clone(), Need { amount, ..Need::default() });
    }
    for (instance_type, machines) in machines(plan) {
        let Some((name, _)) = catalogue.vcpu_quota(&instance_type) else { continue };
        let need = needs.entry(name.to_owned()).or_default();
        match vcpus(&instance_type) {
            Some(each) => need.amount = need.amount.saturating_add(machines.saturating_mul(each)),
            None => {
                need.uncounted.insert(instance_type);
            }
        }
    }
    needs
}

/// Whether a plan uses a quota that is not counted in virtual processors.
fn is_counted(quota: &Quota, plan: &Plan) -> bool {
    let new = matches!(plan.network, Network::New { .. });
    // Addresses of the user's own count towards nothing.
    let lent = quota.code != ADDRESSES || plan.public_ipv4_pool.is_empty();
    let wanted = quota.code != EGRESS_ONLY_GATEWAYS || plan.dual_stack;
    quota.families.is_empty() && (new || !quota.new_network) && lent && wanted
}

/// The instance types whose family no quota counts.
pub(super) fn without_quota(plan: &Plan, catalogue: &Catalogue) -> BTreeSet<String> {
    machines(plan).into_keys().filter(|name| catalogue.vcpu_quota(name).is_none()).collect()
}

/// The ordinary zones of a network that is made: those that get a gateway.
pub(super) fn new_zones(plan: &Plan) -> BTreeSet<&str> {
    let Network::New { subnets, .. } = &plan.network else {
        return BTreeSet::new();
    };
    let is_local = |zone: &str| pools(plan).any(|pool| pool.local_zones.contains_key(zone));
    subnets.iter().map(|subnet| subnet.zone.as_str()).filter(|zone| !is_local(zone)).collect()
}

fn pools(plan: &Plan) -> impl Iterator<Item = &Pool> {
    std::iter::once(&plan.control_plane).chain(&plan.compute)
}

/// How many machines there are of each instance type, while the cluster is installed.
fn machines(plan: &Plan) -> BTreeMap<String, u32> {
    let mut machines: BTreeMap<String, u32> = BTreeMap::new();
    let mut add = |name: &str, more: u32| {
        let known = machines.entry(name.to_owned()).or_default();
        *known = known.saturating_add(more);
    };
    for pool in pools(plan) {
        for (zone, replicas) in pool.zones.iter().zip(spread(pool.replicas, pool.zones.len())) {
            let own = pool.types.get(zone).unwrap_or(&pool.instance_type);
            // Machines on dedicated hosts count towards the hosts, which exist already.
            if replicas > 0 && !is_on_host(pool, zone) {
                add(own, replicas);
            }
        }
    }
    // The bootstrap machine is made like those of the control plane.
    add(&plan.control_plane.instance_type, 1);
    machines
}

fn is_on_host(pool: &Pool, zone: &str) -> bool {
    pool.hosts.as_ref().is_some_and(|hosts| match hosts {
        Hosts::AnyAvailable => true,
        Hosts::ByZone(hosts) => hosts.contains_key(zone),
    })
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::aws::planned::{Image, LocalZone, NewSubnet, Traits, Volume};
    use landfall_model::catalogue::Catalogue as All;

    fn pool(name: &str, instance_type: &str, replicas: u32, zones: &[&str]) -> Pool {
        Pool {
            name: name.to_owned(),
            replicas,
            instance_type: instance_type.to_owned(),
            types: BTreeMap::new(),
            zones: zones.iter().map(|zone| (*zone).to_owned()).collect(),
            local_zones: BTreeMap::new(),
            image: None,
            volume: Volume {
                kind: "gp3".to_owned(),
                size: 120,
                iops: 0,
                throughput: None,
                kms_key: String::new(),
            },
            metadata_authentication: String::new(),
            iam_role: String::new(),
            iam_profile: String::new(),
            confidential_compute: String::new(),
            cluster_api: false,
            hosts: None,
            offers: Vec::new(),
            security_groups: Vec::new(),
        }
    }

    fn plan(compute: Vec<Pool>) -> Plan {
        let zones = ["a", "b", "c"];
        let subnet = |zone: &str, public| NewSubnet { zone: zone.to_owned(), public, cidr: String::new() };
        let subnets = zones.iter().flat_map(|zone| [subnet(zone, false), subnet(zone, true)]).collect();
        Plan {
            region: "us-east-1".to_owned(),
            partition: "aws".to_owned(),
            endpoints: Vec::new(),
            image: Image { id: String::new(), region: String::new() },
            network: Network::New { cidr: "10.0.0.0/16".to_owned(), subnets },
            dual_stack: false,
            control_plane: pool("master", "m6i.xlarge", 3, &zones),
            compute,
            public_ipv4_pool: String::new(),
            public_zone: None,
            api_addresses: BTreeMap::new(),
            traits: Traits::default(),
        }
    }

    fn amounts(plan: &Plan, external: bool) -> BTreeMap<String, u32> {
        let catalogue = &All::embedded().aws;
        let vcpus = |name: &str| catalogue.instance_types.get(name).map(|known| known.vcpus);
        let needs = needs(plan, external, catalogue, vcpus).into_iter();
        needs.map(|(name, need)| (name, need.amount)).collect()
    }

    #[test]
    fn a_new_cluster_needs_a_network_and_machines() {
        let mut plan = plan(vec![pool("worker", "m6i.xlarge", 4, &["a", "b", "c"])]);
        let expected = [
            ("elasticIps", 3),
            ("internetGateways", 1),
            ("natGateways", 1),
            ("networkLoadBalancers", 2),
            ("securityGroups", 5),
            ("standardVcpus", 32),
            ("vpcs", 1),
        ];
        let expected: BTreeMap<String, u32> =
            expected.into_iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
        assert_eq!(amounts(&plan, true), expected);
        assert_eq!(amounts(&plan, false).get("networkLoadBalancers"), Some(&1));
        plan.dual_stack = true;
        assert_eq!(amounts(&plan, true).get("egressOnlyInternetGateways"), Some(&1));
    }

    #[test]
    fn an_existing_network_takes_nothing_of_a_new_one() {
        let mut plan = plan(Vec::new());
        plan.network = Network::Existing {
            vpc: "vpc-1".to_owned(),
            private: BTreeMap::new(),
            public: BTreeMap::new(),
            edge: BTreeMap::new(),
            roles: None,
        };
        let names: Vec<String> = amounts(&plan, true).into_keys().collect();
        assert_eq!(names, ["networkLoadBalancers", "securityGroups", "standardVcpus"]);
        assert!(new_zones(&plan).is_empty());
    }

    #[test]
    fn local_zones_have_types_of_their_own_and_no_gateway() {
        let mut edge = pool("edge", "m5.xlarge", 2, &["l", "k"]);
        edge.types.insert("l".to_owned(), "g4dn.xlarge".to_owned());
        for zone in ["l", "k"] {
            let local =
                LocalZone { kind: "local-zone".to_owned(), group: String::new(), parent: "a".to_owned() };
            edge.local_zones.insert(zone.to_owned(), local);
        }
        let mut plan = plan(vec![edge]);
        if let Network::New { subnets, .. } = &mut plan.network {
            subnets.push(NewSubnet { zone: "l".to_owned(), public: true, cidr: String::new() });
        }
        assert_eq!(new_zones(&plan), BTreeSet::from(["a", "b", "c"]));
        let by_type = machines(&plan);
        assert_eq!((by_type.get("g4dn.xlarge"), by_type.get("m5.xlarge")), (Some(&1), Some(&1)));
        assert_eq!(by_type.get("m6i.xlarge"), Some(&4));
    }

    #[test]
    fn machines_on_dedicated_hosts_do_not_count() {
        let mut workers = pool("worker", "m5.xlarge", 3, &["a", "b", "c"]);
        workers.hosts = Some(Hosts::ByZone(BTreeMap::from([("b".to_owned(), "h-1".to_owned())])));
        assert_eq!(machines(&plan(vec![workers.clone()])).get("m5.xlarge"), Some(&2));
        workers.hosts = Some(Hosts::AnyAvailable);
        assert_eq!(machines(&plan(vec![workers])).get("m5.xlarge"), None);
    }

    #[test]
    fn what_nobody_knows_is_not_counted_and_said() {
        let catalogue = &All::embedded().aws;
        let plan = plan(vec![pool("worker", "m99.huge", 3, &["a"]), pool("worker", "q9.huge", 3, &["a"])]);
        let needs = needs(&plan, true, catalogue, |name| (name == "m6i.xlarge").then_some(4));
        let standard = needs.get("standardVcpus").cloned().unwrap_or_default();
        assert_eq!((standard.amount, standard.uncounted), (16, BTreeSet::from(["m99.huge".to_owned()])));
        assert_eq!(without_quota(&plan, catalogue), BTreeSet::from(["q9.huge".to_owned()]));
    }
}

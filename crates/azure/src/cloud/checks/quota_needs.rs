//! How much of each quota a plan uses up, while the cluster is installed.

use std::collections::BTreeMap;

use landfall_model::azure::facts::Size;
use landfall_model::azure::planned::Plan;
use landfall_model::plan::Cluster;

use crate::cloud::gather::{COMPUTE, NETWORK};

/// The quota of all virtual processors of a location.
pub(super) const CORES: &str = "cores";

/// The field that decides on the machines of the control plane.
pub(super) const TYPE: &str = "controlPlane.platform.azure.type";

/// The field that findings about everything but machines point at.
pub(super) const REGION: &str = "platform.azure.region";

/// How the plan says that a NAT gateway carries the machines' traffic, and that nothing of the cluster does.
const NAT_GATEWAY: &str = "NatGateway";
const OWN_ROUTES: &str = "UserDefinedRouting";

/// The capabilities that say how many processors count: a size may let a machine use fewer than it has.
const PROCESSORS: &[&str] = &["vCPUsAvailable", "vCPUs"];

/// What a plan needs of one quota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Need {
    /// Name of the quota.
    pub(super) quota: String,
    /// The provider that it is of.
    pub(super) provider: &'static str,
    /// How much.
    pub(super) amount: i64,
    /// Sizes that are not counted, as nobody knows how large they are.
    pub(super) uncounted: Vec<String>,
    /// Where the config decides on it.
    pub(super) field: String,
    /// Whether every cloud has the quota, so that its absence is worth a word.
    pub(super) usual: bool,
}

/// What a plan needs, quota by quota. `dual` says whether there are addresses of both families.
pub(super) fn needs(plan: &Plan, cluster: &Cluster, dual: bool, sizes: &BTreeMap<String, Size>) -> Vec<Need> {
    let mut needs = of_machines(plan, sizes);
    let things = of_network(plan, cluster, dual);
    needs.extend(things.into_iter().filter(|(_, amount, _)| *amount > 0).map(|(quota, amount, usual)| {
        let (quota, field) = (quota.to_owned(), REGION.to_owned());
        Need { quota, provider: NETWORK, amount, field, usual, ..Need::default() }
    }));
    needs
}

/// How many machines there are of each size, with the field that decides on the size first.
fn machines(plan: &Plan) -> Vec<(String, &str, i64)> {
    // The bootstrap machine is made like those of the control plane.
    let control_plane = &plan.control_plane;
    let mut machines =
        vec![(TYPE.to_owned(), control_plane.size.as_str(), i64::from(control_plane.replicas) + 1)];
    for (i, pool) in plan.compute.iter().enumerate().filter(|(_, pool)| pool.replicas > 0) {
        let field = format!("compute[{i}].platform.azure.type");
        machines.push((field, pool.size.as_str(), i64::from(pool.replicas)));
    }
    machines
}

/// Virtual processors, all of them and by family, and machines.
fn of_machines(plan: &Plan, sizes: &BTreeMap<String, Size>) -> Vec<Need> {
    let need = |quota: &str, field: &str| Need {
        quota: quota.to_owned(),
        provider: COMPUTE,
        field: field.to_owned(),
        usual: true,
        ..Need::default()
    };
    let machines = machines(plan);
    let mut cores = need(CORES, TYPE);
    let mut families: Vec<Need> = Vec::new();
    for (field, name, count) in &machines {
        let size = sizes.get(*name);
        let amount = size.and_then(processors).map(|each| each.saturating_mul(*count));
        cores.add(name, amount);
        let Some(family) = size.map(|size| size.family.as_str()).filter(|family| !family.is_empty()) else {
            continue;
        };
        let known = families.iter().position(|known| known.quota.eq_ignore_ascii_case(family));
        let at = known.unwrap_or(families.len());
        if at == families.len() {
            families.push(need(family, field));
        }
        if let Some(own) = families.get_mut(at) {
            own.add(name, amount);
        }
    }
    let mut all = need("virtualMachines", TYPE);
    all.amount = machines.iter().map(|(_, _, count)| *count).sum();
    let mut needs = vec![cores, all];
    needs.extend(families);
    needs
}

impl Need {
    fn add(&mut self, size: &str, amount: Option<i64>) {
        match amount {
            Some(amount) => self.amount = self.amount.saturating_add(amount),
            None if self.uncounted.iter().any(|known| known == size) => {}
            None => self.uncounted.push(size.to_owned()),
        }
    }
}

/// The processors of a machine that count towards quotas.
fn processors(size: &Size) -> Option<i64> {
    let value = PROCESSORS.iter().find_map(|name| size.capabilities.get(*name))?;
    value.trim().parse().ok()
}

/// What of the network is made: name of the quota, amount, whether every cloud has the quota.
fn of_network(plan: &Plan, cluster: &Cluster, dual: bool) -> Vec<(&'static str, i64, bool)> {
    let count = i64::from;
    let (api, ingress) = (cluster.external_api, cluster.external_ingress);
    let outward = api || plan.outbound_type != OWN_ROUTES;
    let new = plan.network.new.is_some();
    let whole = count(new && plan.outbound_type == NAT_GATEWAY);
    let gateways = whole + i64::try_from(plan.network.nat_gateways.len()).unwrap_or(i64::MAX);
    // The address of the applications is taken by the cluster itself, once it runs.
    let first = count(outward) + count(api) + gateways + count(ingress);
    let second = if dual { count(outward) + count(api) } else { 0 };
    let balancers = 1 + count(outward || ingress);
    let machines: i64 = machines(plan).iter().map(|(_, _, count)| *count).sum();
    // What a Stack Hub has is of the older kind, which other clouds do not have any more.
    let standard = |amount: i64| if plan.cloud.stack { 0 } else { amount };
    vec![
        ("VirtualNetworks", count(new), true),
        ("NetworkSecurityGroups", 1, true),
        ("NetworkInterfaces", machines, true),
        ("LoadBalancers", balancers, true),
        ("StandardSkuLoadBalancers", standard(balancers), false),
        ("PublicIPAddresses", first + second, true),
        ("StaticPublicIPAddresses", first + second, false),
        ("StandardSkuPublicIpAddresses", standard(first + second), false),
        ("IPv4StandardSkuPublicIpAddresses", standard(first), false),
        ("IPv6StandardSkuPublicIpAddresses", standard(second), false),
        ("NatGateways", gateways, false),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::azure::planned::{
        Account, Addresses, Cloud, Disk, Dns, Groups, Image, LoadBalancers, Network, Pool, PoolImage,
        Security, Storage,
    };

    fn pool(name: &str, size: &str, replicas: u32) -> Pool {
        Pool {
            name: name.to_owned(),
            replicas,
            architecture: "amd64".to_owned(),
            size: size.to_owned(),
            zones: vec!["1".to_owned()],
            hyper_v_generation: "V2".to_owned(),
            accelerated_networking: true,
            ultra_disks: String::new(),
            disk: Disk { kind: "Premium_LRS".to_owned(), size_gb: 128, encryption_set: String::new() },
            image: PoolImage::Cluster { resource_id: String::new() },
            security: Security::default(),
            identities: None,
            offers: Vec::new(),
            boot_diagnostics: None,
            data_disks: Vec::new(),
        }
    }

    fn plan(outbound_type: &str, compute: Vec<Pool>) -> Plan {
        let text = String::new;
        Plan {
            cloud: Cloud {
                name: text(),
                terraform_environment: text(),
                metadata_host: text(),
                storage_min_tls: text(),
                stack: false,
                arm_endpoint: text(),
                environment: None,
                host_service_exception: false,
            },
            account: Account {
                subscription_id: text(),
                tenant_id: text(),
                client_id: text(),
                identity: text(),
            },
            location: "eastus".to_owned(),
            groups: Groups { cluster: text(), existing: text(), base_domain: text() },
            network: Network {
                resource_group: text(),
                name: text(),
                control_plane_subnet: text(),
                compute_subnet: text(),
                security_group: text(),
                route_table: text(),
                new: Some(Addresses::default()),
                compute_subnets: Vec::new(),
                nat_gateways: Vec::new(),
            },
            dns: Dns { public_zone: None, private_zone: None },
            outbound_type: outbound_type.to_owned(),
            load_balancers: LoadBalancers {
                internal: text(),
                public: text(),
                api_address: None,
                ipv6_address: None,
            },
            identity: text(),
            image: Image { url: text(), release: text(), protection: String::new() },
            control_plane: pool("master", "Standard_D8s_v3", 3),
            compute,
            user_tags: BTreeMap::new(),
            storage: Storage::default(),
        }
    }

    fn cluster(external: bool) -> Cluster {
        let text = String::new;
        Cluster {
            name: text(),
            base_domain: text(),
            domain: text(),
            external_api: external,
            external_ingress: external,
            control_plane_replicas: 3,
            compute_replicas: 0,
            architecture: text(),
        }
    }

    fn sizes() -> BTreeMap<String, Size> {
        let sizes = [
            ("Standard_D8s_v3", "standardDSv3Family", vec![("vCPUs", "8")]),
            ("Standard_D4s_v3", "StandardDSv3Family", vec![("vCPUs", "4")]),
            ("Standard_E4-2s_v5", "standardESv5Family", vec![("vCPUs", "4"), ("vCPUsAvailable", "2")]),
            ("Standard_Odd", "standardOddFamily", vec![]),
        ];
        let sizes = sizes.map(|(name, family, capabilities)| {
            let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
            let capabilities = capabilities.into_iter().map(owned).collect();
            (name.to_owned(), Size { family: family.to_owned(), capabilities, ..Size::default() })
        });
        sizes.into()
    }

    fn amounts(plan: &Plan, external: bool, dual: bool) -> BTreeMap<String, i64> {
        let needs = needs(plan, &cluster(external), dual, &sizes()).into_iter();
        needs.map(|need| (need.quota, need.amount)).collect()
    }

    fn expected(amounts: &[(&str, i64)]) -> BTreeMap<String, i64> {
        amounts.iter().map(|(name, amount)| ((*name).to_owned(), *amount)).collect()
    }

    #[test]
    fn a_new_cluster_needs_machines_and_a_network() {
        let compute = vec![pool("worker", "Standard_D4s_v3", 2), pool("other", "Standard_E4-2s_v5", 3)];
        let found = amounts(&plan("Loadbalancer", compute), true, false);
        let expected = expected(&[
            ("cores", 4 * 8 + 2 * 4 + 3 * 2),
            ("virtualMachines", 9),
            ("standardDSv3Family", 40),
            ("standardESv5Family", 6),
            ("VirtualNetworks", 1),
            ("NetworkSecurityGroups", 1),
            ("NetworkInterfaces", 9),
            ("LoadBalancers", 2),
            ("StandardSkuLoadBalancers", 2),
            ("PublicIPAddresses", 3),
            ("StaticPublicIPAddresses", 3),
            ("StandardSkuPublicIpAddresses", 3),
            ("IPv4StandardSkuPublicIpAddresses", 3),
        ]);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_private_cluster_with_its_own_routes_has_no_public_address() {
        let mut plan = plan(OWN_ROUTES, Vec::new());
        plan.network.new = None;
        let found = amounts(&plan, false, false);
        assert_eq!(found.get("LoadBalancers"), Some(&1));
        for none in ["PublicIPAddresses", "VirtualNetworks", "NatGateways"] {
            assert_eq!(found.get(none), None, "{none}");
        }
        // Any other private cluster reaches the outside through a load balancer of its own.
        plan.outbound_type = "Loadbalancer".to_owned();
        let found = amounts(&plan, false, false);
        assert_eq!((found.get("LoadBalancers"), found.get("PublicIPAddresses")), (Some(&2), Some(&1)));
    }

    #[test]
    fn gateways_and_second_families_have_addresses_of_their_own() {
        let found = amounts(&plan(NAT_GATEWAY, Vec::new()), true, true);
        assert_eq!((found.get("NatGateways"), found.get("PublicIPAddresses")), (Some(&1), Some(&6)));
        assert_eq!(found.get("IPv4StandardSkuPublicIpAddresses"), Some(&4));
        assert_eq!(found.get("IPv6StandardSkuPublicIpAddresses"), Some(&2));
    }

    #[test]
    fn a_stack_hub_has_the_older_quotas_only() {
        let mut plan = plan("Loadbalancer", Vec::new());
        plan.cloud.stack = true;
        assert!(amounts(&plan, true, false).keys().all(|name| !name.contains("StandardSku")));
    }

    #[test]
    fn what_nobody_knows_is_not_counted_and_said() {
        let odd = |name: &str, replicas| pool(name, "Standard_Odd", replicas);
        let compute = vec![pool("a", "Standard_Moon", 2), odd("b", 2), odd("c", 1)];
        let needs = needs(&plan("Loadbalancer", compute), &cluster(true), false, &sizes());
        let of = |quota: &str| needs.iter().find(|need| need.quota == quota).cloned().unwrap_or_default();
        assert_eq!(of(CORES).amount, 32);
        assert_eq!(of(CORES).uncounted, ["Standard_Moon", "Standard_Odd"]);
        let odd = of("standardOddFamily");
        assert_eq!((odd.amount, odd.uncounted.len()), (0, 1));
        assert_eq!(odd.field, "compute[1].platform.azure.type");
        assert_eq!(of("virtualMachines").amount, 9);
    }
}

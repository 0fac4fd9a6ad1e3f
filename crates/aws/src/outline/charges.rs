//! What AWS charges for in a plan. What a stage creates is counted by the outline; this says what of it has a price.

use landfall_model::plan::{Plan, in_turn};
use landfall_model::prices::{Charge, Charges, Item, PriceKey};

use super::{BOOTSTRAP, CLUSTER, Making, Pool, STAGES};

/// What a volume of type gp3 has in the price of its size.
const GP3_IOPS: i64 = 3000;
const GP3_THROUGHPUT: i32 = 125;
/// Up to so many operations a second, io2 has one price.
const IO2_FIRST_TIER: i64 = 32_000;
/// The volume of the bootstrap machine.
const BOOTSTRAP_VOLUME: (&str, i64) = ("gp2", 30);

/// Resources with one price each: their type in Terraform, item and type of the price.
const PLAIN: &[(&str, Item, &str)] = &[
    ("aws_nat_gateway", Item::NatGateway, ""),
    ("aws_lb", Item::LoadBalancer, "network"),
    ("aws_route53_zone", Item::DnsZone, "private"),
];

const NOT_COUNTED: &str = include_str!("../data/not-counted.txt");
const SEV_SNP: &str = "the surcharge of AMD SEV-SNP";

/// What AWS charges for; nothing for a plan of another platform.
pub(crate) fn charges(plan: &Plan) -> Charges {
    let Some(making) = Making::of(plan) else {
        return Charges::default();
    };
    let pools = std::iter::once(&making.aws.control_plane).chain(&making.aws.compute);
    let is_confidential =
        |pool: &Pool| !matches!(pool.confidential_compute.as_str(), "" | "Disabled") && pool.replicas > 0;
    let mut not_counted: Vec<&str> = NOT_COUNTED.lines().collect();
    if pools.into_iter().any(is_confidential) {
        not_counted.push(SEV_SNP);
    }
    let parts = [
        Making::charged_machines(&making.aws.control_plane, Some(CLUSTER), "Instance", making.masters()),
        making.charged_resources(),
        making.charged_addresses(),
        making.charged_bootstrap(),
        making.charged_later(),
    ];
    let temporary = STAGES.iter().filter(|stage| stage.only_for_bootstrap).map(|stage| stage.name);
    Charges { charges: parts.into_iter().flatten().collect(), temporary: temporary.collect(), not_counted }
}

fn charge(stage: Option<&'static str>, kind: &'static str, count: u32, key: PriceKey) -> Charge {
    Charge { stage, kind, pool: String::new(), count, each: 1, key, obstacle: String::new() }
}

fn units(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

impl Making<'_> {
    /// The machines of a pool and their volumes. Types, and local zones, have prices of their own.
    fn charged_machines(
        pool: &Pool,
        stage: Option<&'static str>,
        kind: &'static str,
        replicas: u32,
    ) -> Vec<Charge> {
        let mut kinds: Vec<(&str, &str, u32)> = Vec::new();
        for zone in in_turn(&pool.zones, replicas) {
            let machine = pool.types.get(zone).unwrap_or(&pool.instance_type).as_str();
            let group = pool.local_zones.get(zone).map_or("", |local| local.group.as_str());
            match kinds.iter_mut().find(|known| (known.0, known.1) == (machine, group)) {
                Some((_, _, count)) => *count += 1,
                None => kinds.push((machine, group, 1)),
            }
        }
        let volume = &pool.volume;
        let mut all = Vec::new();
        for (machine, group, count) in kinds {
            let one = |kind, item, r#type: &str, each| {
                let key = PriceKey { item, r#type: r#type.to_owned(), zone: group.to_owned() };
                Charge { each, pool: pool.name.clone(), ..charge(stage, kind, count, key) }
            };
            all.push(one(kind, Item::Machine, machine, 1));
            all.push(one("Volume", Item::Volume, &volume.kind, units(volume.size)));
            let (iops, throughput) = beyond(pool);
            if iops > 0 {
                let obstacle = if volume.kind == "io2" && iops > units(IO2_FIRST_TIER) {
                    "priced in tiers".to_owned()
                } else {
                    String::new()
                };
                all.push(Charge { obstacle, ..one("Volume IOPS", Item::VolumeIops, &volume.kind, iops) });
            }
            if throughput > 0 {
                all.push(one("Volume throughput", Item::VolumeThroughput, &volume.kind, throughput));
            }
        }
        all
    }

    fn charged_resources(&self) -> Vec<Charge> {
        let items = [self.network(), self.load_balancers(), self.names()].into_iter().flatten();
        items
            .filter_map(|made| {
                let (_, item, r#type) = PLAIN.iter().find(|(resource, ..)| *resource == made.resource)?;
                Some(charge(Some(made.stage), made.kind, made.count, PriceKey::new(*item, *r#type)))
            })
            .collect()
    }

    /// The public addresses that AWS gives: of NAT gateways, and of the load balancer in each public subnet.
    /// Those of a pool of the user's own cost nothing.
    fn charged_addresses(&self) -> Vec<Charge> {
        let gateways: u32 = self.addresses().iter().map(|item| item.count).sum();
        let balancer = if self.is_external() { self.public_subnets() } else { 0 };
        let count = if self.aws.public_ipv4_pool.is_empty() { gateways + balancer } else { 0 };
        vec![charge(Some(CLUSTER), "Public IPv4 address", count, PriceKey::new(Item::PublicAddress, "ipv4"))]
    }

    fn public_subnets(&self) -> u32 {
        super::number(match &self.aws.network {
            super::Network::New { .. } => self.zones.len(),
            super::Network::Existing { public, .. } => public.len(),
        })
    }

    fn charged_bootstrap(&self) -> Vec<Charge> {
        let (kind, size) = BOOTSTRAP_VOLUME;
        let machine = &self.aws.control_plane.instance_type;
        let address = u32::from(self.is_external() && !self.has_pool());
        let of = |kind, count, key| charge(Some(BOOTSTRAP), kind, count, key);
        vec![
            of("Instance", 1, PriceKey::new(Item::Machine, machine)),
            Charge { each: units(size), ..of("Volume", 1, PriceKey::new(Item::Volume, kind)) },
            of("Public IPv4 address", address, PriceKey::new(Item::PublicAddress, "ipv4")),
        ]
    }

    /// The compute machines, and the load balancer of the applications.
    fn charged_later(&self) -> Vec<Charge> {
        let pools = self.aws.compute.iter();
        let mut all: Vec<Charge> = pools
            .flat_map(|pool| Self::charged_machines(pool, None, "Compute machine", pool.replicas))
            .collect();
        let kind = if self.platform.lb_type == "NLB" { "network" } else { "classic" };
        all.push(charge(None, "Ingress load balancer", 1, PriceKey::new(Item::LoadBalancer, kind)));
        all
    }
}

/// Operations and MiB a second of a volume that its size does not pay for.
fn beyond(pool: &Pool) -> (u64, u64) {
    let volume = &pool.volume;
    match volume.kind.as_str() {
        "gp3" => {
            let throughput = volume.throughput.unwrap_or_default().saturating_sub(GP3_THROUGHPUT);
            (units(volume.iops.saturating_sub(GP3_IOPS)), units(i64::from(throughput)))
        }
        "io1" | "io2" => (units(volume.iops), 0),
        _ => (0, 0),
    }
}

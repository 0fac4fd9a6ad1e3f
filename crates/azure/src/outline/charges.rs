//! What Azure charges for in a plan. What a stage creates is counted by the outline; this says what of it has a
//! price.

use landfall_model::plan::Plan;
use landfall_model::prices::{Charge, Charges, Item, PriceKey};

use super::{BOOTSTRAP, CLUSTER, Making, Pool, STAGES, VNET};

/// The disk of the bootstrap machine, which is of the control plane's type.
const BOOTSTRAP_DISK: i64 = 100;
/// The rules that are in the price of a load balancer.
const RULES_INCLUDED: u32 = 5;
/// Ports of the applications, each a rule of a load balancer.
const INGRESS_PORTS: u32 = 2;

/// Sizes of managed disks in GiB, and the number in the name of their tier.
const TIERS: &[(i64, u32)] = &[
    (4, 1),
    (8, 2),
    (16, 3),
    (32, 4),
    (64, 6),
    (128, 10),
    (256, 15),
    (512, 20),
    (1024, 30),
    (2048, 40),
    (4096, 50),
    (8192, 60),
    (16384, 70),
    (32767, 80),
];
/// The least size of a hard disk's tier.
const LEAST_HARD_DISK: i64 = 32;

const NOT_COUNTED: &[&str] = &[
    "data transfer",
    "data processed by load balancers and NAT gateways",
    "storage accounts and images",
    "disks that the cluster's applications claim",
    "disk operations",
    "DNS queries",
    "subscriptions and support",
    "taxes",
    "discounts (reservations, savings plans, agreements)",
];
const MARKETPLACE: &str = "plans of marketplace images";

/// What Azure charges for; nothing for a plan of another platform.
pub(crate) fn charges(plan: &Plan) -> Charges {
    let Some(making) = Making::of(plan) else {
        return Charges::default();
    };
    let pools = std::iter::once(&making.azure.control_plane).chain(&making.azure.compute);
    let is_bought =
        |pool: &Pool| matches!(pool.image, super::planned::PoolImage::Marketplace { plan: true, .. });
    let mut not_counted = NOT_COUNTED.to_vec();
    if pools.into_iter().any(is_bought) {
        not_counted.push(MARKETPLACE);
    }
    let control_plane = &making.azure.control_plane;
    let compute = making.azure.compute.iter();
    let parts = [
        making.charged_network(),
        machines(control_plane, Some(BOOTSTRAP), 1, BOOTSTRAP_DISK),
        making.charged_bootstrap_addresses(),
        machines(control_plane, Some(CLUSTER), making.masters(), control_plane.disk.size_gb),
        vec![charge(
            Some(CLUSTER),
            "Private DNS zone",
            u32::from(making.azure.dns.private_zone.is_some()),
            private_zone(),
        )],
        compute.flat_map(|pool| machines(pool, None, pool.replicas, pool.disk.size_gb)).collect(),
        making.charged_ingress(),
    ];
    let temporary = STAGES.iter().filter(|stage| stage.only_for_bootstrap).map(|stage| stage.name);
    Charges { charges: parts.into_iter().flatten().collect(), temporary: temporary.collect(), not_counted }
}

fn charge(stage: Option<&'static str>, kind: &'static str, count: u32, key: PriceKey) -> Charge {
    Charge { stage, kind, pool: String::new(), count, each: 1, key, obstacle: String::new() }
}

fn private_zone() -> PriceKey {
    PriceKey::new(Item::DnsZone, "private")
}

/// The machines of a pool and their disks; the bootstrap machine has no data disks.
fn machines(pool: &Pool, stage: Option<&'static str>, count: u32, disk: i64) -> Vec<Charge> {
    // The bootstrap machine is of no pool.
    let name = if stage == Some(BOOTSTRAP) { String::new() } else { pool.name.clone() };
    let of = |kind, key| Charge { pool: name.clone(), ..charge(stage, kind, count, key) };
    let machine = if stage.is_none() { "Compute machine" } else { "Virtual machine" };
    let data = if stage == Some(BOOTSTRAP) { &[][..] } else { &pool.data_disks };
    let data = data.iter().map(|disk| ("Data disk", disk.kind.as_str(), disk.size_gb));
    let disks = std::iter::once(("Disk", pool.disk.kind.as_str(), disk)).chain(data);
    let disks = disks.map(|(name, kind, size)| {
        let (tier, obstacle) = match tier(kind, size) {
            Some(tier) => (tier, String::new()),
            None => (kind.to_owned(), "no tier is known for this type and size".to_owned()),
        };
        Charge { obstacle, ..of(name, PriceKey::new(Item::Disk, tier)) }
    });
    std::iter::once(of(machine, PriceKey::new(Item::Machine, &pool.size))).chain(disks).collect()
}

/// The tier of a disk, by which it is charged, such as `P30 LRS`; none where the type is not charged by tiers, or the
/// disk is larger than the largest of them.
fn tier(kind: &str, size: i64) -> Option<String> {
    let (letter, redundancy) = match kind {
        "Premium_LRS" => ("P", "LRS"),
        "Premium_ZRS" => ("P", "ZRS"),
        "StandardSSD_LRS" => ("E", "LRS"),
        "StandardSSD_ZRS" => ("E", "ZRS"),
        "Standard_LRS" => ("S", "LRS"),
        _ => return None,
    };
    let least = if letter == "S" { LEAST_HARD_DISK } else { 0 };
    let (_, number) = TIERS.iter().find(|(tier, _)| *tier >= size && *tier >= least)?;
    Some(format!("{letter}{number} {redundancy}"))
}

impl Making<'_> {
    fn charged_network(&self) -> Vec<Charge> {
        let (internal, public) = self.rules();
        let gateways: u32 = self.network_gateways() + super::number(self.subnet_gateways().count());
        let mut all = self.addresses(Some(VNET), self.has_public_balancer(), gateways);
        all.extend(Self::balancer(Some(VNET), &[internal, public]));
        all.push(charge(Some(VNET), "NAT gateway", gateways, PriceKey::new(Item::NatGateway, "")));
        all
    }

    fn charged_bootstrap_addresses(&self) -> Vec<Charge> {
        self.addresses(Some(BOOTSTRAP), !self.is_private(), 0)
    }

    /// The address of the applications, and what their rules add to the load balancers.
    fn charged_ingress(&self) -> Vec<Charge> {
        let is_public = self.plan.cluster.external_ingress;
        let mut all = self.addresses(None, is_public, 0);
        let rules = INGRESS_PORTS * self.per_family();
        let (internal, public) = self.rules();
        let before = if is_public { public } else { internal };
        all.extend(Self::balancer(None, &[u32::from(before == 0) * rules]));
        let beyond = |rules: u32| rules.saturating_sub(RULES_INCLUDED);
        let added = beyond(before + rules) - beyond(before);
        let key = PriceKey::new(Item::LoadBalancerRule, "standard");
        // A balancer that begins with the applications has its rules counted with it.
        all.push(charge(None, "Load balancer rule", if before == 0 { 0 } else { added }, key));
        all
    }

    /// The rules of the internal and of the public load balancer.
    fn rules(&self) -> (u32, u32) {
        let public = self.public_families();
        (2 * self.per_family(), public)
    }

    /// The public IPv4 addresses of a stage: one if services have any, and so many more. IPv6 addresses cost nothing:
    /// <https://learn.microsoft.com/azure/virtual-network/ip-services/ipv6-overview#pricing>.
    fn addresses(&self, stage: Option<&'static str>, any: bool, more: u32) -> Vec<Charge> {
        let own = u32::from(any && self.families.contains(&"v4"));
        vec![charge(stage, "Public IPv4 address", own + more, PriceKey::new(Item::PublicAddress, "ipv4"))]
    }

    /// Load balancers with these numbers of rules. One without rules costs nothing.
    fn balancer(stage: Option<&'static str>, rules: &[u32]) -> Vec<Charge> {
        let count = super::number(rules.iter().filter(|rules| **rules > 0).count());
        let beyond: u32 = rules.iter().map(|rules| rules.saturating_sub(RULES_INCLUDED)).sum();
        vec![
            charge(stage, "Load balancer", count, PriceKey::new(Item::LoadBalancer, "standard")),
            charge(stage, "Load balancer rule", beyond, PriceKey::new(Item::LoadBalancerRule, "standard")),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::tier;

    #[test]
    fn a_disk_is_charged_by_the_tier_that_holds_it() {
        let cases = [
            ("Premium_LRS", 1024, Some("P30 LRS")),
            ("Premium_LRS", 1023, Some("P30 LRS")),
            ("Premium_LRS", 1025, Some("P40 LRS")),
            ("Premium_ZRS", 100, Some("P10 ZRS")),
            ("StandardSSD_LRS", 128, Some("E10 LRS")),
            ("Standard_LRS", 16, Some("S4 LRS")),
            ("Standard_LRS", 32767, Some("S80 LRS")),
            ("Standard_LRS", 32768, None),
            ("UltraSSD_LRS", 128, None),
        ];
        for (kind, size, expected) in cases {
            assert_eq!(tier(kind, size).as_deref(), expected, "{kind} {size}");
        }
    }
}

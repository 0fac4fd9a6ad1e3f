//! How much of each quota is in use.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::{
    CpuOptions, Instance, InstanceLifecycleType, InstanceType as TypeName, Reservation, Tag, VCpuInfo,
};
use aws_sdk_elasticloadbalancingv2::types::LoadBalancerTypeEnum;
use landfall_model::aws::catalogue::Quota;
use landfall_platform::cloud::Asked;
use tokio::sync::OnceCell;

use super::quota_needs::{EGRESS_ONLY_GATEWAYS, LOAD_BALANCERS};
use crate::gather::{REGION, described, filter};
use crate::session::Session;
use landfall_aws::tags::id_of;

/// Codes of quotas whose use can be counted.
const ADDRESSES: &str = "L-0263D0A3";
const INTERNET_GATEWAYS: &str = "L-A4707A72";
const NAT_GATEWAYS: &str = "L-FE5A380F";
const SECURITY_GROUPS: &str = "L-E79EC296";
const VPCS: &str = "L-F678F1CE";

/// The most that one page of instances holds.
const PAGE: i32 = 1000;

/// The most values that a filter takes at a time.
const MOST_VALUES: usize = 100;

/// The value of the ownership tag on what belongs to a cluster.
const OWNED: &str = "owned";

/// All entries of a list, whatever the number of its pages.
macro_rules! listed {
    ($session:expr, $call:literal, $request:expr) => {
        $session.asked($call, REGION, $request.into_paginator().items().send().try_collect()).await?
    };
}

/// How much of a quota is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Use {
    /// By everybody.
    pub(super) all: u32,
    /// By the cluster itself.
    pub(super) own: u32,
}

impl Use {
    /// The use of things of which it is known whether they are the cluster's own.
    fn of(things: impl Iterator<Item = bool>) -> Self {
        let mut used = Self::default();
        for own in things {
            used.add(1, own);
        }
        used
    }

    fn add(&mut self, amount: u32, own: bool) {
        self.all = self.all.saturating_add(amount);
        if own {
            self.own = self.own.saturating_add(amount);
        }
    }

    fn of_others(self) -> u32 {
        self.all.saturating_sub(self.own)
    }
}

/// What is the cluster's own: what an earlier run has made of it, and what the cluster made since.
#[derive(Clone, Debug, Default)]
pub(super) struct Owner(Option<String>);

impl Owner {
    /// The cluster of this infrastructure id; nobody where none is given, as before anything was made.
    pub(super) fn new(infra_id: Option<&str>) -> Self {
        Self(infra_id.map(str::to_owned))
    }

    /// Whether something with these tags is the cluster's own.
    fn has(&self, tags: &[Tag]) -> bool {
        let Some(id) = &self.0 else { return false };
        let own = |tag: &Tag| tag.key().and_then(id_of) == Some(id.as_str()) && tag.value() == Some(OWNED);
        tags.iter().any(own)
    }

    /// Whether a load balancer of this name, of which no tags are told, is the cluster's own.
    fn has_named(&self, name: Option<&str>) -> bool {
        let Some((id, name)) = self.0.as_deref().zip(name) else { return false };
        name.strip_prefix(id).is_some_and(|rest| matches!(rest, "-int" | "-ext"))
    }
}

/// Numbers that several checks look at.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    owner: Owner,
    vcpus: OnceCell<Asked<BTreeMap<String, Use>>>,
}

impl Ledger {
    /// Numbers in which the things of this owner are told apart.
    pub(super) fn new(owner: Owner) -> Self {
        Self { owner, vcpus: OnceCell::new() }
    }

    /// How much of the quota of this name is in use; none where nobody can count it. Of what is counted in
    /// each zone, the fullest of `zones` counts.
    pub(super) async fn used(
        &self,
        session: &Session<'_>,
        name: &str,
        quota: &Quota,
        zones: &BTreeSet<&str>,
    ) -> Asked<Option<Use>> {
        let owner = &self.owner;
        if !quota.families.is_empty() {
            let used = self.vcpus.get_or_init(|| Box::pin(vcpus(session, owner))).await;
            return used
                .as_ref()
                .map(|used| Some(used.get(name).copied().unwrap_or_default()))
                .map_err(Clone::clone);
        }
        let used = match quota.code.as_str() {
            ADDRESSES => addresses(session, owner).await?,
            EGRESS_ONLY_GATEWAYS => egress_only_gateways(session, owner).await?,
            INTERNET_GATEWAYS => internet_gateways(session, owner).await?,
            LOAD_BALANCERS => load_balancers(session, owner).await?,
            NAT_GATEWAYS => nat_gateways(session, owner, zones).await?,
            SECURITY_GROUPS => security_groups(session, owner).await?,
            VPCS => vpcs(session, owner).await?,
            _ => return Ok(None),
        };
        Ok(Some(used))
    }
}

async fn vpcs(session: &Session<'_>, owner: &Owner) -> Asked<Use> {
    let ec2 = session.ec2().await?;
    let found = listed!(session, "ec2:DescribeVpcs", ec2.describe_vpcs());
    Ok(Use::of(found.iter().map(|vpc| owner.has(vpc.tags()))))
}

async fn internet_gateways(session: &Session<'_>, owner: &Owner) -> Asked<Use> {
    let ec2 = session.ec2().await?;
    let found = listed!(session, "ec2:DescribeInternetGateways", ec2.describe_internet_gateways());
    Ok(Use::of(found.iter().map(|gateway| owner.has(gateway.tags()))))
}

async fn egress_only_gateways(session: &Session<'_>, owner: &Owner) -> Asked<Use> {
    let ec2 = session.ec2().await?;
    let request = ec2.describe_egress_only_internet_gateways();
    let found = listed!(session, "ec2:DescribeEgressOnlyInternetGateways", request);
    Ok(Use::of(found.iter().map(|gateway| owner.has(gateway.tags()))))
}

async fn security_groups(session: &Session<'_>, owner: &Owner) -> Asked<Use> {
    let ec2 = session.ec2().await?;
    let found = listed!(session, "ec2:DescribeSecurityGroups", ec2.describe_security_groups());
    Ok(Use::of(found.iter().map(|group| owner.has(group.tags()))))
}

/// The addresses that AWS has lent; those that the account brought count towards nothing.
async fn addresses(session: &Session<'_>, owner: &Owner) -> Asked<Use> {
    const CALL: &str = "ec2:DescribeAddresses";
    let ec2 = session.ec2().await?;
    let answer = session.asked(CALL, REGION, ec2.describe_addresses().send()).await?;
    let lent = |pool: Option<&str>| pool.is_none_or(|pool| pool.is_empty() || pool == "amazon");
    let counted = answer.addresses().iter().filter(|address| lent(address.public_ipv4_pool()));
    Ok(Use::of(counted.map(|address| owner.has(address.tags()))))
}

async fn load_balancers(session: &Session<'_>, owner: &Owner) -> Asked<Use> {
    let client = session.elbv2().await?;
    let found =
        listed!(session, "elasticloadbalancing:DescribeLoadBalancers", client.describe_load_balancers());
    let of_network = found.iter().filter(|one| one.r#type() == Some(&LoadBalancerTypeEnum::Network));
    Ok(Use::of(of_network.map(|one| owner.has_named(one.load_balancer_name()))))
}

/// The NAT gateways of the fullest zone.
async fn nat_gateways(session: &Session<'_>, owner: &Owner, zones: &BTreeSet<&str>) -> Asked<Use> {
    let ec2 = session.ec2().await?;
    let request = ec2.describe_nat_gateways().filter(filter("state", ["pending", "available"]));
    let found = listed!(session, "ec2:DescribeNatGateways", request);
    let gateways: Vec<(&str, bool)> =
        found.iter().filter_map(|one| Some((one.subnet_id()?, owner.has(one.tags())))).collect();
    let subnets: Vec<&str> = gateways.iter().map(|(subnet, _)| *subnet).collect();
    let placed = zones_of(session, &subnets).await?;
    Ok(fullest(&gateways, &placed, zones))
}

/// The zone of each subnet.
async fn zones_of(session: &Session<'_>, subnets: &[&str]) -> Asked<BTreeMap<String, String>> {
    let mut placed = BTreeMap::new();
    for subnets in subnets.chunks(MOST_VALUES) {
        let ec2 = session.ec2().await?;
        let request = ec2.describe_subnets().filters(filter("subnet-id", subnets.iter().copied()));
        let found = listed!(session, "ec2:DescribeSubnets", request);
        for subnet in &found {
            if let (Some(id), Some(zone)) = (subnet.subnet_id(), subnet.availability_zone()) {
                placed.insert(id.to_owned(), zone.to_owned());
            }
        }
    }
    Ok(placed)
}

/// How many of the things in subnets, each told with whether it is the cluster's own, are in the zone that has
/// least room for more.
fn fullest(things: &[(&str, bool)], placed: &BTreeMap<String, String>, zones: &BTreeSet<&str>) -> Use {
    let mut full: BTreeMap<&str, Use> = BTreeMap::new();
    for (subnet, own) in things {
        if let Some(zone) = placed.get(*subnet) {
            full.entry(zone.as_str()).or_default().add(1, *own);
        }
    }
    let full = full.into_iter().filter(|(zone, _)| zones.contains(zone)).map(|(_, used)| used);
    full.max_by_key(|used| (used.of_others(), used.all)).unwrap_or_default()
}

/// The virtual processors of the machines that run, by name of the quota.
async fn vcpus(session: &Session<'_>, owner: &Owner) -> Asked<BTreeMap<String, Use>> {
    const CALL: &str = "ec2:DescribeInstances";
    let catalogue = &session.asking.catalogue.aws;
    let ec2 = session.ec2().await?;
    let request = ec2.describe_instances().filters(filter("instance-state-name", ["pending", "running"]));
    let found = session
        .asked(CALL, REGION, request.into_paginator().page_size(PAGE).items().send().try_collect())
        .await?;
    let machines = machines(&found, owner);
    let size = |name: &str| catalogue.instance_types.get(name).map(|known| known.vcpus);
    let unknown: BTreeSet<&str> = machines
        .iter()
        .filter(|machine| machine.vcpus.is_none() && size(&machine.name).is_none())
        .map(|machine| machine.name.as_str())
        .collect();
    let unknown: Vec<String> = unknown.into_iter().map(str::to_owned).collect();
    let mut sizes: BTreeMap<String, u32> = BTreeMap::new();
    for info in described(session, &unknown).await? {
        let vcpus = info.v_cpu_info().and_then(VCpuInfo::default_v_cpus).and_then(|n| u32::try_from(n).ok());
        if let (Some(name), Some(vcpus)) = (info.instance_type(), vcpus) {
            sizes.insert(name.as_str().to_owned(), vcpus);
        }
    }
    let mut used: BTreeMap<String, Use> = BTreeMap::new();
    for Machine { name, vcpus, own } in &machines {
        let vcpus = vcpus.or_else(|| size(name)).or_else(|| sizes.get(name).copied()).unwrap_or(0);
        if let Some((quota, _)) = catalogue.vcpu_quota(name) {
            used.entry(quota.to_owned()).or_default().add(vcpus, *own);
        }
    }
    Ok(used)
}

/// A machine that counts.
#[derive(Debug, PartialEq, Eq)]
struct Machine {
    /// Its instance type.
    name: String,
    /// How many virtual processors it has itself, where that is told.
    vcpus: Option<u32>,
    /// Whether it is the cluster's own.
    own: bool,
}

/// The machines that count.
fn machines(reservations: &[Reservation], owner: &Owner) -> Vec<Machine> {
    let all = reservations.iter().flat_map(Reservation::instances);
    // What is bought on the spot has quotas of its own.
    let counted = all.filter(|machine| machine.instance_lifecycle() != Some(&InstanceLifecycleType::Spot));
    let vcpus = |machine: &Instance| machine.cpu_options().and_then(product);
    let name = |machine: &Instance| machine.instance_type().map(TypeName::as_str).map(str::to_owned);
    let one = |machine: &Instance| {
        let own = owner.has(machine.tags());
        Some(Machine { name: name(machine)?, vcpus: vcpus(machine), own })
    };
    counted.filter_map(one).collect()
}

fn product(options: &CpuOptions) -> Option<u32> {
    let number = options.core_count()?.checked_mul(options.threads_per_core()?)?;
    u32::try_from(number).ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Owner {
        Owner::new(Some("demo-bcd24"))
    }

    fn tag(id: &str, value: &str) -> Tag {
        Tag::builder().key(format!("kubernetes.io/cluster/{id}")).value(value).build()
    }

    #[test]
    fn what_is_marked_as_owned_is_the_cluster_s_own() {
        let name = Tag::builder().key("Name").value("demo-bcd24-vpc").build();
        let own = [name.clone(), tag("demo-bcd24", "owned")];
        assert!(owner().has(&own));
        assert!(!owner().has(&[name, tag("demo-bcd24", "shared"), tag("demo-bcd245", "owned")]));
        assert!(owner().has_named(Some("demo-bcd24-int")) && owner().has_named(Some("demo-bcd24-ext")));
        for other in [None, Some("demo-bcd24-other"), Some("demo-bcd245-int"), Some("demo-bcd24")] {
            assert!(!owner().has_named(other), "{other:?}");
        }
        // Before anything was made nothing is.
        assert!(!Owner::new(None).has(&own) && !Owner::new(None).has_named(Some("demo-bcd24-int")));
        assert_eq!(Use::of([true, false, true].into_iter()), Use { all: 3, own: 2 });
    }

    #[test]
    fn the_fullest_zone_counts() {
        let placed = [("s1", "a"), ("s2", "b"), ("s3", "b"), ("s4", "d")];
        let placed: BTreeMap<String, String> =
            placed.into_iter().map(|(subnet, zone)| (subnet.to_owned(), zone.to_owned())).collect();
        let gateways = ["s1", "s2", "s3", "s4", "s4", "s4", "s9"].map(|subnet| (subnet, false));
        assert_eq!(fullest(&gateways, &placed, &BTreeSet::from(["a", "b", "c"])), Use { all: 2, own: 0 });
        assert_eq!(fullest(&gateways, &placed, &BTreeSet::from(["c"])), Use::default());
        // Of two zones with as many gateways, the one of which less is the cluster's own has less room.
        let gateways = [("s1", false), ("s1", true), ("s2", false), ("s3", false)];
        assert_eq!(fullest(&gateways, &placed, &BTreeSet::from(["a", "b"])), Use { all: 2, own: 0 });
        assert_eq!(fullest(&gateways[..2], &placed, &BTreeSet::from(["a"])), Use { all: 2, own: 1 });
    }

    #[test]
    fn machines_count_with_their_processors_unless_they_are_bought_on_the_spot() {
        let options = CpuOptions::builder().core_count(4).threads_per_core(2).build();
        let own = tag("demo-bcd24", "owned");
        let reservation = Reservation::builder()
            .instances(Instance::builder().instance_type("m5.2xlarge".into()).cpu_options(options).build())
            .instances(Instance::builder().instance_type("m5.large".into()).tags(own).build())
            .instances(
                Instance::builder()
                    .instance_type("m5.large".into())
                    .instance_lifecycle(InstanceLifecycleType::Spot)
                    .build(),
            )
            .build();
        let machine = |name: &str, vcpus, own| Machine { name: name.to_owned(), vcpus, own };
        let expected = [machine("m5.2xlarge", Some(8), false), machine("m5.large", None, true)];
        assert_eq!(machines(&[reservation], &owner()), expected);
    }
}

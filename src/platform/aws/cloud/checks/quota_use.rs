//! How much of each quota is in use.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_ec2::types::{
    CpuOptions, Instance, InstanceLifecycleType, InstanceType as TypeName, NatGateway, Reservation, VCpuInfo,
};
use aws_sdk_elasticloadbalancingv2::types::LoadBalancerTypeEnum;
use tokio::sync::OnceCell;

use super::quota_needs::LOAD_BALANCERS;
use crate::platform::aws::catalogue::Quota;
use crate::platform::aws::cloud::gather::{REGION, described, filter, refused};
use crate::platform::aws::cloud::session::Session;
use crate::platform::cloud::Asked;

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

/// Numbers that several checks look at.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    vcpus: OnceCell<Asked<BTreeMap<String, u32>>>,
}

impl Ledger {
    /// How much of the quota of this name is in use; none where nobody can count it. Of what is counted in
    /// each zone, the fullest of `zones` counts.
    pub(super) async fn used(
        &self,
        session: &Session<'_>,
        name: &str,
        quota: &Quota,
        zones: &BTreeSet<&str>,
    ) -> Asked<Option<u32>> {
        if !quota.families.is_empty() {
            let used = self.vcpus.get_or_init(|| Box::pin(vcpus(session))).await;
            return used
                .as_ref()
                .map(|used| Some(used.get(name).copied().unwrap_or(0)))
                .map_err(Clone::clone);
        }
        let used = match quota.code.as_str() {
            ADDRESSES => addresses(session).await?,
            INTERNET_GATEWAYS => internet_gateways(session).await?,
            LOAD_BALANCERS => load_balancers(session).await?,
            NAT_GATEWAYS => nat_gateways(session, zones).await?,
            SECURITY_GROUPS => security_groups(session).await?,
            VPCS => vpcs(session).await?,
            _ => return Ok(None),
        };
        Ok(Some(u32::try_from(used).unwrap_or(u32::MAX)))
    }
}

async fn vpcs(session: &Session<'_>) -> Asked<usize> {
    const CALL: &str = "ec2:DescribeVpcs";
    let ec2 = session.ec2().await?;
    let found = ec2.describe_vpcs().into_paginator().items().send().try_collect().await;
    Ok(found.map_err(|error| refused(&session.fault(CALL, &error), REGION))?.len())
}

async fn internet_gateways(session: &Session<'_>) -> Asked<usize> {
    const CALL: &str = "ec2:DescribeInternetGateways";
    let ec2 = session.ec2().await?;
    let found = ec2.describe_internet_gateways().into_paginator().items().send().try_collect().await;
    Ok(found.map_err(|error| refused(&session.fault(CALL, &error), REGION))?.len())
}

async fn security_groups(session: &Session<'_>) -> Asked<usize> {
    const CALL: &str = "ec2:DescribeSecurityGroups";
    let ec2 = session.ec2().await?;
    let found = ec2.describe_security_groups().into_paginator().items().send().try_collect().await;
    Ok(found.map_err(|error| refused(&session.fault(CALL, &error), REGION))?.len())
}

/// The addresses that AWS has lent; those that the account brought count towards nothing.
async fn addresses(session: &Session<'_>) -> Asked<usize> {
    const CALL: &str = "ec2:DescribeAddresses";
    let ec2 = session.ec2().await?;
    let answer = Box::pin(ec2.describe_addresses().send()).await;
    let answer = answer.map_err(|error| refused(&session.fault(CALL, &error), REGION))?;
    let lent = |pool: Option<&str>| pool.is_none_or(|pool| pool.is_empty() || pool == "amazon");
    Ok(answer.addresses().iter().filter(|address| lent(address.public_ipv4_pool())).count())
}

async fn load_balancers(session: &Session<'_>) -> Asked<usize> {
    const CALL: &str = "elasticloadbalancing:DescribeLoadBalancers";
    let client = session.elbv2().await?;
    let found = client.describe_load_balancers().into_paginator().items().send().try_collect().await;
    let found = found.map_err(|error| refused(&session.fault(CALL, &error), REGION))?;
    let of_network = found.iter().filter(|one| one.r#type() == Some(&LoadBalancerTypeEnum::Network));
    Ok(of_network.count())
}

/// The NAT gateways of the fullest zone.
async fn nat_gateways(session: &Session<'_>, zones: &BTreeSet<&str>) -> Asked<usize> {
    const CALL: &str = "ec2:DescribeNatGateways";
    let ec2 = session.ec2().await?;
    let request = ec2.describe_nat_gateways().filter(filter("state", ["pending", "available"]));
    let found = request.into_paginator().items().send().try_collect().await;
    let found = found.map_err(|error| refused(&session.fault(CALL, &error), REGION))?;
    let subnets: Vec<&str> = found.iter().filter_map(NatGateway::subnet_id).collect();
    let placed = zones_of(session, &subnets).await?;
    Ok(fullest(&subnets, &placed, zones))
}

/// The zone of each subnet.
async fn zones_of(session: &Session<'_>, subnets: &[&str]) -> Asked<BTreeMap<String, String>> {
    const CALL: &str = "ec2:DescribeSubnets";
    let mut placed = BTreeMap::new();
    for subnets in subnets.chunks(MOST_VALUES) {
        let ec2 = session.ec2().await?;
        let request = ec2.describe_subnets().filters(filter("subnet-id", subnets.iter().copied()));
        let found = request.into_paginator().items().send().try_collect().await;
        let found = found.map_err(|error| refused(&session.fault(CALL, &error), REGION))?;
        for subnet in &found {
            if let (Some(id), Some(zone)) = (subnet.subnet_id(), subnet.availability_zone()) {
                placed.insert(id.to_owned(), zone.to_owned());
            }
        }
    }
    Ok(placed)
}

/// How many of the things in `subnets` are in the zone that has most of them.
fn fullest(subnets: &[&str], placed: &BTreeMap<String, String>, zones: &BTreeSet<&str>) -> usize {
    let mut full: BTreeMap<&str, usize> = BTreeMap::new();
    for zone in subnets.iter().filter_map(|subnet| placed.get(*subnet)) {
        *full.entry(zone).or_default() += 1;
    }
    full.into_iter().filter(|(zone, _)| zones.contains(zone)).map(|(_, number)| number).max().unwrap_or(0)
}

/// The virtual processors of the machines that run, by name of the quota.
async fn vcpus(session: &Session<'_>) -> Asked<BTreeMap<String, u32>> {
    const CALL: &str = "ec2:DescribeInstances";
    let catalogue = &session.asking.catalogue.aws;
    let ec2 = session.ec2().await?;
    let request = ec2.describe_instances().filters(filter("instance-state-name", ["pending", "running"]));
    let found = request.into_paginator().page_size(PAGE).items().send().try_collect().await;
    let found = found.map_err(|error| refused(&session.fault(CALL, &error), REGION))?;
    let machines = machines(&found);
    let size = |name: &str| catalogue.instance_types.get(name).map(|known| known.vcpus);
    let unknown: BTreeSet<&str> = machines
        .iter()
        .filter(|(name, own)| own.is_none() && size(name).is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    let unknown: Vec<String> = unknown.into_iter().map(str::to_owned).collect();
    let mut sizes: BTreeMap<String, u32> = BTreeMap::new();
    for info in described(session, &unknown).await? {
        let vcpus = info.v_cpu_info().and_then(VCpuInfo::default_v_cpus).and_then(|n| u32::try_from(n).ok());
        if let (Some(name), Some(vcpus)) = (info.instance_type(), vcpus) {
            sizes.insert(name.as_str().to_owned(), vcpus);
        }
    }
    let mut used: BTreeMap<String, u32> = BTreeMap::new();
    for (name, own) in &machines {
        let vcpus = own.or_else(|| size(name)).or_else(|| sizes.get(name).copied()).unwrap_or(0);
        if let Some((quota, _)) = catalogue.vcpu_quota(name) {
            let sum = used.entry(quota.to_owned()).or_default();
            *sum = sum.saturating_add(vcpus);
        }
    }
    Ok(used)
}

/// The instance type of each machine that counts, with its own virtual processors where they are told.
fn machines(reservations: &[Reservation]) -> Vec<(String, Option<u32>)> {
    let all = reservations.iter().flat_map(Reservation::instances);
    // What is bought on the spot has quotas of its own.
    let counted = all.filter(|machine| machine.instance_lifecycle() != Some(&InstanceLifecycleType::Spot));
    let own = |machine: &Instance| machine.cpu_options().and_then(product);
    let name = |machine: &Instance| machine.instance_type().map(TypeName::as_str).map(str::to_owned);
    counted.filter_map(|machine| Some((name(machine)?, own(machine)))).collect()
}

fn product(options: &CpuOptions) -> Option<u32> {
    let number = options.core_count()?.checked_mul(options.threads_per_core()?)?;
    u32::try_from(number).ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_zone_counts() {
        let placed = [("s1", "a"), ("s2", "b"), ("s3", "b"), ("s4", "d")];
        let placed: BTreeMap<String, String> =
            placed.into_iter().map(|(subnet, zone)| (subnet.to_owned(), zone.to_owned())).collect();
        let gateways = ["s1", "s2", "s3", "s4", "s4", "s4", "s9"];
        assert_eq!(fullest(&gateways, &placed, &BTreeSet::from(["a", "b", "c"])), 2);
        assert_eq!(fullest(&gateways, &placed, &BTreeSet::from(["c"])), 0);
    }

    #[test]
    fn machines_count_with_their_processors_unless_they_are_bought_on_the_spot() {
        let options = CpuOptions::builder().core_count(4).threads_per_core(2).build();
        let reservation = Reservation::builder()
            .instances(Instance::builder().instance_type("m5.2xlarge".into()).cpu_options(options).build())
            .instances(Instance::builder().instance_type("m5.large".into()).build())
            .instances(
                Instance::builder()
                    .instance_type("m5.large".into())
                    .instance_lifecycle(InstanceLifecycleType::Spot)
                    .build(),
            )
            .build();
        let expected = [("m5.2xlarge".to_owned(), Some(8_u32)), ("m5.large".to_owned(), None)];
        assert_eq!(machines(&[reservation]), expected);
    }
}

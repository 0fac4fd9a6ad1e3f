//! Facts from AWS, gathered faithfully: planning judges them. Each part is asked for once, however many
//! wait for it.

mod dns;
mod hosts;
mod instance_types;
mod network;
mod region;

use std::collections::BTreeMap;

use aws_sdk_ec2::types::Filter;
use futures::join;
use landfall_model::aws::facts::{
    Caller, DedicatedHost, Facts, HostedZone, InstanceType, SecurityGroup, Subnet, Zone,
};
use landfall_model::facts::{self, Source, VERSION};
use landfall_platform::cloud::{Asked, Gathered, Verdict, Waiting, take};
use tokio::sync::OnceCell;

use super::session::Session;
use network::Vpc;

pub(super) use instance_types::described;
pub(super) use region::opt_in_of;

/// The field that findings about calls for the region as a whole point at.
pub(super) const REGION: &str = "platform.aws.region";

/// The answers to questions that several ask.
#[derive(Debug, Default)]
pub(super) struct Answers {
    opt_in: OnceCell<Asked<String>>,
    zones: OnceCell<Asked<Vec<Zone>>>,
    instance_types: OnceCell<Asked<BTreeMap<String, InstanceType>>>,
    subnets: OnceCell<Asked<Vec<Subnet>>>,
    vpc: OnceCell<Asked<Vpc>>,
    security_groups: OnceCell<Asked<Vec<SecurityGroup>>>,
    dedicated_hosts: OnceCell<Asked<Vec<DedicatedHost>>>,
    public_zone: OnceCell<Asked<Option<HostedZone>>>,
    private_zone: OnceCell<Asked<Option<HostedZone>>>,
}

// What a call needs while it waits is large, so it lies on the heap: many of these wait at the same time.
impl Session<'_> {
    /// What the account may do with the region; empty where the cloud does not list the region.
    pub(super) async fn opt_in(&self) -> &Asked<String> {
        self.answers.opt_in.get_or_init(|| Box::pin(region::opt_in(self))).await
    }

    /// The zones of the region, those of every kind.
    pub(super) async fn zones(&self) -> &Asked<Vec<Zone>> {
        self.answers.zones.get_or_init(|| Box::pin(region::zones(self))).await
    }

    /// The instance types that matter for the config, as far as the region offers them.
    pub(super) async fn instance_types(&self) -> &Asked<BTreeMap<String, InstanceType>> {
        self.answers.instance_types.get_or_init(|| Box::pin(instance_types::instance_types(self))).await
    }

    /// The subnets that the config names, in its order, without those that are not there.
    pub(super) async fn subnets(&self) -> &Asked<Vec<Subnet>> {
        self.answers.subnets.get_or_init(|| Box::pin(network::subnets(self))).await
    }

    /// What matters of the network of these subnets; nothing where they are not known.
    async fn vpc(&self) -> &Asked<Vpc> {
        self.answers.vpc.get_or_init(|| Box::pin(network::vpc(self))).await
    }

    /// The security groups that the config names, without those that are not there.
    pub(super) async fn security_groups(&self) -> &Asked<Vec<SecurityGroup>> {
        self.answers.security_groups.get_or_init(|| Box::pin(network::security_groups(self))).await
    }

    /// The dedicated hosts that the config names, without those that are not there.
    pub(super) async fn dedicated_hosts(&self) -> &Asked<Vec<DedicatedHost>> {
        self.answers.dedicated_hosts.get_or_init(|| Box::pin(hosts::dedicated_hosts(self))).await
    }

    /// The public zone of the base domain; none where there is none, or where the cluster needs none.
    pub(super) async fn public_zone(&self) -> &Asked<Option<HostedZone>> {
        self.answers.public_zone.get_or_init(|| Box::pin(dns::public_zone(self))).await
    }

    /// The private zone that the config names; none where it names none, or one that is not there.
    pub(super) async fn private_zone(&self) -> &Asked<Option<HostedZone>> {
        self.answers.private_zone.get_or_init(|| Box::pin(dns::private_zone(self))).await
    }
}

/// All facts that planning needs, asked for at the same time.
pub(super) fn gather<'s>(session: &'s Session<'_>) -> Waiting<'s, Gathered> {
    Box::pin(async move {
        let (caller, opt_in, zones, types, subnets, vpc, groups, hosts, public_zone, private_zone) = join!(
            session.caller(),
            session.opt_in(),
            session.zones(),
            session.instance_types(),
            session.subnets(),
            session.vpc(),
            session.security_groups(),
            session.dedicated_hosts(),
            session.public_zone(),
            session.private_zone(),
        );
        let caller: Asked<Option<Caller>> = caller.cloned().map(Some).map_err(Verdict::from);
        let region = session.region();
        let partition = session.asking.catalogue.aws.partition_of(region);
        let mut gaps = Vec::new();
        let vpc = take("vpc", vpc, &mut gaps);
        let mut facts = Facts {
            region: region.to_owned(),
            partition: partition.map(|(id, _)| id.to_owned()).unwrap_or_default(),
            caller: take("caller", &caller, &mut gaps),
            opt_in: take("region", opt_in, &mut gaps),
            zones: take("zones", zones, &mut gaps),
            instance_types: take("instance-types", types, &mut gaps),
            images: BTreeMap::new(),
            vpc: String::new(),
            vpc_owners: vpc.owners,
            untagged_subnets: vpc.untagged,
            subnets: take("subnets", subnets, &mut gaps),
            security_groups: take("security-groups", groups, &mut gaps),
            dedicated_hosts: take("dedicated-hosts", hosts, &mut gaps),
            public_zone: take("public-zone", public_zone, &mut gaps),
            private_zone: take("private-zone", private_zone, &mut gaps),
        };
        facts.vpc = facts.subnets.first().map(|subnet| subnet.vpc.clone()).unwrap_or_default();
        let facts = facts::Facts {
            version: VERSION,
            source: Source::Cloud,
            aws: Some(facts),
            ..facts::Facts::default()
        };
        Gathered { facts, gaps }
    })
}

/// Asks EC2 for what has one of the values. Unlike a list of ids, which is refused as a whole when one of
/// them is not there, a filter finds the others.
pub(super) fn filter<'v>(name: &str, values: impl IntoIterator<Item = &'v str>) -> Filter {
    let values = values.into_iter().map(str::to_owned).collect();
    Filter::builder().name(name).set_values(Some(values)).build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_has_every_value() {
        let filter = filter("subnet-id", ["subnet-1", "subnet-2"]);
        assert_eq!((filter.name(), filter.values().len()), (Some("subnet-id"), 2));
    }
}

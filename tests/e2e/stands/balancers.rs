//! Load balancers, listeners and target groups with their targets (`assets.md`, D.4).

use std::collections::BTreeSet;

use super::{Made, pairs};
use crate::expected::{BALANCERS, MASTERS, TARGET_GROUPS};
use crate::listing::Resource;

pub(super) fn stand(made: &Made<'_>) {
    for (end, scheme, public) in BALANCERS {
        let balancer = made.new.named("load balancer", &made.name(end));
        assert_eq!(balancer.says("LoadBalancerName"), made.name(end));
        assert_eq!((balancer.says("Type"), balancer.says("Scheme")), ("network", *scheme), "{end}");
        assert_eq!(balancer.says("VpcId"), made.vpc(), "{end}");
        let subnets: BTreeSet<String> =
            balancer.node.all("AvailabilityZones", "SubnetId").into_iter().collect();
        assert_eq!(subnets, made.subnets(*public).into_iter().collect::<BTreeSet<String>>(), "{end}");
        let guards: Vec<String> =
            balancer.node.list("SecurityGroups").iter().map(|group| group.text().to_owned()).collect();
        let wanted = made.wanted.is_newer().then(|| super::groups::id(made, "apiserver-lb"));
        assert_eq!(guards, wanted.into_iter().collect::<Vec<String>>(), "{end}");
        let attributes = pairs(balancer.more[0].children(), "Key", "Value");
        let across = attributes.get("load_balancing.cross_zone.enabled").map(String::as_str);
        assert_eq!(across, Some("true"), "{attributes:?}");
    }
    let targets = addresses(made);
    assert_eq!(targets.len(), MASTERS + 1, "{targets:?}");
    for (end, port, path, balancer) in TARGET_GROUPS {
        let group = made.new.named("target group", &made.name(end));
        for (what, wanted) in [
            ("TargetGroupName", made.name(end).as_str()),
            ("Protocol", "TCP"),
            ("Port", *port),
            ("TargetType", "ip"),
            ("HealthCheckProtocol", "HTTPS"),
            ("HealthCheckPort", *port),
            ("HealthCheckPath", *path),
            ("HealthCheckIntervalSeconds", "10"),
            ("HealthyThresholdCount", "2"),
            ("UnhealthyThresholdCount", "2"),
            ("VpcId", made.vpc().as_str()),
        ] {
            assert_eq!(group.says(what), wanted, "{end}: {what}");
        }
        let registered: BTreeSet<&str> = group.more.iter().map(|target| target.says("Id")).collect();
        assert_eq!(registered, targets.iter().map(String::as_str).collect::<BTreeSet<&str>>(), "{end}");
        assert!(group.more.iter().all(|target| target.says("Port") == *port), "{end}: {:?}", group.more);
        listens(made, group, port, balancer);
    }
    let counts = made.new.counts();
    for (kind, wanted) in [
        ("load balancer", BALANCERS.len()),
        ("listener", TARGET_GROUPS.len()),
        ("target group", TARGET_GROUPS.len()),
    ] {
        assert_eq!(counts.get(kind), Some(&wanted), "{kind}: {counts:?}");
    }
}

/// The addresses of the control plane and of the bootstrap machine.
fn addresses(made: &Made<'_>) -> BTreeSet<String> {
    let machines = made.new.of_kind("machine").into_iter();
    machines.map(|machine| machine.says("privateIpAddress").to_owned()).collect()
}

fn listens(made: &Made<'_>, group: &Resource, port: &str, balancer: &str) {
    let balancer = made.new.named("load balancer", &made.name(balancer));
    let to = |listener: &&Resource| {
        let targets = listener.node.all("DefaultActions", "TargetGroupArn");
        targets.iter().any(|arn| arn == group.says("TargetGroupArn"))
    };
    let listeners: Vec<&Resource> = made.new.of_kind("listener").into_iter().filter(to).collect();
    let [listener] = listeners.as_slice() else {
        panic!("one listener should lead to {}, not {listeners:?}", group.name());
    };
    assert_eq!(listener.says("LoadBalancerArn"), balancer.says("LoadBalancerArn"));
    assert_eq!((listener.says("Protocol"), listener.says("Port")), ("TCP", port));
}

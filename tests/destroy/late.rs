//! What comes late: dependencies that show only when something is to go, and lists that still have what is gone.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::calls::passed;
use crate::front::{Asked, Front, Reply, Rule, refusal};
use crate::site::Site;
use crate::world::World;

/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;

/// Refuses an action some times, as something depends on it that nobody has told of.
fn held(times: usize, service: &'static str, action: &'static str, status: u16, code: &'static str) -> Rule {
    let message = "it has a dependent object";
    Rule::first(times, service, action, move |asked| refusal(asked, status, code, message))
}

#[test]
#[ignore = "needs moto"]
fn dependencies_that_appear_late_are_waited_for() {
    let world = World::new("us-east-1", FEW);
    let rules = vec![
        held(2, "ec2", "DeleteVpc", 400, "DependencyViolation"),
        held(3, "ec2", "DeleteSubnet", 400, "DependencyViolation"),
        held(3, "ec2", "DeleteSecurityGroup", 400, "DependencyViolation"),
        held(2, "ec2", "DetachInternetGateway", 400, "DependencyViolation"),
        held(2, "ec2", "ReleaseAddress", 400, "InvalidIPAddress.InUse"),
        held(2, "ec2", "DeleteVolume", 400, "VolumeInUse"),
        held(1, "ec2", "DeleteSnapshot", 400, "InvalidSnapshot.InUse"),
        held(2, "elasticloadbalancing", "DeleteTargetGroup", 400, "ResourceInUse"),
        held(1, "iam", "DeleteRole", 409, "DeleteConflict"),
        held(1, "iam", "DeleteUser", 409, "DeleteConflict"),
    ];
    let front = Front::start(Some(world.moto.port), None, rules);
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    assert!(front.unused().is_empty(), "nothing was held by {:?}", front.unused());
    world.is_as_before("after destroy");
}

/// Answers each request of an action as it was answered the first time, so many times.
fn stale(times: usize, service: &'static str, action: &'static str, port: u16) -> Rule {
    let known: Mutex<HashMap<String, (Reply, usize)>> = Mutex::default();
    Rule::always(service, action, move |asked: &Asked| {
        let mut known = known.lock().unwrap();
        let (reply, given) = known.entry(asked.body.clone()).or_insert_with(|| (passed(asked, port), 0));
        *given += 1;
        if *given <= times { reply.clone() } else { passed(asked, port) }
    })
}

/// Lists of tags and of things go on with what is gone. It is removed again, to which the cloud says that it does
/// not know it, and then looked for again.
#[test]
#[ignore = "needs moto"]
fn what_is_still_listed_is_no_reason_to_fail_or_to_stop_early() {
    let world = World::new("us-east-1", FEW);
    let port = world.moto.port;
    let rules = vec![
        stale(3, "tagging", "GetResources", port),
        stale(3, "ec2", "DescribeTags", port),
        stale(2, "ec2", "DescribeVolumes", port),
        stale(2, "ec2", "DescribeSubnets", port),
        stale(2, "ec2", "DescribeSecurityGroups", port),
        stale(2, "elasticloadbalancing", "DescribeTargetGroups", port),
        stale(2, "iam", "ListUsers", port),
    ];
    let front = Front::start(Some(port), None, rules);
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("after destroy");
    // A list of tags alone was not believed, and not taken for a proof either.
    assert!(front.count("tagging", "GetResources") > 2, "{ran}");
}

/// The tags of what is gone are listed for ever: whatever is asked by itself is not there.
#[test]
#[ignore = "needs moto"]
fn tags_outlive_what_they_are_on() {
    let world = World::new("us-east-1", FEW);
    let port = world.moto.port;
    let rules = vec![
        stale(usize::MAX, "tagging", "GetResources", port),
        stale(usize::MAX, "ec2", "DescribeTags", port),
    ];
    let front = Front::start(Some(port), None, rules);
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("after destroy");
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "alreadyGone", "{ran}");
}

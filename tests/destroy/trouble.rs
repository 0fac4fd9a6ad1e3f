//! A cloud that is in trouble for a while, and one that does not let somebody.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::answers::{throttled, unavailable};
use crate::front::{ALL, Asked, Front, Reply, Rule, Sent, refusal};
use crate::site::{CANARY, Site};
use crate::world::World;

/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;

fn broken(asked: &Asked) -> Reply {
    refusal(asked, 500, "InternalError", "An internal error has occurred")
}

#[test]
#[ignore = "needs moto"]
fn trouble_that_passes_is_waited_out() {
    let world = World::new("us-east-1", FEW);
    let rules = vec![
        Rule::first(3, "tagging", "GetResources", throttled),
        Rule::first(2, "ec2", "DescribeTags", throttled),
        Rule::first(2, "iam", "ListRoles", throttled),
        Rule::first(3, "ec2", "TerminateInstances", throttled),
        Rule::first(2, "ec2", "DeleteNatGateway", broken),
        Rule::first(2, "ec2", "DeleteSecurityGroup", throttled),
        Rule::first(2, "ec2", "DeleteSubnet", broken),
        Rule::first(2, "ec2", "DeleteVpc", |_| unavailable()),
        Rule::first(2, "elasticloadbalancing", "DeleteLoadBalancer", throttled),
        Rule::first(2, "elasticloadbalancing", "DeleteTargetGroup", broken),
        Rule::first(2, "iam", "DeleteRole", throttled),
        Rule::first(2, "iam", "DeleteUser", |_| unavailable()),
        Rule::first(3, "s3", ALL, throttled),
        Rule::first(3, "route53", ALL, throttled),
    ];
    let front = Front::start(Some(world.moto.port), None, rules);
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    assert!(front.unused().is_empty(), "nobody was in trouble with {:?}", front.unused());
    world.is_as_before("after destroy");
}

/// Only the image names its snapshots: it stays until they are known and carry the cluster's tag.
#[test]
#[ignore = "needs moto"]
fn an_image_goes_after_its_snapshots_are_known() {
    let world = World::new("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let network_goes = AtomicBool::new(false);
    front.on_the_way(move |asked, pass| {
        let action = asked.action();
        network_goes.fetch_or(action == "DeleteVpc", Ordering::Relaxed);
        let of_images = action == "DescribeSnapshots" && asked.body.contains("snapshot-id");
        let is_broken = of_images && !network_goes.load(Ordering::Relaxed);
        Sent::Whole(if is_broken { broken(asked).bytes() } else { pass() })
    });
    let site = Site::of(&world, &front);
    let ran = site.destroy(&["--timeout", "5m"]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("after destroy");
}

/// The page of something on the way.
fn page(status: u16) -> Reply {
    Reply::new(status, "text/html", "<!DOCTYPE html><html><body>Sign in</body></html>")
}

/// Something on the way answers in place of the service: with a page, with nothing, and with the very words of a
/// success. The cluster goes all the same, and soon.
#[test]
#[ignore = "needs moto"]
fn a_success_that_is_none_does_not_stall_the_run() {
    let world = World::new("us-east-1", FEW);
    let words = |asked: &Asked| {
        let action = asked.action();
        Reply::xml(format!("<{action}Response><return>true</return></{action}Response>"))
    };
    let rules = vec![
        Rule::first(1, "ec2", "DeleteSubnet", |_| page(200)),
        Rule::first(1, "ec2", "DeleteSubnet", |_| Reply::xml("")),
        Rule::first(2, "ec2", "DeleteSubnet", words),
        Rule::first(1, "ec2", "DeleteSecurityGroup", words),
        Rule::first(2, "iam", "DeleteRole", |_| page(200)),
        Rule::first(1, "elasticloadbalancing", "DeleteTargetGroup", |_| Reply::xml("")),
    ];
    let front = Front::start(Some(world.moto.port), None, rules);
    let site = Site::of(&world, &front);
    let ran = site.destroy(&["--timeout", "5m"]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    assert!(front.unused().is_empty(), "nobody answered {:?}", front.unused());
    world.is_as_before("after destroy");
}

/// One answer that cannot be used is asked for again; if no answer can, the same command may do better later.
#[test]
#[ignore = "needs moto"]
fn an_answer_about_the_caller_that_cannot_be_used_is_asked_for_again() {
    let world = World::new("us-east-1", FEW);
    let rules = vec![Rule::always("sts", "GetCallerIdentity", |_| page(200))];
    let front = Front::start(Some(world.moto.port), None, rules);
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(5);
    assert_eq!(ran.json()["outcome"], "left", "{ran}");
    assert!(ran.out.contains("LF1302"), "{ran}");
    // What answers is named.
    let port = front.port.to_string();
    assert!(
        ran.out.contains(&format!(
            ":{port}, unexpected response (HTTP 200, text/html): this is not an AWS endpoint"
        )),
        "{ran}"
    );
    assert!(front.count("sts", "GetCallerIdentity") > 1, "{ran}");
    assert!(site.metadata_path().exists());
    world.is_untouched("without a caller");

    let rules = vec![Rule::first(1, "sts", "GetCallerIdentity", |_| page(200))];
    let front = Front::start(Some(world.moto.port), None, rules);
    let ran = Site::of(&world, &front).destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    assert!(front.unused().is_empty(), "{:?}", front.unused());
    world.is_as_before("after destroy");
}

/// The cloud repeats all that it was sent, with the token of the session. What was refused is told with the
/// permission that is missing; all else goes.
#[test]
#[ignore = "needs moto"]
fn what_the_caller_may_not_remove_is_named_and_all_else_goes() {
    let world = World::new("us-east-1", FEW);
    let refused = |asked: &Asked| {
        let message = format!("You are not authorized to perform this operation. {}", asked.echo());
        refusal(asked, 403, "UnauthorizedOperation", &message)
    };
    let rules = vec![Rule::always("ec2", "DeleteVolume", refused)];
    let front = Front::start(Some(world.moto.port), None, rules);
    let token = format!("{CANARY}token");
    let site = Site::of(&world, &front).with("AWS_SESSION_TOKEN", token.as_str());
    let files = site.files();
    let ran = site.destroy(&[]).ends(4);
    let report = ran.json();
    assert_eq!(report["outcome"], "refused", "{ran}");
    assert!(report["findings"].to_string().contains("ec2:DeleteVolume"), "{ran}");
    let left = report["left"].as_array().unwrap();
    let kinds: BTreeSet<&str> = left.iter().filter_map(|thing| thing["kind"].as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["volume"]), "{ran}");
    assert!(left.iter().all(|thing| !thing["why"].as_str().unwrap_or_default().is_empty()), "{ran}");
    assert_eq!(site.files(), files);
    let now = world.now();
    for vpc in world.own("VPC") {
        assert!(!now.contains_key(&format!("VPC {vpc}")), "{ran}");
    }

    let front = Front::start(Some(world.moto.port), None, Vec::new());
    Site::of(&world, &front).destroy(&[]).ends(0);
    world.is_as_before("with the permission");
}

/// What could not be looked at may hold things, so that nothing is proven.
#[test]
#[ignore = "needs moto"]
fn who_may_not_look_everywhere_is_never_told_that_all_is_gone() {
    let world = World::new("us-east-1", FEW);
    let denied =
        |asked: &Asked| refusal(asked, 403, "AccessDenied", "not authorized to perform: iam:ListUsers");
    let rules = vec![Rule::always("iam", "ListUsers", denied)];
    let front = Front::start(Some(world.moto.port), None, rules);
    let site = Site::of(&world, &front);
    let files = site.files();
    let ran = site.destroy(&["--timeout", "20s"]);
    assert!(ran.code.is_some_and(|code| [4, 5].contains(&code)), "{ran}");
    assert!(ran.out.contains("iam:ListUsers"), "{ran}");
    assert_eq!(site.files(), files);

    let front = Front::start(Some(world.moto.port), None, Vec::new());
    Site::of(&world, &front).destroy(&[]).ends(0);
    world.is_as_before("with the permission");
}

#[test]
#[ignore = "needs moto"]
fn an_instance_that_is_protected_stays_until_somebody_lifts_it() {
    let world = World::new("us-east-1", FEW);
    let machine = world.own("instance")[0];
    let protect = |on: &str| {
        let form = [("InstanceId", machine), ("DisableApiTermination.Value", on)];
        world.moto.ec2(world.region, "ModifyInstanceAttribute", &form);
    };
    protect("true");
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let ran = site.destroy(&["--timeout", "30s"]);
    assert!(ran.code.is_some_and(|code| [4, 5].contains(&code)), "{ran}");
    let report = ran.json();
    let left = report["left"].as_array().unwrap();
    let it = left.iter().find(|thing| thing["id"].as_str().is_some_and(|id| id.ends_with(machine)));
    assert!(it.is_some_and(|thing| thing.to_string().contains("protection")), "{ran}");
    assert!(world.now().contains_key(&format!("instance {machine}")), "{ran}");
    // What waits for it says so.
    let waits = left.iter().filter(|thing| thing["why"].as_str().is_some_and(|why| why.contains(machine)));
    assert!(waits.count() > 0, "{ran}");

    protect("false");
    site.destroy(&[]).ends(0);
    world.is_as_before("without the protection");
}

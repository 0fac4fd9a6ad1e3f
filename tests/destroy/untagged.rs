//! What an engine that was killed left without a tag: it goes where something proves whose it is, and is named
//! otherwise.

use crate::calls::changing;
use crate::front::Front;
use crate::listing;
use crate::site::Site;
use crate::world::World;

/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;

#[test]
#[ignore = "needs moto"]
fn what_lost_its_tag_goes_by_its_name_or_its_network() {
    let world = World::untagged("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("after destroy");
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "alreadyGone", "{ran}");
}

/// The zone goes before the VPC that proves whose it is, so that a run which ends in between can be repeated.
#[test]
#[ignore = "needs moto"]
fn a_zone_without_a_tag_goes_before_its_network() {
    let world = World::untagged("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    site.destroy(&[]).ends(0);
    let asked = front.asked();
    let zone = asked.iter().position(|asked| asked.method == "DELETE" && asked.path.contains("/hostedzone/"));
    let vpc = asked.iter().position(|asked| asked.action() == "DeleteVpc");
    assert!(zone.is_some() && zone < vpc, "{zone:?} {vpc:?}");
}

/// An address is somebody's for good, and may have been lent to the cluster.
#[test]
#[ignore = "needs moto"]
fn an_address_without_a_tag_is_named_and_stays() {
    let world = World::lent("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(5);
    let report = ran.json();
    assert_eq!(report["outcome"], "left", "{ran}");
    let now = world.now();
    let left = listing::new(&world.before, &now);
    assert_eq!(left.len(), 1, "{left:?}");
    let id = left.iter().next().and_then(|key| key.strip_prefix("address ")).unwrap_or("none");
    let named = report["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == "LF1326");
    assert!(
        named.is_some_and(|finding| finding["message"].as_str().is_some_and(|m| m.contains(id))),
        "{ran}"
    );
    assert!(site.metadata_path().exists() && !site.kept_metadata_path().exists());
}

/// No installation creates a public zone, whatever its tags say.
#[test]
#[ignore = "needs moto"]
fn a_public_zone_with_the_tag_of_the_cluster_stays() {
    let world = World::marked("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(5);
    assert!(ran.out.contains("LF1326") && ran.out.contains("the public hosted zone example.com"), "{ran}");
    world.is_as_before("after destroy");
}

/// It may be the user's own: nothing in it is the cluster's.
#[test]
#[ignore = "needs moto"]
fn a_zone_without_a_tag_in_a_network_of_the_users_is_named_and_stays() {
    let world = World::strayed("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let plan = site.run(&["destroy", "cluster", "--plan", "-o", "json"]).ends(0);
    assert!(plan.out.contains("LF1326"), "{plan}");
    assert!(changing(&front.asked()).is_empty());
    let ran = site.destroy(&[]).ends(5);
    assert!(ran.out.contains("LF1326") && ran.out.contains("demo.example.com"), "{ran}");
    let now = world.now();
    let left = listing::new(&world.before, &now);
    assert!(left.len() == 1 && left.iter().all(|key| key.starts_with("hosted zone ")), "{left:?}");
}

//! A whole cluster of all kinds of things goes, and nothing else, wherever the cluster is.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::authority::{Authority, LOOPBACK};
use crate::calls::changing;
use crate::front::{Asked, Front};
use crate::listing;
use crate::program::{Ran, SERVICES};
use crate::site::Site;
use crate::world::{ACCOUNT, ID, World};

/// So many things, and more.
const MANY: usize = 300;
/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;

/// The ids in a list of things.
fn ids(things: &Value) -> BTreeSet<&str> {
    things.as_array().into_iter().flatten().filter_map(|thing| thing["id"].as_str()).collect()
}

/// Whether one of these ids is, or ends with, that of a thing in moto.
fn has(ids: &BTreeSet<&str>, wanted: &str) -> bool {
    let is_it = |rest: &str| rest.is_empty() || rest.ends_with(['/', ':']);
    ids.iter().any(|id| id.trim_end_matches('.').strip_suffix(wanted).is_some_and(is_it))
}

/// How ids of a listed thing end. Records of a zone have zone, type and name.
fn end_of(key: &str) -> String {
    match key.strip_prefix("record ") {
        Some(record) => record.trim_end_matches('.').replace(' ', "/"),
        None => key.rsplit(' ').next().unwrap_or(key).to_owned(),
    }
}

/// What a plan says must be the cluster, the whole cluster and nothing else; and nothing may come of it.
fn is_planned(world: &World, site: &Site, front: &Front) {
    let files = site.files();
    let said = site.run(&["destroy", "cluster", "--plan", "-o", "json"]).ends(0);
    let plan = said.json();
    assert_eq!(plan["outcome"], "planned", "{said}");
    let waves = plan["waves"].as_array().unwrap();
    let removed: BTreeSet<&str> = waves.iter().flat_map(|wave| ids(&wave["resources"])).collect();
    assert!(waves.len() >= 3, "{said}");
    for id in listing::must_be_named(&world.before, &world.with) {
        assert!(has(&removed, id), "{id} is not in the plan: {said}");
    }
    for key in world.before.keys() {
        assert!(!has(&removed, &end_of(key)), "{key} is in the plan: {said}");
    }
    let released = ids(&plan["released"]);
    let shared = listing::changed(&world.before, &world.with);
    assert_eq!(released.len(), shared.len(), "{shared:?} {released:?}");
    for key in shared {
        assert!(has(&released, &end_of(key)), "{key} is not released: {said}");
    }
    let text = |ran: Ran| ran.ends(0).out;
    let first = text(site.run(&["destroy", "cluster", "--plan"]));
    assert_eq!(first, text(site.run(&["destroy", "cluster", "--plan"])), "a plan is the same each time");
    assert!(changing(&front.asked()).is_empty(), "{:?}", changing(&front.asked()));
    assert_eq!(site.files(), files);
    assert!(!site.kept_metadata_path().exists());
    world.is_untouched("after --plan");
}

/// The cluster goes, and a second run says that it has gone and touches nothing.
fn goes(world: &World, site: &Site, front: &Front) {
    let said = site.destroy(&[]).ends(0);
    let report = said.json();
    assert_eq!(report["outcome"], "gone", "{said}");
    assert_eq!(report["left"], Value::Array(Vec::new()), "{said}");
    world.is_as_before("after destroy");
    let shared = listing::changed(&world.before, &world.with).len();
    assert_eq!(ids(&report["released"]).len(), shared, "{said}");
    assert!(site.files().is_empty(), "{:?}", site.files());
    let kept = std::fs::read_to_string(site.kept_metadata_path()).unwrap();
    assert!(kept.contains(ID) && kept.contains(ACCOUNT), "{kept}");

    let asked = front.asked().len();
    let said = site.destroy(&[]).ends(0);
    assert_eq!(said.json()["outcome"], "alreadyGone", "{said}");
    let again = front.asked().split_off(asked);
    assert!(changing(&again).is_empty(), "{:?}", changing(&again));
    world.is_as_before("after a second destroy");
}

fn is_large(world: &World) {
    let own = listing::new(&world.before, &world.with).len();
    assert!(own >= MANY, "only {own} things are the cluster's");
}

#[test]
#[ignore = "needs moto"]
fn a_cluster_of_the_public_cloud_goes() {
    let world = World::new("us-east-1", MANY);
    is_large(&world);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    is_planned(&world, &site, &front);
    goes(&world, &site, &front);
    // What all regions share is in the region itself, so that nothing was signed for another one.
    let signed: BTreeSet<String> = front.asked().iter().map(|asked| asked.region().to_owned()).collect();
    assert!(signed.iter().all(|region| region.is_empty() || region == "us-east-1"), "{signed:?}");
}

#[test]
#[ignore = "needs moto"]
fn a_cluster_of_govcloud_goes() {
    let world = World::new("us-gov-west-1", MANY);
    is_large(&world);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    is_planned(&world, &site, &front);
    goes(&world, &site, &front);
    let signed: BTreeSet<String> = front.asked().iter().map(|asked| asked.region().to_owned()).collect();
    assert!(signed.iter().all(|region| region.is_empty() || region == "us-gov-west-1"), "{signed:?}");
}

/// Every service is at an endpoint of its own that only `metadata.json` knows, with a certificate of a private
/// authority. What all regions share is listed in another region, for which the endpoints count as well.
#[test]
#[ignore = "needs moto"]
fn a_cluster_with_endpoints_of_its_own_goes() {
    let world = World::new("eu-central-1", MANY);
    is_large(&world);
    let authority = Authority::new("Private Authority");
    let front = Front::start(Some(world.moto.port), Some(authority.server(LOOPBACK)), Vec::new());
    let given: Vec<(&str, String)> = SERVICES.iter().map(|service| (*service, front.url())).collect();
    let metadata = world.metadata(ACCOUNT, &given);
    let site = Site::new(&world.keys, &metadata).naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem);
    is_planned(&world, &site, &front);
    goes(&world, &site, &front);
    let tagged = front.asked().into_iter().filter(|asked| asked.service() == "tagging");
    let signed: BTreeSet<String> = tagged.map(|asked| asked.region().to_owned()).collect();
    assert!(signed.contains("us-east-1"), "{signed:?}");
}

/// What the user brought loses the cluster's tag and nothing else; records of the cluster go from the user's zone.
#[test]
#[ignore = "needs moto"]
fn what_is_shared_is_only_released() {
    let world = World::brought("us-east-1", MANY);
    is_large(&world);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    assert!(listing::changed(&world.before, &world.with).len() >= 8);
    is_planned(&world, &site, &front);
    goes(&world, &site, &front);
}

/// The zone is the user's and in another account, which only the role of `hostedZoneRole` may change. There is also a
/// zone of the cluster's very domain there that nobody gave to it.
#[test]
#[ignore = "needs moto"]
fn a_zone_of_another_account_is_released_by_its_role() {
    let world = World::apart("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    is_planned(&world, &site, &front);
    goes(&world, &site, &front);
    let asked = front.asked();
    let assumed = asked.iter().any(|asked| asked.service() == "sts" && asked.action() == "AssumeRole");
    assert!(assumed, "nobody took the role");
    let by_role: Vec<Asked> = asked.into_iter().filter(|asked| asked.key() != world.keys.id).collect();
    let changed = changing(&by_role);
    assert!(!changed.is_empty() && changed.keys().all(|call| call.starts_with("route53 ")), "{changed:?}");
}

/// Another cluster owns a subnet that this one uses: nothing of it goes but this cluster's tag.
#[test]
#[ignore = "needs moto"]
fn a_subnet_of_another_cluster_is_only_released() {
    let world = World::lodged("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let shared = listing::changed(&world.before, &world.with);
    assert!(shared.len() == 1 && shared.iter().all(|key| key.starts_with("subnet ")), "{shared:?}");
    is_planned(&world, &site, &front);
    goes(&world, &site, &front);
}

/// What all regions of the partition share is listed in another one than the cluster's.
#[test]
#[ignore = "needs moto"]
fn a_cluster_beside_the_global_region_of_govcloud_goes() {
    let world = World::new("us-gov-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    is_planned(&world, &site, &front);
    goes(&world, &site, &front);
    let tagged = front.asked().into_iter().filter(|asked| asked.service() == "tagging");
    let signed: BTreeSet<String> = tagged.map(|asked| asked.region().to_owned()).collect();
    assert_eq!(signed, BTreeSet::from(["us-gov-east-1", "us-gov-west-1"].map(str::to_owned)));
}

/// A newer cluster has taken over the name: the public record leads to it, and stays.
#[test]
#[ignore = "needs moto"]
fn a_record_of_a_newer_cluster_of_the_same_name_stays() {
    let world = World::outlived("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    is_planned(&world, &site, &front);
    goes(&world, &site, &front);
}

/// The domain of the metadata does not begin with the cluster's name: below it, records of others may be. Only what
/// leads to the cluster's load balancers is its own, and all else stays and is named.
#[test]
#[ignore = "needs moto"]
fn below_a_domain_without_the_clusters_name_records_of_others_stay() {
    let world = World::brought("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::new(&world.keys, &world.metadata_within("example.com")).behind(&front);
    let ran = site.run(&["destroy", "cluster", "--yes"]).ends(0);
    assert!(ran.err.contains("LF1386") && ran.err.contains("LF1325"), "{ran}");
    let now = world.now();
    let left = listing::new(&world.before, &now);
    assert!(!left.is_empty() && left.iter().all(|key| key.starts_with("record ")), "{left:?}");
    assert!(listing::new(&now, &world.before).is_empty(), "{:?}", listing::new(&now, &world.before));
}

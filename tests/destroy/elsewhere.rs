//! The wrong region: what all regions share is found from each of them, and proves nothing.

use serde_json::Value;

use crate::calls::{changing, passed};
use crate::front::{Asked, Front, Rule, refusal};
use crate::program::Ran;
use crate::site::Site;
use crate::world::{ID, World};

/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;
/// Where the cluster is, and where it is not.
const HOME: &str = "eu-central-1";
const WRONG: &str = "eu-west-1";

/// The flags that name the cluster in a region.
fn named(region: &'static str) -> [&'static str; 6] {
    ["--infra-id", ID, "--region", region, "--cluster-domain", "demo.example.com"]
}

fn codes(ran: &Ran) -> Vec<String> {
    let report = ran.json();
    let findings = report["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().filter_map(|finding| finding["code"].as_str()).map(str::to_owned).collect()
}

#[test]
#[ignore = "needs moto"]
fn a_cluster_of_another_region_is_not_touched_and_its_region_is_named() {
    let world = World::new(HOME, FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let flags = Site::empty(&world.keys).behind(&front);
    let file = Site::new(&world.keys, &world.metadata_of(WRONG)).behind(&front);
    let (given, files) = (named(WRONG), file.files());
    let every: [(&Site, Vec<&str>); 5] = [
        (&flags, given.to_vec()),
        (&flags, [&given[..], &["--confirm-gone"]].concat()),
        (&flags, [&given[..], &["--plan"]].concat()),
        (&file, Vec::new()),
        (&file, vec!["--plan"]),
    ];
    for (site, more) in every {
        let ran = site.destroy(&more).ends(4);
        assert_eq!(ran.json()["outcome"], "refused", "{ran}");
        assert_eq!(codes(&ran), ["LF1307"], "{ran}");
        for word in [HOME, WRONG, "hosted zone", "bucket"] {
            assert!(ran.out.contains(word), "{word} is missing: {ran}");
        }
    }
    assert!(changing(&front.asked()).is_empty(), "{:?}", changing(&front.asked()));
    assert_eq!(file.files(), files);
    world.is_untouched("in the wrong region");

    let ran = flags.destroy(&named(HOME)).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("in the right region");
}

/// The cluster's own region is over, and what all regions share is left: that goes, wherever it is looked at from.
#[test]
#[ignore = "needs moto"]
fn what_is_left_of_all_regions_goes_where_no_region_has_anything() {
    let world = World::new(HOME, FEW);
    let denied =
        |asked: &Asked| refusal(asked, 403, "AccessDenied", "not authorized to perform: iam:DeleteRole");
    let front = Front::start(Some(world.moto.port), None, vec![Rule::always("iam", "DeleteRole", denied)]);
    Site::of(&world, &front).destroy(&[]).ends(4);

    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let ran = Site::empty(&world.keys).behind(&front).destroy(&named(HOME)).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("after the second run");
}

/// Where the other regions may not be asked, an earlier run in the same directory knows the region.
#[test]
#[ignore = "needs moto"]
fn an_earlier_run_knows_the_region_where_no_other_can_be_asked() {
    let world = World::new(HOME, FEW);
    let port = world.moto.port;
    let denied = |asked: &Asked| refusal(asked, 403, "AccessDenied", "not authorized to perform this");
    let near = move |asked: &Asked| {
        if [HOME, "us-east-1"].contains(&asked.region()) { passed(asked, port) } else { denied(asked) }
    };
    let alone = |more: Vec<Rule>| {
        let rules = vec![
            Rule::always("ec2", "DescribeRegions", denied),
            Rule::always("ec2", "DescribeTags", near),
            Rule::always("tagging", "GetResources", near),
        ];
        Front::start(Some(port), None, more.into_iter().chain(rules).collect())
    };
    let front = alone(vec![Rule::always("iam", "DeleteRole", denied)]);
    let site = Site::of(&world, &front);
    site.destroy(&[]).ends(4);
    let with = world.now();

    let front = alone(Vec::new());
    let flags = Site::empty(&world.keys).behind(&front);
    let ran = flags.destroy(&named(HOME)).ends(4);
    assert_eq!(codes(&ran).first().map(String::as_str), Some("LF1308"), "{ran}");
    assert!(ran.out.contains("--confirm-gone"), "{ran}");
    assert!(changing(&front.asked()).is_empty(), "{:?}", changing(&front.asked()));
    assert_eq!(world.now(), with);

    let ran = site.behind(&front).destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("after the second run");
}

/// What tells of the cluster goes last, so that a run which is stopped leaves enough to find it again.
#[test]
#[ignore = "needs moto"]
fn machines_and_networks_go_before_what_tells_of_the_cluster() {
    let world = World::new("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let ran = site.destroy(&[]).ends(0);
    let removed = ran.json()["removed"].clone();
    let kinds: Vec<&str> =
        removed.as_array().unwrap().iter().filter_map(|one| one["kind"].as_str()).collect();
    let traces = ["role", "user", "instance profile", "policy", "hosted zone", "DNS record", "bucket"];
    let first = kinds.iter().position(|kind| traces.contains(kind));
    let last = kinds.iter().rposition(|kind| !traces.contains(kind));
    assert!(first.is_some() && last < first, "{kinds:?}");
    assert_ne!(removed, Value::Null);
}

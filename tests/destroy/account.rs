//! Whose cloud it is: another account is never touched, and finding nothing there is no success.

use std::collections::BTreeSet;

use crate::calls::changing;
use crate::front::Front;
use crate::moto::Moto;
use crate::program::Ran;
use crate::site::Site;
use crate::world::{ACCOUNT, ID, World};

/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;

/// Nothing was touched, neither in the cloud nor in the directory.
fn is_refused(ran: &Ran, site: &Site, front: &Front) {
    assert_eq!(ran.code, Some(4), "{ran}");
    assert_eq!(ran.json()["outcome"], "refused", "{ran}");
    assert!(changing(&front.asked()).is_empty(), "{:?}", changing(&front.asked()));
    assert!(site.metadata_path().exists() && !site.kept_metadata_path().exists());
}

#[test]
#[ignore = "needs moto"]
fn credentials_of_another_account_are_refused() {
    let world = World::new("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::new(&world.keys, &world.metadata("999999999999", &[])).behind(&front);
    let files = site.files();
    let every: [&[&str]; 3] = [&[], &["--confirm-gone"], &["--plan"]];
    for more in every {
        let ran = site.destroy(more);
        is_refused(&ran, &site, &front);
        assert!(ran.out.contains("999999999999") && ran.out.contains(ACCOUNT), "{ran}");
    }
    // Nobody was even asked what there is.
    let services: BTreeSet<String> = front.asked().iter().map(|asked| asked.service().to_owned()).collect();
    assert!(!services.contains("tagging") && services.contains("sts"), "{services:?}");
    assert_eq!(site.files(), files);
    world.is_untouched("with another account");

    // Without somebody who can be asked, it must be said that things may go.
    let site = Site::new(&world.keys, &world.metadata(ACCOUNT, &[])).behind(&front);
    site.run(&["destroy", "cluster"]).ends(2);
    assert!(changing(&front.asked()).is_empty());
}

#[test]
#[ignore = "needs moto"]
fn finding_nothing_in_an_unrecorded_account_is_not_success() {
    let moto = Moto::start();
    let keys = moto.user("us-east-1");
    let front = Front::start(Some(moto.port), None, Vec::new());
    let metadata = |landfall: &str| {
        format!(
            "{{\"clusterName\":\"demo\",\"clusterID\":\"c\",\"infraID\":\"{ID}\",\"aws\":{{\"region\":\
             \"us-east-1\",\"identifier\":[{{\"kubernetes.io/cluster/{ID}\":\"owned\"}}],\"clusterDomain\":\
             \"demo.example.com\"}}{landfall}}}"
        )
    };
    let site = Site::new(&keys, &metadata("")).behind(&front);
    let ran = site.destroy(&[]);
    is_refused(&ran, &site, &front);
    for word in [ACCOUNT, "us-east-1", "--confirm-gone"] {
        assert!(ran.out.contains(word), "{word} is missing: {ran}");
    }
    assert_eq!(std::fs::read_to_string(site.metadata_path()).unwrap(), metadata(""));
    let ran = site.destroy(&["--confirm-gone"]).ends(0);
    assert_eq!(ran.json()["outcome"], "alreadyGone", "{ran}");
    assert!(site.kept_metadata_path().exists() && !site.metadata_path().exists());

    // Where it was noted, it is one.
    let noted = format!(",\"landfall\":{{\"account\":\"{ACCOUNT}\"}}");
    let site = Site::new(&keys, &metadata(&noted)).behind(&front);
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "alreadyGone", "{ran}");
    assert!(changing(&front.asked()).is_empty(), "{:?}", changing(&front.asked()));
}

#[test]
#[ignore = "needs moto"]
fn a_cluster_of_the_openshift_installer_goes() {
    let world = World::new("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::new(&world.keys, &world.installers_metadata()).behind(&front);
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("after destroy");
    // The account that it was in is known from now on.
    assert!(std::fs::read_to_string(site.kept_metadata_path()).unwrap().contains(ACCOUNT));
    let ran = site.destroy(&[]).ends(0);
    assert_eq!(ran.json()["outcome"], "alreadyGone", "{ran}");
}

#[test]
#[ignore = "needs moto"]
fn a_cluster_is_found_and_goes_without_metadata() {
    let world = World::new("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::empty(&world.keys).behind(&front);
    let other = format!("{ID}-xyz79");
    let find = || {
        let ran = site.run(&["destroy", "find", "--region", "us-east-1", "-o", "json"]).ends(0);
        let lines = ran.out.lines().map(|line| serde_json::from_str(line).unwrap());
        let found = lines.map(|cluster: serde_json::Value| {
            assert_eq!(cluster["region"], "us-east-1", "{cluster}");
            assert!(cluster["resources"].as_u64().is_some_and(|things| things > 10), "{cluster}");
            cluster["infraID"].as_str().unwrap_or_default().to_owned()
        });
        found.collect::<Vec<String>>()
    };
    assert_eq!(find(), [ID, other.as_str()]);
    let text = site.run(&["destroy", "find", "--region", "us-east-1"]).ends(0);
    assert!(text.out.contains(ID) && text.out.contains(&other), "{text}");
    assert!(changing(&front.asked()).is_empty(), "{:?}", changing(&front.asked()));

    // Nobody says which cluster, and then one that cannot be.
    let ran = site.destroy(&[]);
    assert_eq!(ran.code, Some(1), "{ran}");
    site.destroy(&["--infra-id", ID]).ends(2);
    site.destroy(&["--infra-id", "not an id!", "--region", "us-east-1"]).ends(2);

    let named = ["--infra-id", ID, "--region", "us-east-1", "--cluster-domain", "demo.example.com"];
    let ran = site.destroy(&named).ends(0);
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    world.is_as_before("after destroy");
    assert!(site.files().is_empty(), "{:?}", site.files());
    assert_eq!(find(), [other.as_str()]);
    // Nobody noted the account, so that a second time proves nothing.
    site.destroy(&named).ends(4);
    site.destroy(&[&named[..], &["--confirm-gone"]].concat()).ends(0);
}

//! A cloud in which any call may fail: what destroy says is true, and what is not the cluster's is not touched.

use std::sync::Arc;
use std::time::Instant;

use crate::faults::{self, Faults, Row, refuse_as_aws};
use crate::front::Front;
use crate::listing;
use crate::site::Site;
use crate::world::World;

/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;

fn destroyed(seed: u64, percent: u64) {
    let world = World::new("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let faults = Faults::new(seed, percent);
    let shared = Arc::clone(&faults);
    front.on_the_way(move |asked, pass| shared.send(asked, refuse_as_aws, pass));
    let site = Site::of(&world, &front);
    let began = Instant::now();
    let ran = site.destroy(&["--timeout", "10m"]);
    let seconds = began.elapsed().as_secs_f64();
    let now = world.now();
    let touched = listing::new(&now, &world.before).len() + listing::changed(&world.before, &now).len();
    let left = listing::new(&world.before, &now);
    let row = Row {
        what: "destroy-aws",
        percent,
        seed,
        code: ran.code,
        calls: faults.calls(),
        faults: faults.count(),
        seconds,
        wrong: left.len(),
        touched,
    };
    row.print();
    row.is_true(&[5], &format!("left {left:?}: {ran}"));
    assert_eq!(site.metadata_path().exists(), ran.code != Some(0), "{ran}");
    if ran.code == Some(5) {
        // The same command removes the rest once the cloud is well.
        let front = Front::start(Some(world.moto.port), None, Vec::new());
        let metadata = std::fs::read_to_string(site.metadata_path()).unwrap();
        Site::new(&world.keys, &metadata).behind(&front).destroy(&[]).ends(0);
        world.is_as_before("after a run without faults");
    }
}

#[test]
#[ignore = "needs moto"]
fn under_faults_what_destroy_says_is_true() {
    faults::all(destroyed);
}

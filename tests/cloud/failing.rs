//! A cloud in which any call may fail: preflight claims nothing that is not true, and changes nothing.

use std::sync::Arc;
use std::time::Instant;

use crate::calls::changing;
use crate::claims::{asked_in_vain, false_claims};
use crate::faults::{self, Faults, Row, refuse_as_aws};
use crate::front::Front;
use crate::moto::Moto;
use crate::program::{CONFIG, Landfall};

const REGION: &str = "us-east-1";
/// Checks that a cloud did not answer, by code: nothing there, not the service, a call that failed.
const IN_VAIN: &[&str] = &["LF1012", "LF1014", "LF1020"];

fn looked(seed: u64, percent: u64) {
    let moto = Moto::start();
    let keys = moto.user(REGION);
    // Without a public zone there is something to find.
    if seed.is_multiple_of(2) {
        moto.zone(REGION, "example.com");
    }
    let through = |front: &Front| Landfall::new(CONFIG).keys(&keys).with("AWS_ENDPOINT_URL", front.url());
    let reference = through(&Front::start(Some(moto.port), None, Vec::new())).preflight();
    let front = Front::start(Some(moto.port), None, Vec::new());
    let faults = Faults::new(seed, percent);
    let shared = Arc::clone(&faults);
    front.on_the_way(move |asked, pass| shared.send(asked, refuse_as_aws, pass));
    let began = Instant::now();
    let report = through(&front).preflight();
    let seconds = began.elapsed().as_secs_f64();
    let wrong = false_claims(&report, &reference, IN_VAIN);
    let changed: Vec<String> =
        changing(&front.asked()).into_keys().filter(|call| !call.contains("Simulate")).collect();
    let row = Row {
        what: "preflight-aws",
        percent,
        seed,
        // A check that fails rightly is as good as one that passes.
        code: if report.ran.code == reference.ran.code { Some(0) } else { report.ran.code },
        calls: faults.calls(),
        faults: faults.count(),
        seconds,
        wrong: wrong.len(),
        touched: changed.len(),
    };
    row.print();
    assert!(wrong.is_empty(), "{row:?}: {}", wrong.join("; "));
    row.is_true(&[5], &format!("changing calls: {changed:?}"));
    let is_whole = row.code == Some(0) && !asked_in_vain(&report, &reference);
    assert!(percent > 0 || is_whole, "{row:?}: without a fault, checks went unanswered");
}

#[test]
#[ignore = "needs moto"]
fn under_faults_what_preflight_says_is_true() {
    faults::all(looked);
}

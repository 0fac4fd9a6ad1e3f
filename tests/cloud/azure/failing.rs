//! An Azure in which any call may fail: preflight claims nothing that is not true, and changes nothing.

use std::sync::Arc;
use std::time::Instant;

use super::answer::Answer;
use super::arm::Azure;
use super::scene::{config, config_with, landfall, only_reads, public};
use crate::claims::{asked_in_vain, false_claims};
use crate::faults::{self, Fault, Faults, Row};
use crate::front::Asked;

/// How Azure refuses.
pub fn refuse(_: &Asked, fault: Fault) -> Vec<u8> {
    let answer = match fault {
        Fault::Throttled => {
            Answer::error(429, "TooManyRequests", "The request was throttled.").header("retry-after", "1")
        }
        Fault::Internal => Answer::error(500, "InternalServerError", "An internal error has occurred."),
        _ => Answer::error(503, "ServiceUnavailable", "The service is unavailable."),
    };
    answer.bytes("c0ffee00-0000-4000-8000-00000000fa17")
}

/// Checks that a cloud did not answer, by code: nothing there, not Azure, no token, a call that failed.
const IN_VAIN: &[&str] = &["LF1106", "LF1108", "LF1115", "LF1121"];

fn looked(seed: u64, percent: u64) {
    let azure = Azure::start(public());
    // A config that passes, and one with machines that do not exist.
    let text = if seed.is_multiple_of(2) {
        config("")
    } else {
        config_with("eastus", "", "      type: Standard_Nothing_v9\n")
    };
    let landfall = landfall(&azure, &text);
    let reference = landfall.preflight();
    let faults = Faults::new(seed, percent);
    let shared = Arc::clone(&faults);
    azure.on_the_way(move |asked, pass| shared.send(asked, refuse, pass));
    let began = Instant::now();
    let report = landfall.preflight();
    let seconds = began.elapsed().as_secs_f64();
    let wrong = false_claims(&report, &reference, IN_VAIN);
    let row = Row {
        what: "preflight-azure",
        percent,
        seed,
        // A check that fails rightly is as good as one that passes.
        code: if report.ran.code == reference.ran.code { Some(0) } else { report.ran.code },
        calls: faults.calls(),
        faults: faults.count(),
        seconds,
        wrong: wrong.len(),
        touched: 0,
    };
    row.print();
    assert!(wrong.is_empty(), "{row:?}: {}", wrong.join("; "));
    row.is_true(&[5], &"a preflight of Azure");
    let is_whole = row.code == Some(0) && !asked_in_vain(&report, &reference);
    assert!(percent > 0 || is_whole, "{row:?}: without a fault, checks went unanswered");
    only_reads(&azure);
}

#[test]
#[ignore = "needs moto"]
fn under_faults_what_preflight_says_of_azure_is_true() {
    faults::all(looked);
}

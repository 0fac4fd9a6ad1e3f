//! A cloud in which any call may fail: everything is created once, and destroy leaves nothing.

use std::sync::Arc;
use std::time::Instant;

use super::super::failing::refuse;
use super::site::Site;
use crate::faults::{self, Faults, Row};

/// As many runs as somebody starts before they ask what is wrong.
const RUNS: usize = 4;

fn created(seed: u64, percent: u64) {
    let site = Site::new("", "", |text, _| text);
    let before = site.paths();
    let faults = Faults::new(seed, percent);
    let shared = Arc::clone(&faults);
    site.azure.on_the_way(move |asked, pass| shared.send(asked, refuse, pass));
    let began = Instant::now();
    let mut ran = site.try_create(&[]);
    let row = Row {
        what: "create-native-azure",
        percent,
        seed,
        code: ran.code,
        calls: faults.calls(),
        faults: faults.count(),
        seconds: began.elapsed().as_secs_f64(),
        wrong: 0,
        touched: before.difference(&site.paths()).count(),
    };
    row.print();
    row.is_true(&[4, 5], &ran.to_string());
    // The same command goes on, and creates nothing twice.
    for _ in 1..RUNS {
        if ran.code == Some(0) {
            break;
        }
        site.azure.settle();
        ran = site.try_create(&[]);
    }
    if ran.code != Some(0) {
        site.azure.clear_the_way();
        site.azure.settle();
        ran = site.try_create(&[]).ends(0);
    }
    site.azure.clear_the_way();
    let said = ran.json();
    site.stands_as_planned(said["infraID"].as_str().unwrap());
    site.destroy();
    assert_eq!(site.paths(), before, "{row:?}");
}

#[test]
#[ignore = "needs moto"]
fn under_faults_everything_is_created_once() {
    faults::all(created);
}

//! A cloud in which any call may fail: everything is created once, and destroy leaves nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::super::failing::refuse;
use super::site::Site;
use crate::faults::{self, Faults, Row};

/// As many runs as somebody starts before they ask what is wrong.
const RUNS: usize = 4;

/// The same id in all runs: calls name it, and faults depend on what calls ask for.
const IDENTITY: &[&str] = &["--infra-id", "demo-f4k2p"];

/// Resources of each kind.
type Kinds = BTreeMap<String, usize>;

/// What is created where no call fails.
fn reference() -> Kinds {
    let site = Site::new("", "", |text, _| text);
    let before = site.paths();
    site.create(IDENTITY);
    site.kinds_since(&before)
}

/// What is missing or different after a run that claims to be complete, or exists more often than it should.
fn wrong(site: &Site, before: &BTreeSet<String>, reference: &Kinds) -> Vec<String> {
    let mut wrong = site.not_as_planned(&[]);
    let kinds = site.kinds_since(before);
    if kinds != *reference {
        wrong.push(format!("{kinds:?} exist, not {reference:?}"));
    }
    wrong
}

fn between(site: &Site, faults: &Arc<Faults>) {
    let shared = Arc::clone(faults);
    site.azure.on_the_way(move |asked, pass| shared.send(asked, refuse, pass));
}

fn created(seed: u64, percent: u64, reference: &Kinds) {
    let site = Site::new("", "", |text, _| text);
    let before = site.paths();
    let faults = Faults::new(seed, percent);
    between(&site, &faults);
    let began = Instant::now();
    let mut ran = site.try_create(IDENTITY);
    let seconds = began.elapsed().as_secs_f64();
    let (calls, count) = (faults.calls(), faults.count());
    site.azure.clear_the_way();
    let differences = if ran.code == Some(0) { wrong(&site, &before, reference) } else { Vec::new() };
    let row = Row {
        what: "create-native-azure",
        percent,
        seed,
        code: ran.code,
        calls,
        faults: count,
        seconds,
        wrong: differences.len(),
        touched: before.difference(&site.paths()).count(),
    };
    row.print();
    row.is_true(&[4, 5], &format!("{differences:?}: {ran}"));
    between(&site, &faults);
    // The same command goes on, and creates nothing twice.
    for _ in 1..RUNS {
        if ran.code == Some(0) {
            break;
        }
        site.azure.settle();
        ran = site.try_create(IDENTITY);
    }
    site.azure.clear_the_way();
    if ran.code != Some(0) {
        site.azure.settle();
        site.try_create(IDENTITY).ends(0);
    }
    let differences = wrong(&site, &before, reference);
    assert!(differences.is_empty(), "{row:?}: {differences:?}");
    site.destroy();
    assert_eq!(site.paths(), before, "{row:?}");
}

#[test]
#[ignore = "needs moto"]
fn under_faults_everything_is_created_once() {
    let once = OnceLock::new();
    faults::all(|seed, percent| created(seed, percent, once.get_or_init(reference)));
}

//! landfall is killed after each of its calls that create something, and the same command goes on.

use crate::installation::Installation;
use crate::killed::{ONCE, PLATFORM};
use crate::killer::{Killer, Taken};
use crate::listing::Listing;

/// How many clusters are created at the same time.
const WORKERS: usize = 2;
/// More runs than there are calls.
const MOST: usize = 120;

fn installation() -> (Installation, Killer) {
    let killer = Killer::of_landfall();
    let rules = vec![killer.rule()];
    let installation = Installation::prepare("4.19", "us-east-1", rules, |moto| {
        killer.upstream(moto.port);
        PLATFORM.to_owned()
    });
    killer.directory(installation.directory().to_owned());
    (installation, killer)
}

/// Every cluster is killed at each call that none was killed at before; at the end everything exists once.
#[test]
#[ignore = "needs moto"]
fn after_each_call_the_same_command_goes_on() {
    let taken = Taken::default();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| while killed_and_continued(&taken) > 0 {});
        }
    });
    let all = taken.all();
    for call in ["ec2 CreateVpc", "ec2 RunInstances", "route53 POST hostedzone", "s3 PUT object x-id"] {
        assert!(all.contains(call), "landfall was not killed after {call}: {all:?}");
    }
    assert!(all.len() > 30, "landfall was killed after {} calls only: {all:?}", all.len());
}

/// How often landfall was killed until one cluster existed.
fn killed_and_continued(taken: &Taken) -> usize {
    let (installation, killer) = installation();
    let before = Listing::of(installation.cloud());
    let mut kills = 0;
    loop {
        let shared = taken.clone();
        killer.kill_after(move |call| shared.take(call));
        let ran = installation.try_native(&[]);
        let Some(call) = killer.killed() else {
            ran.ends(0);
            break;
        };
        assert_eq!(ran.code, None, "{call}: {ran}");
        kills += 1;
        assert!(kills < MOST, "nothing comes of {kills} runs");
    }
    let new = Listing::of(installation.cloud()).since(&before);
    assert_eq!(new.counts(), std::collections::BTreeMap::from(ONCE), "after {kills} kills");
    let again = installation.create_native(&[]);
    assert_eq!(again["work"][0]["result"], "unchanged", "{again}");
    installation.destroy();
    Listing::of(installation.cloud()).is_as(&before);
    kills
}

/// What the journal has as begun alone is removed with the rest of its stage.
#[test]
#[ignore = "needs moto"]
fn the_bootstrap_machine_goes_although_its_creation_was_not_seen_to_end() {
    let left = |forget: bool| {
        let (installation, _) = installation();
        let before = Listing::of(installation.cloud());
        installation.create_native(&[]);
        let journal = installation.directory().join(".landfall/steps.jsonl");
        let steps = std::fs::read_to_string(&journal).unwrap();
        let is_seen = |line: &&str| line.contains("\"bootstrap.apply/") && line.contains("\"done\"");
        assert!(steps.lines().filter(is_seen).count() > 3, "{steps}");
        if forget {
            let rest: Vec<&str> = steps.lines().filter(|line| !is_seen(line)).collect();
            std::fs::write(&journal, rest.join("\n") + "\n").unwrap();
        }
        installation.destroy_native_bootstrap();
        let left = Listing::of(installation.cloud()).since(&before).counts();
        installation.destroy();
        Listing::of(installation.cloud()).is_as(&before);
        left
    };
    assert_eq!(left(true), left(false));
}

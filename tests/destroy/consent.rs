//! What somebody sees and says before anything is removed.

use crate::calls::changing;
use crate::front::Front;
use crate::site::Site;
use crate::world::{ID, World};

/// A cluster of all kinds of things, but few of them.
const FEW: usize = 40;

/// Whoever types something else than the infrastructure id, or stops, does not want it: nothing is touched,
/// and a program that reads along is told so.
#[test]
#[ignore = "needs moto"]
fn without_consent_nothing_goes_and_the_answer_says_so() {
    let world = World::new("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::of(&world, &front);
    let files = site.files();
    let question = format!("Type {ID} to confirm");
    for (keys, code, outcome) in [("demo\r", 1, "declined"), ("\u{3}", 130, "interrupted")] {
        let mut terminal = site.terminal(&["destroy", "cluster", "-o", "json"]);
        terminal.wait_for(&question);
        terminal.wait_for("us-east-1");
        terminal.press(keys);
        assert_eq!(terminal.exit(), code, "{}", terminal.all());
        let said = format!("\"outcome\":\"{outcome}\"");
        assert!(terminal.all().contains(&said), "{}", terminal.all());
        // Records of others below the cluster's domain are named, and nothing is wrong.
        assert!(!terminal.all().contains("\"severity\":\"error\""), "{}", terminal.all());
        assert!(!terminal.all().contains("✔"), "{}", terminal.all());
    }
    assert!(changing(&front.asked()).is_empty(), "{:?}", changing(&front.asked()));
    assert_eq!(site.files(), files);
    world.is_untouched("without consent");
}

/// A domain that is another cluster's: what is the cluster's goes, nothing of that domain does, and the plan
/// says that the domain does not fit.
#[test]
#[ignore = "needs moto"]
fn nothing_goes_by_a_domain_of_another_cluster() {
    let world = World::new("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::empty(&world.keys).behind(&front);
    let named = ["--infra-id", ID, "--region", "us-east-1", "--cluster-domain", "two.example.com"];
    let plan = site.destroy(&[&named[..], &["--plan"]].concat()).ends(0);
    let said = plan.json();
    assert!(said["findings"].to_string().contains("LF1386"), "{plan}");
    let waves = said["waves"].to_string();
    assert!(waves.contains("api.demo.example.com A ") && !waves.contains("two.example.com"), "{plan}");
    site.destroy(&named).ends(0);
    world.is_as_before("with the domain of another cluster");
}

/// The same with a zone of the user's own: what is below the wrong domain there is not the cluster's.
#[test]
#[ignore = "needs moto"]
fn a_zone_of_the_users_is_not_emptied_by_a_wrong_domain() {
    let world = World::brought("us-east-1", FEW);
    let front = Front::start(Some(world.moto.port), None, Vec::new());
    let site = Site::empty(&world.keys).behind(&front);
    let named = ["--infra-id", ID, "--region", "us-east-1", "--cluster-domain", "example.com"];
    site.destroy(&named);
    let now = world.now();
    for (key, value) in world.before.iter().filter(|(key, _)| key.starts_with("record ")) {
        assert_eq!(now.get(key), Some(value), "{key} is gone");
    }
}

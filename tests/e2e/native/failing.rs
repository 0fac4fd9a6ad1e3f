//! A cloud in which any call may fail: the native engine creates everything once, and destroy leaves nothing.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::difference::{Described, IDENTITY, described, differences};
use crate::faults::{self, Faults, Row, refuse_as_aws};
use crate::front::{Asked, Reply, Rule, Sent};
use crate::installation::Installation;
use crate::killed::PLATFORM;
use crate::listing::Listing;
use crate::moto::Moto;
use crate::program::Ran;

const REGION: &str = "us-east-1";
/// What is said where something was restored after Terraform.
const RESTORED: &str = "restored these resources";
/// As many runs as somebody starts before they ask what is wrong.
const RUNS: usize = 4;

/// An account with a cluster whose id begins with ours, and a network of nobody.
fn neighbours(moto: &Moto) {
    let theirs = moto.vpc(REGION, "10.0.0.0/16");
    moto.subnet(&theirs, "us-east-1a", "10.0.0.0/20", Some(&format!("{}2", IDENTITY[1])));
    moto.vpc(REGION, "10.0.0.0/16");
    let name = format!("{}2-master-role", IDENTITY[1]);
    let role = [
        ("Action", "CreateRole"),
        ("Version", "2010-05-08"),
        ("RoleName", name.as_str()),
        ("AssumeRolePolicyDocument", "{\"Version\":\"2012-10-17\",\"Statement\":[]}"),
    ];
    moto.ask("iam", REGION, &role);
    moto.zone(REGION, "demo.example.org");
}

fn installation(faults: &Arc<Faults>) -> Installation {
    let installation = Installation::prepare("4.19", REGION, Vec::new(), |moto| {
        neighbours(moto);
        PLATFORM.to_owned()
    });
    let shared = Arc::clone(faults);
    installation.front().on_the_way(move |asked, pass| shared.send(asked, refuse_as_aws, pass));
    installation
}

/// What is created where no call fails.
fn reference(create: impl Fn(&Installation) -> Ran) -> Described {
    let installation = installation(&Faults::new(0, 0));
    let before = Listing::of(installation.cloud());
    let ran = create(&installation).ends(0);
    assert!(!ran.err.contains(RESTORED), "{ran}");
    described(&Listing::of(installation.cloud()).since(&before))
}

/// What a run left otherwise than one in a cloud without faults.
fn wrong(installation: &Installation, before: &Listing, reference: &Described) -> Vec<String> {
    let new = Listing::of(installation.cloud()).since(before);
    // A doubled resource has the label of the first one.
    match std::panic::catch_unwind(|| described(&new)) {
        Ok(there) => differences(["a run without faults", "this run"], reference, &there),
        Err(_) => vec![format!("something exists twice: {:?}", new.counts())],
    }
}

fn touched(installation: &Installation, before: &Listing) -> usize {
    let now = Listing::of(installation.cloud());
    let changed = now.changed(before);
    // The public zone has a record of the cluster.
    before.since(&now).each().count() + changed.iter().filter(|(kind, _)| *kind != "zone").count()
}

/// Creates a cluster with so many faults, as often as it takes, and destroys it.
fn created(what: &'static str, seed: u64, percent: u64, of: &Described, create: fn(&Installation) -> Ran) {
    let faults = Faults::new(seed, percent);
    let installation = installation(&faults);
    let before = Listing::of(installation.cloud());
    let began = Instant::now();
    let mut ran = create(&installation);
    let seconds = began.elapsed().as_secs_f64();
    let counts = (faults.calls(), faults.count());
    let differences = if ran.code == Some(0) { wrong(&installation, &before, of) } else { Vec::new() };
    let row = Row {
        what,
        percent,
        seed,
        code: ran.code,
        calls: counts.0,
        faults: counts.1,
        seconds,
        wrong: differences.len(),
        touched: touched(&installation, &before),
    };
    row.print();
    if ran.code != Some(0) {
        row.tell(&format!("{}\n{}", ran.err, ran.out));
    }
    row.is_true(&[4, 5], &format!("{differences:?}: {ran}"));
    if ran.code == Some(4) {
        let new = Listing::of(installation.cloud()).since(&before);
        assert!(new.counts().is_empty(), "code 4, and there is {:?}: {ran}", new.counts());
    }
    // The same command goes on, and creates nothing twice.
    for _ in 1..RUNS {
        ran = create(&installation);
        if ran.code == Some(0) {
            break;
        }
    }
    if ran.code != Some(0) {
        faults.end();
        ran = create(&installation).ends(0);
    }
    let differences = wrong(&installation, &before, of);
    assert!(differences.is_empty(), "{row:?}: {differences:?}: {ran}");

    let mut ran = installation.try_destroy();
    if ran.code != Some(0) {
        assert_eq!(ran.code, Some(5), "{row:?}: {ran}");
        faults.end();
        ran = installation.try_destroy().ends(0);
    }
    assert_eq!(ran.json()["outcome"], "gone", "{ran}");
    Listing::of(installation.cloud()).is_as(&before);
}

fn native(installation: &Installation) -> Ran {
    installation.try_native(IDENTITY)
}

fn with_terraform(installation: &Installation) -> Ran {
    installation.try_create(&[IDENTITY, &["--recover"]].concat())
}

#[test]
#[ignore = "needs moto"]
fn under_faults_everything_is_created_once() {
    let once = OnceLock::new();
    faults::all(|seed, percent| {
        let reference = once.get_or_init(|| reference(native));
        created("create-native", seed, percent, reference, native);
    });
}

/// The answer to the call that creates a bucket has no body.
#[test]
#[ignore = "needs moto"]
fn a_page_in_place_of_an_answer_creates_no_bucket() {
    const CALL: &str = "PUT /demo-x7k2p-bootstrap/";
    let page = |_: &Asked| Reply::new(200, "text/html", "<html>Please sign in</html>");
    let rules = vec![Rule::first(1, "s3", CALL, page)];
    let installation = Installation::prepare("4.19", REGION, rules, |_| PLATFORM.to_owned());
    installation.create_native(IDENTITY);
    assert_eq!(installation.front().unused(), Vec::<String>::new());
    assert!(installation.front().count("s3", CALL) > 1);
    installation.destroy();
}

/// The provider takes an empty answer for a success.
#[test]
#[ignore = "needs terraform and moto"]
fn an_empty_answer_leaves_no_target_unregistered() {
    const CALL: &str = "RegisterTargets";
    let reference = reference(with_terraform);
    let rules = vec![Rule::first(1, "elasticloadbalancing", CALL, |_| Reply::xml(""))];
    let installation = Installation::prepare("4.19", REGION, rules, |_| PLATFORM.to_owned());
    let before = Listing::of(installation.cloud());
    let ran = with_terraform(&installation).ends(0);
    assert_eq!(installation.front().unused(), Vec::<String>::new());
    assert_eq!(ran.err.matches(RESTORED).count(), 1, "{ran}");
    assert_eq!(ran.err.matches("reading existing resources").count(), 1, "{ran}");
    let differences = wrong(&installation, &before, &reference);
    assert!(differences.is_empty(), "{differences:?}: {ran}");
    installation.destroy();
}

/// Terraform would replace what it did not see created, and the provider can only remove an association that it saw.
#[test]
#[ignore = "needs terraform and moto"]
fn an_association_whose_creation_was_not_seen_is_kept() {
    const CREATION: &str = "ReplaceRouteTableAssociation";
    const LOOK: &str = "association.route-table-association-id";
    let reference = reference(with_terraform);
    let installation = Installation::prepare("4.19", REGION, Vec::new(), |_| PLATFORM.to_owned());
    let (created, cut) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let is_cut = Arc::clone(&cut);
    installation.front().on_the_way(move |asked, pass| {
        let answer = pass();
        let is_look = asked.action() == "DescribeRouteTables" && asked.body.contains(LOOK);
        if asked.action() == CREATION {
            created.store(true, Ordering::SeqCst);
        } else if is_look && created.load(Ordering::SeqCst) && !cut.swap(true, Ordering::SeqCst) {
            return Sent::Whole(Reply::xml("<DescribeRouteTablesResponse>").bytes());
        }
        Sent::Whole(answer)
    });
    let before = Listing::of(installation.cloud());
    let ran = with_terraform(&installation).ends(0);
    assert!(is_cut.load(Ordering::SeqCst), "{ran}");
    assert_eq!(installation.front().count("ec2", CREATION), 1, "{ran}");
    let differences = wrong(&installation, &before, &reference);
    assert!(differences.is_empty(), "{differences:?}: {ran}");
    installation.destroy();
}

/// One run of those below, for every day.
#[test]
#[ignore = "needs terraform and moto"]
fn with_few_faults_terraform_creates_everything_once() {
    created("create-terraform", 1, 2, &reference(with_terraform), with_terraform);
}

/// Takes minutes for each run.
#[test]
#[ignore = "needs terraform and moto"]
fn under_faults_terraform_creates_everything_once() {
    let once = OnceLock::new();
    faults::all(|seed, percent| {
        let reference = once.get_or_init(|| reference(with_terraform));
        created("create-terraform", seed, percent, reference, with_terraform);
    });
}

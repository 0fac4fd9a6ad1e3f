//! How long a cluster takes with an operator that takes its time, how much is asked for it, and what is said
//! where no operator answers.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use include_dir::{Dir, include_dir};
use landfall_diagnostics::Finding;
use landfall_model::azure::catalogue::Catalogue;
use landfall_model::catalogue::value::Part as _;
use tokio::time::Instant;

use super::*;

use crate::detect::{Cluster, DEPLOYMENT, Deployment, Wanted, detect};
use crate::kinds::WasManaged;

static PUBLIC: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../testdata/aso/public");

/// How long the operator takes for an object.
const ROUND: Duration = Duration::from_secs(1);

/// The objects of a public cluster with its bootstrap machine, each with those that it names.
fn public() -> Translation {
    let texts = PUBLIC.files().filter_map(|file| file.contents_utf8());
    let objects: Vec<Value> = texts.filter_map(|text| serde_yaml::from_str(text).ok()).collect();
    let text = |object: &Value, pointer: &str| world::text(object, pointer).to_owned();
    let known = objects.iter().filter_map(|object| Some((kinds::named(&text(object, "/kind"))?, object)));
    let known: Vec<(&'static Kind, &Value)> = known.collect();
    let mut world = ObservedState::new(Timestamp::UNIX_EPOCH);
    for (kind, object) in &known {
        world.insert(kind.kind, (*object).clone());
    }
    let wanted = |&(kind, object): &(&'static Kind, &Value)| {
        let id = Need { kind: kind.kind, name: text(object, "/metadata/name") };
        let named = |other: &&Need| world.dependents(other).contains(&id);
        let needs = world.iter().map(|(other, _)| other).filter(named);
        Desired {
            kind,
            api_version: text(object, "/apiVersion"),
            spec: object["spec"].as_object().cloned().unwrap_or_default(),
            hints: Hints::of(kind),
            needs: needs.cloned().collect(),
            name: id.name,
        }
    };
    Translation { objects: known.iter().map(wanted).collect(), ..Translation::default() }
}

/// Makes a cluster with an operator that takes its time, and says how long that took.
async fn timed(api: &Played, translation: Translation) -> (Option<End>, Duration) {
    api.slow(ROUND);
    let mut kinds: Vec<&'static Kind> = translation.objects.iter().map(|desired| desired.kind).collect();
    kinds.sort_by_key(|kind| kind.kind);
    kinds.dedup();
    let (ground, stop) = (ground(), Stop::default());
    let job =
        Job::Make { translation, anchor: &anchor(), secret: &secret, stage: Stage::Bootstrap, boot: None };
    let mut feed = api.feed(&kinds);
    let began = Instant::now();
    let place = place(api, &kinds, &ground, &stop);
    let worked = tokio::select! {
        worked = at_work(&place, &mut feed, job) => worked,
        () = api.operator() => Worked::NotThere,
    };
    match worked {
        Worked::Ended(end, _) => (Some(end), began.elapsed()),
        _ => (None, began.elapsed()),
    }
}

fn tiers(translation: &Translation) -> BTreeSet<u8> {
    translation.objects.iter().map(|desired| desired.kind.tier).collect()
}

/// The longest that a plan may take: the probe, one round for each tier, and one to spare, with something for
/// the steps of the played clock.
fn longest(tiers: &BTreeSet<u8>) -> Duration {
    let rounds = u32::try_from(tiers.len()).unwrap_or(u32::MAX).saturating_add(2);
    ROUND.saturating_mul(rounds) + ROUND / 2
}

#[tokio::test(start_paused = true)]
async fn a_public_cluster_takes_a_round_of_the_operator_for_each_tier() {
    let (api, plan) = (Played::default(), public());
    let (count, tiers) = (plan.objects.len(), tiers(&plan));
    let by_azure = plan.objects.iter().filter(|one| one.hints.was_managed == WasManaged::Never).count();
    assert!(count > 20 && tiers.len() == 8 && by_azure == 1, "{count} objects in {tiers:?}, {by_azure}");
    let kinds: BTreeSet<&str> = plan.objects.iter().map(|desired| desired.kind.kind).collect();
    let (end, took) = timed(&api, plan).await;
    assert_eq!((end, api.in_azure().len()), (Some(End::Done), count));
    assert!(took <= longest(&tiers) && took < Duration::from_secs(15), "{took:?}");
    // One listing for each kind, and no object is read by itself.
    assert_eq!(api.reads_and_listings(), (0, kinds.len()));
    // Each is probed and adopted, and written no more; what Azure makes itself is only looked at.
    assert_eq!(api.writes_of_objects(), 2 * count - by_azure);
}

#[tokio::test(start_paused = true)]
async fn a_value_that_comes_late_costs_one_round_more() {
    let (api, plan) = (Played::default(), plan());
    let tiers = tiers(&plan);
    let (end, took) = timed(&api, plan).await;
    assert_eq!((end, api.in_azure().len()), (Some(End::Done), 5));
    assert!(took <= longest(&tiers), "{took:?} for {tiers:?}");
}

/// Somebody who hears what is told, and looks at an operator without a replica.
#[derive(Default)]
struct Listening {
    lines: Mutex<Vec<String>>,
    looks: AtomicUsize,
}

impl Watcher for Listening {
    fn changed(&self, _: usize, _: usize) {}

    fn told(&self, line: &str) {
        if let Ok(mut lines) = self.lines.lock() {
            lines.push(line.to_owned());
        }
    }

    fn checks(&self) -> BoxFuture<'_, Vec<Finding>> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        let operator = Deployment {
            namespace: "capz-system".to_owned(),
            name: DEPLOYMENT.to_owned(),
            image: "operator:v2.19.0".to_owned(),
            ..Deployment::default()
        };
        let cluster = Cluster { deployments: vec![operator], ..Cluster::default() };
        let wanted = Wanted { cloud: "", namespace: ID, kinds: &[] };
        ready(detect(&cluster, &wanted, &Catalogue::shipped()).findings).boxed()
    }
}

#[tokio::test(start_paused = true)]
async fn where_no_operator_answers_it_is_looked_at_again() {
    let (api, listening) = (Played::default(), Listening::default());
    api.slow(ROUND);
    let (kinds, ground, stop) = (used(), ground(), Stop::default());
    let limits = Limits {
        whole: Duration::from_mins(10),
        // The objects were made three minutes ago.
        clock: || Timestamp::from_second(180).unwrap_or_default(),
    };
    let place = Place { limits, watcher: &listening, ..place(&api, &kinds, &ground, &stop) };
    let anchor = anchor();
    let job = making(plan(), &anchor);
    let late = match at_work(&place, &mut api.feed(&kinds), job).await {
        Worked::Ended(End::TimedOut, last) => pages::late(&last).message,
        _ => String::new(),
    };
    let found = "no operator has looked at this object: Azure Service Operator has no available replica: \
                 Deployment capz-system/azureserviceoperator-controller-manager";
    assert!(late.contains(found), "{late}");
    let line = format!("VirtualNetwork/net: transient-error {found}");
    let told = listening.lines.lock().map(|lines| lines.iter().filter(|told| **told == line).count());
    assert_eq!(told.ok(), Some(1));
    // Not with every look at the objects.
    let looks = listening.looks.load(Ordering::Relaxed);
    assert!((4..=6).contains(&looks), "{looks}");
}

//! A cloud of two kinds of resources, and what comes of a graph in it.

use std::collections::BTreeMap;
use std::sync::Mutex;

use landfall_diagnostics::Finding;
use landfall_platform::cloud::Waiting;
use landfall_platform::native::{
    Api, Existing, Failure, Graph, Node, Properties, State, Traits, Wanted, output,
};
use serde_json::{Value, json};

use super::*;
use crate::pages;

/// A cloud and the journal of its resources.
#[derive(Default)]
struct Played {
    /// What exists, with its inputs.
    there: Mutex<BTreeMap<String, Properties>>,
    /// Failures of the next creating calls, by name.
    failures: Mutex<BTreeMap<String, Vec<Failure>>>,
    states: Mutex<BTreeMap<String, State>>,
    /// Whether tags say that a resource is the cluster's.
    owners: Mutex<BTreeMap<String, bool>>,
    created: Mutex<Vec<String>>,
    /// Resources that cannot be looked at.
    unseen: Mutex<Vec<&'static str>>,
    /// So many looks find nothing.
    hidden: Mutex<usize>,
    /// Properties that can be changed in place.
    mutable: Mutex<Vec<&'static str>>,
    past: Mutex<BTreeMap<String, Past>>,
    /// The last wait for each resource that the watcher was told of.
    waits: Mutex<BTreeMap<String, Wait>>,
}

fn finding() -> Box<Finding> {
    Box::new(pages::broken("a", "no", false))
}

fn with_id(name: &str) -> Properties {
    Properties::from_iter([("id".to_owned(), json!(format!("id-of-{name}")))])
}

impl Api for Played {
    fn find<'s>(&'s self, wanted: &'s Wanted, _: bool) -> Waiting<'s, Result<Option<Existing>, Failure>> {
        Box::pin(async move {
            let is_hidden = self.hidden.lock().is_ok_and(|mut hidden| {
                let is_hidden = *hidden > 0;
                *hidden = hidden.saturating_sub(1);
                is_hidden
            });
            if is_hidden {
                return Ok(None);
            }
            if self.unseen.lock().is_ok_and(|unseen| unseen.contains(&wanted.name.as_str())) {
                return Err(Failure::Refused(finding()));
            }
            let there = self.there.lock().ok().and_then(|there| there.get(&wanted.name).cloned());
            let state = self.states.lock().ok().and_then(|states| states.get(&wanted.name).cloned());
            Ok(there.map(|inputs| {
                let changed = wanted.inputs.iter().filter(|(key, value)| inputs.get(*key) != Some(value));
                let changed = changed.map(|(key, value)| {
                    (key.clone(), inputs.get(key).cloned().unwrap_or_default(), value.clone())
                });
                Existing {
                    outputs: with_id(&wanted.name),
                    differences: changed.collect(),
                    state: state.unwrap_or(State::Ready),
                    is_own: self.owners.lock().ok().and_then(|owners| owners.get(&wanted.name).copied()),
                }
            }))
        })
    }

    fn create<'s>(&'s self, wanted: &'s Wanted) -> Waiting<'s, Result<Properties, Failure>> {
        Box::pin(async move {
            let failure = self.failures.lock().ok().and_then(|mut all| all.get_mut(&wanted.name)?.pop());
            // An answer that did not come may be that of a call with effect.
            if !matches!(failure, Some(Failure::Refused(_) | Failure::NotYet(_) | Failure::Throttled(_))) {
                let there = self.there.lock().ok();
                there.and_then(|mut there| there.insert(wanted.name.clone(), wanted.inputs.clone()));
                self.created.lock().into_iter().for_each(|mut all| all.push(wanted.name.clone()));
            }
            failure.map_or_else(|| Ok(with_id(&wanted.name)), Err)
        })
    }

    fn complete<'s>(&'s self, _: &'s Wanted, _: &'s Properties) -> Waiting<'s, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }

    fn repair<'s>(&'s self, wanted: &'s Wanted, _: &'s Existing) -> Waiting<'s, Result<bool, Failure>> {
        Box::pin(async move {
            let failure = self.failures.lock().ok().and_then(|mut all| all.get_mut(&wanted.name)?.pop());
            if let Some(failure) = failure {
                return Err(failure);
            }
            let (Ok(mutable), Ok(mut there)) = (self.mutable.lock(), self.there.lock()) else {
                return Ok(false);
            };
            let Some(inputs) = there.get_mut(&wanted.name) else { return Ok(false) };
            for key in mutable.iter() {
                inputs.insert((*key).to_owned(), wanted.inputs.get(*key).cloned().unwrap_or_default());
            }
            Ok(!mutable.is_empty())
        })
    }

    fn traits(&self, kind: &str) -> Traits {
        Traits { waits: kind == "slow", is_handed_over: kind == "machine", ..Traits::default() }
    }

    fn release<'s>(&'s self, _: &'s str, _: &'s Properties) -> Waiting<'s, Result<(), Failure>> {
        Box::pin(async { Ok(()) })
    }
}

impl Journal for Played {
    fn past(&self, name: &str) -> Past {
        self.past.lock().ok().and_then(|past| past.get(name).cloned()).unwrap_or_default()
    }

    fn begins(&self, name: &str, _: &Properties) -> Result<(), NoteFault> {
        self.past
            .lock()
            .into_iter()
            .for_each(|mut past| past.entry(name.to_owned()).or_default().begun = true);
        Ok(())
    }

    fn refused(&self, name: &str) -> Result<(), NoteFault> {
        self.past
            .lock()
            .into_iter()
            .for_each(|mut past| past.entry(name.to_owned()).or_default().begun = false);
        Ok(())
    }

    fn exists(&self, name: &str, outputs: &Properties) -> Result<(), NoteFault> {
        if let Ok(mut past) = self.past.lock() {
            let one = past.entry(name.to_owned()).or_default();
            (one.begun, one.created, one.outputs) = (false, one.created + 1, Some(outputs.clone()));
        }
        Ok(())
    }

    fn completed(&self, _: &str) -> Result<(), NoteFault> {
        Ok(())
    }
}

impl Watcher for Played {
    fn progress(&self, _: usize, _: usize, running: &[Underway<'_>]) {
        let waits = running.iter().filter_map(|one| Some((one.name.to_owned(), one.wait.clone()?)));
        self.waits.lock().into_iter().for_each(|mut all| all.extend(waits.clone()));
    }
}

fn node(name: &str, properties: &Value) -> Node {
    let properties = properties.as_object().cloned().unwrap_or_default();
    Node { name: name.to_owned(), kind: "thing", stage: "cluster", properties, after: Vec::new() }
}

fn graph() -> Graph {
    let subnet = node("subnet", &json!({ "vpc": output("vpc", "id") }));
    Graph { resources: vec![subnet, node("vpc", &json!({ "cidr": "10.0.0.0/16" }))], ..Graph::default() }
}

/// A run of stage cluster, which leaves nothing to a later one.
fn described<'r>(played: &'r Played, graph: &'r Graph, stop: &'r Stop, pace: &'r Pace) -> Run<'r> {
    Run {
        api: played,
        graph,
        stage: "cluster",
        cluster_id: "c",
        journal: played,
        watcher: played,
        stop,
        pace,
        leaves: false,
        installed: false,
    }
}

async fn ran(played: &Played, stop: &Stop) -> Option<Report> {
    let (graph, pace) = (graph(), Pace::default());
    run(&described(played, &graph, stop, &pace), Vec::new(), &mut BTreeMap::new()).await.ok()
}

fn codes(report: Option<&Report>) -> Vec<&'static str> {
    let all = report.into_iter().flat_map(|report| report.findings.iter().chain(&report.differences));
    all.map(|finding| finding.code.as_str()).collect()
}

fn created(played: &Played) -> Vec<String> {
    played.created.lock().map(|all| all.clone()).unwrap_or_default()
}

fn failing(name: &str, failures: Vec<Failure>) -> Played {
    Played { failures: Mutex::new(BTreeMap::from([(name.to_owned(), failures)])), ..Played::default() }
}

#[tokio::test(start_paused = true)]
async fn what_is_needed_is_created_first_and_nothing_twice() {
    let played = Played::default();
    let report = ran(&played, &Stop::default()).await;
    assert_eq!(created(&played), ["vpc", "subnet"]);
    assert!(report.is_some_and(|report| report.is_complete() && report.created == 2));
    let again = ran(&played, &Stop::default()).await;
    assert_eq!(again.map(|report| (report.created, report.existing)), Some((0, 2)));
}

#[tokio::test(start_paused = true)]
async fn what_passes_is_waited_for_and_an_unanswered_call_is_not_repeated() {
    let played = failing("subnet", vec![Failure::NotYet(finding()), Failure::Throttled(finding())]);
    assert!(ran(&played, &Stop::default()).await.is_some_and(|report| report.is_complete()));
    let played = failing("vpc", vec![Failure::Unknown(finding())]);
    assert!(ran(&played, &Stop::default()).await.is_some_and(|report| report.is_complete()));
    assert_eq!(created(&played), ["vpc", "subnet"]);
}

/// A cloud that shows a resource only after so many looks.
#[tokio::test(start_paused = true)]
async fn what_an_unanswered_call_created_is_found_although_it_shows_late() {
    let played = failing("vpc", vec![Failure::Unknown(finding())]);
    played.hidden.lock().into_iter().for_each(|mut hidden| *hidden = 3);
    assert!(ran(&played, &Stop::default()).await.is_some_and(|report| report.is_complete()));
    assert_eq!(created(&played), ["vpc", "subnet"]);
}

/// The first call has no answer, and the second one is refused because of what the first one created.
#[tokio::test(start_paused = true)]
async fn a_refusal_after_an_unanswered_call_is_no_failure_where_the_resource_exists() {
    let played = failing("vpc", vec![Failure::Refused(finding()), Failure::Unknown(finding())]);
    // The look before the first call and all looks after it.
    played.hidden.lock().into_iter().for_each(|mut hidden| *hidden = 4);
    assert!(ran(&played, &Stop::default()).await.is_some_and(|report| report.is_complete()));
    assert_eq!(created(&played), ["vpc", "subnet"]);
}

#[tokio::test(start_paused = true)]
async fn a_refusal_ends_the_run_and_names_the_resource() {
    let played = failing("vpc", vec![Failure::Refused(finding())]);
    let report = ran(&played, &Stop::default()).await;
    assert_eq!(codes(report.as_ref()), ["LF1423"]);
    let message = report.and_then(|report| report.findings.first().map(|one| one.message.clone()));
    assert!(message.is_some_and(|message| message.starts_with("vpc: ")));
    assert!(created(&played).is_empty());
    // What has the name now, without tags, may be why: it is not taken for what the call created.
    let theirs = Properties::from_iter([("cidr".to_owned(), json!("10.9.0.0/16"))]);
    played
        .there
        .lock()
        .into_iter()
        .for_each(|mut there| drop(there.insert("vpc".to_owned(), theirs.clone())));
    for _ in 0..2 {
        assert_eq!(codes(ran(&played, &Stop::default()).await.as_ref()), ["LF1425"]);
    }
}

#[tokio::test(start_paused = true)]
async fn differences_are_named_and_what_is_not_ours_is_left_alone() {
    let played = Played::default();
    let _ = ran(&played, &Stop::default()).await;
    if let Ok(mut there) = played.there.lock() {
        there.insert("vpc".to_owned(), Properties::from_iter([("cidr".to_owned(), json!("10.9.0.0/16"))]));
    }
    assert_eq!(codes(ran(&played, &Stop::default()).await.as_ref()), ["LF1424"]);
    // Without the journal it may be anybody's.
    if let Ok(mut past) = played.past.lock() {
        past.clear();
    }
    assert_eq!(codes(ran(&played, &Stop::default()).await.as_ref()), ["LF1425"]);
    assert_eq!(created(&played).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_has_the_tags_of_others_is_left_alone_although_it_is_as_planned() {
    let played = Played::default();
    let _ = ran(&played, &Stop::default()).await;
    let own = |is_own: bool| {
        played.owners.lock().into_iter().for_each(|mut owners| {
            owners.insert("vpc".to_owned(), is_own);
        });
    };
    let forget = |begun: bool| {
        let past = Past { begun, ..Past::default() };
        played.past.lock().into_iter().for_each(|mut all| drop(all.insert("vpc".to_owned(), past.clone())));
    };
    // Somebody took the tags of a resource that was noted.
    own(false);
    assert!(codes(ran(&played, &Stop::default()).await.as_ref()).is_empty());
    // The call that began may have been refused because of it.
    for begun in [false, true] {
        forget(begun);
        assert_eq!(codes(ran(&played, &Stop::default()).await.as_ref()), ["LF1425"], "{begun}");
    }
    own(true);
    assert!(codes(ran(&played, &Stop::default()).await.as_ref()).is_empty());
    assert_eq!(created(&played).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_can_be_changed_in_place_is_set_back_and_the_rest_is_named() {
    let played = Played::default();
    let _ = ran(&played, &Stop::default()).await;
    let change = || {
        let other = Properties::from_iter([("cidr".to_owned(), json!("10.9.0.0/16"))]);
        played.there.lock().into_iter().for_each(|mut there| {
            there.insert("vpc".to_owned(), other.clone());
        });
    };
    change();
    assert_eq!(codes(ran(&played, &Stop::default()).await.as_ref()), ["LF1424"]);
    played.mutable.lock().into_iter().for_each(|mut mutable| mutable.push("cidr"));
    let report = ran(&played, &Stop::default()).await;
    assert_eq!(codes(report.as_ref()), ["LF1433"]);
    assert_eq!(report.as_ref().map(|report| (report.repaired, report.created)), Some((1, 0)));
    assert!(report.is_some_and(|report| report.is_complete()));
    assert!(codes(ran(&played, &Stop::default()).await.as_ref()).is_empty());
    // A cloud that refuses the change is no reason to stop.
    change();
    let refusal = BTreeMap::from([("vpc".to_owned(), vec![Failure::Refused(finding())])]);
    played.failures.lock().into_iter().for_each(|mut failures| *failures = refusal.clone());
    let report = ran(&played, &Stop::default()).await;
    assert_eq!(codes(report.as_ref()), ["LF1424"]);
    assert!(report.is_some_and(|report| report.is_complete()));
    assert_eq!(created(&played).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn what_earlier_runs_created_is_looked_at_without_creating_anything() {
    let played = Played::default();
    let looked = async |played: &Played| {
        let (graph, pace) = (graph(), Pace::default());
        let past = |name: &str| played.past(name);
        let stage = "cluster";
        let described =
            Look { api: played, graph: &graph, stage, past: &past, pace: &pace, installed: false };
        look(&described, &mut BTreeMap::new()).await
    };
    // Nothing was created yet.
    assert_eq!(looked(&played).await, Looked::default());
    let _ = ran(&played, &Stop::default()).await;
    assert_eq!(looked(&played).await, Looked::default());
    if let Ok(mut there) = played.there.lock() {
        there.insert("vpc".to_owned(), Properties::from_iter([("cidr".to_owned(), json!("10.9.0.0/16"))]));
        there.remove("subnet");
    }
    let (missing, changed) = (vec!["subnet".to_owned()], vec!["vpc".to_owned()]);
    let expected = Looked { missing, changed, ..Looked::default() };
    assert_eq!(looked(&played).await, expected);
    // What cannot be looked at is gone if what it is part of is, and exists otherwise.
    played.unseen.lock().into_iter().for_each(|mut unseen| unseen.push("subnet"));
    let (missing, changed) = (Vec::new(), vec!["vpc".to_owned()]);
    assert_eq!(looked(&played).await, Looked { missing, changed, ..Looked::default() });
    played.there.lock().into_iter().for_each(|mut there| {
        there.remove("vpc");
    });
    assert_eq!(looked(&played).await.missing, ["subnet", "vpc"]);
    assert_eq!(created(&played).len(), 2);
}

/// Once the cluster is installed, what it manages itself is not created again and not set back; everything else is.
#[tokio::test(start_paused = true)]
async fn what_an_installed_cluster_replaces_is_left_to_it() {
    let played = Played::default();
    let machine = |name: &str| Node { kind: "machine", ..node(name, &json!({ "type": "large" })) };
    let targets = json!({ "addresses": [output("machine-0", "id")] });
    let targets = Node { kind: "machine", ..node("targets", &targets) };
    let mut graph = graph();
    graph.resources.extend([machine("machine-0"), machine("machine-1"), targets]);
    let (stop, pace) = (Stop::default(), Pace::default());
    let installing = described(&played, &graph, &stop, &pace);
    let first = run(&installing, Vec::new(), &mut BTreeMap::new()).await.unwrap_or_default();
    assert_eq!((first.created, first.is_complete()), (5, true));
    if let Ok(mut there) = played.there.lock() {
        there.remove("machine-0");
        there.remove("subnet");
        there.remove("targets");
        there.insert("machine-1".to_owned(), Properties::from_iter([("type".to_owned(), json!("small"))]));
    }
    let past = |name: &str| played.past(name);
    let seen =
        Look { api: &played, graph: &graph, stage: "cluster", past: &past, pace: &pace, installed: true };
    let expected = Looked {
        missing: vec!["subnet".to_owned()],
        handed_over: vec!["machine-0".to_owned(), "targets".to_owned()],
        ..Looked::default()
    };
    assert_eq!(look(&seen, &mut BTreeMap::new()).await, expected);
    let installed = Run { installed: true, ..installing };
    let again = run(&installed, Vec::new(), &mut BTreeMap::new()).await.unwrap_or_default();
    assert_eq!((again.created, again.existing, again.is_complete()), (1, 4, true), "{again:?}");
    assert!(codes(Some(&again)).is_empty());
    assert_eq!(created(&played).last().map(String::as_str), Some("subnet"));
    // While it is being installed, all of it is landfall's.
    let again = run(&installing, Vec::new(), &mut BTreeMap::new()).await.unwrap_or_default();
    assert_eq!((again.created, codes(Some(&again))), (2, vec!["LF1424"]));
}

#[tokio::test(start_paused = true)]
async fn a_resource_that_is_never_ready_ends_the_run() {
    let played = Played::default();
    let _ = ran(&played, &Stop::default()).await;
    if let Ok(mut states) = played.states.lock() {
        states.insert("vpc".to_owned(), State::Pending("pending".to_owned()));
    }
    assert_eq!(codes(ran(&played, &Stop::default()).await.as_ref()), ["LF1423"]);
}

/// A stage ends although something is not ready that nothing needs, and the last stage waits for it.
#[tokio::test(start_paused = true)]
async fn what_nothing_waits_for_is_left_to_a_later_stage() {
    let played = Played::default();
    let balancer = Node { kind: "slow", ..node("balancer", &json!({})) };
    let machine =
        Node { stage: "machines", ..node("machine", &json!({ "balancer": output("balancer", "id") })) };
    let pending = State::Pending("provisioning".to_owned());
    played.states.lock().into_iter().for_each(|mut states| {
        states.insert("balancer".to_owned(), pending.clone());
    });
    let (mut outputs, pace, stop) = (BTreeMap::new(), Pace::default(), Stop::default());
    let graph = Graph { resources: vec![balancer, machine], ..Graph::default() };
    let described = Run { leaves: true, ..described(&played, &graph, &stop, &pace) };
    let first = run(&described, Vec::new(), &mut outputs).await.unwrap_or_default();
    assert!(first.is_complete() && first.created == 1);
    assert_eq!(first.pending.len(), 1);
    // It fails while the next stage is worked on.
    played.states.lock().into_iter().for_each(|mut states| {
        states.insert("balancer".to_owned(), State::Broken("no capacity".to_owned()));
    });
    let next = Run { stage: "machines", leaves: false, ..described };
    let second = run(&next, first.pending.clone(), &mut outputs).await;
    assert_eq!(codes(second.ok().as_ref()), ["LF1423"]);
    played.states.lock().into_iter().for_each(|mut states| states.clear());
    let again = run(&next, first.pending, &mut outputs).await.unwrap_or_default();
    assert!(again.is_complete() && again.pending.is_empty(), "{again:?}");
    assert_eq!(created(&played), ["balancer", "machine"]);
    // An output of the stage that only a ready resource tells is waited for.
    let graph = Graph { outputs: BTreeMap::from([("cluster", output("balancer", "id"))]), ..graph.clone() };
    played.states.lock().into_iter().for_each(|mut states| {
        states.insert("balancer".to_owned(), pending.clone());
    });
    let first = run(&Run { graph: &graph, ..described }, Vec::new(), &mut outputs).await;
    assert_eq!(codes(first.ok().as_ref()), ["LF1423"]);
}

#[tokio::test(start_paused = true)]
async fn a_wait_has_its_reason_and_its_limit() {
    let failures = vec![Failure::NotYet(finding()), Failure::NotYet(finding()), Failure::NotYet(finding())];
    let played = failing("vpc", failures);
    assert!(ran(&played, &Stop::default()).await.is_some_and(|report| report.is_complete()));
    let wait = |name: &str| played.waits.lock().ok().and_then(|all| all.get(name).cloned());
    let expected = Wait { reason: finding().message, limit: Pace::default().visible };
    assert_eq!((wait("vpc"), wait("subnet")), (Some(expected), None));
    // One that is not ready is waited for longer.
    let state = State::Pending("provisioning".to_owned());
    played
        .states
        .lock()
        .into_iter()
        .for_each(|mut states| drop(states.insert("vpc".to_owned(), state.clone())));
    let _ = ran(&played, &Stop::default()).await;
    let expected = Wait { reason: "provisioning".to_owned(), limit: Pace::default().ready };
    assert_eq!(wait("vpc"), Some(expected));
}

#[tokio::test(start_paused = true)]
async fn nothing_is_begun_once_the_user_stops_it() {
    let (played, stop) = (Played::default(), Stop::default());
    stop.ask();
    let report = ran(&played, &stop).await;
    assert!(report.is_some_and(|report| report.interrupted && report.total == 2));
    assert!(created(&played).is_empty());
    assert_eq!(interrupted("cluster", 0, 2).code.as_str(), "LF1426");
}

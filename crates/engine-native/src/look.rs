//! What earlier runs created, looked at before anything is created.

use std::collections::{BTreeMap, BTreeSet};

use futures::stream::{StreamExt, iter};
use landfall_platform::native::{Api, Graph, Node, Properties, Wanted, resolve};
use serde_json::Value;

use crate::Pace;
use crate::settle::Past;

/// What a stage is looked at with.
#[derive(Clone, Copy)]
pub struct Look<'r> {
    /// The calls; only those that read.
    pub api: &'r dyn Api,
    /// The resources of all stages.
    pub graph: &'r Graph,
    /// The stage.
    pub stage: &'r str,
    /// What earlier runs have noted of a resource.
    pub past: &'r (dyn Fn(&str) -> Past + Sync),
    /// How many calls run at a time.
    pub pace: &'r Pace,
    /// As [`Run::installed`](crate::Run::installed).
    pub installed: bool,
}

/// What became of the resources of a stage that earlier runs created, by the names of the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    /// Those that no longer exist.
    pub missing: Vec<String>,
    /// Those of which a property is not as it was created.
    pub changed: Vec<String>,
    /// Those that no longer exist and that the installed cluster replaces itself.
    pub handed_over: Vec<String>,
}

/// What was seen of a resource that the journal has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Seen {
    Missing,
    Changed,
    Unknown,
}

/// Looks for every resource of a stage that the journal has. `outputs` has those of earlier stages, and gets those of
/// this one. What cannot be looked at counts as existing, as creating says what is wrong; not so parts of what is gone.
pub async fn look(run: &Look<'_>, outputs: &mut BTreeMap<String, Properties>) -> Looked {
    let nodes = || run.graph.resources.iter().filter(|node| node.stage == run.stage);
    for node in nodes().filter(|node| run.api.traits(node.kind).is_given) {
        let Some(wanted) = wanted(node, outputs, &Past::default()) else { continue };
        if let Ok(Some(existing)) = run.api.find(&wanted, false).await {
            outputs.insert(node.name.clone(), existing.outputs);
        }
    }
    let mut known: Vec<(&Node, Past)> = Vec::new();
    for node in nodes() {
        let past = (run.past)(&node.name);
        if let Some(noted) = &past.outputs {
            outputs.insert(node.name.clone(), noted.clone());
            known.push((node, past));
        }
    }
    let looks = known.iter().filter_map(|(node, past)| Some((*node, past, wanted(node, outputs, past)?)));
    let looks: Vec<(&Node, &Past, Wanted)> = looks.collect();
    let found = iter(&looks).map(|(node, past, wanted)| async move {
        let completes = run.api.traits(node.kind).completes;
        match run.api.find(wanted, false).await {
            Ok(None) => Some((*node, Seen::Missing)),
            // What is not complete yet is not different from the plan.
            Ok(Some(existing)) if !existing.differences.is_empty() && (past.completed || !completes) => {
                Some((*node, Seen::Changed))
            }
            Ok(Some(_)) => None,
            Err(_) => Some((*node, Seen::Unknown)),
        }
    });
    let found: Vec<Option<(&Node, Seen)>> = found.buffered(run.pace.parallel.max(1)).collect().await;
    let mut found: Vec<(&Node, Seen)> = found.into_iter().flatten().collect();
    with_parts(&mut found);
    let mut looked = Looked::default();
    for (node, seen) in found {
        let is_missing = match seen {
            Seen::Missing => true,
            Seen::Changed => false,
            Seen::Unknown => continue,
        };
        let names = match (run.installed && run.api.traits(node.kind).is_handed_over, is_missing) {
            (true, true) => &mut looked.handed_over,
            (true, false) => continue,
            (false, true) => &mut looked.missing,
            (false, false) => &mut looked.changed,
        };
        names.push(node.name.clone());
    }
    looked
}

/// Parts of something that is gone cannot be looked at: they are gone with it.
fn with_parts(found: &mut [(&Node, Seen)]) {
    let mut before = 0;
    loop {
        let gone = found.iter().filter(|(_, seen)| *seen == Seen::Missing);
        let gone: BTreeSet<String> = gone.map(|(node, _)| node.name.clone()).collect();
        if gone.len() == before {
            return;
        }
        before = gone.len();
        for (node, seen) in found.iter_mut().filter(|(_, seen)| *seen == Seen::Unknown) {
            if node.needs().iter().any(|name| gone.contains(*name)) {
                *seen = Seen::Missing;
            }
        }
    }
}

/// A resource with its inputs, as far as these are known, without a token.
pub(crate) fn wanted(node: &Node, outputs: &BTreeMap<String, Properties>, past: &Past) -> Option<Wanted> {
    let Value::Object(inputs) = resolve(&Value::Object(node.properties.clone()), outputs)? else {
        return None;
    };
    Some(Wanted {
        name: node.name.clone(),
        kind: node.kind,
        inputs,
        token: String::new(),
        noted: past.outputs.clone(),
        begun: false,
        given: node.given(),
    })
}

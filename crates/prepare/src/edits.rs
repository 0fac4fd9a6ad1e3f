//! Manifests that were edited by hand: whether they can still be used, and what they change.

use landfall_diagnostics::{Finding, Findings, LineIndex, Span};
use landfall_model::plan::pages;
use landfall_source::{NodeKind, Tree};
use serde::Deserialize;

use super::{Error, Refusal, inputs};
use landfall_workdir::ClusterDir;

const SCHEDULER: &str = "manifests/cluster-scheduler-02-config.yml";

/// What of the scheduler's manifest changes other files.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Scheduler {
    spec: SchedulerSpec,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SchedulerSpec {
    masters_schedulable: bool,
}

/// Looks at every edited manifest, and says whether workloads may run on the control plane if the edited
/// manifest of the scheduler does.
pub(super) fn masters_schedulable(cluster: &ClusterDir) -> Result<Option<bool>, Refusal> {
    let mut schedulable = None;
    for path in cluster.edited().map_err(Error::from)? {
        let Some(bytes) = cluster.read(&path).map_err(Error::from)? else {
            continue;
        };
        let full = cluster.root().join(&path);
        let text = String::from_utf8_lossy(&bytes);
        let findings = faults(&text);
        if !findings.is_empty() {
            return Err(refusal(&full, &text, findings));
        }
        if path == SCHEDULER {
            let read: Scheduler = serde_saphyr::from_str(&text).map_err(|_| {
                let message = "spec.mastersSchedulable is neither true nor false";
                refusal(&full, &text, vec![pages::edited_beyond_use(message).span(Span::default())])
            })?;
            schedulable = Some(read.spec.masters_schedulable);
        }
    }
    Ok(schedulable)
}

/// What keeps a text from being a manifest.
fn faults(text: &str) -> Vec<Finding> {
    let mut out = Findings::default();
    let tree = landfall_source::read(text, &mut out);
    if out.errors() == 0 {
        for key in ["apiVersion", "kind"] {
            if !has_text(&tree, key) {
                out.push(pages::edited_beyond_use(format!("`{key}` is missing")).span(tree.place(key).0));
            }
        }
    }
    let found = out.into_vec().into_iter();
    found
        .map(|finding| if finding.span.is_none() { finding.span(Span::default()) } else { finding })
        .collect()
}

/// Whether a top-level key has a text that is not empty.
fn has_text(tree: &Tree<'_>, key: &str) -> bool {
    let (_, missing) = tree.place(key);
    let is_map = tree.root().is_some_and(|root| matches!(tree.node(root).kind, NodeKind::Map(_)));
    is_map && missing == 0
}

/// The refusal of a manifest. Of one that holds secrets only the line is told.
fn refusal(path: &std::path::Path, text: &str, mut findings: Vec<Finding>) -> Refusal {
    let hidden = text.contains("kind: Secret") || path.to_string_lossy().contains("secret");
    if hidden {
        let lines = LineIndex::new(text);
        for finding in &mut findings {
            let line = finding.span.map_or(1, |span| lines.place(span).line);
            finding.message = format!("line {line} cannot be read");
            finding.span = Some(Span::default());
        }
    }
    inputs::invalid(path, if hidden { "" } else { text }, findings)
}

//! What a run of `create cluster` is going to make, beside what earlier runs have made or removed.

use std::collections::BTreeMap;

use landfall_model::plan::Stage;
use landfall_model::plan::outline::{Item, Outline};
use landfall_platform::native::Graph;
use serde_json::{Value, json};

use crate::install::{Existing, Standing};
use crate::ui;

/// The outline of a plan, with what there is of it already.
pub(super) struct Summary {
    outline: Outline,
    /// The outline in the engine's own resources.
    whole: Outline,
    existing: Vec<Existing>,
    /// Whether the engine takes some resources of the outline for parts of others.
    has_parts: bool,
    stages: Vec<(Stage, Standing)>,
    counts: Vec<Count>,
}

/// How many resources a stage has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Count {
    stage: &'static str,
    existing: usize,
    total: usize,
}

impl Summary {
    /// The summary of a plan of whose stages this is known, and of which this exists. The graph is that of an
    /// engine which has resources of its own.
    pub(super) fn new(
        outline: Outline,
        graph: Option<&Graph>,
        stages: Vec<(Stage, Standing)>,
        existing: Vec<Existing>,
    ) -> Self {
        let whole = match graph {
            Some(graph) => outline_of(graph, &outline),
            None => outline.clone(),
        };
        let count = |(stage, _): &(Stage, Standing)| {
            let items = whole.items.iter().filter(|item| item.stage == stage.name);
            let total = items.map(|item| usize::try_from(item.count).unwrap_or(usize::MAX)).sum();
            let existing = existing.iter().find(|known| known.stage == stage.name);
            Count { stage: stage.name, existing: existing.map_or(0, Existing::count).min(total), total }
        };
        let counts = stages.iter().map(count).collect();
        Self { outline, whole, existing, has_parts: graph.is_some(), stages, counts }
    }

    /// An outline without the stages that are left out.
    fn only(&self, outline: &Outline, wanted: impl Fn(&Standing) -> bool) -> Outline {
        let is_wanted = |name: &str| {
            let known = self.stages.iter().find(|(stage, _)| stage.name == name);
            known.is_none_or(|(_, standing)| wanted(standing))
        };
        let mut outline = outline.clone();
        outline.items.retain(|item| is_wanted(item.stage));
        outline.temporary.retain(|name| is_wanted(name));
        outline
    }

    /// The counts of the stages that were not removed.
    fn counted(&self) -> impl Iterator<Item = &Count> {
        let is_here = |count: &&Count| {
            let known = self.stages.iter().find(|(stage, _)| stage.name == count.stage);
            known.is_none_or(|(_, standing)| !is_removed(standing))
        };
        self.counts.iter().filter(is_here)
    }

    /// How many resources exist.
    pub(super) fn existing(&self) -> usize {
        self.counted().map(|count| count.existing).sum()
    }

    /// How many resources there are to be.
    pub(super) fn total(&self) -> usize {
        self.counted().map(|count| count.total).sum()
    }

    /// How many resources are to be created.
    pub(super) fn to_create(&self) -> usize {
        self.total() - self.existing()
    }

    /// How many of all resources exist, and how many are to be created.
    pub(super) fn progress(&self) -> String {
        progress(self.existing(), self.total())
    }

    /// Takes a stage for one that is to be worked on, of which these resources are missing, by type.
    pub(super) fn reopen(&mut self, stage: &str, missing: &BTreeMap<String, usize>) {
        for (known, standing) in &mut self.stages {
            if known.name == stage {
                *standing = Standing::Due;
            }
        }
        for count in self.counts.iter_mut().filter(|count| count.stage == stage) {
            count.existing = count.existing.saturating_sub(missing.values().sum());
        }
        for existing in self.existing.iter_mut().filter(|existing| existing.stage == stage) {
            existing.forget(missing);
        }
    }

    /// Whether some resources exist and others are to be created.
    pub(super) fn is_part_way(&self) -> bool {
        self.existing() > 0 && !self.is_complete()
    }

    /// Whether nothing is left to be made.
    pub(super) fn is_complete(&self) -> bool {
        !self.stages.is_empty() && self.stages.iter().all(|(_, standing)| is_settled(standing))
    }

    /// Whether what only the installation needs was removed.
    pub(super) fn is_bootstrap_gone(&self) -> bool {
        let is_gone =
            |(stage, standing): &(Stage, Standing)| stage.only_for_bootstrap && is_removed(standing);
        self.stages.iter().any(is_gone)
    }

    /// The stages that stand and have nothing to be done.
    pub(super) fn standing(&self) -> Vec<&'static str> {
        let unchanged = |standing: &Standing| matches!(standing, Standing::Unchanged { .. });
        let stages = self.stages.iter().filter(|(_, standing)| unchanged(standing));
        stages.map(|(stage, _)| stage.name).collect()
    }

    /// A line about each stage that earlier runs have worked on to its end, and one about how many resources
    /// exist.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(stage, standing): &(Stage, Standing)| match standing {
            Standing::Due => None,
            Standing::Made { time } => Some(format!(
                "stage {}: created at {time}; only what has changed since then will be created",
                stage.name
            )),
            Standing::Unchanged { time } => {
                Some(format!("stage {}: exists, created at {time} and unchanged since", stage.name))
            }
            Standing::Removed { time } => {
                Some(format!("stage {}: removed at {time}, not created again", stage.name))
            }
        };
        let mut lines: Vec<String> = self.stages.iter().filter_map(line).collect();
        if self.is_part_way() {
            lines.push(self.progress());
        }
        lines
    }

    /// What is left to be made, as tables; empty where nothing is.
    pub(super) fn text(&self, style: ui::Style) -> String {
        if self.is_complete() {
            return String::new();
        }
        let is_begun = self.existing.iter().any(|stage| stage.count() > 0);
        let left = if is_begun { without(self.whole.clone(), &self.existing) } else { self.outline.clone() };
        let left = self.only(&left, |standing| !is_settled(standing));
        let folded = self.has_parts && !is_begun;
        ui::outline::text_of(&left, folded.then(|| self.total()), style)
    }

    /// The summary as data: without stages that were removed, which are named, and with the time since when
    /// others stand.
    pub(super) fn json(&self) -> Value {
        let mut value = ui::outline::json(&self.only(&self.outline, |standing| !is_removed(standing)));
        for (stage, standing) in &self.stages {
            if let Standing::Unchanged { time } = standing {
                let stages = value.get_mut("stages").and_then(Value::as_array_mut);
                let own = stages.into_iter().flatten().find(|known| known["name"] == stage.name);
                if let Some(own) = own.and_then(Value::as_object_mut) {
                    own.insert("existsSince".to_owned(), time.as_str().into());
                }
            }
        }
        let removed: Vec<Value> = self
            .stages
            .iter()
            .filter_map(|(stage, standing)| match standing {
                Standing::Removed { time } => Some(json!({ "name": stage.name, "time": time })),
                _ => None,
            })
            .collect();
        if !removed.is_empty() {
            value["removed"] = removed.into();
        }
        value["counts"] =
            json!({ "total": self.total(), "existing": self.existing(), "toCreate": self.to_create() });
        value
    }
}

/// How many of all resources exist, and how many are to be created.
pub(super) fn progress(existing: usize, total: usize) -> String {
    if existing == 0 {
        return format!("{} to create", ui::counted(total, "resource"));
    }
    let verb = if existing == 1 { "exists" } else { "exist" };
    let left = total.saturating_sub(existing);
    format!("{existing} of {} {verb}, {left} to create", ui::counted(total, "resource"))
}

/// What the kinds of resources begin with that are the user's and only looked at.
const GIVEN: &str = "given-";

/// The outline of a graph: one item for each kind of a stage. What is the user's, and what the cluster
/// creates later, is that of the plan.
fn outline_of(graph: &Graph, plan: &Outline) -> Outline {
    let mut items: Vec<Item> = Vec::new();
    for node in graph.resources.iter().filter(|node| !node.kind.starts_with(GIVEN)) {
        let known = items.iter_mut().find(|item| (item.stage, item.resource) == (node.stage, node.kind));
        match known {
            Some(item) => item.count += 1,
            None => items.push(Item::new(node.stage, node.kind, node.kind, 1)),
        }
    }
    Outline { items, ..plan.clone() }
}

/// An outline without what exists.
fn without(mut outline: Outline, existing: &[Existing]) -> Outline {
    for item in &mut outline.items {
        let stage = existing.iter().find(|known| known.stage == item.stage);
        let Some(count) = stage.and_then(|known| known.types.get(item.resource)) else { continue };
        item.count = item.count.saturating_sub(u32::try_from(*count).unwrap_or(u32::MAX));
        // Which of several are left is not known here.
        item.names.clear();
        item.detail = format!("{count} exist");
    }
    outline.items.retain(|item| item.count > 0);
    outline
}

fn is_removed(standing: &Standing) -> bool {
    matches!(standing, Standing::Removed { .. })
}

/// Whether nothing is to be done about a stage.
fn is_settled(standing: &Standing) -> bool {
    matches!(standing, Standing::Unchanged { .. } | Standing::Removed { .. })
}

#[cfg(test)]
mod tests {
    use landfall_platform::native::{Node, Properties};

    use super::*;

    const STAGES: [Stage; 2] = [
        Stage { name: "cluster", only_for_bootstrap: false },
        Stage { name: "bootstrap", only_for_bootstrap: true },
    ];

    fn summary(cluster: Standing, bootstrap: Standing) -> Summary {
        let items = vec![
            Item::new("cluster", "x_net", "Network", 1),
            Item::new("bootstrap", "x_machine", "Machine", 1),
        ];
        let outline = Outline::new(&STAGES, items, Vec::new(), Vec::new());
        let [first, second] = STAGES;
        let is_made = |standing: &Standing| matches!(standing, Standing::Unchanged { .. });
        let types = |made: bool, name: &str| BTreeMap::from_iter(made.then(|| (name.to_owned(), 1)));
        let existing = [
            Existing { stage: "cluster", types: types(is_made(&cluster), "x_net") },
            Existing { stage: "bootstrap", types: types(is_made(&bootstrap), "x_machine") },
        ];
        Summary::new(outline, None, vec![(first, cluster), (second, bootstrap)], existing.to_vec())
    }

    fn unchanged() -> Standing {
        Standing::Unchanged { time: "T1".to_owned() }
    }

    fn removed() -> Standing {
        Standing::Removed { time: "T2".to_owned() }
    }

    #[test]
    fn a_first_run_makes_everything() {
        let all = summary(Standing::Due, Standing::Due);
        assert!(!all.is_complete() && !all.is_bootstrap_gone());
        assert_eq!(all.lines(), Vec::<String>::new());
        let mut json = ui::outline::json(&all.outline);
        json["counts"] = json!({ "total": 2, "existing": 0, "toCreate": 2 });
        assert_eq!(all.json(), json);
        assert_eq!(all.text(ui::Style::PLAIN), ui::outline::text(&all.outline, ui::Style::PLAIN));
    }

    #[test]
    fn what_stands_or_was_removed_is_told_and_not_counted() {
        let part = summary(unchanged(), Standing::Due);
        assert!(!part.is_complete());
        assert_eq!(part.standing(), ["cluster"]);
        let lines = part.lines();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].contains("stage cluster") && lines[0].contains("T1"), "{lines:?}");
        assert_eq!(lines[1], "1 of 2 resources exists, 1 to create");
        let text = part.text(ui::Style::PLAIN);
        assert!(text.contains("1 resource ") && !text.contains("Stage cluster"), "{text}");
        assert_eq!(part.json()["stages"][0]["existsSince"], "T1");
        assert_eq!(part.json()["stages"][1]["existsSince"], Value::Null);

        let whole = summary(unchanged(), removed());
        assert!(whole.is_complete() && whole.is_bootstrap_gone());
        let removed = whole.lines().pop().unwrap_or_default();
        assert!(removed.contains("stage bootstrap") && removed.contains("T2"), "{removed}");
        assert_eq!(whole.text(ui::Style::PLAIN), "");
        let json = whole.json();
        assert_eq!(json["stages"].as_array().map(Vec::len), Some(1));
        assert_eq!(json["removed"], json!([{ "name": "bootstrap", "time": "T2" }]));
    }

    /// A stage of three networks and a machine, of which two networks exist.
    fn part_way(graph: Option<&Graph>, kind: &str) -> Summary {
        let items = vec![
            Item::new("cluster", "x_net", "Network", 3).named(["a", "b", "c"].map(str::to_owned)),
            Item::new("cluster", "x_machine", "Machine", 1),
        ];
        let outline = Outline::new(&STAGES, items, Vec::new(), Vec::new());
        let types = BTreeMap::from_iter([(kind.to_owned(), 2)]);
        let existing = [Existing { stage: "cluster", types }];
        Summary::new(outline, graph, vec![(STAGES[0], Standing::Due)], existing.to_vec())
    }

    #[test]
    fn what_exists_of_a_stage_is_not_counted_again() {
        let mut part = part_way(None, "x_net");
        assert_eq!(part.lines(), ["2 of 4 resources exist, 2 to create"]);
        let text = part.text(ui::Style::PLAIN);
        assert!(text.contains("     1  Network  2 exist\n") && text.contains("     1  Machine\n"), "{text}");
        assert!(text.contains("2 resources in 1 stage"), "{text}");
        assert_eq!(part.json()["counts"], json!({ "total": 4, "existing": 2, "toCreate": 2 }));
        part.reopen("cluster", &BTreeMap::from([("x_net".to_owned(), 1)]));
        assert_eq!((part.existing(), part.to_create()), (1, 3));
        let text = part.text(ui::Style::PLAIN);
        assert!(
            text.contains("     2  Network  1 exist\n") && text.contains("3 resources in 1 stage"),
            "{text}"
        );
    }

    #[test]
    fn the_resources_of_a_graph_are_counted_as_the_engine_creates_them() {
        let node = |name: &str, kind: &'static str| Node {
            name: name.to_owned(),
            kind,
            stage: "cluster",
            properties: Properties::new(),
            after: Vec::new(),
        };
        let resources =
            vec![node("net/a", "net"), node("net/b", "net"), node("net/c", "net"), node("rule/x", "rule")];
        let graph = Graph { resources, ..Graph::default() };
        let part = part_way(Some(&graph), "net");
        assert_eq!((part.existing(), part.total()), (2, 4));
        let text = part.text(ui::Style::PLAIN);
        assert!(text.contains("     1  net   2 exist\n") && text.contains("     1  rule\n"), "{text}");
    }

    #[test]
    fn what_is_missing_of_a_whole_cluster_is_to_be_created_again() {
        let mut whole = summary(unchanged(), removed());
        whole.reopen("cluster", &BTreeMap::from([("x_net".to_owned(), 1)]));
        assert!(!whole.is_complete() && whole.is_bootstrap_gone());
        assert_eq!((whole.existing(), whole.total(), whole.to_create()), (0, 1, 1));
        let text = whole.text(ui::Style::PLAIN);
        assert!(text.contains("     1  Network\n") && !text.contains("Stage bootstrap"), "{text}");
    }

    #[test]
    fn the_rest_is_made_where_the_machine_to_begin_with_is_gone() {
        let rest = summary(Standing::Due, removed());
        assert!(!rest.is_complete() && rest.is_bootstrap_gone());
        let text = rest.text(ui::Style::PLAIN);
        assert!(text.contains("Stage cluster") && !text.contains("Stage bootstrap"), "{text}");
    }
}

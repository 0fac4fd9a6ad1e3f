//! What a run of `create cluster` is going to make, beside what earlier runs have made or removed.

mod listed;

use landfall_model::plan::Stage;
use landfall_model::plan::outline::Outline;
use landfall_platform::native::Graph;
use serde_json::{Value, json};

use crate::install::{Drift, Existing, Standing};
use crate::ui;
use listed::{Listed, listed, outline_of, short};

/// The outline of a plan, with what there is of it already.
pub(super) struct Summary {
    outline: Outline,
    /// The outline in the engine's own resources.
    whole: Outline,
    existing: Vec<Existing>,
    /// The resources of an engine which takes some of the outline for parts of others.
    nodes: Option<Vec<Listed>>,
    stages: Vec<(Stage, Standing)>,
    counts: Vec<Count>,
    /// Whether existing resources were changed since they were created.
    is_changed: bool,
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
        let nodes = graph.map(listed);
        let whole = match &nodes {
            Some(nodes) => outline_of(nodes, &outline),
            None => outline.clone(),
        };
        let count = |(stage, _): &(Stage, Standing)| {
            let items = whole.items.iter().filter(|item| item.stage == stage.name);
            let total = items.map(|item| usize::try_from(item.count).unwrap_or(usize::MAX)).sum();
            let existing = existing.iter().find(|known| known.stage == stage.name);
            Count { stage: stage.name, existing: existing.map_or(0, Existing::count).min(total), total }
        };
        let counts = stages.iter().map(count).collect();
        Self { outline, whole, existing, is_changed: false, nodes, stages, counts }
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

    /// Takes a stage for one that is to be worked on, as it is no longer what earlier runs left.
    pub(super) fn reopen(&mut self, drift: &Drift) {
        // What an installed cluster replaces itself leaves nothing to do.
        if drift.missing.is_empty() && drift.changed.is_empty() {
            return;
        }
        self.is_changed |= !drift.changed.is_empty();
        for (known, standing) in &mut self.stages {
            if known.name == drift.stage {
                *standing = Standing::Due;
            }
        }
        for count in self.counts.iter_mut().filter(|count| count.stage == drift.stage) {
            count.existing = count.existing.saturating_sub(drift.missing_types.values().sum());
        }
        for existing in self.existing.iter_mut().filter(|existing| existing.stage == drift.stage) {
            existing.forget(drift);
        }
    }

    /// The stage and the name of each resource that is left to be created, for an engine that has resources of its
    /// own.
    pub(super) fn to_create_by_name(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.missing().map(|node| (node.stage, node.name.as_str()))
    }

    fn missing(&self) -> impl Iterator<Item = &Listed> {
        let exists = |node: &&Listed| {
            let stage = self.existing.iter().find(|stage| stage.stage == node.stage);
            stage.is_some_and(|stage| stage.names.contains(&node.name))
        };
        let is_removed = |node: &&Listed| {
            self.stages.iter().any(|(stage, standing)| stage.name == node.stage && is_removed(standing))
        };
        self.nodes.iter().flatten().filter(move |node| !exists(node) && !is_removed(node))
    }

    /// What is missing of each kind, with the names.
    fn missing_by_kind(&self) -> Outline {
        let mut outline = self.whole.clone();
        for item in &mut outline.items {
            let of_kind = |node: &&Listed| (node.stage, node.kind) == (item.stage, item.resource);
            item.names = self.missing().filter(of_kind).map(|node| short(&node.name).to_owned()).collect();
            let (total, left) = (item.count, u32::try_from(item.names.len()).unwrap_or(u32::MAX));
            item.count = left;
            item.detail = match total.saturating_sub(left) {
                0 => String::new(),
                existing => format!("{existing} of {total} exist"),
            };
        }
        outline.items.retain(|item| item.count > 0);
        outline
    }

    /// Whether existing resources were changed since they were created.
    pub(super) fn is_changed(&self) -> bool {
        self.is_changed
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
        let left = match (is_begun, &self.nodes) {
            (false, _) => self.outline.clone(),
            (true, Some(_)) => self.missing_by_kind(),
            (true, None) => without(self.whole.clone(), &self.existing),
        };
        let left = self.only(&left, |standing| !is_settled(standing));
        if left.items.is_empty() {
            return String::new();
        }
        let folded = self.nodes.is_some() && !is_begun;
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
    if existing == total {
        let all = if total == 1 { "the" } else { "all" };
        return format!("{all} {} {verb}", ui::counted(total, "resource"));
    }
    let left = total.saturating_sub(existing);
    format!("{existing} of {} {verb}, {left} to create", ui::counted(total, "resource"))
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
    use std::collections::BTreeMap;

    use landfall_model::plan::outline::Item;
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
        let of = |stage, made: bool, name: &str| Existing {
            stage,
            types: made.then(|| (name.to_owned(), 1)).into_iter().collect(),
            names: made.then(|| format!("{name}.a")).into_iter().collect(),
        };
        let existing =
            [of("cluster", is_made(&cluster), "x_net"), of("bootstrap", is_made(&bootstrap), "x_machine")];
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

    /// A resource of the first stage that no longer exists.
    fn missing(kind: &str, name: &str) -> Drift {
        let missing_types = BTreeMap::from([(kind.to_owned(), 1)]);
        Drift {
            stage: "cluster".to_owned(),
            missing: vec![name.to_owned()],
            missing_types,
            ..Drift::default()
        }
    }

    /// A stage of three networks and a machine, of which two networks exist.
    fn part_way(graph: Option<&Graph>, kind: &str) -> Summary {
        let items = vec![
            Item::new("cluster", "x_net", "Network", 3).named(["a", "b", "c"].map(str::to_owned)),
            Item::new("cluster", "x_machine", "Machine", 1),
        ];
        let outline = Outline::new(&STAGES, items, Vec::new(), Vec::new());
        let types = BTreeMap::from_iter([(kind.to_owned(), 2)]);
        let names = ["net/a", "net/b"].map(str::to_owned).into();
        let existing = [Existing { stage: "cluster", types, names }];
        Summary::new(outline, graph, vec![(STAGES[0], Standing::Due)], existing.to_vec())
    }

    #[test]
    fn where_all_exists_nothing_is_counted_down() {
        assert_eq!(progress(83, 83), "all 83 resources exist");
        assert_eq!(progress(82, 83), "82 of 83 resources exist, 1 to create");
        assert_eq!(progress(0, 83), "83 resources to create");
    }

    #[test]
    fn what_exists_of_a_stage_is_not_counted_again() {
        let mut part = part_way(None, "x_net");
        assert_eq!(part.lines(), ["2 of 4 resources exist, 2 to create"]);
        let text = part.text(ui::Style::PLAIN);
        assert!(text.contains("     1  Network  2 exist\n") && text.contains("     1  Machine\n"), "{text}");
        assert!(text.contains("2 resources in 1 stage"), "{text}");
        assert_eq!(part.json()["counts"], json!({ "total": 4, "existing": 2, "toCreate": 2 }));
        part.reopen(&missing("x_net", "x_net.a"));
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
        let graph = Graph { resources, titles: "net: Network", ..Graph::default() };
        let mut part = part_way(Some(&graph), "net");
        assert_eq!((part.existing(), part.total()), (2, 4));
        let text = part.text(ui::Style::PLAIN);
        assert!(
            text.contains("     1  Network  c: 2 of 3 exist\n") && text.contains("     1  rule     x\n"),
            "{text}"
        );
        assert_eq!(
            part.to_create_by_name().collect::<Vec<_>>(),
            [("cluster", "net/c"), ("cluster", "rule/x")]
        );
        part.reopen(&missing("net", "net/b"));
        let text = part.text(ui::Style::PLAIN);
        assert!(text.contains("     2  Network  b, c: 1 of 3 exist\n"), "{text}");
    }

    #[test]
    fn what_an_installed_cluster_replaces_leaves_nothing_to_do() {
        let mut whole = summary(unchanged(), removed());
        let handed_over = vec!["x_net.a".to_owned()];
        whole.reopen(&Drift { stage: "cluster".to_owned(), handed_over, ..Drift::default() });
        assert!(whole.is_complete() && !whole.is_changed());
    }

    #[test]
    fn what_is_missing_of_a_whole_cluster_is_to_be_created_again() {
        let mut whole = summary(unchanged(), removed());
        whole.reopen(&missing("x_net", "x_net.a"));
        assert!(!whole.is_complete() && whole.is_bootstrap_gone());
        assert_eq!((whole.existing(), whole.total(), whole.to_create()), (0, 1, 1));
        let text = whole.text(ui::Style::PLAIN);
        assert!(text.contains("     1  Network\n") && !text.contains("Stage bootstrap"), "{text}");
    }

    #[test]
    fn what_was_changed_is_told_and_nothing_is_counted_for_it() {
        let mut whole = summary(unchanged(), removed());
        assert!(!whole.is_changed());
        let changed = vec!["x_net.a".to_owned()];
        whole.reopen(&Drift { stage: "cluster".to_owned(), changed, ..Drift::default() });
        assert!(whole.is_changed() && !whole.is_complete());
        assert_eq!((whole.to_create(), whole.text(ui::Style::PLAIN)), (0, String::new()));
    }

    #[test]
    fn the_rest_is_made_where_the_machine_to_begin_with_is_gone() {
        let rest = summary(Standing::Due, removed());
        assert!(!rest.is_complete() && rest.is_bootstrap_gone());
        let text = rest.text(ui::Style::PLAIN);
        assert!(text.contains("Stage cluster") && !text.contains("Stage bootstrap"), "{text}");
    }
}

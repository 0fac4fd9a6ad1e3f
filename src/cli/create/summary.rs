//! What a run of `create cluster` is going to make, beside what earlier runs have made or removed.

use landfall_model::plan::Stage;
use landfall_model::plan::outline::Outline;
use serde_json::{Value, json};

use crate::install::Standing;
use crate::ui;

/// The outline of a plan, with what there is of it already.
pub(super) struct Summary {
    outline: Outline,
    stages: Vec<(Stage, Standing)>,
}

impl Summary {
    /// The summary of a plan whose stages stand so.
    pub(super) fn new(outline: Outline, stages: Vec<(Stage, Standing)>) -> Self {
        Self { outline, stages }
    }

    /// The outline without the stages that are left out.
    fn only(&self, wanted: impl Fn(&Standing) -> bool) -> Outline {
        let is_wanted = |name: &str| {
            let known = self.stages.iter().find(|(stage, _)| stage.name == name);
            known.is_none_or(|(_, standing)| wanted(standing))
        };
        let mut outline = self.outline.clone();
        outline.items.retain(|item| is_wanted(item.stage));
        outline.temporary.retain(|name| is_wanted(name));
        outline
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

    /// A line about each stage that earlier runs have worked on to its end.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |(stage, standing): &(Stage, Standing)| match standing {
            Standing::Due => None,
            Standing::Made { time } => Some(format!(
                "stage {}: made at {time}; of what follows, only what has changed since is made",
                stage.name
            )),
            Standing::Unchanged { time } => {
                Some(format!("stage {}: stands, made at {time} and unchanged since", stage.name))
            }
            Standing::Removed { time } => {
                Some(format!("stage {}: removed at {time}, not made again", stage.name))
            }
        };
        self.stages.iter().filter_map(line).collect()
    }

    /// What is left to be made, as tables; empty where nothing is.
    pub(super) fn text(&self, colour: bool) -> String {
        if self.is_complete() {
            return String::new();
        }
        ui::outline::text(&self.only(|standing| !is_settled(standing)), colour)
    }

    /// The summary as data: without stages that were removed, which are named, and with the time since when
    /// others stand.
    pub(super) fn json(&self) -> Value {
        let mut value = ui::outline::json(&self.only(|standing| !is_removed(standing)));
        for (stage, standing) in &self.stages {
            if let Standing::Unchanged { time } = standing {
                let stages = value.get_mut("stages").and_then(Value::as_array_mut);
                let own = stages.into_iter().flatten().find(|known| known["name"] == stage.name);
                if let Some(own) = own.and_then(Value::as_object_mut) {
                    own.insert("standsSince".to_owned(), time.as_str().into());
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
        value
    }
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
    use super::*;
    use landfall_model::plan::outline::Item;

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
        Summary::new(outline, vec![(first, cluster), (second, bootstrap)])
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
        assert_eq!(all.json(), ui::outline::json(&all.outline));
        assert_eq!(all.text(false), ui::outline::text(&all.outline, false));
    }

    #[test]
    fn what_stands_or_was_removed_is_told_and_not_counted() {
        let part = summary(unchanged(), Standing::Due);
        assert!(!part.is_complete());
        assert_eq!(part.standing(), ["cluster"]);
        let lines = part.lines();
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(lines.iter().all(|line| line.contains("stage cluster") && line.contains("T1")), "{lines:?}");
        let text = part.text(false);
        assert!(text.contains("1 resource ") && !text.contains("Stage cluster"), "{text}");
        assert_eq!(part.json()["stages"][0]["standsSince"], "T1");
        assert_eq!(part.json()["stages"][1]["standsSince"], Value::Null);

        let whole = summary(unchanged(), removed());
        assert!(whole.is_complete() && whole.is_bootstrap_gone());
        let removed = whole.lines().pop().unwrap_or_default();
        assert!(removed.contains("stage bootstrap") && removed.contains("T2"), "{removed}");
        assert_eq!(whole.text(false), "");
        let json = whole.json();
        assert_eq!(json["stages"].as_array().map(Vec::len), Some(1));
        assert_eq!(json["removed"], json!([{ "name": "bootstrap", "time": "T2" }]));
    }

    #[test]
    fn the_rest_is_made_where_the_machine_to_begin_with_is_gone() {
        let rest = summary(Standing::Due, removed());
        assert!(!rest.is_complete() && rest.is_bootstrap_gone());
        let text = rest.text(false);
        assert!(text.contains("Stage cluster") && !text.contains("Stage bootstrap"), "{text}");
    }
}

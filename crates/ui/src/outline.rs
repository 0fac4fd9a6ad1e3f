//! What will be made of a plan, for people and for programs. The same plan gives the same text.

use std::fmt::Write;

use landfall_model::plan::outline::Outline;
use serde_json::{Value, json};

use super::{Style, counted, layout, printable};

/// The widest kind that leaves a count and its row on one line.
const WIDEST_KIND: usize = 29;

const INDENT: usize = 2;

/// The outline as a value, in the form that `docs/contract.md` fixes.
#[must_use]
pub fn json(outline: &Outline) -> Value {
    let stages: Vec<Value> = outline
        .stages()
        .into_iter()
        .map(|(name, items)| {
            let resources: Vec<Value> = items
                .into_iter()
                .map(|item| {
                    json!({
                        "type": item.resource,
                        "kind": item.kind,
                        "count": item.count,
                        "names": item.names,
                        "detail": item.detail,
                    })
                })
                .collect();
            json!({ "name": name, "temporary": outline.temporary.contains(&name), "resources": resources })
        })
        .collect();
    json!({ "stages": stages, "adopted": outline.adopted, "later": outline.later })
}

/// The outline as tables: one for each stage, the number of resources, what only gets a mark, and what the
/// cluster makes by itself.
#[must_use]
pub fn text(outline: &Outline, style: Style) -> String {
    text_of(outline, None, style)
}

/// The same, for an engine that creates this number of resources, as some of the outline's are parts of
/// others to it.
#[must_use]
pub fn text_of(outline: &Outline, folded: Option<usize>, style: Style) -> String {
    let kinds = outline.items.iter().map(|item| item.kind);
    let kinds = kinds.chain(outline.adopted.iter().map(|adopted| adopted.kind));
    let kinds = kinds.chain(outline.later.iter().map(|later| later.kind));
    let width = kinds.map(|kind| kind.chars().count()).max().unwrap_or(0).min(WIDEST_KIND);
    let mut text = String::new();
    let stages = outline.stages();
    for (name, items) in &stages {
        let temporary = outline.temporary.contains(name);
        let note = if temporary { ", destroyed once the control plane runs" } else { "" };
        let rows = items.iter().map(|item| row(width, item.count, item.kind, &item.names, &item.detail));
        section(&mut text, &format!("Stage {name}{note}"), rows, style);
    }
    let resources = folded.unwrap_or_else(|| usize::try_from(outline.resources()).unwrap_or(usize::MAX));
    let parts = if folded.is_some() { "; rules and targets of a group count once" } else { "" };
    let _ = writeln!(text, "{} in {}{parts}", counted(resources, "resource"), counted(stages.len(), "stage"));
    if !outline.adopted.is_empty() {
        let rows = outline.adopted.iter().map(|adopted| {
            let count = u32::try_from(adopted.names.len()).unwrap_or(u32::MAX);
            row(width, count, adopted.kind, &adopted.names, &adopted.detail)
        });
        text.push('\n');
        section(&mut text, "Yours, tagged only", rows, style);
        text.pop();
    }
    if !outline.later.is_empty() {
        let later = outline.later.iter();
        let rows = later.map(|later| row(width, later.count, later.kind, &later.names, &later.detail));
        text.push('\n');
        section(&mut text, "Created later by the cluster", rows, style);
        text.pop();
    }
    text
}

/// A title, its rows and an empty line.
fn section(text: &mut String, title: &str, rows: impl Iterator<Item = (String, String)>, style: Style) {
    let (on, off) = if style.colour { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
    let rows: Vec<(String, String)> = rows.collect();
    let _ = writeln!(text, "{on}{title}{off}\n{}", layout::table(&rows, INDENT, style));
}

/// Count and kind; names and detail.
fn row(width: usize, count: u32, kind: &str, names: &[String], detail: &str) -> (String, String) {
    let names = names.join(", ");
    let separator = if names.is_empty() || detail.is_empty() { "" } else { ": " };
    (format!("{count:>4}  {kind:width$}"), printable(&format!("{names}{separator}{detail}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::plan::Stage;
    use landfall_model::plan::outline::{Adopted, Item, Later};

    fn outline() -> Outline {
        let stages = [
            Stage { name: "cluster", only_for_bootstrap: false },
            Stage { name: "bootstrap", only_for_bootstrap: true },
        ];
        let items = vec![
            Item::new("cluster", "x_network", "Network", 1)
                .named(["demo-net".to_owned()])
                .detailed("10.0.0.0/16"),
            Item::new("cluster", "x_rule", "Security rule", 55),
            Item::new("bootstrap", "x_machine", "Machine", 1).detailed("big\u{1b}[2J"),
        ];
        let adopted = Adopted {
            kind: "Subnet",
            names: vec!["subnet-1".to_owned(), "subnet-2".to_owned()],
            detail: "tag x=shared".to_owned(),
        };
        Outline::new(&stages, items, vec![adopted], vec![Later::new("Machine", 3).detailed("big")])
    }

    #[test]
    fn tables_say_what_is_made() {
        let shown = text(&outline(), Style::PLAIN);
        let rows: Vec<&str> = shown.lines().filter(|line| line.starts_with("    ")).collect();
        let wanted = [
            "     1  Network        demo-net: 10.0.0.0/16",
            "    55  Security rule",
            "     1  Machine        big\u{fffd}[2J",
            "     2  Subnet         subnet-1, subnet-2: tag x=shared",
            "     3  Machine        big",
        ];
        assert_eq!(rows, wanted);
        let (stages, names) = (["Stage cluster\n", "\nStage bootstrap, "], ["\n57 resources in 2 stages\n"]);
        landfall_testing::assert_names(&shown, &[&stages[..], &names].concat());
        landfall_testing::assert_text("outline", &shown);
        assert!(
            text(&outline(), Style { colour: true, ..Style::PLAIN })
                .starts_with("\u{1b}[1mStage cluster\u{1b}[0m\n")
        );
    }

    #[test]
    fn nothing_is_nothing() {
        let text = text(&Outline::default(), Style::PLAIN);
        assert!(text.lines().count() == 1 && text.matches("0 ").count() == 2, "{text}");
    }

    #[test]
    fn programs_get_stages_with_their_types() {
        let value = json(&outline());
        assert_eq!(value["stages"][0]["resources"][1]["type"], "x_rule");
        assert_eq!(value["stages"][0]["resources"][1]["count"], 55);
        assert_eq!(value["stages"][1]["temporary"], true);
        assert_eq!(value["adopted"][0]["names"][1], "subnet-2");
        assert_eq!(value["later"][0]["kind"], "Machine");
    }
}

//! What goes when a cluster is destroyed, for people and for programs: before, meanwhile and afterwards.

mod tree;

pub use tree::{KindsDone, RemovalTree};

use std::fmt::Write;

use landfall_destroy::{Left, Outcome, Planned, Report, label};
use landfall_diagnostics::clock;
use landfall_platform::removal::Resource;
use serde_json::{Value, json};

use super::{Style, counted, layout, printable};

/// The widest kind that leaves a count and its row on one line.
const WIDEST_KIND: usize = 29;

const INDENT: usize = 2;

/// What would be removed, wave by wave, and what would only be untagged, as tables. The same plan gives the
/// same text.
#[must_use]
pub fn plan_text(planned: &Planned, style: Style) -> String {
    let waves = planned.waves.iter().map(|wave| &wave.things[..]);
    let width = width(waves.clone().flatten().chain(&planned.released));
    let mut text = String::new();
    for (number, things) in (1..).zip(waves.clone()) {
        section(&mut text, &format!("Wave {number}"), width, things, style);
    }
    let things: usize = waves.map(<[Resource]>::len).sum();
    let _ = writeln!(
        text,
        "{} to remove in {}",
        counted(things, "resource"),
        counted(planned.waves.len(), "wave")
    );
    if !planned.released.is_empty() {
        text.push('\n');
        section(&mut text, "Shared, loses the cluster's tag only", width, &planned.released, style);
        text.pop();
    }
    text
}

/// What would be removed, as one line for each kind.
#[must_use]
pub fn plan_summary(planned: &Planned) -> String {
    let mut removed: Vec<&Resource> = planned.waves.iter().flat_map(|wave| &wave.things).collect();
    removed.sort_by_key(|thing| thing.kind.name);
    let mut text = kinds_text("to be removed", &removed);
    let released: Vec<&Resource> = planned.released.iter().collect();
    if !released.is_empty() {
        text.push_str(&kinds_text("shared, only to be untagged", &released));
    }
    text
}

/// A title, and a line with the number of each kind.
fn kinds_text(what: &str, things: &[&Resource]) -> String {
    let mut text = format!("{}, {what}:\n", counted(things.len(), "resource"));
    for (kind, things) in kinds(things.iter().copied()) {
        let _ = writeln!(text, "{:>6}  {}", things.len(), printable(kind));
    }
    text
}

/// The plan as a value, in the form that `docs/contract.md` fixes.
#[must_use]
pub fn plan_json(planned: &Planned) -> Value {
    let waves: Vec<Value> =
        planned.waves.iter().map(|wave| json!({ "resources": things_json(&wave.things) })).collect();
    json!({ "waves": waves, "released": things_json(&planned.released) })
}

/// What came of a run, for people. `cluster` is its infrastructure id.
#[must_use]
pub fn report_text(cluster: &str, report: &Report, style: Style) -> String {
    let mut text = String::new();
    if !report.left.is_empty() {
        let _ = writeln!(text, "{} left of {}:", counted(report.left.len(), "resource"), printable(cluster));
        for left in &report.left {
            text.push_str(&left_text(left, style));
        }
    }
    let how = match report.outcome {
        Outcome::Gone => "is gone",
        Outcome::Left => "may not be gone",
        Outcome::TimedOut | Outcome::Interrupted | Outcome::Refused => "is not gone",
    };
    let _ = write!(text, "{} {how}: {} removed", printable(cluster), report.removed.len());
    if !report.released.is_empty() {
        let _ = write!(text, ", {} untagged", report.released.len());
    }
    if !report.left.is_empty() {
        let _ = write!(text, ", {} left", report.left.len());
    }
    let _ = writeln!(text, ", with {} in {}", counted(report.calls, "call"), clock(report.took));
    text
}

fn left_text(left: &Left, style: Style) -> String {
    let mut text = layout::block(&printable(&label(&left.thing)), INDENT, style);
    let mut add = |line: &str| text.push_str(&layout::block(&printable(line), 3 * INDENT, style));
    if !left.why.is_empty() {
        add(&left.why);
    }
    for holder in &left.holders {
        let whose = if holder.own { " (the cluster's own)" } else { "" };
        add(&format!("held by {}{whose}", holder.what));
    }
    if !left.help.is_empty() {
        add(&format!("help: {}", left.help));
    }
    text
}

/// What came of a run as a value, without its outcome and findings, in the form that `docs/contract.md` fixes.
#[must_use]
pub fn report_json(report: &Report) -> Value {
    let left: Vec<Value> = report
        .left
        .iter()
        .map(|left| {
            let mut value = thing_json(&left.thing);
            value["why"] = json!(left.why);
            value["holders"] = json!(left.holders);
            value["help"] = json!(left.help);
            value
        })
        .collect();
    json!({
        "removed": things_json(&report.removed),
        "released": things_json(&report.released),
        "left": left,
        "calls": report.calls,
        "seconds": report.took.as_secs(),
    })
}

/// The word for how a run ended, in JSON.
#[must_use]
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Gone => "gone",
        Outcome::Left => "left",
        Outcome::TimedOut => "timedOut",
        Outcome::Interrupted => "interrupted",
        Outcome::Refused => "refused",
    }
}

fn things_json(things: &[Resource]) -> Vec<Value> {
    things.iter().map(thing_json).collect()
}

fn thing_json(thing: &Resource) -> Value {
    json!({ "kind": thing.kind.name, "name": thing.name, "id": thing.id })
}

/// A title, a row for each kind and an empty line.
fn section(text: &mut String, title: &str, width: usize, things: &[Resource], style: Style) {
    let (on, off) = if style.colour { ("\u{1b}[1m", "\u{1b}[0m") } else { ("", "") };
    let rows: Vec<(String, String)> = kinds(things)
        .into_iter()
        .map(|(kind, things)| {
            let names: Vec<&str> = things.iter().map(|thing| called(thing)).collect();
            (format!("{:>4}  {kind:width$}", things.len()), printable(&names.join(", ")))
        })
        .collect();
    let _ = writeln!(text, "{on}{title}{off}\n{}", layout::table(&rows, INDENT, style));
}

/// Things that follow each other and are of one kind, together.
fn kinds<'t>(things: impl IntoIterator<Item = &'t Resource>) -> Vec<(&'static str, Vec<&'t Resource>)> {
    let mut kinds: Vec<(&'static str, Vec<&Resource>)> = Vec::new();
    for thing in things {
        match kinds.last_mut() {
            Some((kind, things)) if *kind == thing.kind.name => things.push(thing),
            _ => kinds.push((thing.kind.name, vec![thing])),
        }
    }
    kinds
}

fn called(thing: &Resource) -> &str {
    if thing.name.is_empty() { &thing.id } else { &thing.name }
}

fn width<'t>(things: impl Iterator<Item = &'t Resource>) -> usize {
    things.map(|thing| thing.kind.name.chars().count()).max().unwrap_or(0).min(WIDEST_KIND)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use landfall_destroy::Wave;
    use landfall_platform::removal::{Account, Discovered, Disposition, Holder, Kind};
    use landfall_testing::assert_names;

    static MACHINE: Kind =
        Kind { name: "machine", batch: 10, help: "switch off its protection", last: false };
    static NET: Kind = Kind { name: "network", batch: 1, help: "", last: false };

    fn thing(kind: &'static Kind, name: &str, id: &str) -> Resource {
        Resource {
            id: id.to_owned(),
            kind,
            name: name.to_owned(),
            fate: Disposition::Removed,
            after: Vec::new(),
        }
    }

    fn planned(released: Vec<Resource>) -> Planned {
        let first = vec![thing(&MACHINE, "a", "m-1"), thing(&MACHINE, "", "m-2")];
        Planned {
            account: Account { id: "1".to_owned(), caller: "me".to_owned() },
            first: Discovered::default(),
            waves: vec![Wave { things: first }, Wave { things: vec![thing(&NET, "net\u{1b}[2J", "n-1")] }],
            released,
            notes: Vec::new(),
            unseen: Vec::new(),
            unproven: Vec::new(),
        }
    }

    #[test]
    fn a_plan_is_told_wave_by_wave() {
        let planned = planned(vec![thing(&NET, "mine", "n-2")]);
        let text = plan_text(&planned, Style::PLAIN);
        let rows = ["     2  machine  a, m-2", "     1  network  net\u{fffd}[2J", "     1  network  mine"];
        assert_eq!(text.lines().filter(|line| line.starts_with("    ")).collect::<Vec<_>>(), rows);
        let summary = plan_summary(&planned);
        let rows = ["     2  machine", "     1  network", "     1  network"];
        assert_eq!(summary.lines().filter(|line| line.starts_with("    ")).collect::<Vec<_>>(), rows);
        assert_names(&summary, &["3 resources", "1 resource, "]);
        landfall_testing::assert_text("destroy-plan", &format!("{text}\n{summary}"));
        let value = plan_json(&planned);
        assert_eq!(value["waves"][0]["resources"][1], json!({ "kind": "machine", "name": "", "id": "m-2" }));
        assert_eq!(value["released"][0]["id"], "n-2");
    }

    fn report(outcome: Outcome, left: Vec<Left>) -> Report {
        Report {
            outcome,
            removed: vec![thing(&MACHINE, "a", "m-1")],
            released: Vec::new(),
            left,
            findings: Vec::new(),
            calls: 3,
            took: Duration::from_millis(61_500),
        }
    }

    #[test]
    fn what_is_left_is_told_with_what_holds_it_and_success_is_one_line() {
        let left = Left {
            thing: thing(&NET, "net", "n-1"),
            why: "it is in use".to_owned(),
            holders: vec![Holder { what: "interface i-1 of balancer web".to_owned(), own: false }],
            help: "remove the balancer".to_owned(),
        };
        let report = report(Outcome::TimedOut, vec![left]);
        let text = report_text("demo-x7k2p", &report, Style::PLAIN);
        let left = [
            "demo-x7k2p",
            "  network net (n-1)\n",
            "      it is in use\n",
            "interface i-1 of balancer web\n",
            "      help: remove the balancer\n",
            "1 removed, 1 left, with 3 calls in 1m01s\n",
        ];
        assert_names(&text, &left);
        let gone = report_text("demo-x7k2p", &super::tests::report(Outcome::Gone, Vec::new()), Style::PLAIN);
        assert_eq!(gone.lines().count(), 1, "{gone}");
        assert_names(&gone, &["demo-x7k2p", "1 removed, with 3 calls in 1m01s\n"]);
        landfall_testing::assert_text("destroy-report", &format!("{text}\n{gone}"));
        let value = report_json(&report);
        assert_eq!(value["left"][0]["holders"][0]["what"], "interface i-1 of balancer web");
        assert_eq!(value["left"][0]["kind"], "network");
        assert_eq!(value["seconds"], 61);
        assert_eq!(outcome_name(report.outcome), "timedOut");
    }
}

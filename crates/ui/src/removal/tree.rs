//! Live progress of a removal: a line for each kind that is not gone yet, and under it what does not go.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use console::{Term, truncate_str};
use indicatif::{ProgressBar, ProgressDrawTarget};
use landfall_destroy::{Blocked, KindState, State, label};
use landfall_platform::removal::Disposition;

use crate::printer::fitted;
use crate::pulse::asking_style;
use crate::{counted, printable};

/// How often the first line's clock moves on.
const TURN: Duration = Duration::from_millis(250);
/// The most columns that the wheel and the clock take.
const USED: usize = 18;
/// Lines of a terminal that are left to others.
const MARGIN: usize = 3;
/// What a terminal has at least.
const FEWEST: usize = 4;

/// The tree of what is left. Nothing is drawn where standard error is no terminal.
#[derive(Debug)]
pub struct RemovalTree(ProgressBar);

impl RemovalTree {
    /// The tree of a cluster whose removal may take as long as `limit`, drawn if `shown`.
    #[must_use]
    pub fn new(cluster: &str, limit: Option<Duration>, shown: bool) -> Self {
        if !shown {
            return Self(ProgressBar::hidden());
        }
        let tree = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let used = USED + cluster.chars().count();
        tree.set_style(asking_style("{spinner} {prefix} {clock}  {asking}{msg}", limit, used));
        tree.set_prefix(printable(cluster));
        tree.enable_steady_tick(TURN);
        Self(tree)
    }

    /// How the run stands.
    pub fn show(&self, state: &State) {
        if self.0.is_hidden() {
            return;
        }
        let (rows, columns) = Term::stderr().size();
        let lines = fitting(lines(state), usize::from(rows), usize::from(columns));
        let below = if lines.is_empty() { String::new() } else { format!("\n{}", lines.join("\n")) };
        self.0.set_message(below);
    }

    /// A line above the tree.
    pub fn line(&self, line: &str) {
        self.0.println(fitted(&printable(line)));
    }
}

impl Drop for RemovalTree {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// The kinds that are not gone, each with those of its things that do not go.
fn lines(state: &State) -> Vec<String> {
    let open = || state.kinds.iter().filter(|kind| kind.gone < kind.total);
    let width = open().map(|kind| kind.kind.name.chars().count()).max().unwrap_or(0);
    let mut lines = Vec::new();
    for kind in open() {
        lines.push(format!("  {:width$}  {}", printable(kind.kind.name), standing(kind)));
        let own = |blocked: &&Blocked| blocked.thing.kind == kind.kind && blocked.thing.fate == kind.fate;
        lines.extend(state.blocked.iter().filter(own).map(|blocked| format!("    {}", held(blocked))));
    }
    if state.proving {
        lines.push("  checking that everything is gone".to_owned());
    }
    lines
}

fn gone(fate: Disposition) -> &'static str {
    match fate {
        Disposition::Removed => "gone",
        Disposition::Released => "untagged",
    }
}

/// `3/6 gone, 2 going, 1 held`
fn standing(kind: &KindState) -> String {
    let mut text = format!("{}/{} {}", kind.gone, kind.total, gone(kind.fate));
    for (count, what) in [(kind.going, "going"), (kind.held, "held")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    text
}

fn held(blocked: &Blocked) -> String {
    let holders: Vec<&str> = blocked.holders.iter().map(|holder| holder.what.as_str()).collect();
    let thing = label(&blocked.thing);
    let why =
        if holders.is_empty() { blocked.why.clone() } else { format!("held by {}", holders.join(", ")) };
    if why.is_empty() { printable(&thing) } else { printable(&format!("{thing}: {why}")) }
}

/// As many of the lines as a terminal has room for, none wider than it.
fn fitting(mut lines: Vec<String>, rows: usize, columns: usize) -> Vec<String> {
    let most = rows.saturating_sub(MARGIN).max(FEWEST);
    if lines.len() > most {
        let more = lines.len() - (most - 1);
        lines.truncate(most - 1);
        lines.push(format!("  and {} more", counted(more, "line")));
    }
    // The last column stays free: some terminals begin a new line when it is written.
    let width = columns.saturating_sub(1);
    lines.into_iter().map(|line| truncate_str(&line, width, "...").into_owned()).collect()
}

/// Which kinds have been told to be gone.
#[derive(Clone, Debug, Default)]
pub struct KindsDone(BTreeMap<(&'static str, &'static str), usize>);

impl KindsDone {
    /// A line for each kind of which everything that is known has gone since the last call.
    pub fn news(&mut self, state: &State) -> Vec<String> {
        let mut lines = Vec::new();
        for kind in state.kinds.iter().filter(|kind| kind.total > 0 && kind.gone == kind.total) {
            let (name, word) = (kind.kind.name, gone(kind.fate));
            if self.0.insert((name, word), kind.total) != Some(kind.total) {
                lines.push(format!("{name}: {} {word}", kind.total));
            }
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::removal::{Holder, Kind, Resource};

    static MACHINE: Kind = Kind { name: "machine", batch: 10, help: "", last: false };
    static NET: Kind = Kind { name: "net", batch: 1, help: "", last: false };

    fn kind(kind: &'static Kind, fate: Disposition, gone: usize, total: usize) -> KindState {
        KindState { kind, fate, total, gone, going: 0, held: 0 }
    }

    fn state(kinds: Vec<KindState>) -> State {
        State { kinds, blocked: Vec::new(), proving: false, elapsed: Duration::ZERO }
    }

    fn blocked(holders: &[&str]) -> Blocked {
        Blocked {
            thing: Resource {
                id: "n-1".to_owned(),
                kind: &NET,
                name: "demo".to_owned(),
                fate: Disposition::Removed,
                after: Vec::new(),
            },
            why: "it is in use".to_owned(),
            holders: holders.iter().map(|what| Holder { what: (*what).to_owned(), own: false }).collect(),
            help: String::new(),
            since: Duration::from_secs(30),
        }
    }

    #[test]
    fn the_tree_has_what_is_left_and_what_holds_it() {
        let mut state = state(vec![
            KindState { going: 2, ..kind(&MACHINE, Disposition::Removed, 3, 6) },
            kind(&MACHINE, Disposition::Released, 1, 1),
            KindState { held: 1, ..kind(&NET, Disposition::Removed, 0, 1) },
        ]);
        state.blocked = vec![blocked(&["interface i-1 of balancer web"]), blocked(&[])];
        state.proving = true;
        let lines = lines(&state);
        assert_eq!(lines.len(), 5, "{lines:?}");
        for (line, part) in lines.iter().zip(["3/6", "0/1", "i-1 of balancer web", ": it is in use"]) {
            assert!(line.contains(part), "{line}");
        }
        landfall_testing::assert_text("destroy-tree", &(lines.join("\n") + "\n"));
    }

    #[test]
    fn the_tree_fits_the_terminal() {
        let many: Vec<String> = (0..50).map(|n| format!("{n} {}", "x".repeat(100))).collect();
        let fit = fitting(many, 24, 80);
        assert_eq!(fit.len(), 21);
        assert!(fit.iter().all(|line| line.chars().count() <= 79));
        assert!(fit.last().is_some_and(|last| last.contains(" 30 ")), "{fit:?}");
    }

    #[test]
    fn a_kind_is_told_once_and_again_when_more_of_it_came_up() {
        let mut done = KindsDone::default();
        let of = |gone, total| state(vec![kind(&MACHINE, Disposition::Removed, gone, total)]);
        assert_eq!(done.news(&of(5, 6)), Vec::<String>::new());
        assert_eq!(done.news(&of(6, 6)), ["machine: 6 gone"]);
        assert_eq!(done.news(&of(6, 6)), Vec::<String>::new());
        assert_eq!(done.news(&of(6, 7)), Vec::<String>::new());
        assert_eq!(done.news(&of(7, 7)), ["machine: 7 gone"]);
        assert_eq!(done.news(&state(vec![kind(&NET, Disposition::Released, 2, 2)])), ["net: 2 untagged"]);
    }
}

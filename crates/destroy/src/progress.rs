//! The progress of a run.

use std::fmt::Write;
use std::time::Duration;

use landfall_diagnostics::{clock, few};
use landfall_platform::removal::{Disposition, Holder, Kind, Resource};
use tokio::time::Instant;

use super::removal_state::{RemovalState, Stand};

/// Somebody who watches a run.
pub trait Watcher: Sync {
    /// Something is different from before.
    fn changed(&self, state: &State);

    /// The run goes on: heard at least every few seconds, with nothing different from before but the time.
    fn lasts(&self, _: &State) {}

    /// Something worth a line, without a full stop.
    fn told(&self, line: &str);
}

/// Discards the progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watcher for Unwatched {
    fn changed(&self, _: &State) {}

    fn told(&self, _: &str) {}
}

/// The progress of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// One entry for each kind and fate, in the order in which they were first found.
    pub kinds: Vec<KindState>,
    /// The reported resources that remain, each with its holders.
    pub blocked: Vec<Blocked>,
    /// Whether nothing is left to do but to look whether all is gone.
    pub proving: bool,
    /// How long the run has taken so far.
    pub elapsed: Duration,
}

/// The progress of the resources of one kind and one disposition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindState {
    /// The kind.
    pub kind: &'static Kind,
    /// The disposition of these resources.
    pub fate: Disposition,
    /// How many there are, those that are gone among them.
    pub total: usize,
    /// How many are gone, or released.
    pub gone: usize,
    /// How many are on their way.
    pub going: usize,
    /// How many are held, or failed, or were refused.
    pub held: usize,
}

/// A resource that remains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked {
    /// The resource.
    pub thing: Resource,
    /// Why it does not go, without a full stop.
    pub why: String,
    /// Its holders; empty where they are unknown.
    pub holders: Vec<Holder>,
    /// What to do about it; empty where there is nothing to do but to wait.
    pub help: String,
    /// How long ago it was tried first.
    pub since: Duration,
}

impl State {
    pub(super) fn of(board: &RemovalState, begun: Instant, now: Instant) -> Self {
        let mut kinds: Vec<KindState> = Vec::with_capacity(board.groups.len());
        for group in &board.groups {
            let (kind, fate) = (group.kind, group.fate);
            kinds.push(KindState { kind, fate, total: 0, gone: 0, going: 0, held: 0 });
        }
        for node in &board.nodes {
            let kind = &mut kinds[node.group];
            kind.total += 1;
            match node.stand {
                Stand::Waiting | Stand::Ready(_) => {}
                Stand::Trying | Stand::Going | Stand::Doubted => kind.going += 1,
                Stand::Held { .. } | Stand::Refused => kind.held += 1,
                Stand::Gone => kind.gone += 1,
            }
        }
        let blocked = (0..board.nodes.len()).filter_map(|place| board.blocked(place, now)).collect();
        let elapsed = now.saturating_duration_since(begun);
        Self { kinds, blocked, proving: !board.has_work(), elapsed }
    }

    /// Whether nothing has changed since another state but the time.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let is_like = |(a, b): (&Blocked, &Blocked)| {
            a.thing.id == b.thing.id && a.why == b.why && a.holders == b.holders && a.help == b.help
        };
        self.kinds == other.kinds
            && self.proving == other.proving
            && self.blocked.len() == other.blocked.len()
            && self.blocked.iter().zip(&other.blocked).all(is_like)
    }
}

/// The name of a resource for people: `security group demo-node (sg-1)`.
#[must_use]
pub fn label(thing: &Resource) -> String {
    format!("{} {}", thing.kind.name, called(thing))
}

/// The same without its kind.
fn called(thing: &Resource) -> String {
    if thing.name.is_empty() || thing.name == thing.id {
        return plain(&thing.id);
    }
    plain(&format!("{} ({})", thing.name, thing.id))
}

/// A text on one line.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The most holders that one line names.
const MOST_HOLDERS: usize = 5;

/// The lines that tell it: what does not go, why, what holds it, what to do. Things of one kind of which the same
/// is to be told share a line.
pub(super) fn lines(blocked: &[Blocked]) -> Vec<String> {
    let mut alike: Vec<(&Blocked, Vec<&Blocked>)> = Vec::new();
    for one in blocked {
        match alike.iter_mut().find(|(first, _)| first.is_told_like(one)) {
            Some((_, all)) => all.push(one),
            None => alike.push((one, vec![one])),
        }
    }
    alike.into_iter().map(|(first, all)| line(first, &all)).collect()
}

fn line(first: &Blocked, all: &[&Blocked]) -> String {
    let since = all.iter().map(|one| one.since).max().unwrap_or_default();
    let mut line = if all.len() == 1 {
        format!("{} still exists after {}", label(&first.thing), clock(since))
    } else {
        let named: Vec<String> = all.iter().map(|one| called(&one.thing)).collect();
        let (kind, count) = (first.thing.kind.name, all.len());
        format!("{kind}: {count} still exist after {}, {}", clock(since), named.join(", "))
    };
    if !first.why.is_empty() {
        let _ = write!(line, ": {}", first.why);
    }
    let named: Vec<String> = first.holders.iter().map(holder).collect();
    if !named.is_empty() {
        let _ = write!(line, "; held by {}", few(&named, MOST_HOLDERS));
    }
    if !first.help.is_empty() {
        let _ = write!(line, "; {}", first.help);
    }
    plain(&line)
}

impl Blocked {
    /// Whether the report of another resource of the same kind is the same.
    fn is_told_like(&self, other: &Self) -> bool {
        self.thing.kind == other.thing.kind
            && self.thing.fate == other.thing.fate
            && (&self.why, &self.holders, &self.help) == (&other.why, &other.holders, &other.help)
    }
}

fn holder(holder: &Holder) -> String {
    let own = if holder.own { " (the cluster's own, removed later)" } else { "" };
    format!("{}{own}", holder.what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::assert_names;

    static GROUP: Kind = Kind { name: "security group", batch: 1, help: "remove it", last: false };

    fn thing(name: &str) -> Resource {
        let (id, name) = ("sg-1".to_owned(), name.to_owned());
        Resource { id, kind: &GROUP, name, fate: Disposition::Removed, after: Vec::new() }
    }

    #[test]
    fn a_thing_is_called_by_its_name_and_its_id() {
        assert_eq!(label(&thing("")), "security group sg-1");
        assert_eq!(label(&thing("sg-1")), "security group sg-1");
        assert_eq!(label(&thing("demo\nnode")), "security group demo node (sg-1)");
    }

    #[test]
    fn a_line_says_what_holds_a_thing_and_what_to_do() {
        let holders = (1..=7).map(|n| Holder { what: format!("interface eni-{n}"), own: n == 1 }).collect();
        let blocked = Blocked {
            thing: thing(""),
            why: "it is in use".to_owned(),
            holders,
            help: "remove it".to_owned(),
            since: Duration::from_millis(25_700),
        };
        let bare = Blocked {
            thing: thing("demo"),
            why: String::new(),
            holders: Vec::new(),
            help: String::new(),
            ..blocked.clone()
        };
        let other = Blocked { since: Duration::from_secs(31), ..bare.clone() };
        // Both have the same report, so they share one line.
        let told = lines(&[bare, blocked, other]);
        assert_eq!(told.len(), 2, "{told:?}");
        assert_names(&told[0], &["security group", " 2 ", " 31s", "demo (sg-1), demo (sg-1)"]);
        let held = ["security group sg-1 ", " 25s", "eni-1 (", "eni-2, ", "eni-5 ", " 2 more", "; remove it"];
        assert_names(&told[1], &held);
        landfall_testing::assert_text("destroy-progress", &format!("{}\n", told.join("\n")));
    }
}

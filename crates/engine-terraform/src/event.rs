//! What terraform prints with `-json`, one event a line, as values.
//!
//! Pure. What is not known is no fault: newer versions may say more, and programs that terraform starts may
//! print between its lines.

use serde::Deserialize;

/// What is being done to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// It is created.
    Create,
    /// It is read.
    Read,
    /// It is changed in place.
    Update,
    /// It is removed.
    Delete,
    /// It is replaced.
    Replace,
    /// Something that this version does not know.
    Other,
}

impl Action {
    /// The action as a word that goes before the resource's address: `creating`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Create => "creating",
            Self::Read => "reading",
            Self::Update => "updating",
            Self::Delete => "deleting",
            Self::Replace => "replacing",
            Self::Other => "working on",
        }
    }

    fn of(name: &str) -> Self {
        match name {
            "create" => Self::Create,
            "read" => Self::Read,
            "update" => Self::Update,
            "delete" => Self::Delete,
            "replace" => Self::Replace,
            _ => Self::Other,
        }
    }
}

/// How many resources are, or were, added, changed and removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Counts {
    pub(super) add: usize,
    pub(super) change: usize,
    pub(super) remove: usize,
}

impl Counts {
    pub(super) fn sum(self) -> usize {
        self.add.saturating_add(self.change).saturating_add(self.remove)
    }
}

/// What terraform has to say of a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Diagnostic {
    pub(super) severity: String,
    pub(super) summary: String,
    pub(super) detail: String,
    pub(super) address: Option<String>,
}

/// One line of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// So much is to be done.
    Planned(Counts),
    /// So much was done.
    Changed(Counts),
    /// Work on a resource begins.
    Started(String, Action),
    /// Work on a resource has been going on for so many seconds.
    Going(String, Action, u64),
    /// Work on a resource has ended well.
    Completed(String, Action),
    /// Work on a resource has failed; a diagnostic says why.
    Errored(String, Action),
    /// Terraform says something of an error or a warning.
    Said(Diagnostic),
    /// Nothing that counts here.
    Idle,
    /// An event of a type that is not known.
    Unknown,
}

/// Types of events that say nothing of what is done or left to do.
const IDLE: &str = include_str!("data/idle-events.txt");

#[derive(Deserialize)]
struct Line {
    #[serde(rename = "type")]
    sort: String,
    hook: Option<Hook>,
    changes: Option<Changes>,
    diagnostic: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Hook {
    resource: Option<Resource>,
    action: Option<String>,
    elapsed_seconds: Option<f64>,
}

#[derive(Deserialize)]
struct Resource {
    addr: String,
}

#[derive(Deserialize)]
struct Changes {
    #[serde(flatten)]
    counts: Counts,
    #[serde(default)]
    operation: String,
}

impl Event {
    /// Reads one line. Nothing, if it is not an event at all.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let line: Line = serde_json::from_slice(line).ok()?;
        let hook = line.hook.and_then(|hook| {
            let action = Action::of(hook.action.as_deref().unwrap_or_default());
            // Whole seconds are enough; an invalid time counts as none.
            let seconds = hook.elapsed_seconds.and_then(|seconds| {
                std::time::Duration::try_from_secs_f64(seconds).ok().map(|time| time.as_secs())
            });
            Some((hook.resource?.addr, action, seconds.unwrap_or(0)))
        });
        let of_resource = |event: fn(String, Action) -> Self| {
            hook.clone().map(|(address, action, _)| event(address, action))
        };
        match line.sort.as_str() {
            "change_summary" => line.changes.map(|changes| match changes.operation.as_str() {
                "plan" => Self::Planned(changes.counts),
                _ => Self::Changed(changes.counts),
            }),
            "apply_start" => of_resource(Self::Started),
            "apply_complete" => of_resource(Self::Completed),
            "apply_errored" => of_resource(Self::Errored),
            "apply_progress" => hook.map(|(address, action, seconds)| Self::Going(address, action, seconds)),
            "diagnostic" => line.diagnostic.map(Self::Said),
            sort if IDLE.lines().any(|idle| idle == sort) => Some(Self::Idle),
            _ => Some(Self::Unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of Terraform 1.11 that fails at the last of four resources.
    const FAILED: &str = include_str!("recorded/failed.jsonl");

    #[test]
    fn every_line_of_a_recorded_run_is_known() {
        for line in FAILED.lines() {
            let event = Event::parse(line.as_bytes());
            assert!(event.is_some() && event != Some(Event::Unknown), "{line}");
        }
    }

    #[test]
    fn what_says_nothing_of_the_work_is_idle() {
        assert!(IDLE.lines().count() > 10);
        for sort in IDLE.lines() {
            let line = format!(r#"{{"type":"{sort}"}}"#);
            assert!(Event::parse(line.as_bytes()) == Some(Event::Idle), "{sort}");
        }
    }

    #[test]
    fn what_counts_is_read() {
        let events: Vec<Event> = FAILED.lines().filter_map(|line| Event::parse(line.as_bytes())).collect();
        let planned = Event::Planned(Counts { add: 4, change: 0, remove: 0 });
        assert_eq!(events.iter().filter(|event| **event == planned).count(), 1);
        let last = || "terraform_data.last".to_owned();
        assert!(events.contains(&Event::Started(last(), Action::Create)));
        assert!(events.contains(&Event::Errored(last(), Action::Create)));
        let completed = events.iter().filter(|event| matches!(event, Event::Completed(..))).count();
        assert_eq!(completed, 3);
        let said: Vec<&Diagnostic> =
            events.iter().filter_map(|e| if let Event::Said(said) = e { Some(said) } else { None }).collect();
        assert_eq!(said.len(), 1);
        assert!(said.iter().all(|said| said.severity == "error" && said.address == Some(last())));
    }

    #[test]
    fn other_lines_are_distinguished_from_unknown_events() {
        let broken = ["", "{", "panic: x", "[]", "{\"type\":7}", "{}", "{\"type\":\"apply_start\"}", "\u{0}"];
        for line in broken {
            assert_eq!(Event::parse(line.as_bytes()), None, "{line}");
        }
        assert_eq!(Event::parse(b"\xff\xfe"), None);
        assert_eq!(Event::parse(b"{\"type\":\"of_tomorrow\",\"new\":{\"a\":[1]}}"), Some(Event::Unknown));
    }

    #[test]
    fn times_that_are_none_do_no_harm() {
        for (seconds, expected) in [("-1", 0), ("1e300", 0), ("2.9", 2), ("10", 10)] {
            let line = format!(
                "{{\"type\":\"apply_progress\",\"hook\":{{\"resource\":{{\"addr\":\"a.b\"}},\
                 \"action\":\"delete\",\"elapsed_seconds\":{seconds}}}}}"
            );
            let expected = Event::Going("a.b".to_owned(), Action::Delete, expected);
            assert_eq!(Event::parse(line.as_bytes()), Some(expected), "{seconds}");
        }
    }
}

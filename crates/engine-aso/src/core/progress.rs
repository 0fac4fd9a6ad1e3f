//! What comes of all objects together, and what is told of each.

use std::collections::BTreeMap;

use super::{Action, What};

/// How an object or a whole plan stands, from the best to the worst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Nothing is left to do.
    #[default]
    Done,
    /// Something is on its way.
    Waiting,
    /// Something failed and may heal.
    TransientError,
    /// Something failed and will not heal by itself.
    TerminalError,
}

impl Outcome {
    /// How an object stands about which this is to be done.
    #[must_use]
    pub fn of(what: &What) -> Self {
        match what {
            What::Leave | What::None => Self::Done,
            What::Create(_) | What::Patch(_) | What::Delete | What::Wait => Self::Waiting,
            What::TransientError => Self::TransientError,
            What::TerminalError => Self::TerminalError,
        }
    }

    /// How a plan stands: as the worst of its objects.
    #[must_use]
    pub fn of_plan<'a>(actions: impl IntoIterator<Item = &'a Action>) -> Self {
        actions.into_iter().map(|action| Self::of(&action.what)).max().unwrap_or_default()
    }
}

/// What was last told of each object.
#[derive(Debug, Default)]
pub struct Progress {
    told: BTreeMap<(String, String), String>,
}

impl Progress {
    /// The line to tell of an object; none where nothing changed since the last one.
    pub fn line(&mut self, kind: &str, name: &str, action: &Action) -> Option<String> {
        let message = action.message.lines().collect::<Vec<&str>>().join(" ");
        let line = match action.what {
            // What is as it should be says so itself.
            What::None => format!("{kind}/{name}: {message}"),
            _ => format!("{kind}/{name}: {} {message}", action.what.name()),
        };
        let before = self.told.insert((kind.to_owned(), name.to_owned()), line.clone());
        (action.what.writes() || before.as_ref() != Some(&line)).then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_object_decides() {
        let actions = |whats: &[What]| -> Vec<Action> {
            whats.iter().map(|what| Action::new(what.clone(), None, "")).collect()
        };
        assert_eq!(Outcome::of_plan(&[]), Outcome::Done);
        assert_eq!(Outcome::of_plan(&actions(&[What::None, What::Leave])), Outcome::Done);
        assert_eq!(Outcome::of_plan(&actions(&[What::Delete, What::None])), Outcome::Waiting);
        let failed = [What::TransientError, What::Wait];
        assert_eq!(Outcome::of_plan(&actions(&failed)), Outcome::TransientError);
        let failed = [What::TransientError, What::TerminalError, What::Wait];
        assert_eq!(Outcome::of_plan(&actions(&failed)), Outcome::TerminalError);
    }

    #[test]
    fn a_change_is_told_once() {
        let mut progress = Progress::default();
        let mut told = |name: &str, what: What, message: &str| {
            progress.line("RouteTable", name, &Action::new(what, None, message))
        };
        let line = |name: &str, rest: &str| Some(format!("RouteTable/{name}: {rest}"));
        assert_eq!(told("a", What::Wait, "x\ny"), line("a", "wait x y"));
        assert_eq!(told("a", What::Wait, "x\ny"), None);
        assert_eq!(told("b", What::Wait, "x"), line("b", "wait x"));
        assert_eq!(told("a", What::None, "ready"), line("a", "ready"));
        assert_eq!(told("a", What::Delete, "x"), line("a", "delete x"));
        assert_eq!(told("a", What::Delete, "x"), line("a", "delete x"));
    }
}

//! The answer: one action, what the policy is afterwards, and a message.

use std::fmt;

use serde_json::Value;

use super::difference::Change;
use super::{Case, DryRun, Verb};

/// What is to be done.
#[derive(Clone, PartialEq)]
pub enum What {
    /// Make this object.
    Create(Value),
    /// Send this JSON merge patch.
    Patch(Value),
    /// Delete the object.
    Delete,
    /// Look again later.
    Wait,
    /// Nothing; the object or its resource is not the engine's.
    Leave,
    /// Nothing; it is as it is to be.
    None,
    /// Nothing; it failed and may heal.
    TransientError,
    /// Nothing; it failed and will not heal by itself.
    TerminalError,
}

impl What {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "create",
            Self::Patch(_) => "patch",
            Self::Delete => "delete",
            Self::Wait => "wait",
            Self::Leave => "leave",
            Self::None => "none",
            Self::TransientError => "transient-error",
            Self::TerminalError => "terminal-error",
        }
    }

    /// Whether it changes something in the management cluster.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self, Self::Create(_) | Self::Patch(_) | Self::Delete)
    }
}

/// Without the object or patch, which may hold what is not for everybody.
impl fmt::Debug for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is to be done about an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// What it is.
    pub what: What,
    /// The policy annotation afterwards.
    pub policy: Option<String>,
    /// Why, in words that hold nothing of a spec.
    pub message: String,
    /// What adoption would do, in a dry run.
    pub dry_run: Option<DryRun>,
}

impl Action {
    pub(super) fn new(what: What, policy: Option<&str>, message: impl Into<String>) -> Self {
        Self { what, policy: policy.map(str::to_owned), message: message.into(), dry_run: None }
    }

    /// Nothing is done, and it is said what adoption would do.
    pub(super) fn tried(found: DryRun, policy: Option<&str>) -> Self {
        let message = found.to_string();
        Self { dry_run: Some(found), ..Self::new(What::Leave, policy, message) }
    }
}

impl Case<'_> {
    /// An action that leaves the policy as it is.
    pub(super) fn keep(&self, what: What, message: impl Into<String>) -> Action {
        Action::new(what, self.object.policy_as_written(), message)
    }

    /// The patch that makes this change, or what follows from its refusal.
    pub(super) fn patch(&self, change: Change, message: impl Into<String>) -> Action {
        let refused = "failed to update resource";
        match self.context.failed(Verb::Patch).map(|error| error.code) {
            None => Action::new(What::Patch(change.patch), change.policy.as_deref(), message),
            Some(Some(404 | 409)) => self.keep(What::Wait, "object changed meanwhile"),
            Some(code @ Some(400 | 403 | 422)) => self.keep(What::TerminalError, unanswered(refused, code)),
            Some(code) => self.keep(What::TransientError, unanswered(refused, code)),
        }
    }

    /// Row 5 of reconcile, 3 of the others: an object of somebody else's is not touched.
    pub(super) fn not_ours(&self) -> Option<Action> {
        let ours = self.owner.owns(self.object, &self.context.infra_id);
        (!ours).then(|| self.keep(What::Leave, "object is not managed by this cluster"))
    }
}

/// What failed, with the status that was answered.
pub(super) fn unanswered(what: &str, code: Option<u16>) -> String {
    match code {
        Some(code) => format!("{what}: the API server answers {code}"),
        None => format!("{what}: the API server does not answer"),
    }
}

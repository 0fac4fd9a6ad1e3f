//! An object of the operator as it was read.

use serde_json::{Map, Value};

use crate::desired::Policy;
use crate::keys;

/// The three values of a condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Nobody knows, or nobody has said.
    #[default]
    Unknown,
}

/// What the operator says of its work on an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready<'a> {
    /// Whether the work is done.
    pub status: Status,
    /// Why, in one word.
    pub reason: &'a str,
    /// How bad it is.
    pub severity: Option<&'a str>,
    /// Why, in a sentence.
    pub message: &'a str,
    /// The generation that it is about.
    pub observed_generation: Option<i64>,
}

impl<'a> Ready<'a> {
    /// The sentence, or the word where there is none.
    #[must_use]
    pub fn said(&self) -> &'a str {
        if self.message.is_empty() { self.reason } else { self.message }
    }
}

/// An object of the operator as it was read.
#[derive(Clone, Copy)]
pub struct Object<'a>(pub &'a Value);

impl<'a> Object<'a> {
    fn metadata(self, field: &str) -> Option<&'a Value> {
        self.0.get("metadata")?.get(field)
    }

    /// The value of an annotation.
    #[must_use]
    pub fn annotation(self, key: &str) -> Option<&'a str> {
        self.metadata("annotations")?.get(key)?.as_str()
    }

    /// The value of a label.
    #[must_use]
    pub fn label(self, key: &str) -> Option<&'a str> {
        self.metadata("labels")?.get(key)?.as_str()
    }

    /// The policy annotation.
    #[must_use]
    pub fn policy_as_written(self) -> Option<&'a str> {
        self.annotation(keys::POLICY)
    }

    /// The policy that the operator follows.
    #[must_use]
    pub fn policy(self) -> Policy {
        Policy::of(self.policy_as_written())
    }

    /// Whether a policy is remembered from before a pause.
    #[must_use]
    pub fn is_paused(self) -> bool {
        self.annotation(keys::PRE_PAUSE).is_some()
    }

    /// Whether a policy is remembered from before a handover.
    #[must_use]
    pub fn is_handed_over(self) -> bool {
        self.annotation(keys::HANDOVER).is_some()
    }

    /// Whether it is on its way out.
    #[must_use]
    pub fn is_being_deleted(self) -> bool {
        self.metadata("deletionTimestamp").is_some_and(|time| !time.is_null())
    }

    /// The generation of its spec.
    #[must_use]
    pub fn generation(self) -> i64 {
        self.metadata("generation").and_then(Value::as_i64).unwrap_or_default()
    }

    /// Its owners.
    pub(super) fn owner_references(self) -> impl Iterator<Item = &'a Value> {
        self.metadata("ownerReferences").and_then(Value::as_array).into_iter().flatten()
    }

    /// A field of its spec or status that is a map.
    pub(super) fn map(self, part: &str, field: &str) -> Option<&'a Map<String, Value>> {
        self.0.get(part)?.get(field)?.as_object()
    }

    /// What the operator says of its work on it.
    #[must_use]
    pub fn ready(self) -> Ready<'a> {
        let conditions = self.0.get("status").and_then(|status| status.get("conditions"));
        let mut conditions = conditions.and_then(Value::as_array).into_iter().flatten();
        let Some(found) = conditions.find(|one| one.get("type").and_then(Value::as_str) == Some("Ready"))
        else {
            return Ready::default();
        };
        let text = |field: &str| found.get(field).and_then(Value::as_str);
        Ready {
            status: match text("status") {
                Some("True") => Status::True,
                Some("False") => Status::False,
                _ => Status::Unknown,
            },
            reason: text("reason").unwrap_or_default(),
            severity: text("severity").filter(|severity| !severity.is_empty()),
            message: text("message").unwrap_or_default().trim(),
            observed_generation: found.get("observedGeneration").and_then(Value::as_i64),
        }
    }

    /// Whether the operator has done its work on it.
    #[must_use]
    pub fn is_ready(self) -> bool {
        self.ready().status == Status::True
    }
}

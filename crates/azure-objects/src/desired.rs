//! An object as the plan wants it, with what the engine has to know of it.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use super::kinds::{Kind, TagCarrier, WasManaged};

/// What the operator may do in Azure for an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Policy {
    /// It reads, writes and deletes.
    #[default]
    Manage,
    /// It reads and writes; deleting the object leaves Azure alone.
    DetachOnDelete,
    /// It only reads; deleting the object leaves Azure alone.
    Skip,
}

impl Policy {
    /// Its name in the annotation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Manage => "manage",
            Self::DetachOnDelete => "detach-on-delete",
            Self::Skip => "skip",
        }
    }

    /// The policy that the operator follows under this annotation; without one, or under one that it does not
    /// know, it manages.
    #[must_use]
    pub fn of(annotation: Option<&str>) -> Self {
        let known = [Self::DetachOnDelete, Self::Skip];
        known.into_iter().find(|policy| annotation == Some(policy.name())).unwrap_or_default()
    }
}

/// Whose the Azure resource of an object is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The engine's: made, changed and deleted.
    #[default]
    Managed,
    /// The user's: it must exist and is never changed.
    Byo,
    /// It must exist, and is the engine's only with the ownership tag.
    Claimable,
}

impl Mode {
    /// Its name in the annotation.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Byo => "byo",
            Self::Claimable => "claimable",
        }
    }
}

/// What the engine has to know of an object beyond what is written into it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Hints {
    /// Whose the Azure resource is.
    pub mode: Mode,
    /// The policy after adoption.
    pub adopt_policy: Policy,
    /// The field that carries tags.
    pub tags: TagCarrier,
    /// How it is known of a found resource that it was managed before.
    pub was_managed: WasManaged,
    /// The user's tags.
    pub additional_tags: BTreeMap<String, String>,
    /// The user's JSON merge patches, in their order, as they were given.
    pub patches: Vec<String>,
    /// Whether the running cluster takes the resource over once it is installed.
    pub handover: bool,
    /// The values that are still unknown, in words.
    pub late_bound: Vec<String>,
}

impl Hints {
    /// What holds for an object of this kind unless the plan says otherwise.
    #[must_use]
    pub fn of(kind: &Kind) -> Self {
        Self {
            adopt_policy: kind.adopt_policy,
            tags: kind.tag_carrier,
            was_managed: kind.was_managed,
            handover: kind.handover,
            ..Self::default()
        }
    }
}

/// An object that another one names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need {
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
}

/// An object of the plan.
#[derive(Clone, PartialEq)]
pub struct Desired {
    /// Its kind.
    pub kind: &'static Kind,
    /// The group and the version in which it is written.
    pub api_version: String,
    /// Its name, unique among the objects of its kind.
    pub name: String,
    /// What it asks for.
    pub spec: Map<String, Value>,
    /// What the engine has to know of it.
    pub hints: Hints,
    /// The objects that must be Ready before it is adopted.
    pub needs: Vec<Need>,
}

/// Kind and name only: a spec may hold what is not for everybody.
impl fmt::Debug for Desired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.kind, self.name)
    }
}

//! Admission: whether a cluster's API may take a profile, the change of a cloud profile, or a cluster's new
//! reference to a profile.
//!
//! Pure: the caller reads the objects of a request. [`verbs()`] returns the verbs that the authorizer must check.

mod capabilities;
mod cloud_profile;
mod deletion;
mod every_stage;
mod loss;
mod machines;
pub(crate) mod misfit;
mod names;
mod nesting;
mod object;
mod overrides;
mod parent_update;
mod private;
mod regions;
mod released;
mod result;
mod shape;
mod shoot_update;
mod shoots;
mod usage;
mod verbs;
mod versions;

use std::fmt;

use jiff::Timestamp;
use landfall_diagnostics::shortened;
use serde_json::Value;

pub(crate) use cloud_profile::of_members;
pub use cloud_profile::{cloud_profile, cloud_profile_update};
pub use deletion::{Deletion, FINALIZER, REFERENCED, cloud_profile_deletion, profile_deletion};
pub use every_stage::refusals;
pub use loss::{Loss, joined, losses, takes};
pub use nesting::nesting;
pub use parent_update::{ParentUpdate, matters, parent_update};
pub(crate) use shape::of as shape_of;
pub use shoot_update::{Referred, shoot_update};
pub use shoots::{ClusterKind, Reference, Shoot, Worker};
pub use usage::usage;
pub use verbs::{Verb, verbs};

use super::types::{
    CloudProfileSpec, NAMESPACED_CLOUD_PROFILE, NAMESPACED_CLOUD_PROFILES, PRIVATE_CLOUD_PROFILE,
    PRIVATE_CLOUD_PROFILES,
};

/// The two kinds of profiles that inherit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileKind {
    /// The kind that was proposed.
    Private,
    /// The kind that was released.
    Released,
}

impl ProfileKind {
    /// The kind of this name, if it is one of the two.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        [Self::Private, Self::Released].into_iter().find(|kind| kind.name() == name)
    }

    /// The name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => PRIVATE_CLOUD_PROFILE,
            Self::Released => NAMESPACED_CLOUD_PROFILE,
        }
    }

    /// The name of the resource.
    #[must_use]
    pub fn resource(self) -> &'static str {
        match self {
            Self::Private => PRIVATE_CLOUD_PROFILES,
            Self::Released => NAMESPACED_CLOUD_PROFILES,
        }
    }

    /// The name of the cloud profile that an object of this kind inherits from, where it says one.
    #[must_use]
    pub fn parent(self, object: &Value) -> Option<&str> {
        let parent = match self {
            Self::Private => object.pointer("/spec/parent"),
            Self::Released => object.pointer("/spec/parent/name"),
        };
        parent.and_then(Value::as_str).filter(|name| !name.is_empty())
    }

    /// What stands against an object of this kind whose cloud profile is being deleted.
    #[must_use]
    pub fn leaving_parent(self, object: &Value) -> Refusal {
        let field = match self {
            Self::Private => "spec.parent",
            Self::Released => "spec.parent.name",
        };
        let name = shortened(self.parent(object).unwrap_or_default());
        Refusal::new(field, Why::Forbidden, format!("the cloud profile `{name}` is being deleted"))
    }
}

/// A profile that is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Its kind.
    pub kind: ProfileKind,
    /// The object as it was sent.
    pub object: &'a Value,
    /// The existing object, if there is one.
    pub old: Option<&'a Value>,
    /// The cloud profile that [`ProfileKind::parent`] names, if there is one.
    pub parent: Option<&'a CloudProfileSpec>,
    /// The time.
    pub now: Timestamp,
}

/// Whether a profile may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may, given the verbs that it needs.
    Accepted,
    /// It may not.
    Refused {
        /// Where it failed.
        stage: Stage,
        /// All that stands against it there.
        refusals: Vec<Refusal>,
    },
}

impl Verdict {
    /// Refused if anything stands against it.
    fn of(stage: Stage, refusals: Vec<Refusal>) -> Self {
        if refusals.is_empty() { Self::Accepted } else { Self::Refused { stage, refusals } }
    }
}

/// The stages of a review; what fails in one does not come to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The object alone.
    Validation,
    /// The object beside its parent.
    Admission,
    /// What comes of both.
    MergeResult,
}

impl Stage {
    /// The name of the stage.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Admission => "admission",
            Self::MergeResult => "merge-result",
        }
    }
}

/// One thing that stands against a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The field.
    pub field: String,
    /// The sort of fault.
    pub why: Why,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
}

impl Refusal {
    fn new(field: impl Into<String>, why: Why, message: impl Into<String>) -> Self {
        Self { field: field.into(), why, message: message.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.field, self.message, self.why.name())
    }
}

/// The sorts of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A value is missing.
    Required,
    /// A value breaks a rule.
    Invalid,
    /// A value stands twice.
    Duplicate,
    /// A value must not be given here, or not be changed so.
    Forbidden,
    /// A value is none of the accepted ones.
    NotSupported,
    /// What is named does not exist.
    NotFound,
    /// A value can never be changed.
    Immutable,
    /// The kind has no such field.
    UnknownField,
    /// The parent has no such entry.
    NotInParent,
    /// A date has passed.
    InPast,
    /// Something still uses it.
    InUse,
    /// The user lacks a verb.
    VerbMissing,
    /// The profiles have different parents.
    OtherHierarchy,
    /// Neither profile is the other's parent.
    NotParentOrChild,
    /// A worker's image version is not offered.
    MachineImageMissing,
    /// A worker's machine type is not offered.
    MachineTypeMissing,
    /// A worker's volume type is not offered.
    VolumeTypeMissing,
}

impl Why {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Invalid => "invalid",
            Self::Duplicate => "duplicate",
            Self::Forbidden => "forbidden",
            Self::NotSupported => "not-supported",
            Self::NotFound => "not-found",
            Self::Immutable => "immutable",
            Self::UnknownField => "unknown-field",
            Self::NotInParent => "not-in-parent",
            Self::InPast => "in-past",
            Self::InUse => "in-use",
            Self::VerbMissing => "verb-missing",
            Self::OtherHierarchy => "other-hierarchy",
            Self::NotParentOrChild => "not-parent-or-child",
            Self::MachineImageMissing => "machine-image-missing",
            Self::MachineTypeMissing => "machine-type-missing",
            Self::VolumeTypeMissing => "volume-type-missing",
        }
    }
}

/// Whether a profile may be written, as far as it can be told from it and its parent. The verbs that it needs
/// and the clusters that use it are for [`verbs()`] and [`usage()`] to tell.
#[must_use]
pub fn review(request: &Request<'_>) -> Verdict {
    match request.kind {
        ProfileKind::Private => private::review(request),
        ProfileKind::Released => released::review(request),
    }
}

/// What stands against a profile beside its parent, even where the profile alone is refused already. Nothing is said
/// of a spec that cannot be read.
#[must_use]
pub fn beside_parent(request: &Request<'_>) -> Vec<Refusal> {
    match request.kind {
        ProfileKind::Private => private::beside_parent(request),
        ProfileKind::Released => released::beside_parent(request),
    }
}

/// What stands against what comes of a profile and its parent, even where an earlier stage refuses it already. Nothing
/// is said of a spec that cannot be read.
#[must_use]
pub fn merge_result(request: &Request<'_>) -> Vec<Refusal> {
    match request.kind {
        // What comes of a private profile is not judged.
        ProfileKind::Private => Vec::new(),
        ProfileKind::Released => released::merge_result(request),
    }
}

/// Whether a member of the object is another than before.
fn differs(request: &Request<'_>, member: &str) -> bool {
    request.old.is_none_or(|old| old.get(member) != request.object.get(member))
}

//! Objects of a Kubernetes API as JSON, and what controllers do with them.

use std::fmt;

use futures::future::BoxFuture;
use serde_json::Value;

use super::Fault;

/// What an object belongs to: its group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind {
    /// API group; empty for the core.
    pub group: &'static str,
    /// API version in the group.
    pub version: &'static str,
    /// Kind, as in `kind:`.
    pub kind: &'static str,
    /// Its plural name, as in the path of the API.
    pub plural: &'static str,
}

impl Kind {
    /// A kind of an API group, in a version, with its plural name.
    #[must_use]
    pub const fn new(
        group: &'static str,
        version: &'static str,
        kind: &'static str,
        plural: &'static str,
    ) -> Self {
        Self { group, version, kind, plural }
    }

    /// Group and version, as in `apiVersion:`.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() {
            self.version.to_owned()
        } else {
            format!("{}/{}", self.group, self.version)
        }
    }
}

/// A reference to one object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectRef {
    /// What it is.
    pub kind: &'static Kind,
    /// Its namespace; none for what belongs to the whole cluster.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

impl ObjectRef {
    /// The place of an object in a namespace.
    #[must_use]
    pub fn in_namespace(kind: &'static Kind, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { kind, namespace: Some(namespace.into()), name: name.into() }
    }

    /// The place of an object of the whole cluster.
    #[must_use]
    pub fn in_cluster(kind: &'static Kind, name: impl Into<String>) -> Self {
        Self { kind, namespace: None, name: name.into() }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{} {namespace}/{}", self.kind.kind, self.name),
            None => write!(f, "{} {}", self.kind.kind, self.name),
        }
    }
}

/// Which part of an object a write is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All but the status, where the kind has a status of its own.
    Whole,
    /// The status.
    Status,
}

/// The objects of one cluster. A fault never holds what an object says.
pub trait Objects: Send + Sync {
    /// The current object; none if it does not exist.
    fn get<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>>;

    /// Server-side apply under landfall's field manager, forced: the fields given are landfall's from now on.
    /// `object` needs no `apiVersion`, `kind`, name or namespace: they are the place's. Gives the object that
    /// came of it.
    fn apply<'a>(
        &'a self,
        place: &'a ObjectRef,
        object: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>>;

    /// A JSON merge patch (RFC 7386) under the same manager; with a `metadata.resourceVersion` in it only onto
    /// that version. Gives the object that came of it.
    fn merge<'a>(
        &'a self,
        place: &'a ObjectRef,
        patch: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>>;

    /// Makes this the status of the object: nothing stays of what it said before. One JSON patch (RFC 6902)
    /// under the same manager, the cheapest way for the server where a status is large.
    fn set_status<'a>(&'a self, place: &'a ObjectRef, status: Value) -> BoxFuture<'a, Result<(), Fault>>;

    /// Deletes the object; says whether there was one.
    fn delete<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<bool, Fault>>;
}

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// Something was done.
    Normal,
    /// Somebody should look.
    Warning,
}

/// An event for those who look at an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterEvent {
    /// The object that it is about.
    pub about: ObjectRef,
    /// How much it matters.
    pub event_type: EventType,
    /// Why, in one word of the form `CloudConfigUpdated`.
    pub reason: &'static str,
    /// What happened, in a sentence.
    pub note: String,
}

/// The sink of events. A failure to report one stops nothing.
pub trait Events: Send + Sync {
    /// Reports it.
    fn report(&self, event: ClusterEvent) -> BoxFuture<'_, ()>;
}

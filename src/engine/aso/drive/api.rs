//! The API of a management cluster, as the driver needs it.

use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde_json::Value;

use crate::engine::aso::core::{ApiError, Verb};
use crate::kube::Fault;

/// Where one object stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Group and version.
    pub api_version: String,
    /// The name of its kind's objects in paths.
    pub plural: &'static str,
    /// Its namespace; none for what belongs to the whole cluster.
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
}

/// A call that did not do what it was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Why.
    pub fault: Fault,
    /// How long the server wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self { fault, retry_after: None }
    }
}

impl Failure {
    /// The HTTP status, if there was an answer.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        match &self.fault {
            Fault::Unauthorized => Some(401),
            Fault::Forbidden(_) => Some(403),
            Fault::NotFound => Some(404),
            Fault::Answer { status, .. } => Some(*status),
            Fault::Way { .. } | Fault::Setup(_) => None,
        }
    }

    /// The failure of this call, as decisions are made of it.
    #[must_use]
    pub fn of(&self, verb: Verb) -> ApiError {
        ApiError { verb, code: self.code() }
    }
}

/// Objects of one management cluster. Calls are not repeated in here.
pub trait Api: Send + Sync {
    /// The object as it stands now; none where there is none.
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>>;

    /// Makes the object, which must not be there, and gives it as it stands then.
    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>>;

    /// A JSON merge patch, with a `metadata.resourceVersion` in it only onto that version. Gives the object
    /// that came of it.
    fn merge<'a>(&'a self, at: &'a Location, patch: &'a Value) -> BoxFuture<'a, Result<Value, Failure>>;

    /// Deletes the object if these preconditions hold. Gives it as it stands then; none where it is gone at
    /// once.
    fn delete<'a>(
        &'a self,
        at: &'a Location,
        preconditions: &'a Value,
    ) -> BoxFuture<'a, Result<Option<Value>, Failure>>;
}

/// What a watch tells of the objects of a kind.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// These are all that there are.
    All(&'static str, Vec<Value>),
    /// An object stands so.
    Is(&'static str, Value),
    /// An object is gone; how it stood last.
    Gone(&'static str, Value),
    /// The watch broke, and is begun again.
    Broke {
        /// The kind.
        kind: &'static str,
        /// Why.
        why: String,
    },
}

/// News of the objects of a cluster, without end.
pub type Feed = BoxStream<'static, News>;

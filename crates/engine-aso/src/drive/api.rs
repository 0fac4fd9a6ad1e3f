//! The API of a management cluster, as the driver needs it.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use serde_json::Value;

pub use landfall_kube::Failure;

use crate::kinds::Kind;

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

/// Objects of one management cluster. Calls are not repeated in here.
pub trait Api: Send + Sync {
    /// The object as it stands now; none where there is none.
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>>;

    /// Makes the object, which must not be there, and gives it as it stands then.
    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>>;

    /// Whether the server would create the object, which is not created. One that is there already is refused (409).
    fn rehearse<'a>(&'a self, _: &'a Location, _: &'a Value) -> BoxFuture<'a, Result<(), Failure>> {
        async { Ok(()) }.boxed()
    }

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

/// Listings of the operator's objects in one namespace, whosever they are.
pub trait Listing: Send + Sync {
    /// All objects of a kind in a namespace; none where the kind is not served.
    fn list<'a>(
        &'a self,
        kind: &'static Kind,
        namespace: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Value>, Failure>>;

    /// The kinds of the operator that landfall does not use.
    fn other_kinds(&self) -> BoxFuture<'_, Result<Vec<&'static Kind>, Failure>>;
}

/// What a watch tells of the objects of a kind.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectEvent {
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

/// Events of the objects of a cluster, without end.
pub type Feed = BoxStream<'static, ObjectEvent>;

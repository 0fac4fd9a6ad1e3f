//! The API of the management cluster; records what its responses contain.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use landfall_engine_aso::desired::Need;
use landfall_engine_aso::drive::{Api, Failure, Location};
use landfall_engine_aso::kinds::{KINDS, Kind};
use serde_json::Value;

use super::store::{Cluster, Store};

/// Calls for one cluster.
pub(super) struct RecordingApi<'a> {
    pub(super) api: &'a dyn Api,
    pub(super) store: &'a Store,
    pub(super) cluster: &'a Cluster,
    /// Called after each write that the server took.
    pub(super) wrote: &'a (dyn Fn() + Send + Sync),
}

impl RecordingApi<'_> {
    /// The object has this state: there is no need to wait for its watch.
    fn stands(&self, at: &Location, object: &Value) {
        if let Some(kind) = kind(at) {
            self.store.answered(self.cluster, kind.kind, object.clone());
        }
    }
}

/// The operator's kind of the object.
fn kind(at: &Location) -> Option<&'static Kind> {
    let group = at.api_version.split_once('/').map(|(group, _)| group);
    KINDS.iter().find(|kind| Some(kind.group) == group && kind.plural == at.plural)
}

impl Api for RecordingApi<'_> {
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        async move {
            let found = self.api.get(at).await?;
            if let Some(object) = &found {
                self.stands(at, object);
            }
            Ok(found)
        }
        .boxed()
    }

    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        async move {
            let made = self.api.create(at, object).await?;
            (self.wrote)();
            self.stands(at, &made);
            Ok(made)
        }
        .boxed()
    }

    fn merge<'a>(&'a self, at: &'a Location, patch: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        async move {
            let changed = self.api.merge(at, patch).await?;
            (self.wrote)();
            self.stands(at, &changed);
            Ok(changed)
        }
        .boxed()
    }

    fn delete<'a>(
        &'a self,
        at: &'a Location,
        preconditions: &'a Value,
    ) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        async move {
            let left = self.api.delete(at, preconditions).await?;
            (self.wrote)();
            match (&left, kind(at)) {
                (Some(object), _) => self.stands(at, object),
                (None, Some(kind)) => {
                    let id = Need { kind: kind.kind, name: at.name.clone() };
                    self.store.removed(self.cluster, &id);
                }
                (None, None) => {}
            }
            Ok(left)
        }
        .boxed()
    }
}

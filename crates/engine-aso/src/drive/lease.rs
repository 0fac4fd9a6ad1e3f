//! Who drives a cluster: the one that holds its lease.

use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use landfall_kube::kinds::LEASE;
use landfall_kube::lease::{Leases, Terms};
use landfall_kube::objects::ObjectRef;
use landfall_kube::{Fault, lease};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::api::{Api, Failure, Location};
use super::run::{Clock, Watcher};
use crate::core::{API_CALL_LIMIT, LEASE_DURATION, LEASE_RENEWAL};

const TERMS: Terms = Terms {
    duration: LEASE_DURATION,
    deadline: LEASE_DURATION.saturating_sub(LEASE_RENEWAL),
    renewal: LEASE_RENEWAL,
    look: Duration::from_secs(5),
    patience: API_CALL_LIMIT,
};

/// The lease of a cluster.
pub struct Lease<'a>(lease::Lease<Kept<'a>>);

impl<'a> Lease<'a> {
    /// The lease by which this cluster is driven. `identity` is nobody else's.
    #[must_use]
    pub fn new(api: &'a dyn Api, infra_id: &str, namespace: &str, identity: String, clock: Clock) -> Self {
        let place = ObjectRef::in_namespace(&LEASE, namespace, format!("{infra_id}-aso-engine"));
        Self(lease::Lease::new(Kept(api), place, identity, TERMS, clock))
    }

    /// Waits until the lease is held, and gives the time from which on it counts; tells who holds it as long
    /// as that is somebody else.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn win(&self, watcher: &dyn Watcher) -> Result<Instant, Failure> {
        let mut told = String::new();
        let looked = |look: Result<String, Fault>| -> Result<(), Failure> {
            let holder = look?;
            if holder != told {
                watcher.told(&format!("{holder} is working on this cluster; waiting until it ends"));
                told = holder;
            }
            Ok(())
        };
        self.0.win(looked).await
    }

    /// Renews the lease until it is lost.
    pub async fn hold(&self) {
        self.0.hold().await;
    }

    /// Gives the lease back, if it is held; that it cannot be is no harm, since it ends by itself.
    pub async fn release(&self) {
        self.0.release().await;
    }
}

/// The leases of a management cluster.
struct Kept<'a>(&'a dyn Api);

impl Leases for Kept<'_> {
    fn get<'s>(&'s self, place: &'s ObjectRef) -> BoxFuture<'s, Result<Option<Value>, Fault>> {
        async move {
            let at = location(place);
            self.0.get(&at).await.map_err(|failure| failure.fault)
        }
        .boxed()
    }

    fn make<'s>(&'s self, place: &'s ObjectRef) -> BoxFuture<'s, Result<Value, Fault>> {
        async move {
            let at = location(place);
            let lease = json!({
                "apiVersion": at.api_version,
                "kind": place.kind.kind,
                "metadata": { "name": at.name, "namespace": at.namespace },
                "spec": {},
            });
            self.0.create(&at, &lease).await.map_err(|failure| failure.fault)
        }
        .boxed()
    }

    fn merge<'s>(&'s self, place: &'s ObjectRef, patch: Value) -> BoxFuture<'s, Result<Value, Fault>> {
        async move {
            let at = location(place);
            self.0.merge(&at, &patch).await.map_err(|failure| failure.fault)
        }
        .boxed()
    }
}

fn location(place: &ObjectRef) -> Location {
    let ObjectRef { kind, namespace, name } = place.clone();
    Location { api_version: kind.api_version(), plural: kind.plural, namespace, name }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use futures::future::ready;
    use jiff::Timestamp;

    use super::*;

    /// A management cluster in which another one holds the lease, and where nothing can be written.
    struct Held;

    fn refused<'a, T: Send + 'a>() -> BoxFuture<'a, Result<T, Failure>> {
        ready(Err(Fault::late().into())).boxed()
    }

    impl Api for Held {
        fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
            let lease = json!({
                "metadata": { "name": at.name, "namespace": at.namespace, "resourceVersion": "1" },
                "spec": { "holderIdentity": "another" },
            });
            ready(Ok(Some(lease))).boxed()
        }

        fn create<'a>(&'a self, _: &'a Location, _: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
            refused()
        }

        fn merge<'a>(&'a self, _: &'a Location, _: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
            refused()
        }

        fn delete<'a>(
            &'a self,
            _: &'a Location,
            _: &'a Value,
        ) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
            refused()
        }
    }

    #[derive(Default)]
    struct Lines(Mutex<Vec<String>>);

    impl Watcher for Lines {
        fn changed(&self, _: usize, _: usize) {}

        fn told(&self, line: &str) {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line.to_owned());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_is_told_once_who_is_at_work_and_ends_with_what_fails() {
        let (lines, began) = (Lines::default(), Instant::now());
        let lease = Lease::new(&Held, "demo-x7k2p", "here", "me".to_owned(), || Timestamp::UNIX_EPOCH);
        assert_eq!(lease.win(&lines).await, Err(Failure::from(Fault::late())));
        assert_eq!(began.elapsed().as_secs(), LEASE_DURATION.as_secs());
        let told = lines.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told.iter().all(|line| line.contains("waiting")), "{told:?}");
    }
}

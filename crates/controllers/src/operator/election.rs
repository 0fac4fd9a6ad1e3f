//! Which of several replicas works: the one that holds the operator's lease.

#![allow(clippy::disallowed_methods, reason = "a lease tells when it was renewed")]

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use landfall_kube::Fault;
use landfall_kube::kinds::LEASE;
use landfall_kube::lease::{Lease, Terms};
use landfall_kube::objects::{Objects, Place};

use super::{Candidacy, LEASE_NAME};

const TERMS: Terms = Terms {
    duration: Duration::from_secs(15),
    deadline: Duration::from_secs(10),
    renewal: Duration::from_secs(5),
    look: Duration::from_secs(2),
    patience: Duration::from_secs(5),
};

/// The lease by which a replica leads.
pub(super) fn lease(candidacy: Candidacy) -> Lease<Arc<dyn Objects>> {
    let Candidacy { objects, namespace, identity } = candidacy;
    Lease::new(objects, Place::in_namespace(&LEASE, namespace, LEASE_NAME), identity, TERMS, Timestamp::now)
}

/// Waits until this replica leads. `looked` is called after each look that succeeded.
pub(super) async fn win(lease: &Lease<Arc<dyn Objects>>, looked: impl Fn()) {
    let judge = |look: Result<String, Fault>| -> Result<(), Infallible> {
        match look {
            Ok(_) => looked(),
            Err(fault) => tracing::warn!(lease = LEASE_NAME, why = %fault.why(), "the lease cannot be \
                acquired"),
        }
        Ok(())
    };
    let Ok(_) = lease.win(judge).await;
    looked();
}

//! Whether Azure Service Operator is there and may be used, looked at once for all clusters.

use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use landfall_diagnostics::Finding;
use landfall_engine_aso::detect::look::{look, refused};
use landfall_engine_aso::detect::permissions::{Question, denied};
use landfall_engine_aso::detect::{self, permissions};
use landfall_kube::Fault;
use landfall_kube::kinds::ProfileKinds;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::Failed;
use crate::operator::rights::{AZURE_INFRASTRUCTURE as RIGHTS, Right, Scope};

/// How long what was seen of a usable operator counts.
const GOOD: Duration = Duration::from_mins(5);
/// How long what was seen counts where something stood against its use.
const BAD: Duration = Duration::from_secs(15);

/// The command that prints the controller's rights.
const PRINTED_BY: &str = "landfall operator manifests --controllers azure-infrastructure";

/// A look at the management cluster.
pub(super) trait Lookout: Send + Sync {
    /// What there is of the operator.
    fn operator(&self) -> BoxFuture<'_, Result<detect::Cluster, Fault>>;

    /// What the controller may not do although it has to.
    fn denied(&self) -> BoxFuture<'_, Result<Vec<Finding>, Fault>>;
}

/// The management cluster behind a client.
pub(super) struct Behind {
    pub(super) client: Client,
    /// The only namespace whose clusters are worked on.
    pub(super) namespace: Option<String>,
    /// The kinds of cloud profiles that clusters may refer to.
    pub(super) profiles: &'static ProfileKinds,
}

impl Lookout for Behind {
    fn operator(&self) -> BoxFuture<'_, Result<detect::Cluster, Fault>> {
        // The kinds of the plan are not known here.
        async { look(&self.client, &permissions::kinds(true)).await }.boxed()
    }

    fn denied(&self) -> BoxFuture<'_, Result<Vec<Finding>, Fault>> {
        let questions = questions(self.namespace.as_deref(), self.profiles);
        async { Ok(denied(&refused(&self.client, questions).await?, PRINTED_BY)) }.boxed()
    }
}

/// The questions whether the controller's rights hold in all namespaces, or in the one that is watched.
fn questions(watched: Option<&str>, profiles: &'static ProfileKinds) -> Vec<Question> {
    let of = |right: &Right| {
        let right = right.with_profiles(profiles);
        right.verbs.iter().map(move |&verb| Question {
            namespace: watched
                .filter(|_| matches!(right.scope, Scope::Watched | Scope::Secrets))
                .map(str::to_owned),
            group: right.kind.group,
            resource: right.resource(),
            name: right.names.first().map(|&name| name.to_owned()),
            verb,
        })
    };
    // Secrets may be for the operator in some namespaces only, of which each says so by itself.
    let is_asked = |right: &&Right| match right.scope {
        Scope::Optional | Scope::Aso => false,
        Scope::Secrets => watched.is_some(),
        _ => true,
    };
    // Rights that only some plans need are missed when such a plan is applied.
    RIGHTS
        .iter()
        .filter(is_asked)
        .flat_map(of)
        .filter(|question| permissions::is_needed(question, &[]))
        .collect()
}

/// What was seen.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) cluster: detect::Cluster,
    pub(super) denied: Vec<Finding>,
}

/// What was seen last, and the way to look again.
pub(super) struct Operator {
    lookout: Box<dyn Lookout>,
    // The lock is kept while somebody looks, so that others wait for what comes of it.
    last: Mutex<Option<(Instant, Arc<Seen>)>>,
}

impl Operator {
    pub(super) fn new(lookout: Box<dyn Lookout>) -> Self {
        Self { lookout, last: Mutex::default() }
    }

    /// The operator has changed: what was seen of it does not count any more.
    pub(super) async fn forget(&self) {
        let mut last = self.last.lock().await;
        // What the controller may do has not changed by that; it is asked again all the same.
        *last = None;
    }

    /// What there is, looked at anew where it was seen too long ago: sooner where it was of no use.
    pub(super) async fn seen(&self, was_usable: bool) -> Result<Arc<Seen>, Failed> {
        let unreadable = |fault: Fault| {
            let note = format!("the operator cannot be read: {}", fault.why());
            Failed::transient("operator-unreadable", note)
        };
        let mut last = self.last.lock().await;
        let longest = if was_usable { GOOD } else { BAD };
        let known = last.as_ref().filter(|(at, seen)| {
            let longest = if seen.denied.is_empty() { longest } else { BAD };
            at.elapsed() < longest
        });
        if let Some((_, seen)) = known {
            return Ok(Arc::clone(seen));
        }
        let is_allowed = last.as_ref().is_some_and(|(_, seen)| seen.denied.is_empty());
        let denied = if is_allowed { Vec::new() } else { self.lookout.denied().await.map_err(unreadable)? };
        let cluster = self.lookout.operator().await.map_err(unreadable)?;
        let seen = Arc::new(Seen { cluster, denied });
        *last = Some((Instant::now(), Arc::clone(&seen)));
        Ok(seen)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use landfall_kube::kinds::LANDFALL_PROFILES;

    use super::*;

    #[derive(Default)]
    struct FakeCluster(Arc<AtomicUsize>);

    impl Lookout for FakeCluster {
        fn operator(&self) -> BoxFuture<'_, Result<detect::Cluster, Fault>> {
            self.0.fetch_add(1, Ordering::Relaxed);
            async { Ok(detect::Cluster::default()) }.boxed()
        }

        fn denied(&self) -> BoxFuture<'_, Result<Vec<Finding>, Fault>> {
            async { Ok(Vec::new()) }.boxed()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_operator_is_looked_at_once_for_all() {
        let looks = Arc::new(AtomicUsize::new(0));
        let operator = Operator::new(Box::new(FakeCluster(Arc::clone(&looks))));
        for _ in 0..10 {
            assert!(operator.seen(true).await.is_ok());
        }
        assert_eq!(looks.load(Ordering::Relaxed), 1);
        tokio::time::advance(BAD).await;
        assert!(operator.seen(true).await.is_ok());
        assert_eq!(looks.load(Ordering::Relaxed), 1);
        assert!(operator.seen(false).await.is_ok());
        assert_eq!(looks.load(Ordering::Relaxed), 2);
        operator.forget().await;
        assert!(operator.seen(true).await.is_ok());
        assert_eq!(looks.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn every_right_is_asked_for() {
        let all = questions(None, &LANDFALL_PROFILES);
        assert!(all.iter().all(|one| one.namespace.is_none()));
        let asked = |group: &str, resource: &str, verb: &str| {
            all.iter().any(|one| one.group == group && one.resource == resource && one.verb == verb)
        };
        assert!(asked("network.azure.com", "virtualnetworks", "delete"));
        assert!(asked("network.azure.com", "virtualnetworks/status", "get"));
        assert!(asked("aso.landfall.dev", "azureinfrastructures/finalizers", "update"));
        assert!(!asked("network.azure.com", "virtualnetworks/status", "patch"));
        assert!(asked("profiles.landfall.dev", "privatecloudprofiles", "get"));
        assert!(all.iter().all(|one| one.group != "core.gardener.cloud"));
        // Deployments are asked for by the one name that is listed and watched.
        let named: Vec<&Question> = all.iter().filter(|one| one.name.is_some()).collect();
        assert!(named.iter().all(|one| one.resource == "deployments") && named.len() == 3, "{named:?}");
        let of_secrets = |one: &Question| one.resource == "secrets";
        assert!(!all.iter().any(of_secrets));
        assert!(questions(Some("team"), &LANDFALL_PROFILES).iter().any(of_secrets));
        for one in questions(Some("team"), &LANDFALL_PROFILES) {
            let wide =
                ["customresourcedefinitions", "deployments", "selfsubjectaccessreviews", "cloudprofiles"];
            let expected = (!wide.contains(&one.resource.as_str())).then_some("team");
            assert_eq!(one.namespace.as_deref(), expected, "{}", one.resource);
        }
    }
}

//! One process with controllers in it: who of several replicas works, how it does, and what it takes to
//! deploy it.

mod deletion_policy;
mod election;
mod hardening;
mod http_server;
mod manifests;
mod metrics;
mod monitoring;
mod openshift_operators;
mod packaging;
mod profiles;
mod registry;
pub mod rights;
mod secure_metrics;
mod selector;

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use tokio::net::TcpListener;
use tokio::time::sleep;

pub(crate) use deletion_policy::keep as keep_deletion_policies;
pub use election::scope;
pub(crate) use election::works_on;
pub(crate) use manifests::SECRETS_ROLE;
pub use manifests::{ALL_NAMESPACES, Deployed, NAMESPACE, documents, manifests};
pub use metrics::Metrics;
pub use monitoring::Monitoring;
pub use openshift_operators::{Output, Rival, Seen, returned, rivals};
pub use packaging::{PackageFile, Packaging, package};
pub use profiles::{WEBHOOK_PORT, WEBHOOK_SERVICE};
pub use registry::{CONTROLLERS, Kit, Registered, crds, crds_of};
pub use secure_metrics::{METRICS_PORT, SecureMetrics};
pub use selector::{Labels, label};

use self::http_server::Health;
use super::admission::{SECRET_NAME, Webhook};
use super::{Controller, run};
use landfall_kube::kinds::SECRET;
use landfall_kube::objects::{ObjectRef, Objects};
use landfall_net::stop::Stop;

/// The port on which an operator answers unless another is wished.
pub const PORT: u16 = 8080;
/// The name of the lease by which one of the replicas leads.
pub const LEASE_NAME: &str = "landfall-operator";

/// How often the operator checks for the webhook's certificates until they exist.
const LOOK: Duration = Duration::from_millis(500);

/// The judge of profiles, and where it finds its certificates.
pub struct Judging {
    /// The judge.
    pub webhook: Webhook,
    /// The objects among which its secret is.
    pub objects: Arc<dyn Objects>,
    /// The namespace of the secret.
    pub namespace: String,
}

impl Judging {
    /// Waits until there are certificates.
    async fn certified(objects: &dyn Objects, namespace: String) {
        let place = ObjectRef::in_namespace(&SECRET, namespace, SECRET_NAME);
        loop {
            let secret = objects.get(&place).await.ok().flatten();
            if secret.is_some_and(|secret| secret.pointer("/data/tls.crt").is_some()) {
                return;
            }
            sleep(LOOK).await;
        }
    }

    /// Judges without end; `health` learns when it can.
    async fn judge(self, health: &Health) -> io::Result<()> {
        let Self { webhook, objects, namespace } = self;
        let noticing = async {
            Self::certified(&*objects, namespace).await;
            health.judges();
            pending::<()>().await;
        };
        tokio::select! {
            ended = webhook.serve() => ended,
            () = noticing => Ok(()),
        }
    }
}

/// By what a replica is elected.
pub struct Candidacy {
    /// The objects through which the lease is taken; a call on them must not hang for long.
    pub objects: Arc<dyn Objects>,
    /// The namespace of the lease.
    pub namespace: String,
    /// The replica's name, which no other has.
    pub identity: String,
    /// What of the cluster it works on, by [`scope`].
    pub scope: String,
}

/// How an operator ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was asked to stop, and did.
    Stopped,
    /// Another replica may lead from now on. Nothing was written since that became possible.
    Lost,
    /// An operator with other controllers, or for other objects, holds the lease: the reason.
    Refused(String),
}

/// Runs controllers until it is asked to stop or does not lead any more; without a candidacy it leads at once.
/// Meanwhile answers on `listen` how it does, and through the judge, if there is one, what may be written,
/// whether it leads or not. With `secure`, metrics are served there alone. `client` is for watches.
///
/// # Errors
/// The address cannot be listened on.
pub async fn operate(
    controllers: Vec<Arc<dyn Controller>>,
    client: Client,
    candidacy: Option<Candidacy>,
    (listen, judging, secure): (SocketAddr, Option<Judging>, Option<SecureMetrics>),
    metrics: Arc<Metrics>,
    stop: Stop,
) -> io::Result<Ended> {
    let listener = TcpListener::bind(listen).await?;
    let health =
        Arc::new(Health::new(Arc::clone(&metrics), judging.is_some(), secure.is_some(), stop.clone()));
    let work = async {
        let Some(candidacy) = candidacy else {
            metrics.leads(true);
            health.works();
            run(controllers, client, Arc::clone(&metrics), stop).await;
            return Ended::Stopped;
        };
        let Candidacy { namespace, identity, .. } = &candidacy;
        tracing::info!(%namespace, lease = LEASE_NAME, %identity, "standing by");
        let mut names: Vec<&str> = controllers.iter().map(|controller| controller.name()).collect();
        names.sort_unstable();
        let names = names.join(",");
        let scope = candidacy.scope.clone();
        let lease = election::lease(candidacy, &names);
        tokio::select! {
            biased;
            () = stop.asked() => return Ended::Stopped,
            won = election::win(&lease, (&names, &scope), || health.works()) => if let Err(why) = won {
                return Ended::Refused(why);
            },
        }
        tracing::info!("leading");
        metrics.leads(true);
        let ended = tokio::select! {
            () = run(controllers, client, Arc::clone(&metrics), stop) => Ended::Stopped,
            () = lease.hold() => Ended::Lost,
        };
        metrics.leads(false);
        if ended == Ended::Stopped {
            lease.release().await;
        }
        ended
    };
    let judging = async {
        match judging {
            Some(judging) => judging.judge(&health).await,
            None => pending().await,
        }
    };
    let measuring = async {
        match secure {
            Some(secure) => secure.serve(Arc::clone(&health)).await,
            None => pending().await,
        }
    };
    tokio::select! {
        ended = work => Ok(ended),
        ended = judging => ended.map(|()| Ended::Stopped),
        ended = measuring => ended.map(|()| Ended::Stopped),
        // It has no end of its own.
        () = http_server::serve(listener, Arc::clone(&health)) => Ok(Ended::Stopped),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::time::Instant;

    use super::super::fake_cluster::FakeCluster;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn certificates_are_waited_for() {
        let (played, began) = (FakeCluster::default(), Instant::now());
        let made = async {
            sleep(Duration::from_secs(5)).await;
            let metadata = json!({ "name": SECRET_NAME, "namespace": "own" });
            played.put(&SECRET, json!({ "metadata": metadata, "data": { "tls.crt": "eA==" } }));
        };
        tokio::join!(Judging::certified(&played, "own".to_owned()), made);
        assert!((5..7).contains(&began.elapsed().as_secs()));
    }
}

//! One process with controllers in it: who of several replicas works, how it does, and what it takes to
//! deploy it.

mod election;
mod manifests;
mod metrics;
mod registry;
pub mod rights;
mod serving;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use ::kube::Client;
use tokio::net::TcpListener;

pub use manifests::{Deployed, documents, manifests};
pub use metrics::Metrics;
pub use registry::{CONTROLLERS, Kit, Registered, crds, probing};

use self::election::Election;
use self::serving::Health;
use super::{Controller, run};
use crate::kube::objects::Objects;
use crate::stop::Stop;

/// The port on which an operator answers unless another is wished.
pub const PORT: u16 = 8080;
/// The name of the lease by which one of the replicas leads.
pub const LEASE_NAME: &str = "landfall-operator";

/// By what a replica is elected.
pub struct Candidacy {
    /// The objects through which the lease is taken; a call on them must not hang for long.
    pub objects: Arc<dyn Objects>,
    /// The namespace of the lease.
    pub namespace: String,
    /// The replica's name, which no other has.
    pub identity: String,
}

/// How an operator ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was asked to stop, and did.
    Stopped,
    /// Another replica may lead from now on. Nothing was written since that became possible.
    Lost,
}

/// Runs controllers until it is asked to stop or does not lead any more; without a candidacy it leads at once.
/// Meanwhile answers on `listen` how it does. `client` is for watches.
///
/// # Errors
/// The address cannot be listened on.
pub async fn operate(
    controllers: Vec<Arc<dyn Controller>>,
    client: Client,
    candidacy: Option<Candidacy>,
    listen: SocketAddr,
    metrics: Arc<Metrics>,
    stop: Stop,
) -> io::Result<Ended> {
    let listener = TcpListener::bind(listen).await?;
    let health = Arc::new(Health::new(Arc::clone(&metrics), stop.clone()));
    let work = async {
        let Some(Candidacy { objects, namespace, identity }) = candidacy else {
            metrics.leads(true);
            health.becomes_ready();
            run(controllers, client, Arc::clone(&metrics), stop).await;
            return Ended::Stopped;
        };
        tracing::info!(%namespace, lease = LEASE_NAME, %identity, "standing by");
        let election = Election::new(objects, &namespace, LEASE_NAME, identity);
        let mut held = tokio::select! {
            biased;
            () = stop.asked() => return Ended::Stopped,
            held = election.win(|| health.becomes_ready()) => held,
        };
        tracing::info!("leading");
        metrics.leads(true);
        let ended = tokio::select! {
            () = run(controllers, client, Arc::clone(&metrics), stop) => Ended::Stopped,
            () = election.hold(&mut held) => Ended::Lost,
        };
        metrics.leads(false);
        if ended == Ended::Stopped {
            election.release(&held).await;
        }
        ended
    };
    tokio::select! {
        ended = work => Ok(ended),
        // It has no end of its own.
        () = serving::serve(listener, Arc::clone(&health)) => Ok(Ended::Stopped),
    }
}

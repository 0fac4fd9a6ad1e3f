//! Controllers, which reconcile objects of a cluster.
//!
//! A controller gets the keys that may have changed from its watches, reads the current objects, and writes the
//! differences. It keeps no state that it could not read again, so it may be stopped at any moment.
//!
//! ```
//! use std::time::Duration;
//! use landfall_controllers::{Failed, Key, Outcome, Window};
//!
//! let key = Key { namespace: Some("clusters".to_owned()), name: "demo".to_owned() };
//! assert_eq!(key.to_string(), "clusters/demo");
//!
//! // An error that may pass counts only once it has lasted.
//! let failed = Failed { retry: true, reason: "cloud-unreachable", note: "no answer".to_owned() };
//! let outcome = Outcome::of(&Err(failed));
//! assert!(outcome.is_retried(true));
//! let mut window = Window::new(Duration::ZERO);
//! assert!(!window.note(outcome, Duration::from_secs(10)));
//! assert!(window.note(outcome, Duration::from_mins(3)));
//! ```

#![forbid(unsafe_code)]

pub mod admission;
pub mod azure_infrastructure;
pub mod cloud_config_sync;
pub mod cloud_profile;
mod conditions;
mod config_map;
mod crds;
pub mod endpoint_mirror;
mod event_recorder;
#[cfg(test)]
mod fake_cluster;
mod feature_gates;
mod fetch;
pub mod kube_cloud_config;
mod object_refs;
pub mod operator;
mod run;
mod watch;
mod window;

use std::fmt;
use std::time::Duration;

use ::kube::Client;
use futures::future::BoxFuture;
use futures::stream::BoxStream;

pub use object_refs::MapNames;
pub use run::run;
pub use window::{Outcome, Window};

/// What one reconciliation is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// The namespace; none for what belongs to the whole cluster.
    pub namespace: Option<String>,
    /// The name.
    pub name: String,
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.namespace {
            Some(namespace) => write!(f, "{namespace}/{}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// When a key that was reconciled is due again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// When something changes.
    Settled,
    /// After so long, or when something changes.
    Again(Duration),
}

/// Why a key could not be reconciled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Whether trying again can help, with growing pauses. Where it cannot, a change is waited for.
    pub retry: bool,
    /// Its short name, in words with hyphens, the same in every release.
    pub reason: &'static str,
    /// What went wrong, in a sentence, without anything secret.
    pub note: String,
}

/// One controller.
pub trait Controller: Send + Sync + 'static {
    /// Its name, as the command line and the metrics know it.
    fn name(&self) -> &'static str;

    /// How many keys may be reconciled side by side.
    fn workers(&self) -> usize {
        1
    }

    /// The keys that may have changed, without end. A watch that breaks is opened anew.
    fn triggers(&self, client: &Client) -> BoxStream<'static, Key>;

    /// Reconciles the objects of a key.
    ///
    /// # Errors
    /// It is not as it should be, as [`Failed`] says.
    fn reconcile<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Next, Failed>>;
}

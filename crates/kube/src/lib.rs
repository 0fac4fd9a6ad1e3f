//! Clients of a Kubernetes API: from a kubeconfig or a pod's service account to a client, the objects behind
//! it, and words for what goes wrong with it.
//!
//! An edge: it reads kubeconfigs and calls clusters. TLS is always verified; a kubeconfig that wants it
//! otherwise is refused.
//!
//! ```
//! use landfall_kube::{kinds, objects::ObjectRef};
//!
//! let place = ObjectRef::in_namespace(&kinds::CONFIG_MAP, "openshift-config", "cloud-provider-config");
//! assert_eq!(place.kind.api_version(), "v1");
//! assert_eq!(kinds::INFRASTRUCTURE.api_version(), "config.openshift.io/v1");
//! ```

#![forbid(unsafe_code)]

mod access;
mod events;
mod fault;
pub mod kinds;
mod kubeconfig;
pub mod lease;
pub mod live;
pub mod objects;
mod observed;
pub mod questions;

pub use access::{ACCOUNT, Access};
pub use events::Recorder;
pub use fault::brief;
pub use fault::{Failure, Fault};
pub use kubeconfig::{Bad, BadKubeconfig};
pub use live::Live;

/// The field manager and event source of landfall.
pub const MANAGER: &str = "landfall";

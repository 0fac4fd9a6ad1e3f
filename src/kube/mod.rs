//! Clients of a Kubernetes API: from a kubeconfig or a pod's service account to a client, the objects behind
//! it, and words for what goes wrong with it.
//!
//! An edge: it reads kubeconfigs and calls clusters. TLS is always verified; a kubeconfig that wants it
//! otherwise is refused.

mod access;
mod events;
mod fault;
pub mod kinds;
mod kubeconfig;
mod live;
pub mod objects;
pub mod questions;

pub use access::{ACCOUNT, Access};
pub use events::Recorder;
pub use fault::Fault;
pub(crate) use fault::brief;
pub use kubeconfig::{Bad, BadKubeconfig};
pub use live::Live;

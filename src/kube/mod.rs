//! Clients of a Kubernetes API: from a kubeconfig to a client, and words for what goes wrong with it.
//!
//! An edge: it reads kubeconfigs and calls clusters. TLS is always verified; a kubeconfig that wants it
//! otherwise is refused.

mod access;
mod fault;
mod kubeconfig;

pub use access::Access;
pub use fault::Fault;
pub(crate) use fault::brief;
pub use kubeconfig::{Bad, BadKubeconfig};

//! Landfall against a cluster's API: a real kube-apiserver with its store, and ports at which there is none.
//!
//! Needs Debian's packages once, to build the server with `tools/kube-apiserver`. or a folder with
//! a server that `KUBEBUILDER_ASSETS` names. The tests that need it are part of the outer ring, and fail where it is
//! missing. The others need nothing but the loopback interface.
#![allow(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::disallowed_macros, clippy::print_stderr, reason = "a test that fails shows what was logged")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/services.rs"]
mod services;

#[cfg(all(feature = "azure", feature = "controllers"))]
mod aso;

// Azure itself, shared with `tests/cloud`, which uses more of it.
#[allow(dead_code, clippy::duplicate_mod, reason = "others use it too, and more of it")]
#[path = "../cloud/authority.rs"]
mod authority;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/front.rs"]
mod front;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/ignition.rs"]
mod ignition;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/moto.rs"]
mod moto;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/program.rs"]
mod program;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/proxy.rs"]
mod proxy;

#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/azure"]
mod azure {
    pub mod answer;
    pub mod arm;
    pub mod blobs;
    pub mod call;
    pub mod changes;
    pub mod directory;
    pub mod graph;
    pub mod lists;
    pub mod manager;
    pub mod parts;
    pub mod references;
    pub mod scene;
    pub mod shape;
    pub mod tree;
    pub mod versions;
}
mod gate;
#[cfg(feature = "controllers")]
mod operator;
#[cfg(feature = "controllers")]
mod profiles;
mod running;
mod server;
mod store;
mod until;

mod wait_for;

//! End to end on Azure: `landfall create cluster` with the real terraform and the real azurerm provider, against the
//! server of `tests/cloud/azure` that plays the cloud.
//!
//! All of Azure's names lead to that server: a proxy tunnels to it, and a private authority vouches for it. Nothing is
//! overlaid, so that landfall and the provider call what they call in the real clouds. What came of it is asked of the
//! server, never of terraform or of landfall.
//!
//! Needs terraform, and a plugin directory with azurerm (`LANDFALL_TF_PLUGIN_DIR`). `tools/test` leaves the tests out
//! where there is none.
#![cfg(all(feature = "aws", feature = "azure"))]
#![allow(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../support/ignition.rs"]
mod ignition;
#[path = "../support/plugins.rs"]
mod plugins;
#[path = "../support/processes.rs"]
mod processes;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/services.rs"]
mod services;

// Shared with `tests/cloud`, which uses more of them.
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/authority.rs"]
mod authority;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/front.rs"]
mod front;
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

mod installation;
mod inventory;

mod clouds;
mod differential;
mod failing;
mod killed;

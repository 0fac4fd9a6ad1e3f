//! End to end: `landfall create cluster` with the real terraform and the real AWS provider against moto,
//! which stands behind TLS with a certificate of a private authority, every service at a custom endpoint.
//!
//! At the end `landfall destroy cluster` takes all of it away, with nothing but `metadata.json`.
//!
//! What came of it is asked of moto, never of terraform or of landfall. Each test takes minutes, most of which
//! the provider waits: 60 seconds for a load balancer, 15 for a zone and for a record, whatever the cloud says.
//!
//! Needs moto as `tests/cloud` does, and terraform with a plugin directory as `tests/terraform` does. They
//! are part of the outer ring, and fail where one of them is missing.
#![cfg(feature = "aws")]
#![allow(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/services.rs"]
mod services;

#[path = "../support/faults.rs"]
mod faults;
#[path = "../support/ignition.rs"]
mod ignition;
#[path = "../support/plugins.rs"]
mod plugins;
#[path = "../support/processes.rs"]
mod processes;

// Shared with `tests/cloud`, which uses more of them.
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/answers.rs"]
mod answers;
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

// Shared with `tests/destroy`.
#[allow(dead_code, reason = "others use more of it")]
#[path = "../destroy/calls.rs"]
mod calls;

// Shared with `tests/kube`.
#[allow(dead_code, reason = "others use more of it")]
#[path = "../kube/running.rs"]
mod running;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../kube/server.rs"]
mod server;
#[path = "../kube/store.rs"]
mod store;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../kube/until.rs"]
mod until;

mod cloud;
mod expected;
mod installation;
mod killer;
mod listing;
mod secrets;
mod xml;

mod stands;

mod commercial;
mod existing_network;
mod killed;
mod native;
mod us_gov;
mod waiting;

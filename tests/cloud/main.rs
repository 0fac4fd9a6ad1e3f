//! Landfall against a cloud: moto, a server that plays AWS, behind servers that record, refuse and break.
//!
//! Needs python3, and the package index once, to install moto with `tools/moto`. The tests
//! that need it are part of the outer ring, and fail where it is missing. The others need nothing but the loopback
//! interface.
#![cfg(feature = "aws")]
#![allow(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/services.rs"]
mod services;

#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/faults.rs"]
mod faults;
#[path = "../support/ignition.rs"]
mod ignition;

// Shared with `tests/destroy`.
#[allow(dead_code, reason = "others use more of it")]
#[path = "../destroy/calls.rs"]
mod calls;

#[cfg(feature = "azure")]
mod azure;

mod answers;
mod authority;
mod broken;
mod claims;
mod front;
mod moto;
mod program;
mod proxy;

mod commercial;
mod credentials;
mod endpoints;
mod failing;
mod find;
mod network;
mod partitions;
mod permissions;
mod prices;
mod regions;
mod secrets;
mod trouble;
mod trust;

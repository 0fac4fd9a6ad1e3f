//! Landfall against a cloud: moto, a server that plays AWS, behind servers that record, refuse and break.
//!
//! Needs python3, and the package index once, to install moto with `tools/moto`. Where that cannot be had,
//! the tests that need it say so and are left out; `LANDFALL_REQUIRE=moto` makes that a fault. The others
//! need nothing but the loopback interface.
#![cfg(feature = "aws")]
#![allow(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::disallowed_macros, clippy::print_stderr, reason = "a test says what it leaves out")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../it/required.rs"]
mod required;

#[cfg(feature = "azure")]
mod azure;

mod answers;
mod authority;
mod broken;
mod front;
mod moto;
mod program;
mod proxy;

mod commercial;
mod credentials;
mod endpoints;
mod network;
mod partitions;
mod permissions;
mod regions;
mod secrets;
mod trouble;
mod trust;

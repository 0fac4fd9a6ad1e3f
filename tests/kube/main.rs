//! Landfall against a cluster's API: a real kube-apiserver with its store, and ports at which there is none.
//!
//! Needs Debian's packages once, to build the server with `tools/kube-apiserver`. Where that cannot be done,
//! the tests that need it say so and are left out; `LANDFALL_REQUIRE=kube-apiserver` makes that a fault. The
//! others need nothing but the loopback interface.
#![allow(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::disallowed_macros, clippy::print_stderr, reason = "a test says what it leaves out")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../it/required.rs"]
mod required;

#[cfg(all(feature = "azure", feature = "controllers"))]
mod aso;
mod gate;
#[cfg(feature = "controllers")]
mod operator;
#[cfg(feature = "controllers")]
mod profiles;
mod program;
mod server;

mod wait_for;

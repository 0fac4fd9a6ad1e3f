//! Tests of landfall from outside.
#![allow(clippy::disallowed_methods, reason = "tests read files and start the program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod canary;
mod cli;
mod conformance;
mod corpus;
mod examples;
mod hostile;
mod layers;
mod pages;
mod properties;
mod schemas;

//! Tests of landfall from outside.
#![allow(clippy::disallowed_methods, reason = "tests read files and start the program")]
#![allow(clippy::disallowed_macros, clippy::print_stderr, reason = "a test says what it leaves out")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod aso_create;
mod aso_detect;
mod aso_examples;
mod aso_reconcile;
mod aso_schema;
mod asserted;
mod book;
mod boot_sources;
mod canary;
mod charges;
mod cli;
mod cloud_config;
mod clusters;
mod completion;
mod conformance;
#[cfg(feature = "controllers")]
mod controllers;
mod corpus;
mod crds;
mod create;
mod environment;
mod examples;
mod formats;
mod hostile;
mod house;
mod ignition;
mod log;
mod modules;
mod outline;
mod pages;
mod pipelines;
mod profile_cli;
mod profiles;
mod profiles_admission;
mod properties;
mod rendered;
mod schemas;
mod sdk_regions;
mod terminal;
mod width;
mod wizard;
mod words;
mod yaml;

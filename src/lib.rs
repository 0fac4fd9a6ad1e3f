//! landfall lands OpenShift clusters in any cloud region.
//!
//! A pure core that computes ([`source`], [`config`], [`rules`], [`platform`], [`verdict`]) and thin edges
//! that touch the world (`cli`, `ui`). `docs/design.md` has the whole house.

#![forbid(unsafe_code)]

pub mod cli;
pub mod config;
pub mod finding;
pub mod platform;
pub mod rules;
pub mod secret;
pub mod source;
pub mod ui;
pub mod verdict;

//! `landfall operator run` against a real API server with OpenShift's kinds: each controller from its watch
//! to what is written, and what becomes of it when writers, servers, replicas and rights fail.
//!
//! Every operator here runs as the service account that `landfall operator manifests` prints, with the rights
//! that are printed for it and no others. Each test has a server of its own, as OpenShift has one object of
//! each of these kinds. Nothing waits for a time, all for what must come.

#[allow(dead_code, reason = "others use more of it")]
#[path = "../../cloud/authority.rs"]
mod authority;

pub mod account;
pub mod cluster;
mod endpoint;
mod outage;
pub mod replica;

mod edits;
mod manifests;
mod metadata;
mod metrics;
mod mirroring;
mod outages;
mod replicas;
mod stitching;
mod syncing;

use crate::until;

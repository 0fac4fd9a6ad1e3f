//! Azure through Azure Service Operator: a plan as objects of a management cluster, and what becomes of them.
//!
//! All but `drive`, `install` and `detect::look` is pure: values in, values out. These talk to the management cluster:
//! they give what they read, and send what is decided.
//!
//! The objects themselves come from `azure-objects`.
//!
//! ```
//! use landfall_engine_aso::keys::anchor_name;
//!
//! // One object owns all others of a cluster.
//! assert_eq!(anchor_name("demo-x7k2p"), "demo-x7k2p-aso-anchor");
//! ```

#![forbid(unsafe_code)]

pub mod anchor;
pub mod core;
pub mod detect;
pub mod drive;
pub mod install;
pub mod outside;

pub use landfall_azure_objects::{desired, keys, kinds, names, translate};

//! Azure through Azure Service Operator: a plan as objects of a management cluster, and what becomes of them.
//!
//! All but `drive` and `detect::look` is pure: values in, values out. These two talk to the management cluster:
//! they give what they read, and send what is decided.
//!
//! ```
//! use landfall_engine_aso::names::{group_id, object_name};
//!
//! // Names of Azure become names of Kubernetes objects.
//! assert_eq!(object_name("Demo_rg").as_deref(), Some("demo-rg"));
//! assert_eq!(group_id("sub", "demo-rg"), "/subscriptions/sub/resourceGroups/demo-rg");
//! ```

#![forbid(unsafe_code)]

pub mod anchor;
pub mod core;
pub mod desired;
pub mod detect;
pub mod drive;
pub mod keys;
pub mod kinds;
pub mod names;
pub mod outside;
pub mod translate;

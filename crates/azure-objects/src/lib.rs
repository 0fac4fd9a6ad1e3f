//! A plan for Azure as the objects that it consists of: one translation for every engine that creates them.
//!
//! An object is written in the shape of Azure Service Operator, whose kinds mirror Azure's types. `engine-aso` hands
//! the objects to a management cluster; the platform's crate makes resource bodies of them for the native engine. All
//! of it is pure: values in, values out. No call, no file.
//!
//! ```
//! use landfall_azure_objects::names::{group_id, object_name};
//!
//! // Names of Azure become names of Kubernetes objects.
//! assert_eq!(object_name("Demo_rg").as_deref(), Some("demo-rg"));
//! assert_eq!(group_id("sub", "demo-rg"), "/subscriptions/sub/resourceGroups/demo-rg");
//! ```

#![forbid(unsafe_code)]

pub mod desired;
pub mod keys;
pub mod kinds;
pub mod names;
pub mod stack_environment;
pub mod translate;

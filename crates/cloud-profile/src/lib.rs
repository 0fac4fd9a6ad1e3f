//! Cloud profiles: what clusters of a provider may use, and what one project adds to it.
//!
//! A private profile inherits from a cloud profile. [`render`] joins the two, [`clean`] takes out what has
//! expired, [`admission`] judges what users write, and [`status`] says what came of it. All of it computes
//! with values; the current time is a parameter.
//!
//! ```
//! use landfall_cloud_profile::render::render;
//! use landfall_cloud_profile::types::{CloudProfileSpec, PrivateCloudProfileSpec};
//! use serde_json::json;
//!
//! let parent: CloudProfileSpec = serde_json::from_value(json!({
//!     "type": "aws",
//!     "regions": [{ "name": "us-east-1" }],
//!     "machineTypes": [{ "name": "m6i.xlarge", "cpu": "4", "gpu": "0", "memory": "16Gi" }],
//! }))?;
//! let private: PrivateCloudProfileSpec = serde_json::from_value(json!({
//!     "parent": "aws",
//!     "machineTypes": [{ "name": "hidden.xlarge", "cpu": "4", "gpu": "0", "memory": "16Gi" }],
//! }))?;
//! let rendered = render(&parent, &private);
//! let names: Vec<&str> = rendered.spec.machine_types.iter().map(|machine| machine.name.as_str()).collect();
//! assert_eq!(names, ["hidden.xlarge", "m6i.xlarge"]);
//! # Ok::<(), serde_json::Error>(())
//! ```

#![forbid(unsafe_code)]

pub mod admission;
pub mod allowance;
pub mod check;
pub mod clean;
pub mod diff;
pub mod document;
pub mod equivalence;
pub mod order;
pub mod outcome;
pub mod quantity;
pub mod released;
pub mod render;
pub mod status;
pub mod types;

pub use landfall_model::config::value::instant;

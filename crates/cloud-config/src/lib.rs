//! The configuration of a cluster's cloud provider: stitched from the user's text and the cluster's own facts.
//!
//! Two steps, each a pure function. [`managed`] makes the map `kube-cloud-config` of the user's map and the
//! Infrastructure object. [`target`] makes of that the text which the cloud controller manager reads. The
//! formats are those of the providers: two kinds of INI, JSON and YAML.
//!
//! ```
//! use landfall_cloud_config::{Entries, Infrastructure};
//! use landfall_cloud_config::managed::managed;
//! use serde_json::json;
//!
//! let infrastructure: Infrastructure = serde_json::from_value(json!({
//!     "spec": { "cloudConfig": { "name": "cloud-provider-config", "key": "config" } },
//!     "status": { "platformStatus": { "type": "Azure", "azure": { "cloudName": "AzureUSGovernmentCloud" } } },
//! }))?;
//! let user: Entries = serde_json::from_value(json!({ "data": { "config": "{}" } }))?;
//! let Ok(managed) = managed(&infrastructure, &user) else { unreachable!() };
//! assert!(managed.data["cloud.conf"].contains("\"cloud\": \"AzureUSGovernmentCloud\""));
//! # Ok::<(), serde_json::Error>(())
//! ```

#![forbid(unsafe_code)]

mod aws;
mod azure;
pub mod bootstrap;
mod document;
mod fault;
mod infrastructure;
mod ini;
mod json;
pub mod managed;
mod map;
mod openstack;
pub mod pages;
mod shape;
pub mod target;
mod vsphere;

pub use fault::Fault;
pub use infrastructure::{
    AwsStatus, AzureStatus, CloudConfig, Infrastructure, Network, NetworkSpec, PlatformSpec, PlatformStatus,
    ServiceEndpoint, Spec, Status, VSphereStatus,
};
pub use map::{CLOUD_CONF, Entries};

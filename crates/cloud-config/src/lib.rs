//! The configuration of a cluster's cloud provider: stitched from the user's text and the cluster's own facts.
//!
//! Two steps, each a pure function. [`managed`] makes the map `kube-cloud-config` of the user's map and the
//! Infrastructure object. [`target`] makes of that the text which the cloud controller manager reads. The
//! formats are those of the providers: two kinds of INI, JSON and YAML.

#![forbid(unsafe_code)]

mod aws;
mod azure;
pub mod bootstrap;
mod document;
mod fault;
mod infrastructure;
mod ini;
pub mod managed;
mod map;
mod openstack;
pub mod pages;
pub mod target;
mod vsphere;

pub use fault::Fault;
pub use infrastructure::{
    AwsStatus, AzureStatus, CloudConfig, Infrastructure, Network, NetworkSpec, PlatformSpec, PlatformStatus,
    ServiceEndpoint, Spec, Status, VSphereStatus,
};
pub use map::{CLOUD_CONF, Entries};

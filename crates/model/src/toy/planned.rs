//! The toy cloud's part of a plan: leaf types of [`crate::plan::Plan`].

use serde::Serialize;

/// What is to be created on the toy cloud.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    /// Region.
    pub region: String,
    /// Zone of the subnet and all machines.
    pub zone: String,
    /// Network of the machines.
    pub network: String,
    /// Control plane machines.
    pub control_plane: Pool,
    /// Compute pools.
    pub compute: Vec<Pool>,
}

/// Machines of one pool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pool {
    /// Name.
    pub name: String,
    /// How many machines.
    pub replicas: u32,
    /// Machine type.
    pub machine_type: String,
}

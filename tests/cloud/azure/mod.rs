//! Landfall against Azure: a server that plays a cloud, and all that a user can meet there.
//!
//! Needs nothing but the loopback interface. What the cloud holds is in `testdata/azure`, in the form of
//! Azure's published descriptions.

mod answer;
#[allow(dead_code, reason = "the tests with the real provider use more of it")]
mod arm;
mod blobs;
mod call;
mod changes;
mod directory;
mod graph;
mod lists;
#[allow(dead_code, reason = "the tests with the real provider use more of it")]
mod manager;
mod parts;
mod references;
#[allow(dead_code, reason = "the tests with the real provider use more of it")]
mod scene;
mod shape;
mod tree;
mod versions;

mod credentials;
mod edge;
mod endpoints;
mod failing;
mod groups;
mod location;
mod manager_itself;
mod network;
mod permissions;
mod public_cloud;
mod quotas;
mod removal;
mod resources;
mod secrets;
mod sizes;
mod stack_hub;
mod trouble;

//! Landfall against Azure: a server that plays a cloud, and all that a user can meet there.
//!
//! Needs nothing but the loopback interface. What the cloud holds is in `testdata/azure`, in the form of
//! Azure's published descriptions.

mod answer;
mod arm;
mod call;
mod changes;
mod directory;
mod graph;
mod manager;
mod scene;
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

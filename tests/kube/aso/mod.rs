//! The engine of Azure Service Operator, by the command line and by its controller, against real API servers
//! with the operator's definitions and an actor that plays it: see `actor` for what it does, `table` for what
//! stands for Azure.
//!
//! Nothing waits for a time, all for what must come. What came of a run is asked of the table and of the API
//! server, never of landfall.

#[allow(dead_code, clippy::duplicate_mod, reason = "others use it too, and more of it")]
#[path = "../operator/account.rs"]
mod account;
#[allow(dead_code, clippy::duplicate_mod, reason = "others use it too, and more of it")]
mod actor;
#[allow(dead_code, clippy::duplicate_mod, reason = "others use it too, and more of it")]
#[path = "../../cloud/authority.rs"]
mod authority;
mod controller;
mod counted;
mod crd_rules;
mod crds;
mod follow;
mod identity;
mod management;
#[allow(dead_code, clippy::duplicate_mod, reason = "others use it too, and more of it")]
#[path = "../../it/aso_schema.rs"]
mod schema;
mod site;
mod stands;
mod table;

mod adopted;
mod booted;
mod bootstrap;
mod checked;
mod controlled;
mod created;
mod destroyed;
mod existing_network;
mod installed;
mod killed;
mod moved;
mod paused;
mod protected;
mod refused;
mod rights;
mod rollout;
mod troubled;
mod unlabelled;
mod upgraded;

use crate::until;

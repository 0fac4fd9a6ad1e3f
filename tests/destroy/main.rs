//! `landfall destroy` against moto, which holds a whole cluster beside things that must stay.
//!
//! What came of it is asked of moto, never of landfall: after the last call everything must be as it was before
//! the cluster was made. Moto refuses to delete what is in use, as AWS does (`tools/moto`). Network interfaces of
//! load balancers go a while after these, and all else at once; that something takes its time, or is listed when
//! it is gone, is played by the server in between.
//!
//! Needs moto as `tests/cloud` does.
#![cfg(feature = "aws")]
#![allow(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/services.rs"]
mod services;

#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/faults.rs"]
mod faults;

// Shared with `tests/cloud`, which uses more of them.
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/answers.rs"]
mod answers;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/authority.rs"]
mod authority;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/front.rs"]
mod front;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/moto.rs"]
mod moto;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../cloud/program.rs"]
mod program;
// Shared with `tests/it`.
#[allow(dead_code, reason = "others use more of it")]
#[path = "../it/terminal.rs"]
mod terminal;

mod calls;
mod listing;
mod site;
mod world;

mod account;
mod blocked;
mod consent;
mod elsewhere;
mod failing;
mod killed;
mod late;
mod trouble;
mod untagged;
mod whole;

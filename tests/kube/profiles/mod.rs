//! Cloud profiles on a real API server: `landfall operator run` with its controllers of profiles and with
//! who judges what is written, users of different rights, and clusters that refer to profiles.
//!
//! As in `operator`, each test has a server of its own, the operator has the rights that are printed for it
//! and no others, and nothing waits for a time but for what must come.

mod users;
mod webhook;
mod world;

mod amending;
mod certificate;
mod conditions;
mod definitions;
mod deletion;
mod expiry;
mod judging;
mod own_group;
mod references;
mod rendering;

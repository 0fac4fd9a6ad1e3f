//! The controllers, each against a cluster that is played.

mod conformance;
mod mirror;
mod played;
mod rivals;
mod standing;

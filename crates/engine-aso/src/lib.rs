//! Azure through Azure Service Operator: a plan as objects of a management cluster, and what becomes of them.
//!
//! All but `drive` and `detect::look` is pure: values in, values out. These two talk to the management cluster:
//! they give what they read, and send what is decided.

#![forbid(unsafe_code)]

pub mod anchor;
pub mod core;
pub mod desired;
pub mod detect;
pub mod drive;
pub mod keys;
pub mod kinds;
pub mod names;
pub mod outside;
pub mod translate;

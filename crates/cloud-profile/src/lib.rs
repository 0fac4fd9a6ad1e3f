//! Cloud profiles: what clusters of a provider may use, and what one project adds to it.
//!
//! A private profile inherits from a cloud profile. [`render`] joins the two, [`clean`] takes out what has
//! expired, [`admission`] judges what users write, and [`status`] says what came of it. All of it computes
//! with values; the current time is a parameter.

#![forbid(unsafe_code)]

pub mod admission;
pub mod allowance;
pub mod check;
pub mod clean;
pub mod diff;
pub mod document;
pub mod meaning;
pub mod order;
pub mod outcome;
pub mod quantity;
pub mod released;
pub mod render;
pub mod status;
pub mod types;

pub use landfall_model::config::value::instant;

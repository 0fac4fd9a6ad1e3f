//! The data of the domain: install config, catalogue, facts and plan, with the sections of all clouds.
//!
//! Values and how they are read and written; no rule, no call, no file. A new cloud adds one module and its name in
//! `supported!`.

#![forbid(unsafe_code)]

pub mod aws;
pub mod azure;
pub mod catalogue;
pub mod config;
pub mod external;
pub mod facts;
pub mod none;
pub mod plan;
pub mod sections;

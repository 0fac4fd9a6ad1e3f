//! The toy cloud of the tests: its part of the install config, the catalogue, the facts and the plan.

pub mod catalogue;
pub mod config;
pub mod facts;
pub mod planned;

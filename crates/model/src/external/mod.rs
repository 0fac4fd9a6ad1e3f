//! Platform `external`: its part of the install config.

pub mod config;

//! Platform `none`: its part of the install config.

pub mod config;

//! landfall lands OpenShift clusters in any cloud region.
//!
//! A pure core that computes ([`source`], [`config`], [`rules`], [`platform`], [`verdict`], [`catalogue`],
//! [`facts`], [`plan`], [`render`], [`assets`], [`cloudconf`]) and thin edges that touch the world (`cli`, `ui`,
//! [`net`], [`preflight`], [`prepare`], [`workdir`], [`tls`]). `docs/design.md` has the whole house.

#![forbid(unsafe_code)]

pub mod assets;
pub mod catalogue;
pub mod cli;
pub mod cloudconf;
pub mod codes;
pub mod config;
#[cfg(feature = "controllers")]
pub mod controllers;
pub mod destroy;
pub mod engine;
pub mod facts;
pub mod finding;
pub mod graph;
pub mod install;
pub mod kube;
pub mod net;
pub mod plan;
pub mod platform;
pub mod preflight;
pub mod prepare;
pub mod profile;
pub mod render;
pub mod rules;
pub mod secret;
pub mod source;
pub mod stop;
pub mod tls;
pub mod ui;
pub mod verdict;
pub mod wait;
pub mod workdir;

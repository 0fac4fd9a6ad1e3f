//! landfall lands OpenShift clusters in any cloud region.
//!
//! The program: the command line ([`cli`]), and what a command collects of this machine ([`gather`]). What it is made
//! of is below `crates`;
//! `docs/design.md` has the whole house.
//!
//! ```
//! use landfall::cli;
//!
//! let command = cli::command();
//! let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
//! assert!(names.contains(&"preflight") && names.contains(&"destroy"));
//! ```

#![forbid(unsafe_code)]

pub mod cli;
pub mod environment;
pub mod formats;
pub mod gather;

pub use landfall_graph as graph;
pub use landfall_install as install;
pub use landfall_preflight as preflight;
pub use landfall_prepare as prepare;
pub use landfall_ui as ui;
pub use landfall_wait as wait;
pub use landfall_workdir as workdir;

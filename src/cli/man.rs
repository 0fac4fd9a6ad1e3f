//! `landfall man`.
#![allow(clippy::disallowed_methods, reason = "this edge writes the pages where it is told to")]

use anyhow::Context;

use super::{Exit, Settings};

/// Print or write the manual pages
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints the manual page of `landfall`, or writes the pages of all commands.
///
/// # Errors
/// Standard output or a page cannot be written.
pub fn run(_: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    if let Some(directory) = &settings.dir {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create the directory {}", directory.display()))?;
        clap_mangen::generate_to(super::command(), directory)
            .with_context(|| format!("cannot write manual pages to {}", directory.display()))?;
    } else {
        let mut page = Vec::new();
        clap_mangen::Man::new(super::command()).render(&mut page)?;
        settings.printer.data(&String::from_utf8_lossy(&page))?;
    }
    Ok(Exit::Done)
}

//! `landfall graph`.

#![allow(clippy::disallowed_methods, reason = "the picture is written where a browser can open it")]

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::ValueEnum;

use super::{Exit, Output, Settings};
use crate::graph;

/// Draw the graph of a cluster's files
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Format of the drawing
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Dot)]
    format: Form,

    /// Open the drawing in the browser
    #[arg(long, conflicts_with = "format")]
    open: bool,
}

/// Format of the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The language of Graphviz
    Dot,
    /// A Mermaid flow chart
    Mermaid,
    /// A picture, made without another program
    Svg,
}

/// The programs that open a file with what the user has chosen for it, on Linux and on macOS.
const OPENERS: [&str; 2] = ["xdg-open", "open"];

/// Prints the drawing, or opens it.
///
/// # Errors
/// Standard output cannot be written; no program opens the drawing.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    if args.open {
        let file = written(&graph::svg())?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        open(&file, &path)?;
        settings.printer.data(&format!("{}\n", file.display()))?;
        return Ok(Exit::Done);
    }
    let text = match (settings.output, args.format) {
        (Output::Json, _) => format!("{}\n", serde_json::to_string(graph::ASSETS)?),
        (_, Form::Dot) => graph::dot(),
        (_, Form::Mermaid) => graph::mermaid(),
        (_, Form::Svg) => graph::svg(),
    };
    settings.printer.data(&text)?;
    Ok(Exit::Done)
}

/// Writes a picture to a file that stays when landfall ends: the browser may read it later.
fn written(picture: &str) -> anyhow::Result<PathBuf> {
    let named = || "cannot write the drawing to the folder of temporary files";
    let mut file =
        tempfile::Builder::new().prefix("landfall-graph-").suffix(".svg").tempfile().with_context(named)?;
    file.write_all(picture.as_bytes()).with_context(named)?;
    let (_, path) = file.keep().with_context(named)?;
    Ok(path)
}

/// Opens a file with the first of the programs that is in one of the folders of `path`.
fn open(file: &Path, path: &OsStr) -> anyhow::Result<()> {
    for name in OPENERS {
        let mut folders = std::env::split_paths(path);
        let Some(program) =
            folders.find_map(|folder| Some(folder.join(name)).filter(|known| known.is_file()))
        else {
            continue;
        };
        let run = Command::new(&program).arg(file).stdin(Stdio::null()).stdout(Stdio::null()).status();
        match run {
            Ok(status) if status.success() => return Ok(()),
            Ok(_) => bail!("{name} cannot open {}: open it in a browser yourself", file.display()),
            Err(fault) if fault.kind() == ErrorKind::NotFound => {}
            Err(fault) => return Err(fault).with_context(|| format!("cannot run {}", program.display())),
        }
    }
    bail!("no xdg-open or open on PATH: open {} in a browser yourself", file.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn opens_with_what_is_on_path_and_says_where_the_drawing_is() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().as_os_str();
        let file = folder.path().join("graph.svg");
        let fault = open(&file, path).err().map(|fault| fault.to_string()).unwrap_or_default();
        assert!(fault.contains("xdg-open") && fault.contains("graph.svg"), "{fault}");
        let program = folder.path().join("xdg-open");
        let script = |text: &str| -> anyhow::Result<()> {
            fs::write(&program, text)?;
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
            Ok(())
        };
        script("#!/bin/sh\nexit 3\n")?;
        let fault = open(&file, path).err().map(|fault| fault.to_string()).unwrap_or_default();
        assert!(fault.contains("xdg-open cannot open") && fault.contains("graph.svg"), "{fault}");
        script(&format!("#!/bin/sh\necho \"$1\" > {}/opened\n", folder.path().display()))?;
        open(&file, path)?;
        assert_eq!(fs::read_to_string(folder.path().join("opened"))?.trim(), file.display().to_string());
        Ok(())
    }
}

//! `landfall graph`.

#![allow(clippy::disallowed_methods, reason = "the picture is written where a browser can open it")]

use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use clap::ValueEnum;

use landfall_diagnostics::Finding;
use landfall_install_config::verdict::{Outcome, Strictness, active};
use landfall_model::plan;
use landfall_platform::native::{GIVEN, Graph};

use super::create::BasisArgs;
use super::{Ended, Exit, Output, Settings};
use crate::graph::{Part, Resource, Resources};
use crate::prepare::{Environment, FactsFrom, Options, Refusal, Said};
use crate::{graph, prepare};

/// Draw the graph of a cluster's files or resources
///
/// Without `--resources`, it shows what each file of any cluster is generated from.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Draw this cluster's resources, as the native engine creates them
    #[arg(long)]
    resources: bool,

    /// Facts file; default: the cluster's facts.json
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, requires = "resources")]
    facts: Option<PathBuf>,

    /// Format of the drawing
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Dot)]
    format: Form,

    /// Open the drawing in the browser
    #[arg(long, conflicts_with = "format")]
    open: bool,

    #[command(flatten)]
    basis: BasisArgs,
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

/// What can be drawn of a cluster.
const DRAWN: &str = "`--resources` draws what the native engine can create: the facts of the cloud name existing \
    resources; gather them with `landfall facts`, or pass a file with --facts";

/// Prints the drawing, or opens it.
///
/// # Errors
/// Standard output cannot be written; no program opens the drawing.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let drawn = if args.resources {
        let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
        let facts = directory.join(prepare::FACTS);
        if args.facts.is_none() && !facts.exists() {
            let facts = facts.display();
            return Err(Ended::Usage(format!(
                "{facts} is missing: create the cluster's files, or set --facts"
            )));
        }
        Some(resources(args, &directory, settings)?)
    } else {
        None
    };
    let drawing = |form| match (&drawn, form) {
        (None, Form::Dot) => graph::dot(),
        (None, Form::Mermaid) => graph::mermaid(),
        (None, Form::Svg) => graph::svg(),
        (Some((_, drawn)), Form::Dot) => drawn.dot(),
        (Some((_, drawn)), Form::Mermaid) => drawn.mermaid(),
        (Some((_, drawn)), Form::Svg) => drawn.svg(),
    };
    if args.open {
        let file = written(&drawing(Form::Svg))?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        open(&file, &path)?;
        settings.printer.data(&format!("{}\n", file.display()))?;
        return Ok(Exit::Done);
    }
    let text = match (settings.output, &drawn) {
        (Output::Json, None) => format!("{}\n", serde_json::to_string(&*graph::ASSETS)?),
        (Output::Json, Some((resources, _))) => format!("{}\n", serde_json::to_string(&resources.resources)?),
        _ => drawing(args.format),
    };
    settings.printer.data(&text)?;
    Ok(Exit::Done)
}

/// The resources of the cluster in a directory, and their drawing. No cloud is asked.
fn resources(args: &Args, directory: &Path, settings: &Settings) -> Result<(Graph, Resources), Refusal> {
    let basis = args.basis.basis(directory, settings)?;
    let examined = prepare::examine(directory, &basis, Strictness::default())?;
    let facts = args.facts.clone().unwrap_or_else(|| directory.join(prepare::FACTS));
    let engine = prepare::Engine::here(plan::Engine::Native);
    let options = Options { engine: Some(engine), ..Options::reading(FactsFrom::File(facts)) };
    let outlook = prepare::outlook(directory, &basis, &examined, &options, Environment)?;
    let unfit = |mut findings: Vec<Finding>| {
        for finding in &mut findings {
            // What the engine advises is about creating a cluster.
            finding.help = Some(DRAWN.to_owned());
        }
        Refusal::Unfit(Box::new(Said { outcome: Outcome::Rejected, findings, ..examined.said.again() }))
    };
    let platform = active(&examined.config)
        .ok_or_else(|| prepare::Error::NoModules { platform: examined.platform() })?;
    let resources = platform
        .resources(&outlook.plan, &basis.catalogue)
        .map_err(unfit)?
        .ok_or_else(|| unfit(vec![landfall_platform::pages::not_native(platform.name())]))?;
    let is_temporary =
        |name: &str| platform.stages().iter().any(|stage| stage.only_for_bootstrap && stage.name == name);
    let drawn: Vec<Resource<'_>> = resources
        .resources
        .iter()
        .map(|node| Resource {
            name: &node.name,
            kind: node.kind,
            part: match node.stage {
                _ if node.kind.starts_with(GIVEN) => Part::Given,
                stage if is_temporary(stage) => Part::Bootstrap,
                _ => Part::Cluster,
            },
            needs: node.needs().into_iter().collect(),
        })
        .collect();
    let drawn = Resources::of(&drawn);
    Ok((resources, drawn))
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

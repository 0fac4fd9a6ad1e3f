//! `landfall graph`.

use anyhow::Context;
use clap::ValueEnum;

use super::{Exit, Output, Settings};
use crate::graph;

/// Draw the graph of a cluster's files
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Format of the drawing
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Dot)]
    format: Form,
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

/// Prints the drawing.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let text = match (settings.output, args.format) {
        (Output::Json, _) => format!("{}\n", serde_json::to_string(graph::ASSETS)?),
        (_, Form::Dot) => graph::dot(),
        (_, Form::Mermaid) => graph::mermaid(),
        (_, Form::Svg) => graph::svg().context("the graph cannot be laid out")?,
    };
    settings.printer.data(&text)?;
    Ok(Exit::Done)
}

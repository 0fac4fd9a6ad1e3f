//! The graph in the languages of drawing programs.

use std::fmt::Write;

use super::Kind;
use super::families::{Family, families, folders};

/// The graph in the DOT language of Graphviz, from left to right with a cluster for each folder: an arrow leads from an
/// asset to what is made of it.
#[must_use]
pub fn dot() -> String {
    let families = families();
    let mut text =
        "digraph assets {\n  rankdir=LR;\n  ranksep=0.6;\n  node [fontname=\"monospace\", fontsize=11];\n"
            .to_owned();
    let node = |at: usize, family: &Family| {
        let shape = match family.kind {
            Kind::Input => "ellipse",
            Kind::Value => "hexagon",
            Kind::File => "box",
            Kind::Cloud => "doublecircle",
        };
        format!("n{at} [label=\"{}\", shape={shape}];", label(family, "\\l", family.names.len() > 1))
    };
    for (at, family) in families.iter().enumerate().filter(|(_, family)| family.folder.is_empty()) {
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {}", node(at, family));
    }
    for (number, folder) in folders(&families).into_iter().enumerate() {
        let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label=\"{folder}\";");
        for (at, family) in families.iter().enumerate().filter(|(_, family)| family.folder == folder) {
            let _ = writeln!(text, "    {}", node(at, family));
        }
        text.push_str("  }\n");
    }
    for (at, family) in families.iter().enumerate() {
        for need in &family.needs {
            let _ = writeln!(text, "  n{need} -> n{at};");
        }
    }
    text.push_str("}\n");
    text
}

/// The graph as a Mermaid flow chart, from left to right with a subgraph for each folder.
#[must_use]
pub fn mermaid() -> String {
    let families = families();
    let mut text = "flowchart LR\n".to_owned();
    let node = |at: usize, family: &Family| {
        let (open, close) = match family.kind {
            Kind::Input => ("([", "])"),
            Kind::Value => ("{{", "}}"),
            Kind::File => ("[", "]"),
            Kind::Cloud => ("((", "))"),
        };
        format!("n{at}{open}\"{}\"{close}", label(family, "<br/>", false))
    };
    for (at, family) in families.iter().enumerate().filter(|(_, family)| family.folder.is_empty()) {
        let _ = writeln!(text, "  {}", node(at, family));
    }
    for (number, folder) in folders(&families).into_iter().enumerate() {
        let _ = writeln!(text, "  subgraph folder{number} [\"{folder}\"]");
        for (at, family) in families.iter().enumerate().filter(|(_, family)| family.folder == folder) {
            let _ = writeln!(text, "    {}", node(at, family));
        }
        text.push_str("  end\n");
    }
    for (at, family) in families.iter().enumerate() {
        for need in &family.needs {
            let _ = writeln!(text, "  n{need} --> n{at}");
        }
    }
    text
}

/// The names of a family with a line break between them, and behind the last one if it `ends`.
fn label(family: &Family, line_break: &str, ends: bool) -> String {
    let mut label = family.names.join(line_break);
    if ends {
        label.push_str(line_break);
    }
    label
}

//! The graph in the languages of drawing programs.

use std::fmt::Write;

use super::Kind;
use super::families::{Family, families, folders};

/// The graph in the DOT language of Graphviz, from left to right with a cluster for each folder: an arrow leads from an
/// asset to what is made of it.
#[must_use]
pub fn dot() -> String {
    dot_of(&families())
}

/// These families in DOT.
pub(super) fn dot_of(families: &[Family<'_>]) -> String {
    let language = Language {
        head: "digraph cluster {\n  rankdir=LR;\n  ranksep=0.6;\n  node [fontname=\"monospace\", fontsize=11];\n",
        node: &|at, family| {
            let shape = match family.kind {
                Kind::Input => "ellipse",
                Kind::Value => "hexagon",
                Kind::File => "box",
                Kind::Cloud => "doublecircle",
            };
            format!("n{at} [label=\"{}\", shape={shape}];", label(family, "\\l", family.names.len() > 1))
        },
        folder: &|number, name| format!("subgraph cluster_{number} {{\n    label=\"{name}\";"),
        end_of_folder: "}",
        arrow: &|from, to| format!("n{from} -> n{to};"),
        end: "}\n",
    };
    language.drawn(families)
}

/// The graph as a Mermaid flow chart, from left to right with a subgraph for each folder.
#[must_use]
pub fn mermaid() -> String {
    mermaid_of(&families())
}

/// These families as a Mermaid flow chart.
pub(super) fn mermaid_of(families: &[Family<'_>]) -> String {
    let language = Language {
        head: "flowchart LR\n",
        node: &|at, family| {
            let (open, close) = match family.kind {
                Kind::Input => ("([", "])"),
                Kind::Value => ("{{", "}}"),
                Kind::File => ("[", "]"),
                Kind::Cloud => ("((", "))"),
            };
            format!("n{at}{open}\"{}\"{close}", label(family, "<br/>", false))
        },
        folder: &|number, name| format!("subgraph folder{number} [\"{name}\"]"),
        end_of_folder: "end",
        arrow: &|from, to| format!("n{from} --> n{to}"),
        end: "",
    };
    language.drawn(families)
}

/// How a language writes the parts of a graph.
struct Language<'l> {
    head: &'static str,
    node: &'l dyn Fn(usize, &Family<'_>) -> String,
    /// The beginning of a folder with a number and a name.
    folder: &'l dyn Fn(usize, &str) -> String,
    end_of_folder: &'static str,
    /// From one node to another.
    arrow: &'l dyn Fn(usize, usize) -> String,
    end: &'static str,
}

impl Language<'_> {
    fn drawn(&self, families: &[Family<'_>]) -> String {
        let mut text = self.head.to_owned();
        let nodes = |text: &mut String, folder: &str, indent: &str| {
            for (at, family) in families.iter().enumerate().filter(|(_, family)| family.folder == folder) {
                // Writing to a string does not fail.
                let _ = writeln!(text, "{indent}{}", (self.node)(at, family));
            }
        };
        nodes(&mut text, "", "  ");
        for (number, folder) in folders(families).into_iter().enumerate() {
            let _ = writeln!(text, "  {}", (self.folder)(number, folder));
            nodes(&mut text, folder, "    ");
            let _ = writeln!(text, "  {}", self.end_of_folder);
        }
        for (at, family) in families.iter().enumerate() {
            for need in &family.needs {
                let _ = writeln!(text, "  {}", (self.arrow)(*need, at));
            }
        }
        text + self.end
    }
}

/// The names of a family with a line break between them, and behind the last one if it `ends`.
fn label(family: &Family<'_>, line_break: &str, ends: bool) -> String {
    let mut label = family.names.join(line_break);
    if ends {
        label.push_str(line_break);
    }
    label
}

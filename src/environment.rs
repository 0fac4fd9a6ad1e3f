//! The environment variables that landfall reads: the one table that the reference goes by. A test compares it
//! with the names in the code.

use std::sync::LazyLock;

/// Environment variables with one purpose.
#[derive(Clone, Debug)]
pub struct Group {
    /// Heading of the group.
    pub title: &'static str,
    /// When landfall reads them, in Markdown.
    pub note: String,
    /// The variables with what each is for, in Markdown.
    pub variables: Vec<(&'static str, &'static str)>,
}

/// Every variable that landfall reads, by group. The file has a block for each group: the title, the note, and the
/// variables as indented lines.
pub static GROUPS: LazyLock<Vec<Group>> =
    LazyLock::new(|| include_str!("environment.txt").split("\n\n").map(group).collect());

fn group(block: &'static str) -> Group {
    let (title, lines) = block.split_once('\n').unwrap_or((block, ""));
    let (variables, note): (Vec<&str>, Vec<&str>) = lines.lines().partition(|line| line.starts_with("  "));
    let variables = variables.into_iter().filter_map(|line| line.trim_start().split_once(": ")).collect();
    Group { title, note: note.join(" "), variables }
}

/// The commands that read no variable but those of the terminal.
pub const COMMANDS_WITHOUT: &[&str] = &[
    "validate",
    "defaults",
    "explain",
    "schema",
    "regions",
    "graph",
    "aso roles",
    "cloud-config",
    "profile",
    "operator manifests",
    "operator crds",
];

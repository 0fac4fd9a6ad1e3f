//! Examples of every command, for its help and its manual page. They work when pasted, with the files that they name.

use std::sync::LazyLock;

/// Examples by command, those with commands below them first. The file has a block for each command.
pub static EXAMPLES: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    let blocks = include_str!("examples.txt").split("\n\n").filter_map(|block| block.split_once(":\n"));
    blocks.map(|(command, examples)| (command, examples.lines().collect())).collect()
});

/// The examples of a command; none of the program as a whole.
pub fn of(command: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(name, _)| *name == command).map(|(_, examples)| &examples[..]).unwrap_or_default()
}

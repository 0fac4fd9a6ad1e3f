//! Where in the file a field's value comes from.

use crate::finding::Span;
use crate::source::Tree;

/// The place of the value at `path`: the value itself, else the older field or the default machine
/// platform that it was taken from, else the deepest part of the path that the file has.
///
/// `older` lists newer paths with the older ones that may hold their value.
#[must_use]
pub fn locate(tree: &Tree<'_>, path: &str, older: &[(&str, &str)]) -> Span {
    let (direct, whole) = tree.place(path);
    if whole {
        return direct;
    }
    let origins = older
        .iter()
        .filter_map(|(new, old)| path.strip_prefix(new).map(|rest| format!("{old}{rest}")))
        .chain(inherited(path));
    for origin in origins {
        if let (span, true) = tree.place(&origin) {
            return span;
        }
    }
    direct
}

/// The path in the default machine platform which a pool's setting is inherited from.
fn inherited(path: &str) -> Option<String> {
    let (pool, rest) = path.split_once(".platform.")?;
    let (name, setting) = rest.split_once('.')?;
    (!pool.starts_with("platform")).then(|| format!("platform.{name}.defaultMachinePlatform.{setting}"))
}

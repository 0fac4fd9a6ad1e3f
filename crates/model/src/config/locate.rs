//! Where in the file a field's value comes from.

use landfall_diagnostics::Span;
use landfall_source::Tree;

/// The place of the value at `path`: the value itself, else the older field or the default machine
/// platform that it was taken from, else the deepest part of one of these paths that the file has.
///
/// `older` lists newer paths with the older ones that may hold their value.
#[must_use]
pub fn locate(tree: &Tree<'_>, path: &str, older: &[(&str, &str)]) -> Span {
    let direct = tree.place(path);
    if direct.1 == 0 {
        return direct.0;
    }
    let origins = older
        .iter()
        .filter_map(|(new, old)| path.strip_prefix(new).map(|rest| format!("{old}{rest}")))
        .chain(inherited(path))
        .map(|origin| tree.place(&origin));
    // What is found nearest to its end is nearest to the value.
    let (span, _) = origins.fold(direct, |best, found| if found.1 < best.1 { found } else { best });
    span
}

/// The path in the default machine platform which a pool's setting is inherited from.
fn inherited(path: &str) -> Option<String> {
    let (pool, rest) = path.split_once(".platform.")?;
    let (name, setting) = rest.split_once('.')?;
    (!pool.starts_with("platform")).then(|| format!("platform.{name}.defaultMachinePlatform.{setting}"))
}

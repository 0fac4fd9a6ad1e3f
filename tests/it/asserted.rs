//! Whether a test asserts a code: found by reading the sources of the tests, not by their names.

mod flow;
mod sources;

pub use sources::Sources;

use flow::{Scope, asserts};

/// Why the test `path` does not count as one that asserts `code`, if it does not.
pub fn objection(sources: &Sources, path: &str, code: &str) -> Option<String> {
    let tests: Vec<_> = sources.functions().filter(|f| f.path == path).collect();
    let [test] = tests[..] else {
        return Some(format!("{} tests are named {path}", tests.len()));
    };
    if !test.is_test {
        return Some(format!("{path} is no test"));
    }
    let scope = Scope::new(sources, test, code);
    (!asserts(&scope)).then(|| format!("{path} asserts neither `{code}` nor its page"))
}

//! What a test needs from outside, and what becomes of it where that is not there.

use std::io::Write;

/// Says that a test was left out: on standard error, and in the file that `LANDFALL_SKIPPED` names, which
/// `tools/test` shows at its end. `LANDFALL_REQUIRE` lists, with commas, what must not be left out, `all`
/// for everything: a machine that should have a service and has not is a fault.
pub fn skipped(what: &str, why: &str) {
    let required = std::env::var("LANDFALL_REQUIRE").unwrap_or_default();
    let demanded = required.split(',').any(|name| name == what || name == "all");
    assert!(!demanded, "{what} is required by LANDFALL_REQUIRE: {why}");
    eprintln!("SKIPPED {what}: {why}");
    if let Some(path) = std::env::var_os("LANDFALL_SKIPPED") {
        let mut file = std::fs::File::options().append(true).create(true).open(path).unwrap();
        writeln!(file, "{what}: {why}").unwrap();
    }
}

//! What a test needs from outside, and what becomes of it where that is not there.

/// Says that a test was left out. `LANDFALL_REQUIRE` lists, with commas, what must not be left out, `all`
/// for everything: a machine that should have a service and has not is a fault.
pub fn skipped(what: &str, why: &str) {
    let required = std::env::var("LANDFALL_REQUIRE").unwrap_or_default();
    let demanded = required.split(',').any(|name| name == what || name == "all");
    assert!(!demanded, "{what} is required by LANDFALL_REQUIRE: {why}");
    eprintln!("SKIPPED {what}: {why}");
}

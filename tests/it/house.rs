//! What holds in every crate and no compiler keeps: the pure ones name no outside world, files stay readable, and
//! platforms are named by themselves and in the one list only.

use std::path::{Path, PathBuf};

/// What computes: nothing in it may name the outside world. Of Azure, all but `cloud`.
const PURE: &[&str] = &[
    "crates/diagnostics",
    "crates/source",
    "crates/model",
    "crates/rules",
    "crates/render",
    "crates/platform",
    "crates/aws",
    "crates/azure",
    "crates/install-config",
    "crates/cloud-profile",
    "crates/graph",
];

/// Every source below `src` and `crates` but build scripts, from the root.
fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["src", "crates"].into_iter().flat_map(|folder| walkdir::WalkDir::new(root.join(folder)));
    let files = files.map(|entry| entry.unwrap().into_path());
    let found: Vec<_> = files
        .filter(|path| {
            path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("build.rs")
        })
        .map(|path| (path.strip_prefix(root).unwrap().to_owned(), std::fs::read_to_string(&path).unwrap()))
        .collect();
    assert!(found.len() > 400, "the sources were not found");
    found
}

/// The code of a file without its unit tests.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or_default()
}

#[test]
fn the_pure_core_names_no_outside_world() {
    let outside = [
        "std::fs",
        "std::env",
        "std::process",
        "std::net::Tcp",
        "std::time::Instant",
        "std::time::SystemTime",
        "std::thread",
        "println!",
        "tokio",
    ];
    for (path, text) in sources() {
        let is_edge = path.starts_with("crates/azure/src/cloud");
        if !is_edge && PURE.iter().any(|pure| path.starts_with(pure)) {
            for name in outside {
                assert!(!text.contains(name), "{} names {name}", path.display());
            }
        }
    }
}

#[test]
fn files_stay_readable() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines < 700, "{} has {lines} lines: split it", path.display());
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(!["util", "utils", "common", "helpers", "misc"].contains(&name), "{}", path.display());
    }
}

/// The documentation tests run these examples.
#[test]
fn each_crate_begins_with_an_example() {
    let pages = sources().into_iter().filter(|(path, _)| path.ends_with("lib.rs"));
    let without: Vec<PathBuf> = pages
        .filter(|(path, _)| !path.starts_with("crates/workspace-hack"))
        .filter(|(_, text)| {
            !text.lines().take_while(|line| line.starts_with("//!")).any(|line| line == "//! ```")
        })
        .map(|(path, _)| path)
        .collect();
    assert!(without.is_empty(), "the documentation of these begins without an example: {without:?}");
}

#[test]
fn platforms_are_named_by_themselves_and_in_the_list_only() {
    // What is mirrored stands under AWS's name in the object, and to do nothing is an action called so.
    let own = [
        "crates/aws",
        "crates/aws-cloud",
        "crates/azure",
        // The examples of pages start from a config of a platform.
        "crates/diagnostics/src/base.rs",
        "crates/install-config/src/none.rs",
        "crates/install-config/src/external.rs",
        "crates/model/src/aws",
        "crates/model/src/azure",
        "crates/model/src/none",
        "crates/model/src/external",
        "crates/model/src/toy",
        "crates/toy-cloud",
        "crates/controllers/src/endpoint_mirror",
        "crates/engine-aso/src/core/action.rs",
    ];
    for (path, text) in sources() {
        let is_test = path.ends_with("tests.rs") || path.iter().any(|part| part == "tests");
        if is_test || own.iter().any(|own| path.starts_with(own)) {
            continue;
        }
        for name in ["\"aws\"", "\"azure\"", "\"toy\"", "\"none\"", "\"external\""] {
            let found = code(&text).lines().find(|line| {
                let is_feature = line.trim_start().starts_with("#[cfg(") && line.contains("feature");
                line.contains(name) && !is_feature && !line.trim_start().starts_with("//")
            });
            assert!(found.is_none(), "{} asks for a platform by its name: {found:?}", path.display());
        }
    }
}

//! Which room may import which: the table of `docs/design.md`, kept by reading the `use` lines.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Each room with the rooms that it may import. The first path prefix that fits a file is its room.
const ROOMS: &[(&str, &[&str])] = &[
    ("finding", &[]),
    ("secret", &[]),
    ("source", &["finding", "secret"]),
    // The leaf types that `config` is made of stand below it, as does the list of platforms' sections.
    ("platform/sections", &["config/value", "platform/*/config"]),
    ("platform/*/config", &["config/value", "secret", "platform/*/values"]),
    ("platform/*/catalogue", &["config/value", "catalogue/value"]),
    ("platform/*/facts", &["config/value"]),
    (
        "platform/*/cloud",
        &[
            "catalogue",
            "config",
            "facts",
            "finding",
            "net",
            "plan",
            "platform",
            "platform/*/catalogue",
            "platform/*/config",
            "platform/*/facts",
            "platform/*/planned",
            "secret",
        ],
    ),
    ("net", &["finding", "secret"]),
    ("platform/*/planned", &[]),
    ("platform/*/values", &[]),
    ("config/value", &["source", "secret"]),
    ("config", &["source", "finding", "secret", "platform/sections", "platform/*/config"]),
    ("rules", &["catalogue", "config", "finding", "secret", "platform/sections"]),
    ("catalogue/value", &["config/value"]),
    ("catalogue", &["config/value", "finding", "source", "platform/sections", "platform/*/catalogue"]),
    ("facts", &["config", "config/value", "finding", "source", "platform/sections", "platform/*/facts"]),
    ("plan", &["catalogue", "config", "facts", "finding", "platform/sections", "platform/*/planned"]),
    ("render", &["config", "plan", "rules", "secret"]),
    ("graph", &[]),
    ("profile", &["catalogue", "config/value", "finding", "source"]),
    ("cloudconf", &["catalogue", "finding", "render"]),
    (
        "controllers",
        &[
            "assets",
            "catalogue",
            "cloudconf",
            "config",
            "engine",
            "facts",
            "finding",
            "kube",
            "net",
            "plan",
            "platform",
            "platform/*/catalogue",
            "platform/*/credentials",
            "profile",
            "render",
            "secret",
            "stop",
            "verdict",
        ],
    ),
    (
        "platform",
        &[
            "catalogue",
            "config",
            "facts",
            "finding",
            "plan",
            "platform",
            "platform/*/catalogue",
            "platform/*/config",
            "platform/*/facts",
            "platform/*/planned",
            "platform/*/values",
            "render",
            "rules",
            "secret",
        ],
    ),
    ("verdict", &["catalogue", "config", "facts", "finding", "plan", "platform", "rules", "source"]),
    (
        "assets",
        &[
            "catalogue",
            "config",
            "facts",
            "finding",
            "plan",
            "platform",
            "render",
            "secret",
            "source",
            "verdict",
        ],
    ),
    ("preflight", &["assets", "catalogue", "config", "facts", "finding", "plan", "platform"]),
    ("destroy", &["finding", "platform", "stop"]),
    ("ui", &["destroy", "finding", "plan", "platform", "preflight", "secret", "source", "verdict"]),
    ("tls", &["render", "secret"]),
    ("workdir", &["secret"]),
    ("stop", &[]),
    (
        "engine",
        &[
            "catalogue/value",
            "finding",
            "secret",
            "stop",
            "config",
            "plan",
            "platform/*/config",
            "platform/*/planned",
            "platform/*/catalogue",
            "kube",
        ],
    ),
    ("install", &["engine", "finding", "plan", "platform", "secret", "workdir"]),
    ("kube", &["finding", "net", "secret"]),
    ("wait", &["finding", "kube", "net"]),
    ("codes", &["cloudconf", "destroy", "engine", "finding", "prepare", "verdict", "wait", "profile"]),
    (
        "prepare",
        &[
            "assets",
            "catalogue",
            "config",
            "engine",
            "facts",
            "finding",
            "plan",
            "platform",
            "preflight",
            "render",
            "secret",
            "source",
            "tls",
            "verdict",
            "workdir",
            "profile",
        ],
    ),
    (
        "cli",
        &[
            "assets",
            "catalogue",
            "cloudconf",
            "codes",
            "config",
            "controllers",
            "destroy",
            "engine",
            "facts",
            "finding",
            "graph",
            "install",
            "kube",
            "plan",
            "platform",
            "preflight",
            "prepare",
            "rules",
            "secret",
            "source",
            "stop",
            "ui",
            "verdict",
            "wait",
            "workdir",
            "profile",
            "platform/*/planned",
        ],
    ),
    ("main", &["cli"]),
];

/// The pure core: nothing in it may name the outside world.
const PURE: &[&str] = &[
    "assets",
    "catalogue",
    "config",
    "facts",
    "finding",
    "graph",
    "plan",
    "platform",
    "render",
    "rules",
    "secret",
    "source",
    "verdict",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

fn fits(pattern: &str, path: &str) -> bool {
    let mut parts = path.split('/');
    pattern.split('/').all(|wanted| parts.next().is_some_and(|part| wanted == "*" || wanted == part))
}

fn room(path: &str) -> Option<&'static str> {
    ROOMS.iter().map(|(room, _)| *room).find(|room| fits(room, path))
}

/// The module paths under `crate::` (or `landfall::`) that a file names, in file notation.
fn imports(text: &str) -> Vec<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let joined = code.join(" ");
    let mut found = Vec::new();
    for start in ["crate::", "landfall::"] {
        for (at, _) in joined.match_indices(start) {
            let rest = &joined[at + start.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && !"_:$".contains(c)).unwrap_or(rest.len());
            found.push(rest[..end].trim_end_matches(':').replace("::", "/"));
        }
    }
    found
}

#[test]
fn rooms_import_only_what_stands_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    assert!(files.len() > 30, "the sources were not found");
    let allowed: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let mut wrong = Vec::new();
    for file in files {
        let path = file.strip_prefix(&src).unwrap().with_extension("");
        let path = path.to_str().unwrap().replace('\\', "/");
        let path = path.trim_end_matches("/mod");
        if path == "lib" {
            continue;
        }
        let Some(own) = room(path) else {
            wrong.push(format!("{path} belongs to no room: add it to the table"));
            continue;
        };
        let text = std::fs::read_to_string(&file).unwrap();
        for import in imports(&text) {
            // `$crate` in a macro and re-exports at the root have no room.
            let Some(other) = room(&import) else {
                continue;
            };
            // Unit tests everywhere compare what they find with kept renderings.
            if import.starts_with("ui/snapshot") {
                continue;
            }
            let same = own == other || fits(own, &import);
            if !same && !allowed[own].iter().any(|pattern| fits(pattern, &import)) {
                wrong.push(format!("{path} ({own}) imports {import} ({other})"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_pure_core_names_no_outside_world() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
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
    for file in files {
        let path = file.strip_prefix(&src).unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        let edge = fits("platform/*/cloud", &path);
        if !edge && PURE.iter().any(|room| path.starts_with(room)) {
            for name in outside {
                assert!(!text.contains(name), "{path} names {name}");
            }
        }
    }
}

#[test]
fn files_stay_readable() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    for file in files {
        let lines = std::fs::read_to_string(&file).unwrap().lines().count();
        assert!(lines < 700, "{} has {lines} lines: split it", file.display());
        let name = file.file_stem().unwrap().to_str().unwrap();
        assert!(!["util", "utils", "common", "helpers", "misc"].contains(&name), "{}", file.display());
    }
}

#[test]
fn platforms_are_named_in_their_own_folder_and_in_the_list_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    for file in files {
        let path = file.strip_prefix(&src).unwrap().to_str().unwrap().to_owned();
        let of_tests = path.ends_with("tests.rs") || path.contains("/tests/");
        // What is mirrored stands under AWS's name in the object, and to do nothing is an action called so.
        let others = ["platform/", "controllers/endpoint_mirror/", "engine/aso/core/action"];
        let of_one = others.iter().any(|other| path.starts_with(other));
        if of_one || path.starts_with("finding/base") || of_tests {
            continue;
        }
        let text = std::fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for name in ["\"aws\"", "\"azure\"", "\"none\"", "\"external\"", "Some(\"aws\")"] {
            let found = code.lines().find(|line| line.contains(name) && !line.trim_start().starts_with("//"));
            assert!(found.is_none(), "{path} asks for a platform by its name: {found:?}");
        }
    }
}

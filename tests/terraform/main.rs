//! The terraform modules and the engine, with the real terraform and the real AWS provider.
//!
//! Needs `terraform` or `tofu` on PATH and a plugin directory with the provider: `LANDFALL_TF_PLUGIN_DIR`,
//! else the first one found under the usual folders. The tests that need them are part
//! of the outer ring, and fail where they are missing.
#![allow(clippy::disallowed_methods, reason = "tests read files and start programs")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod engine;
mod install;
#[allow(dead_code, reason = "others use more of it")]
#[path = "../support/services.rs"]
mod services;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use landfall_render::modules;
use walkdir::WalkDir;

/// The provider whose modules can be checked on a machine without a network.
const PROVIDER: &str = "terraform-provider-aws";

fn program() -> Option<&'static str> {
    ["terraform", "tofu"].into_iter().find(|name| {
        Command::new(name)
            .arg("version")
            .env("CHECKPOINT_DISABLE", "1")
            .output()
            .is_ok_and(|o| o.status.success())
    })
}

/// The folder that holds `registry.terraform.io/...`.
fn plugin_folder() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("LANDFALL_TF_PLUGIN_DIR") {
        return Some(named.into());
    }
    let home = std::env::home_dir().unwrap_or_default();
    let usual = [
        PathBuf::from("/opt"),
        "/usr/local/share".into(),
        "/usr/share/terraform".into(),
        home.join(".terraform.d"),
    ];
    let mut binaries =
        usual.iter().flat_map(|folder| WalkDir::new(folder).max_depth(9)).filter_map(Result::ok);
    let binary = binaries.find(|entry| entry.file_name().to_string_lossy().starts_with(PROVIDER))?;
    let registry = binary.path().ancestors().find(|path| path.ends_with("registry.terraform.io"))?;
    registry.parent().map(Path::to_owned)
}

fn run(program: &str, folder: &Path, arguments: &[&str]) -> Output {
    let data = folder.join(".terraform-data");
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("TF_IN_AUTOMATION", "1")
        .env("TF_INPUT", "0")
        .env("CHECKPOINT_DISABLE", "1")
        .env("TF_CLI_CONFIG_FILE", "/dev/null")
        .env("TF_DATA_DIR", data)
        .output()
        .unwrap()
}

/// Puts a stage of a platform into a folder of its own.
fn staged(platform: &str) -> (tempfile::TempDir, Vec<PathBuf>) {
    let root = tempfile::tempdir().unwrap();
    let mut folders = Vec::new();
    for stage in landfall_install_config::platforms::named(platform).unwrap().stages() {
        let file = modules::joined(platform, stage);
        let path = root.path().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, file.bytes).unwrap();
        folders.push(root.path().join("terraform").join(stage.name));
    }
    assert!(folders.len() >= 2, "{platform} has {} stages", folders.len());
    (root, folders)
}

#[test]
#[ignore = "needs terraform"]
fn modules_are_formatted() {
    let Some(program) = program() else {
        services::missing("terraform", "neither terraform nor tofu is on PATH");
    };
    for platform in ["aws", "azure"] {
        let (root, _) = staged(platform);
        let output = run(program, root.path(), &["fmt", "-check", "-diff", "-recursive"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
#[ignore = "needs terraform"]
fn the_real_provider_accepts_the_modules() {
    let (Some(program), Some(plugins)) = (program(), plugin_folder()) else {
        services::missing("terraform", "it needs terraform and a plugin directory with the AWS provider");
    };
    let plugins = format!("-plugin-dir={}", plugins.display());
    let (_root, folders) = staged("aws");
    for folder in folders {
        for arguments in [
            &["init", "-input=false", "-no-color", "-backend=false", plugins.as_str()][..],
            &["validate", "-no-color"],
        ] {
            let output = run(program, &folder, arguments);
            let told = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(output.status.success(), "{}: {told}", folder.display());
            // A plugin directory has the checksums of one platform only, of which `init` warns.
            assert!(arguments[0] == "init" || !told.contains("Warning:"), "{}: {told}", folder.display());
        }
    }
}

//! The real terraform, and a folder with a provider of it.

use std::path::PathBuf;
use std::process::Command;

use walkdir::WalkDir;

/// Whether terraform or tofu runs.
pub fn has_terraform() -> bool {
    ["terraform", "tofu"].into_iter().any(|name| {
        let version = Command::new(name).arg("version").env("CHECKPOINT_DISABLE", "1").output();
        version.is_ok_and(|output| output.status.success())
    })
}

/// The folder that holds `registry.terraform.io/...` with a provider, whose program has such a name: the one that
/// `LANDFALL_TF_PLUGIN_DIR` names, else the first of the usual ones.
pub fn folder(provider: &str) -> Option<PathBuf> {
    let home = std::env::home_dir().unwrap_or_default();
    let usual: Vec<PathBuf> = match std::env::var_os("LANDFALL_TF_PLUGIN_DIR") {
        Some(named) => vec![named.into()],
        None => vec![
            "/opt".into(),
            "/usr/local/share".into(),
            "/usr/share/terraform".into(),
            home.join(".terraform.d"),
        ],
    };
    let start = format!("{provider}_v");
    let mut entries =
        usual.iter().flat_map(|folder| WalkDir::new(folder).max_depth(9)).filter_map(Result::ok);
    entries.find_map(|entry| {
        let is_one = entry.file_name().to_string_lossy().starts_with(&start);
        let registry = entry.path().ancestors().find(|path| path.ends_with("registry.terraform.io"))?;
        is_one.then(|| registry.parent().map(PathBuf::from))?
    })
}

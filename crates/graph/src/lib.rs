//! The assets of a cluster and what each is made of, and its resources and what each refers to, for `landfall graph`.
//!
//! Pure data and its pictures: no file is read and no cloud is named. The order of [`ASSETS`] is one in which they can be
//! made.
//!
//! ```
//! use landfall_graph::{ASSETS, Kind, dot, stands_for};
//!
//! let metadata = ASSETS.iter().find(|asset| asset.name == "metadata.json");
//! assert_eq!(metadata.map(|asset| asset.kind), Some(Kind::File));
//! assert!(stands_for("openshift/99_*-machineset-*", "openshift/99_openshift-cluster-api_worker-machineset-0.yaml"));
//! assert!(dot().starts_with("digraph"));
//! ```

#![forbid(unsafe_code)]

mod families;
mod picture;
mod resources;
mod text;

pub use picture::svg;
pub use resources::{Part, Resource, Resources};
pub use text::{dot, mermaid};

use std::sync::LazyLock;

use serde::Serialize;

/// One asset, or a family of files that are made alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Asset {
    /// Name; for files their path in the cluster directory, in which `*` stands for any text.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The names of the assets that it is made of.
    pub needs: Vec<&'static str>,
}

/// What an asset is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The user's, or the environment's.
    Input,
    /// Computed, kept nowhere.
    Value,
    /// A file in the cluster directory.
    File,
    /// In the cloud.
    Cloud,
}

/// Every asset; those that others need come first.
///
/// In the file, the indented lines below an asset are what it is made of. `openshift-install` is the program that
/// generates ignition files from manifests, where the user brings none.
pub static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let mut assets: Vec<Asset> = Vec::new();
    for line in include_str!("assets.txt").lines() {
        let (kind, name) = line.split_once(' ').unwrap_or_default();
        let kind = match kind {
            "input" => Kind::Input,
            "value" => Kind::Value,
            "file" => Kind::File,
            "cloud" => Kind::Cloud,
            _ => {
                if let Some(asset) = assets.last_mut() {
                    asset.needs.push(line.trim_start());
                }
                continue;
            }
        };
        assets.push(Asset { name, kind, needs: Vec::new() });
    }
    assets
});

/// Whether a path is one of those that a name stands for.
#[must_use]
pub fn stands_for(name: &str, path: &str) -> bool {
    let mut parts = name.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    for (i, part) in parts.iter().enumerate() {
        if i + 1 == parts.len() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_come_before_what_is_made_of_them() {
        assert!(ASSETS.len() > 40);
        for (i, asset) in ASSETS.iter().enumerate() {
            for need in &asset.needs {
                assert!(
                    ASSETS[..i].iter().any(|earlier| earlier.name == *need),
                    "{} needs {need}",
                    asset.name
                );
            }
        }
    }

    #[test]
    fn draws_every_asset_in_every_form() {
        let svg = svg();
        assert!(svg.starts_with("<svg"), "{svg:.60}");
        for asset in ASSETS.iter() {
            // The folder is drawn as a frame.
            let (folder, name) = match asset.name.split_once('/') {
                Some((folder, name)) if asset.kind == Kind::File => (folder, name),
                _ => ("", asset.name),
            };
            for drawing in [dot(), mermaid(), svg.clone()] {
                assert!(drawing.contains(name) && drawing.contains(folder), "{}", asset.name);
            }
        }
    }

    #[test]
    fn stars_stand_for_any_text() {
        assert!(stands_for("openshift/99_*-machines-*", "openshift/99_x_master-machines-0.yaml"));
        assert!(!stands_for("openshift/99_*-machines-*", "openshift/99_x_worker-machineset-0.yaml"));
        assert!(stands_for("a/b", "a/b") && !stands_for("a/b", "a/bc"));
        assert!(stands_for("terraform/*.tfvars.json", "terraform/terraform.tfvars.json"));
    }
}

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

use serde::Serialize;

/// One asset, or a family of files that are made alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Asset {
    /// Name; for files their path in the cluster directory, in which `*` stands for any text.
    pub name: &'static str,
    /// What it is.
    pub kind: Kind,
    /// The names of the assets that it is made of.
    pub needs: &'static [&'static str],
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

const fn asset(name: &'static str, kind: Kind, needs: &'static [&'static str]) -> Asset {
    Asset { name, kind, needs }
}

const CONFIG: &str = "completed config";
const PLAN: &str = "plan";
const CERTIFICATES: &str = "auth/tls/*";
const CREDENTIALS: &str = "cloud credentials";
const SCHEDULER: &str = "manifests/cluster-scheduler-02-config.yml";
/// The program that makes ignition files of manifests, where the user brings none.
const INSTALLER: &str = "openshift-install";
const IGNITION: &str = "ignition files";
const BOOTSTRAP: &str = "terraform/bootstrap.ign";
const VARIABLES: &str = "terraform/*.tfvars.json";
const MODULES: &str = "terraform/*/main.tf";
const METADATA: &str = "metadata.json";

/// Every asset; those that others need come first.
pub const ASSETS: &[Asset] = &[
    asset("install-config.yaml", Kind::Input, &[]),
    asset("catalogue", Kind::Input, &[]),
    asset(CREDENTIALS, Kind::Input, &[]),
    asset(CONFIG, Kind::Value, &["install-config.yaml"]),
    asset("facts.json", Kind::File, &[CONFIG, "catalogue", CREDENTIALS]),
    asset("identity", Kind::Value, &[CONFIG]),
    asset(PLAN, Kind::Value, &[CONFIG, "facts.json", "catalogue", "identity"]),
    asset(CERTIFICATES, Kind::File, &[CONFIG]),
    asset("manifests/cluster-config.yaml", Kind::File, &[CONFIG]),
    asset("manifests/cloud-provider-config.yaml", Kind::File, &[PLAN]),
    asset("manifests/cluster-csi-driver-config.yaml", Kind::File, &[PLAN]),
    asset("manifests/cluster-dns-02-config.yml", Kind::File, &[PLAN]),
    asset("manifests/cluster-infrastructure-02-config.yml", Kind::File, &[PLAN]),
    asset("manifests/cluster-ingress-*", Kind::File, &[PLAN]),
    asset("manifests/cluster-network-*", Kind::File, &[PLAN]),
    asset("manifests/cluster-pki-02-config.yaml", Kind::File, &[PLAN]),
    asset("manifests/cluster-proxy-01-config.yaml", Kind::File, &[PLAN]),
    asset(SCHEDULER, Kind::File, &[PLAN]),
    asset("manifests/cvo-overrides.yaml", Kind::File, &[PLAN]),
    asset("manifests/image-*", Kind::File, &[PLAN]),
    asset("manifests/kube-cloud-config.yaml", Kind::File, &[]),
    asset("manifests/kube-system-configmap-root-ca.yaml", Kind::File, &[CERTIFICATES]),
    asset("manifests/90_cluster-mco-02-config.yaml", Kind::File, &[PLAN]),
    asset("manifests/machine-config-server-*", Kind::File, &[CERTIFICATES]),
    asset("manifests/openshift-config-secret-pull-secret.yaml", Kind::File, &[CONFIG]),
    asset("manifests/user-ca-bundle-config.yaml", Kind::File, &[CONFIG]),
    asset("openshift/99_cloud-creds-secret.yaml", Kind::File, &[PLAN, CREDENTIALS]),
    asset("openshift/99_feature-gate.yaml", Kind::File, &[CONFIG]),
    asset("openshift/99_role-cloud-creds-secret-reader.yaml", Kind::File, &[PLAN]),
    asset("openshift/99_*-machines-*", Kind::File, &[PLAN]),
    asset("openshift/99_*-machineset-*", Kind::File, &[PLAN]),
    asset("openshift/99_*-machine-template-*", Kind::File, &[PLAN]),
    asset("openshift/99_*-control-plane-machine-set.yaml", Kind::File, &[PLAN]),
    asset("openshift/99_*-user-data-secret.yaml", Kind::File, &[PLAN, CERTIFICATES]),
    asset("openshift/99_openshift-machineconfig_*", Kind::File, &[CONFIG]),
    asset("openshift/openshift-install-manifests.yaml", Kind::File, &[PLAN]),
    asset(METADATA, Kind::File, &[PLAN]),
    asset(INSTALLER, Kind::Input, &[]),
    asset(
        IGNITION,
        Kind::Value,
        &[
            "manifests/cluster-config.yaml",
            "manifests/cloud-provider-config.yaml",
            "manifests/cluster-csi-driver-config.yaml",
            "manifests/cluster-dns-02-config.yml",
            "manifests/cluster-infrastructure-02-config.yml",
            "manifests/cluster-ingress-*",
            "manifests/cluster-network-*",
            "manifests/cluster-proxy-01-config.yaml",
            SCHEDULER,
            "manifests/cvo-overrides.yaml",
            "manifests/image-*",
            "manifests/kube-cloud-config.yaml",
            "manifests/kube-system-configmap-root-ca.yaml",
            "manifests/90_cluster-mco-02-config.yaml",
            "manifests/machine-config-server-*",
            "manifests/openshift-config-secret-pull-secret.yaml",
            "manifests/user-ca-bundle-config.yaml",
            "openshift/99_cloud-creds-secret.yaml",
            "openshift/99_feature-gate.yaml",
            "openshift/99_role-cloud-creds-secret-reader.yaml",
            "openshift/99_*-machines-*",
            "openshift/99_*-machineset-*",
            "openshift/99_*-machine-template-*",
            "openshift/99_*-control-plane-machine-set.yaml",
            "openshift/99_*-user-data-secret.yaml",
            "openshift/99_openshift-machineconfig_*",
            "openshift/openshift-install-manifests.yaml",
            INSTALLER,
        ],
    ),
    asset(BOOTSTRAP, Kind::File, &[PLAN, IGNITION]),
    asset(VARIABLES, Kind::File, &[PLAN, CERTIFICATES, SCHEDULER, BOOTSTRAP]),
    asset(MODULES, Kind::File, &[]),
    asset("infrastructure", Kind::Cloud, &[VARIABLES, MODULES, METADATA, CREDENTIALS]),
];

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
        for (i, asset) in ASSETS.iter().enumerate() {
            for need in asset.needs {
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
        for asset in ASSETS {
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

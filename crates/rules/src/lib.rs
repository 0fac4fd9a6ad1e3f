//! The rules that belong to no platform: a table of subjects, one small file each.
//!
//! A rule looks at the config and at what the platforms say of themselves ([`Traits`]); it returns
//! findings and never asks which platform it is. Rules of a platform's own fields live in
//! its crate.
//!
//! ```
//! use landfall_model::config::InstallConfig;
//! use landfall_model::catalogue::Catalogue;
//! use landfall_diagnostics::Findings;
//! use landfall_rules::{Case, Placement, check};
//!
//! // A config without a platform: the rules that need none still judge it.
//! let mut config = InstallConfig::default();
//! config.metadata.name = "Demo".to_owned();
//! let case = Case {
//!     config: &config,
//!     catalogue: Catalogue::embedded(),
//!     release: None,
//!     present: &[],
//!     active: None,
//!     gated: Vec::new(),
//!     placement: Placement::default(),
//! };
//! let mut findings = Findings::default();
//! check(&case, &mut findings);
//! assert!(findings.into_vec().iter().any(|finding| finding.field == "metadata.name"));
//! ```

#![forbid(unsafe_code)]

pub mod allowance;
pub mod capabilities;
pub mod endpoint;
mod families;
pub mod features;
mod fencing;
mod image_reference;
mod image_sources;
mod names;
mod networks;
mod pki;
mod pools;
mod proxy;
mod publish;
mod pull_secret;
mod selection;
mod ssh_key;
pub mod text;
pub mod trust_bundle;
pub mod url;

use std::borrow::Cow;

use landfall_diagnostics::Findings;
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;

/// What the platform-neutral rules need to know of a platform that the file names.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one answer that one rule asks for")]
pub struct Traits {
    /// The key under `platform`.
    pub name: &'static str,
    /// Whether it must be the only platform (`docs/install-config.md`, section 7.6).
    pub exclusive: bool,
    /// Whether the cluster's name must begin with a letter (7.3).
    pub name_begins_with_letter: bool,
    /// Why the platform reserves a name (7.3).
    pub reserved_name: fn(&str) -> Option<String>,
    /// The accepted values of `publish` (7.9).
    pub publish: &'static [&'static str],
    /// The accepted values of `credentialsMode`; empty where none may be given (7.10).
    pub credentials_modes: &'static [&'static str],
    /// Whether a cluster works without the component `CloudCredential` (7.11).
    pub without_cloud_credential: bool,
    /// Whether a cluster works without the component `CloudControllerManager` (7.11).
    pub without_cloud_controller: bool,
    /// Whether this config needs the component `CloudControllerManager` in any case (7.11).
    pub needs_cloud_controller: bool,
    /// Whether the MTU of the pod network can be set (8.5).
    pub mtu: bool,
    /// Which address families the platform has (8.6).
    pub families: Families,
    /// Whether there may be arbiter machines (9).
    pub arbiter: bool,
    /// Whether machines can be fenced (9.3).
    pub fencing: bool,
    /// The names that compute pools may have (9).
    pub compute_names: &'static [&'static str],
    /// The architectures of machines, where the platform has fewer than all (9).
    pub architectures: Option<&'static [&'static str]>,
    /// Whether compute pools may differ from the control plane in architecture (9).
    pub mixed_architectures: bool,
    /// Whether the Cluster API may manage the pool of this name (9).
    pub cluster_api: fn(&str) -> bool,
}

/// The platform's support of IPv6 (`docs/install-config.md`, section 8.6).
#[derive(Clone, Debug)]
pub struct Families {
    /// What two families need.
    pub dual: Dual,
    /// What IPv6 alone needs.
    pub ipv6: Ipv6,
    /// What IPv4 alone needs: false where the config asks for two families.
    pub ipv4: bool,
    /// Whether `machineNetwork` may be IPv4 in a cluster of two families.
    pub ipv4_machines: bool,
    /// Which family comes first in a list of networks of this name.
    pub first: fn(&InstallConfig, &str) -> Option<First>,
    /// Where several platforms are named, the one with the least number is asked: for two families, for
    /// the order, and for IPv6 alone.
    pub ranks: [u8; 3],
}

/// What a cluster of two address families needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dual {
    /// Nothing.
    Free,
    /// `ipFamily` must be set to one of the two dual-stack values; whether it is.
    IpFamily(bool),
}

/// What a cluster of IPv6 alone needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ipv6 {
    /// Nothing.
    Free,
    /// It is not available; the text says why.
    Refused(&'static str),
    /// It contradicts an `ipFamily` of two families.
    Contradicted,
}

/// The family that comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// IPv4.
    Ipv4,
    /// IPv6.
    Ipv6,
}

/// One use of a field that is behind a feature gate (`docs/install-config.md`, section 13).
#[derive(Clone, Debug)]
pub struct Gated {
    /// Name of the gate.
    pub gate: Cow<'static, str>,
    /// The path that is reported.
    pub field: String,
    /// The real place.
    pub at: String,
}

/// Where a config puts its cluster, as far as it says so itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The region.
    pub region: String,
    /// The machines: those of each pool, and those of all that say nothing else.
    pub machines: Vec<Machines>,
}

/// Where a config puts machines, and of which type they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Machines {
    /// The field that holds both, as `zones` and `type`.
    pub path: String,
    /// The zones.
    pub zones: Vec<String>,
    /// The type of the machines.
    pub machine_type: String,
}

/// A config with what its platforms say of themselves.
pub struct Case<'a> {
    /// The config after upconversion and defaults.
    pub config: &'a InstallConfig,
    /// What is known of all clouds.
    pub catalogue: &'a Catalogue,
    /// The release whose installer decides, as major and minor version; the newest one without.
    pub release: Option<[u64; 2]>,
    /// The supported platforms that the file names, the active one first.
    pub present: &'a [Traits],
    /// The active platform; none if the file names no supported platform, or another one first.
    pub active: Option<&'a Traits>,
    /// Uses of fields that are behind a gate, of the active platform.
    pub gated: Vec<Gated>,
    /// Where the active platform's fields put the cluster; nowhere without a cloud profile.
    pub placement: Placement,
}

impl Case<'_> {
    /// Whether the release is older than another one.
    #[must_use]
    pub fn is_before(&self, release: [u64; 2]) -> bool {
        self.release.is_some_and(|own| own < release)
    }

    /// Whether any platform that the file names says so.
    pub fn any(&self, says: impl Fn(&Traits) -> bool) -> bool {
        self.present.iter().any(says)
    }

    /// Whether the platform is one that landfall does not install on. What such a platform accepts is not judged.
    #[must_use]
    pub fn is_foreign(&self) -> bool {
        self.active.is_none() && !self.config.platform.present().is_empty()
    }
}

/// The check of every subject. The order does not matter: findings are sorted by place.
pub const SUBJECTS: &[fn(&Case<'_>, &mut Findings)] = &[
    names::check,
    ssh_key::check,
    trust_bundle::check,
    pull_secret::check,
    selection::check,
    proxy::check,
    image_sources::check,
    publish::check,
    capabilities::check,
    pki::check,
    networks::check,
    families::check,
    pools::check,
    fencing::check,
    features::check,
    allowance::check,
];

/// Judges everything that belongs to no platform.
pub fn check(case: &Case<'_>, out: &mut Findings) {
    for check in SUBJECTS {
        check(case, out);
    }
}

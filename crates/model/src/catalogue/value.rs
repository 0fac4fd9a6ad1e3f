//! What every part of the catalogue is made of, and what a platform's part answers.

mod allowance;

pub use allowance::{Allowance, AllowedRegion, AllowedType, AllowedZone};

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::config::value::model;

model! {
    /// A release of OpenShift that can be installed.
    pub struct Release {
        /// Name of the stream that its images come from.
        #[schemars(extend("examples" = ["rhcos-4.14"]))]
        pub stream: String,
        /// When the stream was last changed, from its metadata.
        pub last_modified: String,
        /// Rule by which machine types are chosen, a key of `defaultInstanceTypes`.
        pub instance_type_rule: String,
        /// Set of permissions that an installation needs, a key of `permissions`.
        pub permission_rule: String,
        /// Operating system stream of its images, a value of `osImageStream`; empty where the release has one
        /// stream only.
        #[schemars(extend("enum" = ["rhel-9", "rhel-10"]))]
        pub os_image_stream: String,
        /// Whether it is installed where no release is given. Of several, the newest is.
        pub default: bool,
    }

    /// The operating system image of one release, architecture and platform.
    pub struct Image {
        /// The image's own release.
        #[schemars(extend("examples" = ["414.92.202402130420-0"]))]
        pub release: String,
        /// Ids by region, where every region has its own copy.
        pub regions: BTreeMap<String, String>,
        /// Where the image is downloaded from, where all regions share one.
        pub url: String,
    }
}

/// What machines are for. Tables of the catalogue have its name as their key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Machines of the control plane.
    ControlPlane,
    /// Machines for workloads.
    Compute,
    /// Machines for workloads in zones outside the region's data centres.
    Edge,
    /// The machine that brings the control plane up.
    Bootstrap,
}

impl Role {
    /// The key of the role in tables: `master`, `worker`, `edge` or `bootstrap`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ControlPlane => "master",
            Self::Compute => "worker",
            Self::Edge => "edge",
            Self::Bootstrap => "bootstrap",
        }
    }

    /// The role whose entry holds where this one has none of its own.
    #[must_use]
    pub fn like(self) -> Self {
        match self {
            Self::ControlPlane | Self::Bootstrap => Self::ControlPlane,
            Self::Compute | Self::Edge => Self::Compute,
        }
    }

    /// The role's entry of a table, or that of the role it is like.
    #[must_use]
    pub fn entry<T>(self, table: &BTreeMap<String, T>) -> Option<&T> {
        table.get(self.name()).or_else(|| table.get(self.like().name()))
    }
}

/// The architectures of machines, as an install config and as image streams name them.
pub const ARCHITECTURES: &[(&str, &str)] = &[("amd64", "x86_64"), ("arm64", "aarch64")];

/// A region that a platform's part describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing<'a> {
    /// What an install config calls it.
    pub id: &'a str,
    /// Its name for people; empty where none is known.
    pub name: &'a str,
    /// Whether the cloud lists it among its regions.
    pub listed: bool,
    /// Whether a prompt may offer it, once there is an image for it.
    pub offered: bool,
}

/// What is wrong with the catalogue that an overlay gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A pattern is no regular expression.
    Pattern,
    /// A name stands for something that the catalogue does not have.
    Reference,
    /// A value is not one of the accepted ones.
    Choice,
    /// A region belongs to two partitions, or a zone to two regions.
    Twice,
}

/// A contradiction within the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The sort of fault.
    pub wrong: Wrong,
    /// The keys from the top of the catalogue to the value.
    pub path: Vec<String>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
}

impl Fault {
    /// A fault of the value at `path`.
    #[must_use]
    pub fn new(wrong: Wrong, path: &[&str], message: String) -> Self {
        Self { wrong, path: path.iter().map(|key| (*key).to_owned()).collect(), message }
    }
}

/// The fault of an architecture that no machine has; none for an empty one, which says nothing.
#[must_use]
pub fn architecture_fault(path: &[&str], architecture: &str) -> Option<Fault> {
    let is_known = architecture.is_empty() || ARCHITECTURES.iter().any(|(known, _)| *known == architecture);
    let message = || {
        let shown = landfall_diagnostics::shortened(architecture);
        format!("`{shown}` is not an architecture; accepted: amd64, arm64")
    };
    (!is_known).then(|| Fault::new(Wrong::Choice, path, message()))
}

/// What a platform's part of the catalogue answers.
pub trait Part: Sized {
    /// The part that ships with the program.
    fn shipped() -> Self;

    /// The regions that the part describes, sorted.
    fn listings(&self) -> Vec<Listing<'_>>;

    /// The platform's image in one architecture of a stream's metadata.
    fn image_in(architecture: &Value) -> Option<Image>;

    /// Takes in what a cloud profile describes besides, and leaves of the types that machines have by default
    /// those that it allows.
    fn allow(&mut self, allowance: &Allowance);

    /// What contradicts itself in the part, or in what the releases say of it.
    fn faults(&self, releases: &BTreeMap<String, Release>) -> Vec<Fault>;
}

/// A document that ships with the program. Each has a test that it can be read, so the default is never
/// taken.
#[must_use]
pub fn shipped<T: DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::misfit;

    #[test]
    fn roles_share_the_entries_of_those_they_are_like() {
        let table: BTreeMap<String, u8> =
            [("master", 1), ("worker", 2), ("edge", 3)].map(|(k, v)| (k.to_owned(), v)).into();
        let all = [Role::ControlPlane, Role::Compute, Role::Edge, Role::Bootstrap];
        assert_eq!(all.map(|role| role.entry(&table).copied()), [Some(1), Some(2), Some(3), Some(1)]);
    }

    #[test]
    fn notices_what_a_document_says_in_vain() {
        assert_eq!(misfit::<Image>(r#"{"release": "1", "regions": {"a": "b"}}"#), None);
        let vain = [r#"{"releese": "1"}"#, r#"{"release": ""}"#, r#"{"regions": {"a": 1}}"#, "{"];
        for text in vain {
            assert!(misfit::<Image>(text).is_some(), "{text}");
        }
    }
}

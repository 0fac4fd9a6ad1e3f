//! Versions of the operator: which will do, and which may follow which.

use landfall_diagnostics::Finding;
use semver::Version;

use super::pages;
use super::seen::{Crd, Installer};

/// The oldest version that will do.
pub const MINIMUM: Version = Version::new(2, 13, 0);
/// The newest minor version that was tested.
pub const TESTED: (u64, u64) = (2, 21);

/// A version as tags and labels write it.
#[must_use]
pub fn read(text: &str) -> Option<Version> {
    Version::parse(text.strip_prefix('v').unwrap_or(text)).ok()
}

/// Major, minor and patch. What may follow them in a tag, such as an architecture, makes no version older.
pub(super) fn release(version: &Version) -> (u64, u64, u64) {
    (version.major, version.minor, version.patch)
}

/// The version that the tag of an image says.
pub(super) fn of_image(image: &str) -> Option<Version> {
    let tagged = image.split('@').next()?;
    // A colon before the last slash stands before the port of a registry.
    let (_, tag) = tagged.rsplit('/').next()?.split_once(':')?;
    read(tag)
}

/// The version of an operator: that of its image, else the one that a label says.
#[must_use]
pub fn version_of(image: &str, label: &str) -> Option<Version> {
    of_image(image).or_else(|| read(label))
}

/// A CRD before an upgrade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgraded {
    /// The CRD as it is.
    pub crd: Crd,
    /// The versions that it has in the new release.
    pub offered: Vec<String>,
    /// How many objects of its kind there are.
    pub objects: usize,
}

impl Upgraded {
    /// The versions in which objects may be stored, and that the new release lacks.
    #[must_use]
    pub fn gone(&self) -> Vec<&str> {
        let gone = self.crd.stored.iter().filter(|version| !self.offered.contains(version));
        gone.map(String::as_str).collect()
    }
}

/// What stands against an upgrade of an operator, whose version may not be known; warnings do not stop it.
#[must_use]
pub fn upgrade(
    from: Option<&Version>,
    to: &Version,
    installer: Installer,
    crds: &[Upgraded],
) -> Vec<Finding> {
    let mut found = Vec::new();
    if installer != Installer::Landfall {
        found.push(pages::not_ours(installer));
    }
    match from {
        None => found.push(pages::from_unknown(to)),
        Some(from) if from.major != to.major => found.push(pages::other_major(from, to)),
        Some(from) if release(to) < release(from) => found.push(pages::backwards(from, to)),
        Some(from) if to.minor > from.minor.saturating_add(1) => found.push(pages::too_far(from, to)),
        Some(_) => {}
    }
    for upgraded in crds {
        let gone = upgraded.gone();
        if !gone.is_empty() {
            found.push(pages::stored(&upgraded.crd.name, &gone, upgraded.objects));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(from: &str, to: &str, installer: Installer) -> Vec<Finding> {
        let versions = read(from).zip(read(to));
        versions.map(|(from, to)| upgrade(Some(&from), &to, installer, &[])).unwrap_or_default()
    }

    fn codes(found: &[Finding]) -> Vec<(&'static str, bool)> {
        found.iter().map(|finding| (finding.code.as_str(), finding.is_error())).collect()
    }

    #[test]
    fn the_version_is_that_of_the_tag() {
        let version = Some(Version::new(2, 19, 0));
        assert_eq!(of_image("mcr.microsoft.com/k8s/azureserviceoperator:v2.19.0"), version);
        assert_eq!(of_image("localhost:5000/a/azureserviceoperator:2.19.0@sha256:00"), version);
        assert_eq!(of_image("localhost:5000/azureserviceoperator"), None);
        assert_eq!(of_image("azureserviceoperator@sha256:00"), None);
        assert_eq!(of_image("azureserviceoperator:latest"), None);
        assert_eq!(of_image(""), None);
    }

    #[test]
    fn an_upgrade_is_one_step() {
        let steps =
            [("2.18.0", "2.19.0"), ("2.18.0", "2.18.3"), ("v2.19.0", "2.19.0"), ("2.19.0", "2.19.0-amd64")];
        for (from, to) in steps {
            assert!(found(from, to, Installer::Landfall).is_empty(), "{from} {to}");
        }
        for (from, to) in [("2.17.0", "2.19.0"), ("2.19.0", "2.18.0"), ("2.19.0", "3.0.0")] {
            let found = found(from, to, Installer::Landfall);
            assert_eq!(codes(&found), [("LF1528", true)], "{from} {to}");
            assert!(found.iter().all(|f| f.message.contains(from) && f.message.contains(to)), "{found:?}");
        }
        let help = found("2.17.0", "2.19.0", Installer::Landfall).remove(0).help.unwrap_or_default();
        assert!(help.contains("2.18"), "{help}");
    }

    #[test]
    fn a_step_from_nowhere_is_refused() {
        let found = upgrade(None, &Version::new(2, 19, 0), Installer::Landfall, &[]);
        assert_eq!(codes(&found), [("LF1528", true)]);
    }

    #[test]
    fn an_installation_of_somebody_else_is_left_alone() {
        for installer in [Installer::ClusterApi, Installer::Other] {
            // That is advice: the step itself is right.
            assert_eq!(codes(&found("2.18.0", "2.19.0", installer)), [("LF1528", false)]);
        }
    }

    #[test]
    fn a_version_that_objects_are_stored_in_stays() {
        let (from, to) = (Version::new(2, 18, 0), Version::new(2, 19, 0));
        let errors = |stored: &str, objects: usize| {
            let crd = Crd { name: "a.b.azure.com".to_owned(), ..Crd::default() };
            let crd = Crd { stored: vec![stored.to_owned(), "v1".to_owned()], ..crd };
            let offered = vec!["v1".to_owned(), "v2".to_owned()];
            let upgraded = [Upgraded { crd, offered, objects }];
            codes(&upgrade(Some(&from), &to, Installer::Landfall, &upgraded))
        };
        assert_eq!(errors("v0", 1), [("LF1529", true)]);
        assert_eq!(errors("v0", 0), [("LF1529", false)]);
        assert!(errors("v2", 1).is_empty());
    }
}

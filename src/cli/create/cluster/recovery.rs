//! What finds the resources of a cluster that terraform has lost track of.

use std::path::Path;

use landfall_platform::cloud::{Asking, Cloud};
use landfall_platform::removal::{Removal, Target};

use crate::install::Recovery;
use crate::prepare::target;

/// The question to a user at a terminal.
pub(super) const QUESTION: &str = "Import or remove these resources, and continue?";

/// A cluster, and the cloud in which its resources are looked for.
pub(super) struct Finder<'a> {
    cluster: Option<(Target, &'static dyn Cloud)>,
    asking: Asking<'a>,
}

impl<'a> Finder<'a> {
    /// For the cluster of a directory whose files are written.
    pub(super) fn of(directory: &Path, asking: &Asking<'a>) -> Self {
        let named = target::of_cluster(directory).ok();
        let cluster = named.and_then(|named| Some((named.target, named.platform.cloud()?)));
        Self { cluster, asking: Asking { installed: true, ..*asking } }
    }

    /// The removal of the cluster; nothing is called yet.
    pub(super) fn removal(&self) -> Option<Box<dyn Removal + '_>> {
        let (target, cloud) = self.cluster.as_ref()?;
        Some(cloud.removal(self.asking, target))
    }

    /// What a run looks with; `allowed` says whether what is found may be imported or removed.
    pub(super) fn recovery<'r>(
        &'r self,
        removal: Option<&'r dyn Removal>,
        allowed: bool,
    ) -> Option<Recovery<'r>> {
        let (target, _) = self.cluster.as_ref()?;
        Some(Recovery { removal: removal?, target, allowed })
    }
}

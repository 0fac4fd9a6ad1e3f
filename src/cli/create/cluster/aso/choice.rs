//! What the user chooses of the objects, by flags or in an earlier run.

use landfall_engine_aso::translate::patches::{Patches, by_object};

use super::super::{Ended, Going, Job};
use crate::cli::Exit;
use crate::cli::aso::patches;
use crate::prepare::target::{Decided, of_cluster, pages};

/// What is chosen of the objects.
pub(super) struct Choice {
    /// What a later run has to know of it.
    pub(super) decided: Decided,
    /// The patches.
    pub(super) patches: Patches,
}

impl Job<'_> {
    /// What the flags choose, and an earlier run where they say nothing.
    pub(super) fn choice(&self) -> Going<Choice> {
        let noted = of_cluster(self.directory).map(|named| named.decided()).unwrap_or_default();
        let args = &self.args.aso;
        let patches = match &args.aso_patches {
            Some(path) => by_object(patches::read(path)?),
            None if noted.patched => return Err(Ended::finding(pages::patched(), Exit::Failed)),
            None => Patches::new(),
        };
        let api_internal_ip = args.api_internal_ip.or(noted.api_internal_ip);
        let decided = Decided { api_internal_ip, patched: !patches.is_empty() };
        Ok(Choice { decided, patches })
    }
}

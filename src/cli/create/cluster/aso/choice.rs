//! What the user chooses of the objects, by flags or in an earlier run.

use landfall_engine_aso::translate::patches::{Patches, by_object};

use super::super::{Ended, Going, Job};
use super::refused;
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
    pub(super) fn choice(&self) -> anyhow::Result<Going<Choice>> {
        let noted = of_cluster(self.directory).map(|named| named.decided()).unwrap_or_default();
        let args = &self.args.aso;
        let patches = match &args.aso_patches {
            Some(path) => match patches::read(path) {
                Ok(list) => by_object(list),
                Err(refusal) => return Ok(Err(refusal.into())),
            },
            None if noted.patched => {
                let exit = refused(&[pages::patched()], Exit::Failed, self.settings)?;
                return Ok(Err(Ended::Said(exit)));
            }
            None => Patches::new(),
        };
        let api_internal_ip = args.api_internal_ip.or(noted.api_internal_ip);
        let decided = Decided { api_internal_ip, patched: !patches.is_empty() };
        Ok(Ok(Choice { decided, patches }))
    }
}

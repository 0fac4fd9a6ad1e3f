//! The image that machines start from: `assets.md`, C.4 and F.2.

use super::{Planning, pages};
use crate::config::MachinePool;
use crate::finding::Findings;
use crate::plan::replicas;
use crate::platform::aws::NAME;
use crate::platform::aws::planned::Image;

/// The image of the control plane: the config's own, that of the region, or one to be copied from another
/// region of the partition.
pub(super) fn choose(planning: &Planning<'_>, architecture: &str, out: &mut Findings) -> Option<Image> {
    let region = planning.region();
    let own = planning.case.config.control_plane.as_ref().and_then(image_of);
    let published = published(planning, architecture);
    let found = own.or(published).map(|id| Image { id, region: region.to_owned() });
    let found = found.or_else(|| {
        let from = planning.catalogue().partition_of(region)?.1.image_copy_from.as_deref()?;
        let source = planning.case.catalogue.image(planning.case.release, architecture, NAME, from)?;
        (from != region).then(|| Image { id: source.to_owned(), region: from.to_owned() })
    });
    let named_by_all =
        || planning.case.config.compute.iter().all(|p| replicas(p) == 0 || image_of(p).is_some());
    match found {
        Some(image)
            if image.region != region || published_or_named(planning, architecture) || named_by_all() =>
        {
            Some(image)
        }
        _ => {
            out.push(pages::image_missing(region, planning.case.release, architecture));
            None
        }
    }
}

/// Whether pools without an image of their own have one.
fn published_or_named(planning: &Planning<'_>, architecture: &str) -> bool {
    let default = planning.platform.default_machine_platform.as_ref();
    published(planning, architecture).is_some() || default.is_some_and(|pool| !pool.ami_id.is_empty())
}

/// The image that is published for the region and an architecture, as the facts or the catalogue know it.
pub(super) fn published(planning: &Planning<'_>, architecture: &str) -> Option<String> {
    let facts = planning.facts.images.get(architecture).cloned();
    let catalogue = planning.case.catalogue;
    facts.or_else(|| {
        let image = catalogue.image(planning.case.release, architecture, NAME, planning.region())?;
        Some(image.to_owned())
    })
}

/// The image that a completed pool names, itself or through the default machine platform.
pub(super) fn image_of(pool: &MachinePool) -> Option<String> {
    pool.platform.aws.as_ref().map(|settings| settings.ami_id.clone()).filter(|id| !id.is_empty())
}

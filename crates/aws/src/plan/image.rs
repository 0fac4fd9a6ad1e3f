//! The image that machines start from: `assets.md`, C.4 and F.2.

use landfall_diagnostics::Findings;
use landfall_model::aws::planned::Image;
use landfall_model::config::MachinePool;
use landfall_model::plan::replicas;

use super::{Planning, pages};
use crate::NAME;
use crate::rules::missing_endpoints;

/// The image of the pools that name none: that of the region, or one to be copied from another region of the
/// partition. Where there is neither, every pool must name its own.
pub(super) fn choose(planning: &Planning<'_>, architecture: &str, out: &mut Findings) -> Option<Image> {
    let region = planning.region();
    let own = || planning.case.config.control_plane.as_ref().and_then(image_of);
    if let Some(id) = published(planning, architecture).or_else(own) {
        // Pools that cannot start from the control plane's own image are reported one by one.
        return Some(Image { id, region: region.to_owned() });
    }
    let image = copied(planning, architecture);
    if image.is_none() && !is_told(planning) {
        out.push(pages::image_missing(region, planning.case.release, architecture));
    }
    image
}

/// Whether the region is unknown, which the missing endpoints have told already.
fn is_told(planning: &Planning<'_>) -> bool {
    !missing_endpoints(planning.case.catalogue, planning.platform).is_empty()
}

/// The image of the region of the partition that images are copied from.
fn copied(planning: &Planning<'_>, architecture: &str) -> Option<Image> {
    let from = planning.catalogue().partition_of(planning.region())?.1.image_copy_from.as_deref()?;
    let id = planning.case.catalogue.image(planning.case.release, architecture, NAME, from)?;
    Some(Image { id: id.to_owned(), region: from.to_owned() })
}

/// The image of a pool: its own, or, where its architecture is not the control plane's, the one that is published
/// for its architecture. None where the pool starts from the image of [`choose`].
pub(super) fn of_pool(planning: &Planning<'_>, pool: &MachinePool) -> Option<String> {
    let control_plane = planning.case.config.control_plane.as_ref();
    let differs = control_plane.is_some_and(|own| own.architecture != pool.architecture);
    image_of(pool).or_else(|| published(planning, &pool.architecture).filter(|_| differs))
}

/// Reports a compute pool that has no image: none is published for it, and landfall copies only the image that a
/// control plane without an image of the user's starts from.
pub(super) fn check_pool(planning: &Planning<'_>, path: &str, pool: &MachinePool, out: &mut Findings) {
    let control_plane = planning.case.config.control_plane.as_ref();
    let Some(control_plane) = control_plane.filter(|_| image_of(pool).is_none()) else { return };
    if published(planning, &pool.architecture).is_some() {
        return;
    }
    // An edge pool without a number of machines has one in each zone, and the installer asks no image for it.
    let why = if image_of(control_plane).is_some() && replicas(pool) > 0 {
        "the image that is set for the control plane is not used for other pools".to_owned()
    } else if pool.architecture != control_plane.architecture && !is_told(planning) {
        format!("landfall copies only the control plane's image, which is for {}", control_plane.architecture)
    } else {
        return;
    };
    out.push(pages::pool_image_missing(planning, path, &pool.architecture, &why));
}

/// The image that is published for the region and an architecture, as the facts or the catalogue know it.
fn published(planning: &Planning<'_>, architecture: &str) -> Option<String> {
    let facts = planning.facts.images.get(architecture).cloned();
    let catalogue = planning.case.catalogue;
    facts.or_else(|| {
        let image = catalogue.image(planning.case.release, architecture, NAME, planning.region())?;
        Some(image.to_owned())
    })
}

/// The image that a completed pool names, itself or through the default machine platform.
fn image_of(pool: &MachinePool) -> Option<String> {
    pool.platform.aws.as_ref().map(|settings| settings.ami_id.clone()).filter(|id| !id.is_empty())
}

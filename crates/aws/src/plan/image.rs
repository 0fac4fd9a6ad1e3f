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
    let (region, config) = (planning.region(), planning.case.config);
    if let Some(id) = published(planning, architecture) {
        return Some(Image { id, region: region.to_owned() });
    }
    let own = config.control_plane.as_ref().and_then(image_of);
    let names_one = own.is_some();
    let image = match own {
        // Terraform copies the image that the control plane starts from, or none at all.
        Some(id) => {
            let named = config.compute.iter().all(|pool| replicas(pool) == 0 || image_of(pool).is_some());
            named.then(|| Image { id, region: region.to_owned() })
        }
        None => copied(planning, architecture),
    };
    // Of an unknown region, the missing endpoints are told already.
    let is_told = !names_one && !missing_endpoints(planning.case.catalogue, planning.platform).is_empty();
    if image.is_none() && !is_told {
        out.push(pages::image_missing(region, planning.case.release, architecture));
    }
    image
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
    image_of(pool).or_else(|| {
        other_architecture(planning, pool)?;
        published(planning, &pool.architecture)
    })
}

/// Reports a pool with machines that has no image: landfall copies only the image of the control plane's
/// architecture.
pub(super) fn check_pool(planning: &Planning<'_>, path: &str, pool: &MachinePool, out: &mut Findings) {
    let Some(copied) = other_architecture(planning, pool) else { return };
    // Of an unknown region, the missing endpoints are told already.
    let is_told = !missing_endpoints(planning.case.catalogue, planning.platform).is_empty();
    if !is_told && of_pool(planning, pool).is_none() {
        out.push(pages::pool_image_missing(planning, path, &pool.architecture, copied));
    }
}

/// The control plane's architecture, where that of the pool is another one.
fn other_architecture<'a>(planning: &Planning<'a>, pool: &MachinePool) -> Option<&'a str> {
    let control_plane = planning.case.config.control_plane.as_ref()?;
    Some(control_plane.architecture.as_str()).filter(|own| *own != pool.architecture)
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

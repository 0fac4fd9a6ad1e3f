//! The image that the cluster brings along: `assets.md`, C.6.

use landfall_diagnostics::Findings;
use landfall_model::azure::config::Platform;
use landfall_model::azure::planned::{Image, Pool, PoolImage};
use landfall_model::catalogue::Catalogue;

use super::{Planning, pages};
use crate::rules::NAME;

/// Where the image of a release for an architecture is copied from, if that is known. On a Stack Hub the config says it.
pub(crate) fn url<'a>(
    catalogue: &'a Catalogue,
    platform: &'a Platform,
    release: &str,
    architecture: &str,
) -> Option<&'a str> {
    let is_hub = catalogue.azure.cloud(&platform.cloud_name).is_some_and(|(_, cloud)| cloud.stack);
    if is_hub {
        return Some(platform.cluster_os_image.as_str()).filter(|url| !url.is_empty());
    }
    catalogue.image(release, architecture, NAME, &platform.region)
}

/// The image of the release for the control plane's architecture. On a Stack Hub it is the user's.
pub(super) fn choose(planning: &Planning<'_>, architecture: &str, out: &mut Findings) -> Option<Image> {
    let (case, platform) = (planning.case, planning.platform);
    let known = case.catalogue.images_of(case.release, architecture, NAME);
    let release = known.map(|image| gallery_version(&image.release)).unwrap_or_default();
    let url = url(case.catalogue, platform, case.release, architecture);
    if url.is_none() && planning.stack() {
        out.push(pages::stack_image_missing());
        return Some(Image { url: String::new(), release, protection: String::new() });
    }
    if url.is_none() {
        out.push(pages::image_missing(case.release, architecture));
    }
    Some(Image { url: url?.to_owned(), release, protection: String::new() })
}

/// What protects the machines that start from the cluster's own image: an image definition allows one kind.
pub(super) fn protection(control_plane: &Pool, compute: &[Pool], out: &mut Findings) -> String {
    let pools = std::iter::once(("controlPlane".to_owned(), control_plane))
        .chain(compute.iter().enumerate().map(|(i, pool)| (format!("compute[{i}]"), pool)));
    let own = pools.filter(|(_, pool)| matches!(pool.image, PoolImage::Cluster { .. }));
    let mut protected = own.filter(|(_, pool)| !pool.security.kind.is_empty());
    let Some((_, first)) = protected.next() else {
        return String::new();
    };
    for (path, other) in protected.filter(|(_, pool)| pool.security.kind != first.security.kind) {
        out.push(pages::two_protections(&path, &other.security.kind, &first.name, &first.security.kind));
    }
    first.security.kind.clone()
}

/// The version of an image in a gallery: three numbers, of which none may be larger than 2147483647. Of
/// the time in a release's last number only the day is kept: `414.92.202402130420-0` is `414.92.20240213`.
fn gallery_version(release: &str) -> String {
    const DAY: usize = "20240213".len();
    let numbers = release.split('-').next().unwrap_or_default();
    match numbers.rsplit_once('.') {
        Some((line, time)) => format!("{line}.{}", time.chars().take(DAY).collect::<String>()),
        None => numbers.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gallery_versions_are_numbers_that_fit() {
        let versions = [
            ("414.92.202402130420-0", "414.92.20240213"),
            ("9.6.20250826-1", "9.6.20250826"),
            ("999.1", "999.1"),
            ("", ""),
        ];
        for (release, version) in versions {
            assert_eq!(gallery_version(release), version);
        }
    }
}

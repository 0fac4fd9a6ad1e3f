//! The image that the cluster brings along: `assets.md`, C.6.

use landfall_diagnostics::Findings;
use landfall_model::azure::planned::{Image, Pool, PoolImage};

use super::{Planning, pages};
use crate::rules::NAME;

/// The image of the release for the control plane's architecture. On a Stack Hub it is the user's.
pub(super) fn choose(planning: &Planning<'_>, architecture: &str, out: &mut Findings) -> Option<Image> {
    let (case, platform) = (planning.case, planning.platform);
    let known = case.catalogue.images_of(case.release, architecture, NAME);
    let release = known.map(|image| gallery_version(&image.release)).unwrap_or_default();
    if planning.stack() {
        if platform.cluster_os_image.is_empty() {
            out.push(pages::stack_image_missing());
        }
        let url = platform.cluster_os_image.clone();
        return Some(Image { url, release, protection: String::new() });
    }
    let url = case.catalogue.image(case.release, architecture, NAME, planning.location());
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

//! What of a profile is taken out before it is joined with its parent, because its time has passed.

use std::sync::Arc;

use jiff::Timestamp;
use landfall_diagnostics::{Finding, Kind, shortened};

use super::pages;
use crate::clean::clean;
use crate::document::Document;
use crate::released::lifecycle::{Expirable, listed};
use crate::released::stored;
use crate::types::{
    Kubernetes, MachineImage, NamespacedCloudProfileSpec, PRIVATE_CLOUD_PROFILE, PrivateCloudProfileSpec,
};

/// Warnings about each version that a profile is rid of at an instant.
pub(super) fn expired(profile: &Document, now: Timestamp) -> Vec<Finding> {
    let Some((before, after)) = dated(profile, now) else { return Vec::new() };
    let mut found = Vec::new();
    let versions = listed(before.kubernetes.as_ref());
    taken_out(versions, listed(after.kubernetes.as_ref()), "spec.kubernetes", &mut found);
    let mut rest = after.images.iter().peekable();
    for (i, image) in before.images.iter().enumerate() {
        let left = rest.next_if(|left| left.name == image.name).map(|left| left.versions.as_slice());
        taken_out(&image.versions, left.unwrap_or_default(), &format!("spec.machineImages[{i}]"), &mut found);
    }
    found
}

/// The parts of a profile that expire.
struct Dated {
    kubernetes: Option<Kubernetes>,
    images: Vec<Arc<MachineImage>>,
}

/// What expires of a profile, before it was rid of it and after; none where it cannot be read.
fn dated(profile: &Document, now: Timestamp) -> Option<(Dated, Dated)> {
    if profile.kind == PRIVATE_CLOUD_PROFILE {
        let of = |spec: PrivateCloudProfileSpec| Dated {
            kubernetes: spec.kubernetes,
            images: spec.machine_images,
        };
        let spec: PrivateCloudProfileSpec = profile.part("spec").ok()?;
        let left = clean(&spec, now, true).spec;
        return Some((of(spec), of(left)));
    }
    let of =
        |spec: NamespacedCloudProfileSpec| Dated { kubernetes: spec.kubernetes, images: spec.machine_images };
    let spec: NamespacedCloudProfileSpec = profile.part("spec").ok()?;
    let left = stored(None, &spec, now);
    Some((of(spec), of(left)))
}

/// Warns about the versions below a path that are not among those left, which are in the same order.
fn taken_out<T: Expirable + PartialEq>(before: &[T], left: &[T], at: &str, found: &mut Vec<Finding>) {
    let mut left = left.iter().peekable();
    for (i, version) in before.iter().enumerate() {
        if left.next_if(|left| *left == version).is_some() {
            continue;
        }
        let since = version.date().map(|date| format!(" on {}", shortened(date))).unwrap_or_default();
        let message =
            format!("the version `{}` expired{since}, and is removed", shortened(version.version()));
        let field = format!("{at}.versions[{i}]");
        let place = if since.is_empty() { field.clone() } else { format!("{field}.expirationDate") };
        let finding = Finding::warning(&pages::EXPIRED, Kind::Invalid, field, message).at(place);
        found.push(finding.help("remove it, or set a later date"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::types::NAMESPACED_CLOUD_PROFILE;

    #[test]
    fn what_is_taken_out_is_reported_at_its_line() {
        let spec = "  kubernetes:\n    versions:\n    - {version: 1.2.3}\n    - version: 1.2.4\n      \
                    expirationDate: '1969-01-01T00:00:00Z'\n    - {version: 1.2.5, expirationDate: \
                    '1970-01-01T00:00:00Z'}\n  machineImages:\n  - name: a\n    versions: [{version: '1', \
                    expirationDate: '1969-06-06T00:00:00Z'}]\n  - {name: b, versions: [{version: '2'}]}\n";
        for (kind, parent) in
            [(PRIVATE_CLOUD_PROFILE, "base"), (NAMESPACED_CLOUD_PROFILE, "{kind: CloudProfile, name: base}")]
        {
            let text = format!(
                "apiVersion: core.gardener.cloud/v1beta1\nkind: {kind}\nmetadata: {{name: a, namespace: \
                 team}}\nspec:\n  parent: {parent}\n{spec}"
            );
            let found = Document::read(&text, &[kind])
                .map_or_else(|findings| findings, |profile| check(&profile, None, Timestamp::UNIX_EPOCH));
            let told: Vec<_> = found
                .iter()
                .map(|finding| {
                    let shown = finding.span.and_then(|span| text.get(span.range()));
                    (
                        finding.code.as_str(),
                        finding.is_error(),
                        finding.field.as_str(),
                        shown.unwrap_or_default(),
                    )
                })
                .collect();
            let expected = [
                ("LF1457", false, "spec.kubernetes.versions[1]", "'1969-01-01T00:00:00Z'"),
                ("LF1457", false, "spec.machineImages[0].versions[0]", "'1969-06-06T00:00:00Z'"),
            ];
            assert_eq!(told, expected, "{kind}");
        }
    }
}

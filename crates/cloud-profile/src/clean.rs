//! Takes versions whose time has passed out of a private profile, or out of a cloud profile.

mod cloud_profile;

use std::sync::Arc;

use jiff::Timestamp;

use super::instant::instant;
use super::released::lifecycle::Expirable;
use super::types::PrivateCloudProfileSpec;

pub use self::cloud_profile::{CleanedCloudProfile, InUse, clean_cloud_profile};

/// A private profile without what has expired.
#[derive(Clone, Debug, PartialEq)]
pub struct Cleaned {
    /// What is left.
    pub spec: PrivateCloudProfileSpec,
    /// What was taken out, in words such as `Kubernetes 1.28.6`.
    pub removed: Vec<String>,
    /// When to look again; none if nothing that is left will expire.
    pub next_check: Option<Timestamp>,
}

/// What is left of a private profile at an instant: without the versions of Kubernetes whose date lies before
/// it, and with `images` without those of machine images as well.
#[must_use]
pub fn clean(spec: &PrivateCloudProfileSpec, now: Timestamp, images: bool) -> Cleaned {
    let mut spec = spec.clone();
    let mut sweep = Sweep { now, removed: Vec::new(), next: None };
    if let Some(kubernetes) = &mut spec.kubernetes
        && sweep.empties("Kubernetes", &mut kubernetes.versions)
    {
        spec.kubernetes = None;
    }
    if images {
        spec.machine_images.retain_mut(|image| {
            let image = Arc::make_mut(image);
            let emptied = sweep.empties(&image.name, &mut image.versions);
            !emptied || image.update_strategy.as_ref().is_some_and(|strategy| !strategy.is_empty())
        });
    }
    Cleaned { spec, removed: sweep.removed, next_check: sweep.next }
}

struct Sweep {
    now: Timestamp,
    removed: Vec<String>,
    next: Option<Timestamp>,
}

impl Sweep {
    /// Takes out what has expired of `of`; whether that leaves nothing of something.
    fn empties<T: Expirable>(&mut self, of: &str, versions: &mut Vec<T>) -> bool {
        let before = versions.len();
        versions.retain(|version| {
            let stays = self.keeps(version.date());
            if !stays {
                self.removed.push(format!("{of} {}", version.version()));
            }
            stays
        });
        before > 0 && versions.is_empty()
    }

    /// Whether a version with this date stays. What stays with a date is looked at again when it comes.
    fn keeps(&mut self, date: Option<&str>) -> bool {
        let Some(end) = date.and_then(instant) else { return true };
        if end < self.now {
            return false;
        }
        self.next = Some(self.next.map_or(end, |next| next.min(end)));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    const DATE: &str = "2024-06-06T01:02:03Z";

    fn cleaned(spec: Value, now: &str, images: bool) -> Option<(Value, Vec<String>, Option<String>)> {
        let spec: PrivateCloudProfileSpec = serde_json::from_value(spec).ok()?;
        let cleaned = clean(&spec, instant(now)?, images);
        let left = serde_json::to_value(&cleaned.spec).ok()?;
        Some((left, cleaned.removed, cleaned.next_check.map(|next| next.to_string())))
    }

    #[test]
    fn at_the_very_instant_a_version_stays() {
        let spec = json!({"kubernetes": {"versions": [{"version": "1.2.3", "expirationDate": DATE}]}});
        let next = Some(DATE.to_owned());
        assert_eq!(cleaned(spec.clone(), DATE, false), Some((spec.clone(), vec![], next)));
        let gone = vec!["Kubernetes 1.2.3".to_owned()];
        assert_eq!(cleaned(spec, "2024-06-06T01:02:03.000000001Z", false), Some((json!({}), gone, None)));
    }

    #[test]
    fn what_has_no_date_or_was_empty_stays() {
        let spec = json!({
            "kubernetes": {},
            "machineImages": [{"name": "a"}, {"name": "b", "versions": [{"version": "1"}]}],
        });
        assert_eq!(cleaned(spec.clone(), DATE, true), Some((spec, vec![], None)));
    }

    #[test]
    fn images_expire_if_that_is_switched_on() {
        let old = json!([{"version": "1", "expirationDate": "2020-01-01T00:00:00Z"}]);
        let spec = json!({"machineImages": [
            {"name": "a", "versions": old}, {"name": "b", "versions": old, "updateStrategy": "minor"},
        ]});
        let left = json!({"machineImages": [{"name": "b", "updateStrategy": "minor"}]});
        let gone = vec!["a 1".to_owned(), "b 1".to_owned()];
        assert_eq!(cleaned(spec.clone(), DATE, true), Some((left, gone, None)));
        assert_eq!(cleaned(spec.clone(), DATE, false), Some((spec, vec![], None)));
    }
}

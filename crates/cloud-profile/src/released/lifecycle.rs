//! The life of a version: a date on which it ends, or stages of which the last may be its end.

use jiff::Timestamp;

use crate::instant::instant;
use crate::types::{Kubernetes, LifecycleStage, MachineImageVersion, Version};

/// The stage in which a version may no longer be used.
pub(crate) const EXPIRED: &str = "expired";

/// A version of something that ends some day.
pub(crate) trait Expirable {
    /// The version itself.
    fn version(&self) -> &str;
    /// The date on which it ends, as written.
    fn date(&self) -> Option<&str>;
    /// How far it is said to be supported.
    fn classification(&self) -> Option<&str>;
    /// The stages of its life.
    fn stages(&self) -> &[LifecycleStage];

    /// Whether it has ended: the date lies before `now`, or the last stage begun is the end.
    fn is_expired(&self, now: Timestamp) -> bool {
        let ended = self.date().and_then(instant).is_some_and(|date| date < now);
        let begun = |stage: &&LifecycleStage| start(stage).is_none_or(|start| start <= now);
        ended || self.stages().iter().rfind(begun).is_some_and(|stage| stage.classification == EXPIRED)
    }
}

macro_rules! expirable {
    ($($ty:ty),*) => { $(
        impl Expirable for $ty {
            fn version(&self) -> &str {
                &self.version
            }
            fn date(&self) -> Option<&str> {
                self.expiration_date.as_deref()
            }
            fn classification(&self) -> Option<&str> {
                self.classification.as_deref()
            }
            fn stages(&self) -> &[LifecycleStage] {
                &self.lifecycle
            }
        }
    )* };
}

expirable! { Version, MachineImageVersion }

/// The versions of Kubernetes that are listed, if any are.
pub(crate) fn listed(kubernetes: Option<&Kubernetes>) -> &[Version] {
    kubernetes.map(|kubernetes| kubernetes.versions.as_slice()).unwrap_or_default()
}

/// When a stage begins; none for one that has always been.
fn start(stage: &LifecycleStage) -> Option<Timestamp> {
    stage.start_time.as_deref().and_then(instant)
}

/// When a version that has not expired at an instant will, by its date or its stages.
pub(crate) fn next_end(version: &impl Expirable, now: Timestamp) -> Option<Timestamp> {
    let ends = version.stages().iter().filter(|stage| stage.classification == EXPIRED).filter_map(start);
    version.date().and_then(instant).into_iter().chain(ends).filter(|end| *end >= now).min()
}

/// Ends a life on another date. Where it is given in stages, those that would begin later go, and the end
/// becomes the last one, since a life cannot have a date and stages. No date changes nothing.
pub(crate) fn prolong(date: &mut Option<String>, stages: &mut Vec<LifecycleStage>, to: Option<&String>) {
    let Some(to) = to else { return };
    if stages.is_empty() {
        *date = Some(to.clone());
        return;
    }
    let end = instant(to);
    let is_earlier = |stage: &LifecycleStage| start(stage).zip(end).is_none_or(|(start, end)| start < end);
    stages.retain(|stage| stage.classification != EXPIRED && is_earlier(stage));
    stages.push(LifecycleStage { classification: EXPIRED.to_owned(), start_time: Some(to.clone()) });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(classification: &str, start: Option<&str>) -> LifecycleStage {
        LifecycleStage { classification: classification.to_owned(), start_time: start.map(str::to_owned) }
    }

    #[test]
    fn the_last_stage_begun_counts() {
        let version =
            |stages: &[LifecycleStage]| Version { lifecycle: stages.to_vec(), ..Version::default() };
        let now = instant("2024-01-01T00:00:00Z");
        let is_expired = |stages: &[LifecycleStage]| now.map(|now| version(stages).is_expired(now));
        let supported = stage("supported", None);
        assert_eq!(
            is_expired(&[supported.clone(), stage(EXPIRED, Some("2024-01-01T00:00:00Z"))]),
            Some(true)
        );
        assert_eq!(
            is_expired(&[supported.clone(), stage(EXPIRED, Some("2024-01-01T00:00:01Z"))]),
            Some(false)
        );
        assert_eq!(is_expired(&[supported]), Some(false));
        assert_eq!(is_expired(&[]), Some(false));
    }

    #[test]
    fn a_life_in_stages_stays_one() {
        let to = "2024-06-06T01:02:03Z".to_owned();
        let mut date = None;
        let mut stages = vec![
            stage("supported", None),
            stage("deprecated", Some("2024-01-01T00:00:00Z")),
            stage("later", Some("2025-01-01T00:00:00Z")),
            stage(EXPIRED, Some("2023-01-01T00:00:00Z")),
        ];
        prolong(&mut date, &mut stages, Some(&to));
        let expected = [
            stage("supported", None),
            stage("deprecated", Some("2024-01-01T00:00:00Z")),
            stage(EXPIRED, Some("2024-06-06T01:02:03Z")),
        ];
        assert_eq!((date, stages.as_slice()), (None, expected.as_slice()));
    }
}

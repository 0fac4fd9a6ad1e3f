//! Whose something is, by its tags (`assets.md`, A.2, E.2 and E.5).

use std::collections::{BTreeMap, BTreeSet};

use landfall_platform::removal::{Disposition, Target};
use serde_json::Value;

use landfall_aws::tags::{CLUSTER, PROVIDER, id_of};

/// The value of the tag on what a cluster has made.
pub(super) const OWNED: &str = "owned";
/// The value of the tag on what a cluster uses.
pub(super) const SHARED: &str = "shared";

/// How a cluster's things are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ownership {
    /// What carries all tags of one of these is the cluster's.
    identifiers: Vec<BTreeMap<String, String>>,
    /// What carries one of these tags with the value `shared` is used by the cluster.
    shared: BTreeSet<String>,
}

impl Ownership {
    /// As the target says; where it says nothing, by its infrastructure id.
    pub(super) fn of(target: &Target) -> Self {
        let given = target.platform.get("identifier").and_then(Value::as_array);
        let mut identifiers: Vec<BTreeMap<String, String>> =
            given.into_iter().flatten().filter_map(identifier).collect();
        let own = format!("{CLUSTER}{}", target.infra_id);
        if identifiers.is_empty() && !target.infra_id.is_empty() {
            let provider = format!("{PROVIDER}{}", target.infra_id);
            identifiers.extend([own, provider].map(|key| BTreeMap::from([(key, OWNED.to_owned())])));
        }
        let keys = identifiers.iter().flat_map(BTreeMap::keys);
        let shared = keys.filter(|key| is_of_cluster(key)).cloned().collect();
        Self { identifiers, shared }
    }

    /// The sets of tags by which the cluster's things are known.
    pub(super) fn identifiers(&self) -> &[BTreeMap<String, String>] {
        &self.identifiers
    }

    /// The keys of tags whose value is `shared` on what the cluster uses.
    pub(super) fn shared_keys(&self) -> impl Iterator<Item = &str> {
        self.shared.iter().map(String::as_str)
    }

    /// The keys that the cluster's things carry.
    pub(super) fn keys(&self) -> BTreeSet<&str> {
        self.identifiers.iter().flat_map(BTreeMap::keys).map(String::as_str).collect()
    }

    /// The values that go with these keys.
    pub(super) fn values(&self) -> BTreeSet<&str> {
        let own = self.identifiers.iter().flat_map(BTreeMap::values).map(String::as_str);
        own.chain([SHARED]).collect()
    }

    /// What becomes of something with these tags; none where it is not the cluster's.
    pub(super) fn fate<'t>(&self, tags: impl IntoIterator<Item = (&'t str, &'t str)>) -> Option<Disposition> {
        self.claim(tags).map(|(fate, _)| fate)
    }

    /// The same, and a key of the tags that say so. What the cluster only uses stays, whatever other tags it
    /// carries.
    pub(super) fn claim<'t>(
        &self,
        tags: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> Option<(Disposition, &str)> {
        let tags: BTreeMap<&str, &str> = tags.into_iter().collect();
        let carries = |key: &str, value: &str| tags.get(key).is_some_and(|found| *found == value);
        if let Some(key) = self.shared_keys().find(|key| carries(key, SHARED)) {
            return Some((Disposition::Released, key));
        }
        let mut all = self.identifiers.iter();
        let own = all.find(|tags| tags.iter().all(|(key, value)| carries(key.as_str(), value.as_str())))?;
        own.keys().next().map(|key| (Disposition::Removed, key.as_str()))
    }

    /// The keys of those tags by which something that the cluster uses counts as its: without them, it is not found
    /// again, and not taken for the cluster's own.
    pub(super) fn marks<'t>(&self, tags: impl IntoIterator<Item = (&'t str, &'t str)>) -> Vec<String> {
        let tags: BTreeMap<&str, &str> = tags.into_iter().collect();
        let carries = |(key, value): &(&str, &str)| tags.get(key).is_some_and(|found| found == value);
        self.all_marks().filter(carries).map(|(key, _)| key.to_owned()).collect()
    }

    /// All tags that may be among the marks of something, each with its value.
    pub(super) fn all_marks(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.identifiers.iter().filter_map(BTreeMap::first_key_value);
        let own = own.filter(|(key, _)| !self.shared.contains(*key));
        let own = own.map(|(key, value)| (key.as_str(), value.as_str()));
        self.shared_keys().map(|key| (key, SHARED)).chain(own)
    }

    /// The other clusters that something is of by its tags, each with what it is to them.
    pub(super) fn others<'t>(
        &self,
        tags: impl IntoIterator<Item = (&'t str, &'t str)>,
    ) -> Vec<(&'t str, &'t str)> {
        let other = |(key, value): (&'t str, &'t str)| {
            let id = id_of(key)?;
            let own = self.shared.iter().any(|own| own.strip_prefix(CLUSTER) == Some(id));
            (!own).then_some((id, value))
        };
        tags.into_iter().filter_map(other).collect()
    }

    /// Whether another cluster has made something with these tags.
    pub(super) fn is_of_another<'t>(&self, tags: impl IntoIterator<Item = (&'t str, &'t str)>) -> bool {
        self.others(tags).iter().any(|(_, value)| *value == OWNED)
    }
}

fn is_of_cluster(key: &str) -> bool {
    key.strip_prefix(CLUSTER).is_some_and(|id| !id.is_empty())
}

/// The tags of an identifier; none for one that would fit too much.
fn identifier(given: &Value) -> Option<BTreeMap<String, String>> {
    let tags = given.as_object()?.iter().map(|(key, value)| {
        let value = value.as_str().filter(|value| !value.is_empty())?;
        (!key.is_empty()).then(|| (key.clone(), value.to_owned()))
    });
    let tags: Option<BTreeMap<String, String>> = tags.collect();
    tags.filter(|tags| !tags.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;

    const KEY: &str = "kubernetes.io/cluster/demo-bcd24";

    fn ownership(identifier: &Value) -> Ownership {
        let platform = Map::from_iter([("identifier".to_owned(), identifier.clone())]);
        Ownership::of(&Target { infra_id: "demo-bcd24".to_owned(), platform, ..Target::default() })
    }

    fn both() -> Ownership {
        ownership(&json!([{ KEY: "owned" }, { "openshiftClusterID": "u-1", "team": "a" }]))
    }

    #[test]
    fn what_carries_all_tags_of_an_identifier_is_the_clusters() {
        let own = both();
        assert_eq!(own.fate([(KEY, "owned"), ("Name", "x")]), Some(Disposition::Removed));
        assert_eq!(own.fate([("openshiftClusterID", "u-1"), ("team", "a")]), Some(Disposition::Removed));
        assert_eq!(own.fate([("openshiftClusterID", "u-1")]), None);
        assert_eq!(own.fate([(KEY, "other")]), None);
        assert_eq!(own.fate([("kubernetes.io/cluster/demo-bcd2", "owned")]), None);
        assert_eq!(own.fate([]), None);
    }

    #[test]
    fn what_is_shared_stays() {
        let own = both();
        assert_eq!(own.fate([(KEY, "shared")]), Some(Disposition::Released));
        let all = [(KEY, "shared"), ("openshiftClusterID", "u-1"), ("team", "a")];
        assert_eq!(own.fate(all), Some(Disposition::Released));
        assert_eq!(own.fate([("openshiftClusterID", "shared")]), None);
        assert_eq!(own.shared_keys().collect::<Vec<&str>>(), [KEY]);
        // Without its marks it does not belong to the cluster.
        assert_eq!(own.marks(all), [KEY, "openshiftClusterID"]);
        assert_eq!(own.marks([(KEY, "owned"), ("openshiftClusterID", "u-2")]), Vec::<String>::new());
        assert_eq!(own.fate([("team", "a")]), None);
    }

    #[test]
    fn an_identifier_that_fits_everything_is_not_taken() {
        for empty in
            [json!([{}]), json!([{ "openshiftClusterID": "" }]), json!([]), json!("x"), json!([{ "": "x" }])]
        {
            let own = ownership(&empty);
            assert_eq!(own.fate([("Name", "x")]), None, "{empty}");
            assert_eq!(own.fate([(KEY, "owned")]), Some(Disposition::Removed), "{empty}");
        }
        let nobody = Ownership::of(&Target::default());
        assert_eq!(nobody.fate([("Name", "x"), (CLUSTER, "owned")]), None);
    }

    #[test]
    fn other_clusters_are_told() {
        let own = both();
        let tags = [(KEY, "owned"), ("kubernetes.io/cluster/two-bcd24", "shared"), (CLUSTER, "owned")];
        assert_eq!(own.others(tags), [("two-bcd24", "shared")]);
        assert!(!own.is_of_another(tags));
        assert!(own.is_of_another([("kubernetes.io/cluster/two-bcd24", "owned")]));
    }
}

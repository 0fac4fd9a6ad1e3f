//! Which records go, and how many of them with one call.

use aws_sdk_route53::types::{Change, ChangeAction, ChangeBatch, ResourceRecord, ResourceRecordSet};
use aws_smithy_types::error::operation::BuildError;

use crate::removal::dns::plain;

/// What Route 53 takes at most in one call: values, and characters in them.
const MOST_VALUES: usize = 1000;
const MOST_CHARACTERS: usize = 32_000;

/// Records in lots that go with one call each, in their order.
pub(super) fn batches<T>(items: Vec<T>, set: impl Fn(&T) -> &ResourceRecordSet) -> Vec<Vec<T>> {
    let mut batches: Vec<Vec<T>> = Vec::new();
    let (mut values, mut characters) = (0, 0);
    for item in items {
        let (more_values, more_characters) = weight(set(&item));
        values += more_values;
        characters += more_characters;
        match batches.last_mut() {
            Some(batch) if values <= MOST_VALUES && characters <= MOST_CHARACTERS => batch.push(item),
            _ => {
                batches.push(vec![item]);
                (values, characters) = (more_values, more_characters);
            }
        }
    }
    batches
}

/// How many values a record has, and how long they are together.
fn weight(set: &ResourceRecordSet) -> (usize, usize) {
    let values = set.resource_records();
    (values.len().max(1), values.iter().map(ResourceRecord::value).map(str::len).sum())
}

/// The change that deletes records, which must be as they are listed.
pub(super) fn deletion(sets: &[&ResourceRecordSet]) -> Result<ChangeBatch, BuildError> {
    let mut changes = Vec::with_capacity(sets.len());
    for set in sets {
        let change = Change::builder().action(ChangeAction::Delete).resource_record_set((*set).clone());
        changes.push(change.build()?);
    }
    ChangeBatch::builder().set_changes(Some(changes)).build()
}

/// Whether two listings are of the same record, whatever its values.
pub(super) fn is_same(one: &ResourceRecordSet, other: &ResourceRecordSet) -> bool {
    plain(one.name()) == plain(other.name())
        && one.r#type() == other.r#type()
        && one.set_identifier() == other.set_identifier()
}

#[cfg(test)]
mod tests {
    use aws_sdk_route53::types::RrType;

    use super::*;

    fn set(name: &str, sort: RrType, values: &[&str]) -> Option<ResourceRecordSet> {
        let values = values.iter().filter_map(|value| ResourceRecord::builder().value(*value).build().ok());
        let values = values.collect();
        ResourceRecordSet::builder().name(name).r#type(sort).set_resource_records(Some(values)).build().ok()
    }

    #[test]
    fn a_call_takes_no_more_than_route_53_does() {
        let one = set("a.example.com.", RrType::A, &["192.0.2.1"]);
        let many: Vec<ResourceRecordSet> = one.into_iter().cycle().take(2001).collect();
        let sizes: Vec<usize> = batches(many, |set| set).iter().map(Vec::len).collect();
        assert_eq!(sizes, [1000, 1000, 1]);
        let long = "x".repeat(20_000);
        let long = set("t.example.com.", RrType::Txt, &[long.as_str()]);
        let many: Vec<ResourceRecordSet> = long.into_iter().cycle().take(3).collect();
        let sizes: Vec<usize> = batches(many, |set| set).iter().map(Vec::len).collect();
        assert_eq!(sizes, [1, 1, 1]);
        assert!(batches(Vec::<ResourceRecordSet>::new(), |set| set).is_empty());
    }

    #[test]
    fn a_record_is_the_same_with_other_values() {
        let one = set("api.example.com.", RrType::A, &["192.0.2.1"]);
        let other = set("API.example.com", RrType::A, &["192.0.2.2"]);
        let sort = set("api.example.com.", RrType::Aaaa, &["2001:db8::1"]);
        let same = |other: Option<&ResourceRecordSet>| {
            one.as_ref().zip(other).map(|(one, other)| is_same(one, other))
        };
        assert_eq!((same(other.as_ref()), same(sort.as_ref())), (Some(true), Some(false)));
    }

    #[test]
    fn a_deletion_names_every_record_as_it_is() {
        let sets =
            [set("a.example.com.", RrType::A, &["192.0.2.1"]), set("b.example.com.", RrType::A, &["x"])];
        let sets: Vec<&ResourceRecordSet> = sets.iter().flatten().collect();
        let changes = deletion(&sets).ok().map(|batch| batch.changes().to_vec()).unwrap_or_default();
        let named: Vec<Option<&ResourceRecordSet>> =
            changes.iter().map(Change::resource_record_set).collect();
        assert_eq!(named, [sets.first().copied(), sets.get(1).copied()]);
        assert!(changes.iter().all(|change| *change.action() == ChangeAction::Delete));
    }
}

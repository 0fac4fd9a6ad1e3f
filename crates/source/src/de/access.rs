//! The items of lists, and the entries of maps and structs, one after the other.

use serde::de::value::BorrowedStrDeserializer;
use serde::de::{self, DeserializeSeed};

use super::Value;
use super::path::{Never, Path};
use crate::tree::{Entry, NodeId};

impl<'t> Value<'_, 't, '_> {
    /// Hands the value to a type; what refuses it is said at its place.
    fn give<S: DeserializeSeed<'t>>(self, seed: S) -> Result<S::Value, Never> {
        seed.deserialize(self).map_err(|fault| self.refused(fault))
    }
}

pub(super) struct Items<'a, 't, 'f> {
    pub(super) of: Value<'a, 't, 'f>,
    /// The list of each spelling. The installer decodes an item over that of the spelling before.
    pub(super) lists: Vec<&'a [NodeId]>,
    pub(super) next: usize,
}

impl<'t> de::SeqAccess<'t> for Items<'_, 't, '_> {
    type Error = Never;

    fn next_element_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Never> {
        if self.size_hint() == Some(0) {
            return Ok(None);
        }
        let path = Path::Index(self.of.path, self.next);
        let nodes: Vec<NodeId> = self.lists.iter().filter_map(|list| list.get(self.next)).copied().collect();
        self.next += 1;
        Value { nodes: &nodes, path: &path, key: None, ..self.of }.give(seed).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.lists.last().map_or(0, |list| list.len().saturating_sub(self.next)))
    }
}

pub(super) struct Pairs<'a, 't, 'f> {
    pub(super) of: Value<'a, 't, 'f>,
    pub(super) entries: Vec<&'a Entry<'t>>,
    pub(super) next: usize,
}

impl<'t> de::MapAccess<'t> for Pairs<'_, 't, '_> {
    type Error = Never;

    fn next_key_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Never> {
        let Some(entry) = self.entries.get(self.next) else {
            return Ok(None);
        };
        seed.deserialize(de::value::CowStrDeserializer::<Never>::new(entry.key.clone())).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value, Never> {
        let Some(entry) = self.entries.get(self.next) else {
            return Err(Never::Untold("a value was asked for before its key".to_owned()));
        };
        self.next += 1;
        let path = Path::Key(self.of.path, &entry.key);
        let nodes = std::slice::from_ref(&entry.value);
        Value { nodes, path: &path, key: Some(entry.key_span), ..self.of }.give(seed)
    }
}

/// A field of a struct with its entry, and further ones where it was given in several spellings.
pub(super) struct Slot<'a, 't> {
    pub(super) field: &'static str,
    pub(super) entry: &'a Entry<'t>,
    /// With the number of the map that it is in.
    pub(super) map: usize,
    pub(super) more: Vec<(usize, &'a Entry<'t>)>,
}

pub(super) struct Fields<'a, 't, 'f> {
    pub(super) of: Value<'a, 't, 'f>,
    pub(super) slots: Vec<Slot<'a, 't>>,
    pub(super) next: usize,
}

impl<'t> de::MapAccess<'t> for Fields<'_, 't, '_> {
    type Error = Never;

    fn next_key_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, Never> {
        let Some(slot) = self.slots.get(self.next) else {
            return Ok(None);
        };
        seed.deserialize(BorrowedStrDeserializer::<Never>::new(slot.field)).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value, Never> {
        let Some(slot) = self.slots.get(self.next) else {
            return Err(Never::Untold("a value was asked for before its key".to_owned()));
        };
        self.next += 1;
        let path = Path::Name(self.of.path, slot.field);
        if slot.more.is_empty() {
            let nodes = std::slice::from_ref(&slot.entry.value);
            let key = Some(slot.entry.key_span);
            return Value { nodes, path: &path, key, ..self.of }.give(seed);
        }
        // The spellings in a map are applied in the byte order of their keys.
        let mut spellings = vec![(slot.map, slot.entry)];
        spellings.extend(&slot.more);
        spellings.sort_by(|(a, one), (b, other)| (a, &one.key).cmp(&(b, &other.key)));
        let key = spellings.last().map(|(_, entry)| entry.key_span);
        let nodes: Vec<NodeId> = spellings.iter().map(|(_, entry)| entry.value).collect();
        Value { nodes: &nodes, path: &path, key, ..self.of }.give(seed)
    }
}

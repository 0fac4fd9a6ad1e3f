//! The keys of a map, of which none may stand there twice.

use std::collections::HashMap;
use std::collections::hash_map::Entry as MapEntry;

use landfall_diagnostics::Span;

use super::{Entry, KeyKind};

/// The keys of one map so far. Small maps are searched, large ones indexed.
#[derive(Default)]
pub(super) struct Seen {
    index: HashMap<(KeyKind, String), Span>,
}

impl Seen {
    /// Notes a key; the place of an equal one that was there before.
    pub(super) fn insert(&mut self, entries: &[Entry<'_>], new: &Entry<'_>) -> Option<Span> {
        const SMALL: usize = 16;
        let known = |entry: &Entry<'_>| ((entry.kind, entry.key.to_string()), entry.key_span);
        let equal = |entry: &&Entry<'_>| entry.kind == new.kind && entry.key == new.key;
        if entries.len() >= SMALL {
            if self.index.is_empty() {
                self.index.extend(entries.iter().map(known));
            }
            let (key, span) = known(new);
            return match self.index.entry(key) {
                MapEntry::Occupied(first) => Some(*first.get()),
                MapEntry::Vacant(free) => {
                    free.insert(span);
                    None
                }
            };
        }
        entries.iter().find(equal).map(|entry| entry.key_span)
    }
}

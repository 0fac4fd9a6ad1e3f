//! The user's own changes to single objects.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

/// JSON merge patches by kind and name of their object, those of one object in their order.
pub type Patches = BTreeMap<(String, String), Vec<String>>;

/// A change to one object.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Patch {
    /// The kind of the object.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// A JSON merge patch.
    pub patch: String,
}

/// A patch may hold what is not for everybody.
impl fmt::Debug for Patch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind, self.name)
    }
}

/// The changes of a list by their objects.
#[must_use]
pub fn by_object(list: impl IntoIterator<Item = Patch>) -> Patches {
    let mut patches = Patches::new();
    for Patch { kind, name, patch } in list {
        patches.entry((kind, name)).or_default().push(patch);
    }
    patches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_of_one_object_keep_their_order() {
        let patch = |name: &str, patch: &str| Patch {
            kind: "RouteTable".to_owned(),
            name: name.to_owned(),
            patch: patch.to_owned(),
        };
        let list = [patch("b", "2"), patch("a", "canary"), patch("b", "1")];
        assert!(!format!("{list:?}").contains("canary"));
        let patches = by_object(list);
        let of = |name: &str| patches.get(&("RouteTable".to_owned(), name.to_owned())).cloned();
        assert_eq!(of("b"), Some(vec!["2".to_owned(), "1".to_owned()]));
        assert_eq!(patches.len(), 2);
    }
}

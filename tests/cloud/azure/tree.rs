//! What a cloud holds: documents by their paths.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Documents by path. Paths are kept in lower case, as Azure tells no capitals from them.
#[derive(Clone, Debug, Default)]
pub struct Tree(BTreeMap<String, Value>);

impl Tree {
    /// The documents of a file that has them by path.
    pub fn of(text: &str) -> Self {
        let given: BTreeMap<String, Value> = serde_json::from_str(text).unwrap();
        Self(given.into_iter().map(|(path, document)| (path.to_lowercase(), document)).collect())
    }

    /// The document at a path.
    pub fn get(&self, path: &str) -> Option<&Value> {
        self.0.get(&path.to_lowercase())
    }

    /// The document at a path, to be changed; there must be one.
    #[track_caller]
    pub fn at(&mut self, path: &str) -> &mut Value {
        let Some(document) = self.0.get_mut(&path.to_lowercase()) else {
            panic!("there is nothing at {path}");
        };
        document
    }

    /// Sets a document down.
    pub fn put(&mut self, path: &str, document: Value) {
        self.0.insert(path.to_lowercase(), document);
    }

    /// Takes a document away, and all that lies below.
    pub fn take(&mut self, path: &str) {
        let path = path.to_lowercase();
        let below = format!("{path}/");
        self.0.retain(|known, _| *known != path && !known.starts_with(&below));
    }

    /// All paths.
    pub fn paths(&self) -> BTreeSet<String> {
        self.0.keys().cloned().collect()
    }

    /// The documents whose paths have such a part.
    pub fn with(&self, part: &str) -> Vec<Value> {
        self.0.iter().filter(|(path, _)| path.contains(part)).map(|(_, document)| document.clone()).collect()
    }

    /// The resources of all groups of a subscription, without what belongs to them.
    pub fn resources_of_all(&self, subscription: &str) -> Vec<Value> {
        let groups = format!("{subscription}/resourcegroups");
        let names: Vec<String> = self
            .0
            .keys()
            .filter_map(|path| path.strip_prefix(&groups)?.strip_prefix('/'))
            .filter(|rest| !rest.contains('/'))
            .map(str::to_owned)
            .collect();
        names.iter().flat_map(|name| self.resources(&format!("{groups}/{name}"))).collect()
    }

    /// Every document with its path.
    pub fn all(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(path, document)| (path.as_str(), document))
    }

    /// The deny assignments that keep something at a path.
    pub fn denials(&self, path: &str) -> Vec<Value> {
        let own = self.0.iter().filter(|(known, _)| {
            let kept = known.split_once("/providers/microsoft.authorization/denyassignments/");
            kept.is_some_and(|(kept, _)| is_within(path, kept) || is_within(kept, path))
        });
        own.map(|(_, document)| document.clone()).collect()
    }

    /// The documents so many parts below a path.
    pub fn below(&self, path: &str, parts: usize) -> Vec<Value> {
        let beginning = format!("{path}/");
        let at = |known: &String| {
            known.strip_prefix(&beginning).is_some_and(|rest| rest.split('/').count() == parts)
        };
        self.0.iter().filter(|(known, _)| at(known)).map(|(_, document)| document.clone()).collect()
    }

    /// The resources of a group, without what belongs to them.
    pub fn resources(&self, group: &str) -> Vec<Value> {
        let own = self.0.iter().filter(|(path, _)| {
            let rest = path.strip_prefix(group).and_then(|rest| rest.strip_prefix("/providers/"));
            rest.is_some_and(|rest| {
                rest.split('/').count() == 3 && !rest.starts_with("microsoft.authorization")
            })
        });
        own.map(|(_, document)| document.clone()).collect()
    }

    /// The resources of a type, in all groups.
    pub fn of_type(&self, kind: &str) -> Vec<Value> {
        let own = |document: &&Value| {
            document["type"].as_str().is_some_and(|known| known.eq_ignore_ascii_case(kind))
        };
        self.0.values().filter(own).cloned().collect()
    }

    /// The locks that hold at a scope: those of it, of what is above, and of what is below.
    pub fn locks(&self, scope: &str) -> Vec<Value> {
        let own = self.0.iter().filter(|(path, _)| {
            let held = path.split_once("/providers/microsoft.authorization/locks/");
            held.is_some_and(|(held, _)| is_within(scope, held) || is_within(held, scope))
        });
        own.map(|(_, document)| document.clone()).collect()
    }
}

/// Whether a path is another one, or lies below it.
pub fn is_within(path: &str, around: &str) -> bool {
    path.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

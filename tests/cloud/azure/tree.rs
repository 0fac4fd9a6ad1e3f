//! What a cloud holds: documents by their paths.

use std::collections::BTreeMap;

use serde_json::Value;

/// Documents by path. Paths are kept in small letters, as Azure tells no capitals from them.
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
fn is_within(path: &str, around: &str) -> bool {
    path.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

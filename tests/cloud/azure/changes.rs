//! Changes that take their time, and what comes of them.

use std::collections::BTreeSet;

use serde_json::Value;

use super::answer::Answer;
use super::tree::Tree;

/// A change that is under way.
pub struct Change {
    path: String,
    /// What is there afterwards; nothing where it is taken away.
    document: Option<Value>,
    /// What there was when the change began.
    known: BTreeSet<String>,
    /// How often somebody must still ask after it.
    pub left: usize,
    /// What came of it; nothing before its end.
    end: Option<Result<(), Answer>>,
}

impl Change {
    pub fn new(path: &str, document: Option<Value>, known: BTreeSet<String>, left: usize) -> Self {
        Self { path: path.to_owned(), document, known, left, end: None }
    }

    /// Ends the change, once. Nothing goes that is in use elsewhere, and no group with something new in it.
    pub fn end(&mut self, tree: &mut Tree) -> Result<(), Answer> {
        if let Some(end) = &self.end {
            return end.clone();
        }
        let end = match &self.document {
            Some(document) => {
                tree.put(&self.path, document.clone());
                Ok(())
            }
            None => self.take(tree),
        };
        self.end = Some(end.clone());
        end
    }

    fn take(&self, tree: &mut Tree) -> Result<(), Answer> {
        if let Some(user) = tree.user_of(&self.path) {
            return Err(in_use(&self.path, user));
        }
        let below = format!("{}/", self.path);
        let now = tree.paths();
        let new = now.difference(&self.known).filter(|path| path.starts_with(&below));
        let new: Vec<&str> = new.map(String::as_str).collect();
        if new.is_empty() {
            tree.take(&self.path);
            return Ok(());
        }
        for path in self.known.iter().filter(|path| path.starts_with(&below)) {
            tree.take(path);
        }
        let message = format!(
            "Deletion of resource group '{}' failed as resources with identifiers '{}' could not be deleted. The \
             provisioning state of the resource group will be rolled back.",
            self.path.rsplit('/').next().unwrap_or_default(),
            new.join(", ")
        );
        Err(Answer::error(409, "ResourceGroupDeletionBlocked", &message))
    }
}

/// What is said where something is used by something else.
pub fn in_use(path: &str, user: &str) -> Answer {
    let message = format!("{path} cannot be deleted. It is in use by {user}. To delete it, disassociate it.");
    Answer::error(409, "InUseResourceCannotBeDeleted", &message)
}

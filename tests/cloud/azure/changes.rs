//! Changes that take their time, and what comes of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::answer::Answer;
use super::parts;
use super::references::{in_use, user_of};
use super::shape;
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
    /// How many times a resource can be read before its creation or deletion ends, without a question about the
    /// operation: a client whose answer was lost knows nothing to ask after.
    looks: usize,
    /// Why it comes to nothing.
    refusal: Option<Answer>,
    /// What came of it; nothing before its end.
    end: Option<Result<(), Answer>>,
}

impl Change {
    pub fn new(path: &str, document: Option<Value>, known: BTreeSet<String>, left: usize) -> Self {
        Self { path: path.to_owned(), document, known, left, looks: left + 1, refusal: None, end: None }
    }

    /// The same, which fails: what was to be there afterwards is there, and of no use.
    pub fn refused(mut self, refusal: Option<Answer>) -> Self {
        self.refusal = refusal;
        self
    }

    /// Somebody looks at what there is at a path. What is to come or to go does so while they wait for that.
    pub fn looked_at(&mut self, path: &str, tree: &mut Tree) {
        if self.end.is_some() || self.path != path {
            return;
        }
        self.looks = self.looks.saturating_sub(1);
        if self.looks == 0 {
            // Who asks after the change is told why something stays.
            let _ = self.end(tree);
        }
    }

    /// What is there afterwards.
    pub fn made(&self) -> Option<&Value> {
        self.document.as_ref()
    }

    /// Ends the change, once. Nothing goes that is in use elsewhere, and no group with something new in it.
    pub fn end(&mut self, tree: &mut Tree) -> Result<(), Answer> {
        if let Some(end) = &self.end {
            return end.clone();
        }
        let end = match (&self.document, &self.refusal) {
            (Some(document), Some(refusal)) => {
                let mut document = document.clone();
                document["properties"]["provisioningState"] = json!("Failed");
                parts::put(tree, &self.path, document);
                Err(refusal.clone())
            }
            (Some(document), None) => {
                parts::put(tree, &self.path, document.clone());
                Ok(())
            }
            (None, _) => self.take(tree),
        };
        self.end = Some(end.clone());
        end
    }

    fn take(&self, tree: &mut Tree) -> Result<(), Answer> {
        if let Some(user) = user_of(tree, &self.path) {
            return Err(in_use(&self.path, &user));
        }
        let below = format!("{}/", self.path);
        let now = tree.paths();
        let new = now.difference(&self.known).filter(|path| path.starts_with(&below));
        let new: Vec<&str> = new.map(String::as_str).collect();
        if new.is_empty() {
            shape::left(tree, &self.path);
            parts::take(tree, &self.path);
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

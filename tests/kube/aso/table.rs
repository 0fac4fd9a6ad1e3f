//! Azure, as far as the operator can tell: which resources there are, with their tags, and what goes wrong.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Map, Value};

/// A resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Resource {
    /// Its tags, or its metadata where its kind has no tags.
    pub tags: Map<String, Value>,
    /// What was asked for last; nothing of one that somebody else made.
    pub spec: Value,
}

/// What goes wrong with a resource whenever the operator would change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Azure refuses it for good.
    Refused { reason: &'static str, message: String },
    /// Azure asks for patience, so many times.
    Throttled(u32),
}

/// What Azure holds and does.
#[derive(Debug, Default)]
pub struct Table {
    /// The resources, by their id in lower case.
    pub resources: BTreeMap<String, Resource>,
    /// Troubles, by the kind and the name of an object.
    pub troubles: BTreeMap<(String, String), Trouble>,
    /// How often the operator says of each resource that it is at work before it is done.
    pub runs: u32,
    /// The address that Azure gives to a load balancer within a network.
    pub address: String,
    /// What the names of public addresses end with.
    pub suffix: String,
    /// The ids of what was made or changed, in their order.
    pub puts: Vec<String>,
    /// The ids of what was deleted, in their order.
    pub deletes: Vec<String>,
}

/// Azure, which several operators share with a test.
#[derive(Clone, Debug)]
pub struct Azure(Arc<Mutex<Table>>);

impl Azure {
    /// A subscription with nothing in it.
    pub fn empty() -> Self {
        let (address, suffix) = ("10.20.0.10".to_owned(), "cloudapp.azure.com".to_owned());
        Self(Arc::new(Mutex::new(Table { runs: 1, address, suffix, ..Table::default() })))
    }

    /// Its table.
    pub fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a resource that somebody made.
    pub fn has(&self, id: &str, tags: &[(&str, &str)]) {
        let tags = tags.iter().map(|&(key, value)| (key.to_owned(), value.into())).collect();
        self.table().resources.insert(id.to_lowercase(), Resource { tags, spec: Value::Null });
    }

    /// From now on something goes wrong with the resource of an object.
    pub fn troubles(&self, kind: &str, name: &str, trouble: Trouble) {
        self.table().troubles.insert((kind.to_owned(), name.to_owned()), trouble);
    }

    /// From now on nothing goes wrong any more.
    pub fn is_well(&self) {
        self.table().troubles.clear();
    }

    /// The ids of all resources.
    pub fn ids(&self) -> Vec<String> {
        self.table().resources.keys().cloned().collect()
    }

    /// The resource with this id; none where there is none.
    pub fn at(&self, id: &str) -> Option<Resource> {
        self.table().resources.get(id).cloned()
    }
}

impl Table {
    /// Deletes a resource with all within it.
    pub fn delete(&mut self, id: &str) {
        let within = format!("{id}/");
        let gone = |other: &str| other == id || other.starts_with(&within);
        self.deletes.extend(self.resources.keys().filter(|other| gone(other)).cloned());
        self.resources.retain(|other, _| !gone(other));
    }

    /// What goes wrong with the resource of an object this time.
    pub fn trouble(&mut self, kind: &str, name: &str) -> Option<Trouble> {
        let key = (kind.to_owned(), name.to_owned());
        let trouble = self.troubles.get_mut(&key)?;
        let this_time = trouble.clone();
        if let Trouble::Throttled(times) = trouble {
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.troubles.remove(&key);
            }
        }
        Some(this_time)
    }
}

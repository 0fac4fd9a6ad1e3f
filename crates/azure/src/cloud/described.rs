//! How the resource manager describes what is there.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What an answer holds. A member that is `null` is read as if it were not there: not everything that a resource
/// lacks is left out.
pub(super) struct WithoutNulls<T>(pub(super) T);

impl<'de, T: DeserializeOwned> Deserialize<'de> for WithoutNulls<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut document = Value::deserialize(deserializer)?;
        drop_nulls(&mut document);
        T::deserialize(document).map(Self).map_err(D::Error::custom)
    }
}

fn drop_nulls(document: &mut Value) {
    match document {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(drop_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// A resource: what all have, and the properties of its type. What it lacks is empty.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Described<P> {
    /// Its id.
    pub(super) id: String,
    /// Its name.
    pub(super) name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Where it is.
    pub(super) location: String,
    /// What only its type has.
    pub(super) properties: P,
}

/// Something that another resource names by its id.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Reference {
    /// The id.
    pub(super) id: String,
}

/// A resource provider.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Provider {
    /// Whether the subscription can use it.
    pub(super) registration_state: String,
    /// The types of its resources.
    pub(super) resource_types: Vec<ResourceType>,
}

/// A type of resources, as its provider describes it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ResourceType {
    /// The type, without the provider.
    #[serde(rename = "resourceType")]
    pub(super) name: String,
    /// Where such resources can be.
    pub(super) locations: Vec<String>,
    /// The versions in which it can be asked for.
    pub(super) api_versions: Vec<String>,
}

/// A lock against changes.
pub(super) type Lock = Described<OfLock>;

/// The properties of a lock.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct OfLock {
    /// What it prevents.
    pub(super) level: String,
}

impl Lock {
    /// The id of what is locked; empty where it is not known.
    pub(super) fn scope(&self) -> &str {
        let at = self.id.to_ascii_lowercase().rfind(LOCKS);
        at.and_then(|at| self.id.get(..at)).unwrap_or_default()
    }

    /// Whether it lets nothing be created or changed, and so no tag be taken off.
    pub(super) fn is_read_only(&self) -> bool {
        self.properties.level.eq_ignore_ascii_case("ReadOnly")
    }
}

/// What follows the id of what is locked in the id of a lock, in lower case.
pub(super) const LOCKS: &str = "/providers/microsoft.authorization/locks/";

/// What a text in JSON describes; none where it is another form.
/// The `etag` of a document that was read and is written again: that fails if somebody changed it in between.
pub(super) fn etag_of(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Document {
        etag: Option<String>,
    }
    serde_json::from_slice::<Document>(body).ok()?.etag
}

#[cfg(test)]
pub(super) fn of_text<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_str::<WithoutNulls<T>>(text).ok().map(|read| read.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_nothing() {
        #[derive(Debug, Default, PartialEq, Deserialize)]
        #[serde(default)]
        struct Read {
            names: Vec<String>,
        }
        let read = |text: &str| of_text::<Read>(text).map(|read| read.names.len());
        assert_eq!(read(r#"{"names": null}"#), Some(0));
        assert_eq!(read("{}"), Some(0));
        assert_eq!(read(r#"{"names": ["a"]}"#), Some(1));
        assert_eq!(read(r#"{"names": 1}"#), None);
        let inside = of_text::<Vec<Described<Read>>>(r#"[{"id": null, "properties": {"names": null}}]"#);
        assert_eq!(inside.unwrap_or_default().len(), 1);
    }
}

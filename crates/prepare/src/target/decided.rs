//! What the user decided of a cluster's objects and a later run has to know.

use std::net::Ipv4Addr;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::Error;
use super::super::identity::METADATA;
use super::{OWN, noting, object};
use landfall_workdir::ClusterDir;

/// Its key below landfall's own.
const OBJECTS: &str = "objects";

/// What the user decided of the objects of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Decided {
    /// The address of the API within the network, where it is fixed.
    #[serde(rename = "apiInternalIP", skip_serializing_if = "Option::is_none")]
    pub api_internal_ip: Option<Ipv4Addr>,
    /// Whether there are patches. What they are is noted nowhere: one may hold what is not for everybody.
    pub patched: bool,
}

/// Notes in the directory of a cluster what was decided of its objects.
///
/// # Errors
/// The metadata cannot be read or written.
pub fn note_decided(cluster: &mut ClusterDir, decided: &Decided) -> Result<(), Error> {
    let metadata = cluster.read(METADATA)?.unwrap_or_default();
    if read(&metadata) != *decided {
        cluster.amend(METADATA, &with_objects(&metadata, json!(decided)))?;
    }
    Ok(())
}

/// What metadata says of that.
pub(super) fn read(metadata: &[u8]) -> Decided {
    let noted = object(metadata).and_then(|metadata| metadata.get(OWN)?.get(OBJECTS).cloned());
    noted.and_then(|noted| serde_json::from_value(noted).ok()).unwrap_or_default()
}

/// Metadata that says it.
pub(in super::super) fn with_objects(metadata: &[u8], decided: Value) -> Vec<u8> {
    noting(metadata, OBJECTS, decided)
}

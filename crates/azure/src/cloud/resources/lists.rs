//! Resources that exist, as they were read a moment ago: of most kinds from lists, one call for all of a kind in one
//! place, however many the plan has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::cloud::arm::Arm;
use crate::cloud::fault::Fault;

/// Kinds of which a cluster has several in one place, all of its own.
const KINDS: &[&str] = &[
    "container",
    "image-definition",
    "inbound-nat-rule",
    "load-balancer",
    "network-interface",
    "private-record",
    "public-ip",
    "security-rule",
    "subnet",
    "virtual-machine",
];
/// So long a list counts as the truth: one look at everything, not the questions to the user before and after it.
const FRESH: Duration = Duration::from_mins(1);

/// A list that was read, by ids in lower case.
struct List {
    read: Instant,
    found: HashMap<String, Value>,
}

/// The lists that were read so far, by the ids of their resources without the names; and the resources that were read
/// one by one, by their ids.
#[derive(Default)]
pub(super) struct Lists(Mutex<HashMap<String, Arc<OnceCell<List>>>>);

/// Whether a resource of a kind is looked for in a list.
pub(super) fn has(kind: &str) -> bool {
    KINDS.contains(&kind)
}

impl Lists {
    /// A resource that exists, by its id.
    pub(super) async fn find(&self, arm: &Arm, version: &str, id: &str) -> Result<Option<Value>, Fault> {
        let (place, _) = id.rsplit_once('/').unwrap_or_default();
        let list = self.list(place);
        // Whoever asks first reads it, and the others wait for that.
        let list = list.get_or_try_init(|| async {
            let all = arm.list_in::<Value>(version, place).await?;
            let named =
                all.into_iter().filter_map(|one| Some((one.get("id")?.as_str()?.to_lowercase(), one)));
            Ok(List { read: Instant::now(), found: named.collect() })
        });
        Ok(list.await?.found.get(&id.to_lowercase()).cloned())
    }

    /// A resource of a kind without a list, by its id.
    pub(super) async fn one(&self, arm: &Arm, version: &str, id: &str) -> Result<Option<Value>, Fault> {
        let key = id.to_lowercase();
        let one = self.list(&key);
        let one = one.get_or_try_init(|| async {
            let found = arm.find_in::<Value>(version, id).await?;
            Ok(List {
                read: Instant::now(),
                found: found.map(|found| (key.clone(), found)).into_iter().collect(),
            })
        });
        Ok(one.await?.found.get(&key).cloned())
    }

    /// The list of a place, read or not. One that is too old is forgotten.
    fn list(&self, place: &str) -> Arc<OnceCell<List>> {
        let mut lists = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let list = lists.entry(place.to_lowercase()).or_default();
        if list.get().is_some_and(|list| list.read.elapsed() > FRESH) {
            *list = Arc::default();
        }
        Arc::clone(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::scripted::scripted;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const PLACE: &str = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/networkInterfaces";

    #[tokio::test(start_paused = true)]
    async fn a_list_is_read_once_and_again_when_it_is_old() -> Outcome {
        const LISTED: &str = r#"{"value": [{"id": "/SUBSCRIPTIONS/S/RESOURCEGROUPS/RG/PROVIDERS/MICROSOFT.NETWORK/NETWORKINTERFACES/A", "n": 1}]}"#;
        let (arm, script) = scripted(&[(200, &[], LISTED), (200, &[], r#"{"value": []}"#)])?;
        let lists = Lists::default();
        let find = async |name: &str| {
            let found = lists.find(&arm, "2024-03-01", &format!("{PLACE}/{name}")).await;
            found.map(|found| found.map(|found| found["n"].clone())).map_err(|fault| fault.sentence())
        };
        assert_eq!(find("a").await?, Some(1.into()));
        assert_eq!(find("b").await?, None);
        assert_eq!(script.asked().len(), 1);
        tokio::time::advance(FRESH * 2).await;
        assert_eq!(find("a").await?, None);
        assert_eq!(script.asked().len(), 2);
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_single_resource_is_read_once_and_again_when_that_is_long_ago() -> Outcome {
        const ASSIGNMENT: &str = "/subscriptions/s/providers/Microsoft.Authorization/roleAssignments/A";
        const GONE: &str = r#"{"error":{"code":"RoleAssignmentNotFound","message":"no"}}"#;
        let (arm, script) = scripted(&[(200, &[], r#"{"n": 1}"#), (404, &[], GONE)])?;
        let lists = Lists::default();
        let one = async |id: &str| {
            let found = lists.one(&arm, "2022-04-01", id).await;
            found.map(|found| found.map(|found| found["n"].clone())).map_err(|fault| fault.sentence())
        };
        assert_eq!(one(ASSIGNMENT).await?, Some(1.into()));
        assert_eq!(one(&ASSIGNMENT.to_uppercase()).await?, Some(1.into()));
        assert_eq!(script.asked().len(), 1);
        tokio::time::advance(FRESH * 2).await;
        assert_eq!(one(ASSIGNMENT).await?, None);
        assert_eq!(script.asked().len(), 2);
        Ok(())
    }

    #[tokio::test]
    async fn what_cannot_be_listed_is_a_fault_and_what_has_no_owner_does_not_exist() -> Outcome {
        const GONE: &str = r#"{"error":{"code":"ResourceGroupNotFound","message":"no"}}"#;
        const DENIED: &str = r#"{"error":{"code":"AuthorizationFailed","message":"no"}}"#;
        let (arm, _) = scripted(&[(403, &[], DENIED), (404, &[], GONE)])?;
        let lists = Lists::default();
        let id = format!("{PLACE}/a");
        assert!(lists.find(&arm, "2024-03-01", &id).await.is_err());
        // A failed look is not remembered.
        let found = lists.find(&arm, "2024-03-01", &id).await.map_err(|fault| fault.sentence())?;
        assert_eq!(found, None);
        assert!(has("virtual-machine") && !has("role-assignment"));
        Ok(())
    }
}

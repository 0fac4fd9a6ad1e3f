//! What is in the way of a removal: locks, deny assignments, and what the resource manager names in its answer.

use std::collections::BTreeSet;

use futures::join;
use serde::Deserialize;

use super::kinds::{APPLICATION, SERVICE_PRINCIPAL};
use super::names::{group_id_of, group_of, ids_in, is_within, name_of, resource_name_of, type_of};
use super::{Ask, AzureRemoval};
use crate::platform::azure::cloud::api_versions::Api;
use crate::platform::azure::cloud::gather::{nullable, resource};
use crate::platform::removal::{Fate, Holder, Thing};

/// What follows the id of what is locked in the id of a lock, in lower case.
const LOCKS: &str = "/providers/microsoft.authorization/locks/";

/// The level of a lock that lets nothing be changed, and so no tag be taken off.
const READ_ONLY: &str = "ReadOnly";

/// A lock.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Lock {
    #[serde(deserialize_with = "nullable")]
    id: String,
    #[serde(deserialize_with = "nullable")]
    name: String,
    #[serde(deserialize_with = "nullable")]
    properties: OfLock,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct OfLock {
    #[serde(deserialize_with = "nullable")]
    level: String,
}

impl Lock {
    /// The id of what is locked.
    fn scope(&self) -> &str {
        let at = self.id.to_ascii_lowercase().rfind(LOCKS);
        at.and_then(|at| self.id.get(..at)).unwrap_or_default()
    }

    /// What the lock is and how it is removed.
    pub(super) fn words(&self) -> String {
        let level = self.properties.level.as_str();
        let level = if level.is_empty() { "unknown" } else { level };
        format!(
            "lock `{}` ({level}) on {}, which `az lock delete --ids {}` removes",
            self.name,
            shown(self.scope()),
            self.id
        )
    }

    /// Whether it is in the way of a thing.
    fn holds(&self, thing: &Thing) -> bool {
        let (scope, id) = (self.scope(), scope_of(thing));
        if scope.is_empty() {
            return false;
        }
        match thing.fate {
            // Nothing goes that has something locked in it.
            Fate::Removed => is_within(id, scope) || is_within(scope, id),
            Fate::Released => self.properties.level.eq_ignore_ascii_case(READ_ONLY) && is_within(id, scope),
        }
    }
}

/// A deny assignment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Denial {
    #[serde(deserialize_with = "nullable")]
    properties: OfDenial,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OfDenial {
    #[serde(deserialize_with = "nullable")]
    deny_assignment_name: String,
    #[serde(deserialize_with = "nullable")]
    scope: String,
}

impl Denial {
    /// What the deny assignment is.
    pub(super) fn words(&self, subscription: &str) -> String {
        let scope = self.properties.scope.as_str();
        let scope = if scope.is_empty() { resource::subscription(subscription) } else { scope.to_owned() };
        format!("deny assignment `{}` on {}", self.properties.deny_assignment_name, shown(&scope))
    }
}

/// The id of what a removal changes: of the use by a subnet, the subnet.
fn scope_of(thing: &Thing) -> &str {
    thing.id.rsplit('#').next().unwrap_or_default()
}

/// What an id is of, for people.
fn shown(id: &str) -> String {
    match type_of(id) {
        Some(kind) => {
            let kind = kind.rsplit('/').next().unwrap_or_default().to_owned();
            let group = group_of(id).map(|group| format!(" in the resource group `{group}`"));
            format!("{kind} `{}`{}", name_of(id), group.unwrap_or_default())
        }
        None => match group_of(id) {
            Some(group) => format!("the resource group `{group}`"),
            None if id.starts_with("/subscriptions/") => format!("the subscription {}", name_of(id)),
            None => format!("`{id}`"),
        },
    }
}

/// The locks that are in the way of a thing, as far as they can be seen.
pub(super) async fn locks(ask: &Ask<'_>, thing: &Thing) -> Vec<Lock> {
    let subscription = resource::subscription(&ask.subscription);
    let group = group_id_of(scope_of(thing)).map(str::to_owned);
    for scope in std::iter::once(subscription).chain(group) {
        let path = format!("{scope}/providers/Microsoft.Authorization/locks");
        if let Ok(locks) = ask.arm.list::<Lock>(Api::Locks, &path, &[]).await {
            return locks.into_iter().filter(|lock| lock.holds(thing)).collect();
        }
    }
    Vec::new()
}

/// The deny assignments that are in the way of a thing, as far as they can be seen.
pub(super) async fn denials(ask: &Ask<'_>, thing: &Thing) -> Vec<Denial> {
    if ask.hub {
        return Vec::new();
    }
    let id = scope_of(thing);
    let scope = group_id_of(id).map_or_else(|| resource::subscription(&ask.subscription), str::to_owned);
    let path = format!("{scope}/providers/Microsoft.Authorization/denyAssignments");
    let listed = ask.arm.list::<Denial>(Api::DenyAssignments, &path, &[]).await.unwrap_or_default();
    let holds = |denial: &Denial| {
        let scope = denial.properties.scope.as_str();
        scope.is_empty() || is_within(id, scope) || is_within(scope, id)
    };
    listed.into_iter().filter(holds).collect()
}

/// What holds a thing that does not go.
pub(super) async fn holders(removal: &AzureRemoval<'_>, thing: &Thing) -> Vec<Holder> {
    if [&APPLICATION, &SERVICE_PRINCIPAL].contains(&thing.kind) {
        return Vec::new();
    }
    let Ok(ask) = removal.ask().await else {
        return Vec::new();
    };
    let (locks, denials) = join!(Box::pin(locks(&ask, thing)), Box::pin(denials(&ask, thing)));
    let foreign = |what: String| Holder { what, own: false };
    let mut all: Vec<Holder> = locks.iter().map(|lock| foreign(lock.words())).collect();
    all.extend(denials.iter().map(|denial| foreign(denial.words(&ask.subscription))));
    let said = removal.said_of(thing).map(|fault| fault.message).unwrap_or_default();
    let named = ids_in(&said).into_iter().filter(|id| {
        let lock = id.to_ascii_lowercase().contains(LOCKS);
        !lock && !thing.id.eq_ignore_ascii_case(id)
    });
    all.extend(named.map(|id| Holder { what: format!("{} ({id})", shown(&id)), own: is_own(&ask, &id) }));
    all
}

/// Whether what is named in an answer is the cluster's, as far as its name tells.
fn is_own(ask: &Ask<'_>, id: &str) -> bool {
    let made = format!("{}-rg", ask.owner.infra_id());
    group_of(id).is_some_and(|group| group.eq_ignore_ascii_case(&made))
        || resource_name_of(id).is_some_and(|name| ask.owner.is_named(name, &BTreeSet::new()))
}

#[cfg(test)]
mod tests {
    use super::super::kinds::{GROUP, NETWORK};
    use super::*;

    const RG: &str = "/subscriptions/s/resourceGroups/rg";

    fn lock(scope: &str, level: &str) -> Lock {
        Lock {
            id: format!("{scope}/providers/Microsoft.Authorization/locks/keep"),
            name: "keep".to_owned(),
            properties: OfLock { level: level.to_owned() },
        }
    }

    fn thing(id: &str, fate: Fate) -> Thing {
        let kind = if id == RG { &GROUP } else { &NETWORK };
        Thing { id: id.to_owned(), kind, name: String::new(), fate, after: Vec::new() }
    }

    #[test]
    fn locks_hold_what_is_below_and_what_is_around() {
        let network = format!("{RG}/providers/Microsoft.Network/virtualNetworks/v");
        let (group, inside) = (thing(RG, Fate::Removed), thing(&network, Fate::Removed));
        assert!(lock("/subscriptions/s", "CanNotDelete").holds(&group));
        assert!(lock(&network.to_uppercase(), "CanNotDelete").holds(&group));
        assert!(lock(RG, "ReadOnly").holds(&inside));
        assert!(!lock("/subscriptions/s/resourceGroups/rg2", "ReadOnly").holds(&inside));
        assert!(!Lock::default().holds(&group));
        let kept = thing(RG, Fate::Released);
        assert!(lock(RG, "ReadOnly").holds(&kept) && !lock(RG, "CanNotDelete").holds(&kept));
        assert!(!lock(&network, "ReadOnly").holds(&kept));
    }

    #[test]
    fn a_lock_is_told_with_the_words_that_remove_it() {
        let expected = "lock `keep` (CanNotDelete) on the resource group `rg`, which `az lock delete --ids \
                        /subscriptions/s/resourceGroups/rg/providers/Microsoft.Authorization/locks/keep` removes";
        assert_eq!(lock(RG, "CanNotDelete").words(), expected);
        assert!(lock("/subscriptions/s", "ReadOnly").words().contains("on the subscription s,"));
        let network = format!("{RG}/providers/Microsoft.Network/virtualNetworks/v");
        let words = lock(&network, "ReadOnly").words();
        assert!(words.contains("on virtualnetworks `v` in the resource group `rg`,"), "{words}");
    }
}

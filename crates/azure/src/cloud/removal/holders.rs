//! What is in the way of a removal: locks, deny assignments, and what the resource manager names in its answer.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::join_all;
use futures::join;
use landfall_platform::cloud::Waiting;
use landfall_platform::removal::{Disposition, Holder, Resource};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::kinds::{APPLICATION, SERVICE_PRINCIPAL};
use super::names::{group_id_of, group_of, ids_in, is_within, name_of, resource_name_of, type_of};
use super::{Ask, AzureRemoval};
use crate::cloud::api_versions::Api;
use crate::cloud::described::{Described, LOCKS, Lock};
use crate::cloud::gather::resource;

impl Lock {
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
    fn holds(&self, thing: &Resource) -> bool {
        let (scope, id) = (self.scope(), scope_of(thing));
        if scope.is_empty() {
            return false;
        }
        match thing.fate {
            // Nothing goes that has something locked in it.
            Disposition::Removed => is_within(id, scope) || is_within(scope, id),
            Disposition::Released => self.is_read_only() && is_within(id, scope),
        }
    }
}

/// A deny assignment.
pub(super) type Denial = Described<OfDenial>;

/// The properties of a deny assignment.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct OfDenial {
    deny_assignment_name: String,
    scope: String,
}

impl Denial {
    /// The id of what it protects; empty where it is not known.
    pub(super) fn scope(&self) -> &str {
        &self.properties.scope
    }

    /// Whether it is in the way of a thing.
    fn holds(&self, thing: &Resource) -> bool {
        let (scope, id) = (self.scope(), scope_of(thing));
        scope.is_empty() || is_within(id, scope) || is_within(scope, id)
    }

    /// What the deny assignment is.
    pub(super) fn words(&self, subscription: &str) -> String {
        let scope = self.scope();
        let scope = if scope.is_empty() { resource::subscription(subscription) } else { scope.to_owned() };
        format!("deny assignment `{}` on {}", self.properties.deny_assignment_name, shown(&scope))
    }
}

/// The id of what a removal changes: of the use by a subnet, the subnet.
fn scope_of(thing: &Resource) -> &str {
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
pub(super) async fn locks(ask: &Ask<'_>, thing: &Resource) -> Vec<Lock> {
    locks_of(ask, &[thing]).await.concat()
}

/// The deny assignments that are in the way of a thing, as far as they can be seen.
pub(super) async fn denials(ask: &Ask<'_>, thing: &Resource) -> Vec<Denial> {
    denials_of(ask, &[thing]).await.concat()
}

/// The same of several things, in their order: of the locks of the whole subscription, or where these may not
/// be listed, of those around each thing.
async fn locks_of(ask: &Ask<'_>, things: &[&Resource]) -> Vec<Vec<Lock>> {
    let subscription = resource::subscription(&ask.subscription);
    let path = format!("{subscription}/providers/Microsoft.Authorization/locks");
    let mut locks = match ask.arm.list::<Lock>(Api::LOCKS, &path, &[]).await {
        Ok(all) => vec![all; things.len()],
        Err(_) => listed_around::<Lock>(ask, Api::LOCKS, "locks", things).await,
    };
    for (locks, thing) in locks.iter_mut().zip(things) {
        locks.retain(|lock| lock.holds(thing));
    }
    locks
}

async fn denials_of(ask: &Ask<'_>, things: &[&Resource]) -> Vec<Vec<Denial>> {
    if ask.hub {
        return vec![Vec::new(); things.len()];
    }
    let mut denials = listed_around::<Denial>(ask, Api::DENY_ASSIGNMENTS, "denyAssignments", things).await;
    for (denials, thing) in denials.iter_mut().zip(things) {
        denials.retain(|denial| denial.holds(thing));
    }
    denials
}

/// What is listed around each of some things; nothing where that may not be listed. Each list is asked for
/// once.
async fn listed_around<T>(ask: &Ask<'_>, api: Api, list: &str, things: &[&Resource]) -> Vec<Vec<T>>
where
    T: Clone + DeserializeOwned + Send + 'static,
{
    let scopes: Vec<String> = things.iter().map(|thing| scope_around(ask, thing)).collect();
    let different: BTreeMap<String, &str> =
        scopes.iter().map(|scope| (scope.to_ascii_lowercase(), scope.as_str())).collect();
    let mut lists: Vec<Waiting<'_, (String, Vec<T>)>> = Vec::with_capacity(different.len());
    for (key, scope) in different {
        lists.push(Box::pin(async move {
            let path = format!("{scope}/providers/Microsoft.Authorization/{list}");
            (key, ask.arm.list::<T>(api, &path, &[]).await.unwrap_or_default())
        }));
    }
    let seen: BTreeMap<String, Vec<T>> = join_all(lists).await.into_iter().collect();
    let around = |scope: &String| seen.get(&scope.to_ascii_lowercase()).cloned().unwrap_or_default();
    scopes.iter().map(around).collect()
}

/// The group that a thing is in, or the subscription where it is in none.
fn scope_around(ask: &Ask<'_>, thing: &Resource) -> String {
    let group = group_id_of(scope_of(thing)).map(str::to_owned);
    group.unwrap_or_else(|| resource::subscription(&ask.subscription))
}

/// What holds things of one kind that do not go, for each in their order.
pub(super) async fn holders(removal: &AzureRemoval<'_>, things: &[&Resource]) -> Vec<Vec<Holder>> {
    let nobody = vec![Vec::new(); things.len()];
    if things.iter().any(|thing| [&APPLICATION, &SERVICE_PRINCIPAL].contains(&thing.kind)) {
        return nobody;
    }
    let session = removal.session();
    let Ok(ask) = removal.ask(&session).await else {
        return nobody;
    };
    let (locks, denials) = join!(Box::pin(locks_of(&ask, things)), Box::pin(denials_of(&ask, things)));
    let mut all = Vec::with_capacity(things.len());
    for ((thing, locks), denials) in things.iter().zip(&locks).zip(&denials) {
        let said = removal.said_of(&thing.id).map(|fault| fault.message).unwrap_or_default();
        all.push(told(&ask, thing, locks, denials, &said));
    }
    all
}

/// What holds a thing: what is in its way, and what the resource manager names in what it said of it.
fn told(ask: &Ask<'_>, thing: &Resource, locks: &[Lock], denials: &[Denial], said: &str) -> Vec<Holder> {
    let foreign = |what: String| Holder { what, own: false };
    let mut all: Vec<Holder> = locks.iter().map(|lock| foreign(lock.words())).collect();
    all.extend(denials.iter().map(|denial| foreign(denial.words(&ask.subscription))));
    let named = ids_in(said).into_iter().filter(|id| {
        let lock = id.to_ascii_lowercase().contains(LOCKS);
        !lock && !thing.id.eq_ignore_ascii_case(id)
    });
    all.extend(named.map(|id| Holder { what: format!("{} ({id})", shown(&id)), own: is_own(ask, &id) }));
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
    use crate::cloud::arm::Arm;
    use crate::cloud::described::OfLock;
    use crate::cloud::scripted::{Scripted, scripted};
    use landfall_testing::assert_names;

    const RG: &str = "/subscriptions/s/resourceGroups/rg";

    fn lock(scope: &str, level: &str) -> Lock {
        Lock {
            id: format!("{scope}/providers/Microsoft.Authorization/locks/keep"),
            name: "keep".to_owned(),
            properties: OfLock { level: level.to_owned() },
            ..Lock::default()
        }
    }

    fn thing(id: &str, fate: Disposition) -> Resource {
        let kind = if id == RG { &GROUP } else { &NETWORK };
        Resource { id: id.to_owned(), kind, name: String::new(), fate, after: Vec::new() }
    }

    #[test]
    fn locks_hold_what_is_below_and_what_is_around() {
        let network = format!("{RG}/providers/Microsoft.Network/virtualNetworks/v");
        let (group, inside) = (thing(RG, Disposition::Removed), thing(&network, Disposition::Removed));
        assert!(lock("/subscriptions/s", "CanNotDelete").holds(&group));
        assert!(lock(&network.to_uppercase(), "CanNotDelete").holds(&group));
        assert!(lock(RG, "ReadOnly").holds(&inside));
        assert!(!lock("/subscriptions/s/resourceGroups/rg2", "ReadOnly").holds(&inside));
        assert!(!Lock::default().holds(&group));
        let kept = thing(RG, Disposition::Released);
        assert!(lock(RG, "ReadOnly").holds(&kept) && !lock(RG, "CanNotDelete").holds(&kept));
        assert!(!lock(&network, "ReadOnly").holds(&kept));
    }

    #[test]
    fn a_lock_is_told_with_the_words_that_remove_it() {
        let network = format!("{RG}/providers/Microsoft.Network/virtualNetworks/v");
        let cases = [
            (RG, "CanNotDelete", &["`rg`"][..]),
            ("/subscriptions/s", "ReadOnly", &[" s,"]),
            (&network, "ReadOnly", &["virtualnetworks `v`", "`rg`"]),
        ];
        let told = cases.map(|(scope, level, names)| {
            let words = lock(scope, level).words();
            let id = format!("{scope}/providers/Microsoft.Authorization/locks/keep");
            let command = format!("`az lock delete --ids {id}`");
            assert_names(&words, &[&["`keep`", level, command.as_str()], names].concat());
            (scope.to_owned(), words)
        });
        landfall_testing::assert_sentences("azure-locks", told);
    }
    fn ask(arm: &Arm) -> Ask<'_> {
        Ask::of_test(arm)
    }

    fn network(group: &str, name: &str) -> Resource {
        let id =
            format!("/subscriptions/s/resourceGroups/{group}/providers/Microsoft.Network/virtualNetworks");
        thing(&format!("{id}/{name}"), Disposition::Removed)
    }

    const LOCKED: Scripted = (
        200,
        &[],
        "{\"value\": [{\"name\": \"keep\", \"id\": \"/subscriptions/s/resourceGroups/rg/providers/\
         Microsoft.Network/virtualNetworks/b/providers/Microsoft.Authorization/locks/keep\"}]}",
    );
    const UNLOCKED: Scripted = (200, &[], r#"{"value": []}"#);
    const DENIED: Scripted = (403, &[], r#"{"error": {"code": "AuthorizationFailed", "message": "no"}}"#);

    #[tokio::test]
    async fn locks_of_many_things_are_listed_once() -> Result<(), url::ParseError> {
        let things = [network("rg", "a"), network("RG", "B"), network("net", "b")];
        let things: Vec<&Resource> = things.iter().collect();
        let held = |locks: &[Vec<Lock>]| -> Vec<usize> { locks.iter().map(Vec::len).collect() };
        let (arm, script) = scripted(&[LOCKED])?;
        assert_eq!(held(&locks_of(&ask(&arm), &things).await), [0, 1, 0]);
        assert_eq!(script.asked().len(), 1);
        // Where those of the subscription may not be listed, those of each group are.
        let (arm, script) = scripted(&[DENIED, UNLOCKED, LOCKED])?;
        assert_eq!(held(&locks_of(&ask(&arm), &things).await), [0, 1, 0]);
        assert_eq!(script.asked().len(), 3);
        Ok(())
    }

    #[tokio::test]
    async fn deny_assignments_are_of_the_group_that_lists_them() -> Result<(), url::ParseError> {
        const UNSCOPED: Scripted = (200, &[], r#"{"value": [{"properties": {"denyAssignmentName": "d"}}]}"#);
        let things = [network("rg", "a"), network("net", "b"), network("rg", "c")];
        let things: Vec<&Resource> = things.iter().collect();
        let (arm, script) = scripted(&[DENIED, UNSCOPED])?;
        let denials = denials_of(&ask(&arm), &things).await;
        assert_eq!(denials.iter().map(Vec::len).collect::<Vec<usize>>(), [1, 0, 1]);
        let told = told(&ask(&arm), things[0], &[], &denials[0], "");
        assert_eq!(told.iter().map(|holder| holder.own).collect::<Vec<bool>>(), [false]);
        assert_eq!(script.asked().len(), 2);
        Ok(())
    }
}

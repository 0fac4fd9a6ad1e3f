//! Groups that cannot go at once, so that what is in them goes one by one.
//!
//! A group tells of what the cluster has elsewhere: its private zone of records, its identities of roles. It
//! goes after these, and where one of them does not go, it would keep all machines. A lock or a user of one
//! resource would keep them, too. What is in such a group goes by itself, and what tells of something goes
//! after that.

use super::delete::{LOCKED, PROTECTED};
use super::discover::group_thing;
use super::holders::{Denial, denials, locks};
use super::holdings::{Holding, Holdings};
use super::names::is_within;
use super::{Ask, AzureRemoval};
use crate::cloud::described::Lock;
use crate::cloud::fault::Sort;

/// The ids of the groups that are emptied one by one; `before` are the things that they wait for.
pub(super) async fn opened(
    removal: &AzureRemoval<'_>,
    ask: &Ask<'_>,
    found: &Holdings,
    before: &[String],
) -> Vec<String> {
    let waits = before.iter().any(|id| removal.said_of(id).is_some());
    let mut opened = Vec::new();
    for group in &found.whole {
        if waits || is_held_in_part(removal, ask, group).await {
            opened.push(group.id.clone());
        }
    }
    opened
}

/// Whether a group did not go for something that does not keep all that is in it.
async fn is_held_in_part(removal: &AzureRemoval<'_>, ask: &Ask<'_>, group: &Holding) -> bool {
    let Some(fault) = removal.said_of(&group.id) else {
        return false;
    };
    let thing = group_thing(group);
    if fault.is(LOCKED) {
        let locks = Box::pin(locks(ask, &thing)).await;
        return !is_around(group, locks.iter().map(Lock::scope));
    }
    if fault.is(PROTECTED) {
        let denials = Box::pin(denials(ask, &thing)).await;
        return !is_around(group, denials.iter().map(Denial::scope));
    }
    fault.sort == Sort::Service
}

/// Whether one of these scopes is the group or around it.
fn is_around<'s>(group: &Holding, mut scopes: impl Iterator<Item = &'s str>) -> bool {
    scopes.any(|scope| !scope.is_empty() && is_within(&group.id, scope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_on_one_resource_does_not_keep_the_others() {
        let group = Holding { id: "/subscriptions/s/resourceGroups/rg".to_owned(), ..Holding::default() };
        let one = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Compute/disks/d";
        assert!(!is_around(&group, [one, ""].into_iter()));
        assert!(is_around(&group, [one, "/subscriptions/S/resourcegroups/RG"].into_iter()));
        assert!(is_around(&group, ["/subscriptions/s"].into_iter()));
    }
}

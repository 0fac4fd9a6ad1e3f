//! Everything of a cluster that there is now, and what must be gone before what.

use futures::join;
use landfall_platform::removal::{Discovered, Disposition, Kind, Resource};

use super::directory::applications;
use super::holdings::{Holding, Holdings, holdings};
use super::identities::role_assignments;
use super::kinds::{self, DISKS, GROUP, IDENTITIES, INTERFACES, PRIVATE_ZONES};
use super::names::is_within;
use super::opened::opened;
use super::records::records;
use super::subnet_uses::subnet_uses;
use super::{AzureRemoval, kinds::row_of, pages, unasked};

/// What a cluster has outside of its resources.
#[derive(Debug, Default)]
struct Outside {
    records: Vec<Resource>,
    assignments: Vec<Resource>,
    uses: Vec<Resource>,
    applications: Vec<Resource>,
}

/// All current resources of the cluster, or only those with its tag or in its resource groups.
pub(super) async fn discover(removal: &AzureRemoval<'_>, everywhere: bool) -> Discovered {
    let mut out = Discovered::default();
    let session = removal.session();
    let ask = match removal.ask(&session).await {
        Ok(ask) => ask,
        Err(verdict) => {
            out.unseen.push(unasked(verdict));
            return out;
        }
    };
    if !everywhere {
        let found = Box::pin(holdings(&ask, &mut out)).await;
        out.things = removal.spelled(ordered(&found, Outside::default(), &[]));
        return out;
    }
    let (found, apps) = join!(Box::pin(holdings(&ask, &mut out)), Box::pin(applications(removal, &ask)));
    let (records, assignments, uses) = join!(
        Box::pin(records(&ask, &found)),
        Box::pin(role_assignments(&ask, &found)),
        Box::pin(subnet_uses(&ask, &found)),
    );
    let all_parts = [&records, &assignments, &uses];
    let is_blind = !out.unseen.is_empty() || all_parts.iter().any(|part| !part.unseen.is_empty());
    let mut outside = Outside::default();
    let parts = [
        (&mut outside.records, records),
        (&mut outside.assignments, assignments),
        (&mut outside.uses, uses),
        (&mut outside.applications, apps),
    ];
    for (list, part) in parts {
        *list = part.things;
        out.unseen.extend(part.unseen);
        out.notes.extend(part.notes);
    }
    let before = outside.before_groups();
    let opened =
        if is_blind { ids_of(&found.whole) } else { Box::pin(opened(removal, &ask, &found, &before)).await };
    let mut things = ordered(&found, outside, &opened);
    let is_doubtful = !out.unproven.is_empty();
    let held: Vec<Resource> = things.extract_if(.., |thing| is_trace(thing, is_blind, is_doubtful)).collect();
    if is_blind && !held.is_empty() {
        out.notes.push(pages::held(&held));
    }
    out.things = removal.spelled(things);
    out
}

/// Whether something tells of what the cluster has elsewhere: a group and a private zone of records, an identity of
/// roles, a tag of all. Where not everything could be looked at, it stays until a later look has seen the rest. A tag
/// also stays until the user has decided on what may be the cluster's: without it, that would be forgotten.
fn is_trace(thing: &Resource, is_blind: bool, is_doubtful: bool) -> bool {
    let kinds = [&GROUP, kinds::kind_of(PRIVATE_ZONES), kinds::kind_of(IDENTITIES)];
    let is_tag = thing.fate == Disposition::Released;
    is_tag && (is_blind || is_doubtful) || is_blind && kinds.contains(&thing.kind)
}

fn ids_of(groups: &[Holding]) -> Vec<String> {
    groups.iter().map(id_of).collect()
}

impl Outside {
    /// The ids of what groups tell of, or hold.
    fn before_groups(&self) -> Vec<String> {
        [&self.records, &self.assignments, &self.uses].into_iter().flat_map(|list| ids(list)).collect()
    }
}

fn ids(things: &[Resource]) -> Vec<String> {
    things.iter().map(|thing| thing.id.clone()).collect()
}

/// All things, each with what must be gone before it; what is in groups that are `opened` goes by itself.
fn ordered(found: &Holdings, outside: Outside, opened: &[String]) -> Vec<Resource> {
    let before_groups = outside.before_groups();
    let (records, assignments, uses) = (ids(&outside.records), ids(&outside.assignments), ids(&outside.uses));
    let group_of = |own: &Holding| found.whole.iter().find(|group| is_within(&own.id, &group.id));
    let goes_whole = |own: &&Holding| group_of(own).is_some_and(|group| !opened.contains(&group.id));
    let (inside, single): (Vec<&Holding>, Vec<&Holding>) = found.own.iter().partition(goes_whole);
    let mut things = outside.records;
    things.extend(outside.assignments);
    things.extend(outside.uses);
    for group in &found.whole {
        // What is in it tells of what the cluster has elsewhere, so that it goes last.
        let mut after = before_groups.clone();
        after.extend(single.iter().filter(|own| is_within(&own.id, &group.id)).map(|own| id_of(own)));
        things.push(Resource { after, ..group_thing(group) });
    }
    for own in &single {
        let mut after = before(own, &single);
        if own.is_of(PRIVATE_ZONES) {
            after.extend(records.iter().cloned());
        } else if own.is_of(IDENTITIES) {
            after.extend(assignments.iter().cloned());
        }
        // The use of something by a subnet is named by both.
        after.extend(uses.iter().filter(|used| is_within_use(used, &own.id)).cloned());
        let manager =
            |group: &&Holding| is_within(&own.managed_by, &group.id) && !is_within(&own.id, &group.id);
        after.extend(found.whole.iter().filter(manager).map(id_of));
        things.push(Resource { after, ..thing(own, kinds::kind_of(&own.kind), Disposition::Removed) });
    }
    for own in inside {
        let after = group_of(own).map(id_of).into_iter().collect();
        things.push(Resource { after, ..thing(own, kinds::kind_of(&own.kind), Disposition::Removed) });
    }
    // The cluster's operators would make their applications anew.
    let machines: Vec<String> = things
        .iter()
        .filter(|thing| *thing.kind == kinds::MACHINE || *thing.kind == GROUP)
        .map(|thing| thing.id.clone())
        .collect();
    things.extend(outside.applications.into_iter().map(|app| Resource { after: machines.clone(), ..app }));
    let released = released(found, &ids(&things));
    things.extend(released);
    things
}

/// What stays and loses its tag. A tag says that something of the cluster is still there, and so it goes when
/// nothing is. In a group with a tag, names count as well: it loses its own before what is shared in it does,
/// and what holds something shared before that.
fn released(found: &Holdings, all: &[String]) -> Vec<Resource> {
    let mut things: Vec<Resource> = Vec::new();
    for group in &found.tagged {
        things.push(Resource { after: all.to_vec(), fate: Disposition::Released, ..group_thing(group) });
    }
    let groups = ids(&things);
    for own in &found.shared {
        let around = found.shared.iter().filter(|other| other.id.len() < own.id.len());
        let around = around.filter(|other| is_within(&own.id, &other.id)).map(id_of);
        let after = all.iter().chain(&groups).cloned().chain(around).collect();
        things.push(Resource { after, ..thing(own, kinds::kind_of(&own.kind), Disposition::Released) });
    }
    things
}

/// The resources that must be gone before one.
fn before(own: &Holding, all: &[&Holding]) -> Vec<String> {
    let types = row_of(&own.kind).filter(|row| own.is_of(row.name)).map(|row| row.after).unwrap_or_default();
    let earlier = |other: &&&Holding| types.iter().any(|name| other.is_of(name)) || is_user(other, own);
    all.iter().filter(earlier).map(|other| id_of(other)).collect()
}

/// Whether one resource is attached to another, as far as lists tell: what uses a disk, and the machine that
/// an interface is named after.
fn is_user(other: &Holding, own: &Holding) -> bool {
    if other.id.eq_ignore_ascii_case(&own.id) {
        return false;
    }
    let machine = *kinds::kind_of(&other.kind) == kinds::MACHINE;
    let named = || {
        let rest = own.name.get(..other.name.len()).filter(|head| head.eq_ignore_ascii_case(&other.name));
        rest.is_some() && own.name.as_bytes().get(other.name.len()) == Some(&b'-')
    };
    (own.is_of(DISKS) && own.managed_by.eq_ignore_ascii_case(&other.id))
        || (own.is_of(INTERFACES) && machine && named())
}

fn is_within_use(used: &str, id: &str) -> bool {
    used.split('#').any(|part| part.eq_ignore_ascii_case(id))
}

fn id_of(own: &Holding) -> String {
    own.id.clone()
}

/// A group that goes, with nothing before it.
pub(super) fn group_thing(group: &Holding) -> Resource {
    thing(group, &GROUP, Disposition::Removed)
}

fn thing(own: &Holding, kind: &'static Kind, fate: Disposition) -> Resource {
    // What sort of thing it is, only its type says.
    let name = if *kind == kinds::OTHER && !own.kind.is_empty() {
        format!("{} of type {}", own.name, own.kind)
    } else {
        own.name.clone()
    };
    Resource { id: own.id.clone(), kind, name, fate, after: Vec::new() }
}

#[cfg(test)]
mod tests;

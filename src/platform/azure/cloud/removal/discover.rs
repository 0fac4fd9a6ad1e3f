//! Everything of a cluster that there is now, and what must be gone before what.

use futures::join;

use super::directory::applications;
use super::holdings::{Holdings, Resource, holdings};
use super::identities::role_assignments;
use super::kinds::{self, DISKS, GROUP, IDENTITIES, INTERFACES, PRIVATE_ZONES};
use super::names::is_within;
use super::records::records;
use super::subnet_uses::subnet_uses;
use super::{AzureRemoval, kinds::row_of, unasked};
use crate::platform::removal::{Discovered, Fate, Thing};

/// What a cluster has outside of its resources.
#[derive(Debug, Default)]
struct Outside {
    records: Vec<Thing>,
    assignments: Vec<Thing>,
    uses: Vec<Thing>,
    applications: Vec<Thing>,
}

/// Everything of the cluster that there is now.
pub(super) async fn discover(removal: &AzureRemoval<'_>) -> Discovered {
    let mut out = Discovered::default();
    let ask = match removal.ask().await {
        Ok(ask) => ask,
        Err(verdict) => {
            out.unseen.push(unasked(verdict));
            return out;
        }
    };
    let (found, apps) = join!(Box::pin(holdings(&ask, &mut out)), Box::pin(applications(removal, &ask)));
    let (records, assignments, uses) = join!(
        Box::pin(records(&ask, &found)),
        Box::pin(role_assignments(&ask, &found)),
        Box::pin(subnet_uses(&ask, &found)),
    );
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
    out.things = ordered(&found, outside);
    out
}

/// All things, each with what must be gone before it.
fn ordered(found: &Holdings, outside: Outside) -> Vec<Thing> {
    let ids = |things: &[Thing]| -> Vec<String> { things.iter().map(|thing| thing.id.clone()).collect() };
    let (records, assignments, uses) = (ids(&outside.records), ids(&outside.assignments), ids(&outside.uses));
    let single: Vec<&Resource> = found.own.iter().filter(|own| !found.goes_with_group(&own.id)).collect();
    let mut things = outside.records;
    things.extend(outside.assignments);
    things.extend(outside.uses);
    for group in &found.whole {
        // What the group holds tells of what the cluster has elsewhere, so that it goes last.
        let after = records.iter().chain(&assignments).chain(&uses).cloned().collect();
        things.push(Thing { after, ..thing(group, &GROUP, Fate::Removed) });
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
        after.extend(found.whole.iter().filter(|group| is_within(&own.managed_by, &group.id)).map(id_of));
        things.push(Thing { after, ..thing(own, kinds::kind_of(&own.kind), Fate::Removed) });
    }
    // The cluster's operators would make their applications anew.
    let machines: Vec<String> = things
        .iter()
        .filter(|thing| *thing.kind == kinds::MACHINE || *thing.kind == GROUP)
        .map(|thing| thing.id.clone())
        .collect();
    things.extend(outside.applications.into_iter().map(|app| Thing { after: machines.clone(), ..app }));
    // A tag says that something of the cluster is still there, and so it goes when nothing is.
    let all = ids(&things);
    let shared = found.shared.iter().map(|own| thing(own, kinds::kind_of(&own.kind), Fate::Released));
    let groups = found.tagged.iter().map(|group| thing(group, &GROUP, Fate::Released));
    let released: Vec<Thing> =
        shared.chain(groups).map(|thing| Thing { after: all.clone(), ..thing }).collect();
    things.extend(released);
    things
}

/// The resources that must be gone before one.
fn before(own: &Resource, all: &[&Resource]) -> Vec<String> {
    let types = row_of(&own.kind).filter(|row| own.is_of(row.name)).map(|row| row.after).unwrap_or_default();
    let earlier = |other: &&&Resource| types.iter().any(|name| other.is_of(name)) || is_user(other, own);
    all.iter().filter(earlier).map(|other| id_of(other)).collect()
}

/// Whether one resource is attached to another, as far as lists tell: what uses a disk, and the machine that
/// an interface is named after.
fn is_user(other: &Resource, own: &Resource) -> bool {
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

fn id_of(own: &Resource) -> String {
    own.id.clone()
}

fn thing(own: &Resource, kind: &'static crate::platform::removal::Kind, fate: Fate) -> Thing {
    Thing { id: own.id.clone(), kind, name: own.name.clone(), fate, after: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resource(kind: &str, name: &str) -> Resource {
        Resource {
            id: format!("/subscriptions/s/resourceGroups/rg/providers/{kind}/{name}"),
            name: name.to_owned(),
            kind: kind.to_owned(),
            ..Resource::default()
        }
    }

    fn outside() -> Outside {
        let one = |kind, id: &str| Thing {
            id: id.to_owned(),
            kind,
            name: String::new(),
            fate: Fate::Removed,
            after: Vec::new(),
        };
        Outside {
            records: vec![one(&kinds::RECORD, "record")],
            assignments: vec![one(&kinds::ROLE_ASSIGNMENT, "assignment")],
            uses: Vec::new(),
            applications: vec![one(&kinds::APPLICATION, "application/1")],
        }
    }

    fn after(things: &[Thing], name: &str) -> Vec<String> {
        let found = things.iter().find(|thing| thing.name == name);
        let ids = found.map(|thing| thing.after.clone()).unwrap_or_default();
        ids.iter().map(|id| super::super::names::name_of(id).to_owned()).collect()
    }

    #[test]
    fn a_group_goes_after_what_only_it_tells_of() {
        let group = Resource {
            id: "/subscriptions/s/resourceGroups/demo-bcd24-rg".to_owned(),
            name: "demo-bcd24-rg".to_owned(),
            ..Resource::default()
        };
        let inside = Resource {
            id: format!("{}/providers/Microsoft.Compute/virtualMachines/m", group.id),
            ..resource("Microsoft.Compute/virtualMachines", "m")
        };
        let found = Holdings { whole: vec![group], own: vec![inside], ..Holdings::default() };
        let things = ordered(&found, outside());
        let ids: Vec<&str> = things.iter().map(|thing| super::super::names::name_of(&thing.id)).collect();
        assert_eq!(ids, ["record", "assignment", "demo-bcd24-rg", "1"]);
        assert_eq!(after(&things, "demo-bcd24-rg"), ["record", "assignment"]);
        let last = things.last().map(|thing| thing.after.len());
        assert_eq!(last, Some(1));
    }

    #[test]
    fn resources_go_in_the_order_of_their_use() {
        let machine = resource("Microsoft.Compute/virtualMachines", "demo-bcd24-master-0");
        let disk = Resource {
            managed_by: machine.id.to_uppercase(),
            ..resource("Microsoft.Compute/disks", "demo-bcd24-master-0_OSDisk")
        };
        let own = vec![
            resource("Microsoft.Network/virtualNetworks", "demo-bcd24-vnet"),
            resource("Microsoft.Network/networkInterfaces", "demo-bcd24-master-0-nic"),
            disk,
            machine,
            resource("Microsoft.Compute/disks", "data"),
            resource("Microsoft.Network/loadBalancers", "demo-bcd24"),
            resource("Microsoft.ManagedIdentity/userAssignedIdentities", "demo-bcd24-identity"),
        ];
        let tagged = vec![resource("Microsoft.Network/x", "rg")];
        let found = Holdings { tagged, own, ..Holdings::default() };
        let things = ordered(&found, outside());
        assert_eq!(after(&things, "demo-bcd24-master-0-nic"), ["demo-bcd24-master-0"]);
        assert_eq!(after(&things, "demo-bcd24-master-0_OSDisk"), ["demo-bcd24-master-0"]);
        assert!(after(&things, "data").is_empty());
        assert_eq!(after(&things, "demo-bcd24"), ["demo-bcd24-master-0-nic"]);
        assert_eq!(after(&things, "demo-bcd24-vnet"), ["demo-bcd24-master-0-nic", "demo-bcd24"]);
        assert_eq!(after(&things, "demo-bcd24-identity"), ["demo-bcd24-master-0", "assignment"]);
        assert_eq!(after(&things, "rg").len(), things.len() - 1);
    }
}

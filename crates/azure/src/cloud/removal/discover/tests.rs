//! What goes before what.

use super::super::names::name_of;
use super::*;

fn resource(kind: &str, name: &str) -> Holding {
    Holding {
        id: format!("/subscriptions/s/resourceGroups/rg/providers/{kind}/{name}"),
        name: name.to_owned(),
        kind: kind.to_owned(),
        ..Holding::default()
    }
}

fn outside() -> Outside {
    let one = |kind, id: &str| Resource {
        id: id.to_owned(),
        kind,
        name: String::new(),
        fate: Disposition::Removed,
        after: Vec::new(),
    };
    Outside {
        records: vec![one(&kinds::RECORD, "record")],
        assignments: vec![one(&kinds::ROLE_ASSIGNMENT, "assignment")],
        uses: Vec::new(),
        applications: vec![one(&kinds::APPLICATION, "application/1")],
    }
}

fn after(things: &[Resource], name: &str) -> Vec<String> {
    let found = things.iter().find(|thing| thing.name == name);
    let ids = found.map(|thing| thing.after.clone()).unwrap_or_default();
    ids.iter().map(|id| name_of(id).to_owned()).collect()
}

#[test]
fn a_group_goes_after_what_only_it_tells_of() {
    let group = Holding {
        id: "/subscriptions/s/resourceGroups/demo-bcd24-rg".to_owned(),
        name: "demo-bcd24-rg".to_owned(),
        ..Holding::default()
    };
    let inside = Holding {
        id: format!("{}/providers/Microsoft.Compute/virtualMachines/m", group.id),
        ..resource("Microsoft.Compute/virtualMachines", "m")
    };
    let found = Holdings { whole: vec![group], own: vec![inside], ..Holdings::default() };
    let things = ordered(&found, outside(), &[]);
    let names = |things: &[Resource]| -> Vec<String> {
        things.iter().map(|thing| name_of(&thing.id).to_owned()).collect()
    };
    assert_eq!(names(&things), ["record", "assignment", "demo-bcd24-rg", "m", "1"]);
    assert_eq!(after(&things, "demo-bcd24-rg"), ["record", "assignment"]);
    // What is in it goes with it.
    assert_eq!(after(&things, "m"), ["demo-bcd24-rg"]);
    let last = things.last().map(|thing| thing.after.len());
    assert_eq!(last, Some(2));

    // Where something keeps the group, what is in it does not wait.
    let opened = [found.whole.iter().map(id_of).collect::<String>()];
    let things = ordered(&found, outside(), &opened);
    assert!(after(&things, "m").is_empty());
    assert_eq!(after(&things, "demo-bcd24-rg"), ["record", "assignment", "m"]);
}

/// What tells of resources elsewhere stays while not everything could be looked at.
#[test]
fn groups_zones_identities_and_tags_are_traces() {
    let kinds = [
        ("Microsoft.Network/privateDnsZones", true),
        ("Microsoft.ManagedIdentity/userAssignedIdentities", true),
    ]
    .into_iter()
    .chain([("Microsoft.Compute/virtualMachines", false), ("Microsoft.Network/dnsZones", false)]);
    for (kind, expected) in kinds {
        let one = resource(kind, "one");
        let removed = thing(&one, kinds::kind_of(kind), Disposition::Removed);
        assert_eq!(is_trace(&removed, true, false), expected, "{kind}");
        let released = thing(&one, kinds::kind_of(kind), Disposition::Released);
        assert!(is_trace(&released, true, false));
        // With something that may be the cluster's, only tags stay.
        assert!(!is_trace(&removed, false, true) && is_trace(&released, false, true));
        assert!(!is_trace(&released, false, false));
    }
    assert!(is_trace(&group_thing(&resource("Microsoft.Resources/resourceGroups", "rg")), true, false));
}

#[test]
fn what_is_shared_loses_its_tag_last_and_from_the_outside_to_the_inside() {
    let gallery = resource("Microsoft.Compute/galleries", "g");
    let image = Holding {
        id: format!("{}/images/i", gallery.id),
        ..resource("Microsoft.Compute/galleries/images", "g/i")
    };
    let found = Holdings {
        tagged: vec![resource("Microsoft.Network/x", "rg")],
        own: vec![resource("Moon.Base/craters", "tycho")],
        shared: vec![image, gallery],
        ..Holdings::default()
    };
    let things = ordered(&found, Outside::default(), &[]);
    assert_eq!(after(&things, "rg"), ["tycho"]);
    assert_eq!(after(&things, "g/i"), ["tycho", "rg", "g"]);
    assert_eq!(after(&things, "g"), ["tycho", "rg"]);
    let named = things.iter().any(|thing| thing.name == "tycho of type Moon.Base/craters");
    assert!(named);
}

#[test]
fn resources_go_in_the_order_of_their_use() {
    let machine = resource("Microsoft.Compute/virtualMachines", "demo-bcd24-master-0");
    let disk = Holding {
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
    let things = ordered(&found, outside(), &[]);
    assert_eq!(after(&things, "demo-bcd24-master-0-nic"), ["demo-bcd24-master-0"]);
    assert_eq!(after(&things, "demo-bcd24-master-0_OSDisk"), ["demo-bcd24-master-0"]);
    assert!(after(&things, "data").is_empty());
    assert_eq!(after(&things, "demo-bcd24"), ["demo-bcd24-master-0-nic"]);
    assert_eq!(after(&things, "demo-bcd24-vnet"), ["demo-bcd24-master-0-nic", "demo-bcd24"]);
    assert_eq!(after(&things, "demo-bcd24-identity"), ["demo-bcd24-master-0", "assignment"]);
    assert_eq!(after(&things, "rg").len(), things.len() - 1);
}

use landfall_platform::removal;
use landfall_platform::untracked::Part;
use serde_json::{Value, json};

use super::*;

static NETWORK: removal::Kind = removal::Kind { name: "network", batch: 1, help: "", last: false };
static SUBNET: removal::Kind = removal::Kind { name: "subnet", batch: 1, help: "", last: false };
static MACHINE: removal::Kind = removal::Kind { name: "machine", batch: 1, help: "", last: false };
static DISK: removal::Kind = removal::Kind { name: "disk", batch: 1, help: "", last: false };
static OPTIONS: removal::Kind = removal::Kind { name: "options", batch: 1, help: "", last: false };

fn id(thing: &Resource) -> &str {
    &thing.id
}

fn route(values: &Value, _: &Known<'_>) -> Option<String> {
    Some(format!("{}_0.0.0.0/0", values.get("table")?.as_str()?))
}

const fn tracked(resource: &'static str, kind: &'static str) -> Tracked {
    Tracked { resource, kind, name: Some("/name"), id, imports: true, comes_along: false }
}

static TRACKED: &[Tracked] = &[
    tracked("x_network", "network"),
    tracked("x_subnet", "subnet"),
    Tracked { imports: false, ..tracked("x_machine", "machine") },
    Tracked { name: None, ..tracked("x_options", "options") },
    Tracked { imports: false, comes_along: true, name: Some("/disk"), ..tracked("x_machine", "disk") },
];
static PARTS: &[Part] = &[Part { resource: "x_route", id: route }];
const MODULES: Modules = Modules { tracked: TRACKED, parts: PARTS, gives_up: false, kept: &[] };

fn thing(kind: &'static removal::Kind, id: &str, name: &str) -> Resource {
    let (id, name) = (id.to_owned(), name.to_owned());
    Resource { id, kind, name, fate: Disposition::Removed, after: Vec::new() }
}

fn change(address: &str, id: Option<&str>, values: Value) -> Change {
    let resource = address.split('.').next().unwrap_or_default().to_owned();
    let (address, id, creates) = (address.to_owned(), id.map(str::to_owned), id.is_none());
    Change { address, resource, creates, id, values, outside: None }
}

/// Ids with the addresses to import them to.
fn found(changes: &[Change], things: &[Resource]) -> Vec<(String, Option<String>)> {
    let found = untracked(MODULES, changes, things).into_iter();
    found.map(|one| (one.thing.id.clone(), one.import.map(|import| import.address))).collect()
}

fn one(id: &str, address: Option<&str>) -> (String, Option<String>) {
    (id.to_owned(), address.map(str::to_owned))
}

#[test]
fn what_terraform_would_create_twice_is_imported() {
    let changes = [
        change("x_network.new[0]", None, json!({ "name": "demo-vpc" })),
        change("x_subnet.a", Some("s-1"), json!({ "name": "demo-a" })),
        change("x_options.new", None, json!({})),
    ];
    let things = [
        thing(&NETWORK, "n-1", "demo-vpc"),
        thing(&SUBNET, "s-1", "demo-a"),
        thing(&OPTIONS, "o-1", ""),
        // What a component of the cluster has made.
        thing(&SUBNET, "s-2", "demo-worker"),
        Resource { fate: Disposition::Released, ..thing(&NETWORK, "n-2", "demo-vpc") },
    ];
    assert_eq!(
        found(&changes, &things),
        [one("n-1", Some("x_network.new[0]")), one("o-1", Some("x_options.new"))]
    );
}

#[test]
fn what_cannot_be_imported_or_is_there_twice_is_removed_with_its_contents() {
    let machine = [change("x_machine.master[0]", None, json!({ "name": "demo-master-0" }))];
    assert_eq!(found(&machine, &[thing(&MACHINE, "m-1", "demo-master-0")]), [one("m-1", None)]);

    let changes = [
        change("x_network.new[0]", Some("n-2"), json!({ "name": "demo-vpc" })),
        change("x_subnet.a", None, json!({ "name": "demo-a" })),
    ];
    let things = [
        Resource { after: vec!["s-1".to_owned(), "i-1".to_owned()], ..thing(&NETWORK, "n-1", "demo-vpc") },
        thing(&NETWORK, "n-2", "demo-vpc"),
        thing(&SUBNET, "s-1", "demo-a"),
        thing(&MACHINE, "i-1", "demo-other"),
    ];
    assert_eq!(found(&changes, &things), [one("n-1", None), one("s-1", None), one("i-1", None)]);
}

#[test]
fn a_machine_goes_with_its_disk_and_without_its_group() {
    let planned = |number: u8, id: Option<&str>| {
        let values = json!({ "name": format!("demo-{number}"), "disk": format!("demo-{number}_disk") });
        change(&format!("x_machine.master[{number}]"), id, values)
    };
    let changes = [planned(0, None), planned(1, Some("/Groups/demo/machines/demo-1"))];
    let inside = |kind, id: &str, name: &str| Resource {
        after: vec!["/groups/demo".to_owned()],
        ..thing(kind, id, name)
    };
    let things = [
        thing(&NETWORK, "/groups/demo", "demo"),
        inside(&MACHINE, "/groups/demo/machines/demo-0", "demo-0"),
        inside(&DISK, "/groups/demo/disks/demo-0_disk", "demo-0_disk"),
        inside(&MACHINE, "/groups/demo/machines/demo-1", "demo-1"),
        inside(&DISK, "/groups/demo/disks/demo-1_disk", "demo-1_disk"),
    ];
    assert_eq!(
        found(&changes, &things),
        [one("/groups/demo/machines/demo-0", None), one("/groups/demo/disks/demo-0_disk", None)]
    );
}

#[test]
fn a_part_is_tried_once_what_it_is_part_of_is_known() {
    let managed = vec![
        change("x_route.a", None, json!({ "table": "rtb-1" })),
        change("x_route.b", None, json!({})),
        change("x_route.c", Some("r-1"), json!({ "table": "rtb-2" })),
    ];
    // What is only read is not imported.
    let read = vec![("x_route".to_owned(), json!({ "table": "rtb-3" }))];
    let changes = Changes { managed, read };
    let tried = parts(MODULES, "", &changes);
    assert_eq!(tried, [Import { address: "x_route.a".to_owned(), id: "rtb-1_0.0.0.0/0".to_owned() }]);
}

#[test]
fn what_terraform_cannot_find_is_not_imported() {
    let import = |address: &str, id: &str| Import { address: address.to_owned(), id: id.to_owned() };
    let all = [
        import("x_route.a[\"z\"]", "rtb-1_0.0.0.0/0"),
        import("x_route.a", "rtb-2_0.0.0.0/0"),
        import("x_link.b", "subnet-1/rtb-1"),
        import("x_subnet.b", "subnet-1"),
        import("x_table.b", "rtb-1"),
    ];
    let said = |text: &str| refused(&all, &[text.to_owned()]).into_iter().collect::<Vec<String>>();
    assert_eq!(
        said("attempting to import an existing object to \"x_route.a[\\\"z\\\"]\", no"),
        ["x_route.a[\"z\"]"]
    );
    assert_eq!(said("attempting to import an existing object to \"x_route.a\", no"), ["x_route.a"]);
    assert_eq!(said("no association between table rtb-1 and target subnet-1"), ["x_link.b"]);
    assert_eq!(said("the credentials are not valid"), Vec::<String>::new());
}

#[test]
fn import_blocks_hold_texts_and_no_templates() {
    let import = Import { address: "x_subnet.a[\"z\"]".to_owned(), id: "a\"${b}".to_owned() };
    let text = blocks(&[import]);
    assert!(text.ends_with("import {\n  to = x_subnet.a[\"z\"]\n  id = \"a\\\"$${b}\"\n}\n"), "{text}");
}

#[test]
fn consent_is_asked_for_with_a_list() {
    let changes = [
        change("x_network.new[0]", None, json!({ "name": "demo-vpc" })),
        change("x_machine.master[0]", None, json!({ "name": "demo-master-0" })),
    ];
    let things = [thing(&NETWORK, "arn/n-1", "demo-vpc"), thing(&MACHINE, "m-1", "demo-master-0")];
    let found = untracked(MODULES, &changes, &things);
    let mut imports: Vec<Import> = found.iter().filter_map(|one| one.import.clone()).collect();
    imports.push(Import { address: "x_route.a".to_owned(), id: "rtb-1_0.0.0.0/0".to_owned() });
    let lines = lines(&found, &imports);
    assert_eq!(
        lines,
        [
            "import network demo-vpc (n-1) as x_network.new[0]",
            "import rtb-1_0.0.0.0/0 as x_route.a",
            "remove machine demo-master-0 (m-1)",
        ]
    );
    let finding = finding("cluster", &lines);
    assert_eq!(finding.code.as_str(), "LF1222");
    assert!(finding.message.contains("3 resources") && finding.message.contains("demo-master-0"));
    assert!(finding.help.is_some_and(|help| help.contains("--recover") && !help.ends_with('.')));
    let many = vec!["import x".to_owned(); MOST + 2];
    assert!(super::finding("cluster", &many).message.ends_with("and 2 more"));
}

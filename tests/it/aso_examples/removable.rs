//! What lets `destroy cluster` remove a cluster without its management cluster: tags, and the names that the
//! terraform modules give as well.

use std::collections::BTreeSet;
use std::path::Path;

use landfall_engine_aso::translate::{Ignition, Input, translate};
use serde_json::Value;

use super::{POINTER, changed, input_of, objects};
use crate::aso_schema;

/// All objects of an example, with all machines.
fn all(example: &str) -> (String, Vec<Value>) {
    let plan = changed(example, |_| {});
    let ignition = Ignition { bootstrap: Some(POINTER), control_plane: Some(POINTER) };
    let bootstrap = example == "public";
    let input = Input { machines: bootstrap, bootstrap, ignition, ..input_of(&plan) };
    let mut translation = translate(&input).unwrap();
    translation.objects.iter_mut().for_each(|desired| desired.hints.late_bound.clear());
    (plan.identity.infra_id.clone(), objects(&translation, &plan, "clusters"))
}

#[test]
fn all_that_can_have_tags_has_the_one_that_a_removal_looks_for() {
    let kinds = aso_schema::kinds();
    for example in ["public", "byo-private"] {
        let (infra_id, objects) = all(example);
        let tag = format!("kubernetes.io_cluster.{infra_id}");
        let mut tagged = 0;
        for object in &objects {
            let kind = kinds.iter().find(|kind| kind["kind"] == object["kind"]).unwrap();
            let carrier = kind["tagCarrier"].as_str().unwrap();
            let tags = carrier.strip_prefix("spec.").map(|field| &object["spec"][field][&tag]);
            let is_managed = object["metadata"]["annotations"]["aso.landfall.dev/mode"].is_null();
            let expected = tags.map(|_| if is_managed { Value::from("owned") } else { Value::Null });
            assert_eq!(tags, expected.as_ref(), "{object:#}");
            tagged += usize::from(tags.is_some() && is_managed);
        }
        assert!(tagged > 5, "{example}: {tagged}");
    }
}

/// The names in the terraform modules, with the values of variables that this cluster has.
fn names_of_terraform(values: &[(&str, &str)]) -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/terraform/azure");
    let mut names = BTreeSet::new();
    for stage in ["vnet", "bootstrap", "cluster"] {
        for entry in std::fs::read_dir(root.join(stage)).unwrap() {
            let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
            for line in text.lines() {
                let Some((key, value)) = line.split_once(" = ") else { continue };
                if key.trim() != "name" {
                    continue;
                }
                let value = value.trim();
                let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
                let mut name = quoted.map_or_else(|| format!("${{{value}}}"), str::to_owned);
                for (variable, value) in values {
                    name = name.replace(&format!("${{{variable}}}"), value);
                }
                names.insert(name);
            }
        }
    }
    names
}

/// The kinds of what both engines make under one name.
const ALIKE: &[&str] = &[
    "LoadBalancer",
    "NetworkInterface",
    "NetworkSecurityGroup",
    "PrivateDnsZone",
    "PublicIPAddress",
    "ResourceGroup",
    "StorageAccountsBlobServicesContainer",
    "UserAssignedIdentity",
    "VirtualMachine",
    "VirtualNetwork",
    "VirtualNetworksSubnet",
];

#[test]
fn what_both_engines_make_has_one_name() {
    let plan = changed("public", |_| {});
    let network = &plan.platform.azure.as_ref().unwrap().network;
    let (infra_id, objects) = all("public");
    let mut found = BTreeSet::new();
    for number in ["0", "1", "2"] {
        found.extend(names_of_terraform(&[
            ("var.cluster_id", infra_id.as_str()),
            ("var.cluster_domain", plan.cluster.domain.as_str()),
            ("var.azure_virtual_network", network.name.as_str()),
            ("var.azure_control_plane_subnet", network.control_plane_subnet.as_str()),
            ("var.azure_compute_subnet", network.compute_subnet.as_str()),
            ("each.key", "v4"),
            ("count.index", number),
        ]));
    }
    let mut kinds = BTreeSet::new();
    for object in &objects {
        let kind = object["kind"].as_str().unwrap();
        if ALIKE.contains(&kind) {
            let name = object["spec"]["azureName"].as_str().unwrap();
            assert!(found.contains(name), "{kind}/{name}: {found:#?}");
            kinds.insert(kind);
        }
    }
    assert_eq!(kinds.into_iter().collect::<Vec<&str>>(), ALIKE);
}

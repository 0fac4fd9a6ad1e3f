//! What the native engine creates, against the outline: it is that of the modules.

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::catalogue::Catalogue;
use landfall_model::plan::Plan;
use landfall_platform::native::GIVEN;

use super::{Kind, outline_of, plans, platform_of};

/// How many of each kind a stage of the native engine creates, by their titles; lists within a resource count apart.
fn counted_natively(plan: &Plan) -> BTreeMap<Kind, u64> {
    let graph = platform_of(plan).resources(plan, Catalogue::embedded()).unwrap().unwrap();
    let mut counts = BTreeMap::new();
    for node in graph.resources.iter().filter(|node| !node.kind.starts_with(GIVEN)) {
        let (title, count) = match node.kind {
            "targets" => ("Target group attachment", node.properties["addresses"].as_array().unwrap().len()),
            kind => (graph.title(kind), 1),
        };
        *counts.entry((node.stage.to_owned(), title.to_owned())).or_insert(0) +=
            u64::try_from(count).unwrap();
    }
    counts
}

/// Whatever the layout and the variant.
#[test]
fn the_native_engine_creates_as_many_of_each_kind_as_the_modules() {
    // The engine has one list of rules for each group, and the modules a resource for each rule; the modules give an
    // address to the bootstrap machine as they create the address.
    const OTHERWISE: [&str; 3] = ["Security group rule", "Security group rules", "Elastic IP association"];
    let (mut wrong, mut seen) = (Vec::new(), BTreeSet::new());
    for (name, plan) in plans().into_iter().filter(|(_, plan)| platform_of(plan).name() == "aws") {
        let items = outline_of(&plan).items.into_iter().filter(|item| item.count > 0);
        let mut wanted: BTreeMap<Kind, u64> = BTreeMap::new();
        for item in items {
            *wanted.entry((item.stage.to_owned(), item.kind.to_owned())).or_insert(0) +=
                u64::from(item.count);
        }
        let found = counted_natively(&plan);
        seen.insert(found.contains_key(&("cluster".to_owned(), "Image copy".to_owned())));
        for kind in found.keys().chain(wanted.keys()).collect::<BTreeSet<_>>() {
            let (found, wanted) = (found.get(kind), wanted.get(kind));
            if found != wanted && !OTHERWISE.contains(&kind.1.as_str()) {
                wrong.push(format!("{name}: {kind:?}: the engine has {found:?}, the modules {wanted:?}"));
            }
        }
    }
    assert_eq!(seen.len(), 2, "plans with and without a copy of the image");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

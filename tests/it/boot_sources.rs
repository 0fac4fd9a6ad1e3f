//! What the machines of Azure Service Operator start from, beside its objects.

use std::collections::BTreeSet;

use landfall_model::catalogue::Catalogue;
use landfall_model::plan::Plan;
use landfall_platform::native::GIVEN;

use crate::clusters;
use crate::outline::platform_of;

/// The machines of Azure Service Operator start from what landfall creates beside its objects. Nothing else is created
/// there, and nothing is missing that these resources refer to.
#[test]
fn boot_sources_refer_to_nothing_else() {
    const CREATED: &[&str] = &[
        "blob",
        "container",
        "image-copy",
        "image-definition",
        "image-gallery",
        "image-version",
        "role-assignment",
    ];
    let mut seen = BTreeSet::new();
    for (name, plan, _) in clusters::made_for_all() {
        let mut without_keys = plan.clone();
        if let Some(azure) = without_keys.platform.azure.as_mut() {
            azure.storage.without_access_keys = true;
        }
        for plan in [&plan, &without_keys] {
            seen.extend(created(&name.display().to_string(), plan));
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), CREATED);
}

/// The kinds that are created for a plan.
fn created(name: &str, plan: &Plan) -> BTreeSet<&'static str> {
    let (catalogue, platform) = (Catalogue::embedded(), platform_of(plan));
    let mut seen = BTreeSet::new();
    let Ok(Some(sources)) = platform.boot_sources(plan, catalogue) else { return seen };
    let graph = &sources.graph;
    let names: BTreeSet<&str> = graph.resources.iter().map(|node| node.name.as_str()).collect();
    let whole = platform.resources(plan, catalogue).ok().flatten();
    for node in &graph.resources {
        assert_eq!(node.stage, sources.stage, "{name}: {}", node.name);
        assert!(node.needs().is_subset(&names), "{name}: {} needs {:?}", node.name, node.needs());
        if node.kind.starts_with(GIVEN) {
            continue;
        }
        seen.insert(node.kind);
        // Both engines create the same.
        let same = whole.iter().flat_map(|whole| &whole.resources).find(|other| other.name == node.name);
        assert!(whole.is_none() || same.is_some_and(|other| other.properties == node.properties), "{name}");
    }
    let needs = sources.machine.needs();
    assert!(!needs.is_empty() && needs.is_subset(&names), "{name}: {needs:?}");
    seen
}

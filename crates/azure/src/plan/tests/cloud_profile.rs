//! Sizes and zones where a cloud profile says what may be used.

use landfall_model::catalogue::{Allowance, AllowedRegion, AllowedType, AllowedZone, Catalogue};

use super::*;

const OLDER: &str = "Standard_D8s_v3";
const NEWER: &str = "Standard_D8s_v5";

/// A profile of the zones of eastus, each with the sizes that it lacks, and of sizes.
fn profile(zones: &[(&str, &[&str])], sizes: &[&str]) -> Catalogue {
    let zone = |(name, lacking): &(&str, &[&str])| AllowedZone {
        name: (*name).to_owned(),
        lacking: lacking.iter().map(|lacking| (*lacking).to_owned()).collect(),
    };
    let kind = |name: &&str| AllowedType {
        name: (*name).to_owned(),
        usable: true,
        architecture: "amd64".to_owned(),
        ..AllowedType::default()
    };
    let region = AllowedRegion { zones: zones.iter().map(zone).collect(), added: false };
    Catalogue::embedded().with_allowance(Allowance {
        profile: "team".to_owned(),
        platform: "azure".to_owned(),
        regions: [("eastus".to_owned(), region)].into(),
        machine_types: sizes.iter().map(kind).collect(),
    })
}

/// What the cloud answers where it offers both sizes in zones 1 and 2.
fn both() -> Facts {
    let mut facts = answers();
    let size = facts.sizes.get(OLDER).cloned().unwrap_or_default();
    facts.sizes = [OLDER, NEWER].map(|name| (name.to_owned(), size.clone())).into();
    facts
}

/// Sizes and zones of the control plane and of compute machines, and what is found.
fn chosen(
    catalogue: &Catalogue,
    config: &InstallConfig,
    facts: Facts,
) -> (Vec<(String, Vec<String>)>, Vec<Finding>) {
    let (plan, findings) = planned_with(catalogue, config, facts, Source::Cloud);
    let pools = plan.into_iter().flat_map(|plan| std::iter::once(plan.control_plane).chain(plan.compute));
    (pools.map(|pool| (pool.size, pool.zones)).collect(), findings)
}

/// That all machines have a size and zones, and nothing is found.
fn all_have(size: &str, zones: &[&str], catalogue: &Catalogue, facts: Facts) {
    let zones: Vec<String> = zones.iter().map(|zone| (*zone).to_owned()).collect();
    let (pools, findings) = chosen(catalogue, &config(), facts);
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(pools, vec![(size.to_owned(), zones); 2]);
}

#[test]
fn every_size_of_the_profile_is_a_candidate() {
    let sizes = ["standard_d8s_v3", "standard_d8s_v5"];
    let nowhere = profile(&[("1", &[OLDER]), ("2", &[OLDER])], &sizes);
    all_have(NEWER, &["1", "2"], &nowhere, both());
    // As on AWS, a size in all zones is better than one in some.
    let somewhere = profile(&[("1", &[OLDER]), ("2", &[])], &sizes);
    all_have(NEWER, &["1", "2"], &somewhere, both());
    let alone = profile(&[("1", &[OLDER]), ("2", &[])], &sizes[..1]);
    all_have(OLDER, &["2"], &alone, both());
    all_have(OLDER, &["1", "2"], &profile(&[], &sizes), both());
}

#[test]
fn a_candidate_that_does_not_do_there_is_passed_over() {
    let catalogue = profile(&[], &[OLDER, NEWER]);
    let mut facts = both();
    facts.sizes.remove(OLDER);
    all_have(NEWER, &["1", "2"], &catalogue, facts);
    let mut facts = both();
    if let Some(size) = facts.sizes.get_mut(OLDER) {
        size.capabilities.insert("PremiumIO".to_owned(), "False".to_owned());
    }
    all_have(NEWER, &["1", "2"], &catalogue, facts);
}

#[test]
fn a_profile_that_leaves_no_zone_is_named() {
    let catalogue = profile(&[("1", &[OLDER]), ("2", &[OLDER]), ("3", &[])], &[OLDER]);
    let (_, findings) = chosen(&catalogue, &config(), both());
    let fields = ["controlPlane.platform.azure.type", "compute[0].platform.azure.type"];
    assert_eq!(places(&findings), fields.map(|field| ("LF1464", field)));
    assert_names(message(&findings), &["`team`", "eastus", "`Standard_D8s_v3`"]);
    assert!(!help(&findings).is_empty(), "{findings:?}");
}

#[test]
fn zones_that_are_named_have_the_size_that_is_chosen() {
    let zones = vec!["1".to_owned()];
    let config = with_settings(Settings { zones, ..Settings::default() });
    let both_sizes = profile(&[("1", &[OLDER]), ("2", &[])], &[OLDER, NEWER]);
    let (pools, findings) = chosen(&both_sizes, &config, both());
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(pools.first().map(|(size, _)| size.as_str()), Some(NEWER));
    let one_size = profile(&[("1", &[OLDER]), ("2", &[])], &[OLDER]);
    let (_, findings) = chosen(&one_size, &config, both());
    assert_eq!(places(&findings), [("LF1464", "controlPlane.platform.azure.zones[0]")]);
}

#[test]
fn a_profile_without_a_fitting_size_is_named() {
    let at = ["controlPlane.platform.azure.type", "compute[0].platform.azure.type"];
    let (_, findings) = chosen(&profile(&[], &["Standard_D8ps_v5"]), &config(), both());
    assert_eq!(places(&findings), at.map(|field| ("LF0754", field)));
    assert_names(message(&findings), &["`team`", "amd64", "master"]);
    assert_names(help(&findings), &["Standard_D8ps_v5"]);
    let (_, findings) = chosen(&profile(&[], &["Standard_D8s_v4"]), &config(), both());
    assert_eq!(places(&findings), at.map(|field| ("LF0754", field)));
    assert_names(message(&findings), &["`eastus`", "`team`", "(Standard_D8s_v4)"]);
}

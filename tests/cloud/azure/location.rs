//! Locations that are written otherwise, are not there, or are not open to the subscription.

use serde_json::json;

use super::arm::Azure;
use super::scene::{config_with, landfall, public, subscription, told};
use crate::program::{place, place_of, text};

/// What is said of a location, and what help is given.
fn refused(azure: &Azure, region: &str, words: &[&str]) {
    let config = config_with(region, "", "");
    let report = landfall(azure, &config).preflight();
    let check = told(&report, "LF0765", "azure.location");
    assert_eq!(text(check, "status"), "failed", "{check}");
    assert_eq!(text(check, "field"), "platform.azure.region", "{check}");
    assert_eq!(place_of(check), place(&config, region), "{check}");
    let said = format!("{} {}", text(check, "message"), text(check, "help"));
    for word in words {
        assert!(said.contains(word), "`{word}` is missing: {check}");
    }
    report.is("azure.subscription", "passed");
}

#[test]
fn a_location_must_be_one_of_the_subscription() {
    let azure = Azure::start(public());
    refused(&azure, "eastsu", &["`eastsu`", "`eastus`"]);
    refused(&azure, "East US", &["`East US`", "region: eastus"]);
    // The catalogue has it, and the subscription has not.
    refused(&azure, "chilecentral", &["`chilecentral`", "support"]);
    refused(&azure, "usgovvirginia", &["`usgovvirginia`", "AzureUSGovernmentCloud"]);
    refused(&azure, "mooneast", &["`mooneast`", "az account list-locations"]);
    let asked: Vec<String> =
        azure.asked_at("/locations/mooneast").into_iter().map(|one| one.asked.path).collect();
    assert!(asked.is_empty(), "what is not there is asked nothing: {asked:?}");

    let config = config_with("eastsu", "", "");
    let landfall = landfall(&azure, &config);
    let ran = landfall.ask(&["create", "manifests", "-o", "json"]).ends(4);
    let refused = ran.json();
    let findings = refused["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["code"] == "LF0765"), "{ran}");
    assert!(!landfall.directory().join("metadata.json").exists());
}

#[test]
fn a_location_must_take_resource_groups() {
    let azure = Azure::start(public());
    azure.edit(|tree| {
        let types = &mut tree.at(&subscription("/providers/Microsoft.Resources"))["resourceTypes"];
        for own in types.as_array_mut().unwrap() {
            if own["resourceType"] == "resourceGroups" {
                own["locations"] = json!(["West US"]);
            }
        }
    });
    refused(&azure, "eastus", &["`eastus`", "support"]);
}

//! What Azure accepts and then does not do, or refuses: the same command continues once it can.

use serde_json::Value;

use crate::azure::answer::Answer;
use crate::azure::arm::Trouble;
use crate::installation::Installation;
use crate::inventory::Inventory;

fn finding<'r>(report: &'r Value, code: &str) -> Option<&'r Value> {
    report["findings"].as_array().unwrap().iter().find(|finding| finding["code"] == code)
}

/// Azure accepts a machine and fails to allocate it. What is there of it is replaced by the next run.
#[test]
#[ignore = "needs terraform and azurerm"]
fn a_machine_without_capacity_is_created_again() {
    let installation = Installation::prepare("AzurePublicCloud", "", "", |text, _| text);
    let azure = &installation.azure;
    let before = Inventory::of(azure);
    let message =
        "Allocation failed. We do not have sufficient capacity for the requested VM size in this zone.";
    azure.manager().fail(1, "-master-1", "ZonalAllocationFailed", message);
    let ran = installation.try_create(&[]).ends(5);
    let report = ran.json();
    let told = finding(&report, "LF1214").unwrap_or_else(|| panic!("{ran}"));
    let text = told.to_string();
    for word in ["ZonalAllocationFailed", "other zones", "fit: Standard_D8s_v3 in zones 1, 2, 3"] {
        assert!(text.contains(word), "`{word}` is missing: {ran}");
    }
    installation.create(&["--recover"]);
    let machines = Inventory::of(azure).since(&before);
    let states = machines.of_kind("Microsoft.Compute/virtualMachines").into_iter();
    let states: Vec<&Value> = states.map(|machine| &machine["properties"]["provisioningState"]).collect();
    assert_eq!(states, ["Succeeded"; 4]);
    installation.destroy();
    Inventory::of(azure).is_as(&before);
}

/// What a policy denies is told with the policy's own words, and nothing more is begun.
#[test]
#[ignore = "needs terraform and azurerm"]
fn what_a_policy_denies_is_told() {
    let message = "Resource 'cluster' was disallowed by policy. Policy identifiers: 'no-shared-keys'.";
    let installation = Installation::prepare("AzurePublicCloud", "", "", |text, scene| {
        let denied = move |_: &crate::front::Asked| Answer::error(403, "RequestDisallowedByPolicy", message);
        scene.troubles.push(Trouble::first_put(1, "/microsoft.storage/storageaccounts/", denied));
        text
    });
    let before = Inventory::of(&installation.azure);
    let ran = installation.try_create(&[]).ends(5);
    let report = ran.json();
    assert!(report["findings"].to_string().contains("no-shared-keys"), "{ran}");
    // After an exemption, the same command continues.
    installation.create(&["--recover"]);
    installation.destroy();
    Inventory::of(&installation.azure).is_as(&before);
}

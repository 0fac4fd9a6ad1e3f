//! What Azure limits, refuses or gives up is waited for, repeated or told.

use super::super::answer::{failing, throttled};
use super::super::arm::Trouble;
use super::site::Site;

#[test]
fn throttling_and_faults_of_azure_pass() {
    let site = Site::new("", "", |text, scene| {
        for part in ["/virtualnetworks/", "/loadbalancers/", "/privatednszones/"] {
            scene.troubles.push(Trouble::first(1, part, |_| throttled(0)));
            scene.troubles.push(Trouble::first(2, part, |_| failing()));
        }
        text
    });
    let said = site.create(&[]);
    site.stands_as_planned(said["infraID"].as_str().unwrap());
    assert!(site.azure.unused().is_empty(), "{:?}", site.azure.unused());
}

#[test]
fn a_machine_without_capacity_is_told_and_created_by_the_next_run() {
    let site = Site::new("", "", |text, _| text);
    let message =
        "Allocation failed. We do not have sufficient capacity for the requested VM size in this zone.";
    site.azure.manager().fail(1, "-master-1", "ZonalAllocationFailed", message);
    let ran = site.try_create(&[]);
    assert_ne!(ran.code, Some(0), "{ran}");
    let said = ran.json().to_string();
    assert!(said.contains("ZonalAllocationFailed") && said.contains("LF1423"), "{said}");
    assert!(said.contains("types of the region that fit: Standard_D8s_v3 in zones 1, 2, 3"), "{said}");
    // What was begun beside it goes on in the cloud.
    site.azure.settle();
    let again = site.create(&[]);
    site.stands_as_planned(again["infraID"].as_str().unwrap());
}

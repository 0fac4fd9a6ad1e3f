//! What a config names besides networks and groups: keys of disks, images of the marketplace, identities.

use serde_json::{Value, json};

use super::arm::Azure;
use super::scene::{SUBSCRIPTION, checks, config_with, group, landfall, public, subscription};
use super::tree::Tree;
use crate::program::{Report, place, place_of, text};

const IMAGE: &str = "      osImage:
        plan: WithPurchasePlan
        publisher: redhat
        offer: rh-ocp-worker
        sku: rh-ocp-worker
        version: 413.92.2023101700
";

const PLACE: &str = "/providers/Microsoft.Compute/locations/eastus/publishers/redhat/artifacttypes/vmimage/\
                     offers/rh-ocp-worker/skus/rh-ocp-worker/versions/413.92.2023101700";
const TERMS: &str = "/providers/Microsoft.MarketplaceOrdering/offerTypes/virtualmachine/publishers/redhat/\
                     offers/rh-ocp-worker/plans/rh-ocp-worker/agreements/current";

/// A report of a config with these settings of the control plane's machines.
fn changed(machines: &str, change: impl FnOnce(&mut Tree)) -> Report {
    let azure = Azure::start(public());
    azure.edit(change);
    landfall(&azure, &config_with("eastus", "", machines)).preflight()
}

/// The check of a subject that some pool has.
#[track_caller]
fn check<'r>(report: &'r Report, subject: &str, status: &str) -> &'r Value {
    let found = checks(report, subject);
    let own = found.into_iter().find(|check| text(check, "status") == status);
    own.unwrap_or_else(|| panic!("no {subject} has {status}: {}", report.ran))
}

fn disk_set(name: &str) -> String {
    format!(
        "      osDisk:
        diskEncryptionSet:
          subscriptionId: {SUBSCRIPTION}
          resourceGroup: keys-rg
          name: {name}
"
    )
}

#[test]
fn sets_of_disk_keys_must_be_there() {
    let report = changed(&disk_set("disks"), |_| {});
    report.passes();
    check(&report, "azure.disk-encryption-set", "passed");
    let report = changed(&disk_set("missing"), |_| {});
    let missing = check(&report, "azure.disk-encryption-set", "failed");
    assert!(text(missing, "message").contains("missing"), "{missing}");
    let (line, _) = place(&config_with("eastus", "", &disk_set("missing")), "diskEncryptionSet");
    assert!((line..=line + 3).contains(&place_of(missing).0), "{missing}");
    let path = group("keys-rg", "/providers/Microsoft.Compute/diskEncryptionSets/disks");
    let report = changed(&disk_set("disks"), |tree| tree.at(&path)["location"] = json!("westus"));
    let elsewhere = check(&report, "azure.disk-encryption-set", "failed");
    assert!(text(elsewhere, "message").contains("westus"), "{elsewhere}");
}

#[test]
fn images_of_the_marketplace_must_be_there_and_agreed_to() {
    const SUBJECT: &str = "azure.marketplace-image";
    let report = changed(IMAGE, |_| {});
    report.passes();
    check(&report, SUBJECT, "passed");

    let report = changed(IMAGE, |tree| tree.take(&subscription(PLACE)));
    let missing = check(&report, SUBJECT, "failed");
    assert!(text(missing, "message").contains("413.92.2023101700"), "{missing}");

    let report =
        changed(IMAGE, |tree| tree.at(&subscription(TERMS))["properties"]["accepted"] = json!(false));
    let open = check(&report, SUBJECT, "failed");
    assert!(text(open, "help").contains("az vm image terms accept"), "{open}");

    let report = changed(IMAGE, |tree| {
        let properties = &mut tree.at(&subscription(PLACE))["properties"];
        properties["architecture"] = json!("Arm64");
    });
    check(&report, SUBJECT, "failed");

    let latest = IMAGE.replace("413.92.2023101700", "latest");
    let report = changed(&latest, |_| {});
    report.passes();
    check(&report, SUBJECT, "passed");
}

/// Machines with identities of the user's own are not made yet, but what is named is looked for.
#[test]
fn identities_must_be_there() {
    let lines = |name: &str| {
        format!(
            "      identity:
        type: UserAssigned
        userAssignedIdentities:
        - name: {name}
          subscription: {SUBSCRIPTION}
          resourceGroup: ids-rg
"
        )
    };
    check(&changed(&lines("masters"), |_| {}), "azure.identity", "passed");
    let report = changed(&lines("missing"), |_| {});
    let missing = check(&report, "azure.identity", "failed");
    assert!(text(missing, "message").contains("missing"), "{missing}");
}

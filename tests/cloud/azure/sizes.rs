//! Sizes of machines that a location does not have, or that lack what a pool asks for.

use serde_json::{Value, json};

use super::arm::Azure;
use super::scene::{config, config_with, files, landfall, public, subscription, told};
use crate::program::{place, place_of, text};

/// What somebody wants of the control plane's machines, and what is said of it.
struct Wish {
    /// Lines of YAML.
    lines: &'static str,
    code: &'static str,
    field: &'static str,
    /// A part of the message.
    word: &'static str,
    /// What stands at the place in the file.
    at: &'static str,
}

const WISHES: &[Wish] = &[
    Wish {
        lines: "      type: Standard_Moon\n",
        code: "LF0755",
        field: "type",
        word: "Standard_Moon is not offered in `eastus`",
        at: "Standard_Moon",
    },
    Wish {
        lines: "      type: Standard_D8s_v5\n",
        code: "LF0755",
        field: "type",
        word: "NotAvailableForSubscription",
        at: "Standard_D8s_v5",
    },
    Wish {
        lines: "      type: Standard_D2s_v5\n",
        code: "LF0756",
        field: "type",
        word: "2 virtual CPUs",
        at: "Standard_D2s_v5",
    },
    Wish {
        lines: "      type: Standard_D8_v3\n      osDisk:\n        diskType: Premium_LRS\n",
        code: "LF0758",
        field: "osDisk.diskType",
        word: "PremiumIO",
        at: "Premium_LRS",
    },
    Wish {
        lines: "      type: Standard_B4ms\n      vmNetworkingType: Accelerated\n",
        code: "LF0758",
        field: "vmNetworkingType",
        word: "AcceleratedNetworkingEnabled",
        at: "Accelerated",
    },
    Wish {
        lines: "      type: Standard_B4ms\n      encryptionAtHost: true\n",
        code: "LF0758",
        field: "encryptionAtHost",
        word: "EncryptionAtHostSupported",
        at: "true",
    },
    Wish {
        lines: "      type: Standard_E8s_v3\n      zones: [\"1\", \"3\"]\n",
        code: "LF0766",
        field: "zones",
        word: "zone 1",
        at: "zones: [\"1\", \"3\"]",
    },
    Wish {
        lines: "      type: Standard_D8s_v3\n      ultraSSDCapability: Enabled\n",
        code: "LF0767",
        field: "type",
        word: "zone 3",
        at: "Standard_D8s_v3",
    },
    Wish {
        lines: "      type: Standard_D8ps_v5\n",
        code: "LF0757",
        field: "type",
        word: "amd64",
        at: "Standard_D8ps_v5",
    },
    Wish {
        lines: "      type: Standard_NV8as_v4\n",
        code: "LF0757",
        field: "type",
        word: "standardNVSv4Family",
        at: "Standard_NV8as_v4",
    },
];

#[test]
fn a_size_must_have_what_its_pool_asks_for() {
    let azure = Azure::start(public());
    for Wish { lines, code, field, word, at } in WISHES {
        let config = config_with("eastus", "", lines);
        let report = landfall(&azure, &config).preflight();
        let check = told(&report, code, "azure.sizes");
        assert_eq!(text(check, "status"), "failed", "{check}");
        assert_eq!(text(check, "field"), format!("controlPlane.platform.azure.{field}"), "{check}");
        assert_eq!(place_of(check), place(&config, at), "{check}");
        assert!(text(check, "message").contains(word), "`{word}` is missing: {check}");
        report.is("azure.location", "passed");
        // What else stands in the way is told in the same run.
        report.check("azure.quota.cores");
    }
}

/// Where the subscription may not have the usual size, it is told which others would do.
#[test]
fn the_usual_size_must_be_there() {
    let azure = Azure::start(public());
    azure.edit(|tree| {
        let skus =
            tree.at(&subscription("/providers/Microsoft.Compute/skus"))["value"].as_array_mut().unwrap();
        let reason = json!([{
            "type": "Location",
            "values": ["eastus"],
            "restrictionInfo": { "locations": ["eastus"] },
            "reasonCode": "NotAvailableForSubscription",
        }]);
        for sku in skus.iter_mut().filter(|sku| sku["name"] == "Standard_D8s_v3") {
            sku["restrictions"] = reason.clone();
        }
    });
    let config = config("");
    let report = landfall(&azure, &config).preflight();
    let check = told(&report, "LF0754", "azure.sizes");
    assert_eq!(text(check, "field"), "controlPlane.platform.azure.type", "{check}");
    assert_eq!(place_of(check), place(&config, "eastus"), "{check}");
    assert!(text(check, "help").contains("Standard_E8s_v3"), "{check}");
    assert!(!text(check, "help").contains("Standard_D8s_v5"), "it is not open either: {check}");

    let facts = landfall(&azure, &config).ask(&["facts"]).ends(0).json();
    let sizes: &Value = &facts["azure"]["sizes"];
    assert_eq!(sizes["Standard_D8s_v3"]["restriction"], "NotAvailableForSubscription", "{facts}");
    assert_eq!(sizes["Standard_E8s_v3"]["zones"], json!(["3"]), "{facts}");
}

/// A location with zones of which none is open to the subscription is told from one without zones.
#[test]
fn a_size_must_be_open_in_some_zone() {
    let azure = Azure::start(public());
    azure.edit(|tree| {
        let skus =
            tree.at(&subscription("/providers/Microsoft.Compute/skus"))["value"].as_array_mut().unwrap();
        let closed = json!([{
            "type": "Zone",
            "values": ["eastus"],
            "restrictionInfo": { "locations": ["eastus"], "zones": ["1", "2", "3"] },
            "reasonCode": "NotAvailableForSubscription",
        }]);
        for sku in skus.iter_mut().filter(|sku| sku["name"] == "Standard_D8s_v3") {
            sku["restrictions"] = closed.clone();
        }
    });
    let lines = "      type: Standard_D8s_v3\n";
    let report = landfall(&azure, &config_with("eastus", "", lines)).preflight();
    let check = told(&report, "LF0755", "azure.sizes");
    assert_eq!(text(check, "status"), "failed", "{check}");
    assert!(text(check, "message").contains("NotAvailableForSubscription"), "{check}");
}

/// A size is written in any capitals; the files have those of the cloud.
#[test]
fn capitals_do_not_matter() {
    let azure = Azure::start(public());
    let landfall = landfall(&azure, &config_with("eastus", "", "      type: standard_d8S_V3\n"));
    landfall.preflight().passes();
    landfall.ask(&["create", "manifests"]).ends(0);
    let files = files(landfall.directory());
    let machine = files.iter().find(|(path, _)| path.contains("master-machines-0"));
    let machine = machine.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    assert!(machine.contains("vmSize: Standard_D8s_v3"), "{machine}");
}

/// A location without zones has machines all the same.
#[test]
fn a_location_need_not_have_zones() {
    let azure = Azure::start(public());
    let config = config_with("westus", "", "")
        .replace("      zones: [\"1\", \"2\", \"3\"]\n", "      type: Standard_D4s_v3\n");
    azure.edit(|tree| {
        for provider in ["Microsoft.Compute", "Microsoft.Network"] {
            let at =
                |location: &str| subscription(&format!("/providers/{provider}/locations/{location}/usages"));
            let usages = tree.at(&at("eastus")).clone();
            tree.put(&at("westus"), usages);
        }
    });
    let landfall = landfall(&azure, &config);
    landfall.preflight().passes();
    let facts = landfall.ask(&["facts"]).ends(0).json();
    let zones = &facts["azure"]["sizes"]["Standard_D8s_v3"]["zones"];
    assert!(zones.as_array().is_none_or(Vec::is_empty), "{facts}");
    landfall.ask(&["create", "manifests"]).ends(0);
}

//! An existing network, and the zone for the cluster's names: those that fit, and those that do not.

use serde_json::json;

use super::answer::denied;
use super::arm::{Azure, Trouble};
use super::scene::{checks, config, group, landfall, public, told};
use super::tree::Tree;
use crate::program::{Report, place, place_of, text};

const LINES: &str = "    networkResourceGroupName: net-rg
    virtualNetwork: corp-vnet
    controlPlaneSubnet: masters-sn
    computeSubnet: workers-sn
";

/// The first release with NAT gateways in existing networks.
const GATEWAYS: &str = "4.20";

fn changed(config: &str, change: impl FnOnce(&mut Tree)) -> Report {
    let azure = Azure::start(public());
    azure.edit(change);
    landfall(&azure, config).preflight_for(GATEWAYS)
}

fn subnets(tree: &mut Tree) -> &mut Vec<serde_json::Value> {
    let path = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet");
    tree.at(&path)["properties"]["subnets"].as_array_mut().unwrap()
}

/// What stands against a network is told where the config has it.
fn refused(lines: &str, code: &str, at: &str, words: &[&str], change: impl FnOnce(&mut Tree)) {
    let config = config(lines);
    let report = changed(&config, change);
    let check = told(&report, code, "azure.network");
    assert_eq!(text(check, "status"), "failed", "{check}");
    assert_eq!(place_of(check), place(&config, at), "{check}");
    for word in words {
        assert!(text(check, "message").contains(word), "`{word}` is missing: {check}");
    }
}

#[test]
fn an_existing_network_is_looked_at() {
    let azure = Azure::start(public());
    let landfall = landfall(&azure, &config(LINES));
    let report = landfall.preflight();
    report.passes();
    report.is("azure.network", "passed");
    let virtual_networks = checks(&report, "azure.quota.").into_iter();
    let mut virtual_networks = virtual_networks.filter(|check| text(check, "id").contains("VirtualNetworks"));
    assert!(virtual_networks.next().is_none(), "a new network is not needed: {}", report.ran);
    let facts = landfall.ask(&["facts"]).ends(0).json();
    let network = &facts["azure"]["network"];
    assert_eq!(network["resourceGroup"], "net-rg", "{facts}");
    assert_eq!(network["addressPrefixes"], json!(["10.0.0.0/16", "10.9.0.0/16"]), "{facts}");
    assert_eq!(network["subnets"][1], json!({ "name": "workers-sn", "addressPrefixes": ["10.0.1.0/24"] }));
    landfall.ask(&["create", "manifests"]).ends(0);

    let path = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet");
    refused(LINES, "LF0770", "corp-vnet", &["corp-vnet", "net-rg"], |tree| tree.take(&path));
    refused(LINES, "LF0770", "corp-vnet", &["corp-vnet", "net-rg"], |tree| tree.take(&group("net-rg", "")));
    refused(LINES, "LF0771", "masters-sn", &["masters-sn"], |tree| {
        subnets(tree).retain(|subnet| subnet["name"] != "masters-sn");
    });
    let misspelt = LINES.replace("workers-sn", "worker-sn");
    refused(&misspelt, "LF0771", "worker-sn", &["worker-sn", "corp-vnet"], |_| {});
    let outside = LINES.replace("workers-sn", "elsewhere-sn");
    refused(&outside, "LF0772", "elsewhere-sn", &["10.9.0.0/24", "10.0.0.0/16"], |_| {});
    refused(LINES, "LF0773", "corp-vnet", &["westeurope", "eastus"], |tree| {
        tree.at(&path)["location"] = json!("westeurope");
    });
}

#[test]
fn existing_subnets_have_room_and_no_gateway_of_others() {
    refused(LINES, "LF0793", "masters-sn", &["masters-sn", "2 addresses are free"], |tree| {
        let properties = &mut subnets(tree)[0]["properties"];
        *properties = json!({ "addressPrefix": "10.0.0.0/29", "ipConfigurations": [{ "id": "/a" }] });
    });
    let gateway = format!("{LINES}    outboundType: NATGatewaySingleZone\n");
    refused(&gateway, "LF0794", "workers-sn", &["workers-sn", "theirs"], |tree| {
        let id = group("net-rg", "/providers/Microsoft.Network/natGateways/theirs");
        subnets(tree)[1]["properties"]["natGateway"] = json!({ "id": id });
    });
    let azure = Azure::start(public());
    let landfall = landfall(&azure, &config(&gateway));
    landfall.preflight_for(GATEWAYS).is("azure.network", "passed");
    landfall.ask(&["create", "manifests", "--release", GATEWAYS]).ends(0);
}

/// A network that the caller may not see is not taken for one that is not there, and not asked for twice.
#[test]
fn a_network_that_is_hidden_is_told_as_such() {
    let path = "/virtualnetworks/corp-vnet";
    let hidden = Trouble::always(path, |_| denied("Microsoft.Network/virtualNetworks/read"));
    let azure = Azure::start(public().with(hidden));
    let report = landfall(&azure, &config(LINES)).preflight();
    let check = report.says("azure.network", "failed", &["AuthorizationFailed"]);
    assert_ne!(text(check, "code"), "LF0770", "{check}");
    assert_eq!(azure.asked_at(path).len(), 1, "{}", report.ran);
}

#[test]
fn the_public_zone_must_be_there_and_free() {
    let zone = group("dns-rg", "/providers/Microsoft.Network/dnsZones/example.com");
    let config = config("");
    for gone in [zone.as_str(), &group("dns-rg", "")] {
        let report = changed(&config, |tree| tree.take(gone));
        let check = told(&report, "LF0778", "azure.dns-zone");
        assert_eq!(text(check, "status"), "failed", "{check}");
        assert_eq!(text(check, "field"), "platform.azure.baseDomainResourceGroupName", "{check}");
        assert_eq!(place_of(check), place(&config, "dns-rg"), "{check}");
    }
    for kind in ["A", "AAAA", "CNAME"] {
        let record = json!({ "name": "api.demo", "properties": { "TTL": 300 } });
        let report = changed(&config, |tree| tree.put(&format!("{zone}/{kind}/api.demo"), record));
        let check = told(&report, "LF0779", "azure.dns-zone");
        assert_eq!(place_of(check), place(&config, "example.com"), "{check}");
        let left = format!("api.demo.example.com {kind}");
        assert!(text(check, "message").contains(&left), "{left}: {check}");
    }
    // Records of others are nobody's business.
    let record = json!({ "name": "api.other", "properties": { "TTL": 300 } });
    let azure = Azure::start(public());
    azure.edit(|tree| tree.put(&format!("{zone}/A/api.other"), record));
    landfall(&azure, &config).preflight().passes();

    // A cluster that nobody reaches from outside needs no zone.
    let azure = Azure::start(public());
    let internal = config.replace("publish: External", "publish: Internal");
    let report = landfall(&azure, &internal).preflight();
    report.passes();
    assert!(checks(&report, "azure.dns-zone").is_empty(), "{}", report.ran);
    assert!(azure.asked_at("/dnszones").is_empty(), "{}", report.ran);
}

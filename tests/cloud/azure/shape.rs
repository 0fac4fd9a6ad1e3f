//! What Azure itself adds to what a client sends: types, addresses, numbers, disks, and parts with ids.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ipnet::Ipv4Net;
use serde_json::{Value, json};

use super::parts::{self, PARTS};
use super::tree::Tree;

/// Where what Azure never tells is kept, before the path of whose it is.
pub const SECRET: &str = "/untold";

/// Azure keeps four addresses at the beginning of a subnet for itself.
const FIRST_ADDRESS: usize = 4;

/// The provider and type in a path, as `microsoft.network/virtualnetworks/subnets`, as the client writes it.
pub fn kind_of(id: &str) -> String {
    let lower = id.to_lowercase();
    let Some(at) = lower.rfind("/providers/") else {
        return "Microsoft.Resources/resourceGroups".to_owned();
    };
    let segments: Vec<&str> = id[at + "/providers/".len()..].split('/').collect();
    let types: Vec<&str> = segments.iter().skip(1).step_by(2).copied().collect();
    format!("{}/{}", segments[0], types.join("/"))
}

/// A number that is always the same for the same text.
pub fn uuid(text: &str) -> String {
    let hash = digest(&SHA256, text.to_lowercase().as_bytes());
    let hex: String = hash
        .as_ref()
        .iter()
        .take(16)
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect();
    format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..])
}

/// The key of a storage account.
pub fn account_key(name: &str) -> String {
    let half = digest(&SHA256, name.as_bytes());
    let whole: Vec<u8> = half.as_ref().iter().chain(half.as_ref()).copied().collect();
    STANDARD.encode(whole)
}

/// Adds what Azure adds to a document that a client sends for an id, where there may be an earlier one.
pub fn completed(tree: &mut Tree, id: &str, mut document: Value, blob_suffix: &str) -> Value {
    let kind = kind_of(id);
    let name = id.rsplit('/').next().unwrap_or_default().to_owned();
    document["id"] = json!(id);
    document["name"] = json!(name);
    document["type"] = json!(kind);
    document["etag"] = json!(format!("W/\"{}\"", uuid(&document.to_string())));
    document["properties"]["provisioningState"] = json!("Succeeded");
    let earlier = parts::get(tree, id).cloned().unwrap_or_default();
    let lower = kind.to_lowercase();
    with_parts(&lower, id, &mut document);
    match lower.as_str() {
        "microsoft.managedidentity/userassignedidentities" => {
            document["properties"]["tenantId"] = json!(super::scene::TENANT);
            document["properties"]["principalId"] = json!(uuid(&format!("principal {id}")));
            document["properties"]["clientId"] = json!(uuid(&format!("client {id}")));
        }
        "microsoft.authorization/roleassignments" => {
            let scope = id.to_lowercase().find("/providers/microsoft.authorization").unwrap_or_default();
            document["properties"]["scope"] = json!(&id[..scope]);
            document["properties"]["principalType"] = json!("ServicePrincipal");
        }
        "microsoft.network/publicipaddresses" => {
            let properties = &mut document["properties"];
            let label = properties["dnsSettings"]["domainNameLabel"].as_str().map(str::to_owned);
            if let Some(label) = label {
                properties["dnsSettings"]["fqdn"] = json!(format!("{label}.eastus.cloudapp.example"));
            }
            let is_v6 = properties["publicIPAddressVersion"] == "IPv6";
            properties["ipAddress"] = json!(if is_v6 { "2001:db8::10" } else { "203.0.113.10" });
        }
        "microsoft.network/networkinterfaces" => {
            document["properties"]["macAddress"] = json!("00-0D-3A-00-00-01");
            document["properties"]["virtualMachine"] = earlier["properties"]["virtualMachine"].clone();
            addressed(tree, id, &mut document["properties"]["ipConfigurations"], &earlier);
        }
        "microsoft.network/loadbalancers" => {
            addressed(tree, id, &mut document["properties"]["frontendIPConfigurations"], &earlier);
        }
        "microsoft.compute/virtualmachines" => machine(tree, id, &mut document),
        "microsoft.storage/storageaccounts" => {
            let location = document["location"].clone();
            let sku =
                document["sku"]["name"].as_str().unwrap_or_default().split('_').next().map(str::to_owned);
            document["sku"]["tier"] = json!(sku);
            let properties = &mut document["properties"];
            properties["primaryLocation"] = location;
            properties["statusOfPrimary"] = json!("available");
            properties["creationTime"] = json!("2026-11-21T08:00:00.0000000Z");
            let suffix = blob_suffix.trim_start_matches("blob.");
            for service in ["blob", "dfs", "file", "queue", "table", "web"] {
                properties["primaryEndpoints"][service] =
                    json!(format!("https://{name}.{service}.{suffix}/"));
            }
        }
        "microsoft.compute/galleries/images/versions" => {
            document["properties"]["publishingProfile"]["publishedDate"] = json!("2026-11-21T08:00:00Z");
        }
        "microsoft.network/privatednszones" => {
            let zone = json!({ "soaRecord": { "email": "host.example", "expireTime": 2_419_200, "minimumTtl": 10,
                "refreshTime": 3600, "retryTime": 300, "host": "azureprivatedns.net", "serialNumber": 1 },
                "ttl": 3600, "fqdn": format!("{name}.") });
            let soa = format!("{id}/SOA/@");
            let record = json!({ "id": soa, "name": "@", "type": "Microsoft.Network/privateDnsZones/SOA",
                "properties": zone });
            tree.put(&soa, record);
            document["properties"]["numberOfRecordSets"] = json!(1);
        }
        "microsoft.network/privatednszones/virtualnetworklinks" => {
            document["properties"]["virtualNetworkLinkState"] = json!("Completed");
        }
        _ if lower.contains("dnszones/") => {
            let zone = id.rsplit('/').nth(2).unwrap_or_default();
            document["properties"]["fqdn"] = json!(format!("{name}.{zone}."));
        }
        _ => {}
    }
    document
}

/// Gives each part of a document its id.
fn with_parts(kind: &str, id: &str, document: &mut Value) {
    let Some((_, lists)) = PARTS.iter().find(|(known, _)| *known == kind) else { return };
    // Lists of which nothing is here are there nonetheless.
    let others: &[&str] =
        if kind.ends_with("/loadbalancers") { &["inboundNatRules", "inboundNatPools"] } else { &[] };
    for list in lists.iter().chain(others) {
        if !document["properties"][*list].is_array() {
            document["properties"][*list] = json!([]);
        }
    }
    for list in *lists {
        let Some(parts) = document["properties"][*list].as_array_mut() else { continue };
        for part in parts {
            let name = part["name"].as_str().unwrap_or_default().to_owned();
            part["id"] = json!(format!("{id}/{list}/{name}"));
            part["type"] = json!(format!("{}/{list}", kind_of(id)));
            part["properties"]["provisioningState"] = json!("Succeeded");
        }
    }
}

/// Gives the addresses of a document that are to be given: those that it had, else free ones of their subnets.
fn addressed(tree: &Tree, id: &str, configurations: &mut Value, earlier: &Value) {
    let mut used = addresses(tree, id);
    let before: Vec<Value> = ["ipConfigurations", "frontendIPConfigurations"]
        .iter()
        .filter_map(|list| earlier["properties"][*list].as_array().cloned())
        .flatten()
        .collect();
    for configuration in configurations.as_array_mut().into_iter().flatten() {
        let name = configuration["name"].clone();
        let own =
            before.iter().find(|old| old["name"] == name).map(|old| &old["properties"]["privateIPAddress"]);
        let properties = &mut configuration["properties"];
        if properties["subnet"]["id"].is_null() || properties["privateIPAddress"].is_string() {
            continue;
        }
        if let Some(own) = own.filter(|own| own.is_string()) {
            properties["privateIPAddress"] = own.clone();
            continue;
        }
        let subnet = properties["subnet"]["id"].as_str().unwrap_or_default().to_lowercase();
        let wants_v6 = properties["privateIPAddressVersion"] == "IPv6";
        let address = free(tree, &subnet, wants_v6, &used);
        used.insert(address.clone());
        properties["privateIPAddress"] = json!(address);
    }
}

/// All addresses that interfaces and load balancers other than one have.
fn addresses(tree: &Tree, without: &str) -> BTreeSet<String> {
    let without = without.to_lowercase();
    let others = tree.all().filter(|(path, _)| *path != without).map(|(_, document)| &document["properties"]);
    let lists = others.flat_map(|properties| {
        ["ipConfigurations", "frontendIPConfigurations"].map(|list| properties[list].as_array())
    });
    let all = lists.flatten().flatten().filter_map(|one| one["properties"]["privateIPAddress"].as_str());
    all.map(str::to_owned).collect()
}

fn free(tree: &Tree, subnet: &str, wants_v6: bool, used: &BTreeSet<String>) -> String {
    let properties = parts::get(tree, subnet).map(|subnet| subnet["properties"].clone()).unwrap_or_default();
    let one = properties["addressPrefix"].as_str().map(str::to_owned);
    let many = properties["addressPrefixes"].as_array().cloned().unwrap_or_default();
    let prefixes: Vec<String> = many.iter().filter_map(Value::as_str).map(str::to_owned).chain(one).collect();
    if wants_v6 {
        let prefix = prefixes.iter().find(|prefix| prefix.contains(':')).map_or("fd00::", String::as_str);
        let beginning = prefix.split('/').next().unwrap_or_default();
        let mut all = (FIRST_ADDRESS..).map(|number| format!("{beginning}{number:x}"));
        return all.find(|address| !used.contains(address)).unwrap_or_default();
    }
    let prefix: Option<Ipv4Net> = prefixes.iter().find_map(|prefix| prefix.parse().ok());
    let all = prefix.into_iter().flat_map(|net| net.hosts()).skip(FIRST_ADDRESS - 1);
    let mut all = all.map(|address: Ipv4Addr| address.to_string());
    all.find(|address| !used.contains(address)).unwrap_or_default()
}

/// A machine gets a disk, and its interfaces know of it. What only the machine may read is not told.
fn machine(tree: &mut Tree, id: &str, document: &mut Value) {
    let location = document["location"].clone();
    let zones = document["zones"].clone();
    let properties = &mut document["properties"];
    properties["vmId"] = json!(uuid(id));
    properties["timeCreated"] = json!("2026-11-21T08:00:00Z");
    for interface in properties["networkProfile"]["networkInterfaces"].as_array().into_iter().flatten() {
        let interface = interface["id"].as_str().unwrap_or_default();
        if tree.get(interface).is_some() {
            tree.at(interface)["properties"]["virtualMachine"] = json!({ "id": id });
        }
    }
    let profile = &mut properties["osProfile"];
    profile["allowExtensionOperations"] = json!(true);
    profile["requireGuestProvisionSignal"] = json!(true);
    if let Some(profile) = profile.as_object_mut() {
        profile.remove("adminPassword");
        if let Some(data) = profile.remove("customData") {
            tree.put(&format!("{SECRET}{id}"), data);
        }
    }
    let disk = &mut properties["storageProfile"]["osDisk"];
    let name = disk["name"].as_str().unwrap_or_default().to_owned();
    let (group, _) = id.split_at(id.to_lowercase().find("/providers/").unwrap_or_default());
    let path = format!("{group}/providers/Microsoft.Compute/disks/{name}");
    disk["osType"] = json!("Linux");
    disk["managedDisk"]["id"] = json!(path);
    let made = json!({
        "id": path,
        "name": name,
        "type": "Microsoft.Compute/disks",
        "location": location,
        "zones": zones,
        "managedBy": id,
        "sku": { "name": disk["managedDisk"]["storageAccountType"] },
        "properties": {
            "provisioningState": "Succeeded",
            "diskState": "Attached",
            "diskSizeGB": disk["diskSizeGB"],
            "creationData": { "createOption": "FromImage" },
        },
    });
    tree.put(&path, made);
}

/// What changes elsewhere when something goes.
pub fn left(tree: &mut Tree, path: &str) {
    if !path.to_lowercase().contains("/microsoft.compute/virtualmachines/") {
        return;
    }
    let id = json!(tree.get(path).and_then(|document| document["id"].as_str()).unwrap_or_default());
    let of_machine = |document: &Value| {
        document["managedBy"] == id || document["properties"]["virtualMachine"]["id"] == id
    };
    let all: Vec<String> =
        tree.all().filter(|(_, document)| of_machine(document)).map(|(path, _)| path.to_owned()).collect();
    for path in all {
        let document = tree.at(&path);
        document["managedBy"] = Value::Null;
        document["properties"]["virtualMachine"] = Value::Null;
        if document["properties"]["diskState"].is_string() {
            document["properties"]["diskState"] = json!("Unattached");
        }
    }
}

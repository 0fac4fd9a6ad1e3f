//! The endpoints of a Stack Hub as the cloud provider reads them: an environment of `go-autorest`, which the
//! OpenShift installer writes as one line of JSON.

use serde_json::{Map, Value};

/// The keys of an environment in their order, each on a line; the value of the last one is an object.
const KEYS: &str = include_str!("data/stack-keys.txt");

/// The key of what tokens of other services are for.
const RESOURCES: &str = "resourceIdentifiers";

/// The keys below it in their order.
const RESOURCE_KEYS: &str = include_str!("data/stack-resource-keys.txt");

/// The environment of a hub. `endpoint` is its resource manager as the config names it, and `told` the metadata that
/// this serves of the hub. What neither has is empty.
#[must_use]
pub fn of_hub(endpoint: &str, told: &Map<String, Value>) -> Map<String, Value> {
    let text = |key: &str| told.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let authentication = |pointer: &str| {
        let found = told.get("authentication").and_then(|known| known.pointer(pointer));
        found.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    // All services of a hub are in the domain of its resource manager.
    let domain = endpoint.split_once('.').map_or("", |(_, domain)| domain);
    let domain = domain.strip_suffix('/').unwrap_or(domain);
    let vaults = format!("vault.{domain}");
    let known = [
        ("name", "HybridEnvironment".to_owned()),
        ("resourceManagerEndpoint", endpoint.to_owned()),
        ("activeDirectoryEndpoint", authentication("/loginEndpoint")),
        ("galleryEndpoint", text("galleryEndpoint")),
        ("graphEndpoint", text("graphEndpoint")),
        ("keyVaultEndpoint", format!("https://{vaults}")),
        ("storageEndpointSuffix", domain.to_owned()),
        ("keyVaultDNSSuffix", vaults),
        ("tokenAudience", authentication("/audiences/0")),
    ];
    let empty = |keys: &str| -> Map<String, Value> {
        keys.lines().map(|key| (key.to_owned(), Value::from(""))).collect()
    };
    let mut environment = empty(KEYS);
    environment.extend(known.map(|(key, value)| (key.to_owned(), Value::from(value))));
    environment.insert(RESOURCES.to_owned(), Value::from(empty(RESOURCE_KEYS)));
    environment
}

/// The environment as one line of JSON with its keys in their order. Another document keeps the order that it
/// has.
#[must_use]
pub fn line(document: &Map<String, Value>) -> String {
    let resources = document.get(RESOURCES).and_then(Value::as_object);
    let Some(resources) = resources.filter(|_| has_exactly(document, KEYS)) else {
        return Value::from(document.clone()).to_string();
    };
    let resources = if has_exactly(resources, RESOURCE_KEYS) {
        object(RESOURCE_KEYS, |key| resources.get(key).map(Value::to_string))
    } else {
        Value::from(resources.clone()).to_string()
    };
    object(KEYS, |key| match key {
        RESOURCES => Some(resources.clone()),
        key => document.get(key).map(Value::to_string),
    })
}

fn has_exactly(document: &Map<String, Value>, keys: &str) -> bool {
    document.len() == keys.lines().count() && keys.lines().all(|key| document.contains_key(key))
}

/// An object with keys in this order.
fn object(keys: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let members = keys.lines().filter_map(|key| Some(format!("\"{key}\":{}", value(key)?)));
    format!("{{{}}}", members.collect::<Vec<String>>().join(","))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_hub_is_described_as_the_installer_does() {
        const EXPECTED: &str = "{\"name\":\"HybridEnvironment\",\"managementPortalURL\":\"\",\
            \"publishSettingsURL\":\"\",\"serviceManagementEndpoint\":\"\",\
            \"resourceManagerEndpoint\":\"https://management.local.example.com\",\
            \"activeDirectoryEndpoint\":\"https://login.windows.net/\",\
            \"galleryEndpoint\":\"https://gallery.local.example.com\",\
            \"keyVaultEndpoint\":\"https://vault.local.example.com\",\"managedHSMEndpoint\":\"\",\
            \"graphEndpoint\":\"https://graph.windows.net/\",\"serviceBusEndpoint\":\"\",\
            \"batchManagementEndpoint\":\"\",\"microsoftGraphEndpoint\":\"\",\
            \"storageEndpointSuffix\":\"local.example.com\",\"cosmosDBDNSSuffix\":\"\",\
            \"mariaDBDNSSuffix\":\"\",\"mySqlDatabaseDNSSuffix\":\"\",\
            \"postgresqlDatabaseDNSSuffix\":\"\",\"sqlDatabaseDNSSuffix\":\"\",\
            \"trafficManagerDNSSuffix\":\"\",\"keyVaultDNSSuffix\":\"vault.local.example.com\",\
            \"managedHSMDNSSuffix\":\"\",\"serviceBusEndpointSuffix\":\"\",\
            \"serviceManagementVMDNSSuffix\":\"\",\"resourceManagerVMDNSSuffix\":\"\",\
            \"containerRegistryDNSSuffix\":\"\",\
            \"tokenAudience\":\"https://management.example.onmicrosoft.com/3cc5febd\",\
            \"apiManagementHostNameSuffix\":\"\",\"synapseEndpointSuffix\":\"\",\"datalakeSuffix\":\"\",\
            \"resourceIdentifiers\":{\"graph\":\"\",\"keyVault\":\"\",\"datalake\":\"\",\"batch\":\"\",\
            \"operationalInsights\":\"\",\"ossRDBMS\":\"\",\"storage\":\"\",\"synapse\":\"\",\
            \"serviceBus\":\"\",\"sqlDatabase\":\"\",\"cosmosDB\":\"\",\"managedHSM\":\"\",\
            \"microsoftGraph\":\"\"}}";
        let told = json!({
            "galleryEndpoint": "https://gallery.local.example.com",
            "graphEndpoint": "https://graph.windows.net/",
            "portalEndpoint": "https://portal.local.example.com",
            "authentication": {
                "loginEndpoint": "https://login.windows.net/",
                "audiences": ["https://management.example.onmicrosoft.com/3cc5febd"],
            },
        });
        let told = told.as_object().cloned().unwrap_or_default();
        assert_eq!(line(&of_hub("https://management.local.example.com", &told)), EXPECTED);
        let slash = of_hub("https://management.local.example.com/", &told);
        assert_eq!(slash.get("storageEndpointSuffix"), Some(&json!("local.example.com")));
    }

    #[test]
    fn another_document_is_kept_as_it_is() {
        let document = json!({ "b": { "d": 1, "c": "<&>" }, "a": [] });
        let map = document.as_object().cloned().unwrap_or_default();
        assert_eq!(line(&map), document.to_string());
    }
}

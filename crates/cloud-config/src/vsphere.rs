//! vSphere's text: YAML, to which the Infrastructure object adds servers, networks and labels.

mod legacy;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::infrastructure::{object, objects, or_default, texts};
use super::json::Json;
use super::shape::{Fields, Shape, UINT64};
use super::{Fault, Infrastructure, Network, document};

type Settings = Map<String, Value>;

/// The address behind which a node reaches services on itself.
const MASQUERADE: &str = "fd69::2/128";

const SERVER: &str = "server";
const PORT: &str = "port";
const DATACENTERS: &str = "datacenters";

const GLOBAL: Fields = &[
    (
        Shape::Text,
        "user password server caFile thumbprint secretName secretNamespace secretsDirectory apiBinding",
    ),
    (UINT64, "port soapRoundtripCount"),
    (Shape::Word, "insecureFlag apiDisable"),
    (Shape::List(&Shape::Text), "datacenters ipFamily"),
];
const VIRTUAL_CENTER: Fields = &[
    (Shape::Text, "user password server caFile thumbprint secretName secretNamespace"),
    (UINT64, "port soapRoundtripCount"),
    (Shape::Word, "insecureFlag"),
    (Shape::List(&Shape::Text), "datacenters ipFamily"),
];
const LABELS: Fields = &[(Shape::Text, "zone region")];
const NODES: Fields = &[(
    Shape::Scalar,
    "internalNetworkSubnetCidr externalNetworkSubnetCidr internalVmNetworkName externalVmNetworkName \
     excludeInternalNetworkSubnetCidr excludeExternalNetworkSubnetCidr",
)];

/// The provider's configuration.
const CONFIG: Shape = Shape::Closed(&[
    (Shape::Closed(GLOBAL), "global"),
    (Shape::Map(&Shape::Closed(VIRTUAL_CENTER)), "vcenter"),
    (Shape::Closed(LABELS), "labels"),
    (Shape::Closed(NODES), "nodes"),
]);

/// What a text says.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Document {
    global: Settings,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    vcenter: BTreeMap<String, Settings>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    nodes: Settings,
    #[serde(skip_serializing_if = "Map::is_empty")]
    labels: Settings,
}

/// `spec.platformSpec.vsphere`.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Spec {
    #[serde(deserialize_with = "objects")]
    vcenters: Vec<Server>,
    #[serde(deserialize_with = "objects")]
    failure_domains: Vec<FailureDomain>,
    #[serde(deserialize_with = "object")]
    node_networking: NodeNetworking,
}

/// One vCenter.
#[allow(clippy::struct_field_names, reason = "the field is called so in the object")]
#[derive(Default, Deserialize)]
#[serde(default)]
struct Server {
    #[serde(deserialize_with = "or_default")]
    server: String,
    #[serde(deserialize_with = "or_default")]
    port: i64,
    #[serde(deserialize_with = "texts")]
    datacenters: Vec<String>,
}

/// One failure domain.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FailureDomain {
    #[serde(deserialize_with = "or_default")]
    server: String,
    #[serde(deserialize_with = "object")]
    topology: Topology,
}

/// Where a failure domain is.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Topology {
    #[serde(deserialize_with = "or_default")]
    datacenter: String,
}

/// The networks of nodes.
#[derive(Default, Deserialize)]
#[serde(default)]
struct NodeNetworking {
    #[serde(deserialize_with = "object")]
    external: Side,
    #[serde(deserialize_with = "object")]
    internal: Side,
}

/// The networks of one side.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Side {
    #[serde(deserialize_with = "or_default")]
    network: String,
    #[serde(deserialize_with = "texts")]
    network_subnet_cidr: Vec<String>,
    #[serde(deserialize_with = "texts")]
    exclude_network_subnet_cidr: Vec<String>,
}

/// The text for the cloud controller manager.
///
/// # Errors
/// The text is neither YAML of this form nor the older INI, or vSphere's part of the Infrastructure object is
/// not of its type.
pub(super) fn ccm(text: &str, infrastructure: &Infrastructure, network: &Network) -> Result<String, Fault> {
    let mut document = read(text)?;
    if let Some(spec) = &infrastructure.spec.platform_spec.vsphere {
        let spec = Spec::deserialize(spec).map_err(|_| {
            Fault::InfrastructureUnreadable("spec.platformSpec.vsphere has the wrong type".to_owned())
        })?;
        document.complete(&spec, infrastructure, &network.spec.service_network);
    }
    Ok(document.write())
}

fn read(text: &str) -> Result<Document, Fault> {
    if text.is_empty() {
        return Err(Fault::ConfigUnreadable("it is empty".to_owned()));
    }
    match document::tree(text) {
        Ok(value @ (Json::Null | Json::Object(_))) => {
            let fitted = CONFIG.fit(value, "").map_err(Fault::ConfigUnreadable)?;
            // All that is left has its type.
            Ok(fitted.to().unwrap_or_default())
        }
        Ok(_) => legacy::read(text).map_err(Fault::ConfigUnreadable),
        // The text is YAML more often than not.
        Err(why) => legacy::read(text).map_err(|_| Fault::ConfigUnreadable(why)),
    }
}

impl Document {
    /// Adds what the cluster's objects say.
    fn complete(&mut self, spec: &Spec, infrastructure: &Infrastructure, services: &[String]) {
        let families: Vec<&str> = services.iter().map(|network| family(network)).collect();
        let order = match families[..] {
            ["ipv6"] => Some(json!(["ipv6"])),
            ["ipv6", _] => Some(json!(["ipv6", "ipv4"])),
            [_, _] => Some(json!(["ipv4", "ipv6"])),
            [..] => None,
        };
        if let Some(order) = order {
            self.global.insert("ipFamily".to_owned(), order);
        }
        let own = if families.contains(&"ipv6") { own_addresses(infrastructure) } else { Vec::new() };
        for (side, names) in [
            (
                &spec.node_networking.external,
                ["externalVmNetworkName", "externalNetworkSubnetCidr", "excludeExternalNetworkSubnetCidr"],
            ),
            (
                &spec.node_networking.internal,
                ["internalVmNetworkName", "internalNetworkSubnetCidr", "excludeInternalNetworkSubnetCidr"],
            ),
        ] {
            let excluded = [side.exclude_network_subnet_cidr.as_slice(), &own].concat().join(",");
            let values = [side.network.clone(), side.network_subnet_cidr.join(","), excluded];
            self.nodes.extend(names.map(str::to_owned).into_iter().zip(values.map(Value::from)));
        }
        self.servers(spec);
        if spec.failure_domains.len() > 1 {
            self.labels.insert("zone".to_owned(), "openshift-zone".into());
            self.labels.insert("region".to_owned(), "openshift-region".into());
        }
    }

    /// The servers that the cluster lists, with what the text says of them. Where it lists none, those of the text
    /// stay. Each failure domain is on one of them.
    fn servers(&mut self, spec: &Spec) {
        let mut given = std::mem::take(&mut self.vcenter);
        if spec.vcenters.is_empty() {
            self.vcenter.append(&mut given);
        }
        for listed in &spec.vcenters {
            let known = self.vcenter.remove(&listed.server);
            let mut settings = known.unwrap_or_else(|| taken(&mut given, &listed.server));
            settings.insert(PORT.to_owned(), listed.port.into());
            settings.insert(DATACENTERS.to_owned(), listed.datacenters.clone().into());
            self.vcenter.insert(listed.server.clone(), settings);
        }
        for FailureDomain { server, topology: Topology { datacenter } } in &spec.failure_domains {
            if server.is_empty() {
                continue;
            }
            let name = key_of(&self.vcenter, server).unwrap_or_else(|| server.clone());
            let settings = self.vcenter.entry(name).or_insert_with(|| taken(&mut given, server));
            let datacenters = settings.entry(DATACENTERS).or_insert_with(|| json!([]));
            if let Value::Array(datacenters) = datacenters
                && !datacenter.is_empty()
                && !datacenters.iter().any(|known| known.as_str() == Some(datacenter.as_str()))
            {
                datacenters.push(datacenter.as_str().into());
            }
        }
    }

    fn write(mut self) -> String {
        let sections = [&mut self.global, &mut self.nodes, &mut self.labels];
        for settings in sections.into_iter().chain(self.vcenter.values_mut()) {
            tidy(settings);
        }
        // Every key is text.
        landfall_render::yaml(&serde_json::to_value(&self).unwrap_or_default())
    }
}

/// Under which key a server stands.
fn key_of(servers: &BTreeMap<String, Settings>, server: &str) -> Option<String> {
    servers.iter().find_map(|(name, settings)| {
        let named = settings.get(SERVER).and_then(Value::as_str).unwrap_or(name);
        (named == server).then(|| name.clone())
    })
}

/// What the text says of a server, but for what the cluster decides.
fn taken(given: &mut BTreeMap<String, Settings>, server: &str) -> Settings {
    let mut settings = key_of(given, server).and_then(|name| given.remove(&name)).unwrap_or_default();
    settings.remove(PORT);
    settings.remove(DATACENTERS);
    settings.insert(SERVER.to_owned(), server.into());
    settings
}

/// Leaves out empty settings.
fn tidy(settings: &mut Settings) {
    settings.retain(|_, value| match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    });
}

/// The family of an address or a network.
fn family(address: &str) -> &'static str {
    if address.contains(':') { "ipv6" } else { "ipv4" }
}

/// The addresses that belong to the cluster itself, which no node may take for its own.
fn own_addresses(infrastructure: &Infrastructure) -> Vec<String> {
    let status = infrastructure.status.platform_status.as_ref().and_then(|status| status.vsphere.as_ref());
    let addresses = status
        .into_iter()
        .flat_map(|status| status.api_server_internal_ips.iter().chain(&status.ingress_ips));
    let networks = addresses.map(|address| match family(address) {
        "ipv6" => format!("{address}/128"),
        _ => format!("{address}/32"),
    });
    networks.chain([MASQUERADE.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(spec: &Value, status: &Value, services: &[&str], text: &str) -> Result<Value, String> {
        let infrastructure = json!({
            "spec": { "platformSpec": { "vsphere": spec } },
            "status": { "platformStatus": { "type": "VSphere", "vsphere": status } },
        });
        let network = json!({ "spec": { "serviceNetwork": services } });
        let infrastructure = serde_json::from_value(infrastructure).unwrap_or_default();
        let network = serde_json::from_value(network).unwrap_or_default();
        let text = ccm(text, &infrastructure, &network).map_err(|fault| fault.name().to_owned())?;
        serde_yaml::from_str(&text).map_err(|fault| fault.to_string())
    }

    fn plain(text: &str) -> Result<Value, String> {
        made(&Value::Null, &Value::Null, &["172.30.0.0/16"], text)
    }

    #[test]
    fn the_older_form_becomes_yaml() {
        let text = "; older\n[Global]\nsecret-name = \"vsphere-creds\"\ninsecure-flag = 1\nport = 443\n\
                    unknown = x\nip-family = ipv6\napi-disable\napi-binding = :1\nsecretname = y\n[VirtualCenter \"vc1\"]\nDatacenters = dc1, dc2\nsoap-roundtrip-count = 3\n[Workspace]\nfolder = f\n\
                    [Labels]\nzone = z\nregion =\n[Nodes]\ninternal-vm-network-name = vm\n";
        let expected = json!({
            "global": { "secretName": "vsphere-creds", "insecureFlag": true, "port": 443 },
            "vcenter": { "vc1": { "server": "vc1", "datacenters": ["dc1", "dc2"], "soapRoundtripCount": 3 } },
            "labels": { "zone": "z" },
            "nodes": { "internalVmNetworkName": "vm" },
        });
        assert_eq!(plain(text), Ok(expected));
        let count = |given: &str| {
            let text = format!("[VirtualCenter]\nuser = u\nport =\nsoap-roundtrip-count = {given}\n");
            plain(&text).map(|made| made["vcenter"][""].clone())
        };
        for (given, read) in [("0x10", 16), ("99999999999", 99_999_999_999_u64), ("\" 3 \"", 3)] {
            assert_eq!(count(given), Ok(json!({ "user": "u", "soapRoundtripCount": read })), "{given}");
        }
        for wrong in ["", "-1", "x"] {
            assert_eq!(count(wrong), Err("config-unreadable".to_owned()), "{wrong}");
        }
        for text in ["", "][", "hello", "- a", "a = b", "[Global]\nport = x", "global: 5", "vcenter: {a: 5}"]
        {
            assert_eq!(plain(text), Err("config-unreadable".to_owned()), "{text}");
        }
    }

    #[test]
    fn a_text_that_says_nothing_stays_one() {
        for text in
            ["global: {}\nvcenter: {}\n", "# nothing\n", "global: {insecureFlag: off, port: 0}\nlabels:\n"]
        {
            assert_eq!(plain(text), Ok(json!({ "global": {} })), "{text}");
        }
    }

    #[test]
    fn settings_have_the_names_and_types_of_the_provider() {
        let text = "Global: {InsecureFlag: on, own: 1}\nglobal: {PORT: 443.0, server: ~}\nown: {a: 1}\n\
                    vcenter: {5: {foo: [1]}, vc1: ~}\nnodes: {externalVmNetworkName: 5}\n";
        let expected = json!({
            "global": { "insecureFlag": true, "port": 443 },
            "vcenter": { "5": {}, "vc1": {} },
            "nodes": { "externalVmNetworkName": "5" },
        });
        assert_eq!(plain(text), Ok(expected));
        for global in [
            "secretName: 5",
            "secretName: true",
            "secretName: [a]",
            "port: '443'",
            "port: -1",
            "port: 1.5",
            "port: 99999999999999999999",
            "insecureFlag: 'true'",
            "insecureFlag: 1",
            "datacenters: dc1",
            "datacenters: [dc1, 5]",
            "ipFamily: ipv4",
        ] {
            let told = plain(&format!("global: {{{global}}}"));
            assert_eq!(told, Err("config-unreadable".to_owned()), "{global}");
        }
    }

    #[test]
    fn clusters_of_ipv6_keep_their_own_addresses() {
        let spec = json!({ "nodeNetworking": { "external": { "excludeNetworkSubnetCidr": ["fd01::/64"] } } });
        let status = json!({ "apiServerInternalIPs": ["10.0.0.2", "fd00::2"], "ingressIPs": ["fd00::3"] });
        let own = "10.0.0.2/32,fd00::2/128,fd00::3/128,fd69::2/128";
        let expected = |families: Value| {
            json!({
                "global": { "ipFamily": families },
                "nodes": {
                    "excludeExternalNetworkSubnetCidr": format!("fd01::/64,{own}"),
                    "excludeInternalNetworkSubnetCidr": own,
                },
            })
        };
        let text = "global: {}\n";
        let only = made(&spec, &status, &["fd02::/112"], text);
        assert_eq!(only, Ok(expected(json!(["ipv6"]))));
        let first = made(&spec, &status, &["fd02::/112", "172.30.0.0/16"], text);
        assert_eq!(first, Ok(expected(json!(["ipv6", "ipv4"]))));
        let second = made(&spec, &status, &["172.30.0.0/16", "fd02::/112"], text);
        assert_eq!(second, Ok(expected(json!(["ipv4", "ipv6"]))));
        let three = made(&Value::Null, &Value::Null, &["10.1.0.0/16", "10.2.0.0/16", "10.3.0.0/16"], text);
        assert_eq!(three, Ok(json!({ "global": {} })));
    }

    #[test]
    fn servers_are_those_of_the_cluster_with_the_settings_of_the_text() {
        let domain = |server: &str, datacenter: &str| json!({ "server": server, "topology": { "datacenter": datacenter } });
        let spec = json!({
            "vcenters": [{ "server": "vc1", "datacenters": ["dc1"] }],
            "failureDomains": [domain("vc1", "dc1"), domain("vc1", "dc2"), domain("vc2", "dc3")],
        });
        let text = "vcenter:\n  one: {server: vc1, port: 8443, thumbprint: AB}\n  vc2: {user: u, \
            datacenters: [x]}\n\x20 vc3: {server: vc3}\n";
        let expected = json!({
            "global": {},
            "vcenter": {
                "vc1": { "server": "vc1", "thumbprint": "AB", "datacenters": ["dc1", "dc2"] },
                "vc2": { "server": "vc2", "user": "u", "datacenters": ["dc3"] },
            },
            "labels": { "zone": "openshift-zone", "region": "openshift-region" },
        });
        assert_eq!(made(&spec, &Value::Null, &[], text), Ok(expected));
        // A server is known by its name, whatever its key in the text. A domain without a server adds nothing.
        let spec = json!({ "failureDomains": [domain("vc1", "dc9"), domain("", "dc8")] });
        let named =
            made(&spec, &Value::Null, &[], "vcenter: {one: {server: vc1, datacenters: [a], port: ~}}");
        let expected = json!({ "one": { "server": "vc1", "datacenters": ["a", "dc9"] } });
        assert_eq!(named.map(|made| made["vcenter"].clone()), Ok(expected));
        let odd = json!({ "vcenters": [["vc1", 443, ["dc1"]]] });
        assert_eq!(made(&odd, &Value::Null, &[], text), Err("infrastructure-unreadable".into()));
        let nulls = json!({ "vcenters": [{ "server": "vc1", "port": null, "datacenters": null }] });
        assert!(made(&nulls, &Value::Null, &[], text).is_ok());
        let none = made(&json!({}), &Value::Null, &[], text);
        assert_eq!(none.map(|made| made["vcenter"].as_object().map(Map::len)), Ok(Some(3)));
        assert_eq!(
            made(&json!({ "vcenters": 5 }), &Value::Null, &[], text),
            Err("infrastructure-unreadable".into())
        );
    }
}

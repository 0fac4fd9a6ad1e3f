//! Everything that the cloud of these tests holds, by the types of terraform's resources.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::azure::arm::Azure;
use crate::azure::shape::{SECRET, kind_of};

/// Types of terraform by those of Azure, where one is the other.
const TYPES: &[(&str, &str)] = &[
    ("azurerm_resource_group", "Microsoft.Resources/resourceGroups"),
    ("azurerm_user_assigned_identity", "Microsoft.ManagedIdentity/userAssignedIdentities"),
    ("azurerm_role_assignment", "Microsoft.Authorization/roleAssignments"),
    ("azurerm_virtual_network", "Microsoft.Network/virtualNetworks"),
    ("azurerm_network_security_group", "Microsoft.Network/networkSecurityGroups"),
    ("azurerm_public_ip", "Microsoft.Network/publicIPAddresses"),
    ("azurerm_nat_gateway", "Microsoft.Network/natGateways"),
    ("azurerm_lb", "Microsoft.Network/loadBalancers"),
    ("azurerm_network_interface", "Microsoft.Network/networkInterfaces"),
    ("azurerm_storage_account", "Microsoft.Storage/storageAccounts"),
    ("azurerm_storage_container", "Microsoft.Storage/storageAccounts/blobServices/containers"),
    ("azurerm_storage_blob", "Microsoft.Storage/storageAccounts/blobServices/containers/blobs"),
    ("azurerm_shared_image_gallery", "Microsoft.Compute/galleries"),
    ("azurerm_shared_image", "Microsoft.Compute/galleries/images"),
    ("azurerm_shared_image_version", "Microsoft.Compute/galleries/images/versions"),
    ("azurerm_private_dns_zone", "Microsoft.Network/privateDnsZones"),
    ("azurerm_private_dns_a_record", "Microsoft.Network/privateDnsZones/A"),
    ("azurerm_private_dns_aaaa_record", "Microsoft.Network/privateDnsZones/AAAA"),
    (
        "azurerm_private_dns_zone_virtual_network_link",
        "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
    ),
    ("azurerm_dns_cname_record", "Microsoft.Network/dnszones/CNAME"),
    ("azurerm_linux_virtual_machine", "Microsoft.Compute/virtualMachines"),
];

/// What comes along with something else.
const ALONG: &[&str] = &["Microsoft.Compute/disks", "Microsoft.Network/privateDnsZones/SOA"];

/// Documents by path.
#[derive(Clone, Debug, PartialEq)]
pub struct Inventory(pub BTreeMap<String, Value>);

impl Inventory {
    /// All that there is now.
    pub fn of(azure: &Azure) -> Self {
        let all = |documents: &crate::azure::tree::Tree| {
            let told = documents.all().filter(|(path, _)| !path.starts_with(SECRET));
            told.map(|(path, document)| (path.to_owned(), document.clone())).collect()
        };
        Self(azure.manager().look(all))
    }

    /// What is in this one and was not in an earlier one.
    pub fn since(&self, earlier: &Self) -> Self {
        let new = self.0.iter().filter(|(path, _)| !earlier.0.contains_key(*path));
        Self(new.map(|(path, document)| (path.clone(), document.clone())).collect())
    }

    /// Fails unless all is as it was at an earlier moment.
    #[track_caller]
    pub fn is_as(&self, earlier: &Self) {
        let left: Vec<String> = self.since(earlier).0.into_keys().collect();
        let missing: Vec<String> = earlier.since(self).0.into_keys().collect();
        assert!(left.is_empty(), "left: {left:#?}");
        assert!(missing.is_empty(), "not the cluster's: {missing:#?}");
        let changed: Vec<&String> = self
            .0
            .iter()
            .filter(|(path, document)| earlier.0[*path] != **document)
            .map(|(path, _)| path)
            .collect();
        assert!(changed.is_empty(), "not as before: {changed:#?}");
    }

    /// The documents of a kind.
    pub fn of_kind(&self, kind: &str) -> Vec<&Value> {
        let own = self.0.iter().filter(|(path, _)| kind_of(path).eq_ignore_ascii_case(kind));
        own.map(|(_, document)| document).collect()
    }

    /// How much there is of each type of terraform's resources.
    #[track_caller]
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
        for path in self.0.keys() {
            let kind = kind_of(path);
            match TYPES.iter().find(|(_, known)| known.eq_ignore_ascii_case(&kind)) {
                Some((name, _)) => *counts.entry(name).or_default() += 1,
                None => {
                    assert!(
                        ALONG.iter().any(|known| known.eq_ignore_ascii_case(&kind)),
                        "unexpected: {path}"
                    );
                }
            }
        }
        let mut add = |name: &'static str, count: usize| {
            if count > 0 {
                *counts.entry(name).or_default() += u64::try_from(count).unwrap();
            }
        };
        let network = |kind: &str| self.of_kind(&format!("Microsoft.Network/{kind}"));
        let parts = |kind: &str, list: &str| -> Vec<Value> {
            let all = network(kind).into_iter().filter_map(|one| one["properties"][list].as_array());
            all.flatten().cloned().collect()
        };
        let subnets = parts("virtualNetworks", "subnets");
        let having =
            |key: &str| subnets.iter().filter(|one| one["properties"][key]["id"].is_string()).count();
        add("azurerm_subnet", subnets.len());
        add("azurerm_subnet_network_security_group_association", having("networkSecurityGroup"));
        add("azurerm_subnet_nat_gateway_association", having("natGateway"));
        add("azurerm_network_security_rule", parts("networkSecurityGroups", "securityRules").len());
        add("azurerm_nat_gateway_public_ip_association", parts("natGateways", "publicIpAddresses").len());
        add("azurerm_lb_backend_address_pool", parts("loadBalancers", "backendAddressPools").len());
        add("azurerm_lb_probe", parts("loadBalancers", "probes").len());
        add("azurerm_lb_rule", parts("loadBalancers", "loadBalancingRules").len());
        add("azurerm_lb_outbound_rule", parts("loadBalancers", "outboundRules").len());
        let pools = parts("networkInterfaces", "ipConfigurations").into_iter();
        let pools = pools
            .map(|one| one["properties"]["loadBalancerBackendAddressPools"].as_array().map_or(0, Vec::len));
        add("azurerm_network_interface_backend_address_pool_association", pools.sum());
        counts
    }
}

/// The counts of a summary by the types of terraform's resources, however it is arranged.
pub fn told(summary: &Value) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    count(summary, &mut counts);
    counts
}

fn count(summary: &Value, counts: &mut BTreeMap<String, u64>) {
    if let (Some(name), Some(number)) = (summary["type"].as_str(), summary["count"].as_u64()) {
        *counts.entry(name.to_owned()).or_default() += number;
        return;
    }
    match summary {
        Value::Array(all) => all.iter().for_each(|one| count(one, counts)),
        Value::Object(all) => all.values().for_each(|one| count(one, counts)),
        _ => {}
    }
}

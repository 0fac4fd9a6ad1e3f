//! What the modules for Azure make, by type.
//!
//! The id of nearly everything follows from its name and its group, so that terraform itself can tell what exists. The
//! ids are those of the provider's documentation ("Import" at the end of each resource's page).

use landfall_platform::removal::Resource;
use landfall_platform::untracked::{Known, Modules, Part, Tracked, text};
use serde_json::Value;

/// The tables of the modules in `templates/terraform/azure`. The provider gives up what it has begun as soon as it is
/// stopped, and keeps nothing of a machine that Azure has no room for.
pub(super) static MODULES: Modules = Modules { tracked: TRACKED, parts: PARTS, gives_up: true, kept: &[] };

const MACHINE: &str = "azurerm_linux_virtual_machine";

/// Azure does not tell what a machine started with, so that terraform would replace one that it has imported.
static TRACKED: &[Tracked] = &[
    Tracked {
        resource: MACHINE,
        kind: "virtual machine",
        name: Some("/name"),
        id: whole,
        imports: false,
        comes_along: false,
    },
    // It stays when its machine is deleted, and its name is that of the new machine's disk.
    Tracked {
        resource: MACHINE,
        kind: "disk",
        name: Some("/os_disk/0/name"),
        id: whole,
        imports: false,
        comes_along: true,
    },
];

macro_rules! parts {
    ($($resource:literal, $id:expr;)*) => { &[$(Part { resource: $resource, id: $id }),*] };
}

static PARTS: &[Part] = parts! {
    "azurerm_resource_group", |values, known| group(known, text(values, "name")?);
    "azurerm_user_assigned_identity", |values, known|
        named(values, known, "Microsoft.ManagedIdentity/userAssignedIdentities");
    "azurerm_role_assignment", |values, _|
        within(text(values, "scope")?, "providers/Microsoft.Authorization/roleAssignments", text(values, "name")?);
    "azurerm_virtual_network", |values, known| named(values, known, "Microsoft.Network/virtualNetworks");
    "azurerm_subnet", |values, known| {
        let network = text(values, "virtual_network_name")?;
        below(values, known, "Microsoft.Network/virtualNetworks", network, "subnets")
    };
    "azurerm_network_security_group", |values, known|
        named(values, known, "Microsoft.Network/networkSecurityGroups");
    "azurerm_network_security_rule", |values, known| {
        let group = text(values, "network_security_group_name")?;
        below(values, known, "Microsoft.Network/networkSecurityGroups", group, "securityRules")
    };
    "azurerm_subnet_network_security_group_association", |values, _| own(values, "subnet_id");
    "azurerm_public_ip", |values, known| named(values, known, "Microsoft.Network/publicIPAddresses");
    "azurerm_nat_gateway", |values, known| named(values, known, "Microsoft.Network/natGateways");
    "azurerm_nat_gateway_public_ip_association", |values, _|
        both(text(values, "nat_gateway_id")?, text(values, "public_ip_address_id")?);
    "azurerm_subnet_nat_gateway_association", |values, _| own(values, "subnet_id");
    "azurerm_lb", |values, known| named(values, known, "Microsoft.Network/loadBalancers");
    "azurerm_lb_backend_address_pool", |values, _| of_balancer(values, "backendAddressPools");
    "azurerm_lb_probe", |values, _| of_balancer(values, "probes");
    "azurerm_lb_rule", |values, _| of_balancer(values, "loadBalancingRules");
    "azurerm_lb_outbound_rule", |values, _| of_balancer(values, "outboundRules");
    "azurerm_network_interface", |values, known| named(values, known, "Microsoft.Network/networkInterfaces");
    "azurerm_network_interface_backend_address_pool_association", |values, _| {
        let interface = text(values, "network_interface_id")?;
        let addresses = within(interface, "ipConfigurations", text(values, "ip_configuration_name")?)?;
        both(&addresses, text(values, "backend_address_pool_id")?)
    };
    "azurerm_storage_account", |values, known| named(values, known, "Microsoft.Storage/storageAccounts");
    "azurerm_storage_container", |values, _|
        within(text(values, "storage_account_id")?, "blobServices/default/containers", text(values, "name")?);
    "azurerm_storage_blob", blob;
    "azurerm_shared_image_gallery", |values, known| named(values, known, "Microsoft.Compute/galleries");
    "azurerm_shared_image", |values, known| {
        let gallery = text(values, "gallery_name")?;
        below(values, known, "Microsoft.Compute/galleries", gallery, "images")
    };
    "azurerm_shared_image_version", |values, known| {
        let (gallery, image) = (text(values, "gallery_name")?, text(values, "image_name")?);
        below(values, known, "Microsoft.Compute/galleries", gallery, &format!("images/{image}/versions"))
    };
    "azurerm_private_dns_zone", |values, known| named(values, known, "Microsoft.Network/privateDnsZones");
    "azurerm_private_dns_a_record", |values, known| in_zone(values, known, "privateDnsZones", "A");
    "azurerm_private_dns_aaaa_record", |values, known| in_zone(values, known, "privateDnsZones", "AAAA");
    "azurerm_private_dns_zone_virtual_network_link", |values, known| {
        if let Some(zone) = text(values, "private_dns_zone_id") {
            return within(zone, "virtualNetworkLinks", text(values, "name")?);
        }
        let zone = text(values, "private_dns_zone_name")?;
        below(values, known, "Microsoft.Network/privateDnsZones", zone, "virtualNetworkLinks")
    };
    // Deployed again, a description changes nothing that is as it says.
    "azurerm_resource_group_template_deployment", |values, known|
        named(values, known, "Microsoft.Resources/deployments");
    "azurerm_dns_cname_record", |values, known| in_zone(values, known, "dnsZones", "CNAME");
};

/// An id as it is.
fn whole(thing: &Resource) -> &str {
    &thing.id
}

/// The id of another resource, which is its own.
fn own(values: &Value, attribute: &str) -> Option<String> {
    text(values, attribute).map(str::to_owned)
}

/// What connects two resources.
#[allow(clippy::unnecessary_wraps, reason = "all ids have one form")]
fn both(one: &str, other: &str) -> Option<String> {
    Some(format!("{one}|{other}"))
}

/// A resource below another one.
#[allow(clippy::unnecessary_wraps, reason = "all ids have one form")]
fn within(id: &str, kind: &str, name: &str) -> Option<String> {
    Some(format!("{id}/{kind}/{name}"))
}

/// A resource group of the subscription; none where nobody noted that.
fn group(known: &Known<'_>, name: &str) -> Option<String> {
    (!known.account.is_empty()).then(|| format!("/subscriptions/{}/resourceGroups/{name}", known.account))
}

/// A resource in a group.
fn of_group(values: &Value, known: &Known<'_>, kind: &str, name: &str) -> Option<String> {
    let group = group(known, text(values, "resource_group_name")?)?;
    Some(format!("{group}/providers/{kind}/{name}"))
}

/// A resource in a group, by its own name.
fn named(values: &Value, known: &Known<'_>, kind: &str) -> Option<String> {
    of_group(values, known, kind, text(values, "name")?)
}

/// A resource below one in a group.
fn below(values: &Value, known: &Known<'_>, kind: &str, parent: &str, children: &str) -> Option<String> {
    within(&of_group(values, known, kind, parent)?, children, text(values, "name")?)
}

fn of_balancer(values: &Value, kind: &str) -> Option<String> {
    within(text(values, "loadbalancer_id")?, kind, text(values, "name")?)
}

fn in_zone(values: &Value, known: &Known<'_>, zones: &str, record: &str) -> Option<String> {
    // Newer releases of the provider name a private zone by its id.
    if let Some(zone) = text(values, "private_dns_zone_id") {
        return within(zone, record, text(values, "name")?);
    }
    let zone = text(values, "zone_name")?;
    below(values, known, &format!("Microsoft.Network/{zones}"), zone, record)
}

/// A blob, by its address. Its domain is the cloud's, which the account's own endpoint tells.
fn blob(values: &Value, known: &Known<'_>) -> Option<String> {
    let (above, container) = text(values, "storage_container_id")?.rsplit_once('/')?;
    let account = above.split("/storageAccounts/").nth(1)?.split('/').next()?;
    let is_account = |(resource, values): &&(&str, &Value)| {
        *resource == "azurerm_storage_account" && text(values, "name") == Some(account)
    };
    let (_, found) = known.resources.iter().find(is_account)?;
    let endpoint = text(found, "primary_blob_endpoint")?.trim_end_matches('/');
    within(endpoint, container, text(values, "name")?)
}

#[cfg(test)]
mod tests {
    use landfall_render::modules;
    use serde_json::json;

    use super::*;

    fn id(resource: &str, values: &Value, resources: &[(&str, &Value)]) -> Option<String> {
        let known = Known { account: "0000", resources };
        let part = PARTS.iter().find(|part| part.resource == resource)?;
        (part.id)(values, &known)
    }

    #[test]
    fn each_type_of_the_modules_is_known() {
        let all: String = crate::STAGES
            .iter()
            .flat_map(|stage| modules::stage("azure", stage))
            .map(|file| String::from_utf8_lossy(&file.bytes).into_owned())
            .collect();
        let types = all.lines().filter_map(|line| line.strip_prefix("resource \"")?.split('"').next());
        let unknown: Vec<&str> = types
            .filter(|name| *name != MACHINE && PARTS.iter().all(|part| part.resource != *name))
            .collect();
        assert!(all.contains("azurerm_lb") && unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn ids_are_the_providers() {
        let group = "/subscriptions/0000/resourceGroups/demo-rg";
        let network = format!("{group}/providers/Microsoft.Network");
        let in_group = |more: Value| {
            let mut values = json!({ "name": "one", "resource_group_name": "demo-rg" });
            if let (Some(values), Value::Object(more)) = (values.as_object_mut(), more) {
                values.extend(more);
            }
            values
        };
        let cases = [
            ("azurerm_resource_group", json!({ "name": "demo-rg" }), group.to_owned()),
            ("azurerm_virtual_network", in_group(json!({})), format!("{network}/virtualNetworks/one")),
            (
                "azurerm_subnet",
                in_group(json!({ "virtual_network_name": "net" })),
                format!("{network}/virtualNetworks/net/subnets/one"),
            ),
            (
                "azurerm_private_dns_a_record",
                in_group(json!({ "zone_name": "demo.example.com" })),
                format!("{network}/privateDnsZones/demo.example.com/A/one"),
            ),
            (
                "azurerm_private_dns_a_record",
                json!({ "name": "one", "private_dns_zone_id": format!("{network}/privateDnsZones/demo.example.com") }),
                format!("{network}/privateDnsZones/demo.example.com/A/one"),
            ),
            (
                "azurerm_private_dns_zone_virtual_network_link",
                json!({ "name": "one", "private_dns_zone_id": format!("{network}/privateDnsZones/demo.example.com") }),
                format!("{network}/privateDnsZones/demo.example.com/virtualNetworkLinks/one"),
            ),
            (
                "azurerm_shared_image_version",
                in_group(json!({ "gallery_name": "g", "image_name": "i" })),
                format!("{group}/providers/Microsoft.Compute/galleries/g/images/i/versions/one"),
            ),
            (
                "azurerm_lb_rule",
                json!({ "loadbalancer_id": "/lb", "name": "one" }),
                "/lb/loadBalancingRules/one".to_owned(),
            ),
            (
                "azurerm_network_interface_backend_address_pool_association",
                json!({
                    "network_interface_id": "/nic",
                    "ip_configuration_name": "v4",
                    "backend_address_pool_id": "/lb/backendAddressPools/one",
                }),
                "/nic/ipConfigurations/v4|/lb/backendAddressPools/one".to_owned(),
            ),
            (
                "azurerm_role_assignment",
                json!({ "scope": group, "name": "1111" }),
                format!("{group}/providers/Microsoft.Authorization/roleAssignments/1111"),
            ),
        ];
        for (resource, values, expected) in cases {
            assert_eq!(id(resource, &values, &[]), Some(expected), "{resource}");
        }
    }

    #[test]
    fn what_is_not_known_yet_is_not_imported() {
        assert_eq!(id("azurerm_lb_rule", &json!({ "name": "one" }), &[]), None);
        let without_account = Known { account: "", resources: &[] };
        assert_eq!(group(&without_account, "demo-rg"), None);
    }

    #[test]
    fn a_blob_is_in_the_domain_of_its_account() {
        let blob = json!({
            "name": "rhcos.vhd",
            "storage_container_id": "/subscriptions/0000/resourceGroups/demo-rg/providers/Microsoft.Storage\
                /storageAccounts/clusterx/blobServices/default/containers/vhd",
        });
        let made = json!({
            "name": "clusterx",
            "primary_blob_endpoint": "https://clusterx.blob.core.usgovcloudapi.net/",
        });
        let other = json!({ "name": "other", "primary_blob_endpoint": "https://other/" });
        let resources =
            [("azurerm_storage_account", &other), ("azurerm_lb", &made), ("azurerm_storage_account", &made)];
        assert_eq!(
            id("azurerm_storage_blob", &blob, &resources).as_deref(),
            Some("https://clusterx.blob.core.usgovcloudapi.net/vhd/rhcos.vhd")
        );
        assert_eq!(id("azurerm_storage_blob", &blob, &resources[..2]), None);
    }
}

//! Actions and roles as data.

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::azure::config::{
    CustomerManagedKey, DataDisk, DiskEncryptionSet, Identity, MachinePool, OsDisk, OsImage, Platform,
    UserAssignedIdentity,
};
use landfall_model::azure::values;
use landfall_model::catalogue::Catalogue;
use landfall_model::catalogue::value::shipped;
use landfall_model::config::{InstallConfig, MachinePool as Pool, Net, Network, Networking};
use landfall_render::modules;
use landfall_testing::misfit;
use serde_json::Value;

use super::{PERMISSIONS, besides, making, needed, policy};
use crate::{STAGES, rules};

fn pool(name: &str) -> Pool {
    let (name, architecture) = (name.to_owned(), "amd64".to_owned());
    Pool { name, architecture, replicas: Some(3), ..Pool::default() }
}

fn config() -> InstallConfig {
    let mut config = InstallConfig {
        base_domain: "example.com".to_owned(),
        publish: "External".to_owned(),
        ..InstallConfig::default()
    };
    config.metadata.name = "demo".to_owned();
    config.platform.azure = Some(Platform {
        region: "eastus".to_owned(),
        cloud_name: values::PUBLIC.to_owned(),
        base_domain_resource_group_name: "dns-rg".to_owned(),
        outbound_type: "Loadbalancer".to_owned(),
        ..Platform::default()
    });
    config.control_plane = Some(pool("master"));
    config.compute = vec![pool("worker")];
    config
}

fn with_platform(change: impl FnOnce(&mut Platform)) -> InstallConfig {
    let mut config = config();
    if let Some(platform) = &mut config.platform.azure {
        change(platform);
    }
    config
}

fn with_machines(machines: &MachinePool) -> InstallConfig {
    let mut config = config();
    for pool in config.control_plane.iter_mut().chain(&mut config.compute) {
        pool.platform.azure = Some(machines.clone());
    }
    config
}

/// A private cluster in the user's network, which needs the least.
fn private() -> InstallConfig {
    let mut config = with_platform(|platform| {
        "rg".clone_into(&mut platform.resource_group_name);
        "net-rg".clone_into(&mut platform.network_resource_group_name);
        "vnet".clone_into(&mut platform.virtual_network);
        "UserDefinedRouting".clone_into(&mut platform.outbound_type);
        platform.base_domain_resource_group_name.clear();
    });
    "Internal".clone_into(&mut config.publish);
    config
}

/// Which of the actions a config needs.
fn of<'a>(config: &InstallConfig, actions: &[&'a str]) -> Vec<&'a str> {
    let needed = needed(config, Catalogue::embedded());
    assert!(needed.is_sorted_by(|a, b| a < b), "{needed:?}");
    actions.iter().copied().filter(|action| needed.iter().any(|needed| needed == action)).collect()
}

fn table() -> BTreeMap<String, Vec<String>> {
    shipped(PERMISSIONS)
}

fn texts(value: &Value) -> Vec<String> {
    let list = value.as_array().cloned().unwrap_or_default();
    list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn the_table_can_be_read_and_is_used_up() {
    assert_eq!(misfit::<BTreeMap<String, Vec<String>>>(PERMISSIONS), None);
    let (config, platform) = (config(), Platform::default());
    let mut groups = making(&config, &platform, Catalogue::embedded());
    groups.extend(besides(&config, &platform, Catalogue::embedded()));
    let named: BTreeSet<String> = groups.iter().map(|(name, _)| (*name).to_owned()).collect();
    let table = table();
    assert_eq!(table.keys().cloned().collect::<BTreeSet<String>>(), named);
    let mut written: BTreeMap<String, &String> = BTreeMap::new();
    for action in table.values().flatten() {
        let parts: Vec<&str> = action.split('/').collect();
        let verb = parts.last().copied().unwrap_or_default();
        assert!(parts.len() >= 3 && ["read", "write", "delete", "action"].contains(&verb), "{action}");
        assert!(action.starts_with("Microsoft."), "{action}");
        let first = written.entry(action.to_lowercase()).or_insert(action);
        assert_eq!(*first, action, "one action is written in two ways");
    }
}

/// What each kind of resource of the modules is to the resource manager. One without a name is a part of
/// another, or is made with the keys of a storage account.
const KINDS: &[(&str, &str)] = &[
    ("azurerm_dns_cname_record", "Microsoft.Network/dnsZones/CNAME"),
    ("azurerm_lb", "Microsoft.Network/loadBalancers"),
    ("azurerm_lb_backend_address_pool", "Microsoft.Network/loadBalancers/backendAddressPools"),
    ("azurerm_lb_outbound_rule", ""),
    ("azurerm_lb_probe", ""),
    ("azurerm_lb_rule", ""),
    ("azurerm_linux_virtual_machine", "Microsoft.Compute/virtualMachines"),
    ("azurerm_nat_gateway", "Microsoft.Network/natGateways"),
    ("azurerm_nat_gateway_public_ip_association", ""),
    ("azurerm_network_interface", "Microsoft.Network/networkInterfaces"),
    ("azurerm_network_interface_backend_address_pool_association", ""),
    ("azurerm_network_security_group", "Microsoft.Network/networkSecurityGroups"),
    ("azurerm_network_security_rule", "Microsoft.Network/networkSecurityGroups/securityRules"),
    ("azurerm_private_dns_a_record", "Microsoft.Network/privateDnsZones/A"),
    ("azurerm_private_dns_aaaa_record", "Microsoft.Network/privateDnsZones/AAAA"),
    ("azurerm_private_dns_zone", "Microsoft.Network/privateDnsZones"),
    (
        "azurerm_private_dns_zone_virtual_network_link",
        "Microsoft.Network/privateDnsZones/virtualNetworkLinks",
    ),
    ("azurerm_public_ip", "Microsoft.Network/publicIPAddresses"),
    ("azurerm_resource_group", "Microsoft.Resources/subscriptions/resourceGroups"),
    ("azurerm_resource_group_template_deployment", "Microsoft.Resources/deployments"),
    ("azurerm_role_assignment", "Microsoft.Authorization/roleAssignments"),
    ("azurerm_shared_image", "Microsoft.Compute/galleries/images"),
    ("azurerm_shared_image_gallery", "Microsoft.Compute/galleries"),
    ("azurerm_shared_image_version", "Microsoft.Compute/galleries/images/versions"),
    ("azurerm_storage_account", "Microsoft.Storage/storageAccounts"),
    ("azurerm_storage_blob", ""),
    ("azurerm_storage_container", "Microsoft.Storage/storageAccounts/blobServices/containers"),
    ("azurerm_subnet", "Microsoft.Network/virtualNetworks/subnets"),
    ("azurerm_subnet_nat_gateway_association", ""),
    ("azurerm_subnet_network_security_group_association", ""),
    ("azurerm_user_assigned_identity", "Microsoft.ManagedIdentity/userAssignedIdentities"),
    ("azurerm_virtual_network", "Microsoft.Network/virtualNetworks"),
];

#[test]
fn everything_that_the_modules_make_may_be_made_and_removed() {
    let (config, platform) = (config(), Platform::default());
    let table = table();
    let groups = making(&config, &platform, Catalogue::embedded());
    let making: BTreeSet<&String> =
        groups.iter().filter_map(|(name, _)| table.get(*name)).flatten().collect();
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    for file in STAGES.iter().flat_map(|stage| modules::stage(rules::NAME, stage)) {
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        let resources = text.lines().filter_map(|line| line.strip_prefix("resource \""));
        kinds.extend(resources.filter_map(|rest| rest.split('"').next()).map(str::to_owned));
    }
    let known: BTreeSet<String> = KINDS.iter().map(|(kind, _)| (*kind).to_owned()).collect();
    assert_eq!(kinds, known);
    for (_, resource) in KINDS.iter().filter(|(_, resource)| !resource.is_empty()) {
        for verb in ["read", "write", "delete"] {
            assert!(making.contains(&format!("{resource}/{verb}")), "{resource}/{verb}");
        }
    }
}

#[test]
fn a_usual_cluster_makes_all_of_its_own() {
    let taken = [
        "Microsoft.Resources/subscriptions/resourceGroups/write",
        "Microsoft.Network/virtualNetworks/write",
        "Microsoft.Network/virtualNetworks/subnets/join/action",
        "Microsoft.Compute/virtualMachines/write",
        "Microsoft.Compute/galleries/images/versions/write",
        "Microsoft.ManagedIdentity/userAssignedIdentities/write",
        "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action",
        "Microsoft.Authorization/roleAssignments/write",
        "Microsoft.Storage/storageAccounts/listKeys/action",
        "Microsoft.Network/dnsZones/CNAME/write",
        "Microsoft.Network/privateDnsZones/A/write",
        "Microsoft.Network/publicIPAddresses/write",
    ];
    assert_eq!(of(&config(), &taken), taken);
    let left = [
        "Microsoft.Network/natGateways/write",
        "Microsoft.Network/privateDnsZones/AAAA/write",
        "Microsoft.Network/dnsZones/A/write",
        "Microsoft.Compute/availabilitySets/write",
        "Microsoft.Compute/diskEncryptionSets/read",
        "Microsoft.Compute/skus/read",
        "Microsoft.Compute/snapshots/write",
    ];
    assert!(of(&config(), &left).is_empty());
    assert!(needed(&InstallConfig::default(), Catalogue::embedded()).is_empty());
}

#[test]
fn a_private_cluster_in_an_existing_network_makes_less() {
    let left = [
        "Microsoft.Network/virtualNetworks/write",
        "Microsoft.Network/virtualNetworks/subnets/write",
        "Microsoft.Network/networkSecurityGroups/securityRules/write",
        "Microsoft.Network/publicIPAddresses/write",
        "Microsoft.Network/dnsZones/CNAME/write",
        "Microsoft.Network/dnsZones/read",
    ];
    assert!(of(&private(), &left).is_empty());
    let taken =
        ["Microsoft.Network/virtualNetworks/subnets/join/action", "Microsoft.Network/virtualNetworks/read"];
    assert_eq!(of(&private(), &taken), taken);
}

#[test]
fn nothing_is_changed_in_the_dns_of_a_cluster_with_records_of_the_users() {
    let by_user = with_platform(|platform| values::USER_DNS.clone_into(&mut platform.user_provisioned_dns));
    let all = needed(&by_user, Catalogue::embedded());
    assert!(!all.iter().any(|action| action.to_lowercase().contains("dnszones")), "{all:?}");
    let role = policy(&by_user, Catalogue::embedded(), "s").to_string();
    assert!(!role.to_lowercase().contains("dnszones/"), "{role}");
}

#[test]
fn settings_take_actions_of_their_own() {
    let gateway = with_platform(|platform| "NATGatewaySingleZone".clone_into(&mut platform.outbound_type));
    let action = ["Microsoft.Network/natGateways/write"];
    assert_eq!(of(&gateway, &action), action);
    // A subnet of the user's is told of its gateway.
    let existing = with_platform(|platform| {
        "NATGatewayMultiZone".clone_into(&mut platform.outbound_type);
        "vnet".clone_into(&mut platform.virtual_network);
    });
    let actions = ["Microsoft.Network/natGateways/write", "Microsoft.Network/virtualNetworks/subnets/write"];
    assert_eq!(of(&existing, &actions), actions);
    let set = DiskEncryptionSet { name: "des".to_owned(), ..DiskEncryptionSet::default() };
    let disk = OsDisk { disk_encryption_set: Some(set), ..OsDisk::default() };
    let encrypted = with_machines(&MachinePool { os_disk: disk, ..MachinePool::default() });
    let action = ["Microsoft.Compute/diskEncryptionSets/read"];
    assert_eq!(of(&encrypted, &action), action);
    let action = ["Microsoft.MarketplaceOrdering/offerTypes/publishers/offers/plans/agreements/read"];
    let image = |plan: &str| {
        let image = OsImage { publisher: "p".to_owned(), plan: plan.to_owned(), ..OsImage::default() };
        with_machines(&MachinePool { os_image: image, ..MachinePool::default() })
    };
    assert_eq!(of(&image(""), &action), action);
    assert!(of(&image("NoPurchasePlan"), &action).is_empty());
    let mut dual = config();
    let service_network = "fd02::/112".parse::<Net>().map(Network::Given).into_iter().collect();
    dual.networking = Some(Networking { service_network, ..Networking::default() });
    let action = ["Microsoft.Network/privateDnsZones/AAAA/write"];
    assert_eq!(of(&dual, &action), action);
}

#[test]
fn storage_accounts_and_data_disks_take_actions_of_their_own() {
    let keyed = with_platform(|platform| platform.customer_managed_key = Some(CustomerManagedKey::default()));
    let actions =
        ["Microsoft.KeyVault/vaults/read", "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"];
    assert_eq!(of(&keyed, &actions), actions);
    let disks = Some(vec![DataDisk::default()]);
    let described = with_machines(&MachinePool { data_disks: disks, ..MachinePool::default() });
    let action = ["Microsoft.Resources/deployments/write"];
    assert_eq!(of(&described, &action), action);
    let closed = with_platform(|platform| platform.allow_shared_key_access = Some(false));
    assert_eq!(of(&closed, &["Microsoft.Authorization/roleAssignments/write"]).len(), 1);
    let role = policy(&closed, Catalogue::embedded(), "s");
    let blobs = texts(&role["DataActions"]);
    assert!(blobs.iter().any(|action| action.ends_with("/blobs/write")), "{blobs:?}");
    assert!(policy(&config(), Catalogue::embedded(), "s").get("DataActions").is_none());
}

#[test]
fn identities_are_made_unless_they_are_given() {
    let makes = [
        "Microsoft.ManagedIdentity/userAssignedIdentities/write",
        "Microsoft.Authorization/roleAssignments/write",
    ];
    let assigns = ["Microsoft.ManagedIdentity/userAssignedIdentities/assign/action"];
    let with = |kind: &str, given: Option<Vec<UserAssignedIdentity>>| {
        let identity = Identity { kind: kind.to_owned(), user_assigned_identities: given };
        with_machines(&MachinePool { identity: Some(identity), ..MachinePool::default() })
    };
    let given = with("UserAssigned", Some(vec![UserAssignedIdentity::default()]));
    assert!(of(&given, &makes).is_empty());
    assert_eq!(of(&given, &assigns), assigns);
    let none = with("None", None);
    assert!(of(&none, &makes).is_empty() && of(&none, &assigns).is_empty());
    let open = with("UserAssigned", None);
    assert_eq!(of(&open, &makes), makes);
}

#[test]
fn a_stack_hub_has_no_identities_and_galleries() {
    let stack = with_platform(|platform| values::STACK.clone_into(&mut platform.cloud_name));
    let taken = [
        "Microsoft.Compute/availabilitySets/write",
        "Microsoft.Compute/images/write",
        "Microsoft.Network/dnsZones/A/write",
    ];
    assert_eq!(of(&stack, &taken), taken);
    let left = [
        "Microsoft.Authorization/roleAssignments/write",
        "Microsoft.Compute/galleries/write",
        "Microsoft.ManagedIdentity/userAssignedIdentities/assign/action",
        "Microsoft.Network/privateDnsZones/write",
    ];
    assert!(of(&stack, &left).is_empty());
}

#[test]
fn a_role_allows_what_is_needed_each_once() {
    let config = config();
    let role = policy(&config, Catalogue::embedded(), "s");
    assert_eq!(role["Name"], "Installer of the OpenShift cluster demo.example.com");
    assert_eq!(role["IsCustom"], true);
    assert_eq!(role["NotActions"], serde_json::json!([]));
    let actions = texts(&role["Actions"]);
    let unique: BTreeSet<&String> = actions.iter().collect();
    assert_eq!(unique.len(), actions.len());
    assert!(needed(&config, Catalogue::embedded()).iter().all(|action| unique.contains(action)));
    assert!(actions.iter().any(|action| action == "Microsoft.Compute/skus/read"));
    let operators = "Microsoft.Compute/snapshots/write";
    assert!(actions.iter().any(|action| action == operators));
    let manual = InstallConfig { credentials_mode: "Manual".to_owned(), ..config };
    let role = policy(&manual, Catalogue::embedded(), "s");
    assert!(!texts(&role["Actions"]).iter().any(|action| action == operators));
}

#[test]
fn a_role_can_be_assigned_where_the_cluster_is() {
    let scopes = |config: &InstallConfig, subscription: &str| {
        texts(&policy(config, Catalogue::embedded(), subscription)["AssignableScopes"])
    };
    assert_eq!(scopes(&config(), "s"), ["/subscriptions/s", "/subscriptions/s/resourceGroups/dns-rg"]);
    assert_eq!(
        scopes(&private(), "s"),
        ["/subscriptions/s", "/subscriptions/s/resourceGroups/rg", "/subscriptions/s/resourceGroups/net-rg"]
    );
    let set = DiskEncryptionSet {
        subscription_id: "t".to_owned(),
        resource_group: "des-rg".to_owned(),
        name: "des".to_owned(),
    };
    let disk = OsDisk { disk_encryption_set: Some(set), ..OsDisk::default() };
    let encrypted = with_machines(&MachinePool { os_disk: disk, ..MachinePool::default() });
    let elsewhere = scopes(&encrypted, "s");
    assert_eq!(elsewhere.last().map(String::as_str), Some("/subscriptions/t/resourceGroups/des-rg"));
    assert_eq!(elsewhere.len(), 3);
    assert_eq!(scopes(&config(), "").first().map(String::as_str), Some("/subscriptions/<subscription id>"));
}

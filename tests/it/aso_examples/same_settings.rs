//! The same cluster by Terraform and by Azure Service Operator: what the variables of the one say, the objects of the
//! other say too, for many configs.

use std::collections::{BTreeMap, BTreeSet};

use landfall_engine_aso::translate::{Ignition, Input, translate};
use landfall_install_config::assets;
use landfall_model::plan::{Engine, Plan};
use landfall_render::Credentials;
use serde_json::{Map, Value, json};

use super::{POINTER, dual_stack, input, input_of, objects, plan_for};
use crate::clusters::{extras, tls};

/// How many configs are compared.
const CONFIGS: u64 = 500;
/// At least so many of them are ones that both engines take.
const ACCEPTED: usize = 200;

/// The variables that no object has, and where the setting is instead.
const ELSEWHERE: &[(&str, &str)] = &[
    ("ignition_bootstrap", "the user uploads it; the machine has a pointer"),
    ("ignition_bootstrap_file", "the user uploads it; the machine has a pointer"),
    ("ignition_master", "the machines have a pointer"),
    ("use_ipv4", "always"),
    ("azure_subscription_id", "the Secret with the credentials"),
    ("azure_client_id", "the Secret with the credentials"),
    ("azure_client_secret", "the Secret with the credentials"),
    ("azure_tenant_id", "the Secret with the credentials"),
    ("azure_certificate_path", "the Secret with the credentials"),
    ("azure_use_msi", "the Secret with the credentials"),
    ("azure_environment", "a setting of the operator"),
    ("azure_arm_endpoint", "a setting of the operator"),
    ("azure_metadata_host", "a setting of the operator"),
    ("azure_stack", "refused where it is true"),
    ("azure_image_url", "the user copies the image"),
    ("azure_image_protection", "the user copies the image"),
    ("azure_vm_architecture", "a property of the user's image"),
    ("azure_bootstrap_ignition_stub", "for a Stack Hub"),
    ("azure_bootstrap_ignition_url_placeholder", "for a Stack Hub"),
    ("random_storage_account_suffix", "the account has the infrastructure id in its name"),
    ("azure_marketplace_image_has_plan", "refused where an image has one"),
    ("azure_control_plane_ultra_ssd_enabled", "refused where it is true"),
    ("azure_master_security_encryption_type", "refused where there is one"),
    ("azure_master_secure_vm_disk_encryption_set_id", "refused where there is one"),
];

/// The variables that have one value in all configs: no field of them decides it.
const CONSTANT: &[&str] = &["azure_hypervgeneration_version", "azure_storage_min_tls_version", "cluster_id"];

/// Choices that follow from a number, and are the same in every run.
struct Choices(u64);

impl Choices {
    /// One of these.
    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        // A step of SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        &all[usize::try_from((mixed ^ (mixed >> 31)) % all.len() as u64).unwrap()]
    }

    /// Whether something is there, in one case of so many.
    fn once_in(&mut self, cases: usize) -> bool {
        *self.of(&(0..cases).collect::<Vec<usize>>()) == 0
    }
}

/// A config of these choices.
fn config(choices: &mut Choices) -> Value {
    let is_existing = choices.once_in(4);
    let mut config = input(if is_existing { "byo-private" } else { "public" }, "install-config.yaml");
    config["sshKey"] = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEXAMPLE demo".into();
    config["publish"] = (*choices.of(&["External", "Internal"])).into();
    let azure = &mut config["platform"]["azure"];
    azure["baseDomainResourceGroupName"] = (*choices.of(&["dns-rg", "zones-rg"])).into();
    if is_existing {
        azure["outboundType"] = (*choices.of(&["Loadbalancer", "UserDefinedRouting"])).into();
    } else {
        azure["outboundType"] = (*choices.of(&["Loadbalancer", "Loadbalancer", "NatGateway"])).into();
        azure["region"] = (*choices.of(&["eastus", "westeurope", "swedencentral"])).into();
        azure["userTags"] =
            choices.of(&[json!({}), json!({ "a": "b" }), json!({ "team": "x", "cost": "7" })]).clone();
        if choices.once_in(3) {
            azure["resourceGroupName"] = "mine-rg".into();
        }
        if choices.once_in(5) {
            azure["customerManagedKey"] = json!({
                "keyVault": { "resourceGroup": "vault-rg", "name": "vault1", "keyName": choices.of(&["key1", "key2"]) },
                "userAssignedIdentityKey": "reader",
            });
        }
        let networks: &[Value] = &[
            json!([{ "cidr": "10.0.0.0/16" }]),
            json!([{ "cidr": "10.8.0.0/20" }, { "cidr": "10.9.0.0/20" }]),
            json!([{ "cidr": "172.16.0.0/18" }, { "cidr": "10.0.0.0/16" }, { "cidr": "192.168.0.0/24" }]),
            // The machines' network alone has IPv6.
            json!([{ "cidr": "10.0.0.0/16" }, { "cidr": "fd00:10::/48" }]),
        ];
        config["networking"]["machineNetwork"] = choices.of(networks).clone();
        if choices.once_in(5) {
            dual_stack(&mut config);
        }
    }
    let pool = pool(choices);
    config["controlPlane"]["platform"]["azure"] = pool;
    config["controlPlane"]["replicas"] = (*choices.of(&[3, 3, 5])).into();
    config
}

/// The settings of the control plane's machines.
fn pool(choices: &mut Choices) -> Value {
    let mut pool = json!({ "type": choices.of(&["Standard_D8s_v3", "Standard_D8s_v5", "Standard_D16s_v5"]) });
    let mut disk = json!({
        "diskSizeGB": choices.of(&[128, 512, 1024]),
        "diskType": choices.of(&["Premium_LRS", "StandardSSD_LRS"]),
    });
    if choices.once_in(3) {
        disk["diskEncryptionSet"] = json!({
            "resourceGroup": "keys", "name": choices.of(&["set", "other"]), "subscriptionId": "11111111-2222-3333-4444-555555555555",
        });
    }
    pool["osDisk"] = disk;
    let sometimes: &[(usize, &str, Value)] = &[
        (3, "encryptionAtHost", json!(true)),
        (3, "vmNetworkingType", json!("Basic")),
        (3, "zones", json!(["1", "3"])),
        (9, "ultraSSDCapability", json!("Enabled")),
        (4, "bootDiagnostics", json!({ "type": "Managed" })),
        (4, "bootDiagnostics", json!({ "type": "Disabled" })),
        (
            4,
            "identity",
            json!({ "type": "UserAssigned", "userAssignedIdentities": [{ "name": choices.of(&["mine", "ours"]), "resourceGroup": "ids" }] }),
        ),
        (
            4,
            "osImage",
            choices
                .of(&[
                    json!({ "publisher": "azureopenshift", "offer": "aro4", "sku": "aro_414",
                            "version": "414.1.1", "plan": "NoPurchasePlan" }),
                    json!({ "publisher": "redhat", "offer": "rh-ocp", "sku": "rh-ocp-worker",
                            "version": "418.2.3", "plan": "NoPurchasePlan" }),
                ])
                .clone(),
        ),
        (
            4,
            "settings",
            json!({ "securityType": "TrustedLaunch", "trustedLaunch": { "uefiSettings": {
                "secureBoot": choices.of(&["Enabled", "Disabled"]),
                "virtualizedTrustedPlatformModule": choices.of(&["Enabled", "Disabled"]),
            }}}),
        ),
    ];
    for (cases, name, value) in sometimes {
        if choices.once_in(*cases) {
            pool[*name] = value.clone();
        }
    }
    pool
}

/// All variables that Terraform gets.
fn variables(plan: &Plan) -> Map<String, Value> {
    let (credentials, tls) = (Credentials::default(), tls());
    let files = assets::files(plan, &extras(&credentials, &tls));
    let mut all = Map::new();
    for file in files.iter().filter(|file| file.path.ends_with("tfvars.json")) {
        let values: Map<String, Value> = serde_json::from_slice(&file.bytes).unwrap();
        all.extend(values);
    }
    assert!(all.len() > 40, "{:?}", all.keys());
    all
}

/// The objects of a cluster.
struct Made(Vec<Value>);

impl Made {
    fn of(&self, kind: &str) -> Vec<&Value> {
        self.0.iter().filter(|object| object["kind"] == kind).collect()
    }

    /// The values of a field of all objects of a kind, each once.
    fn values(&self, kind: &str, pointer: &str) -> Value {
        let found = self.of(kind).into_iter().filter_map(|object| object.pointer(pointer));
        let found: BTreeMap<String, &Value> = found.map(|value| (value.to_string(), value)).collect();
        found.into_values().cloned().collect()
    }

    /// The machines of the control plane, by their names.
    fn masters(&self) -> Vec<&Value> {
        let name = |object: &Value| object["spec"]["azureName"].as_str().unwrap_or_default().to_owned();
        let mut all = self.of("VirtualMachine");
        all.retain(|machine| name(machine).contains("-master-"));
        all.sort_by_key(|machine| name(machine));
        all
    }

    /// A field of all of these machines; null where they differ.
    fn master(&self, pointer: &str) -> Value {
        let found: BTreeSet<String> = self
            .masters()
            .into_iter()
            .map(|machine| machine.pointer(pointer).unwrap_or(&Value::Null).to_string())
            .collect();
        assert_eq!(found.len(), 1, "{pointer}: {found:?}");
        serde_json::from_str(&found.into_iter().next().unwrap()).unwrap()
    }

    fn has_name(&self, kind: &str, name: &Value) -> bool {
        self.of(kind).iter().any(|object| object["spec"]["azureName"] == *name)
    }
}

/// What stands for a variable in the objects; none for one of which nothing is known here.
#[allow(clippy::too_many_lines, reason = "a few lines for each variable")]
fn stands_for(name: &str, value: &Value, all: &Map<String, Value>, made: &Made) -> Option<bool> {
    let text = value.as_str().unwrap_or_default();
    let flag = value.as_bool().unwrap_or_default();
    let is_new = all["azure_preexisting_network"] == false;
    let is_marketplace = all["azure_use_marketplace_image"] == true;
    let image = "/spec/storageProfile/imageReference";
    let ends_with = |value: Value, end: &str| value.as_str().is_some_and(|value| value.ends_with(end));
    let contains = |value: Value, part: &str| value.to_string().contains(part);
    Some(match name {
        "cluster_id" => made.has_name("LoadBalancer", &format!("{text}-internal").into()),
        "cluster_domain" => made.values("PrivateDnsZone", "/spec/azureName") == json!([text]),
        "base_domain" => {
            let owners = made.values("DnsZonesCNAMERecord", "/spec/owner/armId");
            let all: Vec<Value> = owners.as_array().cloned().unwrap_or_default();
            all.into_iter().all(|owner| ends_with(owner, &format!("/dnsZones/{text}")) || text.is_empty())
        }
        "master_count" => made.masters().len() as u64 == value.as_u64().unwrap(),
        "machine_v4_cidrs" | "machine_v6_cidrs" => {
            let is_v6 = name == "machine_v6_cidrs";
            let networks = made.values("VirtualNetwork", "/spec/addressSpace/addressPrefixes");
            let networks = networks[0].as_array().cloned().unwrap_or_default();
            let of_family = networks.into_iter().filter(|one| one.to_string().contains(':') == is_v6);
            !is_new || of_family.collect::<Value>() == *value
        }
        "use_ipv6" => {
            let count = |kind: &str, pointer: &str| {
                let lists = made.of(kind).into_iter().filter_map(|object| object.pointer(pointer));
                lists.map(|list| list.as_array().map_or(0, Vec::len)).collect::<BTreeSet<usize>>()
            };
            let families = BTreeSet::from([if flag { 2 } else { 1 }]);
            count("NetworkInterface", "/spec/ipConfigurations") == families
                && count("LoadBalancer", "/spec/frontendIPConfigurations") == families
                && (!is_new || count("VirtualNetworksSubnet", "/spec/addressPrefixes") == families)
                && made.of("PrivateDnsZonesAAAARecord").len() == if flag { 2 } else { 0 }
                && made
                    .of("PublicIPAddress")
                    .iter()
                    .any(|one| one["spec"]["publicIPAddressVersion"] == "IPv6")
                    == (flag
                        && !made
                            .of("LoadBalancer")
                            .iter()
                            .all(|one| ends_with(one["spec"]["azureName"].clone(), "-internal")))
        }
        "azure_extra_tags" => {
            let found = made.values("StorageAccount", "/spec/tags");
            let machines = made.values("VirtualMachine", "/spec/tags");
            found == json!([value]) && machines == json!([value])
        }
        "azure_master_vm_type" => made.master("/spec/hardwareProfile/vmSize") == *value,
        "azure_master_availability_zones" => {
            let zone =
                |machine: &&Value| machine.pointer("/spec/zones/0").cloned().unwrap_or_else(|| "".into());
            made.masters().iter().map(zone).collect::<Value>() == *value
        }
        "azure_master_encryption_at_host_enabled" => {
            made.master("/spec/securityProfile/encryptionAtHost")
                == if flag { json!(true) } else { Value::Null }
        }
        "azure_master_disk_encryption_set_id" => {
            made.master("/spec/storageProfile/osDisk/managedDisk/diskEncryptionSet/reference/armId") == *value
        }
        "azure_master_root_volume_type" => {
            made.master("/spec/storageProfile/osDisk/managedDisk/storageAccountType") == *value
        }
        "azure_master_root_volume_size" => made.master("/spec/storageProfile/osDisk/diskSizeGB") == *value,
        "azure_image_release" => {
            is_marketplace || ends_with(made.master(&format!("{image}/reference/armId")), text)
        }
        "azure_region" => made.values("VirtualMachine", "/spec/location") == json!([text]),
        "azure_base_domain_resource_group_name" => {
            let owners = made.values("DnsZonesCNAMERecord", "/spec/owner/armId");
            owners == json!([]) || contains(owners, &format!("/resourceGroups/{text}/"))
        }
        "azure_resource_group_name" => text.is_empty() || made.has_name("ResourceGroup", value),
        "azure_network_resource_group_name" => made.has_name("ResourceGroup", value),
        "azure_virtual_network" => made.values("VirtualNetwork", "/spec/azureName") == json!([text]),
        "azure_control_plane_subnet" | "azure_compute_subnet" => {
            made.has_name("VirtualNetworksSubnet", value)
        }
        "azure_preexisting_network" => {
            made.values("VirtualNetwork", "/spec/addressSpace").as_array().unwrap().is_empty() == flag
        }
        "azure_private" => made.of("DnsZonesCNAMERecord").is_empty() == flag,
        "azure_outbound_routing_type" => {
            let gateways = made.of("NatGateway").len();
            let rules = made.values("LoadBalancer", "/spec/outboundRules");
            let has_rules = !rules.as_array().unwrap().is_empty();
            match text {
                "Loadbalancer" => has_rules && gateways == 0,
                "NatGateway" => gateways == 1,
                _ => !has_rules && gateways == 0,
            }
        }
        "azure_hypervgeneration_version" => {
            is_marketplace
                || contains(made.master(&format!("{image}/reference/armId")), "gen2") == (text == "V2")
        }
        "azure_control_plane_vm_networking_type" => {
            let is_master = |card: &&Value| {
                card["spec"]["azureName"].as_str().is_some_and(|name| name.contains("-master-"))
            };
            let cards = made.of("NetworkInterface");
            let mut cards = cards.into_iter().filter(is_master);
            cards.all(|card| (card["spec"]["enableAcceleratedNetworking"] == true) == flag)
        }
        "azure_use_marketplace_image" => made.master(&format!("{image}/publisher")).is_string() == flag,
        "azure_marketplace_image_publisher" => made.master(&format!("{image}/publisher")) == *value,
        "azure_marketplace_image_offer" => made.master(&format!("{image}/offer")) == *value,
        "azure_marketplace_image_sku" => made.master(&format!("{image}/sku")) == *value,
        "azure_marketplace_image_version" => made.master(&format!("{image}/version")) == *value,
        "azure_master_secure_boot" => {
            made.master("/spec/securityProfile/uefiSettings/secureBootEnabled") == (text == "Enabled")
        }
        "azure_master_virtualized_trusted_platform_module" => {
            made.master("/spec/securityProfile/uefiSettings/vTpmEnabled") == (text == "Enabled")
        }
        "azure_storage_min_tls_version" => {
            made.values("StorageAccount", "/spec/minimumTlsVersion") == json!([text])
        }
        "azure_boot_diagnostics" => {
            let found = made.master("/spec/diagnosticsProfile/bootDiagnostics");
            found["enabled"] == (text != "Disabled")
                && (["Disabled", "Managed"].contains(&text) || found["storageUri"] == text)
        }
        "azure_master_identities" => {
            let ids = made.master("/spec/identity/userAssignedIdentities");
            let ids = ids.as_array().cloned().unwrap_or_default();
            ids.iter().map(|id| id["reference"]["armId"].clone()).collect::<Value>() == *value
        }
        "azure_make_identity" => made.of("UserAssignedIdentity").is_empty() != flag,
        "azure_storage_key" => {
            let key = made.values("StorageAccount", "/spec/encryption/keyvaultproperties");
            let part =
                |name: &str| key.pointer(&format!("/0/{name}")).and_then(Value::as_str).unwrap_or_default();
            let address = format!("{}keys/{}", part("keyvaulturi"), part("keyname"));
            let identity =
                made.values("StorageAccount", "/spec/identity/userAssignedIdentities/0/reference/armId");
            value["address"] == address && identity == json!([value["identity"]])
        }
        "azure_storage_without_access_keys" => {
            made.values("StorageAccount", "/spec/allowSharedKeyAccess") == json!([!flag])
        }
        _ => return None,
    })
}

#[test]
fn no_engine_drops_a_setting_that_the_other_has() {
    let engine = input("public", "engine.yaml");
    let (mut accepted, mut refused) = (0, BTreeMap::<String, usize>::new());
    let mut seen = BTreeMap::<String, BTreeSet<String>>::new();
    let mut wrong = BTreeMap::<String, String>::new();
    for number in 0..CONFIGS {
        let config = config(&mut Choices(number));
        let Ok(by_terraform) = plan_for(Engine::Terraform, &engine, &config) else { continue };
        let all = variables(&by_terraform);
        let by_operator = plan_for(Engine::Aso, &engine, &config);
        let ignition = Ignition { bootstrap: None, control_plane: Some(POINTER) };
        let translated = by_operator.and_then(|plan| {
            let input = Input { machines: true, ignition, ..input_of(&plan) };
            let mut translation = translate(&input)?;
            translation.objects.iter_mut().for_each(|desired| desired.hints.late_bound.clear());
            Ok(objects(&translation, &plan, "clusters"))
        });
        let made = match translated {
            Ok(objects) => Made(objects),
            Err(findings) => {
                // What it cannot do, it says, and names the field.
                let errors: Vec<_> = findings.iter().filter(|finding| finding.is_error()).collect();
                assert!(!errors.is_empty(), "{config:#}: refused without a reason");
                for finding in errors {
                    *refused.entry(format!("{} {}", finding.code.as_str(), finding.field)).or_default() += 1;
                }
                continue;
            }
        };
        accepted += 1;
        for (name, value) in &all {
            if ELSEWHERE.iter().any(|(elsewhere, _)| elsewhere == name) {
                continue;
            }
            seen.entry(name.clone()).or_default().insert(value.to_string());
            let same = stands_for(name, value, &all, &made);
            assert_ne!(same, None, "nothing says what stands for the variable {name}");
            if same == Some(false) {
                wrong.entry(name.clone()).or_insert_with(|| format!("{value} in {config}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(accepted >= ACCEPTED, "{accepted} of {CONFIGS}; refused: {refused:#?}");
    // What is refused was asked for, and is what the table says.
    assert!(refused.keys().all(|reason| reason.starts_with("LF1506 ")), "{refused:#?}");
    assert!(refused.values().sum::<usize>() > 10, "{refused:#?}");
    for name in
        ["azure_storage_key", "azure_master_identities", "azure_boot_diagnostics", "azure_master_secure_boot"]
    {
        assert!(seen.contains_key(name), "no config had {name}");
    }
    // What is always the same proves nothing.
    let constant: Vec<&String> =
        seen.iter().filter(|(_, values)| values.len() < 2).map(|(name, _)| name).collect();
    assert_eq!(constant, CONSTANT);
}

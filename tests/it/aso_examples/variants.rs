//! What differs with the settings of a config, and what holds whatever they are.

use std::collections::{BTreeMap, BTreeSet};

use landfall_diagnostics::secret::Secret;
use landfall_engine_aso::desired::Mode;
use landfall_engine_aso::translate::patches::Patches;
use landfall_engine_aso::translate::{Domains, Ignition, Input, Translation, translate};
use landfall_model::azure::planned::{ComputeSubnet, DataDisk, NatGateway};
use serde_json::{Value, json};

use super::{POINTER, changed, dual_stack, input_of, objects};
use crate::aso_schema;

/// Every reference by name in a value, with its kind.
fn references(value: &Value, found: &mut Vec<(String, String)>) {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    if let (Some(_), Some(kind), Some(name)) = (text("group"), text("kind"), text("name")) {
        assert_eq!(value.get("armId"), None, "a name and an id");
        found.push((kind.to_owned(), name.to_owned()));
    }
    match value {
        Value::Object(fields) => fields.values().for_each(|value| references(value, found)),
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// Looks at whatever holds of all sets of objects; gives them by kind and name.
fn checked(input: &Input<'_>) -> BTreeMap<(String, String), Value> {
    let translation = translate(input).unwrap_or_else(|findings| panic!("{findings:#?}"));
    let described = aso_schema::kinds();
    let mut before: BTreeSet<(String, String)> = BTreeSet::new();
    let mut all = BTreeMap::new();
    let mut whole = translation.clone();
    whole.objects.iter_mut().for_each(|desired| desired.hints.late_bound.clear());
    let created = objects(&whole, input.plan, "clusters");
    for (desired, object) in translation.objects.iter().zip(created) {
        let key = (desired.kind.kind.to_owned(), desired.name.clone());
        let kind = described.iter().find(|kind| kind["kind"] == *desired.kind.kind).unwrap();
        let validator = jsonschema::validator_for(&aso_schema::object(kind, true)).unwrap();
        let faults: Vec<String> =
            validator.iter_errors(&object).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert_eq!(faults, Vec::<String>::new(), "{desired:?}");
        let mut named = Vec::new();
        references(&object["spec"], &mut named);
        if let (Some(name), Some(owner)) =
            (object["spec"]["owner"]["name"].as_str(), kind["ownerKind"].as_str())
        {
            assert_eq!(object["spec"]["owner"]["armId"], Value::Null, "{desired:?}");
            named.extend(owner.split_once('/').map(|(_, kind)| (kind.to_owned(), name.to_owned())));
        }
        let needs = desired.needs.iter().map(|need| (need.kind.to_owned(), need.name.clone()));
        let needs: BTreeSet<(String, String)> = needs.collect();
        for reference in &named {
            assert!(needs.contains(reference), "{desired:?} names {reference:?} and does not need it");
        }
        assert!(needs.is_subset(&before), "{desired:?} needs {needs:?} before");
        let parent = desired.kind.parent;
        let parents = desired.needs.iter().filter(|need| parent == Some(need.kind)).count();
        assert_eq!(parents, usize::from(parent.is_some()), "{desired:?}");
        for need in &desired.needs {
            let of = landfall_engine_aso::kinds::named(need.kind).unwrap();
            assert!(of.tier < desired.kind.tier, "{desired:?} and {need:?}");
        }
        assert!(before.insert(key.clone()), "{key:?} stands twice");
        all.insert(key, object);
    }
    all
}

/// The names of all objects of a kind.
fn names<'a>(all: &'a BTreeMap<(String, String), Value>, kind: &str) -> Vec<&'a str> {
    all.keys().filter(|(found, _)| found == kind).map(|(_, name)| name.as_str()).collect()
}

fn spec<'a>(all: &'a BTreeMap<(String, String), Value>, kind: &str, name: &str) -> &'a Value {
    let found = all.get(&(kind.to_owned(), name.to_owned()));
    &found.unwrap_or_else(|| panic!("no {kind}/{name}"))["spec"]
}

#[test]
fn a_private_api_keeps_the_way_out() {
    let plan = changed("public", |config| config["publish"] = "Internal".into());
    let all = checked(&Input { machines: true, bootstrap: true, ..input_of(&plan) });
    let balancer = spec(&all, "LoadBalancer", "demo-x7k2p");
    assert_eq!((&balancer["loadBalancingRules"], &balancer["probes"]), (&Value::Null, &Value::Null));
    assert_eq!(balancer["outboundRules"][0]["name"], "outbound-rule-v4");
    assert_eq!(spec(&all, "PublicIPAddress", "demo-x7k2p-pip-v4")["dnsSettings"], Value::Null);
    let rule = spec(&all, "NetworkSecurityGroupsSecurityRule", "demo-x7k2p-nsg-apiserver-in");
    assert_eq!(rule["sourceAddressPrefix"], "10.0.0.0/16");
    assert_eq!(names(&all, "DnsZonesCNAMERecord"), Vec::<&str>::new());
    assert_eq!(names(&all, "LoadBalancersInboundNatRule"), Vec::<&str>::new());
    assert_eq!(names(&all, "PrivateDnsZonesARecord").len(), 2);
}

#[test]
fn every_machine_network_is_one_of_the_virtual_network() {
    const NETWORKS: [&str; 2] = ["10.0.0.0/16", "10.2.0.0/16"];
    let plan = changed("public", |config| {
        config["publish"] = "Internal".into();
        config["networking"]["machineNetwork"] = NETWORKS.map(|cidr| json!({ "cidr": cidr })).to_vec().into();
    });
    let all = checked(&Input { machines: true, bootstrap: true, ..input_of(&plan) });
    let network = spec(&all, "VirtualNetwork", "demo-x7k2p-vnet");
    assert_eq!(network["addressSpace"]["addressPrefixes"], json!(NETWORKS));
    let rule = spec(&all, "NetworkSecurityGroupsSecurityRule", "demo-x7k2p-nsg-apiserver-in");
    assert_eq!(
        (&rule["sourceAddressPrefix"], &rule["sourceAddressPrefixes"]),
        (&Value::Null, &json!(NETWORKS))
    );
    let subnets = names(&all, "VirtualNetworksSubnet").into_iter();
    let prefixes: Vec<&Value> =
        subnets.map(|name| &spec(&all, "VirtualNetworksSubnet", name)["addressPrefixes"]).collect();
    assert_eq!(prefixes, [&json!(["10.0.0.0/17"]), &json!(["10.0.128.0/17"])]);
}

#[test]
fn routes_of_the_users_own_need_no_rule_for_the_way_out() {
    let plan = changed("byo-private", |config| {
        config["publish"] = "External".into();
        config["platform"]["azure"]["baseDomainResourceGroupName"] = "dns-rg".into();
    });
    let all = checked(&input_of(&plan));
    let balancer = spec(&all, "LoadBalancer", "gov1-b4n9w");
    assert_eq!(balancer["outboundRules"], Value::Null);
    assert_eq!(balancer["loadBalancingRules"][0]["disableOutboundSnat"], Value::Null);
    let name = &spec(&all, "DnsZonesCNAMERecord", "example-gov-api-gov1")["CNAMERecord"]["cname"];
    assert_eq!(name, "gov1-b4n9w.usgovvirginia.cloudapp.usgovcloudapi.net");
    let plan = changed("byo-private", |_| {});
    let all = checked(&input_of(&plan));
    assert_eq!(names(&all, "LoadBalancer"), ["gov1-b4n9w-internal"]);
    assert_eq!(names(&all, "PublicIPAddress"), Vec::<&str>::new());
}

#[test]
fn a_nat_gateway_is_on_the_compute_subnet() {
    let mut plan = changed("public", |_| {});
    "NatGateway".clone_into(&mut plan.platform.azure.as_mut().unwrap().outbound_type);
    let all = checked(&input_of(&plan));
    let gateway = spec(&all, "NatGateway", "demo-x7k2p-node-natgw");
    assert_eq!(gateway["publicIpAddresses"][0]["reference"]["name"], "pip-demo-x7k2p-node-natgw");
    let subnet = |role: &str| {
        let name = format!("demo-x7k2p-vnet-demo-x7k2p-{role}-subnet");
        spec(&all, "VirtualNetworksSubnet", &name)["natGateway"]["reference"]["name"].clone()
    };
    assert_eq!((subnet("worker"), subnet("master")), ("demo-x7k2p-node-natgw".into(), Value::Null));
    assert!(spec(&all, "LoadBalancer", "demo-x7k2p")["outboundRules"].is_array());
}

#[test]
fn each_zone_has_a_nat_gateway_and_a_subnet() {
    let mut plan = changed("public", |_| {});
    let azure = plan.platform.azure.as_mut().unwrap();
    "NATGatewayMultiZone".clone_into(&mut azure.outbound_type);
    let worker = azure.network.compute_subnet.clone();
    for (zone, name) in [("1", worker.clone()), ("2", format!("{worker}-2"))] {
        let addresses = vec![format!("10.0.{zone}.0/24")];
        azure.network.compute_subnets.push(ComputeSubnet {
            name: name.clone(),
            zone: zone.into(),
            addresses,
        });
        let gateway = format!("demo-x7k2p-natgw-{zone}");
        azure.network.nat_gateways.push(NatGateway { name: gateway, zone: zone.into(), subnet: name });
    }
    let all = checked(&input_of(&plan));
    for (zone, subnet) in [("1", "worker-subnet"), ("2", "worker-subnet-2")] {
        let name = format!("demo-x7k2p-natgw-{zone}");
        let gateway = spec(&all, "NatGateway", &name);
        assert_eq!(gateway["zones"], json!([zone]));
        assert_eq!(gateway["publicIpAddresses"][0]["reference"]["name"], format!("{name}-pip"));
        assert_eq!(spec(&all, "PublicIPAddress", &format!("{name}-pip"))["zones"], json!([zone]));
        let subnet = spec(&all, "VirtualNetworksSubnet", &format!("demo-x7k2p-vnet-demo-x7k2p-{subnet}"));
        assert_eq!(subnet["natGateway"]["reference"]["name"], name);
        assert_eq!(subnet["addressPrefix"], format!("10.0.{zone}.0/24"));
    }
}

#[test]
fn a_network_in_the_clusters_own_group_has_one_group() {
    let plan = changed("byo-private", |config| {
        config["platform"]["azure"]["networkResourceGroupName"] = "Corp-Gov1-RG".into();
    });
    let all = checked(&input_of(&plan));
    assert_eq!(names(&all, "ResourceGroup"), ["corp-gov1-rg"]);
    assert_eq!(spec(&all, "VirtualNetwork", "corp-vnet")["owner"]["name"], "corp-gov1-rg");
    let translation = translate(&input_of(&plan)).unwrap();
    let modes: BTreeMap<&str, Mode> =
        translation.objects.iter().map(|desired| (desired.name.as_str(), desired.hints.mode)).collect();
    assert_eq!(modes["corp-gov1-rg"], Mode::Claimable);
    assert_eq!(modes["corp-vnet-corp-cp"], Mode::Byo);
}

#[test]
fn an_address_that_is_given_binds_the_records() {
    let plan = changed("byo-private", |_| {});
    let late = |input: &Input<'_>| {
        let objects = translate(input).unwrap().objects;
        objects.iter().flat_map(|desired| desired.hints.late_bound.clone()).collect::<Vec<String>>()
    };
    let words = "status.frontendIPConfigurations.0.privateIPAddress of LoadBalancer/gov1-b4n9w-internal";
    assert_eq!(late(&input_of(&plan)), [words, words]);
    let fixed = Input { api_internal_ip: "10.20.1.9".parse().ok(), ..input_of(&plan) };
    assert_eq!(late(&fixed), Vec::<String>::new());
    let all = checked(&fixed);
    let frontend = &spec(&all, "LoadBalancer", "gov1-b4n9w-internal")["frontendIPConfigurations"][0];
    assert_eq!(frontend["privateIPAllocationMethod"], "Static");
    assert_eq!(frontend["privateIPAddress"], "10.20.1.9");
}

#[test]
fn the_internal_address_is_one_of_the_control_planes_subnet() {
    let at = |cidr: &str, given: Option<&str>| {
        let plan = changed("public", |config| {
            config["networking"]["machineNetwork"] = json!([{ "cidr": cidr }]);
        });
        let given = given.and_then(|given| given.parse().ok());
        let translation = translate(&Input { api_internal_ip: given, ..input_of(&plan) });
        let translation = translation.map_err(|findings| findings[0].code.as_str())?;
        let balancer = translation.objects.iter().find(|one| one.name == "demo-x7k2p-internal").unwrap();
        let address = &balancer.spec["frontendIPConfigurations"][0]["privateIPAddress"];
        Ok::<String, &str>(address.as_str().unwrap().to_owned())
    };
    assert_eq!(at("10.0.0.0/16", None).as_deref(), Ok("10.0.0.100"));
    assert_eq!(at("10.8.0.0/20", None).as_deref(), Ok("10.8.0.4"));
    assert_eq!(at("10.0.0.0/26", None).as_deref(), Ok("10.0.0.4"));
    assert_eq!(at("10.8.0.0/20", Some("10.8.0.50")).as_deref(), Ok("10.8.0.50"));
    for outside in ["10.8.0.3", "10.8.8.1", "10.8.7.255"] {
        assert_eq!(at("10.8.0.0/20", Some(outside)), Err("LF1504"), "{outside}");
    }
    let plan =
        changed("public", |config| config["platform"]["azure"]["userProvisionedDNS"] = "Enabled".into());
    let planned = plan.api_addresses()[0];
    let with = |given| translate(&Input { api_internal_ip: given, ..input_of(&plan) });
    assert!(with(None).is_ok() && with(Some(planned)).is_ok());
    let findings = with("10.0.0.50".parse().ok()).err().unwrap();
    assert!(findings[0].code.as_str() == "LF1504" && findings[0].message.contains(&planned.to_string()));
}

#[test]
fn the_account_is_encrypted_with_a_key_of_the_users_own() {
    let plan = changed("public", |config| {
        config["platform"]["azure"]["customerManagedKey"] = json!({
            "keyVault": { "resourceGroup": "vault-rg", "name": "vault1", "keyName": "key1" },
            "userAssignedIdentityKey": "reader",
        });
    });
    let all = checked(&input_of(&plan));
    let account = spec(&all, "StorageAccount", "demox7k2psa");
    assert_eq!(
        (&account["sku"]["name"], &account["allowBlobPublicAccess"]),
        (&json!("Premium_LRS"), &json!(true))
    );
    assert_eq!(account["encryption"]["keyvaultproperties"]["keyvaulturi"], "https://vault1.vault.azure.net/");
    let identity = account["identity"]["userAssignedIdentities"][0]["reference"]["armId"].as_str().unwrap();
    assert!(identity.ends_with(
        "/resourceGroups/vault-rg/providers/Microsoft.ManagedIdentity/userAssignedIdentities/reader"
    ));
}

#[test]
fn an_account_without_keys_is_for_managed_identities() {
    let mut plan = changed("public", |_| {});
    let by_key = |plan: &landfall_model::plan::Plan| {
        spec(&checked(&input_of(plan)), "StorageAccount", "demox7k2psa")["allowSharedKeyAccess"].clone()
    };
    assert_eq!(by_key(&plan), true);
    "managed-identity".clone_into(&mut plan.platform.azure.as_mut().unwrap().account.identity);
    assert_eq!(by_key(&plan), false);
    let plan = changed("public", |config| config["platform"]["azure"]["allowSharedKeyAccess"] = false.into());
    assert_eq!(by_key(&plan), false);
}

#[test]
fn no_identity_is_made_where_pools_have_theirs() {
    let identity = |names: &[&str]| {
        let names = names.iter().map(|name| json!({ "name": name, "resourceGroup": "ids" }));
        json!({ "type": "UserAssigned", "userAssignedIdentities": names.collect::<Vec<Value>>() })
    };
    let made = |default: Option<Value>, compute: Option<Value>, control_plane: Option<Value>| {
        let plan = changed("public", |config| {
            let pools = [
                ("/platform/azure", "defaultMachinePlatform", default),
                ("/compute/0/platform", "azure", compute),
                ("/controlPlane/platform", "azure", control_plane),
            ];
            for (path, field, identity) in pools {
                let settings = identity.map_or(json!({}), |identity| json!({ "identity": identity }));
                config.pointer_mut(path).unwrap()[field] = settings;
            }
        });
        let ignition = Ignition { bootstrap: None, control_plane: Some(POINTER) };
        let all = checked(&Input { machines: true, ignition, ..input_of(&plan) });
        let machine = spec(&all, "VirtualMachine", "demo-x7k2p-master-0");
        let machine = machine["identity"]["userAssignedIdentities"][0]["reference"].clone();
        assert_eq!(names(&all, "RoleAssignment").len(), names(&all, "UserAssignedIdentity").len());
        (names(&all, "UserAssignedIdentity").len(), machine)
    };
    let none = json!({ "type": "None" });
    let (user, empty) = (identity(&["mine"]), identity(&[]));
    assert_eq!(made(None, None, None).1["name"], "demo-x7k2p-identity");
    assert_eq!(made(Some(empty.clone()), Some(empty.clone()), Some(empty)).0, 1);
    assert_eq!(made(Some(user.clone()), None, None).0, 0);
    assert_eq!(made(None, Some(user.clone()), Some(none.clone())), (0, Value::Null));
    assert_eq!(made(None, Some(none), None).0, 1);
    let (count, machine) = made(None, None, Some(user));
    assert_eq!(count, 1);
    assert!(
        machine["armId"]
            .as_str()
            .unwrap()
            .ends_with("/resourceGroups/ids/providers/Microsoft.ManagedIdentity/userAssignedIdentities/mine")
    );
}

#[test]
fn machines_of_the_control_plane_have_their_data_disks() {
    let mut plan = changed("public", |_| {});
    plan.platform.azure.as_mut().unwrap().control_plane.data_disks = vec![DataDisk {
        name_suffix: "etcd".to_owned(),
        size_gb: 64,
        lun: 3,
        kind: "Premium_LRS".to_owned(),
        encryption_set: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/d"
            .to_owned(),
        ..DataDisk::default()
    }];
    let ignition = Ignition { bootstrap: Some(POINTER), control_plane: Some(POINTER) };
    let all = checked(&Input { machines: true, bootstrap: true, ignition, ..input_of(&plan) });
    let disk = spec(&all, "VirtualMachine", "demo-x7k2p-master-1")["storageProfile"]["dataDisks"][0].clone();
    assert_eq!(disk["name"], "demo-x7k2p-master-1_etcd");
    let told = [disk["lun"].clone(), disk["diskSizeGB"].clone(), disk["caching"].clone()];
    assert_eq!(told, [json!(3), json!(64), json!("None")]);
    assert!(disk["managedDisk"]["diskEncryptionSet"]["reference"]["armId"].is_string(), "{disk}");
    let bootstrap = spec(&all, "VirtualMachine", "demo-x7k2p-bootstrap");
    assert_eq!(bootstrap["storageProfile"]["dataDisks"], Value::Null);
}

#[test]
fn the_control_planes_machines_stay_when_the_bootstrap_machine_goes() {
    let plan = changed("public", |_| {});
    let ignition = Ignition { bootstrap: Some(POINTER), control_plane: Some(POINTER) };
    let during = Input { machines: true, bootstrap: true, ignition, ..input_of(&plan) };
    let all = checked(&during);
    let machines =
        ["demo-x7k2p-bootstrap", "demo-x7k2p-master-0", "demo-x7k2p-master-1", "demo-x7k2p-master-2"];
    assert_eq!(names(&all, "VirtualMachine"), machines);
    let master = spec(&all, "VirtualMachine", "demo-x7k2p-master-1");
    assert_eq!(master["zones"], json!(["2"]));
    assert_eq!(master["storageProfile"]["osDisk"]["diskSizeGB"], 1024);
    let after = checked(&Input { bootstrap: false, ..during });
    let gone: Vec<&str> =
        all.keys().filter(|key| !after.contains_key(*key)).map(|(kind, _)| kind.as_str()).collect();
    let bootstrap = [
        "LoadBalancersInboundNatRule",
        "NetworkInterface",
        "NetworkSecurityGroupsSecurityRule",
        "VirtualMachine",
    ];
    assert_eq!(gone, bootstrap);
    assert!(after.iter().all(|(key, object)| all.get(key) == Some(object)));
    // Without its config a machine waits, and one that is there keeps what it has.
    let unknown = Input { bootstrap: false, ignition: Ignition::default(), ..during };
    let translation = translate(&unknown).unwrap();
    let master = translation.objects.iter().find(|one| one.name == "demo-x7k2p-master-0").unwrap();
    assert_eq!(master.hints.late_bound, ["the ignition config of the control plane's machines"]);
    assert!(!master.spec.contains_key("osProfile"));
}

fn codes(input: &Input<'_>) -> Vec<&'static str> {
    translate(input).err().unwrap_or_default().iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn what_the_operators_machines_lack_is_refused() {
    let mut plan = changed("public", |_| {});
    "Enabled".clone_into(&mut plan.platform.azure.as_mut().unwrap().control_plane.ultra_disks);
    plan.config.ssh_key = Secret::default();
    assert_eq!(codes(&Input { machines: true, ..input_of(&plan) }), ["LF1506", "LF1505"]);
    assert_eq!(codes(&input_of(&plan)), Vec::<&str>::new());
}

#[test]
fn machines_start_with_a_pointer_and_nothing_else() {
    let plan = changed("public", |_| {});
    let with = |config| {
        let ignition = Ignition { bootstrap: Some(POINTER), control_plane: Some(config) };
        codes(&Input { machines: true, ignition, ..input_of(&plan) })
    };
    let pointer = r#"{"ignition":{"version":"3.2.0","config":{"merge":[{"source":"https://x.example"}]}}}"#;
    assert_eq!(with(pointer), Vec::<&str>::new());
    let whole = r#"{"ignition":{"version":"3.2.0"},"storage":{"files":[]}}"#;
    for wrong in [whole, "{}", "[]", "ignition"] {
        assert_eq!(with(wrong), ["LF1508"], "{wrong}");
    }
}

#[test]
fn what_no_objects_can_stand_for_is_refused() {
    let mut plan = changed("byo-private", |_| {});
    "corp_work".clone_into(&mut plan.platform.azure.as_mut().unwrap().network.control_plane_subnet);
    "corp.work".clone_into(&mut plan.platform.azure.as_mut().unwrap().network.compute_subnet);
    assert_eq!(codes(&input_of(&plan)), ["LF1502"]);
    "__".clone_into(&mut plan.platform.azure.as_mut().unwrap().network.name);
    assert!(codes(&input_of(&plan)).contains(&"LF1501"));
    let mut plan = changed("public", dual_stack);
    assert_eq!(codes(&input_of(&plan)), Vec::<&str>::new());
    plan.platform.azure.as_mut().unwrap().load_balancers.ipv6_address = None;
    assert_eq!(codes(&input_of(&plan)), ["LF1503"]);
    let mut other = plan.clone();
    other.platform.azure = None;
    assert_eq!(codes(&Input { plan: &other, ..input_of(&plan) }), ["LF1500"]);
}

#[test]
fn a_record_follows_the_name_that_azure_gave() {
    let plan = changed("public", |_| {});
    let mut translation = translate(&input_of(&plan)).unwrap();
    let told =
        json!({ "status": { "dnsSettings": { "fqdn": "other.example.net" }, "ipAddress": "192.0.2.7" } });
    translation
        .bind(|kind, name| (kind == "PublicIPAddress" && name == "demo-x7k2p-pip-v4").then_some(&told));
    let of = |translation: &Translation, kind: &str| {
        let record = translation.objects.iter().find(|one| one.kind.kind == kind).unwrap();
        (record.spec.clone(), record.hints.late_bound.clone())
    };
    let (spec, late) = of(&translation, "DnsZonesCNAMERecord");
    assert_eq!((&spec["CNAMERecord"]["cname"], late), (&json!("other.example.net"), Vec::new()));
    // Where addresses have no names, the record has the address.
    let nameless = Input { cloud: Domains::default(), ..input_of(&plan) };
    checked(&nameless);
    let mut translation = translate(&nameless).unwrap();
    assert_eq!(of(&translation, "DnsZonesARecord").1.len(), 1);
    translation.bind(|kind, _| (kind == "PublicIPAddress").then_some(&told));
    let (spec, late) = of(&translation, "DnsZonesARecord");
    assert_eq!((&spec["ARecords"], late), (&json!([{ "ipv4Address": "192.0.2.7" }]), Vec::new()));
}

#[test]
fn tags_of_the_users_are_for_clouds_that_have_them() {
    let tagged = |example: &str| {
        let tags = json!({ "costcenter": "7536" });
        let plan = changed(example, |config| config["platform"]["azure"]["userTags"] = tags);
        codes(&input_of(&plan))
    };
    assert_eq!(tagged("byo-private"), ["LF1509"]);
    assert_eq!(tagged("public"), Vec::<&str>::new());
}

#[test]
fn a_patch_is_for_an_object_of_some_stage() {
    let plan = changed("public", |_| {});
    let with = |kind: &str, name: &str, machines: bool, bootstrap: bool| {
        let patches = Patches::from([((kind.to_owned(), name.to_owned()), vec!["{}".to_owned()])]);
        codes(&Input { machines, bootstrap, patches: &patches, ..input_of(&plan) })
    };
    let (network, machine) = ("demo-x7k2p-vnet", "demo-x7k2p-bootstrap");
    assert_eq!(with("VirtualNetwork", network, false, false), Vec::<&str>::new());
    assert_eq!(with("virtualnetwork", network, false, false), ["LF1510"]);
    assert_eq!(with("VirtualNetwork", "demo-x7k2p-net", true, true), ["LF1510"]);
    // The bootstrap machine goes, and the patches can stay.
    for bootstrap in [true, false] {
        assert_eq!(with("VirtualMachine", machine, true, bootstrap), Vec::<&str>::new());
        assert_eq!(with("VirtualMachine", "demo-x7k2p-master-2", true, bootstrap), Vec::<&str>::new());
    }
    assert_eq!(with("VirtualMachine", machine, false, false), ["LF1510"]);
}

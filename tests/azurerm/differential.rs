//! What landfall accepts, the real provider accepts: generated configs through `create manifests`, and then through
//! `terraform validate` and `terraform plan`.
//!
//! The modules of many configs are planned at once, as modules of one root: most of the time of a plan is the start of
//! the provider.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::azure::scene::{CLIENT, SECRET, SUBSCRIPTION, TENANT, group};
use crate::azure::shape;
use crate::installation::{Installation, plugins};
use crate::program::Landfall;

/// How many accepted configs are compared, and how many of them one plan takes.
const CONFIGS: usize = 500;
const BATCH: usize = 40;
/// How many are drawn at most. Most are refused: values are drawn one by one, whatever the others are.
const MOST: usize = 12 * CONFIGS;
/// Fewer that landfall accepts would show little.
const FEWEST: usize = 400;

const STAGES: [&str; 3] = ["vnet", "bootstrap", "cluster"];

/// The storage account of all clusters, as the stage with the bootstrap machine finds it.
const ACCOUNT: &str = "clusterofall";

/// Numbers that are always the same for the same seed.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Whether something of so many in a hundred is the case.
    fn is(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        let count = u64::try_from(all.len()).unwrap();
        &all[usize::try_from(self.next() % count).unwrap()]
    }
}

const SIZES: &[&str] = &[
    "Standard_D8s_v3",
    "Standard_D8s_v5",
    "Standard_D4s_v3",
    "Standard_DC8as_v5",
    "Standard_DC16ads_v5",
    "Standard_E8s_v5",
    "Standard_D8ps_v5",
    "Standard_L8s_v3",
];
const DISKS: &[&str] = &["Premium_LRS", "StandardSSD_LRS", "Standard_LRS", "PremiumV2_LRS", "UltraSSD_LRS"];
const DISK_SIZES: &[i64] = &[1, 15, 16, 30, 64, 100, 128, 1023, 1024, 2048, 4095, 4096, 32767];
const DIAGNOSTICS: &[&str] = &[
    "Managed",
    "Disabled",
    "UserManaged, storageAccountName: corpdiag, resourceGroup: net-rg",
    "UserManaged, storageAccountName: Corp-Diag, resourceGroup: net-rg",
];
/// Sets of disk encryption keys; the last ones cannot be any.
const SETS: &[&str] = &[
    "subscriptionId: 00000000-0000-0000-0000-000000000021, resourceGroup: keys-rg, name: disks",
    "subscriptionId: 00000000-0000-0000-0000-000000000022, resourceGroup: \"a.(b)_c\", name: d_1-",
    "subscriptionId: 00000000-0000-0000-0000-000000000021, resourceGroup: keys-rg, name: my/disks",
    "subscriptionId: production, resourceGroup: keys-rg, name: disks",
];
/// Sets of confidential machines, which may leave out their subscription.
const GUEST_SETS: &[&str] =
    &[SETS[0], "resourceGroup: keys-rg, name: disks", "name: disks", SETS[2], SETS[3]];
const IDENTITIES: &[&str] = &[
    "type: None",
    "type: UserAssigned, userAssignedIdentities: [{ name: masters, resourceGroup: ids-rg }]",
    "type: UserAssigned, userAssignedIdentities: [{ name: masters, resourceGroup: ids-rg, \
     subscription: 00000000-0000-0000-0000-000000000022 }]",
    "type: UserAssigned, userAssignedIdentities: [{ name: a/b, resourceGroup: ids-rg }]",
    "type: UserAssigned, userAssignedIdentities: [{ name: masters }]",
    "type: UserAssigned, userAssignedIdentities: [{ name: masters, resourceGroup: \"ids rg\" }]",
];
const IMAGES: &[&str] = &[
    "publisher: redhat, offer: rh-ocp-worker, sku: rh-ocp-worker, version: 413.92.2023101700",
    "publisher: RedHat, offer: rh_ocp.worker, sku: gen2, version: latest",
    "publisher: red hat, offer: rh/ocp, sku: worker, version: latest",
];
const GROUPS: &[&str] = &["cluster-rg", "cluster-rg", "Cluster.(rg)_1", "cluster/rg", "rg."];

/// A pool's settings, as lines of YAML below `platform.azure` of the pool.
fn pool(draw: &mut Draw, indent: &str) -> String {
    let mut text = String::new();
    let mut line = |line: String| writeln!(text, "{indent}{line}").unwrap();
    if draw.is(70) {
        line(format!("type: {}", draw.of(SIZES)));
    }
    if draw.is(30) {
        line(format!("zones: {}", draw.of(&["[\"1\"]", "[\"1\", \"2\", \"3\"]", "[\"2\", \"3\"]"])));
    }
    if draw.is(15) {
        line("encryptionAtHost: true".to_owned());
    }
    if draw.is(10) {
        line(format!("ultraSSDCapability: {}", draw.of(&["Enabled", "Disabled"])));
    }
    if draw.is(20) {
        line(format!("vmNetworkingType: {}", draw.of(&["Accelerated", "Basic"])));
    }
    let security = *draw.of(&["", "", "", "TrustedLaunch", "ConfidentialVM"]);
    if !security.is_empty() {
        let key = if security == "TrustedLaunch" { "trustedLaunch" } else { "confidentialVM" };
        let (boot, tpm) = (draw.of(&["Enabled", "Disabled"]), draw.of(&["Enabled", "Enabled", "Disabled"]));
        line(format!(
            "settings: {{ securityType: {security}, {key}: {{ uefiSettings: {{ secureBoot: {boot}, \
             virtualizedTrustedPlatformModule: {tpm} }} }} }}"
        ));
    }
    if draw.is(15) {
        let kind = draw.of(DIAGNOSTICS);
        line(format!("bootDiagnostics: {{ type: {kind} }}"));
    }
    let mut disk: Vec<String> = Vec::new();
    if draw.is(50) {
        disk.push(format!("diskSizeGB: {}", draw.of(DISK_SIZES)));
    }
    if draw.is(50) {
        disk.push(format!("diskType: {}", draw.of(DISKS)));
    }
    if draw.is(20) {
        disk.push(format!("diskEncryptionSet: {{ {} }}", draw.of(SETS)));
    }
    if security == "ConfidentialVM" && draw.is(80) || draw.is(5) {
        let kind = draw.of(&["DiskWithVMGuestState", "VMGuestStateOnly"]);
        let set = draw.of(GUEST_SETS);
        let set = if draw.is(50) { format!(", diskEncryptionSet: {{ {set} }}") } else { String::new() };
        disk.push(format!("securityProfile: {{ securityEncryptionType: {kind}{set} }}"));
    }
    if !disk.is_empty() {
        line(format!("osDisk: {{ {} }}", disk.join(", ")));
    }
    if draw.is(15) {
        let plan = draw.of(&["WithPurchasePlan", "NoPurchasePlan"]);
        line(format!("osImage: {{ plan: {plan}, {} }}", draw.of(IMAGES)));
    }
    if draw.is(15) {
        line(format!("identity: {{ {} }}", draw.of(IDENTITIES)));
    }
    text
}

/// A config of a cluster, which may well be wrong.
fn config(draw: &mut Draw) -> String {
    let long = format!("a{}", "b".repeat(usize::try_from(draw.next() % 60).unwrap()));
    let names = ["demo", "d", "a-b", "x1", long.as_str()];
    let name = *draw.of(&names);
    let mut platform = String::new();
    let mut line = |line: String| writeln!(platform, "    {line}").unwrap();
    let existing = draw.is(25);
    if existing {
        line("networkResourceGroupName: net-rg".to_owned());
        line("virtualNetwork: corp-vnet".to_owned());
        line("controlPlaneSubnet: masters-sn".to_owned());
        line("computeSubnet: workers-sn".to_owned());
    }
    if draw.is(40) {
        line(format!("outboundType: {}", draw.of(&["Loadbalancer", "NatGateway", "UserDefinedRouting"])));
    }
    if draw.is(15) {
        line(format!("resourceGroupName: {}", draw.of(GROUPS)));
    }
    if draw.is(25) {
        let value = "v".repeat(usize::try_from(draw.next() % 270).unwrap());
        line(format!("userTags: {{ team: blue, \"cost centre\": \"{value}\", Owner: x }}"));
    }
    if draw.is(20) {
        line(format!("defaultMachinePlatform:\n{}", pool(draw, "      ")));
    }
    let publish = draw.of(&["External", "External", "Internal"]);
    let network = draw.of(&["10.0.0.0/16", "10.0.0.0/24", "192.168.0.0/20", "10.0.0.0/28", "172.16.0.0/12"]);
    let control = pool(draw, "      ");
    let control =
        if control.is_empty() { String::new() } else { format!("  platform:\n    azure:\n{control}") };
    let (replicas, workers) = (draw.of(&[3, 3, 1, 5]), draw.of(&[3, 2, 0]));
    let architecture = if draw.is(10) { "arm64" } else { "amd64" };
    format!(
        "apiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: {name}\ncontrolPlane:\n  name: master\n  \
         architecture: {architecture}\n  replicas: {replicas}\n{control}compute:\n- name: worker\n  architecture: \
         {architecture}\n  replicas: {workers}\nnetworking:\n  machineNetwork:\n  - cidr: {network}\nplatform:\n  azure:\n    \
         region: eastus\n    baseDomainResourceGroupName: dns-rg\n{platform}publish: {publish}\npullSecret: \
         '{{\"auths\":{{\"r.example.com\":{{\"auth\":\"ZTpl\"}}}}}}'\nfeatureSet: TechPreviewNoUpgrade\n"
    )
}

/// Everything that the modules of a config are given, with outputs of earlier stages as Azure would have them.
fn variables(directory: &Path) -> Map<String, Value> {
    let mut all = Map::new();
    let files = ["terraform.tfvars.json", "terraform.platform.auto.tfvars.json", "landfall.auto.tfvars.json"];
    for name in files {
        let text = std::fs::read_to_string(directory.join("terraform").join(name)).unwrap();
        let values: Map<String, Value> = serde_json::from_str(&text).unwrap();
        all.extend(values);
    }
    let network = group("net-rg", "/providers/Microsoft.Network");
    let pool = |name: &str| json!(format!("{network}/loadBalancers/{name}/backendAddressPools/one"));
    let image = "/providers/Microsoft.Compute/galleries/gallery_x/images/x-gen2/versions/9.6.20250826";
    let outputs = json!({
        "resource_group_name": "cluster-rg",
        "storage_account_name": ACCOUNT,
        "identity": group("ids-rg", "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/masters"),
        "vm_image": group("cluster-rg", image),
        "master_subnet_id": format!("{network}/virtualNetworks/corp-vnet/subnets/masters-sn"),
        "nsg_name": "x-nsg",
        "elb_backend_pool_v4_id": pool("x"),
        "ilb_backend_pool_v4_id": pool("x-internal"),
        "virtual_network_id": format!("{network}/virtualNetworks/corp-vnet"),
        "internal_lb_ip_v4_address": "10.0.0.4",
        "public_lb_pip_v4_fqdn": "x.eastus.cloudapp.azure.com",
        "ignition_bootstrap_file": directory.join("terraform/bootstrap.ign"),
    });
    all.extend(outputs.as_object().unwrap().clone());
    all
}

/// A value as a template of terraform that gives just this value.
fn escaped(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text.replace("${", "$${").replace("%{", "%%{")),
        Value::Array(all) => all.iter().map(escaped).collect(),
        Value::Object(all) => all.iter().map(|(key, value)| (key.clone(), escaped(value))).collect(),
        other => other.clone(),
    }
}

/// The names of the variables of a module.
fn declared(module: &str) -> Vec<&str> {
    module.lines().filter_map(|line| line.strip_prefix("variable \"")?.split('"').next()).collect()
}

/// A module without its provider, which the root has.
fn without_provider(module: &str) -> String {
    let at = module.find("provider \"azurerm\" {").unwrap();
    let end = at + module[at..].find("\n}\n").unwrap() + 3;
    format!("{}{}", &module[..at], &module[end..])
}

/// One that was accepted: its text and its directory.
struct Accepted {
    text: String,
    landfall: Landfall,
}

fn generated() -> Vec<Accepted> {
    let mut draw = Draw(25);
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for _ in 0..MOST {
        if all.len() == CONFIGS {
            break;
        }
        let text = config(&mut draw);
        let landfall =
            Landfall::new(&text).with("AZURE_SUBSCRIPTION_ID", SUBSCRIPTION).with("AZURE_TENANT_ID", TENANT);
        let ran = landfall.run(&["create", "manifests", "--offline", "-o", "json"]);
        if ran.code == Some(0) {
            all.push(Accepted { text, landfall });
            continue;
        }
        assert!(matches!(ran.code, Some(3 | 4)), "{text}\n{ran}");
        for finding in ran.json()["findings"].as_array().unwrap() {
            *refusals.entry(finding["code"].as_str().unwrap().to_owned()).or_default() += 1;
        }
    }
    assert!(all.len() >= FEWEST, "only {} are accepted: {refusals:?}", all.len());
    all
}

fn terraform(installation: &Installation, folder: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("terraform")
        .args(arguments)
        .current_dir(folder)
        .envs(installation.environment())
        .env("TF_IN_AUTOMATION", "1")
        .env("TF_CLI_CONFIG_FILE", "/dev/null")
        .env("CHECKPOINT_DISABLE", "1")
        .envs([("ARM_SUBSCRIPTION_ID", SUBSCRIPTION), ("ARM_TENANT_ID", TENANT)])
        .envs([("ARM_CLIENT_ID", CLIENT), ("ARM_CLIENT_SECRET", SECRET), ("ARM_USE_CLI", "false")])
        .output()
        .unwrap();
    let told = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&told).into_owned())
}

#[test]
#[ignore = "needs terraform and azurerm"]
fn what_landfall_accepts_the_provider_accepts() {
    let installation = Installation::prepare("AzurePublicCloud", "", "", |text, scene| {
        let path = group("cluster-rg", &format!("/providers/Microsoft.Storage/storageAccounts/{ACCOUNT}"));
        let account = json!({ "location": "eastus", "kind": "StorageV2", "sku": { "name": "Standard_LRS" } });
        let account = shape::completed(&mut scene.tree, &path, account, "blob.core.windows.net");
        scene.tree.put(&path, account);
        for name in GROUPS {
            scene.tree.put(&group(name, ""), json!({ "location": "eastus", "properties": {} }));
        }
        text
    });
    let plugins = format!("-plugin-dir={}", plugins());
    for batch in generated().chunks(BATCH) {
        let root = tempfile::tempdir().unwrap();
        let first = batch[0].landfall.directory().join("terraform");
        let mut modules = Map::new();
        for stage in STAGES {
            let module = std::fs::read_to_string(first.join(stage).join("main.tf")).unwrap();
            std::fs::create_dir(root.path().join(stage)).unwrap();
            std::fs::write(root.path().join(stage).join("main.tf"), without_provider(&module)).unwrap();
            for (number, one) in batch.iter().enumerate() {
                let all = variables(one.landfall.directory());
                let names = declared(&module).into_iter();
                let own = names.filter_map(|name| Some((name.to_owned(), escaped(all.get(name)?))));
                let mut call: Map<String, Value> = own.collect();
                call.insert("source".to_owned(), json!(format!("./{stage}")));
                modules.insert(format!("c{number}_{stage}"), Value::Object(call));
            }
        }
        let main = json!({
            "provider": { "azurerm": { "features": {}, "resource_provider_registrations": "none" } },
            "module": modules,
        });
        std::fs::write(root.path().join("main.tf.json"), main.to_string()).unwrap();
        for arguments in [
            &["init", "-input=false", "-no-color", plugins.as_str()][..],
            &["validate", "-no-color"],
            &["plan", "-input=false", "-no-color", "-lock=false"],
        ] {
            let (is_accepted, told) = terraform(&installation, root.path(), arguments);
            let at = told.find("Error:").map(|at| &told[at.saturating_sub(200)..]).unwrap_or_default();
            let configs =
                batch.iter().enumerate().filter(|(number, _)| told.contains(&format!("c{number}_")));
            let texts: Vec<String> =
                configs.take(3).map(|(number, one)| format!("c{number}:\n{}", one.text)).collect();
            assert!(is_accepted, "{}: {at}\n{}", arguments[0], texts.join("\n"));
        }
    }
}

//! The machines that the operator makes: the control plane, and for a while the bootstrap machine.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_model::azure::planned::{BootDiagnostics, DataDisk, Pool, PoolImage};
use landfall_model::plan::in_turn;
use serde_json::{Map, Value, json};

use super::load_balancers::{Part, part, public_frontend};
use super::network::{Rule, add_rule, in_group};
use super::set::{Family, Object, Set, by_id, object, owner, reference};
use super::{Ignition, pages};
use crate::desired::Need;
use crate::names::object_name;

/// Size of the bootstrap machine's disk in GB.
const BOOTSTRAP_DISK: i64 = 128;
/// Who logs in to a machine.
const USER: &str = "core";
/// Azure insists on a password or a key. CoreOS takes its users from Ignition and looks at neither.
const UNUSED_PASSWORD: &str = "Never-Applied-By-CoreOS-0";
const SSH_PORT: u16 = 22;
/// The shortest text of an RSA key of 2048 bits.
const SHORTEST_RSA: usize = 369;
/// Whose the ignition configs are.
const BOOTSTRAP: &str = "bootstrap machine";
const CONTROL_PLANE: &str = "control plane's machines";

/// One machine.
struct Machine<'a> {
    name: String,
    zone: &'a str,
    disk_size: i64,
    accelerated: bool,
    /// The rule that leads to it from outside.
    nat_rule: Option<&'a str>,
    ignition: Option<&'a str>,
    /// Whose ignition config is waited for while there is none.
    role: &'static str,
}

/// Adds the machines, or says what stands against that.
pub(super) fn add(set: &mut Set<'_>) {
    check(set);
    let (id, pool, input) = (set.infra_id(), &set.azure.control_plane, set.input);
    let nat_rule = if input.bootstrap { add_way_to_bootstrap(set) } else { None };
    if input.bootstrap {
        let bootstrap = Machine {
            name: bootstrap_machine(id),
            zone: "",
            disk_size: BOOTSTRAP_DISK,
            accelerated: false,
            nat_rule: nat_rule.as_deref(),
            ignition: input.ignition.bootstrap,
            role: BOOTSTRAP,
        };
        add_machine(set, &bootstrap);
    }
    // While the bootstrap machine is made, those without a config have nothing to start with. Those that exist have
    // started.
    if input.bootstrap && input.ignition.control_plane.is_none() {
        set.keeps_machines = true;
        return;
    }
    for (i, zone) in in_turn(&pool.zones, pool.replicas).enumerate() {
        let machine = Machine {
            name: format!("{id}-master-{i}"),
            zone,
            disk_size: pool.disk.size_gb,
            accelerated: pool.accelerated_networking,
            nat_rule: None,
            ignition: input.ignition.control_plane,
            role: CONTROL_PLANE,
        };
        add_machine(set, &machine);
    }
}

/// Looks for what the operator's machines cannot have.
fn check(set: &mut Set<'_>) {
    if !set.by_operator() {
        return;
    }
    let pool = &set.azure.control_plane;
    let bought = matches!(pool.image, PoolImage::Marketplace { plan: true, .. });
    let lacking = [
        ("ultraSSDCapability", pool.ultra_disks == "Enabled", "ultra disks"),
        ("osDisk.securityProfile", !pool.security.disk_encryption.is_empty(), "an encrypted guest's state"),
        ("osImage.plan", bought, "an image with a purchase plan"),
    ];
    for (field, wanted, what) in lacking {
        if wanted {
            set.faults.push(pages::machines(&format!("controlPlane.platform.azure.{field}"), what));
        }
    }
    let has_key = set.platform.customer_managed_key.is_some();
    if has_key && set.input.bootstrap && set.input.ignition.bootstrap.is_none() {
        set.faults.push(pages::no_block_blobs());
    }
    if keys(set).is_empty() {
        set.faults.push(pages::ssh_key());
    }
    let Ignition { bootstrap, control_plane } = set.input.ignition;
    for (config, whose) in [(bootstrap, BOOTSTRAP), (control_plane, CONTROL_PLANE)] {
        if config.is_some_and(|config| !is_pointer(config)) {
            set.faults.push(pages::pointer(whose));
        }
    }
}

/// Whether an ignition config says where the whole one is, and nothing that only the whole one should. Disks that are
/// divided and mounted before the whole one is there are allowed.
#[must_use]
pub fn is_pointer(config: &str) -> bool {
    let config: Option<Map<String, Value>> = serde_json::from_str(config).ok();
    let is_mount =
        |unit: &Value| unit["name"].as_str().is_some_and(|name| name.rsplit('.').next() == Some("mount"));
    let is_open = |(part, value): (&String, &Value)| match (part.as_str(), value) {
        ("ignition", _) => true,
        ("storage", Value::Object(parts)) => {
            parts.keys().all(|part| ["disks", "filesystems"].contains(&part.as_str()))
        }
        ("systemd", Value::Object(parts)) => parts
            .iter()
            .all(|(part, units)| part == "units" && units.as_array().into_iter().flatten().all(is_mount)),
        _ => false,
    };
    config.is_some_and(|config| config.contains_key("ignition") && config.iter().all(is_open))
}

fn bootstrap_machine(infra_id: &str) -> String {
    format!("{infra_id}-bootstrap")
}

/// The name of a machine's network card.
fn card_of(machine: &str) -> String {
    format!("{machine}-nic")
}

/// The name of the rules that lead to the bootstrap machine.
fn way_to_bootstrap(infra_id: &str) -> String {
    format!("{infra_id}_ssh_in")
}

/// Whether a cluster has an object for its bootstrap machine alone: the machine, its network card, and the rules that
/// lead to it. `azure_name` is the name of the resource, as the object's spec has it.
#[must_use]
pub fn is_of_bootstrap(infra_id: &str, id: &Need, azure_name: &str) -> bool {
    let machine = bootstrap_machine(infra_id);
    let is_named = |name: &str| object_name(name).as_ref() == Some(&id.name);
    match id.kind {
        "VirtualMachine" => is_named(&machine),
        "NetworkInterface" => is_named(&card_of(&machine)),
        "NetworkSecurityGroupsSecurityRule" | "LoadBalancersInboundNatRule" => {
            azure_name == way_to_bootstrap(infra_id)
        }
        _ => false,
    }
}

/// Adds what lets people in to the bootstrap machine; gives the name of the rule of the load balancer. In a
/// network of the user's own that is the user's to do.
fn add_way_to_bootstrap(set: &mut Set<'_>) -> Option<String> {
    let azure_name = way_to_bootstrap(set.infra_id());
    if set.azure.network.new.is_some() {
        let port = SSH_PORT.to_string();
        add_rule(set, &Rule { name: &azure_name, priority: 220, port: &port, family: Family::V4 });
    }
    if !set.external_api() {
        return None;
    }
    let balancer = set.names.public.clone();
    let spec = json!({
        "azureName": azure_name,
        "owner": owner(&balancer),
        "protocol": "Tcp",
        "frontendPort": SSH_PORT,
        "backendPort": SSH_PORT,
        "frontendIPConfiguration": part(set, set.infra_id(), Part::Frontend, &public_frontend(Family::V4)),
    });
    let name = set.name_within("NAT rule", &balancer, &azure_name);
    set.add(Object::new("LoadBalancersInboundNatRule", name.clone(), spec));
    Some(name)
}

/// Adds a machine with its network card.
fn add_machine(set: &mut Set<'_>, machine: &Machine<'_>) {
    let card = card_of(&machine.name);
    let card_name = set.name("network interface", &card);
    let spec = network_interface(set, machine, &card);
    let mut object = Object::new("NetworkInterface", card_name.clone(), spec);
    object = object.needing("LoadBalancer", &set.names.internal);
    if set.has_public_balancer() {
        object = object.needing("LoadBalancer", &set.names.public);
    }
    set.add(object);
    let name = set.name("machine", &machine.name);
    let mut object = Object::new("VirtualMachine", name, virtual_machine(set, machine, &card_name));
    if machine.ignition.is_none() {
        object = object.waiting_for(format!("the ignition config of the {}", machine.role));
    }
    set.add(object);
}

fn network_interface(set: &Set<'_>, machine: &Machine<'_>, azure_name: &str) -> Value {
    let (public, internal) = (set.infra_id(), set.azure.load_balancers.internal.as_str());
    let balancers = [(public, set.has_public_balancer()), (internal, true)];
    let addresses = set.families().iter().map(|family| {
        let pools = balancers.iter().filter(|(_, is_there)| *is_there);
        let pools = pools.map(|(name, _)| part(set, name, Part::Pool, &family.pool(name)));
        let mut address = json!({
            "name": format!("pipConfig{}", family.beside()),
            "primary": *family == Family::V4,
            "privateIPAddressVersion": family.version(),
            "privateIPAllocationMethod": "Dynamic",
            "subnet": reference("VirtualNetworksSubnet", &set.names.control_plane_subnet),
            "loadBalancerBackendAddressPools": pools.collect::<Vec<Value>>(),
        });
        if let (Some(rule), Family::V4) = (machine.nat_rule, family) {
            address["loadBalancerInboundNatRules"] = json!([reference("LoadBalancersInboundNatRule", rule)]);
        }
        address
    });
    let mut spec = in_group(set, azure_name);
    spec["ipConfigurations"] = addresses.collect();
    if machine.accelerated {
        spec["enableAcceleratedNetworking"] = true.into();
    }
    spec
}

fn virtual_machine(set: &Set<'_>, machine: &Machine<'_>, card: &str) -> Value {
    let pool = &set.azure.control_plane;
    let mut spec = in_group(set, &machine.name);
    spec["hardwareProfile"] = json!({ "vmSize": pool.size });
    spec["networkProfile"] = json!({ "networkInterfaces": [{
        "primary": true,
        "deleteOption": "Detach",
        "reference": object("NetworkInterface", card),
    }] });
    spec["storageProfile"] = json!({ "imageReference": image(set, pool), "osDisk": disk(pool, machine) });
    // The bootstrap machine is in no zone, and has no disks that need one.
    if machine.role == CONTROL_PLANE && pool.ultra_disks == "Enabled" {
        spec["additionalCapabilities"] = json!({ "ultraSSDEnabled": true });
    }
    if let PoolImage::Marketplace { publisher, offer, sku, plan: true, .. } = &pool.image {
        spec["plan"] = json!({ "name": sku, "product": offer, "publisher": publisher });
    }
    if machine.role == CONTROL_PLANE && !pool.data_disks.is_empty() {
        let disks = pool.data_disks.iter().map(|disk| data_disk(disk, machine));
        spec["storageProfile"]["dataDisks"] = disks.collect();
    }
    if !machine.zone.is_empty() {
        spec["zones"] = json!([machine.zone]);
    }
    let identities = identities(set);
    if !identities.is_empty() {
        spec["identity"] = json!({ "type": "UserAssigned", "userAssignedIdentities": identities });
    }
    if let Some(security) = security(pool) {
        spec["securityProfile"] = security;
    }
    if let Some(diagnostics) = &pool.boot_diagnostics {
        spec["diagnosticsProfile"] = json!({ "bootDiagnostics": match diagnostics {
            BootDiagnostics::Disabled => json!({ "enabled": false }),
            BootDiagnostics::Managed => json!({ "enabled": true }),
            BootDiagnostics::Account { uri } => json!({ "enabled": true, "storageUri": uri }),
        } });
    }
    if let Some(ignition) = machine.ignition {
        let keys = keys(set).into_iter();
        let keys: Vec<Value> = keys
            .map(|key| json!({ "path": format!("/home/{USER}/.ssh/authorized_keys"), "keyData": key }))
            .collect();
        let mut profile = json!({
            "computerName": machine.name,
            "adminUsername": USER,
            "customData": STANDARD.encode(ignition),
            "linuxConfiguration": { "disablePasswordAuthentication": true, "provisionVMAgent": false },
        });
        if keys.is_empty() {
            profile["adminPassword"] = UNUSED_PASSWORD.into();
            profile["linuxConfiguration"]["disablePasswordAuthentication"] = false.into();
        } else {
            profile["linuxConfiguration"]["ssh"] = json!({ "publicKeys": keys });
        }
        spec["osProfile"] = profile;
    }
    spec
}

/// The public keys of those who may log in that Azure takes. CoreOS has all of them from Ignition.
fn keys<'a>(set: &Set<'a>) -> Vec<&'a str> {
    set.input.plan.config.ssh_key.expose().lines().map(str::trim).filter(|line| is_taken(line)).collect()
}

/// Whether Azure takes a key: Ed25519, or RSA of at least 2048 bits, without options before it.
fn is_taken(line: &str) -> bool {
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    let key = rest.split_whitespace().next().unwrap_or_default();
    kind == "ssh-ed25519" || kind == "ssh-rsa" && key.len() >= SHORTEST_RSA
}

/// The identities of the machines: the user's, or the one that is made.
fn identities(set: &Set<'_>) -> Vec<Value> {
    if let Some(given) = &set.azure.control_plane.identities {
        return given.iter().map(|id| by_id(id)).collect();
    }
    let made = Some(&set.names.identity).filter(|made| !made.is_empty());
    made.map(|made| reference("UserAssignedIdentity", made)).into_iter().collect()
}

fn image(set: &Set<'_>, pool: &Pool) -> Value {
    match &pool.image {
        PoolImage::Cluster { resource_id } => {
            let release = &set.azure.image.release;
            let newest = resource_id.strip_suffix("latest").filter(|_| !release.is_empty());
            let image = newest.map_or_else(|| resource_id.clone(), |versions| format!("{versions}{release}"));
            by_id(&format!("/subscriptions/{}{image}", set.subscription()))
        }
        PoolImage::Marketplace { publisher, offer, sku, version, .. } => {
            json!({ "publisher": publisher, "offer": offer, "sku": sku, "version": version })
        }
    }
}

fn disk(pool: &Pool, machine: &Machine<'_>) -> Value {
    let mut managed = json!({ "storageAccountType": pool.disk.kind });
    if !pool.disk.encryption_set.is_empty() {
        managed["diskEncryptionSet"] = by_id(&pool.disk.encryption_set);
    }
    let security = &pool.security;
    if !security.disk_encryption.is_empty() {
        managed["securityProfile"] = json!({ "securityEncryptionType": security.disk_encryption });
        if !security.disk_encryption_set.is_empty() {
            managed["securityProfile"]["diskEncryptionSet"] = by_id(&security.disk_encryption_set);
        }
    }
    json!({
        "name": format!("{}_OSDisk", machine.name),
        "createOption": "FromImage",
        "deleteOption": "Delete",
        "diskSizeGB": machine.disk_size,
        "caching": "ReadOnly",
        "osType": "Linux",
        "managedDisk": managed,
    })
}

/// A disk besides that, which goes with its machine.
fn data_disk(disk: &DataDisk, machine: &Machine<'_>) -> Value {
    let mut managed = Map::new();
    if !disk.kind.is_empty() {
        managed.insert("storageAccountType".to_owned(), disk.kind.as_str().into());
    }
    if !disk.encryption_set.is_empty() {
        managed.insert("diskEncryptionSet".to_owned(), by_id(&disk.encryption_set));
    }
    json!({
        "name": format!("{}_{}", machine.name, disk.name_suffix),
        "createOption": "Empty",
        "deleteOption": "Delete",
        "lun": disk.lun,
        "diskSizeGB": disk.size_gb,
        "caching": if disk.caching.is_empty() { "None" } else { disk.caching.as_str() },
        "managedDisk": managed,
    })
}

/// What protects a machine from its host; none where nothing does.
fn security(pool: &Pool) -> Option<Value> {
    let security = &pool.security;
    let mut profile = Map::new();
    if security.encryption_at_host {
        profile.insert("encryptionAtHost".to_owned(), true.into());
    }
    if !security.kind.is_empty() {
        profile.insert("securityType".to_owned(), security.kind.as_str().into());
    }
    if let Some(firmware) = &security.firmware {
        let settings = [("secureBootEnabled", &firmware.secure_boot), ("vTpmEnabled", &firmware.tpm)];
        let settings = settings.into_iter().filter(|(_, value)| !value.is_empty());
        let settings = settings.map(|(name, value)| (name.to_owned(), Value::Bool(value == "Enabled")));
        profile.insert("uefiSettings".to_owned(), settings.collect());
    }
    (!profile.is_empty()).then(|| profile.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pointer_may_divide_disks_and_bring_nothing_else() {
        let with = |part: &str| is_pointer(&format!(r#"{{"ignition":{{"version":"3.2.0"}}{part}}}"#));
        assert!(with(""));
        let disks = r#","storage":{"disks":[{}],"filesystems":[{}]}"#;
        assert!(with(disks) && with(&format!(r#"{disks},"systemd":{{"units":[{{"name":"var.mount"}}]}}"#)));
        for whole in [
            r#","storage":{"files":[]}"#,
            r#","systemd":{"units":[{"name":"a.service"}]}"#,
            r#","passwd":{}"#,
            r#","storage":[]"#,
        ] {
            assert!(!with(whole), "{whole}");
        }
        assert!(!is_pointer("{}") && !is_pointer("["));
    }

    #[test]
    fn what_only_the_bootstrap_machine_needs_is_known_by_its_name() {
        let is_temporary = |kind: &'static str, name: &str, azure_name: &str| {
            is_of_bootstrap("demo-x7k2p", &Need { kind, name: name.to_owned() }, azure_name)
        };
        assert!(is_temporary("VirtualMachine", "demo-x7k2p-bootstrap", "demo-x7k2p-bootstrap"));
        assert!(is_temporary("NetworkInterface", "demo-x7k2p-bootstrap-nic", ""));
        let rules = ["NetworkSecurityGroupsSecurityRule", "LoadBalancersInboundNatRule"];
        assert!(rules.iter().all(|kind| is_temporary(kind, "any", "demo-x7k2p_ssh_in")));
        assert!(!is_temporary("VirtualMachine", "demo-x7k2p-master-0", "demo-x7k2p-master-0"));
        assert!(!is_temporary("NetworkInterface", "demo-x7k2p-master-0-nic", ""));
        assert!(!is_temporary("NetworkSecurityGroupsSecurityRule", "any", "apiserver_in"));
        assert!(!is_temporary("StorageAccount", "demo-x7k2p-bootstrap", "demo-x7k2p_ssh_in"));
    }
}

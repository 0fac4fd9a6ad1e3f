//! Machines on Azure: `assets.md`, B.10.

use std::collections::BTreeMap;

use landfall_model::azure::planned::{BootDiagnostics, DataDisk, Disk, Network, Pool, PoolImage, Security};
use landfall_model::plan::{Since, in_turn, spread};
use landfall_render::{MachineAssets, MachineSet};
use serde_json::{Map, Value, json};

use super::Rendering;

/// Every machine of the cluster.
pub(super) fn machines(rendering: &Rendering<'_>) -> MachineAssets {
    let pool = &rendering.azure.control_plane;
    let zones = in_turn(&pool.zones, pool.replicas);
    let subnet = rendering.azure.network.control_plane_subnet.as_str();
    // With several zones the machine set chooses the zone of a machine; a single one is part of it.
    let today = rendering.plan.has(Since::Today);
    let (template_zone, failure_domains) = match pool.zones.as_slice() {
        several @ [_, _, ..] => ("", Some(failure_domains(several, today))),
        one => (one.first().map_or("", String::as_str), (!today).then(|| json!({ "platform": "" }))),
    };
    MachineAssets {
        cluster_api_sets: Vec::new(),
        control_plane: zones.map(|zone| rendering.provider(pool, "master", zone, subnet)).collect(),
        template: rendering.provider(pool, "master", template_zone, subnet),
        failure_domains,
        sets: rendering.azure.compute.iter().flat_map(|pool| rendering.sets(pool)).collect(),
    }
}

/// Where the machines of a set are.
#[derive(Debug, PartialEq, Eq)]
struct Place<'a> {
    zone: &'a str,
    subnet: &'a str,
    /// Suffix that distinguishes the sets of one zone; empty for the first.
    suffix: String,
}

/// The places of a pool's machine sets: a zone with its subnet. Subnets without a zone take turns.
fn places<'a>(network: &'a Network, zones: &'a [String]) -> Vec<Place<'a>> {
    let subnets = &network.compute_subnets;
    if subnets.iter().any(|subnet| !subnet.zone.is_empty()) {
        let of = |zone: &'a String| subnets.iter().filter(move |subnet| subnet.zone == *zone).enumerate();
        let mut places: Vec<(usize, Place<'a>)> = Vec::new();
        for zone in zones {
            places.extend(of(zone).map(|(n, subnet)| {
                let suffix = if n == 0 { String::new() } else { format!("-{n}") };
                (n, Place { zone, subnet: &subnet.name, suffix })
            }));
        }
        // Every zone has one set before one has two.
        places.sort_by_key(|(n, _)| *n);
        return places.into_iter().map(|(_, place)| place).collect();
    }
    let mut turns = subnets.iter().map(|subnet| subnet.name.as_str()).cycle();
    let mut subnet = || turns.next().unwrap_or(network.compute_subnet.as_str());
    zones.iter().map(|zone| Place { zone, subnet: subnet(), suffix: String::new() }).collect()
}

/// The zones of the control plane: from 4.19 on in the order of the pool, before that sorted.
fn failure_domains(zones: &[String], in_order: bool) -> Value {
    let mut zones = zones.to_vec();
    if !in_order {
        zones.sort();
    }
    let domains: Vec<Value> = zones.iter().map(|zone| json!({ "zone": zone })).collect();
    json!({ "azure": domains, "platform": "Azure" })
}

impl Rendering<'_> {
    fn sets(&self, pool: &Pool) -> Vec<MachineSet> {
        let places = places(&self.azure.network, &pool.zones);
        let replicas = spread(pool.replicas, places.len());
        let sets = places.into_iter().zip(replicas);
        sets.map(|(place, replicas)| MachineSet {
            name: format!("{}-{}-{}{}{}", self.id, pool.name, self.azure.location, place.zone, place.suffix),
            role: "worker",
            replicas,
            labelled: true,
            provider: self.provider(pool, "worker", place.zone, place.subnet),
            node_labels: BTreeMap::new(),
            taints: Vec::new(),
        })
        .collect()
    }

    /// `spec.providerSpec.value` of a machine; `zone` is empty where there are none.
    fn provider(&self, pool: &Pool, role: &str, zone: &str, subnet: &str) -> Value {
        let azure = self.azure;
        let network = &azure.network;
        let mut value = json!({
            "apiVersion": "machine.openshift.io/v1beta1",
            "credentialsSecret": { "name": "azure-cloud-credentials", "namespace": "openshift-machine-api" },
            "diagnostics": self.diagnostics(pool, role),
            "image": image(&pool.image),
            "kind": "AzureMachineProviderSpec",
            "location": azure.location,
            "metadata": { "creationTimestamp": null },
            "networkResourceGroup": network.resource_group,
            "osDisk": os_disk(&pool.disk, &pool.security),
            "publicIP": false,
            "resourceGroup": azure.groups.cluster,
            "securityProfile": security_profile(&pool.security),
            "subnet": subnet,
            "userDataSecret": { "name": format!("{role}-user-data") },
            "vmSize": pool.size,
            "vnet": network.name,
        });
        if let Value::Object(fields) = &mut value {
            fields.extend(self.optional(pool, role, zone));
        }
        value
    }

    /// Where the first messages of a machine go. A storage account that Azure manages needs no choice.
    fn diagnostics(&self, pool: &Pool, role: &str) -> Value {
        let by_default = role == "master" && !self.azure.cloud.stack && self.plan.has(Since::Today);
        let managed = json!({ "boot": { "storageAccountType": "AzureManaged" } });
        match &pool.boot_diagnostics {
            Some(BootDiagnostics::Account { uri }) => {
                let account = json!({ "storageAccountURI": uri });
                json!({ "boot": { "customerManaged": account, "storageAccountType": "CustomerManaged" } })
            }
            Some(BootDiagnostics::Managed) => managed,
            None if by_default => managed,
            _ => json!({}),
        }
    }

    /// The fields that only some machines have.
    fn optional(&self, pool: &Pool, role: &str, zone: &str) -> Map<String, Value> {
        let azure = self.azure;
        let internal = if role == "master" { azure.load_balancers.internal.as_str() } else { "" };
        let set = if azure.cloud.stack { format!("{}-cluster", self.id) } else { String::new() };
        let texts = [
            ("availabilitySet", set.as_str()),
            ("internalLoadBalancer", internal),
            ("managedIdentity", identity(&azure.identity, pool.identities.as_deref())),
            ("publicLoadBalancer", azure.load_balancers.public.as_str()),
            ("ultraSSDCapability", pool.ultra_disks.as_str()),
            ("zone", zone),
        ];
        let mut fields = said(&texts);
        if !pool.data_disks.is_empty() {
            fields.insert("dataDisks".to_owned(), pool.data_disks.iter().map(data_disk).collect());
        }
        if pool.accelerated_networking {
            fields.insert("acceleratedNetworking".to_owned(), true.into());
        }
        if !azure.user_tags.is_empty() {
            fields.insert("tags".to_owned(), json!(azure.user_tags));
        }
        fields
    }
}

/// The texts that say something.
fn said(texts: &[(&str, &str)]) -> Map<String, Value> {
    let said = texts.iter().filter(|(_, text)| !text.is_empty());
    said.map(|(name, text)| ((*name).to_owned(), Value::from(*text))).collect()
}

/// The one identity that a machine can name: the first of the user's, or the one that is made.
fn identity<'a>(made: &'a str, chosen: Option<&'a [String]>) -> &'a str {
    chosen.map_or(made, |ids| ids.first().map_or("", String::as_str))
}

fn image(image: &PoolImage) -> Value {
    match image {
        PoolImage::Cluster { resource_id } => {
            json!({ "offer": "", "publisher": "", "resourceID": resource_id, "sku": "", "version": "" })
        }
        PoolImage::Marketplace { publisher, offer, sku, version, plan } => json!({
            "offer": offer,
            "publisher": publisher,
            "resourceID": "",
            "sku": sku,
            "type": if *plan { "MarketplaceWithPlan" } else { "MarketplaceNoPlan" },
            "version": version,
        }),
    }
}

/// A disk that goes with its machine. The number 0 is left out, as the API does.
fn data_disk(disk: &DataDisk) -> Value {
    let mut managed = said(&[("storageAccountType", disk.kind.as_str())]);
    if !disk.encryption_set.is_empty() {
        managed.insert("diskEncryptionSet".to_owned(), json!({ "id": disk.encryption_set }));
    }
    let mut fields = said(&[("cachingType", disk.caching.as_str())]);
    fields.insert("deletionPolicy".to_owned(), "Delete".into());
    fields.insert("diskSizeGB".to_owned(), disk.size_gb.into());
    fields.insert("managedDisk".to_owned(), managed.into());
    fields.insert("nameSuffix".to_owned(), disk.name_suffix.as_str().into());
    if disk.lun != 0 {
        fields.insert("lun".to_owned(), disk.lun.into());
    }
    fields.into()
}

fn os_disk(disk: &Disk, security: &Security) -> Value {
    let mut profile = said(&[("securityEncryptionType", security.disk_encryption.as_str())]);
    let set = said(&[("id", security.disk_encryption_set.as_str())]);
    profile.insert("diskEncryptionSet".to_owned(), set.into());
    let mut managed = json!({ "securityProfile": profile, "storageAccountType": disk.kind });
    if !disk.encryption_set.is_empty() {
        managed["diskEncryptionSet"] = json!({ "id": disk.encryption_set });
    }
    json!({ "diskSettings": {}, "diskSizeGB": disk.size_gb, "managedDisk": managed, "osType": "Linux" })
}

fn security_profile(security: &Security) -> Value {
    let mut settings = said(&[("securityType", security.kind.as_str())]);
    if let Some(firmware) = &security.firmware {
        let uefi = said(&[
            ("secureBoot", firmware.secure_boot.as_str()),
            ("virtualizedTrustedPlatformModule", firmware.tpm.as_str()),
        ]);
        // The settings stand under the kind of protection, spelled as a field.
        let field = if security.kind == "ConfidentialVM" { "confidentialVM" } else { "trustedLaunch" };
        settings.insert(field.to_owned(), json!({ "uefiSettings": uefi }));
    }
    let mut profile = json!({ "settings": settings });
    if security.encryption_at_host {
        profile["encryptionAtHost"] = true.into();
    }
    profile
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::azure::planned::{ComputeSubnet, Firmware};

    #[test]
    fn machines_name_the_identity_that_their_pool_chooses() {
        let ids = ["first".to_owned(), "second".to_owned()];
        assert_eq!(identity("made", None), "made");
        assert_eq!(identity("made", Some(&ids)), "first");
        assert_eq!(identity("made", Some(&[])), "");
    }

    #[test]
    fn plain_machines_have_empty_profiles() {
        let disk = Disk { kind: "Premium_LRS".to_owned(), size_gb: 128, encryption_set: String::new() };
        let security = Security::default();
        let managed =
            json!({ "securityProfile": { "diskEncryptionSet": {} }, "storageAccountType": "Premium_LRS" });
        assert_eq!(os_disk(&disk, &security)["managedDisk"], managed);
        assert_eq!(security_profile(&security), json!({ "settings": {} }));
    }

    #[test]
    fn confidential_machines_say_what_is_encrypted() {
        let firmware = Firmware { secure_boot: "Enabled".to_owned(), tpm: "Enabled".to_owned() };
        let security = Security {
            kind: "ConfidentialVM".to_owned(),
            firmware: Some(firmware),
            disk_encryption: "DiskWithVMGuestState".to_owned(),
            disk_encryption_set: "/set".to_owned(),
            ..Security::default()
        };
        let settings = json!({
            "confidentialVM": {
                "uefiSettings": { "secureBoot": "Enabled", "virtualizedTrustedPlatformModule": "Enabled" },
            },
            "securityType": "ConfidentialVM",
        });
        assert_eq!(security_profile(&security), json!({ "settings": settings }));
        let disk = Disk { kind: "Premium_LRS".to_owned(), size_gb: 128, encryption_set: String::new() };
        let profile = json!({
            "diskEncryptionSet": { "id": "/set" },
            "securityEncryptionType": "DiskWithVMGuestState",
        });
        assert_eq!(os_disk(&disk, &security)["managedDisk"]["securityProfile"], profile);
    }

    #[test]
    fn data_disks_go_with_their_machine() {
        let disk = DataDisk { name_suffix: "etcd".to_owned(), size_gb: 64, ..DataDisk::default() };
        let written = json!({
            "deletionPolicy": "Delete", "diskSizeGB": 64, "managedDisk": {}, "nameSuffix": "etcd",
        });
        assert_eq!(data_disk(&disk), written);
        let disk = DataDisk {
            lun: 7,
            caching: "ReadOnly".to_owned(),
            kind: "Premium_LRS".to_owned(),
            encryption_set: "/set".to_owned(),
            ..disk
        };
        let written = json!({
            "cachingType": "ReadOnly",
            "deletionPolicy": "Delete",
            "diskSizeGB": 64,
            "lun": 7,
            "managedDisk": { "diskEncryptionSet": { "id": "/set" }, "storageAccountType": "Premium_LRS" },
            "nameSuffix": "etcd",
        });
        assert_eq!(data_disk(&disk), written);
    }

    fn network(subnets: &[(&str, &str)]) -> Network {
        let compute_subnets = subnets.iter().map(|(name, zone)| ComputeSubnet {
            name: (*name).to_owned(),
            zone: (*zone).to_owned(),
            addresses: Vec::new(),
        });
        Network {
            resource_group: String::new(),
            name: String::new(),
            control_plane_subnet: "masters".to_owned(),
            compute_subnet: "workers".to_owned(),
            security_group: String::new(),
            route_table: String::new(),
            new: None,
            compute_subnets: compute_subnets.collect(),
            nat_gateways: Vec::new(),
        }
    }

    #[test]
    fn machine_sets_are_in_the_subnets_of_their_zones() {
        let zones = ["1".to_owned(), "2".to_owned(), "3".to_owned()];
        let found = |subnets: &[(&str, &str)]| -> Vec<String> {
            let network = network(subnets);
            let places = places(&network, &zones);
            places.iter().map(|place| format!("{}{}: {}", place.zone, place.suffix, place.subnet)).collect()
        };
        assert_eq!(found(&[]), ["1: workers", "2: workers", "3: workers"]);
        assert_eq!(found(&[("a", ""), ("b", "")]), ["1: a", "2: b", "3: a"]);
        let in_zones = [("a", "1"), ("b", "2"), ("c", "1")];
        assert_eq!(found(&in_zones), ["1: a", "2: b", "1-1: c"]);
    }

    #[test]
    fn failure_domains_have_the_order_of_their_release() {
        let zones = ["3".to_owned(), "1".to_owned()];
        let [first, third] = ["1", "3"].map(|zone| json!({ "zone": zone }));
        assert_eq!(failure_domains(&zones, true)["azure"], json!([third, first]));
        assert_eq!(failure_domains(&zones, false)["azure"], json!([first, third]));
    }
}

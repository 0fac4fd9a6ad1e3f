//! The machine pools: sizes, zones, disks, images (`assets.md`, B.10).

use std::collections::BTreeSet;

use landfall_diagnostics::Findings;
use landfall_model::azure::config::{DiskEncryptionSet, MachinePool, UefiSettings};
use landfall_model::azure::planned::{BootDiagnostics, Disk, Firmware, Pool, PoolImage, Security};
use landfall_model::catalogue::Role;
use landfall_model::config;
use landfall_model::plan::replicas;
use landfall_rules::allowance;

use super::sizes::{self, ACCELERATED, Chosen, Wish};
use super::{Planning, cloud_pages, data_disks, disks, identities, location, pages};
use crate::rules::confidential::{CONFIDENTIAL, WHOLE_DISK};

/// The control plane and the compute pools.
type Pools = (Pool, Vec<Pool>);

/// Decides every pool. None, with the reasons in `out`, when one could not be decided.
pub(super) fn choose(planning: &Planning<'_>, out: &mut Findings) -> Option<Pools> {
    let facts = planning.facts;
    if facts.sizes.is_empty() && facts.location.name.is_empty() {
        out.push(location::unknown(planning));
        return None;
    }
    let config = planning.case.config;
    let control_plane = config.control_plane.as_ref();
    let control_plane =
        control_plane.and_then(|given| pool(planning, "controlPlane", Role::ControlPlane, given, out));
    let mut compute = Vec::new();
    for (i, given) in config.compute.iter().enumerate() {
        compute.extend(pool(planning, &format!("compute[{i}]"), Role::Compute, given, out));
    }
    Some((control_plane?, compute))
}

fn pool(
    planning: &Planning<'_>,
    path: &str,
    role: Role,
    given: &config::MachinePool,
    out: &mut Findings,
) -> Option<Pool> {
    let none = MachinePool::default();
    let settings = given.platform.azure.as_ref().unwrap_or(&none);
    let disk = disk(planning, role, settings);
    disks::check(path, settings, out);
    let wish = Wish { path, role, architecture: &given.architecture, settings, disk_type: &disk.kind };
    let chosen = sizes::choose(planning, &wish, out)?;
    let generation = sizes::generation(planning, &wish, &chosen, out)?;
    let zones = zones(planning, &wish, &chosen, out);
    Some(Pool {
        name: given.name.clone(),
        replicas: replicas(given),
        architecture: given.architecture.clone(),
        size: chosen.name.to_owned(),
        zones,
        accelerated_networking: is_accelerated(settings, &chosen),
        data_disks: data_disks::choose(path, settings, &given.disk_setup, out),
        ultra_disks: settings.ultra_ssd_capability.clone(),
        image: image(planning, settings, &generation),
        hyper_v_generation: generation,
        security: security(planning, settings),
        identities: identities::chosen(planning, settings),
        offers: sizes::offers(planning, &wish),
        boot_diagnostics: boot_diagnostics(planning, path, settings, out),
        disk,
    })
}

/// Where the machines write their boot diagnostics, if the pool says it.
fn boot_diagnostics(
    planning: &Planning<'_>,
    path: &str,
    settings: &MachinePool,
    out: &mut Findings,
) -> Option<BootDiagnostics> {
    let given = settings.boot_diagnostics.as_ref()?;
    match given.kind.as_str() {
        "Disabled" => Some(BootDiagnostics::Disabled),
        "Managed" => Some(BootDiagnostics::Managed),
        _ => {
            let cloud = planning.case.catalogue.azure.cloud(&planning.platform.cloud_name);
            let domain = cloud.map_or("", |(_, cloud)| cloud.storage_endpoint_suffix.as_str());
            if domain.is_empty() {
                let field = format!("{path}.platform.azure.bootDiagnostics");
                out.push(pages::no_storage_domain(&field, &planning.platform.cloud_name));
            }
            let uri = format!("https://{}.blob.{domain}", given.storage_account_name);
            Some(BootDiagnostics::Account { uri })
        }
    }
}

/// The zones of the pool, else those of its size; one without a name where there are none.
fn zones(planning: &Planning<'_>, wish: &Wish<'_>, chosen: &Chosen<'_>, out: &mut Findings) -> Vec<String> {
    let given = &wish.settings.zones;
    let mut there: Vec<String> = sizes::zones(planning, chosen).into_iter().map(str::to_owned).collect();
    let closed = there.is_empty() && !chosen.size.zones.is_empty();
    if let Some(profile) = planning.case.catalogue.allowance.as_ref().filter(|_| closed) {
        let field = format!("{}.platform.azure.type", wish.path);
        out.push(allowance::lacking_everywhere(profile, planning.location(), chosen.name, field));
    } else {
        check_zones(planning, wish, chosen, &there, out);
    }
    there.sort();
    match (given.is_empty(), there.is_empty()) {
        // A machine set has the name of its zone, so that two of one zone would be one object.
        (false, _) if wish.role == Role::Compute => {
            let mut seen = BTreeSet::new();
            given.iter().filter(|zone| seen.insert(zone.as_str())).cloned().collect()
        }
        (false, _) => given.clone(),
        (true, false) => there,
        (true, true) => vec![String::new()],
    }
}

/// Says which of the zones that a pool names do not have its size, and who says so: the location or the cloud
/// profile. `there` are the zones that do have it.
fn check_zones(
    planning: &Planning<'_>,
    wish: &Wish<'_>,
    chosen: &Chosen<'_>,
    there: &[String],
    out: &mut Findings,
) {
    let (catalogue, location, name) = (planning.case.catalogue, planning.location(), chosen.name);
    let mut missing: Vec<&str> = Vec::new();
    for (i, zone) in wish.settings.zones.iter().enumerate() {
        match &catalogue.allowance {
            Some(profile) if !catalogue.allows_type_in(location, zone, name) => {
                let field = format!("{}.platform.azure.zones[{i}]", wish.path);
                out.push(allowance::lacking_in(profile, location, zone, name, field));
            }
            _ if !chosen.size.zones.contains(zone) => missing.push(zone),
            _ => {}
        }
    }
    // A size that is closed in the whole location is told already.
    if !missing.is_empty() && chosen.size.restriction.is_empty() {
        out.push(if planning.asked() {
            cloud_pages::size_not_in_zones(wish.path, name, &missing, there)
        } else {
            pages::zones_not_offered(wish.path, name, &missing, there)
        });
    }
}

/// Accelerated networking is used where the size has it, unless the config says otherwise.
fn is_accelerated(settings: &MachinePool, chosen: &Chosen<'_>) -> bool {
    match settings.vm_networking_type.as_str() {
        "" => chosen.has(ACCELERATED) == Some(true),
        given => given == "Accelerated",
    }
}

fn disk(planning: &Planning<'_>, role: Role, settings: &MachinePool) -> Disk {
    let given = &settings.os_disk;
    let default =
        planning.catalogue().os_disk(&planning.platform.cloud_name, role).cloned().unwrap_or_default();
    let own = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    Disk {
        kind: own(&given.disk_type).unwrap_or(default.kind),
        size_gb: if given.disk_size_gb == 0 { default.size_gb.into() } else { given.disk_size_gb.into() },
        encryption_set: encryption_set(&planning.facts.subscription_id, given.disk_encryption_set.as_ref()),
    }
}

/// The resource id of a set of disk encryption keys, which is in the subscription `own` unless it names another; empty
/// without a set.
fn encryption_set(own: &str, set: Option<&DiskEncryptionSet>) -> String {
    set.map_or_else(String::new, |set| {
        let subscription = if set.subscription_id.is_empty() { own } else { &set.subscription_id };
        let (group, name) = (&set.resource_group, &set.name);
        let compute = "providers/Microsoft.Compute/diskEncryptionSets";
        format!("/subscriptions/{subscription}/resourceGroups/{group}/{compute}/{name}")
    })
}

fn image(planning: &Planning<'_>, settings: &MachinePool, generation: &str) -> PoolImage {
    let given = &settings.os_image;
    if !given.publisher.is_empty() {
        return PoolImage::Marketplace {
            publisher: given.publisher.clone(),
            offer: given.offer.clone(),
            sku: given.sku.clone(),
            version: given.version.clone(),
            plan: given.plan != "NoPurchasePlan",
        };
    }
    let id = planning.id();
    let compute = format!("/resourceGroups/{}/providers/Microsoft.Compute", planning.group());
    if planning.stack() {
        // A Stack Hub has no galleries: the image stands by itself.
        return PoolImage::Cluster { resource_id: format!("{compute}/images/{id}") };
    }
    // Names of galleries have no dashes.
    let gallery = id.replace('-', "_");
    let suffix = if generation == "V2" { "-gen2" } else { "" };
    let resource_id = format!("{compute}/galleries/gallery_{gallery}/images/{id}{suffix}/versions/latest");
    PoolImage::Cluster { resource_id }
}

fn security(planning: &Planning<'_>, settings: &MachinePool) -> Security {
    let kind = settings.settings.as_ref().map(|security| security.security_type.clone()).unwrap_or_default();
    let profile = settings.os_disk.security_profile.as_ref();
    let profile = profile.filter(|profile| !profile.security_encryption_type.is_empty());
    let encryption = profile.map(|profile| profile.security_encryption_type.clone()).unwrap_or_default();
    Security {
        encryption_at_host: settings.encryption_at_host,
        firmware: firmware(settings, &kind, &encryption),
        kind,
        disk_encryption: encryption,
        disk_encryption_set: encryption_set(
            &planning.facts.subscription_id,
            profile.and_then(|p| p.disk_encryption_set.as_ref()),
        ),
    }
}

/// The firmware settings of the kind of protection that is chosen, for a disk with this encryption.
fn firmware(settings: &MachinePool, kind: &str, encryption: &str) -> Option<Firmware> {
    let security = settings.settings.as_ref()?;
    let launches = [(CONFIDENTIAL, &security.confidential_vm), ("TrustedLaunch", &security.trusted_launch)];
    let (_, launch) = launches.into_iter().find(|(name, _)| *name == kind)?;
    let given: &UefiSettings = launch.as_ref()?.uefi_settings.as_ref()?;
    // Azure creates no confidential VM without a virtual TPM, nor one whose whole disk is encrypted without
    // secure boot. A switch that the config leaves out is therefore on.
    let confidential = kind == CONFIDENTIAL;
    let switch = |given: Option<&String>, needed: bool| match given {
        Some(given) => given.clone(),
        None if needed => "Enabled".to_owned(),
        None => String::new(),
    };
    Some(Firmware {
        secure_boot: switch(given.secure_boot.as_ref(), confidential && encryption == WHOLE_DISK),
        tpm: switch(given.virtualized_trusted_platform_module.as_ref(), confidential),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::azure::config::{Launch, SecuritySettings};

    #[test]
    fn firmware_is_that_of_the_chosen_protection() {
        let uefi = UefiSettings { secure_boot: Some("Enabled".to_owned()), ..UefiSettings::default() };
        let launch = Launch { uefi_settings: Some(uefi) };
        let security = SecuritySettings {
            security_type: "TrustedLaunch".to_owned(),
            trusted_launch: Some(launch),
            ..SecuritySettings::default()
        };
        let settings = MachinePool { settings: Some(security), ..MachinePool::default() };
        let firmware = |kind: &str| firmware(&settings, kind, "").map(|firmware| firmware.secure_boot);
        assert_eq!(firmware("TrustedLaunch"), Some("Enabled".to_owned()));
        assert_eq!(firmware("ConfidentialVM"), None);
        assert_eq!(firmware(""), None);
    }

    #[test]
    fn a_confidential_vm_has_the_firmware_that_azure_needs() {
        let launch = |uefi: UefiSettings| Some(Launch { uefi_settings: Some(uefi) });
        let planned = |kind: &str, encryption: &str, uefi: &UefiSettings| {
            let security = SecuritySettings {
                security_type: kind.to_owned(),
                confidential_vm: launch(uefi.clone()),
                trusted_launch: launch(uefi.clone()),
            };
            let settings = MachinePool { settings: Some(security), ..MachinePool::default() };
            firmware(&settings, kind, encryption)
        };
        let switches = |secure_boot: &str, tpm: &str| {
            Some(Firmware { secure_boot: secure_boot.to_owned(), tpm: tpm.to_owned() })
        };
        let unset = UefiSettings::default();
        assert_eq!(planned(CONFIDENTIAL, "VMGuestStateOnly", &unset), switches("", "Enabled"));
        assert_eq!(planned(CONFIDENTIAL, WHOLE_DISK, &unset), switches("Enabled", "Enabled"));
        assert_eq!(planned("TrustedLaunch", "", &unset), switches("", ""));
        let given = UefiSettings { secure_boot: Some("Disabled".to_owned()), ..unset };
        assert_eq!(planned(CONFIDENTIAL, "VMGuestStateOnly", &given), switches("Disabled", "Enabled"));
    }

    #[test]
    fn encryption_sets_are_named_by_their_resource_id() {
        let set = DiskEncryptionSet {
            subscription_id: "s".to_owned(),
            resource_group: "g".to_owned(),
            name: "n".to_owned(),
        };
        let id = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/n";
        assert_eq!(encryption_set("own", Some(&set)), id);
        assert_eq!(encryption_set("own", None), "");
    }
}

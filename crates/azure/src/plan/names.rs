//! Names in the config that resources of Azure cannot have: section F.6 of `docs/assets.md`.
//!
//! The forms are those of
//! <https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules>.

use std::collections::BTreeSet;

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::azure::config::{DiskEncryptionSet, MachinePool};

use super::Planning;
use crate::rules::forms::{self, Part};

/// A name that no resource of the kind can have.
const NAME: Code = Code::new("LF0795");

/// Refuses each name once, wherever pools take it from.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let mut seen = BTreeSet::new();
    let mut refuse = |section: &str, parts: Vec<Part<'_>>| {
        for part in parts {
            let is_wrong = !part.value.is_empty() && !(part.fits)(part.value);
            if is_wrong && seen.insert((part.what, part.value.to_owned())) {
                let message = format!("`{}` cannot be {}", shortened(part.value), part.what);
                let field = format!("{section}.{}", part.field);
                out.push(
                    Finding::error(&NAME, Kind::Invalid, field, message).help(format!("write {}", part.form)),
                );
            }
        }
    };
    refuse("platform.azure", of_cluster(planning));
    for (i, subnet) in planning.platform.subnets.iter().enumerate() {
        refuse(&format!("platform.azure.subnets[{i}]"), vec![subnet_of("name", &subnet.name)]);
    }
    for (path, pool) in planning.case.config.pools() {
        let Some(settings) = &pool.platform.azure else { continue };
        let path = format!("{path}.platform.azure");
        refuse(&path, of_pool(settings));
        if let Some(set) =
            settings.os_disk.security_profile.as_ref().and_then(|p| p.disk_encryption_set.as_ref())
        {
            refuse(&format!("{path}.osDisk.securityProfile.diskEncryptionSet"), of_encryption_set(set));
        }
        for (i, disk) in settings.data_disks.iter().flatten().enumerate() {
            let set = disk.managed_disk.as_ref().and_then(|disk| disk.disk_encryption_set.as_ref());
            let part = set.map(|set| Part {
                field: "id",
                what: "the resource ID of a disk encryption set",
                value: &set.id,
                fits: forms::is_encryption_set_id,
                form: "`/subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.Compute/diskEncryptionSets/<name>`",
            });
            let path = format!("{path}.dataDisks[{i}].managedDisk.diskEncryptionSet");
            refuse(&path, part.into_iter().collect());
        }
        let identities =
            settings.identity.as_ref().and_then(|identity| identity.user_assigned_identities.as_ref());
        for (i, identity) in identities.into_iter().flatten().enumerate() {
            let parts = vec![
                subscription("subscription", &identity.subscription),
                group("resourceGroup", &identity.resource_group),
                Part {
                    field: "name",
                    what: "the name of a user-assigned identity",
                    value: &identity.name,
                    fits: forms::is_identity_name,
                    form: "3 to 128 letters, digits, dashes and underscores, beginning with a letter or digit",
                },
            ];
            refuse(&format!("{path}.identity.userAssignedIdentities[{i}]"), parts);
        }
    }
}

fn of_cluster<'a>(planning: &Planning<'a>) -> Vec<Part<'a>> {
    let platform = planning.platform;
    vec![
        group("resourceGroupName", &platform.resource_group_name),
        group("networkResourceGroupName", &platform.network_resource_group_name),
        group("baseDomainResourceGroupName", &platform.base_domain_resource_group_name),
        Part {
            field: "virtualNetwork",
            what: "the name of a virtual network",
            value: &platform.virtual_network,
            fits: forms::is_network_name,
            form: "2 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit and \
                   ending with one or an underscore",
        },
        subnet_of("controlPlaneSubnet", &platform.control_plane_subnet),
        subnet_of("computeSubnet", &platform.compute_subnet),
    ]
}

fn of_pool(settings: &MachinePool) -> Vec<Part<'_>> {
    let image = &settings.os_image;
    let images = [
        ("osImage.publisher", "the publisher of a Marketplace image", &image.publisher),
        ("osImage.offer", "the offer of a Marketplace image", &image.offer),
        ("osImage.sku", "the SKU of a Marketplace image", &image.sku),
        ("osImage.version", "the version of a Marketplace image", &image.version),
    ];
    let mut parts: Vec<Part<'_>> = images
        .into_iter()
        .map(|(field, what, value)| Part {
            field,
            what,
            value,
            fits: forms::is_image_part,
            form: "letters, digits, dots, dashes and underscores, as `az vm image list --all` prints it",
        })
        .collect();
    if let Some(diagnostics) = &settings.boot_diagnostics {
        parts.push(group("bootDiagnostics.resourceGroup", &diagnostics.resource_group));
        parts.push(Part {
            field: "bootDiagnostics.storageAccountName",
            what: "the name of a storage account",
            value: &diagnostics.storage_account_name,
            fits: forms::is_account_name,
            form: "3 to 24 lower-case letters and digits",
        });
    }
    parts
}

fn of_encryption_set(set: &DiskEncryptionSet) -> Vec<Part<'_>> {
    vec![
        subscription("subscriptionId", &set.subscription_id),
        group("resourceGroup", &set.resource_group),
        Part {
            field: "name",
            what: "the name of a disk encryption set",
            value: &set.name,
            fits: forms::is_encryption_set_name,
            form: "1 to 80 letters, digits, dashes and underscores",
        },
    ]
}

fn subscription<'a>(field: &'static str, value: &'a str) -> Part<'a> {
    let form = "a UUID; `az account show --query id` prints that of the current subscription";
    Part { field, what: "the id of a subscription", value, fits: forms::is_uuid, form }
}

fn group<'a>(field: &'static str, value: &'a str) -> Part<'a> {
    let fits = forms::is_resource_group;
    Part { field, what: "the name of a resource group", value, fits, form: forms::RESOURCE_GROUP }
}

fn subnet_of<'a>(field: &'static str, value: &'a str) -> Part<'a> {
    let form = "1 to 80 letters, digits, dots, dashes and underscores, beginning with a letter or digit and ending \
                with one or an underscore";
    Part { field, what: "the name of a subnet", value, fits: forms::is_subnet_name, form }
}

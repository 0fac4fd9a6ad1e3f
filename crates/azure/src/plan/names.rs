//! Names in the config that resources of Azure cannot have: section F.5 of `docs/assets.md`.
//!
//! The forms are those of
//! <https://learn.microsoft.com/azure/azure-resource-manager/management/resource-name-rules>.

use std::collections::BTreeSet;

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::azure::config::MachinePool;

use super::Planning;
use crate::rules::forms::{self, Part};

/// A name that no resource of the kind can have.
const NAME: Code = Code::new("LF0795");

/// Refuses each name once, wherever pools take it from.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let mut names = Names { seen: BTreeSet::new(), out };
    names.given("platform.azure", of_cluster(planning));
    for (i, subnet) in planning.platform.subnets.iter().enumerate() {
        names.given(&format!("platform.azure.subnets[{i}]"), vec![subnet_of("name", &subnet.name)]);
    }
    for (path, pool) in planning.case.config.pools() {
        if let Some(settings) = &pool.platform.azure {
            check_pool(&format!("{path}.platform.azure"), settings, &mut names);
        }
    }
}

/// Where names that cannot be are told.
struct Names<'o> {
    seen: BTreeSet<(&'static str, String)>,
    out: &'o mut Findings,
}

impl Names<'_> {
    /// Refuses what cannot be of the parts of a section that are given.
    fn given(&mut self, section: &str, parts: Vec<Part<'_>>) {
        let given = parts.into_iter().filter(|part| !part.value.is_empty());
        given.for_each(|part| self.one(section, &part));
    }

    /// Refuses what is missing of a resource ID or cannot be in it. Its subscription may be the cluster's own.
    fn whole(&mut self, section: &str, subscription: Part<'_>, parts: &[Part<'_>; 2]) {
        self.given(section, vec![subscription]);
        for part in parts {
            if part.value.is_empty() {
                let field = format!("{section}.{}", part.field);
                let finding =
                    Finding::error(&NAME, Kind::Required, field, format!("{} is missing", part.what));
                self.out.push(finding.help(format!("add `{}`", part.field)));
            } else {
                self.one(section, part);
            }
        }
    }

    fn one(&mut self, section: &str, part: &Part<'_>) {
        if !(part.fits)(part.value) && self.seen.insert((part.what, part.value.to_owned())) {
            let message = format!("`{}` cannot be {}", shortened(part.value), part.what);
            let field = format!("{section}.{}", part.field);
            let finding = Finding::error(&NAME, Kind::Invalid, field, message);
            self.out.push(finding.help(format!("write {}", part.form)));
        }
    }
}

fn check_pool(path: &str, settings: &MachinePool, names: &mut Names<'_>) {
    names.given(path, of_pool(settings));
    let profile = settings.os_disk.security_profile.as_ref();
    if let Some(set) = profile.and_then(|profile| profile.disk_encryption_set.as_ref()) {
        names.whole(
            &format!("{path}.osDisk.securityProfile.diskEncryptionSet"),
            Part::subscription("subscriptionId", &set.subscription_id),
            &[Part::group("resourceGroup", &set.resource_group), Part::encryption_set("name", &set.name)],
        );
    }
    for (i, disk) in settings.data_disks.iter().flatten().enumerate() {
        let set = disk.managed_disk.as_ref().and_then(|disk| disk.disk_encryption_set.as_ref());
        let id = set.map(|set| Part {
            field: "id",
            what: "the resource ID of a disk encryption set",
            value: &set.id,
            fits: forms::is_encryption_set_id,
            form: "`/subscriptions/<id>/resourceGroups/<name>/providers/Microsoft.Compute/diskEncryptionSets/<name>`",
        });
        let section = format!("{path}.dataDisks[{i}].managedDisk.diskEncryptionSet");
        names.given(&section, id.into_iter().collect());
    }
    let identities =
        settings.identity.iter().filter_map(|identity| identity.user_assigned_identities.as_ref());
    for (i, identity) in identities.flatten().enumerate() {
        names.whole(
            &format!("{path}.identity.userAssignedIdentities[{i}]"),
            Part::subscription("subscription", &identity.subscription),
            &[Part::group("resourceGroup", &identity.resource_group), Part::identity("name", &identity.name)],
        );
    }
}

fn of_cluster<'a>(planning: &Planning<'a>) -> Vec<Part<'a>> {
    let platform = planning.platform;
    vec![
        Part::group("resourceGroupName", &platform.resource_group_name),
        Part::group("networkResourceGroupName", &platform.network_resource_group_name),
        Part::group("baseDomainResourceGroupName", &platform.base_domain_resource_group_name),
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
        parts.push(Part::group("bootDiagnostics.resourceGroup", &diagnostics.resource_group));
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

fn subnet_of<'a>(field: &'static str, value: &'a str) -> Part<'a> {
    let form = "1 to 80 letters, digits, dots, dashes and underscores, beginning with a letter or digit and ending \
                with one or an underscore";
    Part { field, what: "the name of a subnet", value, fits: forms::is_subnet_name, form }
}

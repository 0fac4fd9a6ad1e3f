//! Whether the sets of keys that encrypt disks can be used.

use landfall_model::azure::config::{DiskEncryptionSet, DiskEncryptionSetId, MachinePool};
use landfall_platform::cloud::{Answer, Asking, Check, check};
use serde::Deserialize;

use super::findings;
use super::settings::{Setting, distinct};
use crate::cloud::api_versions::Api;
use crate::cloud::described::Described;
use crate::cloud::gather::{plain, resource};
use crate::cloud::session::Session;

/// Provider and type of the sets.
const KIND: &str = "Microsoft.Compute/diskEncryptionSets";

/// What begins the kind of the sets that are for confidential machines alone.
const CONFIDENTIAL: &str = "Confidential";

/// A set by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    subscription: String,
    group: String,
    name: String,
    /// Whether it is to encrypt the disks of confidential machines.
    confidential: bool,
}

impl Named {
    fn of(set: &DiskEncryptionSet, confidential: bool) -> Self {
        let DiskEncryptionSet { subscription_id, resource_group, name } = set.clone();
        Self { subscription: subscription_id, group: resource_group, name, confidential }
    }

    /// A set by its resource id; none where the text is no such id.
    fn of_id(set: &DiskEncryptionSetId, confidential: bool) -> Option<Self> {
        let mut parts = set.id.strip_prefix('/')?.split('/');
        let mut next = |key: &str| parts.next()?.eq_ignore_ascii_case(key).then(|| parts.next()).flatten();
        let (subscription, group) = (next("subscriptions")?, next("resourceGroups")?);
        let (provider, name) = (next("providers")?, next("diskEncryptionSets")?);
        let whole = parts.next().is_none() && provider.eq_ignore_ascii_case("Microsoft.Compute");
        whole.then(|| Self {
            subscription: subscription.to_owned(),
            group: group.to_owned(),
            name: name.to_owned(),
            confidential,
        })
    }

    /// The set where the config names its subscription, or else in `own`.
    fn or_in(self, own: String) -> Self {
        let subscription = if self.subscription.is_empty() { own } else { self.subscription };
        Self { subscription, ..self }
    }

    fn path(&self) -> String {
        resource::resource(&self.subscription, &self.group, KIND, &self.name)
    }
}

/// What the resource manager says of a set.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    encryption_type: String,
}

/// One check for each set that pools name.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let Asking { config, given, .. } = session.asking;
    let mut found = distinct(config, given, "osDisk.diskEncryptionSet", of_disk);
    found.extend(distinct(config, given, "osDisk.securityProfile.diskEncryptionSet", of_confidential_disk));
    found.extend(distinct(config, given, "dataDisks", of_data_disks));
    let one = |setting: Setting<Named>| {
        let id = format!("azure.disk-encryption-set.{}", setting.pool);
        let field = setting.field.clone();
        check(id, field, usable(session, setting))
    };
    found.into_iter().map(one).collect()
}

fn of_disk(settings: &MachinePool) -> Vec<Named> {
    settings.os_disk.disk_encryption_set.iter().map(|set| Named::of(set, false)).collect()
}

fn of_confidential_disk(settings: &MachinePool) -> Vec<Named> {
    let profile = settings.os_disk.security_profile.iter();
    profile.flat_map(|profile| &profile.disk_encryption_set).map(|set| Named::of(set, true)).collect()
}

fn of_data_disks(settings: &MachinePool) -> Vec<Named> {
    let disks = settings.data_disks.iter().flatten().flat_map(|disk| &disk.managed_disk);
    let sets = disks.flat_map(|disk| {
        let own = disk.disk_encryption_set.as_ref();
        let profile = disk.security_profile.as_ref();
        let confidential = profile.and_then(|profile| profile.disk_encryption_set.as_ref());
        own.map(|set| (set, false)).into_iter().chain(confidential.map(|set| (set, true)))
    });
    sets.filter_map(|(set, confidential)| Named::of_id(set, confidential)).collect()
}

async fn usable(session: &Session<'_>, setting: Setting<Named>) -> Result<Answer, Answer> {
    let Setting { value: set, field, .. } = setting;
    let arm = session.arm().await?;
    let set = set.or_in(session.subscription().await?);
    let found = arm.find::<Described<Properties>>(Api::DISK_ENCRYPTION_SETS, &set.path(), &[]).await;
    let found = found.map_err(|fault| fault.answer(&field))?;
    Ok(judged(found.as_ref(), &set, &session.platform.region, &field))
}

/// Whether disks can be encrypted with a set. What a cloud leaves out stands against nothing.
fn judged(found: Option<&Described<Properties>>, set: &Named, region: &str, field: &str) -> Answer {
    let (name, group) = (set.name.as_str(), set.group.as_str());
    let Some(Described { location, properties, .. }) = found else {
        return Answer::found(findings::disk_set_missing(field, name, group)).with("set", set.path());
    };
    let kind = properties.encryption_type.as_str();
    let answer = if !location.is_empty() && plain(location) != plain(region) {
        Answer::found(findings::disk_set_elsewhere(field, name, location, region))
    } else if !kind.is_empty() && kind.starts_with(CONFIDENTIAL) != set.confidential {
        Answer::found(findings::disk_set_of_another_kind(field, name, set.confidential))
    } else {
        Answer::passed(format!("the disk encryption set {name} exists"))
    };
    answer.with("set", set.path()).with("location", location.as_str()).with("encryptionType", kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;
    use landfall_model::azure::config::{DataDisk, ManagedDisk};
    use landfall_platform::cloud::Verdict;

    const ID: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/keys";

    fn named(confidential: bool) -> Named {
        let (subscription, group, name) = ("s".to_owned(), "g".to_owned(), "keys".to_owned());
        Named { subscription, group, name, confidential }
    }

    fn code(text: Option<&str>, confidential: bool) -> &'static str {
        let found: Option<Described<Properties>> = text.and_then(of_text);
        match judged(found.as_ref(), &named(confidential), "eastus", "x").verdict {
            Verdict::Found(finding) => finding.code.as_str(),
            _ => "",
        }
    }

    #[test]
    fn a_set_must_be_there_and_in_the_location_and_fit() {
        let usual = r#"{"location": "eastus",
            "properties": {"encryptionType": "EncryptionAtRestWithCustomerKey"}}"#;
        let confidential = r#"{"location": "East US",
            "properties": {"encryptionType": "ConfidentialVmEncryptedWithCustomerKey"}}"#;
        assert_eq!(code(None, false), "LF1130");
        assert_eq!(code(Some(r#"{"location": "westus"}"#), false), "LF1130");
        assert_eq!(code(Some(usual), false), "");
        assert_eq!(code(Some(usual), true), "LF1131");
        assert_eq!(code(Some(confidential), false), "LF1131");
        assert_eq!(code(Some(confidential), true), "");
        assert_eq!(code(Some(r#"{"properties": null}"#), true), "");
    }

    #[test]
    fn a_set_is_known_by_its_id() {
        let of = |id: &str| Named::of_id(&DiskEncryptionSetId { id: id.to_owned() }, false);
        assert_eq!(of(ID), Some(named(false)));
        assert_eq!(of(&ID.to_lowercase()), Some(named(false)));
        assert_eq!(named(false).path(), ID);
        for wrong in ["", "keys", "/subscriptions/s", &ID.replace("Compute", "Storage"), &format!("{ID}/x")] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_set_without_a_subscription_is_in_that_of_the_cluster() {
        let set = DiskEncryptionSet {
            resource_group: "g".to_owned(),
            name: "keys".to_owned(),
            ..DiskEncryptionSet::default()
        };
        assert_eq!(Named::of(&set, true).or_in("s".to_owned()).path(), ID);
        assert_eq!(named(true).or_in("other".to_owned()).path(), ID);
    }

    #[test]
    fn sets_of_all_disks_are_looked_at() {
        let set = DiskEncryptionSetId { id: ID.to_owned() };
        let managed = ManagedDisk { disk_encryption_set: Some(set), ..ManagedDisk::default() };
        let disk = DataDisk { managed_disk: Some(managed), ..DataDisk::default() };
        let settings = MachinePool { data_disks: Some(vec![disk]), ..MachinePool::default() };
        assert_eq!(of_data_disks(&settings), [named(false)]);
        assert!(of_disk(&settings).is_empty() && of_confidential_disk(&settings).is_empty());
    }
}

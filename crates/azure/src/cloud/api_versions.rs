//! The versions in which the resource manager is asked: one for Microsoft's clouds, and one for an Azure
//! Stack Hub, which has those of the profile 2020-09-01-hybrid and none that are newer.

/// A kind of resource or question. Each has versions of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Api {
    /// The endpoints of a cloud.
    Metadata,
    /// Subscriptions.
    Subscriptions,
    /// Locations of a subscription.
    Locations,
    /// Resource providers and their registration.
    Providers,
    /// Resource groups.
    ResourceGroups,
    /// Resources of any type.
    Resources,
    /// Sizes of machines, with zones and capabilities.
    Skus,
    /// Use and limits of machines.
    Usages,
    /// Virtual networks.
    Networks,
    /// Use and limits of networks.
    NetworkUsages,
    /// Public DNS zones.
    DnsZones,
    /// Private DNS zones.
    PrivateDnsZones,
    /// Sets of keys that encrypt disks.
    DiskEncryptionSets,
    /// Locks against changes.
    Locks,
    /// Who has which role.
    RoleAssignments,
    /// What the caller may do.
    Permissions,
    /// Marketplace images.
    Images,
    /// Terms of marketplace images.
    Agreements,
    /// User-assigned identities.
    Identities,
    /// Key vaults.
    KeyVaults,
    /// Virtual machines and what is near to them.
    Machines,
    /// Disks and their snapshots.
    Disks,
    /// Galleries of images.
    Galleries,
    /// Tags of anything.
    Tags,
    /// What nobody may do, whatever roles allow.
    DenyAssignments,
    /// Storage accounts.
    StorageAccounts,
}

/// The versions of one kind.
struct Row {
    api: Api,
    version: &'static str,
    /// On a Stack Hub. Where its profile lacks the kind, the oldest version that has what is asked.
    hybrid: &'static str,
}

const fn row(api: Api, version: &'static str, hybrid: &'static str) -> Row {
    Row { api, version, hybrid }
}

/// In the order of the kinds.
const TABLE: &[Row] = &[
    row(Api::Metadata, "2015-01-01", "2015-01-01"),
    row(Api::Subscriptions, "2022-12-01", "2016-06-01"),
    row(Api::Locations, "2022-12-01", "2016-06-01"),
    row(Api::Providers, "2021-04-01", "2019-10-01"),
    row(Api::ResourceGroups, "2021-04-01", "2019-10-01"),
    row(Api::Resources, "2021-04-01", "2019-10-01"),
    row(Api::Skus, "2021-07-01", "2017-09-01"),
    row(Api::Usages, "2022-03-01", "2020-06-01"),
    row(Api::Networks, "2022-07-01", "2018-11-01"),
    row(Api::NetworkUsages, "2022-07-01", "2018-11-01"),
    row(Api::DnsZones, "2018-05-01", "2016-04-01"),
    row(Api::PrivateDnsZones, "2020-06-01", "2018-09-01"),
    row(Api::DiskEncryptionSets, "2022-03-02", "2019-07-01"),
    row(Api::Locks, "2016-09-01", "2016-09-01"),
    row(Api::RoleAssignments, "2022-04-01", "2015-07-01"),
    row(Api::Permissions, "2022-04-01", "2015-07-01"),
    row(Api::Images, "2022-03-01", "2020-06-01"),
    row(Api::Agreements, "2021-01-01", "2015-06-01"),
    row(Api::Identities, "2018-11-30", "2018-11-30"),
    row(Api::KeyVaults, "2022-07-01", "2019-09-01"),
    row(Api::Machines, "2022-03-01", "2020-06-01"),
    row(Api::Disks, "2022-03-02", "2019-07-01"),
    row(Api::Galleries, "2022-03-03", "2019-07-01"),
    row(Api::Tags, "2021-04-01", "2019-10-01"),
    row(Api::DenyAssignments, "2022-04-01", "2022-04-01"),
    row(Api::StorageAccounts, "2022-09-01", "2019-06-01"),
];

impl Api {
    /// The version to ask with; `hybrid` on an Azure Stack Hub.
    pub(super) fn version(self, hybrid: bool) -> &'static str {
        let row = TABLE.iter().find(|row| row.api == self);
        row.map_or("", |row| if hybrid { row.hybrid } else { row.version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A date, with nothing after it: no preview.
    fn is_date(version: &str) -> bool {
        let parts: Vec<usize> = version.split('-').map(str::len).collect();
        parts == [4, 2, 2] && version.bytes().all(|b| b.is_ascii_digit() || b == b'-')
    }

    #[test]
    fn every_kind_has_two_versions() {
        for (i, row) in TABLE.iter().enumerate() {
            assert_eq!(row.api as usize, i, "{:?}", row.api);
            assert!(is_date(row.version) && is_date(row.hybrid), "{:?}", row.api);
            assert!(row.hybrid <= row.version, "{:?}", row.api);
        }
        assert_eq!(TABLE.len(), Api::StorageAccounts as usize + 1);
    }

    #[test]
    fn a_stack_hub_is_asked_in_its_own_versions() {
        assert_eq!(Api::Networks.version(false), "2022-07-01");
        assert_eq!(Api::Networks.version(true), "2018-11-01");
        assert_eq!(Api::DnsZones.version(true), "2016-04-01");
    }
}

//! The versions in which the resource manager is asked: one for Microsoft's clouds, and one for an Azure
//! Stack Hub, which has those of the profile 2020-09-01-hybrid and none that are newer.

/// The versions of one kind of resource or question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Api {
    version: &'static str,
    /// On a Stack Hub. Where its profile lacks the kind, the oldest version that has what is asked.
    hybrid: &'static str,
}

/// Defines the kinds, each as `NAME: VERSION, VERSION ON A STACK HUB;`.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $version:literal, $hybrid:literal;)*) => {
        impl Api {
            $($(#[$doc])* pub(super) const $name: Self = Self { version: $version, hybrid: $hybrid };)*
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

kinds! {
    /// The endpoints of a cloud.
    METADATA: "2015-01-01", "2015-01-01";
    /// Subscriptions.
    SUBSCRIPTIONS: "2022-12-01", "2016-06-01";
    /// Locations of a subscription.
    LOCATIONS: "2022-12-01", "2016-06-01";
    /// Resource providers and their registration.
    PROVIDERS: "2021-04-01", "2019-10-01";
    /// Resource groups.
    RESOURCE_GROUPS: "2021-04-01", "2019-10-01";
    /// Resources of any type.
    RESOURCES: "2021-04-01", "2019-10-01";
    /// Sizes of machines, with zones and capabilities.
    SKUS: "2021-07-01", "2017-09-01";
    /// Use and limits of machines.
    USAGES: "2022-03-01", "2020-06-01";
    /// Virtual networks.
    NETWORKS: "2022-07-01", "2018-11-01";
    /// Use and limits of networks.
    NETWORK_USAGES: "2022-07-01", "2018-11-01";
    /// Public DNS zones.
    DNS_ZONES: "2018-05-01", "2016-04-01";
    /// Private DNS zones.
    PRIVATE_DNS_ZONES: "2020-06-01", "2018-09-01";
    /// Sets of keys that encrypt disks.
    DISK_ENCRYPTION_SETS: "2022-03-02", "2019-07-01";
    /// Locks against changes.
    LOCKS: "2016-09-01", "2016-09-01";
    /// Who has which role.
    ROLE_ASSIGNMENTS: "2022-04-01", "2015-07-01";
    /// What the caller may do.
    PERMISSIONS: "2022-04-01", "2015-07-01";
    /// Marketplace images.
    IMAGES: "2022-03-01", "2020-06-01";
    /// Terms of marketplace images.
    AGREEMENTS: "2021-01-01", "2015-06-01";
    /// User-assigned identities.
    IDENTITIES: "2018-11-30", "2018-11-30";
    /// Key vaults.
    KEY_VAULTS: "2022-07-01", "2019-09-01";
    /// Virtual machines and what is near to them.
    MACHINES: "2022-03-01", "2020-06-01";
    /// Disks and their snapshots.
    DISKS: "2022-03-02", "2019-07-01";
    /// Galleries of images.
    GALLERIES: "2022-03-03", "2019-07-01";
    /// Tags of anything.
    TAGS: "2021-04-01", "2019-10-01";
    /// What nobody may do, whatever roles allow.
    DENY_ASSIGNMENTS: "2022-04-01", "2022-04-01";
    /// Storage accounts.
    STORAGE_ACCOUNTS: "2022-09-01", "2019-06-01";
}

impl Api {
    /// The version to ask with; `hybrid` on an Azure Stack Hub.
    pub(super) const fn version(self, hybrid: bool) -> &'static str {
        if hybrid { self.hybrid } else { self.version }
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
        for api in Api::ALL {
            assert!(is_date(api.version) && is_date(api.hybrid), "{api:?}");
            assert!(api.hybrid <= api.version, "{api:?}");
        }
    }

    #[test]
    fn a_stack_hub_is_asked_in_its_own_versions() {
        assert_eq!(Api::NETWORKS.version(false), "2022-07-01");
        assert_eq!(Api::NETWORKS.version(true), "2018-11-01");
        assert_eq!(Api::DNS_ZONES.version(true), "2016-04-01");
    }
}

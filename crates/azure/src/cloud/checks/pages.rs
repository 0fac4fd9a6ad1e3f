//! The pages of the checks of Azure.

use landfall_diagnostics::{Base, Page, Severity};

/// A set of disk keys is not there, or is elsewhere.
pub(super) const DISK_SET: Page = Page {
    code: "LF1130",
    title: "the set of keys that encrypts disks is there, in the location of the machines",
    text: "A disk encryption set is used as it is, and only for disks of its own location. The caller must \
           be allowed to read it.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.osDisk.diskEncryptionSet",
        "<pool>.platform.azure.osDisk.securityProfile.diskEncryptionSet",
        "<pool>.platform.azure.dataDisks",
    ],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A set of disk keys is of the wrong kind.
pub(super) const DISK_SET_KIND: Page = Page {
    code: "LF1131",
    title: "the set of keys that encrypts disks is of the kind that the machines need",
    text: "Sets of the encryption type ConfidentialVmEncryptedWithCustomerKey are for the disks of \
           confidential machines (`securityProfile`) and for nothing else; those take no other set.",
    severity: Severity::Error,
    fields: &[
        "<pool>.platform.azure.osDisk.diskEncryptionSet",
        "<pool>.platform.azure.osDisk.securityProfile.diskEncryptionSet",
        "<pool>.platform.azure.dataDisks",
    ],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The storage account's key is not there.
pub(super) const KEY: Page = Page {
    code: "LF1132",
    title: "the key of the storage account is there, with its vault and its identity",
    text: "The vault and the user-assigned identity that reads the key are looked for in the resource group \
           that `keyVault` names.",
    severity: Severity::Error,
    fields: &["platform.azure.customerManagedKey"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The vault of the key can be purged.
pub(super) const VAULT: Page = Page {
    code: "LF1133",
    title: "the key vault is protected against being purged",
    text: "A storage account takes keys only from a vault whose keys cannot be lost at once: with soft \
           delete, which all vaults have, and purge protection, which must be turned on.",
    severity: Severity::Error,
    fields: &["platform.azure.customerManagedKey.keyVault.name"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A marketplace image is not there.
pub(super) const IMAGE: Page = Page {
    code: "LF1134",
    title: "the marketplace image that machines start from is in the location",
    text: "Publisher, offer, SKU and version must be those of an image that the marketplace of this cloud \
           has in the location.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.osImage", "platform.azure.defaultMachinePlatform.osImage"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A marketplace image does not fit its machines.
pub(super) const IMAGE_FIT: Page = Page {
    code: "LF1135",
    title: "the marketplace image fits the machines",
    text: "An image is of one processor architecture and of one generation of virtual machines. The size of \
           the machines must be able to be of that generation, and confidential machines and those with \
           trusted launch are of the second one.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.osImage", "<pool>.platform.azure.type", "<pool>.architecture"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The terms of a marketplace image are not accepted.
pub(super) const IMAGE_TERMS: Page = Page {
    code: "LF1136",
    title: "the terms of the marketplace image are accepted in the subscription",
    text: "Machines of an image with a purchase plan are made only in subscriptions in which somebody has \
           agreed to its terms.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.osImage"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The config is wrong about the plan of a marketplace image.
pub(super) const IMAGE_PLAN: Page = Page {
    code: "LF1137",
    title: "`osImage.plan` says whether the marketplace image has a purchase plan",
    text: "A machine must name the plan of its image, and must name none where the image has none. Without \
           `plan`, an image counts as one with a plan.",
    severity: Severity::Warning,
    fields: &["<pool>.platform.azure.osImage.plan"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A managed identity is not there.
pub(super) const IDENTITY: Page = Page {
    code: "LF1138",
    title: "the managed identities of machines are there",
    text: "User-assigned identities that the config names are given to the machines as they are.",
    severity: Severity::Error,
    fields: &["<pool>.platform.azure.identity.userAssignedIdentities"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The caller lacks rights.
pub(super) const PERMISSIONS: Page = Page {
    code: "LF1139",
    title: "the caller may do everything that an installation does",
    text: "Which actions these are depends on the config. They are compared with the actions that the \
           caller's roles give on the subscription, and on resource groups that the config names. \
           Conditions of role assignments, deny assignments and policies are not looked at.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The caller lacks the right to assign roles.
pub(super) const ROLES: Page = Page {
    code: "LF1140",
    title: "the caller may assign roles",
    text: "The machines act on Azure with a managed identity, which gets the role Contributor on the \
           cluster's resource group, and on that of an existing network. The role Contributor itself does \
           not allow its holder to assign roles.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A lock forbids changes.
pub(super) const LOCKED: Page = Page {
    code: "LF1141",
    title: "no lock forbids changes where the cluster is made",
    text: "Under a lock of the level ReadOnly nothing is made or changed: in a subscription, a resource \
           group or a network. Locks hold for everybody, whatever their rights.",
    severity: Severity::Error,
    fields: &[
        "platform.azure",
        "platform.azure.resourceGroupName",
        "platform.azure.networkResourceGroupName",
        "platform.azure.baseDomainResourceGroupName",
        "platform.azure.virtualNetwork",
    ],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A lock forbids removal.
pub(super) const NOT_REMOVABLE: Page = Page {
    code: "LF1142",
    title: "no lock forbids removal where the cluster is made",
    text: "Under a lock of the level CanNotDelete everything can be made and nothing removed: neither the \
           bootstrap machine, at the end of an installation, nor the cluster. On the group of the DNS zone \
           it holds the cluster's records.",
    severity: Severity::Warning,
    fields: &[
        "platform.azure",
        "platform.azure.resourceGroupName",
        "platform.azure.networkResourceGroupName",
        "platform.azure.baseDomainResourceGroupName",
        "platform.azure.virtualNetwork",
    ],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Resource providers are not registered.
pub(super) const PROVIDERS: Page = Page {
    code: "LF1143",
    title: "the resource providers that a cluster is made with are registered",
    text: "A subscription can have resources of a provider only once the provider is registered in it. \
           landfall does not register any, as that takes a right on the whole subscription.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// Resource providers are being registered.
pub(super) const REGISTERING: Page = Page {
    code: "LF1144",
    title: "the registration of resource providers is done",
    text: "Registering takes some minutes, during which resources of the provider may be refused.",
    severity: Severity::Warning,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A quota is too small.
pub(super) const QUOTA: Page = Page {
    code: "LF1145",
    title: "the subscription's quotas leave room for the cluster",
    text: "Azure limits how much of everything a subscription may have in a location. What the cluster \
           needs, with its bootstrap machine, is added to what is in use. Most quotas are raised on \
           request, many at once.",
    severity: Severity::Error,
    fields: &["platform.azure.region", "<pool>.platform.azure.type"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// A quota is nearly used up.
pub(super) const QUOTA_TIGHT: Page = Page {
    code: "LF1146",
    title: "the subscription's quotas leave some room beside the cluster",
    text: "With a fifth of a quota left or less, a cluster that grows soon finds its limit, as does one \
           that replaces its machines.",
    severity: Severity::Warning,
    fields: &["platform.azure.region", "<pool>.platform.azure.type"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The operators cannot use the credentials that the cluster is made with.
pub(super) const OPERATORS: Page = Page {
    code: "LF1147",
    title: "the cluster's operators can use the credentials that the cluster is made with",
    text: "Unless `credentialsMode` is Manual, the operators use the credentials of the installation, and \
           can use only the secret of an application. A certificate, and the managed identity of the machine \
           that landfall runs on, are of no use to them.",
    severity: Severity::Error,
    fields: &["credentialsMode"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The operators are not given the credentials that the cluster is made with.
pub(super) const WITHOUT_SECRET: Page = Page {
    code: "LF1148",
    title: "there are credentials for the cluster's operators",
    text: "Unless `credentialsMode` is Manual, the operators use the secret azure-credentials, which holds \
           the secret of an application. From a federated token or a login to the Azure CLI it cannot be \
           made: somebody must put it beside the manifests.",
    severity: Severity::Warning,
    fields: &["credentialsMode"],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The pages of the checks.
pub(crate) const PAGES: &[&Page] = &[
    &DISK_SET,
    &DISK_SET_KIND,
    &KEY,
    &VAULT,
    &IMAGE,
    &IMAGE_FIT,
    &IMAGE_TERMS,
    &IMAGE_PLAN,
    &IDENTITY,
    &PERMISSIONS,
    &ROLES,
    &LOCKED,
    &NOT_REMOVABLE,
    &PROVIDERS,
    &REGISTERING,
    &QUOTA,
    &QUOTA_TIGHT,
    &OPERATORS,
    &WITHOUT_SECRET,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_one_another() {
        let codes: Vec<&str> = PAGES.iter().map(|page| page.code).collect();
        assert_eq!(codes.first(), Some(&"LF1130"));
        assert!(codes.windows(2).all(|pair| pair.first() < pair.last()));
    }
}

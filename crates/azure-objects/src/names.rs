//! Names of objects and resources, and the ids by which Azure knows resources.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use uuid::Uuid;

/// The role that machines have in the groups of the cluster and its network: Contributor.
pub const CONTRIBUTOR: &str = "b24988ac-6180-42a0-ab88-20f7382dd24c";

/// The role that reads blobs: Storage Blob Data Reader.
pub const BLOB_READER: &str = "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1";

/// The names of the API in the private zone.
pub const PRIVATE_NAMES: [&str; 2] = ["api", "api-int"];
/// Seconds for which an answer with a record may be kept.
pub const TTL: u16 = 300;

/// The longest name of an object: the operator cuts its label with the owner's name there.
const LONGEST: usize = 63;
/// How much of a longer name is kept before its digest.
const KEPT: usize = 54;
/// How many digits of the digest follow.
const DIGITS: usize = 8;
/// The longest name of a storage account, without its last two letters.
const LONGEST_ACCOUNT: usize = 22;

/// The name of the object for a resource: lower case, and a dash for every run of other characters. None
/// where nothing is left of it.
#[must_use]
pub fn object_name(azure: &str) -> Option<String> {
    let mut name = String::new();
    let mut within_run = false;
    for c in azure.to_lowercase().chars() {
        let fits = c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if fits {
            name.push(c);
        } else if !within_run {
            name.push('-');
        }
        within_run = !fits;
    }
    let name = name.trim_matches('-');
    if name.is_empty() {
        return None;
    }
    if name.len() <= LONGEST {
        return Some(name.to_owned());
    }
    let digest = digest(&SHA256, name.as_bytes());
    let digits = digest.as_ref().iter().take(DIGITS / 2).map(|byte| format!("{byte:02x}"));
    Some(format!("{}-{}", &name[..KEPT], digits.collect::<String>()))
}

/// The name of the storage account of a cluster: only letters and digits, and not many of them.
#[must_use]
pub fn storage_account(infra_id: &str) -> String {
    let plain = infra_id.chars().filter(|c| *c != '-').take(LONGEST_ACCOUNT);
    plain.chain("sa".chars()).collect()
}

/// The name of the assignment of a role: a UUID that follows from who may do what where, whatever the objects
/// are called and wherever they live.
#[must_use]
pub fn role_assignment(scope: &str, role: &str, identity: &str) -> String {
    let text = format!("{scope}|{role}|{identity}").to_lowercase();
    let digest =
        digest(&SHA1_FOR_LEGACY_USE_ONLY, &[Uuid::NAMESPACE_URL.as_bytes(), text.as_bytes()].concat());
    let mut bytes = [0_u8; 16];
    for (to, from) in bytes.iter_mut().zip(digest.as_ref()) {
        *to = *from;
    }
    uuid::Builder::from_sha1_bytes(bytes).into_uuid().to_string()
}

/// The id of a resource group.
#[must_use]
pub fn group_id(subscription: &str, group: &str) -> String {
    format!("/subscriptions/{subscription}/resourceGroups/{group}")
}

/// The id of a resource in a group, where `resource` is its type and its name, such as
/// `Microsoft.Network/loadBalancers/demo`.
#[must_use]
pub fn resource_id(subscription: &str, group: &str, resource: &str) -> String {
    format!("{}/providers/{resource}", group_id(subscription, group))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_named_after_their_resources() {
        let names = [
            ("demo-x7k2p-vnet", "demo-x7k2p-vnet"),
            ("demo-x7k2p-nsg-apiserver_in", "demo-x7k2p-nsg-apiserver-in"),
            ("demo.example.com", "demo-example-com"),
            ("Corp_RG", "corp-rg"),
            ("_a.(b)-c_", "a-b--c"),
            ("a--b", "a--b"),
        ];
        for (azure, name) in names {
            assert_eq!(object_name(azure).as_deref(), Some(name));
        }
        assert_eq!(object_name("_._"), None);
        assert_eq!(object_name("---"), None);
    }

    #[test]
    fn long_names_end_with_a_digest_of_the_whole() {
        let longest = "a".repeat(63);
        assert_eq!(object_name(&longest), Some(longest.clone()));
        let one = object_name(&format!("{longest}b")).unwrap_or_default();
        let other = object_name(&format!("{longest}c")).unwrap_or_default();
        assert_eq!((one.len(), &one[..55]), (63, format!("{}-", "a".repeat(54)).as_str()));
        assert_ne!(one, other);
    }

    #[test]
    fn accounts_and_assignments_follow_from_the_cluster() {
        assert_eq!(storage_account("demo-x7k2p"), "demox7k2psa");
        assert_eq!(storage_account("a23456789-b23456789-c23456-x7k2p").len(), 24);
        let (subscription, group) = ("11111111-2222-3333-4444-555555555555", "demo-x7k2p-rg");
        let identity = "Microsoft.ManagedIdentity/userAssignedIdentities/demo-x7k2p-identity";
        let identity = resource_id(subscription, group, identity);
        let role = "b24988ac-6180-42a0-ab88-20f7382dd24c";
        let name = role_assignment(&group_id(subscription, group), role, &identity);
        assert_eq!(name, "64b507a2-d8d5-5265-92ff-dac70ca552c8");
    }
}

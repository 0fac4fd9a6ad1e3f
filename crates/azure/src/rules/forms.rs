//! Forms of the names that Azure gives out.

use landfall_rules::text::is_word;

/// A text of the file that must have a form.
pub struct Part<'a> {
    /// Where the text stands, below its section.
    pub field: &'static str,
    /// What the text is, for a message.
    pub what: &'static str,
    /// The text.
    pub value: &'a str,
    /// Whether a text has the form.
    pub fits: fn(&str) -> bool,
    /// The form in words.
    pub form: &'static str,
}

impl<'a> Part<'a> {
    /// A subscription, by its id.
    pub fn subscription(field: &'static str, value: &'a str) -> Self {
        let form = "a UUID; `az account show --query id` prints that of the current subscription";
        Self { field, what: "the id of a subscription", value, fits: is_uuid, form }
    }

    /// A resource group.
    pub fn group(field: &'static str, value: &'a str) -> Self {
        let (what, fits) = ("the name of a resource group", is_resource_group);
        Self { field, what, value, fits, form: RESOURCE_GROUP }
    }

    /// A disk encryption set.
    pub fn encryption_set(field: &'static str, value: &'a str) -> Self {
        let form = "1 to 80 letters, digits, dashes and underscores";
        Self { field, what: "the name of a disk encryption set", value, fits: is_encryption_set_name, form }
    }

    /// A user-assigned identity.
    pub fn identity(field: &'static str, value: &'a str) -> Self {
        let (what, fits) = ("the name of a user-assigned identity", is_identity_name);
        Self { field, what, value, fits, form: IDENTITY }
    }
}

/// The form that [`is_identity_name`] asks for, in words.
const IDENTITY: &str = "3 to 128 letters, digits, dashes and underscores, beginning with a letter or digit";

/// The form that [`is_resource_group`] asks for, in words.
pub const RESOURCE_GROUP: &str =
    "1 to 90 letters, digits, dashes, underscores, round brackets and dots, with no dot at the end";

/// Whether a resource group may have this name.
pub fn is_resource_group(name: &str) -> bool {
    is_word(name, "-_().") && name.len() <= 90 && !name.ends_with('.')
}

/// Whether a key in a key vault may have this name.
pub fn is_key_name(name: &str) -> bool {
    is_word(name, "-") && name.len() <= 127
}

/// Whether a key vault may have this name.
pub fn is_vault_name(name: &str) -> bool {
    is_word(name, "-")
        && (3..=24).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && !name.ends_with('-')
        && !name.contains("--")
}

/// Whether a user-assigned identity may have this name.
pub fn is_identity_name(name: &str) -> bool {
    is_word(name, "-_")
        && (3..=128).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
}

/// Whether a disk encryption set may have this name.
pub fn is_encryption_set_name(name: &str) -> bool {
    is_word(name, "-_") && name.len() <= 80
}

/// Whether a disk encryption set may have this resource ID.
pub fn is_encryption_set_id(id: &str) -> bool {
    let parts: Vec<&str> = id.split('/').collect();
    let [empty, subscriptions, subscription, groups, group, providers, provider, kind, name] =
        parts.as_slice()
    else {
        return false;
    };
    let words = [
        (empty, ""),
        (subscriptions, "subscriptions"),
        (groups, "resourceGroups"),
        (providers, "providers"),
        (provider, "Microsoft.Compute"),
        (kind, "diskEncryptionSets"),
    ];
    words.iter().all(|(given, wanted)| given.eq_ignore_ascii_case(wanted))
        && is_uuid(subscription)
        && is_resource_group(group)
        && is_encryption_set_name(name)
}

/// Whether a storage account may have this name.
pub fn is_account_name(name: &str) -> bool {
    (3..=24).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// Whether a virtual network may have this name.
pub fn is_network_name(name: &str) -> bool {
    (2..=64).contains(&name.len()) && is_bounded(name)
}

/// Whether a subnet may have this name.
pub fn is_subnet_name(name: &str) -> bool {
    name.len() <= 80 && is_bounded(name)
}

/// Whether a publisher, offer, SKU or version of an image may have this name.
pub fn is_image_part(name: &str) -> bool {
    is_word(name, "-_.")
}

/// Whether a name begins with a letter or digit and ends with one or an underscore.
fn is_bounded(name: &str) -> bool {
    is_word(name, "-_.")
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether a text is a UUID: 8, 4, 4, 4 and 12 hexadecimal digits, joined by dashes.
pub fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|b| b == b'-' || b.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tells(fits: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(fits(text), "{text}");
        }
        for text in bad {
            assert!(!fits(text), "{text}");
        }
    }

    #[test]
    fn tells_names() {
        let long = "a".repeat(129);
        tells(is_resource_group, &["rg", "a.b", "(x)_-", &long[..90]], &["", "rg.", "a b", "ä", &long[..91]]);
        tells(is_key_name, &["-", "Key1", &long[..127]], &["", "a_b", &long[..128]]);
        tells(
            is_vault_name,
            &["a-b", "abc", &long[..24]],
            &["ab", "1ab", "abc-", "a--b", "a_b", &long[..25]],
        );
        tells(is_identity_name, &["a-_", "1ab", &long[..128]], &["ab", "_ab", "a b", &long]);
        let id = |name: &str| {
            let group = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/rg";
            format!("{group}/providers/Microsoft.Compute/diskEncryptionSets/{name}")
        };
        tells(is_encryption_set_id, &[&id("a"), &id("a").to_lowercase()], &["", "a", &id("a/b"), &id("")]);
        tells(is_account_name, &["abc", "0a1", &long[..24]], &["ab", "a-b", "Abc", &long[..25]]);
        tells(is_network_name, &["a.b_", "0a", &long[..64]], &["a", "_a", "a-", "a/b", &long[..65]]);
        tells(is_subnet_name, &["a", "a.b_", &long[..80]], &["", "a b", ".a"]);
        tells(is_image_part, &["RedHat", "rh-ocp-worker", "4.1"], &["", "a b", "a/b"]);
        tells(is_encryption_set_name, &["a_b", "-", &long[..80]], &["", "a.b", &long[..81]]);
    }

    #[test]
    fn tells_uuids() {
        let good = ["00000000-0000-0000-0000-000000000000", "ABCDEFab-0000-0000-0000-00000000000F"];
        let bad = [
            "",
            "00000000000000000000000000000000",
            "00000000-0000-0000-0000-00000000000",
            "0000000g-0000-0000-0000-000000000000",
            "{00000000-0000-0000-0000-000000000000}",
        ];
        tells(is_uuid, &good, &bad);
    }
}

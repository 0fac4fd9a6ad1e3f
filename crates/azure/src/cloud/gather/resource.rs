//! Paths of subscriptions, resource groups and resources below the resource manager.

use std::fmt::Write;

/// A subscription.
pub(in crate::cloud) fn subscription(id: &str) -> String {
    format!("/subscriptions/{}", segment(id))
}

/// What a provider has in a subscription. `rest` is the provider and the path below it.
pub(in crate::cloud) fn provided(subscription_id: &str, rest: &str) -> String {
    format!("{}/providers/{rest}", subscription(subscription_id))
}

/// A resource group.
pub(in crate::cloud) fn group(subscription_id: &str, name: &str) -> String {
    format!("{}/resourceGroups/{}", subscription(subscription_id), segment(name))
}

/// The name of the resource group in an id.
pub(in crate::cloud) fn group_of(id: &str) -> Option<&str> {
    let mut parts = id.split('/').skip_while(|part| !part.eq_ignore_ascii_case("resourceGroups"));
    parts.nth(1).filter(|group| !group.is_empty())
}

/// A resource of a group. `kind` is provider and type, such as `Microsoft.Network/dnsZones`.
pub(in crate::cloud) fn resource(subscription_id: &str, group_name: &str, kind: &str, name: &str) -> String {
    format!("{}/providers/{kind}/{}", group(subscription_id, group_name), segment(name))
}

/// A name as one part of a path: what would end the part, or begin a query, is written as numbers.
pub(in crate::cloud) fn segment(name: &str) -> String {
    let mut part = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~()".contains(&byte) {
            part.push(char::from(byte));
        } else {
            // Writing to a text cannot fail.
            let _ = write!(part, "%{byte:02X}");
        }
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_resource_lies_in_its_group() {
        assert_eq!(
            resource("s", "dns-rg", "Microsoft.Network/dnsZones", "example.com"),
            "/subscriptions/s/resourceGroups/dns-rg/providers/Microsoft.Network/dnsZones/example.com"
        );
        assert_eq!(
            provided("s", "Microsoft.Compute/skus"),
            "/subscriptions/s/providers/Microsoft.Compute/skus"
        );
    }

    #[test]
    fn a_name_stays_one_part_of_the_path() {
        assert_eq!(segment("Group_1.(a)"), "Group_1.(a)");
        assert_eq!(segment("a/b?c#d e"), "a%2Fb%3Fc%23d%20e");
    }
}

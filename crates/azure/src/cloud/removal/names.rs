//! Whose something is, by its tags and its name, and what an id of the resource manager says: all of it
//! without regard to capitals, as Azure has it.

use std::collections::{BTreeMap, BTreeSet};

pub(super) use crate::cloud::gather::resource::group_of;
use crate::plan::resource_group::owner;

/// Tags with their values.
pub(super) type Tags = BTreeMap<String, String>;

/// The value of a tag on what was made for the cluster.
const OWNED: &str = "owned";

/// The cluster whose things are looked for.
#[derive(Clone, Debug)]
pub(super) struct Owner {
    infra_id: String,
}

/// Whose something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The cluster's own.
    Own,
    /// Used by the cluster.
    Shared,
    /// Of another cluster.
    Another,
    /// No tag says so.
    Nobody,
}

impl Owner {
    /// The cluster of an infrastructure id.
    pub(super) fn new(infra_id: &str) -> Self {
        Self { infra_id: infra_id.to_owned() }
    }

    /// The id.
    pub(super) fn infra_id(&self) -> &str {
        &self.infra_id
    }

    /// Whether the id ends as those that are made by chance do, so that nothing else is named by it:
    /// `assets.md`, A.1.
    pub(super) fn is_random(&self) -> bool {
        const LENGTH: usize = 5;
        const ALPHABET: &str = "bcdfghjklmnpqrstvwxz2456789";
        let end = self.infra_id.rsplit_once('-').map(|(_, end)| end.to_ascii_lowercase());
        end.is_some_and(|end| end.len() == LENGTH && end.chars().all(|c| ALPHABET.contains(c)))
    }

    /// The key of the cluster's tag.
    pub(super) fn tag(&self) -> String {
        format!("kubernetes.io_cluster.{}", self.infra_id)
    }

    /// Whether a tag is the cluster's.
    pub(super) fn is_tag(&self, key: &str) -> bool {
        owner(key).is_some_and(|id| id.eq_ignore_ascii_case(&self.infra_id))
    }

    /// Whose something with these tags is.
    pub(super) fn whose(&self, tags: &Tags) -> Whose {
        if let Some((_, value)) = tags.iter().find(|(key, _)| self.is_tag(key)) {
            return if value.eq_ignore_ascii_case(OWNED) { Whose::Own } else { Whose::Shared };
        }
        if owners(tags).next().is_some() { Whose::Another } else { Whose::Nobody }
    }

    /// The other clusters that have a tag there, whatever its value.
    pub(super) fn others<'t>(&self, tags: &'t Tags) -> Vec<&'t str> {
        let ids = tags.keys().filter_map(|key| owner(key)).filter(|id| !id.is_empty());
        ids.filter(|id| !id.eq_ignore_ascii_case(&self.infra_id)).collect()
    }

    /// Whether a name is one that things of the cluster have, and not one of another cluster whose id only
    /// begins with this one's.
    pub(super) fn is_named(&self, name: &str, others: &BTreeSet<String>) -> bool {
        let (id, name) = (self.infra_id.to_ascii_lowercase(), name.to_ascii_lowercase());
        let first = name.split('/').next().unwrap_or_default();
        let of = |id: &str| {
            first.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', '.']))
        };
        let longer = |other: &String| other.len() > id.len() && of(&other.to_ascii_lowercase());
        (of(&id) && !others.iter().any(longer)) || first == format!("gallery_{}", id.replace('-', "_"))
    }
}

/// Whether tags say that Kubernetes created something, such as a volume or its snapshot.
pub(super) fn is_of_kubernetes(tags: &Tags) -> bool {
    let mut keys = tags.keys().map(|key| key.to_ascii_lowercase());
    keys.any(|key| key == "k8s-azure-created-by" || key.starts_with("kubernetes.io-created-for-"))
}

/// The clusters that own something with these tags.
pub(super) fn owners(tags: &Tags) -> impl Iterator<Item = &str> {
    let owned = tags.iter().filter(|(_, value)| value.eq_ignore_ascii_case(OWNED));
    owned.filter_map(|(key, _)| owner(key)).filter(|id| !id.is_empty())
}

/// Provider and type of a resource in lower case, such as `microsoft.network/virtualnetworks/subnets`;
/// none for what is of no provider, such as a group.
pub(super) fn type_of(id: &str) -> Option<String> {
    let id = id.to_ascii_lowercase();
    let (_, rest) = id.rsplit_once("/providers/")?;
    let mut parts = rest.split('/');
    let provider = parts.next().filter(|provider| !provider.is_empty())?;
    let types: Vec<&str> = parts.step_by(2).filter(|part| !part.is_empty()).collect();
    (!types.is_empty()).then(|| format!("{provider}/{}", types.join("/")))
}

/// The last name in an id.
pub(super) fn name_of(id: &str) -> &str {
    id.trim_end_matches('/').rsplit('/').next().unwrap_or(id)
}

/// The name of the resource that an id is of, or lies in.
pub(super) fn resource_name_of(id: &str) -> Option<&str> {
    let at = id.to_ascii_lowercase().find("/providers/")? + "/providers/".len();
    id.get(at..)?.split('/').nth(2).filter(|name| !name.is_empty())
}

/// The id of the resource group in an id.
pub(super) fn group_id_of(id: &str) -> Option<&str> {
    let group = group_of(id)?;
    let lower = id.to_ascii_lowercase();
    let end = lower.find("/resourcegroups/")? + "/resourcegroups/".len() + group.len();
    id.get(..end)
}

/// Whether an id is another one, or lies below it.
pub(super) fn is_within(id: &str, scope: &str) -> bool {
    let scope = scope.trim_end_matches('/');
    let head = id.get(..scope.len());
    let ends = matches!(id.as_bytes().get(scope.len()), None | Some(b'/'));
    ends && head.is_some_and(|head| head.eq_ignore_ascii_case(scope))
}

/// The ids of resources in a text, each once, in their order.
pub(super) fn ids_in(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let ends = |c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ',' | ';' | ')' | ']' | '>' | '`');
    for (at, _) in text.match_indices("/subscriptions/") {
        let id = text.get(at..).unwrap_or_default();
        let id = id.split(ends).next().unwrap_or_default().trim_end_matches(['.', ':', '/']);
        let whole = type_of(id).is_some();
        if whole && !ids.iter().any(|known| known.eq_ignore_ascii_case(id)) {
            ids.push(id.to_owned());
        }
    }
    ids
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(all: &[(&str, &str)]) -> Tags {
        all.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn tags_say_whose_something_is() {
        let cluster = Owner::new("demo-bcd24");
        let whose = |all: &[(&str, &str)]| cluster.whose(&tags(all));
        assert_eq!(whose(&[("Kubernetes.io_cluster.demo-BCD24", "owned")]), Whose::Own);
        assert_eq!(whose(&[("kubernetes.io_cluster.demo-bcd24", "shared")]), Whose::Shared);
        assert_eq!(whose(&[("kubernetes.io_cluster.demo-bcd24", "?")]), Whose::Shared);
        assert_eq!(whose(&[("kubernetes.io_cluster.demo-bcd24-x1y2z", "owned")]), Whose::Another);
        assert_eq!(whose(&[("kubernetes.io_cluster.other-x1y2z", "shared")]), Whose::Nobody);
        assert_eq!(whose(&[("team", "moon")]), Whose::Nobody);
    }

    #[test]
    fn what_kubernetes_created_has_its_tags() {
        for key in ["K8s-Azure-created-by", "kubernetes.io-created-for-pv-name"] {
            assert!(is_of_kubernetes(&tags(&[("team", "moon"), (key, "x")])), "{key}");
        }
        assert!(!is_of_kubernetes(&tags(&[("created-for-pv", "k8s-azure-created-by")])));
    }

    #[test]
    fn a_name_is_the_cluster_s_up_to_a_boundary() {
        let cluster = Owner::new("demo-bcd24");
        let others = BTreeSet::from(["demo-bcd24-x1y2z".to_owned(), "demo".to_owned()]);
        for own in ["demo-bcd24", "DEMO-bcd24-master-0_OSDisk", "demo-bcd24_x", "gallery_demo_bcd24/demo/1.0"]
        {
            assert!(cluster.is_named(own, &others), "{own}");
        }
        for other in ["demo-bcd245", "demo", "x-demo-bcd24", "demo-bcd24-x1y2z-master-0", "gallery_demo", ""]
        {
            assert!(!cluster.is_named(other, &others), "{other}");
        }
    }

    #[test]
    fn an_id_made_by_chance_is_told_from_a_word() {
        for (id, expected) in
            [("demo-bcd24", true), ("demo-green", false), ("demo", false), ("a-bcd2", false)]
        {
            assert_eq!(Owner::new(id).is_random(), expected, "{id}");
        }
    }

    #[test]
    fn an_id_says_what_it_is_of() {
        let network = "/subscriptions/s/resourceGroups/RG/providers/Microsoft.Network/virtualNetworks/v";
        let subnet = format!("{network}/subnets/a");
        assert_eq!(type_of(&subnet).as_deref(), Some("microsoft.network/virtualnetworks/subnets"));
        assert_eq!(type_of("/subscriptions/s/resourceGroups/RG"), None);
        let lock = format!("{network}/providers/Microsoft.Authorization/locks/keep");
        assert_eq!(type_of(&lock).as_deref(), Some("microsoft.authorization/locks"));
        assert_eq!((name_of(&subnet), group_of(&subnet)), ("a", Some("RG")));
        assert_eq!(group_id_of(&subnet), Some("/subscriptions/s/resourceGroups/RG"));
        assert_eq!(group_id_of("/subscriptions/s"), None);
        assert_eq!((resource_name_of(&subnet), resource_name_of("/subscriptions/s")), (Some("v"), None));
        assert!(is_within(&subnet, &network.to_uppercase()) && is_within(network, network));
        assert!(!is_within(&format!("{network}2"), network) && !is_within(network, &subnet));
        assert!(!is_within("/subscriptions/é", "/subscriptions/\u{e8}"));
    }

    #[test]
    fn an_error_names_what_is_in_the_way() {
        let text = "Subnet a is in use by /subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/\
                    networkInterfaces/nic/ipConfigurations/c and cannot be deleted. See '/subscriptions/s/\
                    resourceGroups/rg/providers/Microsoft.Network/networkInterfaces/nic/ipConfigurations/c', \
                    /subscriptions/s.";
        let expected = "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/networkInterfaces/nic/\
                        ipConfigurations/c";
        assert_eq!(ids_in(text), [expected]);
        assert!(ids_in("nothing").is_empty());
    }
}

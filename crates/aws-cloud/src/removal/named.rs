//! What the name of a resource says of whose it is.
//!
//! Some services make a resource first and tag it afterwards. An engine that is killed in between leaves it without
//! a tag, and only its name is left to tell (`assets.md`, A.2 and E.3).

use landfall_platform::removal::Disposition;

use super::ownership::Ownership;

/// The characters at the end of an infrastructure id that was made by chance, and how many these are.
const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
const RANDOM: usize = 5;

/// The ends of the names of roles, and of the policies that belong to them.
pub(super) const ROLES: &[&str] = &["-master-role", "-worker-role", "-bootstrap-role"];
/// The ends of the names of policies.
pub(super) const POLICIES: &[&str] = &["-master-policy", "-worker-policy", "-bootstrap-policy"];
/// The ends of the names of instance profiles.
pub(super) const PROFILES: &[&str] = &["-master-profile", "-worker-profile", "-bootstrap-profile"];
/// The ends of the names of the API's load balancers.
pub(super) const BALANCERS: &[&str] = &["-int", "-ext"];
/// The ends of the names of their target groups.
pub(super) const TARGET_GROUPS: &[&str] = &["-aint", "-aext", "-sint"];
/// The end of the name of the copied image.
pub(super) const IMAGES: &[&str] = &["-master"];
/// The end of the name of the bucket for the bootstrap machine.
pub(super) const BUCKETS: &[&str] = &["-bootstrap"];

/// Whose a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// The cluster owns or uses it.
    Cluster(Disposition),
    /// It may be the cluster's, and nothing proves it.
    Unproven,
    /// It is somebody else's.
    Other,
}

impl Whose {
    /// What becomes of it, if it is the cluster's.
    pub(super) fn fate(self) -> Option<Disposition> {
        match self {
            Self::Cluster(fate) => Some(fate),
            Self::Unproven | Self::Other => None,
        }
    }
}

/// Whose a resource of a name is. What its tags say counts; without any, the very name that is made for the
/// cluster counts as long as its id was made by chance. `ends` are the ends of these names.
pub(super) fn whose<'t>(
    ownership: &Ownership,
    infra_id: &str,
    name: &str,
    ends: &[&str],
    tags: impl IntoIterator<Item = (&'t str, &'t str)>,
) -> Whose {
    let tags: Vec<(&str, &str)> = tags.into_iter().collect();
    if let Some(fate) = ownership.fate(tags.iter().copied()) {
        return Whose::Cluster(fate);
    }
    let is_of_another = !ownership.others(tags.iter().copied()).is_empty();
    if is_of_another || !is_made_for(infra_id, name, ends) {
        return Whose::Other;
    }
    if tags.is_empty() && is_random(infra_id) {
        Whose::Cluster(Disposition::Removed)
    } else {
        Whose::Unproven
    }
}

/// Whether a name is one that is made for the cluster.
pub(super) fn is_made_for(infra_id: &str, name: &str, ends: &[&str]) -> bool {
    let end = name.strip_prefix(infra_id).filter(|_| !infra_id.is_empty());
    end.is_some_and(|end| ends.contains(&end))
}

/// Whether an infrastructure id ends as one does that nobody else has.
pub(super) fn is_random(infra_id: &str) -> bool {
    let end = infra_id.rsplit_once('-').map(|(_, end)| end.as_bytes()).unwrap_or_default();
    end.len() == RANDOM && end.iter().all(|byte| ALPHABET.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::removal::Target;

    fn of(infra_id: &str, name: &str, tags: &[(&'static str, &'static str)]) -> Whose {
        let ownership = Ownership::of(&Target { infra_id: infra_id.to_owned(), ..Target::default() });
        whose(&ownership, infra_id, name, ROLES, tags.iter().copied())
    }

    #[test]
    fn without_a_tag_the_very_name_of_a_random_id_counts() {
        let id = "demo-bcd24";
        let own = Whose::Cluster(Disposition::Removed);
        assert_eq!(of(id, "demo-bcd24-master-role", &[]), own);
        for other in
            ["demo-bcd24-role", "demo-bcd24", "demo-bcd24-xyz79-master-role", "x-demo-bcd24-master-role"]
        {
            assert_eq!(of(id, other, &[]), Whose::Other, "{other}");
        }
        // Whoever tagged it knew whose it is.
        assert_eq!(of(id, "demo-bcd24-master-role", &[("team", "moon")]), Whose::Unproven);
        let others = [("kubernetes.io/cluster/other-x7k2p", "owned")];
        assert_eq!(of(id, "demo-bcd24-master-role", &others), Whose::Other);
        // An id that somebody chose is not one that only this cluster has.
        assert_eq!(of("demo", "demo-master-role", &[]), Whose::Unproven);
        assert_eq!(of("", "-master-role", &[]), Whose::Other);
    }

    #[test]
    fn tags_count_before_names() {
        let key = "kubernetes.io/cluster/demo-bcd24";
        assert_eq!(of("demo-bcd24", "any", &[(key, "owned")]), Whose::Cluster(Disposition::Removed));
        let shared = of("demo-bcd24", "demo-bcd24-master-role", &[(key, "shared")]);
        assert_eq!(shared, Whose::Cluster(Disposition::Released));
        assert_eq!((shared.fate(), Whose::Other.fate()), (Some(Disposition::Released), None));
    }

    #[test]
    fn a_random_id_has_five_characters_of_the_alphabet_at_its_end() {
        assert!(is_random("demo-bcd24") && is_random("a-b-x7k2p"));
        for id in ["demo", "demo-abcde", "demo-bcd2", "demo-bcd245", "bcd24", ""] {
            assert!(!is_random(id), "{id}");
        }
    }
}

//! The resource groups of a cluster, and what it has in them and elsewhere.

use std::collections::BTreeSet;

use futures::future::join_all;
use futures::join;
use serde::Deserialize;

use super::names::{OWNED, SHARED, Tags, Whose, is_within, owners};
use super::{Ask, pages, unseen};
use crate::finding::{Finding, Kind};
use crate::platform::azure::cloud::api_versions::Api;
use crate::platform::azure::cloud::fault::Fault;
use crate::platform::azure::cloud::gather::{nullable, resource};
use crate::platform::removal::Discovered;

/// A resource, or a resource group, as lists have it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Resource {
    /// Its id.
    #[serde(deserialize_with = "nullable")]
    pub(super) id: String,
    /// Its name; below other resources with theirs.
    #[serde(deserialize_with = "nullable")]
    pub(super) name: String,
    /// Its type.
    #[serde(rename = "type", deserialize_with = "nullable")]
    pub(super) kind: String,
    /// Where it is.
    #[serde(deserialize_with = "nullable")]
    pub(super) location: String,
    /// Id of the resource that uses it.
    #[serde(deserialize_with = "nullable")]
    pub(super) managed_by: String,
    /// Its tags; lists that are asked for by a tag leave them out.
    #[serde(deserialize_with = "nullable")]
    pub(super) tags: Tags,
}

impl Resource {
    /// Whether it is of a type, given in small letters.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.kind.eq_ignore_ascii_case(name)
    }
}

/// What a cluster has.
#[derive(Clone, Debug, Default)]
pub(super) struct Holdings {
    /// The groups that go as a whole.
    pub(super) whole: Vec<Resource>,
    /// The groups that stay, and carry the cluster's tag.
    pub(super) tagged: Vec<Resource>,
    /// The resources that go, also those that go with a group.
    pub(super) own: Vec<Resource>,
    /// The resources that stay, and carry the cluster's tag.
    pub(super) shared: Vec<Resource>,
}

impl Holdings {
    /// Whether something goes with a group.
    pub(super) fn goes_with_group(&self, id: &str) -> bool {
        self.whole.iter().any(|group| is_within(id, &group.id))
    }

    /// Whether something is one of the cluster's resources, or lies in one of them.
    pub(super) fn has(&self, id: &str) -> bool {
        self.goes_with_group(id) || self.own.iter().any(|own| is_within(id, &own.id))
    }
}

/// What the cluster has. What cannot be looked at is told.
pub(super) async fn holdings(ask: &Ask<'_>, out: &mut Discovered) -> Holdings {
    let mut all = Holdings::default();
    let groups = groups(ask, out).await;
    let mut partial = Vec::new();
    for group in groups {
        sort(ask, group, &mut all, &mut partial, out);
    }
    let subscription = resource::subscription(&ask.subscription);
    let inside = all.whole.iter().chain(&partial).map(|group| {
        let path = format!("{}/resources", group.id);
        Box::pin(async move { (group, ask.arm.list::<Resource>(Api::Resources, &path, &[]).await) })
    });
    let (inside, owned, shared) = join!(
        join_all(inside),
        Box::pin(tagged(ask, &subscription, OWNED)),
        Box::pin(tagged(ask, &subscription, SHARED)),
    );
    let mut own = Vec::new();
    for (group, listed) in inside {
        match listed {
            Ok(listed) if all.goes_with_group(&group.id) => own.extend(whole(ask, listed, out)),
            Ok(listed) => own.extend(owned_of(ask, group, listed, out)),
            // A group that is going may be gone by now.
            Err(fault) if fault.is_absence() => {}
            Err(fault) => {
                let what = format!("what is in the resource group `{}`", group.name);
                out.unseen.push(unseen(&what, &fault));
            }
        }
    }
    for (value, listed) in [(OWNED, owned), (SHARED, shared)] {
        match listed {
            Ok(listed) if value == OWNED => own.extend(listed),
            Ok(listed) => all.shared = listed,
            Err(fault) => {
                let what = format!("what carries the cluster's tag with the value {value}");
                out.unseen.push(unseen(&what, &fault));
            }
        }
    }
    let shared_in_groups = own.extract_if(.., |found| ask.owner.whose(&found.tags) == Whose::Shared);
    all.shared.extend(shared_in_groups);
    all.own = unique(own);
    let shared = unique(std::mem::take(&mut all.shared));
    all.shared = shared.into_iter().filter(|found| !all.has(&found.id)).collect();
    all
}

/// The groups that may hold something of the cluster.
async fn groups(ask: &Ask<'_>, out: &mut Discovered) -> Vec<Resource> {
    let usual = usual_group(ask);
    let named: BTreeSet<&str> =
        [ask.given_group, usual.as_str()].into_iter().filter(|name| !name.is_empty()).collect();
    let paths: Vec<(String, String)> =
        named.iter().map(|name| ((*name).to_owned(), resource::group(&ask.subscription, name))).collect();
    let list = format!("{}/resourcegroups", resource::subscription(&ask.subscription));
    let asked = paths.iter().map(|(name, path)| {
        Box::pin(async move { (name, ask.arm.find::<Resource>(Api::ResourceGroups, path, &[]).await) })
    });
    let (asked, listed) =
        join!(join_all(asked), Box::pin(ask.arm.list::<Resource>(Api::ResourceGroups, &list, &[])));
    let mut found = Vec::new();
    for (name, answer) in asked {
        match answer {
            Ok(group) => found.extend(group),
            Err(fault) => out.unseen.push(unseen(&format!("the resource group `{name}`"), &fault)),
        }
    }
    match listed {
        Ok(listed) => {
            found.extend(
                listed.into_iter().filter(|group| group.tags.keys().any(|key| ask.owner.is_tag(key))),
            );
        }
        Err(fault) => out.unseen.push(unseen("the resource groups of the subscription", &fault)),
    }
    unique(found)
}

/// The name of the group that is made with the cluster.
fn usual_group(ask: &Ask<'_>) -> String {
    format!("{}-rg", ask.owner.infra_id())
}

/// Whether a group goes as a whole, or only what the cluster owns in it.
fn sort(
    ask: &Ask<'_>,
    group: Resource,
    all: &mut Holdings,
    partial: &mut Vec<Resource>,
    out: &mut Discovered,
) {
    let made = group.name.eq_ignore_ascii_case(&usual_group(ask));
    let whose = ask.owner.whose(&group.tags);
    // Without a tag, the name says enough only if nothing else would be named so.
    let own = whose == Whose::Own || (whose == Whose::Nobody && ask.owner.is_random());
    if made && own {
        used(ask, &group, out);
        all.whole.push(group);
        return;
    }
    if made && matches!(whose, Whose::Another | Whose::Nobody) {
        out.notes.push(foreign(&group));
    }
    if matches!(whose, Whose::Own | Whose::Shared) {
        all.tagged.push(group.clone());
    }
    // A group that is only used holds what its own tags say.
    if whose != Whose::Shared {
        partial.push(group);
    }
}

/// What is in a group that goes as a whole.
fn whole(ask: &Ask<'_>, listed: Vec<Resource>, out: &mut Discovered) -> Vec<Resource> {
    for found in &listed {
        used(ask, found, out);
    }
    listed
}

/// What the cluster owns in a group that stays: what its tag says, and without any cluster's tag what is
/// named after it.
fn owned_of(ask: &Ask<'_>, group: &Resource, listed: Vec<Resource>, out: &mut Discovered) -> Vec<Resource> {
    let by_name = ask.owner.is_random() || ask.owner.whose(&group.tags) == Whose::Own;
    let others: BTreeSet<String> =
        listed.iter().flat_map(|found| ask.owner.others(&found.tags)).map(str::to_owned).collect();
    let own = listed.into_iter().filter(|found| match ask.owner.whose(&found.tags) {
        Whose::Own | Whose::Shared => true,
        Whose::Another => false,
        Whose::Nobody => {
            by_name && ask.owner.others(&found.tags).is_empty() && ask.owner.is_named(&found.name, &others)
        }
    });
    let own: Vec<Resource> = own.collect();
    for found in &own {
        used(ask, found, out);
    }
    own
}

/// Tells of other clusters that use something that goes.
fn used(ask: &Ask<'_>, found: &Resource, out: &mut Discovered) {
    let others = ask.owner.others(&found.tags);
    if others.is_empty() || ask.owner.whose(&found.tags) == Whose::Shared {
        return;
    }
    let message =
        format!("`{}` would be removed, but has the tag of {} as well", found.id, others.join(", "));
    let help = "give it to the cluster that is to keep it, and take the other tag off it; or remove the other \
                cluster first";
    out.notes.push(Finding::error(&pages::USED, Kind::Forbidden, "", message).help(help));
}

fn foreign(group: &Resource) -> Finding {
    let others: Vec<&str> = owners(&group.tags).collect();
    let whose = match others.as_slice() {
        [] => "has no cluster's tag".to_owned(),
        others => format!("is owned by {}", others.join(", ")),
    };
    let message = format!("the resource group `{}` {whose} and stays", group.name);
    let help = "look at what is in it, and delete it by hand if nobody needs it";
    Finding::warning(&pages::FOREIGN_GROUP, Kind::Forbidden, "", message).help(help)
}

/// All resources of the subscription with the cluster's tag of this value.
async fn tagged(ask: &Ask<'_>, subscription: &str, value: &str) -> Result<Vec<Resource>, Fault> {
    let path = format!("{subscription}/resources");
    let filter = format!("tagName eq '{}' and tagValue eq '{value}'", ask.owner.tag());
    let listed = ask.arm.list::<Resource>(Api::Resources, &path, &[("$filter", filter.as_str())]).await?;
    // Where tags come with the list, they are the better witness.
    let fits = |found: &Resource| match ask.owner.whose(&found.tags) {
        Whose::Own => value == OWNED,
        Whose::Shared => value == SHARED,
        Whose::Another | Whose::Nobody => found.tags.is_empty(),
    };
    Ok(listed.into_iter().filter(fits).collect())
}

/// Each resource once.
fn unique(mut found: Vec<Resource>) -> Vec<Resource> {
    let mut seen = BTreeSet::new();
    found.retain(|one| !one.id.is_empty() && seen.insert(one.id.to_ascii_lowercase()));
    found
}

#[cfg(test)]
mod tests {
    use super::super::names::Owner;
    use super::*;
    use crate::platform::azure::cloud::arm::Arm;
    use crate::platform::azure::cloud::scripted::{Scripted, scripted};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const NONE: Scripted = (200, &[], r#"{"value": []}"#);
    const GONE: Scripted = (404, &[], r#"{"error":{"code":"ResourceGroupNotFound","message":"no"}}"#);

    fn ask<'s>(arm: &'s Arm, given_group: &'s str) -> Ask<'s> {
        Ask {
            arm,
            subscription: "s".to_owned(),
            hub: false,
            owner: Owner::new("demo-bcd24"),
            given_group,
            dns_group: "",
        }
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_gone_cluster() -> Outcome {
        let (arm, script) = scripted(&[GONE, NONE, NONE, NONE])?;
        let mut out = Discovered::default();
        let found = holdings(&ask(&arm, ""), &mut out).await;
        assert!(found.whole.is_empty() && found.own.is_empty() && found.shared.is_empty());
        assert!(out.unseen.is_empty(), "{:?}", out.unseen);
        assert_eq!(script.asked().len(), 4);
        Ok(())
    }

    #[tokio::test]
    async fn a_group_of_the_cluster_goes_and_one_of_the_user_stays() -> Outcome {
        const MADE: Scripted = (
            200,
            &[],
            r#"{"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg", "name": "demo-bcd24-rg",
                "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}}"#,
        );
        const OTHER: Scripted = (
            200,
            &[],
            r#"{"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg", "name": "demo-bcd24-rg",
                "tags": {"kubernetes.io_cluster.other-x1y2z": "owned"}}"#,
        );
        let (arm, _) = scripted(&[MADE, NONE, NONE, NONE, NONE])?;
        let mut out = Discovered::default();
        let found = holdings(&ask(&arm, ""), &mut out).await;
        assert_eq!((found.whole.len(), found.tagged.len()), (1, 0));
        assert!(found.goes_with_group("/subscriptions/s/resourcegroups/DEMO-bcd24-rg/providers/x"));

        let (arm, _) = scripted(&[OTHER, NONE, NONE, NONE, NONE])?;
        let mut out = Discovered::default();
        let found = holdings(&ask(&arm, ""), &mut out).await;
        assert!(found.whole.is_empty() && found.tagged.is_empty());
        let notes: Vec<&str> = out.notes.iter().map(|finding| finding.page.code).collect();
        assert_eq!(notes, ["LF1356"]);
        Ok(())
    }

    #[tokio::test]
    async fn in_the_user_s_group_only_the_cluster_s_own_goes() -> Outcome {
        const RG: Scripted = (
            200,
            &[],
            r#"{"id": "/subscriptions/s/resourceGroups/rg", "name": "rg",
                "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}}"#,
        );
        const INSIDE: Scripted = (
            200,
            &[],
            r#"{"value": [
                {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/tagged", "name": "tagged", "type": "p/t",
                 "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}},
                {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/demo-bcd24-nsg", "name": "demo-bcd24-nsg",
                 "type": "p/t", "tags": null},
                {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/demo-bcd24-x", "name": "demo-bcd24-x",
                 "type": "p/t", "tags": {"kubernetes.io_cluster.other-x1y2z": "owned"}},
                {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/used", "name": "used", "type": "p/t",
                 "tags": {"kubernetes.io_cluster.demo-bcd24": "shared"}},
                {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/theirs", "name": "theirs", "type": "p/t"}
            ]}"#,
        );
        let (arm, _) = scripted(&[GONE, RG, NONE, INSIDE, NONE, NONE])?;
        let mut out = Discovered::default();
        let found = holdings(&ask(&arm, "rg"), &mut out).await;
        let own: Vec<&str> = found.own.iter().map(|one| one.name.as_str()).collect();
        let shared: Vec<&str> = found.shared.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((own, shared), (vec!["tagged", "demo-bcd24-nsg"], vec!["used"]));
        assert_eq!((found.whole.len(), found.tagged.len()), (0, 1));
        Ok(())
    }
}

//! The resource groups of a cluster, and what it has in them and elsewhere.

use std::collections::BTreeSet;

use futures::future::join_all;
use futures::join;
use landfall_diagnostics::{Finding, Kind};
use landfall_platform::removal::Discovered;
use serde::Deserialize;

use super::kinds::{PRIVATE_ZONES, ZONES};
use super::names::{Owner, Tags, Whose, is_of_kubernetes, is_within, owners};
use super::{Ask, pages, unseen};
use crate::cloud::api_versions::Api;
use crate::cloud::gather::resource;

/// A resource, or a resource group, as lists have it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Holding {
    /// Its id.
    pub(super) id: String,
    /// Its name; below other resources with theirs.
    pub(super) name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// Where it is.
    pub(super) location: String,
    /// Id of the resource that uses it.
    pub(super) managed_by: String,
    /// Its tags.
    pub(super) tags: Tags,
}

impl Holding {
    /// Whether it is of a type, given in lower case.
    pub(super) fn is_of(&self, name: &str) -> bool {
        self.kind.eq_ignore_ascii_case(name)
    }
}

/// What a cluster has.
#[derive(Clone, Debug, Default)]
pub(super) struct Holdings {
    /// The groups that go as a whole.
    pub(super) whole: Vec<Holding>,
    /// The groups that stay, and carry the cluster's tag.
    pub(super) tagged: Vec<Holding>,
    /// The resources that go, also those that go with a group.
    pub(super) own: Vec<Holding>,
    /// The resources that stay, and carry the cluster's tag.
    pub(super) shared: Vec<Holding>,
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
    // The other clusters of the subscription: what is named after one of them is not this one's.
    let mut others = BTreeSet::new();
    let groups = groups(ask, &mut others, out).await;
    let inside = groups.iter().map(|group| {
        Box::pin(async move {
            if role(ask, group) == Role::Other {
                return (group, Ok(Vec::new()));
            }
            let path = format!("{}/resources", group.id);
            (group, ask.arm.list::<Holding>(Api::RESOURCES, &path, &[]).await)
        })
    });
    // With a filter for tags, lists come without tags, and those of other clusters count as well.
    let path = format!("{}/resources", resource::subscription(&ask.subscription));
    let (inside, everywhere) =
        join!(join_all(inside), Box::pin(ask.arm.list::<Holding>(Api::RESOURCES, &path, &[])));
    let mut all = Holdings::default();
    match everywhere {
        Ok(listed) => {
            others.extend(others_of(ask, &listed));
            for found in listed {
                match ask.owner.whose(&found.tags) {
                    Whose::Own if !ask.is_shared(&found.id) => all.own.push(found),
                    Whose::Shared => all.shared.push(found),
                    Whose::Own | Whose::Another | Whose::Nobody => {}
                }
            }
        }
        Err(fault) => out.unseen.push(unseen("the resources of the subscription", &fault)),
    }
    others
        .extend(inside.iter().flat_map(|(_, listed)| others_of(ask, listed.as_deref().unwrap_or_default())));
    for (group, listed) in inside {
        match listed {
            Ok(listed) => sort(ask, group, listed, &others, (&mut all, out)),
            // A group that is going may be gone by now.
            Err(fault) if fault.is_absence() => sort(ask, group, Vec::new(), &others, (&mut all, out)),
            Err(fault) => out.unseen.push(unseen(&format!("the resources in `{}`", group.id), &fault)),
        }
    }
    let whole = &all.whole;
    let is_public =
        |own: &mut Holding| own.is_of(ZONES) && !whole.iter().any(|group| is_within(&own.id, &group.id));
    out.unproven.extend(all.own.extract_if(.., is_public).map(|zone| pages::public_zone(&zone.id)));
    // What holds something that stays, stays as well.
    let holds = |own: &mut Holding| all.shared.iter().any(|kept| is_within(&kept.id, &own.id));
    let holding: Vec<Holding> = all.own.extract_if(.., holds).collect();
    all.shared.extend(holding);
    (all.own, all.shared) = (unique(all.own), unique(all.shared));
    ask.remember(&all.shared);
    // A group that was shared does not go for its name once it has lost the tag.
    ask.remember(&all.tagged);
    for found in all.whole.iter().chain(&all.own) {
        used(ask, found, out);
    }
    all
}

/// The groups that may hold something of the cluster: the one that the metadata names, and those with its tag.
async fn groups(ask: &Ask<'_>, others: &mut BTreeSet<String>, out: &mut Discovered) -> Vec<Holding> {
    let usual = usual_group(ask);
    let name = if ask.given_group.is_empty() { usual.as_str() } else { ask.given_group };
    let path = resource::group(&ask.subscription, name);
    let list = format!("{}/resourcegroups", resource::subscription(&ask.subscription));
    let (named, listed) = join!(
        Box::pin(ask.arm.find::<Holding>(Api::RESOURCE_GROUPS, &path, &[])),
        Box::pin(ask.arm.list::<Holding>(Api::RESOURCE_GROUPS, &list, &[])),
    );
    let mut found = Vec::new();
    match named {
        Ok(group) => found.extend(group),
        Err(fault) => out.unseen.push(unseen(&format!("the resource group `{name}`"), &fault)),
    }
    match listed {
        Ok(listed) => {
            others.extend(others_of(ask, &listed));
            found.extend(
                listed.into_iter().filter(|group| group.tags.keys().any(|key| ask.owner.is_tag(key))),
            );
        }
        Err(fault) => out.unseen.push(unseen("the resource groups of the subscription", &fault)),
    }
    unique(found)
}

/// The other clusters that have tags there.
fn others_of(ask: &Ask<'_>, listed: &[Holding]) -> BTreeSet<String> {
    listed.iter().flat_map(|found| ask.owner.others(&found.tags)).map(str::to_owned).collect()
}

/// The name of the group that is made with the cluster.
fn usual_group(ask: &Ask<'_>) -> String {
    format!("{}-rg", ask.owner.infra_id())
}

/// What a group is to the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It was made with the cluster, and goes as a whole.
    Made,
    /// It has the name of one that was made with the cluster, and no tag that says so.
    Nameless,
    /// It is the user's, and the cluster is in it.
    Given,
    /// Nothing in it is the cluster's but what says so by itself.
    Other,
}

fn role(ask: &Ask<'_>, group: &Holding) -> Role {
    let usual = usual_group(ask);
    // One that the metadata names is the user's, whatever its name.
    let made = group.name.eq_ignore_ascii_case(&usual) && !ask.given_group.eq_ignore_ascii_case(&usual);
    match ask.owner.whose(&group.tags) {
        Whose::Own if made => Role::Made,
        Whose::Own => Role::Given,
        // The name says enough only if nothing else would be named so.
        Whose::Nobody if made && ask.owner.is_random() && !ask.is_shared(&group.id) => Role::Nameless,
        Whose::Shared | Whose::Another | Whose::Nobody => Role::Other,
    }
}

/// Says of a group whether it goes, and of what is in it what does.
fn sort(
    ask: &Ask<'_>,
    group: &Holding,
    listed: Vec<Holding>,
    others: &BTreeSet<String>,
    (all, out): (&mut Holdings, &mut Discovered),
) {
    let whose = |found: &Holding| ask.owner.whose(&found.tags);
    all.shared.extend(listed.iter().filter(|found| whose(found) == Whose::Shared).cloned());
    let (known, mut listed): (Vec<Holding>, Vec<Holding>) =
        listed.into_iter().partition(|found| ask.is_shared(&found.id));
    let shared: Vec<&Holding> =
        all.shared.iter().filter(|kept| is_within(&kept.id, &group.id)).chain(&known).collect();
    let is_kept = |id: &str| shared.iter().any(|kept| is_within(id, &kept.id) || is_within(&kept.id, id));
    match role(ask, group) {
        Role::Made => {
            if shared.is_empty() {
                all.whole.push(group.clone());
            } else {
                out.notes.push(kept_for(group, &shared));
                all.tagged.push(group.clone());
            }
            let own = listed.into_iter().filter(|found| whose(found) == Whose::Own || !is_kept(&found.id));
            all.own.extend(own);
        }
        // As long as anything in it carries no tag of the cluster's, it may be what the cluster only used.
        // An empty one may be the user's, which has lost the tag of a cluster that only used it.
        Role::Nameless
            if known.is_empty()
                && !listed.is_empty()
                && listed.iter().all(|found| whose(found) == Whose::Own) =>
        {
            all.whole.push(group.clone());
            all.own.extend(listed);
        }
        // Where the cluster has something in it, it may have lost its tag.
        Role::Nameless => {
            listed.retain(|found| !is_kept(&found.id));
            if owned_of(ask, listed, others, out).is_empty() {
                out.notes.push(foreign(group));
            } else {
                let why = "a resource in it has the cluster's tag or name";
                out.unproven.push(pages::unproven(&group.id, why, &ask.owner));
            }
        }
        Role::Given => {
            all.tagged.push(group.clone());
            all.own.extend(owned_of(ask, listed, others, out));
        }
        Role::Other => match whose(group) {
            Whose::Shared => all.tagged.push(group.clone()),
            Whose::Nobody if !ask.given_group.is_empty() => {}
            Whose::Another | Whose::Nobody | Whose::Own => out.notes.push(foreign(group)),
        },
    }
}

/// What the cluster owns in a group of the user's: what its tag says, and without any cluster's tag what is named
/// after it. That holds as long as the group carries the tag: what is only used loses its own later. What only may
/// be the cluster's is told: a name that its id does not prove, and what Kubernetes created.
fn owned_of(
    ask: &Ask<'_>,
    listed: Vec<Holding>,
    others: &BTreeSet<String>,
    out: &mut Discovered,
) -> Vec<Holding> {
    let is_theirs = |name: &str| others.iter().any(|id| Owner::new(id).is_named(name, &BTreeSet::new()));
    let zones = linked_zones(ask, &listed);
    let domain = format!("{}.{}", ask.cluster_name, ask.base_domain);
    let is_own = |found: &Holding| {
        let whose = ask.owner.whose(&found.tags);
        if whose != Whose::Nobody || !ask.owner.others(&found.tags).is_empty() {
            return whose == Whose::Own;
        }
        if zones.iter().any(|zone| is_within(&found.id, zone)) {
            return true;
        }
        let why = match (ask.owner.is_named(&found.name, others), ask.owner.is_random()) {
            (true, true) => return true,
            (true, false) => "its name starts with the infrastructure ID",
            (false, _) if found.is_of(PRIVATE_ZONES) && found.name.eq_ignore_ascii_case(&domain) => {
                "it has the cluster's domain"
            }
            (false, _) if is_of_kubernetes(&found.tags) && !is_theirs(&found.name) => {
                "its tags say that a Kubernetes cluster created it"
            }
            (false, _) => return false,
        };
        out.unproven.push(pages::unproven(&found.id, why, &ask.owner));
        false
    };
    listed.into_iter().filter(is_own).collect()
}

/// The ids of zones without a cluster's tag that have the link to the cluster's network (`assets.md`, A.3).
fn linked_zones(ask: &Ask<'_>, listed: &[Holding]) -> Vec<String> {
    let link = format!("{}-network-link", ask.owner.infra_id());
    let is_linked = |zone: &&Holding| {
        let untagged = zone.is_of(PRIVATE_ZONES) && owners(&zone.tags).next().is_none();
        let id = format!("{}/virtualNetworkLinks/{link}", zone.id);
        untagged && ask.owner.is_random() && listed.iter().any(|found| found.id.eq_ignore_ascii_case(&id))
    };
    listed.iter().filter(is_linked).map(|zone| zone.id.clone()).collect()
}

/// Tells of other clusters that use something that goes.
fn used(ask: &Ask<'_>, found: &Holding, out: &mut Discovered) {
    let others = ask.owner.others(&found.tags);
    if others.is_empty() {
        return;
    }
    let message = format!("`{}` would be removed, but also has the tag of {}", found.id, others.join(", "));
    let help = "keep only the tag of the cluster that owns it; or destroy the other cluster first";
    out.notes.push(Finding::error(&pages::USED, Kind::Forbidden, "", message).help(help));
}

fn foreign(group: &Holding) -> Finding {
    let ids = owners(&group.tags).collect::<Vec<&str>>().join(", ");
    let whose = if ids.is_empty() { "has no cluster's tag".to_owned() } else { format!("is owned by {ids}") };
    let message = format!("the resource group `{}` {whose} and is kept", group.name);
    let help = "check its contents, and delete it by hand if it is not needed";
    Finding::warning(&pages::FOREIGN_GROUP, Kind::Forbidden, "", message).help(help)
}

fn kept_for(group: &Holding, shared: &[&Holding]) -> Finding {
    let shared: BTreeSet<&str> = shared.iter().map(|kept| kept.name.as_str()).collect();
    let shared = shared.into_iter().collect::<Vec<&str>>().join(", ");
    let group = &group.name;
    let message =
        format!("the resource group `{group}` is kept, because the cluster only shares {shared} in it");
    let help = "everything else in it is removed; delete the group by hand when the shared resources are \
        not needed, or move them to another group first";
    Finding::warning(&pages::FOREIGN_GROUP, Kind::Forbidden, "", message).help(help)
}

/// Each resource once.
fn unique(mut found: Vec<Holding>) -> Vec<Holding> {
    let mut seen = BTreeSet::new();
    found.retain(|one| !one.id.is_empty() && seen.insert(one.id.to_ascii_lowercase()));
    found
}

#[cfg(test)]
mod tests;

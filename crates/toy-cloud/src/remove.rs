//! How a cluster is found and removed.

use std::collections::BTreeMap;

use landfall_platform::cloud::{Asked, Verdict, Waiting};
use landfall_platform::removal::{
    Account as Caller, Discovered, Disposition, FoundCluster, FoundClusters, Holder, Kind, Outcome, Removal,
    Resource, Target,
};

use crate::account::Account;
use crate::cloud::unreachable;

macro_rules! kinds {
    ($($name:literal),*) => {
        &[$(Kind { name: $name, batch: 1, help: "remove what uses it", last: false }),*]
    };
}

/// The kinds, by their names in the graph.
static KINDS: &[Kind] =
    kinds!["network", "subnet", "firewall", "address", "balancer", "record", "machine", "bootstrap-machine"];

/// The removal of one cluster.
pub(super) struct Remove<'a> {
    pub(super) account: Account,
    pub(super) target: &'a Target,
}

fn failed(why: &str) -> Verdict {
    Verdict::Found(Box::new(unreachable(why)))
}

impl Removal for Remove<'_> {
    fn account(&self) -> Waiting<'_, Asked<Caller>> {
        Box::pin(async move {
            let content = self.account.read().map_err(|why| failed(&why))?;
            Ok(Caller { id: content.account, caller: "toy".to_owned() })
        })
    }

    fn discover(&self) -> Waiting<'_, Discovered> {
        Box::pin(async move {
            let mut found = Discovered::default();
            let content = match self.account.read() {
                Ok(content) => content,
                Err(why) => {
                    found.unseen.push(unreachable(&why));
                    return found;
                }
            };
            let own: Vec<_> =
                content.resources.iter().filter(|(_, held)| held.cluster == self.target.infra_id).collect();
            for (id, held) in &own {
                let Some(kind) = KINDS.iter().find(|kind| kind.name == held.kind) else { continue };
                let users = own.iter().filter(|(_, other)| other.refers_to(id));
                found.things.push(Resource {
                    id: (*id).clone(),
                    kind,
                    name: held.name.clone(),
                    fate: Disposition::Removed,
                    after: users.map(|(user, _)| (*user).clone()).collect(),
                });
            }
            found
        })
    }

    fn remove<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(async move {
            let mut outcomes = Vec::new();
            for thing in things {
                let outcome = self.account.change(|content| {
                    let mut users = content.resources.iter().filter(|(_, held)| held.refers_to(&thing.id));
                    if let Some((user, _)) = users.next() {
                        return Outcome::Held { why: format!("{user} uses it") };
                    }
                    content.resources.remove(&thing.id);
                    Outcome::Gone
                });
                outcomes.push(outcome.unwrap_or_else(|why| Outcome::Failed { why }));
            }
            outcomes
        })
    }

    fn look<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(async move {
            let content = self.account.read();
            let is = |thing: &&Resource| match &content {
                Ok(content) if content.resources.contains_key(&thing.id) => Outcome::Going,
                Ok(_) => Outcome::Gone,
                Err(why) => Outcome::Failed { why: why.clone() },
            };
            things.iter().map(is).collect()
        })
    }

    fn holders<'s>(&'s self, thing: &'s Resource) -> Waiting<'s, Vec<Holder>> {
        Box::pin(async move {
            let Ok(content) = self.account.read() else { return Vec::new() };
            let users = content.resources.iter().filter(|(_, held)| held.refers_to(&thing.id));
            let own = &self.target.infra_id;
            users.map(|(id, held)| Holder { what: id.clone(), own: held.cluster == *own }).collect()
        })
    }

    fn clusters(&self) -> Waiting<'_, Asked<FoundClusters>> {
        Box::pin(async move {
            let content = self.account.read().map_err(|why| failed(&why))?;
            let mut found: BTreeMap<&str, usize> = BTreeMap::new();
            for held in content.resources.values() {
                *found.entry(&held.cluster).or_default() += 1;
            }
            let region = &self.account.region;
            let cluster = |(infra_id, things): (&str, usize)| FoundCluster {
                infra_id: infra_id.to_owned(),
                region: region.clone(),
                things,
            };
            Ok(found.into_iter().map(cluster).collect::<Vec<FoundCluster>>().into())
        })
    }
}

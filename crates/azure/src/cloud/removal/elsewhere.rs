//! What other subscriptions have of a cluster, for a look that found only what can be found from each of them: public
//! records, role assignments, identities and applications.

use futures::future::join_all;
use landfall_diagnostics::{Finding, Kind};
use landfall_platform::removal::{Elsewhere, FoundElsewhere, Resource};

use super::holdings::Holding;
use super::kinds::{APPLICATION, IDENTITY, RECORD, ROLE_ASSIGNMENT, SERVICE_PRINCIPAL};
use super::names::Whose;
use super::{Ask, AzureRemoval, pages, unasked, unseen};
use crate::cloud::api_versions::Api;
use crate::cloud::fault::Fault;
use crate::cloud::gather::resource;
use crate::cloud::subscription::Subscription;

/// Whether a resource says that the cluster is in the subscription.
pub(super) fn is_local(thing: &Resource) -> bool {
    ![&APPLICATION, &IDENTITY, &RECORD, &ROLE_ASSIGNMENT, &SERVICE_PRINCIPAL].contains(&thing.kind)
}

/// What other subscriptions have of the cluster.
pub(super) async fn elsewhere(removal: &AzureRemoval<'_>) -> Elsewhere {
    let session = removal.session();
    let ask = match removal.ask(&session).await {
        Ok(ask) => ask,
        Err(verdict) => return Elsewhere { unseen: vec![unasked(verdict)], ..Elsewhere::default() },
    };
    let mut out = Elsewhere {
        here: format!("subscription {}", ask.subscription),
        // It was compared with that of the credentials.
        confirmed: removal.target.account.as_deref().is_some_and(|account| !account.trim().is_empty()),
        ..Elsewhere::default()
    };
    if out.confirmed {
        return out;
    }
    let listed = ask.arm.list::<Subscription>(Api::SUBSCRIPTIONS, "/subscriptions", &[]).await;
    let others: Vec<String> = match listed {
        Ok(listed) => listed.into_iter().map(|one| one.id).collect(),
        Err(fault) => {
            out.unseen.push(unseen("the list of subscriptions", &fault));
            Vec::new()
        }
    };
    let others = others.iter().filter(|id| !id.eq_ignore_ascii_case(&ask.subscription) && !id.is_empty());
    let ask = &ask;
    let asked =
        join_all(others.map(|id| Box::pin(async move { (id, Box::pin(owned_in(ask, id)).await) }))).await;
    for (id, answer) in asked {
        match answer {
            Ok(groups) if groups.is_empty() => {}
            Ok(groups) => out.found.push(FoundElsewhere {
                place: format!("subscription {id}"),
                evidence: format!("with its resource group {}", groups.join(", ")),
                help: format!("set AZURE_SUBSCRIPTION_ID to {id}"),
            }),
            Err(fault) => out.unseen.push(unseen(&format!("the subscription {id}"), &fault)),
        }
    }
    out.unseen.push(unlisted());
    out
}

/// The names of the resource groups of a subscription that the cluster owns.
async fn owned_in(ask: &Ask<'_>, id: &str) -> Result<Vec<String>, Fault> {
    let path = format!("{}/resourcegroups", resource::subscription(id));
    let groups = ask.arm.list::<Holding>(Api::RESOURCE_GROUPS, &path, &[]).await?;
    let own = groups.into_iter().filter(|group| ask.owner.whose(&group.tags) == Whose::Own);
    Ok(own.map(|group| group.name).collect())
}

/// That nobody noted the subscription, and that those which the credentials can see need not be all.
fn unlisted() -> Finding {
    let message =
        "the cluster's subscription was not recorded, and it may be one that the credentials cannot see";
    let help = "use credentials for the cluster's subscription and cloud";
    Finding::error(&pages::UNSEEN, Kind::Forbidden, "", message).help(help)
}

#[cfg(test)]
mod tests {
    use super::super::kinds::{GROUP, MACHINE};
    use super::*;
    use landfall_platform::removal::{Disposition, Kind as Sorted};

    #[test]
    fn what_every_subscription_tells_is_in_none() {
        let local = |kind: &'static Sorted| {
            let (id, name) = ("/x".to_owned(), String::new());
            is_local(&Resource { id, kind, name, fate: Disposition::Removed, after: Vec::new() })
        };
        assert!(local(&GROUP) && local(&MACHINE));
        for kind in [&APPLICATION, &IDENTITY, &RECORD, &ROLE_ASSIGNMENT, &SERVICE_PRINCIPAL] {
            assert!(!local(kind), "{}", kind.name);
        }
    }
}

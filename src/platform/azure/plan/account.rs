//! Whose subscription it is, and whether the facts are those of this config.

use super::{Planning, pages};
use crate::finding::Findings;
use crate::platform::azure::planned::Account;

/// Subscription and tenant, without which no name of a resource is complete.
pub(super) fn choose(planning: &Planning<'_>, out: &mut Findings) -> Option<Account> {
    check_fit(planning, out);
    let facts = planning.facts;
    let given = [("subscription", &facts.subscription_id), ("tenant", &facts.tenant_id)];
    let missing: Vec<&str> = given.iter().filter(|(_, id)| id.is_empty()).map(|(name, _)| *name).collect();
    if !missing.is_empty() {
        out.push(pages::account_not_known(&missing));
        return None;
    }
    Some(Account {
        subscription_id: facts.subscription_id.clone(),
        tenant_id: facts.tenant_id.clone(),
        client_id: facts.client_id.clone(),
    })
}

/// Facts of another cloud or location would give a plan that fits nowhere.
fn check_fit(planning: &Planning<'_>, out: &mut Findings) {
    let (facts, platform) = (planning.facts, planning.platform);
    let pairs = [
        ("cloudName", &facts.cloud_name, &platform.cloud_name),
        ("region", &facts.location.name, &platform.region),
    ];
    for (field, found, wanted) in pairs.into_iter().filter(|(_, found, _)| !found.is_empty()) {
        if found != wanted {
            out.push(pages::facts_of_another(field, found, wanted));
        }
    }
}

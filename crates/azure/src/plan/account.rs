//! Whose subscription it is, and whether the facts are those of this config.

use landfall_diagnostics::Findings;
use landfall_model::azure::planned::Account;

use super::{Planning, account_pages, location, pages};

/// Subscription and tenant, without which no name of a resource is complete.
pub(super) fn choose(planning: &Planning<'_>, out: &mut Findings) -> Option<Account> {
    check_fit(planning, out);
    let facts = planning.facts;
    let given = [
        ("subscription", "subscriptionId", &facts.subscription_id),
        ("tenant", "tenantId", &facts.tenant_id),
    ];
    let missing = given.iter().filter(|(_, _, id)| id.is_empty());
    let missing: Vec<(&str, &str)> = missing.map(|(name, key, _)| (*name, *key)).collect();
    if !missing.is_empty() {
        out.push(if planning.of_cloud() {
            account_pages::account_not_in_facts(&missing)
        } else {
            let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
            account_pages::account_not_known(&names)
        });
        return None;
    }
    Some(Account {
        subscription_id: facts.subscription_id.clone(),
        tenant_id: facts.tenant_id.clone(),
        client_id: facts.client_id.clone(),
        identity: facts.identity.clone(),
    })
}

/// Facts of another cloud or location would give a plan that fits nowhere.
fn check_fit(planning: &Planning<'_>, out: &mut Findings) {
    let (found, wanted) = (&planning.facts.cloud_name, &planning.platform.cloud_name);
    if !found.is_empty() && found != wanted {
        out.push(pages::facts_of_another("cloudName", found, wanted));
    }
    location::check_fit(planning, out);
}

//! Use and limits of what a subscription may have in a location.

use std::collections::BTreeMap;

use futures::join;
use landfall_model::azure::facts::Quota;
use landfall_platform::cloud::Asked;
use serde::Deserialize;
use serde_json::Value;

use super::{Quotas, resource, where_to_ask};
use crate::cloud::api_versions::Api;
use crate::cloud::arm::Arm;
use crate::cloud::fault::Sort;
use crate::cloud::session::Session;

/// The provider of machines.
pub(in super::super) const COMPUTE: &str = "Microsoft.Compute";

/// The provider of networks.
pub(in super::super) const NETWORK: &str = "Microsoft.Network";

/// One quota as the resource manager gives it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Usage {
    name: Name,
    current_value: Value,
    limit: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Name {
    value: String,
}

/// The quotas of machines and networks. Nothing that is planned rests on them, so that a caller who may not
/// see them still has facts.
pub(super) async fn quotas(session: &Session<'_>) -> Asked<Quotas> {
    let Some(location) = where_to_ask(session).await else {
        return Ok(Quotas::default());
    };
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let (compute, network) = join!(
        Box::pin(usages(arm, Api::USAGES, &subscription, COMPUTE, &location)),
        Box::pin(usages(arm, Api::NETWORK_USAGES, &subscription, NETWORK, &location)),
    );
    let mut quotas = Quotas::default();
    for (provider, answer) in [(COMPUTE, compute), (NETWORK, network)] {
        match answer {
            Ok(usages) => quotas.known.extend(known(usages)),
            Err(why) => {
                quotas.untold.insert(provider, why);
            }
        }
    }
    Ok(quotas)
}

/// The quotas of a provider, or why they are not to be seen.
async fn usages(
    arm: &Arm,
    kind: Api,
    subscription: &str,
    provider: &str,
    location: &str,
) -> Result<Vec<Usage>, String> {
    let rest = format!("{provider}/locations/{}/usages", resource::segment(location));
    let told = arm.list::<Usage>(kind, &resource::provided(subscription, &rest), &[]).await;
    // A Stack Hub need not have all of them, and a fault that stays leaves the rest of the facts.
    told.map_err(|fault| match fault.sort {
        Sort::Denied => format!("the caller is denied the quotas of {provider}: {}", fault.sentence()),
        _ => format!("the quotas of {provider} are not reported: {}", fault.sentence()),
    })
}

fn known(usages: Vec<Usage>) -> BTreeMap<String, Quota> {
    let mut known = BTreeMap::new();
    for usage in usages {
        let numbers = whole(&usage.limit).zip(whole(&usage.current_value));
        if let Some((limit, used)) = numbers.filter(|_| !usage.name.value.is_empty()) {
            known.insert(usage.name.value, Quota { limit, used });
        }
    }
    known
}

/// A whole number. Some quotas are given as text.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;

    #[test]
    fn quotas_are_known_by_their_names() {
        let text = r#"[
            {"unit": "Count", "currentValue": 12, "limit": 100,
             "name": {"value": "cores", "localizedValue": "Total Regional vCPUs"}},
            {"currentValue": "0", "limit": "10", "name": {"value": "standardDSv3Family"}},
            {"currentValue": 8, "limit": 50, "name": {"value": "VirtualNetworks"},
             "id": "/subscriptions/s/providers/Microsoft.Network/locations/westus/usages/VirtualNetworks"},
            {"currentValue": 1, "limit": null, "name": {"value": "odd"}},
            {"currentValue": 1, "limit": 2, "name": null}
        ]"#;
        let usages: Vec<Usage> = of_text(text).unwrap_or_default();
        let expected = [("VirtualNetworks", 50, 8), ("cores", 100, 12), ("standardDSv3Family", 10, 0)];
        let found = known(usages);
        let found: Vec<(&str, i64, i64)> =
            found.iter().map(|(name, quota)| (name.as_str(), quota.limit, quota.used)).collect();
        assert_eq!(found, expected);
    }
}

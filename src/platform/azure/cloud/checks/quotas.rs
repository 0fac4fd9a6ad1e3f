//! Whether the subscription's quotas leave room for what the plan uses.

use std::collections::{BTreeMap, BTreeSet};

use super::quota_needs::{CORES, Need, REGION, TYPE, needs};
use super::{check, findings, skipped};
use crate::config::Network;
use crate::plan::Plan;
use crate::platform::azure::cloud::gather::sizes_of_pools;
use crate::platform::azure::cloud::session::Session;
use crate::platform::azure::facts::Quota;
use crate::platform::cloud::{Answer, Asking, Check};

/// The quotas, besides those of families, that clusters use, with their fields.
const ALWAYS: &[(&str, &str)] = &[
    (CORES, TYPE),
    ("virtualMachines", TYPE),
    ("NetworkSecurityGroups", REGION),
    ("NetworkInterfaces", REGION),
    ("LoadBalancers", REGION),
    ("PublicIPAddresses", REGION),
];

/// The quota that a new network uses.
const NETWORKS: &str = "VirtualNetworks";

/// One check for each quota that the plan uses and the cloud has.
pub(super) fn checks<'s>(session: &'s Session<'_>, plan: &'s Plan) -> Vec<Check<'s>> {
    let Some(planned) = plan.platform.azure.as_deref() else {
        return Vec::new();
    };
    let none = BTreeMap::new();
    let sizes = session.answers.sizes().unwrap_or(&none);
    let services = plan.config.networking.iter().flat_map(|networking| &networking.service_network);
    let dual = services.filter_map(Network::given).any(|network| !network.is_ipv4());
    let known = session.answers.quotas().map(|quotas| &quotas.known);
    let told = |need: &Need| need.usual || known.is_some_and(|known| find(known, &need.quota).is_some());
    let needs = needs(planned, &plan.cluster, dual, sizes).into_iter().filter(told);
    let one = |need: Need| {
        let (id, field) = (id(&need.quota), need.field.clone());
        check(id, field, room(session, need))
    };
    needs.map(one).collect()
}

/// The checks that would be made of a plan if there were one.
pub(super) fn without_plan(asking: &Asking<'_>) -> Vec<(String, String)> {
    let Asking { config, catalogue, .. } = *asking;
    let platform = config.platform.azure.as_ref();
    let existing = platform.is_some_and(|platform| !platform.virtual_network.is_empty());
    let pools = sizes_of_pools(config, catalogue);
    let families: BTreeSet<&str> =
        pools.iter().filter_map(|name| catalogue.azure.size(name)).map(|size| size.family.as_str()).collect();
    let network = (!existing).then_some((NETWORKS, REGION));
    let families = families.into_iter().filter(|family| !family.is_empty()).map(|family| (family, TYPE));
    let all = ALWAYS.iter().copied().chain(network).chain(families);
    all.map(|(quota, field)| (id(quota), field.to_owned())).collect()
}

fn id(quota: &str) -> String {
    format!("azure.quota.{quota}")
}

/// A quota by its name, whose capitals differ from list to list.
fn find<'q>(known: &'q BTreeMap<String, Quota>, name: &str) -> Option<&'q Quota> {
    known.get(name).or_else(|| {
        let same = known.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
        same.map(|(_, quota)| quota)
    })
}

async fn room(session: &Session<'_>, need: Need) -> Result<Answer, Answer> {
    let Need { quota: name, amount, uncounted, field, .. } = need;
    if amount == 0 && !uncounted.is_empty() {
        let why = format!("how many virtual processors {} has is not known", uncounted.join(", "));
        return Err(Answer::skipped(why));
    }
    let quotas = session.quotas().await.as_ref();
    let quotas = quotas.map_err(|why| skipped("the quota is not known", why))?;
    let Some(quota) = find(&quotas.known, &name) else {
        let why = match quotas.untold.first() {
            Some(why) => format!("the quota is not known: {why}"),
            None => format!("{} does not list the quota {name}", session.platform.region),
        };
        return Err(Answer::skipped(why));
    };
    let account = Account { name: &name, region: &session.platform.region, quota, needed: amount };
    let answer = account.judged(&field);
    Ok(if uncounted.is_empty() { answer } else { answer.with("notCounted", uncounted) })
}

/// A quota, and what the cluster needs of it.
pub(super) struct Account<'a> {
    name: &'a str,
    region: &'a str,
    quota: &'a Quota,
    needed: i64,
}

impl Account<'_> {
    fn judged(&self, field: &str) -> Answer {
        let Quota { limit, used } = *self.quota;
        let left = limit.saturating_sub(used).saturating_sub(self.needed);
        let answer = if limit < 0 {
            Answer::passed(format!("the quota `{}` has no limit in {}", self.name, self.region))
        } else if left < 0 {
            Answer::found(findings::quota_short(field, self))
        } else if left <= limit / 5 {
            Answer::found(findings::quota_tight(field, self))
        } else {
            Answer::passed(self.sentence())
        };
        let answer = answer.with("limit", limit).with("used", used).with("needed", self.needed);
        answer.with("quota", self.name)
    }

    /// The numbers, as a sentence without a full stop.
    pub(super) fn sentence(&self) -> String {
        let Self { name, region, quota: Quota { limit, used }, needed } = self;
        format!(
            "the quota `{name}` in {region} is {limit}, of which {used} in use, and the cluster needs \
             {needed}"
        )
    }

    /// What to do about it.
    pub(super) fn help(&self) -> String {
        let Self { name, region, .. } = self;
        format!(
            "ask Azure to raise the quota {name} in {region}, on the page Quotas of its portal, or remove \
             what is not used there"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::cloud::Verdict;

    fn judged(limit: i64, used: i64, needed: i64) -> Answer {
        let quota = Quota { limit, used };
        Account { name: CORES, region: "eastus", quota: &quota, needed }.judged(TYPE)
    }

    fn code(limit: i64, used: i64, needed: i64) -> &'static str {
        match judged(limit, used, needed).verdict {
            Verdict::Found(finding) => finding.page.code,
            _ => "",
        }
    }

    #[test]
    fn a_cluster_must_fit_beside_what_is_in_use() {
        assert_eq!(code(100, 70, 40), "LF1145");
        assert_eq!(code(0, 0, 1), "LF1145");
        assert_eq!(code(100, 60, 40), "LF1146");
        assert_eq!(code(100, 40, 40), "LF1146");
        assert_eq!(code(100, 39, 40), "");
        assert_eq!(code(-1, 39, 40), "");
    }

    #[test]
    fn limit_use_and_need_are_told() {
        let answer = judged(100, 70, 40);
        let message = match answer.verdict {
            Verdict::Found(finding) => finding.message,
            _ => String::new(),
        };
        let expected = "the quota `cores` in eastus is 100, of which 70 in use, and the cluster needs 40";
        assert_eq!(message, expected);
        let number = |name: &str| answer.evidence.get(name).and_then(serde_json::Value::as_i64);
        assert_eq!((number("limit"), number("used"), number("needed")), (Some(100), Some(70), Some(40)));
    }

    #[test]
    fn names_are_found_without_regard_to_capitals() {
        let known = BTreeMap::from([("StandardDSv3Family".to_owned(), Quota { limit: 10, used: 1 })]);
        assert_eq!(find(&known, "standardDSv3Family").map(|quota| quota.limit), Some(10));
        assert!(find(&known, "standardESv3Family").is_none());
    }
}

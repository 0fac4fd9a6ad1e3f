//! Whether the subscription's quotas leave room for what the plan uses.

use std::collections::{BTreeMap, BTreeSet};

use landfall_diagnostics::shortened;
use landfall_model::azure::catalogue::Size;
use landfall_model::azure::facts::Quota;
use landfall_model::plan::Plan;
use landfall_platform::cloud::{Answer, Asking, Check, Evidence, check, skipped};
use serde_json::json;

use super::findings;
use super::quota_needs::{CORES, Need, REGION, TYPE, needs};
use crate::cloud::gather::{Quotas, sizes_of_pools};
use crate::cloud::session::Session;

/// The quotas, besides those of families, that clusters use, with their fields.
const ALWAYS: &[(&str, &str)] = &[
    (CORES, TYPE),
    ("virtualMachines", TYPE),
    ("NetworkSecurityGroups", REGION),
    ("NetworkInterfaces", REGION),
    ("LoadBalancers", REGION),
    ("PublicIPAddresses", REGION),
];

/// The check of all quotas together.
const ALL: &str = "azure.quotas";

/// The quota that a new network uses.
const NETWORKS: &str = "VirtualNetworks";

/// The check of all quotas together, which needs no plan: whether they are to be seen.
pub(super) fn of_all<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    vec![Check::new(ALL, REGION, async move {
        match session.quotas().await {
            Ok(quotas) => seen(quotas),
            Err(why) => Answer { verdict: why.clone(), evidence: Evidence::new() },
        }
    })]
}

/// What there is to be said of all quotas together.
fn seen(Quotas { known, untold }: &Quotas) -> Answer {
    let plural = if known.len() == 1 { "quota" } else { "quotas" };
    let answer = if !untold.is_empty() {
        let reasons: Vec<&str> = untold.values().map(String::as_str).collect();
        Answer::skipped(reasons.join("; "))
    } else if known.is_empty() {
        Answer::skipped("the cloud reports no quotas of the location")
    } else if let Some(Quota { limit, used }) = find(known, CORES) {
        Answer::passed(format!(
            "{} {plural} and their use are known; of {limit} virtual CPUs {used} are in use",
            known.len()
        ))
    } else {
        Answer::passed(format!("{} {plural} and their use are known", known.len()))
    };
    answer.with("quotas", json!(known))
}

/// One check for each quota that the plan uses and the cloud has.
pub(super) fn checks<'s>(session: &'s Session<'_>, plan: &'s Plan) -> Vec<Check<'s>> {
    let Some(planned) = plan.platform.azure.as_deref() else {
        return Vec::new();
    };
    let none = BTreeMap::new();
    let sizes = session.answers.sizes().unwrap_or(&none);
    let dual = plan.config.has_ipv6_services();
    // The check of all quotas tells once what is not to be seen of them.
    let Some(quotas) = session.answers.quotas() else {
        return Vec::new();
    };
    let told = |need: &Need| {
        let listed = need.usual || find(&quotas.known, &need.quota).is_some();
        listed && !quotas.untold.contains_key(need.provider)
    };
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
        pools.iter().filter_map(|name| of_catalogue(asking, name)).map(|size| size.family.as_str()).collect();
    let network = (!existing).then_some((NETWORKS, REGION));
    let families = families.into_iter().filter(|family| !family.is_empty()).map(|family| (family, TYPE));
    let all = ALWAYS.iter().copied().chain(network).chain(families);
    all.map(|(quota, field)| (id(quota), field.to_owned())).collect()
}

/// A size of the catalogue, whose name the config may write in other capitals.
fn of_catalogue<'a>(asking: &Asking<'a>, name: &str) -> Option<&'a Size> {
    let sizes = &asking.catalogue.azure.sizes;
    sizes.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, size)| size)
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
    let Need { quota: name, provider, amount, uncounted, field, .. } = need;
    if amount == 0 && !uncounted.is_empty() {
        let why = format!("the number of vCPUs of {} is unknown", uncounted.join(", "));
        return Err(Answer::skipped(why));
    }
    let quotas = session.quotas().await.as_ref();
    let quotas = quotas.map_err(|why| skipped("the quota is not known", why))?;
    let Some(quota) = find(&quotas.known, &name) else {
        let why = match quotas.untold.get(provider) {
            Some(why) => why.clone(),
            None => format!("{} does not list the quota {name}", session.platform.region),
        };
        return Err(Answer::skipped(why));
    };
    let installed = session.asking.installed;
    let account = Account { name: &name, region: &session.platform.region, quota, needed: amount, installed };
    Ok(account.judged_without(&field, uncounted))
}

/// A quota, and what the cluster needs of it.
pub(super) struct Account<'a> {
    name: &'a str,
    region: &'a str,
    quota: &'a Quota,
    needed: i64,
    /// Whether something of the cluster may stand already, and be in use.
    installed: bool,
}

impl Account<'_> {
    /// How much is sure to be taken in addition. Azure tells sums only: what of the cluster is among them
    /// nobody knows, and counting it twice would keep every run from going on.
    fn more(&self) -> i64 {
        if self.installed { 0 } else { self.needed }
    }

    /// What is to be said where some sizes are not counted: nothing for sure, unless the quota is too small for
    /// the others already or has no limit.
    fn judged_without(&self, field: &str, uncounted: Vec<String>) -> Answer {
        if uncounted.is_empty() {
            return self.judged(field);
        }
        let Quota { limit, used } = *self.quota;
        let short = limit.saturating_sub(used) < self.more();
        let answer = if limit < 0 || short {
            self.judged(field)
        } else {
            let why = format!("the number of vCPUs of {} is unknown", shortened(&uncounted.join(", ")));
            Answer::skipped(why).with("limit", limit).with("used", used).with("quota", self.name)
        };
        answer.with("notCounted", uncounted)
    }

    fn judged(&self, field: &str) -> Answer {
        let Quota { limit, used } = *self.quota;
        let left = limit.saturating_sub(used).saturating_sub(self.more());
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
        let Self { name, region, quota: Quota { limit, used }, needed, installed } = self;
        if *installed {
            return format!(
                "quota `{name}` in {region}: {used} of {limit} in use, this cluster included, which needs \
                 {needed} in all"
            );
        }
        format!("quota `{name}` in {region}: {used} of {limit} in use, {needed} needed")
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
    use landfall_platform::cloud::Verdict;
    use landfall_testing::assert_names;

    fn judged(limit: i64, used: i64, needed: i64) -> Answer {
        let quota = Quota { limit, used };
        Account { name: CORES, region: "eastus", quota: &quota, needed, installed: false }.judged(TYPE)
    }

    fn code_of(answer: &Answer) -> &'static str {
        match &answer.verdict {
            Verdict::Found(finding) => finding.code.as_str(),
            _ => "",
        }
    }

    fn code(limit: i64, used: i64, needed: i64) -> &'static str {
        code_of(&judged(limit, used, needed))
    }

    #[test]
    fn what_may_stand_of_the_cluster_is_not_added_to_the_use() {
        let judged = |limit, used, needed| {
            let quota = Quota { limit, used };
            Account { name: CORES, region: "eastus", quota: &quota, needed, installed: true }.judged(TYPE)
        };
        assert_eq!(code_of(&judged(100, 70, 40)), "");
        assert_eq!(code_of(&judged(100, 100, 40)), "LF1146");
        assert_eq!(code_of(&judged(100, 101, 40)), "LF1145");
        let said = match judged(100, 70, 40).verdict {
            Verdict::Passed(what) => what,
            _ => String::new(),
        };
        assert_names(&said, &["`cores`", "eastus", " 70 of 100 ", "included", " 40 in all"]);
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
        assert_names(&message, &["`cores`", "eastus", " 70 of 100 ", " 40 needed"]);
        assert!(!message.contains("included"), "{message}");
        let number = |name: &str| answer.evidence.get(name).and_then(serde_json::Value::as_i64);
        assert_eq!((number("limit"), number("used"), number("needed")), (Some(100), Some(70), Some(40)));
    }

    #[test]
    fn what_the_caller_may_not_see_is_told_once() {
        let said = |quotas: &Quotas| match seen(quotas).verdict {
            Verdict::Passed(what) => what,
            Verdict::Skipped(why) | Verdict::Unanswered(why) => format!("skipped: {why}"),
            Verdict::Found(finding) => finding.message,
        };
        let mut quotas = Quotas::default();
        assert!(said(&quotas).starts_with("skipped: "), "{}", said(&quotas));
        quotas.known.insert(CORES.to_owned(), Quota { limit: 100, used: 12 });
        assert!(!said(&quotas).starts_with("skipped: "), "{}", said(&quotas));
        assert_names(&said(&quotas), &["1 quota ", " 100 ", " 12 "]);
        quotas.untold.insert("Microsoft.Network", "denied".to_owned());
        assert_eq!(said(&quotas), "skipped: denied");
    }

    #[test]
    fn what_is_not_counted_leaves_the_question_open_unless_the_rest_is_too_much() {
        let verdict = |limit: i64, used: i64| {
            let quota = Quota { limit, used };
            let account =
                Account { name: CORES, region: "eastus", quota: &quota, needed: 40, installed: false };
            account.judged_without(TYPE, vec!["Standard_Moon".to_owned()]).verdict
        };
        assert!(matches!(verdict(1000, 0), Verdict::Skipped(why) if why.contains("Standard_Moon")));
        assert!(matches!(verdict(40, 0), Verdict::Skipped(_)));
        assert!(matches!(verdict(40, 1), Verdict::Found(finding) if finding.code.as_str() == "LF1145"));
        assert!(matches!(verdict(-1, 1), Verdict::Passed(_)));
    }

    #[test]
    fn names_are_found_without_regard_to_capitals() {
        let known = BTreeMap::from([("StandardDSv3Family".to_owned(), Quota { limit: 10, used: 1 })]);
        assert_eq!(find(&known, "standardDSv3Family").map(|quota| quota.limit), Some(10));
        assert!(find(&known, "standardESv3Family").is_none());
    }
}

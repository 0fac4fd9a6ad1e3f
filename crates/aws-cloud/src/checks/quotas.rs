//! Whether the account's quotas leave room for what the plan uses (`assets.md`, F.4).

use std::collections::BTreeMap;
use std::sync::Arc;

use landfall_model::aws::catalogue::{Catalogue, Quota};
use landfall_model::aws::facts::InstanceType;
use landfall_model::aws::planned;
use landfall_model::plan::Plan;
use landfall_platform::cloud::{Answer, Check, Verdict, check, skipped};

use super::quota_needs::{needs, new_zones, without_quota};
use super::quota_use::{Ledger, Owner, Use};
use super::{pages, quota_limits};
use crate::gather::REGION;
use crate::session::Session;

/// The check that tells once of all quotas that nobody knows.
const ALL: &str = "aws.quota";

/// The field that decides on virtual processors.
const TYPE: &str = "controlPlane.platform.aws.type";

/// One check for each quota that the plan uses, and one for all of those that the account does not tell.
pub(super) fn checks<'s>(session: &'s Session<'_>, plan: &'s Plan) -> Vec<Check<'s>> {
    let Some(planned) = plan.platform.aws.as_deref() else {
        return Vec::new();
    };
    let catalogue = &session.asking.catalogue.aws;
    let external_api = plan.cluster.external_api;
    // Only where something was made before can something be the cluster's own.
    let infra_id = session.asking.installed.then_some(plan.identity.infra_id.as_str());
    let ledger = Arc::new(Ledger::new(Owner::new(infra_id)));
    let mut all = Vec::new();
    let mut lost: BTreeMap<&str, &Verdict> = BTreeMap::new();
    for name in needs(planned, external_api, catalogue, |_| None).into_keys() {
        let Some(quota) = catalogue.quotas.get(&name) else { continue };
        if let Some(why) = session.limits.lost(&quota.service) {
            lost.insert(&quota.service, why);
            continue;
        }
        let id = format!("aws.quota.{name}");
        let question = Question { planned, external_api, name, quota };
        all.push(check(id, field(quota), room(session, question, Arc::clone(&ledger))));
    }
    if let Some(answer) = not_known(&lost) {
        all.insert(0, check(ALL, REGION, async move { Err(answer) }));
    }
    for instance_type in without_quota(planned, catalogue) {
        let id = format!("aws.quota.{instance_type}");
        let why = format!("the catalogue does not know which quota {instance_type} counts towards");
        all.push(check(id, TYPE, async move { Err(Answer::skipped(why)) }));
    }
    all
}

/// What is told where there is no plan.
pub(super) fn without_plan() -> Vec<(String, String)> {
    vec![(ALL.to_owned(), REGION.to_owned())]
}

/// What is told of services whose quotas are not known, each with the reason; none where there are no such.
fn not_known(lost: &BTreeMap<&str, &Verdict>) -> Option<Answer> {
    let why = lost.values().next()?;
    let services: Vec<&str> = lost.keys().copied().collect();
    let what = format!("the account's quotas of {} are not known", services.join(", "));
    Some(skipped(&what, why).with("services", services))
}

fn field(quota: &Quota) -> &'static str {
    if quota.families.is_empty() { REGION } else { TYPE }
}

/// A quota, and the plan that uses it.
struct Question<'p> {
    planned: &'p planned::Plan,
    external_api: bool,
    name: String,
    quota: &'p Quota,
}

async fn room(session: &Session<'_>, question: Question<'_>, ledger: Arc<Ledger>) -> Result<Answer, Answer> {
    let Question { planned, external_api, name, quota } = question;
    let (catalogue, region) = (&session.asking.catalogue.aws, session.region());
    let none = BTreeMap::new();
    let types = session.instance_types().await.as_ref().unwrap_or(&none);
    let mut needs = needs(planned, external_api, catalogue, |name| vcpus(name, types, catalogue));
    let need = needs.remove(&name).unwrap_or_default();
    let uncounted: Vec<String> = need.uncounted.into_iter().collect();
    if need.amount == 0 && !uncounted.is_empty() {
        let why = format!("the number of vCPUs of {} is unknown", uncounted.join(", "));
        return Err(Answer::skipped(why));
    }
    let limit = quota_limits::limit(session, quota).await;
    let limit = limit.map_err(|why| skipped("the quota is not known", &why))?;
    let Some(limit) = limit else {
        let why = format!("{} does not list the quota {}", quota.service, quota.code);
        return Err(Answer::skipped(why));
    };
    let used = ledger.used(session, &name, quota, &new_zones(planned)).await;
    let used = used.map_err(|why| skipped("the usage of the quota is unknown", &why))?;
    let title = if quota.name.is_empty() { name.as_str() } else { quota.name.as_str() };
    let Some(used) = used else {
        return Err(Answer::skipped(format!("the usage of the quota of {title} cannot be counted")));
    };
    let account = Account { name: title, quota, region, limit: limit.value, used, needed: need.amount };
    let mut answer = account.judged(field(quota));
    if !limit.name.is_empty() {
        answer = answer.with("name", limit.name);
    }
    Ok(if uncounted.is_empty() { answer } else { answer.with("notCounted", uncounted) })
}

/// The virtual processors of an instance type, from the facts or else from the catalogue.
fn vcpus(name: &str, types: &BTreeMap<String, InstanceType>, catalogue: &Catalogue) -> Option<u32> {
    let asked = types.get(name).and_then(|known| u32::try_from(known.vcpus).ok()).filter(|n| *n > 0);
    asked.or_else(|| catalogue.instance_types.get(name).map(|known| known.vcpus))
}

/// A quota, what is in use of it, and what the cluster needs.
pub(super) struct Account<'a> {
    name: &'a str,
    quota: &'a Quota,
    region: &'a str,
    limit: f64,
    used: Use,
    needed: u32,
}

impl Account<'_> {
    fn judged(&self, field: &str) -> Answer {
        // What stands of the cluster is in use already, and need not be made.
        let more = self.needed.saturating_sub(self.used.own);
        let left = self.limit - f64::from(self.used.all) - f64::from(more);
        let answer = if left < 0.0 {
            Answer::found(pages::quota_short(field, self))
        } else if left <= self.limit / 5.0 {
            Answer::found(pages::quota_tight(field, self))
        } else {
            Answer::passed(self.sentence())
        };
        let answer = answer.with("limit", self.limit).with("used", self.used.all).with("needed", self.needed);
        let answer = if self.used.own > 0 { answer.with("own", self.used.own) } else { answer };
        answer.with("quota", format!("{}/{}", self.quota.service, self.quota.code))
    }

    /// The numbers, as a sentence without a full stop.
    pub(super) fn sentence(&self) -> String {
        let Self { name, limit, used: Use { all, own }, needed, .. } = self;
        if *own > 0 {
            return format!(
                "quota of {name}: {all} of {limit} in use, {own} of them by this cluster, which needs {needed}"
            );
        }
        format!("quota of {name}: {all} of {limit} in use, {needed} needed")
    }

    /// What to do about it.
    pub(super) fn help(&self) -> String {
        let Quota { service, code, .. } = self.quota;
        format!(
            "ask AWS to raise the quota {service}/{code} in {}, or remove what is not used there",
            self.region
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::Verdict;
    use landfall_testing::assert_names;

    fn code(limit: f64, used: u32, needed: u32) -> &'static str {
        code_with(limit, Use { all: used, own: 0 }, needed)
    }

    fn code_with(limit: f64, used: Use, needed: u32) -> &'static str {
        let quota = Quota { service: "vpc".to_owned(), code: "L-1".to_owned(), ..Quota::default() };
        let account = Account { name: "VPCs", quota: &quota, region: "us-east-1", limit, used, needed };
        match account.judged(REGION).verdict {
            Verdict::Found(finding) => finding.code.as_str(),
            _ => "",
        }
    }

    #[test]
    fn a_cluster_must_fit_beside_what_is_in_use() {
        assert_eq!(code(5.0, 5, 1), "LF1040");
        assert_eq!(code(2.0, 0, 3), "LF1040");
        assert_eq!(code(0.0, 0, 1), "LF1040");
        assert_eq!(code(5.0, 4, 1), "LF1041");
        assert_eq!(code(5.0, 3, 1), "LF1041");
        assert_eq!(code(5.0, 2, 1), "");
    }

    #[test]
    fn what_stands_of_the_cluster_is_not_needed_once_more() {
        let own = |all, own| Use { all, own };
        assert_eq!(code_with(5.0, own(5, 1), 1), "LF1041");
        assert_eq!(code_with(20.0, own(9, 9), 9), "");
        // A part of it stands, and the rest has no room.
        assert_eq!(code_with(5.0, own(5, 1), 2), "LF1040");
        // The cluster has grown since.
        assert_eq!(code_with(20.0, own(12, 12), 9), "");
        assert_eq!(code_with(5.0, own(6, 6), 1), "LF1040");
    }

    #[test]
    fn the_use_by_the_cluster_itself_is_told() {
        let quota = Quota { service: "vpc".to_owned(), code: "L-1".to_owned(), ..Quota::default() };
        let used = Use { all: 5, own: 1 };
        let account =
            Account { name: "VPCs", quota: &quota, region: "us-east-1", limit: 5.0, used, needed: 1 };
        assert_names(&account.sentence(), &["VPCs", " 5 of 5 ", " 1 of them ", " needs 1"]);
        let evidence = account.judged(REGION).evidence;
        let number = |name: &str| evidence.get(name).and_then(serde_json::Value::as_u64);
        assert_eq!((number("used"), number("own"), number("needed")), (Some(5), Some(1), Some(1)));
    }

    #[test]
    fn limit_use_and_need_are_told() {
        let quota = Quota { service: "vpc".to_owned(), code: "L-F678F1CE".to_owned(), ..Quota::default() };
        let used = Use { all: 5, own: 0 };
        let account =
            Account { name: "VPCs", quota: &quota, region: "us-east-1", limit: 5.0, used, needed: 1 };
        assert_names(&account.sentence(), &["VPCs", " 5 of 5 ", " 1 needed"]);
        landfall_testing::assert_findings(
            "aws-quota",
            [&pages::quota_short(REGION, &account), &pages::quota_tight(REGION, &account)],
        );
        assert!(account.help().contains("vpc/L-F678F1CE in us-east-1"));
        let evidence = account.judged(REGION).evidence;
        assert_eq!(evidence.get("used").and_then(serde_json::Value::as_u64), Some(5));
    }

    #[test]
    fn quotas_that_nobody_knows_are_told_once() {
        let denied = Verdict::Skipped("nobody may ask".to_owned());
        let told = not_known(&BTreeMap::from([("vpc", &denied), ("ec2", &denied)]));
        let services = told.as_ref().and_then(|answer| answer.evidence.get("services").cloned());
        assert_eq!(services, Some(serde_json::json!(["ec2", "vpc"])));
        let why = match told.map(|answer| answer.verdict) {
            Some(Verdict::Skipped(why)) => why,
            _ => String::new(),
        };
        assert!(why.contains("ec2, vpc") && why.ends_with(": nobody may ask"), "{why}");
        assert!(not_known(&BTreeMap::new()).is_none());
    }

    #[test]
    fn sizes_come_from_the_facts_first() {
        let catalogue = &landfall_model::catalogue::Catalogue::embedded().aws;
        let of = |vcpus| {
            let known = InstanceType { vcpus, ..InstanceType::default() };
            BTreeMap::from([("m6i.xlarge".to_owned(), known)])
        };
        assert_eq!(vcpus("m6i.xlarge", &of(8), catalogue), Some(8));
        assert_eq!(vcpus("m6i.xlarge", &of(0), catalogue), Some(4));
        assert_eq!(vcpus("m99.huge", &of(8), catalogue), None);
    }
}

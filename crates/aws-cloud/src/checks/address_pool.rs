//! Whether the public IPv4 pool that the config names has addresses for the cluster.

use aws_sdk_ec2::types::PublicIpv4Pool;
use landfall_model::aws::planned::{self, Network};
use landfall_model::plan::Plan;
use landfall_platform::cloud::{Answer, Check, check};

use super::pages;
use super::quota_needs::new_zones;
use crate::fault::Sort;
use crate::session::Session;

const FIELD: &str = "platform.aws.publicIpv4Pool";

/// The check of the pool; none where the config names none.
pub(super) fn checks<'s>(session: &'s Session<'_>, plan: &'s Plan) -> Vec<Check<'s>> {
    let planned = plan.platform.aws.as_deref().filter(|planned| !planned.public_ipv4_pool.is_empty());
    let external_api = plan.cluster.external_api;
    let one =
        planned.map(|planned| check("aws.public-ipv4-pool", FIELD, room(session, planned, external_api)));
    one.into_iter().collect()
}

/// How many addresses a cluster takes: one for each NAT gateway, and, where the API is public, one for each subnet of
/// its load balancer and one for the bootstrap machine.
fn needed(planned: &planned::Plan, external_api: bool) -> usize {
    let zones = new_zones(planned).len();
    let subnets = match &planned.network {
        Network::New { .. } => zones,
        Network::Existing { public, .. } => public.len(),
    };
    zones + if external_api { subnets + 1 } else { 0 }
}

async fn room(session: &Session<'_>, planned: &planned::Plan, external_api: bool) -> Result<Answer, Answer> {
    const CALL: &str = "ec2:DescribePublicIpv4Pools";
    let pool = planned.public_ipv4_pool.as_str();
    // A cluster that is being created has some of its addresses already.
    let needed = if session.asking.installed { 0 } else { needed(planned, external_api) };
    let ec2 = session.ec2().await?;
    let found = match session.answer(CALL, ec2.describe_public_ipv4_pools().pool_ids(pool).send()).await {
        Ok(answer) => answer.public_ipv4_pools().iter().find(|one| one.pool_id() == Some(pool)).cloned(),
        Err(fault) if fault.sort == Sort::NotFound => None,
        Err(fault) => return Err(fault.answer(FIELD)),
    };
    Ok(judged(pool, session.region(), found.as_ref(), needed))
}

fn judged(name: &str, region: &str, pool: Option<&PublicIpv4Pool>, needed: usize) -> Answer {
    let Some(pool) = pool else {
        return Answer::found(pages::no_address_pool(FIELD, name, region)).with("pool", name);
    };
    let free = pool.total_available_address_count().unwrap_or_default();
    let answer = if usize::try_from(free).is_ok_and(|free| free >= needed) {
        Answer::passed(format!("the pool has {free} free addresses, and the cluster needs {needed}"))
    } else {
        Answer::found(pages::address_pool_too_small(FIELD, name, free, needed))
    };
    answer.with("pool", name).with("free", free).with("needed", needed)
}

#[cfg(test)]
mod tests {
    use landfall_platform::cloud::Verdict;

    use super::*;

    fn code(free: Option<i32>, needed: usize) -> Option<&'static str> {
        let pool = free.map(|free| PublicIpv4Pool::builder().total_available_address_count(free).build());
        match judged("ipv4pool-ec2-1", "us-east-1", pool.as_ref(), needed).verdict {
            Verdict::Found(finding) => Some(finding.code.as_str()),
            _ => None,
        }
    }

    #[test]
    fn a_pool_must_exist_and_have_an_address_for_each_use() {
        assert_eq!(code(Some(7), 7), None);
        assert_eq!(code(Some(6), 7), Some("LF1042"));
        assert_eq!(code(None, 0), Some("LF1042"));
        // Nothing more is needed by a cluster that exists.
        assert_eq!(code(Some(0), 0), None);
    }
}

//! Whether names are resolved in an existing network.

use aws_sdk_ec2::types::{AttributeBooleanValue, VpcAttributeName};
use futures::join;
use landfall_platform::cloud::{Answer, Asked, Check, check, skipped};

use super::pages;
use crate::session::Session;

/// The field of the network.
const FIELD: &str = "platform.aws.vpc.subnets";

/// A check of the network that the config's subnets are in.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    if session.platform.vpc.subnets.is_empty() {
        return Vec::new();
    }
    vec![check("aws.vpc.dns", FIELD, dns(session))]
}

/// A private zone is served only in a network with both attributes.
async fn dns(session: &Session<'_>) -> Result<Answer, Answer> {
    let subnets = session.subnets().await.as_ref();
    let subnets = subnets.map_err(|why| skipped("the network is not known", why))?;
    let Some(vpc) = subnets.first().map(|subnet| subnet.vpc.as_str()) else {
        return Err(Answer::skipped("the network is unknown, because no subnet exists: see aws.subnets"));
    };
    let (support, hostnames) = join!(
        attribute(session, vpc, VpcAttributeName::EnableDnsSupport),
        attribute(session, vpc, VpcAttributeName::EnableDnsHostnames),
    );
    let said = |verdict| Answer { verdict, evidence: serde_json::Map::new() };
    Ok(judged(vpc, support.map_err(said)?, hostnames.map_err(said)?))
}

async fn attribute(session: &Session<'_>, vpc: &str, name: VpcAttributeName) -> Asked<bool> {
    const CALL: &str = "ec2:DescribeVpcAttribute";
    let ec2 = session.ec2().await?;
    let request = ec2.describe_vpc_attribute().vpc_id(vpc).attribute(name);
    let answer = session.asked(CALL, FIELD, request.send()).await?;
    // The answer has the attribute that was asked for, and no other.
    let value = answer.enable_dns_support().or(answer.enable_dns_hostnames());
    Ok(value.and_then(AttributeBooleanValue::value).unwrap_or_default())
}

fn judged(vpc: &str, support: bool, hostnames: bool) -> Answer {
    let missing = match (support, hostnames) {
        (true, true) => None,
        (false, true) => Some("enableDnsSupport"),
        (true, false) => Some("enableDnsHostnames"),
        (false, false) => Some("enableDnsSupport and enableDnsHostnames"),
    };
    let answer = match missing {
        None => Answer::passed(format!("{vpc} resolves names and gives names to machines")),
        Some(missing) => Answer::found(pages::vpc_without_dns(FIELD, vpc, missing)),
    };
    answer.with("vpc", vpc).with("enableDnsSupport", support).with("enableDnsHostnames", hostnames)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::Verdict;

    #[test]
    fn both_attributes_are_needed() {
        let code = |support, hostnames| match judged("vpc-1", support, hostnames).verdict {
            Verdict::Found(finding) => finding.code.as_str(),
            _ => "",
        };
        assert_eq!(code(true, true), "");
        for (support, hostnames) in [(false, true), (true, false), (false, false)] {
            assert_eq!(code(support, hostnames), "LF1039");
        }
    }
}

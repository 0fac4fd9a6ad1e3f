//! Whether things that were going are gone.

use std::collections::BTreeSet;

use aws_sdk_elasticloadbalancing::types::LoadBalancerDescription;
use aws_sdk_elasticloadbalancingv2::types::{LoadBalancer, TargetGroup};
use landfall_platform::removal::{Disposition, Kind, Outcome, Resource};

use super::answers::{self, Meaning};
use super::{Stop, bare, look_ec2, others, route53, s3, untag};
use crate::removal::discover::identities;
use crate::removal::{AwsRemoval, kinds};

/// What IAM has.
static IN_IAM: &[&Kind] = &[&kinds::ROLE, &kinds::USER, &kinds::POLICY, &kinds::INSTANCE_PROFILE];

/// Looks at things of one kind, with one call for all of them where the service has such a call. A list of
/// ids would be refused as a whole as soon as one of them is gone, so lists are filtered.
pub(in crate::removal) async fn look(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    let Some(first) = things.first() else {
        return Vec::new();
    };
    let asked = match first.fate {
        Disposition::Released => Box::pin(untag::tagged(removal, things)).await,
        Disposition::Removed => Box::pin(there(removal, first.kind, things)).await,
    };
    match asked {
        Ok(names) => things.iter().map(|thing| seen(&names, thing)).collect(),
        Err(stop) => things.iter().map(|thing| unknown(&stop, thing)).collect(),
    }
}

fn seen(names: &BTreeSet<String>, thing: &Resource) -> Outcome {
    let is_there = names.contains(bare(&thing.id)) || names.contains(&thing.id);
    if is_there { Outcome::Going } else { Outcome::Gone }
}

/// That a look failed shows nothing to be gone, and that the caller may not look does not keep a thing.
fn unknown(stop: &Stop, thing: &Resource) -> Outcome {
    match stop {
        Stop::Fault(fault) => match answers::meaning(fault) {
            Meaning::Gone => Outcome::Going,
            Meaning::Denied => Outcome::Failed { why: fault.sentence() },
            _ => answers::outcome(fault, thing),
        },
        stop => stop.outcome(thing),
    }
}

/// The names or ids of those that are still there; there may be others among them.
async fn there(
    removal: &AwsRemoval<'_>,
    kind: &'static Kind,
    things: &[&Resource],
) -> Result<BTreeSet<String>, Stop> {
    if *kind == kinds::CLASSIC_LOAD_BALANCER {
        let elb = removal.session.elb().await?;
        let found =
            list!(removal, "elasticloadbalancing:DescribeLoadBalancers", elb.describe_load_balancers())?;
        return Ok(look_ec2::names(&found, LoadBalancerDescription::load_balancer_name));
    }
    if *kind == kinds::LOAD_BALANCER {
        let elb = removal.session.elbv2().await?;
        let found =
            list!(removal, "elasticloadbalancing:DescribeLoadBalancers", elb.describe_load_balancers())?;
        return Ok(look_ec2::names(&found, LoadBalancer::load_balancer_arn));
    }
    if *kind == kinds::TARGET_GROUP {
        let elb = removal.session.elbv2().await?;
        let found =
            list!(removal, "elasticloadbalancing:DescribeTargetGroups", elb.describe_target_groups())?;
        return Ok(look_ec2::names(&found, TargetGroup::target_group_arn));
    }
    if look_ec2::has(kind) {
        let ids: Vec<&str> = things.iter().map(|thing| bare(&thing.id)).collect();
        return Box::pin(look_ec2::there(removal, kind, &ids)).await;
    }
    let mut names = BTreeSet::new();
    for thing in things {
        if Box::pin(is_there(removal, thing)).await? {
            names.insert(thing.id.clone());
        }
    }
    Ok(names)
}

/// Whether a thing that is asked for by its name is there.
async fn is_there(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<bool, Stop> {
    let name = bare(&thing.id);
    let asked = match thing.kind {
        kind if *kind == kinds::BUCKET => return Box::pin(s3::is_there(removal, name)).await,
        kind if *kind == kinds::RECORD => Box::pin(route53::is_listed(removal, thing)).await,
        kind if *kind == kinds::HOSTED_ZONE => {
            let route53 = removal.session.route53().await?;
            told(ask!(removal, "route53:GetHostedZone", route53.get_hosted_zone().id(name)))
        }
        kind if *kind == kinds::LISTENER => {
            let elb = removal.session.elbv2().await?;
            let request = elb.describe_listeners().listener_arns(&thing.id);
            told(ask!(removal, "elasticloadbalancing:DescribeListeners", request))
        }
        kind if kinds::is_unremovable(kind) => Box::pin(others::is_listed(removal, thing)).await,
        kind if IN_IAM.contains(&kind) => {
            told(Box::pin(identities::tags_of(&removal.session, kind, &thing.id)).await)
        }
        // What nobody here can ask for is not gone.
        _ => Ok(true),
    };
    match asked {
        Err(Stop::Fault(fault)) if answers::meaning(&fault) == Meaning::Gone => Ok(false),
        asked => asked,
    }
}

/// What was told of is there.
fn told<T>(asked: Result<T, impl Into<Stop>>) -> Result<bool, Stop> {
    asked.map(|_| true).map_err(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, Sort};

    fn thing(id: &str) -> Resource {
        Resource {
            id: id.to_owned(),
            kind: &kinds::VOLUME,
            name: String::new(),
            fate: Disposition::Removed,
            after: Vec::new(),
        }
    }

    #[test]
    fn what_is_listed_by_its_id_or_by_its_arn_is_not_gone() {
        let arn = "arn:aws:elasticloadbalancing:us-east-1:123456789012:loadbalancer/net/demo-int/0123";
        let names = BTreeSet::from(["vol-1".to_owned(), arn.to_owned()]);
        let going = |id: &str| matches!(seen(&names, &thing(id)), Outcome::Going);
        assert!(going("arn:aws:ec2:us-east-1:123456789012:volume/vol-1"));
        assert!(going(arn));
        assert!(!going("arn:aws:ec2:us-east-1:123456789012:volume/vol-2"));
    }

    #[test]
    fn a_look_that_fails_shows_nothing_to_be_gone() {
        let looked = |sort: Sort| {
            let fault = Fault {
                call: "ec2:DescribeVolumes".to_owned(),
                sort,
                code: Some("Any".to_owned()),
                message: String::new(),
                request_id: None,
                status: Some(400),
            };
            unknown(&Stop::Fault(fault), &thing("vol-1"))
        };
        assert!(matches!(looked(Sort::NotFound), Outcome::Going));
        assert!(matches!(looked(Sort::Denied), Outcome::Failed { .. }));
        assert!(matches!(looked(Sort::Throttled), Outcome::Failed { .. }));
        assert!(matches!(looked(Sort::Expired), Outcome::Refused(_)));
    }
}

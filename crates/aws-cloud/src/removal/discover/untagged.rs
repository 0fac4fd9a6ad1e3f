//! Private zones without a tag: Route 53 makes a zone first and tags it then, so that an engine that is killed in
//! between leaves it without one.
//!
//! A zone of the cluster's domain that is attached to a VPC of the cluster's own is the cluster's. It goes before
//! that VPC, which is all that proves it.

use std::collections::BTreeSet;

use aws_sdk_ec2::types::Vpc;
use aws_sdk_route53::types::Vpc as Attached;
use futures::stream::{self, StreamExt};
use landfall_platform::removal::Disposition;

use super::ec2::{self, Vpcs};
use super::records::{self, Listed};
use super::zones::Zone;
use super::{AT_A_TIME, Look, Part, is_missing};
use crate::session::Lost;

const ZONE: &str = "route53:GetHostedZone";

/// Whose a zone without a tag is, by the VPCs that it is attached to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Whose {
    /// The cluster's: some of them are its own.
    Cluster(BTreeSet<String>),
    /// Nothing proves whose it is, and why it may be the cluster's.
    Unproven(String),
    /// Somebody else's.
    Other,
}

/// Those of the zones that are the cluster's, with their records that are to be judged. Those that may be are named.
pub(super) async fn zones(look: Look<'_>, vpcs: &Vpcs, untagged: Vec<Zone>) -> (Part, Vec<Listed>) {
    let (mut part, mut judged) = (Part::default(), Vec::new());
    let mut calls = Vec::with_capacity(untagged.len());
    for zone in &untagged {
        calls.push(Box::pin(whose(look, vpcs, zone)));
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    for (zone, answer) in untagged.iter().zip(answers) {
        let what = format!("hosted zone {} ({})", zone.id, zone.name);
        match answer {
            Ok(Whose::Cluster(own)) => {
                match Box::pin(records::of_zone(look, zone, Disposition::Removed)).await {
                    Ok(mut listed) => {
                        for node in &mut listed.part.nodes {
                            node.mentions.extend(own.iter().cloned());
                        }
                        judged.push(listed);
                    }
                    Err(lost) => part.miss(&format!("the records of the {what}"), &lost),
                }
            }
            Ok(Whose::Unproven(why)) => part.doubt(look, &look.home.hosted_zone(&zone.id), &what, &why),
            Ok(Whose::Other) => {}
            Err(lost) if is_missing(&lost) => {}
            Err(lost) => part.miss(&format!("the {what}"), &lost),
        }
    }
    (part, judged)
}

async fn whose(look: Look<'_>, vpcs: &Vpcs, zone: &Zone) -> Result<Whose, Lost> {
    let session = &look.removal.session;
    let route53 = session.route53().await?;
    let answer = session.answer(ZONE, route53.get_hosted_zone().id(&zone.id).send()).await?;
    let here = session.region();
    let is_here = |vpc: &&Attached| vpc.vpc_region().is_some_and(|region| region.as_str() == here);
    let near: BTreeSet<String> =
        answer.vpcs().iter().filter(is_here).filter_map(Attached::vpc_id).map(str::to_owned).collect();
    let far = answer.vpcs().len() > near.len();
    let ids: Vec<&str> = near.iter().map(String::as_str).collect();
    let found: Vec<Vpc> = ec2::with_any(session, "vpc-id", &ids).await?;
    let there = found.iter().filter_map(Vpc::vpc_id).map(str::to_owned).collect();
    Ok(judged(vpcs, look.removal.cluster_domain().is_empty(), &near, far, &there))
}

/// Whose a zone is that is attached to the VPCs `near`, of which those in `there` exist, and perhaps to some in
/// other regions. Where the cluster's domain is unknown, it must serve no other VPC.
fn judged(
    vpcs: &Vpcs,
    any_domain: bool,
    near: &BTreeSet<String>,
    far: bool,
    there: &BTreeSet<String>,
) -> Whose {
    let own: BTreeSet<String> = near.intersection(&vpcs.owned).cloned().collect();
    if !own.is_empty() && (!any_domain || (own == *near && !far)) {
        return Whose::Cluster(own);
    }
    if any_domain {
        return Whose::Other;
    }
    if let Some(vpc) = near.iter().find(|vpc| vpcs.used.contains(*vpc)) {
        return Whose::Unproven(format!("it has the cluster's domain, and the cluster uses its VPC {vpc}"));
    }
    if let Some(vpc) = near.iter().find(|vpc| !there.contains(*vpc)) {
        return Whose::Unproven(format!("it has the cluster's domain, and its VPC {vpc} does not exist"));
    }
    Whose::Other
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_zone_is_the_clusters_by_the_vpc_that_it_is_attached_to() {
        let vpcs = Vpcs { owned: set(&["vpc-1"]), used: set(&["vpc-1", "vpc-2"]) };
        let of = |near: &[&str], there: &[&str]| judged(&vpcs, false, &set(near), false, &set(there));
        assert_eq!(of(&["vpc-1"], &["vpc-1"]), Whose::Cluster(set(&["vpc-1"])));
        assert_eq!(of(&["vpc-1", "vpc-9"], &["vpc-1", "vpc-9"]), Whose::Cluster(set(&["vpc-1"])));
        // In a network of the user's, and where the network is gone, it may be anybody's.
        assert!(matches!(of(&["vpc-2"], &["vpc-2"]), Whose::Unproven(why) if why.contains("vpc-2")));
        assert!(matches!(of(&["vpc-8"], &[]), Whose::Unproven(why) if why.contains("vpc-8")));
        assert_eq!(of(&["vpc-9"], &["vpc-9"]), Whose::Other);
        assert_eq!(of(&[], &[]), Whose::Other);
    }

    #[test]
    fn without_a_domain_it_must_serve_the_cluster_alone() {
        let vpcs = Vpcs { owned: set(&["vpc-1"]), used: set(&["vpc-1"]) };
        let of = |near: &[&str], far: bool| judged(&vpcs, true, &set(near), far, &set(near));
        assert_eq!(of(&["vpc-1"], false), Whose::Cluster(set(&["vpc-1"])));
        assert_eq!(of(&["vpc-1"], true), Whose::Other);
        assert_eq!(of(&["vpc-1", "vpc-9"], false), Whose::Other);
        assert_eq!(judged(&vpcs, true, &set(&["vpc-8"]), false, &set(&[])), Whose::Other);
    }
}

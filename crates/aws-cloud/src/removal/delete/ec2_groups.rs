//! What refers to its like or is referred to by others, and lets go of that first: security groups with the
//! rules in which they name each other, and route tables with their associations.

use aws_sdk_ec2::types::{IpPermission, RouteTable, SecurityGroup};
use futures::future::join_all;
use landfall_platform::removal::{Outcome, Resource};

use super::{Stop, bare, detail, settled};
use crate::removal::AwsRemoval;
use crate::removal::known::Group;

/// Removes security groups: first all of them stop naming others, then they go. Groups that name each other
/// hold each other until both have been emptied.
pub(super) async fn groups(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    let mut emptying = Vec::with_capacity(things.len());
    for thing in things {
        emptying.push(Box::pin(empty(removal, bare(&thing.id))));
    }
    let emptied = join_all(emptying).await;
    let mut going = Vec::with_capacity(things.len());
    for (thing, emptied) in things.iter().zip(emptied) {
        going.push(Box::pin(group(removal, thing, emptied)));
    }
    join_all(going).await
}

/// Takes out of a group what holds other groups; whether the group itself can go.
async fn empty(removal: &AwsRemoval<'_>, id: &str) -> Result<bool, Stop> {
    let group =
        detail::<SecurityGroup, _>(removal, "group-id", id, |known, id| known.groups.remove(id)).await?;
    let (ingress, egress) = to_revoke(id, &group);
    let ec2 = removal.session.ec2().await?;
    if !ingress.is_empty() {
        let request = ec2.revoke_security_group_ingress().group_id(id).set_ip_permissions(Some(ingress));
        settled(ask!(removal, "ec2:RevokeSecurityGroupIngress", request))?;
    }
    if !egress.is_empty() {
        let request = ec2.revoke_security_group_egress().group_id(id).set_ip_permissions(Some(egress));
        settled(ask!(removal, "ec2:RevokeSecurityGroupEgress", request))?;
    }
    Ok(!group.is_default)
}

/// The rules to take out of a group, of both directions: of one that stays all, of one that goes those that
/// name other groups. The others go with it.
fn to_revoke(id: &str, group: &Group) -> (Vec<IpPermission>, Vec<IpPermission>) {
    let of = |rules: &[IpPermission]| -> Vec<IpPermission> {
        rules.iter().filter(|rule| group.is_default || names_another(id, rule)).cloned().collect()
    };
    (of(&group.ingress), of(&group.egress))
}

fn names_another(id: &str, rule: &IpPermission) -> bool {
    rule.user_id_group_pairs().iter().any(|pair| pair.group_id() != Some(id))
}

async fn group(removal: &AwsRemoval<'_>, thing: &Resource, emptied: Result<bool, Stop>) -> Outcome {
    let deleted = Box::pin(delete(removal, bare(&thing.id), emptied)).await;
    deleted.unwrap_or_else(|stop| stop.outcome(thing))
}

async fn delete(removal: &AwsRemoval<'_>, id: &str, emptied: Result<bool, Stop>) -> Result<Outcome, Stop> {
    if emptied? {
        let ec2 = removal.session.ec2().await?;
        ask!(removal, "ec2:DeleteSecurityGroup", ec2.delete_security_group().group_id(id))?;
    }
    Ok(Outcome::Gone)
}

/// Removes a route table. A VPC's main one lets its subnets go, and goes with the VPC.
pub(super) async fn route_table(removal: &AwsRemoval<'_>, id: &str) -> Result<Outcome, Stop> {
    let table =
        detail::<RouteTable, _>(removal, "route-table-id", id, |known, id| known.tables.remove(id)).await?;
    let ec2 = removal.session.ec2().await?;
    for association in &table.associations {
        let request = ec2.disassociate_route_table().association_id(association);
        settled(ask!(removal, "ec2:DisassociateRouteTable", request))?;
    }
    if !table.main {
        ask!(removal, "ec2:DeleteRouteTable", ec2.delete_route_table().route_table_id(id))?;
    }
    Ok(Outcome::Gone)
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::UserIdGroupPair;

    use super::*;

    fn rule(groups: &[&str]) -> IpPermission {
        let pair = |id: &&str| UserIdGroupPair::builder().group_id(*id).build();
        let pairs = groups.iter().map(pair).collect();
        IpPermission::builder().ip_protocol("tcp").set_user_id_group_pairs(Some(pairs)).build()
    }

    #[test]
    fn only_rules_that_hold_others_are_taken_out_first() {
        let open = rule(&[]);
        let own = rule(&["sg-1"]);
        let other = rule(&["sg-1", "sg-2"]);
        let mut group = Group {
            is_default: false,
            ingress: vec![open.clone(), own.clone(), other.clone()],
            egress: vec![open.clone()],
        };
        assert_eq!(to_revoke("sg-1", &group), (vec![other.clone()], Vec::new()));
        group.is_default = true;
        assert_eq!(to_revoke("sg-1", &group), (vec![open.clone(), own, other], vec![open]));
    }
}

//! Load balancers of both generations, listeners and target groups.

use landfall_platform::removal::{Outcome, Resource};

use super::{Stop, bare};
use crate::removal::{AwsRemoval, kinds};

/// Removes a load balancer or a part of one. A load balancer is gone once it is not listed any more; its
/// network interfaces go by themselves after that.
pub(super) async fn remove(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<Outcome, Stop> {
    // But for those of the first generation, all are known by their ARNs alone.
    let arn = thing.id.as_str();
    if *thing.kind == kinds::CLASSIC_LOAD_BALANCER {
        let elb = removal.session.elb().await?;
        let request = elb.delete_load_balancer().load_balancer_name(bare(arn));
        ask!(removal, "elasticloadbalancing:DeleteLoadBalancer", request)?;
        return Ok(Outcome::Going);
    }
    let elb = removal.session.elbv2().await?;
    if *thing.kind == kinds::LOAD_BALANCER {
        let request = elb.delete_load_balancer().load_balancer_arn(arn);
        ask!(removal, "elasticloadbalancing:DeleteLoadBalancer", request)?;
        return Ok(Outcome::Going);
    }
    if *thing.kind == kinds::LISTENER {
        ask!(removal, "elasticloadbalancing:DeleteListener", elb.delete_listener().listener_arn(arn))?;
    } else {
        let request = elb.delete_target_group().target_group_arn(arn);
        ask!(removal, "elasticloadbalancing:DeleteTargetGroup", request)?;
    }
    Ok(Outcome::Gone)
}

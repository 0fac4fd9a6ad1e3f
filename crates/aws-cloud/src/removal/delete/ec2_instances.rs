//! Instances, and what they run on: placement groups and dedicated hosts.

use aws_sdk_ec2::types::{
    InstanceState, InstanceStateChange, InstanceStateName, PlacementGroup, UnsuccessfulItem,
};
use landfall_platform::removal::{Outcome, Resource};

use super::{Stop, answers, bare};
use crate::removal::{AwsRemoval, known};

/// Terminates instances; they are gone once EC2 calls them terminated. Protection against termination is not
/// turned off.
pub(super) async fn terminate(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    const CALL: &str = "ec2:TerminateInstances";
    let ec2 = ready!(removal.session.ec2(), things);
    together!(
        things,
        |ids| ask!(removal, CALL, ec2.terminate_instances().set_instance_ids(Some(ids))),
        |answer, thing| terminated(answer.terminating_instances(), thing)
    )
}

/// What EC2 says of an instance that it was told to terminate.
fn terminated(changes: &[InstanceStateChange], thing: &Resource) -> Outcome {
    let change = changes.iter().find(|change| change.instance_id() == Some(bare(&thing.id)));
    let state = change.and_then(InstanceStateChange::current_state).and_then(InstanceState::name);
    if state == Some(&InstanceStateName::Terminated) { Outcome::Gone } else { Outcome::Going }
}

/// Releases dedicated hosts.
pub(super) async fn hosts(removal: &AwsRemoval<'_>, things: &[&Resource]) -> Vec<Outcome> {
    const CALL: &str = "ec2:ReleaseHosts";
    let ec2 = ready!(removal.session.ec2(), things);
    together!(
        things,
        |ids| ask!(removal, CALL, ec2.release_hosts().set_host_ids(Some(ids))),
        |answer, thing| itemised(removal, CALL, answer.unsuccessful(), thing, &Outcome::Gone)
    )
}

/// What an answer that lists failures says of a thing: `done` where the thing is not among them.
pub(super) fn itemised(
    removal: &AwsRemoval<'_>,
    call: &str,
    items: &[UnsuccessfulItem],
    thing: &Resource,
    done: &Outcome,
) -> Outcome {
    let item = items.iter().find(|item| item.resource_id() == Some(bare(&thing.id)));
    let Some(error) = item.and_then(UnsuccessfulItem::error) else {
        return done.clone();
    };
    let code = error.code().unwrap_or_default();
    answers::outcome(&removal.said(call, code, error.message().unwrap_or_default()), thing)
}

/// Deletes a placement group, which goes by its name.
pub(super) async fn placement_group(
    removal: &AwsRemoval<'_>,
    thing: &Resource,
    id: &str,
) -> Result<Outcome, Stop> {
    const CALL: &str = "ec2:DeletePlacementGroup";
    let known = known::with(&removal.known, |known| known.placement_groups.remove(id));
    let name = match known {
        Some(name) => Some(name),
        None => named(removal, id).await?,
    };
    // A group that is not listed under its id may be known by its name alone.
    let name = name.unwrap_or_else(|| if thing.name.is_empty() { id.to_owned() } else { thing.name.clone() });
    let ec2 = removal.session.ec2().await?;
    ask!(removal, CALL, ec2.delete_placement_group().group_name(name))?;
    Ok(Outcome::Gone)
}

/// The name of a placement group.
async fn named(removal: &AwsRemoval<'_>, id: &str) -> Result<Option<String>, Stop> {
    const CALL: &str = "ec2:DescribePlacementGroups";
    let ec2 = removal.session.ec2().await?;
    let answer = ask!(removal, CALL, ec2.describe_placement_groups())?;
    let group = answer.placement_groups().iter().find(|group| group.group_id() == Some(id));
    Ok(group.and_then(PlacementGroup::group_name).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::removal::{Disposition, Kind};

    static INSTANCE: Kind = Kind { name: "instance", batch: 50, help: "", last: false };

    #[test]
    fn an_instance_is_gone_once_it_is_terminated() {
        let change = |id: &str, state: InstanceStateName| {
            let state = InstanceState::builder().name(state).build();
            InstanceStateChange::builder().instance_id(id).current_state(state).build()
        };
        let changes =
            [change("i-1", InstanceStateName::ShuttingDown), change("i-2", InstanceStateName::Terminated)];
        let outcome = |id: &str| {
            let thing = Resource {
                id: format!("arn:aws:ec2:us-east-1:123456789012:instance/{id}"),
                kind: &INSTANCE,
                name: String::new(),
                fate: Disposition::Removed,
                after: Vec::new(),
            };
            terminated(&changes, &thing)
        };
        assert!(matches!(outcome("i-1"), Outcome::Going));
        assert!(matches!(outcome("i-2"), Outcome::Gone));
        assert!(matches!(outcome("i-3"), Outcome::Going));
    }
}

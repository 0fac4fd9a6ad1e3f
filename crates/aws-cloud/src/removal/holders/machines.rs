//! What holds disks, their copies, and places for machines: instances and images.

use aws_sdk_ec2::types::{
    BlockDeviceMapping, EbsBlockDevice, Image, Instance, InstanceState, InstanceStateName, Placement, Volume,
    VolumeAttachment,
};

use super::{Held, listed, named, named_in, pairs};
use crate::removal::AwsRemoval;

/// Instances in placement groups, which are known by name.
pub(super) async fn of_placements(removal: &AwsRemoval<'_>, names: &[&str]) -> Held {
    let found = running(removal, "placement-group-name", names).await;
    instances(removal, &found, Placement::group_name)
}

/// Instances on dedicated hosts.
pub(super) async fn of_hosts(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = running(removal, "host-id", ids).await;
    instances(removal, &found, Placement::host_id)
}

fn instances(removal: &AwsRemoval<'_>, found: &[Instance], place: fn(&Placement) -> Option<&str>) -> Held {
    pairs(
        found,
        |one| one.placement().and_then(place),
        |one| named(removal, "instance", one.instance_id(), one.tags()),
    )
}

async fn running(removal: &AwsRemoval<'_>, name: &str, values: &[&str]) -> Vec<Instance> {
    let mut found = listed::<Instance>(removal, name, values).await;
    found.retain(|one| one.state().and_then(InstanceState::name) != Some(&InstanceStateName::Terminated));
    found
}

/// Instances that volumes are attached to.
pub(super) async fn of_volumes(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = listed::<Volume>(removal, "volume-id", ids).await;
    named_in(removal, "instance", &found, Volume::volume_id, |volume| {
        volume.attachments().iter().filter_map(VolumeAttachment::instance_id)
    })
}

/// Images that are made of snapshots.
pub(super) async fn of_snapshots(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = listed::<Image>(removal, "block-device-mapping.snapshot-id", ids).await;
    pairs(&found, snapshots_of, |image| named(removal, "image", image.image_id(), image.tags()))
}

fn snapshots_of(image: &Image) -> Vec<&str> {
    let disks = image.block_device_mappings().iter().filter_map(BlockDeviceMapping::ebs);
    disks.filter_map(EbsBlockDevice::snapshot_id).collect()
}

//! What holds disks, their copies, and places for machines: instances and images.

use aws_sdk_ec2::types::{
    BlockDeviceMapping, EbsBlockDevice, Filter, Image, Instance, InstanceState, InstanceStateName, Placement,
    Reservation, Volume, VolumeAttachment,
};

use super::{Held, list, named, named_in, pairs};
use crate::gather::filter;
use crate::removal::AwsRemoval;

/// Instances in placement groups, which are known by name.
pub(super) async fn of_placements(removal: &AwsRemoval<'_>, names: &[&str]) -> Held {
    let found = running(removal, filter("placement-group-name", names.iter().copied())).await;
    instances(removal, &found, Placement::group_name)
}

/// Instances on dedicated hosts.
pub(super) async fn of_hosts(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = running(removal, filter("host-id", ids.iter().copied())).await;
    instances(removal, &found, Placement::host_id)
}

fn instances(removal: &AwsRemoval<'_>, found: &[Instance], place: fn(&Placement) -> Option<&str>) -> Held {
    pairs(
        found,
        |one| one.placement().and_then(place),
        |one| named(removal, "instance", one.instance_id(), one.tags()),
    )
}

async fn running(removal: &AwsRemoval<'_>, wanted: Filter) -> Vec<Instance> {
    let found = list!(removal, Reservation, ec2 => ec2.describe_instances().filters(wanted));
    let instances = found.iter().flat_map(Reservation::instances);
    let there = instances
        .filter(|one| one.state().and_then(InstanceState::name) != Some(&InstanceStateName::Terminated));
    there.cloned().collect()
}

/// Instances that volumes are attached to.
pub(super) async fn of_volumes(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let wanted = filter("volume-id", ids.iter().copied());
    let found = list!(removal, Volume, ec2 => ec2.describe_volumes().filters(wanted));
    named_in(removal, "instance", &found, Volume::volume_id, |volume| {
        volume.attachments().iter().filter_map(VolumeAttachment::instance_id)
    })
}

/// Images that are made of snapshots.
pub(super) async fn of_snapshots(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let wanted = filter("block-device-mapping.snapshot-id", ids.iter().copied());
    let found = list!(removal, Image, ec2 => ec2.describe_images().owners("self").filters(wanted));
    pairs(&found, snapshots_of, |image| named(removal, "image", image.image_id(), image.tags()))
}

fn snapshots_of(image: &Image) -> Vec<&str> {
    let disks = image.block_device_mappings().iter().filter_map(BlockDeviceMapping::ebs);
    disks.filter_map(EbsBlockDevice::snapshot_id).collect()
}

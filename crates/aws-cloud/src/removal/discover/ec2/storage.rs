//! Disks, their copies, and images.

use aws_sdk_ec2::types::{
    BlockDeviceMapping, EbsBlockDevice, Image, ImageState, Snapshot, Volume, VolumeAttachment, VolumeState,
};

use super::described::{Described, text};
use crate::removal::graph::Node;
use crate::removal::kinds;

described! {
    Volume, "volume", VOLUME, volume_id;

    fn mentions(&self) -> Vec<&str> {
        self.attachments().iter().filter_map(VolumeAttachment::instance_id).collect()
    }

    fn is_gone(&self) -> bool {
        self.state() == Some(&VolumeState::Deleted)
    }

    fn refine(&self, node: &mut Node) {
        let along = self.attachments().iter().find(|at| at.delete_on_termination() == Some(true));
        node.goes_with = text(along.and_then(VolumeAttachment::instance_id));
    }
}

described! { Snapshot, "snapshot", SNAPSHOT, snapshot_id }

described! {
    Image, "image", IMAGE, image_id;

    fn mentions(&self) -> Vec<&str> {
        let disks = self.block_device_mappings().iter().filter_map(BlockDeviceMapping::ebs);
        disks.filter_map(EbsBlockDevice::snapshot_id).collect()
    }

    fn is_gone(&self) -> bool {
        self.state() == Some(&ImageState::Deregistered)
    }

    fn refine(&self, node: &mut Node) {
        if let Some(name) = self.name() {
            name.clone_into(&mut node.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::removal::Disposition;

    #[test]
    fn an_image_names_its_snapshots() {
        let disk = |id: &str| {
            let ebs = EbsBlockDevice::builder().snapshot_id(id).build();
            BlockDeviceMapping::builder().ebs(ebs).build()
        };
        let empty = BlockDeviceMapping::builder().virtual_name("ephemeral0").build();
        let image = Image::builder().block_device_mappings(disk("snap-1")).block_device_mappings(empty);
        let image = image.block_device_mappings(disk("snap-2")).build();
        assert_eq!(image.mentions(), ["snap-1", "snap-2"]);
    }

    #[test]
    fn a_volume_goes_with_its_instance_only_where_it_was_made_to() {
        let along = |delete: bool| {
            let attachment = VolumeAttachment::builder().instance_id("i-1").delete_on_termination(delete);
            let volume = Volume::builder().volume_id("vol-1").attachments(attachment.build()).build();
            let mut node = Node::new(&kinds::VOLUME, "vol-1", String::new(), Disposition::Removed);
            volume.refine(&mut node);
            (node.goes_with, volume.mentions().len())
        };
        assert_eq!(along(true), (Some("i-1".to_owned()), 1));
        assert_eq!(along(false), (None, 1));
    }
}

//! Volumes, snapshots and images.
//!
//! The snapshots of an image are known by the image alone. They get the cluster's tag before it goes, so that a
//! run which ends in between does not leave them behind (`assets.md`, E.4).

use aws_sdk_ec2::types::Tag;
use landfall_platform::removal::{Kind, Outcome};

use super::{Stop, settled};
use crate::removal::ownership::OWNED;
use crate::removal::{AwsRemoval, kinds, known};

/// Removes a volume, a snapshot or an image.
pub(super) async fn remove(removal: &AwsRemoval<'_>, kind: &'static Kind, id: &str) -> Result<Outcome, Stop> {
    let ec2 = removal.session.ec2().await?;
    if *kind == kinds::VOLUME {
        ask!(removal, "ec2:DeleteVolume", ec2.delete_volume().volume_id(id))?;
    } else if *kind == kinds::SNAPSHOT {
        ask!(removal, "ec2:DeleteSnapshot", ec2.delete_snapshot().snapshot_id(id))?;
    } else {
        let snapshots =
            known::with(&removal.known, |known| known.images.get(id).cloned()).unwrap_or_default();
        if let Some(key) = removal.ownership.shared_keys().next().filter(|_| !snapshots.is_empty()) {
            let tag = Tag::builder().key(key).value(OWNED).build();
            let request = ec2.create_tags().set_resources(Some(snapshots)).tags(tag);
            settled(ask!(removal, "ec2:CreateTags", request))?;
        }
        ask!(removal, "ec2:DeregisterImage", ec2.deregister_image().image_id(id))?;
    }
    Ok(Outcome::Gone)
}

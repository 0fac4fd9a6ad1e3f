//! Buckets: those with the cluster's tag, and the one whose name is known from its infrastructure id.

use std::collections::BTreeSet;

use futures::stream::{self, StreamExt};
use landfall_platform::removal::Disposition;

use super::{AT_A_TIME, Look, NAMED, Part, is_denied, is_missing};
use crate::removal::graph::Node;
use crate::removal::named::Whose;
use crate::removal::{kinds, named};
use crate::session::Lost;

pub(super) const SERVICE: &str = "s3";
const TAGS: &str = "s3:GetBucketTagging";
/// The code of a bucket that is there and has no tags.
const UNTAGGED: &str = "NoSuchTagSet";

/// All buckets.
pub(super) async fn buckets(look: Look<'_>) -> Part {
    let own = format!("{}-bootstrap", look.removal.target.infra_id);
    let claimed = look.claims.of(SERVICE, "").map(|(_, arn, _)| arn.id.to_owned());
    // What stands behind a slash is an object, which goes with its bucket.
    let claimed = claimed.map(|id| id.split('/').next().unwrap_or_default().to_owned());
    let names: BTreeSet<String> = claimed.chain([own]).filter(|name| !name.is_empty()).collect();
    let mut calls = Vec::new();
    for name in &names {
        calls.push(Box::pin(fate(look, name)));
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let mut part = Part::default();
    for (name, answer) in names.iter().zip(answers) {
        match answer {
            Ok(Whose::Cluster(fate)) => part.nodes.push(node(look, name, fate)),
            Ok(Whose::Unproven) => {
                part.doubt(look, &look.home.bucket(name), &format!("bucket {name}"), NAMED);
            }
            Ok(Whose::Other) => {}
            Err(lost) if is_missing(&lost) => {}
            Err(lost) => match claimed_fate(look, name) {
                Some(fate) if is_denied(&lost) => part.nodes.push(node(look, name, fate)),
                _ => part.miss(&format!("the bucket {name}"), &lost),
            },
        }
    }
    part
}

fn node(look: Look<'_>, name: &str, fate: Disposition) -> Node {
    let mut node = Node::new(&kinds::BUCKET, name, look.home.bucket(name), fate);
    name.clone_into(&mut node.name);
    node
}

fn claimed_fate(look: Look<'_>, name: &str) -> Option<Disposition> {
    look.claims.of(SERVICE, "").find(|(_, arn, _)| arn.id == name).map(|(_, _, claim)| claim.fate)
}

/// Whose a bucket is by its own tags. S3 makes a bucket first and tags it then.
async fn fate(look: Look<'_>, name: &str) -> Result<Whose, Lost> {
    let session = &look.removal.session;
    let s3 = session.s3().await?;
    let tags = match session.answer(TAGS, s3.get_bucket_tagging().bucket(name).send()).await {
        Ok(answer) => answer.tag_set,
        Err(fault) if fault.is(UNTAGGED) => Vec::new(),
        Err(fault) => return Err(Lost::Fault(fault)),
    };
    let tags = tags.iter().map(|tag| (tag.key(), tag.value()));
    let infra_id = &look.removal.target.infra_id;
    Ok(named::whose(&look.removal.ownership, infra_id, name, named::BUCKETS, tags))
}

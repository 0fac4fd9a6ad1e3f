//! Buckets, with all that is in them.

use aws_sdk_s3::Client;
use aws_sdk_s3::operation::list_object_versions::ListObjectVersionsOutput;
use aws_sdk_s3::types::{Delete, MultipartUpload, ObjectIdentifier};
use aws_smithy_types::error::operation::BuildError;
use landfall_platform::removal::{Outcome, Resource};

use super::answers::{self, Meaning};
use super::{Stop, settled};
use crate::fault::Fault;
use crate::removal::AwsRemoval;

/// The most objects that S3 deletes in one call; a page of a list has no more.
const MOST_AT_ONCE: usize = 1000;

/// The id of the version of an object that was put while the bucket had no versions.
const NO_VERSION: &str = "null";

/// What a policy allows or denies for each object, and for each version of one.
const OBJECT: &str = "s3:DeleteObject";
const VERSION: &str = "s3:DeleteObjectVersion";

/// How objects without a version of their own are deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unversioned {
    /// By their keys: all that is needed in a bucket that never had versions, and allowed more often.
    ByKey,
    /// As a version, which leaves no delete marker behind.
    AsVersion,
}

/// Empties a bucket of all versions, delete markers and unfinished uploads, and deletes it. What a lock keeps
/// is told after everything else has been deleted.
pub(super) async fn bucket(removal: &AwsRemoval<'_>, thing: &Resource, name: &str) -> Result<Outcome, Stop> {
    const CALL: &str = "s3:DeleteBucket";
    let s3 = removal.session.s3().await?;
    let kept = Box::pin(empty(removal, s3, name, Unversioned::ByKey)).await?;
    Box::pin(abort(removal, s3, name)).await?;
    if let Some(fault) = kept {
        return Ok(answers::outcome(&fault, thing));
    }
    match ask!(removal, CALL, s3.delete_bucket().bucket(name)) {
        Ok(_) => return Ok(Outcome::Gone),
        Err(fault) if answers::meaning(&fault) != Meaning::Held => return Err(fault.into()),
        Err(_) => {}
    }
    // Delete markers are left where the bucket had versions once.
    if let Some(fault) = Box::pin(empty(removal, s3, name, Unversioned::AsVersion)).await? {
        return Ok(answers::outcome(&fault, thing));
    }
    ask!(removal, CALL, s3.delete_bucket().bucket(name))?;
    Ok(Outcome::Gone)
}

/// Deletes everything in a bucket; the first failure of an object that stays.
async fn empty(
    removal: &AwsRemoval<'_>,
    s3: &Client,
    name: &str,
    unversioned: Unversioned,
) -> Result<Option<Fault>, Stop> {
    let mut kept = None;
    let (mut key, mut version) = (None, None);
    loop {
        let request = s3.list_object_versions().bucket(name);
        let request = request.set_key_marker(key).set_version_id_marker(version);
        let page = ask!(removal, "s3:ListBucketVersions", request)?;
        let objects = objects(&page, unversioned).map_err(|error| unmade(&error))?;
        for some in objects.chunks(MOST_AT_ONCE) {
            let failed = Box::pin(delete(removal, s3, name, some.to_vec())).await?;
            kept = kept.or(failed);
        }
        key = page.next_key_marker().filter(|_| page.is_truncated() == Some(true)).map(str::to_owned);
        version = page.next_version_id_marker().map(str::to_owned);
        if key.is_none() {
            return Ok(kept);
        }
    }
}

/// The versions and delete markers of a page.
fn objects(
    page: &ListObjectVersionsOutput,
    unversioned: Unversioned,
) -> Result<Vec<ObjectIdentifier>, BuildError> {
    let by_key = unversioned == Unversioned::ByKey;
    let versions = page.versions().iter().map(|version| {
        let id = version.version_id().filter(|id| !(by_key && *id == NO_VERSION));
        (version.key(), id)
    });
    let markers = page.delete_markers().iter().map(|marker| (marker.key(), marker.version_id()));
    let identifier = |(key, version): (Option<&str>, Option<&str>)| {
        let key = key.unwrap_or_default();
        ObjectIdentifier::builder().key(key).set_version_id(version.map(str::to_owned)).build()
    };
    versions.chain(markers).map(identifier).collect()
}

/// Deletes versions; the first failure of one that stays.
async fn delete(
    removal: &AwsRemoval<'_>,
    s3: &Client,
    name: &str,
    objects: Vec<ObjectIdentifier>,
) -> Result<Option<Fault>, Stop> {
    let objects = Delete::builder().set_objects(Some(objects)).quiet(true).build();
    let objects = objects.map_err(|error| unmade(&error))?;
    let answer = ask!(removal, OBJECT, s3.delete_objects().bucket(name).delete(objects))?;
    let mut said = answer.errors().iter().map(|error| {
        let action = if error.version_id().is_some() { VERSION } else { OBJECT };
        removal.said(action, error.code().unwrap_or_default(), error.message().unwrap_or_default())
    });
    Ok(said.find(|fault| answers::meaning(fault) != Meaning::Gone))
}

/// Gives up uploads that nobody finished.
async fn abort(removal: &AwsRemoval<'_>, s3: &Client, name: &str) -> Result<(), Stop> {
    let (mut key, mut upload) = (None, None);
    loop {
        let request = s3.list_multipart_uploads().bucket(name);
        let request = request.set_key_marker(key).set_upload_id_marker(upload);
        let page = match ask!(removal, "s3:ListBucketMultipartUploads", request) {
            Ok(page) => page,
            // S3 deletes a bucket without this as well; other servers may not.
            Err(fault) if answers::meaning(&fault) == Meaning::Denied => return Ok(()),
            Err(fault) => return Err(fault.into()),
        };
        for unfinished in page.uploads() {
            give_up(removal, s3, name, unfinished).await?;
        }
        key = page.next_key_marker().filter(|_| page.is_truncated() == Some(true)).map(str::to_owned);
        upload = page.next_upload_id_marker().map(str::to_owned);
        if key.is_none() {
            return Ok(());
        }
    }
}

async fn give_up(
    removal: &AwsRemoval<'_>,
    s3: &Client,
    name: &str,
    upload: &MultipartUpload,
) -> Result<(), Stop> {
    let request = s3.abort_multipart_upload().bucket(name);
    let request = request.key(upload.key().unwrap_or_default());
    let request = request.upload_id(upload.upload_id().unwrap_or_default());
    Ok(settled(ask!(removal, "s3:AbortMultipartUpload", request))?)
}

/// Whether a bucket is still there.
pub(super) async fn is_there(removal: &AwsRemoval<'_>, name: &str) -> Result<bool, Stop> {
    let s3 = removal.session.s3().await?;
    match ask!(removal, "s3:ListBucket", s3.head_bucket().bucket(name)) {
        Ok(_) => Ok(true),
        // The answer to this call has no body, and so no code but that of HTTP.
        Err(fault) if fault.status == Some(404) || answers::meaning(&fault) == Meaning::Gone => Ok(false),
        Err(fault) => Err(fault.into()),
    }
}

fn unmade(error: &BuildError) -> Stop {
    Stop::Known(Outcome::Failed { why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use aws_sdk_s3::types::{DeleteMarkerEntry, ObjectVersion};

    use super::*;

    #[test]
    fn versions_and_delete_markers_are_all_deleted() {
        let page = ListObjectVersionsOutput::builder()
            .versions(ObjectVersion::builder().key("bootstrap.ign").version_id("null").build())
            .versions(ObjectVersion::builder().key("a").version_id("v1").build())
            .delete_markers(DeleteMarkerEntry::builder().key("a").version_id("v2").build())
            .build();
        let named = |unversioned: Unversioned| {
            let objects = objects(&page, unversioned).unwrap_or_default();
            let named =
                |object: &ObjectIdentifier| (object.key().to_owned(), object.version_id().map(str::to_owned));
            objects.iter().map(named).collect::<Vec<(String, Option<String>)>>()
        };
        let expected = |first: Option<&str>| {
            let all = [("bootstrap.ign", first), ("a", Some("v1")), ("a", Some("v2"))];
            all.map(|(key, version)| (key.to_owned(), version.map(str::to_owned)))
        };
        assert_eq!(named(Unversioned::AsVersion), expected(Some("null")));
        assert_eq!(named(Unversioned::ByKey), expected(None));
    }
}

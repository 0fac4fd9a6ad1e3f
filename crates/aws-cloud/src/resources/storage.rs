//! The bucket with the bootstrap machine's Ignition config.

use std::collections::BTreeMap;

use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{
    BucketLocationConstraint, CreateBucketConfiguration, ServerSideEncryption, Tag, Tagging,
};
use landfall_aws::ignition::{Given, completed};
use landfall_platform::native::{Properties, Wanted};
use serde_json::{Map, Value, json};

use super::super::fault::{Fault, Sort};
use super::identities::invalid;
use super::{Item, Made, Resources, is_true, once, pairs, send, with_id};

/// The region whose buckets name no region.
const FIRST_REGION: &str = "us-east-1";

impl Resources<'_> {
    async fn s3(&self) -> Made<&aws_sdk_s3::Client> {
        self.session.s3().await.map_err(|why| Self::unready(&why))
    }
}

fn is_missing(fault: &Fault) -> bool {
    fault.sort == Sort::NotFound || fault.status == Some(404)
}

pub(super) async fn bucket(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let name = wanted.text("name");
    // An answer to HEAD has no body, so that it can be anybody's.
    let request = cx.s3().await?.list_objects_v2().bucket(name).max_keys(1);
    match cx.session.answer("s3:ListBucket", request.send()).await {
        Ok(found) if found.name() != Some(name) => Err(super::without_effect("s3:ListBucket")),
        Ok(_) => {
            let tags: Map<String, Value> =
                bucket_tags(cx, name).await?.into_iter().map(|(key, value)| (key, value.into())).collect();
            Ok(vec![Item::new("bucket", json!({ "id": name, "name": name, "tags": tags }))])
        }
        Err(fault) if is_missing(&fault) => Ok(Vec::new()),
        Err(fault) => Err(super::failure(&fault)),
    }
}

/// The tags of a bucket.
async fn bucket_tags(cx: &Resources<'_>, name: &str) -> Made<BTreeMap<String, String>> {
    let request = cx.s3().await?.get_bucket_tagging().bucket(name);
    match cx.session.answer("s3:GetBucketTagging", request.send()).await {
        Ok(found) => {
            let pair = |tag: &Tag| (tag.key().to_owned(), tag.value().to_owned());
            Ok(found.tag_set().iter().map(pair).collect())
        }
        Err(fault) if is_missing(&fault) => Ok(BTreeMap::new()),
        Err(fault) => Err(super::failure(&fault)),
    }
}

pub(super) async fn create_bucket(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let (name, region) = (wanted.text("name"), wanted.text("region"));
    let place = (region != FIRST_REGION).then(|| {
        let region = BucketLocationConstraint::from(region);
        CreateBucketConfiguration::builder().location_constraint(region).build()
    });
    let s3 = once!(aws_sdk_s3, cx.s3().await?);
    let request = s3.create_bucket().bucket(name).set_create_bucket_configuration(place);
    match cx.session.answer("s3:CreateBucket", request.send()).await {
        Err(fault) if !fault.is("BucketAlreadyOwnedByYou") => Err(super::failure(&fault)),
        // The answer has no body, and anybody on the way can give one without.
        Ok(made) if made.location().is_none() => Err(super::without_effect("s3:CreateBucket")),
        _ => Ok(with_id(Some(name))),
    }
}

pub(super) async fn tag_bucket(cx: &Resources<'_>, wanted: &Wanted, _: &Properties) -> Made<()> {
    const CALL: &str = "s3:PutBucketTagging";
    // The call replaces all tags, those of others as well.
    let mut all = bucket_tags(cx, wanted.text("name")).await?;
    all.extend(pairs(wanted, "tags"));
    let mut tags = Tagging::builder();
    for (key, value) in all {
        let tag = Tag::builder().key(key).value(value).build();
        tags = tags.tag_set(tag.map_err(|error| invalid(cx, CALL, &error))?);
    }
    let tags = tags.build().map_err(|error| invalid(cx, CALL, &error))?;
    let request = cx.s3().await?.put_bucket_tagging().bucket(wanted.text("name")).tagging(tags);
    send!(cx, "s3:PutBucketTagging", request)?;
    // The call has an empty answer, which anything on the way can give as well.
    let found = bucket_tags(cx, wanted.text("name")).await?;
    let mut wanted = pairs(wanted, "tags").into_iter();
    if wanted.all(|(key, value)| found.get(&key) == Some(&value)) {
        Ok(())
    } else {
        Err(super::without_effect("s3:PutBucketTagging"))
    }
}

pub(super) async fn object(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let (bucket, key) = (wanted.text("bucket"), wanted.text("key"));
    let request = cx.s3().await?.head_object().bucket(bucket).key(key);
    match cx.session.answer("s3:GetObject", request.send()).await {
        Ok(found) if found.e_tag().is_none() => Err(super::without_effect("s3:GetObject")),
        Ok(_) => Ok(vec![Item::new("object", json!({ "bucket": bucket, "key": key }))]),
        Err(fault) if is_missing(&fault) => Ok(Vec::new()),
        Err(fault) => Err(super::failure(&fault)),
    }
}

pub(super) async fn put_object(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let tags =
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs(wanted, "tags")).finish();
    let content = cx.secret(wanted, "content");
    // What AWS gave when the network and the image were created.
    let text = |name: &str| wanted.inputs.get(name).and_then(Value::as_str);
    let given = Given {
        network: text("machineNetwork"),
        is_ipv6_primary: is_true(wanted, "networkFirst"),
        image: text("imageName").zip(text("image")),
    };
    let content = completed(content, given).unwrap_or_else(|| content.to_owned()).into_bytes();
    let request = cx.s3().await?.put_object().bucket(wanted.text("bucket")).key(wanted.text("key"));
    let request = request
        .body(ByteStream::from(content))
        .server_side_encryption(ServerSideEncryption::Aes256)
        .tagging(tags);
    let put = send!(cx, "s3:PutObject", request)?;
    if put.e_tag().is_none() {
        return Err(super::without_effect("s3:PutObject"));
    }
    Ok(Properties::new())
}

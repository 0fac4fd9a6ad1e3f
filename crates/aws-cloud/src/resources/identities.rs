//! Roles, their policies, and instance profiles.

use aws_sdk_iam::types::Tag;
use aws_smithy_types::error::operation::BuildError;
use landfall_platform::native::{Failure, Properties, Wanted};
use serde_json::{Value, json};

use super::super::fault::Sort;
use super::{Item, Made, Resources, once, pairs, refusal, send};

impl Resources<'_> {
    pub(super) async fn iam(&self) -> Made<&aws_sdk_iam::Client> {
        self.session.iam().await.map_err(|why| Self::unready(&why))
    }

    /// The client for calls that create something.
    async fn iam_once(&self) -> Made<aws_sdk_iam::Client> {
        Ok(once!(aws_sdk_iam, self.iam().await?))
    }
}

/// An answer, or none where there is no such resource.
macro_rules! look {
    ($cx:expr, $call:literal, $request:expr) => {
        match Box::pin($request.send()).await.map_err(|error| $cx.session.fault($call, &error)) {
            Ok(answer) => answer,
            Err(fault) if fault.sort == Sort::NotFound => return Ok(Vec::new()),
            Err(fault) => return Err(super::failure(&fault)),
        }
    };
}

/// A policy, which IAM gives with escapes as in a URL.
fn document(text: &str) -> Value {
    let line = format!("d={text}");
    let decoded = url::form_urlencoded::parse(line.as_bytes()).next();
    decoded.and_then(|(_, text)| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn text(wanted: &Wanted, key: &str) -> String {
    wanted.inputs.get(key).map(Value::to_string).unwrap_or_default()
}

fn named(wanted: &Wanted) -> Properties {
    Properties::from_iter([("name".to_owned(), json!(wanted.text("name")))])
}

pub(super) async fn role(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let request = cx.iam().await?.get_role().role_name(wanted.text("name"));
    let found = look!(cx, "iam:GetRole", request);
    let Some(role) = found.role() else { return Ok(Vec::new()) };
    let tags = role.tags().iter().map(|tag| (tag.key().to_owned(), Value::from(tag.value())));
    let mut known = json!({
        "name": role.role_name(),
        "trust": document(role.assume_role_policy_document().unwrap_or_default()),
        "tags": Value::Object(tags.collect()),
    });
    if let Some(description) = role.description() {
        known["description"] = description.into();
    }
    Ok(vec![Item::new("role", known)])
}

/// The tags of a role, for a call.
pub(super) fn tags(cx: &Resources<'_>, wanted: &Wanted, call: &str) -> Made<Vec<Tag>> {
    let tags = pairs(wanted, "tags").into_iter();
    let tags = tags.map(|(key, value)| Tag::builder().key(key).value(value).build());
    tags.collect::<Result<_, _>>().map_err(|error| invalid(cx, call, &error))
}

pub(super) async fn create_role(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let tags = tags(cx, wanted, "iam:CreateRole")?;
    let description = Some(wanted.text("description").to_owned()).filter(|text| !text.is_empty());
    let request = cx.iam_once().await?.create_role().role_name(wanted.text("name"));
    let request = request
        .path("/")
        .set_description(description)
        .assume_role_policy_document(text(wanted, "trust"))
        .set_tags(Some(tags));
    send!(cx, "iam:CreateRole", request)?;
    Ok(named(wanted))
}

/// A request that the SDK cannot build.
pub(super) fn invalid(cx: &Resources<'_>, call: &str, error: &BuildError) -> Failure {
    let why = cx.session.scrub().clean(&error.to_string());
    Failure::Refused(refusal("", format!("{call}: {why}")))
}

pub(super) async fn policy(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let request = cx.iam().await?.get_role_policy().role_name(wanted.text("role"));
    let found = look!(cx, "iam:GetRolePolicy", request.policy_name(wanted.text("name")));
    let known = json!({
        "role": found.role_name(),
        "name": found.policy_name(),
        "document": document(found.policy_document()),
    });
    Ok(vec![Item::new("role-policy", known)])
}

pub(super) async fn put_policy(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.iam().await?.put_role_policy().role_name(wanted.text("role"));
    let request = request.policy_name(wanted.text("name")).policy_document(text(wanted, "document"));
    send!(cx, "iam:PutRolePolicy", request)?;
    Ok(Properties::new())
}

pub(super) async fn profile(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let request = cx.iam().await?.get_instance_profile().instance_profile_name(wanted.text("name"));
    let found = look!(cx, "iam:GetInstanceProfile", request);
    let Some(profile) = found.instance_profile() else { return Ok(Vec::new()) };
    let role = profile.roles().first().map(aws_sdk_iam::types::Role::role_name);
    let known = json!({ "name": profile.instance_profile_name(), "role": role });
    Ok(vec![Item::new("instance-profile", known)])
}

pub(super) async fn create_profile(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.iam_once().await?.create_instance_profile().path("/");
    send!(cx, "iam:CreateInstanceProfile", request.instance_profile_name(wanted.text("name")))?;
    Ok(named(wanted))
}

/// A profile has one role at most: where it has one already, that is refused and nothing is to be done.
pub(super) async fn add_role(cx: &Resources<'_>, wanted: &Wanted, _: &Properties) -> Made<()> {
    let request = cx.iam().await?.add_role_to_instance_profile().role_name(wanted.text("role"));
    let request = request.instance_profile_name(wanted.text("name"));
    match cx.session.answer("iam:AddRoleToInstanceProfile", request.send()).await {
        Err(fault) if !fault.is("LimitExceeded") => Err(super::failure(&fault)),
        _ => Ok(()),
    }
}

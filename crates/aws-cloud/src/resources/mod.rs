//! Finds and creates the resources of a cluster, one kind at a time.
//!
//! `kinds` has the table: where a kind is listed and by what one of it is known. Each list is read once and serves
//! every resource of the kinds in it, and is read again only for whoever needs a newer one.

mod balancers;
mod groups;
mod identities;
mod ipv6;
mod kinds;
mod machines;
mod names;
mod network;
mod repairs;
mod storage;

use std::collections::HashMap;
use std::sync::{Arc, Mutex as Lock, PoisonError};
use std::time::Duration;

use landfall_diagnostics::{Code, Finding, Kind as Sorted};
use landfall_platform::cloud::{Unready, Verdict, Waiting};
use landfall_platform::native::{
    Api, Existing, Failure, Properties, Secrets, State, Traits, Wanted, secret_name,
};
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::fault::{Fault, Sort};
use super::session::Session;
use kinds::{Kind, kind};
use landfall_aws::tags::{CLUSTER, PROVIDER};

/// AWS refuses to create a resource.
static REFUSED: Code = Code::new("LF1422");

/// The kinds that take a while to become ready.
const WAITING: &[&str] = &["image", "instance", "load-balancer", "nat-gateway"];
/// Kinds that get their tags with a call after the one that creates them.
const TAGGED_LATER: &[&str] = &["bucket", "hosted-zone", "image"];
/// Kinds that an installed cluster replaces itself.
const HANDED_OVER: &[&str] = &["instance", "network-interface", "targets"];

/// Kinds that Terraform finds by their inputs, not by an id that the cloud gives.
const LINKS: &[&str] = &[
    "dhcp-options-association",
    "object",
    "record",
    "role-policy",
    "route",
    "security-group-rules",
    "targets",
];

/// So long what was not ready counts as not ready.
const RECENT: Duration = Duration::from_secs(1);

/// What a call gives.
type Made<T> = Result<T, Failure>;

/// A resource in a list.
#[derive(Clone, Debug)]
struct Item {
    /// Its kind.
    kind: &'static str,
    /// Properties by the names of the graph, and outputs.
    properties: Properties,
    /// How far it is.
    state: State,
}

impl Item {
    fn new(kind: &'static str, properties: Value) -> Self {
        let properties = match properties {
            Value::Object(properties) => properties,
            _ => Map::new(),
        };
        Self { kind, properties, state: State::Ready }
    }

    fn in_state(self, state: State) -> Self {
        Self { state, ..self }
    }
}

/// A list and when it was asked for.
type Kept = Arc<Mutex<Option<(Instant, Arc<Vec<Item>>)>>>;

/// The calls for the resources of one cluster.
pub(super) struct Resources<'a> {
    session: &'a Session<'a>,
    infra_id: &'a str,
    secrets: &'a Secrets,
    /// The id of the only resource that lists are about, whatever its tags.
    only: Option<String>,
    lists: Lock<HashMap<(&'static str, String), Kept>>,
}

/// A client that sends each call once. A call that creates something may have had its effect although no answer came:
/// the engine looks before it sends the call again.
macro_rules! once {
    ($sdk:ident, $client:expr) => {{
        let settings = $client.config().to_builder();
        $sdk::Client::from_conf(settings.retry_config(aws_config::retry::RetryConfig::disabled()).build())
    }};
}
/// Sends a request of the SDK; its failure as this module has it.
macro_rules! send {
    ($cx:expr, $call:literal, $request:expr) => {
        Box::pin($request.send())
            .await
            .map_err(|error| $crate::resources::failure(&$cx.session.fault($call, &error)))
    };
}
/// The same of all pages of a list.
macro_rules! pages {
    ($cx:expr, $call:literal, $request:expr) => {
        Box::pin($request.into_paginator().items().send().try_collect())
            .await
            .map_err(|error: _| $crate::resources::failure(&$cx.session.fault($call, &error)))
    };
}
use {once, pages, send};

impl<'a> Resources<'a> {
    pub(super) fn new(session: &'a Session<'a>, infra_id: &'a str, secrets: &'a Secrets) -> Self {
        for secret in secrets.values() {
            session.hide(secret);
        }
        Self { session, infra_id, secrets, only: None, lists: Lock::default() }
    }

    /// The items of a list that were asked for not before a moment; or shortly before it, if the resource was not ready
    /// then: several that are waited for share a list.
    async fn list(
        &self,
        kind: &'static Kind,
        wanted: &Wanted,
        since: Option<Instant>,
    ) -> Made<Arc<Vec<Item>>> {
        let kept = self.kept(kind, wanted);
        let mut kept = kept.lock().await;
        if let Some((at, items)) = &*kept
            && since.is_none_or(|since| {
                *at >= since || (at.elapsed() < RECENT && self.pends(kind, wanted, items))
            })
        {
            return Ok(Arc::clone(items));
        }
        let at = Instant::now();
        let items = Arc::new((kind.read)(self, wanted).await?);
        *kept = Some((at, Arc::clone(&items)));
        Ok(items)
    }

    /// The list of a kind, as it was read last.
    fn kept(&self, kind: &Kind, wanted: &Wanted) -> Kept {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(lists.entry((kind.list, (kind.about)(wanted))).or_default())
    }

    /// Whether a list shows a resource as one that is not ready.
    fn pends(&self, kind: &Kind, wanted: &Wanted, items: &[Item]) -> bool {
        items.iter().any(|item| matches!(item.state, State::Pending(_)) && self.is(kind, wanted, item))
    }

    /// The keys of the tags by which the cluster's resources are known.
    fn owner_keys(&self) -> [String; 2] {
        [CLUSTER, PROVIDER].map(|start| format!("{start}{}", self.infra_id))
    }

    /// Whether tags say that a resource belongs to the cluster.
    fn owns(&self, tags: &Map<String, Value>) -> bool {
        let owned = |key: &String| tags.get(key).is_some_and(|value| value == "owned");
        self.owner_keys().iter().any(owned)
    }

    /// The text of a secret that an input refers to; empty where there is none.
    fn secret(&self, wanted: &Wanted, key: &str) -> &str {
        let name = wanted.inputs.get(key).and_then(secret_name);
        name.and_then(|name| self.secrets.get(name)).map_or("", |secret| secret.expose().as_str())
    }

    fn unready(unready: &Unready) -> Failure {
        Failure::Refused(refusal("", unready.0.clone()))
    }

    fn verdict(verdict: Verdict) -> Failure {
        Failure::Refused(match verdict {
            Verdict::Found(finding) => finding,
            Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => refusal("", why),
        })
    }

    /// Whether an item is the wanted resource.
    fn is(&self, kind: &Kind, wanted: &Wanted, item: &Item) -> bool {
        if item.kind != wanted.kind {
            return false;
        }
        let of = |key: &str| (wanted.inputs.get(key), item.properties.get(key));
        if !kind.keys.is_empty() {
            return kind.keys.iter().all(|key| {
                let (wanted, there) = of(key);
                wanted == there
            });
        }
        let noted = wanted.noted.as_ref().and_then(|noted| noted.get("id"));
        let id = item.properties.get("id");
        if noted.is_some() {
            return noted == id;
        }
        if id.is_some_and(|_| item.properties.get("token").is_some_and(|token| *token == wanted.token)) {
            return true;
        }
        let tag = |tags: Option<&Value>| tags.and_then(|tags| tags.get("Name")).cloned();
        let (tags, there) = of("tags");
        there.and_then(Value::as_object).is_some_and(|tags| self.owns(tags)) && tag(tags) == tag(there)
    }

    async fn look(&self, wanted: &Wanted, fresh: bool) -> Made<Option<Existing>> {
        let Some(kind) = kind(wanted.kind) else { return Ok(None) };
        let items = self.list(kind, wanted, fresh.then(Instant::now)).await?;
        let found = items.iter().find(|item| self.is(kind, wanted, item));
        // What was noted may have been removed and created again since.
        let found = found.or_else(|| {
            let unnoted = Wanted { noted: None, ..wanted.clone() };
            items.iter().find(|item| self.is(kind, &unnoted, item))
        });
        let untagged = if found.is_none() { self.untagged(kind, wanted).await? } else { None };
        let found = found.or(untagged.as_ref());
        let Some(item) = found.filter(|item| kind.parts.iter().all(|part| has(wanted, item, part))) else {
            return Ok(None);
        };
        let mut differences = Vec::new();
        for (key, value) in &wanted.inputs {
            let Some(there) = item.properties.get(key).filter(|_| !kind.parts.contains(&key.as_str())) else {
                continue;
            };
            if !is_same(value, there) {
                differences.push((key.clone(), there.clone(), value.clone()));
            }
        }
        let is_output = |key: &str| kind.outputs.contains(&key) || kind.outputs == ["*"];
        let outputs = item.properties.iter().filter(|(key, _)| is_output(key));
        let outputs = outputs.map(|(key, value)| (key.clone(), value.clone())).collect();
        // A group has the targets of others as well.
        let outputs = if kind.outputs == ["="] { wanted.inputs.clone() } else { outputs };
        let tags = item.properties.get("tags").and_then(Value::as_object);
        let tags = tags.filter(|tags| !tags.is_empty() || !TAGGED_LATER.contains(&wanted.kind));
        let is_own = tags.filter(|_| wanted.inputs.contains_key("tags")).map(|tags| self.owns(tags));
        Ok(Some(Existing { outputs, differences, state: item.state.clone(), is_own }))
    }

    /// A resource that an earlier run noted, and that no longer has the tags by which lists find the cluster's.
    async fn untagged(&self, kind: &Kind, wanted: &Wanted) -> Made<Option<Item>> {
        let noted = wanted.noted.as_ref().and_then(|noted| noted.get("id")).and_then(Value::as_str);
        let is_listed_by_tag = kind.keys.is_empty() || kind.name == "security-group";
        let Some(id) = noted.filter(|id| is_listed_by_tag && is_id(id)) else { return Ok(None) };
        let Self { session, infra_id, secrets, .. } = *self;
        let alone =
            Resources { session, infra_id, secrets, only: Some(id.to_owned()), lists: Lock::default() };
        let items = (kind.read)(&alone, wanted).await?;
        let found = items.iter().find(|item| self.is(kind, wanted, item)).cloned();
        if found.is_some() {
            // Its parts, such as the routes of a table, are in the same list.
            let kept = self.kept(kind, wanted);
            if let Some((_, known)) = &mut *kept.lock().await {
                *known = Arc::new(known.iter().cloned().chain(items).collect());
            }
        }
        Ok(found)
    }
}

/// Why a resource is not created, at a field of the config.
fn refusal(field: &str, message: impl Into<String>) -> Box<Finding> {
    Box::new(Finding::error(&REFUSED, Sorted::Invalid, field, message))
}

/// A failed call as the engine has it.
fn failure(fault: &Fault) -> Failure {
    // An instance profile that EC2 does not see yet is named in the message alone.
    const UNSEEN: &[&str] = &["iamInstanceProfile", "Invalid IAM Instance Profile"];
    const NOT_YET: &[&str] =
        &["InvalidAMIID.Unavailable", "IncorrectState", "OperationAborted", "NatGatewayNotFound"];
    let finding = Box::new(Finding::error(&REFUSED, Sorted::Invalid, "", fault.sentence()).help(help(fault)));
    let is_unseen = UNSEEN.iter().any(|text| fault.message.contains(text));
    if fault.sort == Sort::Throttled {
        Failure::Throttled(finding)
    } else if fault.may_pass() {
        Failure::Unknown(finding)
    } else if fault.sort == Sort::NotFound || is_unseen || NOT_YET.iter().any(|code| fault.is(code)) {
        Failure::NotYet(finding)
    } else {
        Failure::Refused(finding)
    }
}

/// A failure for whose cause no time helps: an id of the plan that does not exist.
fn refused_if_given(failure: Failure, wanted: &Wanted) -> Failure {
    match failure {
        Failure::NotYet(mut finding) => {
            let is_named = |id: &&String| is_id(id) && finding.message.contains(id.as_str());
            let Some(id) = wanted.given.iter().find(is_named) else { return Failure::NotYet(finding) };
            finding.help =
                Some(format!("`{id}` does not exist, or this account does not see it: correct the config"));
            Failure::Refused(finding)
        }
        failure => failure,
    }
}

/// Whether a text is an id that EC2 gives, such as `ami-0123456789abcdef0`.
fn is_id(text: &str) -> bool {
    let digits = text.split_once('-').filter(|(kind, _)| kind.bytes().all(|byte| byte.is_ascii_lowercase()));
    digits.is_some_and(|(_, id)| id.len() >= 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// An answer that says success, but is not the service's.
fn without_effect(call: &str) -> Failure {
    failure(&Fault::foreign(call, Some(200), None))
}

/// Whether an item has every part of a list that is wanted; it may have more.
fn has(wanted: &Wanted, item: &Item, part: &str) -> bool {
    // The rule that AWS gives to a new group counts once landfall has added its own.
    let whole = wanted.noted.as_ref().and_then(|_| item.properties.get(&format!("{part}Whole")));
    let wanted = wanted.inputs.get(part).and_then(Value::as_array).into_iter().flatten();
    let there = whole.or(item.properties.get(part)).and_then(Value::as_array);
    let mut wanted = wanted.map(groups::flat);
    wanted.all(|one| there.is_some_and(|there| there.contains(&one)))
}

/// Whether a property is as wanted: lists in any order, and of objects such as tags what is wanted among more.
fn is_same(wanted: &Value, there: &Value) -> bool {
    match (wanted, there) {
        (Value::Array(wanted), Value::Array(there)) => {
            wanted.len() == there.len() && wanted.iter().all(|one| there.contains(one))
        }
        (Value::Object(wanted), Value::Object(there)) => {
            // What the plan leaves open is as good as any.
            let mut wanted = wanted.iter().filter(|(_, value)| !value.is_null());
            wanted.all(|(key, value)| there.get(key).is_some_and(|there| is_same(value, there)))
        }
        _ => wanted == there,
    }
}

fn help(fault: &Fault) -> String {
    if fault.sort == Sort::Denied {
        return format!(
            "allow the caller the action {}, or use other credentials; then run the same command again",
            fault.call
        );
    }
    fault.finding("").help.unwrap_or_default()
}

impl Api for Resources<'_> {
    fn find<'s>(&'s self, wanted: &'s Wanted, fresh: bool) -> Waiting<'s, Made<Option<Existing>>> {
        Box::pin(async move {
            self.look(wanted, fresh).await.map_err(|failure| refused_if_given(failure, wanted))
        })
    }

    fn create<'s>(&'s self, wanted: &'s Wanted) -> Waiting<'s, Made<Properties>> {
        match kind(wanted.kind) {
            Some(kind) => Box::pin(async {
                (kind.create)(self, wanted).await.map_err(|failure| refused_if_given(failure, wanted))
            }),
            None => Box::pin(async { Ok(Properties::new()) }),
        }
    }

    fn complete<'s>(&'s self, wanted: &'s Wanted, outputs: &'s Properties) -> Waiting<'s, Made<()>> {
        match kind(wanted.kind).and_then(|kind| kind.complete) {
            Some(complete) => complete(self, wanted, outputs),
            None => Box::pin(async { Ok(()) }),
        }
    }

    fn repair<'s>(&'s self, wanted: &'s Wanted, existing: &'s Existing) -> Waiting<'s, Made<bool>> {
        Box::pin(async move {
            let is_changed = repairs::repair(self, wanted, existing).await?;
            if is_changed {
                self.lists.lock().unwrap_or_else(PoisonError::into_inner).clear();
            }
            Ok(is_changed)
        })
    }

    fn traits(&self, name: &str) -> Traits {
        let Some(kind) = kind(name) else { return Traits::default() };
        Traits {
            blocks: kind.blocks,
            completes: kind.complete.is_some(),
            waits: WAITING.contains(&name),
            is_given: name.starts_with("given-"),
            is_handed_over: HANDED_OVER.contains(&name),
            is_link: LINKS.contains(&name),
            // Its default rule is no property.
            completes_unseen: name == "security-group",
            ..Traits::default()
        }
    }

    fn release<'s>(&'s self, kind: &'s str, outputs: &'s Properties) -> Waiting<'s, Made<()>> {
        Box::pin(balancers::release(self, kind, outputs))
    }
}

/// The tags that are wanted, as pairs.
fn pairs(wanted: &Wanted, key: &str) -> Vec<(String, String)> {
    let tags = wanted.inputs.get(key).and_then(Value::as_object).into_iter().flatten();
    tags.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// Outputs with an id and nothing else.
fn with_id(id: Option<&str>) -> Properties {
    Properties::from_iter([("id".to_owned(), Value::from(id.unwrap_or_default()))])
}

/// A number of the inputs.
fn number(wanted: &Wanted, key: &str) -> Option<i32> {
    i32::try_from(wanted.inputs.get(key)?.as_i64()?).ok()
}

/// Whether an input is true.
fn is_true(wanted: &Wanted, key: &str) -> bool {
    wanted.inputs.get(key).and_then(Value::as_bool).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_compared_in_any_order_and_tags_by_what_is_wanted() {
        assert!(is_same(&json!(["a", "b"]), &json!(["b", "a"])));
        assert!(!is_same(&json!(["a"]), &json!(["a", "b"])));
        assert!(is_same(&json!({ "Name": "a" }), &json!({ "Name": "a", "more": "b" })));
        assert!(!is_same(&json!({ "Name": "a" }), &json!({ "more": "b" })));
    }

    #[test]
    fn what_is_not_there_yet_is_told_from_a_refusal() {
        let fault = |code: &str, message: &str| Fault {
            call: "ec2:RunInstances".to_owned(),
            sort: if code.ends_with("NotFound") { Sort::NotFound } else { Sort::Service },
            code: Some(code.to_owned()),
            message: message.to_owned(),
            request_id: None,
            status: Some(400),
        };
        assert!(matches!(failure(&fault("InvalidSubnetID.NotFound", "")), Failure::NotYet(_)));
        let profile = fault("InvalidParameterValue", "Invalid IAM Instance Profile name");
        assert!(matches!(failure(&profile), Failure::NotYet(_)));
        let refused = failure(&fault("InstanceLimitExceeded", "no more"));
        assert!(matches!(refused, Failure::Refused(finding) if finding.code.as_str() == "LF1422"));
    }

    #[test]
    fn an_id_of_the_plan_that_does_not_exist_is_not_waited_for() {
        let wanted = |given: &[&str]| Wanted {
            name: "instance/bootstrap".to_owned(),
            kind: "instance",
            inputs: Properties::new(),
            token: String::new(),
            noted: None,
            begun: false,
            given: given.iter().map(|text| (*text).to_owned()).collect(),
        };
        let missing = || {
            failure(&Fault {
                call: "ec2:RunInstances".to_owned(),
                sort: Sort::NotFound,
                code: Some("InvalidAMIID.NotFound".to_owned()),
                message: "The image id '[ami-0a1b2c3d]' does not exist".to_owned(),
                request_id: None,
                status: Some(400),
            })
        };
        let judged = refused_if_given(missing(), &wanted(&["m6i.xlarge", "ami-0a1b2c3d"]));
        assert!(matches!(judged, Failure::Refused(finding) if finding.message.contains("ami-0a1b2c3d")));
        // What landfall created may be visible later, and a text that is not an id says nothing.
        for given in [&["ami-0a1b2c3e"][..], &["image"]] {
            assert!(matches!(refused_if_given(missing(), &wanted(given)), Failure::NotYet(_)), "{given:?}");
        }
    }
}

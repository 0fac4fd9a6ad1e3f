//! Finds and creates the resources of a cluster, each with one call of the resource manager.
//!
//! A resource is known by its id, which its name and group give. Creating one only begins something: the operation
//! that Azure names is followed to its end, and what it fails for is told in Azure's words. After a kill, the state
//! of the resource itself tells how far it is.

mod again;
mod association;
mod compare;
mod failure;
mod lists;
mod pages;
mod shown;
mod signature;
mod storage;

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind};
use landfall_platform::cloud::Waiting;
use landfall_platform::native::{
    Api, Existing, Failure, Properties, Secrets, State, Traits, Wanted, secret_name,
};
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use super::api_versions;
use super::arm::{Arm, named};
use super::fault::Fault;
use super::identity::Tokens;
use super::operations::{Begun, Operation};
use super::session::Session;
use crate::resources::{BY_IDENTITY, OF_OPERATOR};
use failure::{failure, is_answer};
use lists::Lists;
use shown::{existing, is_whole};

/// What a call gives.
type Made<T> = Result<T, Failure>;

/// Kinds that are blobs of the storage account: a copy that the storage service makes, and an uploaded file.
const COPY: &str = "image-copy";
const BLOB: &str = "blob";
/// Kinds that are put again where somebody changed them: Azure changes them in place, and they have no parts.
const PUT_BACK: &[&str] = &["private-record", "public-record", "security-rule"];
/// Kinds that an installed cluster replaces itself.
const HANDED_OVER: &[&str] = &["network-interface", "virtual-machine"];
/// What the kinds of the user's own resources begin with.
const GIVEN: &str = "given-";
/// Where the ignition config of a machine is told in its body.
const CUSTOM_DATA: &str = "/properties/osProfile/customData";

/// What this run knows of the resources so far.
#[derive(Default)]
struct Known {
    /// The ids of what it created, in lower case. Nothing is in them but what it creates.
    made: HashSet<String>,
    /// What it began and has not seen the end of, by ids.
    operations: HashMap<String, Operation>,
    /// How resources were shown when an operation began that creates them, by ids.
    begun: HashMap<String, Value>,
    /// Resources that were ready with the answer to the creating call, by ids.
    answers: HashMap<String, Value>,
    /// What Azure shows as failed, by ids.
    failed: HashMap<String, Value>,
    /// Keys of storage accounts, by ids.
    keys: HashMap<String, Secret<String>>,
}

/// The calls for the resources of one cluster.
pub(super) struct Resources<'a> {
    session: &'a Session<'a>,
    secrets: &'a Secrets,
    known: Mutex<Known>,
    lists: Lists,
    /// Tokens for blobs, where no signature opens their account.
    blob_tokens: OnceCell<Tokens>,
}

impl<'a> Resources<'a> {
    pub(super) fn new(session: &'a Session<'a>, _: &'a str, secrets: &'a Secrets) -> Self {
        for secret in secrets.values() {
            session.hide(secret);
        }
        Self {
            session,
            secrets,
            known: Mutex::default(),
            lists: Lists::default(),
            blob_tokens: OnceCell::new(),
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn arm(&self) -> Made<&Arm> {
        self.session.arm().await.map_err(|unready| {
            Failure::Refused(Box::new(Finding::error(&super::pages::CALL, Kind::Invalid, "", unready.0)))
        })
    }

    /// Whether a resource cannot exist, as this run has created what it would be in.
    fn is_new(&self, id: &str) -> bool {
        let (id, known) = (id.to_lowercase(), self.known());
        known.made.iter().any(|made| id.strip_prefix(made).is_some_and(|rest| rest.starts_with('/')))
    }

    async fn look(&self, wanted: &Wanted, fresh: bool) -> Made<Option<Existing>> {
        if [COPY, BLOB].contains(&wanted.kind) {
            return storage::find(self, wanted, fresh).await;
        }
        let (id, version) = (wanted.text("id"), wanted.text("apiVersion"));
        if !fresh && self.is_new(id) {
            return Ok(None);
        }
        let answer = self.known().answers.remove(id);
        if let Some(answer) = answer {
            return Ok(Some(existing(wanted, &answer)));
        }
        let arm = self.arm().await?;
        let operation = self.known().operations.get(id).cloned();
        if let Some(operation) = operation {
            let progress = arm.progress(&operation).await;
            let mut known = self.known();
            match progress {
                Ok(Some(next)) => {
                    known.operations.insert(id.to_owned(), next);
                    let state = State::Pending("being created".to_owned());
                    return Ok(Some(Existing { state, ..existing(wanted, &Value::Null) }));
                }
                Ok(None) => {
                    known.operations.remove(id);
                    let begun = known.begun.remove(id).map(shown::ended);
                    if let Some(begun) = begun.filter(|begun| is_whole(wanted, begun)) {
                        return Ok(Some(existing(wanted, &begun)));
                    }
                }
                // Nobody knows the operation any more: the resource itself tells.
                Err(fault) if fault.is_absence() => drop(known.operations.remove(id)),
                Err(fault) if is_answer(&fault) => {
                    known.operations.remove(id);
                    let state = State::Broken(fault.sentence());
                    return Ok(Some(Existing { state, ..existing(wanted, &Value::Null) }));
                }
                Err(fault) => return Err(failure(&fault)),
            }
        }
        let found = match fresh {
            _ if association::is(id) => association::find(arm, version, id).await,
            true => arm.find_in::<Value>(version, id).await,
            false if lists::has(wanted.kind) => self.lists.find(arm, version, id).await,
            false => self.lists.one(arm, version, id).await,
        };
        let Some(found) = found.map_err(|fault| failure(&fault))? else { return Ok(None) };
        let existing = existing(wanted, &found);
        if matches!(existing.state, State::Broken(_)) {
            self.known().failed.insert(id.to_owned(), found);
        }
        Ok(Some(existing))
    }

    async fn make(&self, wanted: &Wanted) -> Made<Properties> {
        if [COPY, BLOB].contains(&wanted.kind) {
            return storage::create(self, wanted).await;
        }
        let (id, version) = (wanted.text("id"), wanted.text("apiVersion"));
        if wanted.inputs.contains_key(OF_OPERATOR) {
            let shown = self.look(wanted, true).await?;
            return shown
                .map(|shown| shown.outputs)
                .ok_or_else(|| Failure::NotYet(Box::new(pages::not_shown(id))));
        }
        if wanted.kind.starts_with(GIVEN) {
            return Err(Failure::Refused(Box::new(pages::not_there(id))));
        }
        let mut body = wanted.inputs.get("body").cloned().unwrap_or_default();
        let name = body.pointer(CUSTOM_DATA).and_then(secret_name).map(str::to_owned);
        if let Some(name) = name {
            let config = self.config(&name, wanted).await?;
            body["properties"]["osProfile"]["customData"] = STANDARD.encode(config.expose()).into();
        }
        let failed = self.known().failed.remove(id);
        let is_new = failed.is_none();
        if let Some(failed) = failed.filter(|_| again::has_parts(wanted.kind)) {
            body = again::merged(failed, body);
        }
        let arm = self.arm().await?;
        let mut place = id;
        if association::is(id) {
            (place, body) = association::whole(arm, version, id, &body).await?;
        }
        let (begun, shown) =
            arm.begin_put_in(version, place, &body).await.map_err(|fault| failure(&fault))?;
        if matches!(begun, Begun::Ended) && !shown.is_object() {
            // A proxy answers so: whether Azure received the call is unknown.
            let fault = Fault::not_understood(&named("PUT", id), "the response shows no resource");
            return Err(failure(&fault));
        }
        let mut known = self.known();
        if is_new {
            known.made.insert(id.to_lowercase());
        }
        known.operations.remove(id);
        let made = existing(wanted, &shown);
        match begun {
            Begun::Going(Some(operation)) => {
                known.operations.insert(id.to_owned(), operation);
                known.begun.insert(id.to_owned(), shown);
            }
            Begun::Ended if made.state == State::Ready => {
                known.answers.insert(id.to_owned(), shown);
            }
            Begun::Ended | Begun::Going(None) => {}
        }
        Ok(made.outputs)
    }

    /// The ignition config that a machine starts with. That of the bootstrap machine says where the whole one is.
    async fn config(&self, name: &str, wanted: &Wanted) -> Made<Secret<String>> {
        let secret = |name: &str| self.secrets.get(name).map_or("", |secret| secret.expose().as_str());
        let given = secret(name);
        let Some(source) = wanted.inputs.get("ignition") else {
            return Ok(Secret::new(given.to_owned()));
        };
        let text = |key: &str| source.get(key).and_then(Value::as_str).unwrap_or_default();
        let url = if text("access") == BY_IDENTITY {
            text("url").to_owned()
        } else {
            let query = storage::query(self, text("account"), signature::Allowed::Read).await?;
            format!("{}?{}", text("url"), query.expose())
        };
        let placeholder = secret("azure_bootstrap_ignition_url_placeholder");
        if given.is_empty() || placeholder.is_empty() {
            let config = json!({ "ignition": {
                "version": "3.2.0",
                "config": { "replace": { "source": url } },
            } });
            return Ok(Secret::new(config.to_string()));
        }
        Ok(Secret::new(given.replace(placeholder, &url)))
    }

    /// Sets back tags, and the properties of resources that nothing else is a part of.
    async fn set_back(&self, wanted: &Wanted, existing: &Existing) -> Made<bool> {
        let is_tag = |key: &str| key == "tags" || key.starts_with("tags.");
        let (tags, others): (Vec<&str>, Vec<&str>) =
            existing.differences.iter().map(|(key, ..)| key.as_str()).partition(|key| is_tag(key));
        let is_put = !others.is_empty() && PUT_BACK.contains(&wanted.kind);
        if is_put {
            self.make(wanted).await?;
        } else if !tags.is_empty() {
            let id = wanted.text("id");
            let planned = wanted.inputs.get("body").and_then(|body| body.get("tags"));
            let body = json!({ "operation": "Merge", "properties": { "tags": planned } });
            let path = format!("{id}/providers/Microsoft.Resources/tags/default");
            let begun = self.arm().await?.begin_patch(api_versions::Api::TAGS, &path, &body).await;
            if let Begun::Going(Some(operation)) = begun.map_err(|fault| failure(&fault))? {
                self.known().operations.insert(id.to_owned(), operation);
            }
        }
        Ok(is_put || !tags.is_empty())
    }

    async fn delete(&self, kind: &str, outputs: &Properties) -> Made<()> {
        let text = |key: &str| outputs.get(key).and_then(Value::as_str).unwrap_or_default();
        let (id, version) = (text("id"), text("apiVersion"));
        // Blobs go with their container. The subnet that a NAT gateway is attached to is the user's.
        if [COPY, BLOB].contains(&kind) || id.is_empty() || association::is(id) {
            return Ok(());
        }
        let arm = self.arm().await?;
        arm.delete_in(version, id).await.map_err(|fault| failure(&fault))
    }
}

impl Api for Resources<'_> {
    fn find<'s>(&'s self, wanted: &'s Wanted, fresh: bool) -> Waiting<'s, Made<Option<Existing>>> {
        Box::pin(self.look(wanted, fresh))
    }

    fn create<'s>(&'s self, wanted: &'s Wanted) -> Waiting<'s, Made<Properties>> {
        Box::pin(self.make(wanted))
    }

    fn repair<'s>(&'s self, wanted: &'s Wanted, existing: &'s Existing) -> Waiting<'s, Made<bool>> {
        Box::pin(self.set_back(wanted, existing))
    }

    fn ignition<'s>(&'s self, machine: &'s Wanted) -> Waiting<'s, Made<Option<Secret<String>>>> {
        Box::pin(async {
            let data = machine.inputs.get("body").and_then(|body| body.pointer(CUSTOM_DATA));
            let Some(name) = data.and_then(secret_name) else { return Ok(None) };
            self.config(name, machine).await.map(Some)
        })
    }

    fn traits(&self, kind: &str) -> Traits {
        let is_given = kind.starts_with(GIVEN);
        Traits {
            blocks: true,
            waits: kind != BLOB,
            is_given,
            repeats: !is_given,
            removes: true,
            is_handed_over: HANDED_OVER.contains(&kind),
            ..Traits::default()
        }
    }

    fn known(&self, wanted: &Wanted) -> Properties {
        let texts = ["id", "apiVersion"].map(|key| (key, wanted.text(key)));
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        texts.map(|(key, text)| (key.to_owned(), text.into())).collect()
    }

    fn remove<'s>(&'s self, kind: &'s str, outputs: &'s Properties) -> Waiting<'s, Made<()>> {
        Box::pin(self.delete(kind, outputs))
    }
}

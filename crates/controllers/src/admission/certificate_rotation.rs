//! Renews the certificates of the webhook, and registers them with the API server.

#![allow(clippy::disallowed_methods, reason = "certificates are valid from now on, for a while")]

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::kube::Client;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, select, select_all};
use jiff::Timestamp;
use landfall_kube::kinds::{self, ProfileKinds};
use landfall_kube::objects::{ObjectRef, Objects, Part};
use serde_json::{Value, json};

use super::certificate::Served;
use super::configuration::{CONDITIONS, NAME, configurations};
use super::{Address, CONTROLLER, SECRET_NAME, secret};
use crate::{Controller, Failed, Key, Next, fetch, watch};

/// How long after a run all is looked at again.
const RESYNC: Duration = Duration::from_hours(1);

/// Keeps the secret with the certificates and the configurations of the API server.
pub struct Keeper {
    objects: Arc<dyn Objects>,
    kinds: &'static ProfileKinds,
    address: Address,
    namespace: String,
    /// The configurations that were written with conditions once.
    tried_conditions: Mutex<BTreeSet<ObjectRef>>,
}

impl Keeper {
    /// The keeper of an operator in this namespace, whose judge of profiles of these kinds has this address.
    #[must_use]
    pub fn new(
        objects: Arc<dyn Objects>,
        kinds: &'static ProfileKinds,
        address: Address,
        namespace: String,
    ) -> Self {
        Self { objects, kinds, address, namespace, tried_conditions: Mutex::default() }
    }

    async fn run(&self) -> Result<Next, Failed> {
        let place = secret(&self.namespace);
        let names = self.address.names(&self.namespace);
        let now = Timestamp::now();
        let stands = fetch::object(&*self.objects, &place, "secret-unreadable").await?;
        let stands = stands.as_ref().and_then(Served::of);
        if let Some(good) = stands.as_ref().filter(|served| served.is_good(&names, now)) {
            self.configure(good).await?;
            return Ok(Next::Settled);
        }
        let new = Served::issue(&names, now)
            .map_err(|_| Failed::terminal("certificate-unmakable", "a certificate cannot be created"))?;
        let new = match &stands {
            Some(before) => new.after(before),
            None => new,
        };
        // No replica uses a certificate that is not trusted yet.
        self.configure(&new).await?;
        let written = self.objects.apply(&place, new.secret(), Part::Whole).await;
        written.map_err(|fault| Failed::call("secret-unwritable", &place, "written", &fault))?;
        tracing::info!(%place, "the webhook has new certificates");
        Ok(Next::Settled)
    }

    /// Has the API server ask and trust the certificates, if it does not.
    async fn configure(&self, served: &Served) -> Result<(), Failed> {
        let bundle = STANDARD.encode(&served.authorities);
        for (kind, wanted) in configurations(self.kinds, &self.address, &self.namespace, Some(&bundle)) {
            self.put(&ObjectRef::in_cluster(kind, NAME), wanted).await?;
        }
        Ok(())
    }

    /// Has a configuration stand as it is wanted.
    async fn put(&self, place: &ObjectRef, wanted: Value) -> Result<(), Failed> {
        let stands = fetch::object(&*self.objects, place, "configuration-unreadable").await?;
        let webhooks = |object: &Value| object.get("webhooks").cloned().unwrap_or_default();
        let is_there = |wanted: &Value| {
            stands.as_ref().is_some_and(|stands| holds(&webhooks(stands), &webhooks(wanted)))
        };
        if is_there(&wanted) {
            return Ok(());
        }
        // A server that drops a field is not sent it again and again.
        let has_tried = self.tried_conditions.lock().is_ok_and(|tried| tried.contains(place));
        if has_tried && is_there(&without_conditions(&wanted)) {
            return Ok(());
        }
        let written = match stands {
            // Whoever installed it may have named the judge in the other way, which apply would leave beside ours.
            Some(_) => {
                let patch = json!({ "webhooks": webhooks(&wanted) });
                self.objects.merge(place, patch, Part::Whole).await
            }
            None => self.objects.apply(place, wanted, Part::Whole).await,
        };
        if let Ok(mut tried) = self.tried_conditions.lock() {
            tried.insert(place.clone());
        }
        written
            .map(|_| ())
            .map_err(|fault| Failed::call("configuration-unwritable", place, "written", &fault))
    }
}

/// A configuration as a server has it that does not know conditions.
fn without_conditions(configuration: &Value) -> Value {
    let mut configuration = configuration.clone();
    for webhook in configuration["webhooks"].as_array_mut().into_iter().flatten() {
        if let Some(webhook) = webhook.as_object_mut() {
            webhook.remove(CONDITIONS);
        }
    }
    configuration
}

/// Whether the object has all desired fields; the server adds defaults.
pub(crate) fn holds(stands: &Value, wanted: &Value) -> bool {
    match (stands, wanted) {
        (Value::Object(stands), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| stands.get(key).is_some_and(|stands| holds(stands, wanted)))
        }
        (Value::Array(stands), Value::Array(wanted)) => {
            stands.len() == wanted.len()
                && stands.iter().zip(wanted).all(|(stands, wanted)| holds(stands, wanted))
        }
        _ => stands == wanted,
    }
}

impl Controller for Keeper {
    fn name(&self) -> &'static str {
        CONTROLLER
    }

    fn triggers(&self, client: &Client) -> BoxStream<'static, Key> {
        let secret = watch::changes(client, &kinds::SECRET, Some(&self.namespace), Some(SECRET_NAME));
        let configurations =
            [&kinds::MUTATING_WEBHOOK_CONFIGURATION, &kinds::VALIDATING_WEBHOOK_CONFIGURATION]
                .map(|kind| watch::changes(client, kind, None, Some(NAME)));
        let changes = select(secret, select_all(configurations)).map(|_| ());
        select(changes, watch::every(RESYNC)).map(|()| Key { namespace: None, name: NAME.to_owned() }).boxed()
    }

    fn reconcile<'a>(&'a self, _: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        Box::pin(self.run())
    }
}

//! A management cluster with an operator, both played.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::{BoxFuture, ready};
use futures::{FutureExt as _, StreamExt as _, stream};
use landfall_kube::Fault;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep};

use crate::core::Object;
use crate::desired::Policy;
use crate::drive::{Api, Failure, Feed, Location, ObjectEvent};
use crate::keys;
use crate::kinds::{KINDS, Kind, named};

/// What stands in Azure, by kind and name, with its tags.
#[derive(Debug, Default)]
struct Azure {
    resources: BTreeMap<(String, String), Value>,
    changes: usize,
}

#[derive(Default)]
struct State {
    /// By plural and name.
    objects: BTreeMap<(&'static str, String), Value>,
    version: u64,
    /// Calls that are answered yet.
    left: Option<usize>,
    /// What the operator says of the resources that it cannot make: a word, and how bad that is.
    failing: BTreeMap<(&'static str, String), (&'static str, &'static str)>,
    writes: usize,
    /// Reads of single objects of the operator, and listings of a kind.
    reads: usize,
    listings: usize,
    listeners: Vec<UnboundedSender<ObjectEvent>>,
    /// How long the operator takes for an object; none where it answers at once.
    slow: Option<Duration>,
    due: Vec<Due>,
}

impl State {
    fn tell(&mut self, news: &ObjectEvent) {
        self.listeners.retain(|listener| listener.send(news.clone()).is_ok());
    }

    fn place(&mut self, kind: &'static Kind, object: Value) {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        self.objects.insert((kind.plural, name), object.clone());
        self.tell(&ObjectEvent::Is(kind.kind, object));
    }
}

/// When the operator answers of which object.
type Due = (Instant, (&'static str, String));

/// The played management cluster.
#[derive(Default)]
pub(super) struct Played {
    state: Mutex<State>,
    azure: Mutex<Arc<Mutex<Azure>>>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn kind_of(plural: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.plural == plural)
}

fn refusal(status: u16) -> Failure {
    Fault::Answer { status, why: String::new() }.into()
}

impl Played {
    /// Lets so many calls through, and then none; none lets all through.
    pub(super) fn allow(&self, calls: Option<usize>) {
        locked(&self.state).left = calls;
    }

    /// Lets this cluster's operator make its resources where that of another one does.
    pub(super) fn share_azure(&self, other: &Self) {
        let azure = Arc::clone(&locked(&other.azure));
        *locked(&self.azure) = azure;
    }

    /// A resource that is in Azure already.
    pub(super) fn found(&self, kind: &str, name: &str, tags: &Value) {
        let azure = Arc::clone(&locked(&self.azure));
        locked(&azure).resources.insert((kind.to_owned(), name.to_owned()), tags.clone());
    }

    /// An object that is there already.
    pub(super) fn put(&self, kind: &str, name: &str, object: &Value) {
        let Some(kind) = named(kind) else { return };
        let mut object = object.clone();
        object["metadata"]["name"] = name.into();
        object["metadata"]["resourceVersion"] = "1".into();
        locked(&self.state).place(kind, object);
    }

    /// Changes an object without the operator's doing.
    pub(super) fn change(&self, kind: &str, name: &str, patch: &Value) {
        let (Some(mut object), Some(kind)) = (self.object(kind, name), named(kind)) else { return };
        json_patch::merge(&mut object, patch);
        let mut state = locked(&self.state);
        state.version += 1;
        object["metadata"]["resourceVersion"] = state.version.to_string().into();
        state.place(kind, object);
    }

    /// A namespace that is there already.
    pub(super) fn put_namespace(&self, object: &Value) {
        locked(&self.state).objects.insert(("namespaces", super::ID.to_owned()), object.clone());
    }

    pub(super) fn namespace(&self) -> Option<Value> {
        locked(&self.state).objects.get(&("namespaces", super::ID.to_owned())).cloned()
    }

    /// Takes the credential away.
    pub(super) fn forget_credential(&self) {
        locked(&self.state).objects.remove(&("secrets", keys::credential_name(super::ID)));
    }

    /// A Secret that has the name of the credential already.
    pub(super) fn put_credential(&self, object: &Value) {
        let name = keys::credential_name(super::ID);
        locked(&self.state).objects.insert(("secrets", name), object.clone());
    }

    pub(super) fn credential(&self) -> Option<Value> {
        let key = ("secrets", keys::credential_name(super::ID));
        locked(&self.state).objects.get(&key).cloned()
    }

    /// Lets the operator fail for good with a resource.
    pub(super) fn fail(&self, kind: &'static str, name: &str) {
        self.say(kind, name, ("AuthorizationFailed", "Error"));
    }

    /// Lets the operator make a resource that it failed with, once it looks at it again.
    pub(super) fn mend(&self, kind: &'static str, name: &str) {
        locked(&self.state).failing.remove(&(kind, name.to_owned()));
    }

    /// Lets the operator say this of a resource that it cannot make.
    pub(super) fn say(&self, kind: &'static str, name: &str, said: (&'static str, &'static str)) {
        locked(&self.state).failing.insert((kind, name.to_owned()), said);
    }

    /// Lets the operator take so long for every object. It answers while [`Self::operator`] runs, and else never.
    pub(super) fn slow(&self, pause: Duration) {
        locked(&self.state).slow = Some(pause);
    }

    /// The operator where it takes its time, without end.
    pub(super) async fn operator(&self) {
        loop {
            sleep(Duration::from_millis(10)).await;
            let now = Instant::now();
            let all = std::mem::take(&mut locked(&self.state).due);
            let (due, later): (Vec<Due>, Vec<Due>) = all.into_iter().partition(|(at, _)| *at <= now);
            locked(&self.state).due = later;
            for (_, key) in due {
                let object = locked(&self.state).objects.get(&key).cloned();
                if let (Some(object), Some(kind)) = (object, kind_of(key.0)) {
                    self.answer(kind, key, object);
                }
            }
        }
    }

    /// How many single objects of the operator were read, and how many times all of a kind.
    pub(super) fn reads_and_listings(&self) -> (usize, usize) {
        let state = locked(&self.state);
        (state.reads, state.listings)
    }

    pub(super) fn in_azure(&self) -> Vec<(String, String)> {
        let azure = Arc::clone(&locked(&self.azure));
        let azure = locked(&azure);
        azure.resources.keys().cloned().collect()
    }

    pub(super) fn changes_in_azure(&self) -> usize {
        let azure = Arc::clone(&locked(&self.azure));
        let azure = locked(&azure);
        azure.changes
    }

    /// How many objects of the operator there are.
    pub(super) fn objects(&self) -> usize {
        let state = locked(&self.state);
        state.objects.keys().filter(|(plural, _)| kind_of(plural).is_some()).count()
    }

    pub(super) fn writes_of_objects(&self) -> usize {
        locked(&self.state).writes
    }

    pub(super) fn anchor(&self) -> Option<Value> {
        let state = locked(&self.state);
        state
            .objects
            .iter()
            .find(|((plural, _), _)| *plural == "configmaps")
            .map(|(_, object)| object.clone())
    }

    pub(super) fn object(&self, kind: &str, name: &str) -> Option<Value> {
        let kind = named(kind)?;
        locked(&self.state).objects.get(&(kind.plural, name.to_owned())).cloned()
    }

    pub(super) fn spec(&self, kind: &str, name: &str) -> Value {
        self.object(kind, name).map(|object| object["spec"].clone()).unwrap_or_default()
    }

    pub(super) fn annotation(&self, kind: &str, name: &str, key: &str) -> Option<String> {
        Object(&self.object(kind, name)?).annotation(key).map(str::to_owned)
    }

    /// The objects of these kinds, and all that happens to them from now on.
    pub(super) fn feed(&self, kinds: &[&'static Kind]) -> Feed {
        let (sender, receiver) = unbounded_channel();
        let mut state = locked(&self.state);
        state.listings += kinds.len();
        for kind in kinds {
            let of_kind = state.objects.iter().filter(|((plural, _), _)| *plural == kind.plural);
            let all = of_kind.map(|(_, object)| object.clone()).collect();
            let _ = sender.send(ObjectEvent::All(kind.kind, all));
        }
        state.listeners.push(sender);
        stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) })
            .boxed()
    }

    /// Whether a call is answered; one that is not fails as one to a server that is gone.
    fn call(&self) -> Result<(), Failure> {
        let mut state = locked(&self.state);
        match &mut state.left {
            Some(0) => Err(Fault::late().into()),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn put_in_place(&self, at: &Location, mut object: Value) -> Option<Value> {
        let mut state = locked(&self.state);
        state.version += 1;
        object["metadata"]["resourceVersion"] = state.version.to_string().into();
        let key = (at.plural, at.name.clone());
        let Some(kind) = kind_of(at.plural) else {
            let going = Object(&object).is_being_deleted();
            let held = object["metadata"]["finalizers"].as_array().is_some_and(|all| !all.is_empty());
            if going && !held {
                state.objects.remove(&key);
                return None;
            }
            state.objects.insert(key, object.clone());
            return Some(object);
        };
        state.writes += 1;
        if let Some(pause) = state.slow {
            state.due.push((Instant::now() + pause, key.clone()));
            state.objects.insert(key, object.clone());
            state.tell(&ObjectEvent::Is(kind.kind, object.clone()));
            return Some(object);
        }
        drop(state);
        self.answer(kind, key, object)
    }

    /// The operator does what an object asks for, and says so.
    fn answer(&self, kind: &'static Kind, key: (&'static str, String), mut object: Value) -> Option<Value> {
        let azure = Arc::clone(&locked(&self.azure));
        let mut state = locked(&self.state);
        state.version += 1;
        object["metadata"]["resourceVersion"] = state.version.to_string().into();
        let fails = state.failing.get(&(kind.kind, key.1.clone())).copied();
        let stands = operate(kind.kind, &mut object, &mut locked(&azure), fails);
        if stands {
            state.objects.insert(key, object.clone());
            state.tell(&ObjectEvent::Is(kind.kind, object.clone()));
        } else {
            state.objects.remove(&key);
            state.tell(&ObjectEvent::Gone(kind.kind, object.clone()));
        }
        stands.then_some(object)
    }

    fn stands(&self, at: &Location) -> Option<Value> {
        locked(&self.state).objects.get(&(at.plural, at.name.clone())).cloned()
    }

    fn create_now(&self, at: &Location, object: &Value) -> Result<Value, Failure> {
        self.call()?;
        if self.stands(at).is_some() {
            return Err(refusal(409));
        }
        let mut object = object.clone();
        object["metadata"]["uid"] = format!("uid-{}-{}", at.plural, at.name).into();
        object["metadata"]["name"] = at.name.clone().into();
        object["metadata"]["creationTimestamp"] = "1970-01-01T00:00:00Z".into();
        self.put_in_place(at, object).ok_or_else(|| refusal(500))
    }

    fn merge_now(&self, at: &Location, patch: &Value) -> Result<Value, Failure> {
        self.call()?;
        let mut object = self.stands(at).ok_or_else(|| Failure::from(Fault::NotFound))?;
        let wanted = &patch["metadata"]["resourceVersion"];
        if !wanted.is_null() && *wanted != object["metadata"]["resourceVersion"] {
            return Err(refusal(409));
        }
        json_patch::merge(&mut object, patch);
        Ok(self.put_in_place(at, object.clone()).unwrap_or(object))
    }

    fn delete_now(&self, at: &Location, preconditions: &Value) -> Result<Option<Value>, Failure> {
        self.call()?;
        let mut object = self.stands(at).ok_or_else(|| Failure::from(Fault::NotFound))?;
        let version = &preconditions["resourceVersion"];
        if !version.is_null() && *version != object["metadata"]["resourceVersion"] {
            return Err(refusal(409));
        }
        object["metadata"]["deletionTimestamp"] = "1970-01-01T00:00:00Z".into();
        Ok(self.put_in_place(at, object))
    }
}

/// What the operator makes of an object; whether that still stands afterwards.
fn operate(kind: &str, object: &mut Value, azure: &mut Azure, fails: Option<(&str, &str)>) -> bool {
    let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
    let key = (kind.to_owned(), name);
    let policy = Object(object).policy();
    if Object(object).is_being_deleted() {
        let credential = Object(object).annotation(keys::CREDENTIAL_FROM);
        if credential.is_some_and(|name| name.ends_with("-retry")) {
            // There is no Secret of that name.
            return true;
        }
        if policy == Policy::Manage {
            azure.changes += 1;
            azure.resources.remove(&key);
            if kind == "ResourceGroup" {
                azure.resources.clear();
            }
        }
        return false;
    }
    if policy != Policy::Skip && fails.is_none() {
        let tags =
            [&object["spec"]["tags"], &object["spec"]["metadata"]].into_iter().find(|tags| !tags.is_null());
        let tags = tags.cloned().unwrap_or_default();
        if azure.resources.insert(key.clone(), tags.clone()) != Some(tags) {
            azure.changes += 1;
        }
    }
    let has_account = azure.resources.keys().any(|(kind, _)| kind == "StorageAccount");
    if kind == "StorageAccountsBlobService" && has_account {
        // Azure makes it together with the account.
        azure.resources.entry(key.clone()).or_default();
    }
    let found = azure.resources.get(&key);
    let (status, reason, severity) = match (found, policy) {
        (Some(_), _) => ("True", "Succeeded", ""),
        (None, Policy::Skip) => ("False", "AzureResourceNotFound", "Warning"),
        (None, _) => {
            let (reason, severity) = fails.unwrap_or(("AuthorizationFailed", "Error"));
            ("False", reason, severity)
        }
    };
    object["status"] = json!({
        "conditions": [{ "type": "Ready", "status": status, "reason": reason, "severity": severity }],
        "tags": found,
        "metadata": found,
        "frontendIPConfigurations": found.map(|_| json!([{ "privateIPAddress": "10.0.0.4" }])),
    });
    true
}

impl Api for Played {
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        locked(&self.state).reads += usize::from(kind_of(at.plural).is_some());
        ready(self.call().map(|()| self.stands(at))).boxed()
    }

    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        ready(self.create_now(at, object)).boxed()
    }

    fn merge<'a>(&'a self, at: &'a Location, patch: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        ready(self.merge_now(at, patch)).boxed()
    }

    fn delete<'a>(
        &'a self,
        at: &'a Location,
        preconditions: &'a Value,
    ) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        ready(self.delete_now(at, preconditions)).boxed()
    }
}

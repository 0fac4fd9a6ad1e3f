//! What a cluster's objects stand on: the namespace, the anchor that owns them, and the credential.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_kube::Fault;
use serde_json::{Map, Value, json};

use super::act::preconditions;
use super::api::{Api, Failure, Location};
use super::world::text;
use crate::core::{Object, Owner};
use crate::{anchor, keys};

/// Annotation of the anchor: the cluster is paused.
pub const PAUSED: &str = "aso.landfall.dev/paused";

/// The namespace that every Kubernetes cluster has from its beginning to its end.
const SYSTEM: &str = "kube-system";

/// Where the objects of a cluster stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ground {
    /// The infrastructure ID of the cluster.
    pub infra_id: String,
    /// The namespace.
    pub namespace: String,
}

/// The anchor of a cluster, as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Anchor(Value);

impl Anchor {
    /// The object itself.
    #[must_use]
    pub fn object(&self) -> &Value {
        &self.0
    }

    /// Whether it is this cluster's.
    #[must_use]
    pub fn is_of(&self, infra_id: &str) -> bool {
        Object(&self.0).label(keys::CLUSTER) == Some(infra_id)
    }

    /// Whether the cluster is being removed.
    #[must_use]
    pub fn is_going(&self) -> bool {
        Object(&self.0).is_being_deleted()
    }

    /// Whether the cluster is paused.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        Object(&self.0).annotation(PAUSED).is_some()
    }

    /// Whether it goes because of a move, so that nothing is to be deleted in Azure.
    #[must_use]
    pub fn moves_away(&self) -> bool {
        Object(&self.0).annotation(keys::DELETE_FOR_MOVE).is_some()
    }
}

impl Ground {
    /// The anchor as the owner of the objects.
    #[must_use]
    pub fn owner(&self, anchor: &Anchor) -> Owner {
        anchor::owner(&self.infra_id, &self.namespace, text(&anchor.0, "/metadata/uid"))
    }

    /// Makes namespace and anchor, unless they are there.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn lay(&self, api: &dyn Api, anchor: &Value) -> Result<Anchor, Failure> {
        self.lay_namespace(api).await?;
        let at = self.anchor_at();
        let stands = present(api, &at, anchor).await?;
        // What it says may be that of an earlier plan; what others wrote into it stays.
        let mut told = anchor["data"].as_object().into_iter().flatten();
        let is_same = told.all(|(key, value)| stands["data"][key.as_str()] == *value);
        let there = Anchor(stands);
        if is_same || !there.is_of(&self.infra_id) {
            return Ok(there);
        }
        api.merge(&at, &json!({ "data": anchor["data"] })).await.map(Anchor)
    }

    /// Makes the namespace, unless it is there.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn lay_namespace(&self, api: &dyn Api) -> Result<(), Failure> {
        let namespace = anchor::namespace(&self.infra_id, &self.namespace);
        let at = core_at("namespaces", None, &self.namespace);
        present(api, &at, &namespace).await.map(|_| ())
    }

    /// The anchor; none where there is none.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn find(&self, api: &dyn Api) -> Result<Option<Anchor>, Failure> {
        Ok(api.get(&self.anchor_at()).await?.map(Anchor))
    }

    /// Which management cluster this is: the uid of a namespace that lives as long as it does.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn home(api: &dyn Api) -> Result<String, Failure> {
        let namespace = api.get(&core_at("namespaces", None, SYSTEM)).await?.unwrap_or_default();
        match text(&namespace, "/metadata/uid") {
            "" => Err(Fault::NotFound.into()),
            uid => Ok(uid.to_owned()),
        }
    }

    /// Whether the cluster is in another management cluster than this one, given the one that it was moved to.
    /// It is in this one as long as its anchor is.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn is_elsewhere(&self, api: &dyn Api, home: &str) -> Result<bool, Failure> {
        Ok(self.find(api).await?.is_none() && Self::home(api).await? != home)
    }

    /// Whether an object of somebody else stands where the anchor or the credential is to stand.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn is_taken(&self, api: &dyn Api) -> Result<bool, Failure> {
        let (anchor, credential) = (self.find(api).await?, self.credential(api).await?);
        let there = [anchor.map(|anchor| anchor.0), credential];
        Ok(there.into_iter().flatten().any(|object| !self.owns(&object)))
    }

    /// Whether an object carries the label of this cluster.
    fn owns(&self, object: &Value) -> bool {
        Object(object).label(keys::CLUSTER) == Some(self.infra_id.as_str())
    }

    /// The credential as it stands; none where there is none.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn credential(&self, api: &dyn Api) -> Result<Option<Value>, Failure> {
        api.get(&self.credential_at()).await
    }

    /// Makes the credential so, and says whether that changed it.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn keep_credential(&self, api: &dyn Api, secret: &Value) -> Result<bool, Failure> {
        let at = self.credential_at();
        let Some(stands) = api.get(&at).await? else {
            api.create(&at, secret).await?;
            return Ok(true);
        };
        let (wanted, there) = (values(secret), values(&stands));
        let owners = secret["metadata"]["ownerReferences"].clone();
        if wanted == there && stands["metadata"]["ownerReferences"] == owners {
            return Ok(false);
        }
        let mut data: Map<String, Value> = there.keys().map(|key| (key.clone(), Value::Null)).collect();
        data.extend(wanted.into_iter().map(|(key, value)| (key, value.into())));
        let metadata = json!({ "ownerReferences": owners, "labels": secret["metadata"]["labels"] });
        api.merge(&at, &json!({ "metadata": metadata, "data": data })).await?;
        Ok(true)
    }

    /// Sets annotations of the anchor, or takes those away that are null. Nothing is sent where they are so.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn annotate(&self, api: &dyn Api, anchor: Anchor, wanted: &Value) -> Result<Anchor, Failure> {
        let object = Object(&anchor.0);
        let is_so = |(key, value): (&String, &Value)| object.annotation(key) == value.as_str();
        if wanted.as_object().into_iter().flatten().all(is_so) {
            return Ok(anchor);
        }
        let patch = json!({ "metadata": { "annotations": wanted } });
        api.merge(&self.anchor_at(), &patch).await.map(Anchor)
    }

    /// Removes credential and anchor. To be done when no object is left.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn clear(&self, api: &dyn Api) -> Result<(), Failure> {
        if let Some(credential) = self.credential(api).await?.filter(|credential| self.owns(credential)) {
            gone(api.delete(&self.credential_at(), &preconditions(&credential)).await)?;
        }
        self.release(api).await?;
        let at = self.anchor_at();
        match api.get(&at).await? {
            Some(anchor) => gone(api.delete(&at, &preconditions(&anchor)).await),
            None => Ok(()),
        }
    }

    /// Takes the finalizer off the anchor, which then goes as soon as somebody deletes it.
    ///
    /// # Errors
    /// The management cluster does not answer, or does not permit it.
    pub async fn release(&self, api: &dyn Api) -> Result<(), Failure> {
        let at = self.anchor_at();
        let Some(anchor) = api.get(&at).await? else { return Ok(()) };
        let finalizers = anchor["metadata"]["finalizers"].as_array().cloned().unwrap_or_default();
        let left: Vec<&Value> = finalizers.iter().filter(|one| **one != keys::CLEANUP).collect();
        if left.len() == finalizers.len() {
            return Ok(());
        }
        let version = text(&anchor, "/metadata/resourceVersion");
        let patch = json!({ "metadata": { "finalizers": left, "resourceVersion": version } });
        gone(api.merge(&at, &patch).await.map(Some))
    }

    fn anchor_at(&self) -> Location {
        core_at("configmaps", Some(&self.namespace), &keys::anchor_name(&self.infra_id))
    }

    fn credential_at(&self) -> Location {
        core_at("secrets", Some(&self.namespace), &keys::credential_name(&self.infra_id))
    }
}

fn core_at(plural: &'static str, namespace: Option<&str>, name: &str) -> Location {
    let namespace = namespace.map(str::to_owned);
    Location { api_version: "v1".to_owned(), plural, namespace, name: name.to_owned() }
}

/// The object as it stands, made so where there was none.
pub(super) async fn present(api: &dyn Api, at: &Location, wanted: &Value) -> Result<Value, Failure> {
    if let Some(stands) = api.get(at).await? {
        return Ok(stands);
    }
    match api.create(at, wanted).await {
        // Somebody else was faster.
        Err(failure) if failure.code() == Some(409) => {
            api.get(at).await?.ok_or_else(|| Failure::from(Fault::NotFound))
        }
        result => result,
    }
}

/// The values of a Secret by key, as its `data` has them.
fn values(secret: &Value) -> BTreeMap<String, String> {
    let texts = |part: &str| {
        let map = secret.get(part).and_then(Value::as_object).cloned().unwrap_or_default();
        map.into_iter().filter_map(|(key, value)| Some((key, value.as_str()?.to_owned())))
    };
    let mut all: BTreeMap<String, String> = texts("data").collect();
    all.extend(texts("stringData").map(|(key, value)| (key, STANDARD.encode(value))));
    all
}

/// What is gone already need not go.
fn gone<T>(result: Result<Option<T>, Failure>) -> Result<(), Failure> {
    match result {
        Err(failure) if failure.code() != Some(404) => Err(failure),
        _ => Ok(()),
    }
}

//! Looks at the operator of a management cluster, and asks what is permitted there. An edge: it calls the
//! cluster's API, and writes nothing.

pub mod release;

use std::collections::BTreeMap;
use std::time::Duration;

use ::kube::Client;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use hyper::{Method, Request};
use landfall_kube::objects::{ObjectRef, Objects as _};
use landfall_kube::{Fault, Live, kinds};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::super::drive::text;
use super::super::kinds::Kind;
use super::permissions::{Question, is_allowed};
use super::seen::{Cluster, Crd, DEPLOYMENT, Deployment, OF_OPERATOR, Reading, SETTINGS, Settings, crd_name};

/// The longest that one call takes.
const LONGEST: Duration = Duration::from_secs(30);
/// How many calls are under way at once.
const AT_ONCE: usize = 8;
/// How many of the operator's CRDs are looked at besides the needed ones, for their labels.
const LABELLED: usize = 50;
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const REVIEWS: &str = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
/// The container of the operator.
pub(crate) const CONTAINER: &str = "manager";
const JSON: &str = "application/json";
/// Schemas of CRDs are long, and of the labelled ones nobody needs them.
const METADATA: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

/// Reads what there is of the operator, with the CRDs of these kinds.
///
/// # Errors
/// The cluster does not answer, or does not permit to look. Settings that it does not permit to read are no
/// error.
pub async fn look(client: &Client, kinds: &[&'static Kind]) -> Result<Cluster, Fault> {
    let needed: Vec<_> = kinds.iter().map(|kind| crd(client.clone(), crd_name(kind))).collect();
    let needed: Vec<Option<Crd>> = stream::iter(needed).buffered(AT_ONCE).try_collect().await?;
    let mut crds: Vec<Crd> = needed.into_iter().flatten().collect();
    for labelled in labelled(client).await? {
        if crds.iter().all(|crd| crd.name != labelled.name) {
            crds.push(labelled);
        }
    }
    let deployments = deployments(client, DEPLOYMENT).await?;
    let mut settings = BTreeMap::new();
    for operator in &deployments {
        if let Some(reading) = read_settings(client, &operator.namespace).await? {
            settings.insert(operator.namespace.clone(), reading);
        }
    }
    Ok(Cluster { crds, deployments, settings })
}

/// Asks the cluster these questions, and gives back those that it answers with no.
///
/// # Errors
/// The cluster does not answer.
pub async fn refused(client: &Client, questions: Vec<Question>) -> Result<Vec<Question>, Fault> {
    let asked: Vec<_> = questions.into_iter().map(|question| ask(client.clone(), question)).collect();
    let answers: Vec<Option<Question>> = stream::iter(asked).buffered(AT_ONCE).try_collect().await?;
    Ok(answers.into_iter().flatten().collect())
}

/// The question, if it is answered with no.
async fn ask(client: Client, question: Question) -> Result<Option<Question>, Fault> {
    let body = question.review().to_string().into_bytes();
    let review: Value = call(&client, Method::POST, REVIEWS, JSON, body).await?;
    Ok((!is_allowed(&review)).then_some(question))
}

async fn crd(client: Client, name: String) -> Result<Option<Crd>, Fault> {
    match call::<AnyCrd>(&client, Method::GET, &format!("{CRDS}/{name}"), JSON, Vec::new()).await {
        Ok(found) => Ok(Some(found.into())),
        Err(Fault::NotFound) => Ok(None),
        Err(fault) => Err(fault),
    }
}

async fn labelled(client: &Client) -> Result<Vec<Crd>, Fault> {
    let list: List<AnyCrd> = call(client, Method::GET, &labelled_path(), METADATA, Vec::new()).await?;
    Ok(list.items.unwrap_or_default().into_iter().map(Crd::from).collect())
}

/// Where the operator's CRDs are listed, so many at a time.
fn labelled_path() -> String {
    let (key, value) = OF_OPERATOR;
    let key = key.replace('/', "%2F");
    format!("{CRDS}?labelSelector={key}%3D{value}&limit={LABELLED}")
}

async fn deployments(client: &Client, name: &str) -> Result<Vec<Deployment>, Fault> {
    let path = format!("/apis/apps/v1/deployments?fieldSelector=metadata.name%3D{name}");
    let list: List<Value> = call(client, Method::GET, &path, JSON, Vec::new()).await?;
    Ok(list.items.unwrap_or_default().iter().map(deployment).collect())
}

/// Whether a Deployment of this name has an available replica in any namespace.
pub(crate) async fn running(client: &Client, name: &str) -> Result<bool, Fault> {
    Ok(deployments(client, name).await?.iter().any(|deployment| deployment.available > 0))
}

/// The operator's Deployment in a namespace, as it is; none where there is none.
pub(crate) async fn operator_in(client: &Client, namespace: &str) -> Result<Option<Value>, Fault> {
    let place = ObjectRef::in_namespace(&kinds::DEPLOYMENT, namespace, DEPLOYMENT);
    Live::new(client.clone()).get(&place).await
}

/// The objects of a kind that clusters of landfall have, in all namespaces.
pub(crate) async fn objects_of_clusters(
    client: &Client,
    kind: &Kind,
    version: &str,
) -> Result<Vec<Value>, Fault> {
    let label = crate::keys::CLUSTER.replace('/', "%2F");
    let path = format!("/apis/{}/{version}/{}?labelSelector={label}", kind.group, kind.plural);
    let list: List<Value> = call(client, Method::GET, &path, JSON, Vec::new()).await?;
    Ok(list.items.unwrap_or_default())
}

async fn read_settings(client: &Client, namespace: &str) -> Result<Option<Reading>, Fault> {
    let place = ObjectRef::in_namespace(&kinds::SECRET, namespace, SETTINGS);
    match Live::new(client.clone()).get(&place).await {
        Ok(found) => Ok(found.map(|secret| Reading::Read(settings(&secret)))),
        Err(Fault::Forbidden(_)) => Ok(Some(Reading::Refused)),
        Err(fault) => Err(fault),
    }
}

fn settings(secret: &Value) -> Settings {
    Settings::of(|key| {
        let encoded = secret.get("data")?.get(key)?.as_str()?;
        String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
    })
}

async fn call<T: DeserializeOwned>(
    client: &Client,
    method: Method,
    path: &str,
    accept: &str,
    body: Vec<u8>,
) -> Result<T, Fault> {
    let request = Request::builder().method(method).uri(path).header("accept", accept);
    let request = request.header("content-type", JSON).body(body);
    let request = request.map_err(|_| Fault::Setup("the request cannot be serialized".to_owned()))?;
    let answer = tokio::time::timeout(LONGEST, client.request::<T>(request)).await;
    answer.map_err(|_| Fault::late())?.map_err(|error| Fault::of(&error))
}

/// A list of objects, or a page of it.
#[derive(Deserialize)]
struct List<T> {
    #[serde(default)]
    metadata: ListMetadata,
    items: Option<Vec<T>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ListMetadata {
    /// What the next page is asked for by; empty on the last.
    #[serde(rename = "continue")]
    next: String,
    /// How many objects are on the pages that follow.
    remaining_item_count: usize,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    name: String,
    labels: BTreeMap<String, String>,
}

/// A CRD without its schemas, or its metadata alone.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AnyCrd {
    metadata: Metadata,
    spec: CrdSpec,
    status: CrdStatus,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CrdSpec {
    versions: Vec<CrdVersion>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CrdVersion {
    name: String,
    served: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CrdStatus {
    /// Null in a CRD that was just made.
    stored_versions: Option<Vec<String>>,
}

impl From<AnyCrd> for Crd {
    fn from(AnyCrd { metadata, spec, status }: AnyCrd) -> Self {
        let served = spec.versions.into_iter().filter(|version| version.served);
        Self {
            name: metadata.name,
            labels: metadata.labels,
            served: served.map(|version| version.name).collect(),
            stored: status.stored_versions.unwrap_or_default(),
        }
    }
}

/// The operator's container of its Deployment; there may be a proxy beside it.
pub(crate) fn container(deployment: &Value) -> Option<&Value> {
    let containers = deployment.pointer("/spec/template/spec/containers")?.as_array()?;
    containers.iter().find(|one| text(one, "/name") == CONTAINER).or(containers.first())
}

/// A Deployment, as far as it is needed.
fn deployment(object: &Value) -> Deployment {
    let labels = object.pointer("/metadata/labels").and_then(|labels| BTreeMap::deserialize(labels).ok());
    let available = object.pointer("/status/availableReplicas").and_then(Value::as_u64);
    Deployment {
        image: container(object).map(|main| text(main, "/image").to_owned()).unwrap_or_default(),
        namespace: text(object, "/metadata/namespace").to_owned(),
        name: text(object, "/metadata/name").to_owned(),
        labels: labels.unwrap_or_default(),
        available: available.and_then(|number| u32::try_from(number).ok()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn of_a_crd_only_what_is_served_counts() -> Result<(), serde_json::Error> {
        let whole: AnyCrd = serde_json::from_value(json!({
            "metadata": { "name": "disks.compute.azure.com", "labels": { "a": "b" } },
            "spec": { "versions": [
                { "name": "v1", "served": true, "schema": { "openAPIV3Schema": {} } },
                { "name": "v0", "served": false },
            ]},
            "status": { "storedVersions": ["v0"] },
        }))?;
        let crd = Crd::from(whole);
        assert_eq!((crd.name.as_str(), crd.labels.len()), ("disks.compute.azure.com", 1));
        assert_eq!((crd.served, crd.stored), (vec!["v1".to_owned()], vec!["v0".to_owned()]));
        let bare: AnyCrd = serde_json::from_value(json!({ "metadata": { "name": "a" }, "status": {} }))?;
        assert_eq!(Crd::from(bare), Crd { name: "a".to_owned(), ..Crd::default() });
        Ok(())
    }

    #[test]
    fn the_image_is_that_of_the_manager() {
        let containers = json!([
            { "name": "proxy", "image": "proxy:v1" },
            { "name": "manager", "image": "operator:v2.19.0" },
        ]);
        let operator = deployment(&json!({
            "metadata": { "name": DEPLOYMENT, "namespace": "here", "labels": { "a": "b" } },
            "spec": { "replicas": 2, "template": { "spec": { "containers": containers } } },
            "status": { "availableReplicas": 1 },
        }));
        assert_eq!((operator.image.as_str(), operator.available), ("operator:v2.19.0", 1));
        assert_eq!(operator.labels.get("a").map(String::as_str), Some("b"));
        assert_eq!(deployment(&json!({ "metadata": { "name": DEPLOYMENT } })).available, 0);
    }

    #[test]
    fn of_settings_no_credential_is_kept() {
        let encoded = |text: &str| STANDARD.encode(text);
        let found = settings(&json!({ "data": {
            "AZURE_CLIENT_SECRET": encoded("canary"),
            "AZURE_TARGET_NAMESPACES": encoded("a, b,"),
            "AZURE_OPERATOR_MODE": encoded("webhooks"),
            "AZURE_AUTHORITY_HOST": "no base64",
        }}));
        assert_eq!(found.target_namespaces, ["a", "b"]);
        assert!(found.only_webhooks && found.endpoints.iter().all(String::is_empty));
        assert!(!format!("{found:?}").contains("canary"));
        assert_eq!(settings(&json!({})), Settings::default());
    }
}

//! What a resource refers to: the install config, facts, ignition configs and the credential, all in its own
//! namespace.

mod digest;
mod ignition;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_azure::credentials::{CLIENT_ID, SUBSCRIPTION_ID, TENANT_ID};
use landfall_diagnostics::secret::Secret;
use landfall_engine_aso::anchor::{Credential, Proof};
use landfall_engine_aso::core::{Object, Owner};
use landfall_engine_aso::keys;
use landfall_kube::Fault;
use landfall_kube::kinds::{CONFIG_MAP, ProfileKinds, SECRET};
use landfall_kube::objects::{ObjectRef, Objects, Part};
use landfall_model::azure::catalogue::Cloud;
use landfall_render::Credentials;
use serde_json::{Map, Value, json};

use super::resource::{CONFIG_KEY, FACTS_KEY, Holder, ProfileHolder, ProfileReference, Reference, Spec};
use crate::Failed;
use crate::operator::SECRETS_ROLE;

pub(super) use digest::{Digests, Origin};
pub(super) use ignition::Configs;

const UNREADABLE: &str = "input-unreadable";
const MISSING: &str = "input-missing";
const UNUSABLE: &str = "credentials-unusable";
/// A Secret cannot be written.
const UNWRITABLE: &str = "credentials-unwritable";

/// The source texts of a plan.
pub(super) struct Texts {
    pub(super) config: Vec<u8>,
    pub(super) facts: Option<Vec<u8>>,
    pub(super) profile: Option<String>,
    pub(super) ignition: Configs,
}

/// Reads the texts that a resource refers to. A failure says all that is wrong with them.
pub(super) async fn texts(
    objects: &dyn Objects,
    profiles: &'static ProfileKinds,
    namespace: &str,
    spec: &Spec,
) -> Result<Texts, Failed> {
    let config = config(objects, namespace, spec).await;
    let facts = match &spec.facts_ref {
        Some(reference) => referred(objects, namespace, reference, FACTS_KEY).await.map(Some),
        None => Ok(None),
    };
    let ignition = match &spec.ignition_secret_ref {
        Some(reference) => {
            let place = ObjectRef::in_namespace(&SECRET, namespace, &reference.name);
            object(objects, &place).await.map(|secret| Configs::of(&secret))
        }
        None => Ok(Configs::default()),
    };
    let profile = match &spec.cloud_profile_ref {
        Some(reference) => profile(objects, profiles, namespace, reference).await.map(Some),
        None => Ok(None),
    };
    match (config, facts, ignition, profile) {
        (Ok(config), Ok(facts), Ok(ignition), Ok(profile)) => Ok(Texts { config, facts, profile, ignition }),
        (config, facts, ignition, profile) => {
            Err(together([config.err(), facts.err(), ignition.err(), profile.err()].into_iter().flatten()))
        }
    }
}

/// The install config.
async fn config(objects: &dyn Objects, namespace: &str, spec: &Spec) -> Result<Vec<u8>, Failed> {
    match &spec.install_config_ref {
        Some(reference) if spec.install_config.is_empty() => {
            referred(objects, namespace, reference, CONFIG_KEY).await
        }
        Some(_) => {
            Err(Failed::terminal(MISSING, "spec: set either installConfig or installConfigRef, not both"))
        }
        // JSON is YAML.
        None if !spec.install_config.is_empty() => Ok(json!(spec.install_config).to_string().into_bytes()),
        None => Err(Failed::terminal(MISSING, "spec: installConfig or installConfigRef is missing")),
    }
}

/// Several failures as one, with the reason of the first. Trying again helps only if it helps against all.
pub(super) fn together(all: impl IntoIterator<Item = Failed>) -> Failed {
    let joined = all.into_iter().reduce(|first, next| Failed {
        retry: first.retry && next.retry,
        note: if first.note.contains(&next.note) {
            first.note
        } else {
            format!("{}; {}", first.note, next.note)
        },
        ..first
    });
    joined.unwrap_or_else(|| Failed::transient(UNREADABLE, "the inputs cannot be read"))
}

/// The cloud profile that a resource names, as JSON.
async fn profile(
    objects: &dyn Objects,
    profiles: &'static ProfileKinds,
    namespace: &str,
    reference: &ProfileReference,
) -> Result<String, Failed> {
    let name = reference.name.as_str();
    let place = match reference.kind {
        ProfileHolder::PrivateCloudProfile => ObjectRef::in_namespace(&profiles.private, namespace, name),
        ProfileHolder::NamespacedCloudProfile => {
            ObjectRef::in_namespace(&profiles.namespaced, namespace, name)
        }
        ProfileHolder::CloudProfile => ObjectRef::in_cluster(&profiles.cloud, name),
    };
    let mut found = object(objects, &place).await?;
    // What a server answers may lack what every manifest has.
    found["apiVersion"] = place.kind.api_version().into();
    found["kind"] = place.kind.kind.into();
    Ok(found.to_string())
}

async fn referred(
    objects: &dyn Objects,
    namespace: &str,
    reference: &Reference,
    usual: &str,
) -> Result<Vec<u8>, Failed> {
    let kind = match reference.kind {
        Holder::Secret => &SECRET,
        Holder::ConfigMap => &CONFIG_MAP,
    };
    let place = ObjectRef::in_namespace(kind, namespace, &reference.name);
    let key = if reference.key.is_empty() { usual } else { &reference.key };
    let found = object(objects, &place).await?;
    bytes(&found, key).ok_or_else(|| Failed::transient(MISSING, format!("{place} has no key {key}")))
}

async fn object(objects: &dyn Objects, place: &ObjectRef) -> Result<Value, Failed> {
    let found = read(objects, place).await?;
    found.ok_or_else(|| Failed::transient(MISSING, format!("{place} does not exist")))
}

/// The object, if there is one.
async fn read(objects: &dyn Objects, place: &ObjectRef) -> Result<Option<Value>, Failed> {
    objects.get(place).await.map_err(|fault| unreadable(place, &fault))
}

/// Why an object could not be read, and for a Secret how the operator gets the right.
fn unreadable(place: &ObjectRef, fault: &Fault) -> Failed {
    let failed = Failed::call(UNREADABLE, place, "read", fault);
    if place.kind != &SECRET || !matches!(fault, Fault::Forbidden(_)) {
        return failed;
    }
    let help = format!(
        "name this namespace with --secret-namespaces of `landfall operator manifests`, or bind the ClusterRole \
         {SECRETS_ROLE} in it to the operator's account"
    );
    Failed { note: format!("{}; {help}", failed.note), ..failed }
}

/// What stands under a key of a Secret or a `ConfigMap`. A text of a map may be no base64, which that of a
/// Secret always is.
fn bytes(object: &Value, key: &str) -> Option<Vec<u8>> {
    let of = |part: &str| object.get(part)?.get(key)?.as_str();
    if object.get("kind").and_then(Value::as_str) == Some(CONFIG_MAP.kind)
        && let Some(text) = of("data")
    {
        return Some(text.as_bytes().to_vec());
    }
    of("data").or_else(|| of("binaryData")).and_then(|encoded| STANDARD.decode(encoded).ok())
}

/// The Secret with the user's credentials, and what it says.
pub(super) struct Given {
    place: ObjectRef,
    secret: Value,
}

/// Reads the Secret with the credentials.
pub(super) async fn credentials(
    objects: &dyn Objects,
    namespace: &str,
    spec: &Spec,
) -> Result<Given, Failed> {
    let name = &spec.credentials_secret_ref.name;
    if name.is_empty() {
        return Err(Failed::terminal(MISSING, "spec.credentialsSecretRef.name is missing"));
    }
    let place = ObjectRef::in_namespace(&SECRET, namespace, name);
    let secret = object(objects, &place).await?;
    Ok(Given { place, secret })
}

impl Given {
    fn text(&self, key: &str) -> Option<String> {
        let text = bytes(&self.secret, key).and_then(|bytes| String::from_utf8(bytes).ok());
        text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// The credential for the operator, with the ids that the resource fixes. A failure names all missing keys.
    pub(super) fn credential(&self, spec: &Spec) -> Result<Credential, Failed> {
        let (mut missing, mut strange) = (Vec::new(), false);
        let mut id = |fixed: &str, key: &'static str| {
            let id = Some(fixed.to_owned()).filter(|id| !id.is_empty()).or_else(|| self.text(key));
            if id.is_none() {
                missing.push(key);
            }
            let fits = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
            strange |= id.as_ref().is_some_and(|id| !id.chars().all(fits));
            id.unwrap_or_default()
        };
        let subscription_id = id(&spec.subscription_id, "AZURE_SUBSCRIPTION_ID");
        let tenant_id = id(&spec.tenant_id, "AZURE_TENANT_ID");
        let client_id = id("", "AZURE_CLIENT_ID");
        if strange {
            let why =
                "or spec has an id of a subscription, tenant or client with characters that ids do not have";
            return Err(self.unusable(why));
        }
        let lacks = format!("lacks {}", missing.join(", "));
        match self.proof() {
            Ok(proof) if missing.is_empty() => {
                Ok(Credential { subscription_id, tenant_id, client_id, proof })
            }
            Ok(_) => Err(self.unusable(&lacks)),
            Err(why) if missing.is_empty() => Err(self.unusable(why)),
            Err(why) => Err(self.unusable(&format!("{lacks}, and {why}"))),
        }
    }

    fn proof(&self) -> Result<Proof, &'static str> {
        match self.text("AUTH_MODE").as_deref() {
            Some("workloadidentity") => return Ok(Proof::WorkloadIdentity),
            Some("podidentity") => return Ok(Proof::ManagedIdentity),
            Some(_) => return Err("has an AUTH_MODE that is neither workloadidentity nor podidentity"),
            None => {}
        }
        if let Some(secret) = self.text("AZURE_CLIENT_SECRET") {
            return Ok(Proof::Secret(Secret::new(secret)));
        }
        let certificate = bytes(&self.secret, "AZURE_CLIENT_CERTIFICATE").filter(|bytes| !bytes.is_empty());
        let why = "sets none of AZURE_CLIENT_SECRET, AZURE_CLIENT_CERTIFICATE and AUTH_MODE";
        Ok(Proof::Certificate {
            certificate: Secret::new(certificate.ok_or(why)?),
            password: Secret::new(self.text("AZURE_CLIENT_CERTIFICATE_PASSWORD").unwrap_or_default()),
        })
    }

    fn unusable(&self, why: &str) -> Failed {
        Failed::transient(UNUSABLE, format!("{} {why}", self.place))
    }

    /// Refuses credentials whose endpoints are not those of this cloud. Where none are named, any cloud is
    /// meant.
    pub(super) fn check_cloud(&self, name: &str, cloud: &Cloud) -> Result<(), Failed> {
        let endpoints = [
            ("AZURE_AUTHORITY_HOST", &cloud.active_directory_authority),
            ("AZURE_RESOURCE_MANAGER_ENDPOINT", &cloud.resource_manager_endpoint),
            ("AZURE_RESOURCE_MANAGER_AUDIENCE", &cloud.service_management_endpoint),
        ];
        let plain = |url: &str| url.trim_end_matches('/').to_owned();
        let other = endpoints
            .iter()
            .filter(|(key, own)| self.text(key).is_some_and(|given| plain(&given) != plain(own.as_str())));
        let keys: Vec<&str> = other.map(|(key, _)| *key).collect();
        if keys.is_empty() {
            return Ok(());
        }
        Err(self.unusable(&format!("is for another cloud than {name}: see {}", keys.join(", "))))
    }

    fn is_going(&self) -> bool {
        self.secret.pointer("/metadata/deletionTimestamp").is_some()
    }

    /// What is worth knowing of usable credentials: that their Secret was deleted.
    pub(super) fn noted(&self) -> String {
        let note = "was deleted and remains while this cluster uses it: name another Secret in \
                    spec.credentialsSecretRef";
        if self.is_going() { format!("{} {note}", self.place) } else { String::new() }
    }

    /// Keeps the Secret from being deleted while this cluster needs it.
    pub(super) async fn protect(&self, objects: &dyn Objects, infra_id: &str) -> Result<(), Failed> {
        let finalizers = finalizers(&self.secret);
        let own = finalizer(infra_id);
        // None can be added to what is going already.
        if self.is_going() || finalizers.contains(&own) {
            return Ok(());
        }
        let all: Vec<String> = finalizers.into_iter().chain([own]).collect();
        write_finalizers(objects, &self.place, &self.secret, &all).await
    }
}

/// The ids of a credential, as planning takes them.
pub(super) fn ids(credential: &Credential) -> Credentials {
    let ids = [
        (SUBSCRIPTION_ID, &credential.subscription_id),
        (TENANT_ID, &credential.tenant_id),
        (CLIENT_ID, &credential.client_id),
    ];
    ids.into_iter().map(|(key, id)| (key, Secret::new(id.clone()))).collect()
}

/// Keeps the Secret that the operator reads as the credential has it, and says whether that changed it.
pub(super) async fn keep_copy(
    objects: &dyn Objects,
    credential: &Credential,
    infra_id: &str,
    owner: &Owner,
) -> Result<bool, Failed> {
    let place = copy_of(&owner.namespace, infra_id);
    let live = read(objects, &place).await?;
    let mut wanted = credential.secret(infra_id, owner, true);
    let texts = wanted.get_mut("stringData").map(Value::take).unwrap_or_default();
    let texts = texts.as_object().into_iter().flatten();
    let encoded = texts
        .map(|(key, text)| (key.clone(), Value::from(STANDARD.encode(text.as_str().unwrap_or_default()))));
    let mut data = wanted.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
    data.extend(encoded);
    let metadata = json!({
        "labels": wanted.pointer("/metadata/labels"),
        "ownerReferences": [owner.reference()],
    });
    let Some(live) = live else {
        let mut object = json!({ "metadata": metadata, "type": "Opaque", "data": data });
        object["metadata"]["finalizers"] = json!([keys::CLEANUP]);
        let applied = objects.apply(&place, object, Part::Whole).await;
        applied.map_err(|fault| Failed::call(UNWRITABLE, &place, "written", &fault))?;
        return Ok(true);
    };
    if !is_of(&live, infra_id) {
        return Err(Failed::transient(UNWRITABLE, format!("{place} belongs to another cluster")));
    }
    let mut all = finalizers(&live);
    if !all.iter().any(|one| one == keys::CLEANUP) {
        all.push(keys::CLEANUP.to_owned());
    }
    let mut target = live.clone();
    json_patch::merge(&mut target, &json!({ "metadata": metadata }));
    target["metadata"]["finalizers"] = json!(all);
    target["data"] = Value::Object(data.clone());
    if target == live {
        return Ok(false);
    }
    let there = live.get("data").and_then(Value::as_object).into_iter().flatten();
    let mut changes: Map<String, Value> = there.map(|(key, _)| (key.clone(), Value::Null)).collect();
    changes.extend(data);
    let mut patch = json!({ "metadata": metadata, "data": changes });
    patch["metadata"]["finalizers"] = json!(all);
    patch["metadata"]["resourceVersion"] = json!(live.pointer("/metadata/resourceVersion"));
    let written = objects.merge(&place, patch, Part::Whole).await;
    written.map_err(|fault| Failed::call(UNWRITABLE, &place, "written", &fault))?;
    Ok(true)
}

/// Lets the user's Secret go, as far as this cluster is concerned.
pub(super) async fn release(
    objects: &dyn Objects,
    namespace: &str,
    name: &str,
    infra_id: &str,
) -> Result<(), Failed> {
    if name.is_empty() {
        return Ok(());
    }
    without_finalizer(objects, &ObjectRef::in_namespace(&SECRET, namespace, name), &finalizer(infra_id)).await
}

/// Removes the Secret that the operator reads.
pub(super) async fn remove_copy(
    objects: &dyn Objects,
    namespace: &str,
    infra_id: &str,
) -> Result<(), Failed> {
    let place = copy_of(namespace, infra_id);
    let live = read(objects, &place).await?;
    if live.is_none_or(|live| !is_of(&live, infra_id)) {
        return Ok(());
    }
    let deleted = objects.delete(&place).await;
    let deleted = deleted.map_err(|fault| Failed::call(UNWRITABLE, &place, "deleted", &fault))?;
    if deleted { without_finalizer(objects, &place, keys::CLEANUP).await } else { Ok(()) }
}

fn copy_of(namespace: &str, infra_id: &str) -> ObjectRef {
    ObjectRef::in_namespace(&SECRET, namespace, keys::credential_name(infra_id))
}

/// Whether an object is this cluster's.
fn is_of(object: &Value, infra_id: &str) -> bool {
    Object(object).label(keys::CLUSTER) == Some(infra_id)
}

/// The finalizer by which a cluster holds a Secret that several may use.
fn finalizer(infra_id: &str) -> String {
    format!("{}-{infra_id}", keys::CLEANUP)
}

fn finalizers(object: &Value) -> Vec<String> {
    let all = object.pointer("/metadata/finalizers").and_then(Value::as_array).into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

async fn without_finalizer(objects: &dyn Objects, place: &ObjectRef, own: &str) -> Result<(), Failed> {
    let Some(live) = read(objects, place).await? else { return Ok(()) };
    let all = finalizers(&live);
    let left: Vec<String> = all.iter().filter(|one| *one != own).cloned().collect();
    if left.len() == all.len() {
        return Ok(());
    }
    write_finalizers(objects, place, &live, &left).await
}

/// Writes the finalizers of an object as it was read; somebody else's change meanwhile is a failure.
async fn write_finalizers(
    objects: &dyn Objects,
    place: &ObjectRef,
    live: &Value,
    all: &[String],
) -> Result<(), Failed> {
    let version = live.pointer("/metadata/resourceVersion");
    let patch = json!({ "metadata": { "resourceVersion": version, "finalizers": all } });
    let written = objects.merge(place, patch, Part::Whole).await;
    written.map(|_| ()).map_err(|fault| Failed::call(UNWRITABLE, place, "written", &fault))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(data: &[(&str, &str)]) -> Given {
        let data: Map<String, Value> =
            data.iter().map(|(key, text)| ((*key).to_owned(), STANDARD.encode(text).into())).collect();
        let place = ObjectRef::in_namespace(&SECRET, "here", "azure");
        Given { place, secret: json!({ "kind": "Secret", "data": data }) }
    }

    const IDS: [(&str, &str); 3] =
        [("AZURE_SUBSCRIPTION_ID", "s"), ("AZURE_TENANT_ID", "t"), ("AZURE_CLIENT_ID", "c")];

    fn proof(more: &[(&str, &str)]) -> Result<Proof, Failed> {
        let credential = given(&[&IDS[..], more].concat()).credential(&Spec::default())?;
        assert_eq!((credential.subscription_id.as_str(), credential.client_id.as_str()), ("s", "c"));
        Ok(credential.proof)
    }

    #[test]
    fn each_proof_has_its_keys() {
        let secret = Proof::Secret(Secret::new("canary".to_owned()));
        assert_eq!(proof(&[("AZURE_CLIENT_SECRET", "canary")]), Ok(secret));
        assert_eq!(proof(&[("AUTH_MODE", "workloadidentity")]), Ok(Proof::WorkloadIdentity));
        assert_eq!(proof(&[("AUTH_MODE", "podidentity")]), Ok(Proof::ManagedIdentity));
        let certificate =
            Proof::Certificate { certificate: Secret::new(b"canary".to_vec()), password: Secret::default() };
        assert_eq!(proof(&[("AZURE_CLIENT_CERTIFICATE", "canary")]), Ok(certificate));
        assert!(proof(&[]).is_err() && proof(&[("AUTH_MODE", "other")]).is_err());
    }

    #[test]
    fn the_content_of_a_secret_is_never_reported() {
        let wrong = given(&[("AZURE_SUBSCRIPTION_ID", "canary")]).credential(&Spec::default());
        assert!(wrong.is_err_and(|failed| !failed.note.contains("canary")));
        // One that is noted cannot be corrected later.
        let spec = Spec { tenant_id: "canary/../x".to_owned(), ..Spec::default() };
        let wrong = given(&[&IDS[..], &[("AZURE_CLIENT_SECRET", "s")]].concat()).credential(&spec);
        assert!(wrong.is_err_and(
            |failed| failed.note.contains("or spec has an id") && !failed.note.contains("canary")
        ));
    }

    #[test]
    fn a_secret_of_another_cluster_is_known_by_its_label() {
        let labelled = |id: &str| json!({ "metadata": { "labels": { (keys::CLUSTER): id } } });
        assert!(is_of(&labelled("demo-x7k2p"), "demo-x7k2p"));
        assert!(!is_of(&labelled("demo-other"), "demo-x7k2p"));
        assert!(!is_of(&json!({ "metadata": {} }), "demo-x7k2p"));
    }

    #[test]
    fn a_map_holds_texts_and_a_secret_bytes() {
        let map = json!({ "kind": "ConfigMap", "data": { "a": "text" } });
        assert_eq!(bytes(&map, "a"), Some(b"text".to_vec()));
        let secret = json!({ "kind": "Secret", "data": { "a": "dGV4dA==" } });
        assert_eq!(bytes(&secret, "a"), Some(b"text".to_vec()));
        assert_eq!(bytes(&secret, "b"), None);
    }
}

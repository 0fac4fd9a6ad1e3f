//! A management cluster: a real API server with the operator's definitions, its Deployment and its settings,
//! and the actor that plays the operator.

use std::path::PathBuf;

use landfall_kube::Fault;
use serde_json::{Map, Value, json};

use super::actor::Actor;
use super::crds::{RELEASE, definition, path, text};
use super::identity::at;
use super::schema;
use super::table::Azure;
use super::until::until;
use crate::server::Server;

/// The namespace of the operator.
pub const OPERATOR: &str = "azureserviceoperator-system";
const DEPLOYMENT: &str = "azureserviceoperator-controller-manager";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A management cluster.
pub struct Management {
    /// What plays the operator. It ends before the server does.
    actor: Option<Actor>,
    pub server: Server,
    pub azure: Azure,
}

impl Management {
    /// One with an operator of the public cloud.
    pub fn start(azure: &Azure) -> Self {
        let management = Self::defined(azure);
        management.deploy(&json!({}));
        management.played(&[])
    }

    /// A server that has the operator's definitions, and nothing else of it.
    pub fn defined(azure: &Azure) -> Self {
        let server = Server::with("aso", define);
        Self { actor: None, server, azure: azure.clone() }
    }

    /// A server that knows nothing of the operator.
    pub fn bare(azure: &Azure) -> Self {
        Self { actor: None, server: Server::start(), azure: azure.clone() }
    }

    /// Makes everything that an installed operator is, with these settings.
    pub fn install(&self, settings: &Value) {
        self.define();
        self.deploy(settings);
    }

    /// Makes the operator's definitions, and waits until they are served.
    pub fn define(&self) {
        define(&self.server);
    }

    /// Makes the operator's Deployment, with a replica that is available, and its settings.
    pub fn deploy(&self, settings: &Value) {
        self.namespace(OPERATOR);
        let mut data = json!({ "AZURE_SUBSCRIPTION_ID": "", "AZURE_TENANT_ID": "", "AZURE_CLIENT_ID": "" });
        json_patch::merge(&mut data, settings);
        let secret = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": { "name": "aso-controller-settings" },
            "stringData": data,
        });
        self.server.make(&format!("/api/v1/namespaces/{OPERATOR}/secrets"), &secret);
        let labels = json!({ "app": "aso" });
        let image = format!("mcr.microsoft.com/k8s/azureserviceoperator:{RELEASE}");
        let deployment = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": DEPLOYMENT },
            "spec": {
                "selector": { "matchLabels": labels },
                "template": {
                    "metadata": { "labels": labels },
                    "spec": { "containers": [{ "name": "manager", "image": image }] },
                },
            },
        });
        let place = format!("/apis/apps/v1/namespaces/{OPERATOR}/deployments");
        self.server.make(&place, &deployment);
        self.replicas(1);
    }

    /// Has so many replicas of the operator be available.
    pub fn replicas(&self, available: u32) {
        let status = json!({ "replicas": 1, "readyReplicas": available, "availableReplicas": available });
        let place = format!("/apis/apps/v1/namespaces/{OPERATOR}/deployments/{DEPLOYMENT}/status");
        self.server.change(&place, &json!({ "status": status }));
    }

    /// The same, with somebody who plays the operator. With `own`, objects of these kinds own others too.
    pub fn played(self, own: &[Value]) -> Self {
        let actor = Actor::play(&self.server.kubeconfig(), &self.azure, own);
        Self { actor: Some(actor), ..self }
    }

    /// Has the operator look at everything, as it does once in its period.
    pub fn look_again(&self) {
        self.actor.as_ref().unwrap().look_again();
    }

    /// Makes a namespace.
    pub fn namespace(&self, name: &str) {
        self.server.make("/api/v1/namespaces", &json!({ "metadata": { "name": name } }));
    }

    /// An object; none where there is none.
    #[track_caller]
    pub fn get(&self, path: &str) -> Option<Value> {
        match self.server.call("GET", path, &Value::Null) {
            Ok(object) => Some(object),
            Err(Fault::NotFound) => None,
            Err(fault) => panic!("{path}: {fault:?}"),
        }
    }

    /// The operator's objects in a namespace, of all kinds.
    pub fn objects(&self, namespace: &str) -> Vec<Value> {
        let of_kind = |kind: Value| {
            let list = self.get(&within(&path(&kind), namespace)).unwrap_or_default();
            let mut items = list["items"].as_array().cloned().unwrap_or_default();
            for item in &mut items {
                item["kind"] = kind["kind"].clone();
            }
            items
        };
        schema::kinds().into_iter().flat_map(of_kind).collect()
    }

    /// The anchor of a cluster, in the namespace of its name.
    pub fn anchor(&self, infra_id: &str) -> Option<Value> {
        self.get(&format!("/api/v1/namespaces/{infra_id}/configmaps/{infra_id}-aso-anchor"))
    }

    /// Versions of all that stands in a namespace, but for leases.
    pub fn versions(&self, namespace: &str) -> Map<String, Value> {
        let core = ["configmaps", "secrets", "events"];
        let mut more = core.map(|plural| format!("/api/v1/namespaces/{namespace}/{plural}")).to_vec();
        more.push(format!("/apis/apps/v1/namespaces/{namespace}/deployments"));
        let lists = more.iter().filter_map(|path| self.get(path));
        let items = lists.flat_map(|list| list["items"].as_array().cloned().unwrap_or_default());
        let of = |object: Value| {
            let id = at(&object, "/metadata/uid").to_owned();
            (id, object["metadata"]["resourceVersion"].clone())
        };
        items.chain(self.objects(namespace)).map(of).collect()
    }

    /// All texts in which nothing secret may stand: the anchor's, events, and the operator's objects.
    pub fn texts(&self, namespace: &str) -> String {
        let places =
            ["configmaps", "events"].map(|plural| format!("/api/v1/namespaces/{namespace}/{plural}"));
        let listed = places.iter().filter_map(|path| self.get(path)).map(|list| list.to_string());
        let objects = self.objects(namespace).into_iter().map(|object| object.to_string());
        listed.chain(objects).collect()
    }

    /// A kubeconfig of a new service account, with these roles and what binds them.
    pub fn account(&self, namespace: &str, name: &str, roles: &[Value]) -> PathBuf {
        let place = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
        self.server.make(&place, &json!({ "metadata": { "name": name } }));
        let subject = json!({ "kind": "ServiceAccount", "name": name, "namespace": namespace });
        let base = "/apis/rbac.authorization.k8s.io/v1";
        for role in roles {
            let kind = at(role, "/kind");
            let of_namespace = at(role, "/metadata/namespace");
            let collection = match kind {
                "ClusterRole" => format!("{base}/clusterroles"),
                _ => format!("{base}/namespaces/{of_namespace}/roles"),
            };
            self.server.make(&collection, role);
            let binding = json!({
                "metadata": { "name": role["metadata"]["name"] },
                "roleRef": {
                    "apiGroup": "rbac.authorization.k8s.io",
                    "kind": kind,
                    "name": role["metadata"]["name"],
                },
                "subjects": [subject],
            });
            self.server.make(&collection.replace("roles", "rolebindings"), &binding);
        }
        for role in roles {
            self.until_it_counts(role, &format!("system:serviceaccount:{namespace}:{name}"));
        }
        let request = json!({ "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {} });
        let answer = self.server.call("POST", &format!("{place}/{name}/token"), &request).unwrap();
        let token = format!("token: {}", at(&answer, "/status/token"));
        self.server.changed(&format!("{name}.kubeconfig"), "token:", &token)
    }
}

impl Management {
    /// Waits until the server judges a user by a role, which it learns of a moment after it was written.
    fn until_it_counts(&self, role: &Value, user: &str) {
        let rules = role["rules"].as_array().into_iter().flatten();
        let mut of_all = rules.filter(|rule| rule["resourceNames"].is_null());
        let Some(right) = of_all.find(|rule| !rule["resources"].is_null()) else { return };
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SubjectAccessReview",
            "spec": {
                "user": user,
                "resourceAttributes": {
                    "namespace": at(role, "/metadata/namespace"),
                    "group": right["apiGroups"][0],
                    "resource": right["resources"][0],
                    "verb": right["verbs"][0],
                },
            },
        });
        until("the rights count", || {
            let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
            let answer = self.server.call("POST", path, &review).unwrap();
            (answer["status"]["allowed"] == true).then_some(())
        });
    }
}

/// The path of an object of the operator.
pub fn place_of(namespace: &str, kind: &str, name: &str) -> String {
    let kinds = schema::kinds();
    let kind = kinds.iter().find(|one| one["kind"] == kind).unwrap();
    format!("{}/{name}", within(&path(kind), namespace))
}

/// A path of all namespaces, for one of them.
fn within(path: &str, namespace: &str) -> String {
    let (base, plural) = path.rsplit_once('/').unwrap();
    format!("{base}/namespaces/{namespace}/{plural}")
}

/// Makes the operator's definitions, and waits until they are served.
fn define(server: &Server) {
    let kinds = schema::kinds();
    for kind in &kinds {
        server.make(DEFINITIONS, &definition(kind));
    }
    for kind in &kinds {
        until(text(kind, "kind"), || server.call("GET", &path(kind), &Value::Null).ok());
    }
}

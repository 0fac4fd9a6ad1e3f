//! A cluster with the kinds of profiles in it, and clusters of others that refer to them.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::users::{Refused, Users};
use crate::operator::account;
use crate::operator::cluster::Cluster;
use crate::operator::replica::Replica;
use crate::server::Server;
use crate::until::until;

/// The controllers that join profiles with their parents, and keep those that are in use.
pub const CONTROLLERS: &str = "private-cloud-profile,namespaced-cloud-profile,cloud-profile";
/// Who judges what is written.
pub const ADMISSION: &str = "cloud-profile-admission";
/// Group and version of all kinds of profiles: those of Gardener, as its Shoots refer to them.
pub const API: &str = "core.gardener.cloud/v1beta1";
/// How the operator is told.
pub const GROUP: &str = "--profile-group=core.gardener.cloud";
/// The namespaces of two projects.
pub const PROJECT: &str = "project-xyz";
pub const OTHER_PROJECT: &str = "project-abc";

const RBAC: &str = "rbac.authorization.k8s.io";

/// One of the kinds.
#[derive(Clone, Copy)]
pub struct Kind {
    name: &'static str,
    plural: &'static str,
}

pub const PARENT: Kind = Kind { name: "CloudProfile", plural: "cloudprofiles" };
pub const PRIVATE: Kind = Kind { name: "PrivateCloudProfile", plural: "privatecloudprofiles" };
pub const NAMESPACED: Kind = Kind { name: "NamespacedCloudProfile", plural: "namespacedcloudprofiles" };
pub const SHOOT: Kind = Kind { name: "Shoot", plural: "shoots" };

/// Where an object stands; those of the whole cluster are in the namespace without a name.
#[derive(Clone, Copy)]
pub struct Place<'a>(pub Kind, pub &'a str, pub &'a str);

impl Place<'_> {
    /// The path of all that stand there.
    pub fn collection(&self) -> String {
        let Self(kind, namespace, _) = self;
        let within = if namespace.is_empty() { String::new() } else { format!("/namespaces/{namespace}") };
        format!("/apis/{API}{within}/{}", kind.plural)
    }

    /// The path of the object.
    pub fn path(&self) -> String {
        format!("{}/{}", self.collection(), self.2)
    }

    /// The object of this spec that would stand there.
    pub fn object(&self, spec: &Value) -> Value {
        let mut metadata = json!({ "name": self.2 });
        if !self.1.is_empty() {
            metadata["namespace"] = self.1.into();
        }
        json!({ "apiVersion": API, "kind": self.0.name, "metadata": metadata, "spec": spec })
    }
}

/// Makes the definitions of profiles and of what refers to them, and waits until they are served.
fn define(server: &Server) {
    let shoots = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/crds/shoots.yaml");
    let shoots: Value = serde_yaml::from_str(&std::fs::read_to_string(shoots).unwrap()).unwrap();
    for definition in account::printed(&["crds", GROUP]).iter().chain([&shoots]) {
        server.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    }
    for kind in [PARENT, PRIVATE, NAMESPACED, SHOOT] {
        let path = format!("/apis/{API}/{}", kind.plural);
        until(kind.name, || server.call("GET", &path, &Value::Null).ok());
    }
}

/// A cluster in which landfall's controllers of profiles may run.
pub struct World {
    /// The cluster, with the account of the operator.
    pub cluster: Cluster,
    /// Who may call its API.
    pub users: Users,
}

impl World {
    /// A cluster in which all is made that `landfall operator manifests` prints for these controllers.
    pub fn start(controllers: &str) -> Self {
        let server = Server::with("profiles", define);
        let account =
            account::install(&server, &account::printed(&["manifests", GROUP, "--controllers", controllers]));
        for namespace in [PROJECT, OTHER_PROJECT] {
            server.make("/api/v1/namespaces", &json!({ "metadata": { "name": namespace } }));
        }
        let kubeconfig = account.kubeconfig(&server);
        let users = Users::new(&server.kubeconfig());
        Self { cluster: Cluster { server, namespace: account.namespace, kubeconfig }, users }
    }

    /// Starts the operator with these controllers, and waits until it is ready.
    pub fn operator(&self, controllers: &str) -> Replica {
        Replica::begin(&self.cluster, &[GROUP, "--controllers", controllers], None)
    }

    /// Makes an object.
    #[track_caller]
    pub fn make(&self, place: Place<'_>, spec: &Value) {
        self.cluster.server.make(&place.collection(), &place.object(spec));
    }

    /// Changes an object's spec.
    #[track_caller]
    pub fn change(&self, place: Place<'_>, spec: &Value) {
        self.cluster.server.change(&place.path(), &json!({ "spec": spec }));
    }

    /// Says something about an object that means nothing.
    #[track_caller]
    pub fn touch(&self, place: Place<'_>, with: &Value) {
        let label = json!({ "metadata": { "labels": { "touched": with } } });
        self.cluster.server.change(&place.path(), &label);
    }

    /// Deletes an object, which may stay until its finalizers are gone.
    #[track_caller]
    pub fn delete(&self, place: Place<'_>) {
        let path = place.path();
        let deleted = self.cluster.server.call("DELETE", &path, &Value::Null);
        assert!(deleted.is_ok(), "{path}: {deleted:?}");
    }

    /// An object; none where there is none.
    #[track_caller]
    pub fn get(&self, place: Place<'_>) -> Option<Value> {
        self.cluster.get(&place.path())
    }

    /// The version of an object.
    #[track_caller]
    pub fn version(&self, place: Place<'_>) -> Value {
        self.get(place).unwrap_or_default()["metadata"]["resourceVersion"].clone()
    }

    /// Waits until an object is kept by the finalizer, and gives it.
    #[track_caller]
    pub fn kept(&self, place: Place<'_>) -> Value {
        until(&format!("{} has the finalizer", place.path()), || {
            self.get(place).filter(|object| object["metadata"]["finalizers"] == json!(["gardener"]))
        })
    }

    /// Takes all finalizers of an object away.
    #[track_caller]
    pub fn release(&self, place: Place<'_>) {
        self.cluster.server.change(&place.path(), &json!({ "metadata": { "finalizers": null } }));
    }

    /// Waits until an object is gone.
    #[track_caller]
    pub fn goes(&self, place: Place<'_>) {
        until(&format!("{} is gone", place.path()), || self.get(place).is_none().then_some(()));
    }

    /// Waits until the condition of a private profile says this of the profile as it stands, and gives the
    /// profile.
    #[track_caller]
    pub fn says(&self, place: Place<'_>, status: &str, reason: &str) -> Value {
        until(&format!("{} is Rendered={status}, {reason}", place.path()), || {
            let object = self.get(place)?;
            let conditions = object["status"]["conditions"].as_array()?;
            let found = conditions.iter().find(|found| found["type"] == "Rendered")?;
            let is_of_this = found["observedGeneration"] == object["metadata"]["generation"];
            let is_so = found["status"] == status && found["reason"] == reason;
            (is_so && is_of_this).then_some(object)
        })
    }

    /// Waits until what was joined has this value there, and gives the profile.
    #[track_caller]
    pub fn joined(&self, place: Place<'_>, pointer: &str, value: &Value) -> Value {
        until(&format!("{} has {value} at {pointer}", place.path()), || {
            let object = self.get(place)?;
            (joined(&object).pointer(pointer) == Some(value)).then_some(object)
        })
    }

    /// Waits until it was told of this reason about an object, and gives the note.
    #[track_caller]
    pub fn told(&self, place: Place<'_>, reason: &str) -> String {
        until(&format!("an event {reason} about {}", place.path()), || {
            let events = self.cluster.get("/api/v1/events")?;
            let is_it = |event: &&Value| {
                let about = &event["involvedObject"];
                event["reason"] == reason && about["kind"] == place.0.name && about["name"] == place.2
            };
            let found = events["items"].as_array()?.iter().find(is_it)?;
            found["message"].as_str().map(str::to_owned)
        })
    }

    /// Versions of all that the controllers may write, but for leases and these objects.
    fn versions(&self, but: &[Place<'_>]) -> BTreeMap<String, Value> {
        let own = [PARENT, PRIVATE, NAMESPACED].map(|kind| format!("/apis/{API}/{}", kind.plural));
        let others = [
            "/api/v1/events",
            "/api/v1/secrets",
            "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
            "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        ];
        let mut found = BTreeMap::new();
        for kind in own.into_iter().chain(others.map(str::to_owned)) {
            let list = self.cluster.get(&kind).unwrap_or_default();
            for object in list["items"].as_array().into_iter().flatten() {
                let metadata = &object["metadata"];
                let text = |key: &str| metadata[key].as_str().unwrap_or_default();
                let is_it = |place: &Place<'_>| place.1 == text("namespace") && place.2 == text("name");
                if !but.iter().any(|place| kind.ends_with(place.0.plural) && is_it(place)) {
                    let name = format!("{kind} {}/{}", text("namespace"), text("name"));
                    found.insert(name, metadata["resourceVersion"].clone());
                }
            }
        }
        found
    }

    /// Fails if anything is written while nothing but labels of this parent and this child change. That the
    /// controllers came to see it is known from another profile, which follows its parent.
    #[track_caller]
    pub fn rests(&self, operator: &Replica, parent: Place<'_>, child: Place<'_>) {
        let guide = Place(PARENT, "", "guide");
        let follower = Place(PRIVATE, PROJECT, "follower");
        if self.get(follower).is_none() {
            self.make(guide, &base());
            self.make(follower, &json!({ "parent": guide.2 }));
        }
        let writes = || operator.metric("landfall_writes_total", &[]);
        let versions = || self.versions(&[parent, child, guide, follower]);
        let is_quiet = || {
            let (before, written) = (versions(), writes());
            let round = &self.version(guide);
            self.touch(parent, round);
            self.touch(child, round);
            let labels = json!([{ "name": "round", "labels": { "round": round } }]);
            self.change(guide, &json!({ "regions": labels }));
            self.joined(follower, "/regions/0/labels/round", round);
            until("the follower's is counted", || (writes() > written).then_some(()));
            versions() == before && writes() == written + 1
        };
        // What belongs to the last change, such as its event, may still be on its way.
        until("nothing is written any more", || is_quiet().then_some(()));
        for _ in 0..3 {
            assert!(is_quiet(), "something was written though nothing changed");
        }
    }

    /// Gives a user these rights in a project, over both kinds of its profiles and its clusters.
    pub fn permit(&self, user: &str, verbs: &[&str]) {
        let roles = format!("/apis/{RBAC}/v1/namespaces/{PROJECT}/roles");
        let allowed = json!([{
            "apiGroups": ["core.gardener.cloud"],
            "resources": [PRIVATE.plural, NAMESPACED.plural, SHOOT.plural],
            "verbs": verbs,
        }]);
        self.cluster.server.make(&roles, &json!({ "metadata": { "name": user }, "rules": allowed }));
        self.bind(user, "Role", user);
    }

    /// Gives a user the rights of a role in a project.
    pub fn bind(&self, user: &str, kind: &str, role: &str) {
        let binding = json!({
            "metadata": { "name": user },
            "roleRef": { "apiGroup": RBAC, "kind": kind, "name": role },
            "subjects": [{ "apiGroup": RBAC, "kind": "User", "name": user }],
        });
        let bindings = format!("/apis/{RBAC}/v1/namespaces/{PROJECT}/rolebindings");
        self.cluster.server.make(&bindings, &binding);
    }

    /// Makes an object as a user; rights that were given a moment ago count after a while.
    #[track_caller]
    pub fn tries(&self, user: &str, place: Place<'_>, spec: &Value) -> Result<Value, Refused> {
        self.ask(user, "POST", &place.collection(), &place.object(spec))
    }

    /// Changes an object's spec as a user.
    #[track_caller]
    pub fn edits(&self, user: &str, place: Place<'_>, spec: &Value) -> Result<Value, Refused> {
        self.ask(user, "PATCH", &place.path(), &json!({ "spec": spec }))
    }

    #[track_caller]
    fn ask(&self, user: &str, method: &str, path: &str, body: &Value) -> Result<Value, Refused> {
        until(&format!("{user} has the rights that were given"), || {
            match self.users.call(user, method, path, body) {
                Err(refused) if refused.code == 403 && !refused.message.contains("admission webhook") => None,
                answer => Some(answer),
            }
        })
    }
}

/// What was joined with the parent, of either kind of profile.
pub fn joined(object: &Value) -> &Value {
    let status = &object["status"];
    match status.get("cloudProfileSpec") {
        Some(spec) => spec,
        None => &status["cloudProfile"]["spec"],
    }
}

/// What a cloud profile has to say.
pub fn base() -> Value {
    json!({ "type": "aws", "kubernetes": { "versions": [{ "version": "1.30.1" }] } })
}

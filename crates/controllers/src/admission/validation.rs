//! The responses to admission reviews of the API server.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use jiff::Timestamp;
use landfall_cloud_profile::admission::{
    Loss, ParentUpdate, ProfileKind, Reference, Referred, Refusal, Request, Shoot, Verb, Why,
};
use landfall_cloud_profile::render::render;
use landfall_cloud_profile::types::{
    API_VERSIONS, CLOUD_PROFILE, CloudProfileSpec, NAMESPACED_CLOUD_PROFILE, NamespacedCloudProfile,
    PrivateCloudProfileSpec,
};
use landfall_cloud_profile::{admission, released};
use landfall_diagnostics::shortened;
use landfall_kube::Fault;
use landfall_kube::kinds::{ProfileKinds, SHOOT};
use landfall_kube::objects::{Kind, ObjectRef, Objects};
use landfall_kube::questions::Questions;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::review::{answer, subject, text};
use crate::cloud_profile::user;

/// How many profiles are read side by side. The API server waits meanwhile.
const AT_ONCE: usize = 16;

/// Judges what is to be written. Whatever else it must know, it asks the cluster at that moment.
pub struct Judge {
    objects: Arc<dyn Objects>,
    questions: Arc<dyn Questions>,
    kinds: &'static ProfileKinds,
}

/// Why the request could not be validated, in a sentence.
type Unknown = String;

impl Judge {
    /// A judge of one cluster, for profiles of these kinds.
    #[must_use]
    pub fn new(
        objects: Arc<dyn Objects>,
        questions: Arc<dyn Questions>,
        kinds: &'static ProfileKinds,
    ) -> Self {
        Self { objects, questions, kinds }
    }

    /// Answers an `AdmissionReview` at an instant.
    pub async fn review(&self, review: &Value, now: Timestamp) -> Value {
        let request = review.get("request").unwrap_or(&Value::Null);
        let judged = self.judge(request, now).await;
        let status = match &judged {
            Ok(refusals) if refusals.is_empty() => None,
            Ok(refusals) => {
                let is_of_rights = refusals.iter().all(|refusal| refusal.why == Why::VerbMissing);
                let (code, reason) = if is_of_rights { (403, "Forbidden") } else { (422, "Invalid") };
                let shown: Vec<String> = refusals.iter().map(ToString::to_string).collect();
                Some(json!({ "code": code, "reason": reason, "message": shown.join("; ") }))
            }
            Err(why) => Some(json!({ "code": 500, "reason": "InternalError", "message": why })),
        };
        let mut response = json!({ "allowed": status.is_none() });
        if let Some(status) = status {
            response["status"] = status;
        }
        answer(text(request, "/uid"), response)
    }

    /// A reason to refuse a request.
    async fn judge(&self, request: &Value, now: Timestamp) -> Result<Vec<Refusal>, Unknown> {
        let Some((resource, object, old)) = subject(request) else { return Ok(Vec::new()) };
        let profile = [ProfileKind::Private, ProfileKind::Released];
        if let Some(kind) = profile.into_iter().find(|kind| kind.resource() == resource) {
            return self.profile(kind, request, object, old, now).await;
        }
        if resource == self.kinds.cloud.plural {
            return self.parent(old, object, now).await;
        }
        match (old, self.kinds.all_users().iter().find(|kind| kind.plural == resource)) {
            (Some(old), Some(&kind)) if *kind == SHOOT => self.shoot(old, object, now).await,
            (Some(old), Some(_)) => self.infrastructure(old, object, now).await,
            _ => Ok(Vec::new()),
        }
    }

    async fn profile(
        &self,
        kind: ProfileKind,
        request: &Value,
        object: &Value,
        old: Option<&Value>,
        now: Timestamp,
    ) -> Result<Vec<Refusal>, Unknown> {
        let stored = match kind.parent(object) {
            Some(name) => self.stored(name).await?,
            None => None,
        };
        let is_new_parent = old.is_none_or(|old| kind.parent(old) != kind.parent(object));
        if is_new_parent && stored.as_ref().is_some_and(|stored| stored.leaves) {
            return Ok(vec![kind.leaving_parent(object)]);
        }
        let parent = match stored.map(|stored| stored.spec) {
            // What a parent that cannot be read is to a profile matters only where that says something new.
            Some(spec) if old.is_some_and(|old| old.get("spec") == object.get("spec")) => spec.ok(),
            spec => spec.transpose()?,
        };
        let asked = Request { kind, object, old, parent: parent.as_ref(), now };
        let mut refusals = admission::refusals(&asked);
        for verb in admission::verbs(kind, old, object) {
            let may = self.may(request, kind, verb).await;
            refusals =
                together(refusals, may.map(|may| if may { Vec::new() } else { vec![verb.refusal()] }))?;
        }
        let is_kept =
            old.is_none_or(|old| kind == ProfileKind::Private && old.get("spec") == object.get("spec"));
        // Beside another parent than before, what clusters use says nothing.
        if is_kept || refusals.iter().any(|one| one.field.starts_with("spec.parent")) {
            return Ok(refusals);
        }
        let in_use = self.shoots(Some(text(request, "/namespace"))).await.map(|shoots| {
            let mut in_use = admission::usage(&asked, &shoots);
            if kind == ProfileKind::Released {
                // For Shoots, Gardener's rules hold, which protect less.
                let infrastructures: Vec<Shoot> =
                    shoots.into_iter().filter(Shoot::is_infrastructure).collect();
                add(&mut in_use, admission::losses(&asked, &infrastructures));
            }
            in_use
        });
        together(refusals, in_use)
    }

    /// Whether the caller of a request has a verb.
    async fn may(&self, request: &Value, kind: ProfileKind, verb: Verb) -> Result<bool, Unknown> {
        let mut spec: Map<String, Value> = Map::new();
        for (from, to) in [("username", "user"), ("groups", "groups"), ("uid", "uid"), ("extra", "extra")] {
            let value =
                request.get("userInfo").and_then(|user| user.get(from)).filter(|value| !value.is_null());
            spec.extend(value.map(|value| (to.to_owned(), value.clone())));
        }
        let attributes = json!({
            "namespace": text(request, "/namespace"),
            "verb": verb.name,
            "group": self.kinds.cloud.group,
            "resource": kind.resource(),
            "name": text(request, "/name"),
        });
        spec.insert("resourceAttributes".to_owned(), attributes);
        let answer = self.questions.allows(spec.into()).await;
        answer.map_err(|fault| format!("permissions cannot be checked: {}", fault.why()))
    }

    /// A cloud profile, and changes of one on which others build.
    async fn parent(
        &self,
        old: Option<&Value>,
        object: &Value,
        now: Timestamp,
    ) -> Result<Vec<Refusal>, Unknown> {
        if old.is_some_and(|old| old.get("spec") == object.get("spec")) {
            return Ok(Vec::new());
        }
        let mut refusals = admission::nesting(object.get("spec").unwrap_or(&Value::Null));
        let name = text(object, "/metadata/name");
        // A stored fault does not keep its owner from correcting something else.
        add(&mut refusals, admission::cloud_profile_update(name, old, object));
        let place = ObjectRef::in_cluster(&self.kinds.cloud, name);
        let spec = |object: &Value| typed::<CloudProfileSpec>(object.get("spec"), &place);
        let new = match spec(object) {
            Ok(new) => new,
            Err(message) => {
                refusals.push(Refusal { field: "spec".to_owned(), why: Why::Invalid, message });
                return Ok(refusals);
            }
        };
        // One that cannot be read may always be mended.
        let Some(old) = old.and_then(|old| spec(old).ok()) else { return Ok(refusals) };
        let in_use = self.uses_of_parent(name, (&old, &new), now).await;
        together(refusals, in_use)
    }

    /// What profiles that inherit, and clusters, lose by the change of a cloud profile.
    async fn uses_of_parent(
        &self,
        name: &str,
        (old, new): (&CloudProfileSpec, &CloudProfileSpec),
        now: Timestamp,
    ) -> Result<Vec<Refusal>, Unknown> {
        let (matters, takes) = (admission::matters(old, new), admission::takes(old, new, now));
        if !matters && !takes {
            return Ok(Vec::new());
        }
        let all = self.shoots(None).await?;
        let (infrastructures, shoots): (Vec<Shoot>, Vec<Shoot>) =
            all.into_iter().partition(Shoot::is_infrastructure);
        let mut refusals = Vec::new();
        if matters {
            refusals.extend(self.released_children(name, (old, new), &shoots).await?);
        }
        if takes {
            let kind = ProfileKind::Private;
            let users: Vec<&Shoot> = shoots.iter().chain(&infrastructures).collect();
            add(&mut refusals, self.children(kind, name, (old, new), &users, now).await?.refusals());
            // For Shoots, Gardener's rules hold, which are those above.
            let kind = ProfileKind::Released;
            let users: Vec<&Shoot> = infrastructures.iter().collect();
            let mut loss = self.children(kind, name, (old, new), &users, now).await?;
            let direct = users.into_iter().filter(|user| user.refers_to(CLOUD_PROFILE, name));
            loss.add(Some(old), new, direct, now);
            add(&mut refusals, loss.refusals());
        }
        Ok(refusals)
    }

    /// What profiles of the released kind, and clusters, lose by the change of a cloud profile.
    async fn released_children(
        &self,
        name: &str,
        (old, new): (&CloudProfileSpec, &CloudProfileSpec),
        shoots: &[Shoot],
    ) -> Result<Vec<Refusal>, Unknown> {
        let mut children: Vec<NamespacedCloudProfile> = Vec::new();
        let mut taker = |object: Value| {
            children.extend(
                Some(object).filter(|it| ProfileKind::Released.parent(it) == Some(name)).and_then(child),
            );
            true
        };
        let kind = &self.kinds.namespaced;
        let listed = self.questions.each(kind, None, &mut taker).await;
        listed.map_err(|fault| unlisted(kind, &fault))?;
        let profiles: Vec<&NamespacedCloudProfile> = children.iter().collect();
        let update = ParentUpdate { name, old, new, profiles: &profiles, shoots };
        Ok(admission::parent_update(&update))
    }

    /// What clusters that refer to profiles of this kind lose by the change of a cloud profile.
    async fn children(
        &self,
        kind: ProfileKind,
        name: &str,
        (old, new): (&CloudProfileSpec, &CloudProfileSpec),
        shoots: &[&Shoot],
        now: Timestamp,
    ) -> Result<Loss, Unknown> {
        let mut users: BTreeMap<(&str, &str), Vec<&Shoot>> = BTreeMap::new();
        for &shoot in shoots {
            let reference = shoot.profile.as_ref().filter(|one| one.kind == kind.name());
            if let Some(Reference { name, .. }) = reference {
                users.entry((&shoot.namespace, name)).or_default().push(shoot);
            }
        }
        let mut loss = Loss::default();
        if users.is_empty() {
            return Ok(loss);
        }
        let stored = match kind {
            ProfileKind::Private => &self.kinds.private,
            ProfileKind::Released => &self.kinds.namespaced,
        };
        let places: Vec<ObjectRef> =
            users.keys().map(|&(namespace, name)| ObjectRef::in_namespace(stored, namespace, name)).collect();
        let reads: Vec<_> = places.iter().map(|place| self.object(place).boxed()).collect();
        let mut read = stream::iter(reads).buffered(AT_ONCE);
        // They come in the order of their places.
        for shoots in users.values() {
            let object = read.try_next().await?.flatten();
            let Some(object) = object.filter(|object| kind.parent(object) == Some(name)) else { continue };
            let joined = |parent| admission::joined(kind, parent, &object);
            // One that cannot be read offers nothing.
            if let (Some(before), Some(after)) = (joined(old), joined(new)) {
                loss.add(Some(&before), &after, shoots.iter().copied(), now);
            }
        }
        Ok(loss)
    }

    /// Changes of a cluster's reference to a profile.
    async fn shoot(&self, old: &Value, new: &Value, now: Timestamp) -> Result<Vec<Refusal>, Unknown> {
        let (old, new) = (Shoot::of(old), Shoot::of(new));
        if old.profile == new.profile {
            return Ok(Vec::new());
        }
        let from = self.find(&new.namespace, old.profile.as_ref()).await?;
        let to = self.find(&new.namespace, new.profile.as_ref()).await?;
        let (leads_from, leads_to) = (from.as_ref().map(Found::referred), to.as_ref().map(Found::referred));
        let refusal = admission::shoot_update(&old, &new, leads_from.as_ref(), leads_to.as_ref());
        let mut refusals: Vec<Refusal> = refusal.into_iter().collect();
        let is_private = [&from, &to].into_iter().flatten().any(|one| matches!(one, Found::Private { .. }));
        if let Some(after) = to.as_ref().filter(|_| is_private).and_then(Found::joined) {
            let mut loss = Loss::default();
            loss.add(from.as_ref().and_then(Found::joined).as_deref(), &after, [&new], now);
            refusals.extend(loss.of_reference("spec.cloudProfile"));
        }
        Ok(refusals)
    }

    /// Changes of the profile to which an infrastructure refers: it must offer what the cluster uses.
    async fn infrastructure(
        &self,
        old: &Value,
        new: &Value,
        now: Timestamp,
    ) -> Result<Vec<Refusal>, Unknown> {
        const FIELD: &str = "spec.cloudProfileRef";
        let (old, new) = (Shoot::of_infrastructure(old), Shoot::of_infrastructure(new));
        let Some(reference) = new.profile.as_ref().filter(|_| old.profile != new.profile) else {
            return Ok(Vec::new());
        };
        let uses_nothing = old.region.is_empty() && old.workers.is_empty();
        if uses_nothing {
            return Ok(Vec::new());
        }
        let Some(to) = self.find(&new.namespace, Some(reference)).await? else {
            let message = format!("there is no {} `{}`", reference.kind, shortened(&reference.name));
            return Ok(vec![Refusal { field: FIELD.to_owned(), why: Why::NotFound, message }]);
        };
        // From a profile that cannot be read, one may always change; the new one then must offer everything.
        let from = self.find(&new.namespace, old.profile.as_ref()).await.ok().flatten();
        let Some(after) = to.joined() else { return Ok(Vec::new()) };
        let mut loss = Loss::default();
        loss.add(from.as_ref().and_then(Found::joined).as_deref(), &after, [&old], now);
        Ok(loss.of_reference(FIELD))
    }

    /// What a reference in a namespace leads to.
    async fn find(&self, namespace: &str, reference: Option<&Reference>) -> Result<Option<Found>, Unknown> {
        let Some(Reference { kind, name }) = reference else { return Ok(None) };
        if kind == CLOUD_PROFILE {
            let spec = self.cloud_profile(name).await?;
            return Ok(spec.map(|spec| Found::Parent(name.clone(), Box::new(spec))));
        }
        let Some(profile) = ProfileKind::of(kind) else { return Ok(None) };
        let kind = match profile {
            ProfileKind::Private => &self.kinds.private,
            ProfileKind::Released => &self.kinds.namespaced,
        };
        let place = ObjectRef::in_namespace(kind, namespace, name.as_str());
        let Some(object) = self.object(&place).await? else { return Ok(None) };
        let parent = profile.parent(&object);
        let parent = match parent {
            Some(parent) => self.cloud_profile(parent).await?.map(Box::new),
            None => None,
        };
        if profile == ProfileKind::Private {
            let spec: PrivateCloudProfileSpec = typed(object.get("spec"), &place)?;
            let offer = parent.map(|parent| Box::new(render(&parent, &spec).spec));
            return Ok(Some(Found::Private { parent: spec.parent, offer }));
        }
        Ok(Some(Found::Released(Box::new(typed(Some(&object), &place)?), parent)))
    }

    async fn cloud_profile(&self, name: &str) -> Result<Option<CloudProfileSpec>, Unknown> {
        self.stored(name).await?.map(|stored| stored.spec).transpose()
    }

    /// The cloud profile of this name, if there is one.
    async fn stored(&self, name: &str) -> Result<Option<Stored>, Unknown> {
        let place = ObjectRef::in_cluster(&self.kinds.cloud, name);
        let object = self.object(&place).await?;
        Ok(object.map(|object| Stored {
            spec: typed(object.get("spec"), &place),
            leaves: !text(&object, "/metadata/deletionTimestamp").is_empty(),
        }))
    }

    async fn object(&self, place: &ObjectRef) -> Result<Option<Value>, Unknown> {
        let answer = self.objects.get(place).await;
        answer.map_err(|fault| format!("{place} cannot be read: {}", fault.why()))
    }

    async fn shoots(&self, namespace: Option<&str>) -> Result<Vec<Shoot>, Unknown> {
        let mut shoots = Vec::new();
        for &kind in self.kinds.all_users() {
            let mut taker = |object: Value| {
                shoots.push(user(kind, &object));
                true
            };
            let listed = self.questions.each(kind, namespace, &mut taker).await;
            listed.map_err(|fault| unlisted(kind, &fault))?;
        }
        Ok(shoots)
    }
}

/// What one check says, and a later one. Where the later one could not be done, the first is enough to refuse.
fn together(
    mut refusals: Vec<Refusal>,
    later: Result<Vec<Refusal>, Unknown>,
) -> Result<Vec<Refusal>, Unknown> {
    match later {
        Ok(more) => add(&mut refusals, more),
        Err(why) if refusals.is_empty() => return Err(why),
        Err(_) => {}
    }
    Ok(refusals)
}

/// Adds what is not said yet.
fn add(refusals: &mut Vec<Refusal>, more: Vec<Refusal>) {
    for refusal in more {
        if !refusals.contains(&refusal) {
            refusals.push(refusal);
        }
    }
}

/// A cloud profile as it is stored.
struct Stored {
    /// What it says, or why that cannot be read.
    spec: Result<CloudProfileSpec, Unknown>,
    /// Whether it is being deleted.
    leaves: bool,
}

/// The profile that a reference leads to, with its parent or the parent's name.
enum Found {
    Parent(String, Box<CloudProfileSpec>),
    Private { parent: String, offer: Option<Box<CloudProfileSpec>> },
    Released(Box<NamespacedCloudProfile>, Option<Box<CloudProfileSpec>>),
}

impl Found {
    fn referred(&self) -> Referred<'_> {
        match self {
            Self::Parent(name, spec) => Referred::cloud_profile(name, spec),
            Self::Private { parent, .. } => Referred::private(parent),
            Self::Released(profile, parent) => Referred::released(profile, parent.as_deref()),
        }
    }
}

impl Found {
    /// What clusters may use, where a private profile or a cloud profile says it.
    fn offer(&self) -> Option<&CloudProfileSpec> {
        match self {
            Self::Parent(_, spec) => Some(spec),
            Self::Private { offer, .. } => offer.as_deref(),
            Self::Released(..) => None,
        }
    }

    /// What clusters may use, whatever the kind; none where the parent is missing.
    fn joined(&self) -> Option<Cow<'_, CloudProfileSpec>> {
        match self {
            Self::Released(profile, parent) => {
                Some(Cow::Owned(released::render(parent.as_deref()?, &profile.spec)))
            }
            Self::Parent(..) | Self::Private { .. } => self.offer().map(Cow::Borrowed),
        }
    }
}

/// A profile of the released kind as lists have it, without its status.
fn child(mut object: Value) -> Option<NamespacedCloudProfile> {
    let members = object.as_object_mut()?;
    members.remove("status");
    members.insert("apiVersion".to_owned(), API_VERSIONS[0].into());
    members.insert("kind".to_owned(), NAMESPACED_CLOUD_PROFILE.into());
    serde_json::from_value(object).ok()
}

/// An object or its part; the parser's own words would cite values.
fn typed<T: DeserializeOwned>(value: Option<&Value>, place: &ObjectRef) -> Result<T, Unknown> {
    let typed = value.and_then(|value| T::deserialize(value).ok());
    typed.ok_or_else(|| format!("{place} has a field of the wrong type"))
}

fn unlisted(kind: &Kind, fault: &Fault) -> Unknown {
    format!("objects of kind {} cannot be listed: {}", kind.kind, fault.why())
}

//! Applies the objects of a release.

use std::collections::BTreeMap;

use ::kube::api::{Api, DynamicObject, Patch, PatchParams};
use ::kube::core::{ApiResource, GroupVersionKind};
use ::kube::discovery::{Scope, pinned_kind};
use ::kube::{Client, Error};
use landfall_diagnostics::Finding;
use landfall_kube::{Fault, MANAGER};
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout};

use super::release::{is_settings, name};
use super::{AGAIN, Release, left, pages};
use crate::drive::text;

/// Applies all objects of a release. The settings of an operator that has some stay as they are. `told` hears of each
/// object. Gives the number of objects.
///
/// # Errors
/// The server refused an object, or did not take it until the deadline.
pub async fn apply(
    client: &Client,
    release: &Release,
    deadline: Instant,
    told: &dyn Fn(&str),
) -> Result<usize, Box<Finding>> {
    let mut resources = Resources { client, known: BTreeMap::new() };
    let foreign = release.foreign_kinds();
    let mut count = 0_usize;
    for object in release.objects() {
        let (version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
        let label = format!("{kind} {}", name(object));
        told(&label);
        loop {
            let Err(fault) = resources.apply(object).await else { break };
            // A kind of the release's own is served a moment after its CRD.
            let comes = fault == Fault::NotFound && !foreign.contains(&(version, kind));
            if !(comes || may_pass(&fault)) || left(deadline).is_none() {
                return Err(Box::new(pages::refused(&label, &shown(object, &fault))));
            }
            sleep(AGAIN).await;
        }
        count = count.saturating_add(1);
    }
    Ok(count)
}

/// The kinds of a release that the cluster does not serve.
pub(super) async fn unserved(client: &Client, release: &Release) -> Result<Vec<String>, Fault> {
    let mut unserved = Vec::new();
    for (version, kind) in release.foreign_kinds() {
        match resource(client, version, kind).await {
            Ok(_) => {}
            Err(Fault::NotFound) => unserved.push(format!("{kind} of {version}")),
            Err(fault) => return Err(fault),
        }
    }
    Ok(unserved)
}

/// Whether a call may succeed later: the server is busy, or a webhook does not answer yet.
fn may_pass(fault: &Fault) -> bool {
    match fault {
        Fault::Way { .. } => true,
        Fault::Answer { status, .. } => *status == 429 || *status >= 500,
        _ => false,
    }
}

/// What the server said of an object. Of a Secret it may cite a value.
fn shown(object: &Value, fault: &Fault) -> String {
    match fault {
        Fault::Answer { status, .. } if text(object, "/kind") == "Secret" => {
            format!("the server returns {status}")
        }
        fault => fault.why(),
    }
}

/// The kinds of a cluster, as far as they were asked for.
struct Resources<'c> {
    client: &'c Client,
    known: BTreeMap<(String, String), (ApiResource, Scope)>,
}

impl Resources<'_> {
    async fn apply(&mut self, object: &Value) -> Result<(), Fault> {
        let (resource, scope) = self.resource(object).await?;
        let api: Api<DynamicObject> = match scope {
            Scope::Cluster => Api::all_with(self.client.clone(), &resource),
            Scope::Namespaced => {
                Api::namespaced_with(self.client.clone(), text(object, "/metadata/namespace"), &resource)
            }
        };
        // What the owner of the operator set stays.
        if is_settings(object) && within(api.get_opt(name(object))).await?.is_some() {
            return Ok(());
        }
        let parameters = PatchParams::apply(MANAGER).force();
        within(api.patch(name(object), &parameters, &Patch::Apply(object))).await.map(drop)
    }

    async fn resource(&mut self, object: &Value) -> Result<(ApiResource, Scope), Fault> {
        let (version, kind) = (text(object, "/apiVersion"), text(object, "/kind"));
        let key = (version.to_owned(), kind.to_owned());
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let found = resource(self.client, version, kind).await?;
        self.known.insert(key, found.clone());
        Ok(found)
    }
}

/// What the cluster serves of a kind.
async fn resource(client: &Client, api_version: &str, kind: &str) -> Result<(ApiResource, Scope), Fault> {
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let kind = GroupVersionKind::gvk(group, version, kind);
    let (resource, capabilities) = within(pinned_kind(client, &kind)).await?;
    Ok((resource, capabilities.scope))
}

async fn within<T>(call: impl Future<Output = Result<T, Error>>) -> Result<T, Fault> {
    let answer = timeout(crate::core::API_CALL_LIMIT, call).await.map_err(|_| Fault::late())?;
    answer.map_err(|error| match error {
        // The kind is not served, or not yet.
        Error::Discovery(_) => Fault::NotFound,
        error => Fault::of(&error),
    })
}

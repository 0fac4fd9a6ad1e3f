//! The operator's kinds that landfall does not use. What others have of them may be in a cluster's resource group, and
//! goes with it.

use std::collections::BTreeMap;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use hyper::Method;
use landfall_kube::Fault;
use landfall_kube::live::JSON;
use serde_json::Value;

use super::api::{Failure, Listing};
use super::live::Live;
use super::world::text;
use crate::kinds::{self, Kind};

/// What the versions end with that the operator converts others to.
const STORAGE: &str = "storage";
/// How many calls are under way at once.
const AT_ONCE: usize = 8;

/// What a namespace has of kinds that landfall does not use.
#[derive(Debug, Default)]
pub struct OfOtherKinds {
    /// The objects of each kind of which there are any.
    pub objects: Vec<(&'static Kind, Vec<Value>)>,
    /// The kinds that cannot be listed, as there is no right to, or the API server cannot read them.
    pub closed: Vec<&'static Kind>,
}

/// What a namespace has of kinds of the operator that landfall does not use.
///
/// # Errors
/// The API server does not answer.
pub async fn of_other_kinds(
    listing: &dyn Listing,
    kinds: &[&'static Kind],
    namespace: &str,
) -> Result<OfOtherKinds, Failure> {
    let lists = kinds.iter().map(|&kind| async move { (kind, listing.list(kind, namespace).await) });
    let lists: Vec<_> = stream::iter(lists.collect::<Vec<_>>()).buffered(AT_ONCE).collect().await;
    let mut found = OfOtherKinds::default();
    for (kind, list) in lists {
        match list {
            Ok(objects) if objects.is_empty() => {}
            Ok(objects) => found.objects.push((kind, objects)),
            Err(failure) if matches!(failure.fault, Fault::Forbidden(_) | Fault::Answer { .. }) => {
                found.closed.push(kind);
            }
            Err(failure) => return Err(failure),
        }
    }
    Ok(found)
}

impl Live {
    /// The kinds of the operator's groups that landfall does not use, as the API server serves them now.
    pub(super) async fn discover(&self) -> Result<Vec<&'static Kind>, Failure> {
        let groups = self.discovered("/apis").await?;
        let versions = list(&groups, "/groups").flat_map(|group| {
            // Others of Azure's, such as its networking, end alike.
            let is_operators = kinds::GROUPS.contains(&text(group, "/name"));
            list(group, "/versions").filter(move |_| is_operators).map(|one| text(one, "/groupVersion"))
        });
        let asked = versions.map(|version| async move {
            let served = self.discovered(&format!("/apis/{version}")).await?;
            Ok::<_, Failure>((version.to_owned(), served))
        });
        let all: Vec<(String, Value)> =
            stream::iter(asked.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
        Ok(of(&all))
    }

    /// An answer of the discovery; nothing where what was discovered before is gone.
    async fn discovered(&self, path: &str) -> Result<Value, Failure> {
        match self.calls().ask(Method::GET, path, JSON, &Value::Null).await {
            Err(failure) if failure.fault == Fault::NotFound => Ok(Value::Null),
            answer => answer,
        }
    }
}

fn list<'v>(value: &'v Value, at: &str) -> impl Iterator<Item = &'v Value> {
    value.pointer(at).and_then(Value::as_array).into_iter().flatten()
}

/// The kinds in what is served of each version: each once, in a version that users write if there is one.
fn of(versions: &[(String, Value)]) -> Vec<&'static Kind> {
    let mut found: BTreeMap<(&str, &str), (&str, &str)> = BTreeMap::new();
    for (group_version, served) in versions {
        let Some((group, version)) = group_version.split_once('/') else { continue };
        let resources = list(served, "/resources").filter(|resource| {
            let is_part = text(resource, "/name").contains('/');
            let is_namespaced = resource.get("namespaced") == Some(&Value::Bool(true));
            let is_listed = list(resource, "/verbs").any(|verb| verb == "list");
            is_namespaced && is_listed && !is_part && kinds::find(group, text(resource, "/kind")).is_none()
        });
        for resource in resources {
            let one =
                found.entry((group, text(resource, "/name"))).or_insert((version, text(resource, "/kind")));
            if one.0.ends_with(STORAGE) {
                one.0 = version;
            }
        }
    }
    let kind = |((group, plural), (version, kind))| kinds::foreign(group, version, kind, plural);
    found.into_iter().map(kind).collect()
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::BoxFuture;
    use serde_json::json;

    use super::*;

    #[test]
    fn each_kind_that_landfall_does_not_use_is_found_once() {
        let resource = |name: &str, kind: &str| json!({ "name": name, "kind": kind, "namespaced": true, "verbs": ["list"] });
        let served =
            |version: &str, resources: &[Value]| (version.to_owned(), json!({ "resources": resources }));
        let vaults = [
            resource("vaults", "Vault"),
            resource("vaults/status", "Vault"),
            json!({ "name": "wide", "kind": "Wide", "namespaced": false, "verbs": ["list"] }),
            json!({ "name": "unlisted", "kind": "Unlisted", "namespaced": true, "verbs": ["create"] }),
        ];
        let all = [
            served("keyvault.azure.com/v1api20210401previewstorage", &vaults),
            served("keyvault.azure.com/v1api20210401preview", &vaults),
            served("dbformysql.azure.com/v1", &[resource("flexibleservers", "FlexibleServer")]),
            served("dbforpostgresql.azure.com/v1", &[resource("flexibleservers", "FlexibleServer")]),
            served("resources.azure.com/v1api20200601", &[resource("resourcegroups", "ResourceGroup")]),
        ];
        let found: Vec<(&str, &str, &str)> =
            of(&all).iter().map(|kind| (kind.kind, kind.versions[0], kind.plural)).collect();
        let expected = [
            ("FlexibleServer.dbformysql.azure.com", "v1", "flexibleservers"),
            ("FlexibleServer.dbforpostgresql.azure.com", "v1", "flexibleservers"),
            ("Vault.keyvault.azure.com", "v1api20210401preview", "vaults"),
        ];
        assert_eq!(found, expected);
        assert!(std::ptr::eq(of(&all)[0], of(&all)[0]), "each is kept once");
    }

    /// Answers by the names of kinds.
    struct Server;

    impl Listing for Server {
        fn list<'a>(&'a self, kind: &'static Kind, _: &'a str) -> BoxFuture<'a, Result<Vec<Value>, Failure>> {
            let answer = match kind.plural {
                "vaults" => Ok(vec![json!({ "metadata": { "name": "theirs" } })]),
                "closed" => Err(Fault::Forbidden("no".to_owned())),
                "broken" => Err(Fault::Answer { status: 500, why: "conversion failed".to_owned() }),
                "unanswered" => Err(Fault::late()),
                _ => Ok(Vec::new()),
            };
            async { answer.map_err(Failure::from) }.boxed()
        }

        fn other_kinds(&self) -> BoxFuture<'_, Result<Vec<&'static Kind>, Failure>> {
            async { Ok(Vec::new()) }.boxed()
        }
    }

    #[tokio::test]
    async fn a_kind_that_cannot_be_listed_does_not_hide_the_others() {
        let kind = |plural: &str| kinds::foreign("sql.azure.com", "v1", "Any", plural);
        let kinds = ["closed", "none", "broken", "vaults"].map(kind);
        let found = of_other_kinds(&Server, &kinds, "here").await;
        let found = found.map(|found| {
            let plurals =
                |kinds: Vec<&'static Kind>| kinds.iter().map(|kind| kind.plural).collect::<Vec<_>>();
            (plurals(found.objects.iter().map(|(kind, _)| *kind).collect()), plurals(found.closed))
        });
        assert_eq!(found.ok(), Some((vec!["vaults"], vec!["closed", "broken"])));
        assert!(of_other_kinds(&Server, &[kind("unanswered")], "here").await.is_err());
    }
}

//! What a new release of the operator would find: the CRDs that are there, beside the same ones in the release.

use std::collections::BTreeMap;

use ::kube::Client;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use hyper::Method;
use landfall_kube::Fault;
use serde::Deserialize;

use super::{AT_ONCE, AnyCrd, CrdSpec, List, METADATA, Metadata, call, crd, labelled_path};
use crate::detect::{Crd, Upgraded};

/// The versions that CRDs have in a release, by the name of the CRD.
pub type Offered = BTreeMap<String, Vec<String>>;

/// A document of a release.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Document {
    kind: String,
    metadata: Metadata,
    spec: CrdSpec,
}

/// The versions of the CRDs in the YAML documents of a release; those of other kinds do not count.
///
/// # Errors
/// Why they cannot be read. Nothing of the text is in it.
pub fn offered(text: &str) -> Result<Offered, &'static str> {
    let mut all = Offered::new();
    for document in serde_yaml::Deserializer::from_str(text) {
        let read = Option::<Document>::deserialize(document);
        let read = read.map_err(|_| "not a YAML file of Kubernetes objects")?;
        let definition = read.filter(|document| document.kind == "CustomResourceDefinition");
        if let Some(Document { metadata, spec, .. }) = definition {
            let versions = spec.versions.into_iter().map(|version| version.name);
            all.insert(metadata.name, versions.collect());
        }
    }
    if all.is_empty() { Err("there is none") } else { Ok(all) }
}

/// The operator's CRDs as a release with these versions would find them. Objects are counted where the release
/// lacks a version in which they may be stored.
///
/// # Errors
/// The cluster does not answer, or does not permit to look.
pub async fn upgraded(client: &Client, offered: &Offered) -> Result<Vec<Upgraded>, Fault> {
    let names = names(client).await?;
    let whole: Vec<_> = names.into_iter().map(|name| crd(client.clone(), name)).collect();
    let whole: Vec<Option<Crd>> = stream::iter(whole).buffered(AT_ONCE).try_collect().await?;
    let mut all = Vec::new();
    for crd in whole.into_iter().flatten() {
        let offered = offered.get(&crd.name).cloned().unwrap_or_default();
        let mut upgraded = Upgraded { crd, offered, objects: 0 };
        if !upgraded.gone().is_empty() {
            upgraded.objects = count(client, &upgraded.crd).await?;
        }
        all.push(upgraded);
    }
    Ok(all)
}

/// The names of all of the operator's CRDs.
async fn names(client: &Client) -> Result<Vec<String>, Fault> {
    let mut all = Vec::new();
    let mut next = String::new();
    loop {
        let path = format!("{}&continue={next}", labelled_path());
        let page: List<AnyCrd> = call(client, Method::GET, &path, METADATA, Vec::new()).await?;
        all.extend(page.items.unwrap_or_default().into_iter().map(|crd| crd.metadata.name));
        next = page.metadata.next;
        if next.is_empty() {
            return Ok(all);
        }
    }
}

/// How many objects there are of a CRD's kind, in all namespaces.
async fn count(client: &Client, crd: &Crd) -> Result<usize, Fault> {
    let (plural, group) = crd.name.split_once('.').ok_or(Fault::NotFound)?;
    let version = crd.served.first().ok_or(Fault::NotFound)?;
    let path = format!("/apis/{group}/{version}/{plural}?limit=1");
    let page: List<AnyCrd> = call(client, Method::GET, &path, METADATA, Vec::new()).await?;
    Ok(page.items.unwrap_or_default().len().saturating_add(page.metadata.remaining_item_count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_has_the_versions_of_its_crds() {
        let text = "---\nkind: Namespace\nmetadata:\n  name: operator\n---\n# Comment.\n---\n\
                    apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n\
                    metadata:\n  name: disks.compute.azure.com\n\
                    spec:\n  group: compute.azure.com\n  versions:\n\
                    \x20 - name: v1\n    served: true\n    schema: {}\n  - name: v0\n    served: false\n";
        let versions = vec!["v1".to_owned(), "v0".to_owned()];
        assert_eq!(offered(text), Ok(Offered::from([("disks.compute.azure.com".to_owned(), versions)])));
    }

    #[test]
    fn of_what_is_no_release_nothing_is_shown() {
        for text in ["canary", "kind: [canary", "kind: Secret\nmetadata: canary", "kind: Secret", ""] {
            assert!(offered(text).is_err_and(|why| !why.contains("canary")), "{text}");
        }
    }

    #[test]
    fn a_page_says_how_many_follow() -> Result<(), serde_json::Error> {
        let metadata = serde_json::json!({ "continue": "next", "remainingItemCount": 4 });
        let list = serde_json::json!({ "metadata": metadata, "items": [{ "metadata": { "name": "a" } }] });
        let page: List<AnyCrd> = serde_json::from_value(list)?;
        assert_eq!((page.metadata.next.as_str(), page.metadata.remaining_item_count), ("next", 4));
        let whole: List<AnyCrd> = serde_json::from_value(serde_json::json!({ "items": null }))?;
        assert_eq!((whole.metadata.next.as_str(), whole.metadata.remaining_item_count), ("", 0));
        Ok(())
    }
}

//! The applications of a cluster in the directory, by Microsoft Graph. Old releases of OpenShift made them for
//! their operators.

use std::sync::Arc;

use azure_core::http::Method;
use landfall_diagnostics::{Finding, Kind};
use landfall_platform::removal::{Discovered, Resource};
use serde::Deserialize;
use serde::de::IgnoredAny;
use url::Url;

use super::kinds::{APPLICATION, SERVICE_PRINCIPAL};
use super::{Ask, AzureRemoval, pages};
use crate::cloud::arm::{Arm, read};
use crate::cloud::fault::{Fault, Sort};
use crate::cloud::gather::resource;
use crate::cloud::transport;

/// The version of the interface.
const VERSION: &str = "v1.0";
const PRINCIPALS: &str = "servicePrincipals";
const APPLICATIONS: &str = "applications";

/// Microsoft Graph of a cloud.
pub(super) struct Directory {
    arm: Arm,
    base: Url,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Entry {
    id: String,
    app_id: String,
    display_name: String,
    tags: Vec<String>,
}

impl AzureRemoval<'_> {
    /// Microsoft Graph; none in a cloud that has none.
    pub(super) async fn directory(&self) -> Result<Option<&Directory>, Fault> {
        let session = self.session();
        let cloud = session.asking.catalogue.azure.cloud(&session.platform.cloud_name);
        let given = cloud.and_then(|(_, cloud)| cloud.microsoft_graph_endpoint.as_deref());
        let Some(given) = given.filter(|given| !given.is_empty()) else {
            return Ok(None);
        };
        let call = format!("GET {PRINCIPALS}");
        let url = Url::parse(given).ok().filter(|url| url.scheme() == "https" && url.has_host());
        let Some(base) = url else {
            let why = "microsoftGraphEndpoint of the cloud is not an https URL in the catalogue";
            return Err(Fault::unmade(&call, why));
        };
        let (Ok(found), Some(client)) = (session.found().await, session.client()) else {
            self.give_up(&session);
            return Err(Fault::unmade(&call, "there are no credentials"));
        };
        Ok(Some(self.directory.get_or_init(|| {
            let tokens = found.tokens.of_scope(&format!("{}/.default", given.trim_end_matches('/')));
            let limit = session.asking.patience.call;
            let (scrub, concurrency) = (session.scrub(), session.concurrency());
            let arm = Arm::new(transport::for_calls(client), &base, false, limit, scrub, concurrency);
            Directory { arm: arm.with_tokens(Arc::new(tokens)), base }
        })))
    }
}

impl Directory {
    fn url(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        let whole = format!("{}/{VERSION}/{path}", self.base.path().trim_end_matches('/'));
        url.set_path(&whole);
        url
    }

    async fn list(&self, what: &str, filter: &str, select: &str) -> Result<Vec<Entry>, Fault> {
        let call = format!("GET {what}");
        let mut url = self.url(what);
        url.query_pairs_mut().append_pair("$filter", filter).append_pair("$select", select);
        let written = url.query().unwrap_or_default().replace('+', "%20");
        url.set_query(Some(&written));
        self.arm.listed(&call, url).await
    }

    /// Removes what an id of a thing names. What is not there is gone already.
    pub(super) async fn delete(&self, id: &str) -> Result<(), Fault> {
        let call = format!("DELETE {id}");
        match self.arm.send(&call, Method::Delete, &self.url(&path(id)), None).await {
            Err(fault) if !fault.is_absence() => Err(fault),
            _ => Ok(()),
        }
    }

    /// Whether what an id of a thing names is still there.
    pub(super) async fn has(&self, id: &str) -> Result<bool, Fault> {
        let call = format!("GET {id}");
        match self.arm.send(&call, Method::Get, &self.url(&path(id)), None).await {
            Ok(response) => read::<IgnoredAny>(&call, &response).map(|_| true),
            Err(fault) if fault.is_absence() => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}

/// The path of what an id of a thing names.
fn path(id: &str) -> String {
    let (what, id) = id.split_once('/').unwrap_or((id, ""));
    format!("{what}/{}", resource::segment(id))
}

/// The applications of the cluster. They go with their service principals.
pub(super) async fn applications(removal: &AzureRemoval<'_>, ask: &Ask<'_>) -> Discovered {
    let mut out = Discovered::default();
    let found = match removal.directory().await {
        Ok(Some(directory)) => found(directory, ask).await,
        Ok(None) => return out,
        Err(fault) => Err(fault),
    };
    match found {
        Ok(things) => out.things = things,
        // Clusters whose subscription landfall noted are landfall's, and landfall makes no applications. Another look is
        // made where it may see more.
        Err(fault) if removal.target.account.is_some() && !may_pass(&fault) => {
            out.notes
                .push(Finding { severity: landfall_diagnostics::Severity::Warning, ..hidden(ask, &fault) });
        }
        Err(fault) => out.unseen.push(hidden(ask, &fault)),
    }
    out
}

/// Whether the directory itself may answer another time: it was in trouble, or something on the way has answered. A
/// network without a way to it stays so.
fn may_pass(fault: &Fault) -> bool {
    const TROUBLE: &[&str] = &[
        "InternalServerError",
        "ServiceUnavailable",
        "UnknownError",
        "generalException",
        "serviceNotAvailable",
    ];
    match fault.sort {
        Sort::Throttled | Sort::NotUnderstood => true,
        Sort::Service => fault.code.as_deref().is_some_and(|code| TROUBLE.contains(&code)),
        Sort::Denied | Sort::Credentials | Sort::NotFound | Sort::TimedOut | Sort::Unreachable => false,
    }
}

async fn found(directory: &Directory, ask: &Ask<'_>) -> Result<Vec<Resource>, Fault> {
    let id = ask.owner.infra_id();
    let filter = format!("startswith(displayName,'{id}')");
    let listed = directory.list(PRINCIPALS, &filter, "id,appId,displayName,tags").await?;
    let tag = format!("{}=owned", ask.owner.tag());
    let own = |entry: &Entry| {
        let named = entry.display_name.get(..id.len()).is_some_and(|head| head.eq_ignore_ascii_case(id));
        named && entry.tags.iter().any(|own| own.eq_ignore_ascii_case(&tag))
    };
    let mut things: Vec<Resource> = Vec::new();
    for principal in listed.into_iter().filter(own) {
        let filter = format!("appId eq '{}'", principal.app_id.replace('\'', "''"));
        let of = directory.list(APPLICATIONS, &filter, "id,appId,displayName").await?;
        // The application may be gone, or of another tenant; then the principal goes alone.
        let Some(application) = of.iter().find(|entry| !entry.id.is_empty()) else {
            let id = format!("{PRINCIPALS}/{}", principal.id);
            things.push(Resource::removed(&SERVICE_PRINCIPAL, id, principal.display_name));
            continue;
        };
        let id = format!("{APPLICATIONS}/{}", application.id);
        if !things.iter().any(|known| known.id == id) {
            things.push(Resource::removed(&APPLICATION, id, application.display_name.clone()));
        }
    }
    Ok(things)
}

fn hidden(ask: &Ask<'_>, fault: &Fault) -> Finding {
    let kind = if fault.sort == Sort::Denied { Kind::Forbidden } else { Kind::Invalid };
    let message =
        format!("it is unknown whether the directory has applications of the cluster: {}", fault.sentence());
    let help = format!(
        "grant the caller the permission Application.Read.All of Microsoft Graph; or check Microsoft Entra \
         ID for app registrations whose names begin with {}: only clusters of old releases with \
         credentialsMode Mint have them",
        ask.owner.infra_id()
    );
    Finding::error(&pages::DIRECTORY, kind, "", message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::scripted::{Scripted, scripted};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const LISTED: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "p-1", "appId": "a-1", "displayName": "demo-bcd24-openshift-image-registry",
             "tags": ["x", "kubernetes.io_cluster.demo-bcd24=owned"]},
            {"id": "p-2", "appId": "a-2", "displayName": "demo-bcd24-openshift-ingress", "tags": []}
         ], "@odata.nextLink": "https://graph.example.com/v1.0/servicePrincipals?$skiptoken=2"}"#,
    );
    const MORE: Scripted = (
        200,
        &[],
        r#"{"value": [{"id": "p-3", "appId": "a-3", "displayName": "demo-bcd24-openshift-machine-api",
            "tags": ["kubernetes.io_cluster.demo-bcd24=owned"]}]}"#,
    );
    const ONE: Scripted = (200, &[], r#"{"value": [{"id": "o-1", "appId": "a-1", "displayName": "one"}]}"#);
    const NONE: Scripted = (200, &[], r#"{"value": []}"#);

    #[test]
    fn only_a_directory_that_may_answer_later_is_asked_again() {
        let of = |sort: Sort, code: Option<&str>| {
            let fault = Fault { sort, code: code.map(str::to_owned), ..Fault::not_understood("GET x", "") };
            may_pass(&fault)
        };
        assert!(of(Sort::NotUnderstood, None));
        assert!(of(Sort::Service, Some("ServiceUnavailable")));
        assert!(!of(Sort::Service, Some("Request_BadRequest")));
        for sort in [Sort::Denied, Sort::Unreachable, Sort::TimedOut] {
            assert!(!of(sort, None), "{sort:?}");
        }
    }

    #[tokio::test]
    async fn applications_are_found_by_their_principals() -> Outcome {
        let (arm, script) = scripted(&[LISTED, MORE, ONE, NONE])?;
        let (rest, _) = scripted(&[])?;
        let directory = Directory { arm, base: Url::parse("https://graph.example.com/")? };
        let ask = Ask::of_test(&rest);
        let things = found(&directory, &ask).await.map_err(|fault| fault.message)?;
        let ids: Vec<&str> = things.iter().map(|thing| thing.id.as_str()).collect();
        assert_eq!(ids, ["applications/o-1", "servicePrincipals/p-3"]);
        let asked = script.asked();
        let first = asked.first().map(String::as_str).unwrap_or_default();
        assert!(first.starts_with("GET https://graph.example.com/v1.0/servicePrincipals?"), "{first}");
        assert!(!first.contains('+'), "{first}");
        Ok(())
    }

    #[tokio::test]
    async fn what_the_directory_does_not_have_is_gone() -> Outcome {
        const GONE: Scripted = (404, &[], r#"{"error":{"code":"Request_ResourceNotFound","message":"no"}}"#);
        const DENIED: Scripted =
            (403, &[], r#"{"error":{"code":"Authorization_RequestDenied","message":"no"}}"#);
        let (arm, script) = scripted(&[(204, &[], ""), GONE, GONE, DENIED])?;
        let directory = Directory { arm, base: Url::parse("https://graph.example.com/")? };
        assert_eq!(directory.delete("applications/a/b").await, Ok(()));
        assert_eq!(directory.delete("applications/a").await, Ok(()));
        assert_eq!(directory.has("applications/a").await, Ok(false));
        let denied = directory.delete("applications/a").await.map_err(|fault| fault.sort);
        assert_eq!(denied, Err(Sort::Denied));
        let first = script.asked().first().cloned();
        assert_eq!(first.as_deref(), Some("DELETE https://graph.example.com/v1.0/applications/a%2Fb"));
        Ok(())
    }
}

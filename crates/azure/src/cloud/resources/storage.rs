//! Blobs of the cluster's storage account: the copy of the machines' image, and the bootstrap machine's config.
//!
//! The storage service is asked with a signature of the account's key, or where the account refuses its keys, with a
//! token for storage accounts. It never sees a token for the resource manager.

#![allow(clippy::disallowed_methods, reason = "a signature contains its validity")]

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};
use jiff::Timestamp;
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::shortened;
use landfall_platform::native::{Existing, Failure, Properties, State, Wanted, secret_name};
use reqwest::header::HeaderMap;
use reqwest::{Method, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::failure::failure;
use super::signature::{Allowed, VERSION, query as signed};
use super::{COPY, Made, Resources, pages};
use crate::cloud::api_versions::Api;
use crate::cloud::authority;
use crate::cloud::fault::{Fault, Sort};
use crate::resources::BY_IDENTITY;

/// The digest of an uploaded blob, among its metadata.
const DIGEST: &str = "x-ms-meta-sha256";
/// What every answer of the storage service has.
const REQUEST: &str = "x-ms-request-id";
const COPY_STATUS: &str = "x-ms-copy-status";
/// The scope of tokens for the blobs of all accounts, the same in every cloud:
/// <https://learn.microsoft.com/azure/storage/blobs/authorize-access-azure-active-directory>.
const SCOPE: &str = "https://storage.azure.com/.default";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Keys {
    keys: Vec<Key>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Key {
    value: String,
}

/// The query that gives access to the blobs of an account.
pub(super) async fn query(
    resources: &Resources<'_>,
    account: &str,
    allowed: Allowed,
) -> Made<Secret<String>> {
    let known = resources.known().keys.get(account).cloned();
    let key = if let Some(key) = known {
        key
    } else {
        let arm = resources.arm().await?;
        let path = format!("{account}/listKeys");
        let keys = arm
            .complete::<Keys>(azure_core::http::Method::Post, Api::STORAGE_ACCOUNTS, &path, &json!({}))
            .await;
        let keys = keys.map_err(|fault| failure(&fault))?;
        let key = keys.keys.into_iter().map(|key| Secret::new(key.value)).next().unwrap_or_default();
        resources.session.hide(&key);
        resources.known().keys.insert(account.to_owned(), key.clone());
        key
    };
    let name = account.rsplit('/').next().unwrap_or_default();
    let query = signed(name, &key, allowed, Timestamp::now());
    let query =
        query.ok_or_else(|| refused(&format!("POST {name}/listKeys"), "it gives no key in base64"))?;
    resources.session.hide(&query);
    Ok(query)
}

/// A token that gives access to the blobs that the caller's role allows.
async fn token(resources: &Resources<'_>, call: &str) -> Made<Secret<String>> {
    let found = resources.session.found().await;
    let found = found.map_err(|_| refused(call, "there are no credentials"))?;
    let tokens = resources.blob_tokens.get_or_init(|| async { found.tokens.of_scope(SCOPE) }).await;
    let token = tokens.token().await.map_err(|error| {
        let fault = Fault::of_token(call, &error);
        let is_authority_down =
            authority::failed_with(&error).is_some() || landfall_net::fault(&error).is_some();
        if is_authority_down && fault.sort != Sort::Throttled {
            Failure::NotYet(Box::new(pages::storage(call, &fault.message)))
        } else {
            failure(&fault)
        }
    })?;
    Ok(Secret::new(token.token.secret().to_owned()))
}

fn refused(call: &str, why: &str) -> Failure {
    Failure::Refused(Box::new(pages::storage(call, why)))
}

/// A blob, as the graph names it.
struct Blob<'w> {
    account: &'w str,
    container: &'w str,
    name: &'w str,
    endpoint: &'w str,
    access: &'w str,
}

impl<'w> Blob<'w> {
    fn of(wanted: &'w Wanted) -> Self {
        let text = |key| wanted.inputs.get(key).and_then(Value::as_str).unwrap_or_default();
        Self {
            account: text("account"),
            container: text("container"),
            name: text("name"),
            endpoint: text("endpoint"),
            access: text("access"),
        }
    }

    fn id(&self) -> String {
        let Self { account, container, name, .. } = self;
        format!("{account}/blobServices/default/containers/{container}/blobs/{name}")
    }

    fn url(&self) -> String {
        format!("{}/{}/{}", self.endpoint.trim_end_matches('/'), self.container, self.name)
    }

    fn call(&self, method: &Method) -> String {
        format!("{method} blob {}/{}", self.container, self.name)
    }

    fn outputs(&self) -> Properties {
        let url = self.url();
        [("id", self.id()), ("url", url)]
            .map(|(key, value)| (key.to_owned(), value.into()))
            .into_iter()
            .collect()
    }

    /// The answer of the storage service; none where it has no such blob.
    async fn send(
        &self,
        resources: &Resources<'_>,
        method: Method,
        headers: &[(&'static str, String)],
        body: Option<Vec<u8>>,
    ) -> Made<Option<Response>> {
        let call = self.call(&method);
        let url = Url::parse(&self.url()).ok().filter(|url| url.scheme() == "https");
        let (Some(mut url), Some(client)) = (url, resources.session.client()) else {
            return Err(refused(&call, "the endpoint of the storage account is not an https URL"));
        };
        let by_identity = self.access == BY_IDENTITY;
        if !by_identity {
            url.set_query(Some(query(resources, self.account, Allowed::Write).await?.expose()));
        }
        let mut request = client.request(method, url).header("x-ms-version", VERSION);
        if by_identity {
            let now = Timestamp::now().strftime("%a, %d %b %Y %H:%M:%S GMT");
            request = request.bearer_auth(token(resources, &call).await?.expose());
            request = request.header("x-ms-date", now.to_string());
        }
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        // A request without a body says so.
        request = request.body(body.unwrap_or_default());
        let permit = resources.session.concurrency();
        let permit = permit.take().await;
        let _call = landfall_net::calls::begin(&call);
        let answer = request.send().await;
        drop(permit);
        let answer = answer.map_err(|error| {
            let why = landfall_net::fault(&error).map(|(_, why)| why);
            let why = why.unwrap_or_else(|| "no response".to_owned());
            Failure::Unknown(Box::new(pages::storage(&call, &why)))
        })?;
        let status = answer.status().as_u16();
        if header(answer.headers(), REQUEST).is_empty() {
            let why = format!("unexpected response (HTTP {status}): this is not the storage service");
            return Err(Failure::Unknown(Box::new(pages::storage(&call, &why))));
        }
        if answer.status().is_success() {
            return Ok(Some(answer));
        }
        let code = header(answer.headers(), "x-ms-error-code");
        if status == 404 {
            return Ok(None);
        }
        let why = if code.is_empty() { format!("HTTP {status}") } else { format!("{code} (HTTP {status})") };
        let finding = Box::new(pages::storage(&call, &why));
        Err(match status {
            429 | 503 => Failure::Throttled(finding),
            500.. => Failure::Unknown(finding),
            // A new account does not know its keys at once, and a blob can be written by one at a time.
            403 | 409 | 412 => Failure::NotYet(finding),
            _ => Failure::Refused(finding),
        })
    }
}

fn header(headers: &HeaderMap, name: &str) -> String {
    headers.get(name).and_then(|value| value.to_str().ok()).map(shortened).unwrap_or_default()
}

/// The blob of a node, if it exists. One with another content counts as missing, as the creating call replaces it.
pub(super) async fn find(resources: &Resources<'_>, wanted: &Wanted, fresh: bool) -> Made<Option<Existing>> {
    let blob = Blob::of(wanted);
    if !fresh && resources.is_new(&blob.id()) {
        return Ok(None);
    }
    let Some(answer) = blob.send(resources, Method::HEAD, &[], None).await? else { return Ok(None) };
    let headers = answer.headers();
    let state = if wanted.kind == COPY { copied(headers) } else { State::Ready };
    if wanted.kind != COPY && header(headers, DIGEST) != hex(content(resources, wanted).expose()) {
        return Ok(None);
    }
    Ok(Some(Existing { outputs: blob.outputs(), differences: Vec::new(), state, is_own: None }))
}

/// How far the storage service is with a copy.
fn copied(headers: &HeaderMap) -> State {
    let status = header(headers, COPY_STATUS);
    match status.as_str() {
        "pending" => State::Pending(format!("copied {}", header(headers, "x-ms-copy-progress"))),
        "" | "success" => State::Ready,
        _ => State::Broken(format!(
            "the copy is {status}: {}",
            header(headers, "x-ms-copy-status-description")
        )),
    }
}

/// Uploads the blob of a node, or has the storage service copy it.
pub(super) async fn create(resources: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let blob = Blob::of(wanted);
    let (headers, body) = if wanted.kind == COPY {
        let source = wanted.text("source");
        (vec![("x-ms-copy-source", source.to_owned()), ("x-ms-meta-source_uri", source.to_owned())], None)
    } else {
        let content = content(resources, wanted);
        let headers = vec![
            ("x-ms-blob-type", "BlockBlob".to_owned()),
            ("content-type", "application/octet-stream".to_owned()),
            (DIGEST, hex(content.expose())),
        ];
        (headers, Some(content.expose().clone().into_bytes()))
    };
    let answer = blob.send(resources, Method::PUT, &headers, body).await?;
    if answer.is_none() {
        let why = "the storage service does not see its container yet, or not the source of the copy";
        return Err(Failure::NotYet(Box::new(pages::storage(&blob.call(&Method::PUT), why))));
    }
    Ok(blob.outputs())
}

fn content(resources: &Resources<'_>, wanted: &Wanted) -> Secret<String> {
    let name = wanted.inputs.get("content").and_then(secret_name).unwrap_or_default();
    resources.secrets.get(name).cloned().unwrap_or_default()
}

fn hex(text: &str) -> String {
    let digest = digest(&SHA256, text.as_bytes());
    digest.as_ref().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    #[test]
    fn a_copy_tells_how_far_it_is() {
        let state = |status: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(COPY_STATUS, HeaderValue::from_static(status));
            copied(&headers)
        };
        assert_eq!(state("success"), State::Ready);
        assert!(matches!(state("pending"), State::Pending(_)));
        assert!(matches!(state("failed"), State::Broken(_)));
        assert_eq!(copied(&HeaderMap::new()), State::Ready);
        assert_eq!(hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}

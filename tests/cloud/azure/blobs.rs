//! The data of storage accounts: blobs, for those who have the account's key, an address that was signed with it, or a
//! token for storage accounts.

use std::collections::BTreeMap;

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use url::form_urlencoded;

use super::answer::Answer;
use super::call::Call;
use super::shape::account_key;
use super::tree::Tree;
use crate::front::Asked;

/// How often somebody must look at a blob before its copy is whole.
const LOOKS: u64 = 2;

/// What blobs are, where nobody says.
const KIND: &str = "application/octet-stream";

/// What the blob service of an account says; none where the host is not one of a storage account. `proven` says whether
/// the call brings a token of the directory for storage accounts.
pub fn answer(tree: &mut Tree, asked: &Asked, call: &Call, proven: bool) -> Option<Answer> {
    let (account, _) = call.host.split_once(".blob.")?;
    let end = format!("/microsoft.storage/storageaccounts/{account}");
    let Some(path) = tree.all().map(|(path, _)| path.to_owned()).find(|path| path.ends_with(&end)) else {
        // Somebody else's, where everybody may read.
        return Some(Answer::new(200, KIND, if call.method == "HEAD" { "" } else { "disk" }));
    };
    let properties = tree.get(&path).map(|document| document["properties"].clone()).unwrap_or_default();
    if let Some(refusal) = refused(asked, call, account, &properties, proven) {
        return Some(refusal);
    }
    let mut segments = call.written.trim_start_matches('/').splitn(2, '/');
    let (container, name) = (segments.next().unwrap_or_default(), segments.next().unwrap_or_default());
    let container = format!("{path}/blobservices/default/containers/{container}");
    if tree.get(&container).is_none() {
        return Some(fault(404, "ContainerNotFound"));
    }
    Some(of_blob(tree, asked, call, &format!("{container}/blobs/{name}")))
}

fn of_blob(tree: &mut Tree, asked: &Asked, call: &Call, path: &str) -> Answer {
    match (call.method.as_str(), call.asks("comp")) {
        ("PUT", "") if !asked.header("x-ms-copy-source").is_empty() => {
            let mut blob = blob(asked, "", "PageBlob");
            blob["copy"] = json!({ "source": asked.header("x-ms-copy-source"), "looks": LOOKS });
            tree.put(path, blob);
            copied(Answer::new(202, KIND, ""), "pending")
        }
        ("PUT", "") => {
            tree.put(path, blob(asked, &asked.body, asked.header("x-ms-blob-type")));
            Answer::new(201, KIND, "")
        }
        ("PUT", "block") => {
            let blocks = format!("{path}?blocks");
            let mut known = tree.get(&blocks).cloned().unwrap_or_else(|| json!({}));
            known[call.asks("blockid")] = json!(asked.body);
            tree.put(&blocks, known);
            Answer::new(201, KIND, "")
        }
        ("PUT", "blocklist") => {
            let known = tree.get(&format!("{path}?blocks")).cloned().unwrap_or_default();
            tree.take(&format!("{path}?blocks"));
            let ids = asked.body.split("<Latest>").skip(1).filter_map(|rest| rest.split('<').next());
            let content: String = ids.map(|id| known[id].as_str().unwrap_or_default().to_owned()).collect();
            tree.put(path, blob(asked, &content, "BlockBlob"));
            Answer::new(201, KIND, "")
        }
        (_, _) if tree.get(path).is_none() => fault(404, "BlobNotFound"),
        ("PUT", "properties") => {
            let own = |name: &str| json!(asked.header(&format!("x-ms-blob-{name}")));
            let blob = tree.at(path);
            blob["md5"] = own("content-md5");
            blob["contentType"] = own("content-type");
            Answer::new(200, KIND, "")
        }
        ("PUT", "metadata") => {
            tree.at(path)["metadata"] = metadata(asked);
            Answer::new(200, KIND, "")
        }
        ("PUT", "tier") => Answer::new(200, KIND, ""),
        ("HEAD" | "GET", "") => read(tree, call, path),
        ("DELETE", "") => {
            tree.take(path);
            Answer::new(202, KIND, "")
        }
        _ => fault(400, "UnsupportedQueryParameter"),
    }
}

/// A blob as it is kept.
fn blob(asked: &Asked, content: &str, kind: &str) -> Value {
    json!({
        "type": kind,
        "content": content,
        "md5": asked.header("x-ms-blob-content-md5"),
        "contentType": asked.header("x-ms-blob-content-type"),
        "metadata": metadata(asked),
    })
}

fn metadata(asked: &Asked) -> Value {
    let own = asked.headers.iter().filter(|(name, _)| name.starts_with("x-ms-meta-"));
    own.map(|(name, value)| (name.clone(), json!(value))).collect::<serde_json::Map<String, Value>>().into()
}

fn read(tree: &mut Tree, call: &Call, path: &str) -> Answer {
    let blob = tree.at(path);
    let content = blob["content"].as_str().unwrap_or_default().to_owned();
    let body = if call.method == "HEAD" { "" } else { content.as_str() };
    let mut answer = Answer::new(200, blob["contentType"].as_str().unwrap_or(KIND), body)
        .header("content-length", &content.len().to_string())
        .header("x-ms-blob-type", blob["type"].as_str().unwrap_or_default())
        .header("x-ms-access-tier", "Hot")
        .header("etag", "\"0x8DE28D\"")
        .header("last-modified", "Sat, 21 Nov 2026 08:00:00 GMT");
    if let Some(md5) = blob["md5"].as_str().filter(|md5| !md5.is_empty()) {
        answer = answer.header("content-md5", md5);
    }
    for (name, value) in blob["metadata"].as_object().into_iter().flatten() {
        answer = answer.header(name, value.as_str().unwrap_or_default());
    }
    let Some(looks) = blob["copy"]["looks"].as_u64() else { return answer };
    blob["copy"]["looks"] = json!(looks.saturating_sub(1));
    let source = blob["copy"]["source"].as_str().unwrap_or_default().to_owned();
    let status = if looks == 0 { "success" } else { "pending" };
    copied(answer, status).header("x-ms-copy-source", &source)
}

fn copied(answer: Answer, status: &str) -> Answer {
    answer.header("x-ms-copy-id", "7e0b0e35-0000-4000-8000-00000000c0c0").header("x-ms-copy-status", status)
}

/// What is said to who proves neither itself nor that it knows the key of an account:
/// <https://learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory>.
fn refused(asked: &Asked, call: &Call, account: &str, properties: &Value, proven: bool) -> Option<Answer> {
    let by_token = call.authorization.starts_with("Bearer ");
    if by_token && !proven {
        return Some(fault(401, "InvalidAuthenticationInfo"));
    }
    if by_token && asked.header("x-ms-version") < "2017-11-09" {
        return Some(fault(400, "InvalidHeaderValue"));
    }
    if !by_token && properties["allowSharedKeyAccess"] == false {
        return Some(fault(403, "KeyBasedAuthenticationNotPermitted"));
    }
    if properties["publicNetworkAccess"] == "Disabled" {
        return Some(fault(403, "PublicAccessNotPermitted"));
    }
    let knows = if by_token {
        true
    } else if call.asks("sig").is_empty() {
        let expected = format!("SharedKey {account}:{}", signed(account, &of_request(asked, account)));
        call.authorization == expected
    } else {
        is_signed(call, account)
    };
    (!knows).then(|| fault(403, "AuthenticationFailed"))
}

/// What is signed of a request: <https://learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key>.
fn of_request(asked: &Asked, account: &str) -> String {
    let length = asked.header("content-length");
    let date = if asked.header("x-ms-date").is_empty() { asked.header("date") } else { "" };
    let mut parts: Vec<String> = vec![asked.method.clone()];
    parts.extend(["content-encoding", "content-language"].map(|name| asked.header(name).to_owned()));
    parts.push(if length == "0" { String::new() } else { length.to_owned() });
    parts.extend(["content-md5", "content-type"].map(|name| asked.header(name).to_owned()));
    parts.push(date.to_owned());
    let conditions = ["if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"];
    parts.extend(conditions.map(|name| asked.header(name).to_owned()));
    let own: BTreeMap<&str, &str> = asked
        .headers
        .iter()
        .filter(|(name, _)| name.starts_with("x-ms-"))
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    parts.extend(own.iter().map(|(name, value)| format!("{name}:{value}")));
    let (path, query) = asked.path.split_once('?').unwrap_or((asked.path.as_str(), ""));
    parts.push(format!("/{account}{path}"));
    let query: BTreeMap<String, String> = form_urlencoded::parse(query.as_bytes())
        .map(|(name, value)| (name.to_lowercase(), value.into_owned()))
        .collect();
    parts.extend(query.iter().map(|(name, value)| format!("{name}:{value}")));
    parts.join("\n")
}

/// Whether an address is signed, for reading blobs by TLS:
/// <https://learn.microsoft.com/rest/api/storageservices/create-account-sas>.
fn is_signed(call: &Call, account: &str) -> bool {
    let fields = ["sp", "ss", "srt", "st", "se", "sip", "spr", "sv", "ses"].map(|name| call.asks(name));
    let text = format!("{account}\n{}\n", fields.join("\n"));
    // Versions before 2020-12-06 know no scope of encryption.
    let is_older = call.asks("sv") < "2020-12-06";
    let text = if is_older { text.strip_suffix('\n').unwrap_or_default().to_owned() } else { text };
    let allows = |name: &str, what: char| call.asks(name).contains(what);
    let needed = if ["GET", "HEAD"].contains(&call.method.as_str()) { 'r' } else { 'w' };
    let lasts = call.asks("st") < call.asks("se");
    lasts
        && allows("sp", needed)
        && allows("ss", 'b')
        && allows("srt", 'o')
        && call.asks("spr") == "https"
        && call.asks("sig") == signed(account, &text)
}

fn signed(account: &str, text: &str) -> String {
    let key = STANDARD.decode(account_key(account)).unwrap_or_default();
    STANDARD.encode(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), text.as_bytes()))
}

fn fault(status: u16, code: &str) -> Answer {
    let body = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>{code}</Code></Error>");
    Answer::new(status, "application/xml", body).header("x-ms-error-code", code)
}

//! Questions to a cluster that are not about one object: what there is of a kind, and who may do what.

use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::Method;
use serde_json::{Value, json};
use url::form_urlencoded::byte_serialize;

use super::kinds::{SUBJECT_ACCESS_REVIEW, TOKEN_REVIEW};
use super::live::{self, JSON};
use super::objects::Kind;
use super::{Fault, Live};

/// How many objects are asked for at once.
const PAGE: u32 = 50;

/// Takes one object after the other, and says each time whether it wants the next.
pub type Taker<'a> = &'a mut (dyn FnMut(Value) -> bool + Send);

/// What can be asked of a cluster.
pub trait Questions: Send + Sync {
    /// Gives all objects of a kind to `taker`, of one namespace or of all; none where the cluster does not
    /// know the kind.
    fn each<'a>(
        &'a self,
        kind: &'static Kind,
        namespace: Option<&'a str>,
        taker: Taker<'a>,
    ) -> BoxFuture<'a, Result<(), Fault>>;

    /// Whether somebody may do something, as the spec of a `SubjectAccessReview` asks it.
    fn allows(&self, spec: Value) -> BoxFuture<'_, Result<bool, Fault>>;

    /// Whose token this is, as the status of a `TokenReview` says it; none of a token that the cluster does not take.
    fn authenticates(&self, token: String) -> BoxFuture<'_, Result<Option<Value>, Fault>>;
}

impl Questions for Live {
    fn each<'a>(
        &'a self,
        kind: &'static Kind,
        namespace: Option<&'a str>,
        taker: Taker<'a>,
    ) -> BoxFuture<'a, Result<(), Fault>> {
        async move {
            // There is nothing in what cannot be a namespace.
            let path = live::path(&kind.api_version(), kind.plural, namespace, None);
            let Ok(path) = path else { return Ok(()) };
            let mut next = String::new();
            loop {
                let page = format!("{path}?limit={PAGE}{next}");
                let mut list = match self.call(Method::GET, &page, JSON, &Value::Null).await {
                    Ok(list) => list,
                    Err(Fault::NotFound) => return Ok(()),
                    Err(fault) => return Err(fault),
                };
                if let Some(Value::Array(items)) = list.get_mut("items").map(Value::take) {
                    for object in items {
                        if !taker(object) {
                            return Ok(());
                        }
                    }
                }
                match list.pointer("/metadata/continue").and_then(Value::as_str) {
                    Some(token) if !token.is_empty() => {
                        next = format!("&continue={}", byte_serialize(token.as_bytes()).collect::<String>());
                    }
                    _ => return Ok(()),
                }
            }
        }
        .boxed()
    }

    fn allows(&self, spec: Value) -> BoxFuture<'_, Result<bool, Fault>> {
        async move {
            let kind = &SUBJECT_ACCESS_REVIEW;
            // The API takes no metadata here.
            let question = json!({ "apiVersion": kind.api_version(), "kind": kind.kind, "spec": spec });
            let path = live::path(&kind.api_version(), kind.plural, None, None)?;
            let answer = self.call(Method::POST, &path, JSON, &question).await?;
            Ok(answer.pointer("/status/allowed").and_then(Value::as_bool).unwrap_or_default())
        }
        .boxed()
    }

    fn authenticates(&self, token: String) -> BoxFuture<'_, Result<Option<Value>, Fault>> {
        async move {
            let kind = &TOKEN_REVIEW;
            let question =
                json!({ "apiVersion": kind.api_version(), "kind": kind.kind, "spec": { "token": token } });
            let path = live::path(&kind.api_version(), kind.plural, None, None)?;
            let mut answer = self.call(Method::POST, &path, JSON, &question).await?;
            let is_known = answer.pointer("/status/authenticated").and_then(Value::as_bool);
            let user = answer.pointer_mut("/status/user").map(Value::take);
            Ok(user.filter(|_| is_known == Some(true)))
        }
        .boxed()
    }
}

//! Calls that begin something, and the wait until it has come to its end: the resource manager names a URL at
//! which it tells how far it is.

use std::time::Duration;

use azure_core::http::headers::HeaderName;
use azure_core::http::{Method, RawResponse};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, sleep};
use url::Url;

use super::api_versions::Api;
use super::arm::{Arm, if_there, named, read};
use super::described::WithoutNulls;
use super::fault::Fault;
use super::transport::retry_after;

/// The pause between two looks where Azure asks for none, and the longest one that it can ask for.
const PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Nothing that is worth waiting for takes longer.
const LONGEST: Duration = Duration::from_hours(1);

const OPERATION: HeaderName = HeaderName::from_static("azure-asyncoperation");
const LOCATION: HeaderName = HeaderName::from_static("location");

/// The answer of something that is not finished.
const ACCEPTED: u16 = 202;

/// Something that was begun, and where the resource manager tells how far it is.
#[derive(Clone, Debug)]
pub(super) struct Operation {
    call: String,
    url: Url,
    /// Whether the answer there says in words how far it is.
    told: bool,
}

/// What came of a beginning.
#[derive(Debug)]
pub(super) enum Begun {
    /// It came to its end at once.
    Ended,
    /// It goes on; without an operation only a look at the thing itself tells how far it is.
    Going(Option<Operation>),
}

/// How something that was begun stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Running,
    Done,
    Failed,
}

#[allow(dead_code, reason = "checks only read; these are for what makes and removes resources")]
impl Arm {
    /// Begins to remove what is at a path, in a version of its kind. What is not there is gone already.
    pub(super) async fn begin_delete(&self, version: &str, path: &str) -> Result<Begun, Fault> {
        let call = named("DELETE", path);
        let url = self.url_in(&call, version, path, &[])?;
        let begun = if_there(self.begin(call, Method::Delete, &url, None).await)?;
        Ok(begun.unwrap_or(Begun::Ended))
    }

    /// Removes what is at a path, in a version of its kind, and waits until it is gone. What is not there is gone
    /// already.
    pub(super) async fn delete_in(&self, version: &str, path: &str) -> Result<(), Fault> {
        let call = named("DELETE", path);
        let url = self.url_in(&call, version, path, &[])?;
        if let Some(begun) = if_there(self.send(&call, Method::Delete, &url, None).await)? {
            self.settled(&call, &url, begun, false).await?;
        }
        Ok(())
    }

    /// What is at a path, in a version of its kind, with the members that are `null`.
    pub(super) async fn get_in<T: DeserializeOwned>(&self, version: &str, path: &str) -> Result<T, Fault> {
        let call = named("GET", path);
        let url = self.url_in(&call, version, path, &[])?;
        self.read(&call, &url).await
    }

    /// The same; none where nothing is.
    pub(super) async fn find_in<T: DeserializeOwned>(
        &self,
        version: &str,
        path: &str,
    ) -> Result<Option<T>, Fault> {
        if_there(self.get_in(version, path).await)
    }

    /// Everything that a path lists, in a version of its kind; nothing where its owner does not exist.
    pub(super) async fn list_in<T: DeserializeOwned>(
        &self,
        version: &str,
        path: &str,
    ) -> Result<Vec<T>, Fault> {
        let call = named("GET", path);
        let url = self.url_in(&call, version, path, &[])?;
        Ok(if_there(self.pages(&call, url).await)?.unwrap_or_default())
    }

    /// Begins to set down what is to be at a path, in a version of its kind; gives what the answer shows of it.
    pub(super) async fn begin_put_in(
        &self,
        version: &str,
        path: &str,
        body: &Value,
    ) -> Result<(Begun, Value), Fault> {
        let call = named("PUT", path);
        let url = self.url_in(&call, version, path, &[])?;
        let body = body.to_string();
        let begun = self.send(&call, Method::Put, &url, Some(body.as_bytes())).await?;
        let shown = serde_json::from_slice(begun.body().as_ref()).unwrap_or_default();
        Ok((self.begun(call, &url, &begun)?, shown))
    }

    /// Begins to set down what is to be at a path.
    pub(super) async fn begin_put(&self, kind: Api, path: &str, body: &Value) -> Result<Begun, Fault> {
        self.begin_with(Method::Put, kind, path, body).await
    }

    /// Begins to change parts of what is at a path.
    pub(super) async fn begin_patch(&self, kind: Api, path: &str, body: &Value) -> Result<Begun, Fault> {
        self.begin_with(Method::Patch, kind, path, body).await
    }

    async fn begin_with(&self, method: Method, kind: Api, path: &str, body: &Value) -> Result<Begun, Fault> {
        let call = named(method.as_str(), path);
        let url = self.url(&call, kind, path, &[])?;
        let body = body.to_string();
        self.begin(call, method, &url, Some(body.as_bytes())).await
    }

    async fn begin(
        &self,
        call: String,
        method: Method,
        url: &Url,
        body: Option<&[u8]>,
    ) -> Result<Begun, Fault> {
        let begun = self.send(&call, method, url, body).await?;
        self.begun(call, url, &begun)
    }

    /// What an answer says of what was begun.
    fn begun(&self, call: String, url: &Url, begun: &RawResponse) -> Result<Begun, Fault> {
        let operation = self.link(&call, url, begun, &OPERATION)?;
        let location = self.link(&call, url, begun, &LOCATION)?;
        let accepted = u16::from(begun.status()) == ACCEPTED;
        Ok(match (operation, location) {
            (Some(url), _) => Begun::Going(Some(Operation { call, url, told: true })),
            (None, Some(url)) if accepted => Begun::Going(Some(Operation { call, url, told: false })),
            _ if accepted => Begun::Going(None),
            _ => Begun::Ended,
        })
    }

    /// How far an operation is: where to ask next, or nothing where it has come to its end.
    pub(super) async fn progress(&self, operation: &Operation) -> Result<Option<Operation>, Fault> {
        Ok(self.looked_at(operation).await?.0)
    }

    /// The same, with the answer that tells it.
    async fn looked_at(&self, operation: &Operation) -> Result<(Option<Operation>, RawResponse), Fault> {
        let Operation { call, url, told } = operation;
        let seen = self.send(call, Method::Get, url, None).await?;
        let next = if *told {
            match standing(&read::<Value>(call, &seen)?) {
                Standing::Running => Some(operation.clone()),
                Standing::Failed => return Err(self.told(call, &seen)),
                Standing::Done => None,
            }
        } else if u16::from(seen.status()) == ACCEPTED {
            let next = self.link(call, url, &seen, &LOCATION)?;
            Some(Operation { url: next.unwrap_or_else(|| url.clone()), ..operation.clone() })
        } else {
            None
        };
        Ok((next, seen))
    }

    /// Puts a question that is too long for a URL, or changes what is at a path, and waits for what comes of it.
    pub(super) async fn complete<T: DeserializeOwned>(
        &self,
        method: Method,
        kind: Api,
        path: &str,
        body: &Value,
    ) -> Result<T, Fault> {
        let call = named(method.as_str(), path);
        let url = self.url(&call, kind, path, &[])?;
        let body = body.to_string();
        let begun = self.send(&call, method, &url, Some(body.as_bytes())).await?;
        let end = self.settled(&call, &url, begun, true).await?;
        read::<WithoutNulls<T>>(&call, &end).map(|read| read.0)
    }

    /// Waits for the end of what was begun. The result, if it is wanted, may have to be fetched.
    async fn settled(
        &self,
        call: &str,
        from: &Url,
        begun: RawResponse,
        wanted: bool,
    ) -> Result<RawResponse, Fault> {
        let Begun::Going(Some(mut operation)) = self.begun(call.to_owned(), from, &begun)? else {
            return Ok(begun);
        };
        let location = self.link(call, from, &begun, &LOCATION)?.filter(|_| wanted && operation.told);
        let mut asked = retry_after(begun.headers());
        let deadline = Instant::now() + LONGEST;
        loop {
            let pause = asked.unwrap_or(PAUSE).min(LONGEST_PAUSE);
            if Instant::now() + pause >= deadline {
                return Err(Fault::late(call, LONGEST));
            }
            sleep(pause).await;
            let (next, seen) = self.looked_at(&operation).await?;
            asked = retry_after(seen.headers());
            match (next, &location) {
                (Some(next), _) => operation = next,
                (None, Some(url)) => return self.send(call, Method::Get, url, None).await,
                (None, None) => return Ok(seen),
            }
        }
    }

    /// The URL in a header of the answer of `from`.
    fn link(
        &self,
        call: &str,
        from: &Url,
        response: &RawResponse,
        name: &HeaderName,
    ) -> Result<Option<Url>, Fault> {
        response.headers().get_optional_str(name).map(|link| self.here(call, from, link)).transpose()
    }
}

/// How something stands, by what is told of it.
fn standing(told: &Value) -> Standing {
    let status = told.get("status").and_then(Value::as_str).unwrap_or_default();
    match status.to_ascii_lowercase().as_str() {
        "succeeded" => Standing::Done,
        "failed" | "canceled" | "cancelled" => Standing::Failed,
        _ => Standing::Running,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::fault::Sort;
    use super::super::scripted::{Scripted, scripted};
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const BEGUN: &[(&str, &str)] = &[
        ("azure-asyncoperation", "https://management.example.com/operations/1"),
        ("location", "https://management.example.com/results/1"),
        ("retry-after", "0"),
    ];
    const MOVED: &[(&str, &str)] =
        &[("location", "https://management.example.com/results/1"), ("retry-after", "0")];
    const NOW: &[(&str, &str)] = &[("retry-after", "0")];
    const RUNNING: Scripted = (200, NOW, r#"{"status": "InProgress"}"#);
    const DONE: Scripted = (200, NOW, r#"{"status": "Succeeded"}"#);
    const GROUP: &str = "/subscriptions/s/resourceGroups/rg";

    fn told(fault: Fault) -> String {
        fault.message
    }

    #[tokio::test]
    async fn what_was_begun_is_followed_to_its_end() -> Outcome {
        let (arm, script) = scripted(&[(202, BEGUN, ""), RUNNING, DONE, (200, &[], "7")])?;
        assert_eq!(arm.complete::<u8>(Method::Post, Api::RESOURCES, "/x", &json!({})).await, Ok(7));
        let expected = [
            "POST https://management.example.com/x?api-version=2021-04-01",
            "GET https://management.example.com/operations/1",
            "GET https://management.example.com/operations/1",
            "GET https://management.example.com/results/1",
        ];
        assert_eq!(script.asked(), expected);
        let (arm, script) = scripted(&[(202, MOVED, ""), (202, MOVED, ""), (204, &[], "")])?;
        assert_eq!(arm.delete_in(arm.version(Api::RESOURCE_GROUPS), GROUP).await, Ok(()));
        assert_eq!(script.asked().len(), 3);
        let (arm, _) = scripted(&[(202, BEGUN, ""), DONE])?;
        assert_eq!(arm.delete_in(arm.version(Api::RESOURCE_GROUPS), GROUP).await, Ok(()));
        Ok(())
    }

    #[tokio::test]
    async fn a_change_gives_what_is_there_then() -> Outcome {
        let (arm, script) = scripted(&[(200, &[], "7")])?;
        assert_eq!(arm.complete::<u8>(Method::Patch, Api::RESOURCE_GROUPS, GROUP, &json!({})).await, Ok(7));
        let expected = ["PATCH https://management.example.com/subscriptions/s/resourceGroups/rg\
                         ?api-version=2021-04-01"];
        assert_eq!(script.asked(), expected);
        Ok(())
    }

    #[tokio::test]
    async fn what_is_gone_needs_no_wait() -> Outcome {
        let gone = r#"{"error":{"code":"ResourceGroupNotFound","message":"no"}}"#;
        let (arm, _) = scripted(&[(204, &[], ""), (404, &[], gone)])?;
        assert_eq!(arm.delete_in(arm.version(Api::RESOURCE_GROUPS), GROUP).await, Ok(()));
        assert_eq!(arm.delete_in(arm.version(Api::RESOURCE_GROUPS), GROUP).await, Ok(()));
        Ok(())
    }

    #[tokio::test]
    async fn a_removal_can_be_looked_after_step_by_step() -> Outcome {
        let (arm, _) = scripted(&[(202, BEGUN, ""), RUNNING, DONE])?;
        let Begun::Going(Some(first)) = arm.begin_delete("2021-04-01", GROUP).await.map_err(told)? else {
            return Err("it has only begun".into());
        };
        let second = arm.progress(&first).await.map_err(told)?.ok_or("it goes on")?;
        assert!(arm.progress(&second).await.map_err(told)?.is_none());
        let (arm, script) = scripted(&[(202, MOVED, ""), (202, MOVED, ""), (200, &[], "")])?;
        let Begun::Going(Some(first)) = arm.begin_delete("2021-04-01", GROUP).await.map_err(told)? else {
            return Err("it has only begun".into());
        };
        let second = arm.progress(&first).await.map_err(told)?.ok_or("it goes on")?;
        assert!(arm.progress(&second).await.map_err(told)?.is_none());
        assert_eq!(script.asked().len(), 3);
        let gone = r#"{"error":{"code":"ResourceGroupNotFound","message":"no"}}"#;
        let (arm, _) = scripted(&[(404, &[], gone), (204, &[], ""), (202, &[], "")])?;
        assert!(matches!(arm.begin_delete("2021-04-01", GROUP).await.map_err(told)?, Begun::Ended));
        assert!(matches!(arm.begin_delete("2021-04-01", GROUP).await.map_err(told)?, Begun::Ended));
        assert!(matches!(arm.begin_delete("2021-04-01", GROUP).await.map_err(told)?, Begun::Going(None)));
        Ok(())
    }

    #[tokio::test]
    async fn what_is_set_down_or_changed_has_only_begun() -> Outcome {
        let (arm, script) = scripted(&[(201, BEGUN, "{}"), (202, MOVED, ""), (200, &[], "{}")])?;
        let begun = arm.begin_put(Api::NETWORKS, "/x", &json!({})).await.map_err(told)?;
        assert!(matches!(begun, Begun::Going(Some(_))));
        let begun = arm.begin_patch(Api::TAGS, "/x", &json!({})).await.map_err(told)?;
        assert!(matches!(begun, Begun::Going(Some(_))));
        let begun = arm.begin_patch(Api::TAGS, "/x", &json!({})).await.map_err(told)?;
        assert!(matches!(begun, Begun::Ended));
        assert_eq!(script.asked().len(), 3);
        Ok(())
    }

    #[tokio::test]
    async fn a_failure_is_told_with_its_code() -> Outcome {
        let failed = r#"{"status": "Failed", "error": {"code": "Conflict", "message": "in use"}}"#;
        let (arm, _) = scripted(&[(202, BEGUN, ""), (200, &[], failed)])?;
        let fault = arm.delete_in(arm.version(Api::RESOURCE_GROUPS), GROUP).await.err();
        assert!(fault.as_ref().is_some_and(|fault| fault.is("Conflict")), "{fault:?}");
        let sentence = fault.map(|fault| fault.sentence()).unwrap_or_default();
        assert!(sentence.starts_with("DELETE resourceGroups/rg ") && sentence.ends_with(": in use"));
        let nowhere: Scripted = (202, &[("location", "mailto:a@example.com")], "");
        let (arm, script) = scripted(&[nowhere])?;
        let fault = arm.delete_in(arm.version(Api::RESOURCE_GROUPS), GROUP).await.err();
        assert_eq!(fault.map(|fault| fault.sort), Some(Sort::NotUnderstood));
        assert_eq!(script.asked().len(), 1);
        Ok(())
    }

    #[tokio::test]
    async fn an_operation_is_followed_at_the_resource_manager_only() -> Outcome {
        const AWAY: &[(&str, &str)] =
            &[("location", "https://other.example.com/results/1"), ("retry-after", "0")];
        const RELATIVE: &[(&str, &str)] = &[("location", "2"), ("retry-after", "0")];
        let (arm, script) = scripted(&[(202, AWAY, ""), (202, RELATIVE, ""), (204, &[], "")])?;
        assert_eq!(arm.delete_in(arm.version(Api::RESOURCE_GROUPS), GROUP).await, Ok(()));
        let expected =
            ["https://management.example.com/results/1", "https://management.example.com/results/2"];
        let asked = script.asked();
        let followed: Vec<&str> = asked.iter().filter_map(|asked| asked.strip_prefix("GET ")).collect();
        assert_eq!(followed, expected);
        Ok(())
    }

    #[test]
    fn a_standing_that_nobody_knows_is_no_end() {
        let of = |status: &str| standing(&json!({ "status": status }));
        assert_eq!([of("Running"), of("Accepted"), of("")], [Standing::Running; 3]);
        assert_eq!([of("Failed"), of("Canceled")], [Standing::Failed; 2]);
        assert_eq!(standing(&json!({})), Standing::Running);
    }
}

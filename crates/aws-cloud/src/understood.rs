//! Answers that say success and are not the service's.
//!
//! Of a call without a result the SDK looks at the status alone, so that the page of a proxy would count as its
//! success. An answer of such a form fails the call. A call with success as its status and an answer that cannot be
//! read is sent again a few times: a proxy or a broken connection has changed the answer.

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::{
    AfterDeserializationInterceptorContextRef, BeforeDeserializationInterceptorContextMut, InterceptorContext,
};
use aws_smithy_runtime_api::client::orchestrator::Metadata;
use aws_smithy_runtime_api::client::retries::RequestAttempts;
use aws_smithy_runtime_api::client::retries::classifiers::{ClassifyRetry, RetryAction};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;

/// The services whose every answer is a document that is named after the call.
const WITH_DOCUMENTS: &[&str] = &["EC2", "Elastic Load Balancing", "Elastic Load Balancing v2", "IAM", "STS"];
/// The services whose every answer to a call of landfall's is a JSON object. The SDK reads nothing at all as an object
/// without members, and so a list as an empty one.
const WITH_OBJECTS: &[&str] = &["KMS", "Resource Groups Tagging API", "Service Quotas"];
/// The calls of S3 that it answers with this status and nothing else.
const WITHOUT_CONTENT: &[&str] = &["DeleteBucket", "DeleteObject"];
const NO_CONTENT: u16 = 204;
/// How the names of such documents end.
const RESPONSE: &str = "Response";

/// Looks at each answer that says success.
#[derive(Clone, Copy, Debug)]
pub(super) struct Understood;

/// That an answer is not the service's.
#[derive(Debug, thiserror::Error)]
#[error("the response is not from the service")]
struct Foreign;

impl Intercept for Understood {
    fn name(&self) -> &'static str {
        "Understood"
    }

    /// Notes the number of the attempt, which the classifier does not get otherwise.
    fn modify_before_deserialization(
        &self,
        context: &mut BeforeDeserializationInterceptorContextMut<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let attempt = config.load::<RequestAttempts>().map_or(1, RequestAttempts::attempts);
        context.response_mut().headers_mut().insert(ATTEMPT, attempt.to_string());
        Ok(())
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        config: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if context.output_or_error().is_err() {
            return Ok(());
        }
        let call = config.load::<Metadata>();
        let (service, name) = call.map(|call| (call.service(), call.name())).unwrap_or_default();
        let response = context.response();
        if service == "S3" && WITHOUT_CONTENT.contains(&name) && response.status().as_u16() != NO_CONTENT {
            return Err(Foreign.into());
        }
        // A body that is read piece by piece is whoever's wants it.
        let Some(body) = response.body().bytes() else { return Ok(()) };
        if is_of(service, body) { Ok(()) } else { Err(Foreign.into()) }
    }
}

/// The header of an answer with the number of the attempt that it is for.
const ATTEMPT: &str = "x-landfall-attempt";
/// An answer that cannot be read is asked for again up to this attempt: a wrong endpoint never gives another one.
const MOST_ATTEMPTS: u32 = 5;

impl ClassifyRetry for Understood {
    fn classify_retry(&self, context: &InterceptorContext) -> RetryAction {
        let Some(response) = context.response() else { return RetryAction::NoActionIndicated };
        let is_unread = context.output_or_error().is_some_and(|answer| answer.is_err());
        let attempt = response.headers().get(ATTEMPT).and_then(|attempt| attempt.parse().ok());
        let is_early = attempt.is_some_and(|attempt: u32| attempt < MOST_ATTEMPTS);
        if response.status().is_success() && is_unread && is_early {
            return RetryAction::transient_error();
        }
        RetryAction::NoActionIndicated
    }

    fn name(&self) -> &'static str {
        "Understood"
    }
}

/// Whether a body can be a service's answer that says success.
fn is_of(service: &str, body: &[u8]) -> bool {
    let root = root(body);
    if WITH_DOCUMENTS.contains(&service) {
        return root.is_some_and(|root| root.ends_with(RESPONSE));
    }
    if WITH_OBJECTS.contains(&service) {
        return body.trim_ascii_start().starts_with(b"{");
    }
    root.is_none_or(|root| !root.eq_ignore_ascii_case("html"))
}

/// The name of the first element of a document; none of what is no XML.
fn root(body: &[u8]) -> Option<String> {
    // A name stands near the beginning.
    const MOST: usize = 4096;
    let text = String::from_utf8_lossy(body.get(..MOST).unwrap_or(body)).into_owned();
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    loop {
        let inside = rest.strip_prefix('<')?;
        let end = if let Some(comment) = inside.strip_prefix("!--") {
            comment.find("-->").map(|at| comment.get(at + 3..))
        } else if inside.starts_with(['?', '!']) {
            inside.find('>').map(|at| inside.get(at + 1..))
        } else {
            let name = inside.split(|c: char| c.is_whitespace() || ['>', '/'].contains(&c)).next()?;
            let local = name.rsplit(':').next().unwrap_or(name);
            return Some(local.to_owned()).filter(|name| !name.is_empty());
        };
        rest = end.flatten()?.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use aws_smithy_runtime_api::client::interceptors::context::{Input, Output};
    use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
    use aws_smithy_types::body::SdkBody;

    use super::*;

    const PAGE: &str = "<!DOCTYPE html>\n<!-- of a proxy -->\n<HTML lang=\"en\"><body>Sign in</body></HTML>";

    #[test]
    fn the_first_element_is_found() {
        let found = |text: &str| root(text.as_bytes());
        let xml = "<?xml version=\"1.0\"?>\n<DeleteSubnetResponse xmlns=\"http://ec2\"><return>true</return>";
        assert_eq!(found(xml).as_deref(), Some("DeleteSubnetResponse"));
        assert_eq!(found(PAGE).as_deref(), Some("HTML"));
        assert_eq!(found("\u{feff} <a:b/>").as_deref(), Some("b"));
        for none in ["", "{}", "<", "<!--", "<?xml", "< >", "plain"] {
            assert_eq!(found(none), None, "{none}");
        }
    }

    #[test]
    fn an_unread_answer_is_asked_for_again_but_not_for_ever() {
        let classified = |status: u16, attempt: u32, is_read: bool| {
            let mut context = InterceptorContext::new(Input::erase(()));
            context.enter_serialization_phase();
            context.set_request(HttpRequest::empty());
            let _ = context.take_input();
            context.enter_before_transmit_phase();
            context.enter_transmit_phase();
            let _ = context.take_request();
            let Ok(status) = status.try_into() else { return RetryAction::RetryForbidden };
            let mut response = HttpResponse::new(status, SdkBody::from(PAGE));
            response.headers_mut().insert(ATTEMPT, attempt.to_string());
            context.set_response(response);
            context.enter_before_deserialization_phase();
            context.enter_deserialization_phase();
            let output = Output::erase(());
            context.set_output_or_error(if is_read {
                Ok(output)
            } else {
                Err(OrchestratorError::other("page"))
            });
            context.enter_after_deserialization_phase();
            Understood.classify_retry(&context)
        };
        assert_eq!(classified(200, 1, false), RetryAction::transient_error());
        for (status, attempt, is_read) in [(200, 1, true), (200, MOST_ATTEMPTS, false), (403, 1, false)] {
            let action = classified(status, attempt, is_read);
            assert_eq!(action, RetryAction::NoActionIndicated, "{status} {attempt} {is_read}");
        }
    }

    #[test]
    fn a_page_or_nothing_is_no_success_of_a_call() {
        let deleted = "<DeleteSubnetResponse><requestId>r</requestId></DeleteSubnetResponse>";
        for service in ["EC2", "IAM", "Elastic Load Balancing v2"] {
            assert!(is_of(service, deleted.as_bytes()), "{service}");
            for foreign in ["", PAGE, "{}", "OK"] {
                assert!(!is_of(service, foreign.as_bytes()), "{service}: {foreign}");
            }
        }
        for service in ["S3", "Route 53", ""] {
            assert!(is_of(service, b"") && is_of(service, b"{}") && is_of(service, b"<DeleteResult/>"));
            assert!(!is_of(service, PAGE.as_bytes()), "{service}");
        }
        for service in ["Resource Groups Tagging API", "KMS"] {
            assert!(is_of(service, b"{}") && is_of(service, b" {\"ResourceTagMappingList\": []}"));
            assert!(!is_of(service, b"") && !is_of(service, PAGE.as_bytes()), "{service}");
        }
    }
}

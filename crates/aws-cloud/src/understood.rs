//! Answers that say success and are not the service's.
//!
//! Of a call without a result the SDK looks at the status alone, so that the page of a proxy would count as its
//! success. An answer of such a form fails the call.

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::AfterDeserializationInterceptorContextRef;
use aws_smithy_runtime_api::client::orchestrator::Metadata;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;

/// The services whose every answer is a document that is named after the call.
const WITH_DOCUMENTS: &[&str] = &["EC2", "Elastic Load Balancing", "Elastic Load Balancing v2", "IAM", "STS"];
/// How the names of such documents end.
const RESPONSE: &str = "Response";

/// Looks at each answer that says success.
#[derive(Debug)]
pub(super) struct Understood;

/// That an answer is not the service's.
#[derive(Debug, thiserror::Error)]
#[error("the response is not from the service")]
struct Foreign;

impl Intercept for Understood {
    fn name(&self) -> &'static str {
        "Understood"
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
        let service = config.load::<Metadata>().map(Metadata::service).unwrap_or_default();
        // A body that is read piece by piece is whoever's wants it.
        let Some(body) = context.response().body().bytes() else { return Ok(()) };
        if is_of(service, body) { Ok(()) } else { Err(Foreign.into()) }
    }
}

/// Whether a body can be a service's answer that says success.
fn is_of(service: &str, body: &[u8]) -> bool {
    let root = root(body);
    if WITH_DOCUMENTS.contains(&service) {
        return root.is_some_and(|root| root.ends_with(RESPONSE));
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
    fn a_page_or_nothing_is_no_success_of_a_call() {
        let deleted = "<DeleteSubnetResponse><requestId>r</requestId></DeleteSubnetResponse>";
        for service in ["EC2", "IAM", "Elastic Load Balancing v2"] {
            assert!(is_of(service, deleted.as_bytes()), "{service}");
            for foreign in ["", PAGE, "{}", "OK"] {
                assert!(!is_of(service, foreign.as_bytes()), "{service}: {foreign}");
            }
        }
        for service in ["S3", "Route 53", "Resource Groups Tagging API", ""] {
            assert!(is_of(service, b"") && is_of(service, b"{}") && is_of(service, b"<DeleteResult/>"));
            assert!(!is_of(service, PAGE.as_bytes()), "{service}");
        }
    }
}

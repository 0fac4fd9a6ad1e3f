//! A resource manager that answers as a test says.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use azure_core::http::headers::{Headers, IF_MATCH};
use azure_core::http::{
    AsyncRawResponse, ClientOptions, HttpClient, Request, RetryOptions, StatusCode, Transport,
};
use landfall_net::ConcurrencyLimit;
use url::Url;

use super::arm::Arm;
use super::session::SharedScrub;

/// Status, headers and body.
pub(super) type Scripted = (u16, &'static [(&'static str, &'static str)], &'static str);

/// Answers in their order, and what was asked.
#[derive(Debug, Default)]
pub(super) struct Script {
    answers: Mutex<VecDeque<Scripted>>,
    asked: Mutex<Vec<String>>,
}

impl Script {
    /// The methods and URLs of what was asked.
    pub(super) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn answer(&self, request: &Request) -> AsyncRawResponse {
        let condition = request.headers().get_optional_str(&IF_MATCH);
        let condition = condition.map(|etag| format!(" if {etag}")).unwrap_or_default();
        let asked = format!("{} {}{condition}", request.method(), request.url());
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(asked);
        let next = self.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let (status, given, body) = next.unwrap_or((500, &[], "the script is at its end"));
        let mut headers = Headers::new();
        for (name, value) in given {
            headers.insert(*name, *value);
        }
        AsyncRawResponse::from_bytes(StatusCode::from(status), headers, body)
    }
}

// The trait is made by the macro of async-trait; this is what the macro makes of an `async fn`.
impl HttpClient for Script {
    fn execute_request<'life0, 'life1, 'async_trait>(
        &'life0 self,
        request: &'life1 Request,
    ) -> Pin<Box<dyn Future<Output = azure_core::Result<AsyncRawResponse>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(std::future::ready(Ok(self.answer(request))))
    }
}

/// A resource manager that gives these answers.
pub(super) fn scripted(answers: &[Scripted]) -> Result<(Arm, Arc<Script>), url::ParseError> {
    let script =
        Arc::new(Script { answers: Mutex::new(answers.iter().copied().collect()), ..Script::default() });
    let client: Arc<dyn HttpClient> = script.clone();
    let options = ClientOptions {
        transport: Some(Transport::new(client)),
        retry: RetryOptions::none(),
        ..ClientOptions::default()
    };
    let base = Url::parse("https://management.example.com/")?;
    let (limit, scrub) = (Duration::from_mins(1), SharedScrub::default());
    let arm = Arm::new(options, &base, false, limit, scrub, ConcurrencyLimit::new(1));
    Ok((arm, script))
}

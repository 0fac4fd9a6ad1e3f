//! How requests travel: one HTTP client with the run's trust roots, proxies and patience, and what the
//! clients of tokens and of the resource manager share.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use azure_core::cloud::{CloudConfiguration, CustomConfiguration};
use azure_core::http::headers::{Headers, RETRY_AFTER, RETRY_AFTER_MS, X_MS_RETRY_AFTER_MS};
use azure_core::http::{ClientOptions, ExponentialRetryOptions, RetryOptions, Transport};
use azure_core::time;
use reqwest::redirect::Policy;
use rustls::ClientConfig;
use url::Url;

use crate::net::Trust;
use crate::platform::cloud::Patience;

/// How long an endpoint that took a request may keep silent.
const READ: Duration = Duration::from_secs(20);
/// So often a request for a token is repeated.
const REPETITIONS: u32 = 3;
/// The longest pause between requests for a token, unless the authority asks for more.
const LONGEST_PAUSE: i64 = 3;

/// A client that trusts these roots and follows no redirect; none where the libraries lack what it needs.
/// Services of this machine are asked without a proxy.
pub(super) fn client(trust: &Trust, patience: Patience, proxied: bool) -> Option<reqwest::Client> {
    let tls = trust.client_config().ok()?;
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(ClientConfig::clone(&tls))
        .connect_timeout(patience.connect)
        .read_timeout(READ.min(patience.call))
        .redirect(Policy::none());
    let builder = if proxied { builder } else { builder.no_proxy() };
    builder.build().ok()
}

/// The settings of a client that asks for tokens: a request that was limited, or that the authority failed
/// at, is repeated, after the pause that it asks for.
pub(super) fn for_tokens(client: &reqwest::Client, authority: &Url) -> ClientOptions {
    let mut cloud = CustomConfiguration::default();
    authority.as_str().clone_into(&mut cloud.authority_host);
    let repetitions = ExponentialRetryOptions {
        max_retries: REPETITIONS,
        max_delay: time::Duration::seconds(LONGEST_PAUSE),
        ..ExponentialRetryOptions::default()
    };
    ClientOptions {
        cloud: Some(Arc::new(CloudConfiguration::Custom(cloud))),
        retry: RetryOptions::exponential(repetitions),
        ..bare(client)
    }
}

/// The settings of a client that repeats nothing by itself.
pub(super) fn for_calls(client: &reqwest::Client) -> ClientOptions {
    ClientOptions { retry: RetryOptions::none(), ..bare(client) }
}

fn bare(client: &reqwest::Client) -> ClientOptions {
    ClientOptions { transport: Some(Transport::new(Arc::new(client.clone()))), ..ClientOptions::default() }
}

/// The pause that an answer asks for.
pub(super) fn retry_after(headers: &Headers) -> Option<Duration> {
    let milliseconds = [X_MS_RETRY_AFTER_MS, RETRY_AFTER_MS].iter().find_map(|name| {
        let number: u32 = headers.get_optional_str(name)?.trim().parse().ok()?;
        Some(Duration::from_millis(u64::from(number)))
    });
    milliseconds.or_else(|| {
        let number: u32 = headers.get_optional_str(&RETRY_AFTER)?.trim().parse().ok()?;
        Some(Duration::from_secs(u64::from(number)))
    })
}

/// An error with all of its causes.
pub(super) fn causes<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    const DEEPEST: usize = 16;
    std::iter::successors(Some(error), |&cause| cause.source()).take(DEEPEST)
}

/// Whether a client gave up as nothing came for too long.
pub(super) fn timed_out(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| cause.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_is_read_in_every_form_that_azure_writes() {
        let asked = |name: &'static str, value: &'static str| {
            let mut headers = Headers::new();
            headers.insert(name, value);
            retry_after(&headers)
        };
        assert_eq!(asked("retry-after", "17"), Some(Duration::from_secs(17)));
        assert_eq!(asked("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(asked("x-ms-retry-after-ms", "0"), Some(Duration::ZERO));
        assert_eq!(asked("retry-after", "99999999999999999999"), None);
        assert_eq!(asked("retry-after", "soon"), None);
        assert_eq!(retry_after(&Headers::new()), None);
    }

    #[test]
    fn a_client_is_made_of_the_run_s_trust() {
        let trust = Trust::gather(true, &[]);
        let second = Duration::from_secs(1);
        let patience = Patience { connect: second, call: second, at_once: 1 };
        assert!(client(&trust, patience, true).is_some());
        assert!(client(&trust, patience, false).is_some());
    }
}

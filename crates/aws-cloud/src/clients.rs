//! The clients of the SDK: one HTTP client below all of them, with the run's trust roots, proxies and
//! patience; repetition of what was limited or failed in AWS; and the endpoint of each service.

use std::sync::OnceLock;
use std::time::Duration;

use aws_config::profile::{ProfileFileCredentialsProvider, profile_file};
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, ConfigLoader, Region, SdkConfig};
use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_http_client::{Builder, Connector};
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use landfall_net::Trust;
use landfall_platform::World;
use landfall_platform::cloud::Patience;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber;

use super::bounded::Bounded;
use super::endpoints::{self, Endpoint, Service};
use super::session::Session;

/// How long an endpoint that took a request may keep silent.
const READ: Duration = Duration::from_secs(20);
/// What AWS limited or failed at is asked again after a pause; the pauses grow, and are never the same.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// A call is put no oftener than this, however much time there is.
const MOST_ATTEMPTS: u32 = 20;

/// The clients that were made. A client is cheap to copy.
#[derive(Debug, Default)]
pub(super) struct Clients {
    pub(super) ec2: OnceLock<aws_sdk_ec2::Client>,
    pub(super) elb: OnceLock<aws_sdk_elasticloadbalancing::Client>,
    pub(super) elbv2: OnceLock<aws_sdk_elasticloadbalancingv2::Client>,
    pub(super) iam: OnceLock<aws_sdk_iam::Client>,
    pub(super) kms: OnceLock<aws_sdk_kms::Client>,
    pub(super) quotas: OnceLock<aws_sdk_servicequotas::Client>,
    pub(super) route53: OnceLock<aws_sdk_route53::Client>,
    pub(super) s3: OnceLock<aws_sdk_s3::Client>,
    pub(super) sts: OnceLock<aws_sdk_sts::Client>,
    pub(super) tagging: OnceLock<aws_sdk_resourcegroupstagging::Client>,
}

/// The settings of a client for an endpoint: what all clients share, and where the SDK would not go by
/// itself.
macro_rules! settings {
    ($sdk:ident, $shared:expr, $endpoint:expr) => {{
        let endpoint = $endpoint;
        let settings = $sdk::config::Builder::from($shared)
            .interceptor(crate::understood::Understood)
            .interceptor(crate::observed::Observed)
            .retry_classifier(crate::understood::Understood);
        if endpoint.is_override() {
            // The SDK refuses an endpoint of ours together with its own special ones.
            settings
                .endpoint_url(endpoint.shown())
                .region(::aws_config::Region::new(endpoint.signing_region.clone()))
                .use_fips(false)
                .use_dual_stack(false)
        } else {
            settings
        }
    }};
}
pub(super) use settings;

/// A client of EC2 in another region.
pub(super) fn ec2_at(shared: &SdkConfig, endpoint: &Endpoint, region: &str) -> aws_sdk_ec2::Client {
    let there = in_region(shared, region);
    aws_sdk_ec2::Client::from_conf(settings!(aws_sdk_ec2, &there, endpoint).build())
}

/// A client of STS in another region.
pub(super) fn sts_at(shared: &SdkConfig, endpoint: &Endpoint, region: &str) -> aws_sdk_sts::Client {
    let there = in_region(shared, region);
    aws_sdk_sts::Client::from_conf(settings!(aws_sdk_sts, &there, endpoint).build())
}

/// What all clients share, for another region.
pub(super) fn in_region(shared: &SdkConfig, region: &str) -> SdkConfig {
    let mut there = shared.to_builder();
    there.set_region(Region::new(region.to_owned()));
    there.build()
}

/// How often a call is put, so that what AWS says at last is heard before the time for the call is over.
fn attempts(call: Duration) -> u32 {
    let time = call.mul_f32(0.9);
    let (mut pause, mut paused, mut attempts) = (FIRST_PAUSE, FIRST_PAUSE, 1);
    while paused <= time && attempts < MOST_ATTEMPTS {
        attempts += 1;
        pause = (pause * 2).min(LONGEST_PAUSE);
        paused += pause;
    }
    attempts
}

/// What the environment, the profile and the run say to all clients.
pub(super) async fn shared(session: &Session<'_>) -> SdkConfig {
    let (region, patience) = (session.region(), session.asking.patience);
    let http = Bounded { inner: http_client(session.trust()), concurrency: session.concurrency() };
    let http = SharedHttpClient::new(http);
    if let Some(profile) = session.asking.world.profile() {
        // Keys in the environment would come before the profile.
        let settings = ProviderConfig::without_region()
            .with_region(Some(Region::new(region.to_owned())))
            .with_http_client(http.clone());
        let credentials =
            ProfileFileCredentialsProvider::builder().configure(&settings).profile_name(&profile).build();
        let loader = loader(region, patience, http).profile_name(profile).credentials_provider(credentials);
        return loader.load().with_subscriber(Dispatch::none()).await;
    }
    // What is written to the log on the way may hold what a credential process printed.
    let shared = loader(region, patience, http.clone()).load().with_subscriber(Dispatch::none()).await;
    let Some(profile) = profile_with_sts(session) else {
        return shared;
    };
    // The profile counts for the credentials alone; it would hide what the user's own says of other services.
    let loader = loader(region, patience, http).profile_files(profile);
    let chain = loader.load().with_subscriber(Dispatch::none()).await.credentials_provider();
    match chain {
        Some(chain) => shared.into_builder().credentials_provider(chain).build(),
        None => shared,
    }
}

fn loader(region: &str, patience: Patience, http: SharedHttpClient) -> ConfigLoader {
    let retries = RetryConfig::standard()
        .with_max_attempts(attempts(patience.call))
        .with_initial_backoff(FIRST_PAUSE)
        .with_max_backoff(LONGEST_PAUSE);
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(patience.connect)
        .read_timeout(READ.min(patience.call))
        .operation_timeout(patience.call)
        .build();
    aws_config::defaults(BehaviorVersion::latest())
        .region(Region::new(region.to_owned()))
        .http_client(http)
        .retry_config(retries)
        .timeout_config(timeouts)
}

fn http_client(trust: &Trust) -> SharedHttpClient {
    let store = TrustStore::empty().with_pem_certificate(trust.pem());
    let context = TlsContext::builder().with_trust_store(store).build().unwrap_or_default();
    Builder::new().build_with_connector_fn(move |settings, components| {
        let mut connector = Connector::builder().proxy_config(ProxyConfig::from_env());
        connector.set_connector_settings(settings.cloned());
        if let Some(components) = components {
            connector.set_sleep_impl(components.sleep_impl());
        }
        connector.tls_provider(Provider::Rustls(CryptoMode::AwsLc)).tls_context(context.clone()).build()
    })
}

/// The user's profile with the config's endpoint of STS in it, for sources of credentials that ask STS, such
/// as roles: they look for it there and in the environment, and nowhere else. None where the config has none.
#[allow(deprecated, reason = "the newer name of the type is in a crate that nothing else here needs")]
fn profile_with_sts(session: &Session<'_>) -> Option<profile_file::ProfileFiles> {
    let (_, url) = endpoints::custom(session.platform, Service::Sts.name())?;
    let text = profile_text(&profile(session.asking.world), url)?;
    let files = profile_file::ProfileFiles::builder()
        .include_default_config_file(true)
        .include_default_credentials_file(true)
        .with_contents(profile_file::ProfileFileKind::Config, text);
    Some(files.build())
}

/// The name of the profile that the SDK takes.
pub(super) fn profile(world: &dyn World) -> String {
    world.profile().or_else(|| world.variable("AWS_PROFILE")).unwrap_or_else(|| "default".to_owned())
}

/// A profile file that adds an endpoint of STS to a profile; none for a name that could not stand in one.
fn profile_text(profile: &str, url: &str) -> Option<String> {
    let stands = |c: char| c.is_ascii_alphanumeric() || "_-/.%@:+".contains(c);
    let url = endpoints::parse(url)?;
    let section = if profile == "default" { "default".to_owned() } else { format!("profile {profile}") };
    (!profile.is_empty() && profile.chars().all(stands)).then(|| {
        let url = url.as_str().trim_end_matches('/');
        format!(
            "[{section}]\nservices = landfall-{profile}\n[services landfall-{profile}]\nsts =\n  \
             endpoint_url = {url}\n"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_put_as_often_as_there_is_time() {
        let seconds = [1, 5, 15, 30, 3600].map(Duration::from_secs);
        assert_eq!(seconds.map(attempts), [3, 5, 7, 10, MOST_ATTEMPTS]);
        assert_eq!(attempts(Duration::from_millis(1)), 1);
    }

    #[test]
    fn a_profile_takes_the_endpoint_and_nothing_else() {
        assert_eq!(
            profile_text("default", "https://user:canary@sts.example.com:8443/").as_deref(),
            Some(
                "[default]\nservices = landfall-default\n[services landfall-default]\nsts =\n  \
                 endpoint_url = https://sts.example.com:8443\n"
            )
        );
        let named = profile_text("team-a", "sts.example.com").unwrap_or_default();
        assert!(named.starts_with("[profile team-a]\nservices = landfall-team-a\n"), "{named}");
        assert_eq!(profile_text("a]\n[profile b", "https://sts.example.com"), None);
        assert_eq!(profile_text("default", "https://"), None);
    }
}

//! The call: signed, repeated and timed as those of the SDKs are.

use std::time::SystemTime;

use aws_config::SdkConfig;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use aws_sigv4::http_request::{SignableBody, SignableRequest, SigningSettings, sign};
use aws_sigv4::sign::v4;
use aws_smithy_runtime::client::orchestrator::operation::Operation;
use aws_smithy_runtime::client::retries::classifiers::{HttpStatusCodeClassifier, TransientErrorClassifier};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse, OrchestratorError};
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::error::metadata::ErrorMetadata;
use serde_json::Value;
use tracing::Dispatch;
use tracing::instrument::WithSubscriber;

use crate::endpoints::configured;
use crate::observed::Observed;

/// The call, as permissions name it.
pub(super) const CALL: &str = "pricing:GetProducts";

const TARGET: &str = "AWSPriceListService.GetProducts";
const CONTENT_TYPE: &str = "application/x-amz-json-1.1";

/// Why a call failed.
pub(super) type Error = SdkError<ErrorMetadata, HttpResponse>;

/// The price list.
pub(super) struct PriceList {
    operation: Operation<HttpRequest, Value, ErrorMetadata>,
    url: String,
    region: &'static str,
    credentials: Option<SharedCredentialsProvider>,
}

impl PriceList {
    /// The price list at a URL, unless environment or profile name another one.
    pub(super) fn new(config: &SdkConfig, url: &str, region: &'static str) -> Self {
        let url = configured(config, &["Pricing"]).unwrap_or_else(|| url.to_owned());
        let retries = config.retry_config().cloned().unwrap_or_else(RetryConfig::standard);
        let mut operation = Operation::builder()
            .service_name("Pricing")
            .operation_name("GetProducts")
            .endpoint_url(&url)
            .no_auth()
            .standard_retry(&retries)
            .retry_classifier(TransientErrorClassifier::<ErrorMetadata>::new())
            .retry_classifier(HttpStatusCodeClassifier::default())
            .timeout_config(config.timeout_config().cloned().unwrap_or_else(TimeoutConfig::disabled))
            .interceptor(Observed);
        if let Some(client) = config.http_client() {
            operation = operation.http_client(client);
        }
        if let Some(sleep) = config.sleep_impl() {
            operation = operation.sleep_impl(sleep);
        }
        if let Some(time) = config.time_source() {
            operation = operation.time_source(time);
        }
        let operation = operation.serializer(Ok).deserializer(read).build();
        Self { operation, url, region, credentials: config.credentials_provider() }
    }

    /// One page of the products that a request names.
    pub(super) async fn products(&self, body: String) -> Result<Value, Error> {
        let request = self.signed(body).await.map_err(SdkError::construction_failure)?;
        // The log of the runtime would show the signature.
        self.operation.invoke(request).with_subscriber(Dispatch::none()).await
    }

    /// The request with its signature, which counts for some minutes and thus for all repetitions.
    #[allow(clippy::disallowed_methods, reason = "a signature carries the time of its call")]
    async fn signed(&self, body: String) -> Result<HttpRequest, BoxError> {
        let credentials = self.credentials.as_ref().ok_or("there are no credentials")?;
        let identity = credentials.provide_credentials().await?.into();
        let parameters = v4::SigningParams::builder()
            .identity(&identity)
            .region(self.region)
            .name("pricing")
            .time(SystemTime::now())
            .settings(SigningSettings::default())
            .build()?
            .into();
        let headers = [("content-type", CONTENT_TYPE), ("x-amz-target", TARGET)];
        let url = format!("{}/", self.url.trim_end_matches('/'));
        let signable =
            SignableRequest::new("POST", &url, headers.into_iter(), SignableBody::Bytes(body.as_bytes()))?;
        let (instructions, _) = sign(signable, &parameters)?.into_parts();
        let mut request = HttpRequest::new(SdkBody::from(body));
        request.set_method("POST")?;
        request.set_uri("/")?;
        for (name, value) in headers {
            request.headers_mut().insert(name, value);
        }
        for (name, value) in instructions.headers() {
            request.headers_mut().insert(name.to_owned(), value.to_owned());
        }
        Ok(request)
    }
}

/// The answer, or AWS's code and message.
fn read(response: &HttpResponse) -> Result<Value, OrchestratorError<ErrorMetadata>> {
    let bytes = response.body().bytes().unwrap_or_default();
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    match value {
        Some(value) if response.status().is_success() => Ok(value),
        Some(value) => {
            let code = value["__type"].as_str().unwrap_or_default();
            let code = code.rsplit('#').next().unwrap_or_default();
            let message = value["message"].as_str().or(value["Message"].as_str()).unwrap_or_default();
            Err(OrchestratorError::operation(ErrorMetadata::builder().code(code).message(message).build()))
        }
        None => Err(OrchestratorError::response("the answer is not JSON".into())),
    }
}

//! An HTTP client that has only so many requests under way at a time.

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use landfall_net::ConcurrencyLimit;

/// A client whose requests wait for a place.
#[derive(Clone, Debug)]
pub(super) struct Bounded {
    /// The client that carries them out.
    pub(super) inner: SharedHttpClient,
    /// The bound on requests under way.
    pub(super) concurrency: ConcurrencyLimit,
}

#[derive(Debug)]
struct Connector {
    inner: SharedHttpConnector,
    concurrency: ConcurrencyLimit,
}

impl HttpClient for Bounded {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        let inner = self.inner.http_connector(settings, components);
        SharedHttpConnector::new(Connector { inner, concurrency: self.concurrency.clone() })
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let (inner, concurrency) = (self.inner.clone(), self.concurrency.clone());
        HttpConnectorFuture::new(async move {
            let _permit = concurrency.take().await;
            inner.call(request).await
        })
    }
}

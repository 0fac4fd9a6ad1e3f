//! Enters each call of a client in the list of calls that are under way.

use std::pin::Pin;
use std::task::{Context, Poll};

use ::kube::client::Body;
use hyper::Request;
use landfall_net::calls;
use tower::{Layer, Service};

/// Enters each call, such as `GET /api/v1/namespaces/demo`, until the server begins to answer: a watch is no longer
/// under way then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed;

/// A client whose calls are entered.
#[derive(Clone, Debug)]
pub(super) struct Entering<S>(S);

impl<S> Layer<S> for Observed {
    type Service = Entering<S>;

    fn layer(&self, inner: S) -> Entering<S> {
        Entering(inner)
    }
}

impl<S> Service<Request<Body>> for Entering<S>
where
    S: Service<Request<Body>>,
    S::Future: Send + 'static,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let call = calls::begin(format!("{} {}", request.method(), request.uri().path()));
        let answer = self.0.call(request);
        Box::pin(async move {
            let answer = answer.await;
            drop(call);
            answer
        })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use hyper::Uri;

    use super::*;

    /// Answers with the call that is under way.
    struct Current;

    impl Service<Request<Body>> for Current {
        type Response = Option<String>;
        type Error = Infallible;
        type Future = Pin<Box<dyn Future<Output = Result<Option<String>, Infallible>> + Send>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request<Body>) -> Self::Future {
            Box::pin(async { Ok(calls::current()) })
        }
    }

    #[tokio::test]
    async fn a_call_is_under_way_until_it_is_answered_and_has_no_query() {
        let mut request = Request::new(Body::empty());
        *request.uri_mut() = Uri::from_static("/api/v1/pods?limit=1");
        let mut client = Observed.layer(Current);
        let answer = client.call(request).await;
        assert_eq!(answer, Ok(Some("GET /api/v1/pods".to_owned())));
        assert_eq!(calls::current(), None);
    }
}

//! The server that the API server asks.

#![allow(
    clippy::disallowed_methods,
    reason = "whether a version has expired is a matter of the current time"
)]

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use axum_server::tls_rustls::{RustlsConfig, from_tcp_rustls};
use jiff::Timestamp;
use landfall_kube::objects::Objects;
use serde_json::Value;
use tokio::time::sleep;

use super::certificate::Served;
use super::mutation::amend;
use super::{AMENDMENT, Judge, PATH, review, secret};

/// How often it is looked whether there are new certificates.
const LOOK: Duration = Duration::from_secs(5);
/// The same as long as there are none.
const FIRST_LOOK: Duration = Duration::from_millis(500);
/// The most bytes of a question: an object of the largest size that there is, twice.
const LARGEST: usize = 8 << 20;

/// The judge behind an address, which is listened on already.
pub struct Webhook {
    listener: TcpListener,
    judge: Arc<Judge>,
    objects: Arc<dyn Objects>,
    namespace: String,
}

impl Webhook {
    /// Listens on an address; the certificates are taken from the operator's `namespace`.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn bind(
        listen: SocketAddr,
        judge: Judge,
        objects: Arc<dyn Objects>,
        namespace: String,
    ) -> io::Result<Self> {
        let listener = tokio::net::TcpListener::bind(listen).await?.into_std()?;
        Ok(Self { listener, judge: Arc::new(judge), objects, namespace })
    }

    /// Answers as soon as there are certificates, without end.
    ///
    /// # Errors
    /// The operating system takes the socket away.
    pub async fn serve(self) -> io::Result<()> {
        let Self { listener, judge, objects, namespace } = self;
        let (served, config) = loop {
            let served = look(&*objects, &namespace).await;
            if let Some((served, config)) =
                served.and_then(|served| served.config().map(|config| (served, config)))
            {
                break (served, config);
            }
            sleep(FIRST_LOOK).await;
        };
        let tls = RustlsConfig::from_config(config);
        let router = Router::new()
            .route(PATH, post(judged))
            .route(AMENDMENT, post(amended))
            .layer(DefaultBodyLimit::max(LARGEST))
            .with_state(judge);
        let answering = from_tcp_rustls(listener, tls.clone())?;
        tracing::info!("the webhook answers");
        tokio::select! {
            ended = answering.serve(router.into_make_service()) => ended,
            () = follow(&*objects, &namespace, served, &tls) => Ok(()),
        }
    }
}

/// Takes new certificates when there are any, without end.
async fn follow(objects: &dyn Objects, namespace: &str, mut served: Served, tls: &RustlsConfig) {
    loop {
        sleep(LOOK).await;
        let Some(new) = look(objects, namespace).await.filter(|new| *new != served) else { continue };
        if let Some(config) = new.config() {
            // API servers learn of a new authority a moment after it was written.
            sleep(LOOK).await;
            tls.reload_from_config(config);
            served = new;
        }
    }
}

/// The certificates as they stand; none where there are none, or where they cannot be looked at now.
async fn look(objects: &dyn Objects, namespace: &str) -> Option<Served> {
    match objects.get(&secret(namespace)).await {
        Ok(secret) => secret.as_ref().and_then(Served::of),
        Err(fault) => {
            tracing::warn!(why = %fault.why(), "the certificates of the webhook cannot be read");
            None
        }
    }
}

type Answer = Result<Json<Value>, StatusCode>;

async fn judged(State(judge): State<Arc<Judge>>, body: Bytes) -> Answer {
    match review::read(&body) {
        Ok(review) => Ok(Json(judge.review(&review, Timestamp::now()).await)),
        Err(refused) => unread(refused),
    }
}

async fn amended(body: Bytes) -> Answer {
    match review::read(&body) {
        Ok(review) => Ok(Json(amend(&review, Timestamp::now()))),
        Err(refused) => unread(refused),
    }
}

/// What is answered to what cannot be read.
fn unread(refused: Option<Value>) -> Answer {
    refused.map(Json).ok_or(StatusCode::BAD_REQUEST)
}

//! The metrics over TLS, for whoever the API server knows and permits to read them.
//!
//! The certificate comes from files that somebody else writes, such as OpenShift's service CA or cert-manager, and
//! that change under the running process.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::routing::get;
use axum_server::tls_rustls::{RustlsConfig, from_tcp_rustls};
use landfall_kube::questions::Questions;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::http_server::{Health, OPEN_METRICS};
use crate::endpoint_mirror::File;

/// The port of the metrics over TLS.
pub const METRICS_PORT: u16 = 8443;
/// What is served.
pub(super) const PATH: &str = "/metrics";
/// The certificate of the server, and those that lead to its authority.
const CERTIFICATE: &str = "tls.crt";
/// Its key.
const KEY: &str = "tls.key";
/// How often it is looked whether the files are there, or are others.
const LOOK: Duration = Duration::from_secs(10);

/// The server of the metrics, whose address is listened on already.
pub struct SecureMetrics {
    listener: TcpListener,
    folder: String,
    file: File,
    questions: Arc<dyn Questions>,
}

impl SecureMetrics {
    /// Listens on an address. The certificate is in this folder.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub async fn bind(
        address: SocketAddr,
        folder: String,
        file: File,
        questions: Arc<dyn Questions>,
    ) -> io::Result<Self> {
        let listener = tokio::net::TcpListener::bind(address).await?.into_std()?;
        Ok(Self { listener, folder, file, questions })
    }

    /// Answers without end, once there is a certificate.
    pub(super) async fn serve(self, health: Arc<Health>) -> io::Result<()> {
        let Self { listener, folder, file, questions } = self;
        let mut noted = false;
        let (mut read, config) = loop {
            let read = Pair::read(&folder, &file);
            if let Some(config) = read.as_ref().and_then(Pair::config) {
                break (read, config);
            }
            if !std::mem::replace(&mut noted, true) {
                tracing::warn!(%folder, "the metrics have no certificate yet");
            }
            sleep(LOOK).await;
        };
        health.measures();
        let tls = RustlsConfig::from_config(config);
        let router =
            Router::new().route(PATH, get(metrics)).with_state(Arc::new(Shared { health, questions }));
        let answering = from_tcp_rustls(listener, tls.clone())?;
        let follow = async {
            loop {
                sleep(LOOK).await;
                let now = Pair::read(&folder, &file);
                if now != read
                    && let Some(config) = now.as_ref().and_then(Pair::config)
                {
                    tls.reload_from_config(config);
                    read = now;
                    tracing::info!("the metrics have another certificate");
                }
            }
        };
        tokio::select! {
            ended = answering.serve(router.into_make_service()) => ended,
            () = follow => Ok(()),
        }
    }
}

/// A certificate and its key, as files have them.
#[derive(PartialEq, Eq)]
struct Pair {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Pair {
    fn read(folder: &str, file: &File) -> Option<Self> {
        let read = |name: &str| file(&format!("{folder}/{name}"));
        Some(Self { certificate: read(CERTIFICATE)?, key: read(KEY)? })
    }

    /// How a server uses them; none where they are not what they should be.
    fn config(&self) -> Option<Arc<ServerConfig>> {
        let chain: Result<Vec<CertificateDer<'static>>, _> =
            CertificateDer::pem_slice_iter(&self.certificate).collect();
        let key = PrivateKeyDer::from_pem_slice(&self.key).ok()?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
        let mut config = builder.with_no_client_auth().with_single_cert(chain.ok()?, key).ok()?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Some(Arc::new(config))
    }
}

struct Shared {
    health: Arc<Health>,
    questions: Arc<dyn Questions>,
}

type Refused = (StatusCode, &'static str);

async fn metrics(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
) -> Result<([(HeaderName, &'static str); 1], String), Refused> {
    permitted(&*shared.questions, &headers).await?;
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], shared.health.numbers()))
}

/// Makes sure that the caller is known and may read the metrics.
async fn permitted(questions: &dyn Questions, headers: &HeaderMap) -> Result<(), Refused> {
    let unknown = (StatusCode::UNAUTHORIZED, "a bearer token of the cluster is required\n");
    let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = given.and_then(|given| given.strip_prefix("Bearer ")).map(str::trim).unwrap_or_default();
    if token.is_empty() {
        return Err(unknown);
    }
    let unasked = |what: &'static str| {
        move |fault: landfall_kube::Fault| {
            tracing::warn!(why = %fault.why(), what, "a reader of the metrics cannot be checked");
            (StatusCode::INTERNAL_SERVER_ERROR, "the API server cannot be asked\n")
        }
    };
    let user = questions.authenticates(token.to_owned()).await.map_err(unasked("token"))?;
    let user = user.ok_or(unknown)?;
    let mut spec = json!({ "nonResourceAttributes": { "path": PATH, "verb": "get" } });
    for (from, to) in [("username", "user"), ("groups", "groups"), ("uid", "uid"), ("extra", "extra")] {
        if let Some(value) = user.get(from).filter(|value| !value.is_null()) {
            spec[to] = Value::clone(value);
        }
    }
    let is_permitted = questions.allows(spec).await.map_err(unasked("rights"))?;
    is_permitted.then_some(()).ok_or((StatusCode::FORBIDDEN, "get on /metrics is not permitted\n"))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::*;
    use crate::fake_cluster::FakeCluster;

    async fn answer(cluster: &FakeCluster, authorization: Option<&str>) -> Option<u16> {
        let mut headers = HeaderMap::new();
        headers.extend(authorization.and_then(|value| Some((header::AUTHORIZATION, value.parse().ok()?))));
        permitted(cluster, &headers).await.err().map(|(status, _)| status.as_u16())
    }

    #[tokio::test]
    async fn only_who_is_known_and_permitted_reads_them() {
        let cluster = FakeCluster::default();
        cluster.with(|state| {
            let user = json!({ "username": "prometheus", "groups": ["a"], "uid": "u" });
            state.tokens.insert("good".to_owned(), user);
        });
        for none in [None, Some(""), Some("Basic good"), Some("Bearer "), Some("Bearer other")] {
            assert_eq!(answer(&cluster, none).await, Some(401), "{none:?}");
        }
        assert_eq!(answer(&cluster, Some("Bearer good")).await, Some(403));
        cluster.with(|state| state.verbs.insert("get"));
        assert_eq!(answer(&cluster, Some("Bearer good")).await, None);
        let asked = cluster.with(|state| state.asked.last().cloned()).unwrap_or_default();
        assert_eq!(
            (&asked["user"], &asked["groups"], &asked["uid"]),
            (&json!("prometheus"), &json!(["a"]), &json!("u"))
        );
        assert_eq!(asked["nonResourceAttributes"]["path"], PATH);
        cluster.with(|state| state.is_down = true);
        assert_eq!(answer(&cluster, Some("Bearer good")).await, Some(500));
    }

    #[test]
    fn a_certificate_counts_with_its_own_key_only() -> Result<(), rcgen::Error> {
        let pair = || {
            let key = KeyPair::generate()?;
            let certificate = CertificateParams::new(vec!["a.example".to_owned()])?.self_signed(&key)?.pem();
            Ok::<_, rcgen::Error>((certificate.into_bytes(), key.serialize_pem().into_bytes()))
        };
        let ((certificate, key), (_, other)) = (pair()?, pair()?);
        let usable = |certificate: &[u8], key: &[u8]| {
            Pair { certificate: certificate.to_vec(), key: key.to_vec() }.config().is_some()
        };
        assert!(usable(&certificate, &key));
        assert!(!usable(&certificate, &other) && !usable(&certificate, b"") && !usable(b"", &key));
        let file: File = Arc::new(move |path| match path {
            "f/tls.crt" => Some(certificate.clone()),
            "f/tls.key" => Some(key.clone()),
            _ => None,
        });
        assert!(Pair::read("f", &file).is_some_and(|pair| pair.config().is_some()));
        assert!(Pair::read("g", &file).is_none());
        Ok(())
    }
}

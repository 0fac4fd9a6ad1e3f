//! A server before the API server that lets only so many writes through, for who is killed after each of
//! them.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum_server::tls_rustls::{RustlsConfig, from_tcp_rustls};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kube::Client;
use landfall_kube::Access;
use tokio::runtime::Runtime;

use super::authority::{Authority, LOOPBACK};
use crate::server::Server;

/// More than any object is long.
const MOST: usize = 16 << 20;
/// How long an answer of the server may take on a busy machine.
const PATIENT: Duration = Duration::from_mins(1);
/// Writes that are no steps: questions, what is told to people, and the lease, which is renewed by the clock.
const NO_STEPS: &[&str] = &["/selfsubjectaccessreviews", "/events", "/leases", "dryRun=All"];

/// Such a server, for whoever has its kubeconfig.
pub struct Counted {
    front: Front,
    pub kubeconfig: PathBuf,
    _runtime: Runtime,
}

#[derive(Clone)]
struct Front {
    client: Client,
    left: Arc<AtomicI64>,
    silent: Arc<AtomicBool>,
    ended: Arc<AtomicBool>,
}

impl Counted {
    /// One that lets nothing be written.
    pub fn before(server: &Server, folder: &Path) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let access = Access::read(&server.kubeconfig(), &|_: &str| None).unwrap();
        let client = runtime.block_on(async { access.watching_client(PATIENT) }).unwrap();
        let front = Front { client, left: Arc::default(), silent: Arc::default(), ended: Arc::default() };
        let authority = Authority::new("an authority of its own");
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.set_nonblocking(true).unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = Router::new().fallback(pass).with_state(front.clone());
        let config = RustlsConfig::from_config(authority.server(LOOPBACK));
        runtime.spawn(async move {
            from_tcp_rustls(listener, config).unwrap().serve(router.into_make_service()).await.unwrap();
        });
        let text = std::fs::read_to_string(server.kubeconfig()).unwrap();
        let trusted = format!("certificate-authority-data: {}", STANDARD.encode(&authority.pem));
        let lines = text.lines().map(|line| {
            let own = line.trim_start();
            let indent = &line[..line.len() - own.len()];
            match own.split_once(':').map(|(key, _)| key) {
                Some("server") => format!("{indent}server: https://127.0.0.1:{port}\n"),
                Some("certificate-authority-data") => format!("{indent}{trusted}\n"),
                _ => format!("{line}\n"),
            }
        });
        let kubeconfig = folder.join("counted.kubeconfig");
        std::fs::write(&kubeconfig, lines.collect::<String>()).unwrap();
        Self { front, kubeconfig, _runtime: runtime }
    }

    /// Lets so many more writes through; with `silent`, the answer to the last of them is lost.
    pub fn allow(&self, writes: i64, silent: bool) {
        self.front.silent.store(silent, Ordering::SeqCst);
        self.front.ended.store(false, Ordering::SeqCst);
        self.front.left.store(writes, Ordering::SeqCst);
    }

    /// Whether somebody waits for more than was let through.
    pub fn has_ended(&self) -> bool {
        self.front.ended.load(Ordering::SeqCst)
    }
}

async fn pass(State(front): State<Front>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MOST).await else { return StatusCode::BAD_REQUEST.into_response() };
    let path = parts.uri.to_string();
    let is_step = parts.method != Method::GET && !NO_STEPS.iter().any(|part| path.contains(part));
    let left = if is_step { front.left.fetch_sub(1, Ordering::SeqCst) } else { i64::MAX };
    if left <= 0 {
        front.wait_for_end().await;
    }
    parts.headers.remove(header::HOST);
    // What was let through happens, also where the one who asked is killed meanwhile.
    let client = front.client.clone();
    let request = hyper::Request::from_parts(parts, kube::client::Body::from(body));
    let sent = tokio::spawn(async move { client.send(request).await }).await.unwrap();
    if left == 1 && front.silent.load(Ordering::SeqCst) {
        front.wait_for_end().await;
    }
    match sent {
        Ok(mut answer) => {
            // It is cut into pieces of this server's own.
            answer.headers_mut().remove(header::TRANSFER_ENCODING);
            answer.map(Body::new)
        }
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

impl Front {
    /// Answers nothing until whoever asked is killed.
    async fn wait_for_end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        std::future::pending::<()>().await;
    }
}

//! An operator that judges what is written, at an address that the API server can reach: in a cluster it is a
//! service's, and here a port of the loopback interface.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use serde_json::{Value, json};

use super::users::ADMINISTRATOR;
use super::world::{ADMISSION, GROUP, NAMESPACED, PRIVATE, PROJECT, Place, World};
use crate::gate::nobody;
use crate::operator::replica::Replica;
use crate::until::until;

const JUDGING: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const AMENDING: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
/// How long an answer may take.
const PATIENT: Duration = Duration::from_secs(10);

/// Where an operator answers the API server.
pub struct Webhook {
    port: u16,
}

impl Webhook {
    /// An address at which nobody is yet.
    pub fn new() -> Self {
        Self { port: nobody() }
    }

    /// Starts an operator with these controllers that judges at this address, and waits until it does.
    pub fn start(&self, world: &World, controllers: &str) -> Replica {
        let listen = format!("127.0.0.1:{}", self.port);
        let url = format!("https://{listen}");
        let flags =
            [GROUP, "--controllers", controllers, "--webhook-listen", &listen, "--webhook-service", &url];
        let operator = Replica::begin(&world.cluster, &flags, None);
        until("what is written is judged", || is_judged(world).then_some(()));
        operator
    }

    /// Whether whoever answers there shows a certificate for this address that these authorities vouch for.
    pub fn shows(&self, authorities: &[u8]) -> bool {
        self.answer(authorities).is_some_and(|answer| answer == *b"HTTP/")
    }

    /// How an answer begins; none where the certificate is not trusted, or nobody answers.
    fn answer(&self, authorities: &[u8]) -> Option<[u8; 5]> {
        let mut roots = RootCertStore::empty();
        for block in pem::parse_many(authorities).ok()? {
            roots.add(CertificateDer::from(block.into_contents())).ok()?;
        }
        let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .ok()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("127.0.0.1").ok()?;
        let connection = ClientConnection::new(Arc::new(config), name).ok()?;
        let socket = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        socket.set_read_timeout(Some(PATIENT)).ok()?;
        let mut stream = StreamOwned::new(connection, socket);
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").ok()?;
        let mut begin = [0; 5];
        stream.read_exact(&mut begin).ok()?;
        Some(begin)
    }
}

/// Whether what nobody may write is refused by who judges, and not because nobody does. What is amended before
/// comes as far only where somebody amends it.
pub fn is_judged(world: &World) -> bool {
    let gone = "no-such-profile";
    let private = (PRIVATE, json!({ "parent": gone }));
    let released = (NAMESPACED, json!({ "parent": { "kind": "CloudProfile", "name": gone } }));
    [private, released].iter().all(|(kind, spec)| {
        let place = Place(*kind, PROJECT, "dry-run");
        let path = format!("{}?dryRun=All", place.collection());
        let answer = world.users.call(ADMINISTRATOR, "POST", &path, &place.object(spec));
        answer.is_err_and(|refused| refused.message.contains("denied the request"))
    })
}

/// The configuration by which the API server asks the operator what may be written.
pub fn configuration(world: &World) -> Value {
    only(world, JUDGING)
}

/// The configuration by which it asks what is to be changed before.
pub fn amending(world: &World) -> Value {
    only(world, AMENDING)
}

fn only(world: &World, path: &str) -> Value {
    let list = world.cluster.get(path).unwrap_or_default();
    let items = list["items"].as_array().cloned().unwrap_or_default();
    let [one] = items.as_slice() else { panic!("{path}: not one configuration, but {}", items.len()) };
    one.clone()
}

/// The authorities that the API server trusts where it asks what may be written.
pub fn trusted(world: &World) -> Vec<u8> {
    bundle(&configuration(world))
}

/// The authorities that are trusted by a configuration, which are the same for all of its webhooks.
pub fn bundle(configuration: &Value) -> Vec<u8> {
    let bundle = |webhook: &Value| webhook["clientConfig"]["caBundle"].as_str().map(str::to_owned);
    let webhooks = configuration["webhooks"].as_array().into_iter().flatten();
    let mut bundles: Vec<Option<String>> = webhooks.map(bundle).collect();
    bundles.dedup();
    assert_eq!(bundles.len(), 1, "{bundles:?}");
    let bundle = bundles.remove(0).unwrap_or_default();
    STANDARD.decode(bundle).unwrap()
}

/// Has the API server trust others: their certificates, as the configurations hold them.
pub fn mistrust(world: &World, bundle: &str) {
    for path in [AMENDING, JUDGING] {
        let mut changed = only(world, path);
        for webhook in changed["webhooks"].as_array_mut().unwrap() {
            webhook["clientConfig"]["caBundle"] = bundle.into();
        }
        let name = changed["metadata"]["name"].as_str().unwrap().to_owned();
        let to = json!({ "webhooks": changed["webhooks"] });
        world.cluster.server.change(&format!("{path}/{name}"), &to);
    }
}

/// The path of the secret in which the operator keeps its certificates.
pub fn secret(world: &World) -> String {
    format!("/api/v1/namespaces/{}/secrets/landfall-webhook", world.cluster.namespace)
}

/// The certificates and the key that are kept there; null where there are none.
pub fn kept(world: &World) -> Value {
    world.cluster.get(&secret(world)).unwrap_or_default()["data"].clone()
}

/// All controllers of profiles, with who judges what is written.
pub fn all(controllers: &str) -> String {
    format!("{controllers},{ADMISSION}")
}

//! The way to an endpoint, step by step: name, connection, proxy, TLS, request.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{FuturesUnordered, StreamExt};
use hyper::StatusCode;
use rustls::ProtocolVersion;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsConnector;
use url::{Host, Url};

use super::chain::Certificate;
use super::fault::{self, Sort, Told, told};
use super::probe::{Broken, Probe, Reply, Step};
use super::proxy::Proxy;
use super::recording_verifier::{self, RecordingVerifier};
use super::request;
use super::trust::Trust;

/// A connection of any kind.
pub(super) type Connection = Box<dyn Stream>;

/// What bytes go through in both directions.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A longer limit is taken for this one.
const LONGEST: Duration = Duration::from_hours(24);

/// One way to an endpoint, and what was seen on it so far.
pub(super) struct ProbeSteps<'a> {
    url: &'a Url,
    trust: &'a Trust,
    proxy: Option<Proxy>,
    limit: Duration,
    deadline: Instant,
    addresses: Vec<String>,
    peer: Option<String>,
    tls: Option<String>,
    chain: Vec<Certificate>,
    took: Vec<(Step, Duration)>,
}

impl<'a> ProbeSteps<'a> {
    /// The way to `url`. The time begins to run.
    pub(super) fn new(url: &'a Url, trust: &'a Trust, proxy: Option<Proxy>, limit: Duration) -> Self {
        Self {
            url,
            trust,
            proxy,
            limit,
            deadline: Instant::now() + limit.min(LONGEST),
            addresses: Vec::new(),
            peer: None,
            tls: None,
            chain: Vec::new(),
            took: Vec::new(),
        }
    }

    /// All that was seen.
    pub(super) fn seen(self, answer: Result<Reply, Broken>) -> Probe {
        Probe {
            url: request::shown(self.url),
            addresses: self.addresses,
            peer: self.peer,
            proxy: self.proxy.as_ref().map(Proxy::shown),
            tls: self.tls,
            chain: self.chain,
            answer,
            took: self.took,
        }
    }

    /// Goes the whole way.
    pub(super) async fn reply(&mut self) -> Result<Reply, Broken> {
        let scheme = self.url.scheme();
        if !matches!(scheme, "http" | "https") {
            let why = format!("`{scheme}` is neither http nor https");
            return Err(self.broken(Step::Name, (Sort::NotHttp, why)));
        }
        let stream = self.connection().await?;
        let forward = self.proxy.clone().filter(|_| scheme == "http");
        let request = request::get(self.url, forward.as_ref());
        let request = request.map_err(|told| self.broken(Step::Http, told))?;
        let mut exchange = self.timed(Step::Http, request::send(stream, request)).await?;
        let begun = Instant::now();
        let mut body = Vec::new();
        // The head is an answer already; of the body, what comes in time will do.
        let _ = timeout_at(self.deadline, request::read(exchange.response.body_mut(), &mut body)).await;
        self.took.push((Step::Http, begun.elapsed()));
        let status = exchange.response.status();
        if forward.is_some() && status == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return Err(self.broken(Step::Proxy, request::wants_user()));
        }
        let headers = request::kept(self.url, exchange.response.headers());
        Ok(Reply { status: status.as_u16(), headers, body })
    }

    /// The connection on which the endpoint can be spoken to.
    async fn connection(&mut self) -> Result<Connection, Broken> {
        let Some((host, port)) = self.first_stop() else {
            let told = (Sort::NameUnknown, "the URL has no host".to_owned());
            return Err(self.broken(Step::Name, told));
        };
        let addresses = self.timed(Step::Name, looked_up(&host, port)).await?;
        self.addresses = addresses.iter().map(|address| address.ip().to_string()).collect();
        let (stream, peer) = self.timed(Step::Connect, connected(addresses)).await?;
        self.peer = Some(peer.to_string());
        let mut stream: Connection = Box::new(stream);
        let (url, trust) = (self.url, self.trust);
        let encrypted = url.scheme() == "https";
        if let Some(proxy) = self.proxy.clone() {
            let target = if encrypted { host_with_port(url) } else { None };
            stream = self.timed(Step::Proxy, through(&proxy, trust, target, stream)).await?;
        }
        if !encrypted {
            return Ok(stream);
        }
        let verifier = RecordingVerifier::new(trust);
        let host = bare_host(url).unwrap_or_default();
        let secured = self.timed(Step::Tls, secured(&verifier, host, stream)).await;
        self.chain = verifier.presented();
        let (stream, version) = secured?;
        self.tls = version;
        Ok(stream)
    }

    /// The host and port to connect to.
    fn first_stop(&self) -> Option<(String, u16)> {
        match &self.proxy {
            Some(proxy) => Some((proxy.host().to_owned(), proxy.port())),
            None => Some((bare_host(self.url)?, self.url.port_or_known_default()?)),
        }
    }

    /// Does the work of a step, as long as there is time.
    async fn timed<T>(
        &mut self,
        step: Step,
        work: impl Future<Output = Result<T, Told>> + Send,
    ) -> Result<T, Broken> {
        let begun = Instant::now();
        let done = timeout_at(self.deadline, work).await;
        self.took.push((step, begun.elapsed()));
        let done = done.unwrap_or_else(|_| Err((Sort::TimedOut, fault::late(self.limit))));
        done.map_err(|told| self.broken(step, told))
    }

    /// What went wrong, with the proxy's name where it happened on the way to it or in it.
    fn broken(&self, step: Step, (sort, why): Told) -> Broken {
        let at_proxy = matches!(step, Step::Name | Step::Connect | Step::Proxy);
        match self.proxy.as_ref().filter(|_| at_proxy) {
            Some(proxy) => Broken {
                step,
                sort,
                why: format!("proxy {}: {why}", proxy.shown()),
                help: format!(
                    "{}; the proxy comes from HTTPS_PROXY, HTTP_PROXY or ALL_PROXY; NO_PROXY lists the \
                     hosts that bypass it",
                    sort.help()
                ),
            },
            None => Broken { step, sort, why, help: sort.help().to_owned() },
        }
    }
}

async fn looked_up(host: &str, port: u16) -> Result<Vec<SocketAddr>, Told> {
    let found = lookup_host((host, port)).await.map_err(|error| told(&error, &[], Sort::NameFailed))?;
    let addresses: Vec<SocketAddr> = found.collect();
    if addresses.is_empty() {
        return Err((Sort::NameUnknown, "the name has no address".to_owned()));
    }
    Ok(addresses)
}

/// A connection to the address that answers first: a dead one among many costs no time.
async fn connected(addresses: Vec<SocketAddr>) -> Result<(TcpStream, SocketAddr), Told> {
    let mut attempts: FuturesUnordered<_> = addresses.into_iter().map(attempt).collect();
    let mut failed: Option<Told> = None;
    while let Some(attempt) = attempts.next().await {
        match attempt {
            Ok(connected) => return Ok(connected),
            // A refusal says more than that there is no way to the other family's address.
            Err(told) if told.0 == Sort::Refused => failed = Some(told),
            Err(told) => failed = failed.or(Some(told)),
        }
    }
    Err(failed.unwrap_or_else(|| (Sort::Unreachable, "there is no address to connect to".to_owned())))
}

async fn attempt(address: SocketAddr) -> Result<(TcpStream, SocketAddr), Told> {
    match TcpStream::connect(address).await {
        Ok(stream) => Ok((stream, address)),
        Err(error) => Err(told(&error, &[], Sort::Unreachable)),
    }
}

/// The stream to the host and port behind the proxy, or to the proxy itself where there is no such target.
async fn through(
    proxy: &Proxy,
    trust: &Trust,
    target: Option<String>,
    stream: Connection,
) -> Result<Connection, Told> {
    let stream = match proxy.scheme() {
        "http" => stream,
        "https" => secured(&RecordingVerifier::new(trust), proxy.host().to_owned(), stream).await?.0,
        _ => return Err((Sort::ProxyRefused, "only proxies that speak HTTP are supported".to_owned())),
    };
    match target {
        Some(target) => request::tunnel(stream, proxy, &target).await,
        None => Ok(stream),
    }
}

/// The stream inside TLS, with a server that proved to be `host`, and the version of TLS.
async fn secured(
    verifier: &Arc<RecordingVerifier>,
    host: String,
    stream: Connection,
) -> Result<(Connection, Option<String>), Told> {
    let Ok(name) = ServerName::try_from(host) else {
        return Err((Sort::OtherName, "no certificate can be valid for this name".to_owned()));
    };
    let config = recording_verifier::config(verifier).map_err(|error| fault::of_tls(&error, &[]))?;
    match TlsConnector::from(config).connect(name, stream).await {
        Ok(stream) => {
            let version = stream.get_ref().1.protocol_version().map(version);
            let stream: Connection = Box::new(stream);
            Ok((stream, version))
        }
        Err(error) => Err(told(&error, &verifier.presented(), Sort::Tls)),
    }
}

fn version(version: ProtocolVersion) -> String {
    match version {
        ProtocolVersion::TLSv1_3 => "TLS 1.3".to_owned(),
        ProtocolVersion::TLSv1_2 => "TLS 1.2".to_owned(),
        other => format!("{other:?}"),
    }
}

/// The host; an IPv6 address without brackets.
fn bare_host(url: &Url) -> Option<String> {
    Some(match url.host()? {
        Host::Domain(name) => name.to_owned(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => address.to_string(),
    })
}

fn host_with_port(url: &Url) -> Option<String> {
    Some(format!("{}:{}", url.host_str()?, url.port_or_known_default()?))
}

//! The look at one endpoint: how far the way to it goes, what stands at its end, and who that says it is.

use std::time::Duration;

use serde_json::{Map, Value, json};
use url::Url;

use super::chain::Certificate;
use super::fault::Sort;
use super::probe_steps::ProbeSteps;
use super::proxy::Proxies;
use super::trust::Trust;

/// A step on the way to an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The host's name becomes addresses.
    Name,
    /// One of the addresses takes a TCP connection.
    Connect,
    /// The proxy passes on.
    Proxy,
    /// The server proves who it is.
    Tls,
    /// The server answers a request.
    Http,
}

impl Step {
    /// Its name in evidence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Connect => "connect",
            Self::Proxy => "proxy",
            Self::Tls => "tls",
            Self::Http => "http",
        }
    }
}

/// What was seen of an endpoint.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The endpoint's URL, without what may be secret in it.
    pub url: String,
    /// Addresses of the host, or of the proxy where there is one.
    pub addresses: Vec<String>,
    /// Address and port that took the connection.
    pub peer: Option<String>,
    /// The proxy on the way.
    pub proxy: Option<String>,
    /// Version of TLS, such as `TLS 1.3`.
    pub tls: Option<String>,
    /// The certificates that the endpoint presented, its own first, accepted or not.
    pub chain: Vec<Certificate>,
    /// What the endpoint answered, or what went wrong before.
    pub answer: Result<Reply, Broken>,
    /// How long the steps took, in their order; one that came in two parts is there twice.
    pub took: Vec<(Step, Duration)>,
}

/// An HTTP answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status, such as 200.
    pub status: u16,
    /// The headers that say who answers, with their names in lower case: of `location` without user and
    /// query, of `www-authenticate` only the scheme.
    pub headers: Vec<(String, String)>,
    /// The beginning of the body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The value of a header, if it is among those that are kept.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Why an endpoint cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The step that failed.
    pub step: Step,
    /// What sort of fault it is.
    pub sort: Sort,
    /// What happened, as a part of a sentence.
    pub why: String,
    /// What to do about it, without a full stop.
    pub help: String,
}

impl Probe {
    /// What was seen, by name.
    #[must_use]
    pub fn evidence(&self) -> Map<String, Value> {
        let mut seen = Map::new();
        seen.insert("url".to_owned(), json!(self.url));
        seen.insert("addresses".to_owned(), json!(self.addresses));
        for (name, value) in [("peer", &self.peer), ("proxy", &self.proxy), ("tls", &self.tls)] {
            if let Some(value) = value {
                seen.insert(name.to_owned(), json!(value));
            }
        }
        if !self.chain.is_empty() {
            let certificates: Vec<Value> = self.chain.iter().map(Certificate::evidence).collect();
            seen.insert("certificates".to_owned(), Value::Array(certificates));
        }
        if let Ok(reply) = &self.answer {
            seen.insert("status".to_owned(), json!(reply.status));
            if let Some(server) = reply.header("server") {
                seen.insert("server".to_owned(), json!(server));
            }
        }
        let mut steps = Map::new();
        for step in [Step::Name, Step::Connect, Step::Proxy, Step::Tls, Step::Http] {
            let parts: Vec<Duration> =
                self.took.iter().filter(|(taken, _)| *taken == step).map(|(_, time)| *time).collect();
            if !parts.is_empty() {
                let whole: Duration = parts.into_iter().sum();
                let milliseconds = u64::try_from(whole.as_millis()).unwrap_or(u64::MAX);
                steps.insert(step.name().to_owned(), json!(milliseconds));
            }
        }
        seen.insert("stepsMs".to_owned(), Value::Object(steps));
        seen
    }
}

/// What is to be seen of the endpoint at `url`, within the limit for all steps together. Nobody is asked
/// twice, and a redirect is not followed.
pub async fn probe(url: &Url, trust: &Trust, proxies: &Proxies, limit: Duration) -> Probe {
    let mut steps = ProbeSteps::new(url, trust, proxies.for_url(url), limit);
    let answer = steps.reply().await;
    steps.seen(answer)
}

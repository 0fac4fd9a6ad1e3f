//! The one request that an endpoint is sent, and the one that a proxy is.

use http_body_util::{BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{HOST, HeaderMap, PROXY_AUTHORIZATION, USER_AGENT};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use landfall_diagnostics::secret::without_user;
use tokio::task::JoinSet;
use url::{Position, Url};

use super::chain::printable;
use super::fault::{Sort, Told, told};
use super::probe_steps::Connection;
use super::proxy::Proxy;

/// How landfall calls itself.
const AGENT: &str = concat!("landfall/", env!("CARGO_PKG_VERSION"));

/// How much of a body is read.
const MOST: usize = 4096;

/// The headers that say who answers.
const KEPT: &[&str] = &[
    "server",
    "content-type",
    "location",
    "x-amz-request-id",
    "x-amzn-requestid",
    "x-amz-id-2",
    "x-ms-request-id",
    "www-authenticate",
];

/// An answer whose body may still be on its way. The connection lives as long.
pub(super) struct Exchange {
    pub(super) response: Response<Incoming>,
    _sender: SendRequest<Empty<Bytes>>,
    _driver: JoinSet<hyper::Result<()>>,
}

/// Sends a request and waits for the head of its answer.
pub(super) async fn send(stream: Connection, request: Request<Empty<Bytes>>) -> Result<Exchange, Told> {
    let of = |error: hyper::Error| told(&error, &[], Sort::Closed);
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(of)?;
    // Dropped with the exchange, the set ends the task.
    let mut driver = JoinSet::new();
    driver.spawn(connection.with_upgrades());
    let response = sender.send_request(request).await.map_err(of)?;
    Ok(Exchange { response, _sender: sender, _driver: driver })
}

/// The request to an endpoint. A proxy that passes it on in plain text gets the whole URL.
pub(super) fn get(url: &Url, forward: Option<&Proxy>) -> Result<Request<Empty<Bytes>>, Told> {
    let path = &url[Position::BeforePath..Position::AfterQuery];
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    let host = host_and_port(url);
    let target = match forward {
        Some(_) => format!("{}://{host}{path}", url.scheme()),
        None => path,
    };
    let mut request = Request::builder().uri(target).header(HOST, host).header(USER_AGENT, AGENT);
    if let Some(authorization) = forward.and_then(Proxy::authorization) {
        request = request.header(PROXY_AUTHORIZATION, authorization.clone());
    }
    let unfit = (Sort::NotHttp, "the URL cannot be sent in an HTTP request".to_owned());
    request.body(Empty::new()).map_err(|_| unfit)
}

/// The stream to `target`, a host with its port, behind the proxy at the end of `stream`.
pub(super) async fn tunnel(stream: Connection, proxy: &Proxy, target: &str) -> Result<Connection, Told> {
    let mut request =
        Request::builder().method(Method::CONNECT).uri(target).header(HOST, target).header(USER_AGENT, AGENT);
    if let Some(authorization) = proxy.authorization() {
        request = request.header(PROXY_AUTHORIZATION, authorization.clone());
    }
    let unfit = (Sort::ProxyRefused, format!("`{target}` cannot be requested"));
    let request = request.body(Empty::new()).map_err(|_| unfit)?;
    let exchange = send(stream, request).await?;
    let status = exchange.response.status();
    if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
        return Err(wants_user());
    }
    if !status.is_success() {
        return Err((Sort::ProxyRefused, format!("it returns {status} for {target}")));
    }
    let upgraded = hyper::upgrade::on(exchange.response).await;
    let upgraded = upgraded.map_err(|error| told(&error, &[], Sort::Closed))?;
    let stream: Connection = Box::new(TokioIo::new(upgraded));
    Ok(stream)
}

/// That a proxy does not know who asks.
pub(super) fn wants_user() -> Told {
    (Sort::ProxyRefused, "it needs a user and a password, or other ones than those set".to_owned())
}

/// Reads the beginning of a body. What has arrived is in `bytes` even if this is given up half-way.
pub(super) async fn read(body: &mut Incoming, bytes: &mut Vec<u8>) {
    while bytes.len() < MOST
        && let Some(Ok(frame)) = body.frame().await
    {
        if let Ok(data) = frame.into_data() {
            let fits = data.len().min(MOST - bytes.len());
            bytes.extend_from_slice(&data[..fits]);
        }
    }
}

/// The headers that are kept, without what may be secret in them.
pub(super) fn kept(url: &Url, headers: &HeaderMap) -> Vec<(String, String)> {
    let value = |name: &str| {
        let text = printable(&String::from_utf8_lossy(headers.get(name)?.as_bytes()));
        Some(match name {
            "location" => url.join(&text).map_or_else(|_| without_user(&text), |target| shown(&target)),
            "www-authenticate" => text.split_whitespace().next().unwrap_or_default().to_owned(),
            _ => text,
        })
    };
    KEPT.iter().copied().filter_map(|name| Some((name.to_owned(), value(name)?))).collect()
}

/// The URL without user, query and fragment, and without the slash that stands for an empty path.
pub(super) fn shown(url: &Url) -> String {
    let path = if url.path() == "/" { "" } else { url.path() };
    format!("{}://{}{path}", url.scheme(), host_and_port(url))
}

/// The host, with the port where it is not the scheme's own.
fn host_and_port(url: &Url) -> String {
    url[Position::BeforeHost..Position::AfterPort].to_owned()
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::super::proxy::Proxies;
    use super::*;

    #[test]
    fn headers_are_kept_without_secrets() -> Result<(), Box<dyn std::error::Error>> {
        let url = Url::parse("https://ec2.example.com/x")?;
        let mut headers = HeaderMap::new();
        headers.insert("server", "AmazonEC2".parse()?);
        headers.insert("set-cookie", "session=canary".parse()?);
        headers.insert("location", "https://u:canary@login.example.com:8443/in?token=canary#canary".parse()?);
        headers.insert("www-authenticate", "Negotiate canary".parse()?);
        let expected = [
            ("server", "AmazonEC2"),
            ("location", "https://login.example.com:8443/in"),
            ("www-authenticate", "Negotiate"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(kept(&url, &headers), expected);
        headers.insert("location", "/in?token=canary".parse()?);
        let location = kept(&url, &headers).into_iter().find(|(name, _)| name == "location");
        assert_eq!(location.map(|(_, value)| value), Some("https://ec2.example.com/in".to_owned()));
        Ok(())
    }

    #[test]
    fn a_request_names_host_and_path_and_no_user() -> Result<(), Box<dyn std::error::Error>> {
        let url = Url::parse("https://u:canary@[::1]:8443/api?version=1#part")?;
        assert_eq!(shown(&url), "https://[::1]:8443/api");
        assert_eq!(shown(&Url::parse("https://ec2.example.com:443/")?), "https://ec2.example.com");
        let of = |request: Result<Request<Empty<Bytes>>, Told>| {
            request.map(|request| (request.uri().to_string(), request.headers().get(HOST).cloned()))
        };
        let host: Option<HeaderValue> = Some("[::1]:8443".parse()?);
        assert_eq!(of(get(&url, None)), Ok(("/api?version=1".to_owned(), host)));
        let plain = Url::parse("http://u:canary@ec2.example.com")?;
        let forward = Proxies::of("", "http://proxy:3128", "").for_url(&plain);
        let host: Option<HeaderValue> = Some("ec2.example.com".parse()?);
        assert_eq!(of(get(&plain, forward.as_ref())), Ok(("http://ec2.example.com/".to_owned(), host)));
        Ok(())
    }
}

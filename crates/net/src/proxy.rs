//! Proxies, as the environment names them and as curl and the clouds' own programs understand it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::proxy::matcher::Matcher;
use landfall_diagnostics::secret::{Secret, without_user};
use url::Url;

/// Which proxy leads to which URL.
#[derive(Debug)]
pub struct Proxies {
    matcher: Matcher,
    secrets: Vec<Secret<String>>,
}

impl Proxies {
    /// The proxies of an environment, of which `variable` gives the values: `HTTPS_PROXY`, `HTTP_PROXY`,
    /// `ALL_PROXY` and `NO_PROXY`, each in capitals or in lower case.
    #[must_use]
    pub fn gather(variable: impl Fn(&str) -> Option<String>) -> Self {
        // A web server gives a CGI program the header `Proxy` of whoever asks as HTTP_PROXY.
        if variable("REQUEST_METHOD").is_some() {
            return Self::of("", "", "");
        }
        let either =
            |capitals: &str, small: &str| variable(capitals).or_else(|| variable(small)).unwrap_or_default();
        Self::with_all(
            &either("ALL_PROXY", "all_proxy"),
            &either("HTTPS_PROXY", "https_proxy"),
            &either("HTTP_PROXY", "http_proxy"),
            &either("NO_PROXY", "no_proxy"),
        )
    }

    /// The proxies of these values of `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
    #[must_use]
    pub fn of(https: &str, http: &str, no: &str) -> Self {
        Self::with_all("", https, http, no)
    }

    fn with_all(all: &str, https: &str, http: &str, no: &str) -> Self {
        let matcher = Matcher::builder().all(all).https(https).http(http).no(no).build();
        let mut secrets: Vec<Secret<String>> = Vec::new();
        for secret in [all, https, http].into_iter().flat_map(secrets_of).map(Secret::new) {
            if !secret.is_empty() && !secrets.contains(&secret) {
                secrets.push(secret);
            }
        }
        Self { matcher, secrets }
    }

    /// The proxy that leads to this URL, if any.
    #[must_use]
    pub fn for_url(&self, url: &Url) -> Option<Proxy> {
        let target: Uri = format!("{}://{}/", url.scheme(), url.host_str()?).parse().ok()?;
        let found = self.matcher.intercept(&target)?;
        Some(Proxy { uri: found.uri().clone(), authorization: found.basic_auth().cloned() })
    }

    /// What must not be shown of the proxies: their passwords, as written and as meant, and the form in which
    /// they are sent.
    #[must_use]
    pub fn secrets(&self) -> Vec<Secret<String>> {
        self.secrets.clone()
    }
}

/// One proxy.
#[derive(Clone, Debug)]
pub struct Proxy {
    uri: Uri,
    /// Marked as sensitive, so that its `Debug` shows nothing.
    authorization: Option<HeaderValue>,
}

impl Proxy {
    /// Its address, without user and password.
    #[must_use]
    pub fn uri(&self) -> &Uri {
        &self.uri
    }

    /// Its address, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        without_user(self.uri.to_string().trim_end_matches('/'))
    }

    /// The header `Proxy-Authorization` with its user and password, where there is a user. Secret.
    #[must_use]
    pub fn authorization(&self) -> Option<&HeaderValue> {
        self.authorization.as_ref()
    }

    /// How it is spoken to: `http`, `https` or a kind of SOCKS.
    pub(super) fn scheme(&self) -> &str {
        self.uri.scheme_str().unwrap_or("http")
    }

    /// Its host; an IPv6 address without brackets.
    pub(super) fn host(&self) -> &str {
        self.uri.host().unwrap_or_default().trim_matches(['[', ']'])
    }

    pub(super) fn port(&self) -> u16 {
        let usual = match self.scheme() {
            "http" => 80,
            "https" => 443,
            _ => 1080,
        };
        self.uri.port_u16().unwrap_or(usual)
    }
}

/// What is secret of a proxy's URL. A user without a password may be a token.
fn secrets_of(given: &str) -> Vec<String> {
    let mut found = Vec::new();
    let rest = given.split_once("://").map_or(given, |(_, rest)| rest);
    let Some((user, _)) = rest.rsplit_once('@') else {
        return found;
    };
    found.push(user.split_once(':').map_or(user, |(_, password)| password).to_owned());
    let proxy = Matcher::builder().all(given).build().intercept(&Uri::from_static("https://host.invalid/"));
    let Some(proxy) = proxy else {
        return found;
    };
    if let Some((user, password)) = proxy.raw_auth() {
        found.push(if password.is_empty() { user } else { password }.to_owned());
    }
    let header = proxy.basic_auth().and_then(|header| header.to_str().ok());
    if let Some(sent) = header.and_then(|header| header.strip_prefix("Basic ")) {
        let decoded = STANDARD.decode(sent).unwrap_or_default();
        let decoded = String::from_utf8_lossy(&decoded).into_owned();
        let (user, password) = decoded.split_once(':').unwrap_or((decoded.as_str(), ""));
        found.push(if password.is_empty() { user } else { password }.to_owned());
        found.push(sent.to_owned());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(proxies: &Proxies, url: &str) -> Option<String> {
        let url = Url::parse(url).ok()?;
        proxies.for_url(&url).map(|proxy| format!("{} {}:{}", proxy.shown(), proxy.host(), proxy.port()))
    }

    #[test]
    fn the_scheme_of_the_url_decides() {
        let proxies = Proxies::of("https://secure:8443", "plain.example:3128", "internal, 10.0.0.0/8,[::2]");
        let https = Some("https://secure:8443 secure:8443".to_owned());
        let http = Some("http://plain.example:3128 plain.example:3128".to_owned());
        assert_eq!(shown(&proxies, "https://ec2.example.com"), https);
        assert_eq!(shown(&proxies, "http://[::1]:80/x"), http);
        assert_eq!(shown(&proxies, "https://ec2.internal/"), None);
        assert_eq!(shown(&proxies, "https://10.1.2.3:6443"), None);
        assert_eq!(shown(&Proxies::of("", "", ""), "https://ec2.example.com"), None);
        let six = Proxies::of("http://[::1]", "", "");
        assert_eq!(shown(&six, "https://ec2.example.com"), Some("http://[::1] ::1:80".to_owned()));
    }

    #[test]
    fn the_environment_is_read_as_others_read_it() {
        let environment = |set: &'static [(&'static str, &'static str)]| {
            Proxies::gather(move |name| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            })
        };
        let url = "https://ec2.example.com";
        let small = environment(&[("https_proxy", "http://small:1")]);
        assert_eq!(shown(&small, url), Some("http://small:1 small:1".to_owned()));
        let all = environment(&[("ALL_PROXY", "http://all:1"), ("no_proxy", "other.example.com")]);
        assert_eq!(shown(&all, url), Some("http://all:1 all:1".to_owned()));
        assert_eq!(shown(&all, "https://other.example.com"), None);
        let cgi = environment(&[("HTTPS_PROXY", "http://p:1"), ("REQUEST_METHOD", "GET")]);
        assert_eq!(shown(&cgi, url), None);
    }

    #[test]
    fn passwords_are_known_and_not_shown() {
        let proxies = Proxies::of("http://user:can%61ry-1@proxy:3128", "http://canary-token@proxy", "*");
        let secrets: Vec<String> = proxies.secrets().iter().map(|secret| secret.expose().clone()).collect();
        let sent = |text: &str| STANDARD.encode(text);
        let expected = [
            "can%61ry-1".to_owned(),
            "canary-1".to_owned(),
            sent("user:canary-1"),
            "canary-token".to_owned(),
            sent("canary-token:"),
        ];
        assert_eq!(secrets, expected);
        let open = Proxies::of("http://user:can%61ry-1@proxy:3128", "", "");
        let Some(proxy) = Url::parse("https://host").ok().and_then(|url| open.for_url(&url)) else {
            unreachable!("there is a proxy")
        };
        assert_eq!(proxy.shown(), "http://proxy:3128");
        assert!(proxy.authorization().is_some());
        let debug = format!("{proxy:?} {open:?}");
        assert!(!debug.contains("canary") && !debug.contains("can%61ry"), "{debug}");
        assert!(!debug.contains(&sent("user:canary-1")), "{debug}");
    }
}

//! Where the API server finds the judge.

use std::net::IpAddr;
use std::str::FromStr;

use serde_json::{Value, json};
use url::{Host, Url};

/// Under what the API server asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A service of this name in the operator's namespace.
    Service(String),
    /// An `https` URL, for an operator outside the cluster.
    Url(Url),
}

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.contains("://") {
            let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            let right = (1..=63).contains(&text.len())
                && text.bytes().all(inner)
                && text.starts_with(|c: char| c.is_ascii_lowercase())
                && !text.ends_with('-');
            return right
                .then(|| Self::Service(text.to_owned()))
                .ok_or("use the name of a service, or a URL");
        }
        let plain = |url: &Url| {
            url.scheme() == "https"
                && url.has_host()
                && url.username().is_empty()
                && url.password().is_none()
                && url.path() == "/"
                && url.query().is_none()
                && url.fragment().is_none()
        };
        let url = Url::parse(text).ok().filter(plain);
        url.map(Self::Url).ok_or("use an https URL with a host and an optional port, nothing else")
    }
}

impl Address {
    /// The client configuration of the API server for a path.
    pub(super) fn client(&self, path: &str, namespace: &str, bundle: Option<&str>) -> Value {
        let mut client = match self {
            Self::Service(name) => {
                json!({ "service": { "name": name, "namespace": namespace, "path": path, "port": 443 } })
            }
            Self::Url(url) => {
                let mut url = url.clone();
                url.set_path(path);
                json!({ "url": url.as_str() })
            }
        };
        if let Some(bundle) = bundle {
            client["caBundle"] = json!(bundle);
        }
        client
    }

    /// The names that the certificate must have, the first of them its own.
    pub(super) fn names(&self, namespace: &str) -> Vec<String> {
        match self {
            Self::Service(name) => {
                vec![format!("{name}.{namespace}.svc"), format!("{name}.{namespace}.svc.cluster.local")]
            }
            Self::Url(url) => match url.host() {
                Some(Host::Domain(name)) => vec![name.to_owned()],
                Some(Host::Ipv4(address)) => vec![IpAddr::from(address).to_string()],
                Some(Host::Ipv6(address)) => vec![IpAddr::from(address).to_string()],
                None => Vec::new(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_service_or_a_url() {
        let names = |text: &str| text.parse::<Address>().map(|address| address.names("here"));
        assert_eq!(
            names("landfall-webhook"),
            Ok(vec![
                "landfall-webhook.here.svc".to_owned(),
                "landfall-webhook.here.svc.cluster.local".to_owned()
            ])
        );
        assert_eq!(names("https://127.0.0.1:9443"), Ok(vec!["127.0.0.1".to_owned()]));
        assert_eq!(names("https://[::1]"), Ok(vec!["::1".to_owned()]));
        for wrong in
            ["", "A", "1a", "a.b", "http://a", "https://", "https://u:p@a", "https://a/b", "https://a?b"]
        {
            assert!(names(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_api_server_gets_the_whole_address() {
        let told = |text: &str| {
            text.parse::<Address>().map(|address| address.client("/admission", "here", Some("Q0E=")))
        };
        assert_eq!(
            told("https://127.0.0.1:9443"),
            Ok(json!({ "url": "https://127.0.0.1:9443/admission", "caBundle": "Q0E=" }))
        );
        assert_eq!(
            told("hook"),
            Ok(json!({
                "service": { "name": "hook", "namespace": "here", "path": "/admission", "port": 443 },
                "caBundle": "Q0E=",
            }))
        );
    }
}

//! A URL at which a service is called, as a user gives it: read in one place, whoever uses it.

use landfall_diagnostics::secret::without_user;
use landfall_diagnostics::shortened;

use crate::url::Url;

/// Why a text cannot be an endpoint, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// What is wrong, without a user part.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// The URL of a service. A scheme that is left out is `https`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    text: String,
    url: Url,
}

impl Endpoint {
    /// Reads a URL of a host, of any scheme.
    ///
    /// # Errors
    /// It is not a URL, or has no host.
    pub fn parse(text: &str) -> Result<Self, Unfit> {
        let with_scheme = text.split_once("://").is_some_and(|(scheme, _)| !scheme.contains(':'));
        let full = if with_scheme { text.to_owned() } else { format!("https://{text}") };
        let shown = || shortened(&without_user(text));
        let unfit = |message| Unfit {
            message,
            help: "write https:// and a host, such as https://ec2.us-hidden-1.example.com".to_owned(),
        };
        let url = Url::parse(&full).map_err(|fault| unfit(format!("`{}` is not a URL: {fault}", shown())))?;
        if url.hostname().is_empty() {
            let message = if text.is_empty() {
                "the URL is missing".to_owned()
            } else {
                format!("`{}` has no host", shown())
            };
            return Err(unfit(message));
        }
        Ok(Self { text: full, url })
    }

    /// Reads a URL of a host over HTTPS, without path or query: what the OpenShift installer accepts in
    /// `serviceEndpoints` (`docs/install-config.md`, section 10.4).
    ///
    /// # Errors
    /// It is none.
    pub fn of_service(text: &str) -> Result<Self, Unfit> {
        let endpoint = Self::parse(text)?;
        let shown = || shortened(&without_user(text));
        let help = || format!("write https://{}", endpoint.url.host);
        if endpoint.url.scheme != "https" {
            let message = format!("`{}` uses `{}`, not HTTPS", shown(), endpoint.url.scheme);
            return Err(Unfit { message, help: help() });
        }
        let request = endpoint.url.request_uri();
        if request != "/" {
            let message = format!("`{}` has a path or query, `{}`", shown(), shortened(&request));
            return Err(Unfit { message, help: help() });
        }
        Ok(endpoint)
    }

    /// Why no cluster can use it although the OpenShift installer accepts it, if so: the port is out of range, a
    /// fragment follows, or the scheme has capitals, which the definition of `Infrastructure` does not take.
    #[must_use]
    pub fn obstacle(&self) -> Option<Unfit> {
        let shown = shortened(&without_user(&self.text));
        if let Some(port) = self.url.port().filter(|port| port.parse::<u16>().map_or(true, |port| port == 0))
        {
            let message = format!("`{shown}` has an invalid port: {}", shortened(port));
            return Some(Unfit { message, help: "use a port from 1 to 65535, or remove it".to_owned() });
        }
        if !self.text.starts_with("https://") {
            let message = format!("`{shown}` does not begin with `https://` in lower case");
            let (_, rest) = self.text.split_once("://").unwrap_or_default();
            return Some(Unfit {
                message,
                help: format!("write https://{}", shortened(&without_user(rest))),
            });
        }
        if let Some((before, _)) = self.text.split_once('#') {
            let message = format!("`{shown}` has a fragment, which is not allowed");
            let help = format!("write {}", shortened(&without_user(before)));
            return Some(Unfit { message, help });
        }
        None
    }

    /// The host, without port and brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        self.url.hostname()
    }

    /// The URL with its scheme, otherwise as it was given. It may hold a user part.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_may_be_left_out() {
        let read = |text: &str| Endpoint::of_service(text).map(|endpoint| endpoint.as_str().to_owned());
        assert_eq!(read("ec2.example.com:8443").as_deref(), Ok("https://ec2.example.com:8443"));
        assert_eq!(read("HTTPS://ec2.example.com/").as_deref(), Ok("HTTPS://ec2.example.com/"));
        for text in [
            "",
            "http://ec2.example.com",
            "ec2.example.com/path",
            "ec2.example.com?a",
            "https://",
            "https://:443",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_no_client_can_call_is_an_obstacle() {
        for (text, stands) in [
            ("https://127.0.0.1:99999", true),
            ("https://ec2.example.com:0", true),
            ("https://ec2.example.com#part", true),
            ("HTTPS://ec2.example.com", true),
            ("https://ec2.example.com:65535", false),
            ("https://ec2.example.com:", false),
            ("[fd00::1]:8443", false),
        ] {
            let obstacle = Endpoint::of_service(text).map(|endpoint| endpoint.obstacle().is_some());
            assert_eq!(obstacle, Ok(stands), "{text}");
        }
    }

    #[test]
    fn a_password_is_not_shown() {
        for text in ["http://user:canary@ec2.example.com", "https://user:canary@ec2.example.com:70000/"] {
            let read = Endpoint::of_service(text);
            let unfit = read.as_ref().map_or_else(|unfit| Some(unfit.clone()), Endpoint::obstacle);
            assert!(unfit.is_some_and(|unfit| !format!("{unfit:?}").contains("canary")), "{text}");
        }
    }
}

//! URLs as Go's `net/url` reads them.
//!
//! The OpenShift installer and every cluster component read these texts with Go. The `url` crate follows
//! the WHATWG standard, which accepts and repairs other texts, so the rules of Go 1.26 stand here.

use std::fmt::Write as _;
use std::net::Ipv6Addr;

/// The parts of a URL that rules look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// Scheme in lower case; empty if there is none.
    pub scheme: String,
    /// Host with its port, percent-decoded; an IPv6 address is in brackets.
    pub host: String,
    opaque: String,
    path: String,
    query: Option<String>,
}

impl Url {
    /// Reads a URL reference (`url.Parse`).
    ///
    /// # Errors
    /// What is wrong, without the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (text, fragment) = match text.split_once('#') {
            Some((text, fragment)) => (text, fragment),
            None => (text, ""),
        };
        let url = parse(text, false)?;
        check_escapes(fragment)?;
        Ok(url)
    }

    /// Reads what may stand in an HTTP request line (`url.ParseRequestURI`): absolute, and without the
    /// fragment mark's meaning.
    ///
    /// # Errors
    /// What is wrong, without the text.
    pub fn parse_request(text: &str) -> Result<Self, String> {
        parse(text, true)
    }

    /// The host without port and brackets.
    #[must_use]
    pub fn hostname(&self) -> &str {
        let Some((before_port, _)) = self.host.split_once(':') else {
            return &self.host;
        };
        match self.host.split_once(']') {
            Some((bracketed, _)) => bracketed.strip_prefix('[').unwrap_or(bracketed),
            None => before_port,
        }
    }

    /// The digits after the host and a colon, if there are any.
    #[must_use]
    pub fn port(&self) -> Option<&str> {
        let after = self.host.rsplit(']').next().unwrap_or(&self.host);
        after.rsplit_once(':').map(|(_, port)| port).filter(|port| !port.is_empty())
    }

    /// What a request line would ask for: the path, or `/`, and the query.
    #[must_use]
    pub fn request_uri(&self) -> String {
        let mut uri = match (self.opaque.as_str(), self.path.as_str()) {
            ("", "") => "/".to_owned(),
            ("", path) => path.to_owned(),
            (opaque, _) if opaque.starts_with("//") => format!("{}:{opaque}", self.scheme),
            (opaque, _) => opaque.to_owned(),
        };
        if let Some(query) = &self.query {
            // Writing to a String cannot fail.
            let _ = write!(uri, "?{query}");
        }
        uri
    }
}

fn parse(text: &str, request: bool) -> Result<Url, String> {
    if text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("it contains a control character".to_owned());
    }
    if text.is_empty() && request {
        return Err("it is empty".to_owned());
    }
    if text == "*" {
        return Ok(Url { path: "*".to_owned(), ..Url::default() });
    }
    let (scheme, rest) = split_scheme(text)?;
    let mut url = Url { scheme: scheme.to_ascii_lowercase(), ..Url::default() };
    // A lone question mark at the end counts as an empty query.
    let rest = match rest.split_once('?') {
        Some((rest, query)) => {
            url.query = Some(query.to_owned());
            rest
        }
        None => rest,
    };
    let mut path = rest;
    if !rest.starts_with('/') {
        if !url.scheme.is_empty() {
            rest.clone_into(&mut url.opaque);
            return Ok(url);
        }
        if request {
            return Err("it has no scheme".to_owned());
        }
        if rest.split('/').next().unwrap_or_default().contains(':') {
            return Err("it has a colon in its first part but no scheme".to_owned());
        }
    }
    let with_host = !url.scheme.is_empty() || !request && !rest.starts_with("///");
    if let (true, Some(after)) = (with_host, rest.strip_prefix("//")) {
        let end = after.find('/').unwrap_or(after.len());
        let authority = &after[..end];
        path = &after[end..];
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (user, host),
            None => ("", authority),
        };
        url.host = parse_host(&url.scheme, host)?;
        check_user(user)?;
    }
    check_escapes(path)?;
    path.clone_into(&mut url.path);
    Ok(url)
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, b) in text.bytes().enumerate() {
        match b {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("its scheme is missing".to_owned()),
            b':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn check_user(user: &str) -> Result<(), String> {
    let fits = user.chars().all(|c| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c));
    if !fits {
        return Err("the user part before `@` contains a character that must be percent-encoded".to_owned());
    }
    check_escapes(user)
}

fn check_escapes(text: &str) -> Result<(), String> {
    unescape(text, |_, _| true).map(|_| ())
}

/// Decodes percent-escapes; `allowed` gets each escape as written and its byte.
fn unescape(text: &str, allowed: impl Fn(&str, u8) -> bool) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(b) = text.as_bytes().get(at) {
        if *b != b'%' {
            bytes.push(*b);
            at += 1;
            continue;
        }
        let escape = text.get(at..at + 3).unwrap_or_default();
        let byte = escape.get(1..).filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()));
        match byte.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) if allowed(escape, byte) => bytes.push(byte),
            Some(_) => return Err(format!("the escape `{escape}` is not allowed there")),
            None => return Err("a `%` is not followed by two hexadecimal digits".to_owned()),
        }
        at += 3;
    }
    Ok(bytes)
}

fn is_host_byte(b: u8) -> bool {
    b >= 0x80 || b.is_ascii_alphanumeric() || b"!$&'()*+,;=:[]<>\"-_.~".contains(&b)
}

fn parse_host(scheme: &str, host: &str) -> Result<String, String> {
    let port_of = |text: &str| {
        let fits = match text.strip_prefix(':') {
            Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()),
            None => text.is_empty(),
        };
        if fits { Ok(()) } else { Err("its port is not a number".to_owned()) }
    };
    if let Some(open) = host.rfind('[') {
        if open > 0 {
            return Err("a bracket follows other characters of the host".to_owned());
        }
        let Some(close) = host.rfind(']').filter(|close| *close > open) else {
            return Err("a bracket is not closed".to_owned());
        };
        port_of(&host[close + 1..])?;
        let inner = &host[open + 1..close];
        let (address, zone) = match inner.find("%25") {
            Some(at) => (&inner[..at], &inner[at..]),
            None => (inner, ""),
        };
        let decoded = unescape_host(address)?;
        check_host_bytes(zone)?;
        let zone =
            unescape(zone, |escape, b| escape == "%25" || b == b' ' || (b.is_ascii() && is_host_byte(b)))?;
        if decoded.parse::<Ipv6Addr>().is_err() || zone.len() == 1 {
            return Err("the text in brackets is not an IPv6 address".to_owned());
        }
        return Ok(format!("[{decoded}{}]{}", String::from_utf8_lossy(&zone), &host[close + 1..]));
    }
    // Only the hosts of the web have no list of hosts with ports.
    let is_web = ["http", "https"].contains(&scheme);
    if let Some(colon) = if is_web { host.find(':') } else { host.rfind(':') } {
        port_of(&host[colon..])?;
    }
    unescape_host(host)
}

fn check_host_bytes(host: &str) -> Result<(), String> {
    match host.bytes().find(|b| !is_host_byte(*b) && *b != b'%') {
        Some(b) => Err(format!("the host contains the character `{}`", char::from(b))),
        None => Ok(()),
    }
}

fn unescape_host(host: &str) -> Result<String, String> {
    check_host_bytes(host)?;
    let bytes = unescape(host, |escape, b| escape == "%25" || b >= 0x80)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::Url;

    #[test]
    fn reads_hosts_as_go_does() {
        let host = |text: &str| Url::parse(text).map(|url| url.hostname().to_owned()).ok();
        let cases = [
            ("https://a.test:", Some("a.test")),
            ("https://a.test:99999", Some("a.test")),
            ("https://u:p@a.test/x?y#z", Some("a.test")),
            ("https://[::1]:8443", Some("::1")),
            ("https://[fe80::1%25eth0]/", Some("fe80::1%eth0")),
            ("https://ü.test", Some("ü.test")),
            ("https://a_b\"c", Some("a_b\"c")),
            ("https://a.test:x", None),
            ("https://[1.2.3.4]", None),
            ("https://[fe80::1%25eth0{]", None),
            ("https://a.test:80:90", None),
            ("redfish://a.test:80:90", Some("a.test")),
            ("https://[::1", None),
            ("https://x[::1]", None),
            ("https://[[::1]", None),
            ("https://[::1][::1]", None),
            ("https://u@x[::1]:5", None),
            ("https://u@[::1]:5", Some("::1")),
            ("https://a b", None),
            ("https://a{b", None),
            ("https://a%20b", None),
            ("https://%e4.test", Some("\u{fffd}.test")),
            ("https://a\u{7f}", None),
            (":x", None),
            ("a:b@c", Some("")),
            ("1a:b", None),
        ];
        for (text, want) in cases {
            assert_eq!(host(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn gives_the_request_uri() {
        let uri = |text: &str| Url::parse(text).map(|url| url.request_uri()).ok();
        let cases = [
            ("https://a", "/"),
            ("https://a/", "/"),
            ("https://a/b?c", "/b?c"),
            ("https://a?", "/?"),
            ("a:b", "b"),
        ];
        for (text, want) in cases {
            assert_eq!(uri(text).as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn request_uris_are_absolute() {
        for good in ["http:", "http:proxy", "/x", "*", "http://h"] {
            assert!(Url::parse_request(good).is_ok(), "{good}");
        }
        for bad in ["", "proxy", "http://a#b", "proxy/x:1"] {
            assert!(Url::parse_request(bad).is_err(), "{bad}");
        }
    }
}

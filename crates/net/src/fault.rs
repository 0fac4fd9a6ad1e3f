//! What goes wrong on the way to an endpoint, in words. The look at an endpoint and the clients that call it
//! use the same ones.

use std::error::Error;
use std::io;
use std::time::Duration;

use landfall_diagnostics::{few, shortened};
use rustls::{CertificateError, InvalidMessage};

use super::chain::{self, Certificate};

/// A fault's sort, and what happened, as a part of a sentence.
pub(super) type Told = (Sort, String);

/// How deep a chain of causes is followed.
const DEEPEST: usize = 32;

/// What sort of fault keeps an endpoint from being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// No name server knows the name.
    NameUnknown,
    /// The name servers gave no answer on the name.
    NameFailed,
    /// The address answers that nothing listens at the port.
    Refused,
    /// The address has no route.
    Unreachable,
    /// Nothing came in the time given.
    TimedOut,
    /// The proxy does not pass on.
    ProxyRefused,
    /// The certificate's authority is not trusted.
    UnknownAuthority,
    /// The certificate is for other names.
    OtherName,
    /// The certificate is too old.
    Expired,
    /// The certificate is not valid yet.
    NotYetValid,
    /// What answers does not speak TLS.
    NotTls,
    /// TLS failed for another reason.
    Tls,
    /// What answers does not speak HTTP.
    NotHttp,
    /// The connection was closed before there was an answer.
    Closed,
}

impl Sort {
    /// Whether the endpoint may be usable another time, without anything being done.
    #[must_use]
    pub fn may_pass(self) -> bool {
        matches!(
            self,
            Self::NameFailed
                | Self::Refused
                | Self::Unreachable
                | Self::TimedOut
                | Self::NotHttp
                | Self::Closed
        )
    }

    /// Whether TLS failed, and not the connection that it begins on.
    #[must_use]
    pub fn is_of_tls(self) -> bool {
        matches!(
            self,
            Self::UnknownAuthority
                | Self::OtherName
                | Self::Expired
                | Self::NotYetValid
                | Self::NotTls
                | Self::Tls
        )
    }

    /// What to do about it.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::NameUnknown => {
                "check the name for typing errors; a private name resolves only inside its network, so \
                 this machine may need that network's VPN or name servers"
            }
            Self::NameFailed => "check the name servers of this machine, which do not answer for this name",
            Self::Refused => "nothing listens there: check the host, the port, and whether the service runs",
            Self::Unreachable => "check the routes and firewalls between this machine and the endpoint",
            Self::TimedOut => {
                "a firewall that drops packets or a missing route is the usual reason; if a proxy leads \
                 there, set it in HTTPS_PROXY"
            }
            Self::ProxyRefused => {
                "allow the endpoint's host in the proxy, and set the proxy's user and password if it needs \
                 them"
            }
            Self::UnknownAuthority => {
                "add the authority's certificate to additionalTrustBundle, or set AWS_CA_BUNDLE or \
                 SSL_CERT_FILE to a file that contains it"
            }
            Self::OtherName => {
                "use a host name that the endpoint's certificate is valid for, or renew the certificate \
                 with this name"
            }
            Self::Expired => {
                "renew the endpoint's certificate; if it has not expired, set this machine's clock"
            }
            Self::NotYetValid => "set this machine's clock; if it is right, check the endpoint's certificate",
            Self::NotTls => "check the port: the server does not speak TLS",
            Self::Tls => "check the endpoint's TLS configuration; landfall supports TLS 1.2 and 1.3",
            Self::NotHttp => "check the port: the server is not a web service",
            Self::Closed => {
                "check what is in front of the endpoint: a firewall, or a load balancer without a healthy \
                 backend, often closes connections"
            }
        }
    }
}

/// What kept a client from an endpoint, and how it happened as a part of a sentence; none where the error is
/// of another kind, such as an answer of the service itself. Of a client's error, the whole chain of causes
/// is looked at.
#[must_use]
pub fn fault(error: &(dyn Error + 'static)) -> Option<(Sort, String)> {
    sought(error, &[], DEEPEST)
}

/// What an error of a connection says, after its server presented `chain`. What nobody recognises is of the
/// sort `otherwise`, with the error's own words.
pub(super) fn told(error: &(dyn Error + 'static), chain: &[Certificate], otherwise: Sort) -> Told {
    sought(error, chain, DEEPEST).unwrap_or_else(|| (otherwise, shortened(&error.to_string())))
}

/// That nothing came within the limit.
pub(super) fn late(limit: Duration) -> String {
    let milliseconds = limit.as_millis();
    match milliseconds {
        0..1000 => format!("no response in {milliseconds} ms"),
        _ if milliseconds.is_multiple_of(1000) => format!("no response in {} s", milliseconds / 1000),
        _ => format!("no response in {:.1} s", limit.as_secs_f64()),
    }
}

fn sought(error: &(dyn Error + 'static), chain: &[Certificate], depth: usize) -> Option<Told> {
    let depth = depth.checked_sub(1)?;
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(of_tls(error, chain));
    }
    if let Some(error) = error.downcast_ref::<io::Error>() {
        // Such an error gives the source of what it wraps as its own, and would be passed over.
        let wrapped = error.get_ref().and_then(|wrapped| sought(wrapped, chain, depth));
        return wrapped.or_else(|| of_io(error));
    }
    if error.is::<tokio::time::error::Elapsed>() {
        return Some((Sort::TimedOut, "no response in time".to_owned()));
    }
    let hyper = error.downcast_ref::<hyper::Error>();
    if hyper.is_some_and(hyper::Error::is_parse) {
        return Some((Sort::NotHttp, "does not speak HTTP".to_owned()));
    }
    let cause = || error.source().and_then(|source| sought(source, chain, depth));
    let found = of_text(&error.to_string()).or_else(cause);
    let closed = |error: &hyper::Error| {
        error.is_incomplete_message() || error.is_canceled() || error.is_closed() || error.is_shutdown()
    };
    found.or_else(|| hyper.is_some_and(closed).then(closed_early))
}

/// Errors whose types are private, by what they say.
fn of_text(text: &str) -> Option<Told> {
    if let Some((_, reason)) = text.split_once("failed to lookup address information") {
        return Some(of_name(reason.trim_start_matches(':').trim()));
    }
    if let Some(reason) = text.strip_prefix("tunnel error: ") {
        return Some((Sort::ProxyRefused, format!("the proxy refused the tunnel: {}", shortened(reason))));
    }
    // Such as "HTTP connect timeout occurred after 3.1s".
    let (what, span) = text.split_once(" occurred after ")?;
    if !what.contains("timeout") {
        return None;
    }
    let end = span.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(span.len());
    let (number, rest) = span.split_at(end);
    let unit: String = rest.chars().take_while(|c| c.is_alphabetic()).collect();
    Some((Sort::TimedOut, format!("no response in {number} {unit}")))
}

/// The name server's reason, in the words of the C libraries.
fn of_name(reason: &str) -> Told {
    const UNKNOWN: &[&str] = &[
        "Name or service not known",
        "No address associated with hostname",
        "Name does not resolve",
        "Name has no usable address",
        "nodename nor servname provided",
        "No such host is known",
    ];
    if reason.is_empty() || UNKNOWN.iter().any(|known| reason.contains(known)) {
        return (Sort::NameUnknown, "the name does not resolve".to_owned());
    }
    (Sort::NameFailed, format!("the name does not resolve: {}", shortened(reason)))
}

fn of_io(error: &io::Error) -> Option<Told> {
    let (sort, why) = match error.kind() {
        io::ErrorKind::ConnectionRefused => (Sort::Refused, "connection refused"),
        io::ErrorKind::HostUnreachable => (Sort::Unreachable, "the host cannot be reached"),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::NetworkDown | io::ErrorKind::AddrNotAvailable => {
            (Sort::Unreachable, "the network cannot be reached")
        }
        io::ErrorKind::PermissionDenied => (Sort::Unreachable, "this machine does not permit the connection"),
        io::ErrorKind::TimedOut => (Sort::TimedOut, "no response in time"),
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::NotConnected
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::UnexpectedEof => return Some(closed_early()),
        _ => return None,
    };
    Some((sort, why.to_owned()))
}

fn closed_early() -> Told {
    (Sort::Closed, "the connection was closed without a response".to_owned())
}

/// What a failed handshake says, with a server that presented `chain`.
pub(super) fn of_tls(error: &rustls::Error, chain: &[Certificate]) -> Told {
    match error {
        rustls::Error::InvalidCertificate(refused) => of_certificate(refused, chain),
        rustls::Error::InvalidMessage(
            InvalidMessage::InvalidContentType | InvalidMessage::UnknownProtocolVersion,
        ) => (Sort::NotTls, "does not speak TLS".to_owned()),
        rustls::Error::AlertReceived(alert) => {
            (Sort::Tls, format!("the server refuses the TLS connection: {alert:?}"))
        }
        rustls::Error::PeerIncompatible(why) => {
            (Sort::Tls, format!("no version or cipher of TLS in common: {why:?}"))
        }
        rustls::Error::NoCertificatesPresented => {
            (Sort::Tls, "the server presents no certificate".to_owned())
        }
        other => (Sort::Tls, format!("TLS failed: {}", shortened(&other.to_string()))),
    }
}

fn of_certificate(refused: &CertificateError, chain: &[Certificate]) -> Told {
    let server = chain.first();
    match refused {
        CertificateError::UnknownIssuer => {
            let what = "certificate signed by an unknown authority";
            let why = chain::missing_authority(chain)
                .map_or_else(|| what.to_owned(), |issuer| format!("{what}: issuer {}", shortened(issuer)));
            (Sort::UnknownAuthority, why)
        }
        CertificateError::BadSignature => {
            let what = "certificate not signed by its authority's key";
            (Sort::UnknownAuthority, what.to_owned())
        }
        CertificateError::NotValidForName => {
            (Sort::OtherName, for_names(server.map(|server| server.names.clone()).unwrap_or_default()))
        }
        CertificateError::NotValidForNameContext { presented, .. } => {
            let named = || presented.iter().map(|name| bare(name)).collect();
            (Sort::OtherName, for_names(server.map_or_else(named, |server| server.names.clone())))
        }
        CertificateError::Expired => {
            let date = server.map(|server| format!(" on {}", day(&server.not_after)));
            (Sort::Expired, format!("certificate expired{}", date.unwrap_or_default()))
        }
        CertificateError::ExpiredContext { not_after, .. } => {
            (Sort::Expired, format!("certificate expired on {}", day(&at(not_after.as_secs()))))
        }
        CertificateError::NotValidYet => {
            let date = server.map(|server| format!(" before {}", day(&server.not_before)));
            (
                Sort::NotYetValid,
                format!("certificate is not valid{}", date.unwrap_or_else(|| " yet".to_owned())),
            )
        }
        CertificateError::NotValidYetContext { not_before, .. } => {
            (Sort::NotYetValid, format!("certificate is not valid before {}", day(&at(not_before.as_secs()))))
        }
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            (Sort::Tls, "certificate is not meant for a server".to_owned())
        }
        other => {
            let text = other.to_string();
            let authority = text.contains("CaUsedAsEndEntity");
            let why = if authority { "it belongs to an authority, not to a server" } else { text.as_str() };
            (Sort::Tls, format!("certificate is rejected: {}", shortened(why)))
        }
    }
}

/// For whom a certificate is; of many names the first ones.
fn for_names(names: Vec<String>) -> String {
    const SHOWN: usize = 3;
    if names.is_empty() {
        return "certificate has no names".to_owned();
    }
    let names: Vec<String> = names.into_iter().map(|name| shortened(&name)).collect();
    format!("certificate is for {}", few(&names, SHOWN))
}

/// The name in `DnsName("ec2.example.com")`.
fn bare(name: &str) -> String {
    let inside = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    inside.unwrap_or(name).trim_matches('"').to_owned()
}

fn at(seconds: u64) -> String {
    chain::instant(i64::try_from(seconds).unwrap_or(i64::MAX))
}

fn day(time: &str) -> &str {
    time.split('T').next().unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Layer(&'static str, #[source] Box<dyn Error + Send + Sync>);

    fn sort_of(error: impl Into<Box<dyn Error + Send + Sync>>) -> Option<(Sort, String)> {
        let client = Layer("client error (Connect)", error.into());
        fault(&Layer("dispatch failure", Box::new(Layer("io error", Box::new(client)))))
    }

    #[test]
    fn finds_a_tls_error_inside_two_io_errors() {
        let refused = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let inner = io::Error::new(io::ErrorKind::InvalidData, refused);
        let found = sort_of(io::Error::other(inner)).map(|(sort, _)| sort);
        assert_eq!(found, Some(Sort::UnknownAuthority));
        let plain = rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType);
        assert_eq!(sort_of(plain).map(|(sort, _)| sort), Some(Sort::NotTls));
    }

    #[test]
    fn distinguishes_unknown_names_from_servers_that_do_not_answer() {
        let lookup = |reason: &str| {
            let error = io::Error::other(format!("failed to lookup address information: {reason}"));
            sort_of(Layer("dns error", Box::new(error)))
        };
        let unknown = lookup("Name or service not known").map(|(sort, _)| sort);
        assert_eq!(unknown, Some(Sort::NameUnknown));
        let said = "Temporary failure in name resolution";
        let failed = lookup(said).map(|(sort, why)| (sort, why.ends_with(said)));
        assert_eq!(failed, Some((Sort::NameFailed, true)));
    }

    #[test]
    fn names_what_the_operating_system_says() {
        let of = |kind: io::ErrorKind| sort_of(io::Error::from(kind)).map(|(sort, _)| sort);
        assert_eq!(of(io::ErrorKind::ConnectionRefused), Some(Sort::Refused));
        assert_eq!(of(io::ErrorKind::NetworkUnreachable), Some(Sort::Unreachable));
        assert_eq!(of(io::ErrorKind::TimedOut), Some(Sort::TimedOut));
        assert_eq!(of(io::ErrorKind::ConnectionReset), Some(Sort::Closed));
        assert_eq!(of(io::ErrorKind::AlreadyExists), None);
    }

    #[test]
    fn reads_the_time_out_of_a_time_out() {
        let timed_out = |text: &'static str| sort_of(Layer(text, "no cause".into()));
        let said = [
            ("HTTP connect timeout occurred after 3s", " 3 s"),
            ("operation timeout (all attempts including retries) occurred after 1.5s", " 1.5 s"),
        ];
        for (said, limit) in said {
            let found = timed_out(said).map(|(sort, why)| (sort, why.ends_with(limit)));
            assert_eq!(found, Some((Sort::TimedOut, true)), "{said}");
        }
        assert_eq!(timed_out("something occurred after 3s"), None);
        for (limit, shown) in [(3000, " 3 s"), (100, " 100 ms"), (2500, " 2.5 s")] {
            let late = late(Duration::from_millis(limit));
            assert!(late.ends_with(shown), "{late}");
        }
    }

    #[test]
    fn names_a_certificate_s_holders_and_dates() {
        let presented = ["a", "b", "c", "d"].map(|name| format!("DnsName(\"{name}\")")).to_vec();
        let Ok(expected) = rustls::pki_types::ServerName::try_from("other") else {
            unreachable!("it is a name")
        };
        let refused = CertificateError::NotValidForNameContext { expected, presented };
        let (sort, why) = of_certificate(&refused, &[]);
        assert!(sort == Sort::OtherName && why.contains(" a, b, c ") && why.contains(" 1 "), "{why}");
        let old = Certificate { not_after: "2024-01-02T00:00:00Z".to_owned(), ..Certificate::default() };
        let (sort, why) = of_certificate(&CertificateError::Expired, &[old]);
        assert!(sort == Sort::Expired && why.ends_with(" 2024-01-02"), "{why}");
    }

    #[test]
    fn faults_read_as_they_are_kept() {
        let old = Certificate { not_after: "2024-01-02T00:00:00Z".to_owned(), ..Certificate::default() };
        let invalid = rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType);
        let lookup = "failed to lookup address information: ";
        let dns = |reason: &str| {
            sort_of(Layer("dns error", Box::new(io::Error::other(format!("{lookup}{reason}")))))
        };
        let of = |error: CertificateError| sort_of(rustls::Error::InvalidCertificate(error));
        let faults = [
            sort_of(io::Error::from(io::ErrorKind::ConnectionRefused)),
            sort_of(io::Error::from(io::ErrorKind::NetworkUnreachable)),
            sort_of(io::Error::from(io::ErrorKind::ConnectionReset)),
            dns("Name or service not known"),
            dns("Temporary failure in name resolution"),
            sort_of(Layer("HTTP connect timeout occurred after 3s", "no cause".into())),
            sort_of(invalid),
            of(CertificateError::UnknownIssuer),
            Some(of_certificate(&CertificateError::Expired, &[old])),
            Some((Sort::OtherName, for_names(Vec::new()))),
            Some((
                Sort::OtherName,
                for_names(["a", "b", "c", "d"].map(|name| format!("DnsName(\"{name}\")")).to_vec()),
            )),
        ];
        let faults = faults.into_iter().flatten().map(|(sort, why)| (format!("{sort:?}"), why));
        landfall_testing::assert_sentences("network", faults);
    }

    #[test]
    fn causes_are_followed_so_deep_and_no_deeper() {
        let refused = || Layer("last", Box::new(io::Error::from(io::ErrorKind::ConnectionRefused)));
        let below = |layers: usize| (0..layers).fold(refused(), |inner, _| Layer("layer", Box::new(inner)));
        assert_eq!(fault(&below(20)).map(|(sort, _)| sort), Some(Sort::Refused));
        assert_eq!(fault(&below(100)), None);
    }
}

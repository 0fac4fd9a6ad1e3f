//! Certificates as a server presents them: whose they are, who signed them, how long they hold.

use std::net::{Ipv4Addr, Ipv6Addr};

use serde_json::{Value, json};
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::{FromDer, X509Certificate};

/// What a certificate says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Its holder, such as `CN=ec2.example.com, O=Example`.
    pub subject: String,
    /// Who signed it.
    pub issuer: String,
    /// DNS names and addresses that it is for.
    pub names: Vec<String>,
    /// Beginning of its validity, as in RFC 3339.
    pub not_before: String,
    /// End of its validity, as in RFC 3339.
    pub not_after: String,
}

impl Certificate {
    /// The certificate in DER form; one that cannot be read says so in place of its subject.
    pub(super) fn of(der: &[u8]) -> Self {
        let Ok((_, read)) = X509Certificate::from_der(der) else {
            return Self { subject: "(cannot be read)".to_owned(), ..Self::default() };
        };
        let names = read.subject_alternative_name().ok().flatten().map(|extension| {
            extension.value.general_names.iter().filter_map(name_of).collect::<Vec<String>>()
        });
        Self {
            subject: printable(&read.subject().to_string()),
            issuer: printable(&read.issuer().to_string()),
            names: names.unwrap_or_default(),
            not_before: instant(read.validity().not_before.timestamp()),
            not_after: instant(read.validity().not_after.timestamp()),
        }
    }

    /// The certificate as evidence.
    pub(super) fn evidence(&self) -> Value {
        json!({
            "subject": self.subject,
            "issuer": self.issuer,
            "names": self.names,
            "notBefore": self.not_before,
            "notAfter": self.not_after,
        })
    }
}

/// The name of the authority that would have to be known for a presented chain to be trusted: the issuer of
/// the certificate that no other one of the chain signed.
pub(super) fn missing_authority(chain: &[Certificate]) -> Option<&str> {
    let mut top = chain.first()?;
    // As many steps as there are certificates, so that a circle ends too.
    for _ in chain {
        let above = |other: &&Certificate| other.subject == top.issuer && other.subject != top.subject;
        match chain.iter().find(above) {
            Some(issuer) => top = issuer,
            None => break,
        }
    }
    Some(&top.issuer)
}

/// Seconds since 1970 as RFC 3339 writes them.
pub(super) fn instant(seconds: i64) -> String {
    // The last second that a certificate can name, which means "for ever", is later than the last timestamp.
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| "9999-12-31T23:59:59Z".to_owned(), |time| time.to_string())
}

/// The text on one line: it comes from whoever answers and may hold anything.
pub(super) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn name_of(name: &GeneralName<'_>) -> Option<String> {
    match name {
        GeneralName::DNSName(name) => Some(printable(name)),
        GeneralName::IPAddress(bytes) => match bytes.len() {
            4 => <[u8; 4]>::try_from(*bytes).ok().map(|bytes| Ipv4Addr::from(bytes).to_string()),
            16 => <[u8; 16]>::try_from(*bytes).ok().map(|bytes| Ipv6Addr::from(bytes).to_string()),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn certificate(subject: &str, issuer: &str) -> Certificate {
        Certificate { subject: subject.to_owned(), issuer: issuer.to_owned(), ..Certificate::default() }
    }

    #[test]
    fn the_missing_authority_is_the_one_at_the_top() {
        let server = certificate("CN=server", "CN=middle");
        let middle = certificate("CN=middle", "CN=root");
        let root = certificate("CN=root", "CN=root");
        assert_eq!(missing_authority(&[]), None);
        assert_eq!(missing_authority(std::slice::from_ref(&server)), Some("CN=middle"));
        assert_eq!(missing_authority(&[server.clone(), middle.clone()]), Some("CN=root"));
        assert_eq!(missing_authority(&[server.clone(), root, middle]), Some("CN=root"));
        let circle = [certificate("CN=a", "CN=b"), certificate("CN=b", "CN=a")];
        assert_eq!(missing_authority(&circle), Some("CN=b"));
    }

    #[test]
    fn reads_what_a_certificate_says() -> Result<(), Box<dyn std::error::Error>> {
        let key = rcgen::KeyPair::generate()?;
        let names = vec!["ec2.example.com".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
        let mut params = rcgen::CertificateParams::new(names)?;
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(rcgen::DnType::CommonName, "two\nlines");
        params.not_before = rcgen::date_time_ymd(2023, 1, 2);
        params.not_after = rcgen::date_time_ymd(2024, 1, 2);
        let read = Certificate::of(params.self_signed(&key)?.der());
        assert_eq!(read.subject, "CN=two lines");
        assert_eq!(read.issuer, read.subject);
        assert_eq!(read.names, ["ec2.example.com", "127.0.0.1", "::1"]);
        assert_eq!(read.not_before, "2023-01-02T00:00:00Z");
        assert_eq!(read.not_after, "2024-01-02T00:00:00Z");
        assert_eq!(Certificate::of(b"no certificate").subject, "(cannot be read)");
        assert_eq!(instant(253_402_300_799), "9999-12-31T23:59:59Z");
        Ok(())
    }
}

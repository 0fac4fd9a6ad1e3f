//! The certificates by which the API server knows the judge: an authority of its own, and a server's.
//!
//! The authority's key is not kept: new certificates have a new authority.

use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use landfall_diagnostics::secret::Secret;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer,
    KeyPair, KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use time::OffsetDateTime;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::pem::Pem;

const DAY: i64 = 24 * 60 * 60;
/// How long certificates are valid.
const VALID: i64 = 365 * DAY;
/// So long before they expire, certificates are renewed.
const RENEWED: i64 = 120 * DAY;

/// Certificates and key of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Served {
    /// The authorities to be trusted, the server's own first, in PEM form.
    pub(super) authorities: String,
    /// The certificate of the server, in PEM form.
    certificate: String,
    key: Secret<String>,
}

impl Served {
    /// New certificates for a server with these names.
    pub(super) fn issue(names: &[String], now: Timestamp) -> Result<Self, rcgen::Error> {
        let key = KeyPair::generate()?;
        // Successive authorities differ in their names.
        let mut params = named(&format!("landfall-webhook-ca-{}", now.as_millisecond()), Vec::new(), now)?;
        params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authorities = params.self_signed(&key)?.pem();
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate()?;
        let mut params = named("landfall-webhook", names.to_vec(), now)?;
        params.use_authority_key_identifier_extension = true;
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let certificate = params.signed_by(&key, &issuer)?.pem();
        Ok(Self { authorities, certificate, key: Secret::new(key.serialize_pem()) })
    }

    /// The same, with the authority of those before trusted as well, until all servers have the new ones.
    pub(super) fn after(mut self, before: &Self) -> Self {
        if let Some(authority) = pem::parse(&before.authorities).ok().filter(|pem| pem.tag() == "CERTIFICATE")
        {
            self.authorities.push_str(&pem::encode(&authority).replace("\r\n", "\n"));
        }
        self
    }

    /// Those that a secret holds, if it holds any.
    pub(super) fn of(secret: &Value) -> Option<Self> {
        let text = |key: &str| {
            let bytes = STANDARD.decode(secret.get("data")?.get(key)?.as_str()?).ok()?;
            String::from_utf8(bytes).ok()
        };
        let key = Secret::new(text("tls.key")?);
        Some(Self { authorities: text("ca.crt")?, certificate: text("tls.crt")?, key })
    }

    /// The secret that holds them.
    pub(super) fn secret(&self) -> Value {
        let encoded = |text: &str| STANDARD.encode(text);
        json!({
            "type": "kubernetes.io/tls",
            "data": {
                "ca.crt": encoded(&self.authorities),
                "tls.crt": encoded(&self.certificate),
                "tls.key": encoded(self.key.expose()),
            },
        })
    }

    /// Whether a server with these names can use them, and for a good while yet.
    pub(super) fn is_good(&self, names: &[String], now: Timestamp) -> bool {
        let (Some(authority), Some(server)) = (block(&self.authorities), block(&self.certificate)) else {
            return false;
        };
        let (Ok(authority), Ok(server)) = (authority.parse_x509(), server.parse_x509()) else { return false };
        let lasts = |certificate: &X509Certificate<'_>| {
            let (now, validity) = (now.as_second(), certificate.validity());
            validity.not_before.timestamp() <= now && now + RENEWED < validity.not_after.timestamp()
        };
        let own = names_of(&server);
        lasts(&authority)
            && lasts(&server)
            && server.issuer() == authority.subject()
            && names.iter().all(|name| own.contains(name))
            && self.config().is_some()
    }

    /// How a server uses them; none where certificate and key are not what they should be.
    pub(super) fn config(&self) -> Option<Arc<ServerConfig>> {
        let chain: Result<Vec<CertificateDer<'static>>, _> =
            CertificateDer::pem_slice_iter(self.certificate.as_bytes()).collect();
        let key = PrivateKeyDer::from_pem_slice(self.key.expose().as_bytes()).ok()?;
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let builder =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().ok()?;
        let mut config = builder.with_no_client_auth().with_single_cert(chain.ok()?, key).ok()?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Some(Arc::new(config))
    }
}

/// What all certificates have in common; they are valid from the day before, as clocks differ.
fn named(common_name: &str, names: Vec<String>, now: Timestamp) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    params.not_before = at(now.as_second() - DAY);
    params.not_after = at(now.as_second() + VALID);
    Ok(params)
}

fn at(second: i64) -> OffsetDateTime {
    OffsetDateTime::from_unix_timestamp(second).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

fn block(text: &str) -> Option<Pem> {
    x509_parser::pem::parse_x509_pem(text.as_bytes()).ok().map(|(_, pem)| pem)
}

fn names_of(certificate: &X509Certificate<'_>) -> Vec<String> {
    let names = certificate.subject_alternative_name().ok().flatten();
    let names = names.map(|names| names.value.general_names.as_slice()).unwrap_or_default();
    let text = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => {
            let four = <[u8; 4]>::try_from(*bytes).map(IpAddr::from);
            let address = four.or_else(|_| <[u8; 16]>::try_from(*bytes).map(IpAddr::from));
            address.ok().map(|address| address.to_string())
        }
        _ => None,
    };
    names.iter().filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn after(seconds: i64) -> Timestamp {
        Timestamp::from_second(NOW + seconds).unwrap_or_default()
    }

    fn names() -> Vec<String> {
        vec!["hook.here.svc".to_owned(), "127.0.0.1".to_owned()]
    }

    #[test]
    fn new_ones_are_good_until_shortly_before_their_end() -> Result<(), rcgen::Error> {
        let served = Served::issue(&names(), after(0))?;
        assert!(served.is_good(&names(), after(0)));
        assert!(served.is_good(&names(), after(VALID - RENEWED - DAY)));
        assert!(!served.is_good(&names(), after(VALID - RENEWED + DAY)));
        assert!(!served.is_good(&names(), after(-2 * DAY)));
        assert!(!served.is_good(&["other.here.svc".to_owned()], after(0)));
        Ok(())
    }

    #[test]
    fn a_secret_keeps_them() -> Result<(), rcgen::Error> {
        let served = Served::issue(&names(), after(0))?;
        assert_eq!(Served::of(&served.secret()), Some(served.clone()));
        assert!(!format!("{served:?}").contains("PRIVATE"));
        for gone in ["ca.crt", "tls.crt", "tls.key"] {
            let mut secret = served.secret();
            secret["data"][gone] = json!("bm90aGluZw==");
            assert!(Served::of(&secret).is_none_or(|served| !served.is_good(&names(), after(0))), "{gone}");
        }
        Ok(())
    }

    #[test]
    fn those_of_different_runs_do_not_go_together() -> Result<(), rcgen::Error> {
        let (one, other) = (Served::issue(&names(), after(0))?, Served::issue(&names(), after(1))?);
        let mixed = Served { authorities: other.authorities.clone(), ..one.clone() };
        assert!(!mixed.is_good(&names(), after(1)));
        let mixed = Served { key: other.key.clone(), ..one.clone() };
        assert!(!mixed.is_good(&names(), after(1)));
        // After a change both are trusted, and only those two, however often it changes.
        let third = Served::issue(&names(), after(2))?.after(&other.clone().after(&one));
        let blocks = pem::parse_many(&third.authorities).map(|blocks| blocks.len());
        assert_eq!(blocks.ok(), Some(2));
        assert!(third.is_good(&names(), after(2)));
        Ok(())
    }
}

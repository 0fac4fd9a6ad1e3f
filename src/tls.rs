//! The certificates of one cluster: its root authority and the machine config server's.
//!
//! An edge, as keys are made of the operating system's randomness. Keys are ECDSA P-256, which machines
//! verify quickly and FIPS mode accepts.

use jiff::civil::Date;
use landfall_diagnostics::secret::Secret;
use landfall_render::{Tls, Validity};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

/// A certificate could not be made.
#[derive(Debug, thiserror::Error)]
#[error("cannot create the certificate of {what}")]
pub struct Error {
    what: &'static str,
    #[source]
    source: rcgen::Error,
}

/// How long the certificates are valid.
const YEARS: i16 = 10;

/// Makes the certificates of the cluster of a domain, valid for ten years from the day before `today`, as
/// clocks differ.
///
/// # Errors
/// The cryptographic library refuses.
pub fn issue(domain: &str, today: Date) -> Result<Tls, Error> {
    let (root, issuer, root_key) =
        root(today).map_err(|source| Error { what: "the root authority", source })?;
    let (server, server_key) = server(domain, today, &issuer)
        .map_err(|source| Error { what: "the machine config server", source })?;
    Ok(together(root, Some(root_key), server, server_key))
}

/// Certificates and keys in PEM form with what the cluster's files say of them.
#[must_use]
pub fn together(root: String, root_key: Option<String>, server: String, server_key: String) -> Tls {
    Tls {
        root_validity: validity(&root),
        root_ca: root,
        root_key: root_key.filter(|key| !key.trim().is_empty()).map(Secret::new),
        machine_config_server_validity: validity(&server),
        machine_config_server: server,
        machine_config_server_key: Secret::new(server_key),
    }
}

/// When the first certificate of a PEM file is valid; none where it cannot be read.
fn validity(pem: &str) -> Option<Validity> {
    let (_, block) = x509_parser::pem::parse_x509_pem(pem.as_bytes()).ok()?;
    let certificate = block.parse_x509().ok()?;
    let text = |time: x509_parser::time::ASN1Time| {
        Some(jiff::Timestamp::from_second(time.timestamp()).ok()?.to_string())
    };
    let validity = certificate.validity();
    Some(Validity { not_before: text(validity.not_before)?, not_after: text(validity.not_after)? })
}

fn root(today: Date) -> Result<(String, Issuer<'static, KeyPair>, String), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = params(Vec::new(), "root-ca", today)?;
    params.distinguished_name.push(DnType::OrganizationalUnitName, "openshift");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages =
        vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::CrlSign];
    let certificate = params.self_signed(&key)?.pem();
    let text = key.serialize_pem();
    Ok((certificate, Issuer::new(params, key), text))
}

fn server(domain: &str, today: Date, issuer: &Issuer<'_, KeyPair>) -> Result<(String, String), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut params = params(vec![format!("api-int.{domain}")], "system:machine-config-server", today)?;
    params.use_authority_key_identifier_extension = true;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    Ok((params.signed_by(&key, issuer)?.pem(), key.serialize_pem()))
}

fn params(names: Vec<String>, common_name: &str, today: Date) -> Result<CertificateParams, rcgen::Error> {
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    let first = today.yesterday().unwrap_or(today);
    params.not_before = day(first, 0);
    params.not_after = day(first, YEARS);
    Ok(params)
}

/// The first moment of a day some years on; the 28th stands for later days, which not all months have.
fn day(date: Date, years: i16) -> time::OffsetDateTime {
    let month = u8::try_from(date.month()).unwrap_or(1);
    let day = u8::try_from(date.day().min(28)).unwrap_or(1);
    date_time_ymd(i32::from(date.year().saturating_add(years)), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_is_signed_by_the_root_and_named() {
        let issued = issue("demo.example.com", Date::constant(2026, 1, 31));
        let Ok(issued) = issued else { unreachable!("keys are made here") };
        let read = |text: &str| x509_parser::pem::parse_x509_pem(text.as_bytes()).map(|(_, pem)| pem).ok();
        let (root, server) = (read(&issued.root_ca), read(&issued.machine_config_server));
        let (Some(root), Some(server)) = (root, server) else { unreachable!("both are PEM") };
        let (Ok(root), Ok(server)) = (root.parse_x509(), server.parse_x509()) else {
            unreachable!("both are X.509")
        };
        assert!(root.is_ca() && !server.is_ca());
        assert_eq!(server.issuer(), root.subject());
        let names =
            server.subject_alternative_name().ok().flatten().map(|names| names.value.general_names.clone());
        assert_eq!(format!("{names:?}"), "Some([DNSName(\"api-int.demo.example.com\")])");
        assert!(!format!("{issued:?}").contains("PRIVATE"));
        let valid = Validity {
            not_before: "2026-01-28T00:00:00Z".to_owned(),
            not_after: "2036-01-28T00:00:00Z".to_owned(),
        };
        assert_eq!(issued.root_validity.as_ref(), Some(&valid));
        assert_eq!(issued.machine_config_server_validity, Some(valid));
    }
}

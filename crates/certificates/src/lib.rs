//! The certificates of one cluster: its root authority and the machine config server's.
//!
//! An edge, as keys are made of the operating system's randomness. Keys are ECDSA P-256, which machines
//! verify quickly and FIPS mode accepts; the root authority has the key that the config asks for.
//!
//! ```
//! # fn main() -> Result<(), landfall_certificates::Error> {
//! use jiff::civil::date;
//! use landfall_certificates::{Names, is_for, issue};
//!
//! let names = Names { domain: "demo.example.com", addresses: &[] };
//! let tls = issue(names, date(2026, 1, 31), None)?;
//! assert!(is_for(&tls.machine_config_server, names.addresses));
//! # Ok(())
//! # }
//! ```

use std::net::Ipv4Addr;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der};
use aws_lc_rs::rsa;
use jiff::civil::Date;
use landfall_diagnostics::secret::Secret;
use landfall_model::config::PkiKey;
use landfall_render::{Tls, Validity};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, PKCS_ECDSA_P256_SHA256, PKCS_ECDSA_P384_SHA384, PKCS_ECDSA_P521_SHA512, PKCS_RSA_SHA256,
    date_time_ymd,
};
use x509_parser::extensions::GeneralName;

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

/// What machines call the machine config server.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Domain of the cluster.
    pub domain: &'a str,
    /// Addresses; none where machines find it by its name.
    pub addresses: &'a [Ipv4Addr],
}

/// Makes the certificates of a cluster, valid for ten years from the day before `today`, as clocks differ. `signer` is
/// the key of the root authority that the config asks for, which rules have judged.
///
/// # Errors
/// The cryptographic library refuses.
pub fn issue(names: Names<'_>, today: Date, signer: Option<&PkiKey>) -> Result<Tls, Error> {
    let (root, issuer, root_key) =
        root(today, signer).map_err(|source| Error { what: "the root authority", source })?;
    let (server, server_key) = server(names, today, &issuer).map_err(of_server)?;
    Ok(together(root, Some(root_key), server, server_key))
}

/// A certificate of the machine config server and its key, both in PEM form, from the authority that is given in PEM
/// form as well.
///
/// # Errors
/// The authority's certificate or key cannot be read, or the cryptographic library refuses.
pub fn renew(names: Names<'_>, today: Date, root: &str, root_key: &str) -> Result<(String, String), Error> {
    let issuer = KeyPair::from_pem(root_key).and_then(|key| Issuer::from_ca_cert_pem(root, key));
    let issuer = issuer.map_err(|source| Error { what: "the root authority", source })?;
    server(names, today, &issuer).map_err(of_server)
}

/// Whether the first certificate of a PEM file names all addresses.
#[must_use]
pub fn is_for(pem: &str, addresses: &[Ipv4Addr]) -> bool {
    let Ok((_, block)) = x509_parser::pem::parse_x509_pem(pem.as_bytes()) else { return false };
    let Ok(certificate) = block.parse_x509() else { return false };
    let Ok(Some(names)) = certificate.subject_alternative_name() else { return addresses.is_empty() };
    let has = |address: &Ipv4Addr| {
        let octets = address.octets();
        let mut all = names.value.general_names.iter();
        all.any(|name| matches!(name, GeneralName::IPAddress(bytes) if *bytes == octets))
    };
    addresses.iter().all(has)
}

fn of_server(source: rcgen::Error) -> Error {
    Error { what: "the machine config server", source }
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

/// A new key of the root authority.
fn signer_key(signer: Option<&PkiKey>) -> Result<KeyPair, rcgen::Error> {
    let Some(wanted) = signer else { return KeyPair::generate() };
    if let Some(rsa) = &wanted.rsa {
        let size = match rsa.key_size {
            2048 => rsa::KeySize::Rsa2048,
            3072 => rsa::KeySize::Rsa3072,
            4096 => rsa::KeySize::Rsa4096,
            8192 => rsa::KeySize::Rsa8192,
            // Planning refuses sizes that the library does not create.
            _ => return Err(rcgen::Error::KeyGenerationUnavailable),
        };
        let refused = |_| rcgen::Error::RingUnspecified;
        let key = rsa::KeyPair::generate(size).map_err(refused)?;
        let der = AsDer::<Pkcs8V1Der<'_>>::as_der(&key).map_err(refused)?;
        return KeyPair::from_pkcs8_der_and_sign_algo(&der.as_ref().into(), &PKCS_RSA_SHA256);
    }
    KeyPair::generate_for(match wanted.ecdsa.as_ref().map(|ecdsa| ecdsa.curve.as_str()) {
        Some("P384") => &PKCS_ECDSA_P384_SHA384,
        Some("P521") => &PKCS_ECDSA_P521_SHA512,
        _ => &PKCS_ECDSA_P256_SHA256,
    })
}

fn root(
    today: Date,
    signer: Option<&PkiKey>,
) -> Result<(String, Issuer<'static, KeyPair>, String), rcgen::Error> {
    let key = signer_key(signer)?;
    let mut params = params(Vec::new(), "root-ca", today)?;
    params.distinguished_name.push(DnType::OrganizationalUnitName, "openshift");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages =
        vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature, KeyUsagePurpose::CrlSign];
    let certificate = params.self_signed(&key)?.pem();
    let text = key.serialize_pem();
    Ok((certificate, Issuer::new(params, key), text))
}

fn server(
    names: Names<'_>,
    today: Date,
    issuer: &Issuer<'_, KeyPair>,
) -> Result<(String, String), rcgen::Error> {
    let key = KeyPair::generate()?;
    let mut all = vec![format!("api-int.{}", names.domain)];
    all.extend(names.addresses.iter().map(ToString::to_string));
    let mut params = params(all, "system:machine-config-server", today)?;
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

    const NAMES: Names<'_> = Names { domain: "demo.example.com", addresses: &[] };

    fn read(text: &str) -> Option<x509_parser::pem::Pem> {
        x509_parser::pem::parse_x509_pem(text.as_bytes()).map(|(_, pem)| pem).ok()
    }

    #[test]
    fn the_server_is_signed_by_the_root_and_named() {
        let issued = issue(NAMES, Date::constant(2026, 1, 31), None);
        let Ok(issued) = issued else { unreachable!("keys are made here") };
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

    #[test]
    fn a_renewed_certificate_names_addresses() {
        let today = Date::constant(2026, 1, 31);
        let Ok(issued) = issue(NAMES, today, None) else { unreachable!("keys are made here") };
        let addresses = [Ipv4Addr::new(10, 0, 31, 254), Ipv4Addr::new(10, 0, 63, 254)];
        assert!(
            is_for(&issued.machine_config_server, &[]) && !is_for(&issued.machine_config_server, &addresses)
        );
        let names = Names { addresses: &addresses, ..NAMES };
        let key = issued.root_key.as_ref().map(|key| key.expose().clone()).unwrap_or_default();
        let (server, server_key) = renew(names, today, &issued.root_ca, &key).unwrap_or_default();
        assert!(is_for(&server, &addresses) && !is_for(&server, &[Ipv4Addr::LOCALHOST]));
        assert!(KeyPair::from_pem(&server_key).is_ok());
        let (Some(root), Some(server)) = (read(&issued.root_ca), read(&server)) else {
            unreachable!("both are PEM")
        };
        let (Ok(root), Ok(server)) = (root.parse_x509(), server.parse_x509()) else {
            unreachable!("both are X.509")
        };
        assert_eq!(server.issuer(), root.subject());
        assert!(renew(names, today, &issued.root_ca, "").is_err());
    }

    /// The algorithm and the size of the key of a root certificate, and the algorithm of the signature on the server's.
    fn root_key(signer: &PkiKey) -> (String, usize, String) {
        let issued = issue(NAMES, Date::constant(2026, 1, 31), Some(signer));
        let Ok(issued) = issued else { unreachable!("keys are made here") };
        let (root, server) = (read(&issued.root_ca), read(&issued.machine_config_server));
        let (Some(root), Some(server)) = (root, server) else { unreachable!("both are PEM") };
        let (Ok(root), Ok(server)) = (root.parse_x509(), server.parse_x509()) else {
            unreachable!("both are X.509")
        };
        let key = root.public_key();
        let bits = key.parsed().map(|key| key.key_size()).unwrap_or_default();
        assert_eq!(server.issuer(), root.subject());
        let signature = server.signature_algorithm.algorithm.to_id_string();
        (key.algorithm.algorithm.to_id_string(), bits, signature)
    }

    #[test]
    fn the_root_has_the_key_that_the_config_asks_for() {
        const RSA: &str = "1.2.840.113549.1.1.1";
        const EC: &str = "1.2.840.10045.2.1";
        let rsa = |key_size| PkiKey {
            algorithm: "RSA".to_owned(),
            rsa: Some(landfall_model::config::Rsa { key_size }),
            ecdsa: None,
        };
        let ecdsa = |curve: &str| PkiKey {
            algorithm: "ECDSA".to_owned(),
            rsa: None,
            ecdsa: Some(landfall_model::config::Ecdsa { curve: curve.to_owned() }),
        };
        // With RSA and SHA-256, and with ECDSA and SHA-256, SHA-384, SHA-512.
        let signed = |end: &str| format!("1.2.840.{end}");
        assert_eq!(root_key(&rsa(3072)), (RSA.to_owned(), 3072, signed("113549.1.1.11")));
        assert_eq!(root_key(&ecdsa("P256")), (EC.to_owned(), 256, signed("10045.4.3.2")));
        assert_eq!(root_key(&ecdsa("P384")), (EC.to_owned(), 384, signed("10045.4.3.3")));
        let (algorithm, bits, signature) = root_key(&ecdsa("P521"));
        assert!(algorithm == EC && (521..=528).contains(&bits), "{bits}");
        assert_eq!(signature, signed("10045.4.3.4"));
    }
}

//! What Go's `x509.ParseCertificate` refuses in a certificate, and the parser lets pass.

use std::collections::BTreeSet;
use std::net::IpAddr;

use aws_lc_rs::agreement::{ECDH_P256, ECDH_P384, ECDH_P521};
use x509_parser::asn1_rs::{Any, Tag};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{DistributionPointName, GeneralName, ParsedExtension, X509Extension};
use x509_parser::public_key::PublicKey;
use x509_parser::x509::SubjectPublicKeyInfo;

use crate::ssh_key::is_point;
use crate::url::Url;

/// The extensions that Go reads.
const READ: &[&str] = &[
    "2.5.29.14",
    "2.5.29.15",
    "2.5.29.17",
    "2.5.29.19",
    "2.5.29.30",
    "2.5.29.31",
    "2.5.29.32",
    "2.5.29.33",
    "2.5.29.35",
    "2.5.29.36",
    "2.5.29.37",
    "2.5.29.54",
    "1.3.6.1.5.5.7.1.1",
];

/// # Errors
/// What is wrong, as the end of a sentence that begins with the certificate.
pub(super) fn check(certificate: &X509Certificate<'_>) -> Result<(), &'static str> {
    let has_extensions = certificate.version().0 == 2;
    let mut names = certificate.issuer().iter_attributes().chain(certificate.subject().iter_attributes());
    let fault = if certificate.signature_algorithm != certificate.signature {
        "names two signature algorithms"
    } else if certificate.version().0 > 2 {
        "has an unknown version"
    } else if !is_natural(certificate.raw_serial()) {
        "has an invalid serial number"
    } else if !names.all(|name| is_text(name.attr_value())) {
        "has a malformed name"
    } else if !is_key(certificate.public_key()) {
        "has an invalid public key"
    } else if has_extensions && certificate.extensions_map().is_err() {
        "has an extension twice"
    } else if has_extensions && !certificate.extensions().iter().all(is_extension) {
        "has a malformed extension"
    } else {
        return Ok(());
    };
    Err(fault)
}

/// Whether bytes are a number from 0 on in its shortest form.
fn is_natural(bytes: &[u8]) -> bool {
    matches!(bytes, [0] | [1..=0x7f, ..] | [0, 0x80..=0xff, ..])
}

fn is_positive(bytes: &[u8]) -> bool {
    is_natural(bytes) && bytes != [0]
}

fn is_text(value: &Any<'_>) -> bool {
    let bytes = value.data;
    let is_printable = |byte: &u8| byte.is_ascii_alphanumeric() || b" '()*+,-./:=?&".contains(byte);
    let is_wide = |pair: &[u8]| match pair {
        [high, low] => {
            let character = u16::from_be_bytes([*high, *low]);
            !matches!(character, 0xd800..=0xdfff | 0xfdd0..=0xfdef | 0xfffe..)
        }
        _ => false,
    };
    let is_simple = value.header.is_universal() && value.header.is_primitive();
    is_simple
        && match value.tag() {
            Tag::TeletexString => true,
            Tag::PrintableString => bytes.iter().all(is_printable),
            Tag::Utf8String => std::str::from_utf8(bytes).is_ok(),
            Tag::Ia5String => bytes.is_ascii(),
            Tag::NumericString => bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b' '),
            Tag::BmpString => bytes.chunks(2).all(is_wide),
            _ => false,
        }
}

/// Whether a public key is whole. Points of P-224 and the numbers of DSA are not looked at.
fn is_key(info: &SubjectPublicKeyInfo<'_>) -> bool {
    let parameters = info.algorithm.parameters.as_ref();
    let key: &[u8] = &info.subject_public_key.data;
    match info.algorithm.algorithm.to_id_string().as_str() {
        "1.2.840.113549.1.1.1" => {
            let is_null = parameters.is_some_and(|any| any.tag() == Tag::Null && any.data.is_empty());
            let Ok(PublicKey::RSA(rsa)) = info.parsed() else { return false };
            is_null && is_positive(rsa.modulus) && is_positive(rsa.exponent) && rsa.try_exponent().is_ok()
        }
        "1.2.840.10045.2.1" => {
            let curve = parameters.and_then(|any| any.as_oid().ok()).map(|curve| curve.to_id_string());
            match curve.as_deref() {
                Some("1.3.132.0.33") => key.len() == 57 && key.first() == Some(&4),
                Some("1.2.840.10045.3.1.7") => is_point(&ECDH_P256, key),
                Some("1.3.132.0.34") => is_point(&ECDH_P384, key),
                Some("1.3.132.0.35") => is_point(&ECDH_P521, key),
                _ => false,
            }
        }
        // Ed25519 and X25519
        "1.3.101.112" | "1.3.101.110" => parameters.is_none() && key.len() == 32,
        _ => true,
    }
}

fn is_extension(extension: &X509Extension<'_>) -> bool {
    match extension.parsed_extension() {
        ParsedExtension::ParseError { .. } => !READ.contains(&extension.oid.to_id_string().as_str()),
        ParsedExtension::AuthorityKeyIdentifier(_)
        | ParsedExtension::SubjectKeyIdentifier(_)
        | ParsedExtension::AuthorityInfoAccess(_) => !extension.critical,
        // A boolean is 0 or 255.
        ParsedExtension::BasicConstraints(_) => !matches!(extension.value, [_, _, 1, _, 1..=0xfe, ..]),
        ParsedExtension::SubjectAlternativeName(names) => names.general_names.iter().all(is_name),
        ParsedExtension::CRLDistributionPoints(points) => {
            points.points.iter().all(|point| match &point.distribution_point {
                Some(DistributionPointName::FullName(names)) => names.iter().all(is_ascii),
                Some(DistributionPointName::NameRelativeToCRLIssuer(_)) => false,
                None => true,
            })
        }
        ParsedExtension::CertificatePolicies(policies) => {
            let ids: BTreeSet<String> =
                policies.iter().map(|policy| policy.policy_id.to_id_string()).collect();
            ids.len() == policies.len()
        }
        ParsedExtension::NameConstraints(constraints) => {
            let parts = [&constraints.permitted_subtrees, &constraints.excluded_subtrees];
            let mut trees = parts.into_iter().flatten().flatten().peekable();
            trees.peek().is_some() && trees.all(|tree| is_constraint(&tree.base))
        }
        _ => true,
    }
}

fn is_label(label: &str) -> bool {
    !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Whether mail addresses, names of hosts, and URLs have ASCII letters alone.
fn is_ascii(name: &GeneralName<'_>) -> bool {
    match name {
        GeneralName::RFC822Name(text) | GeneralName::DNSName(text) | GeneralName::URI(text) => {
            text.is_ascii()
        }
        GeneralName::Invalid(tag, _) => ![1, 2, 6].contains(&tag.0),
        _ => true,
    }
}

/// Whether a name may limit those of other certificates: a domain, or a network with its mask.
fn is_constraint(base: &GeneralName<'_>) -> bool {
    let is_mask = |mask: &[u8]| {
        let mut bits = mask.iter().flat_map(|byte| (0..8).rev().map(move |at| byte >> at & 1));
        bits.by_ref().all(|bit| bit == 1) || bits.all(|bit| bit == 0)
    };
    let is_domain = |name: &str| {
        let name = name.strip_prefix('.').unwrap_or(name);
        name.is_empty() || name.split('.').all(is_label)
    };
    is_ascii(base)
        && match base {
            GeneralName::IPAddress(bytes) if [8, 32].contains(&bytes.len()) => {
                is_mask(bytes.get(bytes.len() / 2..).unwrap_or_default())
            }
            GeneralName::IPAddress(_) => false,
            GeneralName::DNSName(name) => is_domain(name),
            GeneralName::URI(name) => is_domain(name) && name.parse::<IpAddr>().is_err(),
            _ => true,
        }
}

fn is_name(name: &GeneralName<'_>) -> bool {
    match name {
        name if !is_ascii(name) => false,
        GeneralName::IPAddress(address) => [4, 16].contains(&address.len()),
        GeneralName::URI(uri) => {
            Url::parse(uri).is_ok_and(|url| url.host.is_empty() || url.host.split('.').all(is_label))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;

    use super::super::check_bundle;
    use crate::ssh_key::BASE64;

    /// A certificate with a key of P-256, basic constraints, and the names `a.b` and 1.2.3.4.
    const CERTIFICATE: &str = "MIIBLzCB16ADAgECAgISNDAKBggqhkjOPQQDAjAMMQowCAYDVQQDDAF4MB4XDTAwMDEwMTAwMDA\
        wMFoXDTAxMDEwMTAwMDAwMFowDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJPWZ3FgjT6dPR78GMBYGWDvHhwG\
        HsxdqcTw849T6U8oxVlWgZFYS5PIQc8H4eZzyzPKfmzKqq9e/6bmKACMeaijKTAnMA8GA1UdEwEB/wQFMAMBAf8wFAYDVR0RBA0wC4IDYS\
        5ihwQBAgMEMAoGCCqGSM49BAMCA0cAMEQCIDWJbV5DwAlW9WjxA9CbY+iM+1gGlwnPgxlVcHVGBokkAiBQPI/0/obGTisB2sa1ZZWipVXe\
        CX4RjkVzr4NreFP79g==";

    #[test]
    fn a_certificate_is_read_as_go_reads_it() {
        let whole = BASE64.decode(CERTIFICATE).unwrap_or_default();
        let judged = |bytes: &[u8]| {
            let data = BASE64.encode(bytes);
            check_bundle(&format!("-----BEGIN CERTIFICATE-----\n{data}\n-----END CERTIFICATE-----\n"))
        };
        assert_eq!(judged(&whole), Ok(()));
        // Each replaces the first of these bytes.
        let changes: &[(&[u8], &[u8], &str)] = &[
            (&[4, 3, 2, 0x30, 0x0c], &[4, 3, 3, 0x30, 0x0c], "two signature algorithms"),
            (&[2, 1, 2, 2], &[2, 1, 3, 2], "unknown version"),
            (&[2, 2, 0x12, 0x34], &[2, 2, 0x92, 0x34], "serial number"),
            (&[0x0c, 1, b'x'], &[0x0c, 1, 0xff], "block 1"),
            (&[0x0c, 1, b'x'], &[0x13, 1, b'@'], "malformed name"),
            (&[0xce, 0x3d, 3, 1, 7], &[0xce, 0x3d, 3, 1, 6], "public key"),
            (&[0x79, 0xa8], &[0x79, 0xa9], "public key"),
            (&[0x55, 0x1d, 0x13], &[0x55, 0x1d, 0x11], "extension twice"),
            (&[0x30, 3, 1, 1, 0xff], &[0x30, 3, 1, 1, 0x0f], "malformed extension"),
            (&[0x82, 3, b'a'], &[0x82, 3, 0xe4], "malformed extension"),
            (&[0x82, 3, b'a', b'.'], &[0x82, 3, 0xc3, 0xbc], "malformed extension"),
            (&[0x87, 4, 1], &[0x86, 4, b':'], "malformed extension"),
        ];
        for (from, to, fault) in changes {
            let at = whole.windows(from.len()).position(|window| window == *from);
            let Some((before, after)) = at.and_then(|at| whole.split_at_checked(at)) else {
                assert_eq!(at, Some(0), "{from:?}");
                continue;
            };
            let bytes = [before, to, &after[from.len()..]].concat();
            let found = judged(&bytes).err().unwrap_or_default();
            assert!(found.contains(fault), "{to:?}: {found}");
        }
    }
}

//! `additionalTrustBundle` and its policy: `docs/install-config.md`, section 7.2.

use std::borrow::Cow;
use std::io::Cursor;

use x509_parser::error::PEMError;
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::{Case, Subject};
use crate::finding::{Base, Finding, Findings, Kind, Page, Severity, shortened};

pub(super) const SUBJECT: Subject = Subject { check, pages: &[&BUNDLE, &POLICY] };

const FIELD: &str = "additionalTrustBundle";

/// The bundle is not PEM certificates.
const BUNDLE: Page = Page {
    code: "LF0108",
    title: "the trust bundle is a text of PEM certificates and nothing after them",
    text: "Each PEM block must hold an X.509 certificate; it need not be that of an authority. Text before \
           a block is skipped, but nothing may follow the last one, not even an empty line: in YAML, \
           write the bundle as a block with `|` and end it with the `-----END CERTIFICATE-----` line.",
    severity: Severity::Error,
    fields: &["additionalTrustBundle"],
    base: Base::None,
    bad: "additionalTrustBundle: |\n  -----BEGIN CERTIFICATE-----\n  AAAA\n  -----END CERTIFICATE-----\n",
    good: "additionalTrustBundle: \"\"\n",
};
/// The policy is not known.
const POLICY: Page = Page {
    code: "LF0109",
    title: "the trust bundle's policy is `Proxyonly` or `Always`",
    text: "`Proxyonly` uses the bundle for the proxy only, which is the default; `Always` for everything.",
    severity: Severity::Error,
    fields: &["additionalTrustBundlePolicy"],
    base: Base::None,
    bad: "additionalTrustBundlePolicy: always\n",
    good: "additionalTrustBundlePolicy: Always\n",
};

fn check(case: &Case<'_>, out: &mut Findings) {
    let bundle = &case.config.additional_trust_bundle;
    if let (false, Err(fault)) = (bundle.is_empty(), check_bundle(bundle)) {
        let help = "give each certificate from its -----BEGIN line to its -----END line, and nothing after";
        out.push(Finding::error(&BUNDLE, Kind::Invalid, FIELD, fault).help(help));
    }
    let accepted = &["Proxyonly", "Always"];
    let policy = &case.config.additional_trust_bundle_policy;
    if !accepted.contains(&policy.as_str()) {
        let message = format!("`{}` is not accepted; accepted: Proxyonly, Always", shortened(policy));
        let mut finding = Finding::error(&POLICY, Kind::Invalid, "additionalTrustBundlePolicy", message);
        finding.help = crate::finding::nearest(policy, accepted.iter().copied())
            .map(|near| format!("did you mean `{near}`?"));
        out.push(finding);
    }
}

/// What is wrong with the first block that is wrong.
fn check_bundle(bundle: &str) -> Result<(), String> {
    let mut rest = bundle;
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let block = without_headers(rest);
        let (pem, read) = Pem::read(Cursor::new(block.as_bytes())).map_err(|fault| match fault {
            PEMError::MissingHeader if number == 1 => "the bundle holds no PEM block".to_owned(),
            PEMError::MissingHeader => {
                format!("text follows the last certificate, number {}", number - 1)
            }
            PEMError::IncompletePEM => format!("certificate {number} has no -----END line"),
            _ => format!("certificate {number} is not a PEM block in base64"),
        })?;
        match X509Certificate::from_der(&pem.contents) {
            Ok(([], _)) => {}
            Ok(_) => return Err(format!("bytes follow the certificate in block {number}")),
            Err(_) => return Err(format!("block {number} does not hold an X.509 certificate")),
        }
        let left = block.len() - read;
        rest = rest.get(rest.len() - left..).unwrap_or_default();
    }
    Ok(())
}

/// The text with the header lines of its first PEM block left out, which the reader does not know.
fn without_headers(text: &str) -> Cow<'_, str> {
    let Some(begin) = text.split_inclusive('\n').position(|line| line.starts_with("-----BEGIN ")) else {
        return Cow::Borrowed(text);
    };
    let body = begin + 1;
    let headers = text.split_inclusive('\n').skip(body).take_while(|line| line.contains(':')).count();
    if headers == 0 {
        return Cow::Borrowed(text);
    }
    let lines = text.split_inclusive('\n').enumerate();
    Cow::Owned(lines.filter(|(i, _)| *i < body || *i >= body + headers).map(|(_, line)| line).collect())
}

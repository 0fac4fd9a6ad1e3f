//! `additionalTrustBundle` and its policy: `docs/install-config.md`, section 7.2.

use std::io::Cursor;

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::Case;

const FIELD: &str = "additionalTrustBundle";

/// The bundle is not PEM certificates.
const BUNDLE: Code = Code::new("LF0108");
/// The policy is not known.
const POLICY: Code = Code::new("LF0109");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let bundle = &case.config.additional_trust_bundle;
    if let (false, Err(fault)) = (bundle.is_empty(), check_bundle(bundle)) {
        let help = "paste each certificate from its -----BEGIN line to its -----END line, with nothing \
            after it";
        out.push(Finding::error(&BUNDLE, Kind::Invalid, FIELD, fault).help(help));
    }
    let accepted = &["Proxyonly", "Always"];
    let policy = &case.config.additional_trust_bundle_policy;
    if !accepted.contains(&policy.as_str()) {
        let message = format!("`{}` is not accepted; accepted: Proxyonly, Always", shortened(policy));
        let mut finding = Finding::error(&POLICY, Kind::Invalid, "additionalTrustBundlePolicy", message);
        finding.help = landfall_diagnostics::nearest(policy, accepted.iter().copied())
            .map(|near| format!("did you mean `{near}`?"));
        out.push(finding);
    }
}

/// The first error.
///
/// Blocks are found as Go's `pem.Decode` finds them: text before a block, and a block that is not whole,
/// is skipped.
fn check_bundle(bundle: &str) -> Result<(), String> {
    let mut rest = bundle;
    let mut number = 0;
    while !rest.is_empty() {
        let Some((block, after)) = next_block(rest) else {
            return Err(match number {
                0 => "the bundle contains no PEM block".to_owned(),
                _ => format!("text follows the last certificate, number {number}"),
            });
        };
        number += 1;
        match X509Certificate::from_der(&block.contents) {
            Ok(([], _)) => {}
            Ok(_) => return Err(format!("bytes follow the certificate in block {number}")),
            Err(_) => return Err(format!("block {number} is not an X.509 certificate")),
        }
        rest = after;
    }
    Ok(())
}

/// The certificates of an accepted bundle, each encoded anew: its PEM block alone, whatever stood around it.
#[must_use]
pub fn certificates(bundle: &str) -> Vec<String> {
    let mut rest = bundle;
    let mut found = Vec::new();
    while let Some((block, after)) = next_block(rest) {
        let encoded = pem::Pem::new(block.label, block.contents);
        let form = pem::EncodeConfig::new().set_line_ending(pem::LineEnding::LF);
        found.push(pem::encode_config(&encoded, form));
        rest = after;
    }
    found
}

/// The first whole block, and the text after it.
fn next_block(text: &str) -> Option<(Pem, &str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let after = &text[at + line.len()..];
        at += line.len();
        let label = line.trim_end().strip_prefix("-----BEGIN ").and_then(|l| l.strip_suffix("-----"));
        let Some((body, rest)) = label.and_then(|label| to_end(after, label)) else {
            continue;
        };
        // The reader knows no header lines, which stand before the data.
        let data: String = body.split_inclusive('\n').skip_while(|line| line.contains(':')).collect();
        // Go takes blanks in the data for nothing.
        let block = format!("{line}{}-----END X-----\n", data.replace([' ', '\t'], ""));
        if let Ok((pem, _)) = Pem::read(Cursor::new(block.as_bytes())) {
            return Some((pem, rest));
        }
    }
    None
}

/// The text before the first END line, which must be that of `label`, and the text after it.
fn to_end<'a>(text: &'a str, label: &str) -> Option<(&'a str, &'a str)> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(end) = line.trim_end().strip_prefix("-----END ") {
            let fits = end.strip_suffix("-----") == Some(label);
            return fits.then(|| (&text[..at], &text[at + line.len()..]));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::certificates;

    #[test]
    fn blanks_in_the_data_of_a_block_are_nothing() {
        let plain = certificates("-----BEGIN X-----\nAQIDBA==\n-----END X-----\n");
        assert_eq!(plain.len(), 1);
        for data in ["AQ IDBA==", "  AQIDBA==", "AQIDBA== \t", "AQ\tID\nBA=="] {
            let block = format!("-----BEGIN X-----\n{data}\n-----END X-----\n");
            assert_eq!(certificates(&block), plain, "{data}");
        }
    }
}

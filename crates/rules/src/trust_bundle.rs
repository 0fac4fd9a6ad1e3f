//! `additionalTrustBundle` and its policy: `docs/install-config.md`, section 7.2.

mod certificate;

use base64::Engine;
use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::Case;
use super::ssh_key::BASE64;

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
            Ok(([], certificate)) => certificate::check(&certificate)
                .map_err(|fault| format!("the certificate in block {number} {fault}"))?,
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

/// A PEM block.
struct Block<'a> {
    label: &'a str,
    contents: Vec<u8>,
}

/// The first whole block, and the text after it.
fn next_block(text: &str) -> Option<(Block<'_>, &str)> {
    let mark = "\n-----END ";
    let mut rest = text;
    loop {
        let end = rest.find(mark)?;
        let (before, after) = (&rest[..=end], &rest[end + mark.len()..]);
        if let Some(found) = block(before, after) {
            return Some(found);
        }
        rest = after;
    }
}

/// The block that begins last in `before`, and the text after the END line, whose text after its mark begins `after`.
fn block<'a>(before: &'a str, after: &'a str) -> Option<(Block<'a>, &'a str)> {
    let mark = "-----BEGIN ";
    let begin = before.rfind(mark)?;
    let (skipped, block) = before.split_at_checked(begin)?;
    let (first, mut data) = line(block.strip_prefix(mark)?);
    let label = first.strip_suffix("-----").filter(|_| skipped.is_empty() || skipped.ends_with('\n'))?;
    // A header must be followed by a line.
    while let Some((_, next)) = Some(line(data)).filter(|(line, _)| line.contains(':')) {
        data = Some(next).filter(|next| !next.is_empty())?;
    }
    let (blanks, rest) = line(after.strip_prefix(label)?.strip_prefix("-----")?);
    let contents = BASE64.decode(data.replace([' ', '\t', '\r', '\n'], "")).ok()?;
    blanks.is_empty().then_some((Block { label, contents }, rest))
}

/// The first line without the blanks at its end, and what follows it.
fn line(text: &str) -> (&str, &str) {
    let (line, rest) = text
        .split_once('\n')
        .map_or((text, ""), |(line, rest)| (line.strip_suffix('\r').unwrap_or(line), rest));
    (line.trim_end_matches([' ', '\t']), rest)
}

#[cfg(test)]
mod tests {
    use super::certificates;

    #[test]
    fn blanks_in_the_data_of_a_block_are_nothing() {
        let plain = certificates("-----BEGIN X-----\nAQIDBA==\n-----END X-----\n");
        assert_eq!(plain.len(), 1);
        for data in ["AQ IDBA==", "  AQIDBA==", "AQIDBA== \t", "AQ\tID\nBA==", "AQ\rID\rBA=="] {
            let block = format!("-----BEGIN X-----\n{data}\n-----END X-----\n");
            assert_eq!(certificates(&block), plain, "{data}");
        }
    }

    #[test]
    fn lines_of_a_block_end_as_go_has_them() {
        let block = |begin: &str, end: &str| {
            certificates(&format!("-----BEGIN X-----{begin}AQIDBA==\n-----END X-----{end}")).len()
        };
        for blanks in ["\n", " \n", "\t\r\n", "\nA: b\nC: d\n\n", "\n\n"] {
            assert_eq!(block(blanks, "\n"), 1, "{blanks:?}");
        }
        for blanks in ["\u{b}\n", "\u{c}\n", "\u{a0}\n", "\r"] {
            assert_eq!((block("\n", blanks), block(blanks, "\n")), (0, 0), "{blanks:?}");
        }
        assert_eq!(certificates("-----BEGIN X-----\nA: b\n-----END X-----\n").len(), 0);
    }
}

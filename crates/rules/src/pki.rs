//! `pki`: `docs/install-config.md`, section 7.12.

use landfall_diagnostics::{Code, Finding, Findings, Kind};

use super::Case;

const KEY: &str = "pki.signerCertificates.key";

/// The algorithm is missing or not known.
const ALGORITHM: Code = Code::new("LF0150");
/// The parameters do not fit the algorithm.
const PARAMETERS: Code = Code::new("LF0151");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let Some(pki) = &case.config.pki else {
        return;
    };
    let key = &pki.signer_certificates.key;
    let missing = |field: &str, example: &str| {
        let message = format!("`{field}` is missing");
        let finding = Finding::error(&PARAMETERS, Kind::Required, format!("{KEY}.{field}"), message);
        finding.help(format!("add `{example}` below `{field}:`"))
    };
    let foreign = |field: &str| {
        let message = format!("`{field}` does not apply to the algorithm {}", key.algorithm);
        let finding = Finding::error(&PARAMETERS, Kind::Forbidden, format!("{KEY}.{field}"), message);
        finding.help(format!("remove `{field}`"))
    };
    match key.algorithm.as_str() {
        "" => {
            let message = "the algorithm of the signer key is missing";
            let finding = Finding::error(&ALGORITHM, Kind::Required, format!("{KEY}.algorithm"), message);
            out.push(finding.help("add `algorithm: RSA` or `algorithm: ECDSA`"));
        }
        "RSA" => {
            match &key.rsa {
                None => out.push(missing("rsa", "keySize: 4096")),
                Some(rsa) if !(2048..=8192).contains(&rsa.key_size) || rsa.key_size % 1024 != 0 => {
                    let message = format!("{} is not a multiple of 1024 from 2048 to 8192", rsa.key_size);
                    let field = format!("{KEY}.rsa.keySize");
                    let finding = Finding::error(&PARAMETERS, Kind::Invalid, field, message);
                    out.push(finding.help("write `keySize: 4096`"));
                }
                Some(_) => {}
            }
            if key.ecdsa.is_some() {
                out.push(foreign("ecdsa"));
            }
        }
        "ECDSA" => {
            let curves = &["P256", "P384", "P521"];
            match &key.ecdsa {
                None => out.push(missing("ecdsa", "curve: P384")),
                Some(ecdsa) if !curves.contains(&ecdsa.curve.as_str()) => {
                    let field = format!("{KEY}.ecdsa.curve");
                    out.push(Finding::not_supported(&PARAMETERS, field, &ecdsa.curve, curves));
                }
                Some(_) => {}
            }
            if key.rsa.is_some() {
                out.push(foreign("rsa"));
            }
        }
        other => {
            let field = format!("{KEY}.algorithm");
            out.push(Finding::not_supported(&ALGORITHM, field, other, &["RSA", "ECDSA"]));
        }
    }
}

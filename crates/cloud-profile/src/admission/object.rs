//! The parts of an object that are no lists: metadata, certificates, limits.

use landfall_diagnostics::shortened;
use serde_json::Value;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::{Refusal, Why, names};
use crate::types::Limits;

/// What PEM calls a certificate.
const CERTIFICATE: &str = "CERTIFICATE";

/// Name and namespace. A name may be left to the API to make.
pub(super) fn check_metadata(object: &Value, refusals: &mut Vec<Refusal>) {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
    let name = text("/metadata/name");
    if name.is_empty() {
        if text("/metadata/generateName").is_empty() {
            refusals.push(Refusal::new("metadata.name", Why::Required, "a name must be given"));
        }
    } else if !names::is_subdomain(name) {
        let message =
            format!("`{}` is not an object name: lower-case letters, digits, `-` and `.`", shortened(name));
        refusals.push(Refusal::new("metadata.name", Why::Invalid, message));
    }
    if text("/metadata/namespace").is_empty() {
        refusals.push(Refusal::new("metadata.namespace", Why::Required, "a namespace must be given"));
    }
}

/// The first block of a bundle must be a certificate.
pub(super) fn check_bundle(bundle: Option<&str>, refusals: &mut Vec<Refusal>) {
    let Some(bundle) = bundle.filter(|bundle| !bundle.is_empty()) else { return };
    let is_certificate = pem::parse(bundle).is_ok_and(|block| {
        block.tag() == CERTIFICATE && matches!(X509Certificate::from_der(block.contents()), Ok(([], _)))
    });
    if !is_certificate {
        let message = "the first block is not a PEM certificate";
        refusals.push(Refusal::new("spec.caBundle", Why::Invalid, message));
    }
}

/// Limits must allow something.
pub(super) fn check_limits(limits: Option<&Limits>, refusals: &mut Vec<Refusal>) {
    if let Some(most) = limits.and_then(|limits| limits.max_nodes_total).filter(|most| *most < 1) {
        let message = format!("`{most}` is not accepted: at least 1");
        refusals.push(Refusal::new("spec.limits.maxNodesTotal", Why::Invalid, message));
    }
}

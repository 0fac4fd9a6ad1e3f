//! `metadata.name` and `baseDomain`: `docs/install-config.md`, sections 7.3 and 7.4.

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};

use super::Case;
use super::text::subdomain_fault;

/// The form of the cluster's name.
const CLUSTER_NAME: Code = Code::new("LF0102");
/// The first character of the cluster's name.
const FIRST_LETTER: Code = Code::new("LF0103");
/// Names that a platform keeps for itself.
const RESERVED: Code = Code::new("LF0104");
/// The form of the base domain.
const BASE_DOMAIN: Code = Code::new("LF0105");

/// The longest name that leaves room for what resources add to it.
const LONGEST_NAME: usize = 54;

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let name = &case.config.metadata.name;
    let name_fits = check_name(case, name, out);
    for platform in case.present {
        if let Some(why) = (platform.reserved_name)(name) {
            out.push(
                Finding::error(&RESERVED, Kind::Invalid, "metadata.name", why).help("choose another name"),
            );
        }
    }
    let base = &case.config.base_domain;
    let domain = base.strip_suffix('.').unwrap_or(base);
    let help = "use a domain that you own, such as example.com";
    if let Some(fault) = subdomain_fault(domain) {
        let message = match base.as_str() {
            "" => "the base domain is missing".to_owned(),
            base => format!("`{}` is not a DNS name: {fault}", shortened(base)),
        };
        out.push(Finding::error(&BASE_DOMAIN, Kind::Invalid, "baseDomain", message).help(help));
    } else if name_fits && subdomain_fault(&format!("{name}.{domain}")).is_some() {
        let message = "the cluster's domain, its name and the base domain, has more than 253 bytes";
        out.push(Finding::error(&BASE_DOMAIN, Kind::Invalid, "baseDomain", message).help(help));
    }
}

/// Judges the form of the name, whatever words are reserved.
fn check_name(case: &Case<'_>, name: &str, out: &mut Findings) -> bool {
    let field = "metadata.name";
    let shown = shortened(name);
    if case.any(|p| p.name_begins_with_letter) && !name.starts_with(|c: char| c.is_ascii_lowercase()) {
        let message = match name {
            "" => "the cluster's name is missing".to_owned(),
            _ => format!("`{shown}` does not begin with a lower-case letter"),
        };
        out.push(Finding::error(&FIRST_LETTER, Kind::Invalid, field, message).help("begin with a letter"));
        return false;
    }
    let (message, help) = if name.len() > LONGEST_NAME {
        let length = name.len();
        (format!("`{shown}` has {length} bytes, at most {LONGEST_NAME} are accepted"), "shorten the name")
    } else if let Some(fault) = subdomain_fault(name) {
        match name {
            "" => ("the cluster's name is missing".to_owned(), "add `name:` under `metadata:`"),
            _ => (format!("`{shown}` is not a DNS name: {fault}"), "write a name such as demo-1"),
        }
    } else {
        return true;
    };
    out.push(Finding::error(&CLUSTER_NAME, Kind::Invalid, field, message).help(help));
    false
}

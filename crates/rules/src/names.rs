//! `metadata.name` and `baseDomain`: `docs/install-config.md`, sections 7.3 and 7.4.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, shortened};

use super::text::subdomain_fault;
use super::{Case, Subject};

pub(super) const SUBJECT: Subject =
    Subject { check, pages: &[&CLUSTER_NAME, &FIRST_LETTER, &RESERVED, &BASE_DOMAIN] };

/// The form of the cluster's name.
const CLUSTER_NAME: Page = Page {
    code: "LF0102",
    title: "the cluster's name is a DNS name of at most 54 bytes",
    text: "The name becomes the first part of the cluster's domain and of every resource's name. It \
           consists of lower-case letters, digits, dashes and dots, and begins and ends with a letter or \
           digit. The limit leaves room for what resources add to it.",
    severity: Severity::Error,
    fields: &["metadata.name"],
    base: Base::Aws,
    bad: "metadata:\n  name: Demo\n",
    good: "metadata:\n  name: demo-1\n",
};
/// The first character of the cluster's name.
const FIRST_LETTER: Page = Page {
    code: "LF0103",
    title: "on Azure the cluster's name begins with a letter",
    text: "Some of Azure's resources take no name that begins with a digit.",
    severity: Severity::Error,
    fields: &["metadata.name"],
    base: Base::Azure,
    bad: "metadata:\n  name: 1demo\n",
    good: "metadata:\n  name: demo1\n",
};
/// Names that a platform keeps for itself.
const RESERVED: Page = Page {
    code: "LF0104",
    title: "the cluster's name is none that the platform reserves",
    text: "Azure refuses resources named after Microsoft's trademarks and some common words: \
           <https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/error-reserved-resource-name>.",
    severity: Severity::Error,
    fields: &["metadata.name"],
    base: Base::Azure,
    bad: "metadata:\n  name: login-test\n",
    good: "metadata:\n  name: test-login\n",
};
/// The form of the base domain.
const BASE_DOMAIN: Page = Page {
    code: "LF0105",
    title: "the base domain is a DNS name",
    text: "Lower-case letters, digits, dashes and dots; a dot at the end is accepted. Together with the \
           cluster's name it has at most 253 bytes.",
    severity: Severity::Error,
    fields: &["baseDomain"],
    base: Base::None,
    bad: "baseDomain: example_1.com\n",
    good: "baseDomain: example-1.com.\n",
};

/// The longest name that leaves room for what resources add to it.
const LONGEST_NAME: usize = 54;

fn check(case: &Case<'_>, out: &mut Findings) {
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
    let help = "write a domain that you own, such as example.com";
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

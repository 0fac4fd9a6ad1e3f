//! Fencing of a two-node control plane: `docs/install-config.md`, section 9.3.

use std::collections::HashMap;

use landfall_diagnostics::secret::SecretUrl;
use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::config::defaults::parse_mac;
use landfall_model::config::{Fencing, FencingCredential};

use super::Case;
use super::url::Url;

/// A part of a credential is missing.
const MISSING: Code = Code::new("LF0320");
/// Two credentials have the same value.
const DUPLICATE: Code = Code::new("LF0321");
/// The platform cannot fence.
const PLATFORM: Code = Code::new("LF0322");
/// The hardware address cannot be used.
const MAC: Code = Code::new("LF0323");
/// The check of the certificate.
const VERIFICATION: Code = Code::new("LF0324");
/// The address of the management controller.
const ADDRESS: Code = Code::new("LF0325");
/// The number of credentials.
const COUNT: Code = Code::new("LF0326");
/// Fencing of a compute pool.
const COMPUTE: Code = Code::new("LF0327");

const BASE: &str = "controlPlane.fencing";

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    for (i, _) in case.config.compute.iter().enumerate().filter(|(_, pool)| pool.fencing.is_some()) {
        let message = "compute pools do not support fencing";
        let finding = Finding::error(&COMPUTE, Kind::Invalid, format!("compute[{i}].fencing"), message);
        out.push(finding.help("remove `fencing`"));
    }
    let Some(control_plane) = &case.config.control_plane else {
        return;
    };
    if let Some(fencing) = &control_plane.fencing {
        check_credentials(fencing, out);
        if !case.any(|platform| platform.fencing) && !case.is_foreign() {
            let name = case.active.map_or("this platform", |platform| platform.name);
            let message = format!("{name} does not support fencing");
            let finding = Finding::error(&PLATFORM, Kind::Forbidden, BASE, message);
            out.push(finding.help("remove `fencing`"));
        }
    }
    let arbiters = case.config.arbiter.as_ref().is_some_and(|pool| pool.replicas.unwrap_or_default() > 0);
    let given = control_plane.fencing.as_ref().map_or(0, |fencing| fencing.credentials.len());
    let (message, help) = match (control_plane.replicas.unwrap_or_default(), given) {
        _ if arbiters => return,
        (2, 2) => return,
        (2, given) => (
            format!("a control plane of two machines needs two fencing credentials, not {given}"),
            "write `replicas: 3`, or add fencing credentials or an arbiter",
        ),
        (_, 0) => return,
        (replicas, _) => (
            format!("fencing credentials are for a control plane of two machines, not {replicas}"),
            "remove `fencing`",
        ),
    };
    let field = format!("{BASE}.credentials");
    let at = if given == 0 { "controlPlane.replicas".to_owned() } else { field.clone() };
    out.push(Finding::error(&COUNT, Kind::Forbidden, field, message).help(help).at(at));
}

fn check_credentials(fencing: &Fencing, out: &mut Findings) {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    for (i, credential) in fencing.credentials.iter().enumerate() {
        let path = format!("{BASE}.credentials[{i}]");
        let unique = [
            ("hostName", credential.host_name.as_str()),
            ("macAddress", credential.mac_address.as_str()),
            ("address", credential.address.expose()),
        ];
        for (name, value) in unique.into_iter().filter(|(_, value)| !value.is_empty()) {
            let first = *seen.entry((name, value)).or_insert(i);
            if first != i {
                let field = format!("{path}.{name}");
                let message = format!("another credential has the same `{name}`");
                out.push(
                    Finding::error(&DUPLICATE, Kind::Duplicate, field, message)
                        .help("list each machine once")
                        .related("the earlier one", format!("{BASE}.credentials[{first}].{name}")),
                );
            }
        }
        check_credential(&path, credential, out);
    }
}

fn check_credential(path: &str, credential: &FencingCredential, out: &mut Findings) {
    let required = [
        ("username", credential.username.is_empty()),
        ("password", credential.password.is_empty()),
        ("address", credential.address.is_empty()),
    ];
    for (name, _) in required.into_iter().filter(|(_, missing)| *missing) {
        let message = format!("`{name}` is missing");
        let finding = Finding::error(&MISSING, Kind::Required, format!("{path}.{name}"), message);
        out.push(finding.help(format!("add `{name}:`")));
    }
    if credential.host_name.is_empty() && credential.mac_address.is_empty() {
        let message = "neither `hostName` nor `macAddress` is set";
        out.push(Finding::error(&MISSING, Kind::Required, path, message).help("add `hostName:`"));
    }
    let mac = credential.mac_address.as_str();
    let bytes = parse_mac(mac);
    let unicast = bytes.is_some_and(|bytes| bytes.len() == 6 && bytes.first().is_some_and(|b| b & 1 == 0));
    if !mac.is_empty() && !unicast {
        let message = format!("`{}` is not a unicast MAC address of six bytes", shortened(mac));
        let finding = Finding::error(&MAC, Kind::Invalid, format!("{path}.macAddress"), message);
        out.push(finding.help("write an address such as 02:1a:2b:3c:4d:5e"));
    }
    let verification = credential.certificate_verification.as_str();
    let modes = &["Enabled", "Disabled"];
    if !verification.is_empty() && !modes.contains(&verification) {
        let field = format!("{path}[CertificateVerification]");
        let mut finding = Finding::not_supported(&VERIFICATION, field, verification, modes);
        finding.kind = Kind::Invalid;
        out.push(finding.at(format!("{path}.certificateVerification")));
    }
    if !credential.address.is_empty() {
        check_address(&format!("{path}.address"), &credential.address, out);
    }
}

fn check_address(field: &str, given: &SecretUrl, out: &mut Findings) {
    let address = given.expose();
    let shown = shortened(&given.shown());
    let help = "write a URL such as redfish+https://192.0.2.1:8000/redfish/v1/Systems/1";
    let mut fault = |message: String| {
        out.push(Finding::error(&ADDRESS, Kind::Invalid, field, message).help(help));
    };
    let url = match Url::parse(address) {
        Ok(url) => url,
        Err(why) => {
            fault(format!("`{shown}` is not a URL: {why}"));
            return;
        }
    };
    if !address.contains("redfish") {
        fault(format!("`{shown}` is not a Redfish address"));
    }
    let telling = url.scheme.contains("http") || url.scheme.contains("redfish");
    if url.port().is_none() && !telling {
        fault(format!("`{shown}` has no port, and its scheme has no default port"));
    }
}

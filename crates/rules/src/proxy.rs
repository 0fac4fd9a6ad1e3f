//! `proxy`: `docs/install-config.md`, section 7.7.

use std::net::IpAddr;

use landfall_diagnostics::secret::{SecretUrl, without_user};
use landfall_diagnostics::{Code, Finding, Findings, Kind, Severity, shortened};
use landfall_model::config::{InstallConfig, Net, Network};

use super::Case;
use super::text::subdomain_fault;
use super::url::Url;

/// The map is there and no proxy in it.
const MISSING: Code = Code::new("LF0116");
/// The text is not a URL.
const FORM: Code = Code::new("LF0117");
/// The scheme is not accepted.
const SCHEME: Code = Code::new("LF0118");
/// The proxy's address belongs to the cluster.
const INSIDE: Code = Code::new("LF0119");
/// An exception from the proxy has no form.
const NO_PROXY: Code = Code::new("LF0120");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let Some(proxy) = &case.config.proxy else {
        return;
    };
    if proxy.http_proxy.is_empty() && proxy.https_proxy.is_empty() {
        let message = "neither `httpProxy` nor `httpsProxy` is given";
        let help = "add one of them, or remove `proxy`";
        out.push(Finding::error(&MISSING, Kind::Required, "proxy", message).help(help));
    }
    check_url(case.config, "proxy.httpProxy", &proxy.http_proxy, &["http"], out);
    check_url(case.config, "proxy.httpsProxy", &proxy.https_proxy, &["http", "https"], out);
    check_no_proxy(&proxy.no_proxy, out);
}

fn check_url(config: &InstallConfig, field: &str, given: &SecretUrl, schemes: &[&str], out: &mut Findings) {
    if given.is_empty() {
        return;
    }
    let shown = shortened(&given.shown());
    let help = "write a URL such as http://proxy.example.com:3128";
    let url = match Url::parse_request(given.expose()) {
        Ok(url) => url,
        Err(fault) => {
            let message = format!("`{shown}` is not a URL: {fault}");
            out.push(Finding::error(&FORM, Kind::Invalid, field, message).help(help));
            return;
        }
    };
    if !schemes.contains(&url.scheme.as_str()) {
        let message = match url.scheme.as_str() {
            "" => format!("`{shown}` has no scheme; accepted: {}", schemes.join(", ")),
            scheme => format!(
                "the scheme `{}` is not accepted; accepted: {}",
                shortened(scheme),
                schemes.join(", ")
            ),
        };
        out.push(Finding::error(&SCHEME, Kind::NotSupported, field, message).help(help));
    }
    let Ok(address) = url.hostname().parse::<IpAddr>() else {
        return;
    };
    for (name, nets) in own_networks(config) {
        if let Some(net) = nets.iter().find(|net| net.contains(address.to_canonical())) {
            let message = format!("the proxy's address {address} is in the {name} network {net}");
            let help = "use a proxy outside the cluster";
            out.push(Finding::error(&INSIDE, Kind::Invalid, field, message).help(help));
        }
    }
}

/// The networks that exist only inside the cluster.
fn own_networks(config: &InstallConfig) -> [(&'static str, Vec<Net>); 3] {
    let Some(networking) = &config.networking else {
        return [("pod", Vec::new()), ("service", Vec::new()), ("join", Vec::new())];
    };
    let nets = |list: &mut dyn Iterator<Item = &Network>| list.filter_map(|n| n.given().copied()).collect();
    let join = networking.ovn_kubernetes_config.as_ref().and_then(|ovn| ovn.ipv4.as_ref());
    let join = join.and_then(|ipv4| ipv4.internal_join_subnet.given().copied());
    [
        ("pod", nets(&mut networking.cluster_network.iter().map(|n| &n.cidr))),
        ("service", nets(&mut networking.service_network.iter())),
        ("join", join.into_iter().collect()),
    ]
}

fn check_no_proxy(text: &str, out: &mut Findings) {
    let field = "proxy.noProxy";
    if text.is_empty() || text == "*" {
        return;
    }
    if text.contains(' ') {
        let message = "`noProxy` contains a space; separate its entries by commas only";
        out.push(Finding::error(&NO_PROXY, Kind::Invalid, field, message).help("remove the spaces"));
    }
    for (number, element) in text.split(',').enumerate() {
        if out.is_full(Severity::Error) {
            return;
        }
        let element = element.trim();
        let name = element.strip_prefix('.').unwrap_or(element);
        let name = name.strip_suffix('.').unwrap_or(name);
        let fits = subdomain_fault(name).is_none()
            || element.parse::<IpAddr>().is_ok()
            || element.parse::<Net>().is_ok();
        if !fits {
            let shown = shortened(&without_user(element));
            let message = format!(
                "entry {} of `noProxy`, `{shown}`, is not a domain, an address or a network",
                number + 1
            );
            let help = "write a domain (.example.com), an address, or a network (10.0.0.0/16)";
            out.push(Finding::error(&NO_PROXY, Kind::Invalid, field, message).help(help));
        }
    }
}

//! `proxy`: `docs/install-config.md`, section 7.7.

use std::net::IpAddr;

use landfall_diagnostics::secret::{SecretUrl, without_user};
use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, shortened};
use landfall_model::config::{InstallConfig, Net, Network};

use super::text::subdomain_fault;
use super::url::Url;
use super::{Case, Subject};

pub(super) const SUBJECT: Subject = Subject { check, pages: &[&MISSING, &FORM, &SCHEME, &INSIDE, &NO_PROXY] };

/// The map is there and no proxy in it.
const MISSING: Page = Page {
    code: "LF0116",
    title: "`proxy` names a proxy",
    text: "`noProxy` alone has no meaning: give `httpProxy`, `httpsProxy` or both, or leave `proxy` out.",
    severity: Severity::Error,
    fields: &["proxy"],
    base: Base::None,
    bad: "proxy:\n  noProxy: example.com\n",
    good: "proxy:\n  httpProxy: http://proxy.example.com:3128\n  noProxy: example.com\n",
};
/// The text is not a URL.
const FORM: Page = Page {
    code: "LF0117",
    title: "a proxy is a URL",
    text: "Scheme, host and port, such as `http://proxy.example.com:3128`. A user and password may stand \
           before the host; characters that are special in URLs are percent-encoded there.",
    severity: Severity::Error,
    fields: &["proxy.httpProxy", "proxy.httpsProxy"],
    base: Base::None,
    bad: "proxy:\n  httpProxy: proxy.example.com\n",
    good: "proxy:\n  httpProxy: http://proxy.example.com\n",
};
/// The scheme is not accepted.
const SCHEME: Page = Page {
    code: "LF0118",
    title: "a proxy is reached over HTTP, or over HTTPS for `httpsProxy`",
    text: "The scheme says how the proxy itself is reached, not what goes through it: `httpProxy` takes \
           `http`, `httpsProxy` takes `http` and `https`. `host:port` without a scheme reads as the \
           scheme `host`.",
    severity: Severity::Error,
    fields: &["proxy.httpProxy", "proxy.httpsProxy"],
    base: Base::None,
    bad: "proxy:\n  httpProxy: https://proxy.example.com\n",
    good: "proxy:\n  httpProxy: http://proxy.example.com\n  httpsProxy: https://proxy.example.com\n",
};
/// The proxy's address belongs to the cluster.
const INSIDE: Page = Page {
    code: "LF0119",
    title: "a proxy's address lies outside the cluster's own networks",
    text: "An address of the pod, service or join network exists only inside the cluster, where the proxy \
           cannot be.",
    severity: Severity::Error,
    fields: &["proxy.httpProxy", "proxy.httpsProxy"],
    base: Base::None,
    bad: "proxy:\n  httpProxy: http://172.30.0.5:3128\n",
    good: "proxy:\n  httpProxy: http://192.0.2.5:3128\n",
};
/// An exception from the proxy has no form.
const NO_PROXY: Page = Page {
    code: "LF0120",
    title: "`noProxy` lists domains, addresses and networks",
    text: "Elements are separated by commas without blanks: a domain (`example.com`, or `.example.com` for \
           its subdomains only), an IP address, or a network. `*` alone means everything.",
    severity: Severity::Error,
    fields: &["proxy.noProxy"],
    base: Base::None,
    bad: "proxy:\n  httpProxy: http://proxy.example.com\n  noProxy: example.com,*.test\n",
    good: "proxy:\n  httpProxy: http://proxy.example.com\n  noProxy: example.com,.test,10.0.0.0/16\n",
};

fn check(case: &Case<'_>, out: &mut Findings) {
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
            let message = format!("the proxy's address {address} lies in the {name} network {net}");
            let help = "name a proxy outside the cluster";
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
        let message = "`noProxy` holds a blank; its elements are separated by commas alone";
        out.push(Finding::error(&NO_PROXY, Kind::Invalid, field, message).help("remove the blanks"));
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
            let message =
                format!("element {} of `noProxy`, `{shown}`, is no domain, address or network", number + 1);
            let help = "write a domain (.example.com), an address, or a network (10.0.0.0/16)";
            out.push(Finding::error(&NO_PROXY, Kind::Invalid, field, message).help(help));
        }
    }
}

//! Custom service endpoints: `docs/install-config.md`, section 10.4.

use std::collections::{BTreeSet, HashMap};

use landfall_diagnostics::{Code, Finding, Findings, Kind, Severity, nearest, shortened};
use landfall_model::aws::config::Platform;
use landfall_model::catalogue::Catalogue;
use landfall_rules::Case;
use landfall_rules::endpoint::{Endpoint, Unfit};

/// A service has two endpoints.
pub const NAME: Code = Code::new("LF0420");
/// The URL cannot be an endpoint.
pub const URL: Code = Code::new("LF0421");

/// The name is not one that OpenShift calls a service by.
pub const SERVICE: Code = Code::new("LF0423");
/// No client can call the URL.
pub const REACH: Code = Code::new("LF0424");
/// A proxy stands between the cluster and its VPC's endpoints.
pub const PROXIED: Code = Code::new("LF0425");

/// Nobody knows the region, and its services have no endpoints.
pub const UNKNOWN_REGION: Code = Code::new("LF0422");

pub(super) fn check(platform: &Platform, out: &mut Findings) {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (i, endpoint) in platform.service_endpoints.iter().enumerate() {
        let path = format!("platform.aws.serviceEndpoints[{i}]");
        let j = *first.entry(&endpoint.name).or_insert(i);
        if j != i {
            let message = format!("the service `{}` has an endpoint already", shortened(&endpoint.name));
            out.push(
                Finding::error(&NAME, Kind::Invalid, format!("{path}.name"), message)
                    .help("keep one endpoint for each service")
                    .related("the first one", format!("platform.aws.serviceEndpoints[{j}].name")),
            );
        }
        if let Err(Unfit { message, help }) = Endpoint::of_service(endpoint.url.expose()) {
            let finding = Finding::error(&URL, Kind::Invalid, format!("{path}.url"), message);
            out.push(finding.help(help));
        }
    }
}

/// Warns of endpoints that the OpenShift installer accepts and no cluster can use: planning refuses them.
pub(super) fn check_usable(catalogue: &Catalogue, platform: &Platform, out: &mut Findings) {
    for unusable in unusable(catalogue, platform) {
        out.push(Finding { severity: Severity::Warning, ..unusable });
    }
    for (i, endpoint) in platform.service_endpoints.iter().enumerate() {
        if is_form_of_a_name(&endpoint.name)
            && let Some(finding) = strange_name(catalogue, i, &endpoint.name)
        {
            out.push(finding);
        }
    }
}

/// The fault of the name of the endpoint at this index: an error where the `Infrastructure` object refuses it, a warning
/// where OpenShift knows no service of this name.
#[must_use]
pub fn strange_name(catalogue: &Catalogue, i: usize, name: &str) -> Option<Finding> {
    let path = format!("platform.aws.serviceEndpoints[{i}].name");
    let finding = if name.is_empty() {
        Finding::error(&SERVICE, Kind::Invalid, path, "the service has no name")
    } else if !is_form_of_a_name(name) {
        let message =
            format!("`{}` may contain only lower-case letters, digits and hyphens", shortened(name));
        Finding::error(&SERVICE, Kind::Invalid, path, message)
    } else if catalogue.aws.services().any(|known| known == name) {
        return None;
    } else {
        let message = format!("unknown service `{}`", shortened(name));
        Finding::warning(&SERVICE, Kind::NotSupported, path, message)
    };
    Some(finding.help(meant(catalogue, name)))
}

/// What of the endpoints the cluster's `Infrastructure` object or its clients do not take, as errors.
pub(in super::super) fn unusable(catalogue: &Catalogue, platform: &Platform) -> Vec<Finding> {
    let mut found = Vec::new();
    for (i, endpoint) in platform.service_endpoints.iter().enumerate() {
        let path = format!("platform.aws.serviceEndpoints[{i}]");
        if !is_form_of_a_name(&endpoint.name) {
            found.extend(strange_name(catalogue, i, &endpoint.name));
        }
        let obstacle = Endpoint::of_service(endpoint.url.expose()).ok().and_then(|url| url.obstacle());
        if let Some(Unfit { message, help }) = obstacle {
            found.push(Finding::error(&REACH, Kind::Invalid, format!("{path}.url"), message).help(help));
        }
    }
    found
}

/// Warns of VPC endpoints that a proxy would be asked for: it stands outside the VPC and cannot reach them.
pub(super) fn check_proxy(case: &Case<'_>, platform: &Platform, out: &mut Findings) {
    let Some(proxy) = &case.config.proxy else { return };
    // Endpoints of AWS are called by HTTPS.
    if proxy.https_proxy.expose().is_empty() {
        return;
    }
    let urls = platform.service_endpoints.iter().map(|endpoint| endpoint.url.expose());
    let hosts = urls.filter_map(|url| Endpoint::of_service(url).ok()).map(|url| url.host().to_owned());
    let missing: BTreeSet<String> =
        hosts.filter(|host| is_vpc_endpoint(host) && !is_covered(host, &proxy.no_proxy)).collect();
    if missing.is_empty() {
        return;
    }
    let list: Vec<String> = missing.into_iter().collect();
    let message = format!("the VPC endpoints {} are called through the proxy", list.join(", "));
    let given = proxy.no_proxy.trim().trim_end_matches(',');
    let help = match given {
        "" => format!("write `noProxy: {}`", list.join(",")),
        _ => format!("add to noProxy: {}", list.join(",")),
    };
    out.push(Finding::warning(&PROXIED, Kind::Invalid, "proxy.noProxy", message).help(help));
}

/// Whether a host is an interface endpoint's name: one of its labels begins with the endpoint's id.
fn is_vpc_endpoint(host: &str) -> bool {
    host.split('.').any(|label| label.to_ascii_lowercase().starts_with("vpce-"))
}

/// Whether an entry of `noProxy` names a host or a domain that it is in.
fn is_covered(host: &str, no_proxy: &str) -> bool {
    no_proxy.split(',').map(str::trim).filter(|entry| !entry.is_empty()).any(|entry| {
        let domain = entry.strip_prefix('.').unwrap_or(entry);
        let inside = host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'));
        entry == "*" || host == entry || inside
    })
}

/// The pattern of the definition of `Infrastructure`.
fn is_form_of_a_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

/// The name that was meant, else all that are known.
fn meant(catalogue: &Catalogue, name: &str) -> String {
    match catalogue.aws.service_meant(name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("services are {}", catalogue.aws.services().collect::<Vec<&str>>().join(", ")),
    }
}

/// Warns of an unknown region whose services have no endpoints. The file stands, as the
/// OpenShift installer accepts it; no cluster can be made of it.
pub(super) fn check_region(case: &Case<'_>, platform: &Platform, out: &mut Findings) {
    let missing = missing_endpoints(case.catalogue, platform);
    if missing.is_empty() || platform.region.is_empty() {
        return;
    }
    let message = format!(
        "unknown region `{}`: the config has no endpoint for {}",
        shortened(&platform.region),
        missing.join(", ")
    );
    let help = or_meant(
        case.catalogue,
        &platform.region,
        "before you create a cluster, add them to serviceEndpoints, or the region to a catalogue overlay",
    );
    let finding = Finding::warning(&UNKNOWN_REGION, Kind::Required, "platform.aws.serviceEndpoints", message);
    out.push(finding.at("platform.aws.region").help(help));
}

/// What to do about an unknown region, after the question whether a known one was meant.
pub(in super::super) fn or_meant(catalogue: &Catalogue, region: &str, help: &str) -> String {
    let known = catalogue.aws.partitions.values().flat_map(|of| of.regions.keys());
    let near = nearest(&region.to_ascii_lowercase(), known.map(String::as_str));
    match near.filter(|near| catalogue.aws.may_mean(region, near)) {
        Some(near) => format!("did you mean `{near}`? if not, {help}"),
        None => help.to_owned(),
    }
}

/// The services that are called in an unknown region and have no endpoint in the config.
#[must_use]
pub fn missing_endpoints<'a>(catalogue: &'a Catalogue, platform: &Platform) -> Vec<&'a str> {
    let region = platform.region.as_str();
    if catalogue.aws.region(region).is_some() || catalogue.has_image(super::super::NAME, region) {
        return Vec::new();
    }
    let given = |service: &&String| platform.service_endpoints.iter().any(|e| e.name == **service);
    let needed = catalogue.aws.required_services(region).iter().filter(|service| !given(service));
    needed.map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Services of the administrators' page, by whether preflight always looks at them.
    fn documented(always: bool) -> BTreeSet<&'static str> {
        let page = include_str!("../../../../docs/endpoints.md");
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        let cells = rows.map(|row| row.split('|').map(str::trim).collect::<Vec<&str>>());
        let services = cells.filter_map(|cells| match cells[..] {
            ["", service, _, preflight, ""] => ((preflight == "always") == always).then_some(service),
            _ => None,
        });
        services.filter(|service| !service.contains('.')).map(|service| service.trim_matches('`')).collect()
    }

    #[test]
    fn the_page_on_endpoints_names_the_services_that_preflight_looks_at() {
        let catalogue = Catalogue::embedded();
        let known = |names: &[String]| names.iter().cloned().collect::<BTreeSet<String>>();
        let told = |always| documented(always).into_iter().map(str::to_owned).collect::<BTreeSet<String>>();
        assert_eq!(told(true), known(&catalogue.aws.required_services));
        assert_eq!(told(false), known(&catalogue.aws.optional_services));
    }
}

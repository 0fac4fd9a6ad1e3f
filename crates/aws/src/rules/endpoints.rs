//! Custom service endpoints: `docs/install-config.md`, section 10.4.

use std::collections::HashMap;

use landfall_diagnostics::secret::without_user;
use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, nearest, shortened};
use landfall_model::aws::config::Platform;
use landfall_model::catalogue::Catalogue;
use landfall_rules::Case;
use landfall_rules::url::Url;

/// A service has two endpoints.
pub const NAME: Page = Page {
    code: "LF0420",
    title: "a service has one endpoint",
    text: "With two, the later one would win silently.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].name"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: us-east-1\n    serviceEndpoints:\n    - name: ec2\n      \
          url: https://ec2.example.com\n    - name: ec2\n      url: https://other.example.com\n",
    good: "platform:\n  aws:\n    region: us-east-1\n    serviceEndpoints:\n    - name: ec2\n      \
           url: https://ec2.example.com\n    - name: s3\n      url: https://s3.example.com\n",
};
/// The URL cannot be an endpoint.
pub const URL: Page = Page {
    code: "LF0421",
    title: "an endpoint is an HTTPS URL of a host, without path or query",
    text: "The SDK puts the path of each request behind it. A port is accepted; a scheme that is left out \
           is `https://`.",
    severity: Severity::Error,
    fields: &["platform.aws.serviceEndpoints[].url"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: us-east-1\n    serviceEndpoints:\n    - name: ec2\n      \
          url: http://ec2.example.com\n",
    good: "platform:\n  aws:\n    region: us-east-1\n    serviceEndpoints:\n    - name: ec2\n      \
           url: https://ec2.example.com:8443\n",
};

/// Nobody knows the region, and its services have no endpoints.
pub const UNKNOWN_REGION: Page = Page {
    code: "LF0422",
    title: "a region that nobody knows needs an endpoint for every service that is used",
    text: "A region is known when an image of the machines is published for it or the catalogue lists it. For \
           any other one landfall cannot tell where its services are, so a config without endpoints is \
           accepted with this warning, and refused when a cluster is to be made of it. Add the endpoints to \
           the config, or the region to a catalogue overlay.",
    severity: Severity::Warning,
    fields: &["platform.aws.region", "platform.aws.serviceEndpoints"],
    base: Base::Aws,
    bad: "platform:\n  aws:\n    region: xx-hidden-1\n",
    good: "platform:\n  aws:\n    region: us-east-2\n",
};

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
        if let Err((message, help)) = check_url(endpoint.url.expose()) {
            let finding = Finding::error(&URL, Kind::Invalid, format!("{path}.url"), message);
            out.push(finding.help(help));
        }
    }
}

/// Warns of a region that nobody knows and whose services have no endpoints. The file stands, as the
/// OpenShift installer accepts it; no cluster can be made of it.
pub(super) fn check_region(case: &Case<'_>, platform: &Platform, out: &mut Findings) {
    let missing = missing_endpoints(case.catalogue, platform);
    if missing.is_empty() || platform.region.is_empty() {
        return;
    }
    let message = format!(
        "nobody knows the region `{}`, and the config has no endpoint for {}",
        shortened(&platform.region),
        missing.join(", ")
    );
    let help = or_meant(
        case.catalogue,
        &platform.region,
        "before a cluster is made, add them to serviceEndpoints, or the region to a catalogue overlay",
    );
    let finding = Finding::warning(&UNKNOWN_REGION, Kind::Required, "platform.aws.serviceEndpoints", message);
    out.push(finding.at("platform.aws.region").help(help));
}

/// What to do about a region that nobody knows, after the question whether a known one was meant.
pub(in super::super) fn or_meant(catalogue: &Catalogue, region: &str, help: &str) -> String {
    let known = catalogue.aws.partitions.values().flat_map(|partition| partition.regions.keys());
    match nearest(region, known.map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`? if not, {help}"),
        None => help.to_owned(),
    }
}

/// The services that are called in a region that nobody knows and have no endpoint in the config.
pub(in super::super) fn missing_endpoints<'a>(catalogue: &'a Catalogue, platform: &Platform) -> Vec<&'a str> {
    let region = platform.region.as_str();
    if catalogue.aws.region(region).is_some() || catalogue.has_image(super::super::NAME, region) {
        return Vec::new();
    }
    let given = |service: &&String| platform.service_endpoints.iter().any(|e| e.name == **service);
    let needed = catalogue.aws.required_services(region).iter().filter(|service| !given(service));
    needed.map(String::as_str).collect()
}

/// Judges the URL of a custom endpoint: over HTTPS, of a host, without path or query.
///
/// # Errors
/// What is wrong with it, and what to do.
pub fn check_url(text: &str) -> Result<(), (String, String)> {
    let with_scheme = text.split_once("://").is_some_and(|(scheme, _)| !scheme.contains(':'));
    let full = if with_scheme { text.to_owned() } else { format!("https://{text}") };
    let shown = || shortened(&without_user(text));
    let form = || "write https:// and a host, such as https://ec2.us-hidden-1.example.com".to_owned();
    let url = Url::parse(&full).map_err(|fault| (format!("`{}` is not a URL: {fault}", shown()), form()))?;
    let host = url.hostname();
    if host.is_empty() {
        let message = match text {
            "" => "the URL is missing".to_owned(),
            _ => format!("`{}` names no host", shown()),
        };
        return Err((message, form()));
    }
    if url.scheme != "https" {
        let message = format!("`{}` is not reached over HTTPS but over `{}`", shown(), url.scheme);
        return Err((message, format!("write https://{}", url.host)));
    }
    let request = url.request_uri();
    if request != "/" {
        let message = format!("`{}` has a path or query, `{}`", shown(), shortened(&request));
        return Err((message, format!("write https://{}", url.host)));
    }
    Ok(())
}

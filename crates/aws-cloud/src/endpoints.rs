//! Where each service of AWS is called, and the region that requests to it are signed for.
//!
//! An endpoint of the config comes first, then what the environment or the profile sets for every program
//! with an AWS SDK, then what an overlay says of the region, and else the SDK's own rules, which know about
//! FIPS and dual-stack endpoints. A region that nobody knows has no endpoint of its own: the SDK would make
//! up one in the public cloud.

use aws_config::SdkConfig;
use aws_types::service_config::ServiceConfigKey;
use landfall_diagnostics::secret::without_user;
use landfall_model::aws::catalogue::Endpoint as Entry;
use landfall_model::aws::config::Platform;
use landfall_model::catalogue::Catalogue;
use url::Url;

use super::session::Session;

/// A service that landfall calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Service {
    /// Machines and networks.
    Ec2,
    /// Load balancers of both generations.
    Elb,
    /// Roles and users.
    Iam,
    /// DNS zones.
    Route53,
    /// Buckets.
    S3,
    /// Who the caller is, and roles to assume.
    Sts,
    /// Resources by their tags.
    Tagging,
    /// Keys.
    Kms,
    /// Limits of the account.
    Quotas,
}

impl Service {
    /// All of them.
    pub(super) const ALL: [Self; 9] = [
        Self::Ec2,
        Self::Elb,
        Self::Iam,
        Self::Route53,
        Self::S3,
        Self::Sts,
        Self::Tagging,
        Self::Kms,
        Self::Quotas,
    ];

    /// The name in `serviceEndpoints`.
    pub(super) fn name(self) -> &'static str {
        self.words().0
    }

    /// What people call it.
    pub(super) fn title(self) -> &'static str {
        self.words().1
    }

    /// What environment and profile call it: `AWS_ENDPOINT_URL_ROUTE_53` is made of `Route 53`.
    fn ids(self) -> &'static [&'static str] {
        self.words().2
    }

    /// Name, title and ids.
    fn words(self) -> (&'static str, &'static str, &'static [&'static str]) {
        match self {
            Self::Ec2 => ("ec2", "EC2", &["EC2"]),
            Self::Elb => (
                "elasticloadbalancing",
                "Elastic Load Balancing",
                &["Elastic Load Balancing v2", "Elastic Load Balancing"],
            ),
            Self::Iam => ("iam", "IAM", &["IAM"]),
            Self::Route53 => ("route53", "Route 53", &["Route 53"]),
            Self::S3 => ("s3", "S3", &["S3"]),
            Self::Sts => ("sts", "STS", &["STS"]),
            Self::Tagging => ("tagging", "Resource Groups Tagging", &["Resource Groups Tagging API"]),
            Self::Kms => ("kms", "KMS", &["KMS"]),
            Self::Quotas => ("servicequotas", "Service Quotas", &["Service Quotas"]),
        }
    }

    /// The service of a name in `serviceEndpoints`; none for one that landfall does not call.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|service| service.name() == name)
    }
}

/// Who says where a service is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The config, at this place in `serviceEndpoints`.
    Config(usize),
    /// The environment or the profile.
    Environment,
    /// An overlay of the catalogue.
    Catalogue,
    /// The rules of the SDK.
    Sdk,
}

impl Origin {
    /// The name for evidence and messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Config(_) => "serviceEndpoints",
            Self::Environment => "the environment or the profile",
            Self::Catalogue => "the catalogue",
            Self::Sdk => "the rules of AWS",
        }
    }

    /// The field of the config that a finding about the endpoint points at.
    pub(super) fn field(self) -> String {
        match self {
            Self::Config(i) => format!("platform.aws.serviceEndpoints[{i}].url"),
            _ => "platform.aws.region".to_owned(),
        }
    }
}

/// Where a service is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// The URL, without a user part.
    pub(super) url: Url,
    /// The region that requests are signed for.
    pub(super) signing_region: String,
    /// Who says so.
    pub(super) origin: Origin,
}

impl Endpoint {
    /// Whether the SDK would call another place unless it is told.
    pub(super) fn is_override(&self) -> bool {
        self.origin != Origin::Sdk
    }

    /// The URL as people write it.
    pub(super) fn shown(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }
}

/// Why a service has no endpoint although one is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// What is given is no URL; it is shown without a user part.
    NoUrl(Origin, String),
    /// What is given is a URL, but not one of HTTP; it is shown without a user part.
    NoHttp(Origin, String),
    /// The rules of AWS refuse the settings of the environment, for this reason.
    Refused(String),
}

/// What may say where a service is, in the order in which it counts.
#[derive(Debug, Default)]
struct Sources {
    custom: Option<(usize, String)>,
    configured: Option<String>,
    catalogue: Option<Entry>,
    /// None in a region that nobody knows.
    own: Option<Result<Entry, String>>,
}

impl Sources {
    fn choose(self, region: &str) -> Result<Option<Endpoint>, Unusable> {
        let own = self.own.as_ref().and_then(|own| own.as_ref().ok());
        let signing = self.catalogue.as_ref().or(own).map(|entry| entry.signing_region.clone());
        let signing_region = signing.filter(|name| !name.is_empty()).unwrap_or_else(|| region.to_owned());
        let custom = self.custom.map(|(i, url)| (Origin::Config(i), url));
        let configured = || self.configured.map(|url| (Origin::Environment, url));
        let catalogue = || self.catalogue.map(|entry| (Origin::Catalogue, entry.url));
        let (origin, text) = match custom.or_else(configured).or_else(catalogue) {
            Some(found) => found,
            None => match self.own {
                Some(Ok(entry)) => (Origin::Sdk, entry.url),
                Some(Err(why)) => return Err(Unusable::Refused(why)),
                None => return Ok(None),
            },
        };
        match parse(&text) {
            Some(url) => Ok(Some(Endpoint { url, signing_region, origin })),
            None if is_of_another_scheme(&text) => Err(Unusable::NoHttp(origin, without_user(&text))),
            None => Err(Unusable::NoUrl(origin, without_user(&text))),
        }
    }
}

/// A URL of a host; without a scheme it is one of HTTPS. A user part is left out: nothing in AWS takes one.
pub(super) fn parse(text: &str) -> Option<Url> {
    let given = landfall_rules::endpoint::Endpoint::parse(text.trim()).ok()?;
    let mut url = Url::parse(given.as_str()).ok().filter(Url::has_host)?;
    url.set_username("").ok()?;
    url.set_password(None).ok()?;
    url.set_query(None);
    url.set_fragment(None);
    matches!(url.scheme(), "http" | "https").then_some(url)
}

/// Whether a text begins like a URL, but not like one of HTTP.
fn is_of_another_scheme(text: &str) -> bool {
    let scheme = text.trim().split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| !["http", "https"].contains(&scheme.as_str()))
}

/// Where a service is called; none where nobody knows.
pub(super) async fn endpoint(session: &Session<'_>, name: &str) -> Result<Option<Endpoint>, Unusable> {
    let region = session.region();
    let custom = custom(session.platform, name).map(|(i, url)| (i, url.to_owned()));
    let sdk = session.sdk().await;
    let configured = Service::named(name).and_then(|service| configured(sdk, service.ids()));
    Sources { custom, configured, ..sources(session, name, region).await }.choose(region)
}

/// Where a service is called in another region. What the config, the environment or the profile says of one
/// service is meant for the config's region; only an endpoint for all services stands in for all regions.
pub(super) async fn endpoint_in(
    session: &Session<'_>,
    service: Service,
    region: &str,
) -> Result<Option<Endpoint>, Unusable> {
    let configured = session.sdk().await.endpoint_url().map(str::to_owned).filter(|url| is_given(url));
    Sources { configured, ..sources(session, service.name(), region).await }.choose(region)
}

/// What the config says of a service, with its place.
pub(super) fn custom<'p>(platform: &'p Platform, name: &str) -> Option<(usize, &'p str)> {
    let mut endpoints = platform.service_endpoints.iter().enumerate();
    let (i, endpoint) = endpoints.find(|(_, endpoint)| endpoint.name == name)?;
    Some((i, endpoint.url.expose()))
}

/// What the catalogue and the SDK say.
async fn sources(session: &Session<'_>, name: &str, region: &str) -> Sources {
    let service = Service::named(name);
    let sdk = session.sdk().await;
    let entry = session.asking.catalogue.aws.endpoint(region, name);
    // The rules of the SDK know more than the catalogue that ships, but nothing of what a user adds to it.
    let added = entry.is_some() && entry != Catalogue::embedded().aws.endpoint(region, name);
    let own = match service {
        Some(service) if entry.is_some() => {
            let flags = Flags {
                fips: sdk.use_fips().unwrap_or_default(),
                dual_stack: sdk.use_dual_stack().unwrap_or_default(),
            };
            Some(own(service, region, flags).await)
        }
        _ => None,
    };
    Sources { custom: None, configured: None, catalogue: entry.filter(|_| added || service.is_none()), own }
}

/// What environment and profile set for the service of these ids, or else for all of them.
pub(super) fn configured(sdk: &SdkConfig, ids: &[&str]) -> Option<String> {
    let own = sdk.service_config().and_then(|config| {
        ids.iter().find_map(|id| {
            let key = ServiceConfigKey::builder()
                .service_id(id)
                .env("AWS_ENDPOINT_URL")
                .profile("endpoint_url")
                .build()
                .ok()?;
            config.load_config(key)
        })
    });
    own.or_else(|| sdk.endpoint_url().map(str::to_owned)).filter(|url| is_given(url))
}

fn is_given(url: &str) -> bool {
    !url.trim().is_empty()
}

/// What the environment says of the endpoints of AWS itself.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    fips: bool,
    dual_stack: bool,
}

macro_rules! rule {
    ($sdk:ident, $region:expr, $flags:expr) => {{
        use $sdk::config::endpoint::{DefaultResolver, Params, ResolveEndpoint};
        let params = Params::builder()
            .region($region)
            .use_fips($flags.fips)
            .use_dual_stack($flags.dual_stack)
            .build()
            .map_err(|fault| fault.to_string())?;
        let resolver = DefaultResolver::new();
        let resolved = ResolveEndpoint::resolve_endpoint(&resolver, &params).await;
        resolved.map_err(|fault| fault.to_string())?
    }};
}

/// Where the SDK calls a service by its own rules, and for which region it signs; else why it would not.
async fn own(service: Service, region: &str, flags: Flags) -> Result<Entry, String> {
    let resolved = match service {
        Service::Ec2 => rule!(aws_sdk_ec2, region, flags),
        Service::Elb => rule!(aws_sdk_elasticloadbalancingv2, region, flags),
        Service::Iam => rule!(aws_sdk_iam, region, flags),
        Service::Route53 => rule!(aws_sdk_route53, region, flags),
        Service::S3 => rule!(aws_sdk_s3, region, flags),
        Service::Sts => rule!(aws_sdk_sts, region, flags),
        Service::Tagging => rule!(aws_sdk_resourcegroupstagging, region, flags),
        Service::Kms => rule!(aws_sdk_kms, region, flags),
        Service::Quotas => rule!(aws_sdk_servicequotas, region, flags),
    };
    let mut schemes = resolved.auth_schemes().iter();
    let signing =
        schemes.find_map(|scheme| scheme.get("signingRegion")?.as_string()).unwrap_or(region).to_owned();
    Ok(Entry { url: resolved.url().to_owned(), signing_region: signing })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(url: &str, signing_region: &str) -> Entry {
        Entry { url: url.to_owned(), signing_region: signing_region.to_owned() }
    }

    fn chosen(sources: Sources) -> Option<(Origin, String, String)> {
        let endpoint = sources.choose("xx-hidden-1").ok().flatten()?;
        let shown = endpoint.shown().to_owned();
        Some((endpoint.origin, shown, endpoint.signing_region))
    }

    fn found(origin: Origin, url: &str, signing_region: &str) -> (Origin, String, String) {
        (origin, url.to_owned(), signing_region.to_owned())
    }

    #[test]
    fn the_config_comes_first_and_signs_like_the_region() {
        let all = || Sources {
            custom: Some((2, "ec2.example.com:8443".to_owned())),
            configured: Some("http://127.0.0.1:5000/".to_owned()),
            catalogue: Some(entry("https://ec2.acme.example", "acme-1")),
            own: Some(Ok(entry("https://ec2.xx-hidden-1.amazonaws.com", "us-east-1"))),
        };
        let custom = found(Origin::Config(2), "https://ec2.example.com:8443", "acme-1");
        assert_eq!(chosen(all()), Some(custom));
        let without = Sources { custom: None, ..all() };
        assert_eq!(chosen(without), Some(found(Origin::Environment, "http://127.0.0.1:5000", "acme-1")));
        let without = Sources { custom: None, configured: None, ..all() };
        assert_eq!(chosen(without), Some(found(Origin::Catalogue, "https://ec2.acme.example", "acme-1")));
        let without = Sources { custom: None, configured: None, catalogue: None, ..all() };
        assert_eq!(
            chosen(without),
            Some(found(Origin::Sdk, "https://ec2.xx-hidden-1.amazonaws.com", "us-east-1"))
        );
    }

    #[test]
    fn an_unknown_region_has_no_endpoint_of_its_own_and_signs_with_itself() {
        assert_eq!(chosen(Sources::default()), None);
        let sources =
            Sources { custom: Some((0, "https://iam.example.com".to_owned())), ..Sources::default() };
        assert_eq!(chosen(sources), Some(found(Origin::Config(0), "https://iam.example.com", "xx-hidden-1")));
    }

    #[test]
    fn what_is_no_url_is_shown_without_a_password() {
        let given = |url: &str| {
            let sources = Sources { configured: Some(url.to_owned()), ..Sources::default() };
            sources.choose("us-east-1").err()
        };
        let refused = |url: &str| Some(Unusable::NoUrl(Origin::Environment, url.to_owned()));
        let other = Unusable::NoHttp(Origin::Environment, "ftp://•@host".to_owned());
        assert_eq!(given("ftp://user:canary@host"), Some(other));
        assert!(matches!(given("nonsense://x"), Some(Unusable::NoHttp(..))));
        assert_eq!(given("https://user:canary@"), refused("https://•@"));
        assert_eq!(given("http://host"), None);
        let kept = parse("https://user:canary@host/path?token=canary").map(String::from);
        assert_eq!(kept.as_deref(), Some("https://host/path"));
        let sources = Sources { own: Some(Err("no FIPS there".to_owned())), ..Sources::default() };
        let refused = sources.choose("us-east-1").err();
        assert_eq!(refused, Some(Unusable::Refused("no FIPS there".to_owned())));
    }

    /// Entries of the catalogue that name an older endpoint, as the OpenShift installer does: the global one of
    /// STS and that of S3 in the first region. The SDK calls the region's own, as AWS advises.
    const OLDER: &[(&str, &str)] = &[("sts", "sts.amazonaws.com"), ("s3", "s3.amazonaws.com")];

    #[tokio::test]
    async fn the_catalogue_agrees_with_the_rules_of_the_sdk() {
        let aws = &Catalogue::embedded().aws;
        let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let mut differing = Vec::new();
        let mut compared = 0;
        for region in aws.partitions.values().flat_map(|partition| partition.regions.keys()) {
            for service in Service::ALL {
                let known = aws.endpoint(region, service.name()).unwrap_or_default();
                let own = own(service, region, Flags::default()).await.unwrap_or_default();
                let shown = host(&known.url).unwrap_or_default();
                let older = OLDER.contains(&(service.name(), shown.as_str()));
                compared += 1;
                if !older
                    && (host(&own.url).as_ref(), own.signing_region.as_str())
                        != (Some(&shown), known.signing_region.as_str())
                {
                    differing.push(format!("{region} {}: {known:?}, {own:?}", service.name()));
                }
            }
        }
        assert!(differing.is_empty(), "{}", differing.join("\n"));
        assert!(compared > 300, "{compared}");
    }

    #[tokio::test]
    async fn settings_of_the_environment_change_the_rules() {
        let fips = own(Service::Ec2, "us-east-1", Flags { fips: true, dual_stack: false }).await;
        assert_eq!(fips.map(|entry| entry.url), Ok("https://ec2-fips.us-east-1.amazonaws.com".to_owned()));
        let dual = own(Service::Ec2, "us-east-1", Flags { fips: false, dual_stack: true }).await;
        assert_eq!(dual.map(|entry| entry.url), Ok("https://ec2.us-east-1.api.aws".to_owned()));
        assert!(own(Service::Ec2, "no region", Flags::default()).await.is_err());
    }

    #[test]
    fn every_service_is_found_by_its_name() {
        for service in Service::ALL {
            assert_eq!(Service::named(service.name()), Some(service));
        }
        assert_eq!(Service::named("elasticfilesystem"), None);
    }
}

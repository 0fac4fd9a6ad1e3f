//! What Terraform is given so that its AWS provider calls the same places as landfall, trusts the same
//! authorities and goes through the same proxies.
//!
//! Most of it the provider finds by itself, as it looks where every AWS SDK looks: credentials and profiles,
//! endpoints of `AWS_ENDPOINT_URL` and its like, FIPS and dual-stack endpoints, the metadata of the instance
//! or that they are turned off. Like landfall, it leaves FIPS out where an endpoint is given. Endpoints and
//! region of the config stand in its variables. In here is only what it would do otherwise.

use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_s3::presigning::PresigningConfig;
use aws_smithy_runtime_api::client::result::SdkError;
use landfall_diagnostics::secret::{Scrub, Secret};
use landfall_net::Trust;
use landfall_platform::World;
use landfall_platform::cloud::{Asked, EngineNeeds, Unready, Verdict};

use super::clients::settings;
use super::endpoints::{self, Endpoint, Origin, Service};
use super::fault::Fault;
use super::session::Session;
use super::{credentials, secrets};

/// The stage that starts the bootstrap machine, and the only one with a use for the address of what that
/// machine reads. It is signed when the stage begins, as its time would run out in the course of others.
const BOOTSTRAP: &str = "bootstrap";

/// The variable of the modules that takes the address.
const IGNITION_URL: &str = "TF_VAR_aws_bootstrap_ignition_url";

/// The object in the bucket.
const OBJECT: &str = "bootstrap.ign";

/// How long the address is valid.
const VALID: Duration = Duration::from_hours(1);

/// The services that the modules call, and the variables in which an SDK looks for their endpoints.
const SERVICES: &[(Service, &[&str])] = &[
    (Service::Ec2, &["AWS_ENDPOINT_URL_EC2"]),
    (
        Service::Elb,
        &["AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING", "AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2"],
    ),
    (Service::Iam, &["AWS_ENDPOINT_URL_IAM"]),
    (Service::Route53, &["AWS_ENDPOINT_URL_ROUTE_53"]),
    (Service::S3, &["AWS_ENDPOINT_URL_S3"]),
    (Service::Sts, &["AWS_ENDPOINT_URL_STS"]),
    (Service::Kms, &["AWS_ENDPOINT_URL_KMS"]),
];

type Variable = (&'static str, Secret<String>);

/// What Terraform needs in its environment for a stage.
pub(super) async fn needs(session: &Session<'_>, infra_id: &str, stage: &str) -> Asked<EngineNeeds> {
    let world = session.asking.world;
    let mut variables = proxies(world);
    variables.extend(secret_key(world));
    variables.extend(known_endpoints(session).await);
    if stage == BOOTSTRAP {
        variables.push((IGNITION_URL, ignition_url(session, infra_id).await?));
    }
    Ok(EngineNeeds { variables, files: trusted(session.trust()) })
}

/// Programs in Go do not know `ALL_PROXY`, by which landfall goes where there is nothing more exact.
fn proxies(world: &dyn World) -> Vec<Variable> {
    let either = |capitals: &str, small: &str| world.variable(capitals).or_else(|| world.variable(small));
    let mut given = Vec::new();
    // Of a CGI program's environment landfall takes no proxy.
    if world.variable("REQUEST_METHOD").is_some() {
        return given;
    }
    if let Some(all) = either("ALL_PROXY", "all_proxy") {
        for (name, small) in [("HTTPS_PROXY", "https_proxy"), ("HTTP_PROXY", "http_proxy")] {
            if either(name, small).is_none() {
                given.push((name, Secret::new(all.clone())));
            }
        }
    }
    given
}

/// landfall's SDK takes the secret key under a second name as well, which the provider's does not know.
fn secret_key(world: &dyn World) -> Option<Variable> {
    const NAME: &str = "AWS_SECRET_ACCESS_KEY";
    world.variable("AWS_ACCESS_KEY_ID")?;
    let other = world.variable("SECRET_ACCESS_KEY")?;
    world.variable(NAME).is_none().then(|| (NAME, Secret::new(other)))
}

/// Endpoints that landfall knows from an overlay of its catalogue. Those of the config are variables of the
/// modules, which come first, and those of environment and profile are found by the provider itself.
async fn known_endpoints(session: &Session<'_>) -> Vec<Variable> {
    let mut given = Vec::new();
    for (service, names) in SERVICES {
        // What cannot be used as an endpoint is told where it is checked.
        let found = endpoints::endpoint(session, service.name()).await.ok().flatten();
        if let Some(endpoint) = found.filter(|endpoint| endpoint.origin == Origin::Catalogue) {
            let url = || Secret::new(endpoint.shown().to_owned());
            given.extend(names.iter().map(|name| (*name, url())));
        }
    }
    given
}

/// The files that name trust roots. To a program in Go each of the variables names all that it trusts, and
/// nothing of the config; so where anything was given besides the system's roots, both get everything that
/// landfall trusts. On macOS Go does not read `SSL_CERT_FILE`: there the provider still calls AWS by the first
/// of them, and Terraform itself trusts the system alone.
fn trusted(trust: &Trust) -> Vec<(&'static str, Secret<Vec<u8>>)> {
    if !trust.is_extended() || trust.pem().is_empty() {
        return Vec::new();
    }
    let file = |name| (name, Secret::new(trust.pem().as_bytes().to_vec()));
    ["AWS_CA_BUNDLE", "SSL_CERT_FILE"].into_iter().map(file).collect()
}

/// The address from which the bootstrap machine gets its Ignition config. Whoever has it can read what is
/// there. Nobody is called for it but the source of the credentials, which is asked anew: those of a session
/// that have been used since the beginning may end before the machine has started.
pub(super) async fn ignition_url(session: &Session<'_>, infra_id: &str) -> Asked<Secret<String>> {
    for secret in secrets::known(session.asking.world) {
        session.hide(&secret);
    }
    let found = Box::pin(credentials::find(session)).await.map_err(Verdict::Found)?;
    let name = Service::S3.name();
    let endpoint = match endpoints::endpoint(session, name).await {
        Ok(Some(endpoint)) => endpoint,
        Ok(None) => {
            let why = format!("no endpoint of {name} is known in {}", session.region());
            return Err(Unready(why).into());
        }
        Err(_) => {
            let why = format!("the endpoint of {name} cannot be used: see aws.endpoint.{name}");
            return Err(Unready(why).into());
        }
    };
    let bucket = format!("{infra_id}-bootstrap");
    let signed = sign(&found.config, &endpoint, &bucket, &session.scrub()).await;
    signed.map_err(|fault| Verdict::Found(Box::new(fault.finding("platform.aws.region"))))
}

/// Signs a request for the object. At an endpoint that is given, buckets are folders and not hosts.
async fn sign(
    shared: &SdkConfig,
    endpoint: &Endpoint,
    bucket: &str,
    scrub: &Scrub,
) -> Result<Secret<String>, Box<Fault>> {
    const CALL: &str = "s3:GetObject";
    let settings = settings!(aws_sdk_s3, shared, endpoint).force_path_style(endpoint.is_override());
    let client = aws_sdk_s3::Client::from_conf(settings.build());
    let request = client.get_object().bucket(bucket).key(OBJECT);
    let signed = match PresigningConfig::expires_in(VALID) {
        Ok(valid) => Box::pin(request.presigned(valid)).await,
        Err(error) => Err(SdkError::construction_failure(error)),
    };
    match signed {
        Ok(signed) => Ok(Secret::new(signed.uri().to_owned())),
        Err(error) => Err(Box::new(Fault::of(CALL, &error, scrub))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use aws_config::{BehaviorVersion, Region};
    use aws_credential_types::Credentials;
    use aws_credential_types::provider::SharedCredentialsProvider;
    use url::Url;

    use super::*;

    struct Given(&'static [(&'static str, &'static str)]);

    impl World for Given {
        fn variable(&self, name: &str) -> Option<String> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }

        fn file(&self, _: &str) -> Option<Vec<u8>> {
            None
        }
    }

    fn proxies_of(set: &'static [(&'static str, &'static str)]) -> Vec<(&'static str, String)> {
        proxies(&Given(set)).into_iter().map(|(name, value)| (name, value.expose().clone())).collect()
    }

    #[test]
    fn a_proxy_for_all_is_given_by_the_names_that_go_knows() {
        let all = "http://all:1".to_owned();
        let both = [("HTTPS_PROXY", all.clone()), ("HTTP_PROXY", all.clone())];
        assert_eq!(proxies_of(&[("all_proxy", "http://all:1")]), both);
        let one = proxies_of(&[("ALL_PROXY", "http://all:1"), ("https_proxy", "http://own:1")]);
        assert_eq!(one, [("HTTP_PROXY", all)]);
        assert!(proxies_of(&[("HTTPS_PROXY", "http://own:1")]).is_empty());
        assert!(proxies_of(&[("ALL_PROXY", "http://all:1"), ("REQUEST_METHOD", "GET")]).is_empty());
    }

    #[test]
    fn a_secret_key_of_the_second_name_is_given_by_the_first() {
        const ID: (&str, &str) = ("AWS_ACCESS_KEY_ID", "AKIACANARY");
        const OTHER: (&str, &str) = ("SECRET_ACCESS_KEY", "canary");
        let given = |set| secret_key(&Given(set)).map(|(name, key)| (name, key.expose().clone()));
        assert_eq!(given(&[ID, OTHER]), Some(("AWS_SECRET_ACCESS_KEY", "canary".to_owned())));
        assert_eq!(given(&[OTHER]), None);
        assert_eq!(given(&[ID, OTHER, ("AWS_SECRET_ACCESS_KEY", "own")]), None);
    }

    #[test]
    fn roots_are_given_where_there_are_others_than_the_system_s() {
        let nothing = |_: &str| None;
        assert!(trusted(&Trust::of_run(nothing, |_| None, "")).is_empty());
        let key = rcgen::generate_simple_self_signed(vec!["private.example".to_owned()]).ok();
        let pem = key.map(|key| key.cert.pem()).unwrap_or_default();
        let trust = Trust::of_run(nothing, |_| None, &pem);
        let files = trusted(&trust);
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["AWS_CA_BUNDLE", "SSL_CERT_FILE"]);
        for (_, file) in &files {
            assert_eq!(file.expose(), trust.pem().as_bytes());
        }
        let body: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
        let all: String = trust.pem().lines().collect();
        assert!(!body.is_empty() && all.contains(&body));
    }

    /// The address up to the query, and the query.
    async fn signed(origin: Origin, url: &str) -> Option<(String, BTreeMap<String, String>)> {
        let keys =
            Credentials::new("AKIACANARY", "canary-key", Some("canary-token".to_owned()), None, "test");
        let shared = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new("us-east-2"))
            .credentials_provider(SharedCredentialsProvider::new(keys))
            .build();
        let endpoint =
            Endpoint { url: endpoints::parse(url)?, signing_region: "us-east-2".to_owned(), origin };
        let address = sign(&shared, &endpoint, "demo-bcd24-bootstrap", &Scrub::default()).await.ok()?;
        let (place, _) = address.expose().split_once('?')?;
        let query = Url::parse(address.expose()).ok()?;
        let query = query.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned()));
        Some((place.to_owned(), query.collect()))
    }

    #[tokio::test]
    async fn the_address_is_signed_for_an_hour_and_the_region() {
        let (place, query) =
            signed(Origin::Sdk, "https://s3.us-east-2.amazonaws.com").await.unwrap_or_default();
        assert_eq!(place, "https://demo-bcd24-bootstrap.s3.us-east-2.amazonaws.com/bootstrap.ign");
        let value = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
        assert_eq!(value("X-Amz-Expires"), "3600");
        assert!(value("X-Amz-Credential").ends_with("/us-east-2/s3/aws4_request"));
        assert_eq!(value("X-Amz-Security-Token"), "canary-token");
        // Whoever reads it sends no header of its own.
        assert_eq!(value("X-Amz-SignedHeaders"), "host");
        assert!(!value("X-Amz-Signature").is_empty());
    }

    #[tokio::test]
    async fn at_an_endpoint_that_is_given_the_bucket_is_a_folder() {
        for origin in [Origin::Config(0), Origin::Environment, Origin::Catalogue] {
            let (place, query) = signed(origin, "https://s3.example.com:8443").await.unwrap_or_default();
            assert_eq!(place, "https://s3.example.com:8443/demo-bcd24-bootstrap/bootstrap.ign");
            assert!(query.contains_key("X-Amz-Signature"));
        }
    }
}

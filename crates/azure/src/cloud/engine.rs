//! What terraform's azurerm provider needs in its environment: the cloud, and the credentials that landfall
//! itself found.
//!
//! The provider reads variables of its own, none of those that other tools for Azure read. All that say who
//! calls are set, be it to nothing: one that the user set for something else would be mixed in otherwise.
//! What terraform's variables say counts before them (`templates/terraform/azure/provider.tf`), and says the
//! same. Proxies need no word here: landfall and the provider read the same variables.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind};
use landfall_model::azure::catalogue::Cloud;
use landfall_net::Trust;
use landfall_platform::cloud::{Asked, EngineNeeds, Verdict};
use url::Url;

use super::session::Session;
use super::sources::Source;
use super::{identity, pages};

/// The variables that say who calls, and how, each on a line. One that is empty counts as one that is not set.
///
/// Among them are another endpoint for the machine's identity than that of landfall, and
/// `ARM_SKIP_PROVIDER_REGISTRATION`: the modules say that nothing is registered in the newer way, with which that one
/// must not be set.
const OF_CALLER: &str = include_str!("../data/caller-variables.txt");

const CLIENT_SECRET: &str = "ARM_CLIENT_SECRET";
const CERTIFICATE: &str = "ARM_CLIENT_CERTIFICATE";
const CERTIFICATE_PASSWORD: &str = "ARM_CLIENT_CERTIFICATE_PASSWORD";
const TOKEN_FILE: &str = "ARM_OIDC_TOKEN_FILE_PATH";
const USE_CLI: &str = "ARM_USE_CLI";
const USE_MSI: &str = "ARM_USE_MSI";
const USE_OIDC: &str = "ARM_USE_OIDC";

/// Where a service tells programs to ask for the token of an identity.
const SERVICE_ENDPOINT: &str = "IDENTITY_ENDPOINT";

type Variables = Vec<(&'static str, Secret<String>)>;

/// Which cloud and subscription, and whose credentials.
struct Place<'a> {
    subscription: &'a str,
    tenant: &'a str,
    client: &'a str,
    /// The cloud's name for the provider; empty where that must ask.
    environment: &'a str,
    /// Whom the provider asks about the cloud; empty where it knows it.
    metadata_host: String,
}

/// How the caller proves itself.
enum Proof {
    Secret(Secret<String>),
    /// A key store in base64, and its password.
    Certificate(Secret<String>, Secret<String>),
    /// The path of a token.
    Federated(String),
    ManagedIdentity,
    AzureCli,
}

/// The environment of terraform.
pub(super) async fn engine(session: &Session<'_>) -> Asked<EngineNeeds> {
    let environment = session.environment().await?;
    let caller = session.caller().await?;
    let subscription = session.subscription().await?;
    let Ok(found) = session.found().await else {
        return Err(Verdict::Skipped("there are no credentials".to_owned()));
    };
    let row = session.asking.catalogue.azure.cloud(&session.platform.cloud_name).map(|(_, row)| row);
    let place = Place {
        subscription: &subscription,
        tenant: &caller.tenant,
        client: &session.given().client,
        environment: row.map_or("", |row| row.terraform_environment.as_str()),
        metadata_host: row.map(|row| metadata_host(row, &environment.resource_manager)).unwrap_or_default(),
    };
    let of_service = session.asking.world.variable(SERVICE_ENDPOINT).is_some();
    if let Some(finding) = identity_of_service(&found.source, of_service) {
        return Err(Verdict::Found(Box::new(finding)));
    }
    let proof = proof(session, &found.source)?;
    let files = trust_roots(session.trust()).into_iter().collect();
    Ok(EngineNeeds { variables: variables(&place, &proof), files })
}

/// What is said of an identity that a service such as App Service hands out at an endpoint of its own, which wants a
/// header that the provider cannot send: the provider would ask the metadata service of a virtual machine.
fn identity_of_service(source: &Source, of_service: bool) -> Option<Finding> {
    let is_refused = of_service && *source == Source::ManagedIdentity;
    is_refused.then(|| {
        let message = format!(
            "Terraform's azurerm provider cannot use the managed identity of `{SERVICE_ENDPOINT}`: it asks the metadata \
             service of a virtual machine"
        );
        let help = "use a service principal or a federated token for this command, or run it on a virtual machine with \
                    the identity; nothing was created";
        Finding::error(&pages::IDENTITY_OF_SERVICE, Kind::NotSupported, "", message).help(help)
    })
}

/// All trust roots, where there are more than the system's. Programs in Go read the file in place of the
/// system's roots, so that it holds these, too; on macOS they do not read it at all.
fn trust_roots(trust: &Trust) -> Option<(&'static str, Secret<Vec<u8>>)> {
    let wanted = trust.is_extended() && !trust.pem().is_empty();
    wanted.then(|| ("SSL_CERT_FILE", Secret::new(trust.pem().as_bytes().to_vec())))
}

/// Whom the provider asks about a cloud that it does not know by name; empty for those that it knows.
fn metadata_host(row: &Cloud, resource_manager: &Url) -> String {
    if !row.metadata_host.is_empty() || !row.stack {
        return row.metadata_host.clone();
    }
    let host = resource_manager.host_str().unwrap_or_default();
    resource_manager.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// How the caller of a source proves itself to the provider.
fn proof(session: &Session<'_>, source: &Source) -> Asked<Proof> {
    Ok(match source {
        Source::Secret => Proof::Secret(session.given().secret.clone().unwrap_or_default()),
        Source::Certificate(path) => certificate(session, path)?,
        Source::Federated(path) => Proof::Federated(absolute(path)),
        Source::ManagedIdentity => Proof::ManagedIdentity,
        Source::AzureCli => Proof::AzureCli,
    })
}

/// The certificate in the one form that the provider reads, whatever the user has. Its bytes count before the
/// path that is among terraform's variables.
fn certificate(session: &Session<'_>, path: &str) -> Asked<Proof> {
    let found = identity::certificate(session, path).map_err(Verdict::Found)?;
    let random: [u8; 24] = rand::random();
    let password = Secret::new(URL_SAFE_NO_PAD.encode(random));
    session.hide(&password);
    let Some(store) = found.key_store(&password) else {
        let message = "the certificate cannot be written as PKCS#12, the format that terraform reads";
        let finding = Finding::error(&pages::CERTIFICATE, Kind::Invalid, "", message);
        let help = "create a new certificate with an RSA key, or use a client secret";
        return Err(Verdict::Found(Box::new(finding.help(help))));
    };
    let store = Secret::new(STANDARD.encode(store.expose()));
    session.hide(&store);
    Ok(Proof::Certificate(store, password))
}

/// A path that leads to the same file from wherever terraform runs. The file itself is not copied: whoever
/// runs the workload puts a new token into it in time.
fn absolute(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |whole| whole.display().to_string())
}

fn variables(place: &Place<'_>, proof: &Proof) -> Variables {
    let set = |name: &'static str, value: &str| (name, Secret::new(value.to_owned()));
    let own: Variables = match proof {
        Proof::Secret(secret) => vec![(CLIENT_SECRET, secret.clone())],
        Proof::Certificate(store, password) => {
            vec![(CERTIFICATE, store.clone()), (CERTIFICATE_PASSWORD, password.clone())]
        }
        Proof::Federated(path) => vec![set(USE_OIDC, "true"), set(TOKEN_FILE, path)],
        Proof::ManagedIdentity => vec![set(USE_MSI, "true")],
        Proof::AzureCli => vec![set(USE_CLI, "true")],
    };
    // Nobody else's login stands in for credentials that turn out to be of no use.
    let login = (!matches!(proof, Proof::AzureCli)).then(|| set(USE_CLI, "false"));
    let mut all = vec![
        set("ARM_SUBSCRIPTION_ID", place.subscription),
        set("ARM_TENANT_ID", place.tenant),
        set("ARM_CLIENT_ID", place.client),
        set("ARM_ENVIRONMENT", place.environment),
        set("ARM_METADATA_HOSTNAME", &place.metadata_host),
    ];
    all.extend(own);
    all.extend(login);
    let others: Vec<&'static str> =
        OF_CALLER.lines().filter(|name| all.iter().all(|(known, _)| known != name)).collect();
    all.extend(others.into_iter().map(|name| set(name, "")));
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use landfall_net::Extra;

    fn of(proof: &Proof) -> BTreeMap<&'static str, String> {
        let place = Place {
            subscription: "s",
            tenant: "t",
            client: "c",
            environment: "usgovernment",
            metadata_host: String::new(),
        };
        let all = variables(&place, proof);
        let shown = format!("{all:?}");
        assert!(!shown.contains("canary"), "{shown}");
        let count = all.len();
        let all: BTreeMap<&'static str, String> =
            all.into_iter().map(|(name, value)| (name, value.expose().clone())).collect();
        assert_eq!(all.len(), count);
        all
    }

    /// The variables of the caller that are not empty, with their values.
    fn given(proof: &Proof) -> Vec<(&'static str, String)> {
        let all = of(proof);
        assert_eq!(OF_CALLER.lines().filter(|name| all.contains_key(name)).count(), 17);
        let is_of_caller = |name: &str| OF_CALLER.lines().any(|one| one == name);
        all.into_iter().filter(|(name, value)| is_of_caller(name) && !value.is_empty()).collect()
    }

    fn secret(text: &str) -> Secret<String> {
        Secret::new(text.to_owned())
    }

    #[test]
    fn the_cloud_and_the_subscription_are_named() {
        let all = of(&Proof::ManagedIdentity);
        let value = |name: &str| all.get(name).map(String::as_str);
        assert_eq!(value("ARM_SUBSCRIPTION_ID"), Some("s"));
        assert_eq!((value("ARM_TENANT_ID"), value("ARM_CLIENT_ID")), (Some("t"), Some("c")));
        assert_eq!(value("ARM_ENVIRONMENT"), Some("usgovernment"));
        // Set by the user for another cloud, it would count.
        assert_eq!(value("ARM_METADATA_HOSTNAME"), Some(""));
    }

    #[test]
    fn the_caller_proves_itself_in_one_way_alone() {
        let pair = |name: &'static str, value: &str| (name, value.to_owned());
        let alone = pair(USE_CLI, "false");
        let secret_alone = given(&Proof::Secret(secret("canary-secret")));
        assert_eq!(secret_alone, [pair(CLIENT_SECRET, "canary-secret"), alone.clone()]);
        let proof = Proof::Certificate(secret("canary-store"), secret("canary-password"));
        let expected =
            [pair(CERTIFICATE, "canary-store"), pair(CERTIFICATE_PASSWORD, "canary-password"), alone.clone()];
        assert_eq!(given(&proof), expected);
        let federated = given(&Proof::Federated("/token".to_owned()));
        assert_eq!(federated, [pair(TOKEN_FILE, "/token"), alone.clone(), pair(USE_OIDC, "true")]);
        assert_eq!(given(&Proof::ManagedIdentity), [alone, pair(USE_MSI, "true")]);
        assert_eq!(given(&Proof::AzureCli), [pair(USE_CLI, "true")]);
    }

    #[test]
    fn a_cloud_without_a_name_is_asked_for_at_its_own_host() -> Result<(), url::ParseError> {
        let url = Url::parse("https://management.local.example.com:8443/")?;
        let named = Cloud { terraform_environment: "public".to_owned(), ..Cloud::default() };
        assert_eq!(metadata_host(&named, &url), "");
        let hub = Cloud { stack: true, ..Cloud::default() };
        assert_eq!(metadata_host(&hub, &url), "management.local.example.com:8443");
        let other = Cloud { metadata_host: "management.moon.example".to_owned(), ..Cloud::default() };
        assert_eq!(metadata_host(&other, &url), "management.moon.example");
        Ok(())
    }

    #[test]
    fn trust_is_handed_on_where_something_was_added() -> Result<(), rcgen::Error> {
        assert!(trust_roots(&Trust::gather(false, &[])).is_none());
        let key = rcgen::KeyPair::generate()?;
        let pem = rcgen::CertificateParams::new(Vec::<String>::new())?.self_signed(&key)?.pem();
        let extra = Extra { name: "SSL_CERT_FILE", pem: Some(pem.into_bytes()) };
        let trust = Trust::gather(true, &[extra]);
        let (name, roots) = trust_roots(&trust).unwrap_or_default();
        assert_eq!((name, roots.expose().as_slice()), ("SSL_CERT_FILE", trust.pem().as_bytes()));
        Ok(())
    }

    #[test]
    fn the_identity_of_a_service_is_refused() {
        let refused = identity_of_service(&Source::ManagedIdentity, true);
        assert_eq!(refused.map(|finding| finding.code.as_str()), Some("LF1253"));
        for (source, of_service) in [(Source::ManagedIdentity, false), (Source::Secret, true)] {
            assert!(identity_of_service(&source, of_service).is_none(), "{source:?}");
        }
    }

    #[test]
    fn a_token_is_found_from_anywhere() {
        assert_eq!(absolute("/var/run/token"), "/var/run/token");
        assert!(absolute("token").ends_with("/token") && absolute("token").starts_with('/'));
    }
}

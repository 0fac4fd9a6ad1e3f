//! The user's Azure credentials, as far as the environment and its files have them: `assets.md`, G.2.

use std::collections::BTreeMap;

use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_platform::World;
use landfall_render::Credentials;
use serde_json::Value;

use super::plan::account_pages;
use super::planned::Account;

/// Subscription to install into.
pub const SUBSCRIPTION_ID: &str = "subscriptionId";
/// Tenant of the subscription.
pub const TENANT_ID: &str = "tenantId";
/// Application that makes the cluster.
pub const CLIENT_ID: &str = "clientId";
/// Secret of the application.
pub const CLIENT_SECRET: &str = "clientSecret";
/// Path of the application's certificate.
pub const CLIENT_CERTIFICATE: &str = "clientCertificate";
/// Password of the certificate.
pub const CLIENT_CERTIFICATE_PASSWORD: &str = "clientCertificatePassword";

/// Each credential, which is also its key in the file of a service principal, with its variable.
const VARIABLES: &[(&str, &str)] = &[
    (SUBSCRIPTION_ID, "AZURE_SUBSCRIPTION_ID"),
    (TENANT_ID, "AZURE_TENANT_ID"),
    (CLIENT_ID, "AZURE_CLIENT_ID"),
    (CLIENT_SECRET, "AZURE_CLIENT_SECRET"),
    (CLIENT_CERTIFICATE, "AZURE_CLIENT_CERTIFICATE_PATH"),
    (CLIENT_CERTIFICATE_PASSWORD, "AZURE_CLIENT_CERTIFICATE_PASSWORD"),
];

/// Variable with the path of the service principal's file.
const LOCATION: &str = "AZURE_AUTH_LOCATION";
/// The file, where the variable names no other.
const SERVICE_PRINCIPAL: &str = "~/.azure/osServicePrincipal.json";

/// The credentials of the environment. Where that says nothing of who calls, those of the service
/// principal's file, with the environment's subscription if it names one: the secret or certificate of one
/// application is of no use with the id of another.
pub(super) fn credentials(world: &dyn World) -> Credentials {
    let environment = environment(world);
    if says_who(&environment) {
        return environment;
    }
    let mut credentials = service_principal(world);
    credentials.extend(environment);
    credentials
}

/// The credentials of the environment alone.
fn environment(world: &dyn World) -> Credentials {
    let given = VARIABLES.iter().filter_map(|&(key, name)| Some((key, Secret::new(world.variable(name)?))));
    given.collect()
}

/// Whether credentials say who calls.
fn says_who(credentials: &Credentials) -> bool {
    [TENANT_ID, CLIENT_ID, CLIENT_SECRET, CLIENT_CERTIFICATE].iter().any(|key| credentials.contains_key(key))
}

/// A service principal's file that is named and gives nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The variable that names it.
    pub variable: &'static str,
    /// The file.
    pub path: String,
    /// What is wrong with it, as a part of a sentence.
    pub why: &'static str,
}

/// The service principal's file that the environment names, where it is needed and cannot be read.
#[must_use]
pub fn unread(world: &dyn World) -> Option<Unread> {
    let path = world.variable(LOCATION)?;
    if says_who(&environment(world)) {
        return None;
    }
    let why = match world.file(&path) {
        None => "cannot be read",
        Some(bytes) if object(&bytes).is_none() => "is not a JSON object",
        Some(_) => return None,
    };
    Some(Unread { variable: LOCATION, path, why })
}

/// An application in its tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Application<'a> {
    /// Its id.
    pub(super) client: &'a str,
    /// Its tenant.
    pub(super) tenant: &'a str,
}

/// The application that the credentials are of. It is that of the facts, which know its tenant by its id,
/// unless the credentials name another one: then nothing of the facts' application goes with their secret.
pub(super) fn application<'a>(account: &'a Account, credentials: &'a Credentials) -> Application<'a> {
    let named = |key: &str| credentials.get(key).map_or("", |value| value.expose().as_str());
    let of_facts = Application { client: &account.client_id, tenant: &account.tenant_id };
    match (named(CLIENT_ID), named(TENANT_ID)) {
        ("", _) => of_facts,
        (client, _) if client.eq_ignore_ascii_case(of_facts.client) => of_facts,
        (client, "") => Application { client, ..of_facts },
        (client, tenant) => Application { client, tenant },
    }
}

/// What to say where the facts are those of another application than the credentials.
#[must_use]
pub fn mismatch(account: &Account, credentials: &Credentials) -> Option<Finding> {
    let facts = account.client_id.as_str();
    let own = application(account, credentials).client;
    let differ = !facts.is_empty() && !own.eq_ignore_ascii_case(facts);
    differ.then(|| account_pages::other_application(facts, own))
}

/// What the service principal's file says; nothing where there is none that can be read.
fn service_principal(world: &dyn World) -> Credentials {
    let location = world.variable(LOCATION);
    let bytes = world.file(location.as_deref().unwrap_or(SERVICE_PRINCIPAL));
    let file = bytes.and_then(|bytes| object(&bytes)).unwrap_or_default();
    let text = |key: &str| file.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    VARIABLES.iter().filter_map(|&(key, _)| Some((key, Secret::new(text(key)?.to_owned())))).collect()
}

fn object(bytes: &[u8]) -> Option<BTreeMap<String, Value>> {
    serde_json::from_slice(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given {
        variables: &'static [(&'static str, &'static str)],
        file: &'static str,
    }

    impl World for Given {
        fn variable(&self, name: &str) -> Option<String> {
            self.variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        }

        fn file(&self, path: &str) -> Option<Vec<u8>> {
            let wanted = self.variable(LOCATION).unwrap_or_else(|| SERVICE_PRINCIPAL.to_owned());
            (path == wanted).then(|| self.file.as_bytes().to_vec())
        }
    }

    /// A world in which a file is named that is not there.
    struct Nowhere;

    impl World for Nowhere {
        fn variable(&self, name: &str) -> Option<String> {
            (name == LOCATION).then(|| "/nowhere.json".to_owned())
        }

        fn file(&self, _: &str) -> Option<Vec<u8>> {
            None
        }
    }

    const FILE: &str =
        r#"{"subscriptionId": "s", "clientId": "c", "clientSecret": "x", "tenantId": "t", "n": 1}"#;

    fn found(variables: &'static [(&'static str, &'static str)], file: &'static str) -> Vec<String> {
        let credentials = credentials(&Given { variables, file });
        credentials.iter().map(|(key, value)| format!("{key}={}", value.expose())).collect()
    }

    #[test]
    fn reads_the_file_of_a_service_principal() {
        let all = ["clientId=c", "clientSecret=x", "subscriptionId=s", "tenantId=t"];
        assert_eq!(found(&[], FILE), all);
        assert_eq!(found(&[(LOCATION, "/elsewhere.json")], FILE), all);
        assert!(found(&[], "{").is_empty());
    }

    #[test]
    fn a_file_that_is_named_and_gives_nothing_is_told() {
        const NAMED: (&str, &str) = (LOCATION, "/elsewhere.json");
        let why = |variables, file| unread(&Given { variables, file }).map(|unread| unread.why);
        assert_eq!(why(&[NAMED], FILE), None);
        let no_object = why(&[NAMED], "{");
        assert!(no_object.is_some_and(|why| why.contains("JSON")), "{no_object:?}");
        assert_eq!(why(&[NAMED], "[]"), no_object);
        assert_eq!(why(&[NAMED, ("AZURE_CLIENT_ID", "c")], "{"), None);
        assert_eq!(why(&[], "{"), None);
        let missing = unread(&Nowhere).map(|unread| (unread.path, unread.why.contains("JSON")));
        assert_eq!(missing, Some(("/nowhere.json".to_owned(), false)));
    }

    #[test]
    fn a_secret_goes_with_its_own_application() {
        let account = Account {
            subscription_id: "s".to_owned(),
            tenant_id: "t-id".to_owned(),
            client_id: "a".to_owned(),
            identity: String::new(),
        };
        let of = |named: &[(&'static str, &str)]| {
            let named = named.iter().map(|&(key, value)| (key, Secret::new(value.to_owned())));
            let credentials: Credentials = named.collect();
            let Application { client, tenant } = application(&account, &credentials);
            let code = mismatch(&account, &credentials).map(|finding| finding.code.as_str());
            (client.to_owned(), tenant.to_owned(), code)
        };
        let expected = |client: &str, tenant: &str, code: Option<&'static str>| {
            (client.to_owned(), tenant.to_owned(), code)
        };
        assert_eq!(of(&[(CLIENT_SECRET, "x")]), expected("a", "t-id", None));
        assert_eq!(of(&[(CLIENT_ID, "A"), (TENANT_ID, "t.example")]), expected("a", "t-id", None));
        let other = of(&[(CLIENT_ID, "b"), (TENANT_ID, "u")]);
        assert_eq!(other, expected("b", "u", Some("LF0781")));
    }

    #[test]
    fn does_not_mix_two_applications() {
        let environment = found(&[("AZURE_CLIENT_ID", "d"), ("AZURE_TENANT_ID", "u")], FILE);
        assert_eq!(environment, ["clientId=d", "tenantId=u"]);
        let certificate = found(&[("AZURE_CLIENT_CERTIFICATE_PATH", "/c.pem")], FILE);
        assert_eq!(certificate, ["clientCertificate=/c.pem"]);
        let subscription = found(&[("AZURE_SUBSCRIPTION_ID", "r")], FILE);
        assert_eq!(subscription, ["clientId=c", "clientSecret=x", "subscriptionId=r", "tenantId=t"]);
    }
}

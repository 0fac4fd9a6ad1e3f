//! The user's Azure credentials, as far as the environment and its files have them: `assets.md`, G.2.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::platform::World;
use crate::render::Credentials;
use crate::secret::Secret;

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
/// principal's file, with the environment's subscription if it names one: the secret of one application
/// is of no use with the id of another.
pub(super) fn credentials(world: &dyn World) -> Credentials {
    let given = VARIABLES.iter().filter_map(|&(key, name)| Some((key, Secret::new(world.variable(name)?))));
    let environment: Credentials = given.collect();
    if [TENANT_ID, CLIENT_ID, CLIENT_SECRET].iter().any(|key| environment.contains_key(key)) {
        return environment;
    }
    let mut credentials = service_principal(world);
    credentials.extend(environment);
    credentials
}

/// What the service principal's file says; nothing where there is none that can be read.
fn service_principal(world: &dyn World) -> Credentials {
    let location = world.variable(LOCATION);
    let bytes = world.file(location.as_deref().unwrap_or(SERVICE_PRINCIPAL));
    let file: BTreeMap<String, Value> =
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let text = |key: &str| file.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    VARIABLES.iter().filter_map(|&(key, _)| Some((key, Secret::new(text(key)?.to_owned())))).collect()
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
    fn does_not_mix_two_applications() {
        let environment = found(&[("AZURE_CLIENT_ID", "d"), ("AZURE_TENANT_ID", "u")], FILE);
        assert_eq!(environment, ["clientId=d", "tenantId=u"]);
        let subscription = found(&[("AZURE_SUBSCRIPTION_ID", "r")], FILE);
        assert_eq!(subscription, ["clientId=c", "clientSecret=x", "subscriptionId=r", "tenantId=t"]);
    }
}

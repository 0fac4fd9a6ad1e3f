//! The credentials of this run as the operator can be given them.

use landfall_azure::credentials::{
    CLIENT_CERTIFICATE, CLIENT_CERTIFICATE_PASSWORD, CLIENT_ID, CLIENT_SECRET, SUBSCRIPTION_ID, TENANT_ID,
};
use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_engine_aso::anchor::{Credential, Proof};
use landfall_engine_aso::drive::pages;
use landfall_install_config::assets::Credentials;
use landfall_model::azure::planned::{Account, MANAGED_IDENTITY};
use landfall_model::plan::Plan;
use landfall_platform::World;

/// The variable with the path of a workload identity's token.
const FEDERATED: &str = "AZURE_FEDERATED_TOKEN_FILE";

/// The credential for the operator: the one with which the plan was made.
///
/// # Errors
/// It is one that only this machine or a person has.
pub fn handed_over(
    plan: &Plan,
    credentials: &Credentials,
    world: &dyn World,
) -> Result<Credential, Box<Finding>> {
    let account = account(plan)?;
    let proof = proof(account, credentials, world)?;
    let proof = proof.ok_or_else(|| not_given(account))?;
    let credential = with_ids(account, credentials, proof);
    let all = [&credential.subscription_id, &credential.tenant_id, &credential.client_id];
    if all.iter().any(|id| id.is_empty()) {
        return Err(refused("credentials without the ids of subscription, tenant and application"));
    }
    Ok(credential)
}

/// The same as far as it is known: with an empty secret where there is nothing that can be given away.
///
/// # Errors
/// The certificate cannot be read.
pub fn foreseen(
    plan: &Plan,
    credentials: &Credentials,
    world: &dyn World,
) -> Result<Credential, Box<Finding>> {
    let account = account(plan)?;
    let proof = proof(account, credentials, world)?;
    Ok(with_ids(account, credentials, proof.unwrap_or_else(|| Proof::Secret(Secret::default()))))
}

fn account(plan: &Plan) -> Result<&Account, Box<Finding>> {
    let azure = plan.platform.azure.as_deref().ok_or_else(|| refused("what is not Azure's"))?;
    Ok(&azure.account)
}

/// What proves who the operator is; none where that is only this machine's or a person's.
fn proof(
    account: &Account,
    credentials: &Credentials,
    world: &dyn World,
) -> Result<Option<Proof>, Box<Finding>> {
    let given = |key: &str| credentials.get(key).filter(|value| !value.is_empty());
    Ok(if let Some(path) = given(CLIENT_CERTIFICATE) {
        let bytes = world.file(path.expose()).ok_or_else(|| refused("a certificate that cannot be read"))?;
        let password = given(CLIENT_CERTIFICATE_PASSWORD).cloned().unwrap_or_default();
        Some(Proof::Certificate { certificate: Secret::new(bytes), password })
    } else if let Some(secret) = given(CLIENT_SECRET) {
        Some(Proof::Secret(secret.clone()))
    } else if world.variable(FEDERATED).is_some() {
        Some(Proof::WorkloadIdentity)
    } else if account.identity == MANAGED_IDENTITY {
        Some(Proof::ManagedIdentity)
    } else {
        None
    })
}

/// What is said where nothing can be given away.
fn not_given(account: &Account) -> Box<Finding> {
    match account.identity.as_str() {
        "" => Box::new(pages::no_credential()),
        _ => refused("the login of a person"),
    }
}

fn with_ids(account: &Account, credentials: &Credentials, proof: Proof) -> Credential {
    let given = |key: &str| credentials.get(key).filter(|value| !value.is_empty());
    let id = |planned: &str, key: &str| {
        let given = || given(key).map(|value| value.expose().clone()).unwrap_or_default();
        if planned.is_empty() { given() } else { planned.to_owned() }
    };
    Credential {
        subscription_id: id(&account.subscription_id, SUBSCRIPTION_ID),
        tenant_id: id(&account.tenant_id, TENANT_ID),
        // The secret of one application is of no use with the id of another.
        client_id: given(CLIENT_ID).map_or_else(|| account.client_id.clone(), |id| id.expose().clone()),
        proof,
    }
}

fn refused(whose: &str) -> Box<Finding> {
    Box::new(pages::credential(whose))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No variable, and one file.
    struct Bare;

    impl World for Bare {
        fn variable(&self, _: &str) -> Option<String> {
            None
        }

        fn file(&self, path: &str) -> Option<Vec<u8>> {
            (path == "here.pem").then(|| b"canary".to_vec())
        }
    }

    fn account(identity: &str) -> Account {
        let id = str::to_owned;
        Account {
            subscription_id: id("s"),
            tenant_id: id("t"),
            client_id: id("planned"),
            identity: id(identity),
        }
    }

    fn given(all: &[(&'static str, &str)]) -> Credentials {
        all.iter().map(|(key, value)| (*key, Secret::new((*value).to_owned()))).collect()
    }

    #[test]
    fn what_can_be_given_away_is() {
        let proof = |all: &[(&'static str, &str)], identity: &str| {
            proof(&account(identity), &given(all), &Bare).map_err(|finding| finding.code.as_str())
        };
        let secret = Proof::Secret(Secret::new("canary".to_owned()));
        assert_eq!(proof(&[(CLIENT_SECRET, "canary")], "secret"), Ok(Some(secret)));
        let certificate =
            Proof::Certificate { certificate: Secret::new(b"canary".to_vec()), password: Secret::default() };
        let both = [(CLIENT_CERTIFICATE, "here.pem"), (CLIENT_SECRET, "canary")];
        assert_eq!(proof(&both, "certificate"), Ok(Some(certificate)));
        assert_eq!(proof(&[(CLIENT_CERTIFICATE, "gone.pem")], "certificate"), Err("LF1536"));
        assert_eq!(proof(&[], MANAGED_IDENTITY), Ok(Some(Proof::ManagedIdentity)));
        assert_eq!(proof(&[], "azure-cli"), Ok(None));
    }

    #[test]
    fn nobody_is_no_person() {
        let [nobody, person] = ["", "azure-cli"].map(|identity| not_given(&account(identity)));
        assert_eq!([nobody.code.as_str(), person.code.as_str()], ["LF1536", "LF1536"]);
        assert!(person.message.contains("person") && !nobody.message.contains("person"));
    }

    #[test]
    fn an_application_keeps_its_own_id() {
        let id = |all: &[(&'static str, &str)]| {
            with_ids(&account("secret"), &given(all), Proof::WorkloadIdentity).client_id
        };
        assert_eq!(id(&[]), "planned");
        assert_eq!(id(&[(CLIENT_ID, "given"), (SUBSCRIPTION_ID, "other")]), "given");
    }
}

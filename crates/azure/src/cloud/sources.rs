//! The sources of credentials: what the environment and the user's files name, and what they lack.

use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_platform::World;

use super::pages;
use crate::credentials as known;
use crate::credentials::Unread;

/// The variable with the path of a workload identity's token.
const FEDERATED: &str = "AZURE_FEDERATED_TOKEN_FILE";

/// What environment and files give.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// Subscription to install into; empty where nobody says.
    pub(super) subscription: String,
    /// Tenant of the application.
    pub(super) tenant: String,
    /// The application.
    pub(super) client: String,
    /// What must never be shown.
    pub(super) secrets: Vec<Secret<String>>,
    /// Secret of the application.
    pub(super) secret: Option<Secret<String>>,
    /// Password of the application's certificate; empty where there is none.
    pub(super) password: Secret<String>,
    /// The file that was to give all this, and gives nothing.
    unread: Option<Unread>,
    certificate: Option<String>,
    federated: Option<String>,
}

impl Given {
    /// What a world gives.
    pub(super) fn of(world: &dyn World) -> Self {
        let named = known::credentials(world);
        let text = |key: &str| named.get(key).map(|value| value.expose().clone()).unwrap_or_default();
        let some = |key: &str| named.get(key).filter(|value| !value.is_empty());
        let federated = world.variable(FEDERATED);
        let token = federated.as_deref().and_then(|path| world.file(path)).unwrap_or_default();
        let mut secrets: Vec<Secret<String>> = Vec::new();
        secrets.extend(some(known::CLIENT_SECRET).cloned());
        secrets.extend(some(known::CLIENT_CERTIFICATE_PASSWORD).cloned());
        secrets.push(Secret::new(String::from_utf8_lossy(&token).trim().to_owned()));
        Self {
            subscription: text(known::SUBSCRIPTION_ID),
            tenant: text(known::TENANT_ID),
            client: text(known::CLIENT_ID),
            secrets,
            secret: some(known::CLIENT_SECRET).cloned(),
            password: some(known::CLIENT_CERTIFICATE_PASSWORD).cloned().unwrap_or_default(),
            unread: known::unread(world),
            certificate: some(known::CLIENT_CERTIFICATE).map(|path| path.expose().clone()),
            federated,
        }
    }

    /// The source that they name; none where they leave it to the machine.
    pub(super) fn source(&self) -> Option<Source> {
        let certificate = self.certificate.clone().map(Source::Certificate);
        let secret = || self.secret.as_ref().map(|_| Source::Secret);
        certificate.or_else(secret).or_else(|| self.federated.clone().map(Source::Federated))
    }

    /// What to say of a file that is named for the credentials and gives none.
    pub(super) fn nothing_in_file(&self) -> Option<Finding> {
        let Unread { variable, path, why } = self.unread.as_ref()?;
        let message = format!("`{}`, which {variable} names, {why}", shortened(path));
        let help = format!("set {variable} to a service principal's file, or unset it");
        Some(Finding::error(&pages::INCOMPLETE, Kind::Invalid, "", message).help(help))
    }

    /// What is missing where an application is named and nothing that proves it: nobody else's credentials do
    /// in its place, so that without a managed identity there are none.
    pub(super) fn unproven(&self) -> Option<Finding> {
        if self.client.is_empty() {
            return None;
        }
        let message = format!(
            "the application `{}` is set, but not its secret, certificate or federated token, and no \
             managed identity answers",
            shortened(&self.client)
        );
        let tenant = if self.tenant.is_empty() { "AZURE_TENANT_ID and " } else { "" };
        let help = format!(
            "set {tenant}one of AZURE_CLIENT_SECRET, AZURE_CLIENT_CERTIFICATE_PATH and {FEDERATED}; the \
             Azure CLI login is used if AZURE_CLIENT_ID is not set"
        );
        Some(Finding::error(&pages::INCOMPLETE, Kind::Required, "", message).help(help))
    }

    /// What a source lacks that needs an application in a tenant.
    pub(super) fn lacking(&self, source: &Source) -> Option<Finding> {
        let who = source.shown();
        let finding = |kind, message: String, variable: &str| {
            let finding = Finding::error(&pages::INCOMPLETE, kind, "", message);
            finding.help(format!("set {variable}, or add it to ~/.azure/osServicePrincipal.json"))
        };
        let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-');
        if self.tenant.is_empty() {
            let message = format!("{who} is set, but no tenant");
            return Some(finding(Kind::Required, message, "AZURE_TENANT_ID"));
        }
        if !plain(&self.tenant) {
            let message = format!("`{}` is neither a tenant ID nor a domain", shortened(&self.tenant));
            return Some(finding(Kind::Invalid, message, "AZURE_TENANT_ID"));
        }
        if self.client.is_empty() {
            let message = format!("{who} is set, but no application");
            return Some(finding(Kind::Required, message, "AZURE_CLIENT_ID"));
        }
        None
    }
}

/// Where tokens come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The secret of an application.
    Secret,
    /// The certificate of an application, at this path.
    Certificate(String),
    /// The token of a workload, at this path, which stands for an application.
    Federated(String),
    /// The identity of this machine.
    ManagedIdentity,
    /// Who is logged in to the Azure CLI.
    AzureCli,
}

impl Source {
    /// What people call it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Secret => "the client secret".to_owned(),
            Self::Certificate(path) => format!("the certificate `{}`", shortened(path)),
            Self::Federated(path) => format!("the federated token `{}`", shortened(path)),
            Self::ManagedIdentity => "the managed identity of this machine".to_owned(),
            Self::AzureCli => "the login to the Azure CLI".to_owned(),
        }
    }

    /// Whether landfall itself asks the authority.
    pub(super) fn is_of_authority(&self) -> bool {
        matches!(self, Self::Secret | Self::Certificate(_) | Self::Federated(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Made(&'static [(&'static str, &'static str)]);

    impl World for Made {
        fn variable(&self, name: &str) -> Option<String> {
            self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }

        fn file(&self, path: &str) -> Option<Vec<u8>> {
            (path == "/token").then(|| b"canary-federated\n".to_vec())
        }
    }

    fn given(variables: &'static [(&'static str, &'static str)]) -> Given {
        Given::of(&Made(variables))
    }

    #[test]
    fn a_certificate_comes_before_a_secret_and_that_before_a_federated_token() {
        const SECRET: (&str, &str) = ("AZURE_CLIENT_SECRET", "canary-secret");
        const CERTIFICATE: (&str, &str) = ("AZURE_CLIENT_CERTIFICATE_PATH", "/c.pem");
        const TOKEN: (&str, &str) = (FEDERATED, "/token");
        let certificate = Source::Certificate("/c.pem".to_owned());
        assert_eq!(given(&[TOKEN, SECRET, CERTIFICATE]).source(), Some(certificate));
        assert_eq!(given(&[TOKEN, SECRET]).source(), Some(Source::Secret));
        let federated = given(&[TOKEN, ("AZURE_CLIENT_ID", "c")]);
        assert_eq!(federated.source(), Some(Source::Federated("/token".to_owned())));
        assert!(federated.secrets.contains(&Secret::new("canary-federated".to_owned())));
        assert_eq!(given(&[("AZURE_CLIENT_ID", "c")]).source(), None);
        let shown = format!("{:?}", given(&[SECRET, TOKEN]));
        assert!(!shown.contains("canary"), "{shown}");
    }

    #[test]
    fn a_file_that_is_named_for_them_must_give_them() {
        const NAMED: (&str, &str) = ("AZURE_AUTH_LOCATION", "/nowhere.json");
        let finding = given(&[NAMED]).nothing_in_file();
        let (code, message) = finding.map(|f| (f.code.as_str(), f.message)).unwrap_or_default();
        assert_eq!(code, "LF1111");
        assert!(message.contains("`/nowhere.json`") && message.contains("AZURE_AUTH_LOCATION"), "{message}");
        assert!(given(&[NAMED, ("AZURE_CLIENT_ID", "c")]).nothing_in_file().is_none());
        assert!(given(&[]).nothing_in_file().is_none());
    }

    #[test]
    fn an_application_without_proof_is_not_replaced_by_somebody_else() {
        let unproven = |variables| given(variables).unproven();
        assert!(unproven(&[("AZURE_TENANT_ID", "t")]).is_none());
        let finding = unproven(&[("AZURE_CLIENT_ID", "c")]);
        let (code, help) = finding.map(|f| (f.code.as_str(), f.help.unwrap_or_default())).unwrap_or_default();
        assert_eq!(code, "LF1111");
        assert!(help.contains("AZURE_TENANT_ID") && help.contains("AZURE_CLIENT_SECRET"), "{help}");
        let finding = unproven(&[("AZURE_CLIENT_ID", "c"), ("AZURE_TENANT_ID", "t")]);
        let help = finding.and_then(|finding| finding.help).unwrap_or_default();
        assert!(help.contains(" AZURE_CLIENT_SECRET, ") && !help.contains("AZURE_TENANT_ID"), "{help}");
    }

    #[test]
    fn an_application_needs_a_tenant_and_an_id() {
        let lacking = |variables| given(variables).lacking(&Source::Secret);
        let cases = [
            (lacking(&[("AZURE_CLIENT_ID", "c")]), "but no tenant"),
            (lacking(&[("AZURE_TENANT_ID", "t")]), "but no application"),
            (lacking(&[("AZURE_TENANT_ID", "t/x"), ("AZURE_CLIENT_ID", "c")]), "`t/x`"),
        ];
        for (finding, word) in cases {
            let (code, message) = finding.map(|f| (f.code.as_str(), f.message)).unwrap_or_default();
            assert_eq!(code, "LF1111", "{message}");
            assert!(message.contains(word), "{message}");
        }
        assert!(lacking(&[("AZURE_TENANT_ID", "t.example.com"), ("AZURE_CLIENT_ID", "c")]).is_none());
    }
}

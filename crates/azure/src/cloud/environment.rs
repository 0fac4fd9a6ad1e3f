//! The endpoints of a cloud: from its row in the catalogue, or as an Azure Stack Hub tells them.

use landfall_azure_objects::stack_environment;
use landfall_diagnostics::secret::without_user;
use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_model::azure::catalogue::Cloud;
use landfall_platform::cloud::{Answer, Check};
use serde_json::{Map, Value};
use url::Url;

use super::api_versions::Api;
use super::arm::Arm;
use super::session::Session;
use super::{pages, transport};

/// The check of the cloud.
pub(super) const CHECK: &str = "azure.cloud";

const NAME: &str = "platform.azure.cloudName";
const ENDPOINT: &str = "platform.azure.armEndpoint";

/// What a hub is asked for its endpoints.
const METADATA: &str = "/metadata/endpoints";

/// Where a cloud is asked, and what tokens are for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Environment {
    /// Name of the cloud.
    pub(super) name: String,
    /// URL of the resource manager.
    pub(super) resource_manager: Url,
    /// URL of the authority, without a path.
    pub(super) authority: Url,
    /// What tokens for the resource manager are for.
    pub(super) audience: String,
    /// What is asked for to get such a token.
    pub(super) scope: String,
    /// Domain of storage accounts; empty where nobody says.
    pub(super) storage_suffix: String,
    /// Whether it is an Azure Stack Hub.
    pub(super) stack: bool,
    /// The endpoints of a hub, as the cloud provider reads them.
    pub(super) document: Option<Map<String, Value>>,
}

impl Environment {
    /// The cloud of a row of the catalogue.
    fn of_row(name: &str, cloud: &Cloud) -> Result<Self, Box<Finding>> {
        let resource_manager = manager_of_row(name, cloud)?;
        let given = cloud.active_directory_authority.as_str();
        let authority = url_of_row(name, given, "activeDirectoryAuthority", "the authority")?;
        let own = |given: &str, usual: String| if given.is_empty() { usual } else { given.to_owned() };
        let audience = own(&cloud.token_audience, resource_manager.as_str().to_owned());
        Ok(Self {
            name: name.to_owned(),
            scope: own(&cloud.token_scope, format!("{audience}/.default")),
            storage_suffix: cloud.storage_endpoint_suffix.clone(),
            resource_manager,
            authority: without_path(authority),
            audience,
            stack: false,
            document: None,
        })
    }

    /// The hub at a URL, by what it says of itself. `given` is that URL as it is written.
    fn of_hub(
        name: &str,
        given: &str,
        resource_manager: &Url,
        raw: &Map<String, Value>,
    ) -> Result<Self, Box<Finding>> {
        let lacks = |what: &str| {
            let message =
                format!("the Azure Stack Hub at `{}` does not report {what}", shown(resource_manager));
            let finding = Finding::error(&pages::DISCOVERY, Kind::Invalid, ENDPOINT, message);
            Box::new(finding.help("check that armEndpoint is the URL of a hub's resource manager"))
        };
        let authentication = raw.get("authentication");
        let login = text(authentication.and_then(|known| known.get("loginEndpoint")));
        let login = login.ok_or_else(|| lacks("its authority"))?;
        let audiences = authentication.and_then(|known| known.get("audiences"));
        let audience = text(audiences.and_then(|known| known.get(0)));
        let audience = audience.ok_or_else(|| lacks("the audience of its tokens"))?.to_owned();
        let authority = url(login, ENDPOINT, "the authority")?;
        if authority.path().trim_end_matches('/').to_ascii_lowercase().ends_with("/adfs") {
            return Err(Box::new(federation_services(&authority)));
        }
        let suffix = text(raw.get("suffixes").and_then(|known| known.get("storage"))).map(str::to_owned);
        Ok(Self {
            name: name.to_owned(),
            resource_manager: resource_manager.clone(),
            authority: without_path(authority),
            scope: format!("{audience}/.default"),
            audience,
            storage_suffix: suffix.or_else(|| domain(resource_manager)).unwrap_or_default(),
            stack: true,
            document: Some(stack_environment::of_hub(&without_user(given), raw)),
        })
    }

    /// Where the authority describes what it does for a tenant.
    pub(super) fn openid_configuration(&self, tenant: &str) -> Url {
        below(&self.authority, &[tenant, "v2.0", ".well-known", "openid-configuration"])
    }

    /// Where tokens of a tenant are asked for.
    pub(super) fn token_url(&self, tenant: &str) -> Url {
        below(&self.authority, &[tenant, "oauth2", "v2.0", "token"])
    }

    fn evidence(&self, answer: Answer) -> Answer {
        let answer = answer
            .with("resourceManager", shown(&self.resource_manager))
            .with("authority", shown(&self.authority))
            .with("audience", self.audience.clone());
        match self.storage_suffix.as_str() {
            "" => answer,
            suffix => answer.with("storageSuffix", suffix),
        }
    }
}

/// The URL of the resource manager, or what to say where there is none.
pub(super) fn manager(session: &Session<'_>) -> Result<Url, Answer> {
    let (name, cloud) = known(session)?;
    let given = if cloud.stack { session.platform.arm_endpoint.expose() } else { "" };
    let read = match given {
        "" => manager_of_row(name, cloud),
        given => url(given, ENDPOINT, "the resource manager"),
    };
    read.map_err(|finding| Answer::found(*finding))
}

/// The resource manager of a row of the catalogue.
fn manager_of_row(name: &str, cloud: &Cloud) -> Result<Url, Box<Finding>> {
    let given = cloud.resource_manager_endpoint.as_str();
    url_of_row(name, given, "resourceManagerEndpoint", "the resource manager")
}

/// The URL of a key of a cloud's row in the catalogue.
fn url_of_row(name: &str, text: &str, key: &str, what: &str) -> Result<Url, Box<Finding>> {
    url(text, NAME, what).map_err(|finding| {
        let name = shortened(name);
        let help = match text {
            "" => format!("add `{key}` (an https URL) under azure.clouds.{name} in the catalogue overlay"),
            _ => format!("set `{key}` under azure.clouds.{name} in the catalogue overlay to an https URL"),
        };
        Box::new(finding.help(help))
    })
}

/// The field of the config that says where the cloud is.
pub(super) fn field(session: &Session<'_>) -> &'static str {
    if session.platform.arm_endpoint.is_empty() { NAME } else { ENDPOINT }
}

/// Whether the cloud is an Azure Stack Hub.
pub(super) fn is_hub(session: &Session<'_>) -> bool {
    known(session).is_ok_and(|(_, cloud)| cloud.stack)
}

/// Whether the cloud was closed.
pub(super) fn is_closed(session: &Session<'_>) -> bool {
    known(session).is_ok_and(|(_, cloud)| cloud.closed)
}

/// The endpoints of the config's cloud, or what to say where they are not known.
pub(super) async fn find(session: &Session<'_>) -> Result<Environment, Answer> {
    let found = |finding: Box<Finding>| Answer::found(*finding);
    let (name, cloud) = known(session)?;
    if !cloud.stack {
        return Environment::of_row(name, cloud).map_err(found);
    }
    let url = manager(session)?;
    session.manager().await.usable(session)?;
    let Some(client) = session.client() else {
        return Err(Answer::skipped("there is no HTTP client"));
    };
    let limit = session.asking.patience.call;
    let hub =
        Arm::new(transport::for_calls(client), &url, true, limit, session.scrub(), session.concurrency());
    let told = hub.get_in::<Map<String, Value>>(hub.version(Api::METADATA), METADATA).await;
    let raw = told.map_err(|fault| {
        let message = format!("the Azure Stack Hub does not report its endpoints: {}", fault.sentence());
        let finding = Finding::error(&pages::DISCOVERY, Kind::Invalid, ENDPOINT, message);
        fault.attach(Answer::found(
            finding.help("check that armEndpoint is the URL of a hub's resource manager"),
        ))
    })?;
    let given = match session.platform.arm_endpoint.expose() {
        "" => cloud.resource_manager_endpoint.as_str(),
        given => given,
    };
    Environment::of_hub(name, given, &url, &raw).map_err(found)
}

/// The check of the cloud.
pub(super) fn check<'s>(session: &'s Session<'_>) -> Check<'s> {
    Check::new(CHECK, NAME, async move {
        match session.endpoints().await {
            Ok(environment) => environment.evidence(judge(environment, is_closed(session))),
            Err(answer) => answer.clone(),
        }
    })
}

fn judge(environment: &Environment, closed: bool) -> Answer {
    let name = &environment.name;
    if closed {
        let message = format!("the cloud `{name}` was closed");
        let finding = Finding::warning(&pages::CLOSED, Kind::Invalid, NAME, message);
        return Answer::found(finding.help("choose another cloud"));
    }
    let what = if environment.stack { "reports its endpoints" } else { "is known" };
    Answer::passed(format!("{name} at {} {what}", shown(&environment.resource_manager)))
}

/// The row of the config's cloud.
fn known<'s>(session: &'s Session<'_>) -> Result<(&'s str, &'s Cloud), Answer> {
    let catalogue = &session.asking.catalogue.azure;
    catalogue
        .cloud(&session.platform.cloud_name)
        .ok_or_else(|| Answer::found(unknown(&session.platform.cloud_name, catalogue.clouds.keys())))
}

/// A cloud that the catalogue does not have, with those that it has.
fn unknown<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> Finding {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let message = format!("the cloud `{}` is not known", shortened(name));
    Finding::error(&pages::CLOUD, Kind::NotSupported, NAME, message)
        .help(format!("known are {}; a catalogue overlay adds others", known.join(", ")))
}

/// The URL in a text, without user, query and fragment. One without a scheme is meant to have https.
fn url(text: &str, field: &str, what: &str) -> Result<Url, Box<Finding>> {
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let read = Url::parse(&whole).ok().filter(|url| url.scheme() == "https" && url.has_host());
    let Some(mut url) = read else {
        let message = match text {
            "" => format!("the cloud's {what} is unknown"),
            text => format!("`{}` is not an https URL for {what}", shortened(&without_user(text))),
        };
        let finding = Finding::error(&pages::URL, Kind::Invalid, field, message);
        return Err(Box::new(
            finding.help("write https:// and a host, such as https://management.example.com"),
        ));
    };
    url.set_query(None);
    url.set_fragment(None);
    // Only a URL without a host refuses this.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Ok(url)
}

fn federation_services(authority: &Url) -> Finding {
    let message = format!(
        "the Azure Stack Hub has its identities in AD FS (`{}`), which landfall does not support",
        shown(authority)
    );
    Finding::error(&pages::FEDERATION_SERVICES, Kind::NotSupported, ENDPOINT, message)
        .help("use a hub that has its identities in Microsoft Entra ID")
}

fn without_path(mut url: Url) -> Url {
    url.set_path("/");
    url
}

fn below(base: &Url, path: &[&str]) -> Url {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty().extend(path);
    }
    url
}

/// A text that is not empty.
fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The domain of a hub, which its storage accounts share: that of its resource manager.
fn domain(resource_manager: &Url) -> Option<String> {
    let (_, domain) = resource_manager.domain()?.split_once('.')?;
    Some(domain.to_owned())
}

/// A URL for people.
pub(super) fn shown(url: &Url) -> String {
    url.as_str().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use landfall_model::catalogue::Catalogue;
    use landfall_platform::cloud::Verdict;

    /// Name, resource manager, authority, domain of storage accounts.
    const CLOUDS: &[(&str, &str, &str, &str)] = &[
        (
            "AzurePublicCloud",
            "https://management.azure.com/",
            "https://login.microsoftonline.com/",
            "core.windows.net",
        ),
        (
            "AzureUSGovernmentCloud",
            "https://management.usgovcloudapi.net/",
            "https://login.microsoftonline.us/",
            "core.usgovcloudapi.net",
        ),
        (
            "AzureChinaCloud",
            "https://management.chinacloudapi.cn/",
            "https://login.chinacloudapi.cn/",
            "core.chinacloudapi.cn",
        ),
        (
            "AzureGermanCloud",
            "https://management.microsoftazure.de/",
            "https://login.microsoftonline.de/",
            "core.cloudapi.de",
        ),
    ];

    fn row(name: &str) -> Option<Environment> {
        let (name, cloud) = Catalogue::embedded().azure.cloud(name)?;
        Environment::of_row(name, cloud).ok()
    }

    fn hub(raw: &Value) -> Result<Environment, &'static str> {
        let given = "https://management.local.example.com";
        let url = url(given, ENDPOINT, "").map_err(|finding| finding.code.as_str())?;
        let raw = raw.as_object().cloned().unwrap_or_default();
        Environment::of_hub("AzureStackCloud", given, &url, &raw).map_err(|finding| finding.code.as_str())
    }

    #[test]
    fn every_named_cloud_is_called_at_its_own_hosts() {
        for (name, manager, authority, storage) in CLOUDS {
            let Some(found) = row(name) else { unreachable!("{name} is in the catalogue") };
            assert_eq!(found.name, *name);
            assert_eq!(found.resource_manager.as_str(), *manager);
            let token = format!("{authority}tenant/oauth2/v2.0/token");
            assert_eq!(found.token_url("tenant").as_str(), token);
            let described = format!("{authority}tenant/v2.0/.well-known/openid-configuration");
            assert_eq!(found.openid_configuration("tenant").as_str(), described);
            assert_eq!(found.scope, format!("{manager}/.default"));
            assert_eq!((found.audience.as_str(), found.storage_suffix.as_str()), (*manager, *storage));
            assert!(!found.stack && found.document.is_none());
        }
        let named = Catalogue::embedded().azure.clouds.values().filter(|cloud| !cloud.stack).count();
        assert_eq!(named, CLOUDS.len());
    }

    #[test]
    fn a_hub_is_called_where_it_says() {
        let raw = json!({
            "galleryEndpoint": "https://gallery.local.example.com",
            "graphEndpoint": "https://graph.windows.net/",
            "portalEndpoint": "https://portal.local.example.com",
            "authentication": {
                "loginEndpoint": "https://login.windows.net/",
                "audiences": ["https://management.example.onmicrosoft.com/3cc5febd"],
            },
        });
        let found = hub(&raw);
        let Ok(found) = found else { unreachable!("it says all") };
        assert_eq!(found.resource_manager.as_str(), "https://management.local.example.com/");
        assert_eq!(found.token_url("t").as_str(), "https://login.windows.net/t/oauth2/v2.0/token");
        assert_eq!(found.scope, "https://management.example.onmicrosoft.com/3cc5febd/.default");
        assert_eq!(found.storage_suffix, "local.example.com");
        let document = found.document.unwrap_or_default();
        let told = |key: &str| document.get(key).and_then(Value::as_str);
        assert_eq!(told("resourceManagerEndpoint"), Some("https://management.local.example.com"));
        assert_eq!(told("activeDirectoryEndpoint"), Some("https://login.windows.net/"));
    }

    #[test]
    fn a_hub_that_does_not_tell_enough_is_refused() {
        let of = |login: &str, audiences: Value| {
            let authentication = json!({ "loginEndpoint": login, "audiences": audiences });
            json!({ "authentication": authentication })
        };
        let code = |raw: Value| hub(&raw).map(|found| found.scope);
        assert_eq!(code(json!({})), Err("LF1104"));
        assert_eq!(code(of("https://login.windows.net/", json!([]))), Err("LF1104"));
        assert_eq!(code(of("http://login.windows.net/", json!(["a"]))), Err("LF1103"));
        assert_eq!(code(of("https://adfs.local.example.com/ADFS/", json!(["a"]))), Err("LF1105"));
        assert_eq!(code(of("https://login.windows.net/common", json!(["a"]))), Ok("a/.default".to_owned()));
    }

    #[test]
    fn an_endpoint_is_a_url_of_https() {
        let read = |text: &str| url(text, ENDPOINT, "it").map(|url| url.as_str().to_owned()).ok();
        let expected = Some("https://management.example.com/".to_owned());
        assert_eq!(read("management.example.com"), expected);
        assert_eq!(read("https://user:canary@management.example.com/?a#b"), expected);
        assert_eq!([read(""), read("http://management.example.com"), read("https://")], [None, None, None]);
        let refused = url("http://u:canary@host", ENDPOINT, "the authority");
        let refused = refused.err().map(|finding| (finding.code.as_str(), finding.field, finding.message));
        let (code, field, message) = refused.unwrap_or_default();
        assert_eq!((code, field.as_str()), ("LF1103", ENDPOINT));
        assert!(message.contains("`http://•@host`") && message.contains("the authority"), "{message}");
        let odd = row("AzurePublicCloud").map(|found| found.token_url("../a?b").path().to_owned());
        assert_eq!(odd.as_deref(), Some("/..%2Fa%3Fb/oauth2/v2.0/token"));
    }

    #[test]
    fn a_row_without_endpoints_is_told_where_they_belong() {
        let help = |cloud: &Cloud| {
            let refused = Environment::of_row("AzureMoonCloud", cloud).err();
            assert_eq!(refused.as_ref().map(|f| (f.code.as_str(), f.field.as_str())), Some(("LF1103", NAME)));
            let help = refused.and_then(|finding| finding.help).unwrap_or_default();
            assert!(help.contains("azure.clouds.AzureMoonCloud"), "{help}");
            help
        };
        let mut cloud = Cloud::default();
        let told = help(&cloud);
        assert_eq!(told.split('`').nth(1), Some("resourceManagerEndpoint"));
        cloud.resource_manager_endpoint = "https://management.moon.example".to_owned();
        let missing = help(&cloud);
        assert_eq!(missing.split('`').nth(1), Some("activeDirectoryAuthority"));
        cloud.active_directory_authority = "http://login.moon.example".to_owned();
        let invalid = help(&cloud);
        assert_eq!(invalid.split('`').nth(1), Some("activeDirectoryAuthority"));
        assert_ne!(invalid, missing);
        let helps = [("no manager", told), ("no authority", missing), ("authority over HTTP", invalid)];
        let helps = helps.map(|(case, help)| (case.to_owned(), help));
        landfall_testing::assert_sentences("azure-cloud-row", helps);
    }

    #[test]
    fn an_unknown_cloud_is_told_with_those_that_are_known() {
        let known = ["AzurePublicCloud".to_owned(), "AzureChinaCloud".to_owned()];
        let finding = unknown("AzureMoonCloud", known.iter());
        assert_eq!((finding.code.as_str(), finding.field.as_str()), ("LF1101", NAME));
        assert!(finding.message.contains("`AzureMoonCloud`"), "{finding:?}");
        let help = finding.help.unwrap_or_default();
        assert!(known.iter().all(|name| help.contains(name.as_str())), "{help}");
    }

    #[test]
    fn a_closed_cloud_is_a_warning() {
        let Some(found) = row("AzureGermanCloud") else { unreachable!("it is in the catalogue") };
        let Verdict::Found(finding) = judge(&found, true).verdict else { unreachable!("it was closed") };
        assert_eq!(
            (finding.code.as_str(), finding.field.as_str(), finding.is_error()),
            ("LF1102", NAME, false)
        );
        let Verdict::Passed(what) = judge(&found, false).verdict else { unreachable!("it is open") };
        assert!(what.contains("AzureGermanCloud") && what.contains("https://management.microsoftazure.de"));
    }
}

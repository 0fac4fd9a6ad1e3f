//! Azure's text: JSON, in which `cloud` names the cloud of the cluster.

use std::borrow::Cow;

use landfall_diagnostics::{Findings, few, shortened};
use landfall_model::catalogue::Catalogue;
use landfall_source::{NodeId, NodeKind};

use super::json::{Json, Members};
use super::shape::{Fields, INT32, INT64, Shape, older_boolean, respelled};
use super::{AzureStatus, Fault, Infrastructure, document};

/// The mark that editors put in front of a text.
const MARK: char = '\u{feff}';
const CLOUD: &str = "cloud";
const VM_TYPE: &str = "vmType";
const PROBE_MODE: &str = "clusterServiceLoadBalancerHealthProbeMode";

const RATE_LIMIT: Fields = &[
    (Shape::Flag, "cloudProviderRateLimit"),
    (Shape::Single, "cloudProviderRateLimitQPS cloudProviderRateLimitQPSWrite"),
    (INT64, "cloudProviderRateLimitBucket cloudProviderRateLimitBucketWrite"),
];

const LABEL_SELECTOR: Shape = Shape::Object(&[
    (Shape::Map(&Shape::Text), "matchLabels"),
    (
        Shape::List(&Shape::Object(&[(Shape::Text, "key operator"), (Shape::List(&Shape::Text), "values")])),
        "matchExpressions",
    ),
]);

/// The provider's settings.
const SETTINGS: Fields = &[
    (
        Shape::Text,
        "cloud userAgent resourceManagerEndpoint tenantId networkResourceTenantID aadClientId aadClientSecret \
         aadClientCertPath aadClientCertPassword userAssignedIdentityID aadFederatedTokenFile \
         aadMSIDataPlaneIdentityPath subscriptionId identitySystem networkResourceSubscriptionID cloudConfigType \
         resourceGroup location extendedLocationName extendedLocationType vnetName vnetResourceGroup subnetName \
         securityGroupName securityGroupResourceGroup routeTableName routeTableResourceGroup \
         primaryAvailabilitySetName vmType primaryScaleSetName tags systemTags loadBalancerSku loadBalancerName \
         loadBalancerResourceGroup preConfiguredBackendPoolLoadBalancerTypes \
         loadBalancerBackendPoolConfigurationType privateLinkServiceResourceGroup \
         clusterServiceLoadBalancerHealthProbeMode clusterServiceSharedLoadBalancerHealthProbePath",
    ),
    (
        Shape::Flag,
        "cloudProviderBackoff disableAzureStackCloud enableMinimumRetryAfter useManagedIdentityExtension \
         useFederatedWorkloadIdentityExtension disableAPICallCache listVmssVirtualMachinesWithoutInstanceView \
         disableAvailabilitySetNodes enableVmssFlexNodes useInstanceMetadata excludeMasterFromStandardLB \
         disableOutboundSNAT enableMigrateToIPBasedBackendPoolAPI enableIPTagMutationForExistingPublicIP \
         cloudProviderRateLimit",
    ),
    (
        INT64,
        "cloudProviderBackoffRetries cloudProviderBackoffDuration nonVmssUniformNodesCacheTTLInSeconds \
         vmssCacheTTLInSeconds vmssVirtualMachinesCacheTTLInSeconds vmssFlexCacheTTLInSeconds \
         vmssFlexVMCacheTTLInSeconds vmCacheTTLInSeconds loadBalancerCacheTTLInSeconds nsgCacheTTLInSeconds \
         routeTableCacheTTLInSeconds plsCacheTTLInSeconds availabilitySetsCacheTTLInSeconds \
         publicIPCacheTTLInSeconds routeUpdateWaitingInSeconds maximumLoadBalancerRuleCount putVMSSVMBatchSize \
         routeUpdateIntervalInSeconds loadBalancerBackendPoolUpdateIntervalInSeconds \
         nodeInstanceNotFoundGracePeriodInSeconds cloudProviderRateLimitBucket cloudProviderRateLimitBucketWrite",
    ),
    (INT32, "clusterServiceSharedLoadBalancerHealthProbePort"),
    (Shape::Number, "cloudProviderBackoffExponent cloudProviderBackoffJitter"),
    (Shape::Single, "cloudProviderRateLimitQPS cloudProviderRateLimitQPSWrite"),
    (Shape::Map(&Shape::Text), "tagsMap"),
    (Shape::Map(&Shape::Object(RATE_LIMIT)), "Entries"),
    (
        Shape::Object(&[(Shape::Text, "subscriptionID resourceGroup vaultName secretName")]),
        "auxiliaryTokenProvider",
    ),
    (
        Shape::List(&Shape::Object(&[
            (Shape::Text, "name primaryVMSet"),
            (Shape::Flag, "allowServicePlacement"),
            (LABEL_SELECTOR, "serviceLabelSelector serviceNamespaceSelector nodeSelector"),
        ])),
        "multipleStandardLoadBalancerConfigurations",
    ),
];

/// The cloud that a cluster is in.
struct Home {
    name: &'static str,
    stack: bool,
}

/// The user's settings with the cluster's cloud among them; none where they have it and stay as they are, in
/// JSON or YAML.
///
/// # Errors
/// The cloud is not known, the text cannot be read, or it names another cloud.
pub(super) fn stitch(infrastructure: &Infrastructure, text: &[u8]) -> Result<Option<Vec<u8>>, Fault> {
    let home = home(infrastructure)?;
    let text = str::from_utf8(text).map_err(|_| unreadable("it is not UTF-8"))?;
    let mut settings = settings(text)?;
    match settings.get(CLOUD) {
        None => {}
        Some(Json::Text(given)) if given.is_empty() => {}
        Some(Json::Text(given)) => {
            agrees(given, &home)?;
            // A mark in front of the text is not for every reader.
            if !text.starts_with(MARK) {
                return Ok(None);
            }
        }
        Some(other) => return Err(Fault::CloudNotString(other.noun())),
    }
    settings.insert(CLOUD.to_owned(), Json::Text(home.name.to_owned()));
    Ok(Some(Json::Object(settings).lines().into_bytes()))
}

/// The text for the cloud controller manager.
///
/// # Errors
/// As for [`stitch`]; YAML cannot be read here, and every setting must have the provider's type.
pub(super) fn ccm(infrastructure: &Infrastructure, text: &str) -> Result<String, Fault> {
    let mut settings = provider_settings(text)?;
    let home = home(infrastructure)?;
    if settings.get(VM_TYPE).is_none_or(Json::is_empty) {
        settings.insert(VM_TYPE.to_owned(), Json::Text("standard".to_owned()));
    }
    if !home.stack {
        if let Some(Json::Text(given)) = settings.get(CLOUD)
            && !given.is_empty()
        {
            agrees(given, &home)?;
        }
        settings.insert(CLOUD.to_owned(), Json::Text(home.name.to_owned()));
        settings.insert(PROBE_MODE.to_owned(), Json::Text("shared".to_owned()));
    }
    Ok(Json::Object(settings).line())
}

/// The settings of a text by the provider's names, which it reads without regard to case. It does not know all.
fn provider_settings(text: &str) -> Result<Members, Fault> {
    let Json::Object(settings) = Json::read(text).map_err(|why| not_json(text, why))? else {
        return Err(unreadable("it is not a JSON object"));
    };
    respelled(SETTINGS, settings, &Json::names(text)).map_err(Fault::ConfigUnreadable)
}

/// Why a text is not the JSON that the provider needs: [`in_json`] leaves YAML with ambiguous words as it is.
fn not_json(text: &str, why: String) -> Fault {
    const NAMED: usize = 3;
    let words = if settings(text).is_ok() { words(text) } else { Vec::new() };
    if words.is_empty() {
        return Fault::ConfigUnreadable(why);
    }
    let words: Vec<String> = words.iter().map(|name| format!("`{}`", shortened(name))).collect();
    unreadable(&format!(
        "it is YAML, and {} can be a boolean or a text: write true or false, or put the value in quotes",
        few(&words, NAMED)
    ))
}

/// The text in JSON, where it is YAML with settings; any other text as it is.
pub(super) fn in_json(text: &str) -> Cow<'_, str> {
    if text.trim().is_empty() || Json::read(text).is_ok() {
        return Cow::Borrowed(text);
    }
    match settings(text) {
        // A word that the older reader takes for a boolean is no text for the provider.
        Ok(settings) if !settings.is_empty() && words(text).is_empty() => {
            Cow::Owned(Json::Object(settings).line())
        }
        _ => Cow::Borrowed(text),
    }
}

/// What a cluster whose text this is says of its cloud; none where the text names no cloud that is known.
pub(super) fn presumed(text: &str) -> Option<AzureStatus> {
    let settings = provider_settings(text).ok()?;
    let Some(Json::Text(given)) = settings.get(CLOUD) else { return None };
    let name = Catalogue::embedded().azure.clouds.keys().find(|name| name.eq_ignore_ascii_case(given))?;
    Some(AzureStatus { cloud_name: name.clone() })
}

/// The cloud that the cluster's object names, or the usual one.
fn home(infrastructure: &Infrastructure) -> Result<Home, Fault> {
    let known = &Catalogue::embedded().azure;
    let status = infrastructure.status.platform_status.as_ref().and_then(|status| status.azure.as_ref());
    let name = status.map(|azure| azure.cloud_name.as_str()).filter(|name| !name.is_empty());
    let name = name.unwrap_or(&known.default_cloud);
    match known.clouds.get_key_value(name) {
        Some((name, cloud)) => Ok(Home { name, stack: cloud.stack }),
        None => Err(Fault::CloudNameUnsupported(shortened(name))),
    }
}

fn agrees(given: &str, home: &Home) -> Result<(), Fault> {
    if given.eq_ignore_ascii_case(home.name) {
        return Ok(());
    }
    Err(Fault::CloudConflict { given: shortened(given), cloud: home.name.to_owned() })
}

/// The settings of a text.
fn settings(text: &str) -> Result<Members, Fault> {
    let value = match Json::read(text.strip_prefix(MARK).unwrap_or(text)) {
        Ok(value) => value,
        Err(_) => document::tree(text).map_err(Fault::ConfigUnreadable)?,
    };
    match value {
        Json::Object(settings) => Ok(settings),
        Json::Null => Ok(Members::new()),
        other => Err(unreadable(&format!("it is {}, not a mapping", other.noun()))),
    }
}

/// The settings whose value is a word that is a boolean in YAML 1.1 and a text in YAML 1.2, such as `yes`.
pub(super) fn words(text: &str) -> Vec<String> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    if Json::read(text).is_ok() {
        return Vec::new();
    }
    let tree = landfall_source::read(text, &mut Findings::default());
    let mut found = Vec::new();
    let mut open: Vec<(String, NodeId)> = tree.root().map(|root| (String::new(), root)).into_iter().collect();
    while let Some((path, id)) = open.pop() {
        let dot = if path.is_empty() { "" } else { "." };
        match &tree.target(id).kind {
            NodeKind::Plain(word) if older_boolean(word).is_some() => found.push(path),
            NodeKind::Map(map) => {
                let entries = tree.entries(*map).iter();
                open.extend(entries.map(|entry| (format!("{path}{dot}{}", entry.key), entry.value)));
            }
            NodeKind::List(list) => {
                let items = tree.items(*list).iter().enumerate();
                open.extend(items.map(|(at, id)| (format!("{path}[{at}]"), *id)));
            }
            _ => {}
        }
    }
    found.sort();
    found
}

fn unreadable(why: &str) -> Fault {
    Fault::ConfigUnreadable(why.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn cluster(cloud: &str) -> Infrastructure {
        let status = json!({ "platformStatus": { "type": "Azure", "azure": { "cloudName": cloud } } });
        serde_json::from_value(json!({ "status": status })).unwrap_or_default()
    }

    fn stitched(cloud: &str, text: &str) -> Result<Option<String>, Fault> {
        let text = stitch(&cluster(cloud), text.as_bytes())?;
        Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
    }

    #[test]
    fn what_is_no_json_becomes_json() {
        let expected = Ok(Some("{\n\t\"cloud\": \"AzureChinaCloud\"\n}\n".to_owned()));
        let same = ["", "cloud: \"\"\n", "\u{feff}{\"cloud\":\"AzureChinaCloud\"}", "{\"cloud\":\"\"}"];
        for text in same {
            assert_eq!(stitched("AzureChinaCloud", text), expected, "{text:?}");
        }
        for stays in [" {\"cloud\":\"azurechinacloud\"}\r\n", "# note\ncloud: azurechinacloud\na: yes\n"] {
            assert_eq!(stitched("AzureChinaCloud", stays), Ok(None), "{stays:?}");
        }
        let name = |text: &str| stitched("AzureChinaCloud", text).map_err(|fault| fault.name());
        assert_eq!(name("{\"cloud\":\"AzurePublicCloud\"}"), Err("cloud-conflict"));
        assert_eq!(name("cloud: ~"), Err("cloud-not-string"));
        assert_eq!(stitch(&cluster(""), b"\xff").map_err(|fault| fault.name()), Err("config-unreadable"));
    }

    #[test]
    fn what_stays_yaml_for_the_user_is_json_for_the_provider() {
        let text = "# note\ncloud: azurechinacloud\nvmType: vmss\n";
        let json = in_json(text);
        assert_eq!(&*json, "{\"cloud\":\"azurechinacloud\",\"vmType\":\"vmss\"}");
        assert!(ccm(&cluster("AzureChinaCloud"), &json).is_ok());
        for stays in ["", " ", "{\"a\":1.50}", "{}", "[a]", "a: [", "text", "# note\n", "a: yes\n"] {
            assert_eq!(in_json(stays), stays);
        }
    }

    #[test]
    fn words_that_older_readers_take_for_booleans_are_found() {
        let text =
            "a: yes\nb: 'no'\nc: true\nd: {e: [off, \"on\", Y], f: False}\ng: &x No\nh: *x\ni: yes sir\n";
        assert_eq!(words(text), ["a", "d.e[0]", "d.e[2]", "g", "h"]);
        for none in ["", "{\"a\":\"yes\"}", "\u{feff}{\"a\":true}", "a: [", "- true"] {
            assert_eq!(words(none), Vec::<String>::new(), "{none:?}");
        }
    }

    #[test]
    fn settings_that_are_no_text_for_the_provider_are_named() {
        let why = |text: &str| ccm(&cluster(""), text).map_err(|fault| fault.to_string()).err();
        let named = why("a: yes\nb: {c: off}\nd: true\n").unwrap_or_default();
        assert!(named.contains("YAML, and `a`, `b.c` can be"), "{named}");
        let many = why("a: yes\nb: no\nc: on\nd: off\ne: y\n").unwrap_or_default();
        assert!(many.contains("`a`, `b`, `c` and 2 more can be"), "{many}");
        for other in ["a: [", "text", "- yes"] {
            assert!(why(other).is_some_and(|why| !why.contains("YAML, and")), "{other}");
        }
    }

    #[test]
    fn settings_have_the_types_of_the_provider() {
        let why = |setting: &str| ccm(&cluster(""), &format!("{{{setting}}}")).err();
        for (setting, told) in [
            (r#""tenantID":5"#, "`tenantId` is a number, not a string"),
            (r#""useManagedIdentityExtension":"true""#, "a boolean"),
            (r#""putVMSSVMBatchSize":"5""#, "an integer"),
            (r#""putVMSSVMBatchSize":5.0"#, "an integer"),
            (r#""cloudProviderBackoffExponent":"1.5""#, "a number"),
            (r#""cloudProviderBackoffExponent":1e400"#, "a number"),
            (r#""tagsMap":{"a":1}"#, "`tagsMap.a` is a number, not a string"),
            (r#""clusterServiceSharedLoadBalancerHealthProbePort":3000000000"#, "an integer"),
            (r#""Entries":{"a":{"cloudProviderRateLimit":1}}"#, "`Entries.a.cloudProviderRateLimit`"),
        ] {
            let why = why(setting).map(|fault| fault.to_string()).unwrap_or_default();
            assert!(why.contains(told), "{setting}: {why}");
        }
        for right in [
            r#""putVMSSVMBatchSize":5,"tagsMap":{"a":"b"},"disableOutboundSNAT":null"#,
            r#""cloudProviderBackoffExponent":1.5,"maximumLoadBalancerRuleCount":9007199254740993"#,
        ] {
            assert_eq!(why(right), None, "{right}");
        }
    }

    #[test]
    fn a_text_tells_its_cloud_where_it_is_a_known_one() {
        let cloud = |text: &str| presumed(text).map(|status| status.cloud_name);
        assert_eq!(cloud("{\"Cloud\":\"azurechinacloud\"}"), Some("AzureChinaCloud".to_owned()));
        assert_eq!(cloud("{\"cloud\":\"AzureMoonCloud\"}"), None);
        assert_eq!(cloud("{\"cloud\":\"\"}"), None);
    }

    #[test]
    fn settings_are_found_without_regard_to_case_and_none_is_lost() {
        let text =
            r#"{"CLOUD":"azurechinacloud","VMType":"vmss","own":[1.50,9007199254740993],"other":null}"#;
        let read = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_default();
        let settled = ccm(&cluster("AzureChinaCloud"), text).map(|text| read(&text));
        let expected = json!({
            "cloud": "AzureChinaCloud",
            "vmType": "vmss",
            "clusterServiceLoadBalancerHealthProbeMode": "shared",
            "own": [1.5, 9_007_199_254_740_993_u64],
            "other": null,
        });
        assert_eq!(settled, Ok(expected));
        let stack =
            ccm(&cluster("AzureStackCloud"), r#"{"cloud":"AzurePublicCloud"}"#).map(|text| read(&text));
        assert_eq!(stack, Ok(json!({ "cloud": "AzurePublicCloud", "vmType": "standard" })));
        // Of names that differ in letter case alone, the last one counts.
        for text in
            [r#"{"cloud":"","CLOUD":"AzurePublicCloud"}"#, r#"{"CLOUD":"","Cloud":"AzurePublicCloud"}"#]
        {
            let name = ccm(&cluster("AzureChinaCloud"), text).map_err(|fault| fault.name());
            assert_eq!(name, Err("cloud-conflict"), "{text}");
        }
        let last = r#"{"Cloud":"AzurePublicCloud","cloud":"AzureChinaCloud"}"#;
        assert!(ccm(&cluster("AzureChinaCloud"), last).is_ok());
        let text = r#"{"TENANTID":"t","tenantId":"u","tenantid":null,"resourcegroup":"r","tenant":5}"#;
        let expected = json!({ "tenantId": "u", "resourceGroup": "r", "tenant": 5, "vmType": "standard" });
        assert_eq!(ccm(&cluster("AzureStackCloud"), text).map(|text| read(&text)), Ok(expected));
        for text in ["", "[]", "a: b", "{\"cloud\":7}"] {
            assert_eq!(presumed(text), None, "{text}");
            let name = ccm(&cluster(""), text).map_err(|fault| fault.name());
            assert_eq!(name, Err("config-unreadable"), "{text}");
        }
    }
}

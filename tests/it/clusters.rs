//! Whole clusters: a config and what the cloud answered go in, and every file must come out equal, as
//! data, to what the OpenShift installer of the same release wrote. `testdata/examples` has those of 4.14,
//! `testdata/examples-4.19` those of 4.19; `LANDFALL_EXAMPLES` and `LANDFALL_EXAMPLES_4_19` name other
//! folders of the same shapes. Each `deviations.yaml` lists, with the reason, where landfall does
//! something else on purpose, and what changes on every run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use base64::Engine;
use landfall_diagnostics::Findings;
use landfall_diagnostics::secret::Secret;
use landfall_install_config::assets;
use landfall_install_config::verdict::{Outcome, Strictness, judge_keeping};
use landfall_model::catalogue::Catalogue;
use landfall_model::facts::Facts;
use landfall_model::plan;
use landfall_model::plan::{Case, Identity, Plan};
use landfall_platform::World;
use landfall_render::{Credentials, Extras, File, Tls, Validity};
use serde::Deserialize;
use serde_json::{Value, json};

mod examples;
mod variations;

/// The examples of one release.
pub struct Set {
    /// The release.
    pub release: &'static str,
    /// Their folder in `testdata`, with the deviations.
    own: &'static str,
    /// Environment variable that names another folder.
    variable: &'static str,
    /// The folders in it that hold the examples: an empty name is the folder itself.
    kinds: &'static [&'static str],
}

/// Every release of which there are examples.
const SETS: [Set; 2] = [
    Set { release: "4.14", own: "examples", variable: "LANDFALL_EXAMPLES", kinds: &["clusters", "variants"] },
    Set { release: "4.19", own: "examples-4.19", variable: "LANDFALL_EXAMPLES_4_19", kinds: &[""] },
];

/// The releases of inputs that say which one has their settings first.
const LATER: &[&str] = &["4.19", "4.20", "4.21", "4.22"];

impl Set {
    fn own_folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(self.own)
    }

    fn folder(&self) -> PathBuf {
        std::env::var_os(self.variable).map_or_else(|| self.own_folder(), PathBuf::from)
    }

    /// The folders of the examples, sorted.
    pub fn examples(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for kind in self.kinds {
            let Ok(entries) = std::fs::read_dir(self.folder().join(kind)) else { continue };
            found.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()));
        }
        found.sort();
        assert!(!found.is_empty(), "no examples in {}", self.folder().display());
        found
    }

    fn deviations(&self) -> Vec<Deviation> {
        let path = self.own_folder().join("deviations.yaml");
        serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }
}

/// One place where landfall's file differs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Deviation {
    /// Path of the file in the example, `*` for any text.
    file: String,
    /// JSON pointers, `*` for any one part; without any, the whole file is left out.
    #[serde(default)]
    at: Vec<String>,
    /// Whether the list at these places is the same but for its order.
    #[serde(default)]
    unordered: bool,
    /// Whether no example at hand shows it, though others do.
    #[serde(default)]
    unseen: bool,
    /// Why. A reader must be able to judge it.
    reason: String,
}

/// The user's environment in the examples.
pub struct Fixed(pub BTreeMap<&'static str, String>);

impl World for Fixed {
    fn variable(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
    fn file(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

fn text_at(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

impl Fixed {
    pub fn of(inputs: &Value) -> Self {
        let azure = |name: &str| text_at(inputs, &format!("/azure/credentials/{name}"));
        let all = [
            ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned()),
            ("AZURE_SUBSCRIPTION_ID", azure("subscriptionId")),
            ("AZURE_TENANT_ID", azure("tenantId")),
            ("AZURE_CLIENT_ID", azure("clientId")),
            ("AZURE_CLIENT_SECRET", azure("clientSecret")),
            ("AZURE_CLIENT_CERTIFICATE_PATH", azure("clientCertificate")),
            ("AZURE_CLIENT_CERTIFICATE_PASSWORD", azure("clientCertificatePassword")),
        ];
        Self(all.into_iter().filter(|(_, value)| !value.is_empty()).collect())
    }
}

fn strings(value: &Value) -> Vec<String> {
    serde_json::from_value(value.clone()).unwrap_or_default()
}

/// What the cloud answered in an example, as facts.
pub fn facts(inputs: &Value, config: &Value) -> Facts {
    let mut value = json!({ "version": 1, "source": "cloud" });
    if let Some(aws) = inputs.get("aws") {
        value["aws"] = aws_facts(aws, config);
    }
    if let Some(azure) = inputs.get("azure") {
        value["azure"] = azure_facts(azure, config);
    }
    Facts::read(value.to_string().as_bytes()).unwrap_or_else(|findings| panic!("{findings:?}"))
}

fn aws_facts(aws: &Value, config: &Value) -> Value {
    let zone = |zone: &Value| {
        json!({
            "name": text_at(zone, "/Name"), "type": text_at(zone, "/Type"),
            "group": text_at(zone, "/GroupName"), "parent": text_at(zone, "/ParentZoneName"),
        })
    };
    let mut zones: Vec<Value> = strings(&aws["availabilityZones"])
        .into_iter()
        .map(|name| json!({ "name": name, "type": "availability-zone" }))
        .collect();
    let lists = ["privateSubnets", "publicSubnets", "edgeSubnets"];
    let given: Vec<&Value> = lists.iter().filter_map(|list| aws[*list].as_array()).flatten().collect();
    let more = ["edgeZones", "localZones"].iter().filter_map(|list| aws[*list].as_array()).flatten();
    zones.extend(more.map(zone));
    let edge = given.iter().map(|subnet| &subnet["Zone"]).filter(|z| text_at(z, "/Type") == "local-zone");
    zones.extend(edge.map(zone));
    let subnets: Vec<Value> = given
        .iter()
        .map(|subnet| {
            json!({
                "id": subnet["ID"], "zone": subnet["Zone"]["Name"], "zoneType": subnet["Zone"]["Type"],
                "cidr": subnet["CIDR"], "public": subnet["Public"].as_bool().unwrap_or(false), "vpc": aws["vpc"],
            })
        })
        .collect();
    let types: BTreeMap<String, Vec<String>> =
        serde_json::from_value(aws["instanceTypeOfferings"].clone()).unwrap_or_default();
    let types: BTreeMap<String, Value> =
        types.into_iter().map(|(name, zones)| (name, json!({ "zones": zones }))).collect();
    let mut value = json!({
        "region": config["platform"]["aws"]["region"],
        "zones": zones,
        "instanceTypes": types,
        "vpc": aws["vpc"].as_str().unwrap_or_default(),
        "subnets": subnets,
    });
    if let Some(id) = aws["publicHostedZoneID"].as_str() {
        value["publicZone"] = json!({ "id": id, "name": config["baseDomain"] });
    }
    value
}

fn azure_facts(azure: &Value, config: &Value) -> Value {
    let zones: BTreeMap<String, Vec<String>> =
        serde_json::from_value(azure["zonesByInstanceType"].clone()).unwrap_or_default();
    let capabilities: BTreeMap<String, BTreeMap<String, String>> =
        serde_json::from_value(azure["vmCapabilities"].clone()).unwrap_or_default();
    let names: BTreeSet<&String> = zones.keys().chain(capabilities.keys()).collect();
    let sizes: BTreeMap<&String, Value> = names
        .into_iter()
        .map(|name| (name, json!({ "zones": zones.get(name), "capabilities": capabilities.get(name) })))
        .collect();
    json!({
        "cloudName": config["platform"]["azure"]["cloudName"].as_str().unwrap_or("AzurePublicCloud"),
        "subscriptionId": text_at(azure, "/credentials/subscriptionId"),
        "tenantId": text_at(azure, "/credentials/tenantId"),
        "clientId": text_at(azure, "/credentials/clientId"),
        "location": { "name": config["platform"]["azure"]["region"] },
        "sizes": sizes,
    })
}

/// Certificates that are no certificates, as those of the examples change on every run.
pub fn tls() -> Tls {
    let block = |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
    let validity = Validity {
        not_before: "2026-11-22T22:50:32Z".to_owned(),
        not_after: "2036-11-19T22:50:32Z".to_owned(),
    };
    Tls {
        root_ca: block("CERTIFICATE"),
        machine_config_server: block("CERTIFICATE"),
        machine_config_server_key: Secret::new(block("PRIVATE KEY")),
        machine_config_server_validity: Some(validity.clone()),
        root_key: Some(Secret::new(block("PRIVATE KEY"))),
        root_validity: Some(validity),
    }
}

/// One example made by landfall, with the files of 4.14.
pub fn made(folder: &Path) -> (Plan, Vec<File>) {
    made_for(first_release(folder).unwrap_or(SETS[0].release), folder)
}

/// The first release that has the settings of an example; none where all have them.
fn first_release(folder: &Path) -> Option<&'static str> {
    let inputs = std::fs::read_to_string(folder.join("inputs.json")).unwrap();
    let inputs: Value = serde_json::from_str(&inputs).unwrap();
    let release = inputs.get("release")?.as_str().unwrap().to_owned();
    Some(LATER.iter().find(|known| **known == release).unwrap_or_else(|| panic!("{release} is not listed")))
}

/// One example made by landfall, with the files of a release.
fn made_for(release: &str, folder: &Path) -> (Plan, Vec<File>) {
    let text = std::fs::read_to_string(folder.join("install-config.yaml")).unwrap();
    let inputs = std::fs::read_to_string(folder.join("inputs.json")).unwrap();
    made_of(release, &folder.display().to_string(), &text, &serde_json::from_str(&inputs).unwrap())
}

/// A cluster of a config and its inputs made by landfall, with the files of a release.
fn made_of(release: &str, name: &str, text: &str, inputs: &Value) -> (Plan, Vec<File>) {
    let verdict = judge_keeping(text.as_bytes(), Strictness::default(), Catalogue::embedded());
    assert_eq!(verdict.outcome, Outcome::Accepted, "{name}: {:?}", verdict.findings);
    let (config, given) = (verdict.config.unwrap(), verdict.given.unwrap());
    let world = Fixed::of(inputs);
    let facts = facts(inputs, &serde_yaml::from_str::<Value>(text).unwrap());
    let identity =
        Identity { infra_id: text_at(inputs, "/infraID"), cluster_id: text_at(inputs, "/clusterID") };
    let catalogue = Catalogue::embedded();
    let case = Case {
        config: &config,
        given: &given,
        facts: &facts,
        catalogue,
        release,
        identity: &identity,
        installed: false,
        own_records: &[],
        engine: plan::Engine::default(),
    };
    let mut out = Findings::default();
    let Some(plan) = assets::plan(&case, &mut out) else {
        panic!("{name}: {:#?}", out.into_vec());
    };
    let credentials = assets::credentials(&config, &world);
    let tls = tls();
    let files = assets::files(&plan, &extras(&credentials, &tls));
    (plan, files)
}

/// What rendering needs besides a plan, where nothing was decided or brought.
pub fn extras<'a>(credentials: &'a Credentials, tls: &'a Tls) -> Extras<'a> {
    Extras {
        credentials,
        tls,
        invoker: "user",
        masters_schedulable: None,
        bootstrap_ignition: None,
        master_ignition: None,
        account: None,
        engine: None,
    }
}

/// The examples of 4.14, whole clusters and variants.
pub fn examples() -> Vec<PathBuf> {
    SETS[0].examples()
}

/// The examples, and further inputs that use what these leave out.
pub fn all() -> Vec<PathBuf> {
    let further = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/plans");
    let entries = std::fs::read_dir(further).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<PathBuf> = entries.filter(|path| path.is_dir()).chain(examples()).collect();
    all.sort();
    all
}

/// All of them with the files of the oldest release and of the newest.
pub fn made_for_all() -> impl Iterator<Item = (PathBuf, Plan, Vec<File>)> {
    let newest = SETS[1].examples().into_iter().chain(all());
    let newest = newest.map(|folder| (first_release(&folder).unwrap_or(SETS[1].release), folder));
    let oldest = all().into_iter().filter(|folder| first_release(folder).is_none());
    let both = oldest.map(|folder| (SETS[0].release, folder)).chain(newest);
    both.map(|(release, folder)| {
        let (plan, files) = made_for(release, &folder);
        (folder, plan, files)
    })
}

/// The files of an example besides its inputs, by path.
fn wanted(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).into_iter().map(Result::unwrap) {
        let path = entry.path().strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
        let other = ["install-config.yaml", "inputs.json"].contains(&path.as_str())
            || path.starts_with("cloud-config-")
            || path.starts_with("cluster-api/");
        if entry.file_type().is_file() && !other {
            found.insert(path, std::fs::read_to_string(entry.path()).unwrap());
        }
    }
    found
}

/// The path in the cluster directory of a file of the examples.
fn own_path(path: &str) -> String {
    if path.starts_with("terraform.") { format!("terraform/{path}") } else { path.to_owned() }
}

/// A text that holds data of its own, as data.
fn unfolded(value: Value) -> Value {
    match value {
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, unfolded(value))).collect(),
        Value::Array(list) => list.into_iter().map(unfolded).collect(),
        Value::String(text) => unfolded_text(text),
        other => other,
    }
}

fn unfolded_text(text: String) -> Value {
    if text.trim_start().starts_with('{')
        && let Ok(value) = serde_json::from_str::<Value>(&text)
    {
        return json!({ "json": unfolded(value) });
    }
    if text.contains('\n')
        && let Ok(value @ Value::Object(_)) = serde_yaml::from_str::<Value>(&text)
    {
        return json!({ "yaml": unfolded(value) });
    }
    let (prefix, data) = match text.strip_prefix("data:text/plain;charset=utf-8;base64,") {
        Some(data) => ("data", data),
        None => ("base64", text.as_str()),
    };
    let decoded = base64::engine::general_purpose::STANDARD.decode(data).ok();
    let decoded = decoded.and_then(|bytes| String::from_utf8(bytes).ok());
    match decoded.filter(|inner| text.len() > 8 && inner.chars().all(|c| !c.is_control() || c == '\n')) {
        Some(inner) => json!({ prefix: unfolded_text(inner) }),
        None => Value::String(text),
    }
}

fn fits(pattern: &str, pointer: &str) -> bool {
    let (mut pattern, mut parts) = (pattern.split('/'), pointer.split('/'));
    loop {
        match (pattern.next(), parts.next()) {
            (None, _) => return true,
            (Some(wanted), Some(part)) if wanted == "*" || wanted == part => {}
            _ => return false,
        }
    }
}

/// Every place at which two values differ.
fn differences(at: &str, wanted: &Value, found: &Value, out: &mut Vec<(String, String)>) {
    match (wanted, found) {
        (Value::Object(a), Value::Object(b)) => {
            for key in a.keys().chain(b.keys()).collect::<BTreeSet<&String>>() {
                let at = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                differences(
                    &at,
                    a.get(key).unwrap_or(&json!("(missing)")),
                    b.get(key).unwrap_or(&json!("(missing)")),
                    out,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                differences(&format!("{at}/{i}"), a, b, out);
            }
        }
        // What differs in each run of the installer.
        (Value::String(a), b) if a.trim() == "<random>" && !b.is_null() && b != "" => {}
        (a, b) if a != b => out.push((at.to_owned(), format!("wanted {a}, found {b}"))),
        _ => {}
    }
}

/// Sorts a list, and says whether that changed anything.
fn sorted(value: &mut Value, at: &str) -> bool {
    let Some(list) = value.pointer_mut(at).and_then(Value::as_array_mut) else {
        return false;
    };
    let before = list.clone();
    list.sort_by_key(ToString::to_string);
    before != *list
}

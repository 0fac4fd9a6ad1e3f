//! The clouds of these tests, and landfall as a user of them sets it up.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value, json};
use walkdir::WalkDir;

use super::arm::{Azure, Scene};
use super::directory::{Application, Directory, Proof};
use super::tree::Tree;
use crate::front::{ALL, ANY, Front, Reply, Rule};
use crate::program::{Landfall, Report, text};

/// A config that says no more than it must.
const QUICKSTART: &str = include_str!("../../../testdata/quickstart/azure.yaml");

/// What a public cloud holds.
const PUBLIC: &str = include_str!("../../../testdata/azure/public.json");
/// What a Stack Hub holds.
const STACK_HUB: &str = include_str!("../../../testdata/azure/stack-hub.json");

pub const SUBSCRIPTION: &str = "11111111-2222-4333-8444-555555555555";
pub const TENANT: &str = "66666666-7777-4888-8999-aaaaaaaaaaaa";
pub const CLIENT: &str = "bbbbbbbb-cccc-4ddd-8eee-ffffffffffff";
pub const SECRET: &str = "c4n4ry~lander.secret";

/// For whom tokens of the public cloud are. The slash at its end is there twice in what is asked for.
pub const AUDIENCE: &str = "https://management.moon.example/";
/// For whom those of the Stack Hub are.
pub const HUB_AUDIENCE: &str = "https://management.hub.example/3cc5febd-e4b7-4a85-a2ed-1d730e2f5928";

/// The subscription's path, or one below it.
pub fn subscription(rest: &str) -> String {
    format!("/subscriptions/{SUBSCRIPTION}{rest}")
}

/// The path of a resource group, or one below it.
pub fn group(name: &str, rest: &str) -> String {
    subscription(&format!("/resourceGroups/{name}{rest}"))
}

/// The application of all users, which proves itself so.
pub fn lander(proof: Proof) -> Application {
    Application { id: CLIENT.to_owned(), proof }
}

fn scene(tree: &str, audience: &str, hub: bool) -> Scene {
    let lander = lander(Proof::Secret(SECRET.to_owned()));
    Scene {
        tree: Tree::of(tree),
        directory: Directory::new(TENANT, audience, vec![lander]),
        troubles: Vec::new(),
        hub,
        login: "",
        delay: Duration::ZERO,
        names: Vec::new(),
        blob_suffix: "",
    }
}

/// A cloud with many locations.
pub fn public() -> Scene {
    scene(PUBLIC, AUDIENCE, false)
}

/// The same cloud with its one location elsewhere, and tokens for its resource manager by its real name.
pub fn of_cloud(location: &str, audience: &str) -> Scene {
    scene(
        &PUBLIC
            .replace("\"eastus\"", &format!("\"{location}\""))
            .replace("/eastus/", &format!("/{location}/")),
        audience,
        false,
    )
}

/// A cloud in somebody's cellar.
pub fn stack_hub() -> Scene {
    scene(STACK_HUB, HUB_AUDIENCE, true)
}

/// The config for a location, with lines of YAML more below `platform.azure`, and lines of settings for the
/// machines of the control plane.
pub fn config_with(region: &str, platform: &str, machines: &str) -> String {
    let given = "    cloudName: AzureUSGovernmentCloud\n    region: usgovvirginia\n";
    let pool = "controlPlane:\n  name: master\n  replicas: 3\n";
    assert!(QUICKSTART.contains(given) && QUICKSTART.contains(pool), "{QUICKSTART}");
    let wanted = format!("    cloudName: AzurePublicCloud\n    region: {region}\n{platform}");
    let machines =
        if machines.is_empty() { String::new() } else { format!("  platform:\n    azure:\n{machines}") };
    QUICKSTART.replace(given, &wanted).replace(pool, &format!("{pool}{machines}"))
}

/// The config for the location that everything is in, with lines of YAML more below `platform.azure`.
pub fn config(platform: &str) -> String {
    config_with("eastus", platform, "")
}

/// The YAML that trusts an authority.
pub fn trusting(pem: &str) -> String {
    let lines: Vec<String> = pem.lines().map(|line| format!("  {line}\n")).collect();
    format!("additionalTrustBundle: |\n{}", lines.concat())
}

/// Where the image of every release can be read.
pub fn image() -> String {
    static STORE: LazyLock<Front> = LazyLock::new(|| {
        Front::start(
            None,
            None,
            vec![Rule::always(ANY, ALL, |_| Reply::new(200, "application/octet-stream", "disk"))],
        )
    });
    format!("{}/rhcos.vhd", STORE.url())
}

/// The public cloud's row of the catalogue, with endpoints of its own.
pub fn overlay(manager: &str, authority: &str) -> Value {
    let row = json!({
        "resourceManagerEndpoint": format!("{manager}/"),
        "activeDirectoryAuthority": format!("{authority}/"),
        "tokenAudience": AUDIENCE,
        "tokenScope": format!("{AUDIENCE}/.default"),
        "microsoftGraphEndpoint": format!("{manager}/graph/"),
    });
    let source = json!({ "azure": { "url": image() } });
    let images: Map<String, Value> = ["4.14", "4.16", "4.17", "4.18", "4.19"]
        .map(|release| (release.to_owned(), json!({ "amd64": source, "arm64": source })))
        .into_iter()
        .collect();
    json!({ "azure": { "clouds": { "AzurePublicCloud": row } }, "images": images })
}

/// Landfall with no credentials, for clouds at these endpoints, whose servers this authority vouches for.
pub fn landfall_at(config: &str, manager: &str, authority: &str, pem: &str) -> Landfall {
    let landfall = Landfall::new(config).naming("SSL_CERT_FILE", "ca.pem", pem);
    let catalogue = landfall.directory().join("catalogue.json");
    std::fs::write(catalogue, overlay(manager, authority).to_string()).unwrap();
    landfall
}

/// Landfall with no credentials.
pub fn stranger(azure: &Azure, config: &str) -> Landfall {
    landfall_at(config, &azure.url(), &azure.url(), &azure.pem)
}

/// With the ids of the subscription, the tenant and an application.
pub fn with_ids(landfall: Landfall) -> Landfall {
    landfall
        .with("AZURE_SUBSCRIPTION_ID", SUBSCRIPTION)
        .with("AZURE_TENANT_ID", TENANT)
        .with("AZURE_CLIENT_ID", CLIENT)
}

/// Landfall with the secret of an application.
pub fn landfall(azure: &Azure, config: &str) -> Landfall {
    with_ids(stranger(azure, config)).with("AZURE_CLIENT_SECRET", SECRET)
}

/// The checks whose ids begin so.
pub fn checks<'r>(report: &'r Report, beginning: &str) -> Vec<&'r Value> {
    report.all().iter().filter(|check| text(check, "id").starts_with(beginning)).collect()
}

/// The one check that tells a finding, which must be of such a subject.
#[track_caller]
pub fn told<'r>(report: &'r Report, code: &str, subject: &str) -> &'r Value {
    let found = report.all().iter().find(|check| text(check, "code") == code);
    let Some(check) = found else {
        panic!("nobody tells {code}: {}", report.ran);
    };
    assert!(text(check, "id").starts_with(subject), "{check}");
    check
}

/// Every file below a directory but landfall's own records.
pub fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    WalkDir::new(directory)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
            (path, std::fs::read(entry.path()).unwrap())
        })
        .filter(|(path, _)| !path.starts_with(".landfall"))
        .collect()
}

/// Nothing in the cloud is changed: tokens are asked for, and everything else is looked at.
#[track_caller]
pub fn only_reads(azure: &Azure) {
    let changing: Vec<String> = azure
        .asked()
        .iter()
        .filter(|one| one.call.method != "GET")
        .filter(|one| !(one.call.method == "POST" && one.call.path.ends_with("/oauth2/v2.0/token")))
        .map(|one| format!("{} {}", one.call.method, one.call.path))
        .collect();
    assert!(changing.is_empty(), "{changing:?}");
}

//! `landfall create manifests`, as a user runs it.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use landfall_diagnostics::Findings;
use landfall_install_config::assets;
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::plan::{Case, Engine, Identity};
use landfall_platform::Offline;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::clusters::Fixed;

mod catalogue;
mod graph;
mod inputs;
mod releases;
mod streams;

/// What planning with the catalogue alone finds in a config.
pub fn planned_offline(config: &InstallConfig, given: &InstallConfig) -> Findings {
    let catalogue = Catalogue::embedded();
    let release = catalogue.default_release().unwrap();
    let world = Fixed::of(&json!({ "azure": { "credentials": {
        "subscriptionId": "00000000-0000-0000-0000-000000000001",
        "tenantId": "00000000-0000-0000-0000-000000000002",
        "clientId": "00000000-0000-0000-0000-000000000003",
        "clientSecret": "EXAMPLE",
    } } }));
    let credentials = assets::credentials(config, &world);
    let mut out = Findings::default();
    let facts =
        assets::offline_facts(&Offline { config, catalogue, release, credentials: &credentials }, &mut out);
    let identity = Identity { infra_id: "page-bcd24".to_owned(), cluster_id: String::new() };
    let case = Case {
        config,
        given,
        facts: &facts,
        catalogue,
        release,
        identity: &identity,
        installed: false,
        own_records: &[],
        engine: Engine::default(),
    };
    let _ = assets::plan(&case, &mut out);
    out
}

const CONFIG: &str = include_str!("../../testdata/quickstart/aws.yaml");

fn directory(config: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("install-config.yaml"), config).unwrap();
    directory
}

/// Nobody listens there.
const CLOSED: &str = "http://127.0.0.1:9";

fn run(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["create", "manifests", "--dir"])
        .arg(directory)
        .args(arguments)
        .env_clear()
        .env("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
        .env("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        // No test talks to the real cloud.
        .env("HTTPS_PROXY", CLOSED)
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Every file below a directory but landfall's own records.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    walkdir::WalkDir::new(directory)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            (entry.path().strip_prefix(directory).unwrap().to_str().unwrap().to_owned(), entry.into_path())
        })
        .filter(|(path, _)| !path.starts_with(".landfall"))
        .map(|(path, full)| (path, std::fs::read(full).unwrap()))
        .collect()
}

#[test]
fn writes_the_whole_set_with_the_catalogue_alone() {
    let directory = directory(CONFIG);
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let files = files(directory.path());
    for wanted in [
        "facts.json",
        "metadata.json",
        "manifests/cluster-infrastructure-02-config.yml",
        "openshift/99_cloud-creds-secret.yaml",
        "terraform/cluster/main.tf",
        "terraform/terraform.platform.auto.tfvars.json",
    ] {
        assert!(files.contains_key(wanted), "{wanted} is missing: {:?}", files.keys());
    }
    for (path, _) in files {
        let mode = std::fs::metadata(directory.path().join(&path)).unwrap().permissions().mode() & 0o777;
        let secret = path.contains("secret.yaml")
            || path.contains(".key")
            || path.contains(".ign")
            || path.ends_with(".tfvars.json");
        if secret {
            assert_eq!(mode, 0o600, "{path}");
        }
    }
    assert!(said(&output).contains("LF0710"), "{}", said(&output));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let (one, two) = (directory(CONFIG), directory(CONFIG));
    let fixed = ["--offline", "--infra-id", "demo-bcd24"];
    assert_eq!(run(one.path(), &fixed).status.code(), Some(0));
    // The certificates are new in every directory, unless they are there.
    std::fs::create_dir_all(two.path().join("auth")).unwrap();
    assert!(
        Command::new("cp")
            .arg("-r")
            .arg(one.path().join("auth/tls"))
            .arg(two.path().join("auth/tls"))
            .status()
            .unwrap()
            .success()
    );
    let facts = one.path().join("facts.json");
    let output = run(two.path(), &["--facts", facts.to_str().unwrap(), "--infra-id", "demo-bcd24"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(files(one.path()), files(two.path()));
}

#[test]
fn a_second_run_changes_nothing() {
    let directory = directory(CONFIG);
    assert_eq!(run(directory.path(), &["--offline"]).status.code(), Some(0));
    let before = files(directory.path());
    let facts = directory.path().join("facts.json");
    let output = run(directory.path(), &["-o", "json", "--facts", facts.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["written"], json!([]));
    assert_eq!(report["facts"], "catalogue");
    assert_eq!(before, files(directory.path()));
}

#[test]
fn hand_edits_are_kept_and_told() {
    let directory = directory(CONFIG);
    assert_eq!(run(directory.path(), &["--offline"]).status.code(), Some(0));
    let scheduler = directory.path().join("manifests/cluster-scheduler-02-config.yml");
    let edited = std::fs::read_to_string(&scheduler).unwrap().replace("false", "true");
    std::fs::write(&scheduler, &edited).unwrap();
    std::fs::write(directory.path().join("manifests/99-mine.yaml"), "apiVersion: v1\nkind: ConfigMap\n")
        .unwrap();
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains(": manifests/cluster-scheduler-02-config.yml"), "{}", said(&output));
    assert!(said(&output).contains("manifests/99-mine.yaml"), "{}", said(&output));
    assert_eq!(std::fs::read_to_string(&scheduler).unwrap(), edited);
    let variables = std::fs::read(directory.path().join("terraform/terraform.tfvars.json")).unwrap();
    let variables: Value = serde_json::from_slice(&variables).unwrap();
    assert_eq!(variables["masters_schedulable"], true);
}

#[test]
fn points_at_an_edited_manifest_that_cannot_be_read() {
    let directory = directory(CONFIG);
    assert_eq!(run(directory.path(), &["--offline"]).status.code(), Some(0));
    let dns = directory.path().join("manifests/cluster-dns-02-config.yml");
    std::fs::write(&dns, "apiVersion: config.openshift.io/v1\nkind: DNS\nspec: [\n").unwrap();
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("cluster-dns-02-config.yml:"), "{}", said(&output));
    // Not an object any more.
    std::fs::write(&dns, "spec: {}\n").unwrap();
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("LF0654") && said(&output).contains("`kind`"), "{}", said(&output));
    // Of a secret nothing is shown.
    std::fs::remove_file(&dns).unwrap();
    let secret = directory.path().join("manifests/openshift-config-secret-pull-secret.yaml");
    std::fs::write(&secret, "kind: Secret\ndata: {x: hunter2, [\n").unwrap();
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("line 2") && !said(&output).contains("hunter2"), "{}", said(&output));
}

#[test]
fn nothing_is_written_for_a_config_that_cannot_be_planned() {
    let directory = directory(&CONFIG.replace("us-east-1", "xx-hidden-1"));
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    for service in ["ec2", "elasticloadbalancing", "s3", "iam", "route53", "tagging", "sts"] {
        // The YAML to add stands on lines of its own.
        let said = said(&output);
        let lines: Vec<&str> = said.lines().map(str::trim).collect();
        let wanted = [format!("- name: {service}"), "url: https://...".to_owned()];
        assert!(lines.windows(2).any(|pair| pair == wanted), "{service}: {said}");
        assert_eq!(said.matches("LF0422").count(), 1, "{said}");
    }
    assert_eq!(files(directory.path()).len(), 1);
}

/// The control plane's own image is not that of the other pools.
#[test]
fn a_pool_without_an_image_takes_that_of_its_region() {
    let own = "  replicas: 3\n  platform:\n    aws:\n      amiID: ami-0own\ncompute:";
    let config = CONFIG.replace("  replicas: 3\ncompute:", own);
    assert!(config.contains("ami-0own"));
    let made = directory(&config);
    assert_eq!(run(made.path(), &["--offline"]).status.code(), Some(0));
    let files = files(made.path());
    let text = |path: &str| String::from_utf8_lossy(&files[path]).into_owned();
    assert!(text("openshift/99_openshift-cluster-api_master-machines-0.yaml").contains("ami-0own"));
    assert!(!text("openshift/99_openshift-cluster-api_worker-machineset-0.yaml").contains("ami-0own"));
    assert!(text("terraform/terraform.platform.auto.tfvars.json").contains("ami-0own"));
    // Where the region has none, terraform makes a single copy, which such a pool could not name.
    let hidden = directory(&config.replace("us-east-1", "us-hidden-1"));
    let output = run(hidden.path(), &["--offline"]);
    assert!(said(&output).contains("LF0702"), "{}", said(&output));
}

/// The cluster's `Infrastructure` object takes no blank but the space in tags.
#[test]
fn tags_that_are_copied_into_the_cluster_fit_its_object() {
    let tagged = |propagate: bool| {
        let tags = format!(
            "region: us-east-1\n    propagateUserTags: {propagate}\n    userTags: {{\"a\\u00a0b\": x}}"
        );
        let directory = directory(&CONFIG.replace("region: us-east-1", &tags));
        let output = run(directory.path(), &["--offline"]);
        (output.status.code(), said(&output))
    };
    let (code, text) = tagged(true);
    assert!(
        code == Some(4) && text.contains("contains a whitespace character other than the space"),
        "{text}"
    );
    assert_eq!(tagged(false).0, Some(0));
}

#[test]
fn a_misspelt_region_is_distinguished_from_a_hidden_one() {
    let typo = directory(&CONFIG.replace("us-east-1", "us-east1"));
    let output = run(typo.path(), &["--offline"]);
    assert!(said(&output).contains("`us-east-1`?"), "{}", said(&output));
    let hidden = directory(&CONFIG.replace("us-east-1", "xx-hidden-1"));
    let output = run(hidden.path(), &["--offline"]);
    assert!(!said(&output).contains("`?"), "{}", said(&output));
}

#[test]
fn says_how_to_do_without_a_cloud_that_cannot_be_asked() {
    let directory = directory(CONFIG);
    let output = run(directory.path(), &[]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("--facts") && said(&output).contains("--offline"), "{}", said(&output));
    assert!(!directory.path().join("metadata.json").exists());
}

#[test]
fn refuses_facts_of_another_version() {
    let directory = directory(CONFIG);
    let facts = directory.path().join("other.json");
    std::fs::write(&facts, "{\n  \"version\": 2,\n  \"source\": \"cloud\"\n}\n").unwrap();
    let output = run(directory.path(), &["--facts", facts.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("LF0610") && said(&output).contains("other.json:2:"), "{}", said(&output));
    std::fs::write(&facts, "{\n  \"version\": 1,\n  \"aws\": {\n    \"regoin\": \"a\"\n  }\n}\n").unwrap();
    let output = run(directory.path(), &["--facts", facts.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("regoin") && said(&output).contains("other.json:4:"), "{}", said(&output));
}

#[test]
fn refuses_facts_of_another_region() {
    let directory = directory(CONFIG);
    assert_eq!(run(directory.path(), &["--offline"]).status.code(), Some(0));
    let config = directory.path().join("install-config.yaml");
    std::fs::write(&config, CONFIG.replace("us-east-1", "us-east-2")).unwrap();
    let facts = directory.path().join("facts.json");
    let output = run(directory.path(), &["--facts", facts.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("LF0711"), "{}", said(&output));
    assert_eq!(run(directory.path(), &["--offline"]).status.code(), Some(0));
}

#[test]
fn a_directory_is_that_of_one_cluster() {
    let directory = directory(CONFIG);
    assert_eq!(run(directory.path(), &["--offline"]).status.code(), Some(0));
    let before = files(directory.path());
    let config = directory.path().join("install-config.yaml");
    std::fs::write(&config, CONFIG.replace("name: demo", "name: other")).unwrap();
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("LF0655") && said(&output).contains("`demo`"), "{}", said(&output));
    let after = files(directory.path());
    assert_eq!(before.get("metadata.json"), after.get("metadata.json"));
}

#[test]
fn metadata_that_cannot_be_used_is_refused_and_nothing_is_written() {
    let directory = directory(CONFIG);
    assert_eq!(run(directory.path(), &["--offline"]).status.code(), Some(0));
    std::fs::write(directory.path().join("metadata.json"), "{\"clusterName\":\"de").unwrap();
    let before = files(directory.path());
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("LF1381") && said(&output).contains("metadata.json"), "{}", said(&output));
    assert_eq!(before, files(directory.path()));
}

#[test]
fn says_that_there_is_no_config() {
    let directory = tempfile::tempdir().unwrap();
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let missing = directory.path().display().to_string();
    assert!(said(&output).contains("install-config.yaml") && said(&output).contains(&missing));
}

#[test]
fn names_the_releases_that_are_known() {
    let directory = directory(CONFIG);
    let output = run(directory.path(), &["--offline", "--release", "4.3"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(
        said(&output).contains("LF0652") && said(&output).contains("4.14, 4.15, 4.16"),
        "{}",
        said(&output)
    );
}

#[test]
fn refuses_what_cannot_be_an_infrastructure_id() {
    let directory = directory(CONFIG);
    for id in ["Demo-1", "-demo", "demo-", "a_b", "", "abcdefghijklmnopqrstuvwxyz-12"] {
        let output = run(directory.path(), &["--offline", &format!("--infra-id={id}")]);
        assert_eq!(output.status.code(), Some(2), "{id}: {}", said(&output));
        assert!(said(&output).contains("LF0653"), "{}", said(&output));
    }
}

#[test]
fn every_zone_of_a_pool_needs_a_subnet() {
    let config = CONFIG.replace(
        "    region: us-east-1\n",
        "    region: us-east-1\n    vpc:\n      \
        subnets:\n      - id: subnet-0aaaaaaaaaaaaaaaa\n      - id: subnet-0bbbbbbbbbbbbbbbb\n    \
        defaultMachinePlatform:\n      type: m5.xlarge\n      zones: [us-east-1b]\n",
    );
    let directory = directory(&config);
    let subnet = |id: &str, public: bool| json!({ "id": id, "zone": "us-east-1a", "cidr": "10.0.0.0/24", "vpc": "vpc-1", "public": public });
    let facts = json!({ "version": 1, "source": "cloud", "aws": {
        "region": "us-east-1", "vpc": "vpc-1",
        "subnets": [subnet("subnet-0aaaaaaaaaaaaaaaa", false), subnet("subnet-0bbbbbbbbbbbbbbbb", true)],
    } });
    let path = directory.path().join("given.json");
    std::fs::write(&path, facts.to_string()).unwrap();
    let output = run(directory.path(), &["--facts", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("LF0709") && said(&output).contains("us-east-1b"), "{}", said(&output));
}

#[test]
fn existing_subnets_are_one_of_a_kind_in_each_zone() {
    let subnets = ["subnet-0aaaaaaaaaaaaaaaa", "subnet-0bbbbbbbbbbbbbbbb"];
    let list: String = subnets.map(|id| format!("      - id: {id}\n")).concat();
    let config = CONFIG.replace(
        "    region: us-east-1\n",
        &format!("    region: us-east-1\n    vpc:\n      subnets:\n{list}"),
    );
    let directory = directory(&config);
    let given: Vec<Value> = subnets
        .iter()
        .map(|id| json!({ "id": id, "zone": "us-east-1a", "cidr": "10.0.0.0/24", "vpc": "vpc-1" }))
        .collect();
    let facts = json!({ "version": 1, "source": "cloud", "aws": {
        "region": "us-east-1", "vpc": "vpc-1", "subnets": given,
        "instanceTypes": { "m6i.xlarge": { "zones": ["us-east-1a"] } },
    } });
    let path = directory.path().join("given.json");
    std::fs::write(&path, facts.to_string()).unwrap();
    let output = run(directory.path(), &["--facts", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    for part in ["LF0713", "two private subnets", "no public one"] {
        assert!(said(&output).contains(part), "{part}: {}", said(&output));
    }
}

#[test]
fn a_bundle_must_fit_into_user_data() {
    let names = landfall_certificates::Names { domain: "a.example.com", addresses: &[] };
    let certificate =
        landfall_certificates::issue(names, jiff::civil::date(2026, 1, 1), None).unwrap().root_ca;
    let bundle = certificate.repeat(25);
    let lines: String = format!("  {}\n", bundle.trim_end().replace('\n', "\n  "));
    let directory = directory(&format!("{CONFIG}additionalTrustBundle: |-\n{lines}"));
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    assert!(said(&output).contains("LF0714"), "{}", said(&output));
}

#[test]
fn a_directory_keeps_its_infrastructure_id() {
    let directory = directory(CONFIG);
    assert_eq!(run(directory.path(), &["--offline", "--infra-id", "demo-bcd24"]).status.code(), Some(0));
    let output = run(directory.path(), &["--offline", "--infra-id", "demo-xxxxx"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(said(&output).contains("LF0655") && said(&output).contains("`demo-bcd24`"), "{}", said(&output));
}

#[test]
fn a_fleet_is_made_in_one_run() {
    let fleet = tempfile::tempdir().unwrap();
    for name in ["one", "two", "three"] {
        let region = if name == "three" { "xx-hidden-1" } else { "us-east-1" };
        std::fs::create_dir(fleet.path().join(name)).unwrap();
        let config = CONFIG.replace("name: demo", &format!("name: {name}")).replace("us-east-1", region);
        std::fs::write(fleet.path().join(name).join("install-config.yaml"), config).unwrap();
    }
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["create", "manifests", "--offline", "-o", "json", "--fleet"])
        .arg(fleet.path())
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let lines: Vec<Value> = output
        .stdout
        .split(|b| *b == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3);
    assert!(
        fleet.path().join("one/metadata.json").exists() && fleet.path().join("two/metadata.json").exists()
    );
    assert!(!fleet.path().join("three/metadata.json").exists());
}

#[test]
fn a_killed_run_is_finished_by_the_next() {
    let whole = directory(CONFIG);
    assert_eq!(run(whole.path(), &["--offline", "--infra-id", "demo-bcd24"]).status.code(), Some(0));
    let wanted: Vec<String> = files(whole.path()).into_keys().collect();
    for delay in [1, 3, 6, 10, 15, 25] {
        let directory = directory(CONFIG);
        let mut child = Command::new(env!("CARGO_BIN_EXE_landfall"))
            .args(["create", "manifests", "--offline", "--infra-id", "demo-bcd24", "--dir"])
            .arg(directory.path())
            .stderr(std::process::Stdio::null())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
        let output = run(directory.path(), &["--offline", "--infra-id", "demo-bcd24", "-o", "json"]);
        assert_eq!(output.status.code(), Some(0), "{delay}: {}", said(&output));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["kept"], json!([]), "{delay}");
        let found: Vec<String> = files(directory.path()).into_keys().collect();
        assert_eq!(found, wanted, "{delay}");
    }
}

//! Ignition files: taken from a directory, or made by a program that plays the OpenShift installer's.

use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use landfall::prepare::{
    Basis, BasisOptions, Environment, FactsFrom, IgnitionFrom, Options, Prepared, Refusal, prepare,
};
use landfall::workdir::Durability;
use landfall_diagnostics::Finding;
use landfall_install_config::verdict::Strictness;
use serde_json::{Value, json};
use tempfile::TempDir;

mod program;
mod release;
mod user_dns;

const CONFIG: &str = include_str!("../../testdata/quickstart/aws.yaml");
const CANARY: &str = "c4n4ryc4n4ry";
const ID: &str = "demo-bcd24";
/// A year in which certificates are still valid.
const LATER: i32 = 2999;
/// One in which they no longer are.
const EARLIER: i32 = 2001;

fn write(path: &Path, text: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

fn json_of(path: &Path) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

/// A cluster directory with a config.
fn cluster() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    write(&directory.path().join("install-config.yaml"), CONFIG);
    directory
}

fn run(directory: &Path, ignition: IgnitionFrom) -> Result<Prepared, Refusal> {
    run_for(None, directory, ignition)
}

/// The same for a release.
fn run_for(release: Option<&str>, directory: &Path, ignition: IgnitionFrom) -> Result<Prepared, Refusal> {
    let options = Options {
        strictness: Strictness::default(),
        facts: FactsFrom::Catalogue,
        infra_id: Some(ID.to_owned()),
        cluster_id: None,
        ignition,
        engine: None,
        durability: Durability::Process,
    };
    let release = release.map(str::to_owned);
    let basis = BasisOptions { release, own_release: true, ..BasisOptions::default() };
    let Ok(basis) = Basis::new(&basis, directory) else { panic!("no catalogue") };
    prepare(directory, &basis, &options, Environment)
}

fn taken(directory: &Path, from: &Path) -> Result<Prepared, Refusal> {
    run(directory, IgnitionFrom::Directory(from.to_owned()))
}

fn prepared(result: Result<Prepared, Refusal>) -> Prepared {
    match result {
        Ok(prepared) => prepared,
        Err(Refusal::Failed(error)) => panic!("{error:?}"),
        Err(
            Refusal::Invalid(said)
            | Refusal::Usage(said)
            | Refusal::Unfit(said)
            | Refusal::NoFacts(said)
            | Refusal::Outside(said),
        ) => panic!("{:#?}", said.findings),
    }
}

fn refused(result: Result<Prepared, Refusal>) -> Vec<Finding> {
    match result {
        Err(Refusal::Invalid(said)) => said.findings,
        other => panic!("not refused as not valid: {}", other.is_ok()),
    }
}

fn codes(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// The codes about ignition files among what is worth saying.
fn warned(prepared: &Prepared) -> Vec<&'static str> {
    codes(&prepared.said.findings).into_iter().filter(|code| code.starts_with("LF067")).collect()
}

fn certificate(year: i32) -> String {
    let key = rcgen::KeyPair::generate().unwrap();
    let mut params = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
    params.not_before = rcgen::date_time_ymd(2000, 1, 1);
    params.not_after = rcgen::date_time_ymd(year, 1, 1);
    params.self_signed(&key).unwrap().pem()
}

fn file(path: &str, text: &str) -> Value {
    let source = format!("data:text/plain;charset=utf-8;base64,{}", STANDARD.encode(text));
    json!({ "path": path, "mode": 420, "contents": { "source": source } })
}

fn bootstrap(year: i32, infra_id: &str) -> String {
    let infrastructure = format!("kind: Infrastructure\nstatus:\n  infrastructureName: {infra_id}\n");
    json!({
        "ignition": { "version": "3.2.0" },
        "passwd": { "users": [{ "name": "core", "passwordHash": CANARY }] },
        "storage": {
            "directories": [{ "path": "/d" }],
            "files": [
                file("/opt/openshift/tls/root-ca.crt", &certificate(LATER)),
                file("/opt/openshift/tls/kubelet-signer.crt", &certificate(year)),
                file("/opt/openshift/tls/kubelet-signer.key", CANARY),
                file("/opt/openshift/manifests/cluster-infrastructure-02-config.yml", &infrastructure),
            ],
        },
    })
    .to_string()
}

fn pointer(role: &str) -> String {
    json!({ "ignition": {
        "version": "3.2.0",
        "config": { "merge": [{ "source": format!("https://api-int.demo.example.com:22623/config/{role}") }] },
    } })
    .to_string()
}

fn put_ignition(directory: &Path, bootstrap: &str) {
    write(&directory.join("bootstrap.ign"), bootstrap);
    write(&directory.join("master.ign"), pointer("master"));
    write(&directory.join("worker.ign"), pointer("worker"));
}

/// A directory with ignition files of the cluster.
fn made(year: i32) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    put_ignition(directory.path(), &bootstrap(year, ID));
    directory
}

/// Lets a stage look as if terraform had made something.
fn stand(directory: &Path) {
    let state = json!({ "version": 4, "resources": [{ "mode": "managed", "type": "x", "name": "y", "instances": [{}] }] });
    write(&directory.join("terraform/cluster/terraform.tfstate"), state.to_string());
}

/// Nothing of the cluster was written.
fn untouched(directory: &Path) {
    assert!(!directory.join("terraform").exists() && !directory.join("metadata.json").exists());
    assert!(!directory.join(".landfall/openshift-install").exists());
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// What terraform is told of ignition: the bootstrap machine's config, and the control plane's as text.
fn variables(directory: &Path) -> (Value, String) {
    let variables = json_of(&directory.join("terraform/terraform.tfvars.json"));
    let text = |name: &str| variables[name].as_str().unwrap_or_default().to_owned();
    assert_eq!(text("ignition_bootstrap"), read(&directory.join("terraform/bootstrap.ign")));
    (serde_json::from_str(&text("ignition_bootstrap")).unwrap(), text("ignition_master"))
}

fn paths(bootstrap: &Value) -> Vec<&str> {
    let files = bootstrap["storage"]["files"].as_array().unwrap();
    files.iter().map(|file| file["path"].as_str().unwrap()).collect()
}

#[test]
fn files_of_a_directory_become_variables() {
    let (cluster, ignition) = (cluster(), made(LATER));
    let done = prepared(taken(cluster.path(), ignition.path()));
    assert_eq!(warned(&done), Vec::<&str>::new());
    let (bootstrap, master) = variables(cluster.path());
    assert_eq!(master, pointer("master"));
    assert_eq!(paths(&bootstrap).last(), Some(&"/opt/openshift/manifests/openshift-install.yaml"));
    assert_eq!(paths(&bootstrap).len(), 5);
    assert_eq!(bootstrap["storage"]["directories"][0]["path"], "/d");
    assert_eq!(bootstrap["passwd"]["users"][0]["passwordHash"], CANARY);
    assert_eq!(mode(&cluster.path().join("terraform/bootstrap.ign")), 0o600);
    // Of the cluster's own directory they are as good.
    put_ignition(cluster.path(), &read(&ignition.path().join("bootstrap.ign")));
    let again = prepared(taken(cluster.path(), cluster.path()));
    assert_eq!(again.report.written, Vec::<String>::new());
    // A run that starts no machine needs none and leaves them where they are.
    prepared(run(cluster.path(), IgnitionFrom::None));
    assert!(cluster.path().join("worker.ign").exists());
    let (bare, master) = variables(cluster.path());
    assert_eq!((paths(&bare).len(), master.contains("certificateAuthorities")), (1, true));
}

#[test]
fn what_gives_access_comes_along() {
    let (cluster, ignition) = (cluster(), made(LATER));
    write(&ignition.path().join("auth/kubeconfig"), "one");
    let done = prepared(taken(cluster.path(), ignition.path()));
    assert!(done.report.written.contains(&"auth/kubeconfig".to_owned()));
    let kubeconfig = cluster.path().join("auth/kubeconfig");
    assert_eq!((read(&kubeconfig), mode(&kubeconfig)), ("one".to_owned(), 0o600));
    // Landfall's own is replaced, the user's is not.
    write(&ignition.path().join("auth/kubeconfig"), "two");
    prepared(taken(cluster.path(), ignition.path()));
    prepared(run(cluster.path(), IgnitionFrom::None));
    assert_eq!(read(&kubeconfig), "two");
    write(&kubeconfig, "mine");
    assert_eq!(codes(&refused(taken(cluster.path(), ignition.path()))), ["LF0677"]);
    assert_eq!(read(&kubeconfig), "mine");
}

#[test]
fn missing_files_are_reported_with_what_to_do() {
    let cluster = cluster();
    let findings = refused(taken(cluster.path(), cluster.path()));
    assert_eq!(codes(&findings), ["LF0670"]);
    let directory = cluster.path().display().to_string();
    let wanted =
        format!("bootstrap.ign, master.ign and worker.ign are missing in {directory}; nothing was created");
    assert_eq!(findings[0].message, wanted);
    let help = findings[0].help.clone().unwrap();
    for command in [
        format!("landfall create cluster --dir {directory} --ignition openshift-install"),
        "--ignition DIR".to_owned(),
    ] {
        assert!(help.contains(&command), "{command}: {help}");
    }
    untouched(cluster.path());
}

/// What lies in a directory.
fn entries(directory: &Path) -> Vec<String> {
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_look_tells_what_is_missing_and_leaves_nothing() {
    let cluster = cluster();
    let look = |from: IgnitionFrom| match from.look(cluster.path()) {
        Ok(()) => Vec::new(),
        Err(Refusal::Invalid(said)) => codes(&said.findings),
        Err(
            Refusal::Usage(_)
            | Refusal::Outside(_)
            | Refusal::Unfit(_)
            | Refusal::NoFacts(_)
            | Refusal::Failed(_),
        ) => panic!("not refused as not valid"),
    };
    let own = || IgnitionFrom::Directory(cluster.path().to_owned());
    assert_eq!(look(own()), ["LF0670"]);
    let program = IgnitionFrom::OpenshiftInstall;
    assert_eq!(look(program(cluster.path().join("openshift-install"))), ["LF0676"]);
    assert_eq!(look(program("/bin/sh".into())), Vec::<&str>::new());
    assert_eq!(look(IgnitionFrom::None), Vec::<&str>::new());
    assert_eq!(entries(cluster.path()), ["install-config.yaml"]);
    // Whose they are and how long they are valid is not asked yet.
    put_ignition(cluster.path(), &bootstrap(EARLIER, "other-zzzzz"));
    assert_eq!(look(own()), Vec::<&str>::new());
    write(&cluster.path().join("master.ign"), "{}");
    assert_eq!(look(own()), ["LF0671"]);
}

/// Runs landfall where no cloud can be reached; its exit code and what it says.
fn landfall(directory: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(arguments)
        .arg("--dir")
        .arg(directory)
        .env_clear()
        .env("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
        .env("AWS_SECRET_ACCESS_KEY", CANARY)
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .env("HTTPS_PROXY", "http://127.0.0.1:9")
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// A program that tells its version as terraform does, and no more.
fn terraform(folder: &Path) -> String {
    let path = folder.join("terraform");
    // Written by another process, as none may be started while this one has it open.
    let text =
        r#"printf '%s\n' '#!/bin/sh' 'echo "{\"terraform_version\":\"1.11.4\"}"' > "$0" && chmod 755 "$0""#;
    assert!(Command::new("/bin/sh").args(["-c", text]).arg(&path).status().unwrap().success());
    path.to_str().unwrap().to_owned()
}

#[test]
fn missing_files_are_reported_before_the_cloud_is_asked() {
    let (cluster, folder) = (cluster(), tempfile::tempdir().unwrap());
    let terraform = terraform(folder.path());
    let program = ["--terraform", terraform.as_str(), "--engine", "terraform"];
    for engine in [&[][..], &program, &program[..2]] {
        let (code, said) = landfall(cluster.path(), &[&["create", "cluster", "--yes"], engine].concat());
        assert_eq!(code, Some(3), "{said}");
        let first = said.lines().find(|line| line.starts_with("error[LF0670]: ")).unwrap_or_default();
        for file in ["bootstrap.ign", "master.ign", "worker.ign"] {
            assert!(first.contains(file), "{file}: {said}");
        }
        // There is no place to point at, and the cloud would have been of no help.
        for other in ["-->", "field:", "rejected", "preflight"] {
            assert!(!said.contains(other), "{other}: {said}");
        }
    }
    // Whoever names a program of terraform means that engine.
    let (code, said) = landfall(cluster.path(), &["create", "cluster", "--yes", "--terraform", "/nowhere"]);
    assert!(code == Some(1) && said.contains("error[LF1200]"), "{said}");
    assert_eq!(entries(cluster.path()), [".landfall", "install-config.yaml"]);
    assert_eq!(entries(&cluster.path().join(".landfall")), ["landfall.log"]);
    // Who only wants to see what would be made needs none.
    let (code, said) = landfall(cluster.path(), &["create", "cluster", "--plan", "--offline"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(entries(cluster.path()), [".landfall", "install-config.yaml"]);
}

#[test]
fn a_directory_without_a_cluster_stays_as_it_is() {
    let nothing = tempfile::tempdir().unwrap();
    for (command, words) in [
        (["create", "cluster", "--yes"], "landfall create install-config"),
        (["destroy", "bootstrap", "--yes"], "metadata.json"),
    ] {
        let (code, said) = landfall(nothing.path(), &command);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(words), "{said}");
        assert_eq!(entries(nothing.path()), Vec::<String>::new());
    }
}

#[test]
fn all_faults_are_reported_at_once_and_no_secret() {
    let (cluster, ignition) = (cluster(), tempfile::tempdir().unwrap());
    write(&ignition.path().join("bootstrap.ign"), format!("{{\"{CANARY}\": {CANARY}"));
    let older = json!({ "ignition": { "version": "2.2.0" }, "x": CANARY });
    write(&ignition.path().join("master.ign"), older.to_string());
    let findings = refused(taken(cluster.path(), ignition.path()));
    assert_eq!(codes(&findings), ["LF0670", "LF0671", "LF0672"]);
    assert!(!format!("{findings:?}").contains(CANARY), "{findings:?}");
    untouched(cluster.path());
}

#[test]
fn certificates_must_be_valid() {
    let (cluster, ignition) = (cluster(), made(EARLIER));
    let findings = refused(taken(cluster.path(), ignition.path()));
    assert_eq!(codes(&findings), ["LF0673"]);
    assert!(findings[0].message.contains("2001-01-01T00:00:00Z"), "{}", findings[0].message);
    untouched(cluster.path());
    // What stands already does not start anew.
    stand(cluster.path());
    assert_eq!(warned(&prepared(taken(cluster.path(), ignition.path()))), ["LF0679"]);
}

#[test]
fn files_of_another_cluster_are_refused() {
    let (cluster, ignition) = (cluster(), tempfile::tempdir().unwrap());
    put_ignition(ignition.path(), &bootstrap(LATER, "other-zzzzz"));
    let findings = refused(taken(cluster.path(), ignition.path()));
    assert_eq!(codes(&findings), ["LF0675"]);
    assert!(findings[0].help.clone().unwrap().contains("--infra-id other-zzzzz"));
    untouched(cluster.path());
    // Where the files do not say it themselves, the record beside them does.
    put_ignition(ignition.path(), &pointer("bootstrap"));
    prepared(taken(self::cluster().path(), ignition.path()));
    write(&ignition.path().join("metadata.json"), r#"{"infraID":"other-zzzzz"}"#);
    assert_eq!(codes(&refused(taken(cluster.path(), ignition.path()))), ["LF0675"]);
    // A record that was left over beside files of this cluster says nothing.
    put_ignition(ignition.path(), &bootstrap(LATER, ID));
    prepared(taken(cluster.path(), ignition.path()));
}

#[test]
fn other_files_for_machines_that_stand_are_reported() {
    let (cluster, ignition) = (cluster(), made(LATER));
    prepared(taken(cluster.path(), ignition.path()));
    stand(cluster.path());
    assert_eq!(warned(&prepared(taken(cluster.path(), ignition.path()))), Vec::<&str>::new());
    put_ignition(ignition.path(), &bootstrap(LATER, ID));
    assert_eq!(warned(&prepared(taken(cluster.path(), ignition.path()))), ["LF0679"]);
}

#[test]
fn machines_must_look_for_what_is_made() {
    let cluster = cluster();
    prepared(run(cluster.path(), IgnitionFrom::None));
    let name = "openshift/99_openshift-cluster-api_worker-machineset-0.yaml";
    let ours = read(&cluster.path().join(name));
    let brought = |text: &str| {
        let mut config: Value = serde_json::from_str(&bootstrap(LATER, ID)).unwrap();
        let files = config["storage"]["files"].as_array_mut().unwrap();
        files.push(file(&format!("/opt/openshift/{name}"), text));
        let ignition = made(LATER);
        write(&ignition.path().join("bootstrap.ign"), config.to_string());
        taken(cluster.path(), ignition.path())
    };
    assert_eq!(warned(&prepared(brought(&ours))), Vec::<&str>::new());
    // What does not name infrastructure is the user's own choice.
    prepared(brought(&ours.replace("replicas: 1", "replicas: 7")));
    let older = ours.replace("-subnet-private-", "-private-");
    assert_ne!(older, ours);
    let findings = refused(brought(&older));
    assert_eq!(codes(&findings), ["LF0680"]);
    for part in
        [name, "subnet", "demo-bcd24-private-us-east-1a", "demo-bcd24-subnet-private-us-east-1a", "4.19"]
    {
        assert!(findings[0].message.contains(part), "{part}: {}", findings[0].message);
    }
    // So is what the user brought.
    let own =
        ours.replace("demo-bcd24-worker-profile", "infra-profile").replace("demo-bcd24-node", "infra-group");
    assert_ne!(own, ours);
    prepared(brought(&own));
    // The user's own edit is what was planned.
    write(&cluster.path().join(name), &older);
    prepared(brought(&older));
    // Machines that stand are not looked for anew.
    stand(cluster.path());
    prepared(brought(&ours));
}

#[test]
fn files_without_access_to_the_cluster_are_reported() {
    let (cluster, ignition) = (cluster(), made(LATER));
    let told = || -> Vec<&str> {
        let done = prepared(taken(cluster.path(), ignition.path()));
        codes(&done.said.findings).into_iter().filter(|code| code.starts_with("LF068")).collect()
    };
    assert_eq!(told(), ["LF0683"]);
    write(&ignition.path().join("auth/kubeconfig"), "one");
    assert_eq!(told(), Vec::<&str>::new());
}

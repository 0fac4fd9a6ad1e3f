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
    let options = Options {
        strictness: Strictness::default(),
        facts: FactsFrom::Catalogue,
        infra_id: Some(ID.to_owned()),
        cluster_id: None,
        ignition,
        engine: None,
        durability: Durability::Process,
    };
    let Ok(basis) = Basis::new(&BasisOptions::default(), directory) else { panic!("no catalogue") };
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
            Refusal::Invalid(said) | Refusal::Usage(said) | Refusal::Unfit(said) | Refusal::NoFacts(said),
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
fn missing_files_are_told_with_what_to_do() {
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
        Err(Refusal::Usage(_) | Refusal::Unfit(_) | Refusal::NoFacts(_) | Refusal::Failed(_)) => {
            panic!("not refused as not valid")
        }
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
fn missing_files_are_told_before_the_cloud_is_asked() {
    let (cluster, folder) = (cluster(), tempfile::tempdir().unwrap());
    let terraform = terraform(folder.path());
    let (code, said) =
        landfall(cluster.path(), &["create", "cluster", "--yes", "--terraform", terraform.as_str()]);
    assert_eq!(code, Some(3), "{said}");
    let first = said.lines().find(|line| line.starts_with("error[LF0670]: ")).unwrap_or_default();
    for file in ["bootstrap.ign", "master.ign", "worker.ign"] {
        assert!(first.contains(file), "{file}: {said}");
    }
    // There is no place to point at, and the cloud would have been of no help.
    for other in ["-->", "field:", "rejected", "preflight"] {
        assert!(!said.contains(other), "{other}: {said}");
    }
    assert_eq!(entries(cluster.path()), ["install-config.yaml"]);
    // Who only wants to see what would be made needs none.
    let (code, said) = landfall(cluster.path(), &["create", "cluster", "--plan", "--offline"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(entries(cluster.path()), ["install-config.yaml"]);
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
fn all_faults_are_told_at_once_and_no_secret() {
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
fn other_files_for_machines_that_stand_are_told() {
    let (cluster, ignition) = (cluster(), made(LATER));
    prepared(taken(cluster.path(), ignition.path()));
    stand(cluster.path());
    assert_eq!(warned(&prepared(taken(cluster.path(), ignition.path()))), Vec::<&str>::new());
    put_ignition(ignition.path(), &bootstrap(LATER, ID));
    assert_eq!(warned(&prepared(taken(cluster.path(), ignition.path()))), ["LF0679"]);
}

/// The program, with a folder in which it finds what to write and leaves what it saw.
struct Program(TempDir);

impl Program {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/ignition/openshift-install");
        symlink(script, folder.path().join("openshift-install")).unwrap();
        let mut given: Value = serde_json::from_str(&bootstrap(LATER, ID)).unwrap();
        // The program takes that of the cluster.
        given["storage"]["files"].as_array_mut().unwrap().pop();
        put_ignition(folder.path(), &given.to_string());
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, directory: &Path) -> Result<Prepared, Refusal> {
        run(directory, IgnitionFrom::OpenshiftInstall(self.path("openshift-install")))
    }

    fn calls(&self) -> usize {
        std::fs::read_to_string(self.path("calls")).unwrap_or_default().lines().count()
    }
}

/// The five files that belong together, by path.
fn outputs(directory: &Path) -> BTreeMap<&'static str, String> {
    let names = ["bootstrap.ign", "master.ign", "worker.ign", "auth/kubeconfig", "auth/kubeadmin-password"];
    names.into_iter().map(|name| (name, read(&directory.join(name)))).collect()
}

#[test]
fn the_program_works_with_the_manifests_and_ids_of_the_cluster() {
    let (cluster, program) = (cluster(), Program::new());
    write(&cluster.path().join("manifests/99-mine.yaml"), "kind: Mine\napiVersion: v1\n");
    let done = prepared(program.run(cluster.path()));
    let state = json_of(&program.path("seen/state.json"));
    let ids = &state["*installconfig.ClusterID"];
    assert_eq!((&ids["InfraID"], &ids["UUID"]), (&json!(ID), &json!(done.plan.identity.cluster_id)));
    assert!(read(&program.path("seen/state.json")).contains("12345678901234567890123"));
    let ours = "manifests/cluster-infrastructure-02-config.yml";
    assert_eq!(read(&program.path("seen").join(ours)), read(&cluster.path().join(ours)));
    for own in [
        "manifests/cluster-network-01-crd.yml",
        "manifests/kube-system-configmap-root-ca.yaml",
        "manifests/machine-config-server-tls-secret.yaml",
        "openshift/99_kubeadmin-password-secret.yaml",
        "openshift/99_openshift-cluster-api_master-user-data-secret.yaml",
        "openshift/99_openshift-cluster-api_worker-user-data-secret.yaml",
    ] {
        assert_eq!(read(&program.path("seen").join(own)), "# the program's\n", "{own}");
    }
    assert!(program.path("seen/manifests/99-mine.yaml").exists());
    assert!(program.path("seen/openshift/99_openshift-cluster-api_master-machines-0.yaml").exists());
    assert!(!program.path("seen/openshift/99_openshift-cluster-api_worker-machineset-9.yaml").exists());
    for name in outputs(cluster.path()).into_keys() {
        assert_eq!(mode(&cluster.path().join(name)), 0o600, "{name}");
        assert!(done.report.written.contains(&name.to_owned()), "{name}");
    }
    assert_eq!(variables(cluster.path()).1, pointer("master"));
    let log = cluster.path().join(".landfall/log/openshift-install.log");
    assert_eq!((read(&log).matches("at work").count(), mode(&log)), (2, 0o600));
    assert!(!cluster.path().join(".landfall/openshift-install").exists());
}

#[test]
fn the_program_runs_once_for_the_same_manifests() {
    let (cluster, program) = (cluster(), Program::new());
    prepared(program.run(cluster.path()));
    let first = outputs(cluster.path());
    let again = prepared(program.run(cluster.path()));
    assert_eq!((program.calls(), again.report.written.len()), (2, 0));
    assert_eq!(outputs(cluster.path()), first);
    // Other manifests are worth another run, until something stands.
    write(&cluster.path().join("manifests/99-mine.yaml"), "kind: Mine\napiVersion: v1\n");
    prepared(program.run(cluster.path()));
    assert_eq!(program.calls(), 4);
    let second = outputs(cluster.path());
    assert_ne!(second, first);
    stand(cluster.path());
    write(&cluster.path().join("manifests/99-mine.yaml"), "kind: Other\napiVersion: v1\n");
    assert_eq!(warned(&prepared(program.run(cluster.path()))), ["LF0679"]);
    assert_eq!((program.calls(), outputs(cluster.path())), (4, second));
    // They are files of the cluster directory as any other.
    prepared(taken(cluster.path(), cluster.path()));
}

#[test]
fn a_program_that_fails_leaves_nothing_but_its_log() {
    let (cluster, program) = (cluster(), Program::new());
    // What it says holds the login of the pull secret.
    write(&program.path("fail"), "no access with ZmFrZTpmYWtl to it");
    let findings = refused(program.run(cluster.path()));
    assert_eq!(codes(&findings), ["LF0676"]);
    assert!(findings[0].message.contains("create manifests` "), "{}", findings[0].message);
    assert!(findings[0].message.contains(" <redacted> "), "{}", findings[0].message);
    let log = cluster.path().join(".landfall/log/openshift-install.log");
    assert!(findings[0].help.clone().unwrap().contains(&log.display().to_string()));
    assert!(read(&log).contains("no access") && !read(&log).contains("ZmFrZTpmYWtl"));
    untouched(cluster.path());
    // The next run goes on.
    std::fs::remove_file(program.path("fail")).unwrap();
    prepared(program.run(cluster.path()));
}

#[test]
fn a_program_that_does_otherwise_than_expected_is_told() {
    let (cluster, program) = (cluster(), Program::new());
    write(&program.path("forget"), "");
    let findings = refused(program.run(cluster.path()));
    assert_eq!(codes(&findings), ["LF0676"]);
    assert!(findings[0].message.contains(" ids "), "{}", findings[0].message);
    std::fs::remove_file(program.path("forget")).unwrap();
    std::fs::remove_file(program.path("worker.ign")).unwrap();
    let findings = refused(program.run(cluster.path()));
    assert_eq!(codes(&findings), ["LF0676"]);
    assert!(
        findings[0].message.contains(" worker.ign;") && !findings[0].message.contains("master.ign"),
        "{}",
        findings[0].message
    );
    put_ignition(program.0.path(), &bootstrap(EARLIER, "other-zzzzz"));
    assert_eq!(codes(&refused(program.run(cluster.path()))), ["LF0673", "LF0675"]);
    let nowhere = IgnitionFrom::OpenshiftInstall(program.path("nowhere"));
    let findings = refused(run(cluster.path(), nowhere));
    assert_eq!(codes(&findings), ["LF0676"]);
    assert!(findings[0].message.contains("nowhere"), "{}", findings[0].message);
    untouched(cluster.path());
}

#[test]
fn nothing_of_the_users_is_lost_to_the_program() {
    let (cluster, program) = (cluster(), Program::new());
    let own = "openshift/99_openshift-cluster-api_worker-user-data-secret.yaml";
    prepared(run(cluster.path(), IgnitionFrom::None));
    let secret = cluster.path().join(own);
    write(&secret, format!("{}# {CANARY}\n", read(&secret)));
    write(&cluster.path().join("bootstrap.ign"), CANARY);
    let findings = refused(program.run(cluster.path()));
    assert_eq!(codes(&findings), ["LF0677", "LF0678"]);
    assert!(
        findings[0].message.contains("bootstrap.ign") && findings[1].message.contains(own),
        "{findings:?}"
    );
    assert!(!format!("{findings:?}").contains(CANARY));
    assert_eq!((program.calls(), read(&cluster.path().join("bootstrap.ign"))), (0, CANARY.to_owned()));
    std::fs::remove_file(&secret).unwrap();
    std::fs::remove_file(cluster.path().join("bootstrap.ign")).unwrap();
    prepared(program.run(cluster.path()));
    // Ignition files that were changed by hand are used, and not made again.
    let bootstrap = cluster.path().join("bootstrap.ign");
    write(&bootstrap, read(&bootstrap).replace(CANARY, "changed"));
    assert_eq!(codes(&refused(program.run(cluster.path()))), ["LF0677"]);
    prepared(taken(cluster.path(), cluster.path()));
    assert_eq!(variables(cluster.path()).0["passwd"]["users"][0]["passwordHash"], "changed");
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
fn manifests_that_the_program_leaves_out_are_told() {
    let (cluster, program) = (cluster(), Program::new());
    write(&cluster.path().join("openshift/99-mine.yaml"), "kind: Mine\napiVersion: v1\n");
    write(&program.path("drop"), "openshift/99-mine.yaml\n");
    let findings = refused(program.run(cluster.path()));
    assert_eq!(codes(&findings), ["LF0681"]);
    assert!(findings[0].message.contains(" openshift/99-mine.yaml "), "{}", findings[0].message);
    untouched(cluster.path());
    std::fs::remove_file(program.path("drop")).unwrap();
    prepared(program.run(cluster.path()));
    // What the program has of its own in the place of an edited one is no better.
    write(&cluster.path().join("openshift/99-mine.yaml"), "kind: Mine\napiVersion: v2\n");
    write(&program.path("replace"), "openshift/99-mine.yaml\n");
    assert_eq!(codes(&refused(program.run(cluster.path()))), ["LF0681"]);
    std::fs::remove_file(program.path("replace")).unwrap();
    prepared(program.run(cluster.path()));
    let files = variables(cluster.path()).0;
    assert!(paths(&files).contains(&"/opt/openshift/openshift/99-mine.yaml"));
}

#[test]
fn the_program_writes_its_own_note() {
    // One with another version would have it make the whole folder anew.
    let (cluster, program) = (cluster(), Program::new());
    prepared(program.run(cluster.path()));
    assert!(!program.path("seen/openshift/openshift-install-manifests.yaml").exists());
}

#[test]
fn infrastructure_of_an_earlier_layout_is_not_replaced() {
    let cluster = cluster();
    prepared(run(cluster.path(), IgnitionFrom::None));
    let group = |name: &str| {
        let group =
            json!({ "mode": "managed", "type": "aws_security_group", "name": name, "instances": [{}] });
        let state = json!({ "version": 4, "resources": [group] });
        write(&cluster.path().join("terraform/cluster/terraform.tfstate"), state.to_string());
    };
    group("master");
    let Err(Refusal::Unfit(said)) = run(cluster.path(), IgnitionFrom::None) else { panic!("not refused") };
    let found: Vec<&str> = said.findings.iter().filter(|f| f.is_error()).map(|f| f.code.as_str()).collect();
    assert_eq!(found, ["LF0684"]);
    group("nodes");
    prepared(run(cluster.path(), IgnitionFrom::None));
}

#[test]
fn the_program_is_of_the_release() {
    let (cluster, program) = (cluster(), Program::new());
    write(&program.path("version"), "4.18.30\n");
    let findings = refused(program.run(cluster.path()));
    assert_eq!(codes(&findings), ["LF0682"]);
    assert!(findings[0].message.contains("4.18.30") && findings[0].message.contains("4.19"), "{findings:?}");
    assert_eq!(program.calls(), 0);
    untouched(cluster.path());
    // One that was built by hand says no version.
    write(&program.path("version"), "unreleased-master-1-g0123\n");
    prepared(program.run(cluster.path()));
}

#[test]
fn files_without_access_to_the_cluster_are_told() {
    let (cluster, ignition) = (cluster(), made(LATER));
    let told = || -> Vec<&str> {
        let done = prepared(taken(cluster.path(), ignition.path()));
        codes(&done.said.findings).into_iter().filter(|code| code.starts_with("LF068")).collect()
    };
    assert_eq!(told(), ["LF0683"]);
    write(&ignition.path().join("auth/kubeconfig"), "one");
    assert_eq!(told(), Vec::<&str>::new());
}

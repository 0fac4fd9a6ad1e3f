//! Ignition files that a program makes: one that stands in for the OpenShift installer.

use super::*;

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
fn a_program_that_does_otherwise_than_expected_is_reported() {
    let (cluster, program) = (cluster(), Program::new());
    write(&program.path("forget"), "");
    let findings = refused(program.run(cluster.path()));
    assert_eq!(codes(&findings), ["LF0676"]);
    assert!(findings[0].message.contains(" IDs "), "{}", findings[0].message);
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
fn manifests_that_the_program_leaves_out_are_reported() {
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

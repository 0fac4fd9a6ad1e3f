//! Ignition configs of a cluster whose DNS records the user provides.

use landfall_certificates::{Names, issue};

use super::*;

/// The last address of the first private subnet.
const ADDRESS: &str = "10.0.31.254";
const SERVER: &str = "/opt/openshift/tls/machine-config-server.crt";
const SECRET: &str = "/opt/openshift/manifests/machine-config-server-tls-secret.yaml";

fn cluster_with_user_dns() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let config = CONFIG.replace("    region: us", "    userProvisionedDNS: Enabled\n    region: us");
    let zones =
        "controlPlane:\n  name: master\n  platform: {aws: {zones: [us-east-1a, us-east-1b, us-east-1c]}}\n";
    let config = config.replace("controlPlane:\n  name: master\n", zones);
    let config = config.replace(
        "replicas: 3\nnetworking",
        "replicas: 3\n  platform: {aws: {zones: [us-east-1a]}}\nnetworking",
    );
    write(&directory.path().join("install-config.yaml"), config);
    directory
}

/// In the first release that has the setting without a feature set.
fn run(directory: &Path, from: &Path) -> Result<Prepared, Refusal> {
    run_for(Some("4.23"), directory, IgnitionFrom::Directory(from.to_owned()))
}

/// Ignition files with an authority and a certificate for names alone.
fn made_with_authority() -> TempDir {
    let names = Names { domain: "demo.example.com", addresses: &[] };
    let tls = issue(names, jiff::civil::date(2026, 1, 1), None).unwrap();
    let secret = |certificate: &str, key: &str| {
        let (certificate, key) = (STANDARD.encode(certificate), STANDARD.encode(key));
        format!("kind: Secret\ndata:\n  tls.crt: {certificate}\n  tls.key: {key}\n")
    };
    let user_data = format!("kind: Secret\ndata:\n  userData: {}\n", STANDARD.encode(pointer("worker")));
    let mut config: Value = serde_json::from_str(&bootstrap(LATER, ID)).unwrap();
    let authority = secret(&tls.root_ca, tls.root_key.as_ref().unwrap().expose());
    let server = secret(&tls.machine_config_server, tls.machine_config_server_key.expose());
    let files = config["storage"]["files"].as_array_mut().unwrap();
    let infrastructure = "kind: Infrastructure\nstatus:\n  infrastructureName: demo-bcd24\n  platformStatus: {aws: \
                          {region: us-east-1}}\n";
    files.retain(|file| !file["path"].as_str().unwrap().ends_with("infrastructure-02-config.yml"));
    files.extend([
        file("/opt/openshift/manifests/cluster-infrastructure-02-config.yml", infrastructure),
        file("/opt/openshift/manifests/machine-config-server-ca-secret.yaml", &authority),
        file(SECRET, &server),
        file(SERVER, &tls.machine_config_server),
        file("/opt/openshift/tls/machine-config-server.key", tls.machine_config_server_key.expose()),
        file("/opt/openshift/openshift/99_openshift-cluster-api_worker-user-data-secret.yaml", &user_data),
    ]);
    let directory = tempfile::tempdir().unwrap();
    put_ignition(directory.path(), &config.to_string());
    directory
}

fn text(bootstrap: &Value, path: &str) -> String {
    landfall_render::ignition::text_of(bootstrap, path).unwrap()
}

fn manifest(bootstrap: &Value, path: &str) -> Value {
    serde_yaml::from_str(&text(bootstrap, path)).unwrap()
}

#[test]
fn machines_find_the_api_by_the_address_of_its_load_balancer() {
    let (directory, made) = (cluster_with_user_dns(), made_with_authority());
    let first = prepared(run(directory.path(), made.path()));
    assert!(codes(&first.said.findings).contains(&"LF0661"), "{:?}", first.said.findings);
    let (bootstrap, master) = variables(directory.path());
    assert!(master.contains(&format!("https://{ADDRESS}:22623/config/master")), "{master}");
    let worker = manifest(
        &bootstrap,
        "/opt/openshift/openshift/99_openshift-cluster-api_worker-user-data-secret.yaml",
    );
    let worker = STANDARD.decode(worker["data"]["userData"].as_str().unwrap()).unwrap();
    let worker = String::from_utf8(worker).unwrap();
    assert!(worker.contains(&format!("https://{ADDRESS}:22623/config/worker")), "{worker}");
    let status = manifest(&bootstrap, "/opt/openshift/manifests/cluster-infrastructure-02-config.yml");
    let balancers = status.pointer("/status/platformStatus/aws/cloudLoadBalancerConfig").unwrap();
    let addresses = json!([ADDRESS, "10.0.63.254", "10.0.95.254"]);
    assert_eq!(balancers["dnsType"], "ClusterHosted");
    assert_eq!(balancers["clusterHosted"]["apiIntLoadBalancerIPs"], addresses);
    let all = [ADDRESS, "10.0.63.254", "10.0.95.254"].map(|address| address.parse().unwrap());
    let server = text(&bootstrap, SERVER);
    assert!(landfall_certificates::is_for(&server, &all));
    assert_eq!(manifest(&bootstrap, SECRET)["data"]["tls.crt"], STANDARD.encode(&server));
    // The manifests of the directory say the same, and name no zones.
    let read =
        |path: &str| -> Value { serde_yaml::from_str(&super::read(&directory.path().join(path))).unwrap() };
    let own = read("manifests/cluster-infrastructure-02-config.yml");
    assert_eq!(own.pointer("/status/platformStatus/aws/cloudLoadBalancerConfig"), Some(balancers));
    let dns = read("manifests/cluster-dns-02-config.yml");
    assert_eq!(
        dns["spec"],
        json!({ "baseDomain": "demo.example.com", "platform": { "aws": null, "type": "" } })
    );
    // Another run takes the same certificate again.
    prepared(run(directory.path(), made.path()));
    assert_eq!(text(&variables(directory.path()).0, SERVER), server);
}

#[test]
fn an_authority_is_needed_for_the_certificate() {
    let directory = cluster_with_user_dns();
    let findings = refused(run(directory.path(), made(LATER).path()));
    assert_eq!(codes(&findings), ["LF0685"]);
    untouched(directory.path());
}

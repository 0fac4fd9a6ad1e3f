//! `create manifests` for every release of the catalogue, on both clouds.

use landfall_model::catalogue::Catalogue;
use serde_json::Value;

use super::*;

const AZURE: &str = include_str!("../../../testdata/quickstart/azure.yaml");

/// The parts of a release that its files tell.
struct Written {
    channel: String,
    image: String,
    /// The first machine set of the workers.
    machine_set: String,
    has_feature_set: bool,
}

fn written(config: &str, release: &str) -> Written {
    let directory = directory(config);
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["create", "manifests", "--offline", "--release", release, "--dir"])
        .arg(directory.path())
        .env_clear()
        .env("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
        .env("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        .env("AZURE_SUBSCRIPTION_ID", "00000000-0000-0000-0000-000000000001")
        .env("AZURE_TENANT_ID", "00000000-0000-0000-0000-000000000002")
        .env("AZURE_CLIENT_ID", "00000000-0000-0000-0000-000000000003")
        .env("AZURE_CLIENT_SECRET", "EXAMPLE")
        .env("HTTPS_PROXY", CLOSED)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{release}: {}", said(&output));
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).unwrap();
    let variables: Value =
        serde_json::from_str(&read("terraform/terraform.platform.auto.tfvars.json")).unwrap();
    let text = |name: &str| variables[name].as_str().map(str::to_owned);
    let metadata: Value = serde_json::from_str(&read("metadata.json")).unwrap();
    Written {
        channel: read("manifests/cvo-overrides.yaml"),
        image: text("aws_ami").or_else(|| text("azure_image_url")).unwrap_or_default(),
        machine_set: read("openshift/99_openshift-cluster-api_worker-machineset-0.yaml"),
        has_feature_set: metadata.get("featureSet").is_some(),
    }
}

fn minor(release: &str) -> (u32, u32) {
    let (major, minor) = release.split_once('.').unwrap();
    (major.parse().unwrap(), minor.parse().unwrap())
}

#[test]
fn every_release_of_the_catalogue_has_files_of_its_own() {
    let catalogue = Catalogue::embedded();
    assert!(catalogue.releases.len() >= 11);
    let mut images = std::collections::BTreeSet::new();
    for release in catalogue.releases.keys() {
        let aws = written(CONFIG, release);
        let azure = written(AZURE, release);
        for files in [&aws, &azure] {
            assert!(files.channel.contains(&format!("channel: stable-{release}\n")), "{}", files.channel);
            assert_eq!(files.has_feature_set, minor(release) >= (4, 19), "{release}");
        }
        let config = |text: &str| region_of(text);
        let known = |platform: &str, region: &str| catalogue.image(release, "amd64", platform, region);
        assert_eq!(Some(aws.image.as_str()), known("aws", &config(CONFIG)), "{release}");
        assert_eq!(Some(azure.image.as_str()), known("azure", &config(AZURE)), "{release}");
        // From 4.16 on, machines on AWS look for the subnets of the newer layout.
        let newer = aws.machine_set.contains("-subnet-private-us-east-1");
        assert_eq!(newer, minor(release) >= (4, 16), "{release}: {}", aws.machine_set);
        assert!(azure.machine_set.contains("usgovvirginia"), "{release}");
        images.insert(aws.image);
    }
    // 4.22 and 4.23 share their images.
    assert_eq!(images.len(), catalogue.releases.len() - 1);
}

#[test]
fn images_are_of_the_stream_in_the_config() {
    let config = format!("{CONFIG}osImageStream: rhel-10\nfeatureSet: TechPreviewNoUpgrade\n");
    let directory = directory(&config);
    let run = |release: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
            .args(["create", "manifests", "--offline", "--release", release, "--dir"])
            .arg(directory.path())
            .env_clear()
            .env("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
            .env("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
            .output()
            .unwrap();
        (output.status.success(), said(&output))
    };
    let (accepted, text) = run("4.21");
    assert!(!accepted && text.contains("LF0736"), "{text}");
    let (accepted, text) = run("4.22");
    assert!(!accepted && text.contains("LF0737"), "{text}");
    let (accepted, text) = run("5.0");
    assert!(accepted, "{text}");
}

/// Machines are placed on the host in their zone, from the release on that knows hosts.
#[test]
fn machines_are_placed_on_the_host_in_their_zone() {
    let placement = "  platform:\n    aws:\n      zones: [us-east-1a, us-east-1b]\n      hostPlacement:\n        \
                     affinity: DedicatedHost\n        dedicatedHost:\n        - id: h-0123456789abcdef0\n";
    let workers = "- name: worker\n  replicas: 3\n";
    assert!(CONFIG.contains(workers), "{CONFIG}");
    let config = CONFIG.replace(workers, &format!("{workers}{placement}"));
    let directory = directory(&format!("{config}featureSet: TechPreviewNoUpgrade\n"));
    let zone = |name: &str| json!({ "name": name, "type": "availability-zone" });
    let both = ["us-east-1a", "us-east-1b"];
    let facts = json!({ "version": 1, "source": "cloud", "aws": {
        "region": "us-east-1",
        "zones": both.map(zone),
        "instanceTypes": { "m6i.xlarge": { "zones": both } },
        "dedicatedHosts": [{ "id": "h-0123456789abcdef0", "zone": "us-east-1b" }],
    } });
    let file = directory.path().join("hosts.json");
    std::fs::write(&file, facts.to_string()).unwrap();
    let file = file.to_str().unwrap();
    let output = run(directory.path(), &["--facts", file, "--release", "4.21"]);
    assert!(!output.status.success() && said(&output).contains("LF0736"), "{}", said(&output));
    let output = run(directory.path(), &["--facts", file, "--release", "4.22"]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("LF0735"), "{}", said(&output));
    let placement = |set: usize| -> Value {
        let name = format!("openshift/99_openshift-cluster-api_worker-machineset-{set}.yaml");
        let text = std::fs::read_to_string(directory.path().join(name)).unwrap();
        let set: Value = serde_yaml::from_str(&text).unwrap();
        set.pointer("/spec/template/spec/providerSpec/value/placement").unwrap().clone()
    };
    assert_eq!(placement(0), json!({ "region": "us-east-1", "availabilityZone": "us-east-1a" }));
    let host = json!({ "affinity": "DedicatedHost", "dedicatedHost": { "id": "h-0123456789abcdef0" } });
    let wanted = json!({
        "region": "us-east-1", "availabilityZone": "us-east-1b", "tenancy": "host", "host": host,
    });
    assert_eq!(placement(1), wanted);
}

/// The keys of signer certificates: landfall's own root certificate, and those of the cluster.
#[test]
fn signers_have_the_key_of_the_config() {
    let pki = "featureSet: TechPreviewNoUpgrade\npki:\n  signerCertificates:\n    key:\n      algorithm: ECDSA\n      \
               ecdsa:\n        curve: P384\n";
    let directory = directory(&format!("{CONFIG}{pki}"));
    let output = run(directory.path(), &["--offline", "--release", "4.22"]);
    assert!(output.status.success(), "{}", said(&output));
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).unwrap();
    let keys: Value = serde_yaml::from_str(&read("manifests/cluster-pki-02-config.yaml")).unwrap();
    let custom = &keys["spec"]["certificateManagement"]["custom"];
    let wanted = json!({ "key": { "algorithm": "ECDSA", "ecdsa": { "curve": "P384" } } });
    assert_eq!(custom["signerCertificates"], wanted);
    let root = read("auth/tls/root-ca.crt");
    let (_, root) = x509_parser::pem::parse_x509_pem(root.as_bytes()).unwrap();
    assert_eq!(root.parse_x509().unwrap().public_key().parsed().unwrap().key_size(), 384);
}

/// The region that a config names.
fn region_of(config: &str) -> String {
    let line = config.lines().find_map(|line| line.trim().strip_prefix("region: ")).unwrap();
    line.trim_matches('"').to_owned()
}

#[test]
fn a_stream_on_standard_input_is_of_the_release_that_is_named() {
    use std::io::Write as _;
    use std::process::Stdio;
    let directory = directory(CONFIG);
    let stream = json!({ "stream": "rhcos-4.21", "architectures": { "x86_64": { "images": { "aws": { "regions": {
        "us-east-1": { "release": "10.3.1", "image": "ami-0stream" } } } } } } });
    let mut child = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["create", "manifests", "--offline", "--release", "5.7", "--stream", "-", "--dir"])
        .arg(directory.path())
        .env_clear()
        .env("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
        .env("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        .env("HTTPS_PROXY", CLOSED)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stream.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).unwrap();
    assert!(read("terraform/terraform.platform.auto.tfvars.json").contains("ami-0stream"));
    assert!(read("manifests/cvo-overrides.yaml").contains("stable-5.7"));
}

/// The codes that `validate` finds in a config, for a release.
fn codes(config: &str, release: Option<&str>) -> Vec<String> {
    let directory = directory(config);
    let release = release.map(|release| ["--release", release]);
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["validate", "-o", "json", "--dir"])
        .arg(directory.path())
        .args(release.into_iter().flatten())
        .env_clear()
        .output()
        .unwrap();
    let said: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", said(&output)));
    let findings = said["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_rules_are_those_of_the_release() {
    let outbound = |kind: &str| {
        AZURE.replace("AzureUSGovernmentCloud", "AzurePublicCloud").replace(
            "    region: usgovvirginia\n",
            &format!("    region: eastus\n    outboundType: {kind}\n"),
        )
    };
    let preview = |config: String| config + "featureSet: TechPreviewNoUpgrade\n";
    let (one, older) = (outbound("NATGatewaySingleZone"), outbound("NatGateway"));
    for (config, release, wanted) in [
        (one.clone(), None, &[][..]),
        (one.clone(), Some("4.20"), &[]),
        (one, Some("4.19"), &["LF0736"]),
        (outbound("NATGatewayMultiZone"), Some("4.20"), &["LF0736"]),
        (outbound("NATGatewayMultiZone"), Some("4.21"), &[]),
        (older.clone(), None, &["LF0515"]),
        (older.clone(), Some("4.20"), &["LF0515"]),
        (older.clone(), Some("4.19"), &["LF0515"]),
        (preview(older.clone()), Some("4.19"), &[]),
        (preview(older.clone()), Some("4.14"), &[]),
        (outbound("Natgateway"), Some("4.14"), &["LF0515"]),
    ] {
        assert_eq!(codes(&config, release), wanted, "{release:?}: {config}");
    }
    let pool = |settings: &str| {
        CONFIG.replace(
            "  replicas: 3\ncompute:",
            &format!("  replicas: 3\n  platform:\n    aws:\n{settings}compute:"),
        )
    };
    let of_platform = |line: &str| CONFIG.replace("    region: us", &format!("    {line}\n    region: us"));
    for (config, release) in [
        (of_platform("publicIpv4Pool: ipv4pool-ec2-0123456789abcdef0"), ["4.15", "4.16"]),
        (pool("      iamProfile: nodes\n"), ["4.16", "4.17"]),
        (of_platform("userTags: {team: a b}"), ["4.17", "4.18"]),
        (format!("{CONFIG}featureSet: DevPreviewNoUpgrade\n"), ["4.15", "4.16"]),
        (
            CONFIG.replace(
                "compute:\n",
                "compute:\n- name: edge\n  replicas: 1\n  platform:\n    aws:\n      zones: \
                 [us-east-1-wl1-bos-wlz-1]\n",
            ),
            ["4.14", "4.15"],
        ),
        (pool("      rootVolume:\n        type: gp3\n        throughput: 500\n"), ["4.20", "4.21"]),
        (
            pool("      type: m6a.xlarge\n      cpuOptions:\n        confidentialCompute: Disabled\n"),
            ["4.14", "4.21"],
        ),
    ] {
        assert_ne!(config, CONFIG);
        assert_eq!(codes(&config, Some(release[0])), ["LF0736"], "{config}");
        assert_eq!(codes(&config, Some(release[1])), Vec::<String>::new(), "{config}");
    }
}

/// The cluster refuses a `ClusterVersion` with components that are not optional in its release.
#[test]
fn components_are_those_of_the_release() {
    let with = |set: &str, more: &[&str]| {
        let needed = ["Ingress", "CloudCredential", "CloudControllerManager"];
        let all: Vec<&str> = needed.iter().chain(more).copied().collect();
        let list = format!("additionalEnabledCapabilities: [{}]", all.join(", "));
        format!("{CONFIG}capabilities:\n  baselineCapabilitySet: {set}\n  {list}\n")
    };
    for (config, release, wanted) in [
        (with("v4.15", &[]), "4.14", &["LF0736"][..]),
        (with("v4.15", &[]), "4.15", &[]),
        (with("vCurrent", &[]), "4.14", &[]),
        (with("None", &["OperatorLifecycleManagerV1"]), "4.17", &["LF0736"]),
        (with("None", &["OperatorLifecycleManagerV1"]), "4.18", &[]),
        (with("None", &["ClusterAPI"]), "4.22", &["LF0736"]),
        (with("None", &["ClusterAPI"]), "4.23", &[]),
    ] {
        assert_eq!(codes(&config, Some(release)), wanted, "{release}: {config}");
    }
    let enabled = |release: &str| -> Value {
        let written = written(&with("None", &["MachineAPI"]), release);
        let version: Value = serde_yaml::from_str(&written.channel).unwrap();
        version["spec"]["capabilities"].clone()
    };
    let all = |components: &[&str]| serde_json::json!(components);
    assert_eq!(enabled("4.14")["additionalEnabledCapabilities"], all(&["MachineAPI"]));
    assert_eq!(enabled("4.15")["additionalEnabledCapabilities"], all(&["CloudCredential", "MachineAPI"]));
    assert_eq!(
        enabled("4.19")["additionalEnabledCapabilities"],
        all(&["Ingress", "CloudCredential", "CloudControllerManager", "MachineAPI"])
    );
    assert_eq!(enabled("4.14")["baselineCapabilitySet"], "None");
    let preview = |more: &str| {
        let written = written(&(with("vCurrent", &["ClusterAPI"]) + more), "4.23");
        written.channel.contains("ClusterAPI")
    };
    assert!(preview("featureSet: TechPreviewNoUpgrade\n") && !preview(""));
}

#[test]
fn the_join_subnet_is_written_for_every_release_that_has_it() {
    let setting = "  ovnKubernetesConfig: {ipv4: {internalJoinSubnet: 10.250.0.0/16}}\n  machineNetwork:";
    let config = CONFIG.replace("  machineNetwork:", setting);
    assert_ne!(config, CONFIG);
    for release in ["4.14", "4.18", "4.19"] {
        let directory = directory(&config);
        let output = run(directory.path(), &["--offline", "--release", release]);
        assert!(output.status.success(), "{release}: {}", said(&output));
        let file = directory.path().join("manifests/cluster-network-03-config.yml");
        let network: Value = serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let settings = &network["spec"]["defaultNetwork"]["ovnKubernetesConfig"];
        assert_eq!(settings["ipv4"]["internalJoinSubnet"], "10.250.0.0/16", "{release}: {network}");
    }
}

#[test]
fn the_older_nat_gateway_is_created_for_its_releases() {
    let config = AZURE.replace("    region: u", "    outboundType: NatGateway\n    region: u");
    let directory = directory(&format!("{config}featureSet: TechPreviewNoUpgrade\n"));
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["create", "manifests", "--offline", "--release", "4.19", "--dir"])
        .arg(directory.path())
        .env_clear()
        .env("AZURE_SUBSCRIPTION_ID", "00000000-0000-0000-0000-000000000001")
        .env("AZURE_TENANT_ID", "00000000-0000-0000-0000-000000000002")
        .env("AZURE_CLIENT_ID", "00000000-0000-0000-0000-000000000003")
        .env("AZURE_CLIENT_SECRET", "EXAMPLE")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).unwrap();
    let variables = read("terraform/terraform.platform.auto.tfvars.json");
    assert!(variables.contains("\"azure_outbound_routing_type\": \"NatGateway\""), "{variables}");
}

/// Machine sets of Cluster API, where the config asks for them.
#[test]
fn cluster_api_manages_compute_machines() {
    let workers = "- name: worker\n  replicas: 3\n";
    let config = CONFIG.replace(workers, &format!("{workers}  management: ClusterAPI\n"));
    assert_ne!(config, CONFIG);
    let directory = directory(&format!("{config}featureSet: TechPreviewNoUpgrade\n"));
    let output = run(directory.path(), &["--offline", "--release", "4.21"]);
    assert!(!output.status.success() && said(&output).contains("LF0736"), "{}", said(&output));
    let output = run(directory.path(), &["--offline", "--infra-id", "demo-x7k2p", "--release", "4.22"]);
    assert!(output.status.success(), "{}", said(&output));
    let read = |name: &str| -> Value {
        let path = directory.path().join(format!("openshift/99_openshift-cluster-api_worker-{name}-0.yaml"));
        serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    };
    let (template, set) = (read("machine-template"), read("cluster-api-machineset"));
    assert_eq!(template["kind"], "AWSMachineTemplate");
    assert_eq!(template["metadata"]["namespace"], "openshift-cluster-api");
    let machine = &template["spec"]["template"]["spec"];
    assert_eq!(machine["iamInstanceProfile"], "demo-x7k2p-worker-profile");
    let subnet =
        json!({ "filters": [{ "name": "tag:Name", "values": ["demo-x7k2p-subnet-private-us-east-1a"] }] });
    assert_eq!(machine["subnet"], subnet);
    assert_eq!(machine["rootVolume"], json!({ "encrypted": true, "size": 120, "type": "gp3" }));
    let reference = &set["spec"]["template"]["spec"]["infrastructureRef"];
    assert_eq!(reference["name"], template["metadata"]["name"]);
    assert_eq!(set["spec"]["selector"]["matchLabels"]["cluster.x-k8s.io/set-name"], set["metadata"]["name"]);
    // No machine set of the Machine API exists for this pool.
    let other = directory.path().join("openshift/99_openshift-cluster-api_worker-machineset-0.yaml");
    assert!(!other.exists());
}

/// What Cluster API needs to know of machines in local zones and on dedicated hosts, and of a copied image.
#[test]
fn cluster_api_places_machines_as_the_machine_api_does() {
    const HOST: &str = "h-0123456789abcdef0";
    let ordinary = "- name: worker\n  replicas: 3\n";
    let worker = format!(
        "- name: worker\n  replicas: 1\n  management: ClusterAPI\n  platform:\n    aws:\n      zones: [us-east-1a]\n      \
         type: m6i.xlarge\n      hostPlacement: {{affinity: DedicatedHost, dedicatedHost: [{{id: {HOST}}}]}}\n"
    );
    let edge = "- name: edge\n  replicas: 1\n  management: ClusterAPI\n  platform:\n    aws:\n      zones: \
                [us-east-1-bos-1a]\n      type: m5.2xlarge\n";
    let config = CONFIG.replace(ordinary, &format!("{worker}{edge}"));
    let zone = |name: &str| json!({ "name": name, "type": "availability-zone" });
    let local = json!({
        "name": "us-east-1-bos-1a", "type": "local-zone", "group": "us-east-1-bos-1", "parent": "us-east-1a",
    });
    let facts = json!({ "version": 1, "source": "cloud", "aws": {
        "region": "us-east-1",
        "zones": [zone("us-east-1a"), local],
        "instanceTypes": { "m6i.xlarge": { "zones": ["us-east-1a"] }, "m5.2xlarge": { "zones": ["us-east-1-bos-1a"] } },
        "dedicatedHosts": [{ "id": HOST, "zone": "us-east-1a" }],
    } });
    let written = |release: &str| {
        let directory = directory(&format!("{config}featureSet: TechPreviewNoUpgrade\n"));
        let file = directory.path().join("known.json");
        std::fs::write(&file, facts.to_string()).unwrap();
        let output = run(directory.path(), &["--facts", file.to_str().unwrap(), "--release", release]);
        assert!(output.status.success(), "{}", said(&output));
        directory
    };
    let directory = written("5.0");
    let read = |name: &str| -> Option<Value> {
        let path = directory.path().join(format!("openshift/99_openshift-cluster-api_worker-{name}.yaml"));
        Some(serde_yaml::from_str(&std::fs::read_to_string(path).ok()?).unwrap())
    };
    let host = read("machine-template-0").unwrap();
    let host = &host["spec"]["template"]["spec"];
    assert_eq!([&host["tenancy"], &host["hostAffinity"], &host["hostID"]], ["host", "host", HOST]);
    let set = read("cluster-api-machineset-1").unwrap();
    let taint =
        json!({ "effect": "NoSchedule", "key": "node-role.kubernetes.io/edge", "propagation": "Always" });
    assert_eq!(set.pointer("/spec/template/spec/taints").unwrap(), &json!([taint]));
    let labels = set.pointer("/spec/template/metadata/labels").unwrap();
    assert_eq!(labels["machine.openshift.io/zone-group"], "us-east-1-bos-1");
    assert_eq!(labels["node-role.kubernetes.io/edge"], "");
    assert_eq!(read("machineset-0"), None);
    // Before its nodes can have taints, the machine API manages the machines of local zones.
    let older = written("4.22");
    let path = older.path().join("openshift/99_openshift-cluster-api_worker-machineset-0.yaml");
    let set: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(set.pointer("/spec/template/spec/taints/0/key").unwrap(), "node-role.kubernetes.io/edge");
    assert!(older.path().join("openshift/99_openshift-cluster-api_worker-machine-template-0.yaml").exists());
}

/// The template names the image by what stands for it, until it is copied.
#[test]
fn templates_of_cluster_api_wait_for_a_copied_image() {
    let workers = "- name: worker\n  replicas: 3\n";
    let config = CONFIG.replace(workers, &format!("{workers}  management: ClusterAPI\n"));
    let services = ["ec2", "elasticloadbalancing", "s3", "iam", "route53", "tagging", "sts"];
    let endpoint =
        |name: &str| format!("    - {{name: {name}, url: 'https://{name}.us-hidden-1.example.net'}}\n");
    let endpoints: String = services.map(endpoint).concat();
    let hidden = format!("    region: us-hidden-1\n    serviceEndpoints:\n{endpoints}");
    let config = config.replace("    region: us-east-1\n", &hidden);
    let zones = "controlPlane:\n  name: master\n  platform: {aws: {zones: [us-hidden-1a]}}\n";
    let config = config.replace("controlPlane:\n  name: master\n", zones);
    let config = config.replace("ClusterAPI\n", "ClusterAPI\n  platform: {aws: {zones: [us-hidden-1a]}}\n");
    let directory = directory(&format!("{config}featureSet: TechPreviewNoUpgrade\n"));
    let id = ["--offline", "--infra-id", "demo-x7k2p", "--release", "5.0"];
    let output = run(directory.path(), &id);
    assert!(output.status.success(), "{}", said(&output));
    let path = directory.path().join("openshift/99_openshift-cluster-api_worker-machine-template-0.yaml");
    let template: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let image = template.pointer("/spec/template/spec/ami/id").unwrap().as_str().unwrap();
    let variables =
        std::fs::read_to_string(directory.path().join("terraform/landfall.auto.tfvars.json")).unwrap();
    let variables: Value = serde_json::from_str(&variables).unwrap();
    assert_eq!(variables.get("aws_cluster_api_image").and_then(Value::as_str), Some(image));
}

/// What a dual-stack cluster on AWS is told of its families.
#[test]
fn both_families_are_told_to_the_cluster() {
    let networks = "networking:\n  clusterNetwork: [{cidr: 'fd01::/48', hostPrefix: 64}, {cidr: 10.128.0.0/14, \
                    hostPrefix: 23}]\n  serviceNetwork: ['fd02::/112', 172.30.0.0/16]\n";
    let config = CONFIG
        .replace("networking:\n", networks)
        .replace("    region: us", "    ipFamily: DualStackIPv6Primary\n    region: us");
    let directory = directory(&format!("{config}featureSet: TechPreviewNoUpgrade\n"));
    let output = run(directory.path(), &["--offline", "--release", "4.22"]);
    assert!(output.status.success(), "{}", said(&output));
    let read = |path: &str| std::fs::read_to_string(directory.path().join(path)).unwrap();
    let infrastructure: Value =
        serde_yaml::from_str(&read("manifests/cluster-infrastructure-02-config.yml")).unwrap();
    assert_eq!(infrastructure["status"]["platformStatus"]["aws"]["ipFamily"], "DualStackIPv6Primary");
    let cloud: Value = serde_yaml::from_str(&read("manifests/cloud-provider-config.yaml")).unwrap();
    assert_eq!(cloud["data"]["config"], "[Global]\nNodeIPFamilies=ipv6\nNodeIPFamilies=ipv4\n");
    let ingress: Value = serde_yaml::from_str(&read("manifests/cluster-ingress-02-config.yml")).unwrap();
    assert_eq!(ingress.pointer("/spec/loadBalancer/platform/aws/type").unwrap(), "NLB");
    assert!(
        read("terraform/landfall.auto.tfvars.json").contains("\"aws_ip_family\": \"DualStackIPv6Primary\"")
    );
    // Releases before 4.22 say nothing of families.
    let older = self::directory(CONFIG);
    let output = run(older.path(), &["--offline", "--release", "4.21"]);
    assert!(output.status.success(), "{}", said(&output));
    let text = std::fs::read_to_string(older.path().join("manifests/cluster-infrastructure-02-config.yml"));
    assert!(!text.unwrap().contains("ipFamily"));
}

//! What overlays, cloud profiles and streams change of a cluster.

use super::*;

#[test]
fn clusters_of_a_fleet_may_have_overlays_of_their_own() {
    let fleet = tempfile::tempdir().unwrap();
    let cluster = fleet.path().join("moon");
    std::fs::create_dir(&cluster).unwrap();
    std::fs::create_dir(fleet.path().join("without")).unwrap();
    std::fs::write(fleet.path().join("without/install-config.yaml"), CONFIG).unwrap();
    std::fs::write(cluster.join("install-config.yaml"), CONFIG.replace("us-east-1", "us-moon-1")).unwrap();
    let zones = json!({ "zones": ["us-moon-1a"], "offerings": { "m6i.xlarge": ["us-moon-1a"] } });
    let overlay = json!({ "aws": { "partitions": { "aws": { "regions": { "us-moon-1": zones } } } } });
    std::fs::write(cluster.join("catalogue.json"), overlay.to_string()).unwrap();
    let run = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command
            .args(["create", "manifests", "-o", "json", "--fleet"])
            .arg(fleet.path())
            .args(more)
            .env_clear()
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("HTTPS_PROXY", CLOSED);
        command.output().unwrap()
    };
    let output = run(&["--offline"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    // Without a cloud no cluster can be planned, and every one has its line.
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let lines = String::from_utf8(output.stdout).unwrap();
    assert_eq!(lines.lines().count(), 2, "{lines}");
    assert!(lines.contains("LF1"), "{lines}");
}

#[test]
fn a_cloud_profile_in_a_directory_holds_its_cluster_to_it() {
    let profile = |zone: &str| {
        json!({ "apiVersion": "core.gardener.cloud/v1beta1", "kind": "CloudProfile", "metadata": { "name": "team" },
            "spec": { "type": "aws", "machineTypes": [{ "name": "m6i.xlarge", "cpu": "4", "gpu": "0", "memory": "16Gi" }],
                "regions": [{ "name": "us-east-1", "zones": [{ "name": zone }] }] } })
        .to_string()
    };
    let fleet = tempfile::tempdir().unwrap();
    for name in ["one", "two"] {
        std::fs::create_dir(fleet.path().join(name)).unwrap();
        std::fs::write(fleet.path().join(name).join("install-config.yaml"), CONFIG).unwrap();
    }
    let one = fleet.path().join("one");
    let zones = |name: &str| {
        let path = fleet.path().join(name).join("terraform/terraform.platform.auto.tfvars.json");
        let variables: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let zones = variables["aws_master_availability_zones"].as_array().unwrap();
        zones.iter().map(|zone| zone.as_str().unwrap().to_owned()).collect::<std::collections::BTreeSet<_>>()
    };
    let only = |zone: &str| [zone.to_owned()].into();
    std::fs::write(one.join("cloud-profile.yaml"), profile("us-east-1b")).unwrap();
    let output = run(&one, &["--offline"]);
    assert_eq!((output.status.code(), zones("one")), (Some(0), only("us-east-1b")), "{}", said(&output));
    // That of the fleet counts for clusters that have none, and for those with an overlay of their own.
    std::fs::write(fleet.path().join("cloud-profile.json"), profile("us-east-1c")).unwrap();
    std::fs::write(fleet.path().join("two/catalogue.yaml"), "{}").unwrap();
    std::fs::remove_dir_all(one.join("terraform")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["create", "manifests", "--offline", "--fleet"])
        .arg(fleet.path())
        .env_clear()
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!((zones("one"), zones("two")), (only("us-east-1b"), only("us-east-1c")));
    // One that leads nowhere is no leave to use everything.
    std::fs::remove_file(one.join("cloud-profile.yaml")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", one.join("cloud-profile.yaml")).unwrap();
    let output = run(&one, &["--offline"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    // A profile that is named takes the place of both.
    let named = fleet.path().join("named.json");
    std::fs::write(&named, profile("us-east-1d")).unwrap();
    std::fs::remove_dir_all(one.join("terraform")).unwrap();
    let output = run(&one, &["--offline", "--cloud-profile", named.to_str().unwrap()]);
    assert_eq!((output.status.code(), zones("one")), (Some(0), only("us-east-1d")), "{}", said(&output));
}

/// A partition that nobody knows, in an overlay: everything works in it.
#[test]
fn a_partition_can_be_invented_in_an_overlay() {
    let config = CONFIG.replace("us-east-1", "moon-base-1");
    let directory = directory(&config);
    let refused = run(directory.path(), &["--offline"]);
    assert_eq!(refused.status.code(), Some(4), "{}", said(&refused));
    let overlay = json!({
        "images": { "4.19": { "amd64": { "aws": { "regions": { "moon-base-1": "ami-0moon" } } } } },
        "aws": {
            "partitions": { "aws-moon": {
                "dnsSuffix": "moon.example",
                "regionPattern": "^moon-\\w+-\\d+$",
                "ec2ServicePrincipal": "ec2.moon.example",
                "apiRecordType": "CNAME",
                "regions": { "moon-base-1": {
                    "name": "Moon (Tranquility)",
                    "zones": ["moon-base-1a", "moon-base-1b"],
                    "internalDomain": "moon.internal",
                    "offerings": { "lunar.xlarge": ["moon-base-1a", "moon-base-1b"] },
                } },
            } },
            "instanceTypes": { "lunar.xlarge": { "vcpus": 4, "memoryMib": 16384, "architecture": "amd64" } },
            "defaultInstanceTypes": { "newest": { "architectures": { "amd64": { "controlPlane": ["lunar.xlarge"], "compute": ["lunar.xlarge"] } } } },
        },
    });
    std::fs::write(directory.path().join("catalogue.json"), overlay.to_string()).unwrap();
    let output = run(directory.path(), &["--offline", "--infra-id", "demo-bcd24"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let json = |path: &str| -> Value {
        serde_json::from_slice(&std::fs::read(directory.path().join(path)).unwrap()).unwrap()
    };
    let variables = json("terraform/terraform.platform.auto.tfvars.json");
    assert_eq!(variables["aws_ami"], "ami-0moon");
    assert_eq!(variables["aws_master_instance_type"], "lunar.xlarge");
    assert_eq!(variables["aws_worker_availability_zones"], json!(["moon-base-1a", "moon-base-1b"]));
    let own = json("terraform/landfall.auto.tfvars.json");
    assert_eq!(own["aws_partition_id"], "aws-moon");
    assert_eq!(own["aws_ec2_service_principal"], "ec2.moon.example");
    assert_eq!(own["aws_api_record_type"], "CNAME");
    assert_eq!(own["aws_dhcp_domain_name"], "moon.internal");
    let regions = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["regions", "--platform", "aws", "--dir"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&regions.stdout).contains("Moon (Tranquility)"));
}

#[test]
fn an_overlay_with_a_typo_is_refused_with_its_line() {
    let directory = directory(CONFIG);
    std::fs::write(directory.path().join("catalogue.yaml"), "aws:\n  partitons: {}\n").unwrap();
    let output = run(directory.path(), &["--offline"]);
    assert_eq!(output.status.code(), Some(3), "{}", said(&output));
    assert!(
        said(&output).contains("catalogue.yaml:2:3") && said(&output).contains("partitions"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_stream_brings_its_own_images() {
    let directory = directory(CONFIG);
    let stream = json!({ "stream": "rhcos-4.21", "architectures": { "x86_64": { "images": { "aws": { "regions": {
        "us-east-1": { "release": "421.1", "image": "ami-0stream" } } } } } } });
    let path = directory.path().join("stream.json");
    std::fs::write(&path, stream.to_string()).unwrap();
    let output = run(directory.path(), &["--offline", "--stream", path.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let variables =
        std::fs::read_to_string(directory.path().join("terraform/terraform.platform.auto.tfvars.json"))
            .unwrap();
    assert!(variables.contains("ami-0stream"));
    let version = std::fs::read_to_string(directory.path().join("manifests/cvo-overrides.yaml")).unwrap();
    assert!(version.contains("stable-4.21"), "{version}");
}

#[test]
fn clusters_of_a_fleet_keep_their_releases() {
    let fleet = tempfile::tempdir().unwrap();
    for name in ["new", "old"] {
        std::fs::create_dir(fleet.path().join(name)).unwrap();
        std::fs::write(fleet.path().join(name).join("install-config.yaml"), CONFIG).unwrap();
    }
    let run = |arguments: &[&str]| {
        let mut landfall = Command::new(env!("CARGO_BIN_EXE_landfall"));
        let ran = landfall.args(["create", "manifests", "--offline"]).args(arguments).env_clear().output();
        let ran = ran.unwrap();
        assert!(ran.status.success(), "{}", said(&ran));
    };
    let old = fleet.path().join("old");
    run(&["--release", "4.14", "--dir", old.to_str().unwrap()]);
    run(&["--fleet", fleet.path().to_str().unwrap()]);
    let release = |name: &str| {
        let steps = landfall_workdir::steps(&fleet.path().join(name)).unwrap();
        steps.release().map(str::to_owned)
    };
    assert_eq!([release("new").as_deref(), release("old").as_deref()], [Some("4.19"), Some("4.14")]);
}

//! `landfall cloud-config`, which gives what the library gives.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use landfall_cloud_config::bootstrap;
use landfall_cloud_config::target::{Gate, platforms, transform};
use rayon::prelude::*;

use super::{Case, cases};

fn landfall(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.arg("cloud-config").args(arguments).current_dir(folder).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that refuses its arguments ends without having read anything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The exit code, and what standard error says.
fn refusal(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = landfall(folder, arguments, "");
    assert_eq!(text(&output.stdout), "", "{arguments:?}");
    (output.status.code(), text(&output.stderr))
}

#[test]
fn stitches_what_the_library_does() {
    cases("kube-cloud-config.jsonl", &["bootstrap"]).par_iter().for_each(|case| {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let infrastructure = case.infrastructure_file.as_deref().unwrap_or_default();
        fs::write(at.join("infrastructure.yaml"), infrastructure).unwrap();
        let mut arguments = vec!["stitch", "--infrastructure", "infrastructure.yaml"];
        if let Some(user) = &case.cloud_config_file {
            fs::write(at.join("user.yaml"), user).unwrap();
            arguments.extend(["--cloud-config", "user.yaml"]);
        }
        let expected = bootstrap::stitch(infrastructure, case.cloud_config_file.as_deref());
        let printed = landfall(at, &arguments, "");
        arguments.extend(["--out", "made/here/map.yaml"]);
        let written = landfall(at, &arguments, "");
        assert_eq!(text(&written.stdout), "", "{}", case.id);
        let code = if expected.is_ok() { 0 } else { 3 };
        assert_eq!((printed.status.code(), written.status.code()), (Some(code), Some(code)), "{}", case.id);
        assert_eq!(text(&printed.stdout), expected.clone().unwrap_or_default(), "{}", case.id);
        assert_eq!(fs::read_to_string(at.join("made/here/map.yaml")).ok(), expected.ok(), "{}", case.id);
        assert_eq!(
            fs::read_to_string(at.join("infrastructure.yaml")).unwrap(),
            infrastructure,
            "{}",
            case.id
        );
    });
}

#[test]
fn transforms_what_the_library_does() {
    cases("ccm-cloud-config.jsonl", &["aws-transform", "transform"]).par_iter().for_each(|case| {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let (platform, _) = case.infrastructure.platform();
        let platform = if case.is_target() { platform } else { "AWS" }.to_lowercase();
        let mut arguments = vec!["ccm", "--platform", platform.as_str(), "--source", "-"];
        if case.is_target() {
            fs::write(at.join("infrastructure.json"), case.whole["infrastructure"].to_string()).unwrap();
            fs::write(at.join("network.json"), case.whole["network"].to_string()).unwrap();
            arguments.extend(["--infrastructure", "infrastructure.json", "--network", "network.json"]);
        }
        if case.gate == "on" {
            arguments.extend([
                "--feature-gate",
                "Other",
                "--feature-gate",
                "AWSServiceLBNetworkSecurityGroup",
            ]);
        }
        let output = landfall(at, &arguments, &case.source);
        let expected = library(case);
        let code = match &expected {
            Ok(_) => 0,
            Err(_) if platforms().all(|known| !known.eq_ignore_ascii_case(&platform)) => 2,
            Err(_) => 3,
        };
        assert_eq!(output.status.code(), Some(code), "{}: {}", case.id, text(&output.stderr));
        assert_eq!(text(&output.stdout), expected.unwrap_or_default(), "{}", case.id);
    });
}

fn library(case: &Case) -> Result<String, landfall_cloud_config::Fault> {
    if case.is_target() {
        transform(&case.infrastructure, &case.network, &case.source, Gate::Off)
    } else {
        case.on_aws(&case.source)
    }
}

const GCP: &str = "spec: {cloudConfig: {name: m, key: config}}\nstatus: {platformStatus: {type: GCP}}\n";

#[test]
fn refuses_files_that_are_not_what_they_should_be() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("gcp.yaml"), GCP).unwrap();
    fs::write(at.join("empty.yaml"), "").unwrap();
    fs::write(at.join("cloud.conf"), "").unwrap();
    fs::create_dir(at.join("folder")).unwrap();
    let stitch = |file: &str, more: &[&str]| {
        let (code, said) = refusal(at, &[&["stitch", "--infrastructure", file][..], more].concat());
        (code, ["LF0001", "LF1415", "LF1416"].into_iter().find(|known| said.contains(known)))
    };
    assert_eq!(stitch("missing.yaml", &[]), (Some(1), Some("LF0001")));
    assert_eq!(stitch("folder", &[]), (Some(1), Some("LF0001")));
    assert_eq!(stitch("empty.yaml", &[]), (Some(3), Some("LF1415")));
    assert_eq!(stitch("gcp.yaml", &["--cloud-config", "missing.yaml"]), (Some(1), Some("LF0001")));
    symlink("gcp.yaml", at.join("link.yaml")).unwrap();
    for out in ["gcp.yaml", "./gcp.yaml", "link.yaml"] {
        assert_eq!(stitch("gcp.yaml", &["--out", out]), (Some(2), Some("LF1416")));
    }
    assert_eq!(fs::read_to_string(at.join("gcp.yaml")).unwrap(), GCP);
    let map = "metadata: {name: m}\ndata: {config: own}\n";
    fs::write(at.join("user.yaml"), map).unwrap();
    symlink("user.yaml", at.join("user-link.yaml")).unwrap();
    for out in ["user.yaml", "user-link.yaml"] {
        let arguments = ["--cloud-config", "user.yaml", "--out", out];
        assert_eq!(stitch("gcp.yaml", &arguments), (Some(2), Some("LF1416")));
    }
    assert_eq!(fs::read_to_string(at.join("user.yaml")).unwrap(), map);
    let other = ["ccm", "--platform", "aws", "--source", "cloud.conf", "--infrastructure", "gcp.yaml"];
    let (code, said) = refusal(at, &other);
    assert!(
        code == Some(3) && said.contains("LF1400") && said.contains("`GCP`, not `AWS`"),
        "{code:?} {said}"
    );
}

#[test]
fn replaces_the_result_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("gcp.yaml"), GCP).unwrap();
    let user = "metadata: {name: m, namespace: openshift-config}\ndata: {config: own}\n";
    fs::write(at.join("user.yaml"), user).unwrap();
    fs::create_dir(at.join("made")).unwrap();
    let made = at.join("made/map.yaml");
    fs::write(&made, "old".repeat(10_000)).unwrap();
    fs::set_permissions(&made, fs::Permissions::from_mode(0o600)).unwrap();
    let arguments =
        ["stitch", "--infrastructure", "gcp.yaml", "--cloud-config", "user.yaml", "--out", "made/map.yaml"];
    let output = landfall(at, &arguments, "");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
    assert_eq!(fs::read_to_string(&made).ok(), bootstrap::stitch(GCP, Some(user)).ok());
    assert_eq!(fs::metadata(&made).unwrap().permissions().mode() & 0o777, 0o644);
    let names: Vec<_> =
        fs::read_dir(at.join("made")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["map.yaml"]);
}

#[test]
fn warns_of_what_counts_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("gcp.yaml"), GCP).unwrap();
    let warned = |map: &str| {
        fs::write(at.join("map.yaml"), map).unwrap();
        let stitch = ["stitch", "--infrastructure", "gcp.yaml", "--cloud-config", "map.yaml"];
        let output = landfall(at, &stitch, "");
        assert_eq!(output.status.code(), Some(0), "{map}");
        let said = text(&output.stderr);
        ["LF1408", "LF1418"].map(|code| said.contains(code))
    };
    assert_eq!(warned(""), [true, false]);
    assert_eq!(warned("metadata: {name: other}\ndata: {config: a}\n"), [false, true]);
    assert_eq!(warned("metadata: {name: m, namespace: default}\ndata: {config: a}\n"), [false, true]);
    assert_eq!(warned("metadata: {name: m}\ndata: {config: a}\n"), [false, false]);
    let gated = |gate: &str| {
        let ccm = ["ccm", "--platform", "aws", "--source", "-", "--feature-gate", gate];
        let output = landfall(at, &ccm, "");
        assert_eq!(output.status.code(), Some(0), "{gate}");
        text(&output.stderr).contains("LF1417")
    };
    assert!(gated("Nope") && !gated("AWSServiceLBNetworkSecurityGroup"));
}

#[test]
fn an_endpoint_that_names_a_user_is_refused_without_being_shown() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let aws = "status: {platformStatus: {type: AWS, aws: {region: r, serviceEndpoints: \
               [{name: ec2, url: 'http://user:canary@ec2'}]}}}\n";
    fs::write(at.join("aws.yaml"), aws).unwrap();
    let (code, said) = refusal(at, &["stitch", "--infrastructure", "aws.yaml"]);
    assert!(code == Some(3) && said.contains("LF1414") && !said.contains("canary"), "{code:?} {said}");
    // The second step passes on what it finds.
    let found = "[ServiceOverride \"0\"]\nURL = http://user:canary@ec2\n";
    let output = landfall(at, &["ccm", "--platform", "aws", "--source", "-"], found);
    assert!(output.status.success() && text(&output.stdout).contains("URL = http://user:canary@ec2\n"));
    assert!(!text(&output.stderr).contains("canary"));
}

#[test]
fn no_refusal_cites_the_users_settings() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let azure = "spec: {cloudConfig: {key: config}}\nstatus: {platformStatus: {type: Azure}}\n";
    fs::write(at.join("azure.yaml"), azure).unwrap();
    let word = "correct-horse-battery";
    let maps = [
        format!("data:\n  config: '{{\"aadClientSecret\": \"{word}\", \"cloud\": 7}}'\n"),
        format!("data:\n  config: '{{\"aadClientSecret\": \"{word}\",'\n"),
        format!("data:\n  config: [{word}]\n"),
        format!("data: {word}\n"),
        format!("metadata: {word}\n"),
        format!("binaryData:\n  config: '{word}!'\n"),
        format!("{word}: [\n"),
    ];
    for map in maps {
        fs::write(at.join("map.yaml"), &map).unwrap();
        let arguments = ["stitch", "--infrastructure", "azure.yaml", "--cloud-config", "map.yaml"];
        let (code, said) = refusal(at, &arguments);
        assert!(code == Some(3) && !said.contains(word), "{map}: {code:?} {said}");
    }
    for platform in platforms() {
        let source = format!("[Global\n{word} = \"{word}\n{{");
        let output = landfall(at, &["ccm", "--platform", platform, "--source", "-"], &source);
        let said = text(&output.stderr);
        assert!(!said.contains(word), "{platform}: {said}");
    }
}

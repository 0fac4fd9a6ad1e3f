//! What is gathered, and that no secret of a cluster is in it.
#![allow(clippy::disallowed_methods, reason = "a cluster directory and a program are made here")]

use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;
use serde_json::json;

use super::*;
use crate::ui::Style;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The secrets of the directory, one of each kind.
const SECRETS: &[&str] = &[
    "canary-of-a-registry",
    "canary-of-a-proxy",
    "canary-of-kubeadmin",
    "canary-of-the-kubeconfig",
    "Y2FuYXJ5IG9mIGEga2V5IGluIHRoZSBmb2xkZXIgb2Yga2V5cw==",
    "canary-of-the-state",
    "canary-of-user-data",
    "canary-of-a-manifest",
];

fn put(root: &Path, path: &str, text: &str) -> std::io::Result<()> {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap_or(root))?;
    fs::write(path, text)
}

/// A cluster directory with a secret in every place that has one, and an engine's log that repeats them all.
fn cluster() -> Result<tempfile::TempDir, Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let root = directory.path();
    let [registry, proxy, kubeadmin, kubeconfig, key, state, user_data, manifest] = SECRETS else {
        return Err("so many are used".into());
    };
    let auth = STANDARD.encode(format!("user:{registry}"));
    let config = format!(
        "apiVersion: v1\nbaseDomain: example.com\nmetadata: {{name: demo}}\nplatform: {{none: {{}}}}\n\
         proxy: {{httpProxy: 'http://user:{proxy}@proxy.example.com:3128'}}\n\
         pullSecret: '{{\"auths\":{{\"registry.example.com\":{{\"auth\":\"{auth}\"}}}}}}'\n"
    );
    put(root, "install-config.yaml", &config)?;
    put(
        root,
        "metadata.json",
        r#"{"infraID":"demo-x7k2p","clusterName":"demo","aws":{"region":"us-east-1"}}"#,
    )?;
    put(root, "auth/kubeadmin-password", kubeadmin)?;
    let user = format!("users:\n- name: admin\n  user:\n    token: {kubeconfig}\n");
    put(root, "auth/kubeconfig", &format!("apiVersion: v1\nkind: Config\n{user}"))?;
    let pem = format!("-----BEGIN RSA PRIVATE KEY-----\n{key}\n-----END RSA PRIVATE KEY-----\n");
    put(root, "auth/tls/root-ca.key", &pem)?;
    let secret = format!(
        "apiVersion: v1\nkind: Secret\ndata:\n  aws_secret_access_key: {}\n",
        STANDARD.encode(manifest)
    );
    put(root, "openshift/99_cloud-creds-secret.yaml", &secret)?;
    let state = json!({
        "version": 4,
        "outputs": {
            "bootstrap_ip": { "value": "192.0.2.10", "type": "string" },
            "control_plane_ips": { "value": ["192.0.2.11", "-oProxyCommand=x"] },
            "key": { "value": state, "sensitive": true },
        },
        "resources": [{
            "type": "aws_instance",
            "instances": [{ "attributes": { "id": "i-0abc", "user_data": user_data } }],
        }],
    });
    put(root, "terraform/cluster/terraform.tfstate", &state.to_string())?;
    let all = SECRETS.join(" ");
    let encoded = SECRETS.map_join(|secret| STANDARD.encode(secret));
    let log = format!("{all}\n{pem}{auth}\n{encoded}\n{config}{user}{secret}{state}\n");
    put(root, ".landfall/log/cluster-apply-1.jsonl", &log)?;
    put(root, ".landfall/landfall.log", &format!("2026-01-01T00:00:00.000Z error {all}\n"))?;
    put(root, ".landfall/steps.jsonl", r#"{"time":"2026-01-01T00:00:00Z","step":"adopt","result":"done"}"#)?;
    Ok(directory)
}

trait Joined {
    fn map_join(&self, form: impl Fn(&str) -> String) -> String;
}

impl Joined for [&str] {
    fn map_join(&self, form: impl Fn(&str) -> String) -> String {
        self.iter().map(|one| form(one)).collect::<Vec<String>>().join("\n")
    }
}

/// Every file of an archive: path, mode and content.
fn unpacked(path: &Path) -> Result<Vec<(String, u32, String)>, std::io::Error> {
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(path)?));
    let mut files = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let (name, mode) = (entry.path()?.display().to_string(), entry.header().mode()?);
        let mut text = String::new();
        entry.read_to_string(&mut text)?;
        files.push((name, mode, text));
    }
    Ok(files)
}

/// Fails where a text has a secret, in whatever form.
fn assert_clean(name: &str, text: &str) {
    for secret in SECRETS {
        for form in [(*secret).to_owned(), STANDARD.encode(secret)] {
            assert!(!text.contains(&form), "{name}: {form}: {text}");
        }
    }
}

#[test]
fn an_archive_has_everything_but_secrets() -> Outcome {
    let directory = cluster()?;
    let (gathered, _) = gather(directory.path());
    let target = tempfile::tempdir()?;
    let path = target.path().join("a.tar.gz");
    write(&path, "folder", 1_767_225_600, &gathered)?;
    assert_eq!(fs::metadata(&path)?.permissions().mode() & 0o777, 0o600);
    let files = unpacked(&path)?;
    for (name, mode, text) in &files {
        assert_eq!(*mode, 0o600, "{name}");
        assert_clean(name, text);
    }
    let names: Vec<&str> = files.iter().map(|(name, ..)| name.trim_start_matches("folder/")).collect();
    assert_eq!(
        names,
        [
            "MANIFEST",
            "about.txt",
            "files.txt",
            "landfall/landfall.log",
            "landfall/steps.jsonl",
            "metadata.json",
            "install-config.yaml",
            "landfall/log/cluster-apply-1.jsonl",
            "terraform/cluster/terraform.tfstate",
        ]
    );
    // What is there is still worth reading.
    let text =
        |name: &str| files.iter().find(|(known, ..)| known.ends_with(name)).map(|(.., text)| text.as_str());
    assert!(text("tfstate").is_some_and(|text| text.contains("i-0abc")));
    assert!(text("install-config.yaml").is_some_and(|text| text.contains("baseDomain: example.com")));
    assert!(text("files.txt").is_some_and(|text| text.contains("auth/kubeadmin-password")));
    let manifest = text("MANIFEST").unwrap_or_default();
    assert!(names[1..].iter().all(|name| manifest.contains(name)), "{manifest}");
    assert!(manifest.contains("plan.json") && manifest.contains("facts.json"), "{manifest}");
    // Nothing is overwritten, and nothing is left of what could not be written.
    assert!(write(&path, "folder", 0, &gathered).is_err());
    assert_eq!(fs::read_dir(target.path())?.count(), 1);
    Ok(())
}

/// The list that is printed, with columns whose cells break between words.
#[test]
fn the_list_stays_within_the_terminal() -> Outcome {
    let directory = cluster()?;
    let (mut gathered, _) = gather(directory.path());
    let why =
        "the machine did not answer within 2m: ssh: connect to host 192.0.2.11 port 22: Connection timed out";
    gathered
        .missing
        .push(Missing { path: "machines/control-plane-192.0.2.11".to_owned(), why: why.to_owned() });
    for columns in [80, 100, 120] {
        let list = gathered.manifest(Style::new(false, Some(columns)));
        assert!(list.lines().all(|line| line.chars().count() <= columns), "{columns}: {list}");
        landfall_testing::assert_text(&format!("terminal-{columns}-gather"), &list);
    }
    Ok(())
}

#[test]
fn what_looks_like_a_secret_is_taken_for_one() {
    let directory = Path::new("/nonexistent");
    let cleaner = Cleaner::of(directory, None);
    for (text, kept) in [
        ("Authorization: Bearer canary-of-a-header", "Authorization: Bearer "),
        (r#"{"auth": "Y2FuYXJ5"}"#, r#"{"auth": ""#),
        ("https://user:canary@host/x", "@host/x"),
        ("https://a.example.com/b?sp=r&sig=canary%3D&se=1", "&se=1"),
        ("aws_secret_access_key = canary/canary+canary", "aws_secret_access_key = "),
        ("core:$6$canary$canarycanarycanary:1", "core:"),
        ("-----BEGIN EC PRIVATE KEY-----\ncanary\n-----END EC PRIVATE KEY-----\nend", "\nend"),
        (
            "source: data:text/plain;charset=utf-8;base64,CANARIES",
            "source: data:text/plain;charset=utf-8;base64,",
        ),
        ("key: PEM end", " end"),
        ("eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYW5hcnkifQ.canary", ""),
    ] {
        let text = text.replace("CANARIES", &"canary".repeat(20));
        let text = text.replace("PEM", &STANDARD.encode("-----BEGIN RSA PRIVATE KEY-----\ncanary"));
        let clean = cleaner.clean(&text);
        assert!(!clean.contains(&STANDARD.encode("KEY-----\ncanary")), "{clean}");
        assert!(!clean.contains("canary") && !clean.contains("Y2FuYXJ5"), "{clean}");
        assert!(clean.contains(kept) && clean.contains(REDACTED), "{clean}");
    }
    let harmless = "EC2 DescribeVpcs: 12 ms, 3 of 4 done: https://host:443/a@b, sshKey ssh-ed25519 AAAA";
    assert_eq!(cleaner.clean(harmless), harmless);
}

#[test]
fn a_directory_of_nobody_has_nothing() -> Outcome {
    let directory = tempfile::tempdir()?;
    assert!(!is_of_cluster(directory.path()));
    let finding = pages::nothing("demo");
    assert_eq!((finding.code.as_str(), finding.is_error()), ("LF1223", true));
    Ok(())
}

/// A program that plays `ssh`: it says how it was called and a secret, or fails for one address.
fn played(folder: &Path) -> Result<PathBuf, std::io::Error> {
    let path = folder.join("ssh");
    let script = "#!/bin/sh\ncase \"$*\" in *core@192.0.2.12*) echo 'no route to host' >&2; exit 255;; esac\n\
        echo \"called with $*\"\necho canary-of-kubeadmin\nexit 1\n";
    fs::write(&path, script)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

#[tokio::test]
async fn journals_of_machines_are_read_over_ssh() -> Outcome {
    let directory = cluster()?;
    let (_, cleaner) = gather(directory.path());
    let noted = Addresses::noted(directory.path());
    let known =
        Addresses { bootstrap: Some("192.0.2.10".to_owned()), control_plane: vec!["192.0.2.11".to_owned()] };
    assert_eq!(noted, known);
    let programs = tempfile::tempdir()?;
    let (program, key) = (played(programs.path())?, PathBuf::from("my key"));
    let asked = Journals { key: &key, program, limit: Duration::from_mins(1) };
    let control_plane = ["192.0.2.11", "192.0.2.12"].map(str::to_owned).to_vec();
    let read = journals(&asked, &Addresses { control_plane, ..noted }, &cleaner).await;
    let mut pieces = Vec::new();
    let mut missing = Vec::new();
    for one in read {
        match one {
            Ok(piece) => pieces.push(piece),
            Err(one) => missing.push(one),
        }
    }
    let paths: Vec<&str> = pieces.iter().map(|piece| piece.path.as_str()).collect();
    assert_eq!(paths, ["machines/bootstrap-192.0.2.10.log", "machines/control-plane-192.0.2.11.log"]);
    for piece in &pieces {
        assert_clean(&piece.path, piece.text());
        let text = piece.text();
        assert!(text.contains("BatchMode=yes") && text.contains("journalctl --boot"), "{text}");
        assert!(text.contains("-i my key") && text.contains("UserKnownHostsFile="), "{text}");
    }
    assert!(!pieces[0].text().contains("ProxyCommand"), "{}", pieces[0].text());
    assert!(pieces[1].text().contains("'my key'") && pieces[1].text().contains("core@192.0.2.10"));
    assert_eq!(missing.len(), 1);
    assert_eq!(missing[0].machine(), "control-plane-192.0.2.12");
    let finding = pages::machine(missing[0].machine(), &missing[0].why);
    assert_eq!((finding.code.as_str(), finding.is_error()), ("LF1224", false));
    assert!(finding.message.contains("no route to host"), "{}", finding.message);
    assert_eq!(pages::no_address().code.as_str(), "LF1225");
    Ok(())
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() -> Outcome {
    let cleaner = Cleaner::of(Path::new("/nonexistent"), None);
    let key = PathBuf::from("key");
    let asked = Journals { key: &key, program: "/nonexistent/ssh".into(), limit: Duration::from_secs(5) };
    let addresses = Addresses { bootstrap: Some("192.0.2.1".to_owned()), ..Addresses::default() };
    let read = journals(&asked, &addresses, &cleaner).await;
    let why = read.into_iter().find_map(Result::err).map(|missing| missing.why).unwrap_or_default();
    assert!(why.contains("`ssh`"), "{why}");
    Ok(())
}

#[test]
fn an_address_is_never_an_option() {
    for good in ["192.0.2.1", "2001:db8::1", "bootstrap.example.com", "ip-10-0-0-1"] {
        assert!(address(good).is_ok(), "{good}");
    }
    for bad in ["", "-oProxyCommand=x", "a b", "a;b", "$(x)", "core@host", "a'b"] {
        assert!(address(bad).is_err(), "{bad}");
    }
}

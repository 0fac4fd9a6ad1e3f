//! No secret is ever shown, wherever credentials come from and whatever the cloud says of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rcgen::{CertificateParams, KeyPair, PKCS_RSA_SHA256};
use serde_json::json;

use super::answer::Answer;
use super::arm::{Azure, Scene, Trouble};
use super::directory::Proof;
use super::scene::{CLIENT, SUBSCRIPTION, TENANT, config, lander, public, stranger, with_ids};
use crate::program::{Landfall, Ran};

/// In every secret.
const CANARY: &str = "c4n4ryc4n4ry";

fn secret(name: &str) -> String {
    format!("{CANARY}{name}")
}

/// What stands for a user and a secret password in a pull secret.
fn pull() -> String {
    STANDARD.encode(format!("lander:{}", secret("pull")))
}

/// Where credentials come from, and what the directory knows of them.
struct Source {
    name: &'static str,
    proof: Proof,
    variables: Vec<(&'static str, String)>,
    /// Files below the home, each with the variable that names it.
    files: Vec<(&'static str, String, &'static str)>,
    /// What must not be shown besides.
    hidden: Vec<String>,
}

fn sources() -> Vec<Source> {
    let key = KeyPair::generate_for(&PKCS_RSA_SHA256).unwrap();
    let certificate = CertificateParams::new(Vec::<String>::new()).unwrap().self_signed(&key).unwrap();
    let pem = format!("{}{}", key.serialize_pem(), certificate.pem());
    let lines: Vec<String> =
        key.serialize_pem().lines().filter(|line| line.len() == 64).map(str::to_owned).collect();
    assert!(lines.len() > 10, "the key has lines");
    let known = Proof::Certificate { der: certificate.der().to_vec(), key: key.public_key_raw().to_vec() };
    let file = json!({
        "subscriptionId": SUBSCRIPTION,
        "clientId": CLIENT,
        "clientSecret": secret("file"),
        "tenantId": TENANT,
    });
    let own = |name: &'static str, proof: Proof| Source {
        name,
        proof,
        variables: Vec::new(),
        files: Vec::new(),
        hidden: Vec::new(),
    };
    vec![
        Source {
            variables: vec![("AZURE_CLIENT_SECRET", secret("~/+=environment"))],
            ..own("environment", Proof::Secret(secret("~/+=environment")))
        },
        Source {
            files: vec![("sp.json", file.to_string(), "AZURE_AUTH_LOCATION")],
            ..own("service principal", Proof::Secret(secret("file")))
        },
        Source {
            files: vec![("token", secret(".federated.token"), "AZURE_FEDERATED_TOKEN_FILE")],
            ..own("federated token", Proof::Federated(secret(".federated.token")))
        },
        Source {
            files: vec![("lander.pem", pem, "AZURE_CLIENT_CERTIFICATE_PATH")],
            variables: vec![("AZURE_CLIENT_CERTIFICATE_PASSWORD", secret("password"))],
            hidden: lines,
            ..own("certificate", known)
        },
    ]
}

impl Source {
    fn scene(&self) -> Scene {
        let mut scene = public();
        scene.directory.applications = vec![lander(self.proof.clone())];
        scene
    }

    fn landfall(&self, azure: &Azure) -> Landfall {
        let manual = format!("{}credentialsMode: Manual\n", config(""));
        let with_pull_secret = manual.replace("ZmFrZTpmYWtl", &pull());
        assert_ne!(manual, with_pull_secret);
        let landfall = stranger(azure, &with_pull_secret).with("RUST_LOG", "trace");
        // The file of a service principal is for those whose environment says nothing of them.
        let whole = self.files.iter().any(|(_, _, variable)| *variable == "AZURE_AUTH_LOCATION");
        let landfall = if whole { landfall } else { with_ids(landfall) };
        let named = self
            .files
            .iter()
            .fold(landfall, |landfall, (file, text, name)| landfall.naming(name, file, text));
        self.variables.iter().fold(named, |landfall, (name, value)| landfall.with(name, value.as_str()))
    }

    /// Runs a command as loudly as can be, and gives what it printed after everything was searched.
    fn searched(&self, azure: &Azure, landfall: &Landfall, command: &[&str]) -> Ran {
        let log = landfall.write("landfall.log", "");
        let ran = landfall.ask(&[command, &["-v", "--log-file", log.as_str()]].concat());
        let log = std::fs::read_to_string(log).unwrap();
        let tokens = azure.tokens();
        // What a token is signed with is what makes it one.
        let signatures = tokens.iter().filter_map(|token| Some(token.rsplit_once('.')?.1.to_owned()));
        let sent = azure.asked_at("/oauth2/v2.0/token").into_iter();
        let assertions = sent.filter_map(|one| one.call.form().get("client_assertion").cloned());
        let mut hidden: Vec<String> = signatures.chain(assertions).collect();
        hidden.extend(self.hidden.iter().cloned());
        hidden.extend([CANARY.to_owned(), pull()]);
        for said in [&ran.out, &ran.err, &log] {
            for secret in &hidden {
                if let Some(at) = said.find(secret.as_str()) {
                    let around: String = said[..at].chars().rev().take(300).collect();
                    let around: String = around.chars().rev().collect();
                    panic!("{}: a secret is shown after this:\n{around}", self.name);
                }
            }
        }
        ran
    }
}

fn status_of(ran: &Ran, id: &str) -> String {
    let report = ran.json();
    let checks = report["checks"].as_array().unwrap();
    let check = checks.iter().find(|check| check["id"] == id).unwrap();
    check["status"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn of_credentials_that_are_accepted_nothing_is_shown() {
    for source in sources() {
        let azure = Azure::start(source.scene());
        let landfall = source.landfall(&azure);
        let ran = source.searched(&azure, &landfall, &["preflight", "-o", "json"]);
        assert_eq!(status_of(&ran, "azure.credentials"), "passed", "{}: {ran}", source.name);
        assert!(!azure.tokens().is_empty(), "{}", source.name);
        source.searched(&azure, &landfall, &["preflight"]).ends(0);
        source.searched(&azure, &landfall, &["facts"]).ends(0);
        source.searched(&azure, &landfall, &["create", "manifests"]).ends(0);
    }
}

/// The authority repeats all that it was sent.
#[test]
fn of_credentials_that_are_refused_nothing_is_shown() {
    for source in sources() {
        let echo = Trouble::always("/oauth2/v2.0/token", |asked| {
            let description = format!("AADSTS900144: The request was\n{}", asked.echo());
            let body = json!({
                "error": "invalid_request",
                "error_description": description,
                "error_codes": [900_144],
                "correlation_id": "0f0e0d0c-0000-4000-8000-00000000bbbb",
            });
            Answer::json(400, &body)
        });
        let azure = Azure::start(source.scene().with(echo));
        let landfall = source.landfall(&azure);
        let ran = source.searched(&azure, &landfall, &["preflight", "-o", "json"]).ends(4);
        assert_eq!(status_of(&ran, "azure.credentials"), "failed", "{}: {ran}", source.name);
        source.searched(&azure, &landfall, &["facts"]).ends(4);
    }
}

/// The resource manager repeats the token, and every call has one of its own.
#[test]
fn of_tokens_that_come_later_nothing_is_shown() {
    let source = sources().remove(0);
    let echo = Trouble::always("/microsoft.compute/skus", |asked| {
        Answer::error(400, "BadRequest", &format!("not with {}", asked.header("authorization")))
    });
    let mut scene = source.scene().with(echo);
    scene.directory.lifetime = 0;
    let azure = Azure::start(scene);
    let landfall = source.landfall(&azure);
    let ran = source.searched(&azure, &landfall, &["preflight", "-o", "json"]).ends(4);
    assert_eq!(status_of(&ran, "azure.credentials"), "passed", "{ran}");
    assert!(ran.out.contains("not with Bearer <redacted>"), "{ran}");
    assert!(azure.tokens().len() > 1, "{ran}");
    source.searched(&azure, &landfall, &["facts"]).ends(4);
}

/// The resource manager repeats all that it was sent, with the token.
#[test]
fn of_tokens_nothing_is_shown() {
    let source = sources().remove(0);
    let echo = Trouble::always("/subscriptions/", |asked| Answer::error(400, "BadRequest", &asked.echo()));
    let azure = Azure::start(source.scene().with(echo));
    let landfall = source.landfall(&azure);
    let ran = source.searched(&azure, &landfall, &["preflight", "-o", "json"]).ends(4);
    assert_eq!(status_of(&ran, "azure.subscription"), "failed", "{ran}");
    let brought = azure.asked().iter().any(|one| one.call.authorization.starts_with("Bearer "));
    assert!(brought, "no token was sent: {ran}");
    source.searched(&azure, &landfall, &["facts"]).ends(4);
    source.searched(&azure, &landfall, &["create", "manifests"]).ends(4);
}

//! Credentials of every kind, and everything that can be wrong with them.

use p12_keystore::{Certificate, KeyStore, KeyStoreEntry, PrivateKey, PrivateKeyChain};
use rcgen::{CertificateParams, DnType, KeyPair, PKCS_RSA_SHA256, date_time_ymd};
use serde_json::json;

use super::answer::Answer;
use super::arm::{Azure, Trouble};
use super::directory::Proof;
use super::scene::{
    CLIENT, SECRET, SUBSCRIPTION, TENANT, checks, config, lander, landfall, public, stranger, subscription,
    with_ids,
};
use crate::program::{Landfall, text};

/// What a cluster hands to an application that it runs.
const FEDERATED: &str = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjNG40cnkifQ.c4n4ry";

/// A cloud that knows the application by this.
pub fn knowing(proof: Proof) -> Azure {
    let mut scene = public();
    scene.directory.applications = vec![lander(proof)];
    Azure::start(scene)
}

/// A certificate with its key, as a file has them, and what the directory knows of them.
pub fn certificate() -> (String, Proof) {
    let key = KeyPair::generate_for(&PKCS_RSA_SHA256).unwrap();
    let mut params = CertificateParams::new(Vec::<String>::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, "lander");
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(2045, 1, 1);
    let certificate = params.self_signed(&key).unwrap();
    let proof = Proof::Certificate { der: certificate.der().to_vec(), key: key.public_key_raw().to_vec() };
    (format!("{}{}", key.serialize_pem(), certificate.pem()), proof)
}

/// A file in PKCS#12 form with the key and the certificate of a text.
pub fn key_store(text: &str, password: &str) -> Vec<u8> {
    let blocks = pem::parse_many(text).unwrap();
    let of = |tag: &str| blocks.iter().find(|block| block.tag() == tag).unwrap().contents();
    let key = PrivateKey::from_der(of("PRIVATE KEY")).unwrap();
    let certificate = Certificate::from_der(of("CERTIFICATE")).unwrap();
    let mut store = KeyStore::new();
    let chain = PrivateKeyChain::new("lander", key, [certificate]);
    store.add_entry("lander", KeyStoreEntry::PrivateKeyChain(chain));
    store.writer(password).write().unwrap()
}

/// The file that the OpenShift installer writes.
fn service_principal() -> String {
    let file = json!({
        "subscriptionId": SUBSCRIPTION,
        "clientId": CLIENT,
        "clientSecret": SECRET,
        "tenantId": TENANT,
    });
    file.to_string()
}

/// Those that are accepted lead to one token, and to everything behind it.
#[track_caller]
fn accepted(azure: &Azure, landfall: &Landfall) {
    let report = landfall.preflight();
    report.passes();
    for id in ["azure.credentials", "azure.subscription", "azure.location", "azure.permissions"] {
        report.is(id, "passed");
    }
    assert_eq!(azure.tokens().len(), 1, "{}", report.ran);
    assert!(!report.ran.to_string().contains("c4n4ry"), "{}", report.ran);
}

#[test]
fn they_come_from_where_others_look_for_them() {
    let secret = || knowing(Proof::Secret(SECRET.to_owned()));
    let azure = secret();
    accepted(&azure, &landfall(&azure, &config("")));

    let azure = secret();
    let installer = stranger(&azure, &config(""));
    installer.write(".azure/osServicePrincipal.json", &service_principal());
    accepted(&azure, &installer);

    let azure = secret();
    let elsewhere =
        stranger(&azure, &config("")).naming("AZURE_AUTH_LOCATION", "sp.json", &service_principal());
    accepted(&azure, &elsewhere);

    let azure = knowing(Proof::Federated(FEDERATED.to_owned()));
    let cluster = with_ids(stranger(&azure, &manual()));
    accepted(&azure, &cluster.naming("AZURE_FEDERATED_TOKEN_FILE", "token", FEDERATED));
}

/// A token does for all calls, however short its life is and however that is written.
#[test]
fn one_token_does_for_a_run() {
    for (lifetime, quotes) in [(120, false), (120, true), (86_400, true)] {
        let mut scene = public();
        (scene.directory.lifetime, scene.directory.quotes) = (lifetime, quotes);
        let azure = Azure::start(scene);
        accepted(&azure, &landfall(&azure, &config("")));
    }
}

/// A certificate is preferred to a secret, and nobody's file is mixed with it.
#[test]
fn a_certificate_comes_before_a_secret() {
    let (pem, proof) = certificate();
    let azure = knowing(proof);
    let both = with_ids(stranger(&azure, &manual())).with("AZURE_CLIENT_SECRET", "c4n4ry~unused");
    accepted(&azure, &both.naming("AZURE_CLIENT_CERTIFICATE_PATH", "lander.pem", &pem));

    let alone = stranger(&azure, &manual()).naming("AZURE_CLIENT_CERTIFICATE_PATH", "lander.pem", &pem);
    alone.write(".azure/osServicePrincipal.json", &service_principal());
    let check = alone.preflight().is("azure.credentials", "failed").to_string();
    assert!(check.contains("LF1111") && check.contains("AZURE_TENANT_ID"), "{check}");
}

/// What is named for the credentials must give them: nobody else's login does.
#[test]
fn a_service_principal_that_cannot_be_read_is_told() {
    const VARIABLE: &str = "AZURE_AUTH_LOCATION";
    let azure = Azure::start(public());
    let missing = stranger(&azure, &config("")).with(VARIABLE, "/nowhere/sp.json");
    let report = missing.preflight();
    let check = report.says("azure.credentials", "failed", &[VARIABLE, "/nowhere/sp.json"]);
    assert_eq!(text(check, "code"), "LF1111", "{check}");
    let torn = stranger(&azure, &config("")).naming(VARIABLE, "sp.json", "{\"clientSecret\": \"c4n4ry");
    let report = torn.preflight();
    report.says("azure.credentials", "failed", &[VARIABLE, "sp.json", "JSON"]);
    report.reports("azure.credentials", "failed", "LF1111");
    assert!(!report.ran.to_string().contains("c4n4ry"), "{}", report.ran);
    // Who is named otherwise needs no file.
    let named = landfall(&azure, &config("")).with(VARIABLE, "/nowhere/sp.json");
    accepted(&azure, &named);
}

/// A program in place of the Azure CLI, found first.
#[cfg(unix)]
fn with_cli(landfall: Landfall, script: &str) -> Landfall {
    use std::os::unix::fs::PermissionsExt as _;

    let program = landfall.write("bin/az", &format!("#!/bin/sh\n{script}\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let folder = program.trim_end_matches("/az");
    landfall.with("PATH", format!("{folder}:/usr/bin:/bin"))
}

/// A machine in Azure may have no identity; then whoever is logged in is asked.
#[cfg(unix)]
#[test]
fn a_machine_without_an_identity_is_passed_over() {
    let nobody = || {
        let body = json!({ "error": "invalid_request", "error_description": "Identity not found" });
        Azure::start(public().with(Trouble::always("/msi/token", move |_| Answer::json(400, &body))))
    };
    let on_machine = |azure: &Azure| {
        let landfall = stranger(azure, &manual()).with("IDENTITY_HEADER", "c4n4ry-header");
        landfall.with("IDENTITY_ENDPOINT", format!("{}/msi/token", azure.url()))
    };
    let azure = nobody();
    let token =
        json!({ "accessToken": azure.login(), "expires_on": 4_102_444_800_u64, "tokenType": "Bearer" });
    accepted(&azure, &with_cli(on_machine(&azure), &format!("echo '{token}'")));
    assert!(!azure.asked_at("/msi/token").is_empty());

    // Nobody is logged in either.
    let azure = nobody();
    let script = "echo \"Please run 'az login' to setup account.\" >&2; exit 1";
    let report = with_cli(on_machine(&azure), script).preflight();
    report.says("azure.credentials", "failed", &["identity", "logged in"]);

    // Another identity than the one that is named does not do.
    let azure = nobody();
    let named = on_machine(&azure).with("AZURE_CLIENT_ID", CLIENT).with("PATH", "/nowhere");
    named.preflight().says("azure.credentials", "failed", &["identity"]);
}

/// The Azure CLI may wait for ever. Landfall does not, and leaves nothing running.
#[cfg(unix)]
#[test]
fn an_azure_cli_that_hangs_ends_with_the_run() {
    use std::process::Command;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    let azure = Azure::start(public());
    let landfall = stranger(&azure, &manual()).with("MSI_ENDPOINT", "none");
    let pipe = landfall.write("pipe", "");
    std::fs::remove_file(&pipe).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The pipe ends when nobody holds it any more.
    let (tell, told) = channel();
    let held = pipe.clone();
    std::thread::spawn(move || tell.send(std::fs::read(held).is_ok()));
    let landfall = with_cli(landfall, &format!("sh -c 'echo begun; exec sleep 600' > '{pipe}'"));
    landfall.preflight_within("5s").says("azure.credentials", "failed", &["no response in"]);
    assert_eq!(told.recv_timeout(Duration::from_mins(1)), Ok(true));
}

/// What it says last is told, and nothing that looks like a token.
#[cfg(unix)]
#[test]
fn an_azure_cli_that_fails_is_quoted() {
    let azure = Azure::start(public());
    let landfall = stranger(&azure, &manual()).with("MSI_ENDPOINT", "none");
    let script = "echo c4n4ry; echo c4n4ry >&2; echo 'ERROR: no broker for eyJc4n4ry.x.y.' >&2; exit 1";
    let report = with_cli(landfall, script).preflight();
    let check = report.reports("azure.credentials", "failed", "LF1115");
    assert!(text(check, "message").ends_with(": ERROR: no broker for <redacted>"), "{check}");
    assert!(!report.ran.to_string().contains("c4n4ry"), "{}", report.ran);
}

/// Who has logged in to the Azure CLI is known by it, and by the only subscription that there is.
#[cfg(unix)]
#[test]
fn a_login_to_the_azure_cli_does_as_well() {
    let azure = Azure::start(public());
    let landfall = stranger(&azure, &manual()).with("MSI_ENDPOINT", "none");
    let token =
        json!({ "accessToken": azure.login(), "expires_on": 4_102_444_800_u64, "tokenType": "Bearer" });
    let landfall = with_cli(landfall, &format!("echo '{token}'"));
    accepted(&azure, &landfall);
    let facts = landfall.ask(&["facts"]).ends(0).json();
    assert_eq!(facts["azure"]["subscriptionId"], SUBSCRIPTION, "{facts}");
    assert_eq!(facts["azure"]["tenantId"], TENANT, "{facts}");
}

/// Who signs with a certificate has no secret that a cluster could be given.
fn manual() -> String {
    format!("{}credentialsMode: Manual\n", config(""))
}

#[test]
fn a_certificate_is_proof_enough() {
    const VARIABLE: &str = "AZURE_CLIENT_CERTIFICATE_PATH";
    let (pem, proof) = certificate();
    let azure = knowing(proof);
    let with = |pem: &str| with_ids(stranger(&azure, &manual())).naming(VARIABLE, "lander.pem", pem);
    accepted(&azure, &with(&pem));
    let form = azure.asked_at("/oauth2/v2.0/token").remove(0).call.form();
    assert!(form.contains_key("client_assertion") && !form.contains_key("client_secret"), "{form:?}");

    let (other, _) = certificate();
    let report = with(&other).preflight();
    report.says("azure.credentials", "failed", &["AADSTS700027"]);
    report.reports("azure.credentials", "failed", "LF1113");

    // A file without the key, one in another form, and none at all.
    let begin = pem.find("-----BEGIN CERTIFICATE-----").unwrap_or_default();
    for text in [&pem[begin..], &pem[..begin], "0\u{7f}PKCS12"] {
        let report = with(text).preflight();
        let check = report.is("azure.credentials", "failed").to_string();
        assert!(check.contains("PEM") && check.contains("lander.pem"), "{check}");
    }
    let missing = with_ids(stranger(&azure, &manual())).with(VARIABLE, "/nowhere/lander.pem");
    let check = missing.preflight().is("azure.credentials", "failed").to_string();
    assert!(check.contains("/nowhere/lander.pem"), "{check}");
    assert_eq!(azure.tokens().len(), 1);
}

#[test]
fn a_certificate_may_be_in_a_key_store() {
    const PASSWORD: &str = "c4n4ry-password";
    let (pem, proof) = certificate();
    let azure = knowing(proof);
    let with = |config: &str, password: &str| {
        let landfall = with_ids(stranger(&azure, config));
        let path = landfall.write("lander.pfx", "");
        std::fs::write(&path, key_store(&pem, PASSWORD)).unwrap();
        let landfall = landfall.with("AZURE_CLIENT_CERTIFICATE_PATH", path);
        if password.is_empty() {
            landfall
        } else {
            landfall.with("AZURE_CLIENT_CERTIFICATE_PASSWORD", password)
        }
    };
    accepted(&azure, &with(&manual(), PASSWORD));
    for (password, word) in [("", "none is set"), ("c4n4ry-other", "password is wrong")] {
        let report = with(&manual(), password).preflight();
        let check = report.says("azure.credentials", "failed", &["lander.pfx", word]);
        assert!(text(check, "help").contains("AZURE_CLIENT_CERTIFICATE_PASSWORD"), "{check}");
        assert!(!report.ran.to_string().contains("c4n4ry"), "{}", report.ran);
    }
    // The cluster's operators could not use it.
    let report = with(&config(""), PASSWORD).preflight();
    let check = report.says("azure.permissions.credentials-mode", "failed", &["lander.pfx", "Manual"]);
    assert_eq!((text(check, "code"), text(check, "field")), ("LF1147", "credentialsMode"), "{check}");
    assert_eq!(report.with("failed").len(), 1, "{}", report.ran);
}

#[test]
fn none_at_all_is_told_once() {
    let azure = Azure::start(public());
    // There is no Azure CLI, and no service that hands out identities to machines as it is known here.
    let landfall = stranger(&azure, &config("")).with("PATH", "/nowhere").with("MSI_ENDPOINT", "none");
    let report = landfall.preflight();
    let check = report.reports("azure.credentials", "failed", "LF1110");
    assert!(text(check, "help").contains("AZURE_CLIENT_ID"), "{check}");
    // What needs none is looked at all the same.
    for id in ["azure.trust", "azure.cloud", "azure.endpoint.resource-manager", "azure.endpoint.authority"] {
        report.is(id, "passed");
    }
    for id in [
        "azure.subscription",
        "azure.account",
        "azure.location",
        "azure.sizes",
        "azure.quotas",
        "azure.dns-zone",
        "azure.permissions",
    ] {
        report.is(id, "skipped");
    }
    // A new network needs nothing of the cloud.
    report.is("azure.network", "passed");
    let quotas = checks(&report, "azure.quota.");
    assert!(quotas.iter().all(|check| text(check, "status") == "skipped"), "{}", report.ran);
    assert_eq!(report.with("failed").len(), 1, "{}", report.ran);
    let signed: Vec<String> = azure
        .asked()
        .into_iter()
        .filter(|one| !one.call.authorization.is_empty() || one.call.method != "GET")
        .map(|one| one.asked.path)
        .collect();
    assert!(signed.is_empty(), "{signed:?}");
    let ran = landfall.ask(&["facts"]).ends(4);
    assert!(ran.out.is_empty() && ran.err.contains(text(check, "code")), "{ran}");
}

/// Somebody else's login does not stand in for an application that is named.
#[test]
fn an_application_without_proof_is_told() {
    let azure = Azure::start(public());
    let bare = with_ids(stranger(&azure, &config(""))).with("MSI_ENDPOINT", "none");
    let report = bare.preflight();
    let check = report.says("azure.credentials", "failed", &[CLIENT, "no managed identity"]);
    assert_eq!(text(check, "code"), "LF1111", "{check}");
    assert!(text(check, "help").contains("AZURE_CLIENT_SECRET"), "{check}");
    report.is("azure.account", "skipped");
}

/// A token that is said to last longer than any clock.
#[test]
fn a_token_for_ever_is_told() {
    let mut scene = public();
    scene.directory.lifetime = 9_000_000_000_000_000_000;
    let azure = Azure::start(scene);
    let report = landfall(&azure, &config("")).preflight();
    let check = report.says("azure.credentials", "failed", &["the response is invalid"]);
    assert_eq!(text(check, "code"), "LF1115", "{check}");
    report.is("azure.subscription", "skipped");
}

/// Those that are refused are told by their number, once, and nothing is asked without a token.
#[track_caller]
fn refused(azure: &Azure, landfall: &Landfall, code: &str, number: &str) {
    let report = landfall.preflight();
    let failed: Vec<(&str, &str)> = checks(&report, "azure.")
        .into_iter()
        .filter(|check| text(check, "status") == "failed" && check.to_string().contains(number))
        .map(|check| (text(check, "id"), text(check, "code")))
        .collect();
    assert_eq!(failed, [("azure.credentials", code)], "{number}: {}", report.ran);
    report.is("azure.endpoint.resource-manager", "passed");
    report.is("azure.subscription", "skipped");
    report.is("azure.account", "skipped");
    assert!(azure.tokens().is_empty() && !report.ran.to_string().contains("c4n4ry"), "{}", report.ran);
    let ran = landfall.ask(&["facts"]).ends(4);
    assert!(ran.out.is_empty() && ran.err.contains(number), "{ran}");
}

#[test]
fn those_that_are_refused_are_told_by_what_is_wrong_with_them() {
    // The directory has two ways to write the same.
    for older in [false, true] {
        let mut scene = public();
        scene.directory.older = older;
        let azure = Azure::start(scene);
        let ids = || with_ids(stranger(&azure, &config("")));
        refused(&azure, &ids().with("AZURE_CLIENT_SECRET", "c4n4ry~other"), "LF1113", "AADSTS7000215");
        let unknown = ids().with("AZURE_CLIENT_ID", "bbbbbbbb-0000-4000-8000-000000000000");
        refused(&azure, &unknown.with("AZURE_CLIENT_SECRET", SECRET), "LF1113", "AADSTS700016");
        let elsewhere = ids().with("AZURE_TENANT_ID", "66666666-0000-4000-8000-000000000000");
        refused(&azure, &elsewhere.with("AZURE_CLIENT_SECRET", SECRET), "LF1113", "AADSTS90002");
    }
    let azure = knowing(Proof::Expired(SECRET.to_owned()));
    refused(&azure, &landfall(&azure, &config("")), "LF1114", "AADSTS7000222");

    let azure = knowing(Proof::Federated(FEDERATED.to_owned()));
    let cluster = with_ids(stranger(&azure, &config("")));
    let stale = cluster.naming("AZURE_FEDERATED_TOKEN_FILE", "token", "c4n4ry.of.yesterday");
    refused(&azure, &stale, "LF1113", "AADSTS700213");
    let missing =
        with_ids(stranger(&azure, &config(""))).with("AZURE_FEDERATED_TOKEN_FILE", "/nowhere/token");
    let check = missing.preflight().is("azure.credentials", "failed").to_string();
    assert!(check.contains("/nowhere/token"), "{check}");
}

#[test]
fn a_subscription_must_be_there_and_open() {
    let of = |change: &dyn Fn(&mut serde_json::Value), words: &[&str]| {
        let azure = Azure::start(public());
        azure.edit(|tree| change(tree.at(&subscription(""))));
        let report = landfall(&azure, &config("")).preflight();
        report.says("azure.subscription", "failed", words);
        report.is("azure.credentials", "passed");
    };
    of(&|document| document["state"] = json!("Disabled"), &["Disabled"]);
    // What cannot be used is not planned with, however much is known of it.
    for (state, code, ended) in [("Disabled", "LF1118", 4), ("PastDue", "LF1119", 0)] {
        let azure = Azure::start(public());
        azure.edit(|tree| tree.at(&subscription(""))["state"] = json!(state));
        let landfall = landfall(&azure, &config(""));
        for command in [&["facts"][..], &["create", "manifests"]] {
            let ran = landfall.ask(command).ends(ended);
            assert!(ran.err.contains(code), "{ran}");
        }
    }
    of(
        &|document| document["tenantId"] = json!("66666666-0000-4000-8000-000000000000"),
        &["66666666-0000-4000"],
    );

    let azure = Azure::start(public());
    let other = "11111111-0000-4000-8000-000000000000";
    let report = landfall(&azure, &config("")).with("AZURE_SUBSCRIPTION_ID", other).preflight();
    report.says("azure.subscription", "failed", &[other]);
    report.is("azure.credentials", "passed");
    assert!(report.with("passed").is_disjoint(&["azure.location", "azure.sizes"].into()), "{}", report.ran);
}

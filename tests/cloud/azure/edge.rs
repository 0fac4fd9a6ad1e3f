//! What making a cluster asks of the cloud besides preflight: zones to choose from, the user's group, and what
//! terraform is given to call with.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::Findings;
use landfall_install_config::assets;
use landfall_install_config::verdict::{Strictness, active, judge_keeping};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::plan;
use landfall_model::plan::{Identity, Plan};
use landfall_platform::World;
use landfall_platform::cloud::{Asking, EngineNeeds, Patience, Session, Verdict};
use p12_keystore::Pkcs12Archive;
use serde_json::{Value, json};

use super::arm::Azure;
use super::credentials::{certificate, key_store, knowing};
use super::scene::{CLIENT, SECRET, SUBSCRIPTION, TENANT, config, group, overlay, public};

const INFRA_ID: &str = "demo-bcd24";
const PASSWORD: &str = "c4n4ry-password";

/// An environment and the files that it names.
#[derive(Default)]
struct Made {
    variables: BTreeMap<&'static str, String>,
    files: BTreeMap<&'static str, Vec<u8>>,
}

impl Made {
    /// With the ids of the subscription, the tenant and an application, and trust in a cloud.
    fn new(azure: &Azure) -> Self {
        Self::default()
            .naming("SSL_CERT_FILE", "/ca.pem", azure.pem.clone().into_bytes())
            .with("AZURE_SUBSCRIPTION_ID", SUBSCRIPTION)
            .with("AZURE_TENANT_ID", TENANT)
            .with("AZURE_CLIENT_ID", CLIENT)
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.insert(name, value.to_owned());
        self
    }

    fn naming(mut self, variable: &'static str, path: &'static str, bytes: Vec<u8>) -> Self {
        self.files.insert(path, bytes);
        self.with(variable, path)
    }
}

impl World for Made {
    fn variable(&self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }

    fn file(&self, path: &str) -> Option<Vec<u8>> {
        self.files.get(path).cloned()
    }
}

/// What a session is begun with.
struct Case {
    config: InstallConfig,
    given: InstallConfig,
    catalogue: Catalogue,
    world: Made,
}

impl Case {
    fn new(azure: &Azure, config: &str, world: Made) -> Self {
        let overlay = overlay(&azure.url(), &azure.url()).to_string();
        let catalogue = Catalogue::embedded().with_overlay(&overlay).unwrap();
        let verdict = judge_keeping(config.as_bytes(), Strictness::default(), &catalogue);
        let (config, given) = (verdict.config.unwrap(), verdict.given.unwrap());
        Self { config, given, catalogue, world }
    }

    fn release(&self) -> &str {
        self.catalogue.default_release().unwrap()
    }

    fn session(&self) -> Box<dyn Session + '_> {
        let limit = Duration::from_secs(20);
        let asking = Asking {
            checked: true,
            config: &self.config,
            given: &self.given,
            catalogue: &self.catalogue,
            release: self.release(),
            installed: false,
            own_records: &[],
            engine: plan::Engine::default(),
            world: &self.world,
            patience: Patience { connect: limit, call: limit, at_once: 8 },
        };
        active(&self.config).unwrap().cloud().unwrap().session(asking)
    }

    /// The plan that the cloud's facts allow.
    async fn plan(&self, session: &dyn Session) -> Plan {
        let gathered = session.facts().await;
        assert!(gathered.gaps.is_empty(), "{:?}", gathered.gaps);
        let identity = Identity { infra_id: INFRA_ID.to_owned(), cluster_id: String::new() };
        let case = plan::Case {
            config: &self.config,
            given: &self.given,
            facts: &gathered.facts,
            catalogue: &self.catalogue,
            release: self.release(),
            identity: &identity,
            installed: false,
            own_records: &[],
            engine: plan::Engine::default(),
        };
        let mut out = Findings::default();
        let plan = assets::plan(&case, &mut out);
        plan.unwrap_or_else(|| panic!("{:?}", out.into_vec()))
    }
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap().block_on(work)
}

fn with_secret(azure: &Azure) -> Made {
    Made::new(azure).with("AZURE_CLIENT_SECRET", SECRET)
}

/// The message of what was found, or why nobody knows.
fn why(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Found(finding) => format!("{} {}", finding.code.as_str(), finding.message),
        Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => why.clone(),
    }
}

#[test]
fn the_public_zones_of_all_groups_can_be_chosen() {
    let azure = Azure::start(public());
    let put = |name: &str, in_group: &str, kind: &str| {
        let path = group(in_group, &format!("/providers/Microsoft.Network/dnszones/{name}"));
        let zone = json!({
            "id": path,
            "name": name,
            "type": "Microsoft.Network/dnszones",
            "location": "global",
            "properties": { "zoneType": kind },
        });
        azure.edit(|tree| tree.put(&path, zone));
    };
    // More than come at a time.
    let names = ["a.example", "b.example", "c.example", "d.example"];
    for name in names {
        put(name, "net-rg", "Public");
    }
    put("inside.example", "net-rg", "Private");
    let case = Case::new(&azure, &config(""), with_secret(&azure));
    let zones = wait(case.session().public_zones()).unwrap();
    let told: Vec<(&str, &str)> =
        zones.iter().map(|zone| (zone.domain.as_str(), zone.group.as_deref().unwrap_or_default())).collect();
    let others = names.iter().map(|name| (*name, "net-rg"));
    let expected: Vec<(&str, &str)> = others.chain([("example.com", "dns-rg")]).collect();
    assert_eq!(told, expected);

    let case = Case::new(&azure, &config(""), Made::new(&azure).with("AZURE_CLIENT_SECRET", "wrong"));
    let refused = wait(case.session().public_zones()).unwrap_err();
    assert!(why(&refused).contains("azure.credentials"), "{}", why(&refused));
}

#[test]
fn a_group_of_the_user_s_is_given_to_the_cluster_once() {
    let azure = Azure::start(public());
    let path = group("cluster-rg", "");
    azure.edit(|tree| tree.at(&path)["tags"] = json!({ "team": "moon" }));
    let tags = || {
        let mut tags = Value::Null;
        azure.edit(|tree| tags = tree.at(&path)["tags"].clone());
        tags
    };
    let changes = || azure.asked().iter().filter(|one| one.call.method == "PATCH").count();
    let case = Case::new(&azure, &config("    resourceGroupName: cluster-rg\n"), with_secret(&azure));
    let session = case.session();
    wait(async {
        let plan = case.plan(&*session).await;
        let told = session.adopt(&plan).await.unwrap();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("`cluster-rg`") && told[0].contains("demo-bcd24"), "{told:?}");
        assert_eq!(tags(), json!({ "kubernetes.io_cluster.demo-bcd24": "owned", "team": "moon" }));
        assert_eq!(session.adopt(&plan).await.unwrap(), Vec::<String>::new());
        assert_eq!(changes(), 1);
        // Somebody was quicker.
        let other = json!({ "kubernetes.io_cluster.other-x1y2z": "owned" });
        azure.edit(|tree| tree.at(&path)["tags"] = other);
        let refused = session.adopt(&plan).await.unwrap_err();
        assert!(why(&refused).starts_with("LF0776 "), "{}", why(&refused));
        assert_eq!(changes(), 1);
    });

    let case = Case::new(&azure, &config(""), with_secret(&azure));
    let session = case.session();
    let told = wait(async { session.adopt(&case.plan(&*session).await).await.unwrap() });
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(changes(), 1);
}

/// What terraform gets, and its variables in the open.
fn engine(case: &Case) -> (EngineNeeds, BTreeMap<&'static str, String>) {
    let needs = wait(case.session().engine(INFRA_ID, "cluster")).unwrap();
    let shown = format!("{needs:?}");
    assert!(!shown.contains("c4n4ry"), "{shown}");
    let variables = needs.variables.iter().map(|(name, value)| (*name, value.expose().clone())).collect();
    (needs, variables)
}

#[test]
fn terraform_calls_as_landfall_does() {
    let azure = Azure::start(public());
    let (needs, variables) = engine(&Case::new(&azure, &config(""), with_secret(&azure)));
    let expected = [
        ("ARM_SUBSCRIPTION_ID", SUBSCRIPTION),
        ("ARM_TENANT_ID", TENANT),
        ("ARM_CLIENT_ID", CLIENT),
        ("ARM_CLIENT_SECRET", SECRET),
        ("ARM_ENVIRONMENT", "public"),
        ("ARM_METADATA_HOSTNAME", ""),
        ("ARM_USE_CLI", "false"),
        ("ARM_USE_MSI", ""),
    ];
    for (name, value) in expected {
        assert_eq!(variables.get(name).map(String::as_str), Some(value), "{name}");
    }
    let [(name, roots)] = needs.files.as_slice() else { panic!("one file: {needs:?}") };
    assert_eq!(*name, "SSL_CERT_FILE");
    let own: String = azure.pem.lines().collect();
    let roots: String = String::from_utf8_lossy(roots.expose()).lines().collect();
    assert!(roots.contains(&own), "the authority of the cloud is trusted");
}

/// Terraform takes PKCS#12 alone, whatever the user has.
#[test]
fn terraform_gets_a_certificate_in_its_own_form() {
    let (pem, proof) = certificate();
    let azure = knowing(proof);
    let manual = format!("{}credentialsMode: Manual\n", config(""));
    let in_pem =
        Made::new(&azure).naming("AZURE_CLIENT_CERTIFICATE_PATH", "/l.pem", pem.clone().into_bytes());
    let in_store = Made::new(&azure)
        .naming("AZURE_CLIENT_CERTIFICATE_PATH", "/l.pfx", key_store(&pem, PASSWORD))
        .with("AZURE_CLIENT_CERTIFICATE_PASSWORD", PASSWORD);
    for world in [in_pem, in_store] {
        let (_, variables) = engine(&Case::new(&azure, &manual, world));
        let password = &variables["ARM_CLIENT_CERTIFICATE_PASSWORD"];
        assert!(password.len() >= 32 && password != PASSWORD, "the file has a password of its own");
        assert_eq!(
            (variables["ARM_CLIENT_SECRET"].as_str(), variables["ARM_USE_CLI"].as_str()),
            ("", "false")
        );
        let store = STANDARD.decode(&variables["ARM_CLIENT_CERTIFICATE"]).unwrap();
        let archive = Pkcs12Archive::from_pkcs12(&store, password).unwrap();
        assert_eq!((archive.keys.len(), archive.certs.len()), (1, 1));
        let blocks = pem::parse_many(&pem).unwrap();
        let own = blocks.iter().find(|block| block.tag() == "CERTIFICATE").unwrap();
        assert_eq!(archive.certs[0].cert.as_der(), own.contents());
    }
}

//! What machines start from comes to be beside the operator's objects, by calls of Azure itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_certificates::is_for;
use landfall_render::ignition::text_of;
use serde_json::{Value, json};

use super::controller::{Asked, Controller, managed};
use super::identity::at;
use super::management::Management;
use super::site::{Run, Site, config};
use super::stands::{PUBLIC, end_lease, is_ready, policy};
use super::table::Azure;
use super::until::until;
use crate::azure::arm;
use crate::azure::directory::Proof;
use crate::azure::scene;
use crate::azure::tree::Tree;
use crate::ignition;
use crate::ignition::pointer;
use crate::proxy::{Proxy, Way};

const SSH_KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBERERERERERERERERERERERERERERERERERERERERER";
const NAMES: [&str; 4] =
    ["management.azure.com", "login.microsoftonline.com", "graph.microsoft.com", "*.blob.core.windows.net"];
const USER_DNS: (&str, &str) = ("userProvisionedDNS", "Enabled");
/// In the bootstrap machine's whole config.
const CANARY: &str = "c4n4ry-of-ignition";
/// Part of an address that gives access to whoever has it.
const SIGNATURE: &str = "sig=";

/// Azure itself, under its real names.
struct Cloud {
    azure: arm::Azure,
    /// The cluster's resource group.
    group: String,
    _proxy: Proxy,
}

impl Cloud {
    fn start(site: &mut Site) -> Self {
        Self::knowing(site, Proof::Secret(scene::SECRET.to_owned()))
    }

    /// The same with an application that proves who it is in this way.
    fn knowing(site: &mut Site, proof: Proof) -> Self {
        let mut scene = scene::of_cloud("eastus", "https://management.azure.com/");
        scene.directory.applications = vec![scene::lander(proof)];
        scene.names = NAMES.map(str::to_owned).to_vec();
        scene.blob_suffix = "blob.core.windows.net";
        let azure = arm::Azure::start(scene);
        for role in ["master", "worker"] {
            site.file(&format!("{role}.ign"), &pointer("demo.example.com", role, &azure.pem));
        }
        site.file("bootstrap.ign", &ignition::bootstrap(CANARY));
        let port = azure.port;
        let proxy = Proxy::start(move |_| Way::To(port));
        site.file("ca.pem", &azure.pem);
        let authority = site.path().join("ca.pem");
        for (name, value) in [
            ("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port)),
            ("SSL_CERT_FILE", authority.display().to_string()),
            ("AZURE_SUBSCRIPTION_ID", scene::SUBSCRIPTION.to_owned()),
            ("AZURE_TENANT_ID", scene::TENANT.to_owned()),
            ("AZURE_CLIENT_ID", scene::CLIENT.to_owned()),
            ("AZURE_CLIENT_SECRET", scene::SECRET.to_owned()),
        ] {
            site.environment.insert(name.to_owned(), value);
        }
        Self { azure, group: format!("{PUBLIC}-rg"), _proxy: proxy }
    }

    /// The id of a resource of the cluster.
    fn id(&self, rest: &str) -> String {
        scene::group(&self.group, rest)
    }

    /// Has what the operator creates, which works on a table of its own in these tests.
    fn has_what_the_operator_creates(&self) {
        let storage = self.id("/providers/Microsoft.Storage/storageAccounts/demox7k2psa");
        let tags = json!({ format!("kubernetes.io_cluster.{PUBLIC}"): "owned" });
        let put = |id: &str, document: Value| {
            let mut document = document;
            document["id"] = id.into();
            document["name"] = id.rsplit('/').next().unwrap().into();
            document["tags"] = tags.clone();
            document["location"] = "eastus".into();
            document["properties"]["provisioningState"] = "Succeeded".into();
            self.azure.edit(|tree| tree.put(&id.to_lowercase(), document));
        };
        put(&self.id(""), json!({}));
        let endpoints = json!({ "blob": "https://demox7k2psa.blob.core.windows.net/" });
        put(&storage, json!({ "properties": { "primaryEndpoints": endpoints } }));
        put(&format!("{storage}/blobServices/default/containers/ignition"), json!({}));
        put(
            &self.id("/providers/Microsoft.ManagedIdentity/userAssignedIdentities/demo-x7k2p-identity"),
            json!({}),
        );
    }

    /// Waits until somebody has looked for the storage account.
    fn until_asked_for_the_account(&self) {
        until("somebody looks for the account", || {
            let asked = self.azure.asked();
            asked.iter().any(|one| one.call.path.ends_with("/demox7k2psa")).then_some(())
        });
    }

    /// The paths of all boot sources that exist.
    fn sources(&self) -> Vec<String> {
        let paths = self.azure.manager().look(Tree::paths);
        let group = self.id("").to_lowercase();
        let is_one = |path: &String| {
            path.starts_with(&group)
                && ["/galleries/", "/containers/vhd", "/blobs/"].iter().any(|part| path.contains(part))
        };
        paths.into_iter().filter(is_one).collect()
    }

    /// How often something was put.
    fn puts(&self) -> usize {
        self.azure.asked().iter().filter(|one| one.call.method == "PUT").count()
    }
}

fn site() -> Site {
    Site::new(PUBLIC, &config("public", |config| config["sshKey"] = SSH_KEY.into()))
}

fn start(site: &Site, management: &Management) -> Run {
    start_with(site, management, &[])
}

fn start_with(site: &Site, management: &Management, more: &[&str]) -> Run {
    let engine = ["create", "cluster", "--engine", "aso", "--namespace", PUBLIC, "--infra-id", PUBLIC];
    let arguments = [&engine[..], &["--offline", "--yes", "--aso-machines", "aso"], more].concat();
    site.start(&arguments, Some(&management.server.kubeconfig()))
}

fn bootstrap(management: &Management) -> Option<Value> {
    let mut objects = management.objects(PUBLIC).into_iter();
    objects.find(|object| at(object, "/metadata/name") == "demo-x7k2p-bootstrap")
}

/// The address that the bootstrap machine is told.
fn source(management: &Management) -> String {
    let machine = bootstrap(management).unwrap();
    assert!(is_ready(&machine) && policy(&machine) == "manage", "{machine}");
    let config = STANDARD.decode(at(&machine, "/spec/osProfile/customData")).unwrap();
    let config: Value = serde_json::from_slice(&config).unwrap();
    at(&config, "/ignition/config/replace/source").to_owned()
}

#[test]
#[ignore = "needs an API server"]
fn machines_get_image_and_ignition_config() {
    let management = Management::start(&Azure::empty());
    let mut site = site();
    let cloud = Cloud::start(&mut site);
    cloud.has_what_the_operator_creates();
    let ran = start(&site, &management).end().ends(0);
    assert!(ran.err.contains("VirtualMachine/demo-x7k2p-bootstrap: wait waiting for value"), "{ran}");
    assert!(ran.err.contains("image-gallery/gallery_demo_x7k2p: create without an object"), "{ran}");
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains(SIGNATURE) && !text.contains(CANARY), "{ran}");
    }
    // Only a pointer gets into an object.
    assert!(management.objects(PUBLIC).iter().all(|object| !object.to_string().contains(CANARY)));

    let sources = cloud.sources();
    for end in [
        "/containers/ignition/blobs/bootstrap.ign",
        "/containers/vhd",
        // Its name is drawn with the cluster's id.
        ".vhd",
        "/galleries/gallery_demo_x7k2p",
        "/galleries/gallery_demo_x7k2p/images/demo-x7k2p",
        "/galleries/gallery_demo_x7k2p/images/demo-x7k2p-gen2",
    ] {
        assert!(sources.iter().any(|path| path.ends_with(end)), "{end}: {sources:?}");
    }
    let versions = sources.iter().filter(|path| path.contains("/versions/")).count();
    assert_eq!((versions, sources.len()), (2, 8), "{sources:?}");
    // The operator's machine starts from one of these versions.
    let image = bootstrap(&management).unwrap();
    let image = at(&image, "/spec/storageProfile/imageReference/reference/armId").to_lowercase();
    assert!(sources.contains(&image), "{image}: {sources:?}");
    let told = source(&management);
    let (url, query) = told.split_once('?').unwrap();
    assert_eq!(url, "https://demox7k2psa.blob.core.windows.net/ignition/bootstrap.ign");
    assert!(query.contains("sp=r&") && query.contains(SIGNATURE), "{query}");

    // Once more: nothing changes, and the machine keeps its address.
    let (before, puts) = (management.versions(PUBLIC), cloud.puts());
    start(&site, &management).end().ends(0);
    assert_eq!((management.versions(PUBLIC), cloud.puts()), (before, puts));

    // So it does with another pointer: Azure does not change that of a machine.
    site.file("pointer.ign", r#"{"ignition":{"version":"3.2.0"}}"#);
    let other = site.path().join("pointer.ign");
    start_with(&site, &management, &["--aso-ignition-pointer", other.to_str().unwrap()]).end().ends(0);
    assert_eq!(source(&management), told);

    let arguments = ["destroy", "bootstrap", "--yes", "--force"];
    site.start(&arguments, Some(&management.server.kubeconfig())).end().ends(0);
    start(&site, &management).end().ends(0);
    assert!(bootstrap(&management).is_none());
    assert_eq!(cloud.puts(), puts);
}

#[test]
#[ignore = "needs an API server"]
fn a_killed_run_is_continued_and_creates_nothing_twice() {
    let management = Management::start(&Azure::empty());
    let mut site = site();
    let cloud = Cloud::start(&mut site);
    cloud.has_what_the_operator_creates();
    let mut run = start(&site, &management);
    run.says(".vhd: create without an object");
    run.kill();
    end_lease(&management, PUBLIC);
    start(&site, &management).end().ends(0);
    assert!(source(&management).contains(SIGNATURE));
    let copies = cloud.azure.asked();
    let copies = copies.iter().filter(|one| one.call.method == "PUT" && one.call.path.contains("/rhcos"));
    assert_eq!(copies.count(), 1);
    assert_eq!(cloud.sources().len(), 8);
}

#[test]
#[ignore = "needs an API server"]
fn without_boot_sources_no_machine_is_created() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let mut site = site();
    let cloud = Cloud::start(&mut site);
    cloud.azure.manager().fail(1, "/galleries/", "Conflict", "a policy forbids galleries");
    let mut run = start(&site, &management);
    // Azure shows what the operator has created after a while.
    run.says("StorageAccount/demox7k2psa: ready");
    cloud.until_asked_for_the_account();
    cloud.has_what_the_operator_creates();
    let ran = run.end().ends(5);
    assert!(
        ran.err.contains("image-gallery/gallery_demo_x7k2p: ") && ran.err.contains("forbids galleries"),
        "{ran}"
    );
    assert!(azure.ids().iter().all(|id| !id.contains("virtualmachines")), "{:?}", azure.ids());
    start(&site, &management).end().ends(0);
    assert!(source(&management).contains(SIGNATURE));
}

#[test]
#[ignore = "needs an API server"]
fn nothing_is_put_into_what_is_somebody_else_s() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let mut site = site();
    let cloud = Cloud::start(&mut site);
    cloud.has_what_the_operator_creates();
    let patch = r#"{"spec":{"azureName":"elsewhere"}}"#;
    let patches = json!([{ "kind": "StorageAccount", "name": "demox7k2psa", "patch": patch }]);
    site.file("patches.yaml", &patches.to_string());
    let file = site.path().join("patches.yaml");
    let ran = start_with(&site, &management, &["--aso-patches", file.to_str().unwrap()]).end().ends(4);
    assert!(ran.err.contains("LF1542") && ran.err.contains("spec.azureName"), "{ran}");
    assert!(management.objects(PUBLIC).is_empty() && azure.ids().is_empty());

    let group = format!("/resourcegroups/{PUBLIC}-rg");
    azure.has(&format!("{group}/storageaccounts/demox7k2psa"), &[("team", "corp")]);
    let ran = start(&site, &management).end().ends(5);
    assert!(ran.err.contains("LF1542") && ran.err.contains("StorageAccount/demox7k2psa"), "{ran}");
    assert_eq!(cloud.sources(), Vec::<String>::new());
}

/// An infrastructure with ignition files, whose credentials prove in this way who they are.
fn infrastructure<'m>(
    management: &'m Management,
    site: &Site,
    (key, value): (&str, &str),
    setting: Option<(&str, &str)>,
) -> Asked<'m> {
    let config = config("public", |config| {
        config["sshKey"] = SSH_KEY.into();
        if let Some((name, value)) = setting {
            config["platform"]["azure"][name] = value.into();
        }
    });
    let asked = Asked::prepare(management, PUBLIC, &config);
    asked.secret(
        "cloud",
        &json!({
            "AZURE_SUBSCRIPTION_ID": scene::SUBSCRIPTION,
            "AZURE_TENANT_ID": scene::TENANT,
            "AZURE_CLIENT_ID": scene::CLIENT,
            key: value,
        }),
    );
    let file = |name: &str| std::fs::read_to_string(site.path().join(name)).unwrap();
    let files = json!({ "bootstrap.ign": file("bootstrap.ign"), "master.ign": file("master.ign") });
    asked.secret("ignition", &files);
    asked.apply(&json!({
        "apiVersion": "aso.landfall.dev/v1alpha1",
        "kind": "AzureInfrastructure",
        "metadata": { "name": PUBLIC },
        "spec": {
            "installConfigRef": { "name": "config" },
            "credentialsSecretRef": { "name": "cloud" },
            "ignitionSecretRef": { "name": "ignition" },
            "infraID": PUBLIC,
            "release": if setting == Some(USER_DNS) { "4.22" } else { "" },
            "machines": "aso",
            "stage": "bootstrap",
        },
    }));
    asked
}

#[test]
#[ignore = "needs an API server"]
fn the_controller_acts_as_a_workload_identity() {
    const TOKEN: &str = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjNG40cnkifQ.c4n4ry-of-the-account";
    let management = managed(&Azure::empty());
    let mut site = site();
    let cloud = Cloud::knowing(&mut site, Proof::Federated(TOKEN.to_owned()));
    cloud.has_what_the_operator_creates();
    site.file("token", TOKEN);
    let token = site.path().join("token");
    let mut environment =
        ["HTTPS_PROXY", "SSL_CERT_FILE"].map(|name| (name, site.environment[name].as_str())).to_vec();
    environment.extend([("NO_PROXY", "127.0.0.1"), ("AZURE_FEDERATED_TOKEN_FILE", token.to_str().unwrap())]);
    let controller = Controller::start_in(&management, &environment);
    // Machines find the API by its address.
    let asked = infrastructure(&management, &site, ("AUTH_MODE", "workloadidentity"), Some(USER_DNS));
    asked.says("Ready", "True", &[]);
    assert_eq!(cloud.sources().len(), 8, "{:?}", cloud.sources());
    assert!(source(&management).contains(SIGNATURE));
    let mut objects = management.objects(PUBLIC).into_iter();
    let balancer = objects.find(|one| at(one, "/metadata/name") == "demo-x7k2p-internal").unwrap();
    let address = at(&balancer, "/spec/frontendIPConfigurations/0/privateIPAddress").to_owned();
    let calls = cloud.azure.asked();
    let upload =
        calls.iter().find(|one| one.call.method == "PUT" && one.call.path.ends_with("/bootstrap.ign"));
    let whole: Value = serde_json::from_str(&upload.unwrap().call.body).unwrap();
    let server = text_of(&whole, "/opt/openshift/tls/machine-config-server.crt").unwrap();
    assert!(is_for(&server, &[address.parse().unwrap()]), "{address}");
    assert!(!controller.log().contains(TOKEN) && !asked.get().unwrap().to_string().contains(TOKEN));
}

#[test]
#[ignore = "needs an API server"]
fn the_controller_creates_what_machines_start_from() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let mut site = site();
    let cloud = Cloud::start(&mut site);
    cloud.has_what_the_operator_creates();
    let variables = ["HTTPS_PROXY", "SSL_CERT_FILE"].map(|name| (name, site.environment[name].as_str()));
    let environment = [&variables[..], &[("NO_PROXY", "127.0.0.1")]].concat();
    let mut controller = Controller::start_in(&management, &environment);
    let asked = infrastructure(&management, &site, ("AZURE_CLIENT_SECRET", scene::SECRET), None);
    // It is killed while the image is copied, and continues.
    until("the copy begins", || controller.log().contains(".vhd: create without an object").then_some(()));
    controller = controller.again(&management, PUBLIC);
    asked.says("Ready", "True", &[]);
    assert_eq!(cloud.sources().len(), 8, "{:?}", cloud.sources());
    let calls = cloud.azure.asked();
    let copies = calls.iter().filter(|one| one.call.method == "PUT" && one.call.path.contains("/rhcos"));
    assert_eq!(copies.count(), 1);
    let told = source(&management);
    assert!(told.contains(SIGNATURE), "{told}");
    let (object, log) = (asked.get().unwrap().to_string(), controller.log());
    for text in [&object, &log] {
        assert!(
            !text.contains(SIGNATURE) && !text.contains(CANARY) && !text.contains(scene::SECRET),
            "{text}"
        );
    }
    assert!(management.objects(PUBLIC).iter().all(|object| !object.to_string().contains(CANARY)));

    // Another one finds all as it is.
    let puts = cloud.puts();
    controller = controller.again(&management, PUBLIC);
    until("it looked", || (controller.number("aso_engine_reconcile_seconds_count") > 0).then_some(()));
    until("it rests", || (controller.number("landfall_queue_length") == 0).then_some(()));
    assert_eq!((source(&management), cloud.puts()), (told, puts));
    asked.change(&json!({ "spec": { "stage": "install" } }));
    until("the bootstrap machine is gone", || bootstrap(&management).is_none().then_some(()));
    asked.says("Ready", "True", &[]);
    assert_eq!(cloud.puts(), puts);
}

/// A resource group of the user's stays, and so does a gallery of theirs in it.
#[test]
#[ignore = "needs an API server"]
fn images_in_a_group_of_the_user_go_with_the_cluster() {
    let azure = Azure::empty();
    azure.has("/resourcegroups/corp", &[]);
    let management = managed(&azure);
    let mut site = site();
    let mut cloud = Cloud::start(&mut site);
    "corp".clone_into(&mut cloud.group);
    cloud.has_what_the_operator_creates();
    let theirs = cloud.id("/providers/Microsoft.Compute/galleries/theirs");
    let gallery =
        json!({ "id": theirs, "name": "theirs", "location": "eastus", "properties": {}, "tags": {} });
    cloud.azure.edit(|tree| tree.put(&theirs.to_lowercase(), gallery));
    let variables = ["HTTPS_PROXY", "SSL_CERT_FILE"].map(|name| (name, site.environment[name].as_str()));
    let environment = [&variables[..], &[("NO_PROXY", "127.0.0.1")]].concat();
    let mut controller = Controller::start_in(&management, &environment);
    let setting = Some(("resourceGroupName", "corp"));
    let asked = infrastructure(&management, &site, ("AZURE_CLIENT_SECRET", scene::SECRET), setting);
    asked.says("Ready", "True", &[]);
    assert_eq!(cloud.sources().len(), 9, "{:?}", cloud.sources());
    asked.unprotect();
    asked.delete();
    // It is killed in between, and continues.
    until("the removal begins", || {
        controller.log().contains("removing the image gallery in corp").then_some(())
    });
    controller = controller.again(&management, PUBLIC);
    until("the cluster is gone", || asked.get().is_none().then_some(()));
    let galleries: Vec<String> =
        cloud.sources().into_iter().filter(|path| path.contains("/galleries/")).collect();
    assert_eq!(galleries, [theirs.to_lowercase()]);
    assert!(!controller.log().contains(scene::SECRET));
}

//! A cluster is made from nothing, by the command line.

use serde_json::json;

use super::management::{Management, OPERATOR};
use super::site::{CANARY, Site, config};
use super::stands::{PUBLIC, keeps_secrets, like_example};
use super::table::Azure;

#[test]
#[ignore = "needs an API server"]
fn a_public_cluster_comes_to_be_and_goes() {
    const LOST: &str = "Azure deletes their resources";
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    let of_operator = management.versions(OPERATOR);

    let ran = site.create(&kubeconfig).ends(0);
    like_example(&management, PUBLIC, "public");
    // Each object was looked for before it was made, and each change was told.
    for words in ["VirtualNetwork/demo-x7k2p-vnet: create", "VirtualNetwork/demo-x7k2p-vnet: patch adopting"]
    {
        assert!(ran.err.contains(words) || ran.out.contains(words), "{words}: {ran}");
    }
    keeps_secrets(&management, PUBLIC, &[&ran.out, &ran.err]);
    let secret = management.get(&format!("/api/v1/namespaces/{PUBLIC}/secrets/{PUBLIC}-aso-secret"));
    assert!(secret.is_some_and(|secret| secret["data"]["AZURE_CLIENT_SECRET"].is_string()));

    // In Azure everything that can carry a tag carries the owner's and the user's.
    let tag = format!("kubernetes.io_cluster.{PUBLIC}");
    for words in
        ["/virtualnetworks/demo-x7k2p-vnet", "/dnszonescnamerecords/api.demo", "/storageaccounts/demox7k2psa"]
    {
        let table = azure.table();
        let found = table.resources.iter().find(|(id, _)| id.ends_with(words));
        let (_, resource) =
            found.unwrap_or_else(|| panic!("there is no {words}: {:?}", table.resources.keys()));
        assert_eq!(resource.tags.get(&tag), Some(&json!("owned")), "{words}");
        assert_eq!(resource.tags.get("costcenter"), Some(&json!("7536")), "{words}");
    }

    // The directory says how the cluster was made, and holds neither the secret nor the way to the server.
    let metadata = site.metadata();
    assert_eq!(metadata["landfall"]["engine"], "aso", "{metadata}");
    assert!(!metadata.to_string().contains("kubeconfig"), "{metadata}");
    for entry in walkdir::WalkDir::new(site.path()).into_iter().filter_map(Result::ok) {
        if entry.file_type().is_file() {
            let bytes = std::fs::read(entry.path()).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(CANARY), "{}", entry.path().display());
        }
    }

    // Once more: there is nothing to do.
    let before = management.versions(PUBLIC);
    let ran = site.create(&kubeconfig).ends(0);
    assert_eq!(management.versions(PUBLIC), before);
    assert!(!ran.err.contains(LOST), "{ran}");
    // A user's installation is used, never changed.
    assert_eq!(management.versions(OPERATOR), of_operator);

    // What the plan no longer has is named before Azure deletes it.
    let record = || azure.ids().iter().any(|id| id.ends_with("/dnszonescnamerecords/api.demo"));
    assert!(record());
    site.write("install-config.yaml", &config("public", |config| config["publish"] = "Internal".into()));
    let ran = site.create(&kubeconfig).ends(0);
    assert!(ran.err.contains(LOST) && ran.err.contains("  DnsZonesCNAMERecord/"), "{ran}");
    assert!(!record(), "{ran}");
}

#[test]
#[ignore = "needs an API server"]
fn what_would_be_made_is_shown_and_not_made() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let engine = ["--engine", "aso", "--namespace", PUBLIC, "--infra-id", PUBLIC, "--offline", "--plan"];
    let arguments = [&["create", "cluster"][..], &engine].concat();
    let ran = site.start(&arguments, Some(&management.server.kubeconfig())).end().ends(0);
    assert!(ran.out.contains("demo-x7k2p-vnet"), "{ran}");
    keeps_secrets(&management, PUBLIC, &[&ran.out, &ran.err]);
    assert_eq!(management.get(&format!("/api/v1/namespaces/{PUBLIC}")), None);
    assert!(azure.ids().is_empty());
}

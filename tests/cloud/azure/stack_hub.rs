//! A Stack Hub: a cloud in somebody's cellar, which reports its endpoints to whoever asks its resource manager.

use serde_json::Value;

use super::answer::page;
use super::arm::{Azure, Scene, Trouble};
use super::scene::{HUB_AUDIENCE, SECRET, checks, files, image, only_reads, stack_hub, trusting, with_ids};
use crate::program::{Landfall, place, place_of, text};

const CONFIG: &str = "\
apiVersion: v1
baseDomain: example.com
metadata:
  name: demo
controlPlane:
  name: master
  replicas: 3
compute:
- name: worker
  replicas: 3
platform:
  azure:
    cloudName: AzureStackCloud
    region: local
    baseDomainResourceGroupName: dns-rg
    armEndpoint: HUB
    clusterOSImage: IMAGE
publish: External
pullSecret: '{\"auths\":{\"registry.example.com\":{\"auth\":\"ZmFrZTpmYWtl\"}}}'
";

/// The config of a user of the hub.
fn config(azure: &Azure) -> String {
    format!("{}{}", CONFIG.replace("HUB", &azure.url()).replace("IMAGE", &image()), trusting(&azure.pem))
}

fn landfall(config: &str) -> Landfall {
    with_ids(Landfall::new(config)).with("AZURE_CLIENT_SECRET", SECRET)
}

#[test]
fn its_users_need_no_more_than_their_config() {
    let azure = Azure::start(stack_hub());
    let config = config(&azure);
    let landfall = landfall(&config);
    let file = landfall.directory().join("install-config.yaml");
    landfall.run(&["validate", file.to_str().unwrap()]).ends(0);

    let report = landfall.preflight();
    report.passes();
    for id in [
        "azure.trust",
        "azure.endpoint.resource-manager",
        "azure.endpoint.authority",
        "azure.credentials",
        "azure.subscription",
        "azure.location",
        "azure.sizes",
        "azure.dns-zone",
        "azure.permissions",
        "azure.quota.cores",
    ] {
        report.is(id, "passed");
    }
    let cloud = report.is("azure.cloud", "passed").to_string();
    assert!(cloud.contains(&azure.url()) && cloud.contains(HUB_AUDIENCE), "{cloud}");
    assert_eq!(azure.asked_at("/metadata/endpoints").len(), 1, "{}", report.ran);
    for one in azure.asked() {
        assert!([200, 401, 404].contains(&one.status), "{} {}", one.status, one.asked.path);
    }
    let form = azure.asked_at("/oauth2/v2.0/token").remove(0).call.form();
    assert_eq!(form.get("scope"), Some(&format!("{HUB_AUDIENCE}/.default")));

    let facts = landfall.ask(&["facts"]).ends(0).json();
    look_at_facts(&facts["azure"], &azure);
    landfall.ask(&["create", "manifests"]).ends(0);
    let files = files(landfall.directory());
    let cloud_config = String::from_utf8_lossy(&files["manifests/cloud-provider-config.yaml"]).into_owned();
    for word in ["endpoints:", "HybridEnvironment", "activeDirectoryEndpoint", HUB_AUDIENCE] {
        assert!(cloud_config.contains(word), "{word}: {cloud_config}");
    }
    only_reads(&azure);
}

fn look_at_facts(facts: &Value, azure: &Azure) {
    assert_eq!(facts["cloudName"], "AzureStackCloud", "{facts}");
    assert_eq!(facts["location"]["name"], "local", "{facts}");
    let environment = &facts["environment"];
    assert_eq!(environment["graphEndpoint"], "https://graph.hub.example/", "{facts}");
    assert_eq!(environment["resourceManagerEndpoint"], azure.url(), "{facts}");
    assert_eq!(environment["activeDirectoryEndpoint"], format!("{}/", azure.url()), "{facts}");
    assert_eq!(environment["tokenAudience"], HUB_AUDIENCE, "{facts}");
    assert_eq!(environment["resourceIdentifiers"]["storage"], "", "{facts}");
    assert_eq!(facts["identity"], "secret", "{facts}");
    let size = &facts["sizes"]["Standard_DS4_v2"];
    assert_eq!(size["capabilities"]["vCPUs"], "8", "{facts}");
    assert!(size["zones"].as_array().is_none_or(Vec::is_empty), "{facts}");
}

/// A hub that cannot be used, and the code of the check that says so.
fn refused(scene: Scene, code: &str, word: &str) {
    let azure = Azure::start(scene);
    let config = config(&azure);
    let report = landfall(&config).preflight();
    let failed: Vec<&Value> =
        checks(&report, "azure.").into_iter().filter(|check| text(check, "status") == "failed").collect();
    let Some(check) = failed.iter().find(|check| text(check, "code") == code) else {
        panic!("{code}: {}", report.ran);
    };
    assert!(text(check, "message").contains(word), "{check}");
    assert_eq!(text(check, "field"), "platform.azure.armEndpoint", "{check}");
    assert_eq!(place_of(check), place(&config, &azure.url()), "{check}");
    assert!(azure.tokens().is_empty(), "{}", report.ran);
    let ran = landfall(&config).ask(&["facts"]).ends(4);
    assert!(ran.out.is_empty(), "{ran}");
}

#[test]
fn hubs_that_cannot_be_used_are_told() {
    // Its users are those of Active Directory Federation Services, which give no tokens as Entra does.
    refused(Scene { login: "adfs", ..stack_hub() }, "LF1105", "adfs");
    let hides = stack_hub().with(Trouble::always("/metadata/endpoints", |_| page()));
    refused(hides, "LF1104", "metadata/endpoints");
}

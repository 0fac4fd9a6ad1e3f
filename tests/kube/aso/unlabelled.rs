//! Objects whose label somebody removed are the cluster's still: they are paused, moved and removed with it.

use serde_json::json;

use super::management::{Management, place_of};
use super::site::{Site, config};
use super::stands::{PUBLIC, policy};
use super::table::Azure;

#[test]
#[ignore = "needs an API server"]
fn an_object_without_its_label_is_paused_and_goes_with_the_cluster() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let kubeconfig = management.server.kubeconfig();
    site.create(&kubeconfig).ends(0);

    let network = place_of(PUBLIC, "VirtualNetwork", &format!("{PUBLIC}-vnet"));
    let unlabel = || {
        management
            .server
            .change(&network, &json!({ "metadata": { "labels": { "aso.landfall.dev/cluster": null } } }));
    };
    unlabel();
    let path = kubeconfig.to_str().unwrap().to_owned();
    let run = |verb: &str| {
        site.start(&["aso", verb, "--kubeconfig", &path, "--infra-id", PUBLIC], None).end().ends(0)
    };
    run("pause");
    assert_eq!(policy(&management.get(&network).unwrap()), "skip");
    run("resume");
    assert_eq!(policy(&management.get(&network).unwrap()), "manage");

    unlabel();
    site.destroy(&kubeconfig);
    assert!(azure.ids().is_empty(), "{:?}", azure.ids());
    assert!(management.objects(PUBLIC).is_empty());
}

//! What of groups and resources is the cluster's.

use super::*;
use crate::cloud::arm::Arm;
use crate::cloud::scripted::{Scripted, scripted};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const NONE: Scripted = (200, &[], r#"{"value": []}"#);
const GONE: Scripted = (404, &[], r#"{"error":{"code":"ResourceGroupNotFound","message":"no"}}"#);

fn ask<'s>(arm: &'s Arm, given_group: &'s str) -> Ask<'s> {
    Ask { given_group, base_domain: "example.com", ..Ask::of_test(arm) }
}

const MADE: Scripted = (
    200,
    &[],
    r#"{"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg", "name": "demo-bcd24-rg",
        "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}}"#,
);
const BARE: Scripted = (
    200,
    &[],
    r#"{"id": "/subscriptions/s/resourceGroups/DEMO-bcd24-RG", "name": "DEMO-bcd24-RG", "tags": null}"#,
);
const RG: Scripted = (
    200,
    &[],
    r#"{"id": "/subscriptions/s/resourceGroups/rg", "name": "rg",
        "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}}"#,
);
const DENIED: Scripted = (403, &[], r#"{"error":{"code":"AuthorizationFailed","message":"no"}}"#);

/// How many groups go and how many stay with a tag; the names of what goes and of what stays; codes of what is
/// told.
async fn sorted(
    given_group: &str,
    answers: &[Scripted],
) -> Result<([usize; 2], [String; 3]), url::ParseError> {
    let (arm, _) = scripted(answers)?;
    let mut out = Discovered::default();
    let found = holdings(&ask(&arm, given_group), &mut out).await;
    let names = |all: &[Holding]| -> String {
        all.iter().map(|one| one.name.as_str()).collect::<Vec<&str>>().join(" ")
    };
    let told = out.notes.iter().chain(&out.unseen).chain(&out.unproven);
    let told = told.map(|told| told.code.as_str()).collect::<Vec<&str>>();
    let names = [names(&found.own), names(&found.shared), told.join(" ")];
    Ok(([found.whole.len(), found.tagged.len()], names))
}

fn said(own: &str, shared: &str, told: &str) -> [String; 3] {
    [own, shared, told].map(str::to_owned)
}

#[tokio::test]
async fn nothing_is_left_of_a_gone_cluster() -> Outcome {
    let (arm, script) = scripted(&[GONE, NONE, NONE])?;
    let mut out = Discovered::default();
    let found = holdings(&ask(&arm, ""), &mut out).await;
    assert!(found.whole.is_empty() && found.own.is_empty() && found.shared.is_empty());
    assert!(out.unseen.is_empty(), "{:?}", out.unseen);
    assert_eq!(script.asked().len(), 3);
    Ok(())
}

#[tokio::test]
async fn a_group_of_the_cluster_goes_and_one_of_the_user_stays() -> Outcome {
    const OTHER: Scripted = (
        200,
        &[],
        r#"{"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg", "name": "demo-bcd24-rg",
            "tags": {"kubernetes.io_cluster.other-x1y2z": "owned"}}"#,
    );
    const INSIDE: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/mine", "name": "mine",
             "type": "p/t", "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}},
            {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/bare", "name": "bare",
             "type": "p/t", "tags": {}}
        ]}"#,
    );
    const OWN: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/mine", "name": "mine",
             "type": "p/t", "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}}
        ]}"#,
    );
    assert_eq!(sorted("", &[MADE, NONE, NONE, NONE]).await?, ([1, 0], said("", "", "")));
    assert_eq!(sorted("", &[MADE, NONE, INSIDE, NONE]).await?, ([1, 0], said("mine bare", "", "")));
    assert_eq!(sorted("", &[OTHER, NONE, NONE]).await?, ([0, 0], said("", "", "LF1356")));
    // Without a tag of its own, a group goes only if all in it is the cluster's.
    assert_eq!(sorted("", &[BARE, NONE, NONE, NONE]).await?, ([0, 0], said("", "", "LF1356")));
    assert_eq!(sorted("", &[BARE, NONE, OWN, NONE]).await?, ([1, 0], said("mine", "", "")));
    assert_eq!(sorted("", &[BARE, NONE, INSIDE, INSIDE]).await?, ([0, 0], said("mine", "", "LF1326")));
    // One that the metadata names is the user's, whatever its name and its tag.
    let usual = "Demo-BCD24-rg";
    assert_eq!(sorted(usual, &[BARE, NONE, INSIDE]).await?, ([0, 0], said("mine", "", "")));
    assert_eq!(sorted(usual, &[MADE, NONE, INSIDE, NONE]).await?, ([0, 1], said("mine", "", "")));
    Ok(())
}

#[tokio::test]
async fn a_private_zone_without_a_tag_has_the_cluster_s_link_or_domain() -> Outcome {
    const LINKED: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/privateDnsZones/z", "name": "z",
             "type": "Microsoft.Network/privateDnsZones"},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/privateDnsZones/z/virtualNetworkLinks/DEMO-bcd24-network-link",
             "name": "z/hub", "type": "Microsoft.Network/privateDnsZones/virtualNetworkLinks"},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/privateDnsZones/y", "name": "y",
             "type": "Microsoft.Network/privateDnsZones"},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/privateDnsZones/y/virtualNetworkLinks/demo-bcd24-link",
             "name": "y/demo-bcd24-link", "type": "Microsoft.Network/privateDnsZones/virtualNetworkLinks"}
        ]}"#,
    );
    const NAMED: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/privateDnsZones/demo.example.com",
             "name": "demo.example.com", "type": "Microsoft.Network/privateDnsZones"},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/privateDnsZones/example.com",
             "name": "example.com", "type": "Microsoft.Network/privateDnsZones"}
        ]}"#,
    );
    assert_eq!(sorted("rg", &[RG, NONE, LINKED, NONE]).await?, ([0, 1], said("z z/hub", "", "")));
    assert_eq!(sorted("rg", &[RG, NONE, NAMED, NONE]).await?, ([0, 1], said("", "", "LF1326")));
    Ok(())
}

#[tokio::test]
async fn a_public_zone_goes_only_with_a_group_of_the_cluster() -> Outcome {
    const ZONES: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/dns-rg/providers/Microsoft.Network/dnszones/example.com",
             "name": "example.com", "type": "Microsoft.Network/dnszones",
             "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}},
            {"id": "/subscriptions/s/resourceGroups/Demo-bcd24-rg/providers/Microsoft.Network/dnszones/old",
             "name": "old", "type": "Microsoft.Network/dnszones",
             "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}}
        ]}"#,
    );
    assert_eq!(sorted("", &[MADE, NONE, NONE, ZONES]).await?, ([1, 0], said("old", "", "LF1326")));
    assert_eq!(sorted("", &[GONE, NONE, ZONES]).await?.1, said("", "", "LF1326 LF1326"));
    Ok(())
}

#[tokio::test]
async fn what_is_hidden_may_be_the_cluster_s() -> Outcome {
    assert_eq!(sorted("", &[BARE, NONE, DENIED, NONE]).await?, ([0, 0], said("", "", "LF1351")));
    // Only the group that the metadata names is asked about.
    let (arm, script) = scripted(&[GONE, NONE, NONE])?;
    let mut out = Discovered::default();
    holdings(&ask(&arm, "rg"), &mut out).await;
    assert!(out.unseen.is_empty());
    assert!(script.asked().iter().all(|asked| !asked.contains("demo-bcd24-rg")), "{:?}", script.asked());

    let (arm, _) = scripted(&[BARE, NONE, DENIED, NONE])?;
    let mut out = Discovered::default();
    // What a group of the cluster's name has in it is not known to be of others.
    let found = holdings(&ask(&arm, ""), &mut out).await;
    assert_eq!((found.whole.len(), out.unseen.len()), (0, 1));

    // What cannot be looked at does not go as a whole.
    let (arm, _) = scripted(&[MADE, NONE, DENIED, NONE])?;
    let mut out = Discovered::default();
    let found = holdings(&ask(&arm, ""), &mut out).await;
    assert_eq!((found.whole.len(), found.tagged.len(), out.unseen.len()), (0, 0, 1));
    Ok(())
}

const SHARING: Scripted = (
    200,
    &[],
    r#"{"value": [
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/bare", "name": "bare",
         "type": "p/t"},
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/demo-bcd24-x",
         "name": "demo-bcd24-x", "type": "p/t", "tags": {"kubernetes.io_cluster.demo-bcd24": "shared"}},
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/demo-bcd24-x/u/y",
         "name": "demo-bcd24-x/y", "type": "p/t/u"},
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/g/g", "name": "g", "type": "p/g",
         "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}},
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/g/g/h/i", "name": "g/i",
         "type": "p/g/h", "tags": {"kubernetes.io_cluster.demo-bcd24": "shared"}}
    ]}"#,
);

const SHARED: Scripted = (
    200,
    &[],
    r#"{"value": [
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/demo-bcd24-x",
         "name": "demo-bcd24-x", "type": "p/t", "tags": {"kubernetes.io_cluster.demo-bcd24": "shared"}},
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/demo-bcd24-x/u/y",
         "name": "demo-bcd24-x/y", "type": "p/t/u"},
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/g/demo-bcd24-g",
         "name": "demo-bcd24-g", "type": "p/g"},
        {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/g/demo-bcd24-g/h/i", "name": "g/i",
         "type": "p/g/h", "tags": {"kubernetes.io_cluster.demo-bcd24": "shared"}}
    ]}"#,
);

#[tokio::test]
async fn a_group_with_something_shared_in_it_stays() -> Outcome {
    const LATER: Scripted = (
        200,
        &[],
        r#"{"value": [{"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/DEMO-bcd24-x",
            "name": "demo-bcd24-x", "type": "p/t"}]}"#,
    );
    let told = sorted("", &[MADE, NONE, SHARING, NONE]).await?;
    assert_eq!(told, ([0, 1], said("bare", "demo-bcd24-x g/i g", "LF1356")));
    // What was shared a moment ago is not the cluster's own once it has lost the tag, whatever its name.
    let (arm, _) = scripted(&[MADE, NONE, SHARING, NONE, MADE, NONE, LATER, NONE, BARE, NONE, LATER, NONE])?;
    let asking = ask(&arm, "");
    holdings(&asking, &mut Discovered::default()).await;
    for tagged in [1, 0] {
        let found = holdings(&asking, &mut Discovered::default()).await;
        let counts = (found.whole.len(), found.tagged.len(), found.own.len(), found.shared.len());
        assert_eq!(counts, (0, tagged, 0, 0));
    }
    // Another run does not know that it was shared, and leaves it to the user.
    assert_eq!(sorted("", &[BARE, NONE, LATER, NONE]).await?, ([0, 0], said("", "", "LF1326")));
    // What is in something shared, or around it, says nothing.
    assert_eq!(
        sorted("", &[BARE, NONE, SHARED, NONE]).await?,
        ([0, 0], said("", "demo-bcd24-x g/i", "LF1356"))
    );
    Ok(())
}

#[tokio::test]
async fn outside_of_groups_tags_count_and_those_of_others_too() -> Outcome {
    const EVERYWHERE: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/x/providers/p/t/own", "name": "own", "type": "p/t",
             "tags": {"Kubernetes.io_cluster.demo-bcd24": "owned"}},
            {"id": "/subscriptions/s/resourceGroups/x/providers/p/t/demo-bcd24-theirs", "name": "theirs",
             "type": "p/t", "tags": {"kubernetes.io_cluster.other-x1y2z": "owned"}},
            {"id": "/subscriptions/s/resourceGroups/x/providers/p/t/used", "name": "used", "type": "p/t",
             "tags": {"kubernetes.io_cluster.demo-bcd24": "shared"}},
            {"id": "/subscriptions/s/resourceGroups/x/providers/p/t/both", "name": "both", "type": "p/t",
             "tags": {"kubernetes.io_cluster.demo-bcd24": "owned",
                      "kubernetes.io_cluster.other-x1y2z": "owned"}}
        ]}"#,
    );
    assert_eq!(sorted("", &[GONE, NONE, EVERYWHERE]).await?, ([0, 0], said("own both", "used", "LF1355")));
    Ok(())
}

#[tokio::test]
async fn in_the_user_s_group_only_the_cluster_s_own_goes() -> Outcome {
    const INSIDE: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/tagged", "name": "tagged", "type": "p/t",
             "tags": {"kubernetes.io_cluster.demo-bcd24": "owned"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/demo-bcd24-nsg", "name": "demo-bcd24-nsg",
             "type": "p/t", "tags": null},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/demo-bcd24-x", "name": "demo-bcd24-x",
             "type": "p/t", "tags": {"kubernetes.io_cluster.other-x1y2z": "owned"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/used", "name": "used", "type": "p/t",
             "tags": {"kubernetes.io_cluster.demo-bcd24": "shared"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/theirs", "name": "theirs", "type": "p/t"}
        ]}"#,
    );
    let told = sorted("rg", &[RG, NONE, INSIDE, NONE]).await?;
    assert_eq!(told, ([0, 1], said("tagged demo-bcd24-nsg", "used", "")));
    Ok(())
}

#[tokio::test]
async fn a_group_that_lost_its_tag_is_left_to_the_user() -> Outcome {
    const NAMED: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/demo-bcd24-a1b2c3",
             "name": "demo-bcd24-a1b2c3", "type": "p/t"},
            {"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/bare", "name": "bare",
             "type": "p/t"}
        ]}"#,
    );
    const FOREIGN: Scripted = (
        200,
        &[],
        r#"{"value": [{"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg/providers/p/t/bare", "name": "bare",
            "type": "p/t"}]}"#,
    );
    const SHARED_GROUP: Scripted = (
        200,
        &[],
        r#"{"id": "/subscriptions/s/resourceGroups/demo-bcd24-rg", "name": "demo-bcd24-rg",
            "tags": {"kubernetes.io_cluster.demo-bcd24": "shared"}}"#,
    );
    assert_eq!(sorted("", &[BARE, NONE, NAMED, NONE]).await?, ([0, 0], said("", "", "LF1326")));
    assert_eq!(sorted("", &[BARE, NONE, FOREIGN, NONE]).await?, ([0, 0], said("", "", "LF1356")));
    // One that the user keeps is not asked about again in the same run, and does not go when it is empty.
    let (arm, script) = scripted(&[SHARED_GROUP, NONE, NONE, BARE, NONE, NONE])?;
    let asking = ask(&arm, "");
    let mut out = Discovered::default();
    let found = [holdings(&asking, &mut out).await, holdings(&asking, &mut out).await];
    assert_eq!(found.each_ref().map(|found| (found.whole.len(), found.tagged.len())), [(0, 1), (0, 0)]);
    assert_eq!((out.unproven.len(), script.asked().len()), (0, 6));
    Ok(())
}

#[tokio::test]
async fn what_may_be_the_cluster_s_in_the_user_s_group_is_named() -> Outcome {
    const RG: Scripted = (
        200,
        &[],
        r#"{"id": "/subscriptions/s/resourceGroups/rg", "name": "rg",
            "tags": {"kubernetes.io_cluster.demo-bcd24": "owned", "kubernetes.io_cluster.demo": "owned"}}"#,
    );
    const INSIDE: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/pvc-1", "name": "pvc-1", "type": "p/t",
             "tags": {"k8s-azure-created-by": "kubernetes-azure-dd"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/f2", "name": "f2", "type": "p/t",
             "tags": {"Kubernetes.io-created-for-pvc-name": "data"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/pvc-3", "name": "pvc-3", "type": "p/t",
             "tags": {"k8s-azure-created-by": "x", "kubernetes.io_cluster.other-x1y2z": "owned"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/other-x1y2z-4", "name": "other-x1y2z-4",
             "type": "p/t", "tags": {"k8s-azure-created-by": "x"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/pvc-5", "name": "pvc-5", "type": "p/t",
             "tags": {"k8s-azure-created-by": "x", "kubernetes.io_cluster.demo-bcd24": "shared"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/demo-bcd24-6", "name": "demo-bcd24-6",
             "type": "p/t", "tags": {"k8s-azure-created-by": "x"}},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/demo-keyvault", "name": "demo-keyvault",
             "type": "p/t"}
        ]}"#,
    );
    let unproven = |out: &Discovered| -> Vec<String> {
        let of = |finding: &Finding| {
            assert!(
                finding.is_error() && finding.help.as_deref().is_some_and(|help| help.contains("=shared"))
            );
            finding.message.split(['/', '`']).nth(9).unwrap_or_default().to_owned()
        };
        out.unproven.iter().map(of).collect()
    };
    let (arm, _) = scripted(&[RG, NONE, INSIDE, NONE, RG, NONE, INSIDE, NONE])?;
    let mut out = Discovered::default();
    let found = holdings(&ask(&arm, "rg"), &mut out).await;
    assert_eq!(unproven(&out), ["pvc-1", "f2"]);
    assert_eq!(found.own.iter().map(|own| own.name.as_str()).collect::<Vec<&str>>(), ["demo-bcd24-6"]);
    // A word that is an id proves nothing by its beginning.
    let mut out = Discovered::default();
    let found = holdings(&Ask { owner: Owner::new("demo"), ..ask(&arm, "rg") }, &mut out).await;
    assert_eq!(unproven(&out), ["pvc-1", "f2", "demo-keyvault"]);
    assert!(found.own.is_empty(), "{:?}", found.own);
    Ok(())
}

/// What is named after a cluster whose id only begins like this one's is that cluster's, wherever its tag is.
#[tokio::test]
async fn names_of_a_longer_id_are_of_the_other_cluster() -> Outcome {
    const GROUPS: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/demo-bcd24-x1y2z-rg", "name": "demo-bcd24-x1y2z-rg",
             "tags": {"kubernetes.io_cluster.demo-bcd24-x1y2z": "owned"}}
        ]}"#,
    );
    const INSIDE: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/demo-bcd24-x1y2z-vnet",
             "name": "demo-bcd24-x1y2z-vnet", "type": "p/t"},
            {"id": "/subscriptions/s/resourceGroups/rg/providers/p/t/demo-bcd24-vnet",
             "name": "demo-bcd24-vnet", "type": "p/t"}
        ]}"#,
    );
    assert_eq!(sorted("rg", &[RG, GROUPS, INSIDE, NONE]).await?, ([0, 1], said("demo-bcd24-vnet", "", "")));
    Ok(())
}

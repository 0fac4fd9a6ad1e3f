//! What a cloud profile adds can take from private profiles that have an entry of the same name.

use landfall_kube::kinds::{AZURE_INFRASTRUCTURE, SHOOT};

use super::*;

const PAST: &str = "1969-01-01T00:00:00Z";
const FUTURE: &str = "2999-01-01T00:00:00Z";

/// A list with one image, of these versions with dates.
fn images(versions: &[(&str, Option<&str>)]) -> Value {
    let version = |(version, date): &(&str, Option<&str>)| {
        let cri = json!([{ "name": "containerd" }]);
        json!({ "version": version, "cri": cri, "architectures": ["amd64"], "expirationDate": date })
    };
    let versions: Vec<Value> = versions.iter().map(version).collect();
    json!([{ "name": "i", "updateStrategy": "major", "versions": versions }])
}

/// What stands against a parent with this value in a field, where the profile that inherits from it has the other.
/// Clusters use machine type, image and zone of the profile.
async fn refused(kind: &str, zone: [&str; 2], field: &str, own: &Value, added: &Value) -> String {
    let cluster = cluster();
    let mut object = profile(&json!({ "machineTypes": [{ "name": "own" }] }));
    object["kind"] = json!(kind);
    object["spec"][field] = own.clone();
    let stored = if kind == "PrivateCloudProfile" {
        object["spec"]["parent"] = json!("p");
        &GARDENER_PROFILES.private
    } else {
        object["spec"]["parent"] = json!({ "kind": "CloudProfile", "name": "p" });
        &GARDENER_PROFILES.namespaced
    };
    cluster.put(stored, object);
    let reference = json!({ "kind": kind, "name": "c" });
    cluster.put(
        &AZURE_INFRASTRUCTURE,
        json!({
            "metadata": { "name": "demo", "namespace": "n" },
            "spec": { "cloudProfileRef": reference },
            "status": { "region": zone[0], "zones": [zone[1]], "machineTypes": ["own"] },
        }),
    );
    let worker = json!({ "machine": { "type": "own", "image": { "name": "i", "version": "2.0.0" } } });
    let spec = json!({ "cloudProfile": reference, "provider": { "workers": [worker] } });
    cluster.put(&SHOOT, json!({ "metadata": { "name": "s", "namespace": "n" }, "spec": spec }));
    let old = json!({ "metadata": { "name": "p" }, "spec": {
        "type": "azure",
        "kubernetes": { "versions": [{ "version": "1.2.3" }] },
        "machineTypes": [{ "name": "m" }],
        "machineImages": images(&[("1.0.0", None)]),
        "regions": [{ "name": "north", "zones": [{ "name": "1" }] }],
    }});
    let mut new = old.clone();
    new["spec"][field] = added.clone();
    answer(&cluster, &review("cloudprofiles", &old, &new)).await.2
}

#[tokio::test]
async fn what_a_parent_adds_takes_nothing_that_is_used() {
    let types = |usable: bool| json!([{ "name": "m" }, { "name": "own", "usable": usable }]);
    let zones = |names: &[&str]| json!(names.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>());
    let south = |names: &[&str]| json!({ "name": "south", "zones": zones(names) });
    let north = |zones: &Value| json!({ "name": "north", "zones": zones });
    let lacking = |name: &str| {
        json!([north(&json!([{ "name": "1" }, { "name": "2", "unavailableMachineTypes": [name] }]))])
    };
    let with_south = |names: &[&str]| json!([north(&zones(&["1"])), south(names)]);
    let (any_south, second) = (json!([south(&[])]), json!([north(&zones(&["2"]))]));
    let both = |date: &str| images(&[("1.0.0", None), ("2.0.0", Some(date))]);
    let (undated, dated) = (images(&[("2.0.0", None)]), images(&[("2.0.0", Some(FUTURE))]));
    let own = json!([{ "name": "own" }]);
    for (zone, field, own, added, lost) in [
        (["north", "1"], "machineTypes", &own, types(true), ""),
        (["north", "1"], "machineTypes", &own, types(false), "`own` by AzureInfrastructure `n/demo`"),
        (["south", "1"], "regions", &any_south, with_south(&["1"]), ""),
        (
            ["south", "1"],
            "regions",
            &any_south,
            with_south(&["2"]),
            "zone `1` of `south` by AzureInfrastructure `n/demo`",
        ),
        (["north", "2"], "regions", &second, lacking("m"), ""),
        (
            ["north", "2"],
            "regions",
            &second,
            lacking("own"),
            "`own` in zone `2` of `north` by AzureInfrastructure `n/demo`",
        ),
        // Without zones in the parent, those of the profile are the only ones.
        (
            ["north", "1"],
            "regions",
            &second,
            json!([north(&json!([]))]),
            "zone `1` of `north` by AzureInfrastructure `n/demo`",
        ),
        (["north", "1"], "machineImages", &undated, both(FUTURE), ""),
        (["north", "1"], "machineImages", &undated, both(PAST), "`i` `2.0.0` by Shoot `n/s`"),
        (["north", "1"], "machineImages", &dated, both(PAST), ""),
    ] {
        let message = refused("PrivateCloudProfile", zone, field, own, &added).await;
        let expected = if lost.is_empty() {
            String::new()
        } else {
            format!("spec.{field}: still in use: {lost} (in-use)")
        };
        assert_eq!(message, expected, "{added}");
    }
    // In the other kind, the profile's entry is preferred.
    let message =
        refused("NamespacedCloudProfile", ["north", "1"], "machineTypes", &own, &types(false)).await;
    assert_eq!(message, "");
}

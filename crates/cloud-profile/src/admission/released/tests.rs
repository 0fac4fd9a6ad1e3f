use serde_json::json;

use super::*;
use crate::instant::instant;

type Unexpected = Box<dyn std::error::Error>;

const NOW: &str = "2023-06-01T00:00:00Z";
const PAST: &str = "2023-02-02T01:02:03Z";
const FUTURE: &str = "2024-06-06T01:02:03Z";

/// A cloud profile with the image `i`, and these members instead of its own.
fn parent(members: &Value) -> Value {
    let version = json!({ "version": "1.0.0", "cri": containerd(), "architectures": ["amd64"] });
    let mut spec = json!({
        "type": "t",
        "kubernetes": { "versions": [{ "version": "1.32.0" }] },
        "machineImages": [{ "name": "i", "updateStrategy": "major", "versions": [version] }],
    });
    for (name, member) in members.as_object().into_iter().flatten() {
        spec[name] = member.clone();
    }
    spec
}

/// A cloud profile with capabilities: two architectures, and `c` with two values.
fn capable() -> Value {
    let flavors = json!([{ "architecture": ["amd64"] }]);
    let version = json!({ "version": "1.0.0", "cri": containerd(), "capabilityFlavors": flavors });
    parent(&json!({
        "machineCapabilities": [
            { "name": "architecture", "values": ["amd64", "arm64"] }, { "name": "c", "values": ["a", "b"] },
        ],
        "machineImages": [{ "name": "i", "updateStrategy": "major", "versions": [version] }],
    }))
}

fn containerd() -> Value {
    json!([{ "name": "containerd" }])
}

/// An image of this name with these versions.
fn image(name: &str, versions: &Value) -> Value {
    let image = json!({ "name": name, "versions": versions, "updateStrategy": "major" });
    json!({ "machineImages": [image] })
}

/// A version of an image with these members, and those that each must have.
fn whole(version: &str, members: &Value) -> Value {
    let mut whole = json!({ "version": version, "cri": containerd() });
    for (name, member) in members.as_object().into_iter().flatten() {
        whole[name] = member.clone();
    }
    whole
}

/// What is refused, in order: the stage, then the fields below `spec` of the profile or of the result with why.
fn refused(parent: &Value, old: Option<&Value>, members: &Value) -> Result<Vec<String>, Unexpected> {
    let object = |members: &Value| {
        let mut spec = members.clone();
        spec["parent"] = json!({ "kind": "CloudProfile", "name": "p" });
        json!({ "metadata": { "name": "n", "namespace": "ns" }, "spec": spec })
    };
    let parent: CloudProfileSpec = serde_json::from_value(parent.clone())?;
    let (object, old, now) = (object(members), old.map(object), instant(NOW).ok_or("no time")?);
    let request = Request {
        kind: ProfileKind::Released,
        object: &object,
        old: old.as_ref(),
        parent: Some(&parent),
        now,
    };
    let Verdict::Refused { stage, refusals } = review(&request) else { return Ok(Vec::new()) };
    let mut found: Vec<String> = refusals
        .iter()
        .map(|one| {
            let field = one.field.strip_prefix("status.cloudProfileSpec").unwrap_or(&one.field);
            format!("{} {}", field.trim_start_matches("spec").trim_start_matches('.'), one.why.name())
        })
        .collect();
    found.sort();
    found.insert(0, stage.name().to_owned());
    Ok(found)
}

/// Fails unless exactly these lines are refused.
#[track_caller]
fn expect(parent: &Value, members: &Value, lines: &[&str]) -> Result<(), Unexpected> {
    assert_eq!(refused(parent, None, members)?, lines, "{members}");
    Ok(())
}

#[test]
fn one_version_of_a_minor_version_is_supported() -> Result<(), Unexpected> {
    let supported = |version: &str| json!({ "version": version, "classification": "supported" });
    let versions = |older: Value| {
        let versions = json!([{ "version": "1.32.0" }, older, supported("1.1.1")]);
        parent(&json!({ "kubernetes": { "versions": versions } }))
    };
    let both = ["merge-result", "kubernetes.versions[1] forbidden", "kubernetes.versions[2] forbidden"];
    expect(&versions(supported("1.1.0")), &json!({}), &both)?;
    let mut expired = supported("1.1.0");
    expired["expirationDate"] = PAST.into();
    expect(&versions(expired), &json!({}), &["merge-result", "kubernetes.versions[2] forbidden"])?;
    expect(&versions(supported("1.2.0")), &json!({}), &[])?;
    let of_image = |name: &str, versions: &[&str]| {
        let given = json!({ "architectures": ["amd64"], "classification": "supported" });
        image(name, &versions.iter().map(|version| whole(version, &given)).collect::<Value>())
    };
    let plain = parent(&json!({}));
    let known =
        ["merge-result", "machineImages[0].versions[1] forbidden", "machineImages[0].versions[2] forbidden"];
    expect(&plain, &of_image("i", &["2.0.0", "2.0.1"]), &known)?;
    let own =
        ["admission", "machineImages[0].versions[0] forbidden", "machineImages[0].versions[1] forbidden"];
    expect(&plain, &of_image("own", &["2.0.0", "2.0.1"]), &own)?;
    // The same version in two forms.
    expect(&plain, &of_image("own", &["2.0", "v2.0.0"]), &[])?;
    Ok(())
}

#[test]
fn machine_types_have_capabilities_of_the_parent() -> Result<(), Unexpected> {
    let rows = [
        (json!({ "capabilities": { "architecture": ["arm64"], "c": ["a"] } }), vec![]),
        (
            json!({ "architecture": "amd64", "capabilities": { "architecture": ["arm64"] } }),
            vec!["machineTypes[0].architecture invalid"],
        ),
        (
            json!({ "capabilities": { "architecture": ["arm64"], "c": ["d"], "other": ["a"] } }),
            vec![
                "machineTypes[0].capabilities not-supported",
                "machineTypes[0].capabilities.c[0] not-supported",
            ],
        ),
        (
            json!({ "capabilities": { "architecture": ["arm64", "amd64"] } }),
            vec!["machineTypes[0].capabilities.architecture invalid"],
        ),
    ];
    for (mut machine, mut lines) in rows {
        machine["name"] = "m".into();
        if !lines.is_empty() {
            lines.insert(0, "merge-result");
        }
        expect(&capable(), &json!({ "machineTypes": [machine] }), &lines)?;
    }
    Ok(())
}

#[test]
fn flavors_have_capabilities_of_the_parent() -> Result<(), Unexpected> {
    let rows = [
        (json!({ "capabilityFlavors": [{ "architecture": ["arm64"], "c": ["a", "b"] }] }), vec![]),
        (
            json!({ "capabilityFlavors": [{ "c": ["d"], "other": ["a", "b"] }] }),
            vec![
                ".capabilityFlavors[0] not-supported",
                ".capabilityFlavors[0].architecture required",
                ".capabilityFlavors[0].c[0] not-supported",
            ],
        ),
        (json!({}), vec![".capabilityFlavors required"]),
        (
            json!({ "capabilityFlavors": [{ "architecture": ["arm64", "amd64"] }, { "architecture": [] }] }),
            vec![".capabilityFlavors[0].architecture invalid", ".capabilityFlavors[1].architecture required"],
        ),
        (
            json!({ "architectures": ["amd64"], "capabilityFlavors": [{ "architecture": ["arm64"] }] }),
            vec![".architectures invalid"],
        ),
    ];
    for (members, lines) in rows {
        for name in ["i", "own"] {
            let mut lines: Vec<String> =
                lines.iter().map(|line| format!("machineImages[0].versions[0]{line}")).collect();
            if !lines.is_empty() {
                lines.insert(0, "admission".to_owned());
            }
            let found = refused(&capable(), None, &image(name, &json!([whole("1.0.1", &members)])))?;
            assert_eq!(found, lines, "{name} {members}");
        }
    }
    // The only architecture need not be named; another one must not be.
    let mut single = capable();
    single["machineCapabilities"][0]["values"] = json!(["amd64"]);
    let own = |members: Value| image("own", &json!([whole("1", &members)]));
    expect(&single, &own(json!({})), &[])?;
    let lines = [
        "admission",
        "machineImages[0].versions[0].architectures[0] not-supported",
        "machineImages[0].versions[0].capabilityFlavors[0].architecture[0] not-supported",
    ];
    expect(&single, &own(json!({ "architectures": ["arm64"] })), &lines)?;
    // What comes of both is looked at as well.
    let mut faulty = capable();
    faulty["machineImages"][0]["versions"][0]["capabilityFlavors"][0]["other"] = json!(["a"]);
    let line = "machineImages[0].versions[0].capabilityFlavors[0] not-supported";
    expect(&faulty, &json!({}), &["merge-result", line])
}

#[test]
fn the_profile_is_brought_into_the_form_of_its_parent_first() -> Result<(), Unexpected> {
    let (plain, flavors) = (parent(&json!({})), json!([{ "architecture": ["arm64"] }]));
    expect(&plain, &image("own", &json!([whole("1", &json!({ "capabilityFlavors": flavors }))])), &[])?;
    let override_with = |members: &Value| {
        let mut version = json!({ "version": "1.0.0", "expirationDate": FUTURE });
        for (name, member) in members.as_object().into_iter().flatten() {
            version[name] = member.clone();
        }
        json!({ "machineImages": [{ "name": "i", "versions": [version] }] })
    };
    let forbidden = |field: &str| format!("machineImages[0].versions[0].{field} forbidden");
    let both = override_with(&json!({ "architectures": ["amd64"], "capabilityFlavors": flavors }));
    let (old, new) = (forbidden("architectures"), forbidden("capabilityFlavors"));
    expect(&plain, &both, &["admission", &old])?;
    expect(&plain, &override_with(&json!({ "capabilityFlavors": flavors })), &["admission", &old])?;
    let architectures = override_with(&json!({ "architectures": ["amd64"] }));
    expect(&capable(), &architectures, &["admission", &old, &new])?;
    // The stored profile as well: both say the same.
    let stored = override_with(&json!({ "cri": containerd(), "architectures": ["arm64"] }));
    let mut written = override_with(&json!({ "cri": containerd(), "capabilityFlavors": flavors }));
    assert!(refused(&plain, Some(&stored), &written)?.is_empty());
    written["machineImages"][0]["versions"][0]["capabilityFlavors"] = json!([{ "architecture": ["amd64"] }]);
    let line = "machineImages[0].versions[0] forbidden";
    assert_eq!(refused(&plain, Some(&stored), &written)?, ["admission", line]);
    Ok(())
}

#[test]
fn container_runtimes_are_known_ones() -> Result<(), Unexpected> {
    let types = json!([{ "type": "gvisor" }, { "type": "-" }, { "type": "gvisor" }, {}]);
    let cri = json!([{ "name": "containerd", "containerRuntimes": types }, { "name": "docker" }, { "name": "docker" }]);
    for (name, stage, at) in [("i", "merge-result", "versions[1]"), ("own", "admission", "versions[0]")] {
        let version = json!({ "version": "1.1.0", "cri": cri, "architectures": ["amd64"] });
        let mut lines: Vec<String> = [
            "[0].containerRuntimes[1].type invalid",
            "[0].containerRuntimes[2].type duplicate",
            "[0].containerRuntimes[3].type invalid",
            "[1].name not-supported",
            "[2] duplicate",
            "[2].name not-supported",
        ]
        .iter()
        .map(|line| format!("machineImages[0].{at}.cri{line}"))
        .collect();
        lines.insert(0, stage.to_owned());
        assert_eq!(refused(&parent(&json!({})), None, &image(name, &json!([version])))?, lines);
    }
    Ok(())
}

#[test]
fn versions_are_those_that_gardener_accepts() -> Result<(), Unexpected> {
    let version = |version: &str, members: Value| {
        let mut version = whole(version, &members);
        version["architectures"] = json!(["amd64"]);
        image("i", &json!([version]))
    };
    let at = "machineImages[0].versions[0]";
    let (invalid, all) = (format!("{at}.version invalid"), "machineImages invalid");
    let required = format!("{at}.version required");
    let constraint = format!("{at}.kubeletVersionConstraint invalid");
    let least = format!("{at}.minVersionForInPlaceUpdate invalid");
    let updates = |least: &str| json!({ "supported": true, "minVersionForUpdate": least });
    let odd = json!({ "kubeletVersionConstraint": "foo", "inPlaceUpdates": updates("a") });
    let fine = json!({ "kubeletVersionConstraint": ">= 1.30", "inPlaceUpdates": updates("1.0") });
    let rows = [
        (version("", json!({})), vec!["validation", all, &invalid, &required]),
        (version("99999999999999999999.1", json!({})), vec!["validation", all, &invalid]),
        (version("v1.1.0", json!({})), vec![]),
        (version("1.1.0", odd), vec!["validation", &constraint, &least]),
        (version("1.1.0", fine), vec![]),
        (
            json!({ "kubernetes": { "versions": [
                { "version": "1.32.0", "classification": "foo", "expirationDate": FUTURE },
            ] } }),
            vec![
                "validation",
                "kubernetes.versions[0].classification forbidden",
                "kubernetes.versions[0].classification not-supported",
            ],
        ),
        (
            json!({ "machineImages": [
                { "name": "a", "versions": [{ "version": "1" }] }, { "name": "b", "versions": [{ "version": "1" }] },
                { "name": "a", "versions": [{ "version": "2" }, { "version": "1" }] },
            ] }),
            vec!["validation", "machineImages[2] duplicate", "machineImages[2].versions[1] duplicate"],
        ),
    ];
    for (members, lines) in rows {
        expect(&parent(&json!({})), &members, &lines)?;
    }
    Ok(())
}

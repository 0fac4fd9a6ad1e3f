//! Machines with what they start from, and what they may do (`assets.md`, D.5 and D.6).

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::Made;
use crate::expected::{BOOTSTRAP_ACTIONS, DESCRIPTION, MASTER_ACTIONS, MASTERS, WORKER_ACTIONS};
use crate::listing::Resource;
use crate::moto::image;

/// What the machines are to start with.
pub struct Started<'a> {
    /// Ignition config of the control plane machines.
    pub master: &'a str,
    /// A text in the Ignition config of the bootstrap machine.
    pub bootstrap: &'a str,
}

pub(super) fn stand(made: &Made<'_>, started: &Started<'_>) {
    assert_eq!(made.new.counts().get("machine"), Some(&(MASTERS + 1)));
    // NAT gateways have interfaces as well.
    let interfaces = MASTERS + 1 + made.new.of_kind("NAT gateway").len();
    assert_eq!(made.new.counts().get("interface"), Some(&interfaces));
    let image = copied(made).unwrap_or_else(|| image(Some(made.wanted.release), made.wanted.region));
    for number in 0..MASTERS {
        master(made, number, &image, started.master);
    }
    bootstrap(made, &image, started.bootstrap);
    for (role, actions) in
        [("master", MASTER_ACTIONS), ("worker", WORKER_ACTIONS), ("bootstrap", BOOTSTRAP_ACTIONS)]
    {
        may(made, role, actions);
    }
    assert_eq!(made.new.counts().get("role"), Some(&3));
    assert_eq!(made.new.counts().get("instance profile"), Some(&3));
}

/// The copy of the image, where there is one.
fn copied(made: &Made<'_>) -> Option<String> {
    let images = made.new.of_kind("image");
    let Some(region) = made.wanted.copied else {
        assert!(images.is_empty(), "{images:?}");
        return None;
    };
    let [copy] = images.as_slice() else {
        panic!("one image should be there, not {images:?}");
    };
    assert_eq!(copy.says("name"), made.name("master"));
    assert_eq!(copy.name(), made.name(&format!("ami-{}", made.wanted.region)));
    assert_eq!(copy.tags.get("sourceAMI"), Some(&image(Some(made.wanted.release), region)));
    assert_eq!(copy.tags.get("sourceRegion").map(String::as_str), Some(region));
    Some(copy.says("imageId").to_owned())
}

fn master(made: &Made<'_>, number: usize, image: &str, ignition: &str) {
    let name = made.name(&format!("master-{number}"));
    let machine = made.new.named("machine", &name);
    let place = number % made.wanted.zones.len();
    assert_eq!(machine.says("placement/availabilityZone"), made.wanted.zones[place], "{name}");
    assert_eq!(machine.says("subnetId"), made.subnets(false)[place], "{name}");
    usual(made, machine, "master", image);
    let given: Value = serde_json::from_str(ignition).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&user_data(machine)).unwrap(), given, "{name}");
    assert_eq!(groups(machine), control_plane(made), "{name}");
    let interface = made.new.named("interface", &name);
    assert_eq!(interface.says("description"), DESCRIPTION);
    assert_eq!(interface.says("attachment/instanceId"), machine.says("instanceId"));
    assert_eq!(interface.says("attachment/deviceIndex"), "0");
    volume(made, machine, &name, "gp3", "120");
}

fn bootstrap(made: &Made<'_>, image: &str, secret: &str) {
    let name = made.name("bootstrap");
    let machine = made.new.named("machine", &name);
    // In the zone of the first machine of the control plane.
    assert_eq!(machine.says("subnetId"), made.subnets(true)[0]);
    usual(made, machine, "bootstrap", image);
    let mut wanted = control_plane(made);
    wanted.insert(super::groups::id(made, "bootstrap-sg"));
    assert_eq!(groups(machine), wanted);
    assert!(!machine.says("ipAddress").is_empty(), "it has no public address");
    volume(made, machine, &name, "gp2", "30");

    // It gets the address of its Ignition config, in the bucket, by a URL that opens it.
    let stub: Value = serde_json::from_str(&user_data(machine)).unwrap();
    let source = stub["ignition"]["config"]["replace"]["source"].as_str().unwrap();
    let path = format!("/{name}/bootstrap.ign");
    assert!(source.starts_with("https://127.0.0.1:") && source.contains(&format!("{path}?")), "{stub}");
    assert!(source.contains("X-Amz-Signature="), "{stub}");
    let object: Value = serde_json::from_str(&made.cloud.store(&path)).unwrap();
    let files = object["storage"]["files"].as_array().unwrap();
    let paths: BTreeSet<&str> = files.iter().filter_map(|file| file["path"].as_str()).collect();
    for wanted in ["/opt/openshift/tls/root-ca.key", "/opt/openshift/manifests/openshift-install.yaml"] {
        assert!(paths.contains(wanted), "{paths:?}");
    }
    assert_eq!(object["passwd"]["users"][0]["passwordHash"], secret);
    assert_eq!(made.new.counts().get("object"), Some(&1));
    assert_eq!(made.new.counts().get("bucket"), Some(&1));
}

/// What holds of every machine.
fn usual(made: &Made<'_>, machine: &Resource, role: &str, image: &str) {
    assert_eq!(machine.says("instanceType"), made.wanted.instance_type, "{role}");
    assert_eq!(machine.says("imageId"), image, "{role}");
    assert_eq!(machine.says("metadataOptions/httpEndpoint"), "enabled", "{role}");
    assert_eq!(machine.says("metadataOptions/httpTokens"), "optional", "{role}");
    let profile = machine.says("iamInstanceProfile/arn");
    let partition = made.wanted.partition;
    assert!(profile.starts_with(&format!("arn:{partition}:iam:")), "{profile}");
    assert!(profile.ends_with(&format!("/{}", made.name(&format!("{role}-profile")))), "{profile}");
}

/// The root volume.
fn volume(made: &Made<'_>, machine: &Resource, name: &str, kind: &str, size: &str) {
    let volume = made.new.named("volume", &format!("{name}-vol"));
    let attached = volume.node.all("attachmentSet", "instanceId");
    assert_eq!(attached, [machine.says("instanceId")], "{name}");
    for (what, wanted) in [("volumeType", kind), ("size", size), ("encrypted", "true")] {
        assert_eq!(volume.says(what), wanted, "{name}: {what}");
    }
}

fn user_data(machine: &Resource) -> String {
    let encoded = machine.more[0].says("value");
    String::from_utf8(STANDARD.decode(encoded).unwrap()).unwrap()
}

fn groups(machine: &Resource) -> BTreeSet<String> {
    machine.node.all("groupSet", "groupId").into_iter().collect()
}

/// The groups of a control plane machine.
fn control_plane(made: &Made<'_>) -> BTreeSet<String> {
    made.wanted.control_plane_groups().iter().map(|end| super::groups::id(made, end)).collect()
}

/// A role with one policy, which allows just this, and a profile with the role.
fn may(made: &Made<'_>, role: &str, actions: &[(&str, &str)]) {
    let name = made.name(&format!("{role}-role"));
    let found = made.new.get("role", &name);
    assert_eq!(found.says("Path"), "/", "{name}");
    let trust = policy(found.says("AssumeRolePolicyDocument"));
    assert_eq!(trust["Statement"][0]["Principal"]["Service"], made.wanted.principal, "{trust}");
    assert_eq!(trust["Statement"][0]["Action"], "sts:AssumeRole", "{trust}");
    let [granted] = found.more.as_slice() else {
        panic!("{name} should have one policy, not {:?}", found.more);
    };
    assert_eq!(granted.says("PolicyName"), made.name(&format!("{role}-policy")));
    let document = policy(granted.says("PolicyDocument"));
    let statements = document["Statement"].as_array().unwrap();
    let mut allowed: BTreeSet<String> = BTreeSet::new();
    for statement in statements {
        assert_eq!(statement["Effect"], "Allow", "{document}");
        match &statement["Action"] {
            Value::String(action) => allowed.extend([action.clone()]),
            all => allowed.extend(all.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned())),
        }
    }
    let wanted = actions.iter().flat_map(|(service, names)| {
        names.split_whitespace().map(move |action| format!("{service}:{action}"))
    });
    assert_eq!(allowed, wanted.collect::<BTreeSet<String>>(), "{name}");
    let profile = made.new.get("instance profile", &made.name(&format!("{role}-profile")));
    assert_eq!(profile.node.all("Roles", "RoleName"), [name]);
}

/// A policy, which some answers write as URLs are written.
fn policy(text: &str) -> Value {
    let pair = format!("policy={text}");
    let plain = if text.starts_with('%') {
        url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, text)| text.into_owned())
    } else {
        None
    };
    serde_json::from_str(&plain.unwrap_or_else(|| text.to_owned())).unwrap()
}

//! What terraform and the native engine create for one config, resource by resource and property by property.

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv6Addr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ipnet::Ipv6Net;
use regex_lite::Regex;
use serde_json::Value;
use url::form_urlencoded;

use crate::cloud::Cloud;
use crate::installation::Installation;
use crate::listing::{Listing, Resource};
use crate::xml::Node;

/// The same identity for both, so that names are the same.
pub const IDENTITY: &[&str] = &["--infra-id", "demo-x7k2p"];

/// Elements that are never the same twice, by the reason.
const VOLATILE: &[&str] = &[
    // Times.
    "CreateDate",
    "CreatedTime",
    "CreationDate",
    "LastModified",
    "attachTime",
    "createTime",
    "creationDate",
    "creationTimestamp",
    "launchTime",
    "usageOperationUpdateTime",
    // Addresses that moto gives at random, and names made of them.
    "DNSName",
    "dnsName",
    "ip",
    "ipAddress",
    "macAddress",
    "natGatewayAddressSet",
    "privateDnsName",
    "privateIp",
    "privateIpAddress",
    "publicDnsName",
    "publicIp",
    // The call that created a resource.
    "CallerReference",
    "clientToken",
    "requestId",
    "reservationId",
    "reason",
    // The same content, signed or hashed at another time.
    "ETag",
    "RoleId",
    "InstanceProfileId",
];

/// What may differ, with the reason: kind, the text in the line of a property, reason.
pub type Exception = (&'static str, &'static str, &'static str);

const EXCEPTIONS: &[Exception] = &[
    ("zone", "Comment", "terraform writes that it manages a zone"),
    ("machine", "userData", "the address in it is signed at another time"),
    ("machine", "hibernationOptions", "AWS's default, which terraform names"),
    ("load balancer", "Key=access_logs.s3.enabled", "AWS's default, which terraform names"),
    ("load balancer", "Key=dns_record.client_routing_policy", "AWS's default, which terraform names"),
    ("load balancer", "Key=zonal_shift.config.enabled", "AWS's default, which terraform names"),
    ("object", "ChecksumAlgorithm", "the SDK sends a checksum"),
];

/// A resource as lines, without ids.
fn lines(thing: &Resource, labels: &[(String, String)], ids: &Regex) -> BTreeSet<String> {
    let clean = |text: &str| {
        let mut text = without_ipv6(text).unwrap_or_else(|| text.to_owned());
        for (id, label) in labels {
            text = text.replace(id.as_str(), label);
        }
        ids.replace_all(&text, "ID").into_owned()
    };
    let mut lines = BTreeSet::new();
    for node in std::iter::once(&thing.node).chain(&thing.more) {
        flatten(&node.without(VOLATILE), "", &clean, &mut lines);
    }
    lines.extend(thing.tags.iter().map(|(key, value)| format!("tag {key}={value}")));
    lines
}

/// What is said of IPv6 addresses, which moto gives at random, in words: which part of the VPC's a subnet has.
fn without_ipv6(text: &str) -> Option<String> {
    if text.parse::<Ipv6Addr>().is_ok() {
        return Some("an IPv6 address".to_owned());
    }
    let net: Ipv6Net = text.parse().ok()?;
    Some(match net.prefix_len() {
        0 => return None,
        64 => format!("part {} of the VPC's IPv6 addresses", net.network().segments()[3] & 0xff),
        prefix => format!("IPv6 addresses /{prefix}"),
    })
}

/// Each element that has a text or is empty, as a line; items of a list are told apart by all that they hold.
fn flatten(node: &Node, path: &str, clean: &dyn Fn(&str) -> String, lines: &mut BTreeSet<String>) {
    let path = format!("{path}/{}", node.name());
    if node.children().is_empty() {
        if node.name().ends_with("PolicyDocument") {
            lines.insert(format!("{path}={}", policy(node.text())));
        } else if !node.text().is_empty() {
            lines.insert(format!("{path}={}", clean(node.text())));
        }
        return;
    }
    let is_list = node.children().iter().all(|child| ["item", "member"].contains(&child.name()));
    for child in node.children() {
        if is_list {
            let mut inner = BTreeSet::new();
            flatten(child, "", clean, &mut inner);
            let inner: Vec<String> = inner.into_iter().collect();
            lines.insert(format!("{path}[{}]", inner.join(" ")));
        } else {
            flatten(child, &path, clean, lines);
        }
    }
}

/// A policy with its keys in one order.
fn policy(text: &str) -> Value {
    let line = format!("d={text}");
    let (_, text) = form_urlencoded::parse(line.as_bytes()).next().unwrap();
    serde_json::from_str(&text).unwrap()
}

/// A name for a resource that both have.
fn label(kind: &str, id: &str, thing: &Resource, all: &Listing) -> String {
    let said = |path: &str| thing.says(path).to_owned();
    let name = match kind {
        "listener" => {
            let balancer = all.get("load balancer", thing.says("LoadBalancerArn"));
            format!("{} {}", balancer.says("LoadBalancerName"), said("Port"))
        }
        "load balancer" => said("LoadBalancerName"),
        "target group" => said("TargetGroupName"),
        "interface" if thing.name().is_empty() => {
            let machine = said("attachment/instanceId");
            match all.of_kind("machine").into_iter().find(|one| one.says("instanceId") == machine) {
                Some(machine) => format!("of {}", machine.name()),
                None => format!("{} in {}", said("description"), said("availabilityZone")),
            }
        }
        "role" | "instance profile" | "bucket" | "object" => id.to_owned(),
        "security group" => said("groupName"),
        _ => thing.name().to_owned(),
    };
    format!("{kind} {name}")
}

/// Resources by their labels, as lines.
pub type Described = BTreeMap<String, BTreeSet<String>>;

/// What two sets of resources differ in, but for the exceptions.
pub fn differences(names: [&str; 2], one: &Described, other: &Described) -> Vec<String> {
    differences_but(&[], names, one, other)
}

fn differences_but(more: &[Exception], names: [&str; 2], one: &Described, other: &Described) -> Vec<String> {
    let mut differences = Vec::new();
    let labels: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    for label in labels {
        let (Some(first), Some(second)) = (one.get(label), other.get(label)) else {
            let of = names[usize::from(!one.contains_key(label))];
            differences.push(format!("only {of} has {label}"));
            continue;
        };
        let is_excepted = |line: &str| {
            let mut all = EXCEPTIONS.iter().chain(more);
            all.any(|(kind, part, _)| label.starts_with(kind) && line.contains(part))
        };
        for (name, only) in [(names[0], first.difference(second)), (names[1], second.difference(first))] {
            let only = only.filter(|line| !is_excepted(line));
            differences.extend(only.map(|line| format!("{label}: {name} has {line}")));
        }
    }
    differences
}

/// All resources by their labels, as lines.
pub fn described(all: &Listing) -> Described {
    let ids = Regex::new("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}|[a-z]+-[0-9a-f]{8,32}").unwrap();
    let mut labels: Vec<(String, String)> = all
        .each()
        .map(|(kind, id, thing)| (id.to_owned(), format!("<{}>", label(kind, id, thing, all))))
        .collect();
    // The addresses of machines are the ids of targets.
    for (kind, id, thing) in all.each().filter(|(kind, ..)| *kind == "interface") {
        let label = format!("<address of {}>", label(kind, id, thing, all));
        labels.push((thing.says("privateIpAddress").to_owned(), label));
    }
    labels.retain(|(id, _)| !id.is_empty());
    // Longer ids first, as some have others in them.
    labels.sort_by_key(|(id, _)| std::cmp::Reverse(id.len()));
    let labels: Vec<_> = labels.into_iter().filter(|(id, label)| !label.contains(id.as_str())).collect();
    let mut described = BTreeMap::new();
    for (kind, id, thing) in all.each() {
        let label = ids.replace_all(&label(kind, id, thing, all), "ID").into_owned();
        let old = described.insert(label.clone(), lines(thing, &labels, &ids));
        assert!(old.is_none(), "two are called {label}");
    }
    described
}

/// Ignition configs by what is in them instead of by their size, which depends on the IPv6 addresses that moto gives.
fn with_ignition(cloud: &Cloud<'_>, mut all: Described) -> Described {
    let network = Regex::new("[0-9a-f:]+::/56").unwrap();
    for (label, lines) in &mut all {
        let Some(path) = label.strip_prefix("object ").filter(|path| path.ends_with("/bootstrap.ign")) else {
            continue;
        };
        let mut config: Value = serde_json::from_str(&cloud.store(path)).unwrap();
        lines.retain(|line| !line.contains("/Contents/Size="));
        let mut files = config["storage"]["files"].take();
        for file in files.as_array_mut().unwrap() {
            let source = file["contents"]["source"].take();
            let source = source.as_str().unwrap();
            let content = match source.split_once(";base64,") {
                Some((_, content)) => STANDARD.decode(content).unwrap(),
                None => source.as_bytes().to_owned(),
            };
            let content = String::from_utf8_lossy(&content);
            let content = network.replace_all(&content, "IPv6 addresses /56");
            lines.insert(format!("file {file}={content}"));
        }
        lines.insert(format!("/={config}"));
    }
    all
}

/// What terraform and the native engine create, each in an account of its own. Fails where that differs; gives it.
pub fn same_with_both(least: usize, installation: impl Fn() -> Installation + Sync) -> Described {
    same_with_both_but(&[], least, installation)
}

/// The same with more exceptions.
pub fn same_with_both_but(
    exceptions: &[Exception],
    least: usize,
    installation: impl Fn() -> Installation + Sync,
) -> Described {
    let with_terraform = || {
        let installation = installation();
        let before = Listing::of(installation.cloud());
        let ran = installation.try_create(IDENTITY).ends(0);
        assert_eq!(ran.json()["outcome"], "done", "{ran}");
        let cloud = installation.cloud();
        with_ignition(&cloud, described(&Listing::of(cloud).since(&before)))
    };
    let natively = || {
        let installation = installation();
        let before = Listing::of(installation.cloud());
        installation.create_native(IDENTITY);
        let cloud = installation.cloud();
        with_ignition(&cloud, described(&Listing::of(cloud).since(&before)))
    };
    let (terraform, native) = std::thread::scope(|scope| {
        let terraform = scope.spawn(with_terraform);
        (terraform.join(), natively())
    });
    let terraform = terraform.expect("terraform does not create the cluster");
    assert!(terraform.len() >= least, "terraform creates {} resources only", terraform.len());
    let differences = differences_but(exceptions, ["terraform", "native"], &terraform, &native);
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
    native
}

//! How long it takes to join a private profile with its parent, and to look for what has expired in it.
#![allow(missing_docs, reason = "the macros of criterion make items without them")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use jiff::Timestamp;
use landfall_cloud_profile::clean::clean;
use landfall_cloud_profile::render::render;
use landfall_cloud_profile::types::{CloudProfileSpec, PrivateCloudProfileSpec};
use serde_json::{Value, json};

const DATE: &str = "2030-01-31T12:00:00Z";

fn list(length: usize, entry: impl Fn(usize) -> Value) -> Value {
    (0..length).map(entry).collect()
}

fn image_version(number: usize) -> Value {
    json!({
        "version": format!("{number}.1.0"),
        "cri": [{"name": "containerd"}],
        "architectures": ["amd64", "arm64"],
        "kubeletVersionConstraint": ">= 1.26",
    })
}

fn machine_type(name: &str, number: usize) -> Value {
    json!({
        "name": format!("{name}{number:03}.large"),
        "cpu": "4",
        "gpu": "0",
        "memory": "16Gi",
        "usable": true,
        "architecture": "amd64",
    })
}

/// A parent with 200 machine types, 30 versions of Kubernetes and 10 images of 20 versions.
fn parent() -> serde_json::Result<CloudProfileSpec> {
    serde_json::from_value(json!({
        "type": "aws",
        "kubernetes": {"versions": list(30, |i| json!({"version": format!("1.{}.0", 60 - i)}))},
        "machineImages": list(10, |i| json!({
            "name": format!("image-{i}"),
            "updateStrategy": "major",
            "versions": list(20, |i| image_version(40 - i)),
        })),
        "machineTypes": list(200, |i| machine_type("m", i)),
        "volumeTypes": list(5, |i| json!({"name": format!("volume-{i}"), "class": "standard"})),
        "regions": list(20, |i| json!({
            "name": format!("region-{i:02}"),
            "zones": list(3, |zone| json!({"name": format!("region-{i:02}{zone}")})),
        })),
    }))
}

/// A private profile that prolongs, adds and contradicts some of everything.
fn private() -> serde_json::Result<PrivateCloudProfileSpec> {
    serde_json::from_value(json!({
        "parent": "parent",
        "kubernetes": {"versions": list(5, |i| {
            json!({"version": format!("1.{}.0", 35 + i), "expirationDate": DATE})
        })},
        "machineImages": list(3, |i| json!({
            "name": format!("image-{i}"),
            "versions": [
                {"version": "25.1.0", "expirationDate": DATE},
                {"version": "25.2.0", "expirationDate": DATE},
            ],
        })),
        "machineTypes": list(20, |i| machine_type(if i % 2 == 0 { "m" } else { "n" }, 10 * i)),
        "regions": [{"name": "region-here", "zones": [{"name": "region-here-a"}]}],
        "limits": {"maxNodesTotal": 10},
    }))
}

fn bench(c: &mut Criterion) {
    let (Ok(parent), Ok(private)) = (parent(), private()) else { return };
    let mut group = c.benchmark_group("profile");
    group.bench_function("render", |b| b.iter(|| render(black_box(&parent), black_box(&private))));
    group.bench_function("clean", |b| {
        b.iter(|| clean(black_box(&private), black_box(Timestamp::UNIX_EPOCH), true));
    });
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);

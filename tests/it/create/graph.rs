//! The drawings of `landfall graph`.

use std::process::Command;

use serde_json::Value;

use super::{CONFIG, directory, files, run, said};

#[test]
fn draws_the_graph_in_every_form() {
    for (form, start) in [("dot", "digraph"), ("mermaid", "flowchart"), ("svg", "<")] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_landfall")).args(["graph", "--format", form]).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(start), "{form}");
    }
}

/// The resources of a cluster, drawn of its files alone.
#[test]
fn draws_the_resources_of_a_cluster() {
    let directory = directory(&CONFIG.replace("publish: External", "publish: Internal"));
    let graph = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(["graph", "--resources", "--dir"]).arg(directory.path()).args(more).output().unwrap()
    };
    let output = graph(&[]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("facts.json"), "{}", said(&output));

    assert_eq!(run(directory.path(), &["--offline"]).status.code(), Some(0));
    let before = files(directory.path());
    let output = graph(&["-o", "json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let resources: Value = serde_json::from_slice(&output.stdout).unwrap();
    let resources = resources.as_array().unwrap();
    let subnets = resources.iter().filter(|resource| resource["kind"] == "subnet").count();
    assert!(subnets > 0 && resources.iter().any(|resource| resource["name"] == "vpc/vpc"), "{resources:?}");
    let drawing = String::from_utf8(graph(&["--format", "mermaid"]).stdout).unwrap();
    assert!(
        drawing.contains(&format!("[\"{subnets} subnet\"]"))
            && drawing.contains("{{\"instance/bootstrap\"}}")
    );
    assert!(graph(&["--format", "svg"]).stdout.starts_with(b"<svg"));
    assert_eq!(files(directory.path()), before);
}

//! A cluster directory keeps its release, and the layout that goes with it.

use landfall::prepare::{IgnitionFrom, Refusal};
use serde_json::{Value, json};

use super::{cluster, prepared, run_for, write};

const OLDER: Option<&str> = Some("4.14");
const NEWER: Option<&str> = Some("4.19");
const JOURNAL: &str = ".landfall/steps.jsonl";

fn step(name: &str, detail: &str) -> String {
    let time = "2026-11-28T08:00:00Z";
    json!({ "time": time, "step": name, "result": "done", "detail": detail }).to_string() + "\n"
}

#[test]
fn resources_of_the_other_layout_are_not_replaced() {
    let cluster = cluster();
    let run = |release| run_for(release, cluster.path(), IgnitionFrom::None);
    let refused = |release| {
        let Err(Refusal::Unfit(said)) = run(release) else { panic!("not refused") };
        let errors = said.findings.iter().filter(|finding| finding.is_error());
        assert_eq!(errors.map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["LF0684"]);
    };
    prepared(run(NEWER));
    let state = cluster.path().join("terraform/cluster/terraform.tfstate");
    let group = |name: &str, instance: Value| {
        let group =
            json!({ "mode": "managed", "type": "aws_security_group", "name": name, "instances": [instance] });
        write(&state, json!({ "version": 4, "resources": [group] }).to_string());
    };
    // Of an early version of landfall, and of this one.
    for (name, instance) in [("master", json!({})), ("nodes", json!({ "index_key": "master" }))] {
        group(name, instance);
        refused(NEWER);
        prepared(run(OLDER));
    }
    group("nodes", json!({ "index_key": "controlplane" }));
    refused(OLDER);
    prepared(run(NEWER));

    // What the native engine created is in its journal.
    std::fs::remove_file(state).unwrap();
    let created =
        |name: &str| write(&cluster.path().join(JOURNAL), step(&format!("cluster.apply/{name}"), ""));
    created("security-group/master");
    refused(NEWER);
    prepared(run(OLDER));
    created("security-group/controlplane");
    refused(OLDER);
    prepared(run(NEWER));
}

#[test]
fn files_that_exist_keep_their_release() {
    let cluster = cluster();
    let planned = |release| prepared(run_for(release, cluster.path(), IgnitionFrom::None)).plan.release;
    assert_eq!(planned(None), "4.19");
    assert_eq!(planned(Some("4.18")), "4.18");
    assert_eq!(planned(None), "4.18");
    assert_eq!(planned(NEWER), "4.19");
    assert_eq!(planned(None), "4.19");
}

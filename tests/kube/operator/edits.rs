//! Many writers and many edits: the end is right, and then nothing is written.

use serde_json::json;

use super::cluster::{Cluster, KEY, MANAGED_MAP, TARGET_MAP, USER_MAP, USERS, path};
use super::replica::Replica;
use super::until::{becomes, until};

const EDITS: usize = 1000;

#[test]
#[ignore = "needs an API server"]
fn a_thousand_edits_and_another_writer_end_in_the_right_state() {
    let spec = json!({ "cloudConfig": { "name": USER_MAP.1, "key": KEY } });
    let aws = json!({ "type": "AWS", "aws": { "region": "us-hidden-1" } });
    let cluster = Cluster::start(&spec, &aws);
    cluster.user_map("[Global]\nVPC = vpc-0\n");
    cluster.server.config_map(USERS, "of-others", &json!({ "edit": "0" }));
    let operator = Replica::start(&cluster, "kube-cloud-config,cloud-config-sync,endpoint-mirror");
    cluster.holds(MANAGED_MAP, "[Global]\nVPC = vpc-0\n");
    until("there is a target", || cluster.get(&path(TARGET_MAP)));

    std::thread::scope(|scope| {
        // Meanwhile somebody else writes what the controllers write, and takes it away. What is away cannot
        // be changed, so that not every one of these calls does something.
        scope.spawn(|| {
            for i in 0..EDITS / 10 {
                let map = path(if i % 2 == 0 { MANAGED_MAP } else { TARGET_MAP });
                let hand = json!({ "data": { "cloud.conf": format!("by hand {i}"), "more": "by hand" } });
                let foreign = format!("{map}?fieldManager=somebody");
                let _ = match i % 10 {
                    8 | 9 => cluster.server.call("DELETE", &map, &json!(null)),
                    _ => cluster.server.call("PATCH", &foreign, &hand),
                };
            }
        });
        for i in 1..=EDITS {
            cluster.user_text(&format!("[Global]\nVPC = vpc-{i}\n"));
        }
    });
    let last = format!("vpc-{EDITS}");
    let wanted =
        json!({ "cloud.conf": format!("[Global]\nVPC = {last}\n"), "ca-bundle.pem": "an authority" });
    becomes(&wanted, || cluster.data(MANAGED_MAP));
    let target = until("the target has the last edit", || {
        let data = cluster.data(TARGET_MAP);
        let text = data["cloud.conf"].as_str()?;
        (text.contains(&last) && data.get("more").is_none()).then(|| data.clone())
    });
    assert_eq!(target["ca-bundle.pem"], "an authority");
    cluster.says("landfall", "KubeCloudConfigControllerDegraded", "False", &["AsExpected"]);
    cluster.says("cloud-controller-manager", "CloudConfigControllerDegraded", "False", &["AsExpected"]);

    // Changes that change nothing for the controllers make them look, and look only. The last edits may still
    // be on their way, so that it is quiet once one round passed in which nothing was written.
    let mut edit = 0;
    let mut round = || {
        let (versions, writes) = (cluster.versions(), operator.metric("landfall_writes_total", &[]));
        for controller in ["kube-cloud-config", "cloud-config-sync"] {
            let runs = || operator.metric("landfall_reconciles_total", &[controller]);
            let before = runs();
            until("it looks again", || {
                edit += 1;
                cluster.edit((USERS, "of-others"), &json!({ "data": { "edit": edit.to_string() } }));
                (runs() > before).then_some(())
            });
        }
        let mut now = cluster.versions();
        let mut then = versions;
        for versions in [&mut now, &mut then] {
            versions.retain(|name, _| !name.contains("of-others"));
        }
        now == then && operator.metric("landfall_writes_total", &[]) == writes
    };
    until("nothing is written any more", || round().then_some(()));
    for _ in 0..5 {
        assert!(round(), "something was written though nothing changed");
    }
    assert!(operator.metric("landfall_writes_total", &[]) > 0);
}

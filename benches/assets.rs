//! Time from an accepted config to every file of its cluster, in memory: facts, plan, rendering.

#![allow(missing_docs, reason = "the macros of criterion make items without them")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use landfall_diagnostics::Findings;
use landfall_install_config::assets;
use landfall_install_config::verdict::{Strictness, judge_keeping};
use landfall_model::catalogue::Catalogue;
use landfall_model::plan;
use landfall_model::plan::{Case, Identity};
use landfall_platform::{Offline, World};
use landfall_render::Extras;

/// An environment with credentials of either cloud.
struct Fixed;

impl World for Fixed {
    fn variable(&self, name: &str) -> Option<String> {
        let id = "00000000-0000-0000-0000-000000000001";
        ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID"]
            .contains(&name)
            .then(|| id.to_owned())
    }

    fn file(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

fn assets(criterion: &mut Criterion) {
    let catalogue = Catalogue::embedded();
    let Some(release) = catalogue.default_release() else { return };
    let identity = Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
    let text = |label: &str| format!("-----BEGIN {label}-----\nAAAA\n-----END {label}-----\n");
    let key = || text("PRIVATE KEY");
    let tls = landfall_certificates::together(text("CERTIFICATE"), Some(key()), text("CERTIFICATE"), key());
    let mut group = criterion.benchmark_group("assets");
    let configs = [
        ("aws", include_str!("../testdata/quickstart/aws.yaml")),
        ("azure", include_str!("../testdata/quickstart/azure.yaml")),
    ];
    for (name, config) in configs {
        let verdict = judge_keeping(config.as_bytes(), Strictness::default(), catalogue);
        let (Some(config), Some(given)) = (verdict.config, verdict.given) else { return };
        let credentials = assets::credentials(&config, &Fixed);
        let make = || {
            let mut out = Findings::default();
            let offline = Offline { config: &config, catalogue, release, credentials: &credentials };
            let facts = assets::offline_facts(&offline, &mut out);
            let case = Case {
                config: &config,
                given: &given,
                facts: &facts,
                catalogue,
                release,
                identity: &identity,
                installed: false,
                own_records: &[],
                engine: plan::Engine::default(),
            };
            let plan = assets::plan(&case, &mut out);
            let extras = Extras {
                credentials: &credentials,
                tls: &tls,
                invoker: "user",
                masters_schedulable: None,
                bootstrap_ignition: None,
                master_ignition: None,
                account: None,
                engine: None,
            };
            plan.map(|plan| assets::files(&plan, &extras)).unwrap_or_default()
        };
        assert!(make().len() > 30, "the files of {name} cannot be made");
        group.bench_function(name, |bencher| bencher.iter(|| black_box(make())));
    }
    group.finish();
}

criterion_group!(benches, assets);
criterion_main!(benches);

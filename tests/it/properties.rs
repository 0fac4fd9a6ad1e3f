//! Properties that hold for any file.

use landfall_diagnostics::Findings;
use landfall_install_config::verdict::{Outcome, Strictness, completed, judge, judge_config};
use proptest::prelude::*;

/// Top-level blocks with a fault each that has nothing to do with the others.
const FAULTS: &[&str] = &[
    "baseDomain: Example.com\n",
    "metadata:\n  name: -demo\n",
    "publish: Public\n",
    "osImageStream: rhel-8\n",
    "additionalTrustBundlePolicy: never\n",
    "featureSet: Preview\n",
    "sshKey: no key\n",
    "controlPlane:\n  replicas: -1\n",
    "imageDigestSources:\n- source: a/b\n  mirrors: [c/D]\n",
    "proxy:\n  noProxy: a b\n",
    "networking:\n  networkType: Kuryr\n  machineNetwork:\n  - cidr: 10.0.0.1/16\n",
    "unknownField: 1\n",
    "fips: maybe\n",
];

const REST: &[&str] = &[
    "apiVersion: v1\n",
    "platform:\n  aws:\n    region: us-east-1\n    zones: []\n",
    "pullSecret: '{\"auths\":{\"a\":{\"auth\":\"b\"}}}'\n",
];

/// Code and field of every finding, whatever its place.
fn found(text: &str) -> Vec<(&'static str, String)> {
    let verdict = judge(text.as_bytes(), Strictness::default());
    let mut found: Vec<_> = verdict.findings.iter().map(|f| (f.code.as_str(), f.field.clone())).collect();
    found.sort();
    found
}

/// Configs of which many are accepted.
fn config() -> impl Strategy<Value = String> {
    let platform = prop_oneof![
        Just("  none: {}\n".to_owned()),
        Just("  external: {platformName: x}\n".to_owned()),
        ("[a-z]{2}-[a-z]{4}-[1-9]", any::<bool>()).prop_map(|(region, tags)| {
            let tags = if tags { "    userTags: {a: b}\n" } else { "" };
            format!(
                "  aws:\n    region: {region}\n{tags}    defaultMachinePlatform:\n      zones: [{region}a]\n"
            )
        }),
        Just("  azure: {region: eastus, baseDomainResourceGroupName: rg}\n".to_owned()),
    ];
    let pools = prop_oneof![
        Just(String::new()),
        Just(
            "compute:\n- name: worker\n  replicas: 2\ncontrolPlane:\n  hyperthreading: Disabled\n".to_owned()
        ),
        Just("compute: []\n".to_owned()),
    ];
    let networking = prop_oneof![
        Just(String::new()),
        Just("networking:\n  clusterNetworks:\n  - {cidr: 10.132.0.0/14, hostSubnetLength: 9}\n".to_owned()),
        Just("networking:\n  machineCIDR: 10.1.0.0/16\n  serviceCIDR: 172.31.0.0/16\n".to_owned()),
    ];
    (platform, pools, networking, "[a-z][a-z0-9]{0,20}", "v1|v1beta3|v1beta4").prop_map(
        |(platform, pools, networking, name, version)| {
            format!(
                "apiVersion: {version}\nbaseDomain: example.com\nmetadata:\n  name: \"{name}\"\nplatform:\n{platform}\
                 pullSecret: '{{\"auths\":{{\"a\":{{\"auth\":\"b\"}}}}}}'\n{pools}{networking}"
            )
        },
    )
}

proptest! {
    #[test]
    fn the_order_of_faults_does_not_matter(order in Just(FAULTS.iter().chain(REST).copied().collect::<Vec<_>>()).prop_shuffle()) {
        let sorted: String = FAULTS.iter().chain(REST).copied().collect();
        prop_assert_eq!(found(&order.concat()), found(&sorted));
    }

    #[test]
    fn completing_twice_changes_nothing(text in config()) {
        let verdict = judge(text.as_bytes(), Strictness::default());
        if let Some(config) = verdict.config.filter(|_| verdict.outcome == Outcome::Accepted) {
            let mut again = config.clone();
            let mut findings = Findings::default();
            judge_config(&mut again, landfall_model::catalogue::Catalogue::embedded(), None, None, &mut findings);
            prop_assert_eq!(findings.errors(), 0);
            prop_assert_eq!(again, config);
        }
    }

    #[test]
    fn what_was_completed_is_accepted(text in config(), secrets in any::<bool>()) {
        let verdict = judge(text.as_bytes(), Strictness::default());
        if let Some(config) = verdict.config.filter(|_| verdict.outcome == Outcome::Accepted) {
            let written = serde_saphyr::to_string(&completed(&config, secrets)).unwrap();
            let again = judge(written.as_bytes(), Strictness::default());
            prop_assert_eq!(again.outcome, Outcome::Accepted, "{:?}\n{}", again.findings, written);
            prop_assert_eq!(again.config.map(|c| completed(&c, secrets)), Some(completed(&config, secrets)));
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[ -~\\n\\t\u{e9}]{0,400}") {
        let verdict = judge(text.as_bytes(), Strictness::default());
        for finding in &verdict.findings {
            let span = finding.span.expect("every finding has a place");
            prop_assert!(span.start <= span.end);
        }
    }
}

#[test]
fn accepted_files_of_the_corpus_stay_accepted_when_completed() {
    for text in super::conformance::accepted_inputs() {
        let verdict = judge(text.as_bytes(), Strictness::default());
        let config = verdict.config.expect("an accepted file has a config");
        let written = serde_saphyr::to_string(&completed(&config, true)).unwrap();
        let again = judge(written.as_bytes(), Strictness::default());
        assert_eq!(again.outcome, Outcome::Accepted, "{text}\n{written}\n{:?}", again.findings);
        assert_eq!(again.config.map(|c| completed(&c, true)), Some(completed(&config, true)), "{text}");
    }
}

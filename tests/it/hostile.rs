//! Files that are made to hurt: each gets a clear finding, cheaply. `tools/measure` times them.

use std::fmt::Write as _;

use landfall_diagnostics::MOST_FINDINGS;
use landfall_install_config::verdict::{Outcome, Strictness, Verdict, is_kubernetes_object, judge};
use landfall_source::{MOST_BYTES, MOST_NODES};

fn verdict(text: impl AsRef<[u8]>) -> Verdict {
    judge(text.as_ref(), Strictness::default())
}

fn codes(verdict: &Verdict) -> Vec<&'static str> {
    verdict.findings.iter().map(|f| f.code.as_str()).collect()
}

#[test]
fn refuses_a_file_that_is_too_large() {
    let verdict = verdict(vec![b'#'; MOST_BYTES + 1]);
    assert_eq!(codes(&verdict), ["LF0003"]);
    assert_eq!(verdict.outcome, Outcome::Unparseable);
}

#[test]
fn refuses_depth_and_multiplication() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let of = level - 1;
        writeln!(bomb, "a{level}: &a{level} [{}]", vec![format!("*a{of}"); 10].join(", ")).unwrap();
    }
    let mut merges = "m0: &m0 {a: b}\n".to_owned();
    for level in 1..40 {
        let of = level - 1;
        writeln!(merges, "m{level}: &m{level} {{<<: *m{of}, k{level}: [*m{of}, *m{of}]}}").unwrap();
    }
    let hostile = [
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "{a: ".repeat(50_000),
        bomb,
        merges,
        "- x\n".repeat(MOST_NODES + 1),
        (0..3000).fold(String::new(), |text, i| text + &format!("{}k{i}:\n", " ".repeat(i % 3000))),
    ];
    for text in hostile {
        let verdict = verdict(&text);
        assert_eq!(verdict.outcome, Outcome::Unparseable);
        assert!(codes(&verdict).contains(&"LF0004"), "{}: {:?}", &text[..20], codes(&verdict));
    }
}

#[test]
fn cuts_a_list_of_too_many_findings() {
    let text = (0..20_000).fold(String::new(), |mut text, i| {
        writeln!(text, "unknown{i}: x").unwrap();
        text
    });
    let verdict = verdict(text);
    assert_eq!(verdict.findings.len(), MOST_FINDINGS + 1);
    let last = verdict.findings.last().unwrap();
    assert_eq!(last.code.as_str(), "LF0013");
    assert!(last.message.contains("19000"), "{}", last.message);
}

#[test]
fn does_not_compare_thousands_of_networks() {
    let base = "apiVersion: v1\nbaseDomain: example.com\nmetadata: {name: demo}\nplatform: {none: {}}\n\
                pullSecret: '{\"auths\":{\"a\":{\"auth\":\"b\"}}}'\nnetworking:\n  machineNetwork:\n";
    let text = (0..10_000).fold(base.to_owned(), |mut text, i: u32| {
        writeln!(text, "  - cidr: 10.{}.{}.0/24", i / 256 % 256, i % 256).unwrap();
        text
    });
    let verdict = verdict(text);
    assert_eq!(verdict.outcome, Outcome::Rejected);
    assert_eq!(codes(&verdict), ["LF0212"]);
}

#[test]
fn too_many_warnings_hide_no_error() {
    let yes = "  - yes\n".repeat(1_500);
    let base = "apiVersion: v1\nbaseDomain: example.com\nplatform: {none: {}}\n\
                pullSecret: '{\"auths\":{\"a\":{\"auth\":\"b\"}}}'\n";
    let text = format!("{base}metadata:\n  name: demo\n  finalizers:\n{yes}");
    assert_eq!(verdict(&text).outcome, Outcome::Accepted);
    assert_eq!(verdict(format!("{text}fips: \"x\"\n")).outcome, Outcome::Unparseable);
    assert_eq!(verdict(format!("{text}publish: Foo\n")).outcome, Outcome::Rejected);
}

#[test]
fn a_merge_key_may_have_its_tag() {
    let base = "apiVersion: v1\nbaseDomain: example.com\nplatform: {none: {}}\n\
                pullSecret: '{\"auths\":{\"a\":{\"auth\":\"b\"}}}'\ncompute:\n- &a\n  replicas: 2\n\
                metadata: {name: demo}\ncontrolPlane:\n  name: master\n  ";
    for key in ["<<", "!!merge <<", "!!merge \"<<\""] {
        let verdict = verdict(format!("{base}{key}: *a\n"));
        assert_eq!(verdict.outcome, Outcome::Rejected, "{key}: {:?}", codes(&verdict));
    }
    assert_eq!(verdict(format!("{base}!!str <<: *a\n")).outcome, Outcome::Unparseable);
}

#[test]
fn finds_a_word_for_every_odd_file() {
    let utf16: Vec<u8> = "\u{feff}apiVersion: v1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: &[(&str, &[u8], &str)] = &[
        ("empty", b"", "LF0101"),
        ("only a comment", b"# nothing\n", "LF0101"),
        ("binary", b"\x7fELF\x02\x01\x01\x00\x00", "LF0002"),
        ("not UTF-8", b"a: \xff\n", "LF0002"),
        ("UTF-16", &utf16, "LF0002"),
        ("a control character", b"a: b\x07\n", "LF0002"),
        ("a control character in a comment", b"# \x07\na: b\n", "LF0002"),
        ("a control character in quotes", b"a: \"b\x0b\"\n", "LF0002"),
        ("a deleted character", b"a: 'b\x7f'\n", "LF0002"),
        ("a tab", b"metadata:\n\tname: demo\n", "LF0005"),
        ("a tab after a dash", b"compute:\n-\tname: worker\n", "LF0005"),
        ("an alias to nothing", b"a: *b\n", "LF0005"),
        ("a merge key with an alias to a list", b"a: &a [{b: c}]\nd: {<<: *a}\n", "LF0005"),
        ("an alias to itself", b"a: &a [*a]\n", "LF0005"),
        ("a list", b"- a\n", "LF0011"),
        ("a directive", b"%YAML 1.2\n---\na: b\n", "LF0005"),
        ("an unclosed quote", b"a: 'b\n", "LF0005"),
    ];
    for (name, bytes, code) in cases {
        let verdict = verdict(bytes);
        assert!(codes(&verdict).contains(code), "{name}: {:?}", codes(&verdict));
        assert_ne!(verdict.outcome, Outcome::Accepted, "{name}");
    }
}

#[test]
fn reads_byte_order_marks_and_windows_line_ends() {
    let text = "\u{feff}apiVersion: v1\r\nbaseDomain: example.com\r\nmetadata:\r\n  name: Demo\r\nplatform:\r\n  \
                none: {}\r\npullSecret: '{\"auths\":{\"a\":{\"auth\":\"b\"}}}'\r\n";
    let verdict = verdict(text);
    assert_eq!(codes(&verdict), ["LF0102"]);
    let span = verdict.findings[0].span.unwrap();
    assert_eq!(&text[span.range()], "Demo");
}

/// The installer's parser passes over one mark at the beginning, and takes one that begins a line for a blank.
#[test]
fn a_further_byte_order_mark_counts_as_a_blank() {
    const MARK: &str = "\u{feff}";
    let text = "apiVersion: v1\nbaseDomain: example.com\nmetadata: {name: demo}\nplatform: {none: {}}\n\
                pullSecret: '{\"auths\":{\"a\":{\"auth\":\"b\"}}}'\n";
    let twice = format!("{MARK}{MARK}{text}");
    assert!(codes(&verdict(&twice)).starts_with(&["LF0002", "LF0102"]), "{:?}", codes(&verdict(&twice)));
    let within = text.replace("baseDomain", &format!("{MARK}baseDomain"));
    assert_eq!(codes(&verdict(&within)), ["LF0005"]);
    let accepted = [
        format!("{MARK}{text}"),
        format!("{MARK}{MARK}# a comment\n{text}"),
        format!("{text}{MARK}\n"),
        text.replace("metadata", &format!("{MARK}# a comment\nmetadata")),
    ];
    for text in accepted {
        assert_eq!(verdict(&text).outcome, Outcome::Accepted, "{text:?}: {:?}", codes(&verdict(&text)));
    }
}

#[test]
fn reports_what_stands_before_a_syntax_error() {
    let verdict = verdict("apiVersion: v1\nfoo: 1\nfips: maybe\nmetadata:\n  name: demo\n bad: x\n");
    assert_eq!(codes(&verdict), ["LF0010", "LF0011", "LF0005"]);
}

#[test]
fn an_install_config_of_another_kind_is_judged_all_the_same() {
    for object in [
        "apiVersion: v1\nkind: Pod\n",
        "kind: ConfigMap\napiVersion: v1\n",
        r#"{"apiVersion":"v1","kind":"Pod"}"#,
    ] {
        assert!(is_kubernetes_object(object.as_bytes()), "{object}");
    }
    for config in [
        "apiVersion: v1\nkind: InstallConfig\n",
        "apiVersion: v1\nkind: Cluster\nbaseDomain: example.com\n",
        "apiVersion: v1\nkind: Cluster\nplatform: {none: {}}\n",
        "apiVersion: v1\nmetadata: {name: demo}\n",
        "kind: Pod\n",
    ] {
        assert!(!is_kubernetes_object(config.as_bytes()), "{config}");
    }
}

#[test]
fn what_the_installer_reads_into_types_has_these_types() {
    let config = |fields: &str| {
        format!(
            "apiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: demo\n{fields}platform: {{none: {{}}}}\n\
             pullSecret: '{{\"auths\":{{\"a\":{{\"auth\":\"b\"}}}}}}'\n"
        )
    };
    let good = "  ownerReferences:\n  - {apiVersion: v1, kind: A, name: x, uid: u, controller: true}\n  managedFields:\n  \
                - {manager: a, operation: Apply, time: '2026-01-02T03:04:05Z', fieldsV1: {'f:x': {}}}\n";
    assert_eq!(verdict(config(good)).outcome, Outcome::Accepted);
    for bad in [
        "  ownerReferences:\n  - {controller: maybe}\n",
        "  ownerReferences:\n  - {foo: v1}\n",
        "  managedFields:\n  - {manager: [a]}\n",
        "  managedFields:\n  - {time: yesterday}\n",
    ] {
        assert_eq!(verdict(config(bad)).outcome, Outcome::Unparseable, "{bad}");
    }
}

/// The installer reads YAML 1.1.
#[test]
fn what_only_yaml_1_2_allows_is_not_read() {
    let config = |label: &str| {
        format!(
            "apiVersion: v1\nbaseDomain: example.com\nmetadata:\n  name: demo\n  labels: {{a: {label}}}\n\
             platform: {{none: {{}}}}\npullSecret: '{{\"auths\":{{\"a\":{{\"auth\":\"b\"}}}}}}'\n"
        )
    };
    assert_eq!(verdict(config("'b?c'")).outcome, Outcome::Accepted);
    for label in ["b?c", ":b", "\"b\\/c\""] {
        let verdict = verdict(config(label));
        let codes: Vec<&str> = verdict.findings.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!((verdict.outcome, codes), (Outcome::Unparseable, vec!["LF0005"]), "{label}");
    }
}

/// A proxy for HTTP alone is not asked for endpoints, which are called by HTTPS.
#[test]
fn only_a_proxy_for_https_stands_between_a_cluster_and_its_vpc_endpoints() {
    let told = |proxy: &str| {
        let config = format!(
            "apiVersion: v1\nbaseDomain: example.com\nmetadata: {{name: demo}}\nplatform:\n  aws:\n    region: us-east-1\n    \
             serviceEndpoints:\n    - name: ec2\n      url: https://vpce-0a1b.ec2.us-east-1.vpce.amazonaws.com\n\
             proxy:\n  {proxy}: http://proxy.example.com:3128\n\
             pullSecret: '{{\"auths\":{{\"a\":{{\"auth\":\"b\"}}}}}}'\n"
        );
        codes(&verdict(config)).contains(&"LF0425")
    };
    assert_eq!([told("httpsProxy"), told("httpProxy")], [true, false]);
}

/// An install config with these lines, and what the installer says of it.
fn judged(fields: &str) -> (Outcome, Vec<(&'static str, String)>) {
    let metadata = if fields.contains("metadata:") { "" } else { "metadata: {name: demo}\n" };
    let domain = if fields.contains("baseDomain:") { "" } else { "baseDomain: example.com\n" };
    let verdict = verdict(format!(
        "apiVersion: v1\n{domain}{metadata}platform: {{none: {{}}}}\n{fields}\
         pullSecret: '{{\"auths\":{{\"a\":{{\"auth\":\"b\"}}}}}}'\n"
    ));
    let errors = verdict.findings.iter().filter(|finding| finding.is_error());
    (verdict.outcome, errors.map(|finding| (finding.kind.name(), finding.field.clone())).collect())
}

/// The installer decodes each spelling over the one before, in the order of their bytes.
#[test]
fn several_spellings_of_a_field_are_read_one_over_the_other() {
    for good in [
        "metadata: {name: demo}\nMETADATA: {name: UPPER}\n",
        "METADATA: {name: UPPER}\nmetadata: {NAME: demo}\n",
        "CONTROLPLANE: {hyperthreading: x}\ncontrolPlane: {hyperthreading: Enabled}\n",
        "baseDomain: example.com\nBASEDOMAIN: ~\n",
        "COMPUTE: [{hyperthreading: Enabled}]\ncompute: [{name: worker}]\n",
    ] {
        assert_eq!(judged(good), (Outcome::Accepted, vec![]), "{good}");
    }
    for (bad, field) in [
        ("baseDomain: example.com\nBASEDOMAIN: []\n", "baseDomain"),
        ("FIPS: \"x\"\nfips: true\n", "fips"),
        ("KIND: 5\nkind: a\n", "kind"),
        ("imageContentSources: x\nimageContentSource\u{17f}: []\n", "imageContentSources"),
        ("imageContentSources: [x]\nimageContentSource\u{17f}: [{}]\n", "imageContentSources[0]"),
        ("networking: {MACHINECIDR: x, machineCIDR: 10.0.0.0/16}\n", "networking.machineCIDR"),
        ("CONTROLPLANE: {replicas: x}\ncontrolPlane: {replicas: 3}\n", "controlPlane.replicas"),
    ] {
        assert_eq!(judged(bad), (Outcome::Unparseable, vec![("TypeInvalid", field.to_owned())]), "{bad}");
    }
    let pools = "COMPUTE: [{name: worker, hyperthreading: x}]\ncompute: [{name: worker}]\n";
    let wanted = vec![("NotSupported", "compute[0].hyperthreading".to_owned())];
    assert_eq!(judged(pools), (Outcome::Rejected, wanted));
}

#[test]
fn managed_fields_may_be_anything() {
    for fields in ["5", "[]", "x", "{a: {password: b}}"] {
        let metadata = format!("metadata: {{name: demo, managedFields: [{{fieldsV1: {fields}}}]}}\n");
        assert_eq!(judged(&metadata), (Outcome::Accepted, vec![]), "{fields}");
    }
}

#[test]
fn the_name_of_the_plugin_is_folded_as_unicode_has_it() {
    let kind =
        |name: &str| judged(&format!("networking: {{networkType: {name}, ovnKubernetesConfig: {{}}}}\n")).1;
    assert!(kind("ovnKuberneteſ").is_empty());
    assert_eq!(kind("\u{212a}uryr").len(), 2);
}

/// To the installer, a network without a CIDR is not one of IPv6, and has the prefix 0.
#[test]
fn a_pod_network_without_a_cidr_fills_the_join_subnet() {
    let field = "networking.ovnKubernetesConfig.ipv4.internalJoinSubnet";
    for (prefix, kind) in [("23", "Invalid"), ("-1", "InternalError")] {
        let networking = format!(
            "networking:\n  clusterNetwork: [{{cidr: ~, hostPrefix: {prefix}}}, {{cidr: 'fd01::/48', hostPrefix: 64}}]\n  \
             machineNetwork: [{{cidr: 10.0.0.0/16}}, {{cidr: 'fd00::/48'}}]\n  \
             serviceNetwork: [172.30.0.0/16, 'fd02::/112']\n  \
             ovnKubernetesConfig: {{ipv4: {{internalJoinSubnet: 100.99.0.0/16}}}}\n"
        );
        let found = judged(&networking).1;
        assert!(found.contains(&(kind, field.to_owned())), "{prefix}: {found:?}");
    }
}

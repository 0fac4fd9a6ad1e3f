//! Agreement with the installer's YAML parser.
//!
//! `testdata/yaml/go-yaml.jsonl.gz` has install configs with one to three random changes, each with what gopkg.in/yaml.v2
//! 2.4.0 made of it: the value, in which numbers are `number`, or its fault.

use std::io::{BufRead, BufReader};

use flate2::read::GzDecoder;
use landfall_diagnostics::Findings;
use landfall_source::{NodeId, NodeKind, Scalar, Tree, read, text_of};
use serde_json::{Map, Value};

#[derive(serde::Deserialize)]
struct Case {
    text: String,
    value: Option<Value>,
    fault: Option<String>,
}

fn value(tree: &Tree<'_>, id: NodeId) -> Value {
    match &tree.target(id).kind {
        NodeKind::List(list) => tree.items(*list).iter().map(|item| value(tree, *item)).collect(),
        NodeKind::Map(map) => {
            let entries = tree.entries(*map).iter();
            Value::Object(entries.map(|e| (e.key.to_string(), value(tree, e.value))).collect::<Map<_, _>>())
        }
        _ => match tree.scalar(id) {
            None | Some(Scalar::Null) => Value::Null,
            Some(Scalar::Bool(is)) => Value::Bool(is),
            Some(Scalar::Text(text)) => Value::String(text.to_owned()),
            Some(Scalar::Int(_) | Scalar::Float(_)) => Value::String("number".to_owned()),
        },
    }
}

#[test]
fn what_the_installers_parser_reads_is_read_and_nothing_else() {
    let packed = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/yaml/go-yaml.jsonl.gz");
    let lines = BufReader::new(GzDecoder::new(std::fs::File::open(packed).unwrap())).lines();
    let mut cases = 0;
    let mut wrong = Vec::new();
    for line in lines {
        let Case { text, value: wanted, fault } = serde_json::from_str(&line.unwrap()).unwrap();
        let mut findings = Findings::default();
        let found = text_of(text.as_bytes()).ok().map(|text| {
            let tree = read(text, &mut findings);
            tree.root().map_or(Value::Null, |root| value(&tree, root))
        });
        let found = found.filter(|_| findings.errors() == 0);
        if found.is_some() != fault.is_none()
            || (fault.is_none() && found != Some(wanted.unwrap_or_default()))
        {
            wrong.push((text, fault, findings.into_vec()));
        }
        cases += 1;
    }
    assert_eq!(cases, 2500);
    assert!(wrong.is_empty(), "{} of {cases}: {:#?}", wrong.len(), wrong.first());
}

/// A pull secret as it is pasted: its later lines begin at the margin, or with tabs.
#[test]
fn a_quoted_value_need_not_be_indented() {
    for text in
        ["a: '{\n\"b\": 1\n}'\n", "a: '{\n\t\"b\": 1\n\t}'\n", "a: \"b\n\n  c\"#d\n", "a: {b: c,\n\td: e}\n"]
    {
        let mut findings = Findings::default();
        let tree = read(text, &mut findings);
        assert!(tree.root().is_some());
        let codes: Vec<&str> = findings.into_vec().iter().map(|finding| finding.code.as_str()).collect();
        assert!(codes.is_empty() || codes == ["LF0023"], "{text}: {codes:?}");
    }
}

/// What the installer's parser gets past is not what stops it.
#[test]
fn of_two_faults_the_one_that_stops_the_installer_is_reported() {
    let secret = "pullSecret: '{\n\"auths\": {}\n}'\n";
    let text = format!("{secret}baseDomain: example.com\nmetadata: [\n");
    let mut findings = Findings::default();
    read(&text, &mut findings);
    let faults = findings.into_vec();
    let places: Vec<(&str, usize)> =
        faults.iter().filter_map(|one| Some((one.code.as_str(), one.span?.range().start))).collect();
    assert!(matches!(places[..], [("LF0005", at)] if at > secret.len()), "{faults:?}");
}

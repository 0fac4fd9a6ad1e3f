//! What others check landfall's output with: the SARIF schema, and the schema of install configs itself.

use landfall::ui;
use landfall::ui::Judged;
use landfall_diagnostics::{Base, pages};
use landfall_install_config::verdict::{Outcome, Strictness, judge};
use landfall_model::config::schema::schema;
use serde_json::Value;

fn read(path: &str) -> String {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn errors(validator: &jsonschema::Validator, value: &Value) -> Vec<String> {
    validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

#[test]
fn sarif_logs_fit_the_official_schema() {
    // One pattern of the official schema has a bracket that only some regular expressions take unescaped.
    let official = read("testdata/sarif-2.1.0.schema.json").replace("{2}]?$", "{2}\\\\]?$");
    let official: Value = serde_json::from_str(&official).unwrap();
    let validator = jsonschema::validator_for(&official).unwrap();
    let mut notes = Vec::new();
    let texts = pages().into_iter().map(|page| page.base.with(page.wrong));
    for (i, text) in texts.chain(["a: [".to_owned(), String::new()]).enumerate() {
        let verdict = judge(text.as_bytes(), Strictness::default());
        let file = format!("a folder/f\u{e4}{i}.yaml");
        let judged = Judged {
            file: &file,
            text: &text,
            outcome: verdict.outcome,
            findings: &verdict.findings,
            mask: &verdict.mask,
        };
        notes.extend(ui::sarif::notes(&judged));
    }
    for notes in [notes.as_slice(), &[]] {
        let log: Value = serde_json::from_str(&ui::sarif::log(notes)).unwrap();
        assert_eq!(errors(&validator, &log), Vec::<String>::new());
        assert_eq!(log["version"], "2.1.0");
        assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(notes.len()));
    }
}

#[test]
fn the_schema_is_one_and_describes_every_field() {
    let schema = schema();
    assert!(jsonschema::meta::is_valid(&schema), "not a JSON Schema");
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    let mut bare = Vec::new();
    walk(&schema, "", &mut bare);
    assert!(bare.is_empty(), "fields without a description: {bare:?}");
}

fn walk(value: &Value, path: &str, bare: &mut Vec<String>) {
    if let Some(properties) = value.get("properties").and_then(Value::as_object) {
        for (name, property) in properties {
            if property.get("description").is_none() {
                bare.push(format!("{path}/{name}"));
            }
        }
    }
    match value {
        Value::Object(map) => map.iter().for_each(|(key, v)| walk(v, &format!("{path}/{key}"), bare)),
        Value::Array(list) => list.iter().for_each(|v| walk(v, path, bare)),
        _ => {}
    }
}

/// The schema refuses no accepted file of the usual spelling, and finds what an editor should find.
#[test]
fn the_schema_agrees_with_the_verdict() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let yaml = |text: &str| -> Value { serde_yaml::from_str(text).unwrap() };
    for base in [Base::Aws, Base::Azure, Base::AzureStack, Base::None, Base::External] {
        assert_eq!(errors(&validator, &yaml(base.text())), Vec::<String>::new(), "{base:?}");
    }
    for file in ["testdata/quickstart/aws.yaml", "testdata/quickstart/azure.yaml", "benches/large.yaml"] {
        assert_eq!(errors(&validator, &yaml(&read(file))), Vec::<String>::new(), "{file}");
    }
    let wrong = [
        "platform: {aws: {regoin: us-east-1}}\n",
        "platform: {aws: {}}\n",
        "fips: \"true\"\n",
        "publish: Public\n",
        "compute: {name: worker}\n",
        "networking: {machineNetwork: [{cidr: here}]}\n",
        "platform: {}\n",
    ];
    for example in wrong {
        let text = Base::Aws.with(example);
        assert!(!errors(&validator, &yaml(&text)).is_empty(), "{example}");
    }
}

#[test]
fn completed_configs_fit_the_schema() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for page in pages().into_iter().filter(|page| page.base != Base::Whole) {
        let verdict = judge(page.base.with(page.right).as_bytes(), Strictness::default());
        assert_eq!(verdict.outcome, Outcome::Accepted, "{}", page.code);
        let value = landfall_install_config::verdict::completed(&verdict.config.unwrap(), false);
        assert_eq!(errors(&validator, &value), Vec::<String>::new(), "{}", page.code);
    }
}

#[test]
fn facts_fit_their_schema() {
    let schema = landfall_model::facts::schema();
    assert!(jsonschema::meta::is_valid(&schema), "not a JSON Schema");
    let mut bare = Vec::new();
    walk(&schema, "", &mut bare);
    assert!(bare.is_empty(), "fields without a description: {bare:?}");
    let validator = jsonschema::validator_for(&schema).unwrap();
    for folder in crate::clusters::all() {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let inputs: Value = serde_json::from_str(&read("inputs.json")).unwrap();
        let config: Value = serde_yaml::from_str(&read("install-config.yaml")).unwrap();
        let facts = crate::clusters::facts(&inputs, &config);
        let text = facts.to_text();
        assert_eq!(errors(&validator, &serde_json::from_str(&text).unwrap()), Vec::<String>::new());
        // What was written reads as the same again.
        assert_eq!(landfall_model::facts::Facts::read(text.as_bytes()).unwrap(), facts);
    }
    assert!(!validator.is_valid(&serde_json::json!({ "version": 1, "aws": { "regoin": "x" } })));
}

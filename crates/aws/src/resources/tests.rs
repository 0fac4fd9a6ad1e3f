use serde_json::json;

use super::refusal;
use super::variables::Variables;

#[test]
fn a_variable_that_the_graph_does_not_know_is_refused() {
    let read = serde_json::from_value::<Variables>(json!({ "aws_newer_setting": true }));
    let why = read.map(|_| ()).map_err(|error| error.to_string());
    assert!(why.is_err_and(|why| why.contains("unknown field `aws_newer_setting`")));
}

#[test]
fn a_refusal_names_the_engine_that_can() {
    let finding = refusal("platform.aws", "no".to_owned());
    assert_eq!(finding.code.as_str(), "LF1421");
    assert!(finding.help.is_some_and(|help| help.contains("--engine terraform")));
}

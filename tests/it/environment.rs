//! The table of environment variables has every variable that the code names.

use std::collections::BTreeSet;
use std::path::Path;

use landfall::environment::GROUPS;

use crate::words::texts_of_code;

/// Names in the code that are no variables of landfall's environment, and what they are.
const OTHERS: &[(&str, &str)] = &[
    ("ARM_", "set by landfall for Terraform's provider"),
    ("TF_", "set or removed by landfall for Terraform"),
    ("TERRAFORM_CONFIG", "removed by landfall for Terraform"),
    ("CHECKPOINT_DISABLE", "set by landfall for Terraform"),
    ("AUTH_MODE", "a key of a Secret of Azure Service Operator"),
    ("AZURE_CLIENT_CERTIFICATE", "a key of a Secret of Azure Service Operator"),
    ("AZURE_AUTHORITY_HOST", "a key of a Secret of Azure Service Operator"),
    ("AZURE_RESOURCE_MANAGER_", "a key of a Secret of Azure Service Operator"),
    ("AZURE_TARGET_NAMESPACES", "a key of a Secret of Azure Service Operator"),
    ("AZURE_OPERATOR_MODE", "a key of a Secret of Azure Service Operator"),
    ("AWS_SECURITY_TOKEN", "an old name of AWS_SESSION_TOKEN, hidden from output only"),
    ("AWS_ENDPOINT_URL_", "the row of each service"),
    ("IDENTITY_SERVER_THUMBPRINT", "marks Service Fabric, whose identities are not used"),
    ("MSI_ENDPOINT", "marks an old App Service, whose identities are not used"),
    ("BOOTSTRAP_IGNITION_URL_PLACEHOLDER", "a placeholder in a file"),
    ("SSH_PRIVATE_KEY", "a heading of PEM"),
    ("SECRET_ACCESS_KEY", "a part of a name"),
    ("REQUEST_METHOD", "marks a CGI program, in which HTTP_PROXY is not trusted"),
    ("POD_NAMESPACE", "set and expanded by Kubernetes in the Deployment of an OLM bundle"),
    ("TLS1_2", "a version of TLS"),
    ("TERM_MATCH", "a filter of the AWS price list"),
    ("CARGO_", "set by Cargo while it builds"),
];

/// The names in the shape of a variable, in code that is not of tests.
fn named() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names = BTreeSet::new();
    for folder in ["src", "crates"] {
        for entry in walkdir::WalkDir::new(root.join(folder)) {
            let path = entry.unwrap().into_path();
            let shown = path.to_str().unwrap();
            let is_test =
                ["/tests", "crates/testing", "crates/toy-cloud"].iter().any(|part| shown.contains(part));
            if is_test || shown.ends_with("src/environment.rs") || path.extension().is_none_or(|e| e != "rs")
            {
                continue;
            }
            for (_, text) in texts_of_code(&std::fs::read_to_string(&path).unwrap()) {
                let variable = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
                if text.contains('_') && text.len() > 4 && text.chars().all(variable) {
                    names.insert(text);
                }
            }
        }
    }
    names
}

#[test]
fn every_variable_is_in_the_table() {
    let listed: BTreeSet<&str> =
        GROUPS.iter().flat_map(|group| &group.variables).map(|(name, _)| *name).collect();
    let named = named();
    let other = |name: &str| {
        OTHERS.iter().any(|(start, _)| name == *start || start.ends_with('_') && name.starts_with(start))
    };
    let missing: Vec<&String> =
        named.iter().filter(|name| !listed.contains(name.as_str()) && !other(name)).collect();
    assert!(missing.is_empty(), "add them to src/environment.txt: {missing:?}");
    assert!(named.iter().filter(|name| listed.contains(name.as_str())).count() > 25, "{named:?}");
    assert!(!other("AWS_PROFILE") && !listed.contains("AWS_ENDPOINT_URL_OF_TOMORROW"));
}

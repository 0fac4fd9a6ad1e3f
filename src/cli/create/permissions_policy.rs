//! `landfall create permissions-policy`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landfall_install_config::assets;
use landfall_install_config::verdict::active;
use landfall_platform::Offline;
use serde_json::Value;

use super::manifests::BasisArgs;
use crate::cli::input::Reading;
use crate::cli::{Ended, Exit, Settings};
use crate::prepare::{Environment, Error, Refusal, examine};

/// Print the permissions policy of a config
///
/// Least privilege: only what this config needs, limited to the cluster's names if the cloud supports it. The
/// cloud is not called.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    basis: BasisArgs,

    #[command(flatten)]
    reading: Reading,
}

/// Prints the policy of the cluster directory's config.
///
/// # Errors
/// Standard output cannot be written, or a file cannot be read.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let policy = policy(args, &directory, settings)?;
    for placeholder in placeholders(&policy) {
        settings.printer.talk(&format!(
            "`{placeholder}` in the policy is a placeholder for an unknown value: replace it, or set it in the \
             environment as for an installation, and print the policy again"
        ));
    }
    settings.printer.data(&text(&policy))?;
    Ok(Exit::Done)
}

fn policy(args: &Args, directory: &Path, settings: &Settings) -> Result<Value, Refusal> {
    let basis = args.basis.basis(directory, settings)?;
    let examined = examine(directory, &basis, args.reading.into())?;
    let credentials = assets::credentials(&examined.config, &Environment);
    let offline = Offline {
        config: &examined.config,
        catalogue: &basis.catalogue,
        release: &basis.release,
        credentials: &credentials,
    };
    let policy = active(&examined.config).and_then(|platform| platform.policy(&offline));
    policy.ok_or_else(|| Error::NoPolicy { platform: examined.platform() }.into())
}

fn text(policy: &Value) -> String {
    // The value is JSON already.
    let mut text = serde_json::to_string_pretty(policy).unwrap_or_default();
    text.push('\n');
    text
}

/// What stands in a policy for something that is not known, each once: words between angle brackets, which no
/// cloud has in a name.
fn placeholders(policy: &Value) -> BTreeSet<String> {
    match policy {
        Value::String(text) => {
            let inner = text.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
            inner.map(|(words, _)| format!("<{words}>")).into_iter().collect()
        }
        Value::Array(values) => values.iter().flat_map(placeholders).collect(),
        Value::Object(fields) => fields.values().flat_map(placeholders).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => BTreeSet::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn placeholders_are_found_once_wherever_they_stand() {
        let policy = json!({
            "Scopes": ["/subscriptions/<subscription id>", "/x/<subscription id>/resourceGroups/a"],
            "Actions": ["a/read", "1 < 2"],
            "IsCustom": true,
        });
        assert_eq!(placeholders(&policy), BTreeSet::from(["<subscription id>".to_owned()]));
        assert!(placeholders(&json!({ "Action": ["ec2:*"], "n": 1, "none": null })).is_empty());
    }
}

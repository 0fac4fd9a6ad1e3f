//! `landfall aso roles`.

use super::manage::{NameArgs, nameless};
use super::management::rights;
use super::settings::Machines;
use super::{Document, written};
use crate::cli::{Exit, Settings};
use crate::engine::aso::detect::permissions::roles;

/// What the roles are called: those of clusters without machines, and of clusters with them.
const NAMES: [&str; 2] = ["landfall-aso", "landfall-aso-machines"];

/// Print the roles that working on a cluster takes in its management cluster, as YAML for `kubectl apply -f -`
///
/// They permit what `create cluster --engine aso` asks for before it writes anything, and no more: a
/// `ClusterRole`, a Role in the namespace of the cluster's objects, and one in the operator's. Without an
/// infrastructure id they are for all clusters in the namespace. Whom to bind them to is yours to say.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    name: NameArgs,

    /// Who makes the machines
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Machines::None)]
    machines: Machines,

    /// Namespace of the operator, for the right to read its settings; left out unless given
    #[arg(long, value_name = "NAME")]
    operator_namespace: Option<String>,
}

/// Prints them.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let Some((infra_id, namespace)) = args.name.place(settings) else { return Ok(nameless(settings)) };
    let machines = args.machines == Machines::Aso;
    let rights = rights(infra_id.as_deref(), machines);
    let name = NAMES[usize::from(machines)];
    let all = roles(name, &rights, &namespace, args.operator_namespace.as_deref());
    let documents: Vec<Document> = all.into_iter().map(Document::from).collect();
    settings.printer.data(&written(&documents, settings.output)?)?;
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use crate::engine::aso::detect::permissions::questions;

    const NAMESPACE: &str = "demo";

    /// Group, resource, name and verb.
    type Right = [String; 4];

    /// Texts of a list; that of a list which is not there is one for all.
    fn texts(list: &Value) -> Vec<String> {
        match list.as_array() {
            Some(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None => vec![String::new()],
        }
    }

    fn granted(roles: &[Value]) -> BTreeSet<Right> {
        let mut all = BTreeSet::new();
        for rule in roles.iter().filter_map(|role| role["rules"].as_array()).flatten() {
            for group in texts(&rule["apiGroups"]) {
                for resource in texts(&rule["resources"]) {
                    for name in texts(&rule["resourceNames"]) {
                        let right = |verb| [group.clone(), resource.clone(), name.clone(), verb];
                        all.extend(texts(&rule["verbs"]).into_iter().map(right));
                    }
                }
            }
        }
        all
    }

    #[test]
    fn roles_permit_what_is_asked_for_and_no_more() {
        for machines in [false, true] {
            let rules = rights(Some("demo-x7k2p"), machines);
            let asked: BTreeSet<Right> = questions(&rules, NAMESPACE)
                .into_iter()
                .map(|question| {
                    let name = question.name.unwrap_or_default();
                    [question.group.to_owned(), question.resource, name, question.verb.to_owned()]
                })
                .collect();
            let printed = roles("landfall-aso", &rules, NAMESPACE, Some("operator"));
            let [of_all, of_namespace, of_operator] = printed.as_slice() else {
                assert_eq!(printed.len(), 3);
                return;
            };
            assert_eq!(granted(&[of_all.clone(), of_namespace.clone()]), asked);
            let settings = ["", "secrets", "aso-controller-settings", "get"].map(str::to_owned);
            assert_eq!(granted(std::slice::from_ref(of_operator)), BTreeSet::from([settings]));
            let computes = asked.iter().any(|[group, ..]| group == "compute.azure.com");
            assert_eq!(computes, machines);
        }
    }
}

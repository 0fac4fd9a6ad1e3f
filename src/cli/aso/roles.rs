//! `landfall aso roles`.

use landfall_engine_aso::detect::permissions::{ROLE, of_others, roles};

use super::manage::{NameArgs, nameless};
use super::management::Driver;
use super::settings::Machines;
use super::{Document, written};
use crate::cli::namespace::namespace;
use crate::cli::{Ended, Exit, Settings};

/// Print the roles for a management cluster
///
/// Prints YAML for `kubectl apply -f -` with the permissions that `create cluster --engine aso` checks: a
/// `ClusterRole`, a Role in the namespace of the cluster's objects, and one in the operator's namespace.
/// Without an infrastructure ID they are for all clusters in the namespace. Bind them yourself.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    name: NameArgs,

    /// Who creates the machines
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Machines::None)]
    machines: Machines,

    /// Namespace of the operator, for permission to read its settings
    #[arg(long, value_name = "NAME", value_parser = namespace)]
    operator_namespace: Option<String>,
}

/// Prints them.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let meant = args.name.meant(settings)?;
    if meant.namespace.is_empty() {
        return Err(nameless());
    }
    let machines = args.machines == Machines::Aso;
    let driver = Driver { infra_id: meant.infra_id.as_deref(), machines };
    let name = named(driver);
    let rules = [driver.rights(), of_others()].concat();
    let all = roles(&name, &rules, &meant.namespace, args.operator_namespace.as_deref());
    let documents: Vec<Document> = all.into_iter().map(Document::from).collect();
    settings.printer.data(&written(&documents, settings.output)?)?;
    Ok(Exit::Done)
}

/// What the Role of the namespace is called: each cluster has its own, so that none takes another's rights
/// away.
fn named(driver: Driver<'_>) -> String {
    match driver.infra_id {
        Some(id) => format!("{ROLE}-{id}"),
        None if driver.machines => format!("{ROLE}-machines"),
        None => ROLE.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;
    use landfall_engine_aso::detect::permissions::questions;

    const NAMESPACE: &str = "demo";

    /// Namespace, group, resource, name and verb; a right for the whole cluster has no namespace.
    type Right = [String; 5];

    /// Texts of a list; that of a list which is not there is one for all.
    fn texts(list: &Value) -> Vec<String> {
        match list.as_array() {
            Some(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            None => vec![String::new()],
        }
    }

    /// What roles grant where each is bound as it can be at most.
    fn granted(roles: &[Value]) -> BTreeSet<Right> {
        let mut all = BTreeSet::new();
        for role in roles {
            let place = role["metadata"]["namespace"].as_str().unwrap_or_default();
            for rule in role["rules"].as_array().into_iter().flatten() {
                for group in texts(&rule["apiGroups"]) {
                    for resource in texts(&rule["resources"]) {
                        for name in texts(&rule["resourceNames"]) {
                            let right = |verb| {
                                [place.to_owned(), group.clone(), resource.clone(), name.clone(), verb]
                            };
                            all.extend(texts(&rule["verbs"]).into_iter().map(right));
                        }
                    }
                }
            }
        }
        all
    }

    #[test]
    fn roles_permit_what_is_asked_for_and_no_more() {
        for machines in [false, true] {
            let rules = Driver { infra_id: Some("demo-x7k2p"), machines }.rights();
            let asked: BTreeSet<Right> = questions(&rules, NAMESPACE)
                .into_iter()
                .map(|question| {
                    let [place, name] = [question.namespace, question.name].map(Option::unwrap_or_default);
                    [place, question.group.to_owned(), question.resource, name, question.verb.to_owned()]
                })
                .collect();
            let printed = roles("landfall-aso", &rules, NAMESPACE, Some("operator"));
            let [of_all, of_namespace, of_operator] = printed.as_slice() else {
                assert_eq!(printed.len(), 3);
                return;
            };
            assert_eq!(granted(&[of_all.clone(), of_namespace.clone()]), asked);
            let settings = ["operator", "", "secrets", "aso-controller-settings", "get"].map(str::to_owned);
            assert_eq!(granted(std::slice::from_ref(of_operator)), BTreeSet::from([settings]));
            let computes = asked.iter().any(|[_, group, ..]| group == "compute.azure.com");
            assert_eq!(computes, machines);
            // Nothing of Azure is for the whole cluster.
            let of_all = granted(std::slice::from_ref(of_all));
            assert!(of_all.iter().all(|[_, group, ..]| !group.ends_with(".azure.com")), "{of_all:?}");
        }
    }

    #[test]
    fn each_cluster_has_a_role_of_its_own() {
        let name = |infra_id: Option<&str>, machines: bool| named(Driver { infra_id, machines });
        assert_eq!(name(Some("demo-x7k2p"), true), "landfall-aso-demo-x7k2p");
        assert_eq!(name(Some("demo-x7k2p"), false), "landfall-aso-demo-x7k2p");
        assert_eq!(name(None, true), "landfall-aso-machines");
        assert_eq!(name(None, false), "landfall-aso");
    }
}

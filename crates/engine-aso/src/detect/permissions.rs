//! What the engine may do in a management cluster: rules for an administrator to grant, and the questions by
//! which they are asked for beforehand.

use std::collections::BTreeMap;

use landfall_diagnostics::Finding;
use serde_json::{Value, json};

use super::super::keys::{P, credential_name};
use super::super::kinds::{GROUPS, KINDS, Kind, named};
use super::{SETTINGS, pages};

const OBJECTS: &[&str] = &["get", "list", "watch", "create", "patch", "update", "delete"];
const WATCH: &[&str] = &["get", "list", "watch"];
const LOOK: &[&str] = &["get", "list"];
const RBAC: &str = "rbac.authorization.k8s.io/v1";
/// The name of the roles that are the same for every cluster.
pub const ROLE: &str = "landfall-aso";
/// From this tier on, objects are machines and their parts.
const MACHINES: u8 = 6;
/// A kind that no plan has: routes are made by users, or by the running cluster.
const ROUTES: &str = "RouteTablesRoute";
/// A kind that only plans with IPv6 have. Installations and roles of before have to be extended for these alone.
const IPV6_RECORDS: &str = "PrivateDnsZonesAAAARecord";

/// The kinds that objects of a cluster may be of, with those of machines where the operator makes them.
#[must_use]
pub fn kinds(machines: bool) -> Vec<&'static Kind> {
    KINDS.iter().filter(|kind| machines || kind.tier < MACHINES).collect()
}

/// Whether machines or their parts are among these kinds.
#[must_use]
pub fn has_machines(kinds: &[&'static Kind]) -> bool {
    kinds.iter().any(|kind| kind.tier >= MACHINES)
}

/// The kinds that objects of a plan may be of.
#[must_use]
pub fn planned(machines: bool) -> Vec<&'static Kind> {
    let mut all = kinds(machines);
    all.retain(|kind| is_planned(kind));
    all
}

/// Those of them that an operator must serve, whatever the plan.
#[must_use]
pub fn required(machines: bool) -> Vec<&'static Kind> {
    let mut all = planned(machines);
    all.retain(|kind| kind.kind != IPV6_RECORDS);
    all
}

fn is_planned(kind: &Kind) -> bool {
    kind.kind != ROUTES
}

/// Whether somebody needs a right to objects of a kind for these kinds: all rights but those that plans with IPv6 need.
#[must_use]
pub fn is_needed(question: &Question, kinds: &[&'static Kind]) -> bool {
    let ipv6 = named(IPV6_RECORDS).filter(|kind| !kinds.contains(kind));
    ipv6.is_none_or(|kind| question.group != kind.group || !question.resource.starts_with(kind.plural))
}

/// The pattern by which an operator adds the CRDs of these kinds, for its `--crd-pattern`.
#[must_use]
pub fn crd_pattern(kinds: &[&'static Kind]) -> String {
    let planned = kinds.iter().filter(|kind| is_planned(kind));
    let globs: Vec<String> = planned.map(|kind| format!("{}/{}", kind.group, kind.kind)).collect();
    globs.join(";")
}

/// For whom rules are made.
#[derive(Clone, Copy, Debug)]
pub struct Grantee<'a> {
    /// The kinds of the objects, such as those of a plan.
    pub kinds: &'a [&'static Kind],
    /// The cluster's infrastructure ID; none for all clusters whose objects are in the namespace.
    pub infra_id: Option<&'a str>,
    /// Whether it is the controller in the cluster, which has a kind of its own to look after.
    pub controller: bool,
}

/// Where a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere.
    Cluster,
    /// In the namespace of a cluster's objects.
    Namespace,
    /// In the operator's namespace; it can be done without.
    Operator,
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Where it holds.
    pub scope: Scope,
    /// The API group; empty for the core.
    pub group: &'static str,
    /// The resources, some with a subresource after a slash.
    pub resources: Vec<String>,
    /// The objects' names; none for all. To create knows no names.
    pub names: Vec<String>,
    /// What may be done.
    pub verbs: &'static [&'static str],
}

impl Rule {
    fn new(scope: Scope, group: &'static str, resources: &[&str], verbs: &'static [&'static str]) -> Self {
        let resources = resources.iter().map(|&resource| resource.to_owned()).collect();
        Self { scope, group, resources, names: Vec::new(), verbs }
    }

    fn named(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }

    fn value(&self) -> Value {
        let mut rule = json!({ "apiGroups": [self.group], "resources": self.resources, "verbs": self.verbs });
        if !self.names.is_empty() {
            rule["resourceNames"] = json!(self.names);
        }
        rule
    }
}

/// Everything that the engine does in a management cluster, and nothing else.
#[must_use]
pub fn rules(grantee: &Grantee<'_>) -> Vec<Rule> {
    let mut all = of_kinds(grantee.kinds);
    let names = |infra_id: &str| vec![credential_name(infra_id), format!("{infra_id}-storage-keys")];
    let secrets = grantee.infra_id.map(names).unwrap_or_default();
    all.extend([
        Rule::new(Scope::Cluster, "apiextensions.k8s.io", &["customresourcedefinitions"], LOOK),
        Rule::new(Scope::Cluster, "apps", &["deployments"], LOOK),
        Rule::new(Scope::Cluster, "", &["namespaces"], &["get", "create"]),
        Rule::new(Scope::Namespace, "", &["secrets"], &["create"]),
        Rule::new(Scope::Namespace, "", &["secrets"], &["get", "patch", "delete"]).named(secrets),
        Rule::new(
            Scope::Namespace,
            "",
            &["configmaps"],
            &["get", "list", "watch", "create", "patch", "delete"],
        ),
        Rule::new(Scope::Namespace, "", &["configmaps/finalizers"], &["update"]),
        Rule::new(Scope::Namespace, "coordination.k8s.io", &["leases"], &["get", "create", "patch"]),
        Rule::new(Scope::Namespace, "", &["events"], &["create", "patch"]),
        Rule::new(Scope::Operator, "", &["secrets"], &["get"]).named(vec![SETTINGS.to_owned()]),
    ]);
    if grantee.controller {
        all.extend([
            Rule::new(Scope::Namespace, P, &["azureinfrastructures"], &["get", "list", "watch", "patch"]),
            Rule::new(Scope::Namespace, P, &["azureinfrastructures/status"], &["get", "patch"]),
            Rule::new(Scope::Namespace, P, &["azureinfrastructures/finalizers"], &["update"]),
        ]);
    }
    all
}

/// The rules to see what others have of all kinds of the operator. Work on a cluster goes without: what cannot be seen is
/// named where it may be lost.
#[must_use]
pub fn of_others() -> Vec<Rule> {
    GROUPS.iter().map(|group| Rule::new(Scope::Namespace, group, &["*"], &["list", "watch"])).collect()
}

/// The rules for objects of these kinds. Status is only read: it is the operator's to write.
fn of_kinds(kinds: &[&'static Kind]) -> Vec<Rule> {
    let mut groups: Vec<(&'static str, Vec<&'static str>)> = Vec::new();
    for kind in kinds {
        match groups.iter_mut().find(|(group, _)| *group == kind.group) {
            Some((_, plurals)) => plurals.push(kind.plural),
            None => groups.push((kind.group, vec![kind.plural])),
        }
    }
    let of_group = |(group, plurals): (&'static str, Vec<&'static str>)| {
        let status = plurals.iter().map(|plural| format!("{plural}/status")).collect();
        let objects = Rule::new(Scope::Namespace, group, &plurals, OBJECTS);
        [objects, Rule { resources: status, ..Rule::new(Scope::Namespace, group, &[], WATCH) }]
    };
    groups.into_iter().flat_map(of_group).collect()
}

/// The roles that hold rules: one for the whole cluster, one with the given name for the namespace of a
/// cluster's objects, and, where that is known, one for the operator's namespace. The others are the same for
/// every cluster, and have the name [`ROLE`].
#[must_use]
pub fn roles(name: &str, rules: &[Rule], namespace: &str, operator: Option<&str>) -> Vec<Value> {
    let of = |scope: Scope| -> Vec<Value> {
        rules.iter().filter(|rule| rule.scope == scope).map(Rule::value).collect()
    };
    let role = |name: &str, place: &str, rules: Vec<Value>| {
        let metadata = json!({ "name": name, "namespace": place });
        json!({ "apiVersion": RBAC, "kind": "Role", "metadata": metadata, "rules": rules })
    };
    let mut all = vec![
        json!({
            "apiVersion": RBAC,
            "kind": "ClusterRole",
            "metadata": { "name": ROLE },
            "rules": of(Scope::Cluster),
        }),
        role(name, namespace, of(Scope::Namespace)),
    ];
    all.extend(operator.map(|operator| role(ROLE, operator, of(Scope::Operator))));
    all
}

/// A question to the cluster: may I?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The namespace; none for the whole cluster.
    pub namespace: Option<String>,
    /// The API group; empty for the core.
    pub group: &'static str,
    /// The resource, maybe with a subresource after a slash.
    pub resource: String,
    /// The object's name; none for all.
    pub name: Option<String>,
    /// What is to be done.
    pub verb: &'static str,
}

impl Question {
    /// Whether objects of a kind may be listed in a namespace.
    #[must_use]
    pub fn list(kind: &Kind, namespace: &str) -> Self {
        let namespace = Some(namespace.to_owned());
        Self { namespace, group: kind.group, resource: kind.plural.to_owned(), name: None, verb: "list" }
    }

    /// The question as a `SelfSubjectAccessReview`.
    #[must_use]
    pub fn review(&self) -> Value {
        let (resource, subresource) = self.resource.split_once('/').unwrap_or((&self.resource, ""));
        let attributes = json!({
            "namespace": self.namespace.as_deref().unwrap_or_default(),
            "verb": self.verb,
            "group": self.group,
            "resource": resource,
            "subresource": subresource,
            "name": self.name.as_deref().unwrap_or_default(),
        });
        json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": { "resourceAttributes": attributes },
        })
    }

    /// What it is about, in words.
    fn about(&self) -> String {
        let resource = match self.group {
            "" => self.resource.clone(),
            group => format!("{}.{group}", self.resource),
        };
        let name = self.name.as_ref().map(|name| format!(" `{name}`")).unwrap_or_default();
        let place = match &self.namespace {
            Some(namespace) => format!(" in namespace {namespace}"),
            None => " in the whole cluster".to_owned(),
        };
        format!("{resource}{name}{place}")
    }
}

/// Whether a review says yes.
#[must_use]
pub fn is_allowed(review: &Value) -> bool {
    review.pointer("/status/allowed").and_then(Value::as_bool).unwrap_or_default()
}

/// The questions that rules raise for a cluster whose objects are in this namespace; none for what can be
/// done without.
#[must_use]
pub fn questions(rules: &[Rule], namespace: &str) -> Vec<Question> {
    let mut all = Vec::new();
    for rule in rules.iter().filter(|rule| rule.scope != Scope::Operator) {
        let place = (rule.scope != Scope::Cluster).then(|| namespace.to_owned());
        let mut names: Vec<Option<String>> = rule.names.iter().cloned().map(Some).collect();
        if names.is_empty() {
            names.push(None);
        }
        for resource in &rule.resources {
            for name in &names {
                all.extend(rule.verbs.iter().map(|&verb| Question {
                    namespace: place.clone(),
                    group: rule.group,
                    resource: resource.clone(),
                    name: name.clone(),
                    verb,
                }));
            }
        }
    }
    all
}

/// What stands against the work where these questions were answered with no: one finding for each resource,
/// with all that may not be done to it. The last says which command prints the roles that permit it.
#[must_use]
pub fn denied(questions: &[Question], command: &str) -> Vec<Finding> {
    let mut verbs: BTreeMap<String, Vec<&'static str>> = BTreeMap::new();
    for question in questions {
        verbs.entry(question.about()).or_default().push(question.verb);
    }
    let mut all: Vec<Finding> =
        verbs.iter().map(|(about, verbs)| pages::denied(&verbs.join(", "), about)).collect();
    if let Some(last) = all.pop() {
        all.push(last.help(format!("ask an administrator to bind the roles that `{command}` prints")));
    }
    all
}

#[cfg(test)]
mod tests;

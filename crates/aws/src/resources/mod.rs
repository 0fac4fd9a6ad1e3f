//! The infrastructure of a plan as a graph of resources, for the engine that creates them itself.
//!
//! It is computed from the same variables as the modules of terraform, all of them: a variable that is not known here
//! is refused, so that none is ever left out silently.

mod groups;
mod machines;
mod names;
mod network;
mod titles;
mod variables;

use std::collections::BTreeMap;

use landfall_diagnostics::{Finding, Kind};
use landfall_model::plan::{Plan, Since};
use landfall_platform::native::{Graph, Node, Properties, output};
use landfall_platform::pages::NOT_NATIVE_SETTING;
use landfall_platform::{LayoutMarks, Layouts};
use serde_json::{Value, json};

use crate::render;
use crate::tags::{CLUSTER, PROVIDER};
use titles::TITLES;
use variables::Variables;

/// What cluster components look for.
const DESCRIPTION: &str = "Created By OpenShift Installer";

/// Security groups tell the layouts apart.
pub(crate) static LAYOUTS: Layouts = Layouts {
    since: Since::ClusterApi,
    older: LayoutMarks {
        // An early version of landfall had a resource for each group.
        addresses: &["aws_security_group.nodes[\"master\"]", "aws_security_group.master"],
        name: "security-group/master",
    },
    newer: LayoutMarks {
        addresses: &["aws_security_group.nodes[\"controlplane\"]"],
        name: "security-group/controlplane",
    },
};

const CLUSTER_STAGE: &str = "cluster";
const BOOTSTRAP_STAGE: &str = "bootstrap";

/// The graph of a plan; none for a plan of another platform.
pub(crate) fn graph(plan: &Plan) -> Result<Option<Graph>, Vec<Finding>> {
    let Some((platform, own)) = render::variables(plan) else { return Ok(None) };
    let variables = variables::read(plan, &platform, &own).map_err(|why| {
        let message = format!("the native engine does not know a setting of the plan: {why}");
        vec![refusal("platform.aws", message)]
    })?;
    let mut builder = Builder {
        vars: &variables,
        graph: Graph { titles: TITLES, ..Graph::default() },
        stage: CLUSTER_STAGE,
    };
    let network = builder.network();
    let zone = plan.platform.aws.as_ref().and_then(|aws| aws.public_zone.as_deref());
    builder.cluster(&network, zone);
    builder.stage = BOOTSTRAP_STAGE;
    builder.bootstrap(&network);
    Ok(Some(builder.graph))
}

fn refusal(field: &str, message: String) -> Finding {
    Finding::error(&NOT_NATIVE_SETTING, Kind::NotSupported, field, message)
        .help("use `--engine terraform`, which creates this; nothing was created")
}

/// Adds resources to the graph.
struct Builder<'v> {
    vars: &'v Variables,
    graph: Graph,
    stage: &'static str,
}

type Tags = BTreeMap<String, String>;

impl Builder<'_> {
    /// Adds a resource and gives its name.
    fn add(&mut self, kind: &'static str, name: &str, properties: Value, after: &[String]) -> String {
        let properties = match properties {
            Value::Object(properties) => properties,
            _ => Properties::new(),
        };
        let properties = properties.into_iter().filter(|(_, value)| !value.is_null()).collect();
        let name = format!("{kind}/{name}");
        self.graph.resources.push(Node {
            name: name.clone(),
            kind,
            stage: self.stage,
            properties,
            after: after.to_vec(),
        });
        name
    }

    /// A resource with the infrastructure id before its name.
    fn named(&self, end: &str) -> String {
        format!("{}-{end}", self.vars.cluster_id)
    }

    /// The end of a name that says what the resource is, as names of the Cluster API provider do.
    fn with_kind(&self, kind: &str, name: &str) -> String {
        if self.vars.is_cluster_api() { format!("{kind}-{name}") } else { name.to_owned() }
    }

    /// The tags of everything that takes tags.
    fn tags(&self) -> Tags {
        let mut tags = self.vars.aws_extra_tags.clone();
        tags.entry(format!("{CLUSTER}{}", self.vars.cluster_id)).or_insert_with(|| "owned".to_owned());
        tags
    }

    /// The same with the tag `Name`.
    fn tags_named(&self, end: &str) -> Tags {
        let mut tags = self.tags();
        tags.insert("Name".to_owned(), self.named(end));
        tags
    }

    /// The tags of a resource that has a role for the Cluster API provider.
    fn role_tags(&self, role: &str, end: &str) -> Tags {
        let mut tags = self.tags_named(end);
        if !self.vars.is_cluster_api() {
            return tags;
        }
        tags.insert(format!("{PROVIDER}{}", self.vars.cluster_id), "owned".to_owned());
        tags.insert("sigs.k8s.io/cluster-api-provider-aws/role".to_owned(), role.to_owned());
        tags
    }
}

/// A reference to the id of a resource.
fn id(node: &str) -> Value {
    output(node, "id")
}

/// The trust policy of a role for machines.
fn trust_policy(principal: &str) -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Effect": "Allow",
            "Principal": { "Service": principal },
            "Action": "sts:AssumeRole",
        }],
    })
}

#[cfg(test)]
mod tests;

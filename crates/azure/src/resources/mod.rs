//! The infrastructure of a plan as a graph of resources, for the engine that creates them itself.
//!
//! The objects are those that Azure Service Operator gets of the same plan: one translation, whoever creates them. Each
//! becomes the body of a resource. What the operator has no kind for is added here: the machines' image and its
//! gallery, the ignition config in the storage account, the role in the group of an existing network.

mod body;
mod boot_sources;
mod image;
mod kinds;
mod titles;

use std::collections::{BTreeMap, BTreeSet};

use landfall_azure_objects::desired::{Desired, Mode};
use landfall_azure_objects::keys::{OWNED, ownership_tag};
use landfall_azure_objects::kinds::named;
use landfall_azure_objects::names::{BLOB_READER, CONTRIBUTOR, group_id, resource_id, role_assignment};
use landfall_azure_objects::translate::{Binding, Creator, Domains, Ignition, Input, Translation, translate};
use landfall_diagnostics::{Finding, Kind};
use landfall_model::azure::catalogue::Catalogue;
use landfall_model::azure::planned;
use landfall_model::plan::Plan;
use landfall_platform::native::{Graph, Node, Properties, output, secret};
use landfall_platform::pages::NOT_NATIVE_SETTING;
use serde_json::{Value, json};

use crate::STAGES;
use crate::plan::pages;
use body::{Known, body, id};
#[cfg(feature = "cloud")]
pub(crate) use boot_sources::OF_OPERATOR;
pub(crate) use boot_sources::boot_sources;
use kinds::{GIVEN_IDENTITY, ROLE_ASSIGNMENT, type_of, version};
use titles::TITLES;

const VNET: &str = STAGES[0].name;
const BOOTSTRAP: &str = STAGES[1].name;
const CLUSTER: &str = STAGES[2].name;

/// Stands for the ignition configs, which are secrets and not part of the graph.
const POINTER: &str = r#"{"ignition":{}}"#;
/// Stands for a value that only another resource tells.
const TOLD: &str = "\u{0}";
/// Stands at the end of an id for the NAT gateway of a subnet, which has no id.
pub(crate) const NAT_GATEWAY: &str = "natGateway";
/// The kind of NAT gateways that are attached to subnets of an existing network.
const GATEWAY_ASSOCIATION: &str = "gateway-association";
/// How blobs are opened where the account refuses its keys: the value of `access` in what concerns a blob.
pub(crate) const BY_IDENTITY: &str = "identity";
/// The role with which the bootstrap machine reads its ignition config, by that identity, and its node.
const READER: &str = "blob-reader";
const READER_ROLE: &str = "role-assignment/blob-reader";
/// Versions of the interface for what has no object.
const ROLES: &str = "2022-04-01";

/// The graph of a plan; none for a plan of another platform.
pub(crate) fn graph(plan: &Plan, catalogue: &Catalogue) -> Result<Option<Graph>, Vec<Finding>> {
    let Some(azure) = plan.platform.azure.as_deref() else { return Ok(None) };
    let refused = refused(plan, azure);
    if refused.is_empty() { built(plan, azure, catalogue).map(Some) } else { Err(refused) }
}

fn built(plan: &Plan, azure: &planned::Plan, catalogue: &Catalogue) -> Result<Graph, Vec<Finding>> {
    let patches = BTreeMap::new();
    let translation = translate(&Input {
        plan,
        cloud: Domains::of(catalogue, &azure.cloud.name),
        machines: true,
        bootstrap: true,
        api_internal_ip: None,
        ignition: Ignition { bootstrap: Some(POINTER), control_plane: Some(POINTER) },
        patches: &patches,
        creator: Creator::Landfall,
    })?;
    let mut builder = Builder {
        plan,
        azure,
        known: Known::default(),
        graph: Graph { titles: TITLES, ..Graph::default() },
        stage: VNET,
    };
    builder.resources(&translation);
    builder.outputs();
    builder.link();
    Ok(builder.graph)
}

fn refused(plan: &Plan, azure: &planned::Plan) -> Vec<Finding> {
    if azure.cloud.stack {
        return vec![pages::hub_without_engine()];
    }
    let settings = [
        (
            plan.config.has_ipv6_services() && azure.load_balancers.ipv6_address.is_none(),
            "platform.azure.controlPlaneSubnet",
            "the native engine needs the IPv6 addresses of the control plane's subnet, which the plan does not have",
        ),
        (
            is_image_unknown(azure),
            "",
            "the native engine needs the version of the machines' image, which the plan does not name",
        ),
    ];
    let refused = settings.into_iter().filter(|(refused, ..)| *refused);
    refused.map(|(_, field, message)| refusal(field, message)).collect()
}

/// Whether the machines' image has a version that the plan does not name.
fn is_image_unknown(azure: &planned::Plan) -> bool {
    !azure.image.url.is_empty() && azure.image.release.is_empty()
}

fn refusal(field: &str, message: &str) -> Finding {
    Finding::error(&NOT_NATIVE_SETTING, Kind::NotSupported, field, message)
        .help("use `--engine terraform`, which creates this; nothing was created")
}

/// Puts the graph together.
struct Builder<'p> {
    plan: &'p Plan,
    azure: &'p planned::Plan,
    known: Known,
    graph: Graph,
    stage: &'static str,
}

impl<'p> Builder<'p> {
    fn id(&self) -> &'p str {
        &self.plan.identity.infra_id
    }

    fn subscription(&self) -> &'p str {
        &self.azure.account.subscription_id
    }

    /// The id of a resource in the cluster's group.
    fn in_group(&self, resource: &str) -> String {
        resource_id(self.subscription(), &self.azure.groups.cluster, resource)
    }

    /// A body with location and tags.
    fn tagged(&self, body: Value) -> Value {
        let mut body = body;
        body["location"] = self.azure.location.as_str().into();
        body["tags"] = self.tags();
        body
    }

    /// The tags of everything that belongs to the cluster.
    fn tags(&self) -> Value {
        let mut tags = self.azure.user_tags.clone();
        tags.insert(ownership_tag(self.id()), OWNED.to_owned());
        json!(tags)
    }

    /// Adds a resource and gives its node.
    #[allow(clippy::needless_pass_by_value, reason = "callers write the body in place")]
    fn add(
        &mut self,
        kind: &'static str,
        name: &str,
        id: &str,
        version: &str,
        body: Value,
        after: &[String],
    ) -> String {
        self.push(kind, name, json!({ "id": id, "apiVersion": version, "body": body }), after)
    }

    /// Adds a blob of the storage account and gives its node.
    fn add_blob(&mut self, kind: &'static str, name: &str, properties: Value, after: &[String]) -> String {
        let mut properties = self.opened(properties);
        properties["name"] = name.into();
        self.push(kind, name, properties, after)
    }

    /// What concerns a blob, with how it is opened where the account accepts no signature.
    fn opened(&self, blob: Value) -> Value {
        let mut blob = blob;
        if self.azure.storage.without_access_keys {
            blob["access"] = BY_IDENTITY.into();
        }
        blob
    }

    fn push(&mut self, kind: &'static str, name: &str, properties: Value, after: &[String]) -> String {
        let properties = match properties {
            Value::Object(properties) => properties,
            _ => Properties::new(),
        };
        let name = format!("{kind}/{name}");
        let stage = self.stage;
        self.graph.resources.push(Node {
            name: name.clone(),
            kind,
            stage,
            properties,
            after: after.to_vec(),
        });
        name
    }

    fn resources(&mut self, translation: &Translation) {
        let is_machine = |object: &&Desired| object.kind.kind == "VirtualMachine";
        let (machines, others): (Vec<&Desired>, Vec<&Desired>) =
            translation.objects.iter().partition(is_machine);
        for object in others {
            self.object(object, &translation.bindings);
        }
        self.stage = VNET;
        self.network_role();
        self.gateways();
        let account = self.graph.resources.iter().find(|node| node.kind == kinds::STORAGE_ACCOUNT);
        let account = account.map(|node| (node.name.clone(), id_of(node).to_owned()));
        let (account, account_id) = account.unwrap_or_default();
        let versions = self.image(&account, &account_id);
        if self.azure.storage.without_access_keys {
            self.blob_reader(&account_id);
        }
        self.stage = BOOTSTRAP;
        let container =
            self.graph.resources.iter().find(|node| node.kind == kinds::CONTAINER && node.stage == BOOTSTRAP);
        let container = container.map(|node| node.name.clone()).into_iter().collect::<Vec<String>>();
        let config = self.add_blob(
            "blob",
            "bootstrap.ign",
            json!({
                "account": account_id,
                "endpoint": output(&account, "blobEndpoint"),
                "container": "ignition",
                "content": secret("ignition_bootstrap"),
            }),
            &container,
        );
        for object in machines {
            self.object(object, &translation.bindings);
            let is_bootstrap = self.stage == BOOTSTRAP;
            let source = self.opened(json!({ "account": account_id, "url": output(&config, "url") }));
            let Some(node) = self.graph.resources.last_mut() else { continue };
            node.after.extend(versions.iter().cloned());
            let data = if is_bootstrap { "azure_bootstrap_ignition_stub" } else { "ignition_master" };
            if let Some(body) = node.properties.get_mut("body") {
                body["properties"]["osProfile"]["customData"] = secret(data);
            }
            if is_bootstrap {
                node.properties.insert("ignition".to_owned(), source);
            }
        }
    }

    /// Adds the resource of an object, with the values that others tell.
    fn object(&mut self, object: &Desired, bindings: &[Binding]) {
        let mut object = object.clone();
        for binding in bindings {
            let bound = binding.object.kind == object.kind.kind && binding.object.name == object.name;
            let source = self.known.node(binding.source.kind, &binding.source.name);
            if let (true, Some(source)) = (bound, source) {
                let name = binding.pointer.rsplit('/').next().unwrap_or_default();
                let told = output(source, name);
                object.spec.insert(binding.field.to_owned(), replaced((binding.form)(TOLD), &told));
            }
        }
        let resource = id(&object, self.subscription(), &self.known);
        let Some(of) = type_of(object.kind) else {
            self.known.add(&object, &resource, "");
            return;
        };
        self.stage = stage(&object);
        let is_given = object.hints.mode != Mode::Managed;
        let kind = if is_given { of.given } else { of.kind };
        let body = if is_given { json!({}) } else { body(&object, &self.known) };
        let needs = object.needs.iter().filter_map(|need| self.known.node(need.kind, &need.name));
        let needs: Vec<String> = needs.map(str::to_owned).collect();
        let node = self.add(kind, &object.name, &resource, &version(object.kind), body, &needs);
        self.known.add(&object, &resource, &node);
    }

    /// Adds the role of the machines in the group of an existing network.
    fn network_role(&mut self) {
        let (network, groups) = (&self.azure.network, &self.azure.groups);
        let is_apart = !network.resource_group.eq_ignore_ascii_case(&groups.cluster);
        let (Some(identity), None, true) = (self.created_identity(), &network.new, is_apart) else { return };
        let scope = group_id(self.subscription(), &network.resource_group);
        self.role("network-contributor", &scope, CONTRIBUTOR, &identity);
    }

    /// Attaches NAT gateways to the subnets of an existing network.
    fn gateways(&mut self) {
        let network = &self.azure.network;
        if network.new.is_some() {
            return;
        }
        let vnet = format!("Microsoft.Network/virtualNetworks/{}", network.name);
        let vnet = resource_id(self.subscription(), &network.resource_group, &vnet);
        let version = named("VirtualNetworksSubnet").map(version).unwrap_or_default();
        for gateway in &network.nat_gateways {
            let id = format!("{vnet}/subnets/{}/{NAT_GATEWAY}", gateway.subnet);
            let attached = self.in_group(&format!("Microsoft.Network/natGateways/{}", gateway.name));
            let body = json!({ "properties": { "natGateway": { "id": attached } } });
            self.add(GATEWAY_ASSOCIATION, &gateway.subnet, &id, &version, body, &[]);
        }
    }

    /// Adds the role with which the bootstrap machine reads its config, where no signature opens the account. The
    /// machine has the user's only identity, or the one that is created.
    fn blob_reader(&mut self, account_id: &str) {
        let given = self.azure.control_plane.identities.iter().flatten().next();
        let given = given.map(|id| {
            let name = id.rsplit('/').next().unwrap_or_default();
            let version = named("UserAssignedIdentity").map(version).unwrap_or_default();
            (self.add(GIVEN_IDENTITY, name, id, &version, json!({}), &[]), id.clone())
        });
        if let Some(identity) = given.or_else(|| self.created_identity()) {
            self.role(READER, account_id, BLOB_READER, &identity);
        }
    }

    /// Node and id of the identity that is created for the machines.
    fn created_identity(&self) -> Option<(String, String)> {
        let identity = self.graph.resources.iter().find(|node| node.kind == "identity");
        identity.map(|node| (node.name.clone(), id_of(node).to_owned()))
    }

    /// Adds a role of an identity, which is given by node and id.
    fn role(&mut self, title: &str, scope: &str, role: &str, (node, identity): &(String, String)) {
        let subscription = self.subscription();
        let definitions = "providers/Microsoft.Authorization/roleDefinitions";
        let body = json!({ "properties": {
            "principalId": output(node, "principalId"),
            "principalType": "ServicePrincipal",
            "roleDefinitionId": format!("/subscriptions/{subscription}/{definitions}/{role}"),
        } });
        let name = role_assignment(scope, role, identity);
        let id = format!("{scope}/providers/Microsoft.Authorization/roleAssignments/{name}");
        self.add(ROLE_ASSIGNMENT, title, &id, ROLES, body, &[]);
    }

    /// What each stage gives to whoever comes after it.
    fn outputs(&mut self) {
        let cards = |stage: &str| -> Vec<Value> {
            let cards = self.graph.resources.iter().filter(|node| node.kind == "network-interface");
            let cards = cards.filter(|node| node.stage == stage);
            cards.map(|node| output(&node.name, "privateIPAddress")).collect()
        };
        let control_plane = Value::from(cards(CLUSTER));
        let bootstrap = if self.plan.cluster.external_api {
            let public = self.graph.resources.iter().find(|node| {
                node.kind == "public-ip" && node.name.ends_with(&format!("{}-pip-v4", self.id()))
            });
            public.map(|node| output(&node.name, "ipAddress"))
        } else {
            cards(BOOTSTRAP).into_iter().next()
        };
        self.graph.outputs = BTreeMap::from([
            (VNET, json!({ "resource_group_name": self.azure.groups.cluster })),
            (BOOTSTRAP, json!({ "bootstrap_ip": bootstrap })),
            (CLUSTER, json!({ "control_plane_ips": control_plane })),
        ]);
    }

    /// Has each resource wait for those whose ids it names, and subnets of one network, and what is attached to
    /// them, for each other: Azure changes one of them at a time.
    fn link(&mut self) {
        let ids: Vec<(String, String)> =
            self.graph.resources.iter().map(|node| (id_of(node).to_lowercase(), node.name.clone())).collect();
        let mut subnet: Option<String> = None;
        for node in &mut self.graph.resources {
            let mut named = BTreeSet::new();
            for value in node.properties.values() {
                collect(value, &mut named);
            }
            for named in named {
                let around = ids.iter().filter(|(id, name)| *name != node.name && is_within(&named, id));
                let nearest = around.max_by_key(|(id, _)| id.len());
                node.after.extend(nearest.map(|(_, name)| name.clone()));
            }
            if ["subnet", GATEWAY_ASSOCIATION].contains(&node.kind) {
                node.after.extend(subnet.replace(node.name.clone()));
            }
            node.after.sort();
            node.after.dedup();
            node.after.retain(|name| *name != node.name);
        }
    }
}

/// The id of a node's resource; empty for a blob.
fn id_of(node: &Node) -> &str {
    node.properties.get("id").and_then(Value::as_str).unwrap_or_default()
}

/// The ids that a value names, in lower case.
fn collect(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if text.starts_with("/subscriptions/") => {
            into.insert(text.to_lowercase());
        }
        Value::Array(all) => all.iter().for_each(|value| collect(value, into)),
        Value::Object(fields) => {
            into.extend(
                fields.keys().filter(|key| key.starts_with("/subscriptions/")).map(|key| key.to_lowercase()),
            );
            fields.values().for_each(|value| collect(value, into));
        }
        _ => {}
    }
}

/// Whether an id is another one, or of something in it.
fn is_within(id: &str, around: &str) -> bool {
    !around.is_empty() && id.strip_prefix(around).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A value with another one wherever it is told by somebody else.
fn replaced(value: Value, told: &Value) -> Value {
    match value {
        Value::String(text) if text == TOLD => told.clone(),
        Value::Array(all) => all.into_iter().map(|one| replaced(one, told)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, one)| (key, replaced(one, told))).collect(),
        other => other,
    }
}

/// The stage that creates the resource of an object.
fn stage(object: &Desired) -> &'static str {
    let name = object.spec.get("azureName").and_then(Value::as_str).unwrap_or_default();
    match object.kind.kind {
        "NetworkInterface" if name.ends_with("-bootstrap-nic") => BOOTSTRAP,
        "VirtualMachine" if name.ends_with("-bootstrap") => BOOTSTRAP,
        "NetworkInterface" | "VirtualMachine" => CLUSTER,
        "LoadBalancersInboundNatRule" | "StorageAccountsBlobServicesContainer" => BOOTSTRAP,
        "NetworkSecurityGroupsSecurityRule" if name.ends_with("_ssh_in") => BOOTSTRAP,
        kind if kind.contains("DnsZone") => CLUSTER,
        _ => VNET,
    }
}

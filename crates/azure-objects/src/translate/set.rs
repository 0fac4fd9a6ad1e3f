//! The objects of a plan while they are put together.

use std::net::Ipv4Addr;

use ipnet::Ipv4Net;
use landfall_diagnostics::Finding;
use landfall_model::azure::{config, planned};
use serde_json::{Map, Value, json};

use super::binding::Binding;
use super::names::{self, Names};
use super::{Creator, Input, pages};
use crate::desired::{Desired, Hints, Mode, Need};
use crate::kinds::Kind;
use crate::{keys, kinds, names as ids};

/// The usual internal address of the API.
const USUAL_ADDRESS: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 100);
/// How many addresses at the beginning of a subnet are Azure's own.
const KEPT_BY_AZURE: u32 = 4;

/// The objects so far, with what all of them are made of.
pub(super) struct Set<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) azure: &'a planned::Plan,
    pub(super) platform: &'a config::Platform,
    pub(super) names: Names,
    pub(super) objects: Vec<Desired>,
    pub(super) bindings: Vec<Binding>,
    /// Whether machines are left out that stay where they exist.
    pub(super) keeps_machines: bool,
    pub(super) faults: Vec<Finding>,
}

/// A family of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    V4,
    V6,
}

impl Family {
    /// The family of a network, as `address/prefix`.
    pub(super) fn of(network: &str) -> Self {
        if network.contains(':') { Self::V6 } else { Self::V4 }
    }

    /// Its name for Azure.
    pub(super) fn version(self) -> &'static str {
        if self == Self::V4 { "IPv4" } else { "IPv6" }
    }

    /// The end of names that say which family it is.
    pub(super) fn ending(self) -> &'static str {
        if self == Self::V4 { "-v4" } else { "-v6" }
    }

    /// The end of names of what there is for IPv6 beside what is for IPv4.
    pub(super) fn beside(self) -> &'static str {
        if self == Self::V4 { "" } else { "-v6" }
    }

    /// The pool of a load balancer for the family. The cloud provider looks for these names.
    pub(super) fn pool(self, balancer: &str) -> String {
        if self == Self::V4 { balancer.to_owned() } else { format!("{balancer}-IPv6") }
    }
}

/// An object before it gets what all objects have.
pub(super) struct Object {
    kind: &'static str,
    name: String,
    spec: Value,
    mode: Mode,
    needs: Vec<Need>,
    late_bound: Vec<String>,
}

impl Object {
    /// An object with its spec, which is a JSON object.
    pub(super) fn new(kind: &'static str, name: impl Into<String>, spec: Value) -> Self {
        let name = name.into();
        Self { kind, name, spec, mode: Mode::Managed, needs: Vec::new(), late_bound: Vec::new() }
    }

    /// The same for a resource of this owner.
    pub(super) fn mode(self, mode: Mode) -> Self {
        Self { mode, ..self }
    }

    /// The same, with an object that it needs though no reference names it.
    pub(super) fn needing(mut self, kind: &'static str, name: &str) -> Self {
        self.needs.push(Need { kind, name: name.to_owned() });
        self
    }

    /// The same, with a value that is not known yet.
    pub(super) fn waiting_for(mut self, words: impl Into<String>) -> Self {
        self.late_bound.push(words.into());
        self
    }
}

impl<'a> Set<'a> {
    /// Nothing so far. None for a plan of another platform.
    pub(super) fn new(input: &'a Input<'a>) -> Option<Self> {
        let azure = input.plan.platform.azure.as_deref()?;
        let platform = input.plan.config.platform.azure.as_ref()?;
        let mut faults = Vec::new();
        let names = Names::of(input.plan, azure, &mut faults);
        Some(Self {
            input,
            azure,
            platform,
            names,
            objects: Vec::new(),
            bindings: Vec::new(),
            keeps_machines: false,
            faults,
        })
    }

    /// Looks for what no object of the operator can have.
    pub(super) fn check(&mut self) {
        let (has_ipv6, internal) = (self.input.plan.config.has_ipv6_services(), &self.azure.load_balancers);
        if self.by_operator() && has_ipv6 && internal.ipv6_address.is_none() {
            self.faults.push(pages::ipv6_address());
        }
        if self.by_operator() && self.input.cloud.no_user_tags && !self.azure.user_tags.is_empty() {
            self.faults.push(pages::user_tags(&self.azure.cloud.name));
        }
        if let (Some(given), Some(subnet)) = (self.input.api_internal_ip, self.control_plane_network())
            && !usable(given, subnet)
        {
            self.faults.push(pages::address(given, &subnet.to_string()));
        }
        if let (Some(given), Some(planned)) = (self.input.api_internal_ip, internal.api_address)
            && given != planned
        {
            self.faults.push(pages::other_address(given, planned));
        }
    }

    /// Whether Azure Service Operator creates the resources.
    pub(super) fn by_operator(&self) -> bool {
        self.input.creator == Creator::Operator
    }

    pub(super) fn infra_id(&self) -> &'a str {
        &self.input.plan.identity.infra_id
    }

    pub(super) fn location(&self) -> &'a str {
        &self.azure.location
    }

    pub(super) fn subscription(&self) -> &'a str {
        &self.azure.account.subscription_id
    }

    /// Whether the API can be reached from outside the network.
    pub(super) fn external_api(&self) -> bool {
        self.input.plan.cluster.external_api
    }

    /// Whether the machines' outbound traffic goes by routes of the user's own.
    pub(super) fn own_routes(&self) -> bool {
        self.azure.load_balancers.public.is_empty()
    }

    /// Whether there is a public load balancer.
    pub(super) fn has_public_balancer(&self) -> bool {
        self.external_api() || !self.own_routes()
    }

    /// The id of a resource in the cluster's group.
    pub(super) fn id(&self, resource: &str) -> String {
        ids::resource_id(self.subscription(), &self.azure.groups.cluster, resource)
    }

    /// The families of addresses that load balancers and machines have, IPv4 first.
    pub(super) fn families(&self) -> &'static [Family] {
        if self.azure.load_balancers.ipv6_address.is_some() {
            &[Family::V4, Family::V6]
        } else {
            &[Family::V4]
        }
    }

    /// The addresses of a new network in a family; none of an existing one.
    pub(super) fn machine_networks(&self, family: Family) -> Vec<&'a str> {
        let networks = self.azure.network.new.iter().flat_map(|new| &new.network);
        networks.map(String::as_str).filter(|network| Family::of(network) == family).collect()
    }

    /// The addresses of the control plane's subnet in a new network.
    fn control_plane_network(&self) -> Option<Ipv4Net> {
        self.azure.network.new.as_ref()?.control_plane.first()?.parse().ok()
    }

    /// The address of the API within the network. None where Azure chooses it.
    pub(super) fn internal_address(&self) -> Option<Ipv4Addr> {
        let chosen = || {
            let subnet = self.control_plane_network()?;
            let first = u32::from(subnet.network()).saturating_add(KEPT_BY_AZURE);
            let usual = Some(USUAL_ADDRESS).filter(|usual| subnet.contains(usual));
            Some(usual.unwrap_or(Ipv4Addr::from(first)))
        };
        self.input.api_internal_ip.or(self.azure.load_balancers.api_address).or_else(chosen)
    }

    /// The name of the object for a resource whose own name is unique only inside of the one that the object
    /// `parent` stands for.
    pub(super) fn name_within(&mut self, kind: &str, parent: &str, azure: &str) -> String {
        names::name(kind, &names::within(parent, azure), &mut self.faults)
    }

    /// The name of the object for a resource.
    pub(super) fn name(&mut self, kind: &str, azure: &str) -> String {
        names::name(kind, azure, &mut self.faults)
    }

    /// The reference by which an object names the cluster's resource group as its owner.
    pub(super) fn in_group(&self) -> Value {
        owner(&self.names.group)
    }

    /// Adds an object, with the ownership tag where it is the engine's and its kind has tags.
    pub(super) fn add(&mut self, object: Object) {
        let Object { kind, name, spec, mode, mut needs, late_bound } = object;
        let (Some(kind), Value::Object(mut spec)) = (kinds::named(kind), spec) else { return };
        if let (Mode::Managed, Some(field)) = (mode, kind.tag_carrier.field()) {
            let tag = keys::ownership_tag(self.infra_id());
            spec.insert(field.to_owned(), json!({ tag: keys::OWNED }));
        }
        needs.extend(named_in(kind, &spec));
        needs.sort();
        needs.dedup();
        let key = (kind.kind.to_owned(), name.clone());
        let hints = Hints {
            mode,
            additional_tags: self.azure.user_tags.clone(),
            patches: self.input.patches.get(&key).cloned().unwrap_or_default(),
            late_bound,
            ..Hints::of(kind)
        };
        self.objects.push(Desired { kind, api_version: kind.api_version(), name, spec, hints, needs });
    }

    /// Adds an object of which one field is told by the status of another object only.
    pub(super) fn add_waiting(&mut self, object: Object, binding: Binding) {
        let words = binding.words();
        self.add_bound(object.waiting_for(words), binding);
    }

    /// Adds an object of which one field is known well enough, and told in the end by the status of another
    /// one.
    pub(super) fn add_bound(&mut self, object: Object, binding: Binding) {
        let Need { kind, ref name } = binding.source;
        self.add(object.needing(kind, name));
        self.bindings.push(binding);
    }
}

/// Whether a machine or a load balancer can have an address of a subnet.
fn usable(address: Ipv4Addr, subnet: Ipv4Net) -> bool {
    let first = u32::from(subnet.network()).saturating_add(KEPT_BY_AZURE);
    subnet.contains(&address) && u32::from(address) >= first && address != subnet.broadcast()
}

/// The reference to an owner among the objects.
pub(super) fn owner(name: &str) -> Value {
    json!({ "name": name })
}

/// The name of an object with its group and kind.
pub(super) fn object(kind: &str, name: &str) -> Value {
    let group = kinds::named(kind).map_or("", |kind| kind.group);
    json!({ "group": group, "kind": kind, "name": name })
}

/// A reference to another object.
pub(super) fn reference(kind: &str, name: &str) -> Value {
    json!({ "reference": object(kind, name) })
}

/// A reference to a resource by its id.
pub(super) fn by_id(id: &str) -> Value {
    json!({ "reference": { "armId": id } })
}

/// The objects that a spec names: its owner, and wherever kind and name stand together.
fn named_in(kind: &Kind, spec: &Map<String, Value>) -> Vec<Need> {
    let mut needs = Vec::new();
    let owner = spec.get("owner").and_then(|owner| owner.get("name")).and_then(Value::as_str);
    if let (Some(name), Some(owner)) = (owner, owner_kind(kind)) {
        needs.push(Need { kind: owner, name: name.to_owned() });
    }
    for value in spec.values() {
        collect(value, &mut needs);
    }
    needs
}

/// The kind of the owners of a kind, where these name no kind themselves.
fn owner_kind(kind: &Kind) -> Option<&'static str> {
    match kind.kind {
        "ResourceGroup" | "RoleAssignment" | "DnsZonesARecord" | "DnsZonesCNAMERecord" => None,
        "StorageAccountsBlobService" => Some("StorageAccount"),
        "StorageAccountsBlobServicesContainer" => Some("StorageAccountsBlobService"),
        "PrivateDnsZonesVirtualNetworkLink" | "PrivateDnsZonesARecord" | "PrivateDnsZonesAAAARecord" => {
            Some("PrivateDnsZone")
        }
        _ => Some(kind.parent.unwrap_or("ResourceGroup")),
    }
}

fn collect(value: &Value, needs: &mut Vec<Need>) {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    if let (Some(kind), Some(name), Some(_)) =
        (text("kind").and_then(kinds::named), text("name"), text("group"))
    {
        needs.push(Need { kind: kind.kind, name: name.to_owned() });
    }
    match value {
        Value::Object(fields) => fields.values().for_each(|value| collect(value, needs)),
        Value::Array(items) => items.iter().for_each(|value| collect(value, needs)),
        _ => {}
    }
}

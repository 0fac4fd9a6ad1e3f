//! From a plan to the objects that stand for it.
//!
//! Each part of a cluster has a file that says which objects it is made of. They come out in an order in
//! which they can be created, each with the ownership tag where its kind has tags.

mod binding;
mod dns;
mod groups;
mod load_balancers;
mod machines;
mod names;
mod network;
pub mod pages;
pub mod patches;
mod set;
mod storage;

pub use binding::Binding;
pub use machines::{is_of_bootstrap, is_pointer};

use std::collections::BTreeSet;
use std::net::Ipv4Addr;

use landfall_diagnostics::Finding;
use landfall_model::azure::catalogue::Catalogue;
use landfall_model::plan::Plan;

use super::desired::Desired;
use patches::Patches;
use set::Set;

/// What the translation starts from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What of the cloud the objects depend on.
    pub cloud: Domains<'a>,
    /// Whether the operator makes the machines, too.
    pub machines: bool,
    /// Whether the bootstrap machine is needed, with what leads to it.
    pub bootstrap: bool,
    /// The address of the API within the network, where the user fixes it.
    pub api_internal_ip: Option<Ipv4Addr>,
    /// The ignition configs of the machines.
    pub ignition: Ignition<'a>,
    /// The user's own changes to single objects.
    pub patches: &'a Patches,
    /// Who creates what the objects stand for.
    pub creator: Creator,
}

/// Who creates what the objects stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Creator {
    /// Azure Service Operator, which lacks some of Azure's settings.
    #[default]
    Operator,
    /// landfall itself, by calls of the resource manager.
    Landfall,
}

/// Domains of a cloud, and what it does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Domains<'a> {
    /// That of the names of public addresses, such as `cloudapp.azure.com`; empty where the cloud gives none.
    pub public_addresses: &'a str,
    /// That of key vaults.
    pub key_vaults: &'a str,
    /// Whether objects there have no tags of the user's.
    pub no_user_tags: bool,
}

impl<'a> Domains<'a> {
    /// Those of a cloud by its name; none of a cloud that is not known.
    #[must_use]
    pub fn of(catalogue: &'a Catalogue, name: &str) -> Self {
        let known = catalogue.cloud(name).map(|(_, cloud)| Self {
            public_addresses: &cloud.public_ip_dns_suffix,
            key_vaults: &cloud.key_vault_dns_suffix,
            no_user_tags: !cloud.operator_tags_allowed,
        });
        known.unwrap_or_default()
    }
}

/// Ignition configs that only point at others, as JSON. None while one is not known: its machines wait for
/// it.
#[derive(Clone, Copy, Default)]
pub struct Ignition<'a> {
    /// That of the bootstrap machine.
    pub bootstrap: Option<&'a str>,
    /// That of the control plane's machines.
    pub control_plane: Option<&'a str>,
}

/// A pointer may hold a signature that gives access.
impl std::fmt::Debug for Ignition<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let known = |pointer: Option<&str>| pointer.map(|_| landfall_diagnostics::secret::REDACTED);
        f.debug_struct("Ignition")
            .field("bootstrap", &known(self.bootstrap))
            .field("control_plane", &known(self.control_plane))
            .finish()
    }
}

/// What a plan comes to.
#[derive(Clone, Debug, Default)]
pub struct Translation {
    /// The objects, in an order in which they can be created.
    pub objects: Vec<Desired>,
    /// The values in them that the status of others tells.
    pub bindings: Vec<Binding>,
    /// Whether machines of the control plane are left out because nothing is known that they start with.
    /// Those that exist stay.
    pub keeps_machines: bool,
}

impl Translation {
    /// Puts in the values that can be told by now. `observed` gives an object, as the API server has it, by
    /// kind and name.
    pub fn bind<'v>(&mut self, observed: impl Fn(&str, &str) -> Option<&'v serde_json::Value>) {
        for binding in &self.bindings {
            let source = observed(binding.source.kind, &binding.source.name);
            let Some(value) = source.and_then(|source| binding.value(source)) else { continue };
            let bound = &binding.object;
            let named = |object: &&mut Desired| object.kind.kind == bound.kind && object.name == bound.name;
            if let Some(object) = self.objects.iter_mut().find(named) {
                object.spec.insert(binding.field.to_owned(), value);
                object.hints.late_bound.retain(|words| *words != binding.words());
            }
        }
    }
}

/// The objects for a plan.
///
/// # Errors
/// All that stands against making this plan of such objects.
pub fn translate(input: &Input<'_>) -> Result<Translation, Vec<Finding>> {
    let Some(set) = put_together(input) else {
        return Err(vec![pages::platform()]);
    };
    let Set { objects, bindings, keeps_machines, mut faults, .. } = set;
    faults.extend(astray(input, &objects).into_iter().map(|(kind, name)| pages::astray(kind, name)));
    let mut seen = BTreeSet::new();
    for object in &objects {
        if !seen.insert((object.kind.kind, object.name.as_str())) && !object.name.is_empty() {
            faults.push(pages::same_name(object.kind.kind, &object.name));
        }
    }
    if faults.is_empty() { Ok(Translation { objects, bindings, keeps_machines }) } else { Err(faults) }
}

/// All objects, and what stands against them. None for a plan of another platform.
fn put_together<'a>(input: &'a Input<'a>) -> Option<Set<'a>> {
    let mut set = Set::new(input)?;
    set.check();
    groups::add(&mut set);
    storage::add(&mut set);
    network::add(&mut set);
    load_balancers::add(&mut set);
    dns::add(&mut set);
    if input.machines {
        machines::add(&mut set);
    }
    Some(set)
}

/// Kind and name of what the user's patches are for and no object is: neither now nor at another stage of the
/// cluster, in which the patches can be the same.
fn astray<'a>(input: &Input<'a>, objects: &[Desired]) -> Vec<&'a (String, String)> {
    let mut left: Vec<&(String, String)> = input.patches.keys().collect();
    let keep_others = |left: &mut Vec<&(String, String)>, objects: &[Desired]| {
        left.retain(|(kind, name)| {
            !objects.iter().any(|object| object.kind.kind == kind && object.name == *name)
        });
    };
    keep_others(&mut left, objects);
    if !left.is_empty() {
        let other = Input { bootstrap: !input.bootstrap, ..*input };
        if let Some(set) = put_together(&other) {
            keep_others(&mut left, &set.objects);
        }
    }
    left
}

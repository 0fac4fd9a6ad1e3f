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
mod set;
mod storage;

pub use binding::Binding;

use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv4Addr;

use super::desired::Desired;
use crate::finding::Finding;
use crate::plan::Plan;
use set::Set;

/// What the translation starts from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// What of the cloud stands in the names of its resources.
    pub cloud: Domains<'a>,
    /// Whether the operator makes the machines, too.
    pub machines: bool,
    /// Whether the bootstrap machine is needed, with what leads to it.
    pub bootstrap: bool,
    /// The address of the API within the network, where the user fixes it.
    pub api_internal_ip: Option<Ipv4Addr>,
    /// The ignition configs of the machines.
    pub ignition: Ignition<'a>,
    /// The user's JSON merge patches, by kind and name of the object.
    pub patches: &'a BTreeMap<(String, String), Vec<String>>,
}

/// Domains of a cloud.
#[derive(Clone, Copy, Debug, Default)]
pub struct Domains<'a> {
    /// That of the names of public addresses, such as `cloudapp.azure.com`; empty where the cloud gives none.
    pub public_addresses: &'a str,
    /// That of key vaults.
    pub key_vaults: &'a str,
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
        let known = |pointer: Option<&str>| pointer.map(|_| crate::secret::REDACTED);
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
    let Some(mut set) = Set::new(input) else {
        return Err(vec![pages::platform()]);
    };
    set.check();
    groups::add(&mut set);
    storage::add(&mut set);
    network::add(&mut set);
    load_balancers::add(&mut set);
    dns::add(&mut set);
    if input.machines {
        machines::add(&mut set);
    }
    let Set { objects, bindings, mut faults, .. } = set;
    let mut seen = BTreeSet::new();
    for object in &objects {
        if !seen.insert((object.kind.kind, object.name.as_str())) && !object.name.is_empty() {
            faults.push(pages::same_name(object.kind.kind, &object.name));
        }
    }
    if faults.is_empty() { Ok(Translation { objects, bindings }) } else { Err(faults) }
}

//! Which resources of a cluster the cloud has and terraform's state lacks, and what to do about each.
//!
//! Pure. A resource is recognised by its kind and name, as the modules give it; what components of a running cluster
//! have made has other names and is left alone.

use std::collections::{BTreeMap, BTreeSet};

use landfall_diagnostics::{Finding, Kind};
use landfall_engine_terraform::{Change, Changes, pages};
use landfall_platform::removal::{Disposition, Resource};
use landfall_platform::untracked::{Known, Modules, Tracked};

/// So many resources are named in a finding.
const MOST: usize = 50;

/// An object of the cloud that terraform is to import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// The address in the configuration.
    pub(super) address: String,
    /// The object, as the provider names it.
    pub(super) id: String,
}

/// A resource that is not in the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Untracked<'t> {
    /// What the cloud has.
    pub(super) thing: &'t Resource,
    /// How it is imported; none where it is removed, so that terraform creates it again.
    pub(super) import: Option<Import>,
}

/// What was found of a cluster and is not in the state.
///
/// It is imported where one resource that terraform would create has its kind and name. It is removed where
/// terraform cannot import it, where two have the same name, or where the state has another one of that name; what
/// lies in it is removed before it.
pub(super) fn untracked<'t>(
    modules: Modules,
    changes: &[Change],
    things: &'t [Resource],
) -> Vec<Untracked<'t>> {
    let mut found: Vec<Untracked<'t>> = Vec::new();
    for row in modules.tracked {
        let counts = |change: &&Change| change.creates || !row.comes_along;
        let of_type = || changes.iter().filter(|change| change.resource == row.resource).filter(counts);
        let known: BTreeSet<&str> = of_type().filter_map(|change| change.id.as_deref()).collect();
        let mut wanted: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
        for change in of_type() {
            wanted.entry(planned_name(row, change)).or_default().push(change);
        }
        let of_kind =
            things.iter().filter(|thing| thing.kind.name == row.kind && thing.fate == Disposition::Removed);
        let mut lost: BTreeMap<&str, Vec<&'t Resource>> = BTreeMap::new();
        for thing in of_kind.filter(|thing| !known.iter().any(|known| is_same(known, (row.id)(thing)))) {
            lost.entry(row.name.map_or("", |_| thing.name.as_str())).or_default().push(thing);
        }
        for (name, lost) in lost {
            let Some(wanted) = wanted.get(name) else { continue };
            let import = match (lost.as_slice(), wanted.as_slice()) {
                ([thing], [change]) if change.creates && row.imports => {
                    Some(Import { address: change.address.clone(), id: (row.id)(thing).to_owned() })
                }
                _ => None,
            };
            found.extend(lost.into_iter().map(|thing| Untracked { thing, import: import.clone() }));
        }
    }
    with_contents(found, things)
}

/// Whether two ids are of the same resource: clouds that write one in several ways differ in case alone.
fn is_same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// The name that a planned resource has; empty where its kind says enough.
fn planned_name<'c>(row: &Tracked, change: &'c Change) -> &'c str {
    let name = row.name.and_then(|name| change.values.pointer(name));
    name.and_then(serde_json::Value::as_str).unwrap_or_default()
}

/// The same, with all that must be gone before what is removed.
fn with_contents<'t>(mut found: Vec<Untracked<'t>>, things: &'t [Resource]) -> Vec<Untracked<'t>> {
    let mut open: Vec<&str> =
        found.iter().filter(|one| one.import.is_none()).flat_map(|one| contents(one.thing)).collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(thing) = things.iter().find(|thing| thing.id == id) else { continue };
        open.extend(contents(thing));
        match found.iter_mut().find(|one| one.thing.id == id) {
            Some(known) => known.import = None,
            None => found.push(Untracked { thing, import: None }),
        }
    }
    found
}

/// What must be gone before a resource. A group that would take the resource along stays.
fn contents(thing: &Resource) -> impl Iterator<Item = &str> {
    let is_around = |id: &&str| {
        let rest = thing.id.get(id.len()..).filter(|rest| rest.starts_with('/'));
        rest.is_some() && is_same(&thing.id[..id.len()], id)
    };
    thing.after.iter().map(String::as_str).filter(move |id| !is_around(id))
}

/// The parts of others that terraform would create and could import, if they are there.
pub(super) fn parts(modules: Modules, account: &str, changes: &Changes) -> Vec<Import> {
    let managed = changes.managed.iter().map(|change| (change.resource.as_str(), &change.values));
    let read = changes.read.iter().map(|(resource, values)| (resource.as_str(), values));
    let resources: Vec<_> = managed.chain(read).collect();
    let known = Known { account, resources: &resources };
    let part = |change: &Change| {
        let row = modules.parts.iter().find(|row| row.resource == change.resource)?;
        Some(Import { address: change.address.clone(), id: (row.id)(&change.values, &known)? })
    };
    changes.managed.iter().filter(|change| change.creates).filter_map(part).collect()
}

/// The addresses of the imports that terraform's errors are about: there is no such object.
pub(super) fn refused(imports: &[Import], said: &[String]) -> BTreeSet<String> {
    let mut addresses = BTreeSet::new();
    for error in said {
        // Terraform puts an address between quotation marks, with those inside of it escaped.
        let is_named = |import: &&Import| {
            let escaped = import.address.replace('"', "\\\"");
            error.contains(&format!("\"{escaped}\"")) || error.contains(&format!("\"{}\"", import.address))
        };
        let mut named: Vec<&Import> = imports.iter().filter(is_named).collect();
        if named.is_empty() {
            // Some importers of providers name only what they looked for: a part by the two that it joins, which may be
            // imports themselves, and are not meant then.
            let parts = |import: &Import| import.id.split(['/', '_']).count();
            let is_meant = |import: &&Import| import.id.split(['/', '_']).all(|part| error.contains(part));
            named = imports.iter().filter(is_meant).collect();
            let most = named.iter().map(|import| parts(import)).max().unwrap_or_default();
            named.retain(|import| parts(import) == most);
        }
        addresses.extend(named.into_iter().map(|import| import.address.clone()));
    }
    addresses
}

/// The `import` blocks of a module.
pub(super) fn blocks(imports: &[Import]) -> String {
    let block = |import: &Import| {
        let id = import.id.replace('\\', "\\\\").replace('"', "\\\"");
        let id = id.replace("${", "$${").replace("%{", "%%{");
        format!("import {{\n  to = {}\n  id = \"{id}\"\n}}\n", import.address)
    };
    let blocks: Vec<String> = imports.iter().map(block).collect();
    format!("# Written by landfall, and removed once terraform has imported these.\n{}", blocks.concat())
}

/// What is done about each resource, a line for each.
pub(super) fn lines(found: &[Untracked<'_>], imports: &[Import]) -> Vec<String> {
    let told = |thing: &Resource| {
        let id = thing.id.rsplit('/').next().unwrap_or(&thing.id);
        let name = if thing.name.is_empty() || thing.name == id {
            String::new()
        } else {
            format!(" {}", thing.name)
        };
        format!("{}{name} ({id})", thing.kind.name)
    };
    let import = |import: &Import| {
        let thing = found.iter().find(|one| one.import.as_ref() == Some(import)).map(|one| told(one.thing));
        let what = thing.unwrap_or_else(|| import.id.clone());
        format!("import {what} as {}", import.address)
    };
    let removed = found.iter().filter(|one| one.import.is_none());
    imports.iter().map(import).chain(removed.map(|one| format!("remove {}", told(one.thing)))).collect()
}

/// Asks for consent.
pub(super) fn finding(stage: &str, lines: &[String]) -> Finding {
    let shown = lines.iter().take(MOST).map(String::as_str).collect::<Vec<&str>>().join("; ");
    let more = match lines.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let count = match lines.len() {
        1 => "1 resource of the cluster exists and is".to_owned(),
        count => format!("{count} resources of the cluster exist and are"),
    };
    let message = format!("stage `{stage}`: {count} not in Terraform's state: {shown}{more}");
    Finding::error(&pages::UNTRACKED, Kind::Duplicate, "", message).help(
        "run the same command with --recover to do this, or `landfall destroy cluster` to remove the whole cluster; \
         nothing was changed",
    )
}

#[cfg(test)]
mod tests;

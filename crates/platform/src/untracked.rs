//! What a platform's modules make, so that resources which the cloud has and terraform's state lacks can be found
//! and imported.
//!
//! The tables in here are data: how a resource of a module is recognised among those that a removal finds, and how
//! `terraform import` names it. Nothing here asks a cloud.

use serde_json::Value;

use super::removal::Resource;

/// A type of resources that a removal finds by itself.
#[derive(Clone, Copy, Debug)]
pub struct Tracked {
    /// The type in terraform, such as `aws_subnet`.
    pub resource: &'static str,
    /// The name of its kind in the removal, such as `subnet`.
    pub kind: &'static str,
    /// The attribute with the name that the removal shows, as a JSON pointer; none where a cluster has only one
    /// resource of the type, so that its kind is enough.
    pub name: Option<&'static str>,
    /// The id in terraform of what the removal found.
    pub id: fn(&Resource) -> &str,
    /// Whether terraform can import it without replacing it; what it cannot import is removed.
    pub imports: bool,
    /// Whether the cloud creates it along with the resource, as a disk with its machine: it counts only while that
    /// would be created.
    pub comes_along: bool,
}

/// What an id is made of beside a resource's own attributes.
#[derive(Clone, Copy, Debug)]
pub struct Known<'k> {
    /// The account or subscription of the cluster; empty where nobody noted it.
    pub account: &'k str,
    /// Every resource of the stage, and what its data sources have read: the type, and the attributes as planned.
    pub resources: &'k [(&'k str, &'k Value)],
}

/// A type of resources that are parts of others, such as a route: nothing lists them by a tag, and terraform itself
/// tells whether one exists.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The type in terraform, such as `aws_route`.
    pub resource: &'static str,
    /// The id to import it by, from its planned attributes; none while one of them is not known.
    pub id: fn(&Value, &Known<'_>) -> Option<String>,
}

/// What the modules of a platform make.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modules {
    /// What a removal finds.
    pub tracked: &'static [Tracked],
    /// What is part of it, or has an id that its name tells.
    pub parts: &'static [Part],
    /// Whether the provider gives up what is being created when it is stopped or the cloud refuses it: it exists then,
    /// and is not in the state.
    pub gives_up: bool,
    /// Types that are kept although their creation was not confirmed: the provider cannot remove such a resource, and
    /// has nothing more to do for it.
    pub kept: &'static [&'static str],
}

impl Modules {
    /// Whether there is nothing to look for.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.tracked.is_empty() && self.parts.is_empty()
    }
}

/// A text among the planned attributes; none where it is missing, empty or not known yet.
#[must_use]
pub fn text<'v>(values: &'v Value, attribute: &str) -> Option<&'v str> {
    values.get(attribute).and_then(Value::as_str).filter(|text| !text.is_empty())
}

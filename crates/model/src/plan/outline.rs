//! The outline of a plan: what will be made of it, what of the user's own gets a mark, and what the cluster
//! makes by itself later.
//!
//! An outline is a value that comes of the plan alone, so that it can be shown, reviewed and kept before
//! anything is made. A platform writes it beside its modules, and tests hold it against them.

use serde::Serialize;

use super::Stage;

/// What becomes of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outline {
    /// What is made, in the order of the stages; one entry for each type of a stage.
    pub items: Vec<Item>,
    /// The stages that are destroyed once the cluster stands on its own.
    pub temporary: Vec<&'static str>,
    /// What is the user's own and gets a mark, nothing else.
    pub adopted: Vec<Adopted>,
    /// What the cluster makes by itself later.
    pub later: Vec<Later>,
}

/// Resources of one type that a stage makes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Name of the stage.
    pub stage: &'static str,
    /// What they are, for people: `NAT gateway`.
    pub kind: &'static str,
    /// Terraform's name of the type: `aws_nat_gateway`.
    pub resource: &'static str,
    /// How many.
    pub count: u32,
    /// The names that they get, where these are few and tell something.
    pub names: Vec<String>,
    /// What else is to be said of them; empty where nothing is.
    pub detail: String,
}

/// Things of the user's own that get a mark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Adopted {
    /// What they are, for people: `Subnet`.
    pub kind: &'static str,
    /// Their names or ids.
    pub names: Vec<String>,
    /// The mark, and what it means for them.
    pub detail: String,
}

/// Things that the cluster makes by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Later {
    /// What they are, for people: `Compute machine`.
    pub kind: &'static str,
    /// How many at first.
    pub count: u32,
    /// What they are called, where that is known.
    pub names: Vec<String>,
    /// What else is to be said of them; empty where nothing is.
    pub detail: String,
}

impl Outline {
    /// An outline of the items of these stages. What there is none of is left out.
    #[must_use]
    pub fn new(stages: &[Stage], items: Vec<Item>, adopted: Vec<Adopted>, later: Vec<Later>) -> Self {
        let temporary = stages.iter().filter(|stage| stage.only_for_bootstrap).map(|stage| stage.name);
        Self {
            temporary: temporary.collect(),
            items: items.into_iter().filter(|item| item.count > 0).collect(),
            adopted: adopted.into_iter().filter(|adopted| !adopted.names.is_empty()).collect(),
            later: later.into_iter().filter(|later| later.count > 0).collect(),
        }
    }

    /// The stages in their order, each with what it makes.
    #[must_use]
    pub fn stages(&self) -> Vec<(&'static str, Vec<&Item>)> {
        let mut stages: Vec<(&'static str, Vec<&Item>)> = Vec::new();
        for item in &self.items {
            match stages.last_mut() {
                Some((name, items)) if *name == item.stage => items.push(item),
                _ => stages.push((item.stage, vec![item])),
            }
        }
        stages
    }

    /// How many resources are made in all stages together.
    #[must_use]
    pub fn resources(&self) -> u32 {
        self.items.iter().map(|item| item.count).fold(0, u32::saturating_add)
    }
}

impl Item {
    /// Resources without names or detail.
    #[must_use]
    pub fn new(stage: &'static str, resource: &'static str, kind: &'static str, count: u32) -> Self {
        Self { stage, kind, resource, count, names: Vec::new(), detail: String::new() }
    }

    /// The same with these names.
    #[must_use]
    pub fn named(self, names: impl IntoIterator<Item = String>) -> Self {
        Self { names: names.into_iter().collect(), ..self }
    }

    /// The same with this detail.
    #[must_use]
    pub fn detailed(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }
}

impl Later {
    /// Things without names or detail.
    #[must_use]
    pub fn new(kind: &'static str, count: u32) -> Self {
        Self { kind, count, names: Vec::new(), detail: String::new() }
    }

    /// The same with this detail.
    #[must_use]
    pub fn detailed(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }
}

/// How many there are of something, as outlines count.
#[must_use]
pub fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_keep_their_order_and_leave_out_what_is_not_made() {
        let stages = [
            Stage { name: "first", only_for_bootstrap: false },
            Stage { name: "second", only_for_bootstrap: true },
        ];
        let items = vec![
            Item::new("first", "a", "A", 2),
            Item::new("first", "b", "B", 0),
            Item::new("second", "a", "A", 1),
        ];
        let outline = Outline::new(&stages, items, Vec::new(), vec![Later::new("C", 0)]);
        let found: Vec<(&str, usize)> =
            outline.stages().into_iter().map(|(name, items)| (name, items.len())).collect();
        assert_eq!(found, [("first", 1), ("second", 1)]);
        assert_eq!(outline.resources(), 3);
        assert_eq!(outline.temporary, ["second"]);
        assert!(outline.later.is_empty());
    }
}

//! What exists of a cluster by what earlier runs noted: the state of terraform, or the journal of steps.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use landfall_model::plan;
use landfall_platform::Platform;

use super::drift::Drift;
use super::files::FOLDER;
use super::native::noted;
use super::standing::removed;

/// The resources of one stage that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Existing {
    /// Name of the stage.
    pub stage: &'static str,
    /// How many there are, by type: terraform's types, or the kinds of the native engine.
    pub types: BTreeMap<String, usize>,
    /// Which they are; terraform's addresses, or the names in the graph of the native engine.
    pub names: BTreeSet<String>,
}

impl Existing {
    /// Of all types together.
    #[must_use]
    pub fn count(&self) -> usize {
        self.types.values().sum()
    }

    /// Takes away resources that no longer exist.
    pub fn forget(&mut self, drift: &Drift) {
        for (name, missing) in &drift.missing_types {
            if let Some(count) = self.types.get_mut(name) {
                *count = count.saturating_sub(*missing);
            }
        }
        self.types.retain(|_, count| *count > 0);
        self.names.retain(|name| !drift.missing.contains(name));
    }

    fn of(stage: &plan::Stage, names: impl IntoIterator<Item = String>, type_of: fn(&str) -> &str) -> Self {
        let names: BTreeSet<String> = names.into_iter().collect();
        Self { stage: stage.name, types: counted(names.iter().map(|name| type_of(name))), names }
    }
}

/// How many there are of each type.
pub(super) fn counted<'t>(types: impl Iterator<Item = &'t str>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for one in types {
        *counts.entry(one.to_owned()).or_default() += 1;
    }
    counts
}

/// What exists by the states of terraform, without what the next run replaces. Nothing is known of a state that
/// cannot be read.
#[must_use]
pub fn existing(root: &Path, platform: &dyn Platform) -> Vec<Existing> {
    in_states(root, platform, landfall_engine_terraform::complete_resources)
}

/// What exists by the states of terraform, with what the next run replaces.
#[must_use]
pub fn existing_with_replaced(root: &Path, platform: &dyn Platform) -> Vec<Existing> {
    in_states(root, platform, landfall_engine_terraform::resources)
}

fn in_states(
    root: &Path,
    platform: &dyn Platform,
    read: fn(&Path) -> Result<Vec<String>, landfall_engine_terraform::Fault>,
) -> Vec<Existing> {
    let of = |stage: &plan::Stage| {
        let addresses = read(&root.join(FOLDER).join(stage.name)).unwrap_or_default();
        Existing::of(stage, addresses, type_of)
    };
    platform.stages().iter().map(of).collect()
}

/// What exists by the journal of the native engine. Stages that were removed have nothing.
#[must_use]
pub fn existing_native(root: &Path, platform: &dyn Platform) -> Vec<Existing> {
    let steps = landfall_workdir::steps(root).unwrap_or_default();
    let of = |stage: &plan::Stage| {
        let names = match removed(&steps, stage) {
            Ok(None) => noted(&steps, stage),
            _ => BTreeMap::new(),
        };
        Existing::of(stage, names.into_keys(), kind_of)
    };
    platform.stages().iter().map(of).collect()
}

/// The type in an address of terraform: `aws_subnet` of `module.a.aws_subnet.public["x.y"]`.
pub(super) fn type_of(address: &str) -> &str {
    let name = address.split('[').next().unwrap_or_default();
    name.rsplit('.').nth(1).unwrap_or_default()
}

/// The kind in a name of the native engine: `subnet` of `subnet/a`.
pub(super) fn kind_of(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a cluster directory is made here")]
mod tests {
    use std::error::Error;

    use landfall_install_config::platforms;
    use serde_json::json;

    use super::*;
    use landfall_workdir::{ClusterDir, Durability, Step, StepResult};

    #[test]
    fn a_type_is_the_part_before_the_name() {
        assert_eq!(type_of("aws_vpc.new[0]"), "aws_vpc");
        assert_eq!(type_of("module.dns.aws_route53_record.api[\"a.b\"]"), "aws_route53_record");
        assert_eq!(type_of("x"), "");
    }

    #[test]
    fn a_state_is_counted_by_type() -> Result<(), Box<dyn Error>> {
        let root = tempfile::tempdir()?;
        let folder = root.path().join("terraform/cluster");
        std::fs::create_dir_all(&folder)?;
        let state = json!({ "version": 4, "resources": [
            { "mode": "managed", "type": "aws_eip", "name": "nat",
              "instances": [{ "index_key": "a" }, { "index_key": "b" }] },
            { "mode": "managed", "type": "aws_vpc", "name": "new", "instances": [{}] },
            { "mode": "managed", "type": "aws_instance", "name": "bootstrap",
              "instances": [{ "status": "tainted" }] },
        ] });
        std::fs::write(folder.join("terraform.tfstate"), state.to_string())?;
        let platform = platforms::named("aws").ok_or("no such platform")?;
        let all = existing(root.path(), platform);
        let counts: Vec<(&str, usize)> = all.iter().map(|one| (one.stage, one.count())).collect();
        assert_eq!(counts, [("cluster", 3), ("bootstrap", 0)]);
        assert_eq!(all.first().and_then(|one| one.types.get("aws_eip")), Some(&2));
        let all = existing_with_replaced(root.path(), platform);
        assert_eq!(all.first().map(Existing::count), Some(4));
        Ok(())
    }

    #[test]
    fn the_journal_is_counted_by_kind_without_what_was_removed() -> Result<(), Box<dyn Error>> {
        let root = tempfile::tempdir()?;
        let cluster = ClusterDir::open_with(root.path(), Durability::Process)?;
        let note = |step: &str, detail: &str| {
            let (time, inputs) = ("2026-01-01T00:00:00Z".to_owned(), String::new());
            let (step, detail) = (step.to_owned(), detail.to_owned());
            cluster.note(&Step { time, step, result: StepResult::Done, detail, inputs })
        };
        for name in ["subnet/a", "subnet/b", "vpc/new", "subnet/a"] {
            note(&format!("cluster.apply/{name}"), r#"{"id":"1"}"#)?;
        }
        note("bootstrap.apply/instance/bootstrap", r#"{"id":"2"}"#)?;
        let platform = platforms::named("aws").ok_or("no such platform")?;
        let counts =
            || -> Vec<usize> { existing_native(root.path(), platform).iter().map(Existing::count).collect() };
        assert_eq!(counts(), [3, 1]);
        note("bootstrap.apply", "")?;
        note("bootstrap.destroy", "")?;
        assert_eq!(counts(), [3, 0]);
        Ok(())
    }
}

//! The resources of a stage whose creation was not noted: they are known by its name.

use landfall_engine_terraform::Work;
use landfall_model::plan;
use landfall_platform::native::Properties;
use landfall_platform::removal::{Disposition, Resource};

use super::files::step;
use super::recover::may_have_lost;
use super::{Fault, Site};

/// What tells the resources of a stage whose creation was not noted.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    /// The name of the stage.
    pub(super) stage: &'a str,
    /// The ids and names of the resources of other stages.
    pub(super) others: &'a [String],
}

impl Named<'_> {
    /// Whether a resource of the cluster has the name of the stage, and is of no other one.
    pub(super) fn has(self, thing: &Resource, infra_id: &str) -> bool {
        let id = thing.id.rsplit(['/', ':']).next().unwrap_or_default();
        let is_named = |name: &str| {
            let rest = name.strip_prefix(infra_id).and_then(|rest| rest.strip_prefix('-'));
            let rest = rest.and_then(|rest| rest.strip_prefix(self.stage));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        thing.fate == Disposition::Removed
            && (is_named(&thing.name) || is_named(id))
            && !is_noted(thing, self.others.iter().map(String::as_str))
    }
}

/// What the outputs of a resource call it.
pub(super) fn names(outputs: &Properties) -> impl Iterator<Item = &str> {
    ["id", "name"].into_iter().filter_map(|key| outputs.get(key)?.as_str())
}

/// Whether the id of a resource ends with one of these, whatever the case: clouds write one in several ways.
pub(super) fn is_noted<'n>(thing: &Resource, mut names: impl Iterator<Item = &'n str>) -> bool {
    let id = thing.id.to_lowercase();
    names.any(|name| {
        let start = id.strip_suffix(&name.to_lowercase());
        start.is_some_and(|start| start.is_empty() || start.ends_with(['/', ':']))
    })
}

impl Site<'_> {
    /// Removes what has the name of a stage that is to be destroyed, if a run on it may have left resources that are not
    /// in the state. Terraform removes the rest.
    ///
    /// # Errors
    /// The cloud cannot be looked at, or something of it does not go.
    pub(super) async fn remove_untracked(&self, stage: &plan::Stage) -> Result<(), Fault> {
        let Some(recovery) = self.recovery else { return Ok(()) };
        if !may_have_lost(&self.cluster.steps()?, &step(stage, Work::Apply), &self.platform.modules()) {
            return Ok(());
        }
        let found = recovery.removal.discover().await;
        if !found.unseen.is_empty() {
            return Err(Fault::Unseen(found.unseen));
        }
        let mut others = Vec::new();
        for other in self.platform.stages().iter().filter(|other| other.name != stage.name) {
            let ids = landfall_engine_terraform::ids(&self.files().folder(other))
                .map_err(|fault| Fault::Engine { stage: other.name.to_owned(), fault: Box::new(fault) })?;
            others.extend(ids);
        }
        let named = Named { stage: stage.name, others: &others };
        let things: Vec<&Resource> =
            found.things.iter().filter(|thing| named.has(thing, self.infra_id)).collect();
        self.remove(stage, recovery, &things).await
    }
}

#[cfg(test)]
mod tests {
    use landfall_platform::removal::Kind;

    use super::*;

    static MACHINE: Kind = Kind { name: "machine", batch: 1, help: "", last: false };

    #[test]
    fn what_was_not_noted_is_known_by_the_name_of_the_stage() {
        let others = ["i-2".to_owned()];
        let named = Named { stage: "bootstrap", others: &others };
        let is_its = |id: &str, name: &str, fate| {
            let (id, name) = (id.to_owned(), name.to_owned());
            named.has(&Resource { id, kind: &MACHINE, name, fate, after: Vec::new() }, "demo-x7k2p")
        };
        for (id, name) in [
            ("arn:aws:ec2:r:1:instance/i-1", "demo-x7k2p-bootstrap"),
            ("arn:aws:s3:::demo-x7k2p-bootstrap", ""),
            ("/groups/g/demo-x7k2p-bootstrap-nic", ""),
        ] {
            assert!(is_its(id, name, Disposition::Removed), "{id}");
            assert!(!is_its(id, name, Disposition::Released), "{id}");
        }
        for (id, name) in [
            ("arn:aws:ec2:r:1:instance/i-2", "demo-x7k2p-bootstrap"),
            ("arn:aws:ec2:r:1:instance/i-3", "demo-x7k2p-master-0"),
            ("arn:aws:ec2:r:1:instance/i-4", "demo-x7k2p2-bootstrap"),
            ("arn:aws:ec2:r:1:instance/i-5", "demo-x7k2p-bootstrapper"),
        ] {
            assert!(!is_its(id, name, Disposition::Removed), "{id}");
        }
    }
}
